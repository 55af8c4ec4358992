//! Which markup of WordprocessingML is kept, and which of its attributes: tables, no code that reads a file.
//!
//! Elements of unknown namespaces are left out. Of the known ones, those that hold names of people, places of files,
//! hidden copies of data or other documents are left out or refuse the file. Attributes in which an author can write
//! what they like are emptied, treated as text, or watched ([`Attr::Named`]).

use crate::markup::Name;

use super::LeftOut;
use super::markup_rule::{Attr, Element};
use super::opc::Kind;

pub(crate) fn namespace(uri: &str) -> Option<&'static str> {
    Some(match uri {
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        | "http://purl.oclc.org/ooxml/wordprocessingml/main" => "w",
        "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
        | "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing" => "wp",
        "http://schemas.openxmlformats.org/drawingml/2006/main"
        | "http://purl.oclc.org/ooxml/drawingml/main" => "a",
        "http://schemas.openxmlformats.org/drawingml/2006/picture"
        | "http://purl.oclc.org/ooxml/drawingml/picture" => "pic",
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        | "http://purl.oclc.org/ooxml/officeDocument/relationships" => "r",
        "http://schemas.openxmlformats.org/officeDocument/2006/math"
        | "http://purl.oclc.org/ooxml/officeDocument/math" => "m",
        "http://schemas.openxmlformats.org/markup-compatibility/2006" => "mc",
        "http://schemas.microsoft.com/office/word/2010/wordml" => "w14",
        "http://schemas.microsoft.com/office/word/2010/wordprocessingShape" => "wps",
        "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup" => "wpg",
        "http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas" => "wpc",
        "http://schemas.microsoft.com/office/word/2010/wordprocessingDrawing" => "wp14",
        "http://schemas.microsoft.com/office/drawing/2010/main" => "a14",
        "urn:schemas-microsoft-com:vml" => "v",
        "urn:schemas-microsoft-com:office:office" => "o",
        "urn:schemas-microsoft-com:office:word" => "w10",
        _ => return None,
    })
}

pub(crate) fn element(kind: Kind, name: Name<'_>, depth: usize) -> Element {
    use Element::*;
    if kind == Kind::Settings && depth == 1 {
        return if SETTINGS.contains(&name.local) { Keep } else { Drop };
    }
    match (name.ns, name.local) {
        ("w", "object") | ("o", "OLEObject") => {
            Refuse("it holds an embedded object, which is not treated; remove it")
        }
        ("w", "control") => Refuse("it holds a control (ActiveX), which is not treated; remove it"),
        ("w", "altChunk" | "subDoc") => {
            Refuse("it holds another document inside, which is not treated; remove it")
        }
        ("w", "contentPart") | ("w14", "contentPart") => {
            Refuse("it holds handwriting (ink), which is not treated")
        }
        (
            "w",
            "dataBinding" | "alias" | "tag" | "placeholder" | "docPartObj" | "docPartList" | "listItem"
            | "ffData",
        ) => Count(LeftOut::AttachedData),
        (
            "w",
            "smartTagPr"
            | "customXmlPr"
            | "permStart"
            | "permEnd"
            | "tblCaption"
            | "tblDescription"
            | "aliases"
            | "embedRegular"
            | "embedBold"
            | "embedItalic"
            | "embedBoldItalic"
            | "printerSettings"
            | "movie"
            | "frameset"
            | "customXmlInsRangeStart"
            | "customXmlInsRangeEnd"
            | "customXmlDelRangeStart"
            | "customXmlDelRangeEnd"
            | "customXmlMoveFromRangeStart"
            | "customXmlMoveFromRangeEnd"
            | "customXmlMoveToRangeStart"
            | "customXmlMoveToRangeEnd",
        ) => Drop,
        ("a", "hlinkClick" | "hlinkHover" | "hlinkMouseOver" | "extLst") => Drop,
        ("o", "signatureline" | "ink" | "extrusion" | "callout" | "diagram") => Drop,
        ("w14", "docId" | "conflictIns" | "conflictDel") => Drop,
        ("?" | "", _) => Count(LeftOut::UnknownMarkup),
        _ => Keep,
    }
}

/// Settings that say how pages look. All others are left out.
const SETTINGS: &[&str] = &[
    "zoom",
    "mirrorMargins",
    "alignBordersAndEdges",
    "bordersDoNotSurroundHeader",
    "bordersDoNotSurroundFooter",
    "gutterAtTop",
    "displayBackgroundShape",
    "evenAndOddHeaders",
    "autoHyphenation",
    "consecutiveHyphenLimit",
    "hyphenationZone",
    "doNotHyphenateCaps",
    "defaultTabStop",
    "drawingGridHorizontalSpacing",
    "drawingGridVerticalSpacing",
    "characterSpacingControl",
    "footnotePr",
    "endnotePr",
    "compat",
    "mathPr",
    "themeFontLang",
    "clrSchemeMapping",
    "decimalSymbol",
    "listSeparator",
];

pub(crate) fn attribute(element: Name<'_>, name: Name<'_>) -> Attr {
    use Attr::*;
    match (name.ns, name.local) {
        ("?", _) => Remove,
        ("w14", "paraId" | "textId") => Remove,
        ("w", local) if local.starts_with("rsid") => Remove,
        ("w", "author") => Set("author"),
        ("w", "initials") => Set(""),
        (
            "w",
            "date"
            | "fullDate"
            | "lastValue"
            | "tooltip"
            | "docLocation"
            | "tgtFrame"
            | "displacedByCustomXml",
        ) => Remove,
        ("w", "instr") => Instruction,
        (
            "w",
            "anchor" | "name" | "styleId" | "uri" | "element" | "ascii" | "hAnsi" | "cs" | "eastAsia"
            | "font",
        ) => Named,
        ("w", "val") if element.local == "lvlText" => Label,
        ("w", "val") if NAMED_VALUES.contains(&element.local) => Named,
        ("a", _) => Keep,
        ("o", "gfxdata" | "title" | "href" | "relid" | "spid" | "althref" | "bwmode") => Remove,
        ("v" | "o" | "w10", "alt" | "title" | "href" | "target" | "src") => Remove,
        ("", local) => match (element.ns, local) {
            ("wp" | "pic" | "wps" | "wpg" | "wpc" | "a", "descr" | "title") => Remove,
            ("wp" | "pic" | "wps" | "wpg" | "wpc" | "a", "name")
                if matches!(element.local, "docPr" | "cNvPr") =>
            {
                Set("object")
            }
            ("a", "name" | "typeface" | "macro" | "textlink") => Named,
            ("v", "string") => Text,
            ("v" | "o", "alt" | "title" | "href" | "target" | "src" | "gfxdata") => Remove,
            ("v" | "o", "id" | "spid" | "name" | "class") => Named,
            _ => Keep,
        },
        _ => Keep,
    }
}

/// Elements whose `w:val` is a name or text of the author's.
const NAMED_VALUES: &[&str] = &[
    "pStyle",
    "rStyle",
    "tblStyle",
    "basedOn",
    "next",
    "link",
    "name",
    "styleLink",
    "numStyleLink",
    "altName",
    "docPartGallery",
    "docPartCategory",
    "defaultTableStyle",
    "clickAndTypeStyle",
    "title",
];

/// Whether the instruction of a field says nothing but how pages are numbered and filled. The text a field shows is
/// kept in any case.
pub(crate) fn is_plain_instruction(instruction: &str) -> bool {
    const FIELDS: &[&str] = &[
        "PAGE",
        "NUMPAGES",
        "SECTION",
        "SECTIONPAGES",
        "TOC",
        "PAGEREF",
        "REF",
        "NOTEREF",
        "SEQ",
        "FORMTEXT",
        "FORMCHECKBOX",
        "FORMDROPDOWN",
        "SHAPE",
    ];
    const WORDS: &[&str] =
        &["MERGEFORMAT", "ARABIC", "ROMAN", "FIGURE", "TABLE", "TABLEAU", "TABLA", "FIGURA"];
    let mut words = instruction.split_whitespace();
    let Some(first) = words.next() else { return true };
    let is_plain = |word: &str| {
        let word = word.trim_matches('"');
        let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        digits(word)
            || (word.starts_with('\\') && word.len() <= 3)
            || WORDS.iter().any(|w| w.eq_ignore_ascii_case(word))
            || ["_Toc", "_Ref", "__RefHeading___Toc"]
                .iter()
                .any(|p| word.strip_prefix(p).is_some_and(|rest| rest.split('_').all(digits)))
    };
    FIELDS.iter().any(|f| f.eq_ignore_ascii_case(first)) && words.all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_page_fields_keep_their_instruction() {
        for plain in
            ["", " PAGE ", "PAGE \\* MERGEFORMAT", " TOC \\o \"1-3\" \\h ", "PAGEREF _Toc123 \\h", "FORMTEXT"]
        {
            assert!(is_plain_instruction(plain), "{plain}");
        }
        for other in [
            " HYPERLINK \"mailto:a@b.fr\" ",
            "MERGEFIELD NOM",
            "AUTHOR Dupont",
            "REF Dupont \\h",
            "TOC \\o Dupont",
            "PAGEREF _TocDupont",
            "DATE \\@ \"dd/MM/yyyy\"",
        ] {
            assert!(!is_plain_instruction(other), "{other}");
        }
    }
}
