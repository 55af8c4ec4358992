//! Scans: images, and PDFs whose pages are images. Words are read by OCR and covered in the pixels.
//!
//! The words of all pages make the text of the document. What is replaced in it is covered on its page: the whole of each word
//! that a span touches. The file that comes out is made anew of the covered pixels and holds nothing of the old one: no text
//! layer, no metadata, no image stream. Before it is given out, its pages are read by OCR again ([`write`]).

mod ocr;
mod raster;
mod render;
mod unread;
mod write;

use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};

use image::codecs::png::CompressionType;

use self::ocr::Word;
pub use self::ocr::{Ocr, OcrProgram, UnreadParts};
pub(in crate::office) use self::raster::check_size;
use self::raster::{Area, PageImage};
use super::pdf::PageLines;
use super::{Back, Counts, LeftOut, Opened, count};
use crate::Reason;

/// The most pages that are read by OCR, and for how long at most.
const MOST_PAGES: usize = 300;
const LONGEST: Duration = Duration::from_secs(45 * 60);
/// The most bytes that the pixels of a document take, packed.
const MOST_BYTES: usize = 512 << 20;
/// Words with less confidence are not sure.
const SURE: f32 = 60.0;

/// The file that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Container {
    Png,
    Pdf,
}

/// A scan with the words that were read in it.
pub(crate) struct Scan {
    container: Container,
    text: String,
    pages: Vec<ScannedPage>,
    ocr: Ocr,
}

impl fmt::Debug for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scan({} pages)", self.pages.len())
    }
}

struct ScannedPage {
    /// Its pixels, packed without loss.
    pixels: Vec<u8>,
    /// Width and height in points, in a PDF.
    points: [f32; 2],
    dpi: Option<u32>,
    words: Vec<PlacedWord>,
    /// What was not read, or not surely.
    unread: Vec<Area>,
}

/// A word of the text, on its page.
#[derive(Clone, PartialEq, Debug)]
struct PlacedWord {
    range: Range<usize>,
    area: Area,
    line: [u32; 3],
}

impl Scan {
    /// Bytes held.
    pub(crate) fn weight(&self) -> usize {
        let of_page = |page: &ScannedPage| page.pixels.len() + page.words.len() * size_of::<PlacedWord>();
        self.text.len() + self.pages.iter().map(of_page).sum::<usize>()
    }
}

/// Opens an image file.
pub(crate) fn open_image(bytes: &[u8], ocr: &Ocr) -> Result<Opened, Reason> {
    let page = PageImage::decode(bytes)?;
    let mut reading = Reading::new(Container::Png, ocr, Counts::new());
    reading.add(&page, [0.0; 2], None)?;
    reading.finish()
}

/// Opens a PDF whose pages are images; `counts` is what else it holds.
pub(super) fn open_pdf(bytes: &[u8], ocr: &Ocr, counts: Counts) -> Result<Opened, Reason> {
    let mut reading = Reading::new(Container::Pdf, ocr, counts);
    for page in render::pages(bytes, MOST_PAGES)? {
        let page = page?;
        reading.add(&page.image, page.points, Some(page.dpi))?;
    }
    reading.finish()
}

/// Pages being read.
struct Reading<'o> {
    scan: Scan,
    ocr: &'o Ocr,
    counts: Counts,
    page_lines: PageLines,
    started: Instant,
    packed: usize,
    unsure_words: usize,
    regions: usize,
}

impl<'o> Reading<'o> {
    fn new(container: Container, ocr: &'o Ocr, counts: Counts) -> Self {
        let scan = Scan { container, text: String::new(), pages: Vec::new(), ocr: ocr.clone() };
        let page_lines = PageLines::default();
        let started = Instant::now();
        Reading { scan, ocr, counts, page_lines, started, packed: 0, unsure_words: 0, regions: 0 }
    }

    fn add(&mut self, image: &PageImage, points: [f32; 2], dpi: Option<u32>) -> Result<(), Reason> {
        if self.started.elapsed() > LONGEST {
            let minutes = LONGEST.as_secs() / 60;
            return Err(
                format!("OCR did not finish it within {minutes} minutes; split it into its letters").into()
            );
        }
        if !self.scan.text.is_empty() {
            self.scan.text.push_str("\n\n");
        }
        self.page_lines.start_page(&self.scan.text);
        let read = self.ocr.read(image, dpi)?;
        let words: Vec<&Word> = read.iter().filter(|word| is_text(word)).collect();
        let placed = push_words(&mut self.scan.text, &words);
        if self.scan.text.len() > taire_text::Note::MAX_BYTES {
            return Err("it holds too much text; split it into its letters".into());
        }
        let regions = unread::unread_regions(image, &read, is_text);
        let unsure = words.iter().filter(|word| !is_sure(word)).map(|word| word.area);
        let mut unread: Vec<Area> = unsure.collect();
        self.unsure_words += unread.len();
        self.regions += regions.len();
        unread.extend(regions);
        let pixels = image.to_png(CompressionType::Fast)?;
        self.packed += pixels.len();
        if self.packed > MOST_BYTES {
            return Err(format!(
                "its pages take more than {} MB; split it into its letters",
                MOST_BYTES >> 20
            )
            .into());
        }
        self.scan.pages.push(ScannedPage { pixels, points, dpi, words: placed, unread });
        Ok(())
    }

    fn finish(mut self) -> Result<Opened, Reason> {
        if self.scan.text.trim().is_empty() {
            return Err("OCR reads no text in it; a picture without text is not treated".into());
        }
        let (words, regions) = (self.unsure_words, self.regions);
        let [of_words, of_regions] = match self.ocr.unread {
            UnreadParts::Refuse if words + regions > 0 => {
                return Err(format!(
                    "OCR does not read all of it ({words} words are not sure, {regions} regions have no text that it reads: \
                     handwriting, stamps, barcodes, faces), and such images are refused"
                )
                .into());
            }
            UnreadParts::Cover | UnreadParts::Refuse => [LeftOut::UnsureWords, LeftOut::UnreadRegions],
            UnreadParts::Keep => [LeftOut::UnsureWordsShown, LeftOut::UnreadRegionsShown],
        };
        for (what, n) in [(of_words, words), (of_regions, regions)] {
            if n > 0 {
                *self.counts.entry(what).or_default() += n;
            }
        }
        count(&mut self.counts, LeftOut::Properties);
        let text = self.scan.text.clone();
        let back = Back::Scan(Box::new(self.scan));
        Ok(Opened { text, back, left_out: self.counts, pages: self.page_lines.lines })
    }
}

fn is_sure(word: &Word) -> bool {
    word.confidence >= SURE
}

/// Signs without letters or digits that OCR is not sure of are rules and dirt.
fn is_text(word: &Word) -> bool {
    is_sure(word) || word.text.chars().any(char::is_alphanumeric)
}

/// Adds the words of a page, line by line, an empty line between paragraphs, a tab where a wide gap makes columns.
fn push_words(text: &mut String, words: &[&Word]) -> Vec<PlacedWord> {
    const WIDE_GAP: u32 = 3;
    let mut placed = Vec::with_capacity(words.len());
    let mut before: Option<&Word> = None;
    for word in words {
        match before {
            Some(last) if last.line == word.line => {
                let gap = word.area.left.saturating_sub(last.area.right);
                text.push(if gap > WIDE_GAP * last.area.height().max(word.area.height()) {
                    '\t'
                } else {
                    ' '
                });
            }
            Some(last) if last.line[..2] == word.line[..2] => text.push('\n'),
            Some(_) => text.push_str("\n\n"),
            None => {}
        }
        let start = text.len();
        text.push_str(&word.text);
        placed.push(PlacedWord { range: start..text.len(), area: word.area, line: word.line });
        before = Some(word);
    }
    placed
}
