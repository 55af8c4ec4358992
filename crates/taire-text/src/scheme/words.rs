//! The few words that decide where a scheme's span begins or ends: titles, particles, facility heads, units.

use taire_lang::{Vocabulary, WordRole};

use crate::fold;

/// Whether a word occurs inside names without being one.
pub(super) fn is_particle(word: &str) -> bool {
    Vocabulary::any().has(word, WordRole::Particle)
}

/// Whether a word (without its dot) announces somebody who cares for the patient.
pub(super) fn is_caregiver_title(word: &str) -> bool {
    Vocabulary::any().has(word, WordRole::CaregiverTitle)
}

/// Whether a word (without its dot) is a title of anybody.
pub(super) fn is_civil_title(word: &str) -> bool {
    Vocabulary::any().has(word, WordRole::CivilTitle)
}

/// How a word opens the name of a facility.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
    /// `hôpital`, `hospital`
    Hospital,
    /// `HOP`, which is never written apart from the name
    Short,
    /// `CHU`, `CHRU`, which a town follows
    University,
    /// `CH`, `GH`, `clinique`
    Other,
    /// `centre`, `EHPAD`, `laboratoire`: health centres that are no hospital
    Centre,
}

pub(super) fn facility_head(folded: &str) -> Option<Head> {
    Some(match folded {
        "hopital" | "hopitaux" | "hospital" => Head::Hospital,
        "hop" => Head::Short,
        "chu" | "chru" | "chr" | "chi" => Head::University,
        "ch" | "gh" | "ghu" | "ght" | "clinique" | "polyclinique" | "clinica" => Head::Other,
        "centre" | "ehpad" | "cabinet" | "laboratoire" | "maison" | "pharmacie" | "centro" | "ssr" => {
            Head::Centre
        }
        _ => return None,
    })
}

/// Whether a folded word is the unit of an age.
pub(super) fn is_age_unit(folded: &str) -> bool {
    matches!(
        folded,
        "ano"
            | "anos"
            | "mes"
            | "meses"
            | "semana"
            | "semanas"
            | "dia"
            | "dias"
            | "ans"
            | "an"
            | "mois"
            | "semaines"
            | "jours"
    )
}

/// Whether a folded word belongs to what follows a street's name.
pub(super) fn is_door(folded: &str) -> bool {
    matches!(
        folded,
        "s" | "n"
            | "sn"
            | "no"
            | "num"
            | "numero"
            | "piso"
            | "planta"
            | "puerta"
            | "pta"
            | "esc"
            | "escalera"
            | "portal"
            | "bajo"
            | "bajos"
            | "izq"
            | "izda"
            | "izquierda"
            | "dcha"
            | "derecha"
            | "dch"
            | "der"
            | "km"
            | "bis"
            | "bloque"
            | "atico"
            | "entlo"
            | "duplicado"
            | "appt"
            | "apt"
            | "appartement"
            | "studio"
            | "bat"
            | "batiment"
            | "etage"
    )
}

/// The run of letters that ends at `end`, as (start, folded word); empty if there is no letter.
pub(super) fn word_before(text: &str, end: usize) -> (usize, String) {
    let start = text[..end]
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_alphabetic())
        .last()
        .map_or(end, |(i, _)| i);
    (start, fold(&text[start..end]))
}

/// The run of letters that starts at `start`, as (end, folded word).
pub(super) fn word_after(text: &str, start: usize) -> (usize, String) {
    let end =
        text[start..].char_indices().find(|(_, c)| !c.is_alphabetic()).map_or(text.len(), |(i, _)| start + i);
    (end, fold(&text[start..end]))
}

/// The word before `start`, blanks and one dot or colon passed over, on the same line.
pub(super) fn previous_word(text: &str, start: usize) -> (usize, String) {
    let blank = |c: char| c == ' ' || c == '\u{a0}' || c == '\t';
    let before = text[..start].trim_end_matches(blank);
    let before = before.strip_suffix(['.', ':']).unwrap_or(before).trim_end_matches(blank);
    word_before(text, before.len())
}

/// The start of the line that holds `offset`.
pub(super) fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |i| i + 1)
}
