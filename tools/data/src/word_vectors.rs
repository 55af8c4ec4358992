//! What the teacher knows of single words, for the rows of the student to begin with.

use std::path::Path;

use taire_corpus::Rng;
use taire_encoder::{Batch, Dropout, Encoder, Tape, read_folder};

use crate::error::Error;

/// Pieces that are read at once.
const BATCH: usize = 2048;
/// The mean size of a number that a row begins with.
const SIZE: f32 = 0.08;

/// A vector for each word: the mean of the teacher's vectors of its pieces, the word read alone, without what all words
/// have in common, in so many random directions.
pub(crate) fn word_vectors(teacher: &Path, words: &[&str], width: usize) -> Result<Vec<f32>, Error> {
    let (weights, tokeniser) = read_folder(teacher).map_err(|e| Error::at(teacher, e))?;
    let encoder = Encoder::new(weights);
    let depth = encoder.shape().width;
    let [begin, end] = tokeniser.borders();
    let mut vectors = vec![0.0f32; words.len() * depth];
    let mut tape = Tape::default();
    let (mut pieces, mut sequences): (Vec<u32>, Vec<std::ops::Range<usize>>) = (Vec::new(), Vec::new());
    let mut done = 0;
    for (i, word) in words.iter().enumerate() {
        let start = pieces.len();
        pieces.push(begin);
        tokeniser.encode_word(word, false, &mut pieces);
        pieces.truncate(start + 16);
        pieces.push(end);
        sequences.push(start..pieces.len());
        if pieces.len() < BATCH && i + 1 < words.len() {
            continue;
        }
        encoder.run(
            Batch { pieces: &pieces, sequences: &sequences, extra: &[] },
            Dropout::NONE,
            false,
            &mut tape,
        );
        for sequence in &sequences {
            let own = sequence.start + 1..sequence.end - 1;
            let out = &mut vectors[done * depth..(done + 1) * depth];
            for piece in own.clone() {
                let row = &tape.output[piece * depth..(piece + 1) * depth];
                out.iter_mut().zip(row).for_each(|(o, r)| *o += r / own.len() as f32);
            }
            done += 1;
        }
        pieces.clear();
        sequences.clear();
    }
    centre(&mut vectors, depth);
    Ok(project(&vectors, depth, width))
}

/// Takes the mean of all vectors from each.
fn centre(vectors: &mut [f32], depth: usize) {
    let count = (vectors.len() / depth).max(1) as f64;
    let mut mean = vec![0.0f64; depth];
    for row in vectors.chunks_exact(depth) {
        mean.iter_mut().zip(row).for_each(|(m, &x)| *m += f64::from(x) / count);
    }
    for row in vectors.chunks_exact_mut(depth) {
        row.iter_mut().zip(&mean).for_each(|(x, m)| *x -= *m as f32);
    }
}

/// The vectors in fewer dimensions: sums with random signs keep what is near near.
fn project(vectors: &[f32], depth: usize, width: usize) -> Vec<f32> {
    let mut rng = Rng::of_document(1, 9);
    let signs: Vec<f32> = (0..depth * width).map(|_| if rng.percent(50) { 1.0 } else { -1.0 }).collect();
    let mut out = Vec::with_capacity(vectors.len() / depth.max(1) * width);
    for row in vectors.chunks_exact(depth) {
        out.extend(
            signs.chunks_exact(depth).map(|signs| row.iter().zip(signs).map(|(x, s)| x * s).sum::<f32>()),
        );
    }
    let square = out.iter().map(|x| f64::from(x * x)).sum::<f64>() / out.len().max(1) as f64;
    let scale = if square > 0.0 { SIZE / square.sqrt() as f32 } else { 0.0 };
    out.iter_mut().for_each(|x| *x *= scale);
    out
}
