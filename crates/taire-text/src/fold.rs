//! Folding: the form under which lexicons are searched and names compared.
//!
//! Lower case, no accents, `œ`→`oe`, `æ`→`ae`, `ß`→`ss`; every other character unchanged. Hyphens, apostrophes
//! and spaces are the caller's business, because tokens split there.

/// Folds one character; most give one, ligatures two.
pub fn fold_char(c: char) -> ([char; 2], usize) {
    if c.is_ascii() {
        return ([c.to_ascii_lowercase(), '\0'], 1);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_accents_and_ligatures_go() {
        assert_eq!(fold("Éloïse Lœuilleux-D'ÑANDÚ"), "eloise loeuilleux-d'nandu");
    }
}
