//! Logistic regression with an L2 penalty, by Newton's method: the same cases give the same weights.

use taire_detect::{Calibration, FEATURES, Weights};
use taire_text::Source;

use super::Judged;
use super::reliability::Case;

/// How tightly weights are held to zero. Rare labels and pairs keep near what is common to all.
const PENALTY: f64 = 1.0;
/// The same where cases are few.
const PENALTY_BELOW_THRESHOLD: f64 = 4.0;
/// What a case of an invented document counts: such documents are easier than real ones.
const INVENTED: f64 = 0.25;
const STEPS: usize = 40;

pub(super) fn fit<'a>(documents: impl Iterator<Item = &'a Judged> + Clone) -> Calibration {
    let weight = |d: &Judged| if d.invented { INVENTED } else { 1.0 };
    let found: Vec<_> = documents.clone().flat_map(|d| d.found.iter().map(move |c| (c, weight(d)))).collect();
    let below_threshold: Vec<_> =
        documents.flat_map(|d| d.below_threshold.iter().map(move |c| (c, weight(d)))).collect();
    Calibration::new(weights(&found, PENALTY), weights(&below_threshold, PENALTY_BELOW_THRESHOLD))
}

struct Row {
    features: Vec<(usize, f64)>,
    right: bool,
    weight: f64,
}

fn weights(cases: &[(&Case, f64)], penalty: f64) -> Weights {
    let known_source = |source: Source| {
        cases.iter().filter(|(c, _)| c.evidence.sources().any(|s| s == source)).count() >= 10
    };
    let known: Vec<bool> = Source::ALL.iter().map(|&s| known_source(s)).collect();
    let knows = |s: Source| known[s.index()];
    let rows: Vec<Row> = cases
        .iter()
        .filter(|(c, _)| c.evidence.sources().any(knows))
        .map(|&(case, weight)| {
            let mut features = Vec::new();
            case.evidence.features(knows, |i, x| features.push((i, f64::from(x))));
            Row { features, right: case.right, weight }
        })
        .collect();
    let solved = newton(&rows, penalty);
    Weights::new(solved.iter().map(|w| *w as f32).collect(), knows)
}

fn newton(rows: &[Row], held: f64) -> Vec<f64> {
    // The bias is nearly free.
    let penalty = |feature: usize| if feature == 0 { 1e-3 } else { held };
    let n = FEATURES;
    let mut w = vec![0.0; n];
    let mut value = objective(rows, &w, penalty);
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = w.iter().enumerate().map(|(i, w)| penalty(i) * w).collect();
        let mut hessian = vec![0.0; n * n];
        (0..n).for_each(|i| hessian[i * n + i] = penalty(i));
        for Row { features, right, weight } in rows {
            let p = chance(features, &w);
            let curve = weight * (p * (1.0 - p)).max(1e-9);
            for &(i, x) in features {
                gradient[i] += weight * (p - f64::from(u8::from(*right))) * x;
                features.iter().for_each(|&(j, y)| hessian[i * n + j] += curve * x * y);
            }
        }
        let step = solve(hessian, gradient, n);
        let mut scale = 1.0;
        let (next, reached) = loop {
            let next: Vec<f64> = w.iter().zip(&step).map(|(w, s)| w - scale * s).collect();
            let reached = objective(rows, &next, penalty);
            if reached <= value || scale < 1e-6 {
                break (next, reached);
            }
            scale /= 2.0;
        };
        let gained = value - reached;
        (w, value) = (next, reached);
        if gained < 1e-9 {
            break;
        }
    }
    w
}

fn sum(row: &[(usize, f64)], w: &[f64]) -> f64 {
    row.iter().map(|&(i, x)| w[i] * x).sum()
}

fn chance(row: &[(usize, f64)], w: &[f64]) -> f64 {
    1.0 / (1.0 + (-sum(row, w)).exp())
}

fn objective(rows: &[Row], w: &[f64], penalty: impl Fn(usize) -> f64) -> f64 {
    let held: f64 = w.iter().enumerate().map(|(i, w)| penalty(i) * w * w / 2.0).sum();
    let lost = |row: &Row| {
        let z = sum(&row.features, w) * if row.right { 1.0 } else { -1.0 };
        row.weight * if z > 0.0 { (-z).exp().ln_1p() } else { z.exp().ln_1p() - z }
    };
    held + rows.iter().map(lost).sum::<f64>()
}

/// Solves a symmetric positive system by Cholesky's method.
fn solve(mut a: Vec<f64>, mut b: Vec<f64>, n: usize) -> Vec<f64> {
    for j in 0..n {
        for i in j..n {
            let dot: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let rest = a[i * n + j] - dot;
            a[i * n + j] = if i == j { rest.max(1e-12).sqrt() } else { rest / a[j * n + j] };
        }
    }
    for i in 0..n {
        let dot: f64 = (0..i).map(|k| a[i * n + k] * b[k]).sum();
        b[i] = (b[i] - dot) / a[i * n + i];
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|k| a[k * n + i] * b[k]).sum();
        b[i] = (b[i] - dot) / a[i * n + i];
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_learned() {
        let rows: Vec<_> = (0..1000)
            .map(|i| {
                let second = i % 2 == 0;
                let features = if second { vec![(0, 1.0), (3, 1.0)] } else { vec![(0, 1.0)] };
                Row { features, right: if second { i % 20 != 0 } else { i % 4 == 1 }, weight: 1.0 }
            })
            .collect();
        let w = newton(&rows, 1.0);
        assert!((chance(&rows[1].features, &w) - 0.5).abs() < 0.01, "{}", chance(&rows[1].features, &w));
        assert!((chance(&rows[0].features, &w) - 0.9).abs() < 0.01, "{}", chance(&rows[0].features, &w));
    }
}
