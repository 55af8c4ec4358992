//! An attacker knows patient numbers, the program and its lists, but not the key, and tries every number and every value.
//!
//! `predict` is the program as the attacker can run it. Where surrogates depend on the number alone (Bigeard's salt),
//! it predicts them and the true values can be read back; where a secret key is mixed in, it predicts nothing.

use super::Success;
use crate::Share;

/// A released surrogate and the truth behind it.
#[derive(Clone)]
pub struct Victim {
    /// The patient number that the attacker knows.
    pub number: String,
    /// The true family name.
    pub truth: String,
    /// The family name in the release.
    pub released: String,
}

impl std::fmt::Debug for Victim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Victim").finish_non_exhaustive()
    }
}

/// For each victim, all `candidates` are tried under the known number; the attack succeeds with the chance of picking
/// the true one among those that give the released value, counted as a whole success when it is at least one half.
pub fn known_number(
    victims: &[Victim],
    candidates: &[String],
    predict: impl Fn(&str, &str) -> String,
) -> Success {
    let wins = victims.iter().map(|victim| {
        let fits = |value: &&String| predict(&victim.number, value) == victim.released;
        let fitting: Vec<&String> = candidates.iter().filter(fits).collect();
        fitting.len() <= 2 && fitting.iter().any(|value| **value == victim.truth)
    });
    let blind = (!candidates.is_empty()).then(|| 1.0 / candidates.len() as f64);
    Success { attack: Share::of(wins), blind }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hmac::digest::Digest;
    use sha2::Sha512;
    use taire_surrogate::{Rewriter, SecretKey, Settings};
    use taire_text::{Entity, Label, Language, Note, PatientId, Role, Score, Source, Span};

    /// Bigeard's construction: the patient number is the salt of a hash that picks from a public list.
    fn salted(number: &str, name: &str, list: &[&str]) -> String {
        let digest = Sha512::digest(format!("{number}{name}"));
        let at = u64::from_be_bytes(digest[..8].try_into().unwrap_or_default());
        list[(at % list.len() as u64) as usize].to_owned()
    }

    fn names() -> Vec<&'static str> {
        let lexicon = taire_lexicon::Lexicon::of(Language::Fr);
        lexicon.pools().family().iter().copied().take(400).collect()
    }

    /// Ours, as anybody can run it with a key of their own.
    fn ours(rewriter: &Rewriter, number: &str, name: &str) -> String {
        let text = format!("Mme {name}");
        let note = Note::builder("1", text.clone())
            .patient(PatientId::parse(number))
            .language(Some(Language::Fr))
            .build()
            .expect("a short note");
        let entity = Entity {
            span: Span::new(4, text.len()),
            label: Label::FamilyName,
            role: Role::Patient,
            score: Score::CERTAIN,
            sources: [Source::Metadata].into_iter().collect(),
            doubtful_value: false,
            mentions: Vec::new(),
        };
        let written = rewriter.rewrite(&note, &[entity]).expect("rewritten");
        written.apply(note.raw()).0
    }

    fn victims(surrogate: impl Fn(&str, &str) -> String) -> Vec<Victim> {
        let victim = |(i, name): (usize, &&str)| {
            let number = format!("80{i:05}");
            let released = surrogate(&number, name);
            Victim { number, truth: (*name).to_owned(), released }
        };
        names().iter().enumerate().take(60).map(victim).collect()
    }

    #[test]
    fn a_salt_that_is_the_patient_number_is_no_secret() {
        let list = names();
        let candidates: Vec<String> = list.iter().map(|n| (*n).to_owned()).collect();
        let predict = |number: &str, name: &str| salted(number, name, &list);
        let found = known_number(&victims(predict), &candidates, predict);
        assert!(found.attack.share > 0.5, "{found}");
    }

    #[test]
    fn a_secret_key_stops_it_and_the_key_itself_opens_it() {
        let settings = Settings::default;
        let with = |byte: u8| {
            let key = SecretKey::from_bytes(&[byte; 32]).expect("a key");
            Rewriter::new(key, settings()).expect("a rewriter")
        };
        let (hospital, attacker) = (with(1), with(2));
        let candidates: Vec<String> = names().iter().map(|n| (*n).to_owned()).collect();
        let victims = victims(|number, name| ours(&hospital, number, name));
        let without = known_number(&victims, &candidates, |number, name| ours(&attacker, number, name));
        let with_key = known_number(&victims, &candidates, |number, name| ours(&hospital, number, name));
        assert!(without.attack.share < 0.05, "{without}");
        assert!(with_key.attack.share > 0.5, "{with_key}");
    }
}
