//! The exponential mechanism over a list of places with a distance: with one list for all inputs, and with
//! each input's own nearest.

use std::fmt;

use rand_core::Rng;

use crate::exact::below;
use crate::{Adjacency, Error, Loss, Mechanism, Unit};

const BY_PROFILE: Adjacency = Adjacency::PerUnit { what: "candidates", unit: Unit::Profile };

/// Draws one of a fixed list of candidates with probability proportional to e^(−ε·d/2).
///
/// **Citation.** McSherry and Talwar, "Mechanism design via differential privacy" (FOCS 2007); for metrics,
/// Chatzikokolakis et al. (PETS 2013).
///
/// **Guarantee.** ε·d-privacy, where d is any distance that keeps the triangle inequality: the weight of a candidate
/// moves by e^(ε·d(x,x')/2) at most, and so does the sum of all weights, which is why the exponent is halved. The list
/// must not depend on the input. An input may come out as itself: forbidding that would reveal what it was not, at an
/// unbounded loss.
///
/// **Utility.** Against the nearest candidate, the drawn one is further by 2(ln n + t)/ε or more with probability at
/// most e^(−t), for n candidates.
///
/// Weights are fixed-point integers, so the draw is exact for them; they differ from the real ones by 2⁻⁶⁰.
pub struct Exponential<'a, P, D> {
    candidates: &'a [P],
    distance: D,
    eps: f64,
}

impl<P, D> fmt::Debug for Exponential<'_, P, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Exponential({} candidates, ε = {})", self.candidates.len(), self.eps)
    }
}

impl<'a, P, D: Fn(&P, &P) -> f64> Exponential<'a, P, D> {
    pub fn new(eps: f64, candidates: &'a [P], distance: D) -> Result<Self, Error> {
        check(eps, candidates.len())?;
        Ok(Exponential { candidates, distance, eps })
    }

    /// The probability of each candidate.
    pub fn distribution(&self, x: &P) -> Vec<f64> {
        shares(&self.weights(x))
    }

    fn weights(&self, x: &P) -> Vec<u64> {
        self.candidates.iter().map(|c| weight(self.eps / 2.0 * (self.distance)(x, c))).collect()
    }
}

impl<P, D: Fn(&P, &P) -> f64> Mechanism<P, usize> for Exponential<'_, P, D> {
    fn release(&self, x: &P, rng: &mut dyn Rng) -> usize {
        draw(&self.weights(x), rng)
    }

    fn loss(&self) -> Loss {
        Loss::new(self.eps.next_up(), BY_PROFILE)
    }
}

/// Draws among the `k` candidates nearest to the input, of those within reach, with probability proportional to
/// e^(−ε·d): the thesis's mechanism.
///
/// **Citation.** Tchouka, thesis (2023), §8.2.3.2, algorithm 3 and equation 8.1.
///
/// **Guarantee.** None that holds for all inputs. The printed proof cancels the normaliser `a`, which depends on the
/// input, and each input has candidates of its own: a place that one town can become and another cannot separates the two
/// apart for sure. So the declared loss is infinite. Between inputs that happen to share their candidates it is
/// 2ε per unit of distance.
///
/// **Utility.** Always one of the `k` most alike within reach.
pub struct NearestExponential<'a, P, D, R> {
    candidates: &'a [P],
    distance: D,
    reach: R,
    k: usize,
    eps: f64,
}

impl<P, D, R> fmt::Debug for NearestExponential<'_, P, D, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NearestExponential({} of {}, ε = {})", self.k, self.candidates.len(), self.eps)
    }
}

impl<'a, P, D: Fn(&P, &P) -> f64, R: Fn(&P, &P) -> bool> NearestExponential<'a, P, D, R> {
    /// `reach` decides whether a candidate is near enough on the map.
    pub fn new(eps: f64, k: usize, candidates: &'a [P], distance: D, reach: R) -> Result<Self, Error> {
        check(eps, candidates.len().min(k))?;
        Ok(NearestExponential { candidates, distance, reach, k, eps })
    }

    /// The candidates of an input, nearest first, with their probability.
    pub fn distribution(&self, x: &P) -> Vec<(usize, f64)> {
        let (chosen, weights) = self.weights(x);
        chosen.into_iter().zip(shares(&weights)).collect()
    }

    fn weights(&self, x: &P) -> (Vec<usize>, Vec<u64>) {
        let mut near: Vec<(f64, usize)> = (self.candidates.iter().enumerate())
            .filter(|(_, c)| (self.reach)(x, c))
            .map(|(i, c)| ((self.distance)(x, c), i))
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.truncate(self.k);
        near.into_iter().map(|(d, i)| (i, weight(self.eps * d))).unzip()
    }
}

impl<P, D: Fn(&P, &P) -> f64, R: Fn(&P, &P) -> bool> Mechanism<P, Option<usize>>
    for NearestExponential<'_, P, D, R>
{
    /// `None` when no candidate is within reach.
    fn release(&self, x: &P, rng: &mut dyn Rng) -> Option<usize> {
        let (chosen, weights) = self.weights(x);
        chosen.get(draw(&weights, rng)).copied()
    }

    fn loss(&self) -> Loss {
        Loss::new(f64::INFINITY, BY_PROFILE)
    }
}

fn check(eps: f64, candidates: usize) -> Result<(), Error> {
    if !(eps > 0.0 && eps <= 64.0) {
        return Err(Error::new(format!("ε is {eps}; it takes more than 0 and at most 64")));
    }
    if candidates == 0 {
        return Err(Error::new("there is no candidate to draw from: give one at least"));
    }
    Ok(())
}

/// e^(−exponent) in units of 2⁻⁶⁰, rounded up.
fn weight(exponent: f64) -> u64 {
    ((-exponent.max(0.0)).exp() * (1u64 << 60) as f64).ceil() as u64
}

fn shares(weights: &[u64]) -> Vec<f64> {
    let total: u128 = weights.iter().map(|w| u128::from(*w)).sum();
    weights.iter().map(|w| *w as f64 / total as f64).collect()
}

/// An index with probability proportional to its weight; 0 when there is none.
fn draw(weights: &[u64], rng: &mut dyn Rng) -> usize {
    let total: u128 = weights.iter().map(|w| u128::from(*w)).sum();
    let mut at = wide_below(total, rng);
    for (i, w) in weights.iter().enumerate() {
        let w = u128::from(*w);
        if at < w {
            return i;
        }
        at -= w;
    }
    0
}

fn wide_below(n: u128, rng: &mut dyn Rng) -> u128 {
    if let Ok(n) = u64::try_from(n) {
        return u128::from(below(n, rng));
    }
    let zone = u128::MAX - u128::MAX % n;
    loop {
        let x = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
        if x < zone {
            return x % n;
        }
    }
}
