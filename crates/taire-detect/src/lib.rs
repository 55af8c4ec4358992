//! Finding what identifies a person.
//!
//! Each detector reads notes and returns what it found as mentions; none edits the text. [`fuse`] decides between
//! them. Rules live as tables beside the code that reads them, and as marked-text specs under `specs/`.

mod allow_list;
mod broken_names;
mod calibrate;
mod citations;
mod details;
mod error;
mod facilities;
mod folded;
mod fuse;
mod guard;
mod initials;
mod lexicon;
mod link_facts;
mod long_numbers;
mod metadata;
mod organisations;
mod own_rules;
mod patterns;
mod people_index;
mod phrases;
mod places;
mod plain_date;
mod second_pass;
mod section_values;
mod sections;
mod settle;
mod span_index;
mod structure;

pub mod names;
pub mod words;

use taire_text::{Mention, Note, Source};

pub use allow_list::{AllowList, Judgement, Judgements, WordEntry, WordList, mask_titles, starter_allows};
pub use calibrate::{Calibration, Evidence, FEATURES, Weights, feature_name};
pub use error::Error;
pub use fuse::{FusionRule, attach_overruled_mentions, candidates_below_threshold, fuse};
pub use guard::languages::foreign_language;
pub use guard::{ClinicalRule, Guard, clinical_rules};
pub use initials::initials;
pub use lexicon::Lexical;
pub use link_facts::{LinkFacts, NumberKind, ShortBirth};
pub use long_numbers::long_numbers;
pub use metadata::Metadata;
pub use own_rules::{AllowedSpans, OwnRules};
pub use patterns::Patterns;
pub use people_index::PeopleIndex;
pub use second_pass::{TrustedRecord, second_pass};
pub use section_values::{footer_values, header_values};
pub use sections::{Section, Sections};
pub use settle::settle;
pub use span_index::SpanIndex;
pub use structure::Structure;

/// The most tokens that one name, number, address or path is read to have. A text without end of `A.B.A.B.` or `1:1:1:`
/// would else be read whole from each of its tokens.
const MAX_TOKENS: usize = 64;

/// One way of finding. Detectors are built once, then shared by all threads.
pub trait Detector: Send + Sync {
    fn source(&self) -> Source;

    /// Adds what it sees in `notes[i]` to `out[i]`.
    fn detect(&self, notes: &[Note], out: &mut [Vec<Mention>]) -> Result<(), Error>;
}
