//! What the CRF sees of a token.
//!
//! A note is read twice: [`Document`] takes what belongs to the whole of it (hashes of words, lines and their keys,
//! what each word was elsewhere), then the templates write each line's features as 48-bit hashes into a reused buffer.

mod document;
mod hash;
mod templates;
mod word_class;

pub(crate) use document::Document;
pub(crate) use templates::{LineFeatures, Settings};
