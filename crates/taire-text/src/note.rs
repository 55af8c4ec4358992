//! One document, ready for detectors.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use jiff::civil::Date;

use crate::reference::resolve_references;
use crate::{
    CancelFlag, Error, Kind, KnownIdentity, Label, Language, Norm, OffsetMap, PatientId, Phi, Raw, Role,
    Span, Token, fold_hash, normalise, tokenise,
};

/// A stretch of text whose meaning is given with the document: a field of its envelope, or the words that announce it.
/// Detectors do not change it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Given {
    pub span: Span<Raw>,
    /// `None` for words that identify nobody.
    pub label: Option<Label>,
    pub role: Role,
}

/// One document: its text as read, the normalised view, its tokens and lines, and what is known beforehand.
#[derive(Clone)]
pub struct Note {
    /// Names the document in outputs and reports. It is not identifying text: a file name or a row id.
    pub id: String,
    /// Joins documents of one patient.
    pub patient: Option<PatientId>,
    /// The date of the document, when it came beside it.
    pub date: Option<Date>,
    pub language: Language,
    /// Whether the language came with the document; else it was guessed from its words.
    pub language_given: bool,
    pub known: Arc<KnownIdentity>,
    /// Fields of its envelope, sorted and disjoint.
    pub given: Vec<Given>,
    pub tokens: Vec<Token>,
    /// Set by who no longer waits for it.
    pub cancel: Option<CancelFlag>,
    raw: String,
    norm: Option<String>,
    map: OffsetMap,
    lines: Vec<u32>,
}

impl Note {
    /// The longest document Taire accepts, in bytes. Longer ones are refused, not cut.
    pub const MAX_BYTES: usize = 32 << 20;

    pub fn builder(id: impl Into<String>, raw: impl Into<String>) -> NoteBuilder {
        NoteBuilder {
            id: id.into(),
            raw: raw.into(),
            patient: None,
            date: None,
            language: None,
            known: None,
            given: Vec::new(),
        }
    }

    /// Whether nobody waits for it any more: long loops end where this is true.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(CancelFlag::is_cancelled)
    }

    /// An error once nobody waits for it any more, for who would use what a loop has left.
    pub fn check_cancelled(&self) -> Result<(), Error> {
        match self.is_cancelled() {
            true => Err(Error::refused("the caller left before the document was treated")),
            false => Ok(()),
        }
    }

    pub fn raw(&self) -> &str {
        &self.raw
    }

    pub fn into_raw(self) -> String {
        self.raw
    }

    /// The text that detectors read.
    #[inline]
    pub fn norm(&self) -> &str {
        self.norm.as_deref().unwrap_or(&self.raw)
    }

    pub fn to_raw(&self, span: Span<Norm>) -> Span<Raw> {
        self.map.to_raw(span)
    }

    pub fn to_norm(&self, span: Span<Raw>) -> Span<Norm> {
        self.map.to_norm(span)
    }

    /// The raw span of a run of tokens, last one included.
    pub fn raw_of_tokens(&self, first: usize, last: usize) -> Span<Raw> {
        self.to_raw(Span::new(self.tokens[first].start(), self.tokens[last].end()))
    }

    /// What a span says: its text as read, with character references (`&eacute;`) resolved. Checks of the form of a mention
    /// look at this, so that a reference is no mark and no number.
    pub fn readable(&self, span: Span<Raw>) -> Cow<'_, str> {
        let text = span.of(&self.raw);
        match memchr::memchr(b'&', text.as_bytes()) {
            None => Cow::Borrowed(text),
            Some(_) => Cow::Owned(resolve_references(text)),
        }
    }

    /// Identifying text of this note, safe to pass to a formatter.
    pub fn phi(&self, span: Span<Raw>) -> Phi<'_> {
        Phi::new(span.of(&self.raw))
    }

    /// Lines of the normalised text, without their line end.
    pub fn lines(&self) -> impl Iterator<Item = Span<Norm>> + '_ {
        (0..self.lines.len()).map(|i| self.line(i))
    }

    /// The line of the normalised text that holds a byte offset.
    pub fn line_at(&self, offset: usize) -> usize {
        self.lines.partition_point(|&start| start as usize <= offset).saturating_sub(1)
    }

    pub fn line(&self, index: usize) -> Span<Norm> {
        let start = self.lines[index] as usize;
        let end = self.lines.get(index + 1).map_or(self.norm().len(), |&next| next as usize - 1);
        Span::new(start, end)
    }

    /// Index of the first token at or after a byte offset of the normalised text.
    pub fn token_at(&self, offset: usize) -> usize {
        self.tokens.partition_point(|t| t.start() < offset)
    }
}

impl fmt::Debug for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Note")
            .field("id", &self.id)
            .field("language", &self.language)
            .field("text", &Phi::new(&self.raw))
            .finish_non_exhaustive()
    }
}

/// Gathers what came with a document, then reads its text once.
#[derive(Clone)]
pub struct NoteBuilder {
    id: String,
    raw: String,
    patient: Option<PatientId>,
    date: Option<Date>,
    language: Option<Language>,
    known: Option<Arc<KnownIdentity>>,
    given: Vec<Given>,
}

/// The likeliest language of a text, by its words.
fn guess_language(text: &str, tokens: &[Token]) -> Language {
    let words = tokens.iter().filter(|t| t.kind == Kind::Word);
    Language::guess(text, words.map(|t| fold_hash(t.of(text))))
}

impl NoteBuilder {
    pub fn patient(mut self, patient: Option<PatientId>) -> Self {
        self.patient = patient;
        self
    }

    pub fn date(mut self, date: Option<Date>) -> Self {
        self.date = date;
        self
    }

    /// Without a language, it is guessed from the text.
    pub fn language(mut self, language: Option<Language>) -> Self {
        self.language = language;
        self
    }

    pub fn known(mut self, known: Option<Arc<KnownIdentity>>) -> Self {
        self.known = known;
        self
    }

    /// Fields of its envelope, sorted and disjoint.
    pub fn given(mut self, given: Vec<Given>) -> Self {
        self.given = given;
        self
    }

    /// Normalises and tokenises. Fails on a text longer than [`Note::MAX_BYTES`].
    pub fn build(self) -> Result<Note, Error> {
        if self.raw.len() > Note::MAX_BYTES {
            return Err(Error::input(format!(
                "the document holds {} MB of text; the limit is {} MB: split it into its letters",
                self.raw.len() >> 20,
                Note::MAX_BYTES >> 20
            )));
        }
        let view = normalise(&self.raw);
        let text = view.text.as_deref().unwrap_or(&self.raw);
        let tokens = tokenise(text);
        let mut lines = vec![0];
        lines.extend(line_starts(text));
        let language_given = self.language.is_some();
        let language = self.language.unwrap_or_else(|| guess_language(text, &tokens));
        let known = self.known.unwrap_or_default();
        let patient = self.patient.or_else(|| known.patient.clone());
        Ok(Note {
            id: self.id,
            patient,
            date: self.date,
            language,
            language_given,
            known,
            given: self.given,
            tokens,
            cancel: None,
            norm: view.text,
            map: view.map,
            raw: self.raw,
            lines,
        })
    }
}

impl fmt::Debug for NoteBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NoteBuilder").field("id", &self.id).finish_non_exhaustive()
    }
}

fn line_starts(text: &str) -> impl Iterator<Item = u32> + '_ {
    memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| i as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_tokens_find_each_other() {
        let note = Note::builder("a", "Nom : Durand\n\nNé le 3 mai").build().unwrap();
        let lines: Vec<_> = note.lines().map(|l| l.of(note.norm())).collect();
        assert_eq!(lines, ["Nom : Durand", "", "Né le 3 mai"]);
        assert_eq!(note.line_at(0), 0);
        assert_eq!(note.line_at(14), 2);
        let token = note.token_at(14);
        assert_eq!(note.tokens[token].of(note.norm()), "Né");
    }

    #[test]
    fn references_are_readable() {
        let note = Note::builder("a", "R&D, M. Lef&egrave;vre").build().unwrap();
        assert_eq!(note.readable(Span::new(8, note.raw().len())), "Lefèvre");
        assert_eq!(note.readable(Span::new(0, 3)), "R&D");
    }

    #[test]
    fn debug_does_not_show_the_text() {
        let note = Note::builder("a", "Durand").build().unwrap();
        assert!(!format!("{note:?}").contains("Durand"));
    }
}
