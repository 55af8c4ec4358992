//! Refilling: a marked document is also a template. Its spans get new identities of the same form; the text between
//! them does not change by a byte.
//!
//! - The same value of a document gets the same new value, whatever its case.
//! - A name keeps its case, its particles, its length class, its sex and, two times in three, its origin. Names are
//!   drawn from the lexicons' frequent and rare ones, from words that are names, from lists by origin, and made up, so
//!   that a model cannot learn the pool.
//! - Numbers keep their grouping, check digits that held still hold; dates keep their surface and their week day.
//! - Agreement: where the word before ends in an apostrophe or could (`d'`, `de`, `du`), a value is drawn that
//!   agrees with it.
//!
//! What cannot be exchanged safely (a story, an encoded name, a feast) stays as it is.

mod contacts;
mod dates;
mod facilities;
mod names;
mod numbers;
mod places;
mod stock;
mod words;

use rustc_hash::{FxHashMap, FxHashSet};
use taire_text::{Label, Language, fold};

use crate::{MarkedDocument, MarkedSpan, Rng};
use names::NameKind;
use places::NewTown;
use stock::Stock;
use words::Onset;

/// How to refill.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RefillOptions {
    /// Of a hundred names whose origin is known, how many stay within it.
    pub same_origin: u8,
    /// Whether dates, ages and times are redrawn too.
    pub dates: bool,
}

impl Default for RefillOptions {
    fn default() -> RefillOptions {
        RefillOptions { same_origin: 65, dates: true }
    }
}

/// Puts new identities into documents of one language.
#[derive(Clone, Copy, Debug)]
pub struct Refiller {
    stock: &'static Stock,
    options: RefillOptions,
}

impl Refiller {
    pub fn new(language: Language) -> Refiller {
        Refiller::with_options(language, RefillOptions::default())
    }

    pub fn with_options(language: Language, options: RefillOptions) -> Refiller {
        Refiller { stock: Stock::of_language(language), options }
    }

    /// The document with other identities. The same document and seed give the same bytes.
    pub fn refill(&self, document: &MarkedDocument, seed: u64) -> MarkedDocument {
        let mut redraw = Redraw::new(self, document, seed);
        redraw.collect(document);
        let mut text = String::with_capacity(document.text.len() + 64);
        let mut spans = Vec::with_capacity(document.spans.len());
        let mut at = 0;
        for span in &document.spans {
            let before = &document.text[at..span.start];
            text.push_str(before);
            let old = span.of(&document.text);
            let new = redraw.value(span, old, document);
            let start = text.len();
            text.push_str(if new.trim().is_empty() { old } else { new.trim() });
            spans.push(MarkedSpan { start, end: text.len(), label: span.label });
            at = span.end;
        }
        text.push_str(&document.text[at..]);
        MarkedDocument { text, spans, ..document.clone() }
    }
}

/// What was drawn for one document so far.
struct Redraw {
    stock: &'static Stock,
    options: RefillOptions,
    rng: Rng,
    /// The whole document is written without accents.
    plain: bool,
    /// New words of names, in their natural case.
    names: FxHashMap<(NameKind, String), String>,
    /// Names in the order they were drawn, for initials and addresses.
    drawn: Vec<(NameKind, String, String)>,
    used: FxHashSet<String>,
    towns: FxHashMap<String, NewTown>,
    letters: FxHashMap<char, char>,
    memo: FxHashMap<(Label, String), String>,
    /// What the words before a name or town ask of it.
    onsets: FxHashMap<String, Onset>,
    /// All dates of a document move by so many weeks.
    weeks: i32,
    /// The year dates without one are read in.
    year: i16,
}

/// Text that was encoded (mojibake, quoted-printable, entities) is not redrawn.
fn is_encoded(text: &str) -> bool {
    text.contains(['Ã', '=', '&', '\u{fffd}', '|'])
}

impl Redraw {
    fn new(refiller: &Refiller, document: &MarkedDocument, seed: u64) -> Redraw {
        // Documents draw apart from each other although they share a seed.
        let own = document
            .id
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3));
        let mut rng = Rng::of_document(seed, own);
        let weeks = rng.between(9, 260) as i32;
        let weeks = if rng.percent(50) { weeks } else { -weeks };
        Redraw {
            stock: refiller.stock,
            options: refiller.options,
            rng,
            plain: document.text.len() > 200
                && !document.text.chars().any(|c| !c.is_ascii() && c.is_alphabetic()),
            names: FxHashMap::default(),
            drawn: Vec::new(),
            used: FxHashSet::default(),
            towns: FxHashMap::default(),
            letters: FxHashMap::default(),
            memo: FxHashMap::default(),
            onsets: FxHashMap::default(),
            weeks,
            year: dates::usual_year(document),
        }
    }

    /// Draws names and towns first: initials, addresses and numbers before them may hold them.
    fn collect(&mut self, document: &MarkedDocument) {
        for span in &document.spans {
            let (old, before) = (span.of(&document.text), &document.text[..span.start]);
            if matches!(span.label, Label::GivenName | Label::FamilyName | Label::City) {
                let asked = words::onset(before, self.stock.language);
                if asked != Onset::Any {
                    self.onsets.insert(words::first_word(old), asked);
                }
            }
        }
        for span in &document.spans {
            let (old, before) = (span.of(&document.text), &document.text[..span.start]);
            if is_encoded(old) {
                continue;
            }
            match span.label {
                Label::GivenName => drop(self.name(NameKind::Given, &joined(old), before)),
                Label::FamilyName => drop(self.name(NameKind::Family, &joined(old), before)),
                Label::City => drop(self.city(&joined(old), before)),
                _ => {}
            }
        }
    }

    fn value(&mut self, span: &MarkedSpan, old: &str, document: &MarkedDocument) -> String {
        if is_encoded(old) && !matches!(span.label, Label::Url | Label::Email) {
            return old.to_owned();
        }
        if !old.contains('\n') {
            return self.one_line(span, old, document);
        }
        let new = self.one_line(span, &joined(old), document);
        broken_like(&new, old)
    }

    fn one_line(&mut self, span: &MarkedSpan, old: &str, document: &MarkedDocument) -> String {
        use Label::*;
        let before = &document.text[..span.start];
        match span.label {
            GivenName => return self.name(NameKind::Given, old, before),
            FamilyName => return self.name(NameKind::Family, old, before),
            Initials => return self.initials(old),
            City => return self.city(old, before),
            PostalCode => return self.postal_code(span, old, document),
            Date | BirthDate | Age | RelativeDate if !self.options.dates => return old.to_owned(),
            Sex | Kinship | OtherDetail => return old.to_owned(),
            _ => {}
        }
        let key = (span.label, fold(old));
        if let Some(known) = self.memo.get(&key)
            && words::onset(before, self.stock.language) == Onset::Any
        {
            return words::cased_like(known, old);
        }
        let new = match span.label {
            Date | BirthDate => self.date(old, before),
            Age => self.age(old),
            RelativeDate => self.relative_date(old),
            Street => self.street(old),
            Region | Country => self.region(span.label, old, before),
            Hospital | HealthCentre | Institution => self.facility(span.label, old),
            Phone | Fax => self.phone(old),
            Email => self.email(old),
            Url => self.url(old),
            IpAddress => self.ip(old),
            SocialSecurity => self.social_security(old),
            Profession => self.profession(old),
            _ => self.identifier(old),
        };
        self.memo.insert(key, new.clone());
        new
    }

    fn has_accents(&self, text: &str) -> String {
        if self.plain { words::without_accents(text) } else { text.to_owned() }
    }
}

/// A span on one line: a word cut by a hyphen is whole again.
fn joined(text: &str) -> String {
    let Some((head, tail)) = text.split_once('\n') else { return text.to_owned() };
    let (head, tail) = (head.trim_end(), tail.trim_start());
    match head.strip_suffix('-') {
        Some(cut) if tail.starts_with(char::is_lowercase) || cut.chars().all(|c| !c.is_lowercase()) => {
            joined(&format!("{cut}{tail}"))
        }
        Some(_) => joined(&format!("{head}{tail}")),
        None => joined(&format!("{head} {tail}")),
    }
}

/// Breaks a line where the old one broke: in the middle of a word, or at a blank.
fn broken_like(new: &str, old: &str) -> String {
    let Some((head, tail)) = old.split_once('\n') else { return new.to_owned() };
    let indent: String = tail.chars().take_while(|c| *c == ' ' || *c == '\t').collect();
    let chars: Vec<char> = new.chars().collect();
    let near = chars.len() / 2;
    let by_distance = |at: &usize| at.abs_diff(near);
    let is_letter = |i: usize| chars.get(i).is_some_and(|c| c.is_alphabetic());
    let (at, mark, skip) = if head.trim_end().ends_with('-') {
        let inside = |i: &usize| is_letter(i - 1) && is_letter(*i) && *i >= 2;
        match (2..chars.len().saturating_sub(1)).filter(inside).min_by_key(by_distance) {
            Some(at) => (at, "-\n", 0),
            None => return new.to_owned(),
        }
    } else {
        match (1..chars.len()).filter(|i| chars[*i] == ' ').min_by_key(by_distance) {
            Some(at) => (at, "\n", 1),
            None => return new.to_owned(),
        }
    };
    let (left, right): (String, String) = (chars[..at].iter().collect(), chars[at + skip..].iter().collect());
    format!("{left}{mark}{indent}{right}")
}

#[cfg(test)]
mod tests;
