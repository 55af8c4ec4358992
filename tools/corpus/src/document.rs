//! One marked document: a header comment, the text, and what identifies somebody in it.

use std::fmt::Write;
use std::path::Path;

use taire_text::{Label, Language, marked};

use crate::{Error, kinds};

/// A span of a document, in bytes of its text, end exclusive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MarkedSpan {
    pub start: usize,
    pub end: usize,
    pub label: Label,
}

impl MarkedSpan {
    pub fn of<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start..self.end]
    }
}

/// The comment on the first line of a document: `kind: …; specialty: …; style: …`.
///
/// Parts without a key are read in that order; what is left over belongs to the style.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Header {
    pub kind: String,
    pub specialty: String,
    pub style: String,
}

impl Header {
    fn parse(comment: &str) -> Header {
        let mut header = Header::default();
        for part in comment.split(';').map(str::trim).filter(|p| !p.is_empty()) {
            let (key, value) = part.split_once(':').map_or(("", part), |(k, v)| (k.trim(), v.trim()));
            let field = match key {
                "kind" => &mut header.kind,
                "specialty" => &mut header.specialty,
                "" if header.kind.is_empty() => &mut header.kind,
                "" if header.specialty.is_empty() => &mut header.specialty,
                _ => &mut header.style,
            };
            if !field.is_empty() {
                field.push_str("; ");
            }
            field.push_str(value);
        }
        header
    }
}

/// A document of the corpus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MarkedDocument {
    /// `fr/a/01`; for an untouched document `untouched/fr/a/01`.
    pub id: String,
    pub language: Language,
    /// The hand that wrote it: `a`.
    pub folder: String,
    pub number: String,
    pub header: Header,
    pub text: String,
    /// Sorted and disjoint.
    pub spans: Vec<MarkedSpan>,
}

impl MarkedDocument {
    /// Reads a document from its source: a comment on the first line, then marked text to the last byte.
    pub fn parse(id: &str, language: Language, source: &str) -> Result<MarkedDocument, Error> {
        let fail = |why: &str| Error::new(format!("{id}: {why}"));
        let (comment, body) = marked::split_header(source).ok_or_else(|| {
            fail("the first line is not a comment `<!-- kind: …; specialty: …; style: … -->`")
        })?;
        let marked = marked::parse_document(body);
        let mut spans = Vec::with_capacity(marked.spans.len());
        for (range, name) in marked.spans {
            let label = name.parse::<Label>().map_err(|e| fail(&e.to_string()))?;
            spans.push(MarkedSpan { start: range.start, end: range.end, label });
        }
        let mut place = id.split('/').rev();
        let number = place.next().unwrap_or_default().to_owned();
        let folder = place.next().unwrap_or_default();
        Ok(MarkedDocument {
            id: id.to_owned(),
            language,
            folder: folder.to_owned(),
            number,
            header: Header::parse(comment),
            text: marked.text,
            spans,
        })
    }

    pub(crate) fn read(path: &Path, id: &str, language: Language) -> Result<MarkedDocument, Error> {
        let source = std::fs::read_to_string(path).map_err(|e| Error::io(path, &e))?;
        MarkedDocument::parse(id, language, &source)
    }

    /// The text with its marks, without the header. Fails where the text itself reads like a mark.
    pub fn to_marked(&self) -> Result<String, Error> {
        let mut out = String::with_capacity(self.text.len() + self.spans.len() * 16);
        let mut at = 0;
        for span in &self.spans {
            out.push_str(&self.text[at..span.start]);
            let _ = write!(out, "[{}]({})", span.of(&self.text), span.label);
            at = span.end;
        }
        out.push_str(&self.text[at..]);
        let read = marked::parse_document(&out);
        let same = read.spans.iter().map(|(r, name)| (r.start, r.end, name.as_str()));
        if read.text == self.text && same.eq(self.spans.iter().map(|s| (s.start, s.end, s.label.name()))) {
            Ok(out)
        } else {
            Err(Error::new(format!("{}: the text cannot be written with marks, it holds `](`", self.id)))
        }
    }

    /// What kind of paper it is, from the words of its header.
    pub fn kind(&self) -> kinds::DocumentKind {
        kinds::DocumentKind::of(&self.header)
    }

    /// The text between spans: before the first, between each two, after the last.
    pub fn gaps(&self) -> Vec<&str> {
        let mut at = 0;
        let mut out = Vec::with_capacity(self.spans.len() + 1);
        for span in &self.spans {
            out.push(&self.text[at..span.start]);
            at = span.end;
        }
        out.push(&self.text[at..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_fields_with_and_without_keys() {
        let header = Header::parse("kind: lettre; specialty: cardiologie; style: dictée; region: Brest");
        assert_eq!((&*header.kind, &*header.specialty), ("lettre", "cardiologie"));
        assert_eq!(header.style, "dictée; Brest");
        let header = Header::parse("nota de triaje; agresión; Lleida, 2022");
        assert_eq!(
            (&*header.kind, &*header.specialty, &*header.style),
            ("nota de triaje", "agresión", "Lleida, 2022")
        );
    }

    #[test]
    fn a_document_is_read_and_written_back() {
        let source = "<!-- kind: note -->\nDr [Le Gall](FamilyName), S:\\x\\[2015](Date) [ ] oui\n";
        let document = MarkedDocument::parse("fr/a/01", Language::Fr, source).unwrap();
        assert_eq!(document.text, "Dr Le Gall, S:\\x\\2015 [ ] oui\n");
        assert_eq!((&*document.folder, &*document.number), ("a", "01"));
        assert_eq!(format!("<!-- kind: note -->\n{}", document.to_marked().unwrap()), source);
        assert_eq!(document.gaps(), ["Dr ", ", S:\\x\\", " [ ] oui\n"]);
        assert!(MarkedDocument::parse("fr/a/01", Language::Fr, "Dr X").is_err());
        assert!(MarkedDocument::parse("fr/a/01", Language::Fr, "<!-- n -->\n[X](Sirname)").is_err());
    }
}
