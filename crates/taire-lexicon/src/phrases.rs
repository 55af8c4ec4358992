//! Names of several words, found by walking an FST along the tokens of a note.

use fst::raw::{Fst, Node, Output};
use fst::{Map, Streamer};
use rustc_hash::FxHashSet;
use taire_text::{Kind, Token, fold_char, fold_hash};

/// No name of the lists takes more tokens.
const MAX_TOKENS: usize = 24;

type Bytes = &'static [u8];

/// The longest entry that starts at token `at`: tokens taken, and its value.
///
/// A hyphen, an apostrophe or an abbreviation's point between words counts as the space of the entry.
pub(crate) fn longest(fst: &Fst<Bytes>, norm: &str, tokens: &[Token], at: usize) -> Option<(usize, u64)> {
    let mut walk = Walk { fst, node: fst.root(), value: Output::zero() };
    let mut best = None;
    let mut words = 0;
    for (i, token) in tokens.get(at..)?.iter().take(MAX_TOKENS).enumerate() {
        match token.kind {
            Kind::Word | Kind::Number => {
                if words > 0 && walk.byte(b' ').is_none() || walk.word(token.of(norm)).is_none() {
                    return best;
                }
                words += 1;
                if walk.node.is_final() {
                    best = Some((i + 1, walk.value.cat(walk.node.final_output()).value()));
                }
            }
            Kind::Mark if words > 0 && matches!(token.of(norm), "-" | "'" | ".") => {}
            _ => return best,
        }
    }
    best
}

/// The first words of the entries, by the hash that tokens carry.
pub(crate) fn heads(map: &Map<Bytes>) -> FxHashSet<u64> {
    let mut heads = FxHashSet::default();
    let mut stream = map.keys();
    while let Some(key) = stream.next() {
        let end = key.iter().position(|&b| b == b' ').unwrap_or(key.len());
        heads.insert(fold_hash(std::str::from_utf8(&key[..end]).unwrap_or_default()));
    }
    heads
}

struct Walk<'f> {
    fst: &'f Fst<Bytes>,
    node: Node<'f>,
    value: Output,
}

impl Walk<'_> {
    fn byte(&mut self, byte: u8) -> Option<()> {
        let transition = self.node.transition(self.node.find_input(byte)?);
        self.value = self.value.cat(transition.out);
        self.node = self.fst.node(transition.addr);
        Some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let mut utf8 = [0; 4];
        for c in word.chars() {
            let (folded, n) = fold_char(c);
            for c in &folded[..n] {
                for &byte in c.encode_utf8(&mut utf8).as_bytes() {
                    self.byte(byte)?;
                }
            }
        }
        Some(())
    }
}
