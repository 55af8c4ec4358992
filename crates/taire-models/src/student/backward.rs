//! The loss of documents and its gradient.

use taire_encoder::math::{
    Packed, Side, add_rows, axpy, drop_out, gelu, gelu_back, layer_norm, layer_norm_back, multiply,
    softmax_rows, sum_columns, transpose,
};

use super::decode::ROLES;
use super::features::UNKNOWN_WORD;
use super::gold::{IGNORED, NO_ROLE, Sample};
use super::net::{EPSILON, Network, gather, scatter};

/// How much a role counts beside a label.
const ROLE_WEIGHT: f32 = 0.2;

/// Shares of numbers left out while learning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dropout {
    pub(crate) hidden: f32,
    /// Of words that are read as unknown ones, so that affixes, facts and neighbours are learned too.
    pub(crate) word: f32,
}

/// One document of a batch.
#[derive(Clone, Copy)]
pub(crate) struct Lesson<'a> {
    pub(crate) sample: &'a Sample,
    pub(crate) with_rules: bool,
    pub(crate) seed: u32,
}

impl Lesson<'_> {
    /// The row of a word itself, or that of unknown words for a share of them, and its other rows.
    fn rows(&self, word: usize, share: f32) -> impl Iterator<Item = u32> + '_ {
        let rows = self.sample.rows.rows_of_word(word, self.with_rules);
        let mut h = (word as u32).wrapping_mul(0x9e37_79b9) ^ self.seed.wrapping_mul(0x85eb_ca6b);
        h = (h ^ h >> 15).wrapping_mul(0xc2b2_ae35);
        h ^= h >> 13;
        let dropped = f64::from(h) < f64::from(share) * f64::from(u32::MAX);
        let own =
            rows.first().map(|&row| if dropped && self.sample.is_word(word) { UNKNOWN_WORD } else { row });
        own.into_iter().chain(rows.iter().skip(1).copied())
    }
}

/// Gradients of one part of a batch.
#[derive(Default)]
pub(crate) struct Gradients {
    pub(crate) dense: Vec<f32>,
    pub(crate) table: Vec<f32>,
    /// Rows of the table that have a gradient.
    pub(crate) touched: Vec<bool>,
    pub(crate) loss: f64,
}

impl Gradients {
    pub(crate) fn new(dense: usize, table: usize, rows: usize) -> Gradients {
        Gradients { dense: vec![0.0; dense], table: vec![0.0; table], touched: vec![false; rows], loss: 0.0 }
    }
}

#[derive(Default)]
struct LayerTrace {
    normal: Vec<f32>,
    inverse: Vec<f32>,
    columns: Vec<f32>,
    sums: Vec<f32>,
}

/// Buffers of learning.
#[derive(Default)]
pub(crate) struct Learner {
    layers: Vec<LayerTrace>,
    x: Vec<f32>,
    active: Vec<f32>,
    scores: Vec<f32>,
    turned: Vec<f32>,
    packed: Packed,
    gradient: Vec<f32>,
    by_columns: Vec<f32>,
}

/// The weights of layers and head, turned for the backward pass.
pub(crate) fn turned_weights(network: &Network, out: &mut Vec<Packed>) {
    let shape = &network.shape;
    out.resize_with(shape.dilations.len() + 1, Packed::default);
    for (i, packed) in out.iter_mut().enumerate() {
        let (place, inputs, outputs) = match i < shape.dilations.len() {
            true => (shape.layer(i), 3 * shape.width, shape.width),
            false => (shape.head(), shape.width, shape.outputs),
        };
        packed.fill(&network.dense[place.weights], outputs, inputs, outputs, Side::Columns);
    }
}

impl Learner {
    /// Adds the gradient of a document's loss, divided by `words`.
    pub(crate) fn learn(
        &mut self,
        network: &Network,
        turned: &[Packed],
        lesson: Lesson<'_>,
        (dropout, words): (Dropout, f32),
        gradients: &mut Gradients,
    ) {
        self.forward(network, lesson, dropout);
        gradients.loss += self.loss(network.shape.outputs - ROLES, lesson.sample, words);
        self.backward(network, turned, lesson, dropout, gradients);
    }

    fn forward(&mut self, network: &Network, lesson: Lesson<'_>, dropout: Dropout) {
        let shape = &network.shape;
        let (width, count) = (shape.width, lesson.sample.rows.len());
        let Learner { layers, x, active, scores, .. } = self;
        layers.resize_with(shape.dilations.len() + 1, LayerTrace::default);
        x.clear();
        x.resize(count * width, 0.0);
        for (word, x) in x.chunks_exact_mut(width).enumerate() {
            for row in lesson.rows(word, dropout.word) {
                let row = &network.table[row as usize * width..][..width];
                x.iter_mut().zip(row).for_each(|(x, r)| *x += r);
            }
        }
        drop_out(x, dropout.hidden, lesson.seed);
        active.resize(count * width, 0.0);
        for (i, trace) in layers.iter_mut().enumerate() {
            trace.normal.resize(count * width, 0.0);
            trace.inverse.resize(count, 0.0);
            let LayerTrace { normal, inverse, columns, sums } = trace;
            let Some(&dilation) = shape.dilations.get(i) else {
                let place = shape.head();
                let (scale, shift) = (&network.dense[place.scale], &network.dense[place.shift]);
                layer_norm(x, scale, shift, EPSILON, normal, inverse);
                scores.resize(count * shape.outputs, 0.0);
                multiply(x, width, count, &network.packed[i], scores, shape.outputs, false);
                add_rows(scores, &network.dense[place.bias]);
                break;
            };
            let place = shape.layer(i);
            active.copy_from_slice(x);
            let (scale, shift) = (&network.dense[place.scale], &network.dense[place.shift]);
            layer_norm(active, scale, shift, EPSILON, normal, inverse);
            gather(active, width, dilation, columns);
            sums.resize(count * width, 0.0);
            multiply(columns, 3 * width, count, &network.packed[i], sums, width, false);
            add_rows(sums, &network.dense[place.bias]);
            gelu(sums, active);
            drop_out(active, dropout.hidden, layer_seed(lesson.seed, i));
            axpy(1.0, active, x);
        }
    }

    /// Turns the scores into their gradient; returns the loss.
    fn loss(&mut self, labels: usize, sample: &Sample, words: f32) -> f64 {
        let mut loss = 0.0;
        let scale = 1.0 / words;
        for (word, row) in self.scores.chunks_exact_mut(labels + ROLES).enumerate() {
            let (row, roles) = row.split_at_mut(labels);
            softmax_rows(row, labels, 1.0);
            let gold = usize::from(sample.labels[word]);
            if sample.labels[word] == IGNORED {
                row.fill(0.0);
            } else if gold == 0 {
                let allowed: f32 = row.iter().zip(&sample.outside).filter(|(_, o)| **o).map(|(p, _)| p).sum();
                loss -= f64::from(allowed.max(1e-20).ln());
                let share = 1.0 - 1.0 / allowed.max(1e-20);
                for (p, &outside) in row.iter_mut().zip(&sample.outside) {
                    *p *= if outside { share } else { 1.0 };
                }
            } else {
                loss -= f64::from(row[gold].max(1e-20).ln());
                row[gold] -= 1.0;
            }
            row.iter_mut().for_each(|g| *g *= scale);
            match sample.roles[word] {
                NO_ROLE => roles.fill(0.0),
                role => {
                    softmax_rows(roles, ROLES, 1.0);
                    roles[usize::from(role)] -= 1.0;
                    roles.iter_mut().for_each(|g| *g *= scale * ROLE_WEIGHT);
                }
            }
        }
        loss
    }

    fn backward(
        &mut self,
        network: &Network,
        turned: &[Packed],
        lesson: Lesson<'_>,
        dropout: Dropout,
        gradients: &mut Gradients,
    ) {
        let shape = &network.shape;
        let (width, count) = (shape.width, lesson.sample.rows.len());
        let Learner { layers, x, active, scores, turned: flipped, packed, gradient, by_columns } = self;
        let dense = &mut gradients.dense;
        // The head: `x` holds its input after the norm.
        let (place, top) = (shape.head(), shape.dilations.len());
        let outputs = shape.outputs;
        sum_columns(scores, &mut dense[place.bias]);
        transpose(x, count, width, width, flipped);
        packed.fill(scores, count, outputs, outputs, Side::Rows);
        multiply(flipped, count, width, packed, &mut dense[place.weights], outputs, true);
        gradient.resize(count * width, 0.0);
        multiply(scores, outputs, count, &turned[top], gradient, width, false);
        let trace = &layers[top];
        let (by_scale, by_shift) = dense[place.scale.start..place.shift.end].split_at_mut(width);
        let scale = &network.dense[place.scale];
        layer_norm_back(gradient, scale, &trace.normal, &trace.inverse, by_scale, by_shift);
        for i in (0..top).rev() {
            let (place, trace) = (shape.layer(i), &layers[i]);
            active.copy_from_slice(gradient);
            drop_out(active, dropout.hidden, layer_seed(lesson.seed, i));
            gelu_back(&trace.sums, active);
            sum_columns(active, &mut dense[place.bias]);
            transpose(&trace.columns, count, 3 * width, 3 * width, flipped);
            packed.fill(active, count, width, width, Side::Rows);
            multiply(flipped, count, 3 * width, packed, &mut dense[place.weights], width, true);
            by_columns.resize(count * 3 * width, 0.0);
            multiply(active, width, count, &turned[i], by_columns, 3 * width, false);
            active.fill(0.0);
            scatter(by_columns, width, shape.dilations[i], active);
            let (by_scale, by_shift) = dense[place.scale.start..place.shift.end].split_at_mut(width);
            let scale = &network.dense[place.scale];
            layer_norm_back(active, scale, &trace.normal, &trace.inverse, by_scale, by_shift);
            axpy(1.0, active, gradient);
        }
        drop_out(gradient, dropout.hidden, lesson.seed);
        for (word, from) in gradient.chunks_exact(width).enumerate() {
            for row in lesson.rows(word, dropout.word) {
                let row = row as usize;
                gradients.touched[row] = true;
                let to = &mut gradients.table[row * width..(row + 1) * width];
                to.iter_mut().zip(from).for_each(|(t, f)| *t += f);
            }
        }
    }
}

fn layer_seed(seed: u32, layer: usize) -> u32 {
    seed ^ (layer as u32 + 1).wrapping_mul(0x27d4_eb2f)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::super::decode::labels;
    use super::super::features::{Alphabet, Buckets, Reader, WordRows};
    use super::super::file::{Model, to_bytes};
    use super::super::gold::{LabelSet, StudentDocument};
    use super::super::net::{Buffers, NetShape, Numbers};
    use super::*;
    use crate::{GoldDocument, GoldSpan};
    use taire_text::{Label, Language, Note, Span};

    const CLASSES: [Label; 3] = [Label::GivenName, Label::City, Label::Sex];

    fn sample(alphabet: Alphabet<'_>) -> Sample {
        let text = "Mme Zoé Brun,\nà Brest ce jour";
        let note = Note::builder("a", text).language(Some(Language::Fr)).build().unwrap();
        let span = |part: &str, class: &str| {
            let at = text.find(part).unwrap();
            GoldSpan { span: Span::new(at, at + part.len()), class: class.into() }
        };
        let spans = vec![span("Zoé Brun", "GivenName:Patient"), span("Brest", "City")];
        let gold = GoldDocument { note, mentions: Vec::new(), spans };
        let unmarked = LabelSet::from_iter([Label::Sex]);
        let document = StudentDocument { gold, unmarked, unannotated: false };
        Sample::new(&document, &CLASSES, alphabet, &mut Reader::default()).unwrap()
    }

    fn network() -> Network {
        let shape = NetShape {
            buckets: Buckets { words: 16, marks: 8, heads: 8, affixes: 8, shapes: 4, trigrams: 8, chunks: 8 },
            width: 8,
            dilations: vec![1, 2],
            outputs: labels(CLASSES.len()) + ROLES,
        };
        let number = |i: usize| ((i * 7919 + 13) as f32 * 0.37).sin() * 0.6;
        let (table, dense) = (shape.table(), shape.dense());
        Network::new(shape, (0..table).map(number).collect(), (0..dense).map(|i| number(i + 5)).collect())
    }

    /// The loss as it is minimised: labels, and roles by their weight.
    fn loss(network: &Network, sample: &Sample) -> f64 {
        let count = labels(CLASSES.len());
        let (mut total, mut word) = (0.0, 0);
        network.run(&sample.rows, &mut Buffers::default(), |scores| {
            for row in scores.chunks_exact(count + ROLES) {
                let exp: Vec<f64> = row.iter().map(|&s| f64::from(s).exp()).collect();
                let right: f64 = match usize::from(sample.labels[word]) {
                    0 => (0..count).filter(|&l| sample.outside[l]).map(|l| exp[l]).sum(),
                    label => exp[label],
                };
                total -= (right / exp[..count].iter().sum::<f64>()).ln();
                if sample.roles[word] != NO_ROLE {
                    let role = exp[count + usize::from(sample.roles[word])];
                    let chance = role / exp[count..].iter().sum::<f64>();
                    total -= f64::from(ROLE_WEIGHT) * chance.ln();
                }
                word += 1;
            }
            ControlFlow::Continue(())
        });
        total
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let mut network = network();
        let words = WordRows::new((0..15).collect());
        let sample = sample(Alphabet { buckets: network.shape.buckets, words: &words });
        assert_eq!(sample.labels, [0, 1, 4, 0, 0, 2, 0, 0]);
        let (dense, table) = (network.dense.len(), network.table.len());
        let mut gradients = Gradients::new(dense, table, network.shape.buckets.rows());
        let mut turned = Vec::new();
        turned_weights(&network, &mut turned);
        let lesson = Lesson { sample: &sample, with_rules: true, seed: 3 };
        let dropout = Dropout { hidden: 0.0, word: 0.0 };
        Learner::default().learn(&network, &turned, lesson, (dropout, 1.0), &mut gradients);
        let check = |mine: f32, up: f64, down: f64| {
            let slope = (up - down) / 4e-3;
            assert!((f64::from(mine) - slope).abs() < 2e-2 + 0.01 * slope.abs(), "{mine} {slope}");
        };
        for i in (0..dense).step_by(7) {
            let was = network.dense[i];
            let mut at = |x: f32| {
                network.dense[i] = x;
                network.repack();
                loss(&network, &sample)
            };
            let (up, down) = (at(was + 2e-3), at(was - 2e-3));
            at(was);
            check(gradients.dense[i], up, down);
        }
        for row in (0..gradients.touched.len()).filter(|&r| gradients.touched[r]) {
            let i = row * 8 + row % 8;
            let was = network.table[i];
            let mut at = |x: f32| {
                network.table[i] = x;
                loss(&network, &sample)
            };
            let (up, down) = (at(was + 2e-3), at(was - 2e-3));
            at(was);
            check(gradients.table[i], up, down);
        }
    }

    #[test]
    fn windows_of_a_long_document_give_the_scores_of_the_whole() {
        let network = network();
        let text = "Mme Zoé Brun, à Brest le 3 mai\n".repeat(400);
        let note = Note::builder("a", &text).language(Some(Language::Fr)).build().unwrap();
        let mut rows = Default::default();
        let words = WordRows::new((0..15).collect());
        Reader::default().read(
            &note,
            &[],
            Alphabet { buckets: network.shape.buckets, words: &words },
            &mut rows,
        );
        let (mut scores, mut windows) = (Vec::new(), 0);
        network.run(&rows, &mut Buffers::default(), |s| {
            scores.extend_from_slice(s);
            windows += 1;
            ControlFlow::Continue(())
        });
        assert!(windows > 2);
        let whole = network.run_at_once(&rows);
        assert_eq!(scores, whole);
    }

    #[test]
    fn a_network_read_from_its_file_gives_nearly_the_same_scores() {
        let network = network();
        let words = WordRows::new((0..15).collect());
        let bytes = to_bytes(&CLASSES, 0.5, &words, &network).unwrap();
        let model = Model::from_bytes(&bytes).unwrap();
        let sample = sample(model.alphabet());
        let (mine, small) = (network.run_at_once(&sample.rows), model.network.run_at_once(&sample.rows));
        let far = mine.iter().zip(&small).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(far > 0.0 && far < 0.15, "{far}");
        assert!(Model::from_bytes(&bytes[..bytes.len() - 1]).is_err());
        assert!(Model::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
    }
}
