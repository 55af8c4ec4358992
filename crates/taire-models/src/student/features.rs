//! What the student sees of a token, as numbers of rows of one table.
//!
//! A word of the model's vocabulary has a row of its own; all others, names above all, share one. Affixes, shapes and
//! numbers are hashed into buckets. The rest has a row each: case, place on the line, lexicon facts, and the mentions of
//! the rules. Rows of rules come last for each token, so that they can be left out.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use taire_text::{Group, Kind, Label, Language, Mention, Note, Shape, Source, Token, Verdict};

use crate::features::{finish, mix, word_hashes};

/// The rules whose mentions the student reads.
pub(crate) const RULE_SOURCES_READ: [Source; 3] = [Source::Structure, Source::Pattern, Source::Lexicon];

/// The row of every word that the vocabulary does not hold.
pub(crate) const UNKNOWN_WORD: u32 = 0;

/// The words that have a row of their own, by a hash of their folded form.
#[derive(Clone, Default, Debug)]
pub(crate) struct WordRows {
    hashes: Vec<u32>,
    rows: FxHashMap<u32, u32>,
}

impl WordRows {
    /// The rows of these words, in order, behind that of unknown words.
    pub(crate) fn new(hashes: Vec<u32>) -> WordRows {
        let rows = hashes.iter().zip(UNKNOWN_WORD + 1..).map(|(&hash, row)| (hash, row)).collect();
        WordRows { hashes, rows }
    }

    pub(crate) fn hashes(&self) -> &[u32] {
        &self.hashes
    }

    /// Rows of words, that of unknown ones included.
    pub(crate) fn count(&self) -> u32 {
        self.hashes.len() as u32 + 1
    }

    fn row(&self, hash: u64) -> u32 {
        self.rows.get(&short_hash(hash)).copied().unwrap_or(UNKNOWN_WORD)
    }
}

fn short_hash(word: u64) -> u32 {
    finish(word) as u32
}

/// The hash of a token's folded form, as the vocabulary holds it; `None` for numbers and marks.
pub(crate) fn vocabulary_hash(token: &Token, text: &str, folded: &mut Vec<u32>) -> Option<u32> {
    (token.kind == Kind::Word).then(|| short_hash(word_hashes(token.of(text), folded).word))
}

/// What a network reads words with.
#[derive(Clone, Copy)]
pub(crate) struct Alphabet<'a> {
    pub(crate) buckets: Buckets,
    pub(crate) words: &'a WordRows,
}

/// Rows by kind; hashed ones by the number of their buckets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Buckets {
    /// Of the vocabulary, the row of unknown words included.
    pub(crate) words: u32,
    /// Of numbers and marks.
    pub(crate) marks: u32,
    /// Of the first words of lines.
    pub(crate) heads: u32,
    pub(crate) affixes: u32,
    pub(crate) shapes: u32,
    /// Of runs of three letters.
    pub(crate) trigrams: u32,
    /// Of what is written without a space: `12/03/19`, `AB-123-CD`.
    pub(crate) chunks: u32,
}

impl Buckets {
    fn mark(self) -> u32 {
        self.words
    }

    fn head(self) -> u32 {
        self.mark() + self.marks
    }

    fn prefix(self) -> u32 {
        self.head() + self.heads
    }

    fn suffix(self) -> u32 {
        self.prefix() + self.affixes
    }

    fn long_suffix(self) -> u32 {
        self.suffix() + self.affixes
    }

    fn shape(self) -> u32 {
        self.long_suffix() + self.affixes
    }

    fn trigram(self) -> u32 {
        self.shape() + self.shapes
    }

    fn chunk(self) -> u32 {
        self.trigram() + self.trigrams
    }

    fn fixed(self) -> u32 {
        self.chunk() + self.chunks
    }

    /// Whether a file may ask for so many.
    pub(crate) fn sane(self) -> bool {
        let Buckets { words, marks, heads, affixes, shapes, trigrams, chunks } = self;
        [words, marks, heads, affixes, shapes, trigrams, chunks].iter().all(|n| (1..=1 << 20).contains(n))
    }

    /// Rows of the table.
    pub(crate) fn rows(self) -> usize {
        (self.fixed() + FIXED) as usize
    }
}

const VERDICTS: u32 = Label::ALL.len() as u32 + 1;

// Rows with a meaning of their own, from `Buckets::fixed` on.
const LANGUAGE: u32 = 0;
const CASE: u32 = LANGUAGE + 2;
const KEYED: u32 = CASE + 4;
const FORM: u32 = KEYED + 4;
const GLUED: u32 = FORM + 24;
const COLUMN: u32 = GLUED + 2;
const LINE: u32 = COLUMN + 1;
const BLANK_LINE: u32 = LINE + 1;
const LINE_END: u32 = BLANK_LINE + 1;
const FROM_TOP: u32 = LINE_END + 1;
const FROM_BOTTOM: u32 = FROM_TOP + 6;
const DIGITS: u32 = FROM_BOTTOM + 6;
const GIVEN: u32 = DIGITS + 16;
const FAMILY: u32 = GIVEN + 8;
const WORD_CLASS: u32 = FAMILY + 8;
const FLAGS: u32 = WORD_CLASS + 4;
const KEYWORD: u32 = FLAGS + 11;
const REPEATED: u32 = KEYWORD + 256;
const RULES: u32 = REPEATED + 6;
const ELSEWHERE: u32 = RULES + RULE_SOURCES_READ.len() as u32 * VERDICTS * 2;
const PEOPLE: u32 = ELSEWHERE + VERDICTS;
const NUMBERS: u32 = PEOPLE + 4;
const FIXED: u32 = NUMBERS + 4;

/// The words of a note (its tokens without line ends) with the rows of each.
#[derive(Clone, Default, Debug)]
pub(crate) struct Rows {
    /// Token of each word.
    pub(crate) tokens: Vec<u32>,
    rows: Vec<u32>,
    /// For each word, where its own rows end and where those of the rules end.
    ends: Vec<[u32; 2]>,
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The rows of a word. The first is that of the word itself.
    pub(crate) fn rows_of_word(&self, word: usize, with_rules: bool) -> &[u32] {
        let from = word.checked_sub(1).map_or(0, |before| self.ends[before][1]);
        &self.rows[from as usize..self.ends[word][usize::from(with_rules)] as usize]
    }

    pub(crate) fn clear(&mut self) {
        self.tokens.clear();
        self.rows.clear();
        self.ends.clear();
    }
}

/// Reads notes into rows; holds buffers.
#[derive(Default, Debug)]
pub(crate) struct Reader {
    said: Vec<(u32, u32)>,
    known: FxHashMap<u64, u32>,
    seen: FxHashMap<u64, Seen>,
    folded: Vec<u32>,
    lines: Vec<u32>,
    /// For each token the hash of what it is glued to, and its place therein.
    chunks: Vec<u64>,
    /// How many people and how many numbers of people the rules found in the whole note.
    people: u32,
    numbers: u32,
}

/// How a word is written in the whole note.
#[derive(Clone, Copy, Default, Debug)]
struct Seen {
    lower: u32,
    capital: u32,
}

impl Reader {
    pub(crate) fn read(&mut self, note: &Note, mentions: &[Mention], alphabet: Alphabet<'_>, out: &mut Rows) {
        let buckets = alphabet.buckets;
        out.clear();
        self.read_rules(note, mentions);
        self.read_chunks(note);
        let case = self.read_words(note);
        let keyed = keyed_lines(note);
        let language = match note.language {
            Language::Fr => 0,
            Language::Es => 1,
        };
        let fixed = buckets.fixed();
        let text = note.norm();
        let mut next = 0;
        let mut line = 0usize;
        let mut breaks = 2;
        let mut end_before = 0;
        let mut head = 0;
        for (i, token) in note.tokens.iter().enumerate() {
            if token.kind == Kind::Newline {
                breaks += 1;
                continue;
            }
            if breaks > 0 && i > 0 {
                line += 1;
            }
            out.tokens.push(i as u32);
            self.spelling(token, token.of(text), alphabet, &mut out.rows);
            let chunk = finish(self.chunks[i]) % u64::from(buckets.chunks);
            out.rows.push(buckets.chunk() + chunk as u32);
            if breaks > 0 {
                head = token.hash;
            }
            out.rows.push(buckets.head() + (finish(head ^ LINE_HEAD) % u64::from(buckets.heads)) as u32);
            let mut put = |row: u32| out.rows.push(fixed + row);
            put(LANGUAGE + language);
            put(CASE + case);
            put(KEYED + keyed);
            put(FORM + token.kind as u32 * 6 + token.shape as u32);
            put(GLUED + u32::from(token.glued && breaks == 0));
            if breaks > 0 {
                put(LINE);
                put(FROM_TOP + near(line));
                put(FROM_BOTTOM + near(self.lines.len().saturating_sub(line + 1)));
            } else if token.start() - end_before > 1 {
                put(COLUMN);
            }
            if breaks > 1 {
                put(BLANK_LINE);
            }
            if note.tokens.get(i + 1).is_none_or(|t| t.kind == Kind::Newline) {
                put(LINE_END);
            }
            if token.kind == Kind::Word {
                let facts = token.facts;
                put(GIVEN + u32::from(facts.given_tier()));
                put(FAMILY + u32::from(facts.family_tier()));
                put(WORD_CLASS + u32::from(facts.word_class()));
                let flags = facts.bits() >> 15;
                (0..11).filter(|f| flags >> f & 1 == 1).for_each(|f| put(FLAGS + f));
                if facts.keyword() > 0 {
                    put(KEYWORD + u32::from(facts.keyword()));
                }
                if token.end() - token.start() > 2
                    && let Some(seen) = self.seen.get(&token.hash)
                {
                    let (here, other) = match token.is_capitalised() {
                        true => (seen.capital, seen.lower),
                        false => (seen.lower, seen.capital),
                    };
                    put(REPEATED + (here.saturating_sub(1).min(2) + 3 * u32::from(other > 0)));
                }
            }
            let own = out.rows.len() as u32;
            out.rows.push(fixed + PEOPLE + near(self.people as usize).min(3));
            out.rows.push(fixed + NUMBERS + near(self.numbers as usize).min(3));
            let from = next;
            while next < self.said.len() && self.said[next].0 <= i as u32 {
                out.rows.push(fixed + self.said[next].1);
                next += 1;
            }
            if from == next
                && token.kind == Kind::Word
                && let Some(&row) = self.known.get(&token.hash)
            {
                out.rows.push(fixed + row);
            }
            out.ends.push([own, out.rows.len() as u32]);
            breaks = 0;
            end_before = token.end();
        }
    }

    /// Rows of the word itself, its prefix, suffixes and shape.
    fn spelling(&mut self, token: &Token, text: &str, alphabet: Alphabet<'_>, out: &mut Vec<u32>) {
        let Alphabet { buckets, words } = alphabet;
        let hashes = word_hashes(text, &mut self.folded);
        let bucket = |hash: u64, salt: u64, size: u32| (finish(hash ^ salt) % u64::from(size)) as u32;
        match token.kind {
            Kind::Word => {
                out.push(words.row(hashes.word));
                let affix = |hashes: &[u64; 5], size: usize| hashes[size.min(hashes.len()) - 1];
                let length = usize::from(hashes.length);
                let (three, four) = (length.clamp(1, 3), length.clamp(1, 4));
                out.push(buckets.prefix() + bucket(affix(&hashes.prefixes, three), 2, buckets.affixes));
                out.push(buckets.suffix() + bucket(affix(&hashes.suffixes, three), 3, buckets.affixes));
                out.push(buckets.long_suffix() + bucket(affix(&hashes.suffixes, four), 4, buckets.affixes));
                out.push(buckets.shape() + bucket(hashes.shape, 5, buckets.shapes));
                for three in self.folded.windows(3).take(TRIGRAMS) {
                    let hash = three.iter().fold(9, |h, &c| mix(h, u64::from(c)));
                    out.push(buckets.trigram() + bucket(hash, 9, buckets.trigrams));
                }
            }
            Kind::Number => {
                let year = text.len() == 4 && (text.starts_with("19") || text.starts_with("20"));
                let word = match text.len() {
                    1 | 2 => hashes.word,
                    4 if year => 11,
                    n => 100 + n as u64,
                };
                out.push(buckets.mark() + bucket(word, 6, buckets.marks));
                if text.len() > 2 {
                    out.push(buckets.prefix() + bucket(hashes.prefixes[1], 7, buckets.affixes));
                }
                out.push(buckets.fixed() + DIGITS + text.len().min(15) as u32);
            }
            _ => out.push(buckets.mark() + bucket(hashes.form, 8, buckets.marks)),
        }
    }

    /// Finds what is written without a space.
    fn read_chunks(&mut self, note: &Note) {
        self.chunks.clear();
        self.chunks.resize(note.tokens.len(), 0);
        let text = note.norm();
        let tokens = &note.tokens;
        let mut from = 0;
        while from < tokens.len() {
            let mut to = from + 1;
            while to < tokens.len() && tokens[to].glued && tokens[to].kind != Kind::Newline {
                to += 1;
            }
            let chunk = tokens[from..to].iter().take(CHUNK);
            let hash =
                chunk.fold(to.saturating_sub(from + CHUNK).min(2) as u64, |h, t| mix(h, form(t, text)));
            for (i, out) in self.chunks[from..to].iter_mut().enumerate() {
                *out = mix(hash, i.min(CHUNK) as u64);
            }
            from = to;
        }
    }

    fn read_rules(&mut self, note: &Note, mentions: &[Mention]) {
        self.said.clear();
        self.known.clear();
        (self.people, self.numbers) = (0, 0);
        for mention in mentions {
            let Some(source) = RULE_SOURCES_READ.iter().position(|&s| s == mention.source) else { continue };
            let verdict = match mention.verdict {
                Verdict::Phi(label) => label.index() as u32 + 1,
                Verdict::Clear => 0,
            };
            if let Verdict::Phi(label) = mention.verdict
                && mention.source != Source::Lexicon
            {
                let named = matches!(label, Label::GivenName | Label::FamilyName);
                self.people += u32::from(named);
                self.numbers += u32::from(matches!(label.group(), Group::Contact | Group::Identifier));
            }
            let span = note.to_norm(mention.span);
            let from = note.tokens.partition_point(|t| t.end() <= span.start());
            let to = note.tokens.partition_point(|t| t.start() < span.end());
            for token in from..to {
                let row = RULES + (source as u32 * VERDICTS + verdict) * 2 + u32::from(token > from);
                let word = &note.tokens[token];
                if word.kind == Kind::Newline {
                    continue;
                }
                self.said.push((token as u32, row));
                if word.kind == Kind::Word && word.end() - word.start() > 3 && verdict > 0 {
                    self.known.entry(word.hash).or_insert(ELSEWHERE + verdict);
                }
            }
        }
        self.said.sort_unstable();
        self.said.dedup();
    }

    /// Counts how words are written; returns the case of the whole note.
    fn read_words(&mut self, note: &Note) -> u32 {
        self.seen.clear();
        self.lines.clear();
        let mut counts = [0u32; 2];
        let mut breaks = true;
        for token in &note.tokens {
            if token.kind == Kind::Newline {
                breaks = true;
                continue;
            }
            if breaks {
                self.lines.push(token.start() as u32);
            }
            breaks = false;
            if token.kind != Kind::Word || token.end() - token.start() < 3 {
                continue;
            }
            let seen = self.seen.entry(token.hash).or_default();
            match token.shape {
                Shape::Lower => seen.lower += 1,
                _ => seen.capital += 1,
            }
            match token.shape {
                Shape::Upper => counts[0] += 1,
                Shape::Title | Shape::Mixed => counts[1] += 1,
                _ => {}
            }
        }
        let words: u32 = self.seen.values().map(|s| s.lower + s.capital).sum();
        match () {
            _ if words < 4 => 0,
            _ if (counts[0] + counts[1]) * 50 < words => 1,
            _ if counts[0] * 5 > words * 3 => 2,
            _ => 3,
        }
    }
}

/// Distinct tokens of a chunk, and runs of three letters of a word.
const CHUNK: usize = 8;
/// Sets the first word of a line apart from the word itself.
const LINE_HEAD: u64 = 0x6c69_6e65;
const TRIGRAMS: usize = 12;

/// What a token looks like inside a chunk: numbers by whether they may be a month, a day, a minute or a year.
fn form(token: &Token, text: &str) -> u64 {
    let word = token.of(text);
    match token.kind {
        Kind::Word => 1 + token.shape as u64 + 8 * word.len().min(4) as u64,
        Kind::Number => match (word.len(), word.parse::<u32>().unwrap_or(u32::MAX)) {
            (1 | 2, 0) => 100,
            (1 | 2, 1..=12) => 101,
            (1 | 2, 13..=31) => 102,
            (1 | 2, 32..=59) => 103,
            (1 | 2, _) => 104,
            (4, 1900..=2039) => 105,
            (length, _) => 110 + length.min(16) as u64,
        },
        _ => 1000 + word.chars().next().map_or(0, u64::from),
    }
}

/// How many of the first lines are `key: value`, in four steps: forms and letters are not written alike.
fn keyed_lines(note: &Note) -> u32 {
    let text = note.norm().as_bytes();
    let (mut lines, mut keyed, mut place) = (0, 0, 0);
    for token in &note.tokens {
        if token.kind == Kind::Newline {
            lines += u32::from(place > 0);
            place = 0;
            if lines == 16 {
                break;
            }
            continue;
        }
        place += 1;
        keyed += u32::from((2..=5).contains(&place) && text[token.start()] == b':');
    }
    match keyed {
        0 => 0,
        1..=3 => 1,
        4..=7 => 2,
        _ => 3,
    }
}

fn near(lines: usize) -> u32 {
    match lines {
        0 => 0,
        1..=2 => 1,
        3..=5 => 2,
        6..=11 => 3,
        12..=24 => 4,
        _ => 5,
    }
}
