//! Which markup of OpenDocument is kept, and which of its attributes: tables, no code that reads a file.

use crate::markup::Name;

use super::LeftOut;

pub(crate) fn namespace(uri: &str) -> Option<&'static str> {
    let oasis =
        uri.strip_prefix("urn:oasis:names:tc:opendocument:xmlns:").and_then(|rest| rest.strip_suffix(":1.0"));
    Some(match oasis.unwrap_or(uri) {
        "office" => "office",
        "text" => "text",
        "table" => "table",
        "drawing" => "draw",
        "style" => "style",
        "xsl-fo-compatible" => "fo",
        "svg-compatible" => "svg",
        "datastyle" => "number",
        "presentation" => "presentation",
        "dr3d" => "dr3d",
        "http://www.w3.org/1999/xlink" => "xlink",
        "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0" => "loext",
        "http://openoffice.org/2004/writer" => "ooow",
        "http://openoffice.org/2010/draw" => "drawooo",
        "http://openoffice.org/2009/table" => "tableooo",
        "http://www.w3.org/TR/css3-text/" => "css3t",
        _ => return None,
    })
}

/// What becomes of an element.
pub(crate) enum Element {
    Keep,
    /// What is in it stays, without the element.
    Unwrap,
    Drop,
    Count(LeftOut),
    Refuse(&'static str),
}

pub(crate) fn element(name: Name<'_>) -> Element {
    use Element::*;
    match (name.ns, name.local) {
        ("draw", "object" | "object-ole" | "applet" | "plugin" | "floating-frame") => {
            Refuse("it holds an embedded object, which is not treated; remove it")
        }
        ("text", "tracked-changes") => Count(LeftOut::DeletedText),
        ("text", "change" | "change-start" | "change-end" | "script") => Drop,
        ("text", "section-source" | "variable-decls" | "user-field-decls" | "dde-connection-decls") => Drop,
        ("text", "alphabetical-index-auto-mark-file" | "hidden-text" | "hidden-paragraph") => Drop,
        ("text", local) if is_field(local) => Unwrap,
        ("office", "scripts" | "event-listeners" | "dde-source" | "meta" | "settings" | "binary-data") => {
            Drop
        }
        ("office", "forms" | "annotation-end") => Drop,
        ("draw", "control" | "image-map" | "glue-point") => Drop,
        ("svg", "title" | "desc") => Drop,
        (
            "table",
            "title"
            | "desc"
            | "content-validations"
            | "dde-links"
            | "tracked-changes"
            | "calculation-settings",
        ) => Drop,
        ("loext", "content-control") => Unwrap,
        ("loext", "theme") => Drop,
        ("?" | "", "creator" | "date" | "date-string") => Drop,
        ("?" | "", _) => Count(LeftOut::UnknownMarkup),
        _ => Keep,
    }
}

/// Fields that take what they show from people, files, clocks or databases.
fn is_field(local: &str) -> bool {
    const EXACT: &[&str] = &[
        "date",
        "time",
        "creator",
        "initial-creator",
        "title",
        "subject",
        "keywords",
        "description",
        "user-defined",
        "file-name",
        "template-name",
        "placeholder",
        "conditional-text",
        "text-input",
        "expression",
        "execute-macro",
        "dde-connection",
        "measure",
        "meta",
        "meta-field",
        "drop-down",
        "author-name",
        "author-initials",
    ];
    const STARTS: &[&str] = &[
        "user-field-",
        "variable-",
        "database-",
        "sender-",
        "creation-",
        "modification-",
        "print-",
        "printed-",
        "editing-",
    ];
    EXACT.contains(&local) || STARTS.iter().any(|start| local.starts_with(start))
}

/// What becomes of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Attr {
    Keep,
    Remove,
    /// A name the author could choose and other places refer to.
    Named,
    /// The text before or after the numbers of a list.
    Label,
    /// A number, a length or a word of the standard; removed where it is none.
    Closed,
    Link,
    Picture,
}

pub(crate) fn attribute(element: Name<'_>, name: Name<'_>) -> Attr {
    use Attr::*;
    match (name.ns, name.local) {
        ("?", _) => Remove,
        ("xml", "id") => Named,
        ("xlink", "href") => match (element.ns, element.local) {
            ("text" | "draw", "a") => Link,
            _ => Picture,
        },
        ("xlink", "title") => Remove,
        ("office", "version" | "mimetype") => Keep,
        ("office", _) => Remove,
        ("draw", "name") => match element.local {
            "gradient" | "hatch" | "fill-image" | "marker" | "stroke-dash" | "opacity" | "layer" => Named,
            _ => Remove,
        },
        ("text", local) if TEXT_NAMES.contains(&local) => Named,
        ("text", local) if TEXT.contains(&local) => Closed,
        ("text", _) => Remove,
        (
            "table",
            "formula" | "condition" | "protection-key" | "content-validation-name" | "database-name",
        ) => Remove,
        ("table", "name") => Named,
        ("style", "num-prefix" | "num-suffix") => Label,
        ("style", "condition") => Closed,
        ("style", "name" | "display-name") => Named,
        ("draw", "stroke-dash" | "marker-start" | "marker-end" | "layer") => Named,
        ("fo" | "svg" | "style", local)
            if local.starts_with("font-family") && !local.ends_with("-generic") =>
        {
            Named
        }
        (_, local) if local.ends_with("-name") => Named,
        ("loext", local) if local.contains("date") || local.contains("author") || local.contains("alias") => {
            Remove
        }
        _ => Keep,
    }
}

/// Attributes of the text namespace that name something, or refer to it by its name.
const TEXT_NAMES: &[&str] = &[
    "style-name",
    "name",
    "ref-name",
    "class-names",
    "cond-style-name",
    "visited-style-name",
    "continue-list",
    "list-id",
    "id",
    "citation-style-name",
    "citation-body-style-name",
    "default-style-name",
    "master-page-name",
];

/// Whether a value is a number, a length, a sign or a word of the standard.
pub(crate) fn is_closed(value: &str) -> bool {
    let number = value.trim_start_matches('-').trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_number = number.len() < value.len() && UNITS.contains(&number);
    let is_sign = value.chars().count() == 1;
    let is_condition = value.strip_prefix("value()").is_some_and(|rest| {
        rest.len() < 24 && rest.chars().all(|c| c.is_ascii_digit() || "<>=!-. ".contains(c))
    });
    value.is_empty() || is_number || is_sign || is_condition || KEYWORDS.contains(&value)
}

const UNITS: &[&str] = &["", "cm", "mm", "in", "pt", "pc", "px", "em", "%"];

/// Values of the attributes in [`TEXT`] (OpenDocument 1.3, part 3, chapter 19).
const KEYWORDS: &[&str] = &[
    "true",
    "false",
    "none",
    "condition",
    "value",
    "page",
    "frame",
    "paragraph",
    "char",
    "as-char",
    "footnote",
    "endnote",
    "chapter",
    "direction",
    "text",
    "category-and-value",
    "caption",
    "number",
    "number-no-superior",
    "number-all-superior",
    "listtab",
    "space",
    "nothing",
    "label-alignment",
    "label-width-and-position",
    "previous",
    "current",
    "next",
    "section",
    "document",
    "left",
    "right",
    "inner",
    "outer",
    "name",
    "name-and-extension",
    "template",
];

/// Attributes of the text namespace that lay out; the others hold values of fields and are removed.
const TEXT: &[&str] = &[
    "reference-format",
    "outline-level",
    "level",
    "c",
    "anchor-type",
    "anchor-page-number",
    "continue-numbering",
    "start-value",
    "display-levels",
    "bullet-char",
    "bullet-relative-size",
    "list-level-position-and-space-mode",
    "list-tab-stop-position",
    "label-followed-by",
    "space-before",
    "min-label-width",
    "min-label-distance",
    "note-class",
    "select-page",
    "page-adjust",
    "is-list-header",
    "restart-numbering",
    "start-numbering-at",
    "footnotes-position",
    "number-lines",
    "line-number",
    "increment",
    "number-position",
    "offset",
    "count-empty-lines",
    "count-in-text-boxes",
    "restart-on-page",
    "consecutive-numbering",
    "display",
    "use-index-marks",
    "use-outline-level",
    "index-scope",
    "protected",
    "display-outline-level",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_fields_do_not_stay() {
        let text = |local| Name { ns: "text", local };
        for local in ["date-value", "string-value", "formula", "fixed-value", "description"] {
            assert_eq!(attribute(text("p"), text(local)), Attr::Remove, "{local}");
        }
        assert_eq!(attribute(text("p"), Name { ns: "office", local: "string-value" }), Attr::Remove);
        for field in ["sender-lastname", "date", "database-display", "user-field-get"] {
            assert!(matches!(element(text(field)), Element::Unwrap), "{field}");
        }
        assert!(matches!(element(text("page-number")), Element::Keep));
        for value in ["1", "-0.5cm", "as-char", "true", "•", "value()>=0"] {
            assert!(is_closed(value), "{value}");
        }
        for value in ["dupont", "Dupont", "1dupont", "value()=\"Dupont\"", "as char"] {
            assert!(!is_closed(value), "{value}");
        }
    }
}
