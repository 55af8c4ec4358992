//! The model file: a line of JSON, the hashes of the vocabulary, then numbers.
//!
//! Table rows and weights are int8 with a scale for each row of the table and each output of a layer; norms and biases
//! are f32. Little-endian.

use serde::{Deserialize, Serialize};
use taire_text::Label;

use super::decode::{ROLES, labels};
use super::features::{Alphabet, WordRows};
use super::net::{NetShape, Network};
use crate::Error;

const FORMAT: &str = "taire-student 2";

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    classes: Vec<Label>,
    outside_bias: f32,
    shape: NetShape,
}

/// A model: the labels it knows, and its network.
#[derive(Clone)]
pub(crate) struct Model {
    pub(crate) classes: Vec<Label>,
    /// Subtracted from the score of outside before spans are read.
    pub(crate) outside_bias: f32,
    pub(crate) words: WordRows,
    pub(crate) network: Network,
}

impl Model {
    /// What notes are read with.
    pub(crate) fn alphabet(&self) -> Alphabet<'_> {
        Alphabet { buckets: self.network.shape.buckets, words: &self.words }
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let Model { classes, outside_bias, words, network } = self;
        let header = Header {
            format: FORMAT.into(),
            classes: classes.clone(),
            outside_bias: *outside_bias,
            shape: network.shape.clone(),
        };
        let mut out = serde_json::to_vec(&header).map_err(|e| Error::new(e.to_string()))?;
        out.push(b'\n');
        words.hashes().iter().for_each(|hash| out.extend(hash.to_le_bytes()));
        let width = network.shape.width;
        for row in network.table.chunks_exact(width) {
            let (scale, unit) = scale_of(row.iter());
            out.extend(scale.to_le_bytes());
            out.extend(row.iter().map(|x| (x * unit).round() as i8 as u8));
        }
        for (place, outputs) in places(&network.shape) {
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
        let width = shape.width;
        let hashes = (1..shape.buckets.words).map(|_| rest.integer()).collect::<Option<Vec<u32>>>();
        let words = WordRows::new(hashes.ok_or_else(broken)?);
        let mut table = Vec::with_capacity(shape.table());
        for _ in 0..shape.buckets.rows() {
            let scale = rest.float().ok_or_else(broken)?;
            let row = rest.take(width).ok_or_else(broken)?;
            table.extend(row.iter().map(|&b| f32::from(b as i8) * scale));
        }
        let mut dense = vec![0.0; shape.dense()];
        for (place, outputs) in places(&shape) {
            for part in [place.scale, place.shift, place.bias] {
                for x in &mut dense[part] {
                    *x = rest.float().ok_or_else(broken)?;
                }
            }
            let scales: Vec<f32> =
                (0..outputs).map(|_| rest.float()).collect::<Option<_>>().ok_or_else(broken)?;
            for row in dense[place.weights].chunks_exact_mut(outputs) {
                let whole = rest.take(outputs).ok_or_else(broken)?;
                for ((x, &b), scale) in row.iter_mut().zip(whole).zip(&scales) {
                    *x = f32::from(b as i8) * scale;
                }
            }
        }
        if !rest.0.is_empty() || table.iter().chain(&dense).any(|x| !x.is_finite()) {
            return Err(broken());
        }
        Ok(Model { classes, outside_bias, words, network: Network::new(shape, table, dense) })
    }
}

/// The places of all layers and of the head, each with its number of outputs.
fn places(shape: &NetShape) -> impl Iterator<Item = (super::net::LayerPlace, usize)> + '_ {
    let layers = (0..shape.dilations.len()).map(|i| (shape.layer(i), shape.width));
    layers.chain([(shape.head(), shape.outputs)])
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
        Some(f32::from_le_bytes(*head))
    }
}
