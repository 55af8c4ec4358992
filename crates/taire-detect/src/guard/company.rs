//! What the words around a mention say against a model, however sure it is: instruments and methods that bear a name,
//! lists of drugs and eponyms, acronyms, ordinary words, a single claim in a text without any identity.
//!
//! A title, a word for a person or another name beside a mention always outweighs these.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use taire_text::{Group, Kind, Label, Mention, Shape, Token};

use super::Guard;
use super::names::is_term;
use crate::folded::{WordSet, token_hash};
use crate::words::WordClass;

/// Lines `name: words` of the table.
fn words_of(name: &str) -> Vec<&'static str> {
    include_str!("company.txt")
        .lines()
        .filter_map(|line| line.split_once(": "))
        .filter(|(key, _)| *key == name)
        .map(|(_, words)| words)
        .collect()
}

static INSTRUMENTS: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&words_of("instruments")));
static METHODS: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&words_of("methods")));
static TRADE: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&words_of("trade")));
static TOWNS: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&words_of("towns")));
static COLOURS: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(&words_of("colours")));
static ACRONYMS: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| words_of("acronyms").iter().flat_map(|line| line.split_whitespace()).collect());

/// How far a list is followed on either side, in tokens and in items.
const REACH: usize = 40;
const ITEMS: usize = 6;

fn is_place(label: Label) -> bool {
    use Label::*;
    matches!(label, City | Region | Country | Hospital | HealthCentre | Institution | Street)
}

fn is_name(label: Label) -> bool {
    matches!(label, Label::GivenName | Label::FamilyName)
}

/// A word that people bear only seldom.
fn is_rare(token: &Token) -> bool {
    token.facts.given_tier() < 3 && token.facts.family_tier() < 3 && !token.facts.is_town()
}

/// The rule that says a mention is medicine by what stands around it, if one does.
pub(super) fn medical_company(guard: &Guard<'_>, mention: &Mention) -> Option<&'static str> {
    let label = mention.label().filter(|&l| is_name(l) || is_place(l))?;
    let (first, end) = guard.tokens_of(mention.span)?;
    let learned = mention.source.is_learned();
    // What a list says of a name is no proof of itself.
    if guard.is_announced(first) || learned && guard.is_certain_name(first, end, mention) {
        return None;
    }
    if is_place(label) && learned && guard.is_common_words(first, end) {
        return Some("place.common-word");
    }
    let facility = |t: &Token| WordClass::of(t).is_some_and(WordClass::is_facility);
    if guard.is_beside_name(mention, false) || guard.note.tokens[first..end].iter().any(facility) {
        return None;
    }
    let tokens = &guard.note.tokens[first..end];
    if learned && guard.is_colour(first, end) {
        Some("name.colour")
    } else if learned && is_name(label) && guard.is_column_code(tokens) {
        Some("name.column")
    } else if guard.is_acronym(tokens, first) {
        Some("name.acronym")
    } else if guard.is_classification_town(first, end) {
        Some("place.classification")
    } else if guard.is_instrument(first, end) {
        Some("name.instrument")
    } else if learned && guard.is_in_medical_list(first, end) {
        Some("name.list")
    } else if !(label == Label::GivenName && super::is_sure(mention)) && guard.is_rare_term(first, end) {
        Some("name.term")
    } else if guard.is_trade_name(first, end) {
        Some("name.trade")
    } else {
        None
    }
}

impl Guard<'_> {
    fn word_at(&self, at: usize) -> &str {
        self.note.tokens.get(at).map_or("", |t| t.of(self.note.norm()))
    }

    fn is_in(&self, at: usize, words: &WordSet) -> bool {
        let token = self.note.tokens.get(at);
        token.is_some_and(|t| t.kind == Kind::Word && words.has(token_hash(t, self.note.norm())))
    }

    fn is_medicine_word(&self, token: &Token) -> bool {
        let facts = token.facts;
        is_term(token, self.note.norm())
            || self.note.norm().get(token.start()..token.end()).is_some_and(|w| ACRONYMS.contains(w))
            || TRADE.has(token_hash(token, self.note.norm()))
            || facts.is_eponym()
            || facts.is_drug()
            || facts.is_medical()
    }

    /// "souillé", "CH 12 blanc": ordinary words in small letters name no place.
    fn is_common_words(&self, first: usize, end: usize) -> bool {
        let tokens = &self.note.tokens[first..end];
        let common = |t: &Token| {
            t.shape == Shape::Lower
                && (t.facts.word_class() >= 1 || t.facts.is_medical())
                && !t.facts.is_town()
                && !t.facts.is_country()
                && !t.facts.is_name()
                && !WordClass::of(t).is_some_and(WordClass::is_facility)
        };
        let mut words = tokens.iter().filter(|t| t.kind == Kind::Word).peekable();
        words.peek().is_some()
            && words.all(common)
            && !tokens.iter().any(|t| t.kind == Kind::Number)
            && !self.goes_on_with_a_name(end)
            && self.writes_capitals()
    }

    /// "sous-préfecture de Dunkerque", "brasserie Le Terminus": the name of a place follows.
    fn goes_on_with_a_name(&self, end: usize) -> bool {
        let tokens = &self.note.tokens;
        let particle =
            |i: usize| tokens.get(i).is_some_and(|t| WordClass::of(t) == Some(WordClass::Particle));
        if matches!(self.word_at(end), "-") {
            return true;
        }
        let next = end + (end..end + 2).take_while(|&i| particle(i)).count();
        tokens.get(next).is_some_and(|t| t.kind == Kind::Word && t.is_capitalised())
    }

    /// `ELISA +`, `IAN`: an acronym of medicine as it is typed.
    fn is_acronym(&self, tokens: &[Token], first: usize) -> bool {
        let mut words = tokens.iter().filter(|t| t.kind == Kind::Word).peekable();
        let typed = |t: &Token| ACRONYMS.contains(t.of(self.note.norm()));
        let counted = self.note.tokens.get(first + tokens.len());
        let counted = counted.is_some_and(|t| t.kind == Kind::Number && t.end() - t.start() <= 3);
        words.peek().is_some()
            && words.all(|t| typed(t) && (is_rare(t) || counted || self.line_has_lower_case(first)))
    }

    /// `SUC` in one row after another: short capitals that no list of names knows and that come back are a code.
    fn is_column_code(&self, tokens: &[Token]) -> bool {
        const LONGEST: usize = 4;
        const ROWS: usize = 4;
        let [token] = tokens else { return false };
        let length = token.end() - token.start();
        let coded = token.shape == Shape::Upper && length <= LONGEST && !token.facts.is_name();
        let word = token.of(self.note.norm());
        let same = |t: &&Token| t.end() - t.start() == length && t.of(self.note.norm()) == word;
        coded && self.note.tokens.iter().filter(same).take(ROWS).count() == ROWS
    }

    /// "(rosa, violeta, blanco)": a colour in small letters beside another.
    fn is_colour(&self, first: usize, end: usize) -> bool {
        let lower = |i: usize| self.note.tokens.get(i).is_some_and(|t| t.shape == Shape::Lower);
        let colour = |i: usize| lower(i) && self.is_in(i, &COLOURS);
        let joint = |i: usize| matches!(self.word_at(i), "," | "/" | "-" | "y" | "et" | "o" | "ou");
        let before = first >= 2 && joint(first - 1) && colour(first - 2);
        (first..end).all(colour) && (before || joint(end) && colour(end + 1))
    }

    /// `Barrett C2M4 (Praga)`: a classification by its town, in brackets behind a word of medicine or a grade.
    fn is_classification_town(&self, first: usize, end: usize) -> bool {
        let Some(open) = first.checked_sub(1) else { return false };
        let Some(before) = open.checked_sub(1).map(|i| &self.note.tokens[i]) else { return false };
        let bracketed = self.word_at(open) == "(" && matches!(self.word_at(end), ")" | "," | ";" | "/");
        let medical = before.kind == Kind::Number
            || self.is_medicine_word(before)
            || before.shape == Shape::Upper && is_rare(before)
            || matches!(before.of(self.note.norm()), "Triaje" | "triaje" | "Triage" | "triage");
        // "Maastricht VI / Florence"
        let paired =
            self.word_at(open) == "/" && (open.saturating_sub(2)..open).any(|i| self.is_in(i, &TOWNS));
        (bracketed && medical || paired) && (first..end).all(|i| self.is_in(i, &TOWNS))
    }

    /// "spatule de Thierry", "Pinces : Kelly, Kocher, Péan".
    fn is_instrument(&self, first: usize, end: usize) -> bool {
        let rare = self.note.tokens[first..end].iter().filter(|t| t.kind == Kind::Word).all(is_rare);
        let named = |at: usize| self.is_in(at, &INSTRUMENTS) || rare && self.is_in(at, &METHODS);
        let mut listed = false;
        for at in (first.saturating_sub(REACH)..first).rev() {
            let token = &self.note.tokens[at];
            let particle = WordClass::of(token) == Some(WordClass::Particle);
            match token.kind {
                _ if named(at) => return true,
                Kind::Word if particle || matches!(self.word_at(at), "et" | "ou" | "y" | "o" | "d") => {}
                Kind::Word if token.is_capitalised() && (listed || token.glued || at + 2 == first) => {}
                Kind::Mark if matches!(self.word_at(at), "," | ":" | "/") => listed = true,
                Kind::Mark if matches!(self.word_at(at), "-" | "'" | "(" | ")") => {}
                Kind::Newline
                    if listed && self.word_at(at + 1) != ":" && self.word_at(at.wrapping_sub(1)) == "," => {}
                _ => return false,
            }
        }
        false
    }

    /// `Sitbon : répondeur`, `PIO Perkins`: a name that medicine has for itself and people bear seldom.
    fn is_rare_term(&self, first: usize, end: usize) -> bool {
        let tokens = &self.note.tokens[first..end];
        let term = |t: &Token| is_term(t, self.note.norm()) && is_rare(t) && t.is_capitalised();
        let mut words = tokens.iter().filter(|t| t.kind == Kind::Word).peekable();
        words.peek().is_some() && words.all(term)
    }

    /// Whether a mention is an item by itself in a list of drugs, eponyms or tests.
    fn is_in_medical_list(&self, first: usize, end: usize) -> bool {
        let ends = |at: Option<usize>| {
            at.and_then(|i| self.note.tokens.get(i)).is_none_or(|t| {
                t.kind == Kind::Newline
                    || matches!(
                        t.of(self.note.norm()),
                        "," | ";" | "(" | ")" | "/" | ":" | "." | "et" | "y" | "ou" | "o"
                    )
            })
        };
        let number = usize::from(self.note.tokens.get(end).is_some_and(|t| t.kind == Kind::Number));
        if !ends(first.checked_sub(1)) || !ends(Some(end + number)) {
            return false;
        }
        let before = self.items((first.saturating_sub(REACH)..first).rev());
        let after = self.items(end..(end + REACH).min(self.note.tokens.len()));
        let (medical, people) = (before.0 + after.0, before.1 + after.1);
        medical >= 3 && medical > 2 * people
    }

    /// Items of a list from a mention on: those of medicine, and those that are names first of all.
    fn items(&self, range: impl Iterator<Item = usize>) -> (usize, usize) {
        let (mut medical, mut people, mut words) = (0, 0, 0);
        for at in range {
            let token = &self.note.tokens[at];
            match token.kind {
                Kind::Newline => break,
                Kind::Mark if matches!(self.word_at(at), "," | ";" | "/") => words = 0,
                Kind::Mark if matches!(self.word_at(at), "." | ":") => break,
                Kind::Word if token.is_capitalised() => {
                    words += 1;
                    if WordClass::of(token).is_some_and(WordClass::is_title) && token.shape != Shape::Single {
                        return (0, 1);
                    }
                    if words > 1 {
                        continue;
                    }
                    let rare = is_rare(token);
                    medical += usize::from(rare && self.is_medicine_word(token));
                    people += usize::from(!rare && !self.is_medicine_word(token));
                }
                _ => {}
            }
            if medical + people >= ITEMS {
                break;
            }
        }
        (medical, people)
    }

    /// `drospirénone-EE (Jasmine)`, `Diane 35`: a drug or a water that bears a name, beside a drug or its dose.
    fn is_trade_name(&self, first: usize, end: usize) -> bool {
        let tokens = &self.note.tokens;
        let drug = |i: usize| {
            self.is_in(i, &TRADE) || tokens.get(i).is_some_and(|t| t.kind == Kind::Word && t.facts.is_drug())
        };
        let skip = usize::from(matches!(self.word_at(end), "," | "(" | "/"));
        let dosed = tokens.get(end).is_some_and(|t| t.kind == Kind::Number && t.end() - t.start() <= 4);
        (first..end).all(|i| self.is_in(i, &TRADE))
            && ((first.saturating_sub(4)..first).any(drug) || drug(end + skip) || dosed)
    }

    /// Whether a claim of a model is the only sign of identity in a note: no rule is sure of anybody, and no other
    /// claim is as sure. In notes without capitals rules see little, so that they prove nothing.
    pub(super) fn is_isolated(&self, mention: &Mention, label: Label) -> bool {
        const SURE: f32 = 0.9;
        let judged = match label.group() {
            Group::Person | Group::Place | Group::Identifier | Group::Contact => true,
            Group::Time => label == Label::Date,
            // "labo Guéret-Bio"
            Group::Organisation => !mention.span.of(self.note.raw()).contains(' '),
            Group::QuasiIdentifier => false,
        };
        let text = mention.span.of(self.note.raw());
        let small = !text.chars().any(|c| c.is_uppercase() || c.is_ascii_digit());
        judged && !small && !self.anchored && mention.score.get() < SURE && self.writes_capitals()
    }
}

/// Whether some mention says for certain that a note is about people: a rule's, or those of a model about three names.
pub(super) fn is_anchored(mentions: &[Mention]) -> bool {
    use Label::*;
    const CLAIMS: usize = 3;
    let mut claims = 0;
    for mention in mentions {
        let Some(label) = mention.label() else { continue };
        let name = matches!(label, GivenName | FamilyName);
        let identity = name
            || matches!(label.group(), Group::Contact | Group::Identifier)
            || matches!(label, BirthDate | PostalCode | Street | Hospital);
        let learned = mention.source.is_learned();
        claims += usize::from(learned && name && mention.score.get() >= 0.95);
        if !learned && identity && mention.score.get() >= 0.9 || claims >= CLAIMS {
            return true;
        }
    }
    false
}
