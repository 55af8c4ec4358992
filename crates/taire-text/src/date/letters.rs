//! Numbers in letters, both ways: `vingt-six`, `mille neuf cent soixante dix huit`, `dos mil diecisiete`.

use taire_lang::{Number, Vocabulary};

use super::words::Folded;
use crate::{Kind, Language, Token, fold};

/// How the words of a number are joined. Bit `n` of a variant set stands for variant `n`.
///
/// French: 0 traditional (`deux mille dix-sept`), 1 spaces only, 2 hyphens only, 3 to 5 the same with `mil`.
/// Spanish has variant 0 alone.
pub(super) const VARIANTS: u8 = 6;

fn piece(folded: &Folded, language: Language) -> Option<Number> {
    let vocabulary = Vocabulary::of(language);
    let number = |hash| vocabulary.word(hash)?.number;
    number(folded.hash()).or_else(|| number(folded.singular_hash()))
}

/// Whether a word may be part of a number in letters.
pub(super) fn is_number_word(word: &str, language: Language) -> bool {
    word.len() < 16 && Folded::new(word).is_some_and(|f| piece(&f, language).is_some())
}

/// Reads the longest number in letters that starts at token `first`; gives its value and its last token.
///
/// A last digit may close it (`quatre-vingt 2`).
pub(super) fn read(text: &str, tokens: &[Token], first: usize, language: Language) -> Option<(u32, usize)> {
    let (mut total, mut current, mut last_add) = (0u32, 0u32, 0u32);
    let mut end = None;
    let mut i = first;
    let mut pending_and = false;
    while let Some(token) = tokens.get(i) {
        match token.kind {
            Kind::Mark if i > first && token.glued && token.of(text) == "-" => {
                i += 1;
                continue;
            }
            Kind::Number
                if end.is_some() && token.end() - token.start() == 1 && current % 10 == 0 && current > 0 =>
            {
                let digit = u32::from(token.of(text).as_bytes()[0] - b'0');
                let closed = tokens
                    .get(i + 1)
                    .is_none_or(|t| t.kind != Kind::Number && !(t.glued && t.kind == Kind::Word));
                if total > 0 && closed {
                    return Some((total + current + digit, i));
                }
                break;
            }
            Kind::Word => {}
            _ => break,
        }
        let Some(piece) = Folded::new(token.of(text)).and_then(|f| piece(&f, language)) else { break };
        match piece {
            Number::And => {
                if pending_and || end.is_none() {
                    break;
                }
                pending_and = true;
                i += 1;
                continue;
            }
            Number::Value(n) => {
                let n = u32::from(n);
                let fits = match last_add {
                    0 => true,
                    4 if n == 20 => {
                        current = current - 4 + 80;
                        last_add = 80;
                        end = Some(i);
                        i += 1;
                        continue;
                    }
                    10 => (7..=9).contains(&n),
                    60 | 80 => n < 20,
                    20 | 30 | 40 | 50 | 70 | 90 => n < 10,
                    100.. => n < 100,
                    _ => false,
                };
                if !fits {
                    break;
                }
                current += n;
                last_add = n;
            }
            Number::Hundred => {
                if current >= 10 {
                    break;
                }
                current = current.max(1) * 100;
                last_add = 0;
            }
            Number::Thousand => {
                if total > 0 || current >= 10 {
                    break;
                }
                total = current.max(1) * 1000;
                current = 0;
                last_add = 0;
            }
        }
        pending_and = false;
        end = Some(i);
        i += 1;
    }
    end.map(|last| (total + current, last))
}

/// Which joining variants write `value` as `typed` (its text, any case or accents). Zero: none of them.
pub(super) fn variants(value: u32, typed: &str, language: Language, day: bool) -> u8 {
    let mut seen = String::with_capacity(typed.len());
    for word in fold(typed).split_whitespace() {
        if !seen.is_empty() {
            seen.push(' ');
        }
        seen.push_str(word);
    }
    (0..VARIANTS).filter(|&v| fold(&spell(value, language, v, day)) == seen).fold(0, |set, v| set | 1 << v)
}

/// Writes a number in letters. The first day of a month is `premier` in French.
pub(super) fn spell(value: u32, language: Language, variant: u8, day: bool) -> String {
    match language {
        Language::Fr if day && value == 1 => "premier".to_owned(),
        Language::Fr => french(value, variant),
        Language::Es => spanish(value),
    }
}

const FRENCH: [&str; 17] = [
    "zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze",
    "treize", "quatorze", "quinze", "seize",
];

fn french(value: u32, variant: u8) -> String {
    let (hyphen, space) = match variant % 3 {
        0 => ("-", " "),
        1 => (" ", " "),
        _ => ("-", "-"),
    };
    let mut words = String::new();
    let add = |words: &mut String, join: &str, word: &str| {
        if !words.is_empty() {
            words.push_str(join);
        }
        words.push_str(word);
    };
    let (thousands, hundreds, rest) = (value / 1000, value / 100 % 10, value % 100);
    if thousands > 1 {
        add(&mut words, space, FRENCH[thousands.min(16) as usize]);
    }
    if thousands > 0 {
        add(&mut words, space, if variant >= 3 && thousands == 1 { "mil" } else { "mille" });
    }
    if hundreds > 1 {
        add(&mut words, space, FRENCH[hundreds as usize]);
    }
    if hundreds > 0 {
        add(&mut words, space, if hundreds > 1 && rest == 0 { "cents" } else { "cent" });
    }
    match rest {
        0 if !words.is_empty() => {}
        0..=16 => add(&mut words, space, FRENCH[rest as usize]),
        17..=19 => {
            add(&mut words, space, "dix");
            add(&mut words, hyphen, FRENCH[rest as usize - 10]);
        }
        _ => {
            let (ten, unit) = match rest {
                20..=59 => (["vingt", "trente", "quarante", "cinquante"][rest as usize / 10 - 2], rest % 10),
                60..=79 => ("soixante", rest - 60),
                80 => ("quatre-vingts", 0),
                _ => ("quatre-vingt", rest - 80),
            };
            match ten.split_once('-') {
                Some((four, twenty)) => {
                    add(&mut words, space, four);
                    add(&mut words, hyphen, twenty);
                }
                None => add(&mut words, space, ten),
            }
            if (unit == 1 || unit == 11) && rest < 80 {
                add(&mut words, space, "et");
                add(&mut words, space, FRENCH[unit as usize]);
            } else if unit >= 17 {
                add(&mut words, hyphen, "dix");
                add(&mut words, hyphen, FRENCH[unit as usize - 10]);
            } else if unit > 0 {
                add(&mut words, hyphen, FRENCH[unit as usize]);
            }
        }
    }
    words
}

const SPANISH: [&str; 30] = [
    "cero",
    "uno",
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
    "once",
    "doce",
    "trece",
    "catorce",
    "quince",
    "dieciséis",
    "diecisiete",
    "dieciocho",
    "diecinueve",
    "veinte",
    "veintiuno",
    "veintidós",
    "veintitrés",
    "veinticuatro",
    "veinticinco",
    "veintiséis",
    "veintisiete",
    "veintiocho",
    "veintinueve",
];

fn spanish(value: u32) -> String {
    let (thousands, hundreds, rest) = (value / 1000, value / 100 % 10, value % 100);
    let mut words = Vec::new();
    if thousands > 1 {
        words.push(SPANISH[thousands.min(29) as usize]);
    }
    if thousands > 0 {
        words.push("mil");
    }
    match hundreds {
        0 => {}
        1 if rest == 0 => words.push("cien"),
        _ => words.push(
            [
                "ciento",
                "doscientos",
                "trescientos",
                "cuatrocientos",
                "quinientos",
                "seiscientos",
                "setecientos",
                "ochocientos",
                "novecientos",
            ][hundreds as usize - 1],
        ),
    }
    match rest {
        0 if !words.is_empty() => {}
        0..=29 => words.push(SPANISH[rest as usize]),
        _ => {
            words.push(
                ["treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"]
                    [rest as usize / 10 - 3],
            );
            if rest % 10 > 0 {
                words.push("y");
                words.push(SPANISH[rest as usize % 10]);
            }
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenise;

    #[test]
    fn every_year_and_day_reads_back() {
        for language in [Language::Fr, Language::Es] {
            for variant in 0..VARIANTS {
                for value in (1..=99).chain(1900..=2099) {
                    let text = spell(value, language, variant, value < 32);
                    let tokens = tokenise(&text);
                    assert_eq!(read(&text, &tokens, 0, language), Some((value, tokens.len() - 1)), "{text}");
                    assert_ne!(variants(value, &text, language, value < 32), 0, "{text}");
                }
            }
        }
        assert_eq!(spell(1978, Language::Fr, 0, false), "mille neuf cent soixante-dix-huit");
        assert_eq!(spell(1980, Language::Fr, 0, false), "mille neuf cent quatre-vingts");
        assert_eq!(spell(2071, Language::Fr, 0, false), "deux mille soixante et onze");
        assert_eq!(spell(1999, Language::Es, 0, false), "mil novecientos noventa y nueve");
    }

    #[test]
    fn spelling_slips_are_read() {
        for (text, value) in [("deux-milles vingts troiss", 2023), ("mille neuf-cent quatre-vingt 2", 1982)] {
            assert_eq!(read(text, &tokenise(text), 0, Language::Fr).map(|r| r.0), Some(value), "{text}");
        }
    }
}
