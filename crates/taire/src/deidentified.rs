//! The result of treating one document.

use std::ops::Range;

use jiff::civil::Date;
use taire_surrogate::{Fallback, Release};
use taire_text::{Entity, Note, Phi};

use crate::{Doubt, Findings};

/// A treated document.
#[derive(Clone)]
pub struct Deidentified {
    /// The new text, plain.
    pub text: String,
    /// The new text in the form the old one came in, where that is HTML, RTF or base64.
    pub in_form: Option<String>,
    /// What was found, in the original.
    pub entities: Vec<Entity>,
    /// What was written, in the new text.
    pub written: Vec<Written>,
    /// Indices of entities that came out as they were: the policy keeps them, or the right value is the same.
    pub kept: Vec<usize>,
    /// Where a tag was written because no surrogate could be made.
    pub fallbacks: Vec<Fallback>,
    /// What the mechanisms declared, release by release.
    pub releases: Vec<Release>,
    /// Words that place an event without a date and stay as they are, where dates are released by a mechanism.
    pub event_words: usize,
    /// What replaces the id of the document.
    pub id: String,
    /// What replaces the stay it belongs to, where the run knows one.
    pub visit: Option<String>,
    /// What replaces the patient id.
    pub patient: Option<String>,
    /// What replaces the date of the document.
    pub date: Option<Date>,
    /// How sure the worst decision is.
    pub doubt: Doubt,
}

impl Deidentified {
    /// A document that was searched and not rewritten.
    pub(crate) fn unchanged(note: &Note, findings: Findings) -> Deidentified {
        Deidentified {
            text: note.raw().to_owned(),
            in_form: None,
            id: note.id.clone(),
            visit: None,
            doubt: findings.doubt,
            entities: findings.entities,
            written: Vec::new(),
            kept: Vec::new(),
            fallbacks: Vec::new(),
            releases: Vec::new(),
            event_words: 0,
            patient: note.patient.clone().map(String::from),
            date: note.date,
        }
    }
}

/// Something that was written in place of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Bytes of the new text.
    pub range: Range<usize>,
    /// Index of the entity it replaces.
    pub entity: usize,
    /// Bytes of the original that went: the entity, and small words beside it that had to agree.
    pub original: Range<usize>,
    /// How many of them stand before the entity, and how many bytes were written before `range` in their place: `à `
    /// becomes `au ` before `Mans`.
    pub took: usize,
    /// How many bytes were written there.
    pub put: usize,
}

impl std::fmt::Debug for Deidentified {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Deidentified({}, {} entities)", Phi::new(&self.text), self.entities.len())
    }
}
