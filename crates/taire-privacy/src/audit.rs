//! Measuring what a mechanism really loses.
//!
//! Where its distribution can be written down, the loss between two inputs is the greatest log-ratio of two
//! probabilities, exactly. Where it cannot, both inputs are drawn from many times and the loss is estimated from
//! below: the least plausible probability of an event from one input over the greatest plausible from the other, both
//! by Clopper and Pearson's exact interval (Biometrika 1934). A declaration below that bound is false, whatever the
//! luck, but for the chosen error.

/// How much rounding is forgiven when two floats are compared.
pub const TOLERANCE: f64 = 1e-9;

/// The loss between two distributions over the same outputs, both ways. Infinite when one of them cannot give what
/// the other can.
pub fn loss_between(p: &[f64], q: &[f64]) -> f64 {
    let outputs = p.len().max(q.len());
    let at = |d: &[f64], i: usize| d.get(i).copied().unwrap_or(0.0);
    (0..outputs)
        .map(|i| (at(p, i), at(q, i)))
        .filter(|(a, b)| *a > 0.0 || *b > 0.0)
        .map(|(a, b)| if a > 0.0 && b > 0.0 { (a / b).ln().abs() } else { f64::INFINITY })
        .fold(0.0, f64::max)
}

/// The greatest loss per unit of distance over all pairs of inputs; pairs at distance 0 must be the same law, or it is
/// infinite.
pub fn metric_loss<T>(inputs: &[T], law: impl Fn(&T) -> Vec<f64>, distance: impl Fn(&T, &T) -> f64) -> f64 {
    let laws: Vec<Vec<f64>> = inputs.iter().map(law).collect();
    let mut worst: f64 = 0.0;
    for i in 0..inputs.len() {
        for j in 0..i {
            let (loss, d) = (loss_between(&laws[i], &laws[j]), distance(&inputs[i], &inputs[j]));
            if loss > TOLERANCE {
                worst = worst.max((loss - TOLERANCE) / d);
            }
        }
    }
    worst
}

/// The greatest loss over pairs of inputs that are neighbours.
pub fn pure_loss<T>(inputs: &[T], law: impl Fn(&T) -> Vec<f64>, neighbours: impl Fn(&T, &T) -> bool) -> f64 {
    let laws: Vec<Vec<f64>> = inputs.iter().map(law).collect();
    let mut worst: f64 = 0.0;
    for i in 0..inputs.len() {
        for j in (0..i).filter(|&j| neighbours(&inputs[i], &inputs[j])) {
            worst = worst.max(loss_between(&laws[i], &laws[j]));
        }
    }
    worst
}

/// A lower bound on the loss between two inputs, from counts of the same events among `n` draws of each, that is wrong
/// with probability at most `error` over all events together.
pub fn sampled_loss(a: &[u64], b: &[u64], n: u64, error: f64) -> f64 {
    let each = error / (4 * a.len().max(1)) as f64;
    let one_way = |a: u64, b: u64| {
        let (low, _) = clopper_pearson(a, n, each);
        let (_, high) = clopper_pearson(b, n, each);
        if low > 0.0 { (low / high).ln() } else { 0.0 }
    };
    a.iter().zip(b).map(|(&a, &b)| one_way(a, b).max(one_way(b, a))).fold(0.0, f64::max)
}

/// The exact interval of a probability after `hits` of `n`, each side wrong with probability at most `error`.
pub fn clopper_pearson(hits: u64, n: u64, error: f64) -> (f64, f64) {
    let (k, n) = (hits as f64, n as f64);
    let lower = if hits == 0 { 0.0 } else { quantile(k, n - k + 1.0, error) };
    let upper = if k >= n { 1.0 } else { quantile(k + 1.0, n - k, 1.0 - error) };
    (lower, upper)
}

/// The quantile of a beta law, by bisection.
fn quantile(a: f64, b: f64, p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if incomplete_beta(a, b, middle) < p { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// The regularised incomplete beta function, by its continued fraction (Lentz's method).
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    const TINY: f64 = 1e-300;
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp() / a;
    let guard = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut c = 1.0;
    let mut fraction = d;
    for m in 1..2000 {
        let m = f64::from(m);
        for term in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / guard(1.0 + term * d);
            c = guard(1.0 + term / c);
            fraction *= c * d;
        }
        if (c * d - 1.0).abs() < 1e-14 {
            break;
        }
    }
    front * fraction
}

/// ln Γ(x) for x ≥ 1 by Stirling's series, after stepping x above 12.
fn ln_gamma(x: f64) -> f64 {
    let mut shift = 0.0;
    let mut x = x;
    while x < 12.0 {
        shift += x.ln();
        x += 1.0;
    }
    let i = 1.0 / x;
    let series = i / 12.0 - i.powi(3) / 360.0 + i.powi(5) / 1260.0 - i.powi(7) / 1680.0;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_tables() {
        // 95 % two-sided intervals from published tables.
        for (hits, n, low, high) in [(0, 10, 0.0, 0.3085), (5, 10, 0.1871, 0.8129), (10, 100, 0.0490, 0.1762)]
        {
            let (l, h) = clopper_pearson(hits, n, 0.025);
            assert!((l - low).abs() < 1e-4 && (h - high).abs() < 1e-4, "{hits}/{n}: {l} {h}");
        }
    }

    #[test]
    fn an_output_of_one_input_alone_is_an_infinite_loss() {
        assert_eq!(loss_between(&[0.5, 0.5], &[1.0, 0.0]), f64::INFINITY);
        assert!((loss_between(&[0.8, 0.2], &[0.4, 0.6]) - 3f64.ln()).abs() < 1e-12);
    }
}
