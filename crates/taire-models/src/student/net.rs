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

    /// Of a layer, or of the head, which comes after the last.
    pub(crate) fn place_of(&self, layer: usize) -> LayerPlace {
        if layer < self.dilations.len() { self.layer(layer) } else { self.head() }
    }

    /// Inputs and outputs of a layer, or of the head.
    pub(crate) fn sizes(&self, layer: usize) -> (usize, usize) {
        match layer < self.dilations.len() {
            true => (3 * self.width, self.width),
            false => (self.width, self.outputs),
        }
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

/// A network with its numbers as training changes them.
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
        for (layer, packed) in packed.iter_mut().enumerate() {
            let (depth, outputs) = shape.sizes(layer);
            packed.fill(&dense[shape.place_of(layer).weights], depth, outputs, outputs, Side::Rows);
        }
    }
}

/// What the forward pass asks of a network's numbers. Layers are counted from 0; the head comes after the last.
pub(crate) trait Numbers {
    fn shape(&self) -> &NetShape;
    /// Adds rows of the table to a word.
    fn add_table_rows(&self, rows: &[u32], x: &mut [f32]);
    /// Scale and shift of the norm before a layer.
    fn norm(&self, layer: usize) -> (&[f32], &[f32]);
    /// The products of rows with a layer's weights, and its bias.
    fn product(&self, layer: usize, rows: &[f32], out: &mut [f32]);

    /// The scores of all words, `outputs` for each, handed over in order, a window at a time, for as long as `see` wants more.
    fn run(&self, rows: &Rows, buffers: &mut Buffers, mut see: impl FnMut(&[f32]) -> ControlFlow<()>)
    where
        Self: Sized,
    {
        let (count, reach) = (rows.len(), self.shape().reach());
        let mut from = 0;
        while from < count {
            let to = if count - from <= WINDOW + reach { count } else { from + WINDOW };
            let (first, last) = (from.saturating_sub(reach), (to + reach).min(count));
            forward(self, rows, first..last, buffers);
            let outputs = self.shape().outputs;
            if see(&buffers.scores[(from - first) * outputs..(to - first) * outputs]).is_break() {
                return;
            }
            from = to;
        }
    }

    /// The same without windows.
    #[cfg(test)]
    fn run_at_once(&self, rows: &Rows) -> Vec<f32>
    where
        Self: Sized,
    {
        let mut buffers = Buffers::default();
        forward(self, rows, 0..rows.len(), &mut buffers);
        buffers.scores
    }
}

impl Numbers for Network {
    fn shape(&self) -> &NetShape {
        &self.shape
    }

    fn add_table_rows(&self, rows: &[u32], x: &mut [f32]) {
        for &row in rows {
            let row = &self.table[row as usize * x.len()..][..x.len()];
            x.iter_mut().zip(row).for_each(|(x, r)| *x += r);
        }
    }

    fn norm(&self, layer: usize) -> (&[f32], &[f32]) {
        let place = self.shape.place_of(layer);
        (&self.dense[place.scale], &self.dense[place.shift])
    }

    fn product(&self, layer: usize, rows: &[f32], out: &mut [f32]) {
        let (depth, outputs) = self.shape.sizes(layer);
        multiply(rows, depth, rows.len() / depth, &self.packed[layer], out, outputs, false);
        add_rows(out, &self.dense[self.shape.place_of(layer).bias]);
    }
}

/// The scores of some words.
fn forward(numbers: &impl Numbers, rows: &Rows, words: Range<usize>, buffers: &mut Buffers) {
    let shape = numbers.shape();
    let (width, count) = (shape.width, words.len());
    let Buffers { x, normal, inverse, columns, sums, active, scores } = buffers;
    x.clear();
    x.resize(count * width, 0.0);
    for (word, x) in words.zip(x.chunks_exact_mut(width)) {
        numbers.add_table_rows(rows.rows_of_word(word, true), x);
    }
    for buffer in [&mut *normal, &mut *sums, &mut *active] {
        buffer.resize(count * width, 0.0);
    }
    inverse.resize(count, 0.0);
    for (layer, &dilation) in shape.dilations.iter().enumerate() {
        sums.copy_from_slice(x);
        let (scale, shift) = numbers.norm(layer);
        layer_norm(sums, scale, shift, EPSILON, normal, inverse);
        gather(sums, width, dilation, columns);
        numbers.product(layer, columns, sums);
        gelu(sums, active);
        axpy(1.0, active, x);
    }
    let head = shape.dilations.len();
    let (scale, shift) = numbers.norm(head);
    layer_norm(x, scale, shift, EPSILON, normal, inverse);
    scores.resize(count * shape.outputs, 0.0);
    numbers.product(head, x, scores);
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
