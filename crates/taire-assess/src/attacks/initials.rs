//! Frequency analysis of the initials of surrogates.
//!
//! Where one secret alphabet serves a whole corpus, the most frequent released initial probably replaces the most
//! frequent true one, and so on down. The attacker knows the population's frequencies and matches rank by rank.

use std::collections::BTreeMap;

use super::Success;
use crate::Share;

/// The true and the released initial of one person.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Initial {
    /// The true initial.
    pub truth: char,
    /// The initial in the release.
    pub released: char,
}

/// `population` in any unit. Blind guessing always takes the most frequent letter.
pub fn initials(people: &[Initial], population: &BTreeMap<char, f64>) -> Success {
    let mut seen: BTreeMap<char, f64> = BTreeMap::new();
    people.iter().for_each(|p| *seen.entry(p.released).or_default() += 1.0);
    let guess: BTreeMap<char, char> = ranked(&seen).into_iter().zip(ranked(population)).collect();
    let wins = people.iter().map(|p| guess.get(&p.released) == Some(&p.truth));
    let first = ranked(population).first().copied();
    let blind = first
        .filter(|_| !people.is_empty())
        .map(|letter| people.iter().filter(|p| p.truth == letter).count() as f64 / people.len() as f64);
    Success { attack: Share::of(wins), blind }
}

fn ranked(counts: &BTreeMap<char, f64>) -> Vec<char> {
    let mut letters: Vec<(char, f64)> = counts.iter().map(|(&c, &n)| (c, n)).collect();
    letters.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    letters.into_iter().map(|(c, _)| c).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::SplitMix64;

    fn population() -> BTreeMap<char, f64> {
        ('A'..='P').enumerate().map(|(i, c)| (c, 1.3f64.powi(-(i as i32)))).collect()
    }

    fn people(released: impl Fn(usize, char) -> char) -> Vec<Initial> {
        let mut draw = SplitMix64::new(5);
        let population = population();
        let total: f64 = population.values().sum();
        let mut one = |i| {
            let mut left = draw.below(1 << 20) as f64 / f64::from(1 << 20) * total;
            let mut truth = 'A';
            for (&c, &n) in &population {
                truth = c;
                left -= n;
                if left < 0.0 {
                    break;
                }
            }
            Initial { truth, released: released(i, truth) }
        };
        (0..20_000).map(&mut one).collect()
    }

    fn rotated(letter: char, by: usize) -> char {
        char::from(b'A' + ((letter as u8 - b'A') as usize * 7 + by) as u8 % 16)
    }

    #[test]
    fn one_alphabet_for_all_is_read_by_frequency() {
        let found = initials(&people(|_, c| rotated(c, 3)), &population());
        assert!(found.attack.share > 0.8, "{found}");
    }

    #[test]
    fn an_alphabet_for_each_patient_is_not() {
        let found = initials(&people(|i, c| rotated(c, i * 5 % 16)), &population());
        assert!(found.attack.share < found.blind.unwrap_or_default(), "{found}");
    }
}
