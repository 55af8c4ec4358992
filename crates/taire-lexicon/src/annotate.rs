//! Fills in what the lexicon knows of each word of a note.
//!
//! Texts repeat their words, so each thread keeps a small direct-mapped cache from the bytes of a token to its
//! facts; a slot holds its key, so a collision costs a look-up and never a wrong answer.

use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use taire_text::{Facts, Kind, Language, Note, Token, fold_into};

use crate::Lexicon;

const SLOTS: usize = 1 << 15;
const KEY: usize = 23;
/// Caches a thread keeps: more annotators than this in turn on one thread only lose speed.
const CACHES: usize = 4;

type Keywords = dyn Fn(&str) -> u8 + Send + Sync;

/// Looks up the words of notes in one language's lexicon, and in the keyword table of the detectors.
pub struct Annotator {
    lexicon: &'static Lexicon,
    keywords: Box<Keywords>,
    id: u64,
}

#[derive(Clone, Copy)]
struct Slot {
    facts: Facts,
    length: u8,
    key: [u8; KEY],
}

struct Cache {
    owner: u64,
    slots: Box<[Slot]>,
    folded: String,
}

thread_local! {
    static CACHED: RefCell<Vec<Cache>> = const { RefCell::new(Vec::new()) };
}

impl Annotator {
    /// `keywords` gives the class of a folded word, 0 for none.
    pub fn new(language: Language, keywords: impl Fn(&str) -> u8 + Send + Sync + 'static) -> Annotator {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Annotator {
            lexicon: Lexicon::of(language),
            keywords: Box::new(keywords),
            id: NEXT.fetch_add(1, Ordering::Relaxed),
        }
    }

    pub fn lexicon(&self) -> &'static Lexicon {
        self.lexicon
    }

    /// Fills `facts` of every word of the note.
    pub fn annotate(&self, note: &mut Note) {
        let mut tokens = std::mem::take(&mut note.tokens);
        self.annotate_tokens(note.norm(), &mut tokens);
        note.tokens = tokens;
    }

    /// The same for tokens of a text that is not a note.
    pub fn annotate_tokens(&self, norm: &str, tokens: &mut [Token]) {
        CACHED.with_borrow_mut(|caches| {
            let at = caches.iter().position(|c| c.owner == self.id).unwrap_or_else(|| {
                if caches.len() == CACHES {
                    caches.remove(0);
                }
                caches.push(Cache::new(self.id));
                caches.len() - 1
            });
            let cache = &mut caches[at];
            for token in tokens.iter_mut().filter(|t| t.kind == Kind::Word) {
                token.facts = self.cached(cache, token.of(norm));
            }
        });
    }

    fn cached(&self, cache: &mut Cache, word: &str) -> Facts {
        let bytes = word.as_bytes();
        if bytes.len() > KEY {
            return self.look_up(&mut cache.folded, word);
        }
        let at = slot_of(bytes);
        let slot = &cache.slots[at];
        if usize::from(slot.length) == bytes.len() && &slot.key[..bytes.len()] == bytes {
            return slot.facts;
        }
        let facts = self.look_up(&mut cache.folded, word);
        let mut key = [0; KEY];
        key[..bytes.len()].copy_from_slice(bytes);
        cache.slots[at] = Slot { facts, length: bytes.len() as u8, key };
        facts
    }

    fn look_up(&self, folded: &mut String, word: &str) -> Facts {
        folded.clear();
        fold_into(word, folded);
        self.lexicon.facts(folded).with_keyword((self.keywords)(folded))
    }
}

impl fmt::Debug for Annotator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Annotator").field("lexicon", &self.lexicon).finish_non_exhaustive()
    }
}

impl Cache {
    fn new(owner: u64) -> Cache {
        let empty = Slot { facts: Facts::default(), length: 0, key: [0; KEY] };
        Cache { owner, slots: vec![empty; SLOTS].into_boxed_slice(), folded: String::new() }
    }
}

fn slot_of(bytes: &[u8]) -> usize {
    let mut hash = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    (hash >> (64 - SLOTS.trailing_zeros())) as usize
}
