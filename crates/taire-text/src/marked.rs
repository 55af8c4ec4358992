//! Marked text: `Docteur [ROMAIN](GivenName) [SPRITZ](FamilyName)`, how specs and templates show spans.
//!
//! A backslash before `[` or `\` takes it literally; a bracket that no `](Name)` closes is plain text.
//!
//! A document of the corpus is the letter byte for byte ([`parse_document`]): a backslash is a backslash, as in
//! `S:\notes\[DUPONT](FamilyName)`, and a span may cross a line end.

/// A text and its marked byte ranges, each with the name written in parentheses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Marked {
    pub text: String,
    pub spans: Vec<(std::ops::Range<usize>, String)>,
}

/// The comment on the first line of a marked document (`<!-- kind: … -->`) and the text after it.
pub fn split_header(source: &str) -> Option<(&str, &str)> {
    let (first, body) = source.split_once('\n').unwrap_or((source, ""));
    let comment = first.trim_end().strip_prefix("<!--")?.strip_suffix("-->")?;
    Some((comment.trim(), body))
}

/// How marks are distinguished from the text around them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// `\[` is a bracket; a mark stays on one line.
    Escaped,
    /// Nothing is escaped; a mark may cross a line end.
    Literal,
}

/// Reads marked text.
pub fn parse(source: &str) -> Marked {
    read(source, Syntax::Escaped)
}

/// Reads a marked document, whose unmarked text is taken byte for byte.
pub fn parse_document(source: &str) -> Marked {
    read(source, Syntax::Literal)
}

fn read(source: &str, syntax: Syntax) -> Marked {
    let mut out = Marked::default();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if syntax == Syntax::Escaped
            && let Some(after) = rest.strip_prefix('\\')
            && after.starts_with(['[', '\\'])
        {
            out.text.push_str(&after[..1]);
            rest = &after[1..];
        } else if c == '['
            && let Some((inside, name, after)) = mark(rest, syntax)
        {
            let start = out.text.len();
            out.text.push_str(inside);
            out.spans.push((start..out.text.len(), name.to_owned()));
            rest = after;
        } else {
            out.text.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

fn mark(text: &str, syntax: Syntax) -> Option<(&str, &str, &str)> {
    let close = text.find("](")?;
    let inside = &text[1..close];
    if inside.is_empty() || inside.contains('[') || (syntax == Syntax::Escaped && inside.contains('\n')) {
        return None;
    }
    let after = &text[close + 2..];
    let end = after.find(')')?;
    let name = &after[..end];
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_:-".contains(c));
    is_name.then_some((inside, name, &after[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_escapes() {
        let m = parse("Dr [Jean](GivenName) \\[sic] [x] [LE GALL](FamilyName:Caregiver)");
        assert_eq!(m.text, "Dr Jean [sic] [x] LE GALL");
        assert_eq!(m.spans, [(3..7, "GivenName".into()), (18..25, "FamilyName:Caregiver".into())]);
    }

    #[test]
    fn a_document_is_taken_byte_for_byte() {
        let m = parse_document("S:\\notes\\[DUPONT](FamilyName)\\ [x] Mme [Skrzyp-\nczak](FamilyName)");
        assert_eq!(m.text, "S:\\notes\\DUPONT\\ [x] Mme Skrzyp-\nczak");
        assert_eq!(m.spans, [(9..15, "FamilyName".into()), (25..37, "FamilyName".into())]);
    }
}
