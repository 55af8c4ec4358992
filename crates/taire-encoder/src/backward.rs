//! The backward pass of an encoder: from the gradient of its output to those of its numbers.
//!
//! Everything is derived by hand for the one architecture there is; a test compares it with finite differences.
//! Attention is computed again rather than kept: it is the cheaper part and the larger memory.

use std::ops::Range;

use crate::encoder::{Dropout, Encoder, LayerTape, Scratch, Tape, probabilities};
use crate::math::{
    Packed, Side, axpy, drop_out, gelu_back, layer_norm_back, multiply, softmax_rows_back, sum_columns,
    transpose,
};
use crate::weights::{Shape, Tensor};

/// The matrices of an encoder packed for the backward pass.
pub struct Backward {
    layers: Vec<[Packed; 4]>,
}

impl std::fmt::Debug for Backward {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backward").field("layers", &self.layers.len()).finish()
    }
}

const MATRICES: [Tensor; 4] = [Tensor::QueryKeyValue, Tensor::Out, Tensor::Up, Tensor::Down];

/// Buffers of one thread, used again from step to step.
#[derive(Default)]
pub struct Workspace {
    scratch: Scratch,
    turned: Vec<f32>,
    packed: Packed,
    inner: Vec<f32>,
    branch: Vec<f32>,
    attention: Vec<f32>,
    context: Vec<f32>,
    score_gradient: Vec<f32>,
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Workspace")
    }
}

impl Backward {
    pub fn new(shape: &Shape, flat: &[f32]) -> Backward {
        let mut back = Backward { layers: Vec::new() };
        back.layers.resize_with(shape.layers, Default::default);
        back.update(shape, flat);
        back
    }

    pub fn update(&mut self, shape: &Shape, flat: &[f32]) {
        for (l, layer) in self.layers.iter_mut().enumerate() {
            for (packed, tensor) in layer.iter_mut().zip(MATRICES) {
                let values = &flat[shape.place(l, tensor)];
                let (rows, columns) = match tensor {
                    Tensor::QueryKeyValue => (3 * shape.width, shape.width),
                    Tensor::Up => (shape.inner, shape.width),
                    Tensor::Down => (shape.width, shape.inner),
                    _ => (shape.width, shape.width),
                };
                packed.fill(values, rows, columns, columns, Side::Rows);
            }
        }
    }

    /// Adds to `gradients` (laid out as the flat numbers). `gradient` comes in as that of the output and leaves as
    /// that of the embeddings before their norm, which is also that of [`crate::Batch::extra`].
    #[allow(clippy::too_many_arguments)]
    pub fn run(
        &self,
        encoder: &Encoder,
        sequences: &[Range<usize>],
        dropout: Dropout,
        tape: &Tape,
        gradient: &mut [f32],
        gradients: &mut [f32],
        work: &mut Workspace,
    ) {
        let shape = &encoder.shape;
        for l in (0..shape.layers).rev() {
            let seeds = [dropout.at(l, 0), dropout.at(l, 1)];
            let step = Step { shape, encoder, layer: l, tape: &tape.layers[l], packed: &self.layers[l] };
            step.run(sequences, (dropout.share, seeds), gradient, gradients, work);
        }
        drop_out(gradient, dropout.share, dropout.at(shape.layers, 0));
        let [scale, _] = encoder.norm();
        let (a, b) = gradients[..2 * shape.width].split_at_mut(shape.width);
        layer_norm_back(gradient, scale, &tape.normal, &tape.inverse, a, b);
    }
}

struct Step<'a> {
    shape: &'a Shape,
    encoder: &'a Encoder,
    layer: usize,
    tape: &'a LayerTape,
    packed: &'a [Packed; 4],
}

impl Step<'_> {
    fn of<'g>(&self, gradients: &'g mut [f32], tensor: Tensor) -> &'g mut [f32] {
        &mut gradients[self.shape.place(self.layer, tensor)]
    }

    /// Gradients of a matrix and its bias: what came out times what went in.
    #[allow(clippy::too_many_arguments)]
    fn weigh(
        &self,
        out: &[f32],
        out_width: usize,
        input: &[f32],
        in_width: usize,
        tensors: [Tensor; 2],
        gradients: &mut [f32],
        (turned, packed): (&mut Vec<f32>, &mut Packed),
    ) {
        let rows = out.len() / out_width;
        sum_columns(out, self.of(gradients, tensors[1]));
        transpose(out, rows, out_width, out_width, turned);
        packed.fill(input, rows, in_width, in_width, Side::Rows);
        let target = self.of(gradients, tensors[0]);
        multiply(turned, rows, out_width, packed, target, in_width, true);
    }

    fn run(
        &self,
        sequences: &[Range<usize>],
        (share, seeds): (f32, [u32; 2]),
        gradient: &mut [f32],
        gradients: &mut [f32],
        work: &mut Workspace,
    ) {
        let (w, f) = (self.shape.width, self.shape.inner);
        let rows = gradient.len() / w;
        let vectors = &self.encoder.layers[self.layer].vectors;
        let Workspace { scratch, turned, packed, inner, branch, attention, context, score_gradient } = work;
        let [query_key_value, out, up, down] = self.packed;

        let (mut a, mut b) = (vec![0.0; w], vec![0.0; w]);
        let (normal, inverse) = (&self.tape.end_normal, &self.tape.end_inverse);
        layer_norm_back(gradient, &vectors.end[0], normal, inverse, &mut a, &mut b);
        axpy(1.0, &a, self.of(gradients, Tensor::EndScale));
        axpy(1.0, &b, self.of(gradients, Tensor::EndShift));

        branch.clear();
        branch.extend_from_slice(gradient);
        drop_out(branch, share, seeds[1]);
        let names = [Tensor::Down, Tensor::DownBias];
        self.weigh(branch, w, &self.tape.active, f, names, gradients, (turned, packed));
        inner.resize(rows * f, 0.0);
        multiply(branch, w, rows, down, inner, f, false);
        gelu_back(&self.tape.up, inner);
        let names = [Tensor::Up, Tensor::UpBias];
        self.weigh(inner, f, &self.tape.middle, w, names, gradients, (turned, packed));
        multiply(inner, f, rows, up, gradient, w, true);

        a.fill(0.0);
        b.fill(0.0);
        let (normal, inverse) = (&self.tape.middle_normal, &self.tape.middle_inverse);
        layer_norm_back(gradient, &vectors.middle[0], normal, inverse, &mut a, &mut b);
        axpy(1.0, &a, self.of(gradients, Tensor::MiddleScale));
        axpy(1.0, &b, self.of(gradients, Tensor::MiddleShift));

        branch.clear();
        branch.extend_from_slice(gradient);
        drop_out(branch, share, seeds[0]);
        let names = [Tensor::Out, Tensor::OutBias];
        self.weigh(branch, w, &self.tape.context, w, names, gradients, (turned, packed));
        context.resize(rows * w, 0.0);
        multiply(branch, w, rows, out, context, w, false);
        attention.resize(rows * 3 * w, 0.0);
        for sequence in sequences {
            self.attend_back(sequence, context, attention, (scratch, turned, score_gradient));
        }
        let names = [Tensor::QueryKeyValue, Tensor::QueryKeyValueBias];
        self.weigh(attention, 3 * w, &self.tape.input, w, names, gradients, (turned, packed));
        multiply(attention, 3 * w, rows, query_key_value, gradient, w, true);
    }

    fn attend_back(
        &self,
        sequence: &Range<usize>,
        context: &[f32],
        attention: &mut [f32],
        (scratch, turned, gradient): (&mut Scratch, &mut Vec<f32>, &mut Vec<f32>),
    ) {
        let (w, d) = (self.shape.width, self.shape.head());
        let (n, stride) = (sequence.len(), 3 * w);
        let rows = &self.tape.query_key_value[sequence.start * stride..];
        let context = &context[sequence.start * w..];
        let attention = &mut attention[sequence.start * stride..];
        for head in 0..self.shape.heads {
            let at = head * d;
            probabilities(self.shape, rows, n, head, scratch);
            let Scratch { packed, scores, .. } = scratch;
            // To the values.
            transpose(scores, n, n, n, turned);
            packed.fill(&context[at..], n, d, w, Side::Rows);
            multiply(turned, n, n, packed, &mut attention[2 * w + at..], stride, false);
            // To the scores.
            packed.fill(&rows[2 * w + at..], d, n, stride, Side::Columns);
            gradient.resize(n * n, 0.0);
            multiply(&context[at..], w, n, packed, gradient, n, false);
            softmax_rows_back(scores, n, 1.0 / (d as f32).sqrt(), gradient);
            // To the queries and the keys.
            packed.fill(&rows[w + at..], n, d, stride, Side::Rows);
            multiply(gradient, n, n, packed, &mut attention[at..], stride, false);
            transpose(gradient, n, n, n, turned);
            packed.fill(&rows[at..], n, d, stride, Side::Rows);
            multiply(turned, n, n, packed, &mut attention[w + at..], stride, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, Weights};

    #[test]
    fn gradients_are_those_of_finite_differences() {
        let shape = Shape {
            layers: 2,
            width: 8,
            heads: 2,
            inner: 12,
            vocabulary: 11,
            positions: 9,
            first_position: 0,
            epsilon: 1e-5,
        };
        let weights = Weights::random(shape, 5);
        let pieces = [1, 4, 7, 2, 10, 3, 3];
        let sequences = [0..4, 4..7];
        let extra: Vec<f32> = (0..pieces.len() * 8).map(|i| (i as f32 * 0.37).sin() * 0.1).collect();
        let aim: Vec<f32> = (0..pieces.len() * 8).map(|i| (i as f32 * 1.7).cos()).collect();
        let dropout = Dropout { share: 0.2, seed: 3 };
        let value = |flat: &[f32], extra: &[f32]| {
            let encoder = Encoder::new(Weights { flat: flat.to_vec(), ..weights.clone() });
            let mut tape = Tape::default();
            let batch = Batch { pieces: &pieces, sequences: &sequences, extra };
            encoder.run(batch, dropout, true, &mut tape);
            let sum = tape.output.iter().zip(&aim).map(|(a, b)| f64::from(a * b)).sum::<f64>();
            (sum, encoder, tape)
        };
        let (_, encoder, tape) = value(&weights.flat, &extra);
        let mut gradients = vec![0.0; weights.flat.len()];
        let mut gradient = aim.clone();
        let mut work = Workspace::default();
        let back = Backward::new(&shape, &weights.flat);
        back.run(&encoder, &sequences, dropout, &tape, &mut gradient, &mut gradients, &mut work);
        let close = |mine: f32, up: f64, down: f64, what: &str| {
            let plain = (up - down) / 2e-3;
            assert!((f64::from(mine) - plain).abs() < 2e-2 + plain.abs() * 2e-2, "{what}: {mine} {plain}");
        };
        for i in (0..weights.flat.len()).step_by(3) {
            let mut flat = weights.flat.clone();
            flat[i] += 1e-3;
            let up = value(&flat, &extra).0;
            flat[i] -= 2e-3;
            close(gradients[i], up, value(&flat, &extra).0, &format!("number {i}"));
        }
        for i in 0..extra.len() {
            let mut moved = extra.clone();
            moved[i] += 1e-3;
            let up = value(&weights.flat, &moved).0;
            moved[i] -= 2e-3;
            close(gradient[i], up, value(&weights.flat, &moved).0, &format!("embedding {i}"));
        }
    }

    #[test]
    fn a_sequence_does_not_see_its_neighbours_in_the_batch() {
        let shape = Shape {
            layers: 2,
            width: 8,
            heads: 2,
            inner: 12,
            vocabulary: 11,
            positions: 9,
            first_position: 2,
            epsilon: 1e-5,
        };
        let encoder = Encoder::new(Weights::random(shape, 6));
        let (mut alone, mut both) = (Tape::default(), Tape::default());
        let one = std::slice::from_ref(&(0..3));
        encoder.run(
            Batch { pieces: &[1, 2, 3], sequences: one, extra: &[] },
            Dropout::NONE,
            false,
            &mut alone,
        );
        let batch = Batch { pieces: &[9, 8, 7, 6, 1, 2, 3], sequences: &[0..4, 4..7], extra: &[] };
        encoder.run(batch, Dropout::NONE, false, &mut both);
        assert_eq!(alone.output, both.output[4 * 8..]);
    }
}
