//! Somebody joins two sources about the same people by the intervals between their dates.
//!
//! One source is a release. The other is a release under another key, or a register of stays with names, as an insurer or a billing
//! office has one. A calendar that keeps intervals, even roughly, lets the sources be joined: no setting of such a calendar prevents
//! it, only coarser dates do. Each record is matched with the most similar record of the other source, by intervals or, where dates
//! did not move, by the dates themselves. The attack succeeds when that record is the same person's and no other is as similar.

use std::collections::{BTreeMap, BTreeSet};

use super::Success;
use taire_text::SplitMix64;

use crate::Share;

/// Records tried.
const SAMPLE: usize = 500;
/// The distance added for a day that one source lacks. Differences of intervals count in proportion to their length.
const MISSING_DAY: f64 = 0.3;
/// Longer records are compared only with records of the same number of days.
const LONG: usize = 16;

/// What two sources show of one person, or of one document of a person: distinct days (or months, or years), in order.
#[derive(Clone, Default)]
pub struct Timelines {
    /// Whose they are, in truth.
    pub owner: usize,
    /// In the release; not tried where empty.
    pub ours: Vec<i32>,
    /// In the other source.
    pub theirs: Vec<i32>,
}

impl std::fmt::Debug for Timelines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Timelines").field("owner", &self.owner).finish_non_exhaustive()
    }
}

/// Looks for each timeline of the release among those of the other source.
pub fn joined(units: &[Timelines], seed: u64) -> Success {
    let mut by_length: ByLength<'_> = BTreeMap::new();
    for unit in units.iter().filter(|u| !u.theirs.is_empty()) {
        by_length.entry(unit.theirs.len()).or_default().push(unit);
    }
    let with_dates: Vec<&Timelines> = units.iter().filter(|u| !u.ours.is_empty()).collect();
    let sample: Vec<&Timelines> =
        SplitMix64::new(seed).sample(with_dates.len(), SAMPLE).into_iter().map(|i| with_dates[i]).collect();
    let run = |distance: fn(&[i32], &[i32]) -> f64| {
        Share::of(sample.iter().map(|unit| nearest(&unit.ours, &by_length, distance) == Some(unit.owner)))
    };
    let (moved, in_place) = (run(by_intervals), run(by_days));
    let owners: BTreeSet<usize> = units.iter().map(|u| u.owner).collect();
    Success {
        attack: if in_place.hits > moved.hits { in_place } else { moved },
        blind: (!owners.is_empty()).then(|| 1.0 / owners.len() as f64),
    }
}

type ByLength<'a> = BTreeMap<usize, Vec<&'a Timelines>>;

/// Whose timeline is most like `days`; `None` where those of two people are.
fn nearest(days: &[i32], by_length: &ByLength<'_>, distance: fn(&[i32], &[i32]) -> f64) -> Option<usize> {
    let reach = usize::from(days.len() <= LONG);
    let lengths = days.len() - reach..=days.len() + reach;
    let (mut best, mut only) = (f64::INFINITY, None);
    for unit in by_length.range(lengths).flat_map(|(_, all)| all) {
        let cost = aligned(days, &unit.theirs, distance);
        if cost < best - 1e-9 {
            (best, only) = (cost, Some(unit.owner));
        } else if cost < best + 1e-9 && only != Some(unit.owner) {
            only = None;
        }
    }
    only
}

/// The distance of two records whose numbers of days differ by one at most: the worst day of the longer one is left out.
fn aligned(a: &[i32], b: &[i32], distance: fn(&[i32], &[i32]) -> f64) -> f64 {
    if a.len() == b.len() {
        return distance(a, b);
    }
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let without = |skip: usize| -> Vec<i32> {
        long.iter().enumerate().filter(|(i, _)| *i != skip).map(|(_, d)| *d).collect()
    };
    let best = (0..long.len()).map(|skip| distance(short, &without(skip))).fold(f64::INFINITY, f64::min);
    best + MISSING_DAY
}

/// Differences of intervals in proportion to their length: calendars bend long ones more.
fn by_intervals(a: &[i32], b: &[i32]) -> f64 {
    let gap = |w: &[i32]| f64::from(w[1] - w[0]);
    let cost = |(a, b): (f64, f64)| (a - b).abs() / (1.0 + 0.05 * (a + b));
    let total: f64 = a.windows(2).map(gap).zip(b.windows(2).map(gap)).map(cost).sum();
    total / (a.len().max(2) - 1) as f64
}

fn by_days(a: &[i32], b: &[i32]) -> f64 {
    let total: f64 = a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs())).sum();
    total / a.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days() -> Vec<Vec<i32>> {
        let mut draw = SplitMix64::new(5);
        (0..300)
            .map(|_| {
                let mut day = 0;
                (0..4 + draw.below(3))
                    .map(|_| {
                        day += 3 + draw.below(300) as i32;
                        day
                    })
                    .collect()
            })
            .collect()
    }

    fn join(theirs: impl Fn(usize, &[i32]) -> Vec<i32>) -> Success {
        let unit = |(owner, ours): (usize, Vec<i32>)| Timelines { owner, theirs: theirs(owner, &ours), ours };
        joined(&days().into_iter().enumerate().map(unit).collect::<Vec<_>>(), 1)
    }

    #[test]
    fn intervals_that_are_kept_join_two_releases() {
        let shifted = |i: usize, r: &[i32]| -> Vec<i32> { r.iter().map(|d| d - 400 - i as i32).collect() };
        let found = join(shifted);
        assert!(found.attack.share > 0.99 && found.beats_chance(), "{found}");
        let found = join(|i, r| {
            let mut short = shifted(i, r);
            short.remove(1);
            short
        });
        assert!(found.attack.share > 0.9, "a day that is lacking: {found}");
    }

    #[test]
    fn years_alone_join_nothing() {
        let years = |r: &[i32]| -> Vec<i32> {
            let mut years: Vec<i32> = r.iter().map(|d| d / 365).collect();
            years.dedup();
            years
        };
        let unit = |(owner, r): (usize, Vec<i32>)| Timelines { owner, ours: years(&r), theirs: years(&r) };
        let found = joined(&days().into_iter().enumerate().map(unit).collect::<Vec<_>>(), 1);
        assert!(found.attack.share < 0.05, "{found}");
    }
}
