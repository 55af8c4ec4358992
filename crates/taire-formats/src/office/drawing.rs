//! Drawings of Office (DrawingML): slides and their notes, shapes on sheets, charts. Paragraphs are lines, rows of a table
//! are lines with tabs, and a chart gives its titles and the copy of the values that it shows.

use std::ops::Range;

use crate::Reason;
use crate::markup::{Flow, Name, Tag, Walk};
use crate::splice::{Code, Gatherer};

use super::cell_value::{NumberFormat, Shown, show, shows_words};
use super::cells::Rows;
use super::drawing_rules::{attribute, element, is_prompt, namespace};
use super::markup_rule::{Attr, shown_text};
use super::opc::Kind;
use super::{Counts, LeftOut, count};

/// A number of so many digits may be one of a person.
const LONG_NUMBER: usize = 5;

/// What the text inside the element that is open is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Shown,
    /// A value that a chart shows: a text, or a number in the format of its series.
    Value,
    /// Where a series lies in its workbook.
    Reference,
    FormatCode,
    /// A number or a keyword of the layout.
    Layout,
    Nothing,
}

pub(crate) struct Walker<'c> {
    kind: Kind,
    counts: &'c mut Counts,
    inside: Inside,
    rows: Rows,
    /// The values that are open are numbers, in this format.
    numbers: Option<NumberFormat>,
}

impl<'c> Walker<'c> {
    pub(crate) fn new(kind: Kind, counts: &'c mut Counts) -> Self {
        Walker { kind, counts, inside: Inside::Nothing, rows: Rows::default(), numbers: None }
    }

    fn attributes(&self, tag: &Tag<'_>, out: &mut Gatherer) {
        for attr in &tag.attributes {
            match attribute(tag.name, attr.name) {
                Attr::Text if shows_words(&attr.value) => shown_text(attr, out),
                other => other.write(attr, out),
            }
        }
    }
}

fn is_master(kind: Kind) -> bool {
    matches!(kind, Kind::SlideMaster | Kind::SlideLayout | Kind::NotesMaster | Kind::HandoutMaster)
}

impl Walk for Walker<'_> {
    fn namespace(uri: &str) -> Option<&'static str> {
        namespace(uri)
    }

    fn open(&mut self, tag: &Tag<'_>, out: &mut Gatherer) -> Result<Flow, Reason> {
        if !element(self.kind, tag.name, tag.depth).keeps(self.counts)? {
            return Ok(Flow::Drop);
        }
        self.attributes(tag, out);
        self.inside = Inside::Nothing;
        match (tag.name.ns, tag.name.local) {
            ("a" | "m", "t") | ("p", "text") | ("c", "name" | "separator") => self.inside = Inside::Shown,
            ("c", "v") => self.inside = Inside::Value,
            ("c", "f") => self.inside = Inside::Reference,
            ("c", "formatCode") => self.inside = Inside::FormatCode,
            ("c", "numCache" | "numLit") => self.numbers = Some(NumberFormat::Plain),
            ("xdr" | "a14" | "p14", _) => self.inside = Inside::Layout,
            ("p", "attrName") | ("a", "tableStyleId") => self.inside = Inside::Layout,
            ("a", "br") => out.brk('\n'),
            ("a", "tr") => self.rows.open_row(),
            ("a", "tc") => self.rows.open_cell(),
            _ => {}
        }
        Ok(Flow::Into)
    }

    fn text(&mut self, text: &str, at: Range<usize>, out: &mut Gatherer) -> Result<(), Reason> {
        let plain = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.{}_".contains(&b));
        match self.inside {
            Inside::Shown if is_master(self.kind) && is_prompt(text) => {}
            Inside::Shown => out.run(at, text.to_owned(), Code::Xml),
            Inside::Value => {
                match self.numbers {
                    Some(format) => {
                        let (shown, form) = show(text, format, false);
                        // Short numbers and fractions are what charts are drawn of; alone on a line they may look like days.
                        let measures = shown.len() < LONG_NUMBER || shown.contains(['.', 'E', 'e']);
                        if form == Shown::Number && measures {
                            out.field(at, shown, Code::Number(form), None);
                        } else {
                            out.run(at, shown, Code::Number(form));
                        }
                    }
                    None => out.run(at, text.to_owned(), Code::Xml),
                }
                out.end_paragraph();
            }
            Inside::Reference => out.watched(at, text),
            Inside::FormatCode => {
                if self.numbers.is_some() {
                    self.numbers = Some(NumberFormat::of_code(text));
                }
                match shows_words(text) {
                    true => {
                        out.run(at, text.to_owned(), Code::Xml);
                        out.end_paragraph();
                    }
                    false => out.watched(at, text),
                }
            }
            Inside::Layout if plain(text) => out.watched(at, text),
            _ if text.trim().is_empty() => {}
            Inside::Layout | Inside::Nothing => {
                count(self.counts, LeftOut::UnknownMarkup);
                out.cut(at, *b"");
            }
        }
        Ok(())
    }

    fn close(&mut self, name: Name<'_>, out: &mut Gatherer) -> Result<(), Reason> {
        self.inside = Inside::Nothing;
        match (name.ns, name.local) {
            ("a", "p") => {
                out.end_paragraph();
                self.rows.paragraph();
            }
            ("p", "text") | ("c", "name" | "separator") => out.end_paragraph(),
            ("a", "tc") => self.rows.close_cell(out),
            ("a", "tr") => self.rows.close_row(out),
            ("c", "numCache" | "numLit") => self.numbers = None,
            _ => {}
        }
        Ok(())
    }
}
