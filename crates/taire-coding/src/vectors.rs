//! Word vectors from unlabelled text: the leading directions of the positive pointwise mutual information between
//! words that occur close together (Levy & Goldberg, 2014), by subspace iteration. Seconds for a million words, and the same
//! for any number of threads.

use rustc_hash::FxHashMap;

use taire_text::SplitMix64;

use crate::threads;

/// Words on either side that count as close; the nearer, the more.
const WINDOW: usize = 4;
const ROUNDS: usize = 4;

/// Rows and columns are words; symmetric.
struct Sparse {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl Sparse {
    fn information(documents: &[Vec<u32>], rows: usize) -> Sparse {
        let mut counts: FxHashMap<u64, f32> = FxHashMap::default();
        for document in documents {
            for (i, &a) in document.iter().enumerate() {
                for (distance, &b) in document[i + 1..].iter().take(WINDOW).enumerate() {
                    if a != 0 && b != 0 {
                        let key = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
                        *counts.entry(key).or_default() += (WINDOW - distance) as f32;
                    }
                }
            }
        }
        let mut pairs: Vec<(u64, f32)> = counts.into_iter().collect();
        pairs.sort_unstable_by_key(|p| p.0);
        let mut entries: Vec<(u64, f32)> = Vec::with_capacity(2 * pairs.len());
        for &(key, count) in &pairs {
            let turned = key.rotate_right(32);
            entries.push((key, count));
            if turned != key {
                entries.push((turned, count));
            }
        }
        entries.sort_unstable_by_key(|p| p.0);
        let mut sums = vec![0.0f64; rows];
        entries.iter().for_each(|&(key, count)| sums[(key >> 32) as usize] += f64::from(count));
        let whole: f64 = sums.iter().sum();
        let mut out = Sparse { starts: vec![0; rows + 1], columns: Vec::new(), values: Vec::new() };
        for (key, count) in entries {
            let (a, b) = ((key >> 32) as usize, key as u32);
            let value = (f64::from(count) * whole / (sums[a] * sums[b as usize])).ln();
            if value > 0.0 {
                out.columns.push(b);
                out.values.push(value as f32);
                out.starts[a + 1] += 1;
            }
        }
        for a in 0..rows {
            out.starts[a + 1] += out.starts[a];
        }
        out
    }

    fn times(&self, right: &[f32], width: usize, threads: usize) -> Vec<f32> {
        const BLOCK: usize = 512;
        let rows = self.starts.len() - 1;
        let blocks = threads::map(threads, rows.div_ceil(BLOCK), |block| {
            let (from, to) = (block * BLOCK, ((block + 1) * BLOCK).min(rows));
            let mut out = vec![0.0f32; (to - from) * width];
            for (row, line) in (from..to).zip(out.chunks_exact_mut(width)) {
                for at in self.starts[row]..self.starts[row + 1] {
                    let other = &right[self.columns[at] as usize * width..][..width];
                    taire_encoder::math::axpy(self.values[at], other, line);
                }
            }
            out
        });
        blocks.concat()
    }
}

/// Makes the columns orthonormal, the first ones first. Returns how long each was.
fn orthonormal(matrix: &mut [f32], width: usize) -> Vec<f32> {
    let rows = matrix.len() / width;
    let mut columns = vec![0.0f32; matrix.len()];
    for (i, line) in matrix.chunks_exact(width).enumerate() {
        line.iter().enumerate().for_each(|(j, &x)| columns[j * rows + i] = x);
    }
    let mut lengths = Vec::with_capacity(width);
    for j in 0..width {
        let (before, rest) = columns.split_at_mut(j * rows);
        let column = &mut rest[..rows];
        let first = inner(column, column).sqrt();
        // Twice is enough (Kahan).
        for _ in 0..2 {
            for other in before.chunks_exact(rows) {
                let share = inner(column, other);
                taire_encoder::math::axpy(-share, other, column);
            }
        }
        let length = inner(column, column).sqrt();
        lengths.push(first);
        let scale = if length > 1e-6 * first.max(1e-6) { 1.0 / length } else { 0.0 };
        column.iter_mut().for_each(|x| *x *= scale);
    }
    for (i, line) in matrix.chunks_exact_mut(width).enumerate() {
        line.iter_mut().enumerate().for_each(|(j, x)| *x = columns[j * rows + i]);
    }
    lengths
}

fn inner(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 16];
    let (a, a_rest) = a.as_chunks::<16>();
    let (b, b_rest) = b.as_chunks::<16>();
    for (a, b) in a.iter().zip(b) {
        for i in 0..16 {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

/// One vector of length one (or zero) for each word, `rows` of them; documents are numbers of words, 0 for none.
pub(crate) fn learn(documents: &[Vec<u32>], rows: usize, width: usize, threads: usize) -> Vec<f32> {
    let matrix = Sparse::information(documents, rows);
    let mut dice = SplitMix64::new(0x7a1e);
    let mut basis: Vec<f32> = (0..rows * width).map(|_| dice.symmetric()).collect();
    let mut lengths = Vec::new();
    for _ in 0..ROUNDS {
        basis = matrix.times(&basis, width, threads);
        lengths = orthonormal(&mut basis, width);
    }
    for line in basis.chunks_exact_mut(width) {
        line.iter_mut().zip(&lengths).for_each(|(x, l)| *x *= l.max(0.0).sqrt());
        unit(line);
    }
    basis
}

/// Scales a vector to length one; zero stays.
pub(crate) fn unit(line: &mut [f32]) {
    let length = inner(line, line).sqrt();
    if length > 1e-12 {
        line.iter_mut().for_each(|x| *x /= length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_same_company_lie_close_for_any_number_of_threads() {
        // Words 1 and 2 occur among 3 to 6, words 7 and 8 among 9 to 12.
        let mut dice = SplitMix64::new(3);
        let documents: Vec<Vec<u32>> = (0..400)
            .map(|i| {
                let (word, company) = if i % 2 == 0 { (1, 3) } else { (7, 9) };
                (0..12)
                    .map(|j| {
                        if j % 3 == 0 { word + dice.below(2) as u32 } else { company + dice.below(4) as u32 }
                    })
                    .collect()
            })
            .collect();
        let vectors = learn(&documents, 13, 4, 1);
        assert_eq!(vectors, learn(&documents, 13, 4, 2));
        let of = |word: usize| &vectors[word * 4..][..4];
        assert!(inner(of(1), of(2)) > 0.9, "{}", inner(of(1), of(2)));
        assert!(inner(of(1), of(7)) < 0.5, "{}", inner(of(1), of(7)));
        assert_eq!(of(0), [0.0; 4]);
    }
}
