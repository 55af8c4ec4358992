//! The model file: a line of JSON, the hashes of the vocabulary, then numbers.
//!
//! Table rows and weights are int8 with a scale for each row of the table and each output of a layer; norms and biases
//! are f32. Little-endian.

use serde::{Deserialize, Serialize};
use taire_encoder::math::QuantisedMatrix;
use taire_text::Label;

use super::decode::{ROLES, labels};
use super::features::{Alphabet, WordRows};
use super::net::{NetShape, Network};
use super::small::{SmallLayer, SmallNetwork, SmallTable};
use crate::Error;

const FORMAT: &str = "taire-student 2";

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    classes: Vec<Label>,
    outside_bias: f32,
    shape: NetShape,
}

/// A model to read notes with: the labels it knows, and its network.
pub(crate) struct Model {
    pub(crate) classes: Vec<Label>,
    /// Subtracted from the score of outside before spans are read.
    pub(crate) outside_bias: f32,
    pub(crate) words: WordRows,
    pub(crate) network: SmallNetwork,
}

/// The file of a model.
pub(crate) fn to_bytes(
    classes: &[Label],
    outside_bias: f32,
    words: &WordRows,
    network: &Network,
) -> Result<Vec<u8>, Error> {
    let shape = &network.shape;
    let header =
        Header { format: FORMAT.into(), classes: classes.to_vec(), outside_bias, shape: shape.clone() };
    let mut out = serde_json::to_vec(&header).map_err(|e| Error::new(e.to_string()))?;
    out.push(b'\n');
    words.hashes().iter().for_each(|hash| out.extend(hash.to_le_bytes()));
    for row in network.table.chunks_exact(shape.width) {
        let (scale, unit) = scale_of(row.iter());
        out.extend(scale.to_le_bytes());
        out.extend(row.iter().map(|x| (x * unit).round() as i8 as u8));
    }
    for layer in 0..=shape.dilations.len() {
        let (place, (_, outputs)) = (shape.place_of(layer), shape.sizes(layer));
        for part in [place.scale, place.shift, place.bias] {
            network.dense[part].iter().for_each(|x| out.extend(x.to_le_bytes()));
        }
        let weights = &network.dense[place.weights];
        let scales: Vec<_> =
            (0..outputs).map(|o| scale_of(weights.iter().skip(o).step_by(outputs))).collect();
        scales.iter().for_each(|(scale, _)| out.extend(scale.to_le_bytes()));
        for row in weights.chunks_exact(outputs) {
            out.extend(row.iter().zip(&scales).map(|(x, (_, unit))| (x * unit).round() as i8 as u8));
        }
    }
    Ok(out)
}

impl Model {
    /// What notes are read with.
    pub(crate) fn alphabet(&self) -> Alphabet<'_> {
        Alphabet { buckets: self.network.shape.buckets, words: &self.words }
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Model, Error> {
        let broken = || Error::new("not a model of the student, or a broken one");
        let end = bytes.iter().take(1 << 16).position(|&b| b == b'\n').ok_or_else(broken)?;
        let header: Header = serde_json::from_slice(&bytes[..end]).map_err(|_| broken())?;
        if header.format != FORMAT {
            return Err(Error::new(format!("the model's format is not `{FORMAT}`; train it again")));
        }
        let Header { classes, outside_bias, shape, .. } = header;
        let sane = classes.len() <= 64
            && shape.outputs == labels(classes.len()) + ROLES
            && (1..=1024).contains(&shape.width)
            && shape.dilations.len() <= 64
            && shape.dilations.iter().all(|d| (1..=256).contains(d))
            && shape.buckets.sane();
        if !sane {
            return Err(broken());
        }
        let mut rest = Bytes(&bytes[end + 1..]);
        let hashes = (1..shape.buckets.words).map(|_| rest.integer()).collect::<Option<Vec<u32>>>();
        let words = WordRows::new(hashes.ok_or_else(broken)?);
        let network = rest.network(shape).filter(|_| rest.0.is_empty()).ok_or_else(broken)?;
        Ok(Model { classes, outside_bias, words, network })
    }
}

/// The value of one unit, and units for a value of one.
fn scale_of<'a>(values: impl Iterator<Item = &'a f32>) -> (f32, f32) {
    let top = values.fold(0.0f32, |a, x| a.max(x.abs()));
    if top > 0.0 { (top / 127.0, 127.0 / top) } else { (0.0, 0.0) }
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    fn integer(&mut self) -> Option<u32> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*head))
    }

    fn float(&mut self) -> Option<f32> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(f32::from_le_bytes(*head)).filter(|x| x.is_finite())
    }

    fn floats(&mut self, count: usize) -> Option<Vec<f32>> {
        (0..count).map(|_| self.float()).collect()
    }

    fn network(&mut self, shape: NetShape) -> Option<SmallNetwork> {
        let mut table = SmallTable::new(shape.width, shape.buckets.rows());
        for _ in 0..shape.buckets.rows() {
            let scale = self.float()?;
            table.push(scale, self.take(shape.width)?);
        }
        let mut layers = Vec::new();
        for layer in 0..=shape.dilations.len() {
            let (depth, outputs) = shape.sizes(layer);
            let [scale, shift, bias] =
                [self.floats(shape.width)?, self.floats(shape.width)?, self.floats(outputs)?];
            let scales = self.floats(outputs)?;
            let weights = self.take(depth * outputs)?;
            let column = |o: usize| weights.iter().skip(o).step_by(outputs);
            let columns: Vec<f32> =
                (0..outputs).flat_map(|o| column(o).map(move |&b| f32::from(b as i8))).collect();
            let mut weights = QuantisedMatrix::from_columns(&columns, depth, outputs);
            weights.rescale(&scales);
            layers.push(SmallLayer { scale, shift, bias, weights });
        }
        Some(SmallNetwork { shape, table, layers })
    }
}
