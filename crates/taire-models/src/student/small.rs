//! A network to read notes with: table and weights as whole numbers of eight bits, as the file holds them.
//!
//! Sums of whole numbers are exact, so the scores do not depend on the instructions that a machine has.

use taire_encoder::math::{QuantisedMatrix, add_small_rows, multiply_quantised};

use super::net::{NetShape, Numbers};

/// Rows of whole numbers, each with the value of one unit.
pub(crate) struct SmallTable {
    rows: Vec<i8>,
    scales: Vec<f32>,
}

impl SmallTable {
    /// An empty one, with room for so many rows.
    pub(crate) fn new(width: usize, rows: usize) -> SmallTable {
        SmallTable { rows: Vec::with_capacity(width * rows), scales: Vec::with_capacity(rows) }
    }

    pub(crate) fn push(&mut self, scale: f32, row: &[u8]) {
        self.scales.push(scale);
        self.rows.extend(row.iter().map(|&b| b as i8));
    }
}

/// A layer: norm, weights, bias.
pub(crate) struct SmallLayer {
    pub(crate) scale: Vec<f32>,
    pub(crate) shift: Vec<f32>,
    pub(crate) bias: Vec<f32>,
    pub(crate) weights: QuantisedMatrix,
}

/// A network as it is read from its file. The head is the last layer.
pub(crate) struct SmallNetwork {
    pub(crate) shape: NetShape,
    pub(crate) table: SmallTable,
    pub(crate) layers: Vec<SmallLayer>,
}

impl Numbers for SmallNetwork {
    fn shape(&self) -> &NetShape {
        &self.shape
    }

    fn add_table_rows(&self, rows: &[u32], x: &mut [f32]) {
        add_small_rows(&self.table.rows, &self.table.scales, rows, x);
    }

    fn norm(&self, layer: usize) -> (&[f32], &[f32]) {
        let layer = &self.layers[layer];
        (&layer.scale, &layer.shift)
    }

    fn product(&self, layer: usize, rows: &[f32], out: &mut [f32]) {
        let layer = &self.layers[layer];
        multiply_quantised(rows, &layer.weights, &layer.bias, out);
    }
}
