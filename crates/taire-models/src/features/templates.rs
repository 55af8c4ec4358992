//! The templates: which features a token has.

use taire_text::{Kind, Source};

use super::document::{Document, Item, Line};
use super::hash::{AFFIX, finish, mix};
use crate::crf::Sequence;

/// Whose mentions the features use: those of some other detectors. It is stored with the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Settings {
    sources: u32,
}

impl Settings {
    pub(crate) fn using(sources: impl IntoIterator<Item = Source>) -> Settings {
        Settings { sources: sources.into_iter().fold(0, |set, s| set | 1 << s.index()) }
    }

    pub(crate) fn from_bits(bits: u32) -> Settings {
        Settings { sources: bits }
    }

    pub(crate) fn bits(self) -> u32 {
        self.sources
    }

    pub(crate) fn uses(self, source: Source) -> bool {
        self.sources & (1 << source.index()) != 0
    }
}

/// From where a word is seen: by itself, then by the tokens after and before it.
const OFFSETS: [isize; crate::crf::VIEWS] = [0, -1, 1, -2, 2, -3, 3, -4, 4];

/// The feature that every token has.
pub(crate) fn constant() -> u64 {
    finish(mix(1, 0))
}

/// Features of a token that depend on more than one word, as they are made.
struct Rest<'o>(&'o mut Vec<u64>);

impl Rest<'_> {
    #[inline]
    fn put(&mut self, template: u64, value: u64) {
        self.0.push(finish(mix(template, value)));
    }

    #[inline]
    fn put2(&mut self, template: u64, a: u64, b: u64) {
        self.0.push(finish(mix(mix(template, a), b)));
    }

    #[inline]
    fn put3(&mut self, template: u64, a: u64, b: u64, c: u64) {
        self.0.push(finish(mix(mix(mix(template, a), b), c)));
    }

    fn said(&mut self, document: &Document, line: &Line, i: usize) {
        let from = document.said.partition_point(|&(t, _)| (t as usize) < i);
        for &(_, code) in document.said[from..].iter().take_while(|&&(t, _)| t as usize == i) {
            self.put(200, code);
            self.put2(201, code, document.items[i].plain);
            self.put2(202, code, document.items[i].hashes.shape);
            self.put2(203, code, line.zone.into());
        }
    }

    fn neighbours(&mut self, document: &Document, line: &Line, i: usize) {
        let around: [&Item; 5] = std::array::from_fn(|k| look(document, line, i, k as isize - 2));
        let w = around.map(|item| item.plain);
        self.put2(40, w[1], w[2]);
        self.put2(41, w[2], w[3]);
        self.put2(42, w[0], w[1]);
        self.put2(43, w[3], w[4]);
        self.put2(44, w[1], w[3]);
        self.put3(45, w[0], w[1], w[2]);
        self.put3(46, w[2], w[3], w[4]);
        self.put3(47, w[1], w[2], w[3]);
        let s = [around[1], around[2], around[3]].map(|item| item.hashes.shape);
        self.put2(50, s[0], s[1]);
        self.put2(51, s[1], s[2]);
        self.put3(52, s[0], s[1], s[2]);
        self.put2(55, w[1], s[1]);
        self.put2(56, w[3], s[1]);
        self.put2(57, w[0], s[1]);
        let k = [around[1], around[2], around[3]].map(|item| item.known);
        self.put2(62, k[0], k[1]);
        self.put2(63, k[1], k[2]);
    }

    fn place(&mut self, document: &Document, line: &Line, i: usize) {
        let line_key = document.items[line.line_start].hashes.word;
        let item = &document.items[i];
        let (word, shape) = (item.hashes.word, item.hashes.shape);
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
        let segment = &document.segments[i];
        self.put2(100, segment.first, shape);
        self.put2(102, segment.before, shape);
        self.put3(104, zone, segment.first, segment.before);
        self.put2(105, segment.trigger, shape);
        self.put3(108, segment.class, segment.class_since.min(4), shape);
        self.put2(109, segment.class, item.plain);
        self.put3(110, segment.class, item.known, item.chunk_place.into());
    }

    fn mention_features(&mut self, document: &Document, line: &Line, i: usize) {
        let code = |d: isize| look(document, line, i, d).mention_code;
        let (before, now, after) = (code(-1), code(0), code(1));
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

/// One piece with its features, as training and decoding read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineView<'a> {
    pub(crate) document: &'a Document,
    pub(crate) line: &'a Line,
}

impl LineView<'_> {
    fn item(&self, token: usize, view: usize) -> &Item {
        look(self.document, self.line, self.line.tokens.start + token, OFFSETS[view])
    }
}

impl Sequence for LineView<'_> {
    fn tokens(&self) -> usize {
        self.line.tokens.len()
    }

    fn cut(&self) -> [bool; 2] {
        self.line.cut
    }

    #[inline]
    fn word(&self, token: usize, view: usize) -> u64 {
        let item = self.item(token, view);
        mix(item.hashes.form, item.known)
    }

    fn word_features(&self, token: usize, view: usize, out: &mut Vec<u64>) {
        word_features(self.item(token, view), OFFSETS[view], out);
    }

    fn rest(&self, token: usize, out: &mut Vec<u64>) {
        let (document, line, i) = (self.document, self.line, self.line.tokens.start + token);
        let mut rest = Rest(out);
        rest.neighbours(document, line, i);
        rest.place(document, line, i);
        rest.elsewhere(document, i);
        rest.mention_features(document, line, i);
        rest.said(document, line, i);
    }
}

/// Features of a word alone, seen from a token `offset` away from it.
fn word_features(item: &Item, offset: isize, out: &mut Vec<u64>) {
    let mut put = |template: u64, value: u64| out.push(finish(mix(template, value)));
    let far = offset.unsigned_abs() as u64;
    if offset != 0 {
        put(if offset < 0 { 24 + far } else { 34 + far }, item.plain);
        if far <= 2 && item.cluster != 0 {
            put(if offset < 0 { 15 + far } else { 17 + far }, item.cluster.into());
        }
        if far == 1 {
            put(if offset < 0 { 60 } else { 61 }, item.known);
            if !item.is_border() {
                let side = u64::from(offset > 0);
                out.push(finish(mix(mix(70, side), item.hashes.suffixes[2])));
            }
        }
        return;
    }
    let h = &item.hashes;
    put(1, 0);
    put(2, h.word);
    put(3, h.form);
    put(4, h.shape);
    put(2, item.plain);
    if item.kind == Kind::Mark {
        return;
    }
    put(8, item.known & 15);
    put(10, item.known >> 4 & 3);
    put(11, item.known >> 6);
    if item.cluster != 0 {
        put(14, item.cluster.into());
    }
    let mut put2 = |template: u64, a: u64, b: u64| out.push(finish(mix(mix(template, a), b)));
    for n in 1..AFFIX {
        if h.prefixes[n] != 0 {
            put2(5, n as u64, h.prefixes[n]);
            put2(6, n as u64, h.suffixes[n]);
        }
    }
    put2(13, item.known, item.shape as u64);
    if item.cluster != 0 {
        put2(15, item.cluster.into(), item.shape as u64);
    }
}

/// The token `d` places away, or the item that marks the border of the line.
#[inline]
fn look<'d>(document: &'d Document, line: &Line, i: usize, d: isize) -> &'d Item {
    match i.checked_add_signed(d) {
        Some(j) if j >= line.line_start && j < line.line_end => &document.items[j],
        Some(j) if j >= line.line_end => &Item::AFTER,
        _ => &Item::BEFORE,
    }
}
