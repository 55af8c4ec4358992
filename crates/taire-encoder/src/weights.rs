//! The numbers of an encoder: tables of embeddings, and one flat vector of everything that training may change.
//!
//! One shape serves all the families that are read: BERT, RoBERTa, CamemBERT, XLM-R, MiniLM and FlauBERT normalise
//! after each half of a layer; they differ in names, in where positions begin, and in whether there are segments.

use std::ops::Range;

/// The sizes of an encoder.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shape {
    pub layers: usize,
    pub width: usize,
    pub heads: usize,
    /// Width of the inner part of each layer.
    pub inner: usize,
    pub vocabulary: usize,
    pub positions: usize,
    /// The position of the first piece: RoBERTa and its kin begin after the padding's number.
    pub first_position: usize,
    pub epsilon: f32,
}

impl Shape {
    /// How many pieces one sequence may hold.
    pub fn longest(&self) -> usize {
        self.positions - self.first_position
    }

    /// Width of one head.
    pub fn head(&self) -> usize {
        self.width / self.heads
    }

    /// How many numbers [`Weights::flat`] holds.
    pub fn flat(&self) -> usize {
        2 * self.width + self.layers * self.layer_size()
    }

    fn layer_size(&self) -> usize {
        self.tensors().iter().map(|(_, rows, columns)| rows * columns).sum()
    }

    /// The tensors of one layer in order, with rows and columns; vectors have one row.
    pub fn tensors(&self) -> [(Tensor, usize, usize); 12] {
        use Tensor::*;
        let (w, f) = (self.width, self.inner);
        [
            (QueryKeyValue, 3 * w, w),
            (QueryKeyValueBias, 1, 3 * w),
            (Out, w, w),
            (OutBias, 1, w),
            (MiddleScale, 1, w),
            (MiddleShift, 1, w),
            (Up, f, w),
            (UpBias, 1, f),
            (Down, w, f),
            (DownBias, 1, w),
            (EndScale, 1, w),
            (EndShift, 1, w),
        ]
    }

    /// Where the scale and the shift of the embeddings' norm are in the flat vector.
    pub fn embedding_norm(&self) -> [Range<usize>; 2] {
        [0..self.width, self.width..2 * self.width]
    }

    /// Where a tensor of a layer is in the flat vector.
    pub fn place(&self, layer: usize, tensor: Tensor) -> Range<usize> {
        let mut start = 2 * self.width + layer * self.layer_size();
        for (which, rows, columns) in self.tensors() {
            if which == tensor {
                return start..start + rows * columns;
            }
            start += rows * columns;
        }
        start..start
    }
}

/// The tensors of one layer. Matrices are output by input, as published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tensor {
    /// Query, key and value in one matrix, below each other.
    QueryKeyValue,
    QueryKeyValueBias,
    Out,
    OutBias,
    MiddleScale,
    MiddleShift,
    Up,
    UpBias,
    Down,
    DownBias,
    EndScale,
    EndShift,
}

impl Tensor {
    /// Whether it is a matrix, which training pulls towards zero.
    pub fn is_matrix(self) -> bool {
        matches!(self, Tensor::QueryKeyValue | Tensor::Out | Tensor::Up | Tensor::Down)
    }
}

/// An encoder's numbers.
#[derive(Clone, PartialEq)]
pub struct Weights {
    pub shape: Shape,
    /// One row a piece.
    pub words: Vec<f32>,
    /// One row a position.
    pub positions: Vec<f32>,
    /// What is added to every piece: the first segment's row, or zeros.
    pub segment: Vec<f32>,
    /// Norms, matrices and biases, see [`Shape::place`].
    pub flat: Vec<f32>,
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Weights").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl Weights {
    pub fn tensor(&self, layer: usize, tensor: Tensor) -> &[f32] {
        &self.flat[self.shape.place(layer, tensor)]
    }

    /// Keeps the first layers only.
    pub fn keep_layers(&mut self, layers: usize) {
        self.shape.layers = layers.min(self.shape.layers);
        self.flat.truncate(self.shape.flat());
    }

    /// Small random numbers, for tests and for training from nothing.
    pub fn random(shape: Shape, seed: u64) -> Weights {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            ((state >> 40) as f32 / (1 << 24) as f32 - 0.5) * 0.2
        };
        let mut some = |count: usize| (0..count).map(|_| next()).collect::<Vec<f32>>();
        let mut weights = Weights {
            words: some(shape.vocabulary * shape.width),
            positions: some(shape.positions * shape.width),
            segment: some(shape.width),
            flat: some(shape.flat()),
            shape,
        };
        let mut scales = vec![shape.embedding_norm()[0].clone()];
        for layer in 0..shape.layers {
            scales.push(shape.place(layer, Tensor::MiddleScale));
            scales.push(shape.place(layer, Tensor::EndScale));
        }
        for range in scales {
            weights.flat[range].iter_mut().for_each(|x| *x += 1.0);
        }
        weights
    }
}
