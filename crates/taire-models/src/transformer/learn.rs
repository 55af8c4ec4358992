//! One thread's share of a step: some windows forward, their loss, and the backward pass.

use taire_encoder::math::{Packed, Side, axpy, drop_out, multiply, sum_columns, transpose};
use taire_encoder::{Backward, Batch, Dropout, Tape, Workspace};

use super::chain::Trellis;
use super::clues::Words;
use super::tagger::{Tagger, Window, clue_rows};

/// A window with the labels of its words.
#[derive(Clone)]
pub(crate) struct Lesson<'a> {
    pub(crate) window: Window,
    pub(crate) words: &'a Words,
    pub(crate) gold: &'a [usize],
}

/// Gradients of all numbers, and the loss they come from.
pub(crate) struct Gradients {
    pub(crate) encoder: Vec<f32>,
    pub(crate) head: Vec<f32>,
    pub(crate) loss: f64,
}

impl Gradients {
    pub(crate) fn new(encoder: usize, head: usize) -> Gradients {
        Gradients { encoder: vec![0.0; encoder], head: vec![0.0; head], loss: 0.0 }
    }
}

/// Buffers of one thread.
#[derive(Default)]
pub(crate) struct Shard {
    tape: Tape,
    work: Workspace,
    /// The words' rows, standardised.
    pub(crate) rows: Vec<f32>,
}

/// Share dropped, seed, the matrices for the backward pass, words of the whole step.
pub(crate) type How<'a> = (f32, u32, &'a Backward, f32);

impl Shard {
    /// Runs the windows; with somewhere to put gradients also the backward pass.
    pub(crate) fn run(
        &mut self,
        tagger: &Tagger,
        lessons: &[Lesson<'_>],
        back: Option<(How<'_>, &mut Gradients)>,
    ) {
        let head = &tagger.head;
        let s = head.shape;
        let (mut pieces, mut sequences, mut extra, mut firsts) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for Lesson { window, words, .. } in lessons {
            let from = pieces.len();
            sequences.push(from..from + window.pieces.len());
            firsts.extend(window.firsts.iter().map(|f| f + from));
            pieces.extend_from_slice(&window.pieces);
            clue_rows(head, words, window, &mut extra);
        }
        let dropout = match &back {
            Some(((share, seed, ..), _)) => Dropout { share: *share, seed: *seed },
            None => Dropout::NONE,
        };
        let batch = Batch { pieces: &pieces, sequences: &sequences, extra: &extra };
        tagger.encoder.run(batch, dropout, back.is_some(), &mut self.tape);
        head.gather(&self.tape.output, firsts.iter().copied(), &mut self.rows);
        let Some(((share, seed, backward, words), gradients)) = back else { return };
        drop_out(&mut self.rows, share, seed ^ 0x5bd1_e995);

        let packed = head.packed();
        let chain = head.chain(tagger.labels());
        let mut by_score = Vec::with_capacity(firsts.len() * s.labels);
        let mut trellis = Trellis::default();
        let mut at = 0;
        for lesson in lessons {
            let count = lesson.gold.len();
            let rows = &self.rows[at * s.width..(at + count) * s.width];
            let scores = head.scores(&packed, rows, lesson.words, lesson.window.words.clone());
            let from = by_score.len();
            by_score.resize(from + scores.len(), 0.0);
            let by_transition = &mut gradients.head[s.transitions()];
            gradients.loss +=
                chain.loss(&scores, lesson.gold, &mut trellis, &mut by_score[from..], by_transition);
            at += count;
        }
        let unit = 1.0 / words;
        by_score.iter_mut().for_each(|g| *g *= unit);
        gradients.head[s.transitions()].iter_mut().for_each(|g| *g *= unit);

        // The head: rows of labels, biases, scores of clues.
        sum_columns(&by_score, &mut gradients.head[s.biases()]);
        let mut turned = Vec::new();
        transpose(&by_score, at, s.labels, s.labels, &mut turned);
        let inputs = Packed::new(&self.rows, at, s.width, s.width, Side::Rows);
        multiply(&turned, at, s.labels, &inputs, &mut gradients.head[s.rows()], s.width, true);
        let mut row = 0;
        for lesson in lessons {
            for word in lesson.window.words.clone() {
                let gradient = &by_score[row * s.labels..(row + 1) * s.labels];
                for &clue in lesson.words.clues(word) {
                    let from = s.clue_scores().start + usize::from(clue) * s.labels;
                    axpy(1.0, gradient, &mut gradients.head[from..from + s.labels]);
                }
                row += 1;
            }
        }

        // Back into the encoder.
        let back_rows = Packed::new(&head.numbers[s.rows()], s.labels, s.width, s.width, Side::Rows);
        let mut by_row = vec![0.0; at * s.width];
        multiply(&by_score, s.labels, at, &back_rows, &mut by_row, s.width, false);
        drop_out(&mut by_row, share, seed ^ 0x5bd1_e995);
        let mut gradient = vec![0.0; pieces.len() * s.width];
        for (row, &first) in by_row.chunks_exact(s.width).zip(&firsts) {
            let target = &mut gradient[first * s.width..(first + 1) * s.width];
            let even = row.iter().zip(&head.inverse);
            target.iter_mut().zip(even).for_each(|(t, (g, inverse))| *t = g * inverse);
        }
        let numbers = &mut gradients.encoder;
        let (encoder, tape) = (&tagger.encoder, &self.tape);
        backward.run(encoder, &sequences, dropout, tape, &mut gradient, numbers, &mut self.work);
        let mut word_at = 0;
        for lesson in lessons {
            for word in lesson.window.words.clone() {
                let first = firsts[word_at];
                let row = &gradient[first * s.width..(first + 1) * s.width];
                for &clue in lesson.words.clues(word) {
                    let from = usize::from(clue) * s.width;
                    axpy(1.0, row, &mut gradients.head[from..from + s.width]);
                }
                word_at += 1;
            }
        }
    }
}
