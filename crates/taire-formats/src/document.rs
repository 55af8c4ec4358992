//! One document as read, and the spans written with it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use jiff::civil::Date;
use serde_json::value::RawValue;
use taire_text::{Given, KnownIdentity, Label, Language, Note, PatientId, Phi, Role, SourceSet};

use crate::date::DateShape;
use crate::envelope::Way;
use crate::office::Back;
use crate::parquet::Rest;
use crate::{Encoding, Error, LeftOut, TextForm};

/// One document as read. `text` may be taken out while it is treated: writing does not look at it.
pub struct Document {
    /// Names the document in outputs: its path without extension, or its id in the file, or file and row.
    pub id: String,
    pub text: String,
    /// Nothing gave it an id: `id` was made of the name of its file and its place there.
    pub named_by_place: bool,
    pub patient: Option<PatientId>,
    /// The stay it belongs to.
    pub visit: Option<String>,
    /// The record it was joined to by what it says, where it has no patient id; it is not written.
    pub record: Option<PatientId>,
    pub date: Option<Date>,
    pub language: Option<Language>,
    pub known: Option<Arc<KnownIdentity>>,
    /// Fields of its envelope in `text`, sorted and disjoint.
    pub given: Vec<Given>,
    pub encoding: Encoding,
    /// The line of `text` that each page of the file begins on, from 1; empty where it has no pages.
    pub pages: Vec<u32>,
    /// Annotations that came with it, when [`crate::ReadOptions::gold`] asks for them; in file order.
    pub gold: Vec<GoldSpan>,
    /// What identifies people in it, where that is settled: it is not searched then.
    pub final_spans: Option<Vec<FinalSpan>>,
    pub place: Place,
    /// The form its text came in, and goes back to.
    pub form: TextForm,
    /// What was in the file and is not treated, hence not written, and how many of each.
    pub left_out: BTreeMap<LeftOut, usize>,
}

impl Document {
    /// A document that comes from no file.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Document {
            id: id.into(),
            text: text.into(),
            named_by_place: false,
            patient: None,
            visit: None,
            record: None,
            date: None,
            language: None,
            known: None,
            given: Vec::new(),
            encoding: Encoding::Utf8,
            pages: Vec::new(),
            gold: Vec::new(),
            final_spans: None,
            place: Place::default(),
            form: TextForm::default(),
            left_out: BTreeMap::new(),
        }
    }

    /// A document that fills a file, and is named after it.
    pub(crate) fn of_file(stem: &str, text: String) -> Self {
        Document { named_by_place: true, ..Document::new(stem, text) }
    }

    /// Sets the patient it belongs to. A blank id is no id: the document stays by itself.
    #[must_use]
    pub fn patient(mut self, id: impl AsRef<str>) -> Self {
        self.patient = PatientId::parse(id.as_ref());
        self
    }

    /// Sets the date that came beside it.
    #[must_use]
    pub fn date(mut self, date: Date) -> Self {
        self.date = Some(date);
        self
    }

    /// Sets its language, which is otherwise guessed from the text.
    #[must_use]
    pub fn language(mut self, language: Language) -> Self {
        self.language = Some(language);
        self
    }

    /// Sets what is known of the patient beforehand.
    #[must_use]
    pub fn known(mut self, known: KnownIdentity) -> Self {
        self.known = (!known.is_empty()).then(|| Arc::new(known));
        self
    }

    /// Sets what identifies people in it, in bytes of its text: these spans are final, and nothing else is looked for.
    #[must_use]
    pub fn spans(mut self, spans: impl IntoIterator<Item = FinalSpan>) -> Self {
        self.final_spans = Some(spans.into_iter().collect());
        self
    }

    /// The patient it belongs to, by its own id or by the identity that came with it.
    pub fn patient_id(&self) -> Option<&PatientId> {
        self.patient.as_ref().or_else(|| self.known.as_ref()?.patient.as_ref())
    }

    /// The document as detectors and the rewriter take it, in `language` where one is forced.
    pub fn into_note(mut self, language: Option<Language>) -> Result<Note, taire_text::Error> {
        self.take_note(language)
    }

    /// The same, leaving behind what is needed to write the document back.
    pub fn take_note(&mut self, language: Option<Language>) -> Result<Note, taire_text::Error> {
        Note::builder(self.id.clone(), std::mem::take(&mut self.text))
            .patient(self.patient_id().or(self.record.as_ref()).cloned())
            .date(self.date)
            .language(language.or(self.language))
            .known(self.known.clone())
            .given(std::mem::take(&mut self.given))
            .build()
    }

    /// The page of a line and the line there, both from 1; without a page where the file has none.
    pub fn page_and_line(&self, line: u32) -> (Option<usize>, u32) {
        let page = self.pages.partition_point(|&first| first <= line);
        match page.checked_sub(1).and_then(|at| self.pages.get(at)) {
            Some(&first) => (Some(page), line - first + 1),
            None => (None, line),
        }
    }

    /// A copy of what the document says, without its place in a file.
    #[must_use]
    pub fn detached(&self) -> Document {
        Document {
            named_by_place: self.named_by_place,
            patient: self.patient.clone(),
            visit: self.visit.clone(),
            record: self.record.clone(),
            date: self.date,
            language: self.language,
            known: self.known.clone(),
            given: self.given.clone(),
            pages: self.pages.clone(),
            final_spans: self.final_spans.clone(),
            ..Document::new(self.id.clone(), self.text.clone())
        }
    }

    /// The file it fills alone, in its own format, with its new text; `None` where it is a row of a table or plain text.
    /// An error concerns this document alone.
    pub fn rewritten(&self, text: &str, spans: &[OutSpan]) -> Option<Result<Vec<u8>, Error>> {
        let bytes = match &self.place.0 {
            Spot::Markup(back) => back.write(text, spans),
            Spot::Envelope(way) => way.write(text, spans),
            _ => return None,
        };
        Some(bytes.map_err(Error::refused))
    }

    /// Bytes it holds in memory.
    pub fn weight(&self) -> usize {
        let markup = match &self.place.0 {
            Spot::Markup(back) => back.weight(),
            Spot::Envelope(way) => way.weight(),
            _ => 0,
        };
        self.text.len() + markup + self.form.weight()
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document")
            .field("id", &self.id)
            .field("text", &Phi::new(&self.text))
            .field("encoding", &self.encoding)
            .finish_non_exhaustive()
    }
}

/// What is written in place of what a document said of itself. The originals are never written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NewFields<'a> {
    pub id: &'a str,
    pub patient: Option<&'a str>,
    pub visit: Option<&'a str>,
    pub date: Option<Date>,
}

/// A stretch of text that a person or a program has settled, in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FinalSpan {
    pub range: Range<usize>,
    pub label: Label,
    pub role: Role,
}

impl FinalSpan {
    /// A stretch that identifies nobody knows whom.
    pub fn new(range: Range<usize>, label: Label) -> Self {
        FinalSpan { range, label, role: Role::Unknown }
    }
}

impl TryFrom<GoldSpan> for FinalSpan {
    type Error = Error;

    /// The label must be one of ours.
    fn try_from(gold: GoldSpan) -> Result<Self, Error> {
        let label = gold.label.parse()?;
        Ok(FinalSpan { range: gold.start..gold.end, label, role: gold.role.unwrap_or(Role::Unknown) })
    }
}

/// An annotation that came with a document, in bytes of its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GoldSpan {
    pub start: usize,
    pub end: usize,
    pub label: String,
    pub role: Option<Role>,
}

/// An annotation to write, in bytes of the written text.
#[derive(Clone, PartialEq, Debug)]
pub struct OutSpan {
    pub start: usize,
    pub end: usize,
    /// Bytes of the text as read that it stands for, small words beside it that had to agree included.
    pub original: Range<usize>,
    /// How many of these stand before it, and how many bytes were written before `start` in their place: `à ` becomes
    /// `au ` before `Mans`.
    pub took: usize,
    pub put: usize,
    pub label: Cow<'static, str>,
    pub role: Option<Role>,
    pub score: f32,
    pub sources: SourceSet,
}

impl OutSpan {
    /// What it and the small word before it stand for, and what is written there; `None` if it is out of place.
    pub(crate) fn edits<'t>(
        &self,
        text: &'t str,
    ) -> Option<impl Iterator<Item = (Range<usize>, &'t str)> + use<'t>> {
        let start = self.start.checked_sub(self.put)?;
        // With nothing to take, the small word is written with the rest.
        let (from, at) = match self.took {
            0 => (self.original.start, start),
            took => (self.original.start.checked_add(took)?, self.start),
        };
        let small = (self.original.start..from, text.get(start..at)?);
        let rest = (from..self.original.end, text.get(at..self.end)?);
        Some([small, rest].into_iter().filter(|(range, _)| !range.is_empty()))
    }
}

/// Where a document stood in its file, with what goes back beside it.
#[derive(Default)]
pub struct Place(pub(crate) Spot);

#[derive(Default)]
pub(crate) enum Spot {
    #[default]
    Nowhere,
    Json(Vec<Slot>),
    Row {
        date: DateShape,
        /// Cells of the kept columns, in their order.
        kept: Vec<String>,
    },
    /// An envelope, its fields and its letter written back in place.
    Envelope(Box<Way>),
    /// A file with markup, written back in place.
    Markup(Box<Back>),
    /// A row of a Parquet table.
    Record {
        date: DateShape,
        /// The batch it came in, and its place there.
        rest: Rest,
        row: usize,
        without_text: bool,
    },
}

/// One key of a JSON document, in its order.
pub(crate) enum Slot {
    Id { quoted: bool },
    Text,
    Patient { quoted: bool },
    Visit { quoted: bool },
    Date(DateShape),
    Language,
    Kept(usize, Box<RawValue>),
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Place")
    }
}

/// Whether an id lost blanks when it was read.
pub(crate) fn is_trimmed(id: Option<&PatientId>, read: Option<&str>) -> bool {
    id.is_some_and(|id| read.is_some_and(|read| read != id.as_str()))
}
