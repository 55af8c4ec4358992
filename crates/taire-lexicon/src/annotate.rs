//! Fills in what the lexicon knows of each word of a note.
//!
//! Texts repeat their words, so each thread keeps a cache from the bytes of a token to its facts, two words to a slot;
//! each is kept with its key, so a collision costs a look-up and never a wrong answer.

use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use taire_text::{Calendar, Facts, Kind, Language, Note, Token, date, fold_hash, fold_into};

use crate::Lexicon;

const SLOTS: usize = 1 << 15;
/// The longest word that is kept, in bytes.
const LONGEST: usize = 23;
/// Caches a thread keeps: more annotators than this in turn on one thread only lose speed.
const CACHES: usize = 4;

type Keywords = dyn Fn(&str) -> u8 + Send + Sync;

/// Looks up the words of notes in one language's lexicon, and in the keyword table of the detectors.
pub struct Annotator {
    lexicon: &'static Lexicon,
    keywords: Box<Keywords>,
    id: u64,
}

/// What is written into a token of a word.
#[derive(Clone, Copy)]
struct Known {
    facts: Facts,
    hash: u64,
    calendar: Calendar,
}

/// The bytes of a word, zeros, and its length in the last byte.
type Key = [u64; 3];

/// On one line of the processor's cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Word {
    key: Key,
    known: Known,
}

struct Cache {
    owner: u64,
    /// The later word of a slot first.
    slots: Box<[[Word; 2]]>,
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

    /// Fills `facts`, `hash` and `calendar` of every word of the note.
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
                let known = self.cached(cache, norm, token);
                token.facts = known.facts;
                token.hash = known.hash;
                token.calendar = known.calendar;
            }
        });
    }

    #[inline]
    fn cached(&self, cache: &mut Cache, norm: &str, token: &Token) -> Known {
        let Some(key) = key_of(norm.as_bytes(), token.start(), token.end()) else {
            return self.look_up(&mut cache.folded, token.of(norm));
        };
        let [first, second] = &mut cache.slots[slot_of(key)];
        if first.key == key {
            return first.known;
        }
        if second.key == key {
            std::mem::swap(first, second);
            return first.known;
        }
        let known = self.look_up(&mut cache.folded, token.of(norm));
        *second = *first;
        *first = Word { key, known };
        known
    }

    #[cold]
    fn look_up(&self, folded: &mut String, word: &str) -> Known {
        folded.clear();
        fold_into(word, folded);
        Known {
            facts: self.lexicon.facts(folded).with_keyword((self.keywords)(folded)),
            hash: fold_hash(folded),
            calendar: date::calendar(word),
        }
    }
}

impl fmt::Debug for Annotator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Annotator").field("lexicon", &self.lexicon).finish_non_exhaustive()
    }
}

impl Cache {
    fn new(owner: u64) -> Cache {
        let known = Known { facts: Facts::default(), hash: 0, calendar: Calendar::Unread };
        let empty = [Word { key: [0; 3], known }; 2];
        Cache { owner, slots: vec![empty; SLOTS].into_boxed_slice(), folded: String::new() }
    }
}

/// The key of a word of at most [`LONGEST`] bytes.
#[inline]
fn key_of(text: &[u8], start: usize, end: usize) -> Option<Key> {
    let length = end - start;
    if length > LONGEST {
        return None;
    }
    let mut bytes = [0; 24];
    match text[start..].first_chunk() {
        Some(window) => bytes = *window,
        None => bytes[..length].copy_from_slice(&text[start..end]),
    }
    let (words, _) = bytes.as_chunks::<8>();
    let mut key = [0; 3];
    for (i, (to, from)) in key.iter_mut().zip(words).enumerate() {
        *to = u64::from_le_bytes(*from) & MASKS[length.saturating_sub(8 * i).min(8)];
    }
    key[2] |= (length as u64) << 56;
    Some(key)
}

/// The mask that keeps the first `n` bytes of eight.
const MASKS: [u64; 9] = [
    0,
    0xff,
    0xffff,
    0xff_ffff,
    0xffff_ffff,
    0xff_ffff_ffff,
    0xffff_ffff_ffff,
    0xff_ffff_ffff_ffff,
    0xffff_ffff_ffff_ffff,
];

#[inline]
fn slot_of([a, b, c]: Key) -> usize {
    const MIX: u64 = 0x517c_c1b7_2722_0a95;
    let hash =
        a.wrapping_mul(MIX) ^ b.wrapping_mul(MIX.rotate_left(21)) ^ c.wrapping_mul(MIX.rotate_left(42));
    ((hash ^ hash >> 29).wrapping_mul(MIX) >> (64 - SLOTS.trailing_zeros())) as usize
}
