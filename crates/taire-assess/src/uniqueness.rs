//! How many patients share a sequence of intervals (Bigeard, table 0.1; Tchouka 2022, section 5).
//!
//! A record's days are sorted; its intervals are the numbers of days between consecutive ones. Every run of `length` consecutive
//! intervals of every record is a sequence somebody may know. It identifies when few records hold it: exactly, or, for
//! somebody who remembers roughly, with every interval within a tolerance.

use rustc_hash::FxHashMap;
use serde::Serialize;

use taire_text::SplitMix64;

use crate::share::Share;

/// Runs looked at when there is a tolerance.
const SAMPLE: usize = 4000;
/// Group sizes that are counted: one record, at most two, at most three.
pub const GROUPS: usize = 3;

/// One column of the table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Uniqueness {
    /// Known intervals.
    pub length: usize,
    /// Days by which each may be off.
    pub tolerance: u32,
    /// Sequences that at most one, two, three records hold, among all.
    pub held_by_at_most: [Share; GROUPS],
}

/// Days between consecutive days, given in any order. Events on the same day count once.
pub fn intervals(days: &[i32]) -> Vec<i32> {
    let mut days = days.to_vec();
    days.sort_unstable();
    days.dedup();
    days.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// The share of identifying sequences among records given as intervals.
pub fn uniqueness(records: &[Vec<i32>], length: usize, tolerance: u32, seed: u64) -> Uniqueness {
    let held_by_at_most = if tolerance == 0 {
        count_exact(records, length)
    } else {
        count_within(records, length, tolerance as i32, seed)
    };
    Uniqueness { length, tolerance, held_by_at_most }
}

/// Records whose whole sequence of intervals no other record has, among those that have one (Tchouka's 98 %).
pub fn whole_sequences(records: &[Vec<i32>]) -> Share {
    let mut seen: FxHashMap<&[i32], u32> = FxHashMap::default();
    let with = || records.iter().filter(|r| !r.is_empty());
    with().for_each(|r| *seen.entry(r).or_default() += 1);
    Share::of(with().map(|r| seen[r.as_slice()] == 1))
}

fn count_exact(records: &[Vec<i32>], length: usize) -> [Share; GROUPS] {
    struct Held {
        last: usize,
        records: usize,
        times: u64,
    }
    let mut seen: FxHashMap<&[i32], Held> = FxHashMap::default();
    for (at, record) in records.iter().enumerate() {
        for run in record.windows(length) {
            let held = seen.entry(run).or_insert(Held { last: at, records: 1, times: 0 });
            held.records += usize::from(held.last != at);
            held.last = at;
            held.times += 1;
        }
    }
    let total = seen.values().map(|h| h.times).sum();
    [1, 2, 3].map(|most| {
        let few = seen.values().filter(|h| h.records <= most);
        Share::new(few.map(|h| h.times).sum(), total)
    })
}

fn count_within(records: &[Vec<i32>], length: usize, tolerance: i32, seed: u64) -> [Share; GROUPS] {
    let mut runs: Vec<(&[i32], usize)> = Vec::new();
    for (at, record) in records.iter().enumerate() {
        runs.extend(record.windows(length).map(|run| (run, at)));
    }
    runs.sort_unstable();
    let sample = SplitMix64::new(seed).sample(runs.len(), SAMPLE);
    let held: Vec<usize> = sample.iter().map(|&i| holders(&runs, runs[i].0, tolerance)).collect();
    [1, 2, 3].map(|most| Share::of(held.iter().map(|&n| n <= most)))
}

/// Records with a run within the tolerance, counted up to `GROUPS + 1`.
fn holders(runs: &[(&[i32], usize)], sought: &[i32], tolerance: i32) -> usize {
    let from = runs.partition_point(|(run, _)| run[0] < sought[0] - tolerance);
    let mut found: Vec<usize> = Vec::with_capacity(GROUPS + 1);
    for (run, record) in runs[from..].iter().take_while(|(run, _)| run[0] <= sought[0] + tolerance) {
        let fits = run.iter().zip(sought).all(|(a, b)| (a - b).abs() <= tolerance);
        if fits && !found.contains(record) {
            found.push(*record);
            if found.len() > GROUPS {
                break;
            }
        }
    }
    found.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Vec<Vec<i32>> {
        vec![vec![7, 7, 30], vec![7, 7, 31], vec![7, 100], vec![]]
    }

    #[test]
    fn one_interval_that_all_share_identifies_nobody() {
        let table = uniqueness(&records(), 1, 0, 1);
        // 7 five times in three records; 30, 31 and 100 once.
        assert_eq!((table.held_by_at_most[0].hits, table.held_by_at_most[0].tries), (3, 8));
        assert_eq!(table.held_by_at_most[2].hits, 8);
    }

    #[test]
    fn longer_sequences_identify_more() {
        let at = |length| uniqueness(&records(), length, 0, 1).held_by_at_most[0].share;
        assert!(at(1) < at(2) && at(2) < at(3));
    }

    #[test]
    fn a_tolerance_joins_what_is_near() {
        let strict = uniqueness(&records(), 3, 0, 1).held_by_at_most[0];
        let loose = uniqueness(&records(), 3, 1, 1).held_by_at_most[0];
        assert_eq!((strict.hits, loose.hits), (2, 0));
    }

    #[test]
    fn a_shift_changes_nothing_and_order_of_arrival_does_not_matter() {
        assert_eq!(intervals(&[40, 3, 3, 10]), intervals(&[10 - 500, 3 - 500, 40 - 500]));
    }

    #[test]
    fn whole_sequences_are_counted_where_there_are_any() {
        let share = whole_sequences(&[vec![1, 2], vec![1, 2], vec![5], vec![]]);
        assert_eq!((share.hits, share.tries), (1, 3));
    }
}
