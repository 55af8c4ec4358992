//! How many identifiers detection probably left.
//!
//! Two groups of detectors that look in different ways are two captures of the same population: from what both found
//! and what only one found, Chapman's estimator (1951) estimates how many neither did. Its interval comes from the exact
//! bounds of each group's share of what the other found, with the chance of the missed count itself on top. Detectors
//! are not independent: what is hard for one is hard for the other, so the estimate is a floor. A sample read by a
//! person gives an unbiased figure, and outweighs it.

use serde::Serialize;

use crate::share::Share;

/// What each of two groups of detectors found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Captures {
    /// Found by the first group of detectors alone.
    pub first_only: u64,
    /// Found by the second group alone.
    pub second_only: u64,
    /// Found by both.
    pub both: u64,
}

/// An estimate of what neither group found.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Missed {
    /// What each group found.
    pub captures: Captures,
    /// Found by either.
    pub found: u64,
    /// `None` where too little was found by both.
    pub left: Option<Left>,
}

/// What neither group found, with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Left {
    /// The estimate.
    pub missed: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

/// Fewer found by both say nothing.
const ENOUGH: u64 = 20;

/// Estimates what neither group of detectors found.
pub fn capture_recapture(captures: Captures) -> Missed {
    let Captures { first_only, second_only, both } = captures;
    let found = first_only + second_only + both;
    if both < ENOUGH {
        return Missed { captures, found, left: None };
    }
    let (a, b, m) = (first_only as f64, second_only as f64, both as f64);
    let missed = a * b / (m + 1.0);
    let (first, second) = (Share::new(both, both + second_only), Share::new(both, both + first_only));
    let of = |p: f64, q: f64| {
        let neither = (1.0 - p) * (1.0 - q);
        found as f64 * neither / (1.0 - neither).max(1e-9)
    };
    let low = of(first.high, second.high);
    let low = (low - 1.96 * low.sqrt()).clamp(0.0, missed);
    let high = of(first.low, second.low);
    let high = (high + 1.96 * high.sqrt()).max(missed);
    Missed { captures, found, left: Some(Left { missed, low, high }) }
}

/// From a sample that a person has read: identifiers left among those that were there.
pub fn reviewed(missed: u64, all: u64) -> Share {
    Share::new(missed, all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::SplitMix64;

    #[test]
    fn independent_detectors_are_counted_right() {
        let mut draw = SplitMix64::new(3);
        let mut inside = 0;
        for _ in 0..200 {
            let (mut captures, mut missed) = (Captures::default(), 0.0);
            for _ in 0..2000 {
                match (draw.below(100) < 90, draw.below(100) < 80) {
                    (true, true) => captures.both += 1,
                    (true, false) => captures.first_only += 1,
                    (false, true) => captures.second_only += 1,
                    (false, false) => missed += 1.0,
                }
            }
            let left = capture_recapture(captures).left.expect("enough was found");
            inside += usize::from(left.low <= missed && missed <= left.high);
        }
        assert!((188..=200).contains(&inside), "the interval held {inside} times of 200");
    }

    #[test]
    fn nothing_alone_means_nothing_missed() {
        let left = capture_recapture(Captures { first_only: 0, second_only: 0, both: 500 });
        let left = left.left.expect("enough was found");
        assert_eq!(left.missed, 0.0);
        assert!(left.high < 1.0);
    }

    #[test]
    fn without_a_common_capture_there_is_no_estimate() {
        assert_eq!(capture_recapture(Captures { first_only: 1, second_only: 900, both: 0 }).left, None);
    }
}
