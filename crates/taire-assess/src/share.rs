//! Shares with their uncertainty, and the seeded generator that draws samples.

use std::fmt;

use serde::Serialize;
use taire_privacy::audit::clopper_pearson;

/// A share of tries that succeeded, with its exact 95 % interval (Clopper & Pearson, 1934).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Share {
    /// Successes.
    pub hits: u64,
    /// Tries.
    pub tries: u64,
    /// Successes by tries; 0 without tries.
    pub share: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

impl Share {
    /// So many successes of so many tries.
    pub fn new(hits: u64, tries: u64) -> Share {
        if tries == 0 {
            return Share { hits, tries, share: 0.0, low: 0.0, high: 1.0 };
        }
        let (low, high) = clopper_pearson(hits, tries, 0.025);
        Share { hits, tries, share: hits as f64 / tries as f64, low, high }
    }

    /// Counts what `flags` says.
    pub fn of(flags: impl IntoIterator<Item = bool>) -> Share {
        let (mut hits, mut tries) = (0, 0);
        for flag in flags {
            hits += u64::from(flag);
            tries += 1;
        }
        Share::new(hits, tries)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.tries == 0 {
            return f.write_str("no case");
        }
        write!(
            f,
            "{:.1} % ({:.1}–{:.1}, {} of {})",
            100.0 * self.share,
            100.0 * self.low,
            100.0 * self.high,
            self.hits,
            self.tries
        )
    }
}

/// SplitMix64 (Steele, Lea & Flood, 2014): the same draws everywhere.
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    /// A generator that gives the same numbers for the same seed.
    pub fn new(seed: u64) -> Draw {
        Draw(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// At most `most` of `0..n`, each as likely as another, in order.
    pub fn sample(&mut self, n: usize, most: usize) -> Vec<usize> {
        let mut out = Vec::with_capacity(n.min(most));
        let mut wanted = most.min(n);
        for i in 0..n {
            if wanted == 0 {
                break;
            }
            if self.below(n - i) < wanted {
                out.push(i);
                wanted -= 1;
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_carries_its_interval() {
        let share = Share::new(5, 10);
        assert!((share.low - 0.187).abs() < 1e-3 && (share.high - 0.813).abs() < 1e-3);
        assert_eq!(Share::new(0, 0).to_string(), "no case");
    }

    #[test]
    fn a_sample_has_the_size_asked_for_and_no_doubles() {
        let sample = Draw::new(7).sample(1000, 50);
        assert_eq!(sample.len(), 50);
        assert!(sample.windows(2).all(|w| w[0] < w[1]));
        assert_eq!(Draw::new(7).sample(3, 50), vec![0, 1, 2]);
    }
}
