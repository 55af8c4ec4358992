//! A text under construction: each character knows the span it belongs to, so that noise may edit freely.

use serde::ser::{Serialize, SerializeTuple, Serializer};
use taire_text::{Label, Role};

use crate::{MarkedDocument, MarkedSpan};

/// What a span is: `FamilyName:Patient`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Mark {
    pub(crate) label: Label,
    pub(crate) role: Role,
}

impl Mark {
    /// The label with the role that gold of the corpora gives it when it is read.
    pub(crate) fn of(label: Label) -> Mark {
        use Label::*;
        let role = match label {
            BirthDate | Age | Sex | PatientId | VisitId | SocialSecurity | HealthPlan => Role::Patient,
            ProfessionalLicence | EmployeeId => Role::Caregiver,
            Kinship => Role::Relative,
            _ => Role::Unknown,
        };
        Mark { label, role }
    }

    pub(crate) fn name(self) -> String {
        match self.role {
            Role::Unknown => self.label.name().to_owned(),
            role => format!("{}:{role}", self.label),
        }
    }
}

/// One character; `span` is 0 outside spans, else the span's number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Cell {
    pub(crate) char: char,
    pub(crate) span: u32,
}

#[derive(Clone, Default, Debug)]
pub(crate) struct Cells {
    pub(crate) cells: Vec<Cell>,
    marks: Vec<Mark>,
    open: u32,
}

impl Cells {
    pub(crate) fn from_document(document: &MarkedDocument) -> Cells {
        let mut out = Cells::default();
        let mut at = 0;
        for span in &document.spans {
            out.push(&document.text[at..span.start]);
            out.mark(Mark::of(span.label), span.of(&document.text));
            at = span.end;
        }
        out.push(&document.text[at..]);
        out
    }

    /// The text and its spans in bytes.
    pub(crate) fn into_text(self) -> (String, Vec<MarkedSpan>) {
        let (text, spans) = self.finish();
        let byte_offsets: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
        let spans = spans.iter().map(|s| MarkedSpan {
            start: byte_offsets[s.start],
            end: byte_offsets[s.end],
            label: s.mark.label,
        });
        let spans = spans.collect();
        (text, spans)
    }

    pub(crate) fn push(&mut self, text: &str) {
        let span = self.open;
        self.cells.extend(text.chars().map(|char| Cell { char, span }));
    }

    /// Opens a span, unless one is open: an inner span belongs to the outer one.
    pub(crate) fn open(&mut self, mark: Mark) -> bool {
        if self.open > 0 {
            return false;
        }
        self.marks.push(mark);
        self.open = self.marks.len() as u32;
        true
    }

    pub(crate) fn close(&mut self) {
        self.open = 0;
    }

    pub(crate) fn mark(&mut self, mark: Mark, text: &str) {
        let opened = self.open(mark);
        self.push(text);
        if opened {
            self.close();
        }
    }

    pub(crate) fn label_of(&self, span: u32) -> Option<Label> {
        (span > 0).then(|| self.marks[span as usize - 1].label)
    }

    /// The text and its spans in code points: trimmed, not empty, disjoint, sorted.
    pub(crate) fn finish(&self) -> (String, Vec<Span>) {
        let text = self.cells.iter().map(|c| c.char).collect();
        let mut spans = Vec::new();
        let mut at = 0;
        for run in self.cells.chunk_by(|a, b| a.span == b.span) {
            let (mut start, mut end) = (at, at + run.len());
            at = end;
            if run[0].span == 0 {
                continue;
            }
            while start < end && self.cells[start].char.is_whitespace() {
                start += 1;
            }
            while start < end && self.cells[end - 1].char.is_whitespace() {
                end -= 1;
            }
            if start < end {
                spans.push(Span { start, end, mark: self.marks[run[0].span as usize - 1] });
            }
        }
        (text, spans)
    }
}

/// Written `[start, end, "Label:Role"]`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) mark: Mark,
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(3)?;
        tuple.serialize_element(&self.start)?;
        tuple.serialize_element(&self.end)?;
        tuple.serialize_element(&self.mark.name())?;
        tuple.end()
    }
}
