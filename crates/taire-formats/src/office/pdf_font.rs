//! Fonts of a PDF: what its codes mean and how wide they are.

use std::collections::BTreeMap;

use lopdf::{Dictionary, Document, Encoding, Object};

const MOST_BYTES: usize = 16 << 20;

pub(crate) struct Font<'a> {
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
        let (widths, default_width) =
            if wide { wide_widths(document, font) } else { simple_widths(document, font) };
        Font { encoding, wide, widths, default_width }
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

fn simple_widths(document: &Document, font: &Dictionary) -> (BTreeMap<u32, f32>, f32) {
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
