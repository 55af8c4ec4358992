//! The bounded Laplace mechanism on whole numbers, with its scale solved for.

use std::ops::RangeInclusive;

use rand_core::Rng;

use crate::exact::{Rate, below};
use crate::{Adjacency, Error, Loss, Mechanism, Unit};

/// The Laplace mechanism conditioned on an output within `low..=high`: y is drawn with probability proportional to
/// e^(−r·|y − x|) among the whole numbers of the range.
///
/// **Citation.** Holohan, Antonatos, Braghin and Mac Aonghusa, "The bounded Laplace mechanism in differential privacy"
/// (arXiv 1808.10410), carried over to whole numbers.
///
/// **Guarantee.** Pure ε between any two inputs of the range that are at most `sensitivity` apart; ε-local privacy
/// when the sensitivity is the whole range. The normaliser C(x) depends on x, so the usual rate ε/Δ is **not** enough:
/// inputs d apart differ by up to r·d + ln(C(low + d) / C(low)). Why the worst pair starts at `low`: ln C is concave
/// and symmetric in the range, so C(x + d)/C(x) is greatest at its end; and C(x + 1) ≥ e^(−r)·C(x), so the loss does
/// not fall as d grows. The rate is the greatest, to 2⁻⁴⁰, whose loss at d = Δ stays within ε; when Δ is the whole
/// range C(low + Δ) = C(low) and the rate is ε/Δ after all.
///
/// **Utility.** Never leaves the range; biased towards its middle. With ε small against Δ over the range's width the
/// draw is nearly uniform.
///
/// An input outside the range is first moved to its nearest end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BoundedLaplace {
    low: i64,
    high: i64,
    rate: Rate,
    eps: f64,
    sensitivity: u32,
    per: Unit,
}

/// Room for the rounding of logarithms when the scale is solved for.
const SLACK: f64 = 1e-10;

impl BoundedLaplace {
    /// `per` is what the numbers count.
    pub fn new(eps: f64, sensitivity: u32, per: Unit, range: RangeInclusive<i64>) -> Result<Self, Error> {
        let (low, high) = range.into_inner();
        let width = high.checked_sub(low).filter(|w| *w > 0 && *w <= 1 << 40).ok_or_else(|| {
            Error::new(format!("the range {low} to {high} is empty or too wide: give low < high"))
        })?;
        let step = i64::from(sensitivity);
        if !(1..=width).contains(&step) {
            return Err(Error::new(format!(
                "the sensitivity is {sensitivity}; it takes 1 to {width}, the width"
            )));
        }
        // The loss is at least rate · Δ, so ε/Δ is a ceiling; it is at most rate · Δ + ln 2.
        let mut above = eps / f64::from(sensitivity);
        let fits = |rate: f64| worst(rate, step, width) <= eps - SLACK * eps.min(1.0);
        let mut within = 0.0;
        if fits(above) {
            within = above;
        }
        while above - within > above * 1e-13 {
            let middle = within + (above - within) / 2.0;
            if middle <= within || middle >= above {
                break;
            }
            if fits(middle) { within = middle } else { above = middle }
        }
        let rate = Rate::at_most(within)?;
        Ok(BoundedLaplace { low, high, rate, eps, sensitivity, per })
    }

    /// The mechanism as it is often used, with rate ε/Δ. It declares ε and does not keep it: the tests show that the
    /// audit finds out.
    #[doc(hidden)]
    pub fn with_textbook_scale(
        eps: f64,
        sensitivity: u32,
        per: Unit,
        range: RangeInclusive<i64>,
    ) -> Result<Self, Error> {
        let (low, high) = range.into_inner();
        let rate = Rate::at_most(eps / f64::from(sensitivity.max(1)))?;
        Ok(BoundedLaplace { low, high, rate, eps, sensitivity, per })
    }

    /// The scale b = 1/r in the unit of the numbers.
    pub fn scale(&self) -> f64 {
        1.0 / self.rate.value()
    }

    /// The probability of each output, from `low` on.
    pub fn distribution(&self, x: i64) -> Vec<f64> {
        let x = x.clamp(self.low, self.high);
        let weights: Vec<f64> = (self.low..=self.high)
            .map(|y| (-self.rate.value() * (y - x).unsigned_abs() as f64).exp())
            .collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|w| w / total).collect()
    }
}

/// The loss between `low` and `low + d` at a rate: r·d + ln(C(low + d) / C(low)).
fn worst(rate: f64, d: i64, width: i64) -> f64 {
    let (d, width) = (d as f64, width as f64);
    // 1 + q − q^(d+1) − q^(w−d+1), each term written so that small rates keep their digits.
    let sum =
        |d: f64| -((-rate * (d + 1.0)).exp_m1() + (-rate * (width - d + 1.0)).exp_m1()) + (-rate).exp_m1();
    rate * d + (sum(d) / sum(0.0)).ln()
}

impl Mechanism<i64, i64> for BoundedLaplace {
    fn release(&self, x: &i64, rng: &mut dyn Rng) -> i64 {
        let x = (*x).clamp(self.low, self.high);
        let width = (self.high - self.low) as u64;
        // Two exact rejections of the same law: the first is quick when the law is flat, the second when it is steep.
        let flat = self.rate.value() * width as f64 <= 2.0;
        loop {
            if flat {
                let y = self.low + below(width + 1, rng) as i64;
                if self.rate.survives((y - x).unsigned_abs(), rng) {
                    return y;
                }
            } else {
                let y = x.saturating_add(self.rate.two_sided(rng));
                if (self.low..=self.high).contains(&y) {
                    return y;
                }
            }
        }
    }

    fn loss(&self) -> Loss {
        let Self { sensitivity: most, per: unit, .. } = *self;
        Loss::new(self.eps, Adjacency::Within { what: "numbers", most, unit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_wider_than_the_textbook_one_unless_the_whole_range_is_neighbouring() {
        for (eps, sensitivity, high) in [(1.0, 61, 660), (0.1, 61, 36_000), (0.75, 660, 36_000)] {
            let b = BoundedLaplace::new(eps, sensitivity, Unit::Day, 0..=high).unwrap().scale();
            assert!(b > f64::from(sensitivity) / eps * 1.001, "{b}");
        }
        let b = BoundedLaplace::new(0.5, 61, Unit::Day, 0..=61).unwrap().scale();
        assert!((b / 122.0 - 1.0).abs() < 1e-6, "{b}");
    }

    #[test]
    fn the_closed_form_is_the_sum() {
        let m = BoundedLaplace::with_textbook_scale(1.0, 5, Unit::Day, 0..=20).unwrap();
        let (p, q) = (m.distribution(0), m.distribution(5));
        assert!(((p[0] / q[0]).ln() - worst(m.rate.value(), 5, 20)).abs() < 1e-12);
    }

    #[test]
    fn senseless_ranges_are_refused() {
        assert!(BoundedLaplace::new(1.0, 5, Unit::Day, 3..=3).is_err());
        assert!(BoundedLaplace::new(1.0, 0, Unit::Day, 0..=9).is_err());
        assert!(BoundedLaplace::new(1.0, 10, Unit::Day, 0..=9).is_err());
        assert!(BoundedLaplace::new(f64::NAN, 5, Unit::Day, 0..=9).is_err());
    }
}
