//! Limited-memory BFGS, and its orthant-wise form for the L1 penalty (OWL-QN, Andrew & Gao 2007).

use std::collections::VecDeque;

use super::objective::Objective;

const MEMORY: usize = 6;
const MAX_TRIALS: usize = 20;
const ARMIJO: f64 = 1e-4;

/// When to stop, and how much to penalise the sum of absolute weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Descent {
    pub l1: f64,
    pub max_iterations: usize,
    /// Stop when the gradient is this small beside the weights.
    pub epsilon: f64,
    /// Stop when ten iterations improved the value by less than this share.
    pub delta: f64,
}

impl Default for Descent {
    fn default() -> Self {
        Descent { l1: 0.0, max_iterations: 500, epsilon: 1e-5, delta: 1e-5 }
    }
}

/// Why the descent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Converged,
    Stalled,
    Limit,
    /// The caller asked to stop.
    Asked,
}

/// One finished iteration, as shown to the caller.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    pub iteration: usize,
    /// Value with both penalties.
    pub value: f64,
    pub weights: &'a [f64],
}

/// Minimises from zero. `watch` sees every iteration and returns whether to go on.
pub fn minimise(
    objective: &mut Objective<'_>,
    descent: &Descent,
    mut watch: impl FnMut(Step<'_>) -> bool,
) -> (Vec<f64>, f64, Ending) {
    let n = objective.parameters();
    let l1 = descent.l1;
    let mut x = vec![0.0; n];
    let mut g = vec![0.0; n];
    let mut value = objective.evaluate(&x, &mut g);
    let mut slope = pseudo_gradient(&x, &g, l1);
    let mut direction: Vec<f64> = slope.iter().map(|s| -s).collect();
    let mut pairs: VecDeque<Pair> = VecDeque::with_capacity(MEMORY);
    let mut past: VecDeque<f64> = VecDeque::with_capacity(10);
    let mut step = 1.0 / norm(&direction).max(1e-12);
    let (mut next_x, mut next_g) = (vec![0.0; n], vec![0.0; n]);
    for iteration in 1..=descent.max_iterations {
        let mut found = None;
        for _ in 0..MAX_TRIALS {
            trial_point(&x, &direction, step, &slope, l1, &mut next_x);
            let trial = objective.evaluate(&next_x, &mut next_g) + l1 * l1_norm(&next_x);
            let decrease: f64 =
                next_x.iter().zip(&x).zip(&slope).map(|((new, old), s)| (new - old) * s).sum();
            if trial <= value + ARMIJO * decrease {
                found = Some(trial);
                break;
            }
            step *= 0.5;
        }
        let Some(trial) = found else {
            if pairs.is_empty() {
                return (x, value, Ending::Stalled);
            }
            // The curvature in memory misleads: start again from the steepest slope.
            pairs.clear();
            direction.iter_mut().zip(&slope).for_each(|(d, s)| *d = -s);
            step = 1.0 / norm(&direction).max(1e-12);
            continue;
        };
        remember(&mut pairs, &x, &g, &next_x, &next_g);
        std::mem::swap(&mut x, &mut next_x);
        std::mem::swap(&mut g, &mut next_g);
        value = trial;
        slope = pseudo_gradient(&x, &g, l1);
        if !watch(Step { iteration, value, weights: &x }) {
            return (x, value, Ending::Asked);
        }
        if norm(&slope) <= descent.epsilon * norm(&x).max(1.0) {
            return (x, value, Ending::Converged);
        }
        if past.len() == 10 {
            let old = past.pop_front().unwrap_or(value);
            if (old - value) / value.abs().max(1e-300) < descent.delta {
                return (x, value, Ending::Converged);
            }
        }
        past.push_back(value);
        newton_direction(&pairs, &slope, &mut direction);
        if l1 > 0.0 {
            for (d, s) in direction.iter_mut().zip(&slope) {
                if *d * *s >= 0.0 {
                    *d = 0.0;
                }
            }
        }
        step = 1.0;
    }
    (x, value, Ending::Limit)
}

#[derive(Debug)]
struct Pair {
    moved: Vec<f64>,
    turned: Vec<f64>,
    inner: f64,
}

fn remember(pairs: &mut VecDeque<Pair>, x: &[f64], g: &[f64], next_x: &[f64], next_g: &[f64]) {
    let (mut moved, mut turned) = if pairs.len() == MEMORY {
        pairs.pop_front().map(|p| (p.moved, p.turned)).unwrap_or_default()
    } else {
        (Vec::new(), Vec::new())
    };
    moved.clear();
    moved.extend(next_x.iter().zip(x).map(|(a, b)| a - b));
    turned.clear();
    turned.extend(next_g.iter().zip(g).map(|(a, b)| a - b));
    let inner = dot(&moved, &turned);
    if inner > 1e-12 * dot(&turned, &turned) {
        pairs.push_back(Pair { moved, turned, inner });
    }
}

fn newton_direction(pairs: &VecDeque<Pair>, slope: &[f64], direction: &mut [f64]) {
    direction.iter_mut().zip(slope).for_each(|(d, s)| *d = -s);
    let mut alphas = [0.0; MEMORY];
    for (i, pair) in pairs.iter().enumerate().rev() {
        let alpha = dot(&pair.moved, direction) / pair.inner;
        alphas[i] = alpha;
        direction.iter_mut().zip(&pair.turned).for_each(|(d, y)| *d -= alpha * y);
    }
    if let Some(last) = pairs.back() {
        let scale = last.inner / dot(&last.turned, &last.turned);
        direction.iter_mut().for_each(|d| *d *= scale);
    }
    for (i, pair) in pairs.iter().enumerate() {
        let beta = dot(&pair.turned, direction) / pair.inner;
        let shift = alphas[i] - beta;
        direction.iter_mut().zip(&pair.moved).for_each(|(d, s)| *d += shift * s);
    }
}

/// A step along `direction`, kept inside the orthant of `x` (or of the descent, where `x` is 0) under L1.
fn trial_point(x: &[f64], direction: &[f64], step: f64, slope: &[f64], l1: f64, out: &mut [f64]) {
    for i in 0..x.len() {
        let new = x[i] + step * direction[i];
        let orthant = if x[i] != 0.0 { x[i] } else { -slope[i] };
        out[i] = if l1 > 0.0 && new * orthant <= 0.0 { 0.0 } else { new };
    }
}

fn pseudo_gradient(x: &[f64], g: &[f64], l1: f64) -> Vec<f64> {
    x.iter()
        .zip(g)
        .map(|(&x, &g)| {
            if l1 == 0.0 {
                g
            } else if x > 0.0 || (x == 0.0 && g < -l1) {
                g + l1
            } else if x < 0.0 || g > l1 {
                g - l1
            } else {
                0.0
            }
        })
        .collect()
}

fn l1_norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x.abs()).sum()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    // Eight running sums, always in the same order: fast and reproducible.
    let mut sums = [0.0; 8];
    let (heads, tails) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = heads.remainder().iter().zip(tails.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in heads.zip(tails) {
        for i in 0..8 {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum::<f64>() + rest
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
