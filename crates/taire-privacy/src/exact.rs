//! Exact sampling on whole numbers: uniform integers, and events of probability e^(−n/d), after Canonne, Kamath and
//! Steinke, "The discrete Gaussian for differential privacy" (NeurIPS 2020), algorithms 1 and 2. No floating-point
//! number takes part in a draw.

use rand_core::Rng;

use crate::Error;

/// The denominator of every rate.
const DENOMINATOR: u64 = 1 << 40;
/// The greatest ε taken: more would be no privacy at all.
const GREATEST: f64 = 64.0;

/// A positive rational number n / 2⁴⁰: the decay of a mechanism per unit. Made from a float by rounding down, so the
/// mechanism is never less private than asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rate(u64);

impl Rate {
    /// The greatest rate not above `eps`.
    pub fn at_most(eps: f64) -> Result<Rate, Error> {
        let scaled = eps * DENOMINATOR as f64;
        if !(scaled >= 1.0 && eps <= GREATEST) {
            return Err(Error::new(format!("ε is {eps}; it takes more than 1e-12 and at most {GREATEST}")));
        }
        Ok(Rate(scaled as u64))
    }

    /// The rate as a float, exactly.
    pub fn value(self) -> f64 {
        self.0 as f64 / DENOMINATOR as f64
    }

    /// True with probability e^(−rate · steps).
    pub(crate) fn survives(self, steps: u64, rng: &mut dyn Rng) -> bool {
        let total = u128::from(self.0) * u128::from(steps);
        let whole = (total / u128::from(DENOMINATOR)) as u64;
        let part = (total % u128::from(DENOMINATOR)) as u64;
        (0..whole).all(|_| decays(DENOMINATOR, rng)) && decays(part, rng)
    }

    /// A whole number with probability proportional to e^(−rate · |k|).
    pub(crate) fn two_sided(self, rng: &mut dyn Rng) -> i64 {
        loop {
            let part = below(DENOMINATOR, rng);
            if !decays(part, rng) {
                continue;
            }
            let mut whole = 0u64;
            while decays(DENOMINATOR, rng) {
                whole += 1;
            }
            let size = ((u128::from(whole) * u128::from(DENOMINATOR) + u128::from(part)) / u128::from(self.0))
                .min(i64::MAX as u128) as i64;
            let negative = rng.next_u64() & 1 == 1;
            if !(negative && size == 0) {
                return if negative { -size } else { size };
            }
        }
    }
}

/// A whole number from 0 to `n - 1`, each as likely; 0 when `n` is 0.
pub(crate) fn below(n: u64, rng: &mut dyn Rng) -> u64 {
    if n < 2 {
        return 0;
    }
    let zone = u64::MAX - u64::MAX % n;
    loop {
        let x = rng.next_u64();
        if x < zone {
            return x % n;
        }
    }
}

/// True with probability e^(−n / 2⁴⁰), for n up to 2⁴⁰.
fn decays(n: u64, rng: &mut dyn Rng) -> bool {
    let mut k = 1u64;
    while below(DENOMINATOR * k, rng) < n {
        k += 1;
    }
    k % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    #[test]
    fn rates_round_down_and_refuse_what_is_no_rate() {
        assert_eq!(Rate::at_most(0.25).unwrap().value(), 0.25);
        assert!(Rate::at_most(0.1).unwrap().value() <= 0.1);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 65.0] {
            assert!(Rate::at_most(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn events_are_as_likely_as_they_should() {
        let mut rng = ChaCha20Rng::seed_from_u64(7);
        for (eps, steps) in [(0.5, 1), (0.3, 4), (1.0, 2)] {
            let rate = Rate::at_most(eps).unwrap();
            let n = 40_000;
            let hits = (0..n).filter(|_| rate.survives(steps, &mut rng)).count();
            let (lower, upper) = crate::audit::clopper_pearson(hits as u64, n, 1e-6);
            let p = (-rate.value() * steps as f64).exp();
            assert!(lower < p && p < upper, "{p} not in {lower}..{upper}");
        }
    }
}
