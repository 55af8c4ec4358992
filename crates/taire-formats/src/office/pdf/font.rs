//! Fonts of a PDF: what its codes mean and how wide they are.

use std::collections::BTreeMap;

use lopdf::{Dictionary, Document, Encoding, Object};

use super::metrics::{
    COURIER, HELVETICA, HELVETICA_BOLD, TIMES, TIMES_BOLD, TIMES_BOLD_ITALIC, TIMES_ITALIC, Widths,
};

const MOST_BYTES: usize = 16 << 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Family {
    #[default]
    Helvetica,
    Times,
    Courier,
}

/// How text looks, as far as the fonts every viewer has can show it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Look {
    pub(crate) family: Family,
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    /// Red, green, blue.
    pub(crate) colour: [u8; 3],
}

impl Look {
    /// What the name and the flags of a font say of it.
    fn read(document: &Document, font: &Dictionary) -> Look {
        const FIXED: i64 = 1;
        const SERIF: i64 = 1 << 1;
        const ITALIC: i64 = 1 << 6;
        const BOLD: i64 = 1 << 18;
        let base = font.get_deref(b"BaseFont", document).and_then(Object::as_name).unwrap_or_default();
        let name = String::from_utf8_lossy(base).to_lowercase();
        let inner = array(document, font, b"DescendantFonts")
            .and_then(|list| document.dereference(list.first()?).ok()?.1.as_dict().ok())
            .unwrap_or(font);
        let descriptor = inner.get_deref(b"FontDescriptor", document).and_then(Object::as_dict);
        let flags = descriptor.and_then(|d| d.get_deref(b"Flags", document)).and_then(Object::as_i64);
        let flags = flags.unwrap_or(0);
        let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let family = if says(&["courier", "mono", "consol", "typewriter", "cmtt"]) {
            Family::Courier
        } else if says(&["sans", "helvet", "arial", "calibri", "verdana", "tahoma", "carlito", "cmss"]) {
            Family::Helvetica
        } else if says(&[
            "times", "serif", "roman", "georgia", "garamond", "cambria", "caladea", "cmr", "sfrm",
        ]) {
            Family::Times
        } else if flags & FIXED != 0 {
            Family::Courier
        } else if flags & SERIF != 0 {
            Family::Times
        } else {
            Family::Helvetica
        };
        let bold = says(&["bold", "black", "heavy", "demi", "cmbx", "sfbx"]) || flags & BOLD != 0;
        let italic = says(&["italic", "oblique", "cmti", "sfti"]) || flags & ITALIC != 0;
        Look { family, bold, italic, colour: [0; 3] }
    }

    /// The font that every viewer has for it, and its widths.
    pub(crate) fn standard(self) -> (&'static str, &'static Widths) {
        match (self.family, self.bold, self.italic) {
            (Family::Helvetica, false, false) => ("Helvetica", &HELVETICA),
            (Family::Helvetica, true, false) => ("Helvetica-Bold", &HELVETICA_BOLD),
            (Family::Helvetica, false, true) => ("Helvetica-Oblique", &HELVETICA),
            (Family::Helvetica, true, true) => ("Helvetica-BoldOblique", &HELVETICA_BOLD),
            (Family::Times, false, false) => ("Times-Roman", &TIMES),
            (Family::Times, true, false) => ("Times-Bold", &TIMES_BOLD),
            (Family::Times, false, true) => ("Times-Italic", &TIMES_ITALIC),
            (Family::Times, true, true) => ("Times-BoldItalic", &TIMES_BOLD_ITALIC),
            (Family::Courier, false, false) => ("Courier", &COURIER),
            (Family::Courier, true, false) => ("Courier-Bold", &COURIER),
            (Family::Courier, false, true) => ("Courier-Oblique", &COURIER),
            (Family::Courier, true, true) => ("Courier-BoldOblique", &COURIER),
        }
    }
}

pub(crate) struct Font<'a> {
    pub(crate) look: Look,
    encoding: Option<Encoding<'a>>,
    /// Two bytes make a code.
    wide: bool,
    widths: BTreeMap<u32, f32>,
    default_width: f32,
}

/// One code of a string: what it shows, and how far it moves in thousandths of the size.
pub(crate) struct Glyph {
    pub(crate) text: Option<String>,
    pub(crate) width: f32,
    pub(crate) is_space: bool,
}

/// A number, or the one a reference leads to.
pub(crate) fn number(document: &Document, object: &Object) -> Option<f32> {
    document.dereference(object).ok()?.1.as_float().ok().filter(|n| n.is_finite())
}

fn array<'a>(document: &'a Document, dictionary: &'a Dictionary, key: &[u8]) -> Option<&'a Vec<Object>> {
    dictionary.get_deref(key, document).ok()?.as_array().ok()
}

impl<'a> Font<'a> {
    pub(crate) fn read(document: &'a Document, font: &'a Dictionary, bare: &'a Dictionary) -> Font<'a> {
        let wide = font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|n| n == b"Type0");
        // What the font says of its meaning counts more than its encoding.
        let to_unicode =
            font.has(b"ToUnicode").then(|| bare.get_font_encoding_with_limit(document, MOST_BYTES).ok());
        let stated = || {
            let base = font.get(b"BaseFont").and_then(Object::as_name).unwrap_or_default();
            let symbols = [&b"Symbol"[..], b"ZapfDingbats", b"Wingdings"].iter().any(|s| base.ends_with(s));
            if symbols || wide {
                return None;
            }
            font.get_font_encoding_with_limit(document, MOST_BYTES).ok()
        };
        let encoding = match to_unicode.flatten() {
            Some(encoding @ Encoding::UnicodeMapEncoding(_)) => Some(encoding),
            _ => stated(),
        };
        let look = Look::read(document, font);
        let (widths, default_width) =
            if wide { wide_widths(document, font) } else { simple_widths(document, font, look) };
        Font { look, encoding, wide, widths, default_width }
    }

    pub(crate) fn glyphs<'s>(&'s self, string: &'s [u8]) -> impl Iterator<Item = Glyph> + 's {
        let step = if self.wide { 2 } else { 1 };
        string.chunks(step).map(move |code| {
            let number = code.iter().fold(0u32, |n, b| n << 8 | u32::from(*b));
            let text = self.encoding.as_ref().and_then(|e| e.bytes_to_string(code).ok());
            let text = text.filter(|t| !t.contains('\u{FFFD}'));
            let width = self.widths.get(&number).copied().unwrap_or(self.default_width);
            Glyph { text, width, is_space: code == [32] }
        })
    }
}

fn simple_widths(document: &Document, font: &Dictionary, look: Look) -> (BTreeMap<u32, f32>, f32) {
    if !font.has(b"Widths") {
        let widths = (32..).zip(look.standard().1).map(|(code, width)| (code, f32::from(*width)));
        return (widths.collect(), 500.0);
    }
    let first = font.get(b"FirstChar").ok().and_then(|o| number(document, o)).unwrap_or(0.0) as u32;
    let list = array(document, font, b"Widths").map(Vec::as_slice).unwrap_or_default();
    let widths = list.iter().take(256).enumerate();
    let widths =
        widths.filter_map(|(i, w)| Some((first.saturating_add(i as u32), number(document, w)?))).collect();
    (widths, 500.0)
}

fn wide_widths(document: &Document, font: &Dictionary) -> (BTreeMap<u32, f32>, f32) {
    let mut widths = BTreeMap::new();
    let descendant = array(document, font, b"DescendantFonts")
        .and_then(|list| document.dereference(list.first()?).ok()?.1.as_dict().ok());
    let Some(descendant) = descendant else { return (widths, 1000.0) };
    let default = descendant.get(b"DW").ok().and_then(|o| number(document, o)).unwrap_or(1000.0);
    let list = array(document, descendant, b"W").map(Vec::as_slice).unwrap_or_default();
    let mut at = 0;
    while at + 1 < list.len() && widths.len() <= 65536 {
        let first = number(document, &list[at]).unwrap_or(0.0) as u32;
        match document.dereference(&list[at + 1]).map(|(_, o)| o) {
            Ok(Object::Array(each)) => {
                let each = each.iter().take(65536).enumerate();
                widths.extend(
                    each.filter_map(|(i, w)| Some((first.saturating_add(i as u32), number(document, w)?))),
                );
                at += 2;
            }
            _ => {
                let last = number(document, &list[at + 1]).unwrap_or(0.0) as u32;
                let width = list.get(at + 2).and_then(|o| number(document, o)).unwrap_or(default);
                widths.extend((first..=last.min(first.saturating_add(65535))).map(|code| (code, width)));
                at += 3;
            }
        }
    }
    (widths, default)
}
