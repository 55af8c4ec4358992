//! Exponential and logarithm from plain arithmetic.
//!
//! A training run must give the same bytes on every machine. The platform's `exp` and `ln` may differ in the last
//! bit between libraries and processors, so training uses these.

const LN2_HI: f64 = 6.931_471_803_691_238e-1;
const LN2_LO: f64 = 1.908_214_929_270_587_7e-10;

/// `e^x` for `x` up to about 700; 0 below −700.
#[inline]
pub(crate) fn exp(x: f64) -> f64 {
    if x < -700.0 {
        return 0.0;
    }
    let x = if x > 700.0 { 700.0 } else { x };
    // Adding 1.5·2^52 rounds to the nearest whole number and leaves it in the low bits.
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let shifted = x * std::f64::consts::LOG2_E + SHIFT;
    let n = shifted - SHIFT;
    let r = (x - n * LN2_HI) - n * LN2_LO;
    const C: [f64; 13] = [
        1.0,
        1.0,
        1.0 / 2.0,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5_040.0,
        1.0 / 40_320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
        1.0 / 479_001_600.0,
    ];
    let mut p = C[12];
    for &c in C[..12].iter().rev() {
        p = p * r + c;
    }
    let exponent = shifted.to_bits().wrapping_add(1023) << 52;
    p * f64::from_bits(exponent)
}

/// Natural logarithm of a positive normal number.
pub(crate) fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    let s = (m - 1.0) / (m + 1.0);
    let s2 = s * s;
    let mut p = 0.0;
    for k in (0..12).rev() {
        p = p * s2 + 1.0 / f64::from(2 * k + 1);
    }
    let n = exponent as f64;
    n * LN2_HI + (2.0 * s * p + n * LN2_LO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_to_the_platform_functions() {
        let mut x = -690.0;
        while x < 690.0 {
            let (ours, theirs) = (exp(x), f64::exp(x));
            assert!((ours - theirs).abs() <= theirs * 4e-16, "exp({x}): {ours} {theirs}");
            assert!((ln(theirs) - x).abs() <= 1e-15 * x.abs().max(1.0), "ln(exp({x}))");
            x += 0.737;
        }
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(ln(1.0), 0.0);
        assert_eq!(exp(-1000.0), 0.0);
    }
}
