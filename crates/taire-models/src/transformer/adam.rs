//! AdamW: steps by the running mean of the gradient over that of its square, and decay of matrices.

use taire_encoder::math::axpy;

const MEAN: f32 = 0.9;
const SQUARE: f32 = 0.98;
const EPSILON: f32 = 1e-6;

/// One vector of numbers with its running means.
#[derive(Clone, Default)]
pub(crate) struct Adam {
    pub(crate) mean: Vec<f32>,
    pub(crate) square: Vec<f32>,
}

impl Adam {
    pub(crate) fn new(count: usize) -> Adam {
        Adam { mean: vec![0.0; count], square: vec![0.0; count] }
    }

    /// Step number `step`, from 1. Numbers for which `decays` is true shrink by `decay` times the rate.
    pub(crate) fn step(
        &mut self,
        numbers: &mut [f32],
        gradient: &[f32],
        step: usize,
        rate: f32,
        decay: f32,
        decays: impl Fn(usize) -> bool,
    ) {
        let correct = |b: f32| 1.0 - b.powi(step.min(1 << 20) as i32);
        let (a, b) = (1.0 / correct(MEAN), 1.0 / correct(SQUARE));
        let means = self.mean.iter_mut().zip(&mut self.square);
        for (i, ((x, &g), (mean, square))) in numbers.iter_mut().zip(gradient).zip(means).enumerate() {
            *mean = MEAN * *mean + (1.0 - MEAN) * g;
            *square = SQUARE * *square + (1.0 - SQUARE) * g * g;
            let shrink = if decays(i) { decay * *x } else { 0.0 };
            *x -= rate * (*mean * a / ((*square * b).sqrt() + EPSILON) + shrink);
        }
    }
}

/// Scales gradients so that together they are no longer than `limit`; returns how long they were.
pub(crate) fn clip(gradients: &mut [&mut [f32]], limit: f32) -> f32 {
    let norm =
        gradients.iter().flat_map(|g| g.iter()).map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt() as f32;
    if norm > limit {
        let scale = limit / norm;
        gradients.iter_mut().for_each(|g| g.iter_mut().for_each(|x| *x *= scale));
    }
    norm
}

/// `a += b`.
pub(crate) fn add(a: &mut [f32], b: &[f32]) {
    axpy(1.0, b, a);
}
