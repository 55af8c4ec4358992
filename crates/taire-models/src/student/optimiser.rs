//! AdamW for the dense numbers, and for rows of the table that a batch touched.

use super::backward::Gradients;
use super::net::Network;

const MEAN: f32 = 0.9;
const SQUARE: f32 = 0.98;
const TINY: f32 = 1e-6;

/// Running means of gradients and of their squares.
#[derive(Clone, Default)]
pub(crate) struct Means {
    pub(crate) mean: Vec<f32>,
    pub(crate) square: Vec<f32>,
}

impl Means {
    pub(crate) fn new(count: usize) -> Means {
        Means { mean: vec![0.0; count], square: vec![0.0; count] }
    }
}

#[derive(Clone, Default)]
pub(crate) struct Optimiser {
    pub(crate) dense: Means,
    pub(crate) table: Means,
    /// Steps that touched each row.
    pub(crate) steps: Vec<f32>,
}

/// The rate of one step.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    /// Number of the step, from 1.
    pub(crate) step: usize,
    pub(crate) rate: f32,
    pub(crate) decay: f32,
    /// The longest gradient.
    pub(crate) clip: f32,
}

impl Optimiser {
    pub(crate) fn new(dense: usize, table: usize, rows: usize) -> Optimiser {
        Optimiser { dense: Means::new(dense), table: Means::new(table), steps: vec![0.0; rows] }
    }

    /// One step by the sum of two gradients, which are zero afterwards.
    pub(crate) fn step(&mut self, network: &mut Network, [a, b]: &mut [Gradients; 2], pace: Pace) {
        let width = network.shape.width;
        a.dense.iter_mut().zip(&b.dense).for_each(|(a, b)| *a += b);
        let mut length: f64 = a.dense.iter().map(|&g| f64::from(g) * f64::from(g)).sum();
        for row in 0..a.touched.len() {
            let at = row * width..(row + 1) * width;
            if b.touched[row] {
                let (a, b) = (&mut a.table[at.clone()], &mut b.table[at.clone()]);
                a.iter_mut().zip(&mut *b).for_each(|(a, b)| *a += *b);
                b.fill(0.0);
            }
            if a.touched[row] || b.touched[row] {
                length += a.table[at].iter().map(|&g| f64::from(g) * f64::from(g)).sum::<f64>();
            }
        }
        let scale = (f64::from(pace.clip) / length.sqrt().max(1e-12)).min(1.0) as f32;
        let biased = |steps: f32| [1.0 - MEAN.powf(steps), 1.0 - SQUARE.powf(steps)];
        let correct = biased(pace.step as f32);
        let means = &mut self.dense;
        adam(&mut network.dense, &mut a.dense, means, 0, (correct, scale, pace));
        for row in 0..a.touched.len() {
            if !a.touched[row] && !b.touched[row] {
                continue;
            }
            self.steps[row] += 1.0;
            let at = row * width..(row + 1) * width;
            let correct = biased(self.steps[row].min(1e6));
            let (numbers, gradient) = (&mut network.table[at.clone()], &mut a.table[at.clone()]);
            adam(numbers, gradient, &mut self.table, at.start, (correct, scale, pace));
            (a.touched[row], b.touched[row]) = (false, false);
        }
        b.dense.fill(0.0);
        (a.loss, b.loss) = (0.0, 0.0);
    }
}

/// Moves some numbers, whose means begin at `from`; their gradient is zero afterwards.
fn adam(
    numbers: &mut [f32],
    gradient: &mut [f32],
    means: &mut Means,
    from: usize,
    ([by_mean, by_square], scale, pace): ([f32; 2], f32, Pace),
) {
    let count = numbers.len();
    let (means, squares) = (&mut means.mean[from..from + count], &mut means.square[from..from + count]);
    let (a, b) = (1.0 / by_mean, 1.0 / by_square);
    for (((x, g), mean), square) in numbers.iter_mut().zip(gradient).zip(means).zip(squares) {
        let slope = *g * scale;
        *g = 0.0;
        *mean = MEAN * *mean + (1.0 - MEAN) * slope;
        *square = SQUARE * *square + (1.0 - SQUARE) * slope * slope;
        *x -= pace.rate * (*mean * a / ((*square * b).sqrt() + TINY) + pace.decay * *x);
    }
}
