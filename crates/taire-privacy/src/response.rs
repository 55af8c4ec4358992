//! Randomised response over a few choices.

use rand_core::Rng;

use crate::exact::{Rate, below};
use crate::{Adjacency, Error, Loss, Mechanism};

/// Tells the truth with probability e^ε / (e^ε + k − 1), else any other of the `k` choices alike.
///
/// **Citation.** Warner (JASA 1965) for two choices; Kairouz, Oh and Viswanath, "Extremal mechanisms for local
/// differential privacy" (NIPS 2014) for k.
///
/// **Guarantee.** Pure ε, local.
///
/// **Utility.** With two choices and ε = 1 the truth comes out 73 times in a hundred; the best there is at that ε.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RandomisedResponse {
    rate: Rate,
    choices: usize,
}

impl RandomisedResponse {
    pub fn new(eps: f64, choices: usize) -> Result<Self, Error> {
        if choices < 2 {
            return Err(Error::new(format!(
                "there are {choices} choices; randomised response takes 2 at least"
            )));
        }
        Ok(RandomisedResponse { rate: Rate::at_most(eps)?, choices })
    }

    /// The probability of each choice.
    pub fn distribution(&self, x: usize) -> Vec<f64> {
        let lie = (-self.rate.value()).exp();
        let total = 1.0 + lie * (self.choices - 1) as f64;
        (0..self.choices).map(|y| if y == x { 1.0 } else { lie } / total).collect()
    }
}

impl Mechanism<usize, usize> for RandomisedResponse {
    fn release(&self, x: &usize, rng: &mut dyn Rng) -> usize {
        loop {
            let y = below(self.choices as u64, rng) as usize;
            if y == *x || self.rate.survives(1, rng) {
                return y;
            }
        }
    }

    fn loss(&self) -> Loss {
        Loss::new(self.rate.value(), Adjacency::AnyTwo("answers"))
    }
}
