//! The templates: which features a token has.

use taire_text::{Kind, Source};

use super::document::{Document, Item, Line};
use super::hash::{AFFIX, finish, mix};
use crate::crf::TokenFeatures;

/// Which voices of other detectors the features use. A model remembers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Settings {
    sources: u32,
}

impl Settings {
    pub(crate) fn hearing(sources: impl IntoIterator<Item = Source>) -> Settings {
        Settings { sources: sources.into_iter().fold(0, |set, s| set | 1 << s.index()) }
    }

    pub(crate) fn from_bits(bits: u32) -> Settings {
        Settings { sources: bits }
    }

    pub(crate) fn bits(self) -> u32 {
        self.sources
    }

    pub(crate) fn hears(self, source: Source) -> bool {
        self.sources & (1 << source.index()) != 0
    }
}

/// Features of one line: for each token its hashes.
#[derive(Debug, Default)]
pub(crate) struct LineFeatures {
    hashes: Vec<u64>,
    /// For each token: where its word's features end, where all end, and the word they belong to.
    tokens: Vec<(u32, u32, u64)>,
}

impl LineFeatures {
    pub(crate) fn tokens(&self) -> impl Iterator<Item = TokenFeatures<'_>> {
        let starts = std::iter::once(0).chain(self.tokens.iter().map(|t| t.1));
        starts.zip(&self.tokens).map(|(from, &(own, end, word))| TokenFeatures {
            word,
            own: &self.hashes[from as usize..own as usize],
            rest: &self.hashes[own as usize..end as usize],
        })
    }

    #[inline]
    fn put(&mut self, template: u64, value: u64) {
        self.hashes.push(finish(mix(template, value)));
    }

    #[inline]
    fn put2(&mut self, template: u64, a: u64, b: u64) {
        self.hashes.push(finish(mix(mix(template, a), b)));
    }

    #[inline]
    fn put3(&mut self, template: u64, a: u64, b: u64, c: u64) {
        self.hashes.push(finish(mix(mix(mix(template, a), b), c)));
    }

    /// Replaces the content by the features of one line.
    pub(crate) fn read(&mut self, document: &Document, line: &Line) {
        self.hashes.clear();
        self.tokens.clear();
        let mut segment = Segment::default();
        let mut said = document.said.partition_point(|&(t, _)| (t as usize) < line.tokens.start);
        let line_key = document.items[line.line_start].hashes.word;
        for i in line.tokens.clone() {
            segment.step(document, line, i);
            let word = self.word(document, i);
            let own = self.hashes.len() as u32;
            self.neighbours(document, line, i);
            self.place(document, line, i, line_key, &segment);
            self.elsewhere(document, i);
            self.voices(document, line, i);
            while let Some(&(token, code)) = document.said.get(said).filter(|&&(t, _)| t as usize <= i) {
                if token as usize == i {
                    self.put(200, code);
                    self.put2(201, code, document.items[i].plain);
                    self.put2(202, code, document.items[i].hashes.shape);
                    self.put2(203, code, line.zone.into());
                }
                said += 1;
            }
            self.tokens.push((own, self.hashes.len() as u32, word));
        }
    }

    /// The feature that every token has.
    pub(crate) fn constant() -> u64 {
        finish(mix(1, 0))
    }

    /// Features of the word alone; returns what they all depend on.
    fn word(&mut self, document: &Document, i: usize) -> u64 {
        let item = &document.items[i];
        let h = &item.hashes;
        self.put(1, 0);
        self.put(2, h.word);
        self.put(3, h.form);
        self.put(4, h.shape);
        self.put(2, item.plain);
        let depends = mix(h.form, item.known);
        if item.kind == Kind::Mark {
            return depends;
        }
        for n in 1..AFFIX {
            if h.prefixes[n] != 0 {
                self.put2(5, n as u64, h.prefixes[n]);
                self.put2(6, n as u64, h.suffixes[n]);
            }
        }
        self.put(8, item.known & 15);
        self.put(10, item.known >> 4 & 3);
        self.put(11, item.known >> 6);
        self.put2(13, item.known, item.shape as u64);
        depends
    }

    fn neighbours(&mut self, document: &Document, line: &Line, i: usize) {
        let at = |d: isize| look(document, line, i, d);
        let me = 4;
        let w: [u64; 9] = std::array::from_fn(|k| at(k as isize - 4).plain());
        for d in 1..=4u64 {
            self.put(24 + d, w[me - d as usize]);
            self.put(34 + d, w[me + d as usize]);
        }
        self.put2(40, w[me - 1], w[me]);
        self.put2(41, w[me], w[me + 1]);
        self.put2(42, w[me - 2], w[me - 1]);
        self.put2(43, w[me + 1], w[me + 2]);
        self.put2(44, w[me - 1], w[me + 1]);
        self.put3(45, w[me - 2], w[me - 1], w[me]);
        self.put3(46, w[me], w[me + 1], w[me + 2]);
        self.put3(47, w[me - 1], w[me], w[me + 1]);
        let s: [u64; 3] = std::array::from_fn(|k| at(k as isize - 1).shape());
        self.put2(50, s[0], s[1]);
        self.put2(51, s[1], s[2]);
        self.put3(52, s[0], s[1], s[2]);
        self.put2(55, w[me - 1], s[1]);
        self.put2(56, w[me + 1], s[1]);
        self.put2(57, w[me - 2], s[1]);
        let k: [u64; 3] = std::array::from_fn(|k| at(k as isize - 1).known());
        self.put(60, k[0]);
        self.put(61, k[2]);
        self.put2(62, k[0], k[1]);
        self.put2(63, k[1], k[2]);
        for (n, d) in [-1, 1].into_iter().enumerate() {
            if let Seen::Item(item) = at(d) {
                self.put2(70, n as u64, item.hashes.suffixes[2]);
            }
        }
    }

    fn place(&mut self, document: &Document, line: &Line, i: usize, line_key: u64, segment: &Segment) {
        let item = &document.items[i];
        let word = item.hashes.word;
        let shape = item.hashes.shape;
        self.put2(79, item.chunk_plain, item.chunk_place.into());
        self.put2(80, item.chunk, (item.chunk_place | item.chunk_left << 4).into());
        let key = document.keys[i];
        let since = u64::from(key.since.min(6));
        self.put2(82, key.word, since);
        self.put2(83, key.phrase, since.min(3));
        self.put2(84, key.phrase, shape);
        self.put2(85, key.word, word);
        self.put2(86, line_key, shape);
        self.put2(88, line.previous_key, shape);
        self.put2(89, line.next_word, shape);
        let zone = u64::from(line.zone);
        self.put2(90, zone, word);
        self.put2(91, zone, shape);
        self.put2(93, line.from_top.into(), shape);
        self.put2(94, line.from_bottom.into(), shape);
        let place = (i - line.line_start).min(5) as u64;
        self.put2(96, place, shape);
        self.put2(100, segment.first, shape);
        self.put2(102, segment.before, shape);
        self.put3(104, zone, segment.first, segment.before);
        self.put2(105, segment.trigger, shape);
        self.put3(108, segment.class, segment.class_since.min(4), shape);
        self.put2(109, segment.class, item.plain);
        self.put3(110, segment.class, item.known, item.chunk_place.into());
    }

    fn voices(&mut self, document: &Document, line: &Line, i: usize) {
        let voice = |d: isize| match look(document, line, i, d) {
            Seen::Item(item) => item.voice,
            _ => 0,
        };
        let (before, now, after) = (voice(-1), voice(0), voice(1));
        if before | now | after != 0 {
            self.put2(204, before, now);
            self.put2(205, now, after);
            self.put3(206, before, now, after);
        }
    }

    fn elsewhere(&mut self, document: &Document, i: usize) {
        let item = &document.items[i];
        let Some(seen) = document.elsewhere.get(&item.hashes.word) else { return };
        let flags = u64::from(seen.lower) | u64::from(seen.capital) << 1;
        self.put2(120, flags, item.shape as u64);
        self.put2(121, u64::from(seen.count.min(4)), item.shape as u64);
        if seen.first != i as u32 {
            self.put2(122, seen.first_key, item.shape as u64);
            self.put2(123, seen.first_before, item.shape as u64);
        }
    }
}

/// A token of the neighbourhood, or the border of the line.
enum Seen<'a> {
    Item(&'a Item),
    Before,
    After,
}

impl Seen<'_> {
    fn plain(&self) -> u64 {
        match self {
            Seen::Item(item) => item.plain,
            Seen::Before => 1 << 33,
            Seen::After => 1 << 34,
        }
    }

    fn shape(&self) -> u64 {
        match self {
            Seen::Item(item) => item.hashes.shape,
            Seen::Before => 11,
            Seen::After => 13,
        }
    }

    fn known(&self) -> u64 {
        match self {
            Seen::Item(item) => item.known,
            Seen::Before => 1 << 40,
            Seen::After => 1 << 41,
        }
    }
}

#[inline]
fn look<'d>(document: &'d Document, line: &Line, i: usize, d: isize) -> Seen<'d> {
    match i.checked_add_signed(d) {
        Some(j) if j >= line.line_start && j < line.line_end => Seen::Item(&document.items[j]),
        Some(j) if j >= line.line_end => Seen::After,
        _ => Seen::Before,
    }
}

/// Where in the line's stretches between commas, stops and brackets a token stands.
#[derive(Default)]
struct Segment {
    first: u64,
    before: u64,
    since: u64,
    first_done: bool,
    starts: bool,
    /// The last word with a capital that began a segment or followed a lower-case word.
    trigger: u64,
    /// The class of the last word before this one that has one, and how far back it stands.
    class: u64,
    class_since: u64,
}

impl Segment {
    fn step(&mut self, document: &Document, line: &Line, i: usize) {
        let item = &document.items[i];
        if i == line.tokens.start || self.starts {
            self.before = self.first;
            self.first = item.hashes.word;
            self.since = 0;
            self.first_done = i != line.tokens.start;
            self.starts = false;
        } else {
            self.since += 1;
        }
        self.class_since += 1;
        if i > line.tokens.start {
            let last = &document.items[i - 1];
            if last.class != 0 {
                self.class = last.class;
                self.class_since = 1;
            }
            let capital = matches!(last.kind, Kind::Word) && last.shape != taire_text::Shape::Lower;
            if capital && last.hashes.length > 1 && (self.since <= 1 || !self.first_done) {
                self.trigger = last.hashes.word;
            }
        }
        if item.kind == Kind::Mark {
            let next_glued = document.items.get(i + 1).is_some_and(|n| n.glued);
            self.starts = !next_glued || !item.glued;
        }
    }
}
