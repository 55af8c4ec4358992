//! Matrix products. The right-hand side is packed into panels of sixteen columns, once for a weight matrix; the left
//! is read as it is.

use std::cell::RefCell;

use pulp::{Simd, WithSimd};

use super::fast;

/// Columns of a panel.
const WIDE: usize = 16;
/// Rows, and depth, that stay in the nearer caches.
const ROWS: usize = 120;
const DEPTH: usize = 512;

/// How a matrix lies in memory, seen from the product: row by row, or column by column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Rows,
    Columns,
}

/// The right-hand side of products: `depth` by `width`, in panels of [`WIDE`] columns filled up with zeros.
#[derive(Clone, Default, Debug)]
pub struct Packed {
    depth: usize,
    width: usize,
    panels: Vec<f32>,
}

impl Packed {
    /// Packs a matrix; `stride` is the distance between its rows (or, with [`Side::Columns`], its columns).
    pub fn new(data: &[f32], depth: usize, width: usize, stride: usize, side: Side) -> Packed {
        let mut packed = Packed::default();
        packed.fill(data, depth, width, stride, side);
        packed
    }

    /// Packs another matrix in the same memory.
    pub fn fill(&mut self, data: &[f32], depth: usize, width: usize, stride: usize, side: Side) {
        let count = width.div_ceil(WIDE);
        (self.depth, self.width) = (depth, width);
        self.panels.clear();
        self.panels.resize(count * depth * WIDE, 0.0);
        if depth == 0 {
            return;
        }
        for (p, panel) in self.panels.chunks_exact_mut(depth * WIDE).enumerate() {
            let from = p * WIDE;
            let columns = WIDE.min(width - from);
            match side {
                Side::Rows => {
                    for (k, line) in panel.chunks_exact_mut(WIDE).enumerate() {
                        let at = k * stride + from;
                        line[..columns].copy_from_slice(&data[at..at + columns]);
                    }
                }
                Side::Columns => {
                    for j in 0..columns {
                        let column = &data[(from + j) * stride..][..depth];
                        for (line, &value) in panel.chunks_exact_mut(WIDE).zip(column) {
                            line[j] = value;
                        }
                    }
                }
            }
        }
    }

    pub fn depth(&self) -> usize {
        self.depth
    }

    pub fn width(&self) -> usize {
        self.width
    }
}

thread_local! {
    /// The left-hand rows of a block, packed.
    static LEFT: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

/// `c = a·b`, or `c += a·b` where `add`. Rows of `a` are `a_stride` apart, rows of `c` `c_stride`.
pub fn multiply(
    a: &[f32],
    a_stride: usize,
    rows: usize,
    b: &Packed,
    c: &mut [f32],
    c_stride: usize,
    add: bool,
) {
    if rows == 0 || b.width == 0 {
        return;
    }
    LEFT.with_borrow_mut(|left| {
        left.resize(ROWS * DEPTH, 0.0);
        fast(Multiply { a, a_stride, rows, b, c, c_stride, add, left });
    });
}

struct Multiply<'a> {
    a: &'a [f32],
    a_stride: usize,
    rows: usize,
    b: &'a Packed,
    c: &'a mut [f32],
    c_stride: usize,
    add: bool,
    left: &'a mut [f32],
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            16 => self.run::<S, 1, 12>(simd),
            8 => self.run::<S, 2, 6>(simd),
            4 => self.run::<S, 4, 6>(simd),
            _ => self.run::<S, WIDE, 6>(simd),
        }
    }
}

impl Multiply<'_> {
    /// `V` registers make a line of a panel; `HIGH` rows by sixteen columns fill the registers. Each number is summed in
    /// the same order whatever the sizes.
    #[inline(always)]
    fn run<S: Simd, const V: usize, const HIGH: usize>(self, simd: S) {
        let Multiply { a, a_stride, rows, b, c, c_stride, add, left } = self;
        let depth = b.depth;
        for top in (0..rows).step_by(ROWS) {
            let bottom = (top + ROWS).min(rows);
            for from in (0..depth).step_by(DEPTH) {
                let to = (from + DEPTH).min(depth);
                let deep = to - from;
                let add = add || from > 0;
                let left = &mut left[..(bottom - top).next_multiple_of(HIGH) * deep];
                pack_left::<HIGH>(&a[top * a_stride + from..], a_stride, bottom - top, left, deep);
                for (p, panel) in b.panels.chunks_exact(depth * WIDE).enumerate() {
                    let panel = &panel[from * WIDE..to * WIDE];
                    let at = p * WIDE;
                    let columns = WIDE.min(b.width - at);
                    let mut row = top;
                    for left in left.chunks_exact(deep * HIGH) {
                        let high = HIGH.min(bottom - row);
                        let c = &mut c[row * c_stride + at..];
                        block::<S, V, HIGH>(simd, left, panel, c, c_stride, high, columns, add);
                        row += HIGH;
                    }
                }
            }
        }
    }
}

/// Blocks of `HIGH` rows, column after column; what is missing in the last is zero.
#[inline(always)]
fn pack_left<const HIGH: usize>(a: &[f32], stride: usize, rows: usize, out: &mut [f32], deep: usize) {
    for (block, out) in out.chunks_exact_mut(deep * HIGH).enumerate() {
        let (out, _) = out.as_chunks_mut::<HIGH>();
        for i in 0..HIGH {
            let row = block * HIGH + i;
            if row < rows {
                let line = &a[row * stride..][..deep];
                out.iter_mut().zip(line).for_each(|(out, &x)| out[i] = x);
            } else {
                out.iter_mut().for_each(|out| out[i] = 0.0);
            }
        }
    }
}

#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn block<S: Simd, const V: usize, const HIGH: usize>(
    simd: S,
    left: &[f32],
    panel: &[f32],
    c: &mut [f32],
    c_stride: usize,
    high: usize,
    columns: usize,
    add: bool,
) {
    let (panel, _) = S::as_simd_f32s(panel);
    let (panel, _) = panel.as_chunks::<V>();
    let (left, _) = left.as_chunks::<HIGH>();
    let mut sums = [[simd.splat_f32s(0.0); V]; HIGH];
    for (a, b) in left.iter().zip(panel) {
        for i in 0..HIGH {
            let value = simd.splat_f32s(a[i]);
            for j in 0..V {
                sums[i][j] = simd.mul_add_e_f32s(value, b[j], sums[i][j]);
            }
        }
    }
    // Read with fixed indices only, so that the sums above stay in registers.
    let mut lines = [[0.0; WIDE]; HIGH];
    for i in 0..HIGH {
        let (line, _) = S::as_mut_simd_f32s(&mut lines[i]);
        line[..V].copy_from_slice(&sums[i]);
    }
    for (i, line) in lines.iter().enumerate().take(high) {
        let c = &mut c[i * c_stride..][..columns];
        if columns == WIDE {
            let (c, _) = c.as_chunks_mut::<WIDE>();
            match add {
                false => c[0] = *line,
                true => (0..WIDE).for_each(|j| c[0][j] += line[j]),
            }
            continue;
        }
        match add {
            false => c.copy_from_slice(&line[..columns]),
            true => c.iter_mut().zip(line).for_each(|(c, s)| *c += s),
        }
    }
}

/// The transpose of a matrix whose rows are `stride` apart.
pub fn transpose(data: &[f32], rows: usize, columns: usize, stride: usize, out: &mut Vec<f32>) {
    const TILE: usize = 16;
    out.clear();
    out.resize(rows * columns, 0.0);
    for top in (0..rows).step_by(TILE) {
        for left in (0..columns).step_by(TILE) {
            for i in top..(top + TILE).min(rows) {
                for j in left..(left + TILE).min(columns) {
                    out[j * rows + i] = data[i * stride + j];
                }
            }
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

    #[test]
    fn products_of_any_size_are_those_of_the_plain_loops() {
        for (m, k, n) in [(1, 1, 1), (6, 16, 16), (7, 33, 45), (130, 600, 17), (5, 2, 40)] {
            let (a, b) = (numbers(m * k, 1), numbers(k * n, 2));
            let mut turned = Vec::new();
            transpose(&b, k, n, n, &mut turned);
            for packed in [Packed::new(&b, k, n, n, Side::Rows), Packed::new(&turned, k, n, k, Side::Columns)]
            {
                let mut c = vec![1.0; m * n];
                multiply(&a, k, m, &packed, &mut c, n, true);
                for i in 0..m {
                    for j in 0..n {
                        let plain: f32 = 1.0 + (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum::<f32>();
                        assert!((c[i * n + j] - plain).abs() < 1e-4, "{m} {k} {n}: {i} {j}");
                    }
                }
            }
        }
    }
}
