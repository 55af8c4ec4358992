//! Whether a score means what it says: what was observed among decisions of about the same score.

use serde::Serialize;

const EDGES: [f64; 9] = [0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 1.000_001];

/// Decisions whose scores lie between `from` and the next bin.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Bin {
    pub from: f64,
    pub cases: usize,
    pub mean: f64,
    /// The share that was right.
    pub observed: f64,
}

/// Scores beside whether each was right, by bins.
pub fn bins(cases: impl IntoIterator<Item = (f64, bool)>) -> Vec<Bin> {
    let mut sums = vec![(0usize, 0.0, 0usize); EDGES.len() - 1];
    for (score, right) in cases {
        let at = EDGES.partition_point(|e| *e <= score).clamp(1, sums.len()) - 1;
        sums[at].0 += 1;
        sums[at].1 += score;
        sums[at].2 += usize::from(right);
    }
    let bin = |(i, &(n, sum, right)): (usize, &(usize, f64, usize))| Bin {
        from: EDGES[i],
        cases: n,
        mean: sum / n.max(1) as f64,
        observed: right as f64 / n.max(1) as f64,
    };
    sums.iter().enumerate().map(bin).collect()
}

/// Expected calibration error: the mean over cases of how far their bin's mean score is from what was observed.
pub fn calibration_error(bins: &[Bin]) -> f64 {
    let all: usize = bins.iter().map(|b| b.cases).sum();
    bins.iter().map(|b| b.cases as f64 * (b.mean - b.observed).abs()).sum::<f64>() / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_what_scores_promise_too_much() {
        let honest: Vec<(f64, bool)> = (0..10).map(|i| (0.7, i < 7)).collect();
        let boaster: Vec<(f64, bool)> = (0..10).map(|i| (0.97, i < 7)).collect();
        assert!(calibration_error(&bins(honest.clone())) < 1e-9);
        assert!((calibration_error(&bins(boaster.clone())) - 0.27).abs() < 1e-9);
        assert!((calibration_error(&bins(honest.into_iter().chain(boaster))) - 0.135).abs() < 1e-9);
    }
}
