//! `Key: value` lines of headers, letterheads, signature blocks and footers (Córdoba §4.3.1, §4.3.3).
//!
//! A first pass finds keys, titles, ways and postal codes; a second reads the value after each by what the key
//! announces. A key counts with a colon, or at the start of a line or column; a value must have its kind's shape,
//! so that "le patient présente" or "Nombre de" announce nobody.

mod address;
mod dictated;
mod keys;
mod keys_es;
mod keys_fr;
mod people;
mod person;
mod reasons;
mod rows;
mod signed;
mod values;

use std::cell::Cell;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use taire_text::{Kind, Label, Language, Mention, Note, Role, Shape, Source};

use self::keys::{Key, Keys, Place, Value};
use self::people::{Announced, Proof};
use self::person::{Hint, Person};
use crate::MAX_TOKENS;
use crate::folded::{Filter, WordSet, title_hashes, token_hash, word_hash};
use crate::{Detector, Error};

static KEYS: LazyLock<Keys> = LazyLock::new(Keys::new);

/// Keys of a header whose value is no identifier begin with one of these; the other such keys open sections of the body.
static ADMINISTRATIVE: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "servicio unidad especialidad seccion departamento area cama habitacion planta sala datos hora estado pagina tipo regimen",
        "service unite uf uh ua pole departement specialite chambre lit secteur etage batiment discipline heure etat page",
    ])
});

/// Whether a text before a colon is a key of a header: its value identifies, or tells where the patient is treated.
pub(crate) fn is_header_key(text: &str) -> bool {
    let text = text.trim_start_matches(['\u{feff}', '-', '•', '*', ' ']).trim_end();
    let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    KEYS.whole(text).is_some_and(|k| k.value != Value::Nothing || ADMINISTRATIVE.has(word_hash(first)))
}

/// How the value of a header key is read when all of it counts.
pub(crate) enum HeaderValue {
    Whole(Label, Role),
    /// A person, whose names are told apart by others.
    Person(Role),
    Other,
}

pub(crate) fn header_value(key: &str) -> HeaderValue {
    let Some(key) = KEYS.whole(key.trim_matches(['\u{feff}', '-', '•', '*', ' '])) else {
        return HeaderValue::Other;
    };
    let label = match key.value {
        Value::Family => Label::FamilyName,
        Value::Given => Label::GivenName,
        Value::People => return HeaderValue::Person(key.role),
        Value::Date => Label::Date,
        Value::BirthDate => Label::BirthDate,
        Value::Id(label) => label,
        Value::Address => Label::Street,
        Value::PostalCode => Label::PostalCode,
        Value::City => Label::City,
        Value::Region => Label::Region,
        Value::Country => Label::Country,
        _ => return HeaderValue::Other,
    };
    HeaderValue::Whole(label, key.role)
}

/// Whether a folded word is one for a street.
pub(crate) fn is_way_word(hash: u64) -> bool {
    OPENERS.of(hash) & WAY != 0
}

/// Words that may open something.
static OPENERS: LazyLock<Openers> = LazyLock::new(|| {
    let opens = |bit: u8| move |hash: u64| (hash, bit);
    let keys = KEYS.first_words().map(|(hash, alone)| {
        let free = alone.iter().flatten().any(|key| key.place == Place::Free);
        let bits = KEY | if free { FREE } else { 0 };
        (hash, bits | if alone.iter().any(Option::is_some) { ALONE } else { 0 })
    });
    let titles = title_hashes().map(opens(TITLE));
    Openers::new(keys.chain(titles).chain(address::way_hashes().map(opens(WAY))))
});

/// What a word opens.
const KEY: u8 = 1;
const TITLE: u8 = 2;
const WAY: u8 = 4;
/// A key of this word alone.
const ALONE: u8 = 8;
/// And it counts anywhere.
const FREE: u8 = 16;

struct Openers {
    filter: Filter,
    table: FxHashMap<u64, u8>,
}

impl Openers {
    fn new(words: impl Iterator<Item = (u64, u8)>) -> Openers {
        let mut table: FxHashMap<u64, u8> = FxHashMap::default();
        words.for_each(|(hash, bit)| *table.entry(hash).or_default() |= bit);
        Openers { filter: Filter::new(table.keys().copied()), table }
    }

    #[inline]
    fn of(&self, hash: u64) -> u8 {
        if self.filter.may_have(hash) { self.table.get(&hash).copied().unwrap_or(0) } else { 0 }
    }
}

static ARTICLES: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&["du de des la"]));

static FACILITIES: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "hopital hopitaux hospital clinique clinica chu ch chru ghu centre centro universidad universite institut instituto fondation fundacion complejo policlinica residence residencia ehpad colegio lycee ecole college rond",
        "service servicio unidad unite departamento departement",
    ])
});

/// Reads headers, signatures and postal addresses.
#[derive(Debug, Default, Clone, Copy)]
pub struct Structure;

impl Detector for Structure {
    fn source(&self) -> Source {
        Source::Structure
    }

    fn detect(&self, notes: &[Note], out: &mut [Vec<Mention>]) -> Result<(), Error> {
        for (note, out) in notes.iter().zip(out) {
            let mut reader = Reader::new(note, out);
            reader.find_marks();
            reader.read_all();
            rows::row_initials(note, out);
            rows::row_codes(note, out);
            signed::signed(note, out);
            dictated::dictated(note, out);
        }
        Ok(())
    }
}

/// Something at a token that starts a value or an address.
#[derive(Clone, Copy)]
struct Spot {
    first: usize,
    /// The last token of the key and of its colon.
    last: usize,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Key { key: Key, colon: bool, starts: bool },
    Title,
    Way,
    PostalCode,
}

/// One note being read.
struct Reader<'a> {
    note: &'a Note,
    out: &'a mut Vec<Mention>,
    spots: Vec<Spot>,
    annotated: bool,
    /// The value being read is written in lower case from one end to the other.
    lower_value: bool,
    /// What is being read, for the reason a person is shown.
    reading: What,
    /// Dates of the note with a year, as first and last token; read when a key first needs them.
    dates: Option<Vec<(usize, usize, bool)>>,
    /// The line whose end was asked for last: from where on, and its end.
    line: Cell<(usize, usize)>,
}

impl<'a> Reader<'a> {
    fn new(note: &'a Note, out: &'a mut Vec<Mention>) -> Self {
        let annotated = note.tokens.iter().any(|t| t.facts.is_name());
        Reader {
            note,
            out,
            spots: Vec::new(),
            annotated,
            lower_value: false,
            reading: What::Title,
            dates: None,
            line: Cell::new((1, 0)),
        }
    }

    fn text(&self, at: usize) -> &'a str {
        self.note.tokens[at].of(self.note.norm())
    }

    fn kind(&self, at: usize) -> Kind {
        self.note.tokens[at].kind
    }

    fn kind_is(&self, at: usize, kind: Kind) -> bool {
        self.note.tokens.get(at).is_some_and(|t| t.kind == kind)
    }

    fn is_mark(&self, at: usize, mark: &str) -> bool {
        self.note.tokens.get(at).is_some_and(|t| t.kind == Kind::Mark && t.of(self.note.norm()) == mark)
    }

    fn hash(&self, at: usize) -> u64 {
        self.note.tokens.get(at).map_or(0, |t| token_hash(t, self.note.norm()))
    }

    /// A wide blank or a tab stands before this token.
    fn is_column(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        let Some(token) = self.note.tokens.get(at) else { return true };
        let gap = &self.note.norm()[self.note.tokens[before].end()..token.start()];
        gap.len() >= 3 || gap.contains('\t')
    }

    /// First on its line, after a bullet, or after a wide blank or a column mark.
    fn starts_line(&self, mut at: usize) -> bool {
        // More bullets than this are a ruler.
        for _ in 0..MAX_TOKENS {
            let Some(before) = at.checked_sub(1) else { return true };
            match self.kind(before) {
                Kind::Newline => return true,
                Kind::Mark if matches!(self.text(before), "|" | ";") => return true,
                Kind::Mark if matches!(self.text(before), "-" | "•" | "*" | "▪" | ">" | "·" | "\u{feff}") =>
                {
                    at = before;
                }
                _ => return self.is_column(at),
            }
        }
        true
    }

    fn line_end(&self, at: usize) -> usize {
        let tokens = &self.note.tokens;
        let (from, mut end) = self.line.get();
        if !(from..=end).contains(&at) {
            let rest = tokens[at.min(tokens.len())..].iter();
            end = rest.clone().position(|t| t.kind == Kind::Newline).map_or(tokens.len(), |n| at + n);
            self.line.set((at, end));
        }
        end.min(at + 400)
    }

    fn is_facility(&self, at: usize) -> bool {
        FACILITIES.has(self.hash(at))
    }

    /// A key that counts starts here.
    fn is_key(&self, at: usize) -> bool {
        let i = self.spots.partition_point(|s| s.first < at);
        self.spots.get(i).is_some_and(|s| s.first == at && matches!(s.what, What::Key { .. }))
    }

    fn find_marks(&mut self) {
        let tokens = &self.note.tokens;
        let openers = &*OPENERS;
        let mut i = 0;
        while i < tokens.len() && !self.note.is_cancelled() {
            match tokens[i].kind {
                Kind::Word => {
                    let hash = token_hash(&tokens[i], self.note.norm());
                    let opens = openers.of(hash);
                    // "RUE DU PORT 63000": no key follows an article.
                    let after_article = || i > 0 && ARTICLES.has(self.hash(i - 1));
                    if opens & KEY != 0
                        && self.may_be_key(i, hash, opens)
                        && let Some(spot) = self.key_spot(i, hash)
                        && (spot.last > spot.first || !after_article())
                    {
                        i = spot.last + 1;
                        self.spots.push(spot);
                        continue;
                    }
                    if opens & TITLE != 0 {
                        if !self.is_title(i, hash) {
                            i += 1;
                            continue;
                        }
                        self.spots.push(Spot { first: i, last: i, what: What::Title });
                    } else if opens & WAY != 0 || tokens[i].facts.is_way() {
                        self.spots.push(Spot { first: i, last: i, what: What::Way });
                    }
                }
                Kind::Number if self.is_postal_code(i) => {
                    self.spots.push(Spot { first: i, last: i, what: What::PostalCode });
                }
                Kind::Number => {
                    let hash = word_hash(self.text(i));
                    if openers.of(hash) & KEY != 0
                        && let Some(spot) = self.key_spot(i, hash)
                    {
                        i = spot.last + 1;
                        self.spots.push(spot);
                        continue;
                    }
                }
                _ => {}
            }
            i += 1;
        }
    }

    /// A first look at the word after the key's first, which most words of prose fail.
    #[inline]
    fn may_be_key(&self, at: usize, hash: u64, opens: u8) -> bool {
        let Some(next) = self.note.tokens.get(at + 1) else { return true };
        match next.kind {
            Kind::Word if next.hash != 0 => {
                let counts = opens & FREE != 0 || self.note.tokens[at].is_capitalised();
                opens & ALONE != 0 && counts || KEYS.may_go_on(hash, next.hash)
            }
            _ => true,
        }
    }

    fn key_spot(&self, first: usize, hash: u64) -> Option<Spot> {
        let found = KEYS.at(self.note, first, hash)?;
        let key = found.key;
        let token = &self.note.tokens[first];
        let mut last = found.last;
        // Without a colon most keys count only where a line begins, with a capital.
        let needs_colon = key.language != self.note.language
            || key.place == Place::Colon
            || key.place == Place::Line && !token.is_capitalised();
        if needs_colon && !self.kind_is(last + 1, Kind::Mark) {
            return None;
        }
        let glued_after = self.note.tokens.get(last + 1).is_some_and(|t| t.glued && t.kind == Kind::Word);
        if glued_after
            || token.glued && first > 0 && matches!(self.kind(first - 1), Kind::Word | Kind::Number)
        {
            return None;
        }
        let mut after = last + 1;
        if self.is_mark(after, ".") {
            after += 1;
        }
        if self.is_mark(after, "(") {
            // `Médecin (adresseur) :`
            if let Some(close) = (after + 1..after + 5).find(|&i| self.is_mark(i, ")"))
                && self.is_mark(close + 1, ":")
            {
                after = close + 1;
            }
        }
        let colon = self.is_mark(after, ":") || self.is_mark(after, "=");
        if colon {
            last = after;
            while self.is_mark(last + 1, ":") {
                last += 1;
            }
        } else if after > found.last + 1 {
            if matches!(key.value, Value::Family)
                && key.place == Place::Free
                && self.text(found.last).len() > 3
            {
                return None;
            }
            last = after - 1;
        }
        // The other language's key needs all the evidence.
        let starts = self.starts_line(first);
        let foreign = key.language != self.note.language;
        let counts = match key.place {
            _ if foreign => colon && starts,
            _ if colon => true,
            Place::Colon => false,
            Place::Line => starts && token.is_capitalised(),
            Place::Free => true,
        };
        counts.then_some(Spot { first, last, what: What::Key { key, colon, starts } })
    }

    fn read_all(&mut self) {
        let mut person = Person::default();
        let mut done = 0;
        let mut footer_line_end = 0;
        for s in 0..self.spots.len() {
            let spot = self.spots[s];
            if self.note.is_cancelled() {
                return;
            }
            if spot.first < done {
                continue;
            }
            self.reading = spot.what;
            match spot.what {
                What::Key { key, colon, starts } => {
                    let end = self.value_end(s, spot.last + 1);
                    if key.value == Value::People && key.role == Role::Caregiver && colon && starts {
                        footer_line_end = self.line_end(spot.last + 1);
                    }
                    done = self.read_value(spot, key, colon, starts, end, &mut person).max(done);
                }
                What::Title => done = self.read_titled(spot.first, &mut person).max(done),
                What::Way => done = self.read_free_street(spot.first).unwrap_or(done).max(done),
                What::PostalCode => {
                    let relaxed = spot.first < footer_line_end;
                    if self.is_free_code(spot.first, relaxed) {
                        let end = self.line_end(spot.first);
                        if self.note.language == Language::Es
                            && let Some((first, last)) = self.bare_street(spot.first, done)
                        {
                            self.emit(first, last, Label::Street, Role::Unknown, 0.75);
                        }
                        done = self.read_code_and_town(spot.first, end, Role::Unknown).max(done);
                    }
                }
            }
        }
    }

    /// Where a value that starts at `at` must stop: the line's end or the next key.
    fn value_end(&self, spot: usize, at: usize) -> usize {
        let line = self.line_end(at);
        let next = self.spots[spot + 1..]
            .iter()
            .take_while(|s| s.first < line)
            .find(|s| matches!(s.what, What::Key { colon, starts, key } if colon || starts || key.place == Place::Free))
            .map_or(line, |s| s.first);
        next.min(line)
    }

    fn read_value(
        &mut self,
        spot: Spot,
        key: Key,
        colon: bool,
        starts: bool,
        end: usize,
        person: &mut Person,
    ) -> usize {
        let (mut at, mut end) = (spot.last + 1, end);
        while at < end
            && self.kind(at) == Kind::Mark
            && matches!(self.text(at), "." | "-" | "_" | "·" | "*" | "|" | "…")
        {
            at += 1;
        }
        let whole_line = spot.first == 0 || self.kind(spot.first - 1) == Kind::Newline;
        if at >= end
            && self.kind_is(at, Kind::Newline)
            && (colon || whole_line)
            && key.value != Value::Nothing
        {
            // The value stands on the line below.
            at += 1;
            if colon && self.kind_is(at, Kind::Newline) {
                at += 1;
            }
            let next = self.spots.partition_point(|s| s.first < at);
            end = self.line_end(at);
            if let Some(next) = self.spots.get(next).filter(|s| matches!(s.what, What::Key { .. })) {
                end = end.min(next.first);
            }
        }
        if at >= end {
            return spot.last + 1;
        }
        self.lower_value = colon && self.is_lower_value(at, end);
        let sure = colon && matches!(key.value, Value::Family | Value::Given | Value::FamilyFirst);
        let next = match key.value {
            // "Patient 204418837"
            Value::People
                if key.role == Role::Patient
                    && self.note.tokens[at].end() - self.note.tokens[at].start() >= 6
                    && self.kind(at) == Kind::Number =>
            {
                self.emit(at, at, Label::PatientId, Role::Patient, 0.9);
                at + 1
            }
            // "Secrétariat : 01 40 25 80 80"
            Value::People if colon && (self.kind(at) == Kind::Number || self.is_mark(at, "+")) => {
                self.read_simple(Value::Phone, key, at, end, colon)
            }
            Value::Family | Value::Given | Value::FamilyFirst | Value::People => {
                let hint = match key.value {
                    Value::Family => Hint::Family,
                    Value::Given => Hint::Given,
                    Value::FamilyFirst => Hint::FamilyFirst,
                    _ => Hint::Any,
                };
                let shouting = !colon && self.note.tokens[spot.first].shape == Shape::Upper;
                let proof = if sure {
                    Proof::Key
                } else if colon && starts {
                    Proof::Line
                } else {
                    Proof::Weak
                };
                let proof = if key.role == Role::Relative || shouting { Proof::Weak } else { proof };
                self.read_people(at, end, &Announced { hint, key, proof, shouting }, person)
            }
            Value::Address => {
                if colon || self.is_way(at) || self.kind(at) == Kind::Number {
                    self.read_address(at, end, key.role)
                } else {
                    at
                }
            }
            Value::PostalCode if self.is_postal_code(at) => self.read_code_and_town(at, end, key.role),
            Value::City | Value::Region | Value::Country => {
                let label = match key.value {
                    Value::City => Label::City,
                    Value::Region => Label::Region,
                    _ => Label::Country,
                };
                if colon || starts && self.is_town_like(at) {
                    self.read_places(at, end, key.role, label)
                } else {
                    at
                }
            }
            other => self.read_simple(other, key, at, end, colon),
        };
        self.lower_value = false;
        next.max(spot.last + 1)
    }

    fn is_town_like(&self, at: usize) -> bool {
        let token = &self.note.tokens[at];
        self.is_name_like(at)
            && (!self.annotated
                || token.facts.is_town()
                || token.facts.starts_town()
                || token.facts.is_country())
    }

    /// One to three words, all in lower case.
    fn is_lower_value(&self, at: usize, end: usize) -> bool {
        let words = self.note.tokens[at..end].iter().filter(|t| t.kind == Kind::Word);
        let mut n = 0;
        for word in words {
            if word.shape != Shape::Lower || word.facts.word_class() == 3 {
                return false;
            }
            n += 1;
        }
        (1..=3).contains(&n)
    }

    /// A postal code without a way: at the start of a line, with a town after it.
    fn is_free_code(&self, at: usize, relaxed: bool) -> bool {
        let dotted = usize::from(relaxed && (self.is_mark(at + 1, ".") || self.is_mark(at + 1, ",")));
        if !self.is_name_like(at + 1 + dotted) || self.text(at + 1 + dotted).chars().count() < 3 {
            return false;
        }
        let token = &self.note.tokens[at + 1];
        let town = token.facts.is_town() || token.facts.starts_town();
        let starts = self.starts_line(at) || at > 0 && matches!(self.text(at - 1), "," | "-" | "–");
        let ends = {
            let end = self.line_end(at);
            end - at <= 6
        };
        relaxed || starts && (town || !self.annotated && ends)
    }

    fn emit(&mut self, first: usize, last: usize, label: Label, role: Role, score: f32) {
        let span = self.note.raw_of_tokens(first, last);
        let why = reasons::of(self.reading, label);
        self.out.push(Mention::phi(span, label, score, Source::Structure, why).with_role(role));
    }

    /// Emits `first..end` without the marks and blanks at its borders.
    fn emit_trimmed(&mut self, first: usize, end: usize, label: Label, role: Role, score: f32) {
        let trims = |i: usize| {
            self.kind(i) == Kind::Newline
                || self.kind(i) == Kind::Mark
                    && matches!(self.text(i), "." | "," | ";" | "-" | "(" | ":" | "/" | "|" | "\"")
        };
        let mut first = first;
        let mut end = end;
        while first < end && trims(first) {
            first += 1;
        }
        while end > first && trims(end - 1) {
            end -= 1;
        }
        if end > first && self.is_mark(end - 1, ")") && !(first..end).any(|i| self.is_mark(i, "(")) {
            end -= 1;
        }
        if end > first {
            self.emit(first, end - 1, label, role, score);
        }
    }
}
