//! Shares with their uncertainty.

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

    /// The share of flags that are true.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_carries_its_interval() {
        let share = Share::new(5, 10);
        assert!((share.low - 0.187).abs() < 1e-3 && (share.high - 0.813).abs() < 1e-3);
        assert_eq!(Share::new(0, 0).to_string(), "no case");
    }
}
