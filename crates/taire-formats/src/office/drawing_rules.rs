//! What becomes of the markup of slides, drawings and charts. An element whose namespace is not known is left out; names,
//! descriptions, authors and addresses are emptied; other values are watched.

use crate::markup::Name;

use super::LeftOut;
use super::markup_rule::{Attr, Element};
use super::opc::Kind;

pub(crate) fn namespace(uri: &str) -> Option<&'static str> {
    Some(match uri {
        "http://schemas.openxmlformats.org/drawingml/2006/main"
        | "http://purl.oclc.org/ooxml/drawingml/main" => "a",
        "http://schemas.openxmlformats.org/drawingml/2006/picture"
        | "http://purl.oclc.org/ooxml/drawingml/picture" => "pic",
        "http://schemas.openxmlformats.org/drawingml/2006/chart"
        | "http://purl.oclc.org/ooxml/drawingml/chart" => "c",
        "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
        | "http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing" => "xdr",
        "http://schemas.openxmlformats.org/presentationml/2006/main"
        | "http://purl.oclc.org/ooxml/presentationml/main" => "p",
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        | "http://purl.oclc.org/ooxml/officeDocument/relationships" => "r",
        "http://schemas.openxmlformats.org/officeDocument/2006/math"
        | "http://purl.oclc.org/ooxml/officeDocument/math" => "m",
        "http://schemas.openxmlformats.org/markup-compatibility/2006" => "mc",
        "http://schemas.microsoft.com/office/drawing/2010/main" => "a14",
        "http://schemas.microsoft.com/office/powerpoint/2010/main" => "p14",
        "http://schemas.microsoft.com/office/powerpoint/2018/8/main" => "p188",
        _ => return None,
    })
}

pub(crate) fn element(kind: Kind, name: Name<'_>, depth: usize) -> Element {
    use Element::*;
    if kind == Kind::Document && depth == 1 {
        return if PRESENTATION.contains(&name.local) { Keep } else { Drop };
    }
    match (name.ns, name.local) {
        ("p", "oleObj" | "embed" | "link") => {
            Refuse("it holds an embedded object, which is not treated; remove it")
        }
        ("p", "control" | "controls") => {
            Refuse("it holds a control (ActiveX), which is not treated; remove it")
        }
        ("p" | "p14", "contentPart") => Refuse("it holds handwriting (ink), which is not treated"),
        ("a", "audioCd" | "wavAudioFile" | "audioFile" | "videoFile" | "quickTimeFile")
        | ("p14", "media") => Refuse("it holds sound or video, which is not treated; remove it"),
        ("a", "hlinkClick" | "hlinkHover" | "hlinkMouseOver") => Drop,
        (_, "extLst") => Drop,
        ("p", "custDataLst" | "sndAc" | "snd" | "htmlPubPr" | "prnPr") => Drop,
        ("c", "externalData" | "userShapes" | "printSettings" | "pivotSource" | "pivotFmts") => Drop,
        ("?" | "", _) => Count(LeftOut::UnknownMarkup),
        _ => Keep,
    }
}

/// Of a presentation, what says which slides there are and how large. Names of shows, tags and the rest are left out.
const PRESENTATION: &[&str] = &[
    "sldMasterIdLst",
    "notesMasterIdLst",
    "handoutMasterIdLst",
    "sldIdLst",
    "sldSz",
    "notesSz",
    "defaultTextStyle",
];

pub(crate) fn attribute(element: Name<'_>, name: Name<'_>) -> Attr {
    use Attr::*;
    let drawn = matches!(element.local, "cNvPr" | "docPr");
    match (name.ns, name.local) {
        ("?", _) => Remove,
        ("", "descr" | "title") if drawn => Remove,
        ("", "name") if drawn => Set("object"),
        ("", "name" | "initials") if matches!(element.local, "cmAuthor" | "author") => Set("author"),
        ("", "userId" | "providerId") => Set("author"),
        // A date is required there; this one says nothing.
        ("", "dt" | "created") if matches!(element.local, "cm" | "reply") => Set("2000-01-01T00:00:00.000"),
        ("", "formatCode") => Text,
        ("", "macro" | "textlink") => Set(""),
        ("", "tooltip" | "action" | "invalidUrl" | "tgtFrame" | "highlightClick" | "history") => Remove,
        ("", "name" | "typeface" | "styleName" | "panose" | "lang" | "altLang") => Named,
        _ => Keep,
    }
}

/// What PowerPoint and LibreOffice write into masters and layouts to say where text goes. It identifies nobody, and it
/// would hide the language of the slides.
const PROMPTS: &[&str] = &[
    "Click to edit Master title style",
    "Click to edit Master subtitle style",
    "Click to edit Master text styles",
    "Click icon to add picture",
    "Click to edit the title text format",
    "Click to edit the outline text format",
    "Click to move the slide",
    "Click to edit the notes format",
    "Second level",
    "Third level",
    "Fourth level",
    "Fifth level",
    "Modifiez le style du titre",
    "Modifiez le style des sous-titres du masque",
    "Modifiez les styles du texte du masque",
    "Cliquez pour modifier le style du titre",
    "Cliquez pour modifier les styles du texte du masque",
    "Deuxième niveau",
    "Troisième niveau",
    "Quatrième niveau",
    "Cinquième niveau",
    "Haga clic para modificar el estilo de título del patrón",
    "Haga clic para modificar el estilo de subtítulo del patrón",
    "Haga clic para modificar los estilos de texto del patrón",
    "Segundo nivel",
    "Tercer nivel",
    "Cuarto nivel",
    "Quinto nivel",
];

pub(crate) fn is_prompt(text: &str) -> bool {
    PROMPTS.contains(&text.trim())
}
