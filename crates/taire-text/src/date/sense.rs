//! What the words around a date say when its year is missing: whether it lies before or after the letter, and which
//! date of a text is the letter's own.

use super::resolve::Slot;
use crate::fold;

/// Which way from the letter's date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sense {
    Unknown,
    /// `le 14 novembre dernier`, `el pasado 12 de mayo`, `opéré le 3/02`
    Past,
    /// `le 12 mai prochain`, `à revoir le 3/04`
    Future,
    /// `rendez-vous le 3/04`: what is nearest.
    Appointment,
}

/// How far back words are read, in bytes and in words.
const REACH: usize = 90;
const WORDS: usize = 8;

const LAST: &[&str] = &["derni", "pasad", "passe", "ultim"];
const NEXT: &[&str] = &["prochain", "proxim", "venider"];
/// Beginnings of words that tell of what was done, of what will be, and of appointments, which may be either.
const DONE: &[&str] = &[
    "vu",
    "vus",
    "vue",
    "revu",
    "revue",
    "realis",
    "realiz",
    "fait",
    "faite",
    "oper",
    "hospitalis",
    "admis",
    "effectu",
    "vist",
    "ingres",
    "sorti",
    "sortie",
    "depuis",
    "desde",
    "recu",
    "recue",
    "interven",
    "debut",
    "derniere",
    "acudio",
    "valorad",
    "decede",
    "fallec",
    "practic",
    "extirp",
    "pose",
    "posee",
    "transfer",
    "traslad",
    "entre",
    "entree",
];
const TO_COME: &[&str] = &[
    "revoir",
    "reverr",
    "reviendr",
    "prevu",
    "prevue",
    "previst",
    "programm",
    "programad",
    "convoqu",
    "citad",
    "planifi",
    "sera",
    "seront",
    "sera",
    "devra",
    "debera",
    "acudir",
    "volver",
    "recontrol",
    "prochain",
    "proxim",
    "futur",
    "attendu",
    "reprendr",
    "repris",
];
const MEETING: &[&str] = &[
    "rendez",
    "rdv",
    "cita",
    "control",
    "controle",
    "revision",
    "jusqu",
    "hasta",
    "recontroler",
    "surveillance",
];

fn begins(word: &str, list: &[&str]) -> bool {
    list.iter().any(|head| match head.len() {
        // Short words are whole: `vu` is not `vulve`.
        0..=3 => word == *head,
        _ => word.starts_with(head),
    })
}

/// The words of a text, folded, last first.
fn words_back(text: &str) -> impl Iterator<Item = String> {
    text.rsplit(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(fold)
}

/// The end of a text, from the last end of a sentence or line on.
pub(super) fn sentence_before(text: &str, reach: usize) -> &str {
    let mut from = text.len().saturating_sub(reach);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let near = &text[from..];
    let stop = near.char_indices().rev().find(|&(i, c)| match c {
        '\n' | ';' | '!' | '?' => true,
        '.' => ends_sentence(&near[..i], &near[i + 1..]),
        _ => false,
    });
    stop.map_or(near, |(i, c)| &near[i + c.len_utf8()..])
}

/// The dot of `Dr. Rey` or of `12.03` ends nothing.
fn ends_sentence(before: &str, after: &str) -> bool {
    if !after.starts_with(char::is_whitespace) {
        return false;
    }
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let capital = after.trim_start().starts_with(char::is_uppercase);
    word.chars().count() > 3 || capital && !word.starts_with(char::is_uppercase)
}

/// Which way a date of a text lies.
pub(super) fn sense(text: &str, slot: &Slot) -> Sense {
    let after = &text[slot.end.min(text.len())..];
    let next = after.trim_start_matches([' ', ',', '\u{a0}']).split(|c: char| !c.is_alphabetic()).next();
    let next = fold(next.unwrap_or_default());
    if begins(&next, LAST) {
        return Sense::Past;
    }
    if begins(&next, NEXT) {
        return Sense::Future;
    }
    let before = sentence_before(&text[..slot.start.min(text.len())], REACH);
    for (i, word) in words_back(before).take(WORDS).enumerate() {
        if i < 2 && begins(&word, LAST) {
            return Sense::Past;
        }
        if begins(&word, NEXT) || begins(&word, TO_COME) {
            return Sense::Future;
        }
        if begins(&word, DONE) {
            return Sense::Past;
        }
        if begins(&word, MEETING) {
            return Sense::Appointment;
        }
    }
    Sense::Unknown
}

/// Which slot is the date of the letter itself: on a line of its own behind a town, or behind a key that says so.
/// `slots` are in order; only a whole date can be one.
pub(super) fn letter_slot(text: &str, slots: &[Slot]) -> Option<usize> {
    let mut best: Option<(u8, usize)> = None;
    for (i, slot) in slots.iter().enumerate() {
        let whole = slot.value.day.is_some() && slot.value.month.is_some() && slot.value.year.is_some();
        if slot.birth || !whole || slot.end > text.len() {
            continue;
        }
        let score = line_score(text, slot);
        if score > 0 && best.is_none_or(|(b, _)| score > b) {
            best = Some((score, i));
        }
    }
    best.map(|(_, i)| i)
}

/// How much of a line is read before and behind a date. A date line is shorter.
const LINE: usize = 240;

/// Where the line of an offset starts, and whether it does: else where so much of it starts as is read.
fn line_start(text: &str, at: usize) -> (usize, bool) {
    let mut from = at.saturating_sub(LINE);
    if let Some(n) = text.as_bytes()[from..at].iter().rposition(|&b| b == b'\n') {
        return (from + n + 1, true);
    }
    while !text.is_char_boundary(from) {
        from += 1;
    }
    (from, from == 0)
}

/// The rest of a line, unless it is long.
fn line_rest(text: &str) -> Option<&str> {
    let near = &text.as_bytes()[..text.len().min(LINE)];
    let end = near.iter().position(|&b| b == b'\n').or((near.len() == text.len()).then_some(near.len()))?;
    text.get(..end).map(str::trim)
}

fn line_score(text: &str, slot: &Slot) -> u8 {
    let (start, whole_before) = line_start(text, slot.start);
    let before = text[start..slot.start].trim();
    let folded = fold(before);
    let key = folded.trim_end_matches([':', ' ']).trim_end_matches(" le").trim_end_matches([':', ' ']);
    const KEYS: &[&str] = &[
        "date",
        "date du courrier",
        "date de redaction",
        "date du document",
        "date du compte rendu",
        "redige",
        "edite",
        "imprime",
        "dicte",
        "fait",
        "courrier du",
        "lettre du",
        "fecha",
        "fecha del informe",
        "fecha informe",
        "fecha de informe",
        "fecha del documento",
        "fecha de emision",
        "fecha de la carta",
        "fecha de redaccion",
    ];
    const NEAR_KEYS: &[&str] = &[
        "consultation du",
        "compte rendu du",
        "compte-rendu du",
        "cr du",
        "fecha de alta",
        "fecha alta",
        "date de sortie",
        "consulta del",
        "informe del",
        "date de consultation",
        "date de la consultation",
        "fecha de consulta",
        "consultation",
        "sortie",
    ];
    // The last pair of a line that holds several.
    let mut pairs = key.rsplit(['.', ';', '|', '\t', '-']);
    let last_pair = pairs.next().unwrap_or(key).trim();
    let whole_pair = whole_before || pairs.next().is_some();
    if whole_pair && KEYS.contains(&last_pair) {
        return 4;
    }
    let after = &text[slot.end..];
    let closes = !after.chars().take_while(|&c| c != '\n').any(char::is_alphanumeric);
    let hour = |t: &str| {
        t.len() <= 12 && t.chars().any(|c| c.is_ascii_digit()) && t.starts_with(['à', 'a', ',', '-'])
    };
    if whole_before && opens_letter(before) && (closes || line_rest(after).is_some_and(hour)) {
        return 3;
    }
    if NEAR_KEYS.iter().any(|k| last_pair.ends_with(k)) { 2 } else { 0 }
}

/// `Besançon, le`, `Le`, `A Madrid, a`, `En Valladolid, a`, or nothing at all before the date.
fn opens_letter(before: &str) -> bool {
    const MOST: usize = 48;
    if before.len() > MOST {
        return false;
    }
    let joint = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let head = match fold(joint).as_str() {
        "" => before,
        "le" | "el" | "a" => &before[..before.len() - joint.len()],
        _ => return false,
    };
    let head = head.trim_end();
    let Some(town) = head.strip_suffix(',') else { return head.is_empty() };
    let place = |w: &str| {
        w.starts_with(char::is_uppercase)
            || matches!(
                fold(w).as_str(),
                "a" | "en" | "de" | "la" | "le" | "les" | "sur" | "del" | "et" | "d" | "l" | "y"
            )
    };
    town.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'' | '.'))
        && town.split([' ', '-', '\'', '.']).filter(|w| !w.is_empty()).all(place)
}
