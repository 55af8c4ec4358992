//! PDF read to text and written as such: never changed in place, because hidden layers would stay.
//!
//! Pages are read in order, each piece of text with its place, and put into lines. Pictures are counted and not
//! treated; a file whose letters cannot be told, or that shows nothing but pictures, is refused. The reader of a
//! damaged file may go astray, so it works on a thread with a stack of its own, within a time and limits.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use lopdf::content::Content;
use lopdf::{Dictionary, Document, LoadOptions, Object, ObjectId};

use super::pdf_font::{Font, number};
use super::pdf_layout::{Piece, push_page};
use super::{Back, Counts, LeftOut, Opened, count};
use crate::Reason;

const MOST_PAGES: usize = 3000;
/// How many bytes one stream, and all of them together, may unpack to.
const MOST_BYTES: usize = 64 << 20;
const MOST_IN_ALL: usize = 256 << 20;
const MOST_STEPS: usize = 20_000_000;
const DEEPEST_FORM: usize = 8;
const LONGEST: Duration = Duration::from_secs(120);
const STACK: usize = 64 << 20;

pub(crate) fn open(bytes: &[u8]) -> Result<Opened, Reason> {
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

fn read(bytes: &[u8]) -> Result<Opened, Reason> {
    let options = LoadOptions { max_decompressed_size: Some(MOST_BYTES), ..Default::default() };
    const LOCKED: &str = "it is encrypted; remove its password first";
    let locked = memchr::memmem::find(bytes, b"/Encrypt").is_some();
    let document = Document::load_mem_with_options(bytes, options)
        .map_err(|_| if locked { LOCKED } else { "it is a PDF that is damaged or cut short" })?;
    if document.is_encrypted() || document.was_encrypted() || document.trailer.has(b"Encrypt") {
        return Err(LOCKED.into());
    }
    let pages: Vec<ObjectId> = document.page_iter().take(MOST_PAGES + 1).collect();
    if pages.len() > MOST_PAGES {
        return Err(format!("it has more than {MOST_PAGES} pages; split it into its letters").into());
    }
    if pages.is_empty() {
        return Err("it is a PDF without pages, or its pages are damaged".into());
    }
    let mut reader =
        Reader { document: &document, counts: Counts::new(), unpacked: 0, steps: 0, unread: 0, read: 0 };
    reader.attachments();
    let mut text = String::new();
    let (mut page_lines, mut line) = (Vec::with_capacity(pages.len()), 1);
    for page in pages {
        page_lines.push(line);
        let before = text.len();
        let mut sides: [Vec<Piece>; 4] = Default::default();
        reader.page(page, &mut sides)?;
        for pieces in sides {
            push_page(&mut text, pieces);
        }
        line += memchr::memchr_iter(b'\n', &text.as_bytes()[before..]).count() as u32;
        if text.len() > taire_text::Note::MAX_BYTES {
            return Err(
                format!("it holds over {} MB of text; split it", taire_text::Note::MAX_BYTES >> 20).into()
            );
        }
    }
    if reader.unread * 50 > reader.read {
        return Err(
            "its fonts do not tell which letters they show; print it again with text, or read it by OCR"
                .into(),
        );
    }
    if text.trim().is_empty() && reader.counts.contains_key(&LeftOut::Pictures) {
        return Err("it holds pictures and no text; it is a scan, and pictures are not read".into());
    }
    count(&mut reader.counts, LeftOut::Properties);
    Ok(Opened { text, back: Back::Text, left_out: reader.counts, pages: page_lines })
}

/// A transformation, as PDF writes it.
#[derive(Clone, Copy)]
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
    fn attachments(&mut self) {
        let Ok(catalog) = self.document.catalog() else { return };
        let names = catalog.get_deref(b"Names", self.document).and_then(Object::as_dict);
        let attached = names.is_ok_and(|n| n.has(b"EmbeddedFiles") || n.has(b"JavaScript"));
        if attached || catalog.has(b"AcroForm") || catalog.has(b"AF") {
            count(&mut self.counts, LeftOut::AttachedData);
        }
    }

    fn page(&mut self, page: ObjectId, out: &mut [Vec<Piece>; 4]) -> Result<(), Reason> {
        const BAD: &str = "a page of it is damaged or unpacks to too much";
        let content = self.document.get_page_content_with_limit(page, MOST_BYTES).map_err(|_| BAD)?;
        self.take(content.len())?;
        let (direct, inherited) = self.document.get_page_resources(page).map_err(|_| BAD)?;
        let mut resources: Vec<&'d Dictionary> = direct.into_iter().collect();
        resources.extend(inherited.into_iter().filter_map(|id| self.document.get_dictionary(id).ok()));
        if let Ok(links) = self.document.get_page_annotations(page) {
            for link in links {
                let is_link =
                    link.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Link");
                count(&mut self.counts, if is_link { LeftOut::LinkTargets } else { LeftOut::AttachedData });
            }
        }
        self.content(&content, &resources, UNIT, 0, out)
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
        out: &mut [Vec<Piece>; 4],
    ) -> Result<(), Reason> {
        let content = Content::decode(content).map_err(|_| "the content of a page is damaged")?;
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
        };
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
                "Tj" => self.show(&mut text, operands, out),
                "'" => {
                    text.advance(0.0, -text.state.leading);
                    self.show(&mut text, operands, out);
                }
                "\"" => {
                    (text.state.word_spacing, text.state.spacing) = (n(0), n(1));
                    text.advance(0.0, -text.state.leading);
                    self.show(&mut text, operands.get(2..).unwrap_or_default(), out);
                }
                "TJ" => {
                    if let Some(Object::Array(items)) = operands.first() {
                        self.show(&mut text, items, out);
                    }
                }
                "BI" => count(&mut self.counts, LeftOut::Pictures),
                "Do" => {
                    let name = operands.first().and_then(|o| o.as_name().ok()).unwrap_or_default();
                    self.draw(name, resources, text.state.matrix, depth, out)?;
                }
                _ => {}
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
        out: &mut [Vec<Piece>; 4],
    ) -> Result<(), Reason> {
        let Some(Object::Stream(stream)) = self.look_up(resources, b"XObject", name) else { return Ok(()) };
        if stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|n| n != b"Form") {
            count(&mut self.counts, LeftOut::Pictures);
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
    fn show(&mut self, text: &mut Text<'_>, items: &[Object], out: &mut [Vec<Piece>; 4]) {
        for item in items {
            match item {
                Object::String(string, _) => self.string(text, string, out),
                item => {
                    let back = number(self.document, item).unwrap_or(0.0);
                    text.forward(-back / 1000.0 * text.state.size * text.state.scale);
                }
            }
        }
    }

    fn string(&mut self, text: &mut Text<'_>, string: &[u8], out: &mut [Vec<Piece>; 4]) {
        let state = text.state;
        let Some(font) = state.font else {
            self.read += string.len();
            self.unread += string.len();
            return;
        };
        for glyph in font.glyphs(string) {
            self.read += 1;
            let (side, x, y, size) = text.place();
            let space = if glyph.is_space { state.word_spacing } else { 0.0 };
            text.forward((glyph.width / 1000.0 * state.size + state.spacing + space) * state.scale);
            let (_, end, _, _) = text.place();
            let Some(shown) = glyph.text else {
                self.unread += 1;
                continue;
            };
            // A letter that follows the last one closely belongs to it, whatever the page says of lines.
            match out[side].last_mut() {
                Some(last)
                    if (last.y - y).abs() < 0.2 * size
                        && (x - last.end).abs() < 0.18 * size
                        && last.text.len() < 4096 =>
                {
                    last.text.push_str(&shown);
                    last.end = end.max(x);
                }
                _ => out[side].push(Piece { x, y, end: end.max(x), size, text: shown }),
            }
        }
    }
}

/// Where text is being set.
struct Text<'f> {
    state: State<'f>,
    line: Matrix,
    at: Matrix,
}

impl Text<'_> {
    fn advance(&mut self, x: f32, y: f32) {
        self.line = Matrix([1.0, 0.0, 0.0, 1.0, x, y]).then(self.line);
        self.at = self.line;
    }

    fn forward(&mut self, x: f32) {
        self.at = Matrix([1.0, 0.0, 0.0, 1.0, x, 0.0]).then(self.at);
    }

    /// The side of the page the text stands upright on, its place seen from there, and its size.
    fn place(&self) -> (usize, f32, f32, f32) {
        let rise = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, self.state.rise]);
        let Matrix([a, b, c, d, x, y]) = rise.then(self.at).then(self.state.matrix);
        let size = (self.state.size * c.hypot(d)).abs().max(1.0);
        match (a.abs() >= b.abs(), a >= 0.0, b >= 0.0) {
            (true, true, _) => (0, x, y, size),
            (true, false, _) => (2, -x, -y, size),
            (false, _, true) => (1, y, -x, size),
            (false, _, false) => (3, -y, x, size),
        }
    }
}
