//! Adam (Kingma & Ba, 2015), over all parameters or only over the rows of a table that were touched.

const MEAN: f32 = 0.9;
const SQUARE: f32 = 0.99;
const EPSILON: f32 = 1e-8;

/// The state of the optimiser: running means of gradients and of their squares.
pub(crate) struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    rate: f32,
    step: i32,
}

impl Adam {
    pub(crate) fn new(count: usize) -> Adam {
        Adam { mean: vec![0.0; count], square: vec![0.0; count], rate: 0.0, step: 0 }
    }

    /// Begins a step at this learning rate.
    pub(crate) fn begin(&mut self, rate: f32) {
        self.step = (self.step + 1).min(1 << 20);
        let correct = |b: f32| 1.0 - b.powi(self.step);
        self.rate = rate * correct(SQUARE).sqrt() / correct(MEAN);
    }

    /// Updates the parameters from index `at` on.
    pub(crate) fn apply(&mut self, at: usize, numbers: &mut [f32], gradient: &[f32], decay: f32) {
        let means = self.mean[at..].iter_mut().zip(&mut self.square[at..]);
        for ((x, &g), (mean, square)) in numbers.iter_mut().zip(gradient).zip(means) {
            *mean = MEAN * *mean + (1.0 - MEAN) * g;
            *square = SQUARE * *square + (1.0 - SQUARE) * g * g;
            *x -= self.rate * *mean / (square.sqrt() + EPSILON) + decay * self.rate * *x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_the_bottom_of_a_bowl() {
        let mut x = [4.0f32, -3.0];
        let mut adam = Adam::new(2);
        for step in 0..400 {
            let gradient = [2.0 * (x[0] - 1.0), 20.0 * (x[1] + 2.0)];
            adam.begin(0.1 * (1.0 - step as f32 / 400.0));
            adam.apply(0, &mut x, &gradient, 0.0);
        }
        assert!((x[0] - 1.0).abs() < 1e-2 && (x[1] + 2.0).abs() < 1e-2, "{x:?}");
    }
}
