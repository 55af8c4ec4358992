//! Bytes to text: UTF-8, else Windows-1252, else refused. What was assumed is reported.

use std::borrow::Cow;

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How the bytes of a document were read. Outputs are UTF-8 whatever came in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Encoding {
    #[default]
    Utf8,
    Windows1252,
    /// UTF-8 with stray Windows-1252 bytes inside.
    Mixed,
    /// Only with its byte order mark.
    Utf16,
}

impl Encoding {
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Windows1252 => "windows-1252",
            Encoding::Mixed => "utf-8 with windows-1252 bytes",
            Encoding::Utf16 => "utf-16",
        }
    }
}

/// A decoded text. The byte order mark of UTF-8 stays in it: other readers count it in their offsets.
#[derive(Clone)]
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) encoding: Encoding,
}

pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Decodes a whole text, or says why it is none.
pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded<'_>, &'static str> {
    if let Some(encoding) = utf16(bytes) {
        let (text, bad) = encoding.decode_with_bom_removal(bytes);
        if bad || is_binary(text.as_bytes()) {
            return Err("it starts like UTF-16 but is not; save it as UTF-8");
        }
        return Ok(Decoded { text, encoding: Encoding::Utf16 });
    }
    if is_binary(bytes) {
        return Err("it is binary, not text; only text documents are read");
    }
    let (text, encoding) = decode_field(bytes)?;
    Ok(Decoded { text, encoding })
}

/// Decodes bytes that are part of a file already known to be text.
pub(crate) fn decode_field(bytes: &[u8]) -> Result<(Cow<'_, str>, Encoding), &'static str> {
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        return Ok((Cow::Borrowed(text), Encoding::Utf8));
    }
    let (mut good, mut bad) = (0usize, 0usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += chunk.invalid().len();
    }
    let mostly = good > bad;
    if mostly || bytes.utf8_chunks().any(|chunk| chunk.valid().chars().any(is_no_pair_of_letters)) {
        let mut text = String::with_capacity(bytes.len() + bad);
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c.is_ascii() || mostly || is_no_pair_of_letters(c) {
                    true => text.push(c),
                    false => push_legacy(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes()),
                }
            }
            push_legacy(&mut text, chunk.invalid());
        }
        return Ok((Cow::Owned(text), Encoding::Mixed));
    }
    let high = bytes.iter().filter(|b| **b >= 0x80).count();
    if high * 5 > bytes.len() * 2 && bytes.len() > 16 {
        return Err("it is neither UTF-8 nor Windows-1252; convert it to UTF-8");
    }
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    if has_foreign_letter(&text) {
        return Err(
            "its accented letters are neither UTF-8 nor Windows-1252, perhaps of DOS or an old Macintosh; convert it to UTF-8",
        );
    }
    Ok((text, Encoding::Windows1252))
}

/// Whether a sign that no word of Windows-1252 holds is part of one: an accented letter of another code page, in which
/// names would be torn apart.
fn has_foreign_letter(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    letters.iter().enumerate().any(|(i, &c)| {
        let before = i > 0 && letters[i - 1].is_alphabetic();
        let after = letters.get(i + 1).is_some_and(|c| c.is_lowercase());
        match c {
            '\u{81}' | '\u{8d}' | '\u{8f}' | '\u{90}' | '\u{9d}' => before || after,
            '‚' | 'ƒ' | 'ˆ' | '‡' | '†' | '‰' => before && after,
            _ => false,
        }
    })
}

fn push_legacy(text: &mut String, bytes: &[u8]) {
    text.push_str(&WINDOWS_1252.decode_without_bom_handling(bytes).0);
}

/// Whether the bytes of a character in UTF-8 are letters that no French or Spanish word spells in Windows-1252: "É»" may
/// end a quotation, "Ã©" ends nothing.
pub(crate) fn is_no_pair_of_letters(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{17f}' | '\u{300}'..='\u{33f}' | '\u{2000}'..='\u{2fff}')
}

fn utf16(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    match bytes {
        [0xFF, 0xFE, ..] => Some(UTF_16LE),
        [0xFE, 0xFF, ..] => Some(UTF_16BE),
        _ => None,
    }
}

/// Whether bytes look like anything but text: a NUL, or (but for one) more than one control character in
/// twenty.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    if memchr::memchr(0, bytes).is_some() {
        return true;
    }
    let controls = bytes.iter().filter(|&&b| matches!(b, 1..=8 | 14..=31 | 127)).count();
    controls > 1 && (controls - 1) * 20 > bytes.len()
}

/// Whether the bytes open with a byte order mark of UTF-16.
pub(crate) fn has_utf16_mark(bytes: &[u8]) -> bool {
    utf16(bytes).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_code_pages_are_refused() {
        // cp850 and Mac Roman.
        for bytes in [&b"Mme LEF\xD4VRE \x90lodie n\x82e \x85 Brest"[..], b"Mme Lef\x8Fvre"] {
            assert!(decode(bytes).is_err());
        }
        assert!(decode(b"dit \x82 oui \x91, 5\x89 et 3\x86").is_ok());
    }

    #[test]
    fn encodings_are_told_apart() {
        for (bytes, text, encoding) in [
            (&b"Lef\xC3\xA8vre"[..], "Lefèvre", Encoding::Utf8),
            (b"Lef\xE8vre", "Lefèvre", Encoding::Windows1252),
            (b"dit \x93 oui \x94 \x9Cuvre", "dit “ oui ” œuvre", Encoding::Windows1252),
            (b"\xC3\xA9\xC3\xA9 Lef\xE8vre", "éé Lefèvre", Encoding::Mixed),
            (b"Th\xC3\xA9o\nLef\xE8vre \xE9\xE8\xE0\xE9", "Théo\nLefèvre éèàé", Encoding::Mixed),
            (b"\xABCAF\xC9\xBB \xE9t\xE9", "«CAFÉ» été", Encoding::Windows1252),
            (b"\xFF\xFEa\x00\xE9\x00", "aé", Encoding::Utf16),
            (b"", "", Encoding::Utf8),
        ] {
            let decoded = decode(bytes).unwrap();
            assert_eq!((decoded.text.as_ref(), decoded.encoding), (text, encoding));
        }
    }

    #[test]
    fn noise_is_refused() {
        assert!(decode(b"PK\x03\x04 abc\x00def").is_err());
        assert!(decode(&[0x01, 0x80, 0x02, 0xFF, b'a']).is_err());
        assert!(decode(&[0xC0; 64]).is_err());
    }

    #[test]
    fn the_mark_is_set_aside() {
        let decoded = decode(b"\xEF\xBB\xBFabc").unwrap();
        assert!(decoded.text == "\u{FEFF}abc");
    }
}
