//! Character references of HTML: `&eacute;`, `&#233;`, `&#xE9;`.

use quick_xml::escape::resolve_html5_entity;

/// The text with its references resolved as browsers do, with or without their semicolon. What is no reference stays
/// as it is.
pub fn unescape_html(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match reference(&rest[1..]) {
            Some((text, length)) => {
                out.push_str(&text);
                rest = &rest[1 + length..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The text of the character reference after `&`, and how many bytes it takes.
fn reference(rest: &str) -> Option<(String, usize)> {
    const LONGEST: usize = 32;
    if let Some(number) = rest.strip_prefix('#') {
        let (digits, radix, before) = match number.strip_prefix(['x', 'X']) {
            Some(hex) => (hex, 16, 2),
            None => (number, 10, 1),
        };
        let length = digits.bytes().take(8).take_while(|b| (*b as char).is_digit(radix)).count();
        let code = u32::from_str_radix(digits.get(..length)?, radix).ok()?;
        let end = before + length;
        let semicolon = usize::from(rest.as_bytes().get(end) == Some(&b';'));
        return Some((character(code).to_string(), end + semicolon));
    }
    let length = rest.bytes().take(LONGEST).take_while(u8::is_ascii_alphanumeric).count();
    if rest.as_bytes().get(length) == Some(&b';')
        && let Some(text) = resolve_html5_entity(&rest[..length])
    {
        return Some((text.to_owned(), length + 1));
    }
    // Without a semicolon only the old names count, all of them short.
    (2..=length.min(6)).rev().find_map(|n| {
        let text = resolve_html5_entity(&rest[..n])?;
        let old = text.chars().all(|c| (c as u32) < 0x100);
        old.then(|| (text.to_owned(), n))
    })
}

/// The text of the character reference at the start of `text`, and how many bytes it takes. In text that is not HTML only whole
/// references count, with their semicolon; one that was escaped again (`&amp;eacute;`) is resolved to its end.
pub(crate) fn whole_reference(text: &str) -> Option<(String, usize)> {
    const DEEPEST: usize = 3;
    let whole = |rest: &str| {
        let (resolved, length) = reference(rest)?;
        rest[..length].ends_with(';').then_some((resolved, length))
    };
    let (mut resolved, mut length) = whole(text.strip_prefix('&')?)?;
    for _ in 1..DEEPEST {
        match whole(&text[1 + length..]).filter(|_| resolved == "&") {
            Some((next, more)) => (resolved, length) = (next, length + more),
            None => break,
        }
    }
    Some((resolved, 1 + length))
}

/// Plain text with its whole references resolved.
pub(crate) fn resolve_references(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let (resolved, length) = whole_reference(&rest[at..]).unwrap_or_else(|| ("&".to_owned(), 1));
        out.push_str(&resolved);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    out
}

fn character(code: u32) -> char {
    if (0x80..0xa0).contains(&code) {
        let bytes = [code as u8];
        return encoding_rs::WINDOWS_1252.decode_without_bom_handling(&bytes).0.chars().next().unwrap_or(' ');
    }
    char::from_u32(code).filter(|c| *c != '\0').unwrap_or('\u{FFFD}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_as_browsers_do() {
        for (raw, text) in [
            ("Escoub&egrave;s", "Escoubès"),
            ("Escoub&egraves", "Escoubès"),
            ("&#201;&#xe9;&#146;&nbsp;&amp;lt;", "Éé’\u{a0}&lt;"),
            ("a & b &; &zzz; &#; &#x; R&D", "a & b &; &zzz; &#; &#x; R&D"),
            ("&", "&"),
        ] {
            assert_eq!(unescape_html(raw), text);
        }
    }

    #[test]
    fn in_plain_text_only_whole_references_count() {
        for (text, found) in [
            ("&eacute;e", Some(("é", 8))),
            ("&amp;eacute;e", Some(("é", 12))),
            ("&amp;amp;#233;e", Some(("é", 14))),
            ("&amp; B", Some(("&", 5))),
            ("&eacutee", None),
            ("&D ", None),
            ("& ", None),
            ("e", None),
        ] {
            assert_eq!(whole_reference(text), found.map(|(c, n)| (c.to_owned(), n)), "{text}");
        }
    }
}
