//! Folding: the form under which lexicons are searched and names compared.
//!
//! Lower case, no accents, `œ`→`oe`, `æ`→`ae`, `ß`→`ss`; every other character unchanged. Hyphens, apostrophes
//! and spaces are the caller's business, because tokens split there.

/// Folds one character; most give one, ligatures two.
#[inline]
pub fn fold_char(c: char) -> ([char; 2], usize) {
    if c.is_ascii() { ([c.to_ascii_lowercase(), '\0'], 1) } else { fold_other(c) }
}

fn fold_other(c: char) -> ([char; 2], usize) {
    let one = |c| ([c, '\0'], 1);
    match c {
        'à'..='å' | 'À'..='Å' | 'ā' | 'Ā' | 'ă' | 'Ă' | 'ą' | 'Ą' => one('a'),
        'ç' | 'Ç' | 'ć' | 'Ć' | 'č' | 'Č' => one('c'),
        'ď' | 'Ď' | 'đ' | 'Đ' => one('d'),
        'è'..='ë' | 'È'..='Ë' | 'ē' | 'Ē' | 'ę' | 'Ę' | 'ě' | 'Ě' => one('e'),
        'ğ' | 'Ğ' => one('g'),
        'ì'..='ï' | 'Ì'..='Ï' | 'ī' | 'Ī' | 'ı' | 'İ' => one('i'),
        'ł' | 'Ł' => one('l'),
        'ñ' | 'Ñ' | 'ń' | 'Ń' | 'ň' | 'Ň' => one('n'),
        'ò'..='ö' | 'Ò'..='Ö' | 'ø' | 'Ø' | 'ō' | 'Ō' | 'ő' | 'Ő' => one('o'),
        'ř' | 'Ř' => one('r'),
        'ś' | 'Ś' | 'š' | 'Š' | 'ş' | 'Ş' | 'ș' | 'Ș' => one('s'),
        'ţ' | 'Ţ' | 'ț' | 'Ț' | 'ť' | 'Ť' => one('t'),
        'ù'..='ü' | 'Ù'..='Ü' | 'ū' | 'Ū' | 'ů' | 'Ů' | 'ű' | 'Ű' => one('u'),
        'ý' | 'Ý' | 'ÿ' | 'Ÿ' => one('y'),
        'ź' | 'Ź' | 'ż' | 'Ż' | 'ž' | 'Ž' => one('z'),
        'œ' | 'Œ' => (['o', 'e'], 2),
        'æ' | 'Æ' => (['a', 'e'], 2),
        'ß' => (['s', 's'], 2),
        'º' => one('o'),
        'ª' => one('a'),
        _ => one(c.to_lowercase().next().unwrap_or(c)),
    }
}

/// Appends the folded form of `text` to `out`, so that a loop can reuse one buffer.
pub fn fold_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        let start = out.len();
        out.push_str(text);
        if let Some(new) = out.get_mut(start..) {
            new.make_ascii_lowercase();
        }
        return;
    }
    for c in text.chars() {
        let (folded, n) = fold_char(c);
        out.extend(&folded[..n]);
    }
}

/// The folded form of `text`.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

/// The folded form of a word, as a hash: what tables of words are looked up by. `°` and `º` compare alike.
pub fn fold_hash(text: &str) -> u64 {
    if text.is_ascii() {
        return hash_ascii(text.as_bytes());
    }
    let mut folded = [0u8; 64];
    let mut length = 0;
    for c in text.chars() {
        let (letters, n) = fold_char(if c == '°' { 'º' } else { c });
        for letter in &letters[..n] {
            // Longer than any name: what comes after does not tell it from others.
            if length + letter.len_utf8() <= folded.len() {
                length += letter.encode_utf8(&mut folded[length..]).len();
            }
        }
    }
    hash_ascii(&folded[..length])
}

/// Eight bytes at a time; setting bit 5 makes ASCII letters lower case.
fn hash_ascii(bytes: &[u8]) -> u64 {
    const LOWER: u64 = 0x2020_2020_2020_2020;
    let mut hash = 0xcbf2_9ce4_8422_2325u64 ^ bytes.len() as u64;
    let mut mix = |word: u64| {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    };
    let (chunks, rest) = bytes.as_chunks::<8>();
    for chunk in chunks {
        mix(u64::from_le_bytes(*chunk) | LOWER);
    }
    if !rest.is_empty() {
        mix(rest.iter().rev().fold(0, |word, &b| word << 8 | u64::from(b | 0x20)));
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_accents_do_not_change_the_hash() {
        assert_eq!(fold_hash("Éloïse"), fold_hash("ELOISE"));
        assert_eq!(fold_hash("°"), fold_hash("º"));
        assert_ne!(fold_hash("elo"), fold_hash("eloi"));
        assert_eq!(fold_hash("Saint-Étienne-de-Montluc"), fold_hash("SAINT-ETIENNE-DE-MONTLUC"));
    }

    #[test]
    fn case_accents_and_ligatures_go() {
        assert_eq!(fold("Éloïse Lœuilleux-D'ÑANDÚ"), "eloise loeuilleux-d'nandu");
    }
}
