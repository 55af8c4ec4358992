//! The words of the calendar in French and Spanish (and the English months that slip in), and how to know one
//! quickly: a word is folded on the stack, then matched.

use super::value::{Season, Third, Weekday};
use crate::{Language, fold_char};

/// Month names by style. Bit `n` of a style set stands for row `n`.
pub(super) const MONTHS: [[&str; 12]; 8] = [
    [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    ["jan", "fév", "mar", "avr", "mai", "juin", "juil", "aoû", "sep", "oct", "nov", "déc"],
    ["janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov", "déc"],
    [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"],
    ["ener", "febr", "mzo", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"],
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
    [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ],
];

/// The styles that write months in full.
pub(super) const FULL_MONTHS: u8 = 1 << 0 | 1 << 3 | 1 << 7;

/// Which style to print in, when several fit what was read.
pub(super) fn month_order(language: Language) -> [u8; 8] {
    match language {
        Language::Fr => [0, 2, 1, 6, 7, 3, 4, 5],
        Language::Es => [3, 4, 5, 6, 7, 0, 1, 2],
    }
}

pub(super) fn full_month_style(language: Language) -> u8 {
    match language {
        Language::Fr => 0,
        Language::Es => 3,
    }
}

pub(super) const WEEKDAYS: [[&str; 7]; 4] = [
    ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
    ["lun", "mar", "mer", "jeu", "ven", "sam", "dim"],
    ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"],
    ["lun", "mar", "mié", "jue", "vie", "sáb", "dom"],
];

pub(super) const SEASONS: [[&str; 4]; 2] =
    [["printemps", "été", "automne", "hiver"], ["primavera", "verano", "otoño", "invierno"]];

pub(super) fn name_order(language: Language) -> [u8; 4] {
    match language {
        Language::Fr => [0, 1, 2, 3],
        Language::Es => [2, 3, 0, 1],
    }
}

pub(super) const ROMAN: [&str; 12] =
    ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];

/// A word folded on the stack: lower case, no accents, ASCII, at most 16 letters.
pub(super) struct Folded {
    bytes: [u8; 16],
    len: u8,
}

impl Folded {
    pub(super) fn new(word: &str) -> Option<Folded> {
        if word.len() > 20 {
            return None;
        }
        let mut folded = Folded { bytes: [0; 16], len: 0 };
        if word.len() <= 16 && word.is_ascii() {
            folded.len = word.len() as u8;
            folded.bytes[..word.len()].copy_from_slice(word.as_bytes());
            folded.bytes.make_ascii_lowercase();
            return Some(folded);
        }
        for c in word.chars() {
            let (chars, n) = fold_char(c);
            for c in &chars[..n] {
                if !c.is_ascii() || folded.len == 16 {
                    return None;
                }
                folded.bytes[folded.len as usize] = *c as u8;
                folded.len += 1;
            }
        }
        Some(folded)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len as usize]
    }

    /// The word without one plural `s`.
    pub(super) fn singular(&self) -> &[u8] {
        let bytes = self.bytes();
        match bytes {
            [head @ .., b's'] if head.len() > 2 => head,
            _ => bytes,
        }
    }
}

/// Words by which a date may begin to be recognised.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    Month(u8),
    Season(Season),
    Thousand,
    Roman(u8),
}

/// Whether a word may be a trigger, from its length and its first two bytes.
#[inline]
pub(super) fn quick(word: &[u8]) -> bool {
    match *word {
        [b'I' | b'V' | b'X'] | [b'I' | b'V' | b'X', b'I' | b'V' | b'X', ..] => true,
        [first, second, _, ..] if word.len() <= 10 => match first | 0x20 {
            b'j' => matches!(second | 0x20, b'a' | b'u'),
            // An accented letter begins with 0xc3, which is 0xe3 here.
            b'f' => matches!(second | 0x20, b'e' | 0xe3),
            b'm' => matches!(second | 0x20, b'a' | b'i' | b'z'),
            b'a' => matches!(second | 0x20, b'v' | b'b' | b'p' | b'o' | b'g' | b'u'),
            b's' | b'v' => second | 0x20 == b'e',
            b'o' => matches!(second | 0x20, b'c' | b't'),
            b'n' => second | 0x20 == b'o',
            b'd' => matches!(second | 0x20, b'e' | 0xe3 | b'i') && word[2] | 0x20 != b's',
            b'e' => matches!(second | 0x20, b'n' | b't'),
            b'p' => second | 0x20 == b'r' && word.len() == 9,
            b'h' => second | 0x20 == b'i' && word.len() == 5,
            b'i' => second | 0x20 == b'n' && word.len() == 8,
            0xe3 => second | 0x20 == 0xa9,
            _ => false,
        },
        _ => false,
    }
}

pub(super) fn trigger(word: &str) -> Option<Trigger> {
    let folded = Folded::new(word)?;
    if let Some(month) = month(folded.bytes()) {
        return Some(Trigger::Month(month));
    }
    Some(match folded.bytes() {
        b"printemps" | b"primavera" => Trigger::Season(Season::Spring),
        b"ete" | b"verano" => Trigger::Season(Season::Summer),
        b"automne" | b"otono" => Trigger::Season(Season::Autumn),
        b"hiver" | b"invierno" => Trigger::Season(Season::Winter),
        b"mille" | b"milles" | b"mil" => Trigger::Thousand,
        _ => return roman(word).map(Trigger::Roman),
    })
}

fn roman(word: &str) -> Option<u8> {
    if word.len() > 4 || !word.bytes().all(|b| matches!(b, b'I' | b'V' | b'X')) {
        return None;
    }
    ROMAN.iter().position(|&r| r == word).map(|i| i as u8 + 1)
}

/// The number of a month from its folded name, in full or short.
pub(super) fn month(folded: &[u8]) -> Option<u8> {
    Some(match folded {
        b"janvier" | b"janv" | b"jan" | b"enero" | b"ene" | b"ener" | b"january" => 1,
        b"fevrier" | b"fevr" | b"fev" | b"febrero" | b"feb" | b"febr" | b"february" => 2,
        b"mars" | b"mar" | b"marzo" | b"mzo" | b"march" => 3,
        b"avril" | b"avr" | b"abril" | b"abr" | b"april" | b"apr" => 4,
        b"mai" | b"mayo" | b"may" => 5,
        b"juin" | b"junio" | b"jun" | b"june" => 6,
        b"juillet" | b"juil" | b"juill" | b"julio" | b"jul" | b"july" => 7,
        b"aout" | b"aou" | b"agosto" | b"ago" | b"august" | b"aug" => 8,
        b"septembre" | b"sept" | b"sep" | b"septiembre" | b"setiembre" | b"september" => 9,
        b"octobre" | b"oct" | b"octubre" | b"october" => 10,
        b"novembre" | b"nov" | b"noviembre" | b"november" => 11,
        b"decembre" | b"dec" | b"diciembre" | b"dic" | b"december" => 12,
        _ => return None,
    })
}

/// Letters typed for digits: `O`, `l`.
pub(super) fn is_noise(word: &str) -> bool {
    word.len() <= 3 && word.bytes().all(|b| matches!(b, b'O' | b'o' | b'l' | b'I'))
}

/// The month whose full name in this language is one edit away from a word of five letters or more.
pub(super) fn misspelt_month(word: &str, language: Language) -> Option<u8> {
    let names = match language {
        Language::Fr => &LONG_MONTHS[0],
        Language::Es => &LONG_MONTHS[1],
    };
    let folded = may_be_month(word)?;
    (1..=12).find(|&m| near(names[m as usize - 1].as_bytes(), folded.bytes()))
}

/// The same in any language.
pub(super) fn is_misspelt_month(word: &str) -> bool {
    may_be_month(word)
        .is_some_and(|folded| LONG_MONTHS.iter().flatten().any(|name| near(name.as_bytes(), folded.bytes())))
}

fn may_be_month(word: &str) -> Option<Folded> {
    if word.len() < 5 {
        return None;
    }
    Folded::new(word).filter(|f| {
        let word = f.bytes();
        (5..=11).contains(&word.len())
            && is_initial(word)
            && (LENGTHS[0][letter(word[0])] | LENGTHS[1][letter(word[word.len() - 1])]) >> (word.len() - 1)
                & 0b111
                != 0
    })
}

/// The lengths of long months, a bit each, by their first letter and by their last.
const LENGTHS: [[u16; 32]; 2] = {
    let mut lengths = [[0; 32]; 2];
    let mut m = 0;
    while m < 24 {
        let name = LONG_MONTHS[m / 12][m % 12].as_bytes();
        if !name.is_empty() {
            lengths[0][letter(name[0])] |= 1 << name.len();
            lengths[1][letter(name[name.len() - 1])] |= 1 << name.len();
        }
        m += 1;
    }
    lengths
};

const fn letter(b: u8) -> usize {
    (b & 31) as usize
}

/// One edit away. It leaves the first letter or the last as it was.
fn near(name: &[u8], word: &[u8]) -> bool {
    name.len().abs_diff(word.len()) <= 1
        && (name.first() == word.first() || name.last() == word.last())
        && one_edit(name, word)
}

/// Folded names of the months that are long enough to be known by all letters but one.
const LONG_MONTHS: [[&str; 12]; 2] = [
    [
        "janvier",
        "fevrier",
        "",
        "avril",
        "",
        "",
        "juillet",
        "aout",
        "septembre",
        "octobre",
        "novembre",
        "decembre",
    ],
    [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
];

/// One of the first two letters agrees with how some month begins.
fn is_initial(word: &[u8]) -> bool {
    word[..2].iter().any(|b| b"jfmasonde".contains(b))
}

/// Whether two words differ by one letter added, lost, changed, or by two neighbours swapped.
fn one_edit(a: &[u8], b: &[u8]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let same = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    match long.len() - short.len() {
        0 if same == short.len() => false,
        0 => {
            short[same + 1..] == long[same + 1..]
                || (same + 1 < short.len()
                    && short[same] == long[same + 1]
                    && short[same + 1] == long[same]
                    && short[same + 2..] == long[same + 2..])
        }
        1 => short[same..] == long[same + 1..],
        _ => false,
    }
}

pub(super) fn weekday(word: &str) -> Option<Weekday> {
    let folded = Folded::new(word)?;
    let index = match folded.bytes() {
        b"lundi" | b"lun" | b"lunes" => 0,
        b"mardi" | b"mar" | b"martes" => 1,
        b"mercredi" | b"mer" | b"miercoles" | b"mie" => 2,
        b"jeudi" | b"jeu" | b"jueves" | b"jue" => 3,
        b"vendredi" | b"ven" | b"viernes" | b"vie" => 4,
        b"samedi" | b"sam" | b"sabado" | b"sab" => 5,
        b"dimanche" | b"dim" | b"domingo" | b"dom" => 6,
        _ => return None,
    };
    Some(Weekday::from_index(index))
}

pub(super) fn third(word: &str) -> Option<Third> {
    let folded = Folded::new(word)?;
    Some(match folded.bytes() {
        b"debut" | b"debuts" | b"principios" | b"comienzos" | b"inicios" | b"principio" => Third::Start,
        b"mi" | b"milieu" | b"mediados" => Third::Middle,
        b"fin" | b"fins" | b"finales" | b"final" | b"fines" => Third::End,
        _ => return None,
    })
}

/// What the word before a number says about it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cue {
    None,
    /// May stand before a month or a year: `en`, `depuis`, `desde`, `avant`.
    Period,
    /// Names a year: `année`, `año`.
    Year,
    /// May stand before a day: `le`, `du`, `el`, `né`.
    Day,
}

pub(super) fn cue(word: &str) -> Cue {
    let Some(folded) = Folded::new(word) else { return Cue::None };
    match folded.bytes() {
        b"le" | b"les" | b"du" | b"au" | b"el" | b"del" | b"al" | b"dia" | b"dias" | b"date" | b"fecha"
        | b"ne" | b"nee" | b"lundi" | b"mardi" | b"mercredi" | b"jeudi" | b"vendredi" | b"samedi"
        | b"dimanche" | b"lunes" | b"martes" | b"miercoles" | b"jueves" | b"viernes" | b"sabado"
        | b"domingo" | b"jour" => Cue::Day,
        b"annee" | b"annees" | b"an" | b"ano" | b"anos" => Cue::Year,
        b"en" | b"depuis" | b"desde" | b"avant" | b"apres" | b"vers" | b"entre" | b"hasta" | b"hacia"
        | b"courant" | b"debut" | b"fin" | b"mi" | b"finales" | b"principios" | b"mediados" | b"des"
        | b"jusqu" | b"jusque" | b"mois" | b"mes" | b"novembre" | b"circa" => Cue::Period,
        _ => Cue::None,
    }
}

/// Words after which a date is that of a text of law.
pub(super) fn is_law(word: &str) -> bool {
    Folded::new(word).is_some_and(|f| {
        matches!(
            f.bytes(),
            b"loi"
                | b"lois"
                | b"decret"
                | b"arrete"
                | b"ordonnance"
                | b"circulaire"
                | b"directive"
                | b"reglement"
                | b"ley"
                | b"decreto"
                | b"orden"
                | b"ordonnances"
                | b"decrets"
                | b"arretes"
                | b"reglamento"
                | b"directiva"
                | b"jorf"
                | b"boe"
        )
    })
}

/// Words after which a date is part of the name of a street or a building.
pub(super) fn is_place(word: &str) -> bool {
    Folded::new(word).is_some_and(|f| {
        matches!(
            f.bytes(),
            b"rue"
                | b"avenue"
                | b"av"
                | b"boulevard"
                | b"bd"
                | b"place"
                | b"square"
                | b"quai"
                | b"calle"
                | b"avenida"
                | b"avda"
                | b"plaza"
                | b"paseo"
                | b"hospital"
                | b"hopital"
                | b"universitario"
                | b"allee"
                | b"esplanade"
                | b"lycee"
                | b"cours"
                | b"clinica"
                | b"doce"
        )
    })
}

/// Units and measures: a number before one is no part of a date.
pub(super) fn is_unit(word: &str) -> bool {
    Folded::new(word).is_some_and(|f| {
        matches!(
            f.singular(),
            b"mg"
                | b"g"
                | b"gr"
                | b"kg"
                | b"ml"
                | b"l"
                | b"dl"
                | b"cl"
                | b"ui"
                | b"mm"
                | b"cm"
                | b"m"
                | b"ug"
                | b"mcg"
                | b"mmol"
                | b"meq"
                | b"mmhg"
                | b"cmhg"
                | b"kcal"
                | b"h"
                | b"heure"
                | b"hora"
                | b"j"
                | b"jour"
                | b"dia"
                | b"ans"
                | b"an"
                | b"ano"
                | b"mois"
                | b"mes"
                | b"mese"
                | b"semaine"
                | b"semana"
                | b"comprime"
                | b"cp"
                | b"gelule"
                | b"comprimido"
                | b"fois"
                | b"vece"
                | b"vez"
                | b"min"
                | b"minute"
                | b"minuto"
                | b"pt"
                | b"point"
                | b"punto"
                | b"ng"
                | b"pg"
                | b"mui"
                | b"patient"
                | b"paciente"
                | b"ca"
                | b"goutte"
                | b"gota"
                | b"ampoule"
                | b"ampolla"
                | b"euro"
                | b"hpf"
                | b"cas"
                | b"caso"
                | b"hz"
                | b"gy"
                | b"cgy"
                | b"kpa"
                | b"ppm"
                | b"bpm"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_months_are_the_months_folded() {
        for (language, folded) in [Language::Fr, Language::Es].into_iter().zip(LONG_MONTHS) {
            for (name, folded) in MONTHS[full_month_style(language) as usize].into_iter().zip(folded) {
                let long = if name.len() >= 5 { crate::fold(name) } else { String::new() };
                assert_eq!(folded, long);
            }
        }
    }
}
