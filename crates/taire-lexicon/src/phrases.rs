//! Names of several words, found by walking an FST along the tokens of a note.

use fst::raw::{Fst, Node, Output};
use fst::{Map, Streamer};
use rustc_hash::FxHashSet;
use taire_text::{Kind, Token, fold_char, fold_hash};

/// No name of the lists takes more tokens.
const MAX_TOKENS: usize = 24;

pub(crate) type Bytes = &'static [u8];

/// The longest entry that starts at token `at`: tokens taken, and its value.
///
/// A hyphen, an apostrophe or an abbreviation's point between words counts as the space of the entry.
pub(crate) fn longest(fst: &Fst<Bytes>, norm: &str, tokens: &[Token], at: usize) -> Option<(usize, u64)> {
    let mut walk = Walk::new(fst);
    let mut best = None;
    let mut words = 0;
    for (i, token) in tokens.get(at..)?.iter().take(MAX_TOKENS).enumerate() {
        match token.kind {
            Kind::Word | Kind::Number => {
                if words > 0 && walk.byte(b' ').is_none() || walk.word(token.of(norm)).is_none() {
                    return best;
                }
                words += 1;
                if let Some(value) = walk.value() {
                    best = Some((i + 1, value));
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

/// A place in an FST.
pub(crate) struct Walk<'f> {
    fst: &'f Fst<Bytes>,
    node: Node<'f>,
    value: Output,
}

impl<'f> Walk<'f> {
    pub(crate) fn new(fst: &'f Fst<Bytes>) -> Walk<'f> {
        Walk { fst, node: fst.root(), value: Output::zero() }
    }

    /// What the entry that ends here stands for.
    pub(crate) fn value(&self) -> Option<u64> {
        self.node.is_final().then(|| self.value.cat(self.node.final_output()).value())
    }

    pub(crate) fn byte(&mut self, byte: u8) -> Option<()> {
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
