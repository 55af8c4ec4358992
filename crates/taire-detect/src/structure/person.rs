//! Names of people where a key or a title announces them: reading the parts, then telling given from family names.
//!
//! Works on shape alone (capitals, order usual in the language, what the key says) and better when the lexicons
//! have filled the tokens' facts.

use std::sync::LazyLock;

use taire_lang::WordRole;
use taire_text::{Kind, Label, Language, Shape};

use super::Reader;
use crate::folded::{PARTICLES, WordSet, title};

const MAX_UNITS: usize = 6;

/// Words that may stand right after a name, or where one is expected, and are none.
static NO_NAME: LazyLock<WordSet> = LazyLock::new(|| WordSet::with_role(WordRole::NoName));

/// What the key says of the names after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hint {
    Family,
    Given,
    FamilyFirst,
    Any,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) upper: bool,
    pub(super) initial: bool,
    particle: bool,
    given: u8,
    family: u8,
    /// A word of the language that no list of names has.
    ordinary: bool,
    letters: u8,
}

/// A run of name parts, at most [`MAX_UNITS`].
#[derive(Default)]
pub(super) struct Person {
    pub(super) units: Vec<Unit>,
    /// Units before the comma of "DURAND, Charles".
    comma: Option<usize>,
    /// The first token after it.
    pub(super) next: usize,
}

/// The most tokens that the titles of one person are read to have: `M. le Professeur`, `Dr./Dra.`
const MAX_TITLES: usize = 16;

impl Reader<'_> {
    /// Skips titles and their full stops.
    pub(super) fn skip_titles(&self, mut at: usize, end: usize) -> (usize, Option<crate::folded::Title>) {
        let mut found = None;
        let from = at;
        while at < end && at - from < MAX_TITLES && self.kind(at) == Kind::Word {
            let Some(title) = title(self.hash(at)) else { break };
            let dotted = self.is_mark(at + 1, ".");
            let own = (self.note.language == Language::Es) == (self.text(at) == "D");
            if title.loose && !own {
                break;
            }
            if title.loose
                && !(self.note.tokens[at].is_capitalised() && (dotted || self.is_name_like(at + 1)))
            {
                break;
            }
            // A title followed by nothing name-like is an initial ("M. D.") or a word.
            found = Some(title);
            at += 1 + usize::from(dotted);
            while at < end && (self.is_mark(at, "/") || self.is_mark(at, "(") || self.is_mark(at, ")")) {
                at += 1;
            }
            if at < end && self.kind(at) == Kind::Word && self.note.tokens[at].glued && self.text(at) == "a" {
                at += 1;
            }
        }
        (at, found)
    }

    pub(super) fn is_name_like(&self, at: usize) -> bool {
        at < self.note.tokens.len() && self.kind(at) == Kind::Word && self.note.tokens[at].is_capitalised()
    }

    /// Reads the name parts from `at`. `sure`: the key leaves no doubt, so that ordinary words count too.
    pub(super) fn read_person(&self, at: usize, end: usize, sure: bool, hint: Hint, out: &mut Person) {
        out.units.clear();
        out.comma = None;
        let mut i = at;
        while i < end && out.units.len() < MAX_UNITS {
            if !out.units.is_empty() && self.is_column(i) && !(hint == Hint::Family && self.is_spread(i, end))
            {
                break;
            }
            if let Some(unit) = self.read_unit(i, end, sure, out.units.is_empty()) {
                i = unit.last + 1;
                out.units.push(unit);
                continue;
            }
            let Some(last) = out.units.last() else { break };
            let upper = last.upper;
            let next = self.read_unit(i + 1, end, sure, false);
            let Some(next) = next else { break };
            if self.is_mark(i, ",") {
                if self.is_monsieur(i + 1) {
                    break;
                }
                let closes = hint == Hint::FamilyFirst || upper && !next.upper;
                if hint == Hint::Given || out.comma.is_none() && closes && hint != Hint::Family {
                    if hint != Hint::Given {
                        out.comma = Some(out.units.len());
                    }
                    i += 1;
                    continue;
                }
                break;
            }
            if self.is_mark(i, "-") && upper == next.upper && (upper || sure) && hint != Hint::Any {
                i += 1;
                continue;
            }
            break;
        }
        // A word right before a colon is a key that no table knows.
        if out.units.len() > 1 && self.is_mark(i, ":") {
            out.units.pop();
            i = out.units.last().map_or(at, |u| u.last + 1);
        }
        out.next = i;
    }

    /// `M. Berthou`: another person, though `M.` could be an initial.
    fn is_monsieur(&self, at: usize) -> bool {
        self.note.language == Language::Fr
            && self.text(at) == "M"
            && self.is_mark(at + 1, ".")
            && self.note.tokens.get(at + 2).is_some_and(|t| !t.glued && t.shape != Shape::Single)
            && self.is_name_like(at + 2)
    }

    /// A wide blank that stretches a value, not one that starts a column: nothing but names follows.
    fn is_spread(&self, at: usize, end: usize) -> bool {
        (at..end.min(at + 3)).all(|i| self.kind(i) == Kind::Word)
    }

    fn read_unit(&self, at: usize, end: usize, sure: bool, opens: bool) -> Option<Unit> {
        if at >= end || self.kind(at) != Kind::Word {
            return None;
        }
        let tokens = &self.note.tokens;
        let mut start = at;
        let mut particle = false;
        while start < end
            && start < at + 4
            && self.kind(start) == Kind::Word
            && PARTICLES.has(self.hash(start))
        {
            particle = true;
            start += 1;
            if start < end && self.is_mark(start, "'") && tokens[start].glued {
                start += 1;
            }
        }
        if start >= end || self.kind(start) != Kind::Word {
            start = at;
            particle = false;
        }
        let token = &tokens[start];
        if token.shape == Shape::Single && !particle {
            // `C/ Mayor`, `T:`
            let no_initial = self.is_mark(start + 1, "/") || self.is_mark(start + 1, ":");
            return (!no_initial).then(|| self.read_initials(start, end));
        }
        let lower_allowed = sure && (opens && !particle || self.lower_value);
        if !token.is_capitalised() && !lower_allowed {
            return None;
        }
        let hash = self.hash(start);
        if NO_NAME.has(hash) && !(sure && opens && token.is_capitalised() && token.facts.is_name()) {
            return None;
        }
        if !sure && title(hash).is_some_and(|t| !t.loose) {
            return None;
        }
        let facts = token.facts;
        let is_word = facts.word_class() > 1 || facts.is_medical() || facts.is_profession();
        let ordinary = is_word && !facts.is_name() || facts.is_drug();
        if !sure && (ordinary || facts.is_way() && !facts.is_name()) {
            return None;
        }
        let mut unit = Unit {
            first: at,
            last: start,
            upper: token.shape == Shape::Upper,
            initial: false,
            particle,
            given: facts.given_tier(),
            family: facts.family_tier(),
            ordinary: facts.careful().is_some() && !facts.is_name(),
            letters: (token.end() - token.start()).min(255) as u8,
        };
        while unit.last + 2 < end
            && (self.is_mark(unit.last + 1, "-") || self.is_mark(unit.last + 1, "'"))
            && tokens[unit.last + 1].glued
            && tokens[unit.last + 2].glued
            && self.kind(unit.last + 2) == Kind::Word
        {
            unit.last += 2;
            let facts = tokens[unit.last].facts;
            unit.given = unit.given.max(facts.given_tier());
            unit.family = unit.family.max(facts.family_tier());
        }
        Some(unit)
    }

    /// `J.`, `J.-P.`, `M-T`, `C.A.`, or the first letter of `D'Angelo`.
    fn read_initials(&self, at: usize, end: usize) -> Unit {
        let tokens = &self.note.tokens;
        let mut unit = Unit {
            first: at,
            last: at,
            upper: false,
            initial: true,
            particle: false,
            given: 0,
            family: 0,
            ordinary: false,
            letters: 1,
        };
        loop {
            let next = unit.last + 1;
            if next < end && tokens[next].glued && [".", "ª", "º"].iter().any(|m| self.is_mark(next, m)) {
                unit.last = next;
                continue;
            }
            // `M.a` for María
            if next < end && tokens[next].glued && self.is_mark(unit.last, ".") && self.text(next) == "a" {
                unit.last = next;
                unit.given = 7;
                continue;
            }
            if next + 1 < end
                && tokens[next].glued
                && (self.is_mark(next, "-") || self.is_mark(next, "'"))
                && tokens[next + 1].glued
                && self.kind(next + 1) == Kind::Word
            {
                let word = &tokens[next + 1];
                unit.initial &= word.shape == Shape::Single;
                unit.upper |= word.shape == Shape::Upper;
                unit.given = unit.given.max(word.facts.given_tier());
                unit.family = unit.family.max(word.facts.family_tier());
                unit.last = next + 1;
                continue;
            }
            if next < end && tokens[next].glued && tokens[next].shape == Shape::Single {
                unit.last = next;
                continue;
            }
            return unit;
        }
    }
}

impl Person {
    /// Whether the units look like somebody's name when the key is not proof enough.
    pub(super) fn is_plausible(&self, reader: &Reader<'_>, titled: bool, shouting: bool) -> bool {
        let full = self.units.iter().filter(|u| !u.initial).count();
        let named = self.units.iter().any(|u| u.given > 0 || u.family > 0);
        let ordinary = self.units.iter().any(|u| u.ordinary);
        if titled || full == 0 {
            return titled;
        }
        if full < self.units.len() && !shouting && !ordinary {
            return true;
        }
        if reader.annotated {
            let strong = self.units.iter().any(|u| u.upper || u.given + u.family >= 4);
            return named && (full >= 2 || strong) || full >= 2 && !ordinary && !shouting;
        }
        (full >= 2 || self.units.iter().any(|u| u.upper)) && !shouting || named
    }

    pub(super) fn labels(&self, language: Language, hint: Hint) -> Vec<Label> {
        use Label::{FamilyName, GivenName};
        let n = self.units.len();
        let letters = |u: &Unit| u.initial || n == 1 && u.upper && u.letters <= 3 && u.given + u.family == 0;
        if self.units.iter().all(letters) && hint == Hint::Any {
            return vec![Label::Initials; n];
        }
        if let Some(comma) = self.comma {
            return (0..n).map(|i| if i < comma { FamilyName } else { GivenName }).collect();
        }
        let full = || self.units.iter().filter(|u| !u.initial);
        let mixed = full().any(|u| u.upper) && full().any(|u| !u.upper && !u.particle);
        let one = full().count() <= 1;
        if mixed || one && n > 1 {
            let family = |u: &Unit| !u.initial && (u.upper || u.particle || !mixed);
            return self.units.iter().map(|u| if family(u) { FamilyName } else { GivenName }).collect();
        }
        match hint {
            Hint::Given if !(language == Language::Es && n >= 3 && self.units[n - 1].is_family()) => {
                vec![GivenName; n]
            }
            Hint::Family => {
                // "Nom : Dupont Jean": the end of the value is a given name beyond doubt.
                let given =
                    self.units.iter().rev().take_while(|u| u.given >= 4 && u.given > u.family + 1).count();
                let given = if language == Language::Fr && given < n { given } else { 0 };
                (0..n).map(|i| if i < n - given { FamilyName } else { GivenName }).collect()
            }
            _ if n == 1 => {
                let unit = &self.units[0];
                vec![if unit.given > unit.family + 2 { GivenName } else { FamilyName }]
            }
            _ => self.split(language, hint),
        }
    }

    /// The cut and order that fit best what the lexicons know, with the usual order as a tie-breaker.
    fn split(&self, language: Language, hint: Hint) -> Vec<Label> {
        let n = self.units.len();
        let shouting = self.units.iter().all(|u| u.upper);
        let mut best = (f32::MIN, 1, false);
        for cut in 1..n {
            for family_first in [false, true] {
                let families = if family_first { cut } else { n - cut };
                let mut score = match (hint, family_first, language) {
                    (Hint::FamilyFirst, true, _) => 3.0,
                    (Hint::FamilyFirst, false, _) => 0.0,
                    (_, false, Language::Es) | (Hint::Given, false, _) => 1.5,
                    (_, first, Language::Fr) if first == shouting => 0.5,
                    _ => 0.0,
                };
                score += match (language, families) {
                    (Language::Es, 2) if n > 2 => 0.8,
                    (Language::Fr, 1) => 0.4,
                    _ => 0.0,
                };
                for (i, unit) in self.units.iter().enumerate() {
                    score += unit.fit((i < cut) == family_first);
                }
                if score > best.0 {
                    best = (score, cut, family_first);
                }
            }
        }
        let (_, cut, family_first) = best;
        (0..n).map(|i| if (i < cut) == family_first { Label::FamilyName } else { Label::GivenName }).collect()
    }
}

impl Unit {
    fn is_family(&self) -> bool {
        self.family > 0 && self.family >= self.given
    }

    fn fit(&self, as_family: bool) -> f32 {
        let (given, family) = (f32::from(self.given), f32::from(self.family));
        match (as_family, self.initial, self.particle) {
            (true, true, _) => -2.0,
            (false, true, _) => 1.0,
            (true, _, true) => 2.0,
            (false, _, true) => -1.0,
            (true, ..) => 0.5 * (family - given),
            (false, ..) => 0.5 * (given - family),
        }
    }
}
