//! Documents of word processors: opened as one text each, and written back with their formatting where that is safe.
//!
//! [`open`] gives the text of a file and what is needed to write it again ([`Back`]). What Taire cannot treat is
//! either left out and counted ([`LeftOut`]) or a reason to refuse the document; nothing passes unread. Readers of
//! other people's files may be wrong about them: a panic in one is caught here and refuses that document.

pub(crate) mod cell_value;
mod cells;
mod css;
mod doc;
mod docx;
mod docx_rules;
mod drawing;
mod drawing_rules;
mod markup_rule;
mod odt;
mod odt_rules;
mod opc;
mod page;
mod page_rules;
mod pdf;
mod pptx;
mod rtf;
mod rtf_rules;
pub(crate) mod scan;
mod xlsx;
mod xlsx_rules;
mod zipped;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use taire_text::Given;

use crate::Reason;
use crate::markup::Attribute;
use crate::splice::{Gatherer, Places, escaped};
use crate::{Format, Ocr, OutSpan};

/// Parts of a document that are not treated and therefore not written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LeftOut {
    /// Pictures, which may show text or faces; an empty one stands in their place.
    Pictures,
    /// Author, title, company and the like.
    Properties,
    /// Passages marked as deleted by change tracking.
    DeletedText,
    /// Where links lead to.
    LinkTargets,
    /// Instructions of fields; what they show is kept and treated.
    FieldCodes,
    /// Formulas of cells; what they showed is kept and treated.
    Formulas,
    /// Data kept beside the text: custom XML, templates, form data, saved settings.
    AttachedData,
    Scripts,
    Comments,
    /// Markup that is not known.
    UnknownMarkup,
    /// Times of day beside dates.
    TimesOfDay,
    /// The layout of a document that comes back as plain text.
    Layout,
    /// Segments or fields of a message that are not known.
    UnknownFields,
    /// Drawings of a page but for straight lines; one is counted for each page that has some.
    Drawings,
    /// Letters of a page whose font does not tell what they are.
    UnknownLetters,
    /// Characters that stay text and are shown as a box.
    RareCharacters,
    /// The text that a scanner put behind the picture of a page; the picture was read anew.
    TextLayers,
    /// Words of a scan that OCR is not sure of; they are covered.
    UnsureWords,
    /// Parts of a scan in which OCR reads no text; they are covered.
    UnreadRegions,
    /// The same, still shown because that was asked for.
    UnsureWordsShown,
    UnreadRegionsShown,
}

impl LeftOut {
    pub fn name(self) -> &'static str {
        match self {
            LeftOut::Pictures => "pictures",
            LeftOut::Properties => "document properties",
            LeftOut::DeletedText => "passages marked as deleted",
            LeftOut::LinkTargets => "link targets",
            LeftOut::FieldCodes => "field instructions",
            LeftOut::Formulas => "formulas",
            LeftOut::AttachedData => "attached data",
            LeftOut::Scripts => "scripts",
            LeftOut::Comments => "comments in the markup",
            LeftOut::UnknownMarkup => "unknown markup",
            LeftOut::TimesOfDay => "times of day",
            LeftOut::Layout => "layout of a document inside",
            LeftOut::UnknownFields => "unknown segments and fields",
            LeftOut::Drawings => "pages with drawings",
            LeftOut::UnknownLetters => "letters that a font does not tell",
            LeftOut::RareCharacters => "rare characters, shown as a box",
            LeftOut::TextLayers => "text layers of scanned pages",
            LeftOut::UnsureWords => "words of scans that OCR is not sure of",
            LeftOut::UnreadRegions => {
                "regions of scans without text that OCR reads (handwriting, stamps, barcodes, faces)"
            }
            LeftOut::UnsureWordsShown => "words of scans that OCR is not sure of, still shown",
            LeftOut::UnreadRegionsShown => {
                "regions of scans without text that OCR reads (handwriting, stamps, barcodes, faces), still shown"
            }
        }
    }

    /// Whether it was not treated and is in what was written all the same.
    pub fn is_shown(self) -> bool {
        matches!(self, LeftOut::UnsureWordsShown | LeftOut::UnreadRegionsShown)
    }
}

/// How many of each were left out.
pub(crate) type Counts = BTreeMap<LeftOut, usize>;

pub(crate) fn count(counts: &mut Counts, what: LeftOut) {
    *counts.entry(what).or_default() += 1;
}

/// A document as one text.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) text: String,
    pub(crate) back: Back,
    pub(crate) left_out: Counts,
    /// The line of the text that each page begins on, from 1, where the format has pages.
    pub(crate) pages: Vec<u32>,
}

/// The way back into the format.
#[derive(Debug)]
pub(crate) enum Back {
    Package {
        places: Places,
        package: opc::Package,
    },
    /// Written as plain text.
    Text,
    /// A new PDF.
    Pdf(pdf::Layout),
    /// An image, or a PDF of images.
    Scan(Box<scan::Scan>),
    /// A file that is one source.
    One(Format, Places),
    Odt {
        places: Places,
        parts: Vec<&'static str>,
    },
}

impl Back {
    /// Bytes held while the document is treated.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Back::Text => 0,
            Back::Pdf(layout) => layout.weight(),
            Back::Scan(scan) => scan.weight(),
            Back::One(_, places) | Back::Package { places, .. } | Back::Odt { places, .. } => places.weight(),
        }
    }

    /// What the layout tells of the text: the columns of a table.
    pub(crate) fn take_given(&mut self) -> Vec<Given> {
        match self {
            Back::Package { places, .. } => places.take_given(),
            _ => Vec::new(),
        }
    }

    /// The file with its new text, or why it cannot be written. It is opened once more: what reads otherwise than the new
    /// text, as damaged markup may after a change, is not given.
    pub(crate) fn write(&self, text: &str, spans: &[OutSpan]) -> Result<Vec<u8>, &'static str> {
        let work = || match self {
            Back::Text => Ok((None, text.as_bytes().to_vec())),
            Back::Pdf(layout) => Ok((None, layout.write(text, spans)?)),
            Back::Scan(scan) => Ok((None, scan.write(text, spans)?)),
            Back::Package { places, package } => {
                Ok((Some(package.family().format()), package.pack(places.rewrite(text, spans)?)?))
            }
            Back::One(format, places) => {
                Ok((Some(*format), places.rewrite(text, spans)?.pop().ok_or("it was not read")?))
            }
            Back::Odt { places, parts } => Ok((Some(Format::Odt), odt::write(places, parts, text, spans)?)),
        };
        let written = catch_unwind(AssertUnwindSafe(work));
        let (format, bytes) = written.unwrap_or(Err("an internal fault stopped its writing"))?;
        let reads_so =
            |format| open(format, &bytes, &Ocr::off()).is_ok_and(|opened| self.agrees(&opened, text, spans));
        match format.is_none_or(reads_so) {
            true => Ok(bytes),
            false => Err("its markup is damaged: with its new text it would not read as it should"),
        }
    }
}

impl Back {
    /// Whether what was read again is the text, but for words that stand in the text alone.
    fn agrees(&self, again: &Opened, text: &str, spans: &[OutSpan]) -> bool {
        match (self, &again.back) {
            (Back::Package { places, .. }, Back::Package { places: new, .. }) => {
                let read = new.without_said(&again.text, &[]);
                let wanted = places.without_said(text, spans);
                read.zip(wanted).is_some_and(|(read, wanted)| reads_as(&read, &wanted))
            }
            _ => reads_as(&again.text, text),
        }
    }
}

/// Whether what is read is the text: letter for letter, with a blank wherever the text has one. A tab that stands in the layout may
/// be one more.
pub(crate) fn reads_as(read: &str, text: &str) -> bool {
    let (mut read, mut text) = (letters(read).enumerate(), letters(text));
    loop {
        match (read.next(), text.next()) {
            (None, None) => return true,
            (Some((at, (is, apart))), Some((was, blank))) if is == was && (apart || !blank || at == 0) => {}
            _ => return false,
        }
    }
}

/// The text before or after the numbers of a list is shown on every line and read on none: its words go, its signs stay.
pub(crate) fn label(attr: &Attribute<'_>, out: &mut Gatherer) {
    let letters = attr.value.chars().filter(|c| c.is_alphabetic()).count();
    if letters > 1 {
        let signs: String = attr.value.chars().filter(|c| !c.is_alphabetic()).collect();
        out.cut(attr.at.clone(), escaped(signs.trim_start()));
    }
}

/// Letters, and whether a blank stands before each.
fn letters(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut blank = false;
    text.chars().filter_map(move |c| match c.is_whitespace() || c.is_control() {
        true => {
            blank = true;
            None
        }
        false => Some((c, std::mem::take(&mut blank))),
    })
}

/// Whether two texts are the same but for blanks.
fn same_letters(read: &str, text: &str) -> bool {
    letters(read).map(|(c, _)| c).eq(letters(text).map(|(c, _)| c))
}

/// Opens a document; a scan is read by `ocr`. The reason of a refusal quotes nothing of it.
pub(crate) fn open(format: Format, bytes: &[u8], ocr: &Ocr) -> Result<Opened, Reason> {
    let work = || match format {
        Format::Docx => docx::open(bytes),
        Format::Xlsx => xlsx::open(bytes),
        Format::Pptx => pptx::open(bytes),
        Format::Odt => odt::open(bytes),
        Format::Html => page::open(bytes),
        Format::Rtf => rtf::open(bytes),
        Format::Doc => doc::open(bytes),
        Format::Pdf => pdf::open(bytes, ocr),
        Format::Image => scan::open_image(bytes, ocr),
        _ => Err("it is not a document of a word processor".into()),
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err("an internal fault stopped its reading; please report its format and size".into())
    })
}

/// Opens HTML that is part of a page, as cells of tables hold it.
pub(crate) fn open_fragment(html: &str) -> Result<Opened, Reason> {
    catch_unwind(AssertUnwindSafe(|| page::open_fragment(html))).unwrap_or_else(|_| {
        Err("an internal fault stopped its reading; please report its format and size".into())
    })
}

pub(crate) use page::has_tags;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_may_be_added_and_none_may_go() {
        assert!(reads_as("Mme  Luce\tPetit ,", " Mme Luce Petit,\n"));
        assert!(!reads_as("MmeLuce", "Mme Luce"));
        assert!(!reads_as("Mme Luce", "Mme Luc") && !reads_as("Mme Luc", "Mme Luce"));
    }
}
