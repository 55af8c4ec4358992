//! Names that authors chose in style sheets: classes and ids of selectors, fonts, names of Word's own styles.

use std::ops::Range;

use crate::well_known::is_font;

/// What a style sheet, or the `style` of an element, holds that is no layout.
#[derive(Default, PartialEq, Eq, Debug)]
pub(crate) struct CssNames {
    /// Classes and ids in selectors, without their sign.
    pub(crate) names: Vec<Range<usize>>,
    /// Declarations to leave out: fonts that no program brings, and what Word notes of its styles.
    pub(crate) cuts: Vec<Range<usize>>,
}

/// Reads a style sheet without comments.
pub(crate) fn read_sheet(css: &str) -> CssNames {
    let mut found = CssNames::default();
    let mut from = 0;
    for (at, c) in css.char_indices().filter(|(_, c)| matches!(c, '{' | '}' | ';')) {
        let part = from..at;
        match c {
            '{' => selectors(css, part, &mut found),
            _ => declaration(css, part.start..at + usize::from(c == ';'), &mut found),
        }
        from = at + 1;
    }
    found
}

/// Reads the value of a `style` attribute.
pub(crate) fn read_style(css: &str) -> CssNames {
    let mut found = CssNames::default();
    let mut from = 0;
    for part in css.split_inclusive(';') {
        declaration(css, from..from + part.len(), &mut found);
        from += part.len();
    }
    found
}

fn selectors(css: &str, at: Range<usize>, found: &mut CssNames) {
    let part = &css[at.clone()];
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    // `@page Section1`, `@list l0:level1`: a name of Word's sections or lists.
    let rule = part.trim_start().strip_prefix('@').and_then(|rest| rest.split_once(char::is_whitespace));
    if let Some((keyword, name)) = rule {
        if matches!(keyword, "page" | "list") {
            let name = name.trim();
            let start = at.end - part.len() + part.rfind(name).unwrap_or_default();
            let length = name.find(|c| !is_name(c)).unwrap_or(name.len());
            if length > 0 {
                found.names.push(start..start + length);
            }
        }
        return;
    }
    for (i, _) in part.match_indices(['.', '#']) {
        let rest = &part[i + 1..];
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        if length > 0 {
            found.names.push(at.start + i + 1..at.start + i + 1 + length);
        }
    }
}

fn declaration(css: &str, at: Range<usize>, found: &mut CssNames) {
    let Some((property, value)) = css[at.clone()].split_once(':') else { return };
    let value = value.trim_end_matches(';').trim();
    let property = property.trim().to_ascii_lowercase();
    match property.as_str() {
        "page" | "mso-list" => {
            let name = value.split_whitespace().next().unwrap_or_default();
            if let Some(start) = css[at.clone()].rfind(value).filter(|_| !name.is_empty()) {
                found.names.push(at.start + start..at.start + start + name.len());
            }
        }
        property if property.starts_with("mso-style") => found.cuts.push(at),
        property if property.ends_with("font-family") && !is_font(value) => found.cuts.push(at),
        // `font: 12pt Dupont` ends with the family.
        "font" if !is_font(value.trim_start_matches(|c| c != ' ')) => found.cuts.push(at),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_names_are_found_and_layout_is_not() {
        let css = "p.MsoNormal, li.Dupont-Jean {margin:0.5cm; color:#abcdef; mso-style-name:\"Style Dupont\"; font-family:Calibri;}\n\
                   #dossier800417 > td { font-family: 'Dupont Sans', serif }\n@page Dupont1 {size:21cm}\ndiv.Dupont1 {page:Dupont1;}";
        let found = read_sheet(css);
        let names: Vec<&str> = found.names.iter().map(|at| &css[at.clone()]).collect();
        assert_eq!(names, ["MsoNormal", "Dupont-Jean", "dossier800417", "Dupont1", "Dupont1", "Dupont1"]);
        let cuts: Vec<&str> = found.cuts.iter().map(|at| css[at.clone()].trim()).collect();
        assert_eq!(cuts, ["mso-style-name:\"Style Dupont\";", "font-family: 'Dupont Sans', serif"]);
        let style = "color:red;font-family:Dupont;font:12pt Arial";
        let found = read_style(style);
        assert_eq!(
            found.cuts.iter().map(|at| &style[at.clone()]).collect::<Vec<_>>(),
            ["font-family:Dupont;"]
        );
    }
}
