//! The planar Laplace mechanism, and the branch of Lambert's W it needs.

use rand_core::Rng;

use crate::exact::Rate;
use crate::{Adjacency, Error, Loss, Mechanism, Unit};

/// Moves a point of the plane, in kilometres, with density proportional to e^(−ε·r).
///
/// **Citation.** Andrés, Bordenabe, Chatzikokolakis and Palamidessi, "Geo-indistinguishability" (CCS 2013), §4: the
/// direction is uniform, the radius is −(W₋₁((p − 1)/e) + 1)/ε for p uniform in (0, 1).
///
/// **Guarantee.** ε·d-privacy for d the distance in kilometres. The point is computed in floating point, so it must
/// not be released as it is: only what it is nearest to in a list that does not depend on the input, which is
/// post-processing and hides the low bits.
///
/// **Utility.** Mean radius 2/ε km; nine in ten within 3.89/ε km.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlanarLaplace {
    rate: Rate,
}

impl PlanarLaplace {
    pub fn new(eps: f64) -> Result<Self, Error> {
        Ok(PlanarLaplace { rate: Rate::at_most(eps)? })
    }

    /// The radius below which a share `p` of draws fall.
    pub fn radius(&self, p: f64) -> f64 {
        -(lambert_w_minus_1((p - 1.0) / std::f64::consts::E) + 1.0) / self.rate.value()
    }
}

impl Mechanism<[f64; 2], [f64; 2]> for PlanarLaplace {
    fn release(&self, x: &[f64; 2], rng: &mut dyn Rng) -> [f64; 2] {
        let radius = self.radius(open_unit(rng));
        let angle = std::f64::consts::TAU * open_unit(rng);
        [x[0] + radius * angle.cos(), x[1] + radius * angle.sin()]
    }

    fn loss(&self) -> Loss {
        Loss::new(self.rate.value(), Adjacency::PerUnit { what: "points", unit: Unit::Kilometre })
    }
}

/// A number of (0, 1): the middle of one of 2⁵² equal cells.
fn open_unit(rng: &mut dyn Rng) -> f64 {
    ((rng.next_u64() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
}

/// The real w ≤ −1 with w·e^w = x, for −1/e ≤ x < 0; not a number elsewhere.
///
/// Halley's method (Corless et al., "On the Lambert W function", 1996) from the series at the branch point or from
/// ln(−x) − ln(−ln(−x)).
pub fn lambert_w_minus_1(x: f64) -> f64 {
    let from_branch = 1.0 + std::f64::consts::E * x;
    if x.is_nan() || x >= 0.0 || from_branch < -1e-15 {
        return f64::NAN;
    }
    if from_branch <= 0.0 {
        return -1.0;
    }
    let p = -(2.0 * from_branch).sqrt();
    let series = -1.0 + p - p * p / 3.0 + 11.0 / 72.0 * p * p * p - 43.0 / 540.0 * p.powi(4);
    if from_branch < 1e-6 {
        return series;
    }
    let mut w = if from_branch < 0.5 {
        series
    } else {
        let l = (-x).ln();
        l - (-l).ln()
    };
    for _ in 0..40 {
        let e = w.exp();
        let f = w * e - x;
        let step = f / (e * (w + 1.0) - (w + 2.0) * f / (2.0 * w + 2.0));
        w -= step;
        if step.abs() <= 1e-15 * w.abs() {
            break;
        }
    }
    w
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w_inverts_its_function_on_the_whole_branch() {
        for w in [-1.001, -1.05, -1.3, -2.0, -3.5, -10.0, -40.0, -200.0, -600.0] {
            let x = w * f64::exp(w);
            let got = lambert_w_minus_1(x);
            // Near the branch point x determines w to about the root of its own precision.
            let tolerance = if w > -1.01 { 1e-9 } else { 1e-12 };
            assert!((got / w - 1.0).abs() < tolerance, "{w} came back as {got}");
        }
        assert_eq!(lambert_w_minus_1(-1.0 / std::f64::consts::E), -1.0);
        for outside in [0.0, 0.5, -0.5, f64::NAN] {
            assert!(lambert_w_minus_1(outside).is_nan());
        }
    }

    #[test]
    fn the_radius_inverts_its_law() {
        let m = PlanarLaplace::new(0.5).unwrap();
        for p in [1e-9, 0.01, 0.5, 0.9, 0.999_999] {
            let r = 0.5 * m.radius(p);
            let back = -(-r).exp_m1() - r * (-r).exp();
            assert!((back - p).abs() < 1e-9, "{p} {back}");
        }
        assert!((m.radius(0.9) * 0.5 - 3.89).abs() < 0.01);
    }
}
