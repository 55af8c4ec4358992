//! Word pieces: the longest known beginning, then the longest known continuation (BERT).

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::{Char, Piece, table};
use crate::Error;

#[derive(Clone)]
pub(super) struct WordPiece {
    pieces: FxHashMap<Box<str>, u32>,
    prefix: String,
    unknown: u32,
    /// A word of more characters is unknown as a whole.
    longest: usize,
}

impl WordPiece {
    pub(super) fn read(model: &Value) -> Result<(WordPiece, usize), Error> {
        let (pieces, count) = table(&model["vocab"])?;
        let name = model["unk_token"].as_str().unwrap_or("[UNK]");
        let unknown = *pieces
            .get(name)
            .ok_or_else(|| Error::damaged(format!("its vocabulary lacks the unknown piece `{name}`")))?;
        let prefix = model["continuing_subword_prefix"].as_str().unwrap_or("##").to_owned();
        let longest = model["max_input_chars_per_word"].as_u64().unwrap_or(100) as usize;
        Ok((WordPiece { pieces, prefix, unknown, longest }, count))
    }

    pub(super) fn unknown(&self) -> u32 {
        self.unknown
    }

    pub(super) fn cut(&self, chars: &[Char], out: &mut Vec<Piece>) {
        let (Some(start), Some(end)) = (chars.first(), chars.last()) else { return };
        let whole = Piece { id: self.unknown, start: start.start, end: end.end };
        if chars.len() > self.longest {
            return out.push(whole);
        }
        let first = out.len();
        let mut key = String::new();
        let mut from = 0;
        while from < chars.len() {
            let found = (from + 1..=chars.len()).rev().find_map(|to| {
                key.clear();
                if from > 0 {
                    key.push_str(&self.prefix);
                }
                key.extend(chars[from..to].iter().map(|c| c.value));
                self.pieces.get(key.as_str()).map(|&id| (to, id))
            });
            let Some((to, id)) = found else {
                out.truncate(first);
                return out.push(whole);
            };
            out.push(Piece { id, start: chars[from].start, end: chars[to - 1].end });
            from = to;
        }
    }
}
