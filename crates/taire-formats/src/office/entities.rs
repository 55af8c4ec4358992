//! Character references of HTML, read as browsers read them: with or without their semicolon.

use quick_xml::escape::resolve_html5_entity;

/// The text with its references resolved. What is no reference stays as it is.
pub(crate) fn unescape(raw: &str) -> String {
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

/// What stands for the reference after `&`, and how many bytes it takes.
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
            assert_eq!(unescape(raw), text);
        }
    }
}
