//! Byte-pair encoding over bytes, each written as a printable character (RoBERTa).

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::{Char, Piece, table};
use crate::Error;

#[derive(Clone)]
pub(super) struct Bpe {
    pieces: FxHashMap<Box<str>, u32>,
    /// Pairs of pieces, by rank and what they make.
    merges: FxHashMap<(u32, u32), (u32, u32)>,
    unknown: Option<u32>,
}

/// The character that stands for each byte.
static LETTERS: LazyLock<[char; 256]> = LazyLock::new(|| {
    let plain = |b: u8| matches!(b, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let mut next = 256;
    std::array::from_fn(|b| {
        if plain(b as u8) {
            return b as u8 as char;
        }
        next += 1;
        char::from_u32(next - 1).unwrap_or(' ')
    })
});

impl Bpe {
    pub(super) fn read(model: &Value) -> Result<(Bpe, usize), Error> {
        let (pieces, count) = table(&model["vocab"])?;
        let wrong = || Error::damaged("its merges do not fit its vocabulary");
        let mut merges = FxHashMap::default();
        for (rank, merge) in model["merges"].as_array().ok_or_else(wrong)?.iter().enumerate() {
            let (a, b) = match (merge.as_str(), merge[0].as_str(), merge[1].as_str()) {
                (Some(pair), ..) => pair.split_once(' ').ok_or_else(wrong)?,
                (_, Some(a), Some(b)) => (a, b),
                _ => return Err(wrong()),
            };
            let id = |piece: &str| pieces.get(piece).copied().ok_or_else(wrong);
            merges.entry((id(a)?, id(b)?)).or_insert((rank as u32, id(&format!("{a}{b}"))?));
        }
        let unknown = model["unk_token"].as_str().and_then(|u| pieces.get(u).copied());
        Ok((Bpe { pieces, merges, unknown }, count))
    }

    pub(super) fn unknown(&self) -> Option<u32> {
        self.unknown
    }

    pub(super) fn cut(&self, chars: &[Char], out: &mut Vec<Piece>) {
        let first = out.len();
        let mut bytes = [0; 4];
        let mut letter = [0; 4];
        for c in chars {
            for b in c.value.encode_utf8(&mut bytes).bytes() {
                let letter: &str = LETTERS[usize::from(b)].encode_utf8(&mut letter);
                if let Some(id) = self.pieces.get(letter).copied().or(self.unknown) {
                    out.push(Piece { id, start: c.start, end: c.end });
                }
            }
        }
        loop {
            let pairs = out[first..].windows(2).enumerate();
            let best = pairs
                .filter_map(|(i, w)| self.merges.get(&(w[0].id, w[1].id)).map(|&(rank, id)| (rank, i, id)))
                .min();
            let Some((_, i, id)) = best else { break };
            let end = out[first + i + 1].end;
            out[first + i] = Piece { id, start: out[first + i].start, end };
            out.remove(first + i + 1);
        }
    }
}
