//! Somebody knows a few consecutive intervals of a patient, and looks for the record that shows them.
//!
//! Found means: one released record alone fits, within the tolerance, and it is the patient's.

use super::Success;
use taire_text::SplitMix64;

use crate::Share;

/// Victims tried.
const SAMPLE: usize = 2000;

/// `truth[i]` and `released[i]` are the intervals of one record.
pub fn known_intervals(
    truth: &[Vec<i32>],
    released: &[Vec<i32>],
    length: usize,
    tolerance: i32,
    seed: u64,
) -> Success {
    let mut runs: Vec<(&[i32], usize)> = Vec::new();
    for (at, record) in released.iter().enumerate() {
        runs.extend(record.windows(length).map(|run| (run, at)));
    }
    runs.sort_unstable();
    let able: Vec<usize> = (0..truth.len()).filter(|&i| truth[i].len() >= length).collect();
    let mut draw = SplitMix64::new(seed);
    let sample = draw.sample(able.len(), SAMPLE);
    let wins = sample.into_iter().map(|i| {
        let victim = able[i];
        let start = draw.below(truth[victim].len() - length + 1);
        only_fit(&runs, &truth[victim][start..start + length], tolerance) == Some(victim)
    });
    let attack = Share::of(wins);
    Success { attack, blind: (!released.is_empty()).then(|| 1.0 / released.len() as f64) }
}

fn only_fit(runs: &[(&[i32], usize)], sought: &[i32], tolerance: i32) -> Option<usize> {
    let from = runs.partition_point(|(run, _)| run[0] < sought[0] - tolerance);
    let near = runs[from..].iter().take_while(|(run, _)| run[0] <= sought[0] + tolerance);
    let mut only = None;
    for (run, record) in near {
        if run.iter().zip(sought).all(|(a, b)| (a - b).abs() <= tolerance) {
            match only {
                Some(other) if other != *record => return None,
                _ => only = Some(*record),
            }
        }
    }
    only
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth() -> Vec<Vec<i32>> {
        (0..300).map(|i| vec![7, 10 + i, 900 - 2 * i]).collect()
    }

    #[test]
    fn intervals_kept_as_they_are_find_the_record() {
        assert_eq!(known_intervals(&truth(), &truth(), 3, 0, 1).attack.share, 1.0);
        assert_eq!(known_intervals(&truth(), &truth(), 1, 0, 1).attack.tries, 300);
    }

    #[test]
    fn intervals_that_changed_do_not() {
        let moved: Vec<Vec<i32>> = truth().iter().map(|r| r.iter().map(|d| d + 2).collect()).collect();
        assert!(known_intervals(&truth(), &moved, 3, 0, 1).attack.share < 0.01);
    }
}
