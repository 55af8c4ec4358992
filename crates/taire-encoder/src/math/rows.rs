//! What is done element by element and row by row: layer norm, softmax, GELU, dropout, and their ways back.

use pulp::{Simd, WithSimd};

use super::{fast, mul_add};

/// Sums go by so many lanes, so that the compiler may use wide registers.
const LANES: usize = 16;

#[inline(always)]
fn sum(values: &[f32]) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for j in 0..LANES {
            lanes[j] += chunk[j];
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

#[inline(always)]
fn dot<const FMA: bool>(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for j in 0..LANES {
            lanes[j] = mul_add::<FMA>(a[j], b[j], lanes[j]);
        }
    }
    lanes.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

#[inline(always)]
fn largest(values: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for j in 0..LANES {
            lanes[j] = if chunk[j] > lanes[j] { chunk[j] } else { lanes[j] };
        }
    }
    lanes.iter().chain(rest).fold(f32::NEG_INFINITY, |a, &b| a.max(b))
}

/// The exponential, to the last bits of an `f32`, in a form that the compiler can do eight at a time.
#[inline(always)]
fn exp<const FMA: bool>(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 88.0 { 88.0 } else { x };
    let shifted = mul_add::<FMA>(x, std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = mul_add::<FMA>(n, -0.693_359_4, x);
    let r = mul_add::<FMA>(n, 2.121_944_4e-4, r);
    let mut p = 1.987_569_1e-4;
    for c in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        p = mul_add::<FMA>(p, r, c);
    }
    let p = mul_add::<FMA>(p, r * r, r + 1.0);
    let bits = (shifted.to_bits() as i32).wrapping_shl(23);
    f32::from_bits((p.to_bits() as i32).wrapping_add(bits) as u32)
}

/// The error function, to 1.5e-7 (Abramowitz and Stegun 7.1.26).
#[inline(always)]
fn erf<const FMA: bool>(x: f32) -> f32 {
    let z = x.abs();
    let t = 1.0 / mul_add::<FMA>(0.327_591_1, z, 1.0);
    let mut p = 1.061_405_4f32;
    for c in [-1.453_152, 1.421_413_8, -0.284_496_74, 0.254_829_6] {
        p = mul_add::<FMA>(p, t, c);
    }
    let y = 1.0 - p * t * exp::<FMA>(-z * z);
    if x < 0.0 { -y } else { y }
}

/// A function compiled twice, see [`fast`]. `FMA` is known in its body.
macro_rules! simd {
    ($(#[$doc:meta])* pub fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        pub fn $name<'a>($($arg: $type),*) {
            #[inline(always)]
            #[allow(clippy::too_many_arguments, clippy::extra_unused_lifetimes)]
            fn body<'a, const FMA: bool>($($arg: $type),*) $body
            struct Job<'a> { $($arg: $type),* }
            impl<'a> WithSimd for Job<'a> {
                type Output = ();
                #[inline(always)]
                fn with_simd<S: Simd>(self, _: S) {
                    match S::IS_SCALAR {
                        true => body::<false>($(self.$arg),*),
                        false => body::<true>($(self.$arg),*),
                    }
                }
            }
            fast(Job { $($arg),* });
        }
    };
}

simd! {
    /// Adds one row to every row.
    pub fn add_rows(rows: &'a mut [f32], row: &'a [f32]) {
        for line in rows.chunks_exact_mut(row.len()) {
            line.iter_mut().zip(row).for_each(|(x, r)| *x += r);
        }
    }
}

simd! {
    /// Adds some rows of a table of whole numbers, each times its scale.
    pub fn add_small_rows(table: &'a [i8], scales: &'a [f32], rows: &'a [u32], x: &'a mut [f32]) {
        let width = x.len();
        for &row in rows {
            let row = row as usize;
            let (scale, whole) = (scales[row], &table[row * width..(row + 1) * width]);
            x.iter_mut().zip(whole).for_each(|(x, &w)| *x = mul_add::<FMA>(scale, f32::from(w), *x));
        }
    }
}

simd! {
    /// `y += scale * x`.
    pub fn axpy(scale: f32, x: &'a [f32], y: &'a mut [f32]) {
        y.iter_mut().zip(x).for_each(|(y, &x)| *y = mul_add::<FMA>(scale, x, *y));
    }
}

simd! {
    /// Adds every row to one row.
    pub fn sum_columns(rows: &'a [f32], sums: &'a mut [f32]) {
        for line in rows.chunks_exact(sums.len()) {
            sums.iter_mut().zip(line).for_each(|(s, x)| *s += x);
        }
    }
}

simd! {
    /// The GELU with the error function: `x * Phi(x)`.
    pub fn gelu(x: &'a [f32], out: &'a mut [f32]) {
        for (x, out) in x.iter().zip(out) {
            *out = 0.5 * x * (1.0 + erf::<FMA>(x * std::f32::consts::FRAC_1_SQRT_2));
        }
    }
}

simd! {
    /// Multiplies the gradient by the slope of the GELU at `x`.
    pub fn gelu_back(x: &'a [f32], gradient: &'a mut [f32]) {
        const DENSITY: f32 = 0.398_942_3;
        for (&x, g) in x.iter().zip(gradient) {
            let phi = 0.5 * (1.0 + erf::<FMA>(x * std::f32::consts::FRAC_1_SQRT_2));
            *g *= phi + x * DENSITY * exp::<FMA>(-0.5 * x * x);
        }
    }
}

simd! {
    /// Rows to mean 0 and deviation 1, then scaled and moved. what the backward pass needs is left in `normal` (the rows
    /// before scaling) and `inverse` (one over each row's deviation).
    pub fn layer_norm(
        rows: &'a mut [f32],
        scale: &'a [f32],
        shift: &'a [f32],
        epsilon: f32,
        normal: &'a mut [f32],
        inverse: &'a mut [f32],
    ) {
        let width = scale.len();
        let lines = rows.chunks_exact_mut(width).zip(normal.chunks_exact_mut(width)).zip(inverse);
        for ((line, normal), inverse) in lines {
            let mean = sum(line) / width as f32;
            line.iter_mut().for_each(|x| *x -= mean);
            let variance = dot::<FMA>(line, line) / width as f32;
            *inverse = 1.0 / (variance + epsilon).sqrt();
            for j in 0..width {
                normal[j] = line[j] * *inverse;
                line[j] = mul_add::<FMA>(normal[j], scale[j], shift[j]);
            }
        }
    }
}

simd! {
    /// The gradient of a layer norm: `gradient` becomes that of its input.
    pub fn layer_norm_back(
        gradient: &'a mut [f32],
        scale: &'a [f32],
        normal: &'a [f32],
        inverse: &'a [f32],
        scale_gradient: &'a mut [f32],
        shift_gradient: &'a mut [f32],
    ) {
        let width = scale.len();
        let lines = gradient.chunks_exact_mut(width).zip(normal.chunks_exact(width)).zip(inverse);
        for ((line, normal), &inverse) in lines {
            for j in 0..width {
                scale_gradient[j] = mul_add::<FMA>(line[j], normal[j], scale_gradient[j]);
                shift_gradient[j] += line[j];
                line[j] *= scale[j];
            }
            let mean = sum(line) / width as f32;
            let slope = dot::<FMA>(line, normal) / width as f32;
            for j in 0..width {
                line[j] = (line[j] - mean - normal[j] * slope) * inverse;
            }
        }
    }
}

simd! {
    /// The softmax of every row of `width` numbers, each first multiplied by `scale`.
    pub fn softmax_rows(rows: &'a mut [f32], width: usize, scale: f32) {
        for line in rows.chunks_exact_mut(width) {
            let top = largest(line);
            line.iter_mut().for_each(|x| *x = exp::<FMA>((*x - top) * scale));
            let whole = 1.0 / sum(line);
            line.iter_mut().for_each(|x| *x *= whole);
        }
    }
}

simd! {
    /// The backward pass of [`softmax_rows`]: `gradient` becomes that of the numbers before scaling.
    pub fn softmax_rows_back(
        probabilities: &'a [f32],
        width: usize,
        scale: f32,
        gradient: &'a mut [f32],
    ) {
        for (p, g) in probabilities.chunks_exact(width).zip(gradient.chunks_exact_mut(width)) {
            let mean = dot::<FMA>(p, g);
            for j in 0..width {
                g[j] = p[j] * (g[j] - mean) * scale;
            }
        }
    }
}

simd! {
    /// Sets a share of the numbers to zero and scales the rest; the same seed drops the same ones.
    pub fn drop_out(values: &'a mut [f32], share: f32, seed: u32) {
        if share <= 0.0 {
            return;
        }
        let limit = (f64::from(share) * f64::from(u32::MAX)) as u32;
        let keep = 1.0 / (1.0 - share);
        for (i, x) in values.iter_mut().enumerate() {
            let mut h = (i as u32).wrapping_mul(0x9e37_79b9) ^ seed;
            h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
            h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
            h ^= h >> 16;
            *x = if h < limit { 0.0 } else { *x * keep };
        }
    }
}

/// The logarithm of a sum of exponentials.
pub fn log_sum_exp(values: &[f32]) -> f32 {
    let top = values.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
    if top == f32::NEG_INFINITY {
        return top;
    }
    top + values.iter().map(|v| (v - top).exp()).sum::<f32>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fast_exponential_and_gelu_are_those_of_the_library() {
        for i in -2000..2000 {
            let x = i as f32 / 50.0;
            let (mine, exact) = (f64::from(exp::<false>(x)), f64::from(x).exp());
            assert!((mine - exact).abs() <= exact * 3e-7, "{x}: {mine} {exact}");
        }
        // x * Phi(x) by a table of the normal distribution.
        let mut out = [0.0; 5];
        gelu(&[-1.0, 0.0, 0.5, 1.0, 3.0], &mut out);
        let exact = [-0.158_655_26, 0.0, 0.345_731_23, 0.841_344_7, 2.995_950_3];
        assert!(out.iter().zip(exact).all(|(a, b)| (a - b).abs() < 2e-6), "{out:?}");
    }

    #[test]
    fn rows_are_normalised_and_probabilities_sum_to_one() {
        let mut rows = [1.0, 2.0, 3.0, 4.0];
        let (mut normal, mut inverse) = ([0.0; 4], [0.0; 1]);
        layer_norm(&mut rows, &[1.0; 4], &[0.0; 4], 0.0, &mut normal, &mut inverse);
        assert!(rows.iter().sum::<f32>().abs() < 1e-6 && (rows[3] - 1.341_640_8).abs() < 1e-6);
        let mut rows = [0.0, 1.0, 2.0, 2.0, 2.0, 2.0];
        softmax_rows(&mut rows, 3, 1.0);
        assert!((rows[..3].iter().sum::<f32>() - 1.0).abs() < 1e-6 && (rows[5] - 1.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn the_same_seed_drops_the_same_numbers() {
        let mut a = vec![1.0; 10_000];
        drop_out(&mut a, 0.1, 7);
        let dropped = a.iter().filter(|x| **x == 0.0).count();
        assert!((800..1200).contains(&dropped), "{dropped}");
        let mut b = vec![1.0; 10_000];
        drop_out(&mut b, 0.1, 7);
        assert_eq!(a, b);
    }
}
