//! One document as read, and the spans written with it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use jiff::civil::Date;
use serde_json::value::RawValue;
use taire_text::{Given, KnownIdentity, Language, Phi, Role, SourceSet};

use crate::date::DateShape;
use crate::envelope::Way;
use crate::office::Back;
use crate::parquet::Rest;
use crate::{Encoding, Error, LeftOut};

/// One document as read. `text` may be taken out while it is treated: writing does not look at it.
pub struct Document {
    /// Names the document in outputs: its path without extension, or its id in the file, or file and row.
    pub id: String,
    pub text: String,
    pub patient: Option<String>,
    pub date: Option<Date>,
    pub language: Option<Language>,
    pub known: Option<Arc<KnownIdentity>>,
    /// Fields of its envelope in `text`, sorted and disjoint.
    pub given: Vec<Given>,
    pub encoding: Encoding,
    /// Annotations that came with it, when [`crate::ReadOptions::gold`] asks for them; in file order.
    pub gold: Vec<GoldSpan>,
    pub place: Place,
    /// What was in the file and is not treated, hence not written, and how many of each.
    pub left_out: BTreeMap<LeftOut, usize>,
}

impl Document {
    /// A document that comes from no file.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Document {
            id: id.into(),
            text: text.into(),
            patient: None,
            date: None,
            language: None,
            known: None,
            given: Vec::new(),
            encoding: Encoding::Utf8,
            gold: Vec::new(),
            place: Place::default(),
            left_out: BTreeMap::new(),
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
        self.text.len() + markup
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
    Date(DateShape),
    Language,
    Kept(usize, Box<RawValue>),
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Place")
    }
}
