//! What the CRF sees of a token.
//!
//! A note is read twice: [`Document`] takes what belongs to the whole of it (hashes of words, lines and their keys,
//! what each word was elsewhere), then the templates write each piece's features as 48-bit hashes into a reused buffer.
//! Features of a single word, seen from itself or from a neighbour, are apart: the decoder remembers their sums by
//! word.

mod document;
mod hash;
mod segment;
mod templates;
mod vocabulary;
mod word_class;

pub(crate) use document::{Document, Reach};
pub(crate) use hash::{finish, mix, word_hashes};
pub(crate) use templates::{LineView, Settings, constant};
pub(crate) use vocabulary::{Entry, Vocabulary};
