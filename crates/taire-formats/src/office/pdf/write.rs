//! A new PDF with the treated text at the places of the old one.
//!
//! Nothing of the file that was read goes into it: no object, font, picture or property. Text is set in the fonts every viewer
//! has, each word stretched to the width it had. Where a new word is longer or shorter, the rest of its line moves with it, and
//! is set closer where it would leave the page or run into the next column. Characters that these fonts do not have are drawn by
//! a font made here: of others where they are made of others (`ﬁ`, `₂`), else as a box that still reads as the character.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::ops::Range;

use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::font::Look;
use super::layout::{Mark, Run, Stretch};
use super::metrics::{DINGBATS, SYMBOL};
use super::rules::Rule;
use super::{drawn_text, sin_cos};
use crate::OutSpan;
use crate::office::{Counts, LeftOut, same_letters};
use crate::splice::telling_words;
use crate::text_edit::{TextEdit, edits_by_place, text_edits};

/// What a page shows and where.
#[derive(Default, Debug)]
pub(crate) struct PageLayout {
    /// Width and height in points.
    pub(super) size: [f32; 2],
    /// By how many quarters a viewer turns it.
    pub(super) quarter_turns: u8,
    /// Text by the angle it stands at, in its order.
    pub(super) texts: Vec<(i32, Vec<Stretch>)>,
    pub(super) rules: Vec<Rule>,
    /// It has drawings that are left out.
    pub(super) drawings: bool,
}

/// A PDF as text with places.
pub(crate) struct Layout {
    text: String,
    pages: Vec<PageLayout>,
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Layout({} pages)", self.pages.len())
    }
}

const DISAGREE: &str = "its new text does not agree with its layout; it is not written";

impl Layout {
    pub(super) fn new(text: String, pages: Vec<PageLayout>) -> Self {
        Layout { text, pages }
    }

    /// Counts the characters that a box will stand for.
    pub(super) fn count_boxes(&self, counts: &mut Counts) {
        let boxes = clusters(&self.text).filter(|cluster| drawn_as(cluster).is_none()).count();
        if boxes > 0 {
            *counts.entry(LeftOut::RareCharacters).or_default() += boxes;
        }
    }

    /// Bytes held.
    pub(crate) fn weight(&self) -> usize {
        let runs = self.stretches().map(|(_, _, stretch)| stretch.runs.len()).sum::<usize>();
        self.text.len() + runs * size_of::<Run>()
    }

    fn stretches(&self) -> impl Iterator<Item = (&PageLayout, i32, &Stretch)> {
        self.pages.iter().flat_map(|page| {
            let texts = page.texts.iter();
            texts.flat_map(move |(angle, stretches)| stretches.iter().map(move |s| (page, *angle, s)))
        })
    }

    /// The file with `text` in place of the text as read. It is read again: one that shows anything but the new text, or that
    /// holds a replaced word anywhere, is not given.
    pub(crate) fn write(&self, text: &str, spans: &[OutSpan]) -> Result<Vec<u8>, &'static str> {
        let edits = text_edits(&self.text, text, spans).map_err(|_| DISAGREE)?;
        let written = self.new_runs(&edits)?;
        let mut words = telling_words(&self.text, text, &edits).peekable();
        let new = self.pack(&written, Shown::Text)?;
        if !drawn_text(&new).is_ok_and(|drawn| same_letters(&drawn, text)) {
            return Err("its layout is damaged: with its new text it would not read as it should");
        }
        if words.peek().is_some() {
            let parts = unpacked(&new)?;
            // Words that every PDF is made of (`Parent`, `Courier`) are no trace of the old text.
            let bare = unpacked(&self.pack(&written, Shown::Nothing)?)?;
            let finds = |parts: &[Vec<u8>], word: &str| {
                let old_code: Option<Vec<u8>> = word.chars().map(win_ansi).collect();
                [Some(word.as_bytes()), old_code.as_deref()].into_iter().flatten().any(|word| {
                    let finder = memchr::memmem::Finder::new(word);
                    parts.iter().any(|part| finder.find(part).is_some())
                })
            };
            if words.any(|word| finds(&parts, word) && !finds(&bare, word)) {
                return Err("a word that was replaced would still be in the new file; it is not written");
            }
        }
        Ok(new)
    }

    /// The new text of each run, in their order.
    fn new_runs(&self, edits: &[TextEdit<'_>]) -> Result<Vec<String>, &'static str> {
        let pieces: Vec<TextEdit<'_>> =
            edits.iter().cloned().flat_map(|edit| edit.split_at(&self.text, &['\n', '\t'])).collect();
        let places: Vec<Range<usize>> =
            self.stretches().flat_map(|(_, _, s)| &s.runs).map(|run| run.text.clone()).collect();
        let mut by_run = edits_by_place(&pieces, &places);
        let mut written = Vec::with_capacity(places.len());
        for (i, place) in places.into_iter().enumerate() {
            let (mut new, mut from) = (String::new(), place.start);
            for TextEdit { range, with, .. } in by_run.remove(&i).unwrap_or_default() {
                new.push_str(self.text.get(from..range.start).ok_or(DISAGREE)?);
                new.push_str(with);
                from = range.end;
            }
            new.push_str(self.text.get(from..place.end).ok_or(DISAGREE)?);
            written.push(new);
        }
        Ok(written)
    }

    fn pack(&self, written: &[String], shown: Shown) -> Result<Vec<u8>, &'static str> {
        const FAILED: &str = "its new layout could not be written";
        let mut document = Document::with_version("1.7");
        let mut fonts = Fonts::default();
        let mut written = written.iter();
        let tree = document.new_object_id();
        let resources = document.new_object_id();
        let mut kids: Vec<Object> = Vec::with_capacity(self.pages.len());
        for page in &self.pages {
            let mut content = Vec::new();
            push_rules(&mut content, &page.rules);
            content.extend(b"BT\n");
            let mut pen = Pen { fonts: &mut fonts, state: None, colour: [0; 3], content: &mut content };
            for (angle, stretches) in &page.texts {
                let margin = left_margin(stretches);
                let edges = Edges::of(stretches);
                for stretch in stretches {
                    let new: Vec<&str> =
                        written.by_ref().take(stretch.runs.len()).map(String::as_str).collect();
                    let end = match (stretch.next, *angle) {
                        _ if edges.justified(stretch) => End::Justified,
                        (Some(next), _) => End::Limit(next - 3.0),
                        (None, 0) => End::Limit(page.size[0] - margin),
                        (None, _) => End::AsFar,
                    };
                    pen.stretch(&self.text, (page, *angle), stretch, &new, end);
                }
            }
            content.extend(b"ET\n");
            if matches!(shown, Shown::Nothing) {
                content.clear();
            }
            let mut content = Stream::new(Dictionary::new(), content);
            content.compress().map_err(|_| FAILED)?;
            let content = document.add_object(content);
            let [width, height] = page.size;
            let mut dictionary = dictionary! {
                "Type" => "Page",
                "Parent" => tree,
                "MediaBox" => vec![0.into(), 0.into(), Object::Real(width), Object::Real(height)],
                "Resources" => resources,
                "Contents" => content,
            };
            if page.quarter_turns > 0 {
                dictionary.set("Rotate", i64::from(page.quarter_turns) * 90);
            }
            kids.push(document.add_object(dictionary).into());
        }
        let fonts = fonts.pack(&mut document).map_err(|_| FAILED)?;
        document.set_object(resources, dictionary! { "Font" => fonts });
        let count = kids.len() as i64;
        document.set_object(tree, dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count });
        let root = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
        document.trailer.set("Root", root);
        let mut out = Vec::new();
        document.save_to(&mut out).map_err(|_| FAILED)?;
        Ok(out)
    }
}

/// What the pages of a new file show.
#[derive(Clone, Copy)]
enum Shown {
    Text,
    /// Nothing: what is then in the file is there whatever its text.
    Nothing,
}

/// The bytes of a file and of each of its streams.
fn unpacked(file: &[u8]) -> Result<Vec<Vec<u8>>, &'static str> {
    const FAILED: &str = "its new layout could not be read again";
    let document = Document::load_mem(file).map_err(|_| FAILED)?;
    let mut parts = vec![file.to_vec()];
    for object in document.objects.values() {
        if let Object::Stream(stream) = object {
            parts.push(stream.get_plain_content().map_err(|_| FAILED)?);
        }
    }
    Ok(parts)
}

/// How far from the left edge the text of a page starts, within what a margin may be.
fn left_margin(stretches: &[Stretch]) -> f32 {
    let starts = stretches.iter().filter_map(|s| s.runs.first()).map(|run| run.x);
    starts.fold(f32::INFINITY, f32::min).clamp(10.0, 60.0)
}

/// Where lines end.
struct Edges(Vec<f32>);

impl Edges {
    fn of(stretches: &[Stretch]) -> Edges {
        let mut ends: Vec<f32> = stretches.iter().map(reached).collect();
        ends.sort_by(f32::total_cmp);
        Edges(ends)
    }

    /// Whether a line of words ends where others do.
    fn justified(&self, stretch: &Stretch) -> bool {
        const FEWEST: usize = 3;
        let end = reached(stretch);
        let from = self.0.partition_point(|other| *other < end - 1.5);
        let to = self.0.partition_point(|other| *other <= end + 1.5);
        stretch.runs.len() > 4 && to - from >= FEWEST
    }
}

/// Where the last letter of a stretch ends.
fn reached(stretch: &Stretch) -> f32 {
    stretch.runs.iter().map(|run| run.ink).fold(f32::NEG_INFINITY, f32::max)
}

/// How far a stretch may reach.
#[derive(Clone, Copy)]
enum End {
    /// As far as it did.
    AsFar,
    /// To there, or as far as it did.
    Limit(f32),
    /// Exactly as far as it did.
    Justified,
}

fn push_rules(out: &mut Vec<u8>, rules: &[Rule]) {
    for Rule { from, to, width } in rules {
        let _ =
            writeln!(out, "0.35 G {width:.2} w {:.2} {:.2} m {:.2} {:.2} l S", from.0, from.1, to.0, to.1);
    }
}

/// Sets text on a page.
struct Pen<'p> {
    fonts: &'p mut Fonts,
    /// Font, size and stretch that are set.
    state: Option<(FontId, f32, f32)>,
    colour: [u8; 3],
    content: &'p mut Vec<u8>,
}

/// A run with its new text, placed on its line.
struct Placed<'r> {
    run: &'r Run,
    text: &'r str,
    x: f32,
    /// How far letters are stretched.
    scale: f32,
    /// A blank follows.
    apart: bool,
}

/// Letters are set closer down to this; then they are set smaller.
const CLOSEST: f32 = 0.75;
const SMALLEST_SIZE: f32 = 2.0;
const LARGEST_SIZE: f32 = 1000.0;
/// No text is set further away than this: a viewer shows nothing there.
const FURTHEST: f32 = 30_000.0;

impl Pen<'_> {
    /// Sets the runs of a stretch, on a page and at an angle, with their new text.
    fn stretch(
        &mut self,
        original: &str,
        (page, angle): (&PageLayout, i32),
        stretch: &Stretch,
        new: &[&str],
        reach: End,
    ) {
        let Some(first) = stretch.runs.first() else { return };
        let cell = original.get(..first.text.start).is_some_and(|before| before.ends_with('\t'));
        let _ = writeln!(self.content, "/{} MP", if cell { Mark::Cell } else { Mark::Line }.name());
        let mut placed: Vec<Placed<'_>> = Vec::with_capacity(new.len());
        let mut end = first.x;
        for (i, (run, text)) in stretch.runs.iter().zip(new).enumerate() {
            if text.starts_with(char::is_whitespace) {
                placed.last_mut().into_iter().for_each(|last| last.apart = true);
            }
            if text.trim().is_empty() {
                continue;
            }
            let was = original.get(run.text.clone()).unwrap_or_default();
            let natural = self.width(was.trim(), run);
            let scale = if natural > 0.0 { ((run.ink - run.x) / natural).clamp(0.4, 2.5) } else { 1.0 };
            let x = match (placed.last(), i.checked_sub(1).map(|i| &stretch.runs[i])) {
                (Some(last), Some(before)) => {
                    let gap = (run.x - before.ink).clamp(-run.size, 3.0 * run.size);
                    let was_apart = original.get(before.text.clone()).is_some_and(ends_apart);
                    end + match (last.apart, was_apart) {
                        (true, true) | (false, false) => gap,
                        (true, false) => 0.28 * run.size,
                        (false, true) => 0.0,
                    }
                }
                _ => first.x,
            };
            end = x + self.width(text.trim(), run) * scale;
            placed.push(Placed { run, text, x, scale, apart: ends_apart(text) });
        }
        let reached = reached(stretch);
        let room = match reach {
            End::Limit(limit) => limit.max(reached) - first.x,
            End::AsFar | End::Justified => reached - first.x,
        };
        if let (End::Justified, Some(last)) = (reach, placed.len().checked_sub(1)) {
            // The blanks between words take the difference, if it is small enough for them.
            let blanks = placed[..last].iter().filter(|p| p.apart).count().max(1) as f32;
            let each = (reached - end) / blanks;
            if (-0.1 * first.size..0.5 * first.size).contains(&each) {
                let mut moved = 0.0;
                for placed in &mut placed {
                    placed.x += moved;
                    moved += if placed.apart { each } else { 0.0 };
                }
                end = reached;
            }
        }
        let fit = if end - first.x > room && room > 0.0 { room / (end - first.x) } else { 1.0 };
        let smaller = if fit < CLOSEST { (fit / CLOSEST).max(0.3) } else { 1.0 };
        for Placed { run, text, x, scale, apart } in placed {
            let x = first.x + (x - first.x) * fit;
            let size = (run.size * smaller).clamp(SMALLEST_SIZE, LARGEST_SIZE);
            // A blank at the end tells readers of the file that the word ends.
            let text = format!("{}{}", text.trim(), if apart { " " } else { "" });
            self.set((page, angle), run, &text, (x, size, scale * fit * run.size / size));
        }
    }

    fn width(&mut self, text: &str, run: &Run) -> f32 {
        let chunks = self.fonts.encode(text, run.look);
        chunks.iter().map(|chunk| chunk.width).sum::<u32>() as f32 / 1000.0 * run.size
    }

    /// Sets the text of a run at `x`, in a size, stretched.
    fn set(
        &mut self,
        (page, angle): (&PageLayout, i32),
        run: &Run,
        text: &str,
        (x, size, scale): (f32, f32, f32),
    ) {
        let (sin, cos) = sin_cos(angle);
        let clamp = |value: f32, side: f32| value.clamp(-FURTHEST, side + FURTHEST);
        let left = clamp(x * cos - run.y * sin, page.size[0]);
        let up = clamp(x * sin + run.y * cos, page.size[1]);
        if run.look.colour != self.colour {
            self.colour = run.look.colour;
            let [red, green, blue] = self.colour.map(|part| f32::from(part) / 255.0);
            let _ = writeln!(self.content, "{red:.3} {green:.3} {blue:.3} rg");
        }
        let _ = write!(self.content, "{cos:.4} {sin:.4} {:.4} {cos:.4} {left:.2} {up:.2} Tm ", -sin);
        for chunk in self.fonts.encode(text, run.look) {
            let state = (chunk.font, size, scale);
            if self.state != Some(state) {
                self.state = Some(state);
                let name = chunk.font.name();
                let _ = write!(
                    self.content,
                    "/{name} {size:.2} Tf {:.1} Tz ",
                    (scale * 100.0).clamp(1.0, 10_000.0)
                );
            }
            self.content.push(b'(');
            for byte in chunk.codes {
                if matches!(byte, b'(' | b')' | b'\\' | b'\r' | b'\n') {
                    let _ = write!(self.content, "\\{byte:03o}");
                } else {
                    self.content.push(byte);
                }
            }
            self.content.extend(b") Tj\n");
        }
    }
}

fn ends_apart(text: &str) -> bool {
    text.ends_with(char::is_whitespace)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum FontId {
    /// One of every viewer's, by its name.
    Standard(&'static str),
    Symbol,
    Dingbats,
    /// One made here, with 255 characters each.
    Drawn(usize),
}

impl FontId {
    /// Its name in the resources of pages.
    fn name(self) -> String {
        match self {
            FontId::Standard(base) => base.into(),
            FontId::Symbol => "Symbol".into(),
            FontId::Dingbats => "ZapfDingbats".into(),
            FontId::Drawn(number) => format!("Drawn{number}"),
        }
    }
}

/// Codes of one font.
struct Chunk {
    font: FontId,
    codes: Vec<u8>,
    width: u32,
}

/// The fonts that are used, with the characters drawn here.
#[derive(Default)]
struct Fonts {
    used: BTreeMap<FontId, Option<Look>>,
    drawn: Vec<String>,
    by_cluster: BTreeMap<String, usize>,
}

/// Codes of a font made here go from 1.
const DRAWN_CODES: usize = 255;
const BOX_WIDTH: u32 = 600;

impl Fonts {
    fn encode(&mut self, text: &str, look: Look) -> Vec<Chunk> {
        let (base, widths) = look.standard();
        let mut chunks: Vec<Chunk> = Vec::new();
        for cluster in clusters(text) {
            let mut chars = cluster.chars();
            let single = chars.next().filter(|_| chars.next().is_none());
            let (font, code, width) = match single.and_then(in_standard_fonts) {
                Some((InFont::Text, code)) => {
                    (FontId::Standard(base), code, widths[usize::from(code) - 32].into())
                }
                Some((InFont::Symbol(width), code)) => (FontId::Symbol, code, width.into()),
                Some((InFont::Dingbats(width), code)) => (FontId::Dingbats, code, width.into()),
                None => {
                    let number = *self.by_cluster.entry(cluster.into()).or_insert_with(|| {
                        self.drawn.push(cluster.into());
                        self.drawn.len() - 1
                    });
                    let code = (number % DRAWN_CODES + 1) as u8;
                    (FontId::Drawn(number / DRAWN_CODES), code, drawn_width(cluster))
                }
            };
            self.used.entry(font).or_insert(matches!(font, FontId::Standard(_)).then_some(look));
            match chunks.last_mut() {
                Some(last) if last.font == font => {
                    last.codes.push(code);
                    last.width += width;
                }
                _ => chunks.push(Chunk { font, codes: vec![code], width }),
            }
        }
        chunks
    }

    fn pack(&self, document: &mut Document) -> lopdf::Result<Dictionary> {
        let mut fonts = Dictionary::new();
        for (id, look) in &self.used {
            let font = match (id, look) {
                (FontId::Symbol, _) => listed_font(document, "Symbol", SYMBOL)?,
                (FontId::Dingbats, _) => listed_font(document, "ZapfDingbats", DINGBATS)?,
                (FontId::Drawn(number), _) => {
                    let drawn = self.drawn.chunks(DRAWN_CODES).nth(*number).unwrap_or_default();
                    drawn_font(document, drawn)?
                }
                (FontId::Standard(_), look) => standard_font(look.unwrap_or_default()),
            };
            let font = document.add_object(font);
            fonts.set(id.name(), font);
        }
        Ok(fonts)
    }
}

fn standard_font(look: Look) -> Dictionary {
    let (base, widths) = look.standard();
    let widths: Vec<Object> = widths.iter().map(|width| i64::from(*width).into()).collect();
    dictionary! {
        "Type" => "Font",
        "Subtype" => "Type1",
        "BaseFont" => base,
        "Encoding" => "WinAnsiEncoding",
        "FirstChar" => 32,
        "LastChar" => 255,
        "Widths" => widths,
    }
}

/// A font of every viewer that has codes of its own.
fn listed_font(
    document: &mut Document,
    base: &'static str,
    list: &[(char, u8, u16)],
) -> lopdf::Result<Dictionary> {
    let of_code: BTreeMap<u8, (char, u16)> = list.iter().map(|(c, code, w)| (*code, (*c, *w))).collect();
    let widths: Vec<Object> =
        (0..=255).map(|code| of_code.get(&code).map_or(0, |(_, width)| i64::from(*width)).into()).collect();
    let meaning = to_unicode(document, of_code.iter().map(|(code, (c, _))| (*code, c.to_string())))?;
    Ok(dictionary! {
        "Type" => "Font",
        "Subtype" => "Type1",
        "BaseFont" => base,
        "FirstChar" => 0,
        "LastChar" => 255,
        "Widths" => widths,
        "ToUnicode" => meaning,
    })
}

/// A font whose characters are drawn here.
fn drawn_font(document: &mut Document, clusters: &[String]) -> lopdf::Result<Dictionary> {
    let mut procedures = Dictionary::new();
    let mut names: Vec<Object> = vec![1.into()];
    let mut widths: Vec<Object> = Vec::new();
    let mut inner = Fonts::default();
    for (i, cluster) in clusters.iter().enumerate() {
        let width = drawn_width(cluster);
        let mut glyph = format!("{width} 0 d0\n").into_bytes();
        match drawn_as(cluster) {
            Some(Drawing { lines: Some(lines), .. }) => glyph.extend(lines.bytes()),
            Some(Drawing { text, size, rise, .. }) if !text.is_empty() => {
                let _ = write!(glyph, "BT 0 {rise} Td ");
                for chunk in inner.encode(&text, Look::default()) {
                    let _ = write!(glyph, "/{} {size} Tf <", chunk.font.name());
                    chunk.codes.iter().for_each(|code| {
                        let _ = write!(glyph, "{code:02X}");
                    });
                    glyph.extend(b"> Tj ");
                }
                glyph.extend(b"ET");
            }
            Some(_) => {}
            None => glyph.extend(b"40 w 70 0 460 640 re S"),
        }
        let name = format!("c{i}");
        let glyph = document.add_object(Stream::new(Dictionary::new(), glyph));
        procedures.set(name.clone(), glyph);
        names.push(Object::Name(name.into_bytes()));
        widths.push(i64::from(width).into());
    }
    let meaning = to_unicode(document, (1..).zip(clusters.iter().cloned()))?;
    let fonts = inner.pack(document)?;
    let square: Vec<Object> = vec![0.into(), (-300).into(), 1000.into(), 1000.into()];
    let thousandth = || Object::Real(0.001);
    Ok(dictionary! {
        "Type" => "Font",
        "Subtype" => "Type3",
        "FontBBox" => square,
        "FontMatrix" => vec![thousandth(), 0.into(), 0.into(), thousandth(), 0.into(), 0.into()],
        "CharProcs" => procedures,
        "Encoding" => dictionary! { "Type" => "Encoding", "Differences" => names },
        "FirstChar" => 1,
        "LastChar" => clusters.len() as i64,
        "Widths" => widths,
        "Resources" => dictionary! { "Font" => fonts },
        "ToUnicode" => meaning,
    })
}

/// What the codes of a font mean.
fn to_unicode(document: &mut Document, codes: impl Iterator<Item = (u8, String)>) -> lopdf::Result<ObjectId> {
    let mut map = b"/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
        /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n\
        /CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n\
        1 begincodespacerange\n<00> <FF>\nendcodespacerange\n"
        .to_vec();
    let codes: Vec<(u8, String)> = codes.collect();
    for some in codes.chunks(100) {
        let _ = writeln!(map, "{} beginbfchar", some.len());
        for (code, text) in some {
            let _ = write!(map, "<{code:02X}> <");
            text.encode_utf16().for_each(|unit| {
                let _ = write!(map, "{unit:04X}");
            });
            map.extend(b">\n");
        }
        map.extend(b"endbfchar\n");
    }
    map.extend(b"endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    let mut stream = Stream::new(Dictionary::new(), map);
    stream.compress()?;
    Ok(document.add_object(stream))
}

/// Characters with the accents that follow them. Blanks and control characters are blanks.
fn clusters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        if first.is_whitespace() || first.is_control() {
            rest = &rest[first.len_utf8()..];
            return Some(" ");
        }
        let end =
            rest.char_indices().skip(1).find(|(_, c)| !is_combining_mark(*c)).map_or(rest.len(), |(i, _)| i);
        // A code of a font means so many characters at most.
        let end = rest.char_indices().nth(8).map_or(end, |(i, _)| end.min(i));
        let (cluster, after) = rest.split_at(end);
        rest = after;
        Some(cluster)
    })
}

enum InFont {
    Text,
    Symbol(u16),
    Dingbats(u16),
}

/// The code of a character in a font of every viewer.
fn in_standard_fonts(c: char) -> Option<(InFont, u8)> {
    let listed = |list: &[(char, u8, u16)]| {
        list.binary_search_by_key(&c, |entry| entry.0).ok().map(|at| (list[at].1, list[at].2))
    };
    win_ansi(c)
        .map(|code| (InFont::Text, code))
        .or_else(|| listed(SYMBOL).map(|(code, width)| (InFont::Symbol(width), code)))
        .or_else(|| listed(DINGBATS).map(|(code, width)| (InFont::Dingbats(width), code)))
}

/// The code of a character in WinAnsiEncoding. A soft hyphen has one that reads as a hyphen.
fn win_ansi(c: char) -> Option<u8> {
    /// Codes 128 to 159; the last ones that are not used stand for nothing.
    const MIDDLE: &str = "€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ";
    match c {
        ' '..='~' => Some(c as u8),
        '\u{ad}' | '\0' => None,
        '¡'..='ÿ' => u8::try_from(u32::from(c)).ok(),
        _ => MIDDLE.chars().position(|other| other == c).map(|i| 128 + i as u8),
    }
}

/// How a character is drawn with others.
struct Drawing {
    text: String,
    /// In thousandths.
    size: u32,
    rise: i32,
    /// Lines drawn in its place, in a square of `BOX_WIDTH`.
    lines: Option<&'static str>,
}

const EMPTY_BOX: &str = "40 w 60 0 500 500 re S";
const TICKED_BOX: &str = "40 w 60 0 500 500 re S 60 0 m 560 500 l S 60 500 m 560 0 l S";

/// How characters that no font of every viewer has are drawn; `None` where a box stands for them.
fn drawn_as(cluster: &str) -> Option<Drawing> {
    let plain = |text: &str| Some(Drawing { text: text.into(), size: 1000, rise: 0, lines: None });
    let lines = |lines| Some(Drawing { text: String::new(), size: 1000, rise: 0, lines: Some(lines) });
    let first = cluster.chars().next()?;
    if cluster.len() == first.len_utf8() && in_standard_fonts(first).is_some() {
        return plain(cluster);
    }
    match first {
        '\u{ad}' | '‐' | '‑' | '⁃' => return plain("-"),
        '∆' => return plain("Δ"),
        '‒' | '―' => return plain("–"),
        'ʼ' => return plain("’"),
        '○' | '◦' | '⚬' => return plain("o"),
        '▪' | '◾' => return plain("■"),
        '☐' | '□' | '▢' | '◻' => return lines(EMPTY_BOX),
        '☑' | '☒' | '🗹' | '🗷' => return lines(TICKED_BOX),
        '➔' | '➜' | '➤' | '►' | '▶' => return plain("→"),
        // Marks that show nothing.
        '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' => {
            return plain("");
        }
        _ => {}
    }
    let composed: String = cluster.nfkc().collect();
    let known = composed.chars().all(|c| in_standard_fonts(c).is_some());
    let (size, rise) = match first {
        '₀'..='₎' | 'ₐ'..='ₜ' => (600, -120),
        '⁰'..='ⁿ' | 'ᵃ'..='ᵛ' | 'ʰ'..='ˢ' => (600, 350),
        _ => (1000, 0),
    };
    (known && !composed.is_empty()).then_some(Drawing { text: composed, size, rise, lines: None })
}

fn drawn_width(cluster: &str) -> u32 {
    let Some(Drawing { text, size, lines: None, .. }) = drawn_as(cluster) else { return BOX_WIDTH };
    let (_, widths) = Look::default().standard();
    let each = text.chars().filter_map(in_standard_fonts).map(|(font, code)| match font {
        InFont::Text => widths[usize::from(code) - 32],
        InFont::Symbol(width) | InFont::Dingbats(width) => width,
    });
    each.map(u32::from).sum::<u32>() * size / 1000
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ocr;
    use crate::text_edit::tests::replace_once;

    fn line(text: &str) -> Layout {
        let mut runs = Vec::new();
        let (mut at, mut x) = (0, 60.0);
        for word in text.split_inclusive(' ') {
            let ink = x + 5.0 * word.trim_end().chars().count() as f32;
            let text = at..at + word.len();
            runs.push(Run { text, x, y: 700.0, ink, size: 10.0, look: Look::default() });
            (at, x) = (at + word.len(), ink + 3.0);
        }
        let stretch = Stretch { runs, next: None };
        let texts = vec![(0, vec![stretch])];
        Layout::new(text.into(), vec![PageLayout { size: [595.0, 842.0], texts, ..Default::default() }])
    }

    #[test]
    fn every_character_of_the_fonts_reads_back_as_itself() {
        let text: String = (' '..='ÿ').chain("€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ".chars()).collect();
        let listed = SYMBOL.iter().chain(DINGBATS).map(|entry| entry.0);
        let text: String = text.chars().chain(listed).chain("ﬁ₂⁴☐𝄞漢e\u{301}ﬀ\u{200b}".chars()).collect();
        let layout = line(&text);
        let written = layout.write(&text, &[]).unwrap();
        assert!(same_letters(&drawn_text(&written).unwrap(), &text));
        let mut counts = Counts::new();
        layout.count_boxes(&mut counts);
        assert_eq!(counts.get(&LeftOut::RareCharacters), Some(&2));
    }

    #[test]
    fn lists_of_characters_are_sorted() {
        assert!(SYMBOL.is_sorted_by_key(|entry| entry.0) && DINGBATS.is_sorted_by_key(|entry| entry.0));
    }

    #[test]
    fn the_rest_of_a_line_moves_with_a_longer_name_and_stays_on_the_page() {
        let text = "Vu ce jour Mme Lo PETIT, pour le suivi de sa maladie et de son traitement habituel au long cours";
        let layout = line(text);
        let (new, spans) =
            replace_once(text, &[("Lo PETIT", "Marie-Antoinette de la Tour d'Auvergne-Lauraguais")]);
        let written = layout.write(&new, &spans).unwrap();
        let opened = super::super::open(&written, &Ocr::off()).unwrap();
        assert_eq!(opened.text.trim_end(), new);
        let crate::office::Back::Pdf(again) = opened.back else { panic!("it has no layout") };
        let ends: Vec<f32> = again.stretches().flat_map(|(_, _, s)| &s.runs).map(|run| run.ink).collect();
        assert!(ends.iter().all(|end| *end < 596.0), "{ends:?}");
    }

    #[test]
    fn a_name_that_is_a_word_of_every_pdf_is_no_reason_to_refuse() {
        let text = "Mme Parent, Mme Helvetica, Mme Kervadec.";
        let layout = line(text);
        let (new, spans) =
            replace_once(text, &[("Parent", "Petit"), ("Helvetica", "Gros"), ("Kervadec", "Blanc")]);
        layout.write(&new, &spans).unwrap();
        // A word that only one of its places lost is still there, and known to be.
        let (new, spans) = replace_once(text, &[("Parent", "Kervadec")]);
        layout.write(&new, &spans).unwrap();
        assert!(layout.write(text, &spans).is_err());
    }
}
