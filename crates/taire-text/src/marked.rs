//! Marked text: `Docteur [ROMAIN](GivenName) [SPRITZ](FamilyName)`, how specs and templates show spans.
//!
//! A backslash before `[` or `\` takes it literally; a bracket that no `](Name)` closes is plain text.

/// A text and its marked byte ranges, each with the name written in parentheses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Marked {
    pub text: String,
    pub spans: Vec<(std::ops::Range<usize>, String)>,
}

/// Reads marked text.
pub fn parse(source: &str) -> Marked {
    let mut out = Marked::default();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix('\\')
            && after.starts_with(['[', '\\'])
        {
            out.text.push_str(&after[..1]);
            rest = &after[1..];
        } else if c == '['
            && let Some((inside, name, after)) = mark(rest)
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

fn mark(text: &str) -> Option<(&str, &str, &str)> {
    let close = text.find("](")?;
    let inside = &text[1..close];
    if inside.is_empty() || inside.contains(['[', '\n']) {
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
}
