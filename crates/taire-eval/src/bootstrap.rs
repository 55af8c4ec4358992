//! Bootstrap intervals: documents are drawn again with replacement, and the figures recomputed.
//!
//! Percentile method (Efron, 1979), 95 %. The generator is seeded, so the same corpora give the same bounds.

use taire_text::SplitMix64;

use crate::scores::{Counts, Interval, ScoreIntervals};

/// Draws `n` documents `resamples` times and hands each draw, as indices, to `see`.
fn draws(n: usize, resamples: usize, seed: u64, mut see: impl FnMut(&[usize])) {
    let mut rng = SplitMix64::new(seed);
    let mut draw = vec![0; n];
    for _ in 0..resamples {
        draw.iter_mut().for_each(|slot| *slot = rng.below(n));
        see(&draw);
    }
}

fn bounds(mut figures: Vec<f64>) -> Interval {
    figures.sort_by(f64::total_cmp);
    let last = figures.len() - 1;
    let at = |share: f64| figures[(share * last as f64).round() as usize];
    Interval(at(0.025), at(0.975))
}

/// The interval of any figure of a set of `n` documents: `figure` computes it from a draw of their indices.
pub fn interval(
    n: usize,
    resamples: usize,
    seed: u64,
    mut figure: impl FnMut(&[usize]) -> f64,
) -> Option<Interval> {
    if n == 0 || resamples == 0 {
        return None;
    }
    let mut figures = Vec::with_capacity(resamples);
    draws(n, resamples, seed, |draw| figures.push(figure(draw)));
    Some(bounds(figures))
}

/// Intervals of precision, recall and F1 from the counts of each document.
pub(crate) fn of_counts(per_doc: &[Counts], resamples: usize, seed: u64) -> Option<ScoreIntervals> {
    if per_doc.is_empty() || resamples == 0 {
        return None;
    }
    let (mut p, mut r, mut f1) = (Vec::new(), Vec::new(), Vec::new());
    draws(per_doc.len(), resamples, seed, |draw| {
        let mut total = Counts::default();
        draw.iter().for_each(|&i| total += per_doc[i]);
        p.push(total.precision());
        r.push(total.recall());
        f1.push(total.f1());
    });
    Some(ScoreIntervals { p: bounds(p), r: bounds(r), f1: bounds(f1) })
}

/// Interval of the share of documents for which `flags` is true.
pub(crate) fn of_share(flags: &[bool], resamples: usize, seed: u64) -> Option<Interval> {
    if flags.is_empty() || resamples == 0 {
        return None;
    }
    let mut shares = Vec::new();
    draws(flags.len(), resamples, seed, |draw| {
        let yes = draw.iter().filter(|&&i| flags[i]).count();
        shares.push(yes as f64 / flags.len() as f64);
    });
    Some(bounds(shares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_the_figure_and_are_the_same_each_time() {
        let docs: Vec<_> = (0..200).map(|i| Counts::new(9, 1, u64::from(i % 2 == 0) * 2)).collect();
        let a = of_counts(&docs, 1000, 7).unwrap();
        assert_eq!(a, of_counts(&docs, 1000, 7).unwrap());
        assert_eq!(a.p, Interval(0.9, 0.9));
        assert!(a.r.0 < 0.9 && 0.9 < a.r.1 && a.r.1 - a.r.0 < 0.05, "{:?}", a.r);
        let flags: Vec<_> = (0..400).map(|i| i % 4 == 0).collect();
        let share = of_share(&flags, 1000, 7).unwrap();
        // The standard error of a share of 1/4 over 400 is 0.0217.
        assert!((share.0 - 0.2075).abs() < 0.01 && (share.1 - 0.2925).abs() < 0.01, "{share:?}");
        assert!(of_counts(&[], 1000, 7).is_none());
    }
}
