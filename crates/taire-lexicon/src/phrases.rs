//! Names of several words, found by walking an FST along the tokens of a note.

use fst::raw::{Fst, Node, Output};
use fst::{Map, Streamer};
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
            _ if words > 0 && is_joint(token, norm) => {}
            _ => return best,
        }
    }
    best
}

/// How the entries begin: those of one word, and the first two words of the others, by the hashes that tokens carry. A
/// bit each, so that some more pass.
pub(crate) struct Heads(Box<[u64]>);

impl Heads {
    const WORDS: usize = 1 << 13;

    pub(crate) fn of(map: &Map<Bytes>) -> Heads {
        let mut heads = Heads(vec![0; Self::WORDS].into_boxed_slice());
        let mut stream = map.keys();
        while let Some(key) = stream.next() {
            let mut words = key.split(|&b| b == b' ');
            let mut hash = || words.next().map(|w| fold_hash(std::str::from_utf8(w).unwrap_or_default()));
            let (word, bit) = Self::place(hash().unwrap_or(0), hash());
            heads.0[word] |= bit;
        }
        heads
    }

    /// Whether an entry may start at a token; what was not looked up may be any word.
    pub(crate) fn may_start(&self, norm: &str, tokens: &[Token], at: usize) -> bool {
        let Some(&Token { hash, .. }) = tokens.get(at) else { return false };
        let second = tokens[at + 1..].iter().take(3).find(|t| !is_joint(t, norm)).map_or(0, |t| t.hash);
        let has = |(word, bit): (usize, u64)| self.0[word] & bit != 0;
        hash == 0 || has(Self::place(hash, None)) || second == 0 || has(Self::place(hash, Some(second)))
    }

    fn place(first: u64, second: Option<u64>) -> (usize, u64) {
        let hash = second.map_or(first, |second| first.rotate_left(9) ^ second);
        ((hash >> 6) as usize % Self::WORDS, 1 << (hash % 64))
    }
}

/// A mark between two words that separates them like a space.
fn is_joint(token: &Token, norm: &str) -> bool {
    token.kind == Kind::Mark && matches!(token.of(norm), "-" | "'" | ".")
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

    /// The value of the entry that ends here.
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
