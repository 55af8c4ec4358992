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

/// An area with a margin of a fifth of the height of its letters.
fn margin(area: Area, size: [u32; 2]) -> Area {
    area.grown((area.thickness() / 5).clamp(2, 12), size)
}

impl ScannedPage {
    /// The words that any of `replaced` touches, each with a margin, and the gaps between those that follow each other. One box
    /// over a long line that lies askew would reach into the lines beside it.
    fn areas_to_cover(&self, replaced: &[Range<usize>], image: &PageImage) -> Vec<Area> {
        let touched = |word: &PlacedWord| {
            let first = replaced.partition_point(|range| range.end <= word.range.start);
            replaced.get(first).is_some_and(|range| range.start < word.range.end)
        };
        let ink = Ink::of(image);
        let mut areas = Vec::new();
        for (at, word) in self.words.iter().enumerate().filter(|(_, word)| touched(word)) {
            let beside = |i: Option<usize>| i.and_then(|i| self.words.get(i)).filter(|w| w.line == word.line);
            let (before, after) = (beside(at.checked_sub(1)), beside(Some(at + 1)));
            let neighbours = [before.map(|w| w.area), after.map(|w| w.area)];
            areas.push(ink.widened(margin(word.area, image.size()), neighbours));
            areas.extend(after.filter(|next| touched(next)).map(|next| word.area.gap_to(next.area)));
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

    fn is_ink(&self, x: u32, y: u32) -> bool {
        let [width, height] = self.size;
        x < width
            && y < height
            && is_ink(self.lightness[y as usize * width as usize + x as usize], self.paper)
    }

    /// The area, longer at both ends as far as letters go on, but not into the words beside it. Words of a page that lies on
    /// its side are tall.
    fn widened(&self, area: Area, neighbours: [Option<Area>; 2]) -> Area {
        let [width, height] = self.size;
        let inside = |at: u32, edge: fn(Area) -> [u32; 2]| {
            let [from, to] = edge(area);
            let taken = |word: Area| (edge(word)[0]..edge(word)[1]).contains(&at);
            !(from..to).contains(&at) && neighbours.iter().flatten().any(|word| taken(*word))
        };
        let upright: fn(Area) -> [u32; 2] = |a| [a.left, a.right];
        let sideways: fn(Area) -> [u32; 2] = |a| [a.top, a.bottom];
        let most = area.thickness();
        let reach = |start: u32, goes_on: &dyn Fn(u32) -> bool| {
            (0..most).take_while(|step| goes_on(start + step)).count() as u32
        };
        let reach_back = |start: u32, goes_on: &dyn Fn(u32) -> bool| {
            (1..=most.min(start)).take_while(|step| goes_on(start - step)).count() as u32
        };
        if area.width() >= area.height() {
            let letters = |x: u32| !inside(x, upright) && (area.top..area.bottom).any(|y| self.is_ink(x, y));
            Area {
                left: area.left - reach_back(area.left, &letters),
                right: (area.right + reach(area.right, &letters)).min(width),
                ..area
            }
        } else {
            let letters = |y: u32| !inside(y, sideways) && (area.left..area.right).any(|x| self.is_ink(x, y));
            Area {
                top: area.top - reach_back(area.top, &letters),
                bottom: (area.bottom + reach(area.bottom, &letters)).min(height),
                ..area
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use image::{GrayImage, Luma};

    /// The box of a word may be too short; letters that go on are covered, the next word is not.
    #[test]
    fn boxes_reach_to_the_end_of_their_letters() {
        let drawn = |x: u32, y: u32| {
            (20..100).contains(&x) && (30..50).contains(&y)
                || (112..160).contains(&x) && (30..50).contains(&y)
        };
        let page = GrayImage::from_fn(200, 200, |x, y| Luma([if drawn(x, y) { 10 } else { 240 }]));
        let turned = GrayImage::from_fn(200, 200, |x, y| Luma([if drawn(y, x) { 10 } else { 240 }]));
        let short = Area { left: 24, top: 30, right: 96, bottom: 50 };
        let next = Area { left: 112, top: 30, right: 160, bottom: 50 };
        let across = |a: Area| Area { left: a.top, top: a.left, right: a.bottom, bottom: a.right };
        for neighbour in [Some(next), None] {
            let wide = Ink::of(&PageImage::Grey(page.clone())).widened(short, [None, neighbour]);
            assert_eq!((wide.left, wide.right), (20, 100));
            let tall = Ink::of(&PageImage::Grey(turned.clone()))
                .widened(across(short), [None, neighbour.map(across)]);
            assert_eq!(across(tall), wide);
        }
        let beside = Area { left: 97, ..next };
        assert_eq!(Ink::of(&PageImage::Grey(page)).widened(short, [None, Some(beside)]).right, 97);
    }
}
