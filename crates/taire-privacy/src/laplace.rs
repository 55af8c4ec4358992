//! The discrete Laplace mechanism on whole numbers.

use rand_core::Rng;

use crate::exact::Rate;
use crate::{Adjacency, Error, Loss, Mechanism, Unit};

/// Adds a whole number drawn with probability proportional to e^(−ε·|k|).
///
/// **Citation.** Ghosh, Roughgarden and Sundararajan, "Universally utility-maximizing privacy mechanisms" (STOC 2009);
/// sampled exactly after Canonne, Kamath and Steinke (NeurIPS 2020, algorithm 2).
///
/// **Guarantee.** ε·d-privacy for d = |x − x'| in the unit of the number. Applied to each interval of a sequence on its
/// own, it gives ε per unit of the sum of the differences of the intervals: a value between two others that moves by one unit
/// changes two intervals and costs 2ε.
///
/// **Utility.** Unbiased; standard deviation about √2/ε units; |noise| exceeds m with probability about e^(−ε·m).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DiscreteLaplace {
    rate: Rate,
    per: Unit,
}

impl DiscreteLaplace {
    pub fn new(eps: f64, per: Unit) -> Result<Self, Error> {
        Ok(DiscreteLaplace { rate: Rate::at_most(eps)?, per })
    }

    /// The probability of a noise of `k`.
    pub fn probability(&self, k: i64) -> f64 {
        let q = (-self.rate.value()).exp();
        (1.0 - q) / (1.0 + q) * (-self.rate.value() * k.unsigned_abs() as f64).exp()
    }
}

impl Mechanism<i64, i64> for DiscreteLaplace {
    fn release(&self, x: &i64, rng: &mut dyn Rng) -> i64 {
        x.saturating_add(self.rate.two_sided(rng))
    }

    fn loss(&self) -> Loss {
        Loss::new(self.rate.value(), Adjacency::PerUnit { what: "numbers", unit: self.per })
    }
}
