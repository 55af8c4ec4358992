//! What belongs to a whole note: its words' hashes, its lines, what each word was elsewhere in it, and the stretches
//! that are worth reading.
//!
//! Most of a note is ordinary words in lower case, far from any name, number or capital. Such words are ordinary: the
//! model learns from what is not, with a wide margin on either side, and reads later what is not and what lies
//! between ([`Reach`]).

use std::ops::Range;

use rustc_hash::FxHashMap;
use taire_text::{Facts, Kind, Mention, Note, Shape, Token, Verdict};

use super::hash::{AFFIX, WordHashes, mix, word_hashes};
use super::segment::Segment;
use super::templates::Settings;
use super::vocabulary::{Vocabulary, WordEntry};
use super::word_class::word_class;

/// A line beyond this many tokens is cut at the next sentence mark, and anywhere at twice as many.
const LONG_LINE: usize = 256;
/// Quiet tokens on either side of one that is not, where all of a line matters.
const MARGIN: usize = 3;
/// Quiet tokens, small words apart, over which two that are not are still read together.
const GAP: usize = 3;
/// A line up to this many tokens is a header's, an address, a signature: its ordinary words matter.
const SHORT_LINE: usize = 16;

/// Letters of a small word.
const SMALL: u8 = 3;

/// How much of a note is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// For learning: whatever is not ordinary, with its margins.
    Wide,
    /// For finding. Inside long lines, what is not ordinary and what lies between; small words (`de`, `la`, `une`), which
    /// occur in names of places and everywhere else, call for nothing by themselves. What is left out there counts as
    /// outside.
    Near,
}

/// One token as the templates see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) hashes: WordHashes,
    pub(crate) kind: Kind,
    pub(crate) shape: Shape,
    pub(crate) glued: bool,
    /// What the lexicons know, in coarse classes.
    pub(crate) known: u64,
    /// Class of the word, 0 for none.
    pub(crate) class: u64,
    /// Cluster of the word in unlabelled text, 0 for none.
    pub(crate) cluster: u16,
    /// An ordinary word or a mark, of which no other detector said anything.
    pub(crate) ordinary: bool,
    /// A short word that carries grammar, of which no other detector said anything.
    pub(crate) small: bool,
    /// The word as contexts see it: its class if it has one, a number by its length.
    pub(crate) plain: u64,
    /// Everything other detectors said of it, 0 for nothing.
    pub(crate) mention_code: u64,
    /// The run of glued tokens this one is in: its shape, and the place in it.
    pub(crate) chunk: u64,
    /// The same with all numbers alike.
    pub(crate) chunk_plain: u64,
    pub(crate) chunk_place: u8,
    pub(crate) chunk_left: u8,
}

impl Item {
    pub(crate) const BEFORE: Item = Item::border(11, 33, 40);
    pub(crate) const AFTER: Item = Item::border(13, 34, 41);

    /// Not a token, but the border before or after a line.
    pub(crate) fn is_border(&self) -> bool {
        self.kind == Kind::Newline
    }

    const fn border(code: u64, word: u32, known: u32) -> Item {
        let hashes = WordHashes {
            word: 1 << word,
            form: code,
            shape: code,
            prefixes: [0; AFFIX],
            suffixes: [0; AFFIX],
            length: 0,
        };
        Item {
            hashes,
            kind: Kind::Newline,
            shape: Shape::None,
            glued: false,
            known: 1 << known,
            class: 0,
            cluster: 0,
            ordinary: true,
            small: false,
            plain: 1 << word,
            mention_code: 0,
            chunk: 0,
            chunk_plain: 0,
            chunk_place: 0,
            chunk_left: 0,
        }
    }
}

/// A line, or a piece of one.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) tokens: Range<usize>,
    /// First token of the line that this piece belongs to.
    pub(crate) line_start: usize,
    pub(crate) line_end: usize,
    pub(crate) from_top: u8,
    pub(crate) from_bottom: u8,
    /// Header, body or footer, by the long lines before and after.
    pub(crate) zone: u8,
    pub(crate) previous_key: u64,
    pub(crate) next_word: u64,
    /// Whether the text before it, and after it, was left out because it is outside.
    pub(crate) cut: [bool; 2],
}

/// What a word was in the whole note.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Elsewhere {
    pub(crate) count: u32,
    pub(crate) lower: bool,
    /// With a capital where no sentence starts.
    pub(crate) capital: bool,
    pub(crate) first: u32,
    /// The key before the colon on the line of its first use.
    pub(crate) first_key: u64,
    /// The word just before it there.
    pub(crate) first_before: u64,
}

/// Buffers of one note, reused for the next.
#[derive(Default, Debug)]
pub(crate) struct Document {
    pub(crate) items: Vec<Item>,
    lines: Vec<Line>,
    /// The sequences for the CRF, in order.
    pub(crate) pieces: Vec<Line>,
    pub(crate) keys: Vec<Key>,
    pub(crate) segments: Vec<Segment>,
    pub(crate) elsewhere: FxHashMap<u64, Elsewhere>,
    /// What other detectors said: token and code, sorted.
    pub(crate) said: Vec<(u32, u64)>,
    folded: Vec<u32>,
}

/// The words before the last colon on the line, as a token after it sees them.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Key {
    pub(crate) word: u64,
    pub(crate) phrase: u64,
    /// Tokens since the colon, 0 when there is none.
    pub(crate) since: u32,
}

impl Document {
    pub(crate) fn read(
        &mut self,
        note: &Note,
        mentions: &[Mention],
        settings: Settings,
        vocabulary: &Vocabulary,
        reach: Reach,
    ) {
        let text = note.norm();
        self.items.clear();
        let mut starts = true;
        for token in &note.tokens {
            self.items.push(item(token, token.of(text), vocabulary, starts, &mut self.folded));
            starts = matches!(token.kind, Kind::Mark | Kind::Newline);
        }
        self.mark_chunks();
        self.cut_lines(note);
        self.find_keys(note);
        self.find_segments();
        self.count_words();
        self.add_mentions(note, mentions, settings);
        self.find_pieces(reach);
    }

    /// Keeps of each line what is worth reading.
    fn find_pieces(&mut self, reach: Reach) {
        let Document { items, lines, pieces, .. } = self;
        pieces.clear();
        for line in lines.iter() {
            if reach == Reach::Wide || line.line_end - line.line_start <= SHORT_LINE {
                with_margins(items, line, pieces);
            } else {
                without_margins(items, line, pieces);
            }
        }
    }

    /// Whether a sequence begins at this token.
    pub(crate) fn is_line_start(&self, token: usize) -> bool {
        self.pieces.binary_search_by_key(&token, |piece| piece.tokens.start).is_ok()
    }

    fn mark_chunks(&mut self) {
        let mut start = 0;
        while start < self.items.len() {
            let mut end = start + 1;
            while end < self.items.len() && self.items[end].glued && self.items[end].kind != Kind::Newline {
                end += 1;
            }
            let (mut shape, mut plain) = (0, 0);
            let mut last = 0;
            for item in &self.items[start..end] {
                let class = match item.kind {
                    Kind::Word => 1 + item.shape as u64,
                    Kind::Number => 16 + u64::from(item.hashes.length),
                    _ => item.hashes.form,
                };
                if class != last {
                    shape = mix(shape, class);
                    let coarse = match item.kind {
                        Kind::Number => 16,
                        _ if item.class != 0 => 64 + item.class,
                        _ => class,
                    };
                    plain = mix(plain, coarse);
                }
                last = class;
            }
            for (i, item) in self.items[start..end].iter_mut().enumerate() {
                item.chunk = shape;
                item.chunk_plain = plain;
                item.chunk_place = i.min(6) as u8;
                item.chunk_left = (end - start - 1 - i).min(6) as u8;
            }
            start = end;
        }
    }

    fn cut_lines(&mut self, note: &Note) {
        self.lines.clear();
        let items = &self.items;
        let text = note.norm();
        let mut whole: Vec<Range<usize>> = Vec::new();
        let mut start = 0;
        for (i, item) in items.iter().enumerate() {
            if item.kind == Kind::Newline {
                if i > start {
                    whole.push(start..i);
                }
                start = i + 1;
            }
        }
        if items.len() > start {
            whole.push(start..items.len());
        }
        let is_long = |r: &Range<usize>| r.len() > 60;
        let first_long = whole.iter().position(is_long).unwrap_or(whole.len());
        let last_long = whole.iter().rposition(is_long).unwrap_or(0);
        let mut previous_key = 0;
        for (n, line) in whole.iter().enumerate() {
            let zone = match () {
                _ if n < first_long => 0,
                _ if n > last_long => 2,
                _ => 1,
            };
            let next_word = whole.get(n + 1).map_or(1, |next| items[next.start].hashes.word);
            let mut from = line.start;
            for i in line.clone() {
                let sentence = text[note.tokens[i].start()..].starts_with('.')
                    && items.get(i + 1).is_none_or(|next| !next.glued);
                let length = i + 1 - from;
                if i + 1 == line.end || length >= LONG_LINE && sentence || length >= 2 * LONG_LINE {
                    self.lines.push(Line {
                        tokens: from..i + 1,
                        line_start: line.start,
                        line_end: line.end,
                        from_top: n.min(24) as u8,
                        from_bottom: (whole.len() - 1 - n).min(6) as u8,
                        zone,
                        previous_key,
                        next_word,
                        cut: [false; 2],
                    });
                    from = i + 1;
                }
            }
            previous_key = items[line.start].hashes.word;
        }
    }

    fn find_keys(&mut self, note: &Note) {
        self.keys.clear();
        self.keys.resize(self.items.len(), Key::default());
        let text = note.norm().as_bytes();
        for line in &self.lines {
            let mut key = Key::default();
            let mut from = line.tokens.start;
            if line.tokens.start != line.line_start {
                key = self.keys[line.tokens.start - 1];
            }
            for i in line.tokens.clone() {
                if key.since > 0 {
                    key.since += 1;
                }
                self.keys[i] = key;
                let colon = text.get(note.tokens[i].start()) == Some(&b':');
                if colon && i > from && self.items[i - 1].kind != Kind::Number {
                    let word = (from..i).rev().find(|&j| self.items[j].kind == Kind::Word);
                    let Some(word) = word else { continue };
                    let phrase = self.items[(word + 1).saturating_sub(3).max(from)..=word]
                        .iter()
                        .fold(0, |h, item| mix(h, item.hashes.word));
                    key = Key { word: self.items[word].hashes.word, phrase, since: 1 };
                    from = i + 1;
                }
            }
        }
    }

    fn find_segments(&mut self) {
        self.segments.clear();
        self.segments.resize(self.items.len(), Segment::default());
        let mut segment = Segment::default();
        for line in &self.lines {
            if line.tokens.start == line.line_start {
                segment = Segment::default();
            }
            for i in line.tokens.clone() {
                segment.step(&self.items, line, i);
                self.segments[i] = segment;
            }
        }
    }

    fn count_words(&mut self) {
        self.elsewhere.clear();
        for line in &self.lines {
            for i in line.tokens.clone() {
                let item = &self.items[i];
                if item.kind == Kind::Mark || item.hashes.length < 3 {
                    continue;
                }
                let entry = self.elsewhere.entry(item.hashes.word).or_insert_with(|| Elsewhere {
                    first: i as u32,
                    first_key: self.keys[i].word,
                    first_before: if i > line.line_start { self.items[i - 1].hashes.word } else { 0 },
                    ..Elsewhere::default()
                });
                entry.count += 1;
                let starts = i == line.line_start || self.items[i - 1].kind == Kind::Mark;
                match item.shape {
                    Shape::Lower => entry.lower = true,
                    Shape::Title | Shape::Upper | Shape::Mixed if !starts => entry.capital = true,
                    _ => {}
                }
            }
        }
    }

    fn add_mentions(&mut self, note: &Note, mentions: &[Mention], settings: Settings) {
        self.said.clear();
        for mention in mentions.iter().filter(|m| settings.uses(m.source)) {
            let span = note.to_norm(mention.span);
            let what = match mention.verdict {
                Verdict::Phi(label) => label.index() as u64 + 1,
                Verdict::Clear => 0,
            };
            let code = (mention.source.index() as u64 * 64 + what) * 4 + mention.role.index() as u64;
            let from = note.tokens.partition_point(|t| t.end() <= span.start());
            let to = note.tokens.partition_point(|t| t.start() < span.end());
            self.said.extend((from..to).map(|i| (i as u32, code * 2 + u64::from(i == from))));
        }
        self.said.sort_unstable();
        self.said.dedup();
        for &(token, code) in &self.said {
            let item = &mut self.items[token as usize];
            item.mention_code = mix(item.mention_code, code + 1);
            item.ordinary = false;
            item.small = false;
        }
    }
}

fn with_margins(items: &[Item], line: &Line, pieces: &mut Vec<Line>) {
    let mut open: Option<Range<usize>> = None;
    for i in line.tokens.clone().filter(|&i| !items[i].ordinary) {
        let from = i.saturating_sub(MARGIN).max(line.tokens.start);
        let to = (i + MARGIN + 1).min(line.tokens.end);
        match &mut open {
            Some(piece) if from <= piece.end => piece.end = to,
            _ => {
                let done = open.replace(from..to);
                pieces.extend(done.map(|tokens| Line { tokens, ..line.clone() }));
            }
        }
    }
    pieces.extend(open.map(|tokens| Line { tokens, ..line.clone() }));
}

fn without_margins(items: &[Item], line: &Line, pieces: &mut Vec<Line>) {
    let piece = |tokens: Range<usize>| {
        let cut = [tokens.start > line.line_start, tokens.end < line.line_end];
        Line { tokens, cut, ..line.clone() }
    };
    let mut open: Option<Range<usize>> = None;
    // Small words just before, and ordinary ones since the last that was not.
    let (mut small, mut ordinary) = (0, 0);
    for i in line.tokens.clone() {
        let item = &items[i];
        if item.small {
            small += 1;
            continue;
        }
        if item.ordinary {
            (small, ordinary) = (0, ordinary + 1);
            continue;
        }
        match &mut open {
            Some(tokens) if ordinary <= GAP => tokens.end = i + 1,
            _ => pieces.extend(open.replace(i - small..i + 1).map(piece)),
        }
        (small, ordinary) = (0, 0);
    }
    pieces.extend(open.map(piece));
}

fn item(token: &Token, text: &str, vocabulary: &Vocabulary, starts: bool, folded: &mut Vec<u32>) -> Item {
    let mut hashes = word_hashes(text, folded);
    let class = if token.kind == Kind::Word { word_class(hashes.word) } else { 0 };
    let mut plain = if class == 0 { hashes.word } else { class };
    if token.kind == Kind::Number {
        hashes.word = number_word(text);
        plain = mix(3, text.len().min(12) as u64);
    }
    let entry =
        if token.kind == Kind::Word { vocabulary.entry_of(hashes.word) } else { WordEntry::default() };
    Item {
        hashes,
        cluster: entry.cluster,
        ordinary: class == 0 && is_ordinary(token, entry, starts),
        small: token.facts.word_class() == 3
            && hashes.length <= SMALL
            && (token.shape == Shape::Lower || starts && token.shape == Shape::Title),
        kind: token.kind,
        shape: token.shape,
        glued: token.glued,
        known: coarse(token.facts),
        class,
        plain,
        mention_code: 0,
        chunk: 0,
        chunk_plain: 0,
        chunk_place: 0,
        chunk_left: 0,
    }
}

/// A mark, an ordinary word in lower case, or one whose capital only says that a sentence begins.
fn is_ordinary(token: &Token, entry: WordEntry, starts: bool) -> bool {
    let facts = token.facts;
    let place = facts.is_town() || facts.starts_town() || facts.is_region() || facts.is_country();
    let word = facts.word_class();
    match (token.kind, token.shape) {
        (Kind::Mark | Kind::Newline, _) => true,
        (Kind::Word, Shape::Lower) => {
            let common = word >= 2 || (word == 1 || facts.is_medical() || facts.is_drug()) && !place;
            let tells = facts.is_profession() || facts.is_demonym() || facts.is_way();
            (entry.listed || common && !tells) && !entry.loud
        }
        (Kind::Word, Shape::Title) if starts => {
            (word == 3 || word > 0 && !facts.is_name() && !place) && !entry.loud
        }
        _ => false,
    }
}

/// Small numbers stay themselves, years are years, the rest is its length.
fn number_word(text: &str) -> u64 {
    let year = text.len() == 4 && (text.starts_with("19") || text.starts_with("20"));
    match text.len() {
        1 | 2 => text.bytes().fold(1, |h, b| mix(h, u64::from(b))),
        _ if year => 2,
        n => mix(3, n.min(32) as u64),
    }
}

/// Lexicon facts with tiers in four steps, without the share of women and without keyword classes, whose numbers
/// belong to the detectors and may change under a model.
fn coarse(facts: Facts) -> u64 {
    let step = |tier: u8| match tier {
        0 => 0u64,
        1..=3 => 1,
        4..=5 => 2,
        _ => 3,
    };
    let flags = facts.bits() >> 15 & 0x3ff;
    step(facts.given_tier())
        | step(facts.family_tier()) << 2
        | u64::from(facts.word_class()) << 4
        | flags << 6
}
