//! Documents marked as Bigeard marks hers (figure 3.1): the text of a letter with an element around each identifier,
//! `<nom_famille>Martin</nom_famille> <prenomf>Denise</prenomf>`.
//!
//! An element without others inside is a span, and its name is the label. Elements around others, comments and the
//! declaration are no text. Given names are one label, whatever the gender that the element tells.

use crate::{Doc, Error, Tag};

/// An open element: where its text starts, and whether it holds others.
struct Open<'a> {
    name: &'a str,
    start: usize,
    holds: bool,
}

pub(crate) fn parse(id: String, source: &str) -> Result<Doc, Error> {
    let mut text = String::new();
    let (mut length, mut spans, mut open) = (0, Vec::new(), Vec::<Open<'_>>::new());
    let mut rest = source.strip_prefix('\u{feff}').unwrap_or(source);
    let line = |rest: &str| 1 + source[..source.len() - rest.len()].matches('\n').count();
    while !rest.is_empty() {
        let next = rest.find('<').unwrap_or(rest.len());
        let literal = resolve(&rest[..next]);
        length += literal.chars().count();
        text.push_str(&literal);
        rest = &rest[next..];
        if rest.is_empty() {
            break;
        }
        let end = if rest.starts_with("<!--") {
            rest.find("-->").map(|at| at + 3)
        } else {
            rest.find('>').map(|at| at + 1)
        };
        let end = end.ok_or_else(|| Error::input(format!("line {}: `<` without `>`", line(rest))))?;
        let element = &rest[1..end - 1];
        if element.starts_with(['!', '?']) {
            rest = &rest[end..];
            continue;
        }
        if let Some(name) = element.strip_prefix('/') {
            let opened = open.pop().filter(|o| o.name == name.trim()).ok_or_else(|| {
                Error::input(format!("line {}: an element is closed that was not opened last", line(rest)))
            })?;
            if !opened.holds && length > opened.start {
                spans.push(Tag::new(opened.start, length, label(opened.name)));
            }
        } else if !element.ends_with('/') {
            open.iter_mut().for_each(|o| o.holds = true);
            let name = element.split_whitespace().next().unwrap_or_default();
            open.push(Open { name, start: length, holds: false });
        }
        rest = &rest[end..];
    }
    match open.is_empty() {
        true => Ok(Doc { id, text: Some(text), spans }),
        false => Err(Error::input("an element is not closed; every identifier needs its closing tag")),
    }
}

/// Her scheme tells the gender of a given name (`prenomf`, `prenomm`); the category is one.
fn label(name: &str) -> &str {
    match name {
        "prenomf" | "prenomm" | "prenomn" => "prenom",
        name => name,
    }
}

fn resolve(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bigeard, figure 3.1, in our words.
    #[test]
    fn a_letter_marked_inline() {
        let source = "<?xml version=\"1.0\"?><doc>EEG\n<nom_famille>Martin</nom_famille> <prenomf>Denise</prenomf> ,\n\
                      Naissance : <date>2/12/1930</date> &amp; NCH\n</doc>";
        let doc = parse("a".into(), source).unwrap();
        let text = doc.text.unwrap();
        assert_eq!(text, "EEG\nMartin Denise ,\nNaissance : 2/12/1930 & NCH\n");
        let of = |t: &Tag| text.chars().skip(t.start).take(t.end - t.start).collect::<String>();
        let found: Vec<(String, &str)> = doc.spans.iter().map(|t| (of(t), t.label.as_str())).collect();
        let wanted = [("Martin", "nom_famille"), ("Denise", "prenom"), ("2/12/1930", "date")];
        assert_eq!(found, wanted.map(|(t, l)| (t.to_owned(), l)));
    }

    #[test]
    fn broken_elements_tell_their_line() {
        let wrong = parse("a".into(), "x\n<date>3 mai</ville>").unwrap_err().to_string();
        assert!(wrong.contains("line 2"), "{wrong}");
        assert!(parse("a".into(), "<date>3 mai").is_err());
    }
}
