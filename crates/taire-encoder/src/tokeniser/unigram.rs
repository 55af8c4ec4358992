//! The unigram model: the cut whose pieces are together the likeliest (SentencePiece, as in XLM-R and CamemBERT).

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::{Char, Piece};
use crate::Error;

/// What an unknown character costs beyond the least likely piece.
const UNKNOWN_COST: f32 = 10.0;

#[derive(Clone)]
pub(super) struct Unigram {
    pieces: FxHashMap<Box<str>, (u32, f32)>,
    /// In characters.
    longest: usize,
    unknown: u32,
    unknown_score: f32,
}

impl Unigram {
    pub(super) fn read(model: &Value) -> Result<(Unigram, usize), Error> {
        if model["byte_fallback"].as_bool() == Some(true) {
            return Err(Error::unsupported("unigram models that fall back to bytes are not read"));
        }
        let wrong = || Error::damaged("its vocabulary is no list of pieces with scores");
        let list = model["vocab"].as_array().ok_or_else(wrong)?;
        let unknown = model["unk_id"].as_u64().filter(|&id| (id as usize) < list.len());
        let unknown =
            unknown.ok_or_else(|| Error::damaged("its unk_id is missing or outside the vocabulary"))?;
        let mut out =
            Unigram { pieces: FxHashMap::default(), longest: 1, unknown: unknown as u32, unknown_score: 0.0 };
        let mut least = f32::INFINITY;
        for (id, entry) in list.iter().enumerate() {
            let piece = entry[0].as_str().ok_or_else(wrong)?;
            let score = entry[1].as_f64().filter(|s| s.is_finite()).ok_or_else(wrong)? as f32;
            least = least.min(score);
            out.longest = out.longest.max(piece.chars().count());
            if !piece.is_empty() {
                out.pieces.entry(piece.into()).or_insert((id as u32, score));
            }
        }
        out.unknown_score = least - UNKNOWN_COST;
        Ok((out, list.len()))
    }

    pub(super) fn unknown(&self) -> u32 {
        self.unknown
    }

    pub(super) fn cut(&self, chars: &[Char], out: &mut Vec<Piece>) {
        let mut text = String::with_capacity(chars.len() * 2);
        let mut places = Vec::with_capacity(chars.len() + 1);
        for c in chars {
            places.push(text.len());
            text.push(c.value);
        }
        places.push(text.len());
        // The best way to each place: score, where its last piece begins, that piece.
        let mut best = vec![(f32::NEG_INFINITY, 0usize, self.unknown); chars.len() + 1];
        best[0].0 = 0.0;
        for from in 0..chars.len() {
            let so_far = best[from].0;
            let mut single = false;
            for to in from + 1..=(from + self.longest).min(chars.len()) {
                let Some(&(id, score)) = self.pieces.get(&text[places[from]..places[to]]) else { continue };
                single |= to == from + 1;
                if so_far + score > best[to].0 {
                    best[to] = (so_far + score, from, id);
                }
            }
            if !single && so_far + self.unknown_score > best[from + 1].0 {
                best[from + 1] = (so_far + self.unknown_score, from, self.unknown);
            }
        }
        let first = out.len();
        let mut at = chars.len();
        while at > 0 {
            let (_, from, id) = best[at];
            let (start, end) = (chars[from].start, chars[at - 1].end);
            match out[first..].last_mut().filter(|next| id == self.unknown && next.id == id) {
                // Unknown characters in a row are one piece.
                Some(next) => next.start = start,
                None => out.push(Piece { id, start, end }),
            }
            at = from;
        }
        out[first..].reverse();
    }
}
