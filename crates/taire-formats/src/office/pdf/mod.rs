//! PDF, read to text with the place of every word and written anew: never changed in place, because hidden layers would stay.
//!
//! Pages are read in order, each piece of text with its place, and put into lines. Values of forms are text at the place of their
//! field. Pictures, scripts and files attached are counted and not treated; a file whose letters cannot be told, or with pages
//! that are pictures, is read by OCR as a [`scan`] or refused. The reader of a damaged file may go astray, so it works on a thread with a stack of its own,
//! within a time and limits.

mod annotations;
mod font;
mod layout;
mod metrics;
mod rules;
mod write;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use lopdf::content::Content as Operations;
use lopdf::{Dictionary, Document, LoadOptions, Object, ObjectId};

use self::font::{Font, Look, number};
use self::layout::{Mark, Piece, push_drawn, push_page};
use self::rules::Path;
pub(crate) use self::write::Layout;
use self::write::PageLayout;
use super::scan;
use super::{Back, Counts, LeftOut, Opened, count};
use crate::{Ocr, Reason};

const MOST_PAGES: usize = 3000;
/// How many bytes one stream, and all of them together, may unpack to.
const MOST_BYTES: usize = 64 << 20;
const MOST_IN_ALL: usize = 256 << 20;
const MOST_STEPS: usize = 20_000_000;
const DEEPEST_FORM: usize = 8;
const LONGEST: Duration = Duration::from_secs(120);
const STACK: usize = 64 << 20;

/// Pages without a size of use are of this one: A4, in points.
const A4: [f32; 2] = [595.0, 842.0];
/// The largest side of a page that viewers show, in points.
const LARGEST_SIDE: f32 = 14_400.0;

/// Opens a file. One whose pages are pictures is read by OCR where there is OCR; where there is none, the text layer that came
/// with the pictures is read, and the pictures go.
pub(crate) fn open(bytes: &[u8], ocr: &Ocr) -> Result<Opened, Reason> {
    match on_thread(bytes, read_content)? {
        Content::Text(opened) => Ok(*opened),
        Content::Scan { counts, layer, why } => match (ocr.find_program(), layer) {
            (Ok(_), _) => scan::open_pdf(bytes, ocr, counts),
            (Err(_), Some(layer)) => Ok(*layer),
            (Err(missing), None) => Err(why.unwrap_or(missing)),
        },
    }
}

/// What a file holds.
enum Content {
    Text(Box<Opened>),
    /// Pages that are pictures.
    Scan {
        /// What it holds besides.
        counts: Counts,
        /// The text that came with the pictures, where every page has some.
        layer: Option<Box<Opened>>,
        /// Why it cannot be read without OCR, where it is no plain scan.
        why: Option<Reason>,
    },
}

fn read_content(bytes: &[u8]) -> Result<Content, Reason> {
    let Pages { mut pages, mut counts, unknown_fonts } = Pages::read(bytes)?;
    let mut besides = counts.clone();
    for what in [LeftOut::Pictures, LeftOut::Drawings, LeftOut::UnknownLetters] {
        besides.remove(&what);
    }
    if unknown_fonts {
        return Ok(Content::Scan { counts: besides, layer: None, why: Some(UNKNOWN_FONTS.into()) });
    }
    let scanned = pages.iter().any(Page::is_scanned);
    let has_layer = pages.iter().all(|page| !page.is_scanned() || page.letters >= FEWEST_LETTERS);
    if scanned && pages.iter().any(|page| page.is_scanned() && page.letters > 0) {
        count(&mut besides, LeftOut::TextLayers);
    }
    if scanned && !has_layer {
        return Ok(Content::Scan { counts: besides, layer: None, why: None });
    }
    let mut text = String::new();
    let mut page_lines = PageLines::default();
    for page in &mut pages {
        page_lines.start_page(&text);
        let pieces = std::mem::take(&mut page.pieces);
        if !page.marks.is_empty() {
            push_drawn(&mut text, &mut page.layout.texts, pieces, &page.marks);
            continue;
        }
        for (angle, pieces) in pieces {
            let mut stretches = Vec::new();
            push_page(&mut text, &mut stretches, pieces);
            page.layout.texts.push((angle, stretches));
        }
        if text.len() > taire_text::Note::MAX_BYTES {
            let most = taire_text::Note::MAX_BYTES >> 20;
            return Err(format!("it holds over {most} MB of text; split it").into());
        }
    }
    let only = |what| text.trim().is_empty() && counts.contains_key(&what);
    if only(LeftOut::Pictures) || only(LeftOut::Drawings) {
        let why = (!only(LeftOut::Pictures)).then(|| ONLY_DRAWINGS.into());
        return Ok(Content::Scan { counts: besides, layer: None, why });
    }
    count(&mut counts, LeftOut::Properties);
    let layout = Layout::new(text.clone(), pages.into_iter().map(|page| page.layout).collect());
    layout.count_boxes(&mut counts);
    let opened = Opened { text, back: Back::Pdf(layout), left_out: counts, pages: page_lines.lines };
    let opened = Box::new(opened);
    Ok(match scanned {
        true => Content::Scan { counts: besides, layer: Some(opened), why: None },
        false => Content::Text(opened),
    })
}

/// The line of the text that each page begins with, from 1.
#[derive(Default)]
pub(super) struct PageLines {
    pub(super) lines: Vec<u32>,
    /// Line ends counted so far, and up to where.
    ends: u32,
    counted: usize,
}

impl PageLines {
    pub(super) fn start_page(&mut self, text: &str) {
        self.ends += memchr::memchr_iter(b'\n', &text.as_bytes()[self.counted..]).count() as u32;
        self.counted = text.len();
        self.lines.push(self.ends + 1);
    }
}

/// The text of a file in the order in which it draws it, without lines.
fn drawn_text(bytes: &[u8]) -> Result<String, Reason> {
    on_thread(bytes, |bytes| {
        let Pages { pages, unknown_fonts, .. } = Pages::read(bytes)?;
        if unknown_fonts {
            return Err(UNKNOWN_FONTS.into());
        }
        let pieces = pages.into_iter().map(|page| {
            let mut pieces: Vec<Piece> = page.pieces.into_values().flatten().collect();
            pieces.sort_by_key(|piece| piece.order);
            pieces.into_iter().map(|piece| piece.text).collect::<String>()
        });
        Ok(pieces.collect())
    })
}

/// Reads a file on a thread of its own, for so long and no longer.
fn on_thread<T: Send + 'static>(bytes: &[u8], read: fn(&[u8]) -> Result<T, Reason>) -> Result<T, Reason> {
    let (send, receive) = mpsc::channel();
    let bytes = bytes.to_vec();
    let work = move || {
        let read = catch_unwind(AssertUnwindSafe(|| read(&bytes)));
        let _ = send.send(read.unwrap_or_else(|_| Err("it is a PDF that is damaged".into())));
    };
    thread::Builder::new()
        .stack_size(STACK)
        .spawn(work)
        .map_err(|_| "no thread could be started to read it")?;
    match receive.recv_timeout(LONGEST) {
        Ok(read) => read,
        Err(_) => {
            Err(format!("it is a PDF that could not be read within {} seconds", LONGEST.as_secs()).into())
        }
    }
}

/// The pages of a file, and what was met that is not text.
struct Pages {
    pages: Vec<Page>,
    counts: Counts,
    /// Too many letters are not known.
    unknown_fonts: bool,
}

const UNKNOWN_FONTS: &str = "its fonts do not tell which letters they show; print it again with text, or install OCR \
                             (`apt-get install tesseract-ocr tesseract-ocr-fra tesseract-ocr-spa`)";
const ONLY_DRAWINGS: &str = "it holds drawings and no text, and drawings are read by OCR alone; install it \
                             (`apt-get install tesseract-ocr tesseract-ocr-fra tesseract-ocr-spa`)";
/// A page with fewer letters over its pictures is no page of text.
const FEWEST_LETTERS: usize = 20;
/// The part of a page that pictures fill where it is a scan, and where it has no letters besides.
const SCANNED: f32 = 0.5;
const SCANNED_WITHOUT_LETTERS: f32 = 0.1;

/// One page: pieces of text by the angle they stand at, and the rest of its layout.
#[derive(Default)]
struct Page {
    pieces: BTreeMap<i32, Vec<Piece>>,
    /// Where lines and cells start, if the page tells.
    marks: Vec<(usize, Mark)>,
    layout: PageLayout,
    /// The part of the page that pictures fill; over 1 where they lie above each other.
    pictures: f32,
    /// Letters in all, and those that are shown above the pictures.
    letters: usize,
    shown_letters: usize,
}

impl Page {
    /// A picture, with nothing on it but the invisible text of a scanner.
    fn is_scanned(&self) -> bool {
        let least = if self.letters == 0 { SCANNED_WITHOUT_LETTERS } else { SCANNED };
        self.pictures >= least && self.shown_letters < FEWEST_LETTERS
    }

    /// A picture in the unit square of `matrix`.
    fn add_picture(&mut self, Matrix([a, b, c, d, _, _]): Matrix) {
        const LARGE: f32 = 0.25;
        let [width, height] = self.layout.size;
        let share = ((a * d - b * c) / (width * height)).abs();
        if share.is_finite() {
            self.pictures += share;
        }
        // What was drawn before lies behind it.
        if share >= LARGE {
            self.shown_letters = 0;
        }
    }
}

impl Pages {
    fn read(bytes: &[u8]) -> Result<Pages, Reason> {
        let options = LoadOptions { max_decompressed_size: Some(MOST_BYTES), ..Default::default() };
        const LOCKED: &str = "it is encrypted and opens with a password only; remove the password first";
        let locked = memchr::memmem::find(bytes, b"/Encrypt").is_some();
        let document = Document::load_mem_with_options(bytes, options)
            .map_err(|_| if locked { LOCKED } else { "it is a PDF that is damaged or cut short" })?;
        // A file that only its owner's password protects from changes is open to every reader: it was decrypted.
        if (document.is_encrypted() || document.trailer.has(b"Encrypt")) && !document.was_encrypted() {
            return Err(LOCKED.into());
        }
        let ids: Vec<ObjectId> = document.page_iter().take(MOST_PAGES + 1).collect();
        if ids.len() > MOST_PAGES {
            return Err(format!("it has more than {MOST_PAGES} pages; split it into its letters").into());
        }
        if ids.is_empty() {
            return Err("it is a PDF without pages, or its pages are damaged".into());
        }
        let mut reader =
            Reader { document: &document, counts: Counts::new(), unpacked: 0, steps: 0, unread: 0, read: 0 };
        reader.check_pictures()?;
        reader.attachments();
        let pages: Vec<Page> = ids.into_iter().map(|id| reader.page(id)).collect::<Result<_, _>>()?;
        let unknown_fonts = reader.unread * 50 > reader.read;
        if reader.unread > 0 {
            *reader.counts.entry(LeftOut::UnknownLetters).or_default() += reader.unread;
        }
        Ok(Pages { pages, counts: reader.counts, unknown_fonts })
    }
}

/// A transformation, as PDF writes it.
#[derive(Clone, Copy, Debug)]
struct Matrix([f32; 6]);

const UNIT: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

impl Matrix {
    /// First this one, then `then`.
    fn then(self, then: Matrix) -> Matrix {
        let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (self.0, then.0);
        Matrix([
            a * g + b * i,
            a * h + b * j,
            c * g + d * i,
            c * h + d * j,
            e * g + f * i + k,
            e * h + f * j + l,
        ])
    }

    fn apply(self, x: f32, y: f32) -> (f32, f32) {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }
}

#[derive(Clone, Copy)]
struct State<'f> {
    matrix: Matrix,
    font: Option<&'f Font<'f>>,
    size: f32,
    spacing: f32,
    word_spacing: f32,
    scale: f32,
    leading: f32,
    rise: f32,
    colour: [u8; 3],
    line_width: f32,
    /// Text is set and not shown.
    invisible: bool,
}

struct Reader<'d> {
    document: &'d Document,
    counts: Counts,
    unpacked: usize,
    steps: usize,
    /// Glyphs whose letter is not known, and all of them.
    unread: usize,
    read: usize,
}

impl<'d> Reader<'d> {
    /// Refuses pictures that declare too many pixels, before any of them is unpacked.
    fn check_pictures(&self) -> Result<(), Reason> {
        for object in self.document.objects.values() {
            let Object::Stream(stream) = object else { continue };
            if stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Image") {
                self.check_picture(&stream.dict, [b"Width", b"Height"])?;
            }
        }
        Ok(())
    }

    fn check_picture(&self, picture: &Dictionary, [width, height]: [&[u8]; 2]) -> Result<(), Reason> {
        let side =
            |key: &[u8]| picture.get_deref(key, self.document).ok().and_then(|side| side.as_i64().ok());
        let side = |key| side(key).map(|side| u32::try_from(side.max(1)).unwrap_or(u32::MAX));
        match (side(width), side(height)) {
            (Some(width), Some(height)) => scan::check_size(width, height),
            _ => Ok(()),
        }
    }

    /// Counts what hangs on the file as a whole. None of it is written.
    fn attachments(&mut self) {
        let Ok(catalog) = self.document.catalog() else { return };
        let names = catalog.get_deref(b"Names", self.document).and_then(Object::as_dict).ok();
        let named = |key: &[u8]| names.is_some_and(|names| names.has(key));
        if named(b"JavaScript")
            || [&b"OpenAction"[..], b"AA"].iter().any(|key| self.runs_script(catalog, key))
        {
            count(&mut self.counts, LeftOut::Scripts);
        }
        let form = catalog.get_deref(b"AcroForm", self.document).and_then(Object::as_dict).ok();
        let xfa = form.is_some_and(|form| form.has(b"XFA"));
        // What a form shows is read with its pages; the form itself is not written.
        if form.is_some() {
            count(&mut self.counts, LeftOut::AttachedData);
        }
        for attached in [named(b"EmbeddedFiles") || catalog.has(b"AF"), xfa, catalog.has(b"Outlines")] {
            if attached {
                count(&mut self.counts, LeftOut::AttachedData);
            }
        }
    }

    /// A value of a page, or of the node of the page tree that it takes it from.
    fn inherited(&self, page: ObjectId, key: &[u8]) -> Option<&'d Object> {
        let mut node = self.document.get_dictionary(page).ok()?;
        for _ in 0..64 {
            if let Ok(value) = node.get_deref(key, self.document) {
                return Some(value);
            }
            node = node.get_deref(b"Parent", self.document).ok()?.as_dict().ok()?;
        }
        None
    }

    /// A rectangle: its lower left corner, its width and its height.
    fn rectangle(&self, corners: &Object) -> Option<[f32; 4]> {
        let corners = corners.as_array().ok().filter(|list| list.len() == 4)?;
        let mut n = [0.0; 4];
        for (n, corner) in n.iter_mut().zip(corners) {
            *n = number(self.document, corner)?;
        }
        let [x, y, right, top] = n;
        Some([x.min(right), y.min(top), (right - x).abs(), (top - y).abs()])
    }

    fn page(&mut self, id: ObjectId) -> Result<Page, Reason> {
        const BAD: &str = "a page of it is damaged or unpacks to too much";
        let content = self.document.get_page_content_with_limit(id, MOST_BYTES).map_err(|_| BAD)?;
        self.take(content.len())?;
        let (direct, inherited) = self.document.get_page_resources(id).map_err(|_| BAD)?;
        let mut resources: Vec<&'d Dictionary> = direct.into_iter().collect();
        resources.extend(inherited.into_iter().filter_map(|id| self.document.get_dictionary(id).ok()));
        let usable = |[_, _, width, height]: &[f32; 4]| {
            let side = 1.0..=LARGEST_SIDE;
            side.contains(width) && side.contains(height)
        };
        let of_box = |key: &[u8]| self.inherited(id, key).and_then(|b| self.rectangle(b)).filter(usable);
        let [x, y, width, height] =
            of_box(b"CropBox").or_else(|| of_box(b"MediaBox")).unwrap_or([0.0, 0.0, A4[0], A4[1]]);
        let turn = self.inherited(id, b"Rotate").and_then(|o| number(self.document, o)).unwrap_or(0.0);
        let mut page = Page::default();
        page.layout.size = [width, height];
        page.layout.quarter_turns = (turn / 90.0).round().rem_euclid(4.0) as u8;
        let origin = Matrix([1.0, 0.0, 0.0, 1.0, -x, -y]);
        self.content(&content, &resources, origin, 0, &mut page)?;
        self.annotations(id, origin, &mut page)?;
        if rules::keep_table_rules(&mut page.layout.rules) {
            page.layout.drawings = true;
        }
        if page.layout.drawings {
            count(&mut self.counts, LeftOut::Drawings);
        }
        Ok(page)
    }

    fn take(&mut self, bytes: usize) -> Result<(), Reason> {
        self.unpacked += bytes;
        if self.unpacked > MOST_IN_ALL {
            return Err(format!(
                "its pages unpack to more than {} MB; such a file is not opened",
                MOST_IN_ALL >> 20
            )
            .into());
        }
        Ok(())
    }

    fn look_up(&self, resources: &[&'d Dictionary], kind: &[u8], name: &[u8]) -> Option<&'d Object> {
        resources.iter().find_map(|r| {
            let list = r.get_deref(kind, self.document).ok()?.as_dict().ok()?;
            list.get_deref(name, self.document).ok()
        })
    }

    fn content(
        &mut self,
        content: &[u8],
        resources: &[&'d Dictionary],
        matrix: Matrix,
        depth: usize,
        out: &mut Page,
    ) -> Result<(), Reason> {
        let content = Operations::decode(content).map_err(|_| "the content of a page is damaged")?;
        self.steps += content.operations.len();
        if self.steps > MOST_STEPS {
            return Err("its pages hold too many drawing steps; such a file is not read".into());
        }
        let mut named: BTreeMap<&[u8], (&'d Dictionary, Dictionary)> = BTreeMap::new();
        for operation in content.operations.iter().filter(|o| o.operator == "Tf") {
            if let Some(Object::Name(name)) = operation.operands.first()
                && !named.contains_key(name.as_slice())
                && let Some(font) = self.look_up(resources, b"Font", name).and_then(|o| o.as_dict().ok())
            {
                let mut bare = font.clone();
                bare.remove(b"Encoding");
                named.insert(name, (font, bare));
            }
        }
        let fonts: BTreeMap<&[u8], Font<'_>> =
            named.iter().map(|(name, (font, bare))| (*name, Font::read(self.document, font, bare))).collect();
        let start = State {
            matrix,
            font: None,
            size: 1.0,
            spacing: 0.0,
            word_spacing: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
            colour: [0; 3],
            line_width: 1.0,
            invisible: false,
        };
        let mut path = Path::default();
        let mut text = Text { state: start, line: UNIT, at: UNIT };
        let mut saved: Vec<State<'_>> = Vec::new();
        for operation in &content.operations {
            let operands = &operation.operands;
            let n = |i: usize| operands.get(i).and_then(|o| number(self.document, o)).unwrap_or(0.0);
            match operation.operator.as_str() {
                "q" if saved.len() < 512 => saved.push(text.state),
                "Q" => text.state = saved.pop().unwrap_or(text.state),
                "cm" => {
                    text.state.matrix = Matrix([n(0), n(1), n(2), n(3), n(4), n(5)]).then(text.state.matrix)
                }
                "BT" => (text.line, text.at) = (UNIT, UNIT),
                "Tf" => {
                    text.state.font =
                        operands.first().and_then(|o| o.as_name().ok()).and_then(|name| fonts.get(name));
                    text.state.size = n(1);
                }
                "Tc" => text.state.spacing = n(0),
                "Tw" => text.state.word_spacing = n(0),
                "Tz" => text.state.scale = n(0) / 100.0,
                "TL" => text.state.leading = n(0),
                "Ts" => text.state.rise = n(0),
                "Tr" => text.state.invisible = matches!(n(0) as i32, 3 | 7),
                "Td" => text.advance(n(0), n(1)),
                "TD" => {
                    text.state.leading = -n(1);
                    text.advance(n(0), n(1));
                }
                "Tm" => {
                    text.line = Matrix([n(0), n(1), n(2), n(3), n(4), n(5)]);
                    text.at = text.line;
                }
                "T*" => text.advance(0.0, -text.state.leading),
                "Tj" => self.show(&mut text, operands, out)?,
                "'" => {
                    text.advance(0.0, -text.state.leading);
                    self.show(&mut text, operands, out)?;
                }
                "\"" => {
                    (text.state.word_spacing, text.state.spacing) = (n(0), n(1));
                    text.advance(0.0, -text.state.leading);
                    self.show(&mut text, operands.get(2..).unwrap_or_default(), out)?;
                }
                "TJ" => {
                    if let Some(Object::Array(items)) = operands.first() {
                        self.show(&mut text, items, out)?;
                    }
                }
                "BI" => {
                    count(&mut self.counts, LeftOut::Pictures);
                    out.add_picture(text.state.matrix);
                    if let Some(Object::Stream(picture)) = operands.first() {
                        self.check_picture(&picture.dict, [b"W", b"H"])?;
                        self.check_picture(&picture.dict, [b"Width", b"Height"])?;
                    }
                }
                "Do" => {
                    let name = operands.first().and_then(|o| o.as_name().ok()).unwrap_or_default();
                    self.draw(name, resources, text.state.matrix, depth, out)?;
                }
                "MP" => {
                    let tag = operands.first().and_then(|o| o.as_name().ok()).unwrap_or_default();
                    let mark = Mark::ALL.into_iter().find(|mark| mark.name().as_bytes() == tag);
                    out.marks.extend(mark.map(|mark| (self.read + 1, mark)));
                }
                "sh" => out.layout.drawings = true,
                "w" => text.state.line_width = n(0),
                "g" => text.state.colour = colour(&[n(0)]),
                "rg" => text.state.colour = colour(&[n(0), n(1), n(2)]),
                "k" => text.state.colour = colour(&[n(0), n(1), n(2), n(3)]),
                "cs" => text.state.colour = [0; 3],
                "sc" | "scn" => {
                    let parts: Vec<f32> =
                        operands.iter().take(4).filter_map(|o| number(self.document, o)).collect();
                    text.state.colour = colour(&parts);
                }
                operator => {
                    let numbers: [f32; 6] = std::array::from_fn(n);
                    path.step(operator, &numbers, text.state.matrix);
                    if let Some(painted) = path.paint(operator) {
                        painted.push_rules(text.state.line_width, &mut out.layout);
                    }
                }
            }
        }
        Ok(())
    }

    /// A form or a picture that a page draws.
    fn draw(
        &mut self,
        name: &[u8],
        resources: &[&'d Dictionary],
        matrix: Matrix,
        depth: usize,
        out: &mut Page,
    ) -> Result<(), Reason> {
        let Some(Object::Stream(stream)) = self.look_up(resources, b"XObject", name) else { return Ok(()) };
        if stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|n| n != b"Form") {
            count(&mut self.counts, LeftOut::Pictures);
            out.add_picture(matrix);
            return Ok(());
        }
        if depth >= DEEPEST_FORM {
            return Err(format!("its forms nest more than {DEEPEST_FORM} deep").into());
        }
        let content = stream
            .get_plain_content_with_limit(MOST_BYTES)
            .map_err(|_| "a form of it is damaged or unpacks to too much")?;
        self.take(content.len())?;
        let own = stream.dict.get_deref(b"Resources", self.document).and_then(Object::as_dict);
        let mut inner: Vec<&'d Dictionary> = own.into_iter().collect();
        inner.extend_from_slice(resources);
        let placed = stream.dict.get_deref(b"Matrix", self.document).and_then(Object::as_array);
        let placed = placed
            .ok()
            .filter(|m| m.len() == 6)
            .map_or(UNIT, |m| Matrix(std::array::from_fn(|i| number(self.document, &m[i]).unwrap_or(0.0))));
        self.content(&content, &inner, placed.then(matrix), depth + 1, out)
    }

    /// Shows strings, with the moves between them.
    fn show(&mut self, text: &mut Text<'_>, items: &[Object], out: &mut Page) -> Result<(), Reason> {
        for item in items {
            match item {
                Object::String(string, _) => self.string(text, string, out)?,
                item => {
                    let back = number(self.document, item).unwrap_or(0.0);
                    text.forward(-back / 1000.0 * text.state.size * text.state.scale);
                }
            }
        }
        Ok(())
    }

    fn string(&mut self, text: &mut Text<'_>, string: &[u8], out: &mut Page) -> Result<(), Reason> {
        let state = text.state;
        let Some(font) = state.font else {
            self.read += string.len();
            self.unread += string.len();
            return Ok(());
        };
        let look = Look { colour: state.colour, ..font.look };
        for glyph in font.glyphs(string) {
            self.read += 1;
            let Spot { angle, x, y, size } = text.spot();
            let space = if glyph.is_space { state.word_spacing } else { 0.0 };
            text.forward(glyph.width / 1000.0 * state.size * state.scale);
            let ink = text.spot().x.max(x);
            text.forward((state.spacing + space) * state.scale);
            let end = text.spot().x.max(x);
            let Some(shown) = glyph.text else {
                self.unread += 1;
                continue;
            };
            if ![x, y, end, ink, size].into_iter().all(f32::is_finite) {
                return Err("it sets text at a place that is no number; it is damaged".into());
            }
            let blank = shown.chars().all(char::is_whitespace);
            out.letters += usize::from(!blank);
            out.shown_letters += usize::from(!blank && !state.invisible);
            let starts = out.marks.last().is_some_and(|(at, _)| *at == self.read);
            let pieces = out.pieces.entry(angle).or_default();
            // A letter that follows the last one closely belongs to it, whatever the page says of lines.
            match pieces.last_mut() {
                Some(last)
                    if !starts
                        && (last.y - y).abs() < 0.2 * size
                        && (x - last.end).abs() < 0.18 * size
                        && last.text.len() < 4096
                        && last.look == look
                        && (blank || !last.text.ends_with(char::is_whitespace)) =>
                {
                    last.text.push_str(&shown);
                    last.end = end;
                    if !blank {
                        last.ink = ink;
                    }
                }
                _ => pieces.push(Piece { x, y, end, ink, size, text: shown, look, order: self.read }),
            }
        }
        Ok(())
    }
}

/// A colour of one (grey), three (red, green, blue) or four (cyan, magenta, yellow, black) parts. Text that is hardly darker than
/// paper becomes grey: what it stood on is not drawn.
fn colour(parts: &[f32]) -> [u8; 3] {
    let light = match *parts {
        [grey] => [grey; 3],
        [red, green, blue] => [red, green, blue],
        [cyan, magenta, yellow, black] => [cyan, magenta, yellow].map(|ink| (1.0 - ink) * (1.0 - black)),
        _ => [0.0; 3],
    };
    let [red, green, blue] = light.map(|part| part.clamp(0.0, 1.0));
    if 0.3 * red + 0.59 * green + 0.11 * blue > 0.7 {
        return [150; 3];
    }
    [red, green, blue].map(|part| (part * 255.0).round() as u8)
}

/// Where text is being set.
struct Text<'f> {
    state: State<'f>,
    line: Matrix,
    at: Matrix,
}

/// A place on the page turned so that the text there is upright.
struct Spot {
    /// By how many degrees the text is turned.
    angle: i32,
    x: f32,
    y: f32,
    size: f32,
}

impl Text<'_> {
    fn advance(&mut self, x: f32, y: f32) {
        self.line = Matrix([1.0, 0.0, 0.0, 1.0, x, y]).then(self.line);
        self.at = self.line;
    }

    fn forward(&mut self, x: f32) {
        self.at = Matrix([1.0, 0.0, 0.0, 1.0, x, 0.0]).then(self.at);
    }

    fn spot(&self) -> Spot {
        let rise = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, self.state.rise]);
        let Matrix([a, b, c, d, x, y]) = rise.then(self.at).then(self.state.matrix);
        let size = (self.state.size * c.hypot(d)).abs().max(1.0);
        let angle = upright_angle(a, b);
        let (sin, cos) = sin_cos(angle);
        Spot { angle, x: x * cos + y * sin, y: y * cos - x * sin, size }
    }
}

/// The angle of text, in degrees: a page scanned askew is taken for a straight one.
fn upright_angle(a: f32, b: f32) -> i32 {
    const ASKEW: f32 = 10.0;
    const STEP: f32 = 5.0;
    let degrees = b.atan2(a).to_degrees();
    let quarter = (degrees / 90.0).round() * 90.0;
    let angle = if (degrees - quarter).abs() <= ASKEW { quarter } else { (degrees / STEP).round() * STEP };
    (angle as i32).rem_euclid(360)
}

/// Sine and cosine, exact for quarter turns.
fn sin_cos(angle: i32) -> (f32, f32) {
    match angle {
        0 => (0.0, 1.0),
        90 => (1.0, 0.0),
        180 => (0.0, -1.0),
        270 => (-1.0, 0.0),
        other => (other as f32).to_radians().sin_cos(),
    }
}
