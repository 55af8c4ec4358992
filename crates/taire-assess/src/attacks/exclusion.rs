//! An attacker collects the surrogates of one value over many records and looks for the value that never appears.
//!
//! The attacker holds one release and the public lists. A letterhead, a signature or a department is the same in every letter of
//! a hospital. Where its surrogate is drawn anew for each patient and never is the value itself, the true value is the one
//! that never appears: the department of the hospital is known after some dozens of patients, and so is the initial of a doctor. The
//! attacker is given which places hold the same value, which is the worst case.

use std::collections::BTreeMap;

use super::Success;
use taire_text::SplitMix64;

use crate::Share;

/// One value that several records hold, and what was written for it in each.
#[derive(Clone, Default)]
pub struct Constant {
    /// The true value, or the class of it that is attacked: a department, an initial.
    pub truth: String,
    /// The same class of the surrogate, one for each record.
    pub released: Vec<String>,
    /// The possible values, with their expected frequency among surrogates, in any unit.
    pub candidates: BTreeMap<String, f64>,
}

impl std::fmt::Debug for Constant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Constant").finish_non_exhaustive()
    }
}

/// For each constant, guesses the candidate whose count is furthest below its expected count, in standard deviations.
/// Blind guessing takes the most common candidate.
pub fn exclusion(constants: &[Constant], seed: u64) -> Success {
    let mut draw = SplitMix64::new(seed);
    let (mut hits, mut tries, mut blind) = (0, 0, 0.0);
    for constant in constants.iter().filter(|c| c.candidates.len() > 1) {
        let common = commonest(constant);
        // One surrogate for the whole release: the absence of other values carries no information.
        let once = constant.released.windows(2).all(|w| w[0] == w[1]);
        let guesses = if once { common.clone() } else { missing(constant) };
        tries += 1;
        hits += u64::from(*guesses[draw.below(guesses.len())] == constant.truth);
        blind += f64::from(u8::from(common.contains(&&constant.truth))) / common.len() as f64;
    }
    Success { attack: Share::new(hits, tries), blind: (tries > 0).then(|| blind / tries as f64) }
}

/// The candidates that are expected most often.
fn commonest(constant: &Constant) -> Vec<&String> {
    let most = constant.candidates.values().copied().fold(0.0, f64::max);
    constant.candidates.iter().filter(|(_, weight)| **weight == most).map(|(c, _)| c).collect()
}

/// The candidates whose count is furthest below the expected one.
fn missing(constant: &Constant) -> Vec<&String> {
    let total: f64 = constant.candidates.values().sum();
    let shortfall = |(candidate, weight): (&String, &f64)| {
        let expected = weight / total * constant.released.len() as f64;
        let seen = constant.released.iter().filter(|r| *r == candidate).count() as f64;
        (expected - seen) / expected.max(1e-9).sqrt()
    };
    let short: Vec<f64> = constant.candidates.iter().map(shortfall).collect();
    let most = short.iter().copied().fold(f64::MIN, f64::max);
    constant.candidates.keys().zip(&short).filter(|(_, s)| most - **s < 1e-9).map(|(c, _)| c).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANDIDATES: usize = 12;

    /// Constants of `records` records each, whose surrogates `write` draws for each.
    fn constants(records: usize, mut write: impl FnMut(&mut SplitMix64, usize) -> usize) -> Vec<Constant> {
        let mut draw = SplitMix64::new(4);
        (0..200)
            .map(|i| {
                let truth = i % CANDIDATES;
                Constant {
                    truth: truth.to_string(),
                    released: (0..records).map(|_| write(&mut draw, truth).to_string()).collect(),
                    candidates: (0..CANDIDATES).map(|c| (c.to_string(), 1.0)).collect(),
                }
            })
            .collect()
    }

    #[test]
    fn a_surrogate_that_is_never_itself_gives_itself_away() {
        let never_itself =
            |draw: &mut SplitMix64, truth| (truth + 1 + draw.below(CANDIDATES - 1)) % CANDIDATES;
        let found = exclusion(&constants(100, never_itself), 1);
        assert!(found.attack.share > 0.95 && found.beats_chance(), "{found}");
    }

    #[test]
    fn a_surrogate_that_may_be_itself_does_not() {
        let found = exclusion(&constants(100, |draw, _| draw.below(CANDIDATES)), 1);
        assert!(!found.beats_chance(), "{found}");
    }

    #[test]
    fn one_draw_for_the_whole_release_does_not() {
        let found = exclusion(&constants(100, |_, truth| (truth * 5 + 3) % CANDIDATES), 1);
        assert!(!found.beats_chance(), "{found}");
    }
}
