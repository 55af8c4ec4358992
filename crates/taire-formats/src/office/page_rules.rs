//! Which markup of HTML is kept: tables, no code that reads a file.

use super::LeftOut;

pub(crate) enum Element {
    Keep,
    /// The tag goes, what is in it stays.
    DropTag,
    /// The element goes with all that is in it.
    Drop(LeftOut),
    Style,
    Refuse(&'static str),
}

const KNOWN: &[&str] = &[
    "html",
    "head",
    "body",
    "title",
    "p",
    "div",
    "span",
    "br",
    "hr",
    "table",
    "thead",
    "tbody",
    "tfoot",
    "tr",
    "td",
    "th",
    "col",
    "colgroup",
    "caption",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "b",
    "i",
    "u",
    "s",
    "strong",
    "em",
    "small",
    "big",
    "sub",
    "sup",
    "font",
    "center",
    "pre",
    "code",
    "tt",
    "blockquote",
    "address",
    "a",
    "img",
    "section",
    "article",
    "header",
    "footer",
    "nav",
    "main",
    "aside",
    "figure",
    "figcaption",
    "strike",
    "ins",
    "abbr",
    "acronym",
    "cite",
    "q",
    "mark",
    "label",
    "form",
    "input",
    "select",
    "option",
    "optgroup",
    "textarea",
    "button",
    "fieldset",
    "legend",
    "noscript",
    "time",
    "var",
    "kbd",
    "samp",
    "dfn",
    "multicol",
    "nobr",
    "wbr",
];

pub(crate) fn element(name: &str) -> Element {
    match name {
        "style" => Element::Style,
        "script" => Element::Drop(LeftOut::Scripts),
        "del" => Element::Drop(LeftOut::DeletedText),
        "svg" | "canvas" | "map" => Element::Drop(LeftOut::Pictures),
        "xml" | "template" => Element::Drop(LeftOut::AttachedData),
        "object" | "embed" | "applet" | "iframe" | "frame" | "frameset" | "audio" | "video" => {
            Element::Refuse("it holds an embedded object or another page, which is not treated; remove it")
        }
        name if KNOWN.contains(&name) => Element::Keep,
        _ => Element::DropTag,
    }
}

/// Whether an element begins a line of its own.
pub(crate) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "p" | "div"
            | "br"
            | "hr"
            | "li"
            | "ul"
            | "ol"
            | "dl"
            | "dt"
            | "dd"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "title"
            | "caption"
            | "pre"
            | "blockquote"
            | "address"
            | "center"
            | "section"
            | "article"
            | "header"
            | "footer"
            | "nav"
            | "main"
            | "aside"
            | "figure"
            | "figcaption"
            | "option"
            | "fieldset"
            | "legend"
            | "form"
            | "body"
            | "textarea"
            | "table"
            | "tr"
            | "rt"
            | "xmp"
            | "plaintext"
            | "listing"
    )
}

pub(crate) enum Attr {
    Keep,
    Named,
    Remove(Option<LeftOut>),
    Text,
}

/// What becomes of an attribute. A value that is not text and holds markup has swallowed a part of the page, where a quote
/// was left open: it goes.
pub(crate) fn attribute(tag: &str, name: &str, value: &str) -> Attr {
    const LONGEST: usize = 2000;
    match known(tag, name, value) {
        Attr::Keep if !value.is_ascii() || value.len() > LONGEST => Attr::Remove(None),
        Attr::Keep | Attr::Named if value.contains(['<', '>']) => Attr::Remove(None),
        known => known,
    }
}

fn known(tag: &str, name: &str, value: &str) -> Attr {
    match name {
        "class" | "id" | "name" | "for" | "headers" | "face" => Attr::Named,
        "style" => {
            let lower = value.to_ascii_lowercase();
            let bad =
                ["url(", "expression", "/*", "\\", "behavior", "content"].iter().any(|b| lower.contains(b));
            if bad { Attr::Remove(None) } else { Attr::Keep }
        }
        "align" | "valign" | "width" | "height" | "border" | "cellpadding" | "cellspacing" | "colspan"
        | "rowspan" | "bgcolor" | "color" | "size" | "dir" | "lang" | "span" | "start" | "type"
        | "nowrap" | "rules" | "frame" | "noshade" | "hspace" | "vspace" | "link" | "vlink" | "text"
        | "checked" | "selected" | "disabled" | "multiple" | "scope" | "clear" => Attr::Keep,
        "alt" | "title" | "value" | "placeholder" | "label" | "summary" | "aria-label" | "abbr" => Attr::Text,
        "href" if value.starts_with('#') => Attr::Named,
        "href" => Attr::Remove(Some(LeftOut::LinkTargets)),
        "src" | "background" | "srcset" if tag == "img" || name == "background" => {
            Attr::Remove(Some(LeftOut::Pictures))
        }
        name if name.starts_with("on") => Attr::Remove(Some(LeftOut::Scripts)),
        _ => Attr::Remove(None),
    }
}
