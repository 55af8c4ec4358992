//! A scan with its words covered: new pixels in a new file, read by OCR again before it is given out.

use std::collections::BTreeSet;
use std::ops::Range;

use image::codecs::png::CompressionType;
use lopdf::{Dictionary, Document, Object, Stream, dictionary};

use super::raster::{Area, Cover, PageImage};
use super::unread::{is_ink, paper};
use super::{Container, PlacedWord, Scan, ScannedPage, UnreadParts};
use crate::OutSpan;
use crate::text_edit::text_edits;

const DISAGREE: &str = "its new text does not agree with its words; it is not written";
const DAMAGED: &str = "the pixels of a page could not be written";

impl Scan {
    /// The file with everything covered that `spans` replace. Pages with covered words are read again: one in which OCR still
    /// reads a covered word is not given.
    pub(crate) fn write(&self, text: &str, spans: &[OutSpan]) -> Result<Vec<u8>, &'static str> {
        let edits = text_edits(&self.text, text, spans).map_err(|_| DISAGREE)?;
        let replaced: Vec<Range<usize>> = edits.into_iter().map(|edit| edit.range).collect();
        let secrets = self.secret_words(&replaced);
        let mut pages = Vec::with_capacity(self.pages.len());
        for page in &self.pages {
            let mut image = PageImage::decode(&page.pixels).map_err(|_| DAMAGED)?;
            if self.ocr.unread == UnreadParts::Cover {
                page.unread.iter().for_each(|area| image.cover(margin(*area, image.size()), Cover::Unread));
            }
            let found = page.areas_to_cover(&replaced, &image);
            found.iter().for_each(|area| image.cover(*area, Cover::Found));
            let file = match self.container {
                Container::Png => image.to_png(CompressionType::Default)?,
                Container::Pdf => image.to_jpeg()?,
            };
            if !found.is_empty() {
                self.check_unreadable(&file, page.dpi, &secrets)?;
            }
            pages.push(PackedPage {
                file,
                size: image.size(),
                points: page.points,
                is_grey: image.is_grey(),
            });
        }
        match (self.container, pages.pop()) {
            (Container::Png, Some(page)) if pages.is_empty() => Ok(page.file),
            (Container::Pdf, Some(last)) => {
                pages.push(last);
                pack(pages)
            }
            _ => Err(DISAGREE),
        }
    }

    /// Words of what is replaced, folded, but for those that also stand where nothing is.
    fn secret_words(&self, replaced: &[Range<usize>]) -> BTreeSet<String> {
        const SHORTEST: usize = 4;
        let (mut secret, mut kept) = (BTreeSet::new(), BTreeSet::new());
        let mut from = 0;
        for range in replaced {
            kept.extend(folded_words(self.text.get(from..range.start).unwrap_or_default()));
            secret.extend(folded_words(self.text.get(range.clone()).unwrap_or_default()));
            from = range.end;
        }
        kept.extend(folded_words(self.text.get(from..).unwrap_or_default()));
        secret.retain(|word| word.chars().count() >= SHORTEST && !kept.contains(word));
        secret
    }

    fn check_unreadable(
        &self,
        file: &[u8],
        dpi: Option<u32>,
        secrets: &BTreeSet<String>,
    ) -> Result<(), &'static str> {
        if secrets.is_empty() {
            return Ok(());
        }
        const NOT_READ: &str =
            "what would be written could not be read by OCR again, so it could not be checked";
        let image = PageImage::decode(file).map_err(|_| DAMAGED)?;
        let words = self.ocr.read(&image, dpi).map_err(|_| NOT_READ)?;
        let left = words.iter().flat_map(|word| folded_words(&word.text)).any(|word| secrets.contains(&word));
        if left { Err("OCR still reads a word that was covered; it is not written") } else { Ok(()) }
    }
}

fn folded_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// An area with a margin of a fifth of its height.
fn margin(area: Area, size: [u32; 2]) -> Area {
    area.grown((area.height() / 5).clamp(2, 12), size)
}

impl ScannedPage {
    /// The words that any of `replaced` touches, those that follow each other in one area.
    fn areas_to_cover(&self, replaced: &[Range<usize>], image: &PageImage) -> Vec<Area> {
        let touched = |word: &PlacedWord| {
            let first = replaced.partition_point(|range| range.end <= word.range.start);
            replaced.get(first).is_some_and(|range| range.start < word.range.end)
        };
        let ink = Ink::of(image);
        let mut areas = Vec::new();
        let mut at = 0;
        while let Some(word) = self.words.get(at) {
            if !touched(word) {
                at += 1;
                continue;
            }
            let mut area = word.area;
            let mut end = at + 1;
            while let Some(next) = self.words.get(end).filter(|next| next.line == word.line && touched(next))
            {
                area = area.union(next.area);
                end += 1;
            }
            let before = at.checked_sub(1).and_then(|i| self.words.get(i)).filter(|w| w.line == word.line);
            let after = self.words.get(end).filter(|w| w.line == word.line);
            let left = before.map_or(0, |w| w.area.right);
            let right = after.map_or(u32::MAX, |w| w.area.left);
            areas.push(ink.widened(margin(area, image.size()), left, right));
            at = end;
        }
        areas
    }
}

/// Where a page has ink: the box that OCR gives a word may end before its last letter does.
struct Ink {
    lightness: Vec<u8>,
    paper: u8,
    size: [u32; 2],
}

impl Ink {
    fn of(image: &PageImage) -> Ink {
        let lightness = image.lightness();
        let paper = paper(&lightness);
        Ink { lightness, paper, size: image.size() }
    }

    fn in_column(&self, x: u32, area: Area) -> bool {
        let [width, _] = self.size;
        let light = |y: u32| self.lightness.get((y * width + x) as usize).copied().unwrap_or(self.paper);
        (area.top..area.bottom).any(|y| is_ink(light(y), self.paper))
    }

    /// The area, wider on both sides as far as letters go on, but not into the words beside it.
    fn widened(&self, area: Area, left: u32, right: u32) -> Area {
        let most = area.height();
        let mut wide = area;
        while wide.left > left && area.left - wide.left < most && self.in_column(wide.left - 1, area) {
            wide.left -= 1;
        }
        let end = self.size[0].min(right);
        while wide.right < end && wide.right - area.right < most && self.in_column(wide.right, area) {
            wide.right += 1;
        }
        wide
    }
}

/// A page of the new file.
struct PackedPage {
    file: Vec<u8>,
    size: [u32; 2],
    points: [f32; 2],
    is_grey: bool,
}

/// A PDF of these pages and nothing else.
fn pack(pages: Vec<PackedPage>) -> Result<Vec<u8>, &'static str> {
    let mut document = Document::with_version("1.7");
    let tree = document.new_object_id();
    let mut kids: Vec<Object> = Vec::with_capacity(pages.len());
    for PackedPage { file, size, points: [width, height], is_grey } in pages {
        let picture = dictionary! {
            "Type" => "XObject",
            "Subtype" => "Image",
            "Width" => i64::from(size[0]),
            "Height" => i64::from(size[1]),
            "ColorSpace" => if is_grey { "DeviceGray" } else { "DeviceRGB" },
            "BitsPerComponent" => 8,
            "Filter" => "DCTDecode",
        };
        let picture = document.add_object(Stream::new(picture, file).with_compression(false));
        let content = format!("q {width:.3} 0 0 {height:.3} 0 0 cm /P Do Q\n").into_bytes();
        let content = document.add_object(Stream::new(Dictionary::new(), content));
        let page = dictionary! {
            "Type" => "Page",
            "Parent" => tree,
            "MediaBox" => vec![0.into(), 0.into(), Object::Real(width), Object::Real(height)],
            "Resources" => dictionary! { "XObject" => dictionary! { "P" => picture } },
            "Contents" => content,
        };
        kids.push(document.add_object(page).into());
    }
    let count = kids.len() as i64;
    document.set_object(tree, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count });
    let root = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", root);
    let mut out = Vec::new();
    document.save_to(&mut out).map_err(|_| DAMAGED)?;
    Ok(out)
}
