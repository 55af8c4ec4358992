//! From pieces to vectors.
//!
//! Sequences of a batch lie one after the other, without padding: matrices are multiplied for all of them at once,
//! attention stays within each. One call runs on one thread.
//!
//! [`Encoder::new`] keeps its matrices as floats, for training and to compare with other programs; [`Encoder::quantised`]
//! keeps them as whole numbers of eight bits, for reading.

use std::ops::Range;

use crate::math::{
    Packed, QuantisedMatrix, Side, add_rows, axpy, drop_out, gelu, layer_norm, multiply, multiply_quantised,
    softmax_rows,
};
use crate::weights::{Shape, Tensor, Weights};

/// An encoder ready to run: its matrices packed.
pub struct Encoder {
    pub(crate) shape: Shape,
    words: Vec<f32>,
    positions: Vec<f32>,
    segment: Vec<f32>,
    norm: [Vec<f32>; 2],
    numbers: Numbers,
    pub(crate) layers: Vec<Layer>,
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoder").field("shape", &self.shape).finish_non_exhaustive()
    }
}

/// A weight matrix of a layer.
enum Matrix {
    Floats(Packed),
    Quantised(QuantisedMatrix),
}

impl Matrix {
    fn new(columns: &[f32], depth: usize, width: usize, numbers: Numbers) -> Matrix {
        match numbers {
            Numbers::Floats => Matrix::Floats(Packed::new(columns, depth, width, depth, Side::Columns)),
            Numbers::Quantised => Matrix::Quantised(QuantisedMatrix::from_columns(columns, depth, width)),
        }
    }

    /// `out = rows · matrix + bias`.
    fn apply(&self, rows: &[f32], bias: &[f32], out: &mut [f32]) {
        match self {
            Matrix::Floats(packed) => {
                let (depth, width) = (packed.depth(), packed.width());
                multiply(rows, depth, rows.len() / depth, packed, out, width, false);
                add_rows(out, bias);
            }
            Matrix::Quantised(matrix) => multiply_quantised(rows, matrix, bias, out),
        }
    }
}

/// How weight matrices are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Numbers {
    Floats,
    Quantised,
}

pub(crate) struct Layer {
    query_key_value: Matrix,
    out: Matrix,
    up: Matrix,
    down: Matrix,
    /// By [`Tensor`]: the vectors only.
    pub(crate) vectors: Vectors,
}

pub(crate) struct Vectors {
    query_key_value: Vec<f32>,
    out: Vec<f32>,
    pub(crate) middle: [Vec<f32>; 2],
    up: Vec<f32>,
    down: Vec<f32>,
    pub(crate) end: [Vec<f32>; 2],
}

/// Pieces of several sequences, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    pub pieces: &'a [u32],
    /// Where each sequence lies; together they cover the pieces.
    pub sequences: &'a [Range<usize>],
    /// Added to the embeddings, one row a piece, or empty.
    pub extra: &'a [f32],
}

/// Numbers that training sets to zero: which share, and by which seed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dropout {
    pub share: f32,
    pub seed: u32,
}

impl Dropout {
    pub const NONE: Dropout = Dropout { share: 0.0, seed: 0 };

    pub(crate) fn at(self, layer: usize, half: u32) -> u32 {
        let mixed = self.seed ^ (layer as u32 * 2 + half + 1).wrapping_mul(0x9e37_79b9);
        (mixed ^ mixed >> 15).wrapping_mul(0x2c1b_3c6d)
    }
}

/// What a run leaves behind: the last layer's vectors, and what the backward pass needs of every layer.
#[derive(Default)]
pub struct Tape {
    /// One row a piece: the encoder's output.
    pub output: Vec<f32>,
    pub(crate) normal: Vec<f32>,
    pub(crate) inverse: Vec<f32>,
    pub(crate) layers: Vec<LayerTape>,
    scratch: Scratch,
}

impl std::fmt::Debug for Tape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tape").field("numbers", &self.output.len()).finish_non_exhaustive()
    }
}

#[derive(Default)]
pub(crate) struct LayerTape {
    pub(crate) input: Vec<f32>,
    pub(crate) query_key_value: Vec<f32>,
    pub(crate) context: Vec<f32>,
    pub(crate) middle_normal: Vec<f32>,
    pub(crate) middle_inverse: Vec<f32>,
    pub(crate) middle: Vec<f32>,
    pub(crate) up: Vec<f32>,
    pub(crate) active: Vec<f32>,
    pub(crate) end_normal: Vec<f32>,
    pub(crate) end_inverse: Vec<f32>,
}

#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) packed: Packed,
    pub(crate) scores: Vec<f32>,
    queries: Vec<f32>,
}

impl Encoder {
    pub fn new(weights: Weights) -> Encoder {
        Encoder::with(weights, Numbers::Floats)
    }

    /// An encoder whose products are of whole numbers: several times as fast, and right to some four digits where the
    /// weights were stored as eight bits. It has no backward pass.
    pub fn quantised(weights: Weights) -> Encoder {
        Encoder::with(weights, Numbers::Quantised)
    }

    fn with(weights: Weights, numbers: Numbers) -> Encoder {
        let shape = weights.shape;
        let layer = |layer| Layer::from_flat(&shape, &weights.flat, layer, numbers);
        let layers = (0..shape.layers).map(layer).collect();
        let norm = shape.embedding_norm().map(|range| weights.flat[range].to_vec());
        let Weights { words, positions, segment, .. } = weights;
        Encoder { shape, words, positions, segment, norm, numbers, layers }
    }

    pub(crate) fn norm(&self) -> &[Vec<f32>; 2] {
        &self.norm
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Takes changed numbers; the embeddings stay.
    pub fn update(&mut self, flat: &[f32]) {
        self.norm = self.shape.embedding_norm().map(|range| flat[range].to_vec());
        for (layer, built) in self.layers.iter_mut().enumerate() {
            *built = Layer::from_flat(&self.shape, flat, layer, self.numbers);
        }
    }

    /// Runs the encoder. With `keep` the tape holds what [`crate::Backward`] needs.
    pub fn run(&self, batch: Batch<'_>, dropout: Dropout, keep: bool, tape: &mut Tape) {
        tape.layers.resize_with(if keep { self.shape.layers } else { 1 }, LayerTape::default);
        self.start(batch, dropout, tape);
        let Tape { output, layers, scratch, .. } = tape;
        for (l, layer) in self.layers.iter().enumerate() {
            let tape = &mut layers[if keep { l } else { 0 }];
            let seeds = [dropout.at(l, 0), dropout.at(l, 1)];
            layer.run(&self.shape, batch.sequences, (dropout.share, seeds), output, tape, scratch);
        }
    }

    /// Runs the encoder for the vectors of some pieces only: the tape's output has one row for each of `wanted`, which
    /// are in order. All pieces are read, but the last layer's vectors of the others are not computed.
    pub fn run_for(&self, batch: Batch<'_>, wanted: &[usize], tape: &mut Tape) {
        tape.layers.resize_with(1, LayerTape::default);
        self.start(batch, Dropout::NONE, tape);
        let Tape { output, layers, scratch, .. } = tape;
        let Some((last, first)) = self.layers.split_last() else { return };
        for layer in first {
            layer.run(&self.shape, batch.sequences, (0.0, [0; 2]), output, &mut layers[0], scratch);
        }
        last.run_for(&self.shape, batch.sequences, wanted, output, &mut layers[0], scratch);
    }

    /// Embeds the pieces.
    fn start(&self, batch: Batch<'_>, dropout: Dropout, tape: &mut Tape) {
        let rows = batch.pieces.len();
        self.embed(batch, &mut tape.output);
        tape.normal.resize(rows * self.shape.width, 0.0);
        tape.inverse.resize(rows, 0.0);
        let [scale, shift] = &self.norm;
        let Tape { output, normal, inverse, .. } = tape;
        layer_norm(output, scale, shift, self.shape.epsilon, normal, inverse);
        drop_out(output, dropout.share, dropout.at(self.shape.layers, 0));
    }

    fn embed(&self, batch: Batch<'_>, out: &mut Vec<f32>) {
        let width = self.shape.width;
        out.clear();
        out.resize(batch.pieces.len() * width, 0.0);
        for sequence in batch.sequences {
            for (i, at) in sequence.clone().enumerate() {
                let row = &mut out[at * width..(at + 1) * width];
                let place = i + self.shape.first_position;
                row.copy_from_slice(&self.words[batch.pieces[at] as usize * width..][..width]);
                axpy(1.0, &self.positions[place * width..][..width], row);
                axpy(1.0, &self.segment, row);
            }
        }
        if !batch.extra.is_empty() {
            axpy(1.0, batch.extra, out);
        }
    }
}

impl Layer {
    fn from_flat(shape: &Shape, flat: &[f32], layer: usize, numbers: Numbers) -> Layer {
        let tensor = |which| &flat[shape.place(layer, which)];
        let (w, f) = (shape.width, shape.inner);
        let matrix = |which, depth, width| Matrix::new(tensor(which), depth, width, numbers);
        let vector = |which| tensor(which).to_vec();
        Layer {
            query_key_value: matrix(Tensor::QueryKeyValue, w, 3 * w),
            out: matrix(Tensor::Out, w, w),
            up: matrix(Tensor::Up, w, f),
            down: matrix(Tensor::Down, f, w),
            vectors: Vectors {
                query_key_value: vector(Tensor::QueryKeyValueBias),
                out: vector(Tensor::OutBias),
                middle: [vector(Tensor::MiddleScale), vector(Tensor::MiddleShift)],
                up: vector(Tensor::UpBias),
                down: vector(Tensor::DownBias),
                end: [vector(Tensor::EndScale), vector(Tensor::EndShift)],
            },
        }
    }

    /// `x` is the layer's input and becomes its output.
    fn run(
        &self,
        shape: &Shape,
        sequences: &[Range<usize>],
        dropout: (f32, [u32; 2]),
        x: &mut [f32],
        tape: &mut LayerTape,
        scratch: &mut Scratch,
    ) {
        tape.resize(x.len() / shape.width, shape.width, shape.inner);
        tape.input.copy_from_slice(x);
        self.query_key_value.apply(x, &self.vectors.query_key_value, &mut tape.query_key_value);
        for sequence in sequences {
            attend(shape, &tape.query_key_value, sequence, &mut tape.context, scratch);
        }
        self.transform(shape, dropout, x, tape);
    }

    /// The same for some rows only; `x` becomes as many rows as are wanted.
    fn run_for(
        &self,
        shape: &Shape,
        sequences: &[Range<usize>],
        wanted: &[usize],
        x: &mut Vec<f32>,
        tape: &mut LayerTape,
        scratch: &mut Scratch,
    ) {
        let w = shape.width;
        tape.resize(x.len() / w, w, shape.inner);
        self.query_key_value.apply(x, &self.vectors.query_key_value, &mut tape.query_key_value);
        let mut done = 0;
        for sequence in sequences {
            let end = wanted.partition_point(|&at| at < sequence.end);
            let queries = &wanted[done..end];
            attend_for(
                shape,
                &tape.query_key_value,
                sequence,
                queries,
                &mut tape.context[done * w..],
                scratch,
            );
            done = end;
        }
        tape.resize(wanted.len(), w, shape.inner);
        for (input, &at) in tape.input.chunks_exact_mut(w).zip(wanted) {
            input.copy_from_slice(&x[at * w..(at + 1) * w]);
        }
        x.truncate(wanted.len() * w);
        self.transform(shape, (0.0, [0; 2]), x, tape);
    }

    /// From the attention's vectors in the tape to the layer's output, row by row.
    fn transform(&self, shape: &Shape, (share, seeds): (f32, [u32; 2]), x: &mut [f32], tape: &mut LayerTape) {
        let v = &self.vectors;
        self.out.apply(&tape.context, &v.out, x);
        drop_out(x, share, seeds[0]);
        axpy(1.0, &tape.input, x);
        let [scale, shift] = &v.middle;
        layer_norm(x, scale, shift, shape.epsilon, &mut tape.middle_normal, &mut tape.middle_inverse);
        tape.middle.copy_from_slice(x);
        self.up.apply(x, &v.up, &mut tape.up);
        gelu(&tape.up, &mut tape.active);
        self.down.apply(&tape.active, &v.down, x);
        drop_out(x, share, seeds[1]);
        axpy(1.0, &tape.middle, x);
        let [scale, shift] = &v.end;
        layer_norm(x, scale, shift, shape.epsilon, &mut tape.end_normal, &mut tape.end_inverse);
    }
}

impl LayerTape {
    fn resize(&mut self, rows: usize, width: usize, inner: usize) {
        for buffer in [
            &mut self.input,
            &mut self.context,
            &mut self.middle_normal,
            &mut self.middle,
            &mut self.end_normal,
        ] {
            buffer.resize(rows * width, 0.0);
        }
        self.query_key_value.resize(rows * 3 * width, 0.0);
        self.up.resize(rows * inner, 0.0);
        self.active.resize(rows * inner, 0.0);
        self.middle_inverse.resize(rows, 0.0);
        self.end_inverse.resize(rows, 0.0);
    }
}

/// Attention within one sequence, head by head.
fn attend(
    shape: &Shape,
    query_key_value: &[f32],
    sequence: &Range<usize>,
    context: &mut [f32],
    scratch: &mut Scratch,
) {
    let (w, d) = (shape.width, shape.head());
    let (length, stride) = (sequence.len(), 3 * w);
    let rows = &query_key_value[sequence.start * stride..];
    for head in 0..shape.heads {
        probabilities(shape, rows, length, head, scratch);
        scratch.packed.fill(&rows[2 * w + head * d..], length, d, stride, Side::Rows);
        let out = &mut context[sequence.start * w + head * d..];
        multiply(&scratch.scores, length, length, &scratch.packed, out, w, false);
    }
}

/// The same for some queries of the sequence; their vectors are written one after the other.
fn attend_for(
    shape: &Shape,
    query_key_value: &[f32],
    sequence: &Range<usize>,
    queries: &[usize],
    context: &mut [f32],
    scratch: &mut Scratch,
) {
    let (w, d) = (shape.width, shape.head());
    let (length, stride, count) = (sequence.len(), 3 * w, queries.len());
    if count == 0 {
        return;
    }
    let rows = &query_key_value[sequence.start * stride..];
    let Scratch { packed, scores, queries: gathered } = scratch;
    gathered.clear();
    for &at in queries {
        gathered.extend_from_slice(&query_key_value[at * stride..][..w]);
    }
    for head in 0..shape.heads {
        packed.fill(&rows[w + head * d..], d, length, stride, Side::Columns);
        scores.resize(count * length, 0.0);
        multiply(&gathered[head * d..], w, count, packed, scores, length, false);
        softmax_rows(scores, length, 1.0 / (d as f32).sqrt());
        packed.fill(&rows[2 * w + head * d..], length, d, stride, Side::Rows);
        multiply(scores, length, count, packed, &mut context[head * d..], w, false);
    }
}

/// Who looks at whom, left in the scratch's scores.
pub(crate) fn probabilities(shape: &Shape, rows: &[f32], length: usize, head: usize, scratch: &mut Scratch) {
    let (w, d) = (shape.width, shape.head());
    scratch.packed.fill(&rows[w + head * d..], d, length, 3 * w, Side::Columns);
    scratch.scores.resize(length * length, 0.0);
    multiply(&rows[head * d..], 3 * w, length, &scratch.packed, &mut scratch.scores, length, false);
    softmax_rows(&mut scratch.scores, length, 1.0 / (d as f32).sqrt());
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        layers: 3,
        width: 32,
        heads: 4,
        inner: 64,
        vocabulary: 50,
        positions: 40,
        first_position: 0,
        epsilon: 1e-12,
    };

    #[test]
    fn wanted_pieces_and_eight_bits_change_little() {
        let weights = Weights::random(SHAPE, 5);
        let pieces: Vec<u32> = (0..40).map(|i| i * 17 % 50).collect();
        let sequences = [0..21, 21..22, 22..40];
        let batch = Batch { pieces: &pieces, sequences: &sequences, extra: &[] };
        let (mut all, mut some) = (Tape::default(), Tape::default());
        let floats = Encoder::new(weights.clone());
        floats.run(batch, Dropout::NONE, false, &mut all);
        for (wanted, encoder, limit) in [
            (&[0, 3, 20, 22, 39][..], &floats, 1e-5),
            (&[23], &floats, 1e-5),
            (&[0, 3, 21, 39], &Encoder::quantised(weights), 0.1),
        ] {
            encoder.run_for(batch, wanted, &mut some);
            assert_eq!(some.output.len(), wanted.len() * SHAPE.width);
            for (row, &at) in some.output.chunks_exact(SHAPE.width).zip(wanted) {
                let whole = &all.output[at * SHAPE.width..(at + 1) * SHAPE.width];
                assert!(row.iter().zip(whole).all(|(a, b)| (a - b).abs() < limit), "{at}");
            }
        }
    }
}
