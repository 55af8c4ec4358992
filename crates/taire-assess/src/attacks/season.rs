//! An attacker reads the month of a date in the release and guesses the true one: a birthday, an accident in winter.
//!
//! The attacker knows how calendars of this kind move dates, learned here from one half of the records, and adds to every released month
//! the most common distance there. Blind guessing takes the most common month. Some distances never occur: those months of the
//! twelve can be excluded, whatever else is hidden.

use serde::Serialize;

use super::Success;
use crate::Share;

/// Distances this rare count as excluded.
const NEVER: f64 = 0.005;
/// With fewer dates, a distance that was not seen may still be possible.
const ENOUGH: u64 = 300;

/// A date by its month, from 1 to 12.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MovedMonth {
    /// The true month.
    pub truth: u8,
    /// The month in the release.
    pub released: u8,
}

/// How well the season is hidden.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Season {
    /// The true month guessed.
    #[serde(flatten)]
    pub month: Success,
    /// Months of twelve that can be excluded; `None` where there are too few dates to tell.
    pub months_excluded: Option<usize>,
}

/// Dates record by record: the attacker learns from every other record and is tried on the rest.
pub fn season(records: &[Vec<MovedMonth>]) -> Season {
    let (mut distances, mut months) = ([0u64; 12], [0u64; 12]);
    for date in records.iter().step_by(2).flatten() {
        distances[distance(date)] += 1;
        months[usize::from(date.truth) % 12] += 1;
    }
    let commonest = |counts: &[u64; 12]| (0..12).max_by_key(|&i| counts[i]).unwrap_or_default();
    let (usual, month) = (commonest(&distances), commonest(&months));
    let tried = || records.iter().skip(1).step_by(2).flatten();
    let blind = Share::of(tried().map(|d| usize::from(d.truth) % 12 == month));
    let all: u64 = distances.iter().sum();
    let never = |n: &&u64| **n as f64 <= NEVER * all as f64;
    Season {
        month: Success {
            attack: Share::of(tried().map(|d| distance(d) == usual)),
            blind: (blind.tries > 0).then_some(blind.share),
        },
        months_excluded: (all >= ENOUGH).then(|| distances.iter().filter(never).count()),
    }
}

fn distance(date: &MovedMonth) -> usize {
    usize::from((date.truth + 24 - date.released) % 12)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::SplitMix64;

    fn records(mut by: impl FnMut(&mut SplitMix64) -> usize) -> Vec<Vec<MovedMonth>> {
        let mut draw = SplitMix64::new(8);
        (0..600)
            .map(|_| {
                let moved = by(&mut draw);
                let truth = draw.below(12);
                let date = |m: usize| (m % 12 + 1) as u8;
                vec![MovedMonth { truth: date(truth), released: date(truth + 12 - moved % 12) }]
            })
            .collect()
    }

    #[test]
    fn whole_years_keep_the_season() {
        let found = season(&records(|draw| 12 * (1 + draw.below(2))));
        assert_eq!(found.month.attack.share, 1.0);
        assert_eq!(found.months_excluded, Some(11));
        assert!(found.month.beats_chance());
    }

    #[test]
    fn an_even_move_hides_it() {
        let found = season(&records(|draw| draw.below(24)));
        assert!(!found.month.beats_chance(), "{}", found.month);
        assert_eq!(found.months_excluded, Some(0));
    }
}
