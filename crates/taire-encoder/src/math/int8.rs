//! Products with weights of eight bits.
//!
//! A weight matrix is stored as whole numbers from -127 to 127 with one scale for each column of the product. Rows of the
//! left-hand side are quantised as they come, each with its own scale, to as many of sixteen bits as keep the sums of a
//! product within 32 bits: 15 for a depth of up to 516, 13 for 1536. Sums of whole numbers are exact, so the result does
//! not depend on the instructions that a machine has.

use std::cell::RefCell;

use pulp::NullaryFnOnce;

/// Columns of a panel.
const WIDE: usize = 16;
/// A pair of depths for each column of a panel.
const LINE: usize = 2 * WIDE;
/// Rows that stay in the nearer caches.
const ROWS: usize = 96;
/// The largest weight.
const LARGEST: f32 = 127.0;

/// The right-hand side of products, in panels of sixteen columns filled up with zeros. Within a panel, two depths lie
/// side by side, as the instructions for products of pairs read them.
#[derive(Clone, Debug)]
pub struct QuantisedMatrix {
    depth: usize,
    width: usize,
    lines: Vec<[i16; LINE]>,
    scales: Vec<f32>,
}

impl QuantisedMatrix {
    /// Quantises a matrix given column by column.
    pub fn from_columns(data: &[f32], depth: usize, width: usize) -> QuantisedMatrix {
        let (panels, pairs) = (width.div_ceil(WIDE), depth.div_ceil(2));
        let mut lines = vec![[0; LINE]; panels * pairs];
        let mut scales = vec![0.0; panels * WIDE];
        for (j, column) in data.chunks_exact(depth.max(1)).take(width).enumerate() {
            let scale = column.iter().fold(0.0f32, |top, x| top.max(x.abs())) / LARGEST;
            scales[j] = scale;
            let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
            let panel = &mut lines[j / WIDE * pairs..][..pairs];
            for (k, &x) in column.iter().enumerate() {
                panel[k / 2][j % WIDE * 2 + k % 2] = round(x * inverse);
            }
        }
        QuantisedMatrix { depth, width, lines, scales }
    }

    /// Multiplies each column by a factor of its own.
    pub fn rescale(&mut self, factors: &[f32]) {
        self.scales.iter_mut().zip(factors).for_each(|(scale, factor)| *scale *= factor);
    }

    pub fn depth(&self) -> usize {
        self.depth
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// The largest whole number of a left-hand row: no sum of products leaves 32 bits.
    fn limit(&self) -> f32 {
        let largest = i32::MAX as usize / (LARGEST as usize * self.depth.max(1));
        largest.min(i16::MAX as usize) as f32
    }
}

thread_local! {
    static LEFT: RefCell<(Vec<i32>, Vec<f32>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// `c = a·b + bias`: rows of `a` as long as the depth of `b`, rows of `c` as long as its width.
pub fn multiply_quantised(a: &[f32], b: &QuantisedMatrix, bias: &[f32], c: &mut [f32]) {
    if a.is_empty() || b.width == 0 || b.depth == 0 {
        return;
    }
    LEFT.with_borrow_mut(|(left, scales)| dispatch(Product { a, b, bias, c, left, scales }));
}

struct Product<'a> {
    a: &'a [f32],
    b: &'a QuantisedMatrix,
    bias: &'a [f32],
    c: &'a mut [f32],
    /// Rows of a block: pairs of whole numbers, and the scale of each row.
    left: &'a mut Vec<i32>,
    scales: &'a mut Vec<f32>,
}

/// Sixteen sums of products of pairs.
trait PairSums: Copy {
    type Sums: Copy;
    fn zero(self) -> Self::Sums;
    /// Adds the products of one pair with that of each column.
    fn add(self, sums: Self::Sums, pair: i32, columns: &[i16; LINE]) -> Self::Sums;
    fn values(self, sums: Self::Sums) -> [i32; WIDE];
}

/// The nearest whole number, for numbers within sixteen bits: adding this leaves it in the last bits of the sum.
#[inline(always)]
fn round(x: f32) -> i16 {
    const SHIFT: f32 = 12_582_912.0;
    (x + SHIFT).to_bits() as i16
}

/// Two whole numbers in one.
#[inline(always)]
fn pair(first: i16, second: i16) -> i32 {
    i32::from(first) & 0xffff | i32::from(second) << 16
}

#[derive(Clone, Copy)]
struct Portable;

impl PairSums for Portable {
    type Sums = [i32; WIDE];

    #[inline(always)]
    fn zero(self) -> [i32; WIDE] {
        [0; WIDE]
    }

    #[inline(always)]
    fn add(self, mut sums: [i32; WIDE], pair: i32, columns: &[i16; LINE]) -> [i32; WIDE] {
        let (first, second) = (i32::from(pair as i16), pair >> 16);
        for (sum, column) in sums.iter_mut().zip(columns.as_chunks::<2>().0) {
            *sum += first * i32::from(column[0]) + second * i32::from(column[1]);
        }
        sums
    }

    #[inline(always)]
    fn values(self, sums: [i32; WIDE]) -> [i32; WIDE] {
        sums
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{__m256i, __m512i};

    use pulp::cast;
    use pulp::x86::{V3, V4};

    use super::{LINE, PairSums, WIDE};

    pulp::simd_type! {
        /// AVX-512 with its instruction for sums of products.
        pub(super) struct Vnni {
            pub(super) fma: "fma",
            pub(super) avx512f: "avx512f",
            pub(super) avx512bw: "avx512bw",
            pub(super) avx512dq: "avx512dq",
            pub(super) avx512vl: "avx512vl",
            pub(super) avx512vnni: "avx512vnni",
        }
    }

    impl PairSums for V3 {
        type Sums = [__m256i; 2];

        #[inline(always)]
        fn zero(self) -> [__m256i; 2] {
            [self.avx._mm256_setzero_si256(); 2]
        }

        #[inline(always)]
        fn add(self, [a, b]: [__m256i; 2], pair: i32, columns: &[i16; LINE]) -> [__m256i; 2] {
            let pair = self.avx._mm256_set1_epi32(pair);
            let [first, second]: [__m256i; 2] = cast(*columns);
            let add =
                |sums, columns| self.avx2._mm256_add_epi32(sums, self.avx2._mm256_madd_epi16(pair, columns));
            [add(a, first), add(b, second)]
        }

        #[inline(always)]
        fn values(self, sums: [__m256i; 2]) -> [i32; WIDE] {
            cast(sums)
        }
    }

    impl PairSums for V4 {
        type Sums = __m512i;

        #[inline(always)]
        fn zero(self) -> __m512i {
            self.avx512f._mm512_setzero_si512()
        }

        #[inline(always)]
        fn add(self, sums: __m512i, pair: i32, columns: &[i16; LINE]) -> __m512i {
            let pair = self.avx512f._mm512_set1_epi32(pair);
            self.avx512f._mm512_add_epi32(sums, self.avx512bw._mm512_madd_epi16(pair, cast(*columns)))
        }

        #[inline(always)]
        fn values(self, sums: __m512i) -> [i32; WIDE] {
            cast(sums)
        }
    }

    impl PairSums for Vnni {
        type Sums = __m512i;

        #[inline(always)]
        fn zero(self) -> __m512i {
            self.avx512f._mm512_setzero_si512()
        }

        /// The compiler joins the product and the sum into one instruction of VNNI.
        #[inline(always)]
        fn add(self, sums: __m512i, pair: i32, columns: &[i16; LINE]) -> __m512i {
            let pair = self.avx512f._mm512_set1_epi32(pair);
            self.avx512f._mm512_add_epi32(sums, self.avx512bw._mm512_madd_epi16(pair, cast(*columns)))
        }

        #[inline(always)]
        fn values(self, sums: __m512i) -> [i32; WIDE] {
            cast(sums)
        }
    }
}

/// A product on given instructions: blocks of `HIGH` rows by `PANELS` panels fill the registers.
struct Work<'a, K, const HIGH: usize, const PANELS: usize>(K, Product<'a>);

#[cfg(target_arch = "x86_64")]
fn dispatch(product: Product<'_>) {
    use pulp::Simd;
    if let Some(vnni) = x86::Vnni::try_new() {
        return vnni.vectorize(Work::<_, 12, 2>(vnni, product));
    }
    if let Some(v4) = pulp::x86::V4::try_new() {
        return Simd::vectorize(v4, Work::<_, 12, 2>(v4, product));
    }
    if let Some(v3) = pulp::x86::V3::try_new() {
        return Simd::vectorize(v3, Work::<_, 6, 1>(v3, product));
    }
    Work::<_, 4, 1>(Portable, product).call()
}

#[cfg(not(target_arch = "x86_64"))]
fn dispatch(product: Product<'_>) {
    Work::<_, 4, 1>(Portable, product).call()
}

impl<K: PairSums, const HIGH: usize, const PANELS: usize> NullaryFnOnce for Work<'_, K, HIGH, PANELS> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Work(simd, Product { a, b, bias, c, left, scales }) = self;
        let pairs = b.depth.div_ceil(2);
        for (a, c) in a.chunks(ROWS * b.depth).zip(c.chunks_mut(ROWS * b.width)) {
            let rows = a.len() / b.depth;
            left.clear();
            left.resize(rows.next_multiple_of(HIGH) * pairs, 0);
            scales.clear();
            quantise::<HIGH>(a, b, left, scales);
            let mut at = 0;
            for panels in b.lines.chunks(PANELS * pairs) {
                for (block, left) in left.chunks_exact(HIGH * pairs).enumerate() {
                    let (left, _) = left.as_chunks::<HIGH>();
                    let top = block * HIGH;
                    let out = Out {
                        c: &mut c[top * b.width + at..],
                        stride: b.width,
                        scales: &scales[top..rows.min(top + HIGH)],
                        column_scales: &b.scales[at..],
                        bias: &bias[at..],
                    };
                    if panels.len() == PANELS * pairs {
                        sums::<K, HIGH, PANELS>(simd, left, panels, out);
                    } else {
                        // Fewer panels than a full block; at most one with the blocks that there are.
                        sums::<K, HIGH, 1>(simd, left, panels, out);
                    }
                }
                at += PANELS * WIDE;
            }
        }
    }
}

/// Blocks of `HIGH` rows, a pair of depths of each side by side.
#[inline(always)]
fn quantise<const HIGH: usize>(a: &[f32], b: &QuantisedMatrix, left: &mut [i32], scales: &mut Vec<f32>) {
    const LANES: usize = 16;
    let (pairs, limit) = (b.depth.div_ceil(2), b.limit());
    for (i, row) in a.chunks_exact(b.depth).enumerate() {
        let mut tops = [0.0f32; LANES];
        let (chunks, rest) = row.as_chunks::<LANES>();
        for chunk in chunks {
            for j in 0..LANES {
                tops[j] = if chunk[j].abs() > tops[j] { chunk[j].abs() } else { tops[j] };
            }
        }
        let top = tops.iter().chain(rest).fold(0.0f32, |top, x| top.max(x.abs()));
        let inverse = if top > 0.0 { limit / top } else { 0.0 };
        scales.push(top / limit);
        let whole = |x: f32| round(x * inverse);
        let block = &mut left[i / HIGH * HIGH * pairs..][..HIGH * pairs];
        let (block, _) = block.as_chunks_mut::<HIGH>();
        let (both, last) = row.as_chunks::<2>();
        for (out, x) in block.iter_mut().zip(both) {
            out[i % HIGH] = pair(whole(x[0]), whole(x[1]));
        }
        if let [x] = last {
            block[pairs - 1][i % HIGH] = pair(whole(*x), 0);
        }
    }
}

/// Where the sums of a block go.
struct Out<'a> {
    c: &'a mut [f32],
    stride: usize,
    scales: &'a [f32],
    column_scales: &'a [f32],
    bias: &'a [f32],
}

#[inline(always)]
fn sums<K: PairSums, const HIGH: usize, const PANELS: usize>(
    simd: K,
    left: &[[i32; HIGH]],
    panels: &[[i16; LINE]],
    out: Out<'_>,
) {
    let pairs = left.len();
    let panels: [&[[i16; LINE]]; PANELS] = std::array::from_fn(|p| &panels[p * pairs..][..pairs]);
    let mut sums = [[simd.zero(); PANELS]; HIGH];
    for (k, left) in left.iter().enumerate() {
        let columns: [&[i16; LINE]; PANELS] = std::array::from_fn(|p| &panels[p][k]);
        for i in 0..HIGH {
            for p in 0..PANELS {
                sums[i][p] = simd.add(sums[i][p], left[i], columns[p]);
            }
        }
    }
    // Read with fixed indices only, so that the sums above stay in registers.
    let mut values = [[[0; WIDE]; PANELS]; HIGH];
    for i in 0..HIGH {
        for p in 0..PANELS {
            values[i][p] = simd.values(sums[i][p]);
        }
    }
    for (i, (values, &scale)) in values.iter().zip(out.scales).enumerate() {
        for (p, values) in values.iter().enumerate() {
            let at = p * WIDE;
            let columns = WIDE.min(out.bias.len() - at);
            let (scales, _) = out.column_scales[at..].as_chunks::<WIDE>();
            let line = &mut out.c[i * out.stride + at..][..columns];
            let bias = &out.bias[at..at + columns];
            let mut floats = [0.0; WIDE];
            for j in 0..WIDE {
                floats[j] = values[j] as f32 * (scale * scales[0][j]);
            }
            if columns == WIDE {
                let (line, _) = line.as_chunks_mut::<WIDE>();
                let (bias, _) = bias.as_chunks::<WIDE>();
                (0..WIDE).for_each(|j| line[0][j] = floats[j] + bias[0][j]);
                continue;
            }
            line.iter_mut().zip(floats).zip(bias).for_each(|((out, x), b)| *out = x + b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32 - 0.5
        };
        (0..count).map(|_| next()).collect()
    }

    /// Weights that eight bits hold exactly.
    fn whole_columns(depth: usize, width: usize) -> Vec<f32> {
        let mut columns: Vec<f32> =
            numbers(depth * width, 2).iter().map(|x| (x * 254.0).round() / 254.0).collect();
        columns.chunks_exact_mut(depth).for_each(|c| c[0] = 0.5);
        columns
    }

    #[test]
    fn products_of_any_size_are_those_of_the_plain_loops() {
        for (m, k, n) in [(1, 1, 1), (12, 16, 32), (7, 33, 45), (130, 600, 17), (5, 2, 40), (13, 384, 48)] {
            let (a, b, bias) = (numbers(m * k, 1), whole_columns(k, n), numbers(n, 3));
            let matrix = QuantisedMatrix::from_columns(&b, k, n);
            let mut c = vec![9.0; m * n];
            multiply_quantised(&a, &matrix, &bias, &mut c);
            for i in 0..m {
                for j in 0..n {
                    let products = (0..k).map(|l| a[i * k + l] * b[j * k + l]);
                    let plain = bias[j] + products.sum::<f32>();
                    assert!((c[i * n + j] - plain).abs() < 2e-3, "{m} {k} {n}: {i} {j}");
                }
            }
        }
    }

    #[test]
    fn every_machine_gets_the_same_numbers() {
        let (m, k, n) = (29, 384, 80);
        let (a, b, bias) = (numbers(m * k, 1), numbers(k * n, 2), numbers(n, 3));
        let matrix = QuantisedMatrix::from_columns(&b, k, n);
        let (mut fast, mut plain) = (vec![0.0; m * n], vec![0.0; m * n]);
        multiply_quantised(&a, &matrix, &bias, &mut fast);
        let (mut left, mut scales) = (Vec::new(), Vec::new());
        let product =
            Product { a: &a, b: &matrix, bias: &bias, c: &mut plain, left: &mut left, scales: &mut scales };
        Work::<_, 4, 1>(Portable, product).call();
        assert_eq!(fast, plain);
    }

    #[test]
    fn the_largest_sums_stay_within_32_bits() {
        for depth in [1, 384, 516, 1536, 4096] {
            let matrix = QuantisedMatrix::from_columns(&vec![1.0; depth], depth, 1);
            let mut c = [0.0];
            multiply_quantised(&vec![3.0; depth], &matrix, &[0.0], &mut c);
            let exact = 3.0 * depth as f32;
            assert!((c[0] - exact).abs() < exact * 1e-5, "{depth}: {}", c[0]);
        }
    }
}
