//! Counts, and the precision, recall and F1 they give.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// True positives, false positives, false negatives.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    pub tp: u64,
    pub fp: u64,
    pub fn_: u64,
}

impl Counts {
    pub fn new(tp: u64, fp: u64, fn_: u64) -> Self {
        Counts { tp, fp, fn_ }
    }

    /// Nothing to find and nothing found is perfect; any other ratio without a denominator is 0.
    pub fn precision(self) -> f64 {
        ratio(self.tp, self.tp + self.fp, self.fn_ == 0)
    }

    pub fn recall(self) -> f64 {
        ratio(self.tp, self.tp + self.fn_, self.fp == 0)
    }

    pub fn f1(self) -> f64 {
        ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn_, true)
    }

    pub fn scores(self) -> Scores {
        Scores {
            p: self.precision(),
            r: self.recall(),
            f1: self.f1(),
            tp: self.tp,
            fp: self.fp,
            fn_: self.fn_,
            interval: None,
        }
    }
}

fn ratio(part: u64, whole: u64, perfect: bool) -> f64 {
    if whole == 0 { f64::from(u8::from(perfect)) } else { part as f64 / whole as f64 }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.tp += other.tp;
        self.fp += other.fp;
        self.fn_ += other.fn_;
    }
}

/// Two bounds between which the figure falls in 95 resamples of 100.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Interval(pub f64, pub f64);

/// Precision, recall and F1 with the counts behind them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Scores {
    pub p: f64,
    pub r: f64,
    pub f1: f64,
    pub tp: u64,
    pub fp: u64,
    #[serde(rename = "fn")]
    pub fn_: u64,
    /// Bootstrap interval of each figure, for totals.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval: Option<ScoreIntervals>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ScoreIntervals {
    pub p: Interval,
    pub r: Interval,
    pub f1: Interval,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_by_hand() {
        let s = Counts::new(3, 1, 2).scores();
        assert_eq!((s.p, s.r), (0.75, 0.6));
        assert!((s.f1 - 2.0 / 3.0).abs() < 1e-12);
        let none = Counts::new(0, 0, 4).scores();
        assert_eq!((none.p, none.r, none.f1), (0.0, 0.0, 0.0));
        let empty = Counts::default().scores();
        assert_eq!((empty.p, empty.r, empty.f1), (1.0, 1.0, 1.0));
    }
}
