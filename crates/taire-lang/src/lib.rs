//! One vocabulary per language.
//!
//! What depends on the words of French or Spanish is asked here: titles, particles of names, relatives, months and week days,
//! words beside dates and ages, heads of facilities and of eponyms. Each language has one data file (`data/fr.tsv`), each word
//! in it its roles and where they come from; `data/any.tsv` holds what letters of every language share. [`Vocabulary::of`]
//! answers for one language, [`Vocabulary::any`] for all at once.
//!
//! ```
//! use taire_lang::{Language, WordRole, Vocabulary};
//! let french = Vocabulary::of(Language::Fr);
//! assert!(french.has("von", WordRole::Particle) && french.has("Mme", WordRole::TitleFemale));
//! ```
//!
//! The crate knows words and nothing of spans, labels or documents, so that every other crate can depend on it.

mod calendar;
mod fold;
mod language;
mod parse;
mod role;
mod vocabulary;

pub use calendar::{CalendarNames, CalendarWord, NameRow};
pub use fold::{fold, fold_char, fold_hash, fold_into};
pub use language::{Language, UnknownLanguage};
pub use parse::DataError;
pub use role::{Gender, Number, WordRole, WordRoles};
pub use vocabulary::{Participles, Vocabulary, Word};
