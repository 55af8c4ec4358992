//! Word files (.docx): all parts that hold text read as one text, and written back with their formatting.
//!
//! Headers come first, then the letter, footers, notes and comments. Cells of a row stand on one line, between tabs,
//! when each holds one paragraph. Text boxes and both of their copies are read after the paragraph they hang on.

use std::ops::Range;

use crate::Reason;
use crate::markup::{Flow, Name, Tag, Walk, scan};
use crate::splice::{Code, Gatherer};

use super::cells::Rows;
use super::docx_rules::{attribute, element, is_plain_instruction, namespace};
use super::markup_rule::{Attr, shown_text};
use super::opc::{Family, Kind, Package};
use super::zipped::Zip;
use super::{Back, Counts, LeftOut, Opened, count};

pub(crate) fn open(bytes: &[u8]) -> Result<Opened, Reason> {
    let mut zip = Zip::open(bytes)?;
    let mut counts = Counts::new();
    let mut package = Package::follow(Family::Word, &mut zip, &mut counts)?;
    let mut out = Gatherer::new();
    package.read_parts(&mut zip, &mut out, |kind, xml, out| {
        let mut walk = Walker::new(kind, &mut counts);
        scan(xml, &mut walk, out)?;
        walk.end(out);
        Ok(())
    })?;
    let (text, places) = out.finish();
    Ok(Opened { text, back: Back::Package { places, package }, left_out: counts, pages: Vec::new() })
}

/// What the text inside the element that is open is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Shown text; where its tag may get `xml:space`.
    Shown(Option<usize>),
    Instruction,
    Deleted,
    /// A number or a keyword of the layout.
    Layout,
    Nothing,
}

#[derive(Default)]
struct Field {
    instruction: String,
    places: Vec<Range<usize>>,
    shows: bool,
}

struct Walker<'c> {
    kind: Kind,
    counts: &'c mut Counts,
    inside: Inside,
    /// Depth inside passages that were deleted or moved away.
    deleted: usize,
    fields: Vec<Field>,
    rows: Rows,
}

impl<'c> Walker<'c> {
    fn new(kind: Kind, counts: &'c mut Counts) -> Self {
        Walker {
            kind,
            counts,
            inside: Inside::Nothing,
            deleted: 0,
            fields: Vec::new(),
            rows: Rows::default(),
        }
    }

    fn attributes(&mut self, tag: &Tag<'_>, out: &mut Gatherer) {
        for attr in &tag.attributes {
            match attribute(tag.name, attr.name) {
                Attr::Text => shown_text(attr, out),
                Attr::Instruction if is_plain_instruction(&attr.value) => {}
                Attr::Instruction => {
                    count(self.counts, LeftOut::FieldCodes);
                    out.cut(attr.at.clone(), *b"");
                }
                other => other.write(attr, out),
            }
        }
    }

    fn field(&mut self, kind: &str, out: &mut Gatherer) {
        match kind {
            "begin" => self.fields.push(Field::default()),
            "separate" => {
                if let Some(field) = self.fields.last_mut() {
                    settle(field, self.counts, out);
                    field.shows = true;
                }
            }
            "end" => {
                if let Some(mut field) = self.fields.pop() {
                    settle(&mut field, self.counts, out);
                }
            }
            _ => {}
        }
    }

    fn end(mut self, out: &mut Gatherer) {
        for mut field in std::mem::take(&mut self.fields) {
            settle(&mut field, self.counts, out);
        }
    }
}

/// Leaves out the instruction of a field unless it only lays out pages.
fn settle(field: &mut Field, counts: &mut Counts, out: &mut Gatherer) {
    let places = std::mem::take(&mut field.places);
    if !is_plain_instruction(&std::mem::take(&mut field.instruction)) {
        count(counts, LeftOut::FieldCodes);
        places.into_iter().for_each(|at| out.cut(at, *b""));
    }
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
            ("w", "t") | ("m", "t") | ("a", "t") => {
                let has_space = tag.attributes.iter().any(|a| a.name == Name { ns: "xml", local: "space" });
                self.inside = match self.deleted {
                    0 => Inside::Shown((!has_space && tag.name.ns != "a").then_some(tag.name_end)),
                    _ => Inside::Deleted,
                };
            }
            ("w", "delText") => self.inside = Inside::Deleted,
            ("w", "instrText") => self.inside = Inside::Instruction,
            ("wp" | "wp14", _) => self.inside = Inside::Layout,
            ("w", "del" | "moveFrom") => self.deleted += 1,
            ("w", "fldChar") => self.field(tag.get("w", "fldCharType").unwrap_or_default(), out),
            ("w", "tab" | "ptab") if tag.get("w", "pos").is_none() => out.brk('\t'),
            ("w", "br" | "cr") => out.brk('\n'),
            ("w", "noBreakHyphen") => match &tag.whole {
                Some(at) => out.run(at.clone(), "-".into(), Code::WordElement),
                None => out.brk('-'),
            },
            ("w", "sym") => out.brk(' '),
            ("w", "txbxContent") => out.nest(),
            ("w", "tr") => self.rows.open_row(),
            ("w", "tc") => self.rows.open_cell(),
            _ => {}
        }
        Ok(Flow::Into)
    }

    fn text(&mut self, text: &str, at: Range<usize>, out: &mut Gatherer) -> Result<(), Reason> {
        match self.inside {
            Inside::Shown(space) => {
                out.run(at, text.to_owned(), space.map_or(Code::Xml, Code::XmlSpace));
            }
            Inside::Deleted => {
                count(self.counts, LeftOut::DeletedText);
                out.cut(at, "…");
            }
            Inside::Instruction => match self.fields.last_mut().filter(|f| !f.shows && self.deleted == 0) {
                Some(field) => {
                    field.instruction.push_str(text);
                    field.places.push(at);
                }
                None => out.cut(at, *b""),
            },
            Inside::Layout if text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b)) => {}
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
            ("w", "del" | "moveFrom") => self.deleted = self.deleted.saturating_sub(1),
            ("w", "txbxContent") => out.unnest(),
            ("w", "rt") => out.brk(' '),
            ("w", "p") => {
                out.end_paragraph();
                self.rows.paragraph();
            }
            ("w", "tc") => self.rows.close_cell(out),
            ("w", "tr") => self.rows.close_row(out),
            _ => {}
        }
        Ok(())
    }
}
