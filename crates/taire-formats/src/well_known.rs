//! Names in markup that come with word processors: fonts, styles, bookmarks that programs number. No author chose them, so they
//! stay, even where somebody in the text is called the same: Román loses nothing in "Times New Roman", nor Norma in "Normal".
//! Every other name is an author's and is written anew.

use std::borrow::Cow;

/// Folded.
const FONTS: &[&str] = &[
    "times new roman",
    "timesnewroman",
    "arial unicode ms",
    "arial narrow",
    "arial black",
    "aptos display",
    "aptos",
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
    "courier",
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
    "trebuchet ms",
    "verdana",
    "tahoma",
    "times",
    "symbol",
    "webdings",
    "wingdings 2",
    "wingdings 3",
    "wingdings",
    "ms mincho",
    "ms gothic",
    "ms shell dlg",
    "simsun",
    "mangal",
    "lohit devanagari",
    "lohit hindi",
    "droid sans fallback",
    "noto sans cjk sc",
    "noto sans devanagari",
    "source sans pro",
    "open sans",
    "roboto",
    "system-ui",
    "sans-serif",
    "serif",
    "monospace",
    "cursive",
    "fantasy",
];

/// Folded.
const STYLE_WORDS: &[&str] = &[
    "accent",
    "acronym",
    "address",
    "addressee",
    "anchor",
    "and",
    "annotation",
    "aucune",
    "authorities",
    "balloon",
    "bibliography",
    "block",
    "body",
    "bold",
    "book",
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
    "classic",
    "close",
    "closing",
    "code",
    "colorful",
    "columns",
    "comment",
    "commentaire",
    "complimentary",
    "contemporary",
    "contents",
    "continue",
    "converted",
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
    "drawing",
    "du",
    "e",
    "effects",
    "elegant",
    "emphasis",
    "en",
    "encabezado",
    "endnote",
    "entete",
    "entry",
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
    "formula",
    "frame",
    "fuente",
    "graphics",
    "grid",
    "grille",
    "hanging",
    "hashtag",
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
    "italic",
    "keyboard",
    "labels",
    "landscape",
    "left",
    "lien",
    "light",
    "line",
    "link",
    "list",
    "lista",
    "liste",
    "macro",
    "mail",
    "main",
    "map",
    "marginalia",
    "medium",
    "mention",
    "message",
    "mso",
    "ninguna",
    "no",
    "normal",
    "note",
    "notes",
    "number",
    "numbering",
    "object",
    "of",
    "office",
    "ole",
    "outline",
    "page",
    "pagina",
    "par",
    "paragraph",
    "paragraphe",
    "parrafo",
    "pie",
    "pied",
    "placeholder",
    "plain",
    "police",
    "predeter",
    "preformatted",
    "professional",
    "puces",
    "quotations",
    "quote",
    "reference",
    "regular",
    "return",
    "revision",
    "right",
    "rubies",
    "salutation",
    "sample",
    "sans",
    "sender",
    "separator",
    "shading",
    "signature",
    "simple",
    "sin",
    "smart",
    "source",
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
    "tema",
    "term",
    "tete",
    "text",
    "texte",
    "texto",
    "theme",
    "title",
    "titre",
    "titulo",
    "titulos",
    "tm",
    "toa",
    "toc",
    "top",
    "typewriter",
    "unresolved",
    "user",
    "variable",
    "vertical",
    "visited",
    "watermark",
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

/// Whether a value names known fonts and nothing else: `'Times New Roman', serif`, `Liberation Serif1`.
pub(crate) fn is_font(value: &str) -> bool {
    let folded = taire_text::fold(value);
    let left = without_fonts(&folded);
    left.len() < folded.len() && !left.contains(char::is_alphabetic)
}

/// Words of names that programs number: `Table1.A`, `fr3`, `Sect1`, `WWNum2`, `list1042`, `WordSection1`.
const NUMBERED: &[&str] = &[
    "table",
    "tableau",
    "tabla",
    "fr",
    "mfr",
    "frame",
    "cadre",
    "marco",
    "sect",
    "section",
    "wordsection",
    "seccion",
    "wwnum",
    "list",
    "listlabel",
    "num",
];
/// What programs put before the numbers of bookmarks and shapes.
const NUMBERED_MARKS: &[&str] = &[
    "_Toc",
    "_Ref",
    "_Hlk",
    "_GoBack",
    "__RefHeading___Toc",
    "__RefNumPara__",
    "_x0000_s",
    "_x0000_t",
    "_x0000_i",
];
/// A longer number may be a patient's.
const LONGEST_NUMBER: usize = 4;

/// Whether a program made a name by counting.
fn is_numbered(value: &str) -> bool {
    let digits = |rest: &str| rest.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    if NUMBERED_MARKS.iter().any(|mark| value.strip_prefix(mark).is_some_and(digits)) {
        return true;
    }
    let short = |rest: &str| rest.len() <= LONGEST_NUMBER && !rest.is_empty() && digits(rest);
    let (head, cell) = value.split_once('.').unwrap_or((value, "A"));
    let word = head.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_cell = cell.len() <= 5 && cell.starts_with(|c: char| c.is_ascii_uppercase()) && digits(&cell[1..]);
    let by_letters = word.len() <= 2 && word.bytes().all(|b| b.is_ascii_alphabetic());
    let long = word.eq_ignore_ascii_case("list") && digits(&head[word.len()..]);
    is_cell
        && (long
            || short(&head[word.len()..])
                && (by_letters || NUMBERED.contains(&taire_text::fold(word).as_str())))
}

/// Whether a name in markup was chosen by no author: a style or a font that ships, a name that a program counted, a sign.
pub(crate) fn is_built_in(value: &str) -> bool {
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let digits = value.chars().filter(char::is_ascii_digit).count();
    (letters == 0 && digits <= LONGEST_NUMBER)
        || (letters == 1 && digits == 0)
        || is_style(value)
        || is_font(value)
        || is_numbered(value)
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
        for built_in in [
            "'Times New Roman', serif",
            "Liberation Serif1",
            "Table1.A1",
            "P12",
            "WWNum3",
            "list104253698214",
            "_Toc123456789",
            "_GoBack",
            "__RefHeading___Toc1_2",
            "Smart Hyperlink",
            "\u{f0b7}",
            "o",
            "WordSection1",
        ] {
            assert!(is_built_in(built_in), "{built_in}");
        }
        for chosen in
            ["Dupont", "Arial Dupont", "800417", "JD1950612", "_TocDupont", "Table1.Dupont", "NIP 12", "JD"]
        {
            assert!(!is_built_in(chosen), "{chosen}");
        }
        assert_eq!(without_fonts("font-family: times new roman"), "font-family:  ");
        assert_eq!(without_fonts("roman"), "roman");
    }
}
