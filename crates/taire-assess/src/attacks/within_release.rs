//! Somebody puts a patient's letters of one release together by their patient id, and averages the noise away.
//!
//! The attacker holds one release and knows when the letters were written. Where each letter carries fresh noise, the middle of what
//! many letters say of one birth date is the birth date, and the town written most often is the home town. Blind is what
//! one letter alone gives: more letters must add nothing to it.

use std::collections::BTreeMap;

use super::{Success, averaging::middle_of};
use crate::Share;

/// By how many days each letter of a person is wrong about an interval, the first letter first. Found when the middle letter
/// is right to the day. Persons with one letter are not tried.
pub fn intervals_within_release(persons: &[Vec<i32>]) -> Success {
    let several = || persons.iter().filter(|letters| letters.len() > 1);
    let first = Share::of(several().map(|letters| letters[0] == 0));
    Success {
        attack: Share::of(several().map(|letters| middle_of(letters.clone()) == 0)),
        blind: (first.tries > 0).then_some(first.share),
    }
}

/// The home town of a person, and the town that each letter shows in its place.
#[derive(Clone, Default)]
pub struct TownLetters {
    /// The true town.
    pub truth: String,
    /// The town in each letter of the release, the first letter first.
    pub released: Vec<String>,
}

impl std::fmt::Debug for TownLetters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TownLetters").finish_non_exhaustive()
    }
}

/// Found when the town written most often is the true one; of several, the one written first.
pub fn town_within_release(persons: &[TownLetters]) -> Success {
    let several = || persons.iter().filter(|p| p.released.len() > 1);
    let first = Share::of(several().map(|p| p.released[0] == p.truth));
    Success {
        attack: Share::of(several().map(|p| commonest(&p.released) == Some(&p.truth))),
        blind: (first.tries > 0).then_some(first.share),
    }
}

fn commonest(towns: &[String]) -> Option<&String> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    towns.iter().for_each(|t| *counts.entry(t).or_default() += 1);
    let most = counts.values().max()?;
    towns.iter().find(|t| counts[t] == *most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::SplitMix64;

    #[test]
    fn fresh_noise_in_each_letter_averages_out() {
        let mut draw = SplitMix64::new(3);
        let noise = |draw: &mut SplitMix64| draw.below(5) as i32 + draw.below(5) as i32 - 4;
        let persons: Vec<Vec<i32>> = (0..200).map(|_| (0..20).map(|_| noise(&mut draw)).collect()).collect();
        let found = intervals_within_release(&persons);
        assert!(found.attack.share > 0.5 && found.beats_chance(), "{found}");
        let town = |draw: &mut SplitMix64| {
            if draw.below(3) == 0 { "home".to_owned() } else { draw.next_u64().to_string() }
        };
        let towns: Vec<TownLetters> = (0..200)
            .map(|_| TownLetters {
                truth: "home".into(),
                released: (0..20).map(|_| town(&mut draw)).collect(),
            })
            .collect();
        let found = town_within_release(&towns);
        assert!(found.attack.share > 0.9 && found.beats_chance(), "{found}");
    }

    #[test]
    fn one_draw_for_the_patient_does_not() {
        let mut draw = SplitMix64::new(3);
        let persons: Vec<Vec<i32>> = (0..200).map(|_| vec![draw.below(5) as i32 - 2; 20]).collect();
        assert!(!intervals_within_release(&persons).beats_chance());
        let towns = vec![TownLetters { truth: "home".into(), released: vec!["away".into(); 20] }; 50];
        assert!(!town_within_release(&towns).beats_chance());
    }
}
