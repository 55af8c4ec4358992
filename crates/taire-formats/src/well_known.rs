//! Names of fonts and styles that come with word processors. No author chose them, so they stay even where somebody in the
//! text is called the same: Román loses nothing in "Times New Roman", nor Norma in "Normal".

use std::borrow::Cow;

/// Folded.
const FONTS: &[&str] = &[
    "times new roman",
    "timesnewroman",
    "arial unicode ms",
    "arial narrow",
    "arial black",
    "arial",
    "book antiqua",
    "bookman old style",
    "calibri light",
    "calibri",
    "cambria math",
    "cambria",
    "candara",
    "century gothic",
    "century schoolbook",
    "comic sans ms",
    "consolas",
    "constantia",
    "corbel",
    "courier new",
    "couriernew",
    "dejavu sans mono",
    "dejavu sans",
    "dejavu serif",
    "franklin gothic book",
    "franklin gothic medium",
    "garamond",
    "georgia",
    "gill sans mt",
    "helvetica neue",
    "helvetica",
    "liberation mono",
    "liberation sans",
    "liberation serif",
    "lucida console",
    "lucida grande",
    "lucida sans unicode",
    "lucida sans",
    "microsoft sans serif",
    "ms sans serif",
    "noto sans",
    "noto serif",
    "opensymbol",
    "palatino linotype",
    "sans serif",
    "sans-serif",
    "segoe ui",
    "starsymbol",
    "tahoma",
    "trebuchet ms",
    "verdana",
    "wingdings",
];

/// Folded.
const STYLE_WORDS: &[&str] = &[
    "accent",
    "address",
    "annotation",
    "aucune",
    "balloon",
    "block",
    "body",
    "bottom",
    "bullet",
    "bullets",
    "cabecera",
    "caption",
    "car",
    "char",
    "character",
    "characters",
    "citation",
    "cite",
    "closing",
    "colorful",
    "comment",
    "commentaire",
    "contents",
    "continue",
    "corps",
    "cuadricula",
    "cuerpo",
    "dark",
    "date",
    "de",
    "default",
    "defaut",
    "definition",
    "defn",
    "document",
    "du",
    "emphasis",
    "en",
    "encabezado",
    "endnote",
    "entete",
    "envelope",
    "etat",
    "example",
    "figure",
    "figures",
    "first",
    "followed",
    "font",
    "footer",
    "footnote",
    "form",
    "frame",
    "fuente",
    "graphics",
    "grid",
    "grille",
    "header",
    "heading",
    "horizontal",
    "html",
    "hyperlink",
    "hypertexte",
    "illustration",
    "indent",
    "index",
    "intense",
    "interligne",
    "internet",
    "keyboard",
    "landscape",
    "left",
    "light",
    "line",
    "lien",
    "link",
    "list",
    "lista",
    "liste",
    "macro",
    "map",
    "marginalia",
    "medium",
    "message",
    "mso",
    "no",
    "normal",
    "note",
    "notes",
    "number",
    "numbering",
    "ninguna",
    "object",
    "of",
    "page",
    "par",
    "paragraph",
    "paragraphe",
    "parrafo",
    "pie",
    "pied",
    "pagina",
    "placeholder",
    "plain",
    "police",
    "predeter",
    "preformatted",
    "puces",
    "quote",
    "quotations",
    "reference",
    "return",
    "revision",
    "right",
    "salutation",
    "sample",
    "sans",
    "sender",
    "separator",
    "shading",
    "signature",
    "simple",
    "sin",
    "sous",
    "spacing",
    "standard",
    "strong",
    "style",
    "subject",
    "subtitle",
    "subtle",
    "symbol",
    "symbols",
    "tabla",
    "table",
    "tableau",
    "tc",
    "teletype",
    "tete",
    "text",
    "texte",
    "texto",
    "theme",
    "title",
    "titre",
    "titulo",
    "titulos",
    "toa",
    "toc",
    "tm",
    "top",
    "typewriter",
    "user",
    "variable",
    "visited",
    "web",
    "ww",
];

/// A folded value without the names of fonts.
pub(crate) fn without_fonts(folded: &str) -> Cow<'_, str> {
    FONTS.iter().fold(Cow::Borrowed(folded), |left, font| match left.contains(font) {
        true => Cow::Owned(left.replace(font, " ")),
        false => left,
    })
}

/// Whether a word stands in names of fonts or styles.
pub(crate) fn is_well_known(word: &str) -> bool {
    let folded = taire_text::fold(word);
    is_style(word)
        || STYLE_WORDS.contains(&folded.as_str())
        || FONTS.iter().any(|font| font.contains(&folded))
}

/// Whether every word of a name is one that styles are called by: `Heading 1`, `Text_20_body`, `ListBullet`, `MsoNormal`.
pub(crate) fn is_style(value: &str) -> bool {
    let mut words: Vec<String> = Vec::new();
    let mut inside = false;
    for c in value.chars() {
        match c.is_alphabetic() {
            true if inside && !c.is_uppercase() => words.last_mut().into_iter().for_each(|word| word.push(c)),
            true => words.push(c.into()),
            false => {}
        }
        inside = c.is_alphabetic();
    }
    !words.is_empty() && words.iter().all(|word| STYLE_WORDS.contains(&taire_text::fold(word).as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_word_processors_bring_is_known() {
        for style in
            ["Normal", "heading 1", "Text_20_body", "ListBullet", "MsoNormal", "Table Grid", "Corps de texte"]
        {
            assert!(is_style(style), "{style}");
        }
        for chosen in ["Dupont", "TitreDupont", "Normal Norma", "", "12", "BodyDUPONT"] {
            assert!(!is_style(chosen), "{chosen}");
        }
        assert_eq!(without_fonts("font-family: times new roman, serif"), "font-family:  , serif");
        assert_eq!(without_fonts("roman"), "roman");
    }
}
