//! The network: vectors of tokens, a look at their neighbours, and label attention (LAAT, Vu et al. 2020).
//!
//! With `X` the vectors of the tokens, `X3` each with its neighbours inside its segment:
//! `H = X·P + tanh(X3·C + c)`, `U = tanh(H·W)`, for each label a softmax of `Q·U` over all tokens of the stacked segments,
//! and the score of the label is the mean of `V·H` under it, plus a bias and a share of what the bag of words says.
//! Everything is written out, the backward pass too; a test compares it with finite differences.

use serde::{Deserialize, Serialize};
use std::ops::Range;

use taire_encoder::math::{Packed, Side, add_rows, drop_out, multiply, softmax_rows, sum_columns, transpose};

/// How the vectors of a document become one for each label.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// A softmax for each label.
    Laat,
    Mean,
    Max,
}

/// Tokens on either side, and the token itself.
const TAPS: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Shape {
    /// Numbers of a token's vector.
    pub(crate) input: usize,
    pub(crate) width: usize,
    pub(crate) labels: usize,
    pub(crate) pooling: Pooling,
}

/// Where each part is in the flat numbers.
impl Shape {
    fn cuts(&self) -> [usize; 8] {
        let Shape { input, width, labels, .. } = *self;
        let sizes = [
            input * width,
            TAPS * input * width,
            width,
            width * width,
            labels * width,
            labels * width,
            labels,
            1,
        ];
        let mut at = 0;
        sizes.map(|size| {
            at += size;
            at
        })
    }

    fn part(&self, i: usize) -> Range<usize> {
        let cuts = self.cuts();
        (if i == 0 { 0 } else { cuts[i - 1] })..cuts[i]
    }

    pub(crate) fn project(&self) -> Range<usize> {
        self.part(0)
    }

    pub(crate) fn context(&self) -> Range<usize> {
        self.part(1)
    }

    fn context_bias(&self) -> Range<usize> {
        self.part(2)
    }

    pub(crate) fn attend(&self) -> Range<usize> {
        self.part(3)
    }

    /// One row a label.
    pub(crate) fn queries(&self) -> Range<usize> {
        self.part(4)
    }

    pub(crate) fn outputs(&self) -> Range<usize> {
        self.part(5)
    }

    pub(crate) fn bias(&self) -> Range<usize> {
        self.part(6)
    }

    /// The share of the bag of words.
    pub(crate) fn bag(&self) -> usize {
        self.cuts()[6]
    }

    pub(crate) fn numbers(&self) -> usize {
        self.cuts()[7]
    }
}

/// A document as the network sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    /// One row a token.
    pub(crate) vectors: &'a [f32],
    /// No context crosses from one segment to the next; together they cover the tokens.
    pub(crate) segments: &'a [Range<usize>],
    /// What the bag of words says of each label, or empty.
    pub(crate) bag: &'a [f32],
}

/// The matrices packed for products, both ways.
pub(crate) struct Net {
    pub(crate) shape: Shape,
    pub(crate) numbers: Vec<f32>,
    project: Packed,
    context: Packed,
    attend: Packed,
    project_back: Packed,
    context_back: Packed,
    attend_back: Packed,
}

impl std::fmt::Debug for Net {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Net").field("shape", &self.shape).finish_non_exhaustive()
    }
}

/// What a run leaves behind.
#[derive(Default)]
pub(crate) struct Tape {
    pub(crate) logits: Vec<f32>,
    wide: Vec<f32>,
    bent: Vec<f32>,
    hidden: Vec<f32>,
    keys: Vec<f32>,
    /// Labels by tokens.
    pub(crate) weights: Vec<f32>,
    pub(crate) votes: Vec<f32>,
    /// Of max pooling: which token won each column.
    winners: Vec<u32>,
    pooled: Vec<f32>,
    packed: Packed,
    turned: Vec<f32>,
}

/// Numbers that training sets to zero: which share, and by which seed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Drop {
    pub(crate) share: f32,
    pub(crate) seed: u32,
}

impl Drop {
    pub(crate) const NONE: Drop = Drop { share: 0.0, seed: 0 };
}

impl Net {
    pub(crate) fn new(shape: Shape, numbers: Vec<f32>) -> Net {
        let mut net = Net {
            shape,
            numbers,
            project: Packed::default(),
            context: Packed::default(),
            attend: Packed::default(),
            project_back: Packed::default(),
            context_back: Packed::default(),
            attend_back: Packed::default(),
        };
        net.pack(true);
        net
    }

    /// Follows changed numbers.
    pub(crate) fn pack(&mut self, back: bool) {
        let Shape { input, width, .. } = self.shape;
        let n = &self.numbers;
        self.project.fill(&n[self.shape.project()], input, width, width, Side::Rows);
        self.context.fill(&n[self.shape.context()], TAPS * input, width, width, Side::Rows);
        self.attend.fill(&n[self.shape.attend()], width, width, width, Side::Rows);
        if back {
            self.project_back.fill(&n[self.shape.project()], width, input, width, Side::Columns);
            self.context_back.fill(&n[self.shape.context()], width, TAPS * input, width, Side::Columns);
            self.attend_back.fill(&n[self.shape.attend()], width, width, width, Side::Columns);
        }
    }

    pub(crate) fn run(&self, input: Input<'_>, dropped: Drop, tape: &mut Tape) {
        let Shape { input: deep, width, labels, pooling } = self.shape;
        let n = &self.numbers;
        let tokens = input.vectors.len() / deep;
        neighbours(input, deep, &mut tape.wide);
        tape.bent.resize(tokens * width, 0.0);
        multiply(&tape.wide, TAPS * deep, tokens, &self.context, &mut tape.bent, width, false);
        if tokens > 0 {
            add_rows(&mut tape.bent, &n[self.shape.context_bias()]);
        }
        tape.bent.iter_mut().for_each(|x| *x = tanh(*x));
        tape.hidden.clear();
        tape.hidden.extend_from_slice(&tape.bent);
        multiply(input.vectors, deep, tokens, &self.project, &mut tape.hidden, width, true);
        drop_out(&mut tape.hidden, dropped.share, dropped.seed);
        let scale = n[self.shape.bag()];
        tape.logits.clear();
        tape.logits.extend_from_slice(&n[self.shape.bias()]);
        tape.logits.iter_mut().zip(input.bag).for_each(|(z, b)| *z += scale * b);
        if tokens == 0 {
            tape.weights.clear();
            tape.votes.clear();
            return;
        }
        let outputs = &n[self.shape.outputs()];
        if pooling == Pooling::Max {
            tape.winners.clear();
            tape.winners.resize(width, 0);
            tape.pooled.clear();
            tape.pooled.extend_from_slice(&tape.hidden[..width]);
            for (i, line) in tape.hidden.chunks_exact(width).enumerate().skip(1) {
                let best = tape.pooled.iter_mut().zip(&mut tape.winners);
                for (&x, (top, winner)) in line.iter().zip(best) {
                    if x > *top {
                        (*top, *winner) = (x, i as u32);
                    }
                }
            }
            for (z, row) in tape.logits.iter_mut().zip(outputs.chunks_exact(width)) {
                *z += row.iter().zip(&tape.pooled).map(|(a, b)| a * b).sum::<f32>();
            }
            return;
        }
        tape.votes.resize(labels * tokens, 0.0);
        tape.packed.fill(&tape.hidden, width, tokens, width, Side::Columns);
        multiply(outputs, width, labels, &tape.packed, &mut tape.votes, tokens, false);
        tape.weights.resize(labels * tokens, 0.0);
        if pooling == Pooling::Laat {
            tape.keys.resize(tokens * width, 0.0);
            multiply(&tape.hidden, width, tokens, &self.attend, &mut tape.keys, width, false);
            tape.keys.iter_mut().for_each(|x| *x = tanh(*x));
            tape.packed.fill(&tape.keys, width, tokens, width, Side::Columns);
            multiply(&n[self.shape.queries()], width, labels, &tape.packed, &mut tape.weights, tokens, false);
            softmax_rows(&mut tape.weights, tokens, 1.0);
        } else {
            tape.weights.fill(1.0 / tokens as f32);
        }
        let rows = tape.weights.chunks_exact(tokens).zip(tape.votes.chunks_exact(tokens));
        for (z, (a, p)) in tape.logits.iter_mut().zip(rows) {
            *z += a.iter().zip(p).map(|(a, p)| a * p).sum::<f32>();
        }
    }

    /// Adds to `gradient` what the slopes of the logits give, and writes the slopes of the vectors. Labels whose slope
    /// is smaller than `least` are left out.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn back(
        &self,
        input: Input<'_>,
        dropped: Drop,
        tape: &mut Tape,
        slopes: &[f32],
        least: f32,
        gradient: &mut [f32],
        of_vectors: &mut Vec<f32>,
    ) {
        let shape = &self.shape;
        let Shape { input: deep, width, labels, pooling } = *shape;
        let n = &self.numbers;
        let tokens = input.vectors.len() / deep;
        gradient[shape.bias()].iter_mut().zip(slopes).for_each(|(g, s)| *g += s);
        gradient[shape.bag()] += slopes.iter().zip(input.bag).map(|(s, b)| s * b).sum::<f32>();
        of_vectors.clear();
        of_vectors.resize(tokens * deep, 0.0);
        if tokens == 0 {
            return;
        }
        let mut of_hidden = vec![0.0f32; tokens * width];
        let active: Vec<usize> = (0..labels).filter(|&l| slopes[l].abs() > least).collect();
        if pooling == Pooling::Max {
            for &l in &active {
                let row = &n[shape.outputs()][l * width..][..width];
                let out = &mut gradient[shape.outputs()][l * width..][..width];
                for j in 0..width {
                    out[j] += slopes[l] * tape.pooled[j];
                    of_hidden[tape.winners[j] as usize * width + j] += slopes[l] * row[j];
                }
            }
        } else {
            let rows = active.len();
            // Slopes of the votes, and of the scores under the softmax.
            let (mut of_votes, mut of_scores) = (vec![0.0f32; rows * tokens], vec![0.0f32; rows * tokens]);
            for (r, &l) in active.iter().enumerate() {
                let (a, p) = (&tape.weights[l * tokens..][..tokens], &tape.votes[l * tokens..][..tokens]);
                let mean = a.iter().zip(p).map(|(a, p)| a * p).sum::<f32>();
                let (v, s) = (&mut of_votes[r * tokens..][..tokens], &mut of_scores[r * tokens..][..tokens]);
                for i in 0..tokens {
                    v[i] = slopes[l] * a[i];
                    s[i] = v[i] * (p[i] - mean);
                }
            }
            self.through(
                shape.outputs(),
                &active,
                &of_votes,
                &tape.hidden,
                tokens,
                gradient,
                &mut of_hidden,
                &mut tape.packed,
                &mut tape.turned,
            );
            if pooling == Pooling::Laat {
                let mut of_keys = vec![0.0f32; tokens * width];
                self.through(
                    shape.queries(),
                    &active,
                    &of_scores,
                    &tape.keys,
                    tokens,
                    gradient,
                    &mut of_keys,
                    &mut tape.packed,
                    &mut tape.turned,
                );
                of_keys.iter_mut().zip(&tape.keys).for_each(|(g, u)| *g *= 1.0 - u * u);
                transpose(&tape.hidden, tokens, width, width, &mut tape.turned);
                tape.packed.fill(&of_keys, tokens, width, width, Side::Rows);
                multiply(
                    &tape.turned,
                    tokens,
                    width,
                    &tape.packed,
                    &mut gradient[shape.attend()],
                    width,
                    true,
                );
                multiply(&of_keys, width, tokens, &self.attend_back, &mut of_hidden, width, true);
            }
        }
        drop_out(&mut of_hidden, dropped.share, dropped.seed);
        // X·P
        transpose(input.vectors, tokens, deep, deep, &mut tape.turned);
        tape.packed.fill(&of_hidden, tokens, width, width, Side::Rows);
        multiply(&tape.turned, tokens, deep, &tape.packed, &mut gradient[shape.project()], width, true);
        multiply(&of_hidden, width, tokens, &self.project_back, of_vectors, deep, false);
        // tanh(X3·C + c)
        of_hidden.iter_mut().zip(&tape.bent).for_each(|(g, x)| *g *= 1.0 - x * x);
        sum_columns(&of_hidden, &mut gradient[shape.context_bias()]);
        transpose(&tape.wide, tokens, TAPS * deep, TAPS * deep, &mut tape.turned);
        tape.packed.fill(&of_hidden, tokens, width, width, Side::Rows);
        multiply(
            &tape.turned,
            tokens,
            TAPS * deep,
            &tape.packed,
            &mut gradient[shape.context()],
            width,
            true,
        );
        let mut of_wide = vec![0.0f32; tokens * TAPS * deep];
        multiply(&of_hidden, width, tokens, &self.context_back, &mut of_wide, TAPS * deep, false);
        each_neighbour(input.segments, |row, tap, from| {
            let slope = &of_wide[row * TAPS * deep + tap * deep..][..deep];
            let out = &mut of_vectors[from * deep..][..deep];
            out.iter_mut().zip(slope).for_each(|(o, s)| *o += s);
        });
    }

    /// Scores `rows · right` of some labels: the slopes of their rows and of the right-hand side.
    #[allow(clippy::too_many_arguments)]
    fn through(
        &self,
        part: Range<usize>,
        active: &[usize],
        slopes: &[f32],
        right: &[f32],
        tokens: usize,
        gradient: &mut [f32],
        of_right: &mut [f32],
        packed: &mut Packed,
        turned: &mut Vec<f32>,
    ) {
        let width = self.shape.width;
        let mut sums = vec![0.0f32; active.len() * width];
        packed.fill(right, tokens, width, width, Side::Rows);
        multiply(slopes, tokens, active.len(), packed, &mut sums, width, false);
        let out = &mut gradient[part.clone()];
        for (&l, sum) in active.iter().zip(sums.chunks_exact(width)) {
            out[l * width..][..width].iter_mut().zip(sum).for_each(|(o, s)| *o += s);
        }
        let rows = &self.numbers[part];
        for (&l, sum) in active.iter().zip(sums.chunks_exact_mut(width)) {
            sum.copy_from_slice(&rows[l * width..][..width]);
        }
        transpose(slopes, active.len(), tokens, tokens, turned);
        packed.fill(&sums, active.len(), width, width, Side::Rows);
        multiply(turned, active.len(), tokens, packed, of_right, width, true);
    }
}

fn tanh(x: f32) -> f32 {
    // Continued fraction, exact to 1e-6 between the bounds.
    let x = x.clamp(-4.9, 4.9);
    let s = x * x;
    x * (135_135.0 + s * (17_325.0 + s * (378.0 + s)))
        / (135_135.0 + s * (62_370.0 + s * (3_150.0 + s * 28.0)))
}

/// Calls with a row, the offset of a neighbour and the neighbour's row.
fn each_neighbour(segments: &[Range<usize>], mut see: impl FnMut(usize, usize, usize)) {
    for segment in segments {
        for row in segment.clone() {
            for tap in 0..TAPS {
                let from = (row + tap).wrapping_sub(TAPS / 2);
                if segment.contains(&from) {
                    see(row, tap, from);
                }
            }
        }
    }
}

fn neighbours(input: Input<'_>, deep: usize, wide: &mut Vec<f32>) {
    wide.clear();
    wide.resize(input.vectors.len() * TAPS, 0.0);
    each_neighbour(input.segments, |row, tap, from| {
        wide[row * TAPS * deep + tap * deep..][..deep].copy_from_slice(&input.vectors[from * deep..][..deep]);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::SplitMix64;

    #[test]
    fn the_way_back_is_that_of_finite_differences() {
        for pooling in [Pooling::Laat, Pooling::Mean, Pooling::Max] {
            let shape = Shape { input: 5, width: 4, labels: 3, pooling };
            let mut dice = SplitMix64::new(11);
            let numbers: Vec<f32> = (0..shape.numbers()).map(|_| dice.symmetric()).collect();
            let vectors: Vec<f32> = (0..7 * 5).map(|_| dice.symmetric()).collect();
            let segments = [0..4, 4..7];
            let bag = [0.5, -1.0, 0.25];
            let targets = [1.0f32, -0.5, 0.7];
            let dropped = Drop { share: 0.3, seed: 9 };
            // The loss is the logits weighted by the targets: their slopes are the targets.
            let value = |numbers: &[f32], vectors: &[f32]| {
                let net = Net::new(shape, numbers.to_vec());
                let mut tape = Tape::default();
                net.run(Input { vectors, segments: &segments, bag: &bag }, dropped, &mut tape);
                tape.logits.iter().zip(targets).map(|(z, t)| f64::from(z * t)).sum::<f64>()
            };
            let net = Net::new(shape, numbers.clone());
            let mut tape = Tape::default();
            let input = Input { vectors: &vectors, segments: &segments, bag: &bag };
            net.run(input, dropped, &mut tape);
            let mut gradient = vec![0.0; shape.numbers()];
            let mut of_vectors = Vec::new();
            net.back(input, dropped, &mut tape, &targets, 0.0, &mut gradient, &mut of_vectors);
            let check = |got: f32, up: f64, down: f64, what: &str| {
                let slope = (up - down) / 2e-2;
                assert!((f64::from(got) - slope).abs() < 5e-3, "{pooling:?} {what}: {got} {slope}");
            };
            for i in 0..numbers.len() {
                let moved = |by: f32| {
                    let mut numbers = numbers.clone();
                    numbers[i] += by;
                    value(&numbers, &vectors)
                };
                check(gradient[i], moved(1e-2), moved(-1e-2), &format!("number {i}"));
            }
            for i in 0..vectors.len() {
                let moved = |by: f32| {
                    let mut vectors = vectors.clone();
                    vectors[i] += by;
                    value(&numbers, &vectors)
                };
                check(of_vectors[i], moved(1e-2), moved(-1e-2), &format!("vector {i}"));
            }
        }
    }

    #[test]
    fn the_hyperbolic_tangent_is_close() {
        for i in -1000..=1000 {
            let x = i as f32 / 100.0;
            assert!((tanh(x) - x.tanh()).abs() < 2e-4, "{x}");
        }
    }

    #[test]
    fn a_document_without_words_has_its_bias_only() {
        let shape = Shape { input: 2, width: 2, labels: 2, pooling: Pooling::Laat };
        let mut numbers = vec![0.1; shape.numbers()];
        numbers[shape.bias()].copy_from_slice(&[-1.0, 2.0]);
        let mut tape = Tape::default();
        Net::new(shape, numbers).run(Input { vectors: &[], segments: &[], bag: &[] }, Drop::NONE, &mut tape);
        assert_eq!(tape.logits, [-1.0, 2.0]);
    }
}
