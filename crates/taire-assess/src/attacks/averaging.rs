//! The same records released again and again with fresh noise: the noise averages out.
//!
//! The attacker takes the middle value of each interval over all releases. Against one key, drawn once, every release
//! is the same and more of them add nothing.

use serde::Serialize;

use crate::Share;

/// Intervals found by so many releases.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Averaged {
    /// How many releases.
    pub releases: usize,
    /// Intervals found to the day.
    pub exact: Share,
    /// Within one day in a hundred, and at least one day.
    pub near: Share,
}

/// `releases[r][i]` is the interval `truth[i]` as release `r` shows it.
pub fn averaging(truth: &[i32], releases: &[Vec<i32>]) -> Vec<Averaged> {
    let mut out = Vec::new();
    let mut count = 1;
    while count <= releases.len() {
        let guesses: Vec<i32> = (0..truth.len()).map(|i| middle(&releases[..count], i)).collect();
        let pairs = || truth.iter().zip(&guesses);
        out.push(Averaged {
            releases: count,
            exact: Share::of(pairs().map(|(t, g)| t == g)),
            near: Share::of(pairs().map(|(t, g)| (t - g).abs() <= (t.abs() / 100).max(1))),
        });
        count *= 4;
    }
    out
}

fn middle(releases: &[Vec<i32>], at: usize) -> i32 {
    middle_of(releases.iter().map(|r| r[at]).collect())
}

/// The middle one of some values, 0 without any.
pub(super) fn middle_of(mut values: Vec<i32>) -> i32 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::SplitMix64;

    fn releases(noise: impl Fn(&mut SplitMix64) -> i32) -> Vec<Vec<i32>> {
        let mut draw = SplitMix64::new(11);
        (0..64).map(|_| truth().iter().map(|t| t + noise(&mut draw)).collect()).collect()
    }

    fn truth() -> Vec<i32> {
        (0..300).map(|i| 20 + i).collect()
    }

    #[test]
    fn fresh_noise_averages_out() {
        // Two dice: as often above as below.
        let table = averaging(&truth(), &releases(|d| d.below(7) as i32 + d.below(7) as i32 - 6));
        let (first, last) = (table[0].exact.share, table[table.len() - 1].exact.share);
        assert!(first < 0.3 && last > 0.6, "{first} {last}");
    }

    #[test]
    fn the_same_release_again_adds_nothing() {
        let one: Vec<i32> = truth().iter().map(|t| t + 3).collect();
        let table = averaging(&truth(), &vec![one; 16]);
        assert!(table.iter().all(|row| row.exact.hits == 0));
    }
}
