//! From words to vectors: a table of the coder's own, or a transformer's vectors that stay as they are.

use std::ops::Range;
use std::path::{Path, PathBuf};

use taire::batch::stable_hash;
use taire_encoder::{Batch, Dropout, Encoder, Tape, Tokeniser, read_folder};

use crate::Error;
use crate::words::{Vocabulary, Words};

/// Words of a segment, at most.
pub(crate) const SEGMENT: usize = 512;

/// Segments of at most [`SEGMENT`] words that cover a document.
pub(crate) fn segments(words: usize) -> Vec<Range<usize>> {
    (0..words).step_by(SEGMENT).map(|start| start..(start + SEGMENT).min(words)).collect()
}

/// The rows of a table for each word: the word's own and its stem's.
pub(crate) fn pairs(vocabulary: &Vocabulary, words: &Words, limit: usize) -> Vec<[u32; 2]> {
    words.iter().take(limit).map(|word| vocabulary.pair(word)).collect()
}

fn row_weight(pair: [u32; 2]) -> f32 {
    if pair[0] != 0 && pair[1] != 0 { 0.5 } else { 1.0 }
}

/// The mean of the rows of each pair; what is not known is left out.
pub(crate) fn gather(pairs: &[[u32; 2]], table: &[f32], width: usize, out: &mut Vec<f32>) {
    out.clear();
    out.resize(pairs.len() * width, 0.0);
    for (&pair, line) in pairs.iter().zip(out.chunks_exact_mut(width)) {
        for row in pair.into_iter().filter(|&r| r != 0) {
            taire_encoder::math::axpy(row_weight(pair), &table[row as usize * width..][..width], line);
        }
    }
}

/// The backward pass of [`gather`].
pub(crate) fn scatter(
    pairs: &[[u32; 2]],
    slopes: &[f32],
    width: usize,
    mut add: impl FnMut(u32, f32, &[f32]),
) {
    for (&pair, line) in pairs.iter().zip(slopes.chunks_exact(width)) {
        for row in pair.into_iter().filter(|&r| r != 0) {
            add(row, row_weight(pair), line);
        }
    }
}

/// A transformer whose vectors are read and not changed.
pub(crate) struct FrozenEncoder {
    pub(crate) folder: PathBuf,
    pub(crate) fingerprint: u64,
    encoder: Encoder,
    tokeniser: Tokeniser,
}

impl FrozenEncoder {
    pub(crate) fn read(folder: &Path) -> Result<FrozenEncoder, Error> {
        let failed =
            |e: taire_encoder::Error| Error::usage(format!("encoder {}: {e}", folder.display())).caused_by(e);
        let (weights, tokeniser) = read_folder(folder).map_err(failed)?;
        if weights.shape.vocabulary < tokeniser.pieces() {
            return Err(Error::usage(format!(
                "encoder {}: its tokeniser has {} pieces and its weights {}; they do not belong together",
                folder.display(),
                tokeniser.pieces(),
                weights.shape.vocabulary
            )));
        }
        let bytes = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let parts = [bytes(&weights.flat), bytes(&weights.words)];
        let fingerprint = stable_hash(parts.iter().map(Vec::as_slice));
        Ok(FrozenEncoder {
            folder: folder.to_owned(),
            fingerprint,
            encoder: Encoder::new(weights),
            tokeniser,
        })
    }

    pub(crate) fn width(&self) -> usize {
        self.encoder.shape().width
    }

    /// One row a word: the mean of its pieces' vectors.
    pub(crate) fn vectors(&self, text: &str, words: &Words, limit: usize) -> Vec<f32> {
        let width = self.width();
        let count = words.len().min(limit);
        let longest = self.encoder.shape().longest().min(SEGMENT + 2);
        let [open, close] = self.tokeniser.borders();
        let mut out = vec![0.0f32; count * width];
        let mut tape = Tape::default();
        let (mut pieces, mut owners) = (vec![open], Vec::new());
        let mut cut = Vec::new();
        for i in 0..=count {
            cut.clear();
            if i < count {
                let (start, end) = (words.places[i].0 as usize, words.places[i].1 as usize);
                let glued = i > 0 && words.places[i - 1].1 as usize == start;
                self.tokeniser.encode_word(&text[start..end], glued, &mut cut);
                cut.truncate(longest - 2);
            }
            if i == count || pieces.len() + cut.len() + 1 > longest {
                if !owners.is_empty() {
                    pieces.push(close);
                    let sequence = 0..pieces.len();
                    let batch =
                        Batch { pieces: &pieces, sequences: std::slice::from_ref(&sequence), extra: &[] };
                    self.encoder.run(batch, Dropout::NONE, false, &mut tape);
                    let rows = tape.output.chunks_exact(width).skip(1).zip(&owners);
                    for (row, &(owner, share)) in rows {
                        let owner: usize = owner;
                        taire_encoder::math::axpy(share, row, &mut out[owner * width..][..width]);
                    }
                }
                (pieces, owners) = (vec![open], Vec::new());
            }
            owners.extend(cut.iter().map(|_| (i, 1.0 / cut.len() as f32)));
            pieces.extend_from_slice(&cut);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_cover_and_are_no_longer_than_allowed() {
        assert!(segments(0).is_empty());
        assert_eq!(segments(513), [0..512, 512..513]);
        assert_eq!(segments(1030), [0..512, 512..1024, 1024..1030]);
    }

    #[test]
    fn a_word_without_its_own_row_has_its_stems() {
        let table = [0.0, 0.0, 1.0, 2.0, 3.0, 6.0];
        let mut out = Vec::new();
        gather(&[[1, 2], [0, 2], [0, 0]], &table, 2, &mut out);
        assert_eq!(out, [2.0, 4.0, 3.0, 6.0, 0.0, 0.0]);
        let mut seen = Vec::new();
        scatter(&[[1, 2], [0, 2], [0, 0]], &out, 2, |row, share, slope| {
            seen.push((row, share, slope.to_vec()))
        });
        assert_eq!(seen.len(), 3);
        assert_eq!(seen[2], (2, 1.0, vec![3.0, 6.0]));
    }

    #[test]
    fn vectors_of_a_folder_are_one_a_word_however_long_the_text() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../taire-encoder/tests/families/minilm");
        let frozen = FrozenEncoder::read(&folder).unwrap();
        let text = "douleur thoracique et fièvre ".repeat(300);
        let words = Words::read(&text);
        let vectors = frozen.vectors(&text, &words, usize::MAX);
        assert_eq!(vectors.len(), words.len() * frozen.width());
        assert!(vectors.iter().all(|x| x.is_finite()));
        assert_eq!(frozen.vectors(&text, &words, 5).len(), 5 * frozen.width());
        assert!(FrozenEncoder::read(Path::new("nowhere")).err().unwrap().to_string().contains("nowhere"));
    }
}
