//! Encoded runs in text that is read as it stands: base64, hex, quoted-printable, letters written as escapes.
//!
//! No detector can read a name in them, so a text that holds one is refused, with the place. What decodes to text is
//! refused when it is long enough not to be a word by chance; what decodes to anything else, only when it is long.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::Reason;

/// Fifteen bytes: that a word of twenty letters decodes to text by chance happens once in many millions.
const BASE64_TEXT: usize = 20;
/// The padding tells it.
const BASE64_PADDED: usize = 12;
/// Longer than a name of a file or a key of an image, shorter than any letter or picture.
const BASE64_ANY: usize = 64;
const HEX_TEXT: usize = 24;
/// Longer than the digests people write into notes, of 128 digits.
const HEX_ANY: usize = 160;

/// Refuses a text that holds an encoded run.
pub(crate) fn check(text: &str) -> Result<(), Reason> {
    let Some((at, what)) = find(text) else { return Ok(()) };
    let line = 1 + text[..at].matches('\n').count();
    let column = 1 + text[..at].chars().rev().take_while(|c| *c != '\n').count();
    Err(format!(
        "line {line} of the text, column {column}: {what}, which is not opened there; decode it or take it out"
    )
    .into())
}

/// Where the first encoded run stands, and what it is.
fn find(text: &str) -> Option<(usize, &'static str)> {
    let run = base64_run(text).map(|at| (at, "a run of base64 or hex"));
    let escaped = escaped_letter(text);
    [run, escaped].into_iter().flatten().min_by_key(|(at, _)| *at)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// Runs of its letters that are encoded.
fn base64_run(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at + BASE64_PADDED <= bytes.len() {
        // The last byte of the shortest run tells whether one can begin here.
        let back = bytes[at..at + BASE64_PADDED].iter().rposition(|b| !is_base64(*b) && *b != b'=');
        if let Some(back) = back {
            at += back + 1;
            continue;
        }
        let end = at + bytes[at..].iter().position(|b| !is_base64(*b)).unwrap_or(bytes.len() - at);
        let padded = bytes.get(end) == Some(&b'=');
        if is_encoded(&bytes[at..end], padded) {
            return Some(at);
        }
        at = end + 1;
    }
    None
}

fn is_encoded(run: &[u8], padded: bool) -> bool {
    if run.len() + 2 < BASE64_PADDED {
        return false;
    }
    let has = |class: fn(&u8) -> bool| run.iter().any(class);
    if run.iter().all(u8::is_ascii_hexdigit) {
        // Numbers are numbers.
        let letters = has(u8::is_ascii_alphabetic);
        let text = run.len() >= HEX_TEXT && run.len().is_multiple_of(2) && is_text(&from_hex(run));
        return letters && (text || run.len() >= HEX_ANY);
    }
    let whole = match run.len() % 4 {
        1 => &run[..run.len() - 1],
        _ => run,
    };
    let decoded =
        STANDARD_NO_PAD.decode(whole).or_else(|_| STANDARD_NO_PAD.decode(&run[..run.len() / 4 * 4]));
    let shortest = if padded { BASE64_PADDED - 2 } else { BASE64_TEXT };
    if run.len() >= shortest && decoded.is_ok_and(|bytes| is_text(&bytes)) {
        return true;
    }
    let mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit);
    let mut seen = [false; 256];
    run.iter().for_each(|b| seen[usize::from(*b)] = true);
    run.len() >= BASE64_ANY && mixed && seen.iter().filter(|s| **s).count() >= 16
}

fn from_hex(digits: &[u8]) -> Vec<u8> {
    let value = |b: u8| char::from(b).to_digit(16).unwrap_or(0) as u8;
    digits.chunks_exact(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect()
}

/// Whether bytes are words: UTF-8, or nearly all letters of Latin-1.
fn is_text(bytes: &[u8]) -> bool {
    let whole = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // Cut inside a character.
        Err(e) if e.error_len().is_none() => {
            std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return is_latin(bytes),
    };
    let count = whole.chars().count();
    let words = whole.chars().filter(|c| c.is_alphanumeric() || c.is_whitespace()).count();
    let controls = whole.chars().any(|c| c.is_control() && !c.is_whitespace());
    count >= 6 && !controls && words * 4 >= count * 3
}

fn is_latin(bytes: &[u8]) -> bool {
    let letter = |b: &&u8| b.is_ascii_alphabetic() || b.is_ascii_whitespace() || (0xE0..=0xFC).contains(*b);
    bytes.len() >= 12 && bytes.iter().filter(letter).count() * 10 >= bytes.len() * 9
}

/// A letter with an accent that is written as an escape inside or beside a word: `Lef=C3=A8vre`, `Lef\'e8vre`,
/// `Lef\u00e8vre`, `Lef%C3%A8vre`; or a word as headers of mail encode it.
fn escaped_letter(text: &str) -> Option<(usize, &'static str)> {
    let bytes = text.as_bytes();
    let mut latin = 0;
    for at in memchr::memchr3_iter(b'=', b'%', b'\\', bytes) {
        let before = at.checked_sub(1).is_some_and(|i| bytes[i].is_ascii_alphabetic());
        let after = |length: usize| bytes.get(at + length).is_some_and(u8::is_ascii_alphabetic);
        let rest = &bytes[at..];
        match bytes[at] {
            b'=' if is_encoded_word(rest) => return Some((at, "a word encoded for a header of mail")),
            b'=' => {
                let letter = code(rest, b"=").filter(|_| rest[1..3].iter().all(|b| !b.is_ascii_lowercase()));
                let Some(letter) = letter else { continue };
                let second = code(rest.get(3..).unwrap_or_default(), b"=");
                if is_pair(letter, second) && (before || after(6)) {
                    return Some((at, "quoted-printable text"));
                }
                // `=E9` may be a value; two of them inside words are not.
                latin += usize::from(letter >= 0xC0 && before && after(3));
                if latin == 2 {
                    return Some((at, "quoted-printable text"));
                }
            }
            b'%' => {
                let second = code(rest.get(3..).unwrap_or_default(), b"%");
                if code(rest, b"%").is_some_and(|first| is_pair(first, second)) && !in_address(text, at) {
                    return Some((at, "percent-encoded text"));
                }
            }
            _ if code(rest, b"\\'").is_some_and(|c| c >= 0xC0) && (before || after(4)) => {
                return Some((at, "letters written as escapes of RTF"));
            }
            _ if code(rest, b"\\u00").is_some_and(|c| c >= 0xC0) && (before || after(6)) => {
                return Some((at, "letters written as escapes of JSON"));
            }
            _ => {}
        }
    }
    None
}

/// The number of two hex digits after `mark`.
fn code(rest: &[u8], mark: &[u8]) -> Option<u8> {
    let digits = rest.strip_prefix(mark)?.get(..2)?;
    let value = |b: u8| char::from(b).to_digit(16);
    Some((value(digits[0])? << 4 | value(digits[1])?) as u8)
}

/// A letter of Latin in UTF-8.
fn is_pair(first: u8, second: Option<u8>) -> bool {
    matches!(first, 0xC3..=0xC5) && second.is_some_and(|s| (0x80..0xC0).contains(&s))
}

/// `=?utf-8?Q?…?=`
fn is_encoded_word(rest: &[u8]) -> bool {
    let Some(rest) = rest.strip_prefix(b"=?") else { return false };
    let Some(charset) = rest.iter().take(40).position(|b| *b == b'?') else { return false };
    charset > 0 && rest.get(charset + 2) == Some(&b'?') && b"QqBb".contains(&rest[charset + 1])
}

/// Addresses of pages encode letters so; detectors take the whole of them.
fn in_address(text: &str, at: usize) -> bool {
    let start = text[..at].rfind(char::is_whitespace).map_or(0, |i| i + 1);
    text[start..at].contains("://") || text[start..at].contains("www.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::STANDARD;

    #[test]
    fn encoded_names_are_found_in_every_code() {
        let base64 = STANDARD.encode("Mme Aldegonde Lefèvre");
        let latin = STANDARD.encode(b"Mme Aldegonde Lef\xE8vre, n\xE9e");
        let picture = STANDARD.encode((0..90u8).map(|n| n.wrapping_mul(77)).collect::<Vec<_>>());
        let hex: String = "Aldegonde Lefèvre".bytes().map(|b| format!("{b:02x}")).collect();
        for (text, column) in [
            (format!("PJ : {base64}"), 6),
            (format!("PJ : {latin} ."), 6),
            (format!("data:image/png;base64,{picture}"), 23),
            (format!("id {hex}"), 4),
            ("Mme Lef=C3=A8vre".into(), 8),
            ("Mme Lef=E8vre, hospitalis=E9e".into(), 26),
            ("Mme Lef\\'e8vre".into(), 8),
            ("Mme Lef\\u00e8vre".into(), 8),
            ("Mme Lef%C3%A8vre".into(), 8),
            ("Objet : =?utf-8?Q?Lef=C3=A8vre?=".into(), 9),
        ] {
            let why = check(&format!("Vu ce jour.\n{text}")).unwrap_err().to_string();
            assert!(why.starts_with(&format!("line 2 of the text, column {column}:")), "{text}: {why}");
            assert!(!why.contains("Lef") && !why.contains(&base64[..8]), "{why}");
        }
    }

    #[test]
    fn notes_are_no_code() {
        for text in [
            "Cholangiopancréatographie rétrograde endoscopique, anticonstitutionnellement",
            "OESOGASTRODUODENOSCOPIE/COLOSCOPIE/ECHOENDOSCOPIE",
            "FC=85 Sat=98 TA=12/8 HLA=B27 groupe=AB+ INR=E1",
            "NIR 1 84 12 76 451 089 46, IPP 8000417, FR7630006000011234567890189",
            "sha1 da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "f47ac10b-58cc-4372-a567-0e02b2c3d479 1.2.840.113619.2.55.3.604688119.969",
            "ACGTACGTACGTTTAGGCATTACGACGTACGTACGTTTAGGCATTACGACGTACGTACGTTTAGGCATTACG",
            "________________________________________ ======================= ////////////////////",
            "https://exemple.fr/chemin/vers/une/page?nom=%C3%A9t%C3%A9 50%C3 augmenté de 20%",
            "C:\\users\\docs l'\\'etat",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }
}
