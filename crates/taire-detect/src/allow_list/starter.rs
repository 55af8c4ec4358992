//! The starter list: words that are safe before anybody has judged one.
//!
//! FASDIM's list was sorted by hand from the hospital's own letters. Ours starts from what the lexicons know: common
//! words, medical words, medicines, eponyms, the words of paperwork and of measurement. A word that many people
//! bear as a name needs to be frequent as a word to be allowed ("petit", "rose"), not only to be in a dictionary.

use std::sync::OnceLock;

use rustc_hash::FxHashSet;
use taire_text::{Facts, Language};

use super::numbers::Protection;
use crate::words::WordClass;

/// Names from these tiers on are borne by many.
const GIVEN: u8 = 5;
const FAMILY: u8 = 6;

const FRENCH: &str = include_str!("starter-fr.txt");
const SPANISH: &str = include_str!("starter-es.txt");

/// Whether a folded word with these facts is on the starter list.
pub(super) fn allows(language: Language, facts: Facts, folded: &str) -> bool {
    let keyword = facts.keyword() != 0 && !is_borne_particle(facts);
    if keyword || facts.word_class() >= 2 || folded.chars().nth(1).is_none() {
        return true;
    }
    if extra(language).contains(folded) {
        return true;
    }
    if facts.given_tier() >= GIVEN || facts.family_tier() >= FAMILY {
        return false;
    }
    if facts.is_country() || facts.is_region() || facts.is_town() && facts.word_class() == 0 {
        return false;
    }
    facts.word_class() == 1
        || facts.is_medical()
        || facts.is_drug()
        || facts.is_eponym()
        || facts.is_profession()
        || facts.is_demonym()
        || facts.is_way()
        || is_roman(folded)
        || Protection::shipped().knows(folded)
}

/// A particle that somebody bears as a name, and that needs more to be allowed: `Bou`, `Vanden`.
fn is_borne_particle(facts: Facts) -> bool {
    WordClass::from_facts(facts) == Some(WordClass::Particle) && facts.is_name()
}

/// Words that French medicine builds as it goes: schwannome, gliomatose, aponévrotomie. Only words that nobody bears
/// as a name, and that are not capitalised, may be allowed for their form.
pub(super) fn is_medical_form(language: Language, facts: Facts, folded: &str) -> bool {
    if language != Language::Fr || facts.is_name() || facts.is_town() {
        return false;
    }
    const ENDINGS: &[&str] = &[
        "ite",
        "ome",
        "ose",
        "pathie",
        "emie",
        "algie",
        "ectomie",
        "scopie",
        "graphie",
        "tomie",
        "plastie",
        "plegie",
        "urie",
        "pnee",
        "rragie",
        "rrhee",
        "cardie",
        "phasie",
        "trophie",
        "lyse",
        "megalie",
        "isme",
        "cele",
        "stomie",
        "therapie",
        "globuline",
        "blaste",
        "cytose",
        "penie",
        "plasie",
        "sclerose",
        "centese",
    ];
    let stem = folded.strip_suffix('s').unwrap_or(folded);
    stem.len() >= 7 && ENDINGS.iter().any(|e| stem.ends_with(e))
}

fn is_roman(folded: &str) -> bool {
    folded.len() <= 5 && folded.bytes().all(|b| matches!(b, b'i' | b'v' | b'x'))
}

/// Abbreviations and words of hospital letters that the lexicons lack.
fn extra(language: Language) -> &'static FxHashSet<&'static str> {
    static FR: OnceLock<FxHashSet<&'static str>> = OnceLock::new();
    static ES: OnceLock<FxHashSet<&'static str>> = OnceLock::new();
    let read = |text: &'static str| {
        text.lines().filter(|l| !l.starts_with(';')).flat_map(str::split_whitespace).collect()
    };
    match language {
        Language::Fr => FR.get_or_init(|| read(FRENCH)),
        Language::Es => ES.get_or_init(|| read(SPANISH)),
    }
}
