//! The network: sums of table rows, residual dilated convolutions, scores of labels and roles.
//!
//! A layer is `x + GELU(convolution(norm(x)))` with a kernel of three words, `dilation` apart. A word's scores depend
//! on the words within [`NetShape::reach`] alone, so a long document is read in windows with the same result.

use std::ops::{ControlFlow, Range};

use serde::{Deserialize, Serialize};
use taire_encoder::math::{Packed, Side, add_rows, axpy, gelu, layer_norm, multiply};

use super::features::{Buckets, Rows};

pub(crate) const EPSILON: f32 = 1e-5;
/// Words read at once.
const WINDOW: usize = 1024;

/// The sizes of a network.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct NetShape {
    pub(crate) buckets: Buckets,
    pub(crate) width: usize,
    pub(crate) dilations: Vec<usize>,
    /// Scores of a word: labels, then roles.
    pub(crate) outputs: usize,
}

/// Where the numbers of one layer lie among the dense ones.
pub(crate) struct LayerPlace {
    pub(crate) scale: Range<usize>,
    pub(crate) shift: Range<usize>,
    pub(crate) weights: Range<usize>,
    pub(crate) bias: Range<usize>,
}

impl NetShape {
    fn place(&self, start: usize, depth: usize, outputs: usize) -> LayerPlace {
        let scale = start..start + self.width;
        let shift = scale.end..scale.end + self.width;
        let weights = shift.end..shift.end + depth * outputs;
        let bias = weights.end..weights.end + outputs;
        LayerPlace { scale, shift, weights, bias }
    }

    fn layer_len(&self) -> usize {
        3 * self.width * self.width + 3 * self.width
    }

    pub(crate) fn layer(&self, layer: usize) -> LayerPlace {
        self.place(layer * self.layer_len(), 3 * self.width, self.width)
    }

    pub(crate) fn head(&self) -> LayerPlace {
        self.place(self.dilations.len() * self.layer_len(), self.width, self.outputs)
    }

    /// How many dense numbers there are.
    pub(crate) fn dense(&self) -> usize {
        self.head().bias.end
    }

    pub(crate) fn table(&self) -> usize {
        self.buckets.rows() * self.width
    }

    /// How far away a word can be that changes another's scores.
    pub(crate) fn reach(&self) -> usize {
        self.dilations.iter().sum()
    }
}

/// A network with its numbers.
#[derive(Clone)]
pub(crate) struct Network {
    pub(crate) shape: NetShape,
    pub(crate) table: Vec<f32>,
    pub(crate) dense: Vec<f32>,
    /// Weights of the layers and of the head, ready for products.
    pub(crate) packed: Vec<Packed>,
}

/// Buffers of the forward pass.
#[derive(Default, Debug)]
pub(crate) struct Buffers {
    x: Vec<f32>,
    normal: Vec<f32>,
    inverse: Vec<f32>,
    columns: Vec<f32>,
    sums: Vec<f32>,
    active: Vec<f32>,
    scores: Vec<f32>,
}

impl Network {
    pub(crate) fn new(shape: NetShape, table: Vec<f32>, dense: Vec<f32>) -> Network {
        let mut network = Network { shape, table, dense, packed: Vec::new() };
        network.repack();
        network
    }

    /// Brings the packed weights up to date with the dense numbers.
    pub(crate) fn repack(&mut self) {
        let Network { shape, dense, packed, .. } = self;
        packed.resize_with(shape.dilations.len() + 1, Packed::default);
        let width = shape.width;
        for (i, packed) in packed.iter_mut().enumerate() {
            let (place, depth, outputs) = match i < shape.dilations.len() {
                true => (shape.layer(i), 3 * width, width),
                false => (shape.head(), width, shape.outputs),
            };
            packed.fill(&dense[place.weights], depth, outputs, outputs, Side::Rows);
        }
    }

    /// Sums the rows of some words.
    pub(crate) fn embed(&self, rows: &Rows, words: Range<usize>, x: &mut Vec<f32>) {
        let width = self.shape.width;
        x.clear();
        x.resize(words.len() * width, 0.0);
        for (word, x) in words.zip(x.chunks_exact_mut(width)) {
            for &row in rows.of(word, true) {
                let row = &self.table[row as usize * width..][..width];
                x.iter_mut().zip(row).for_each(|(x, r)| *x += r);
            }
        }
    }

    /// The scores of all words, `outputs` for each, handed over in order, a window at a time, for as long as `see` wants more.
    pub(crate) fn run(
        &self,
        rows: &Rows,
        buffers: &mut Buffers,
        mut see: impl FnMut(&[f32]) -> ControlFlow<()>,
    ) {
        let (count, reach) = (rows.len(), self.shape.reach());
        let mut from = 0;
        while from < count {
            let to = if count - from <= WINDOW + reach { count } else { from + WINDOW };
            let (first, last) = (from.saturating_sub(reach), (to + reach).min(count));
            self.embed(rows, first..last, &mut buffers.x);
            self.forward(buffers);
            let outputs = self.shape.outputs;
            if see(&buffers.scores[(from - first) * outputs..(to - first) * outputs]).is_break() {
                return;
            }
            from = to;
        }
    }

    /// The same without windows.
    #[cfg(test)]
    pub(crate) fn run_at_once(&self, rows: &Rows) -> Vec<f32> {
        let mut buffers = Buffers::default();
        self.embed(rows, 0..rows.len(), &mut buffers.x);
        self.forward(&mut buffers);
        buffers.scores
    }

    fn forward(&self, buffers: &mut Buffers) {
        let width = self.shape.width;
        let Buffers { x, normal, inverse, columns, sums, active, scores } = buffers;
        let count = x.len() / width;
        for buffer in [&mut *normal, &mut *sums, &mut *active] {
            buffer.resize(count * width, 0.0);
        }
        inverse.resize(count, 0.0);
        for (i, &dilation) in self.shape.dilations.iter().enumerate() {
            let place = self.shape.layer(i);
            sums.copy_from_slice(x);
            let (scale, shift) = (&self.dense[place.scale], &self.dense[place.shift]);
            layer_norm(sums, scale, shift, EPSILON, normal, inverse);
            gather(sums, width, dilation, columns);
            multiply(columns, 3 * width, count, &self.packed[i], sums, width, false);
            add_rows(sums, &self.dense[place.bias]);
            gelu(sums, active);
            axpy(1.0, active, x);
        }
        let place = self.shape.head();
        let (scale, shift) = (&self.dense[place.scale], &self.dense[place.shift]);
        layer_norm(x, scale, shift, EPSILON, normal, inverse);
        let outputs = self.shape.outputs;
        scores.resize(count * outputs, 0.0);
        let head = &self.packed[self.shape.dilations.len()];
        multiply(x, width, count, head, scores, outputs, false);
        add_rows(scores, &self.dense[place.bias]);
    }
}

/// For each word the numbers of the word `dilation` before, its own, and of the word `dilation` after; zeros beyond the
/// ends.
pub(crate) fn gather(x: &[f32], width: usize, dilation: usize, columns: &mut Vec<f32>) {
    let count = x.len() / width;
    columns.resize(count * 3 * width, 0.0);
    for (word, out) in columns.chunks_exact_mut(3 * width).enumerate() {
        for (k, out) in out.chunks_exact_mut(width).enumerate() {
            match (word + k * dilation).checked_sub(dilation).filter(|&at| at < count) {
                Some(at) => out.copy_from_slice(&x[at * width..(at + 1) * width]),
                None => out.fill(0.0),
            }
        }
    }
}

/// The gradient of [`gather`], added to `x`.
pub(crate) fn scatter(columns: &[f32], width: usize, dilation: usize, x: &mut [f32]) {
    let count = x.len() / width;
    for (word, from) in columns.chunks_exact(3 * width).enumerate() {
        for (k, from) in from.chunks_exact(width).enumerate() {
            if let Some(at) = (word + k * dilation).checked_sub(dilation).filter(|&at| at < count) {
                x[at * width..(at + 1) * width].iter_mut().zip(from).for_each(|(x, f)| *x += f);
            }
        }
    }
}
