//! The guard: rules that protect medicine, for both languages, and have the last word on it.
//!
//! It reads a note once every detector has spoken, before and after fusion.
//!
//! - **Clinical values** ([`clinical`], [`tables`]) are certain: their characters leave whatever covers them, except what a
//!   reviewer, a known identity or the envelope said.
//! - **Form checks** ([`forms`]): what a learned detector alone says of a street, a code, a number or a date must parse as one.
//! - **Names that are medicine** ([`names`]): eponyms, stages and tests; also against the known identity and the second pass.
//! - **Doubt** ([`doubt`]): an entity that may be a clinical value and is not sure is marked, and a tag is written for it,
//!   never another value.
//!
//! A mention that the guard overrules keeps its place among the mentions with the rule's id in its reason and hardly any
//! score, so that `explain` shows it.

mod clinical;
mod close;
mod company;
mod disputes;
mod doubt;
mod forms;
pub(crate) mod languages;
mod names;
mod tables;

use std::cell::{Cell, OnceCell};
use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use taire_text::{Entity, Group, Kind, Label, Mention, Note, Raw, Score, Shape, Source, Span};

use self::clinical::{ClinicalMatch, ClinicalRules};
pub use self::clinical::{ClinicalRule, clinical_rules};
use crate::SpanIndex;
use crate::folded::{WordSet, title_before, token_hash};
use crate::patterns::keywords::KeywordKind as Key;

/// What an overruled mention is left with.
const OVERRULED: f32 = 0.01;

/// What the lexicon gives a name after a title: no list of medicine outweighs it.
const TITLED: f32 = 0.95;

/// In the reason of a mention that lost a clinical value.
const CLIPPED: &str = "clipped by";

/// Codes that make a list of diagnoses.
const DIAGNOSES: usize = 3;

/// Words before a letter and a number that make them a door, a bed or a room.
static DOORS: LazyLock<WordSet> = LazyLock::new(|| {
    WordSet::new(&[
        "bat batiment bt esc escalier porte appt apt appartement app hall lot villa allee bloque portal piso puerta pta planta chambre ch lit cama habitacion box salle sala consulta despacho bureau rue residence cedex km",
    ])
});

/// One clinical value, in the text as read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ClinicalValue {
    span: Span<Raw>,
    rule: &'static str,
}

/// The last answer about a line: values and mentions of one line ask in a row.
#[derive(Default)]
struct LineMemo(Cell<Option<(usize, bool)>>);

impl LineMemo {
    fn ask(&self, line: usize, answer: impl FnOnce(usize) -> bool) -> bool {
        match self.0.get() {
            Some((known, said)) if known == line => said,
            _ => {
                let said = answer(line);
                self.0.set(Some((line, said)));
                said
            }
        }
    }
}

/// The guard's reading of one note.
pub struct Guard<'a> {
    note: &'a Note,
    /// Certain values, sorted and disjoint.
    values: Vec<ClinicalValue>,
    /// What rules said, sorted.
    ruled: Vec<(Span<Raw>, Label)>,
    /// Names that anybody said, sorted.
    named: Vec<(Span<Raw>, Label)>,
    /// Names that rules are sure of, as written, and without the case of ASCII letters.
    certain: FxHashSet<String>,
    certain_in_any_case: FxHashSet<String>,
    named_line: LineMemo,
    lower_line: LineMemo,
    /// Whether a rule is sure of somebody or something that identifies, or models are of several.
    anchored: bool,
    capitals: OnceCell<bool>,
    scanned: OnceCell<bool>,
    protected: OnceCell<Vec<bool>>,
}

impl std::fmt::Debug for Guard<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Guard({} clinical values)", self.values.len())
    }
}

impl<'a> Guard<'a> {
    /// Reads the clinical values of a note, less those that a sound identifier disputes.
    pub fn read(note: &'a Note, mentions: &[Mention]) -> Guard<'a> {
        let mut ruled: Vec<(Span<Raw>, Label)> = mentions
            .iter()
            .filter(|m| !m.source.is_learned())
            .filter_map(|m| m.label().map(|label| (m.span, label)))
            .collect();
        ruled.sort_unstable_by_key(|(span, _)| *span);
        let name = |m: &Mention| m.label().filter(|l| matches!(l, Label::GivenName | Label::FamilyName));
        let mut named: Vec<_> = mentions
            .iter()
            .filter(|m| m.score.get() >= 0.4)
            .filter_map(|m| name(m).map(|l| (m.span, l)))
            .collect();
        named.sort_unstable_by_key(|(span, _)| *span);
        let sure = |m: &&Mention| {
            !m.source.is_learned()
                && matches!(m.label(), Some(Label::GivenName | Label::FamilyName))
                && m.score.get() >= 0.9
        };
        let certain: FxHashSet<String> =
            mentions.iter().filter(sure).map(|m| note.readable(m.span).into_owned()).collect();
        let mut guard = Guard {
            note,
            values: Vec::new(),
            ruled,
            named,
            certain_in_any_case: certain.iter().map(|name| name.to_ascii_lowercase()).collect(),
            certain,
            named_line: LineMemo::default(),
            lower_line: LineMemo::default(),
            anchored: company::is_anchored(mentions),
            capitals: OnceCell::new(),
            scanned: OnceCell::new(),
            protected: OnceCell::new(),
        };
        let mut matches = Vec::new();
        tables::table_cells(note, &mut matches);
        matches.extend(ClinicalRules::shipped().find(note.norm()));
        matches.sort_by_key(|m| (m.range.start, std::cmp::Reverse(m.range.end)));
        let index = SpanIndex::new(mentions.iter().map(|m| m.span));
        // One code by itself may be the number of a sample; a list of them is a coded diagnosis.
        if matches.iter().filter(|m| m.rule == "diagnosis-code").count() < DIAGNOSES {
            matches.retain(|m| m.rule != "diagnosis-code");
        }
        for found in matches {
            let value = guard.value(&found);
            let last = guard.values.last().map_or(0, |v| v.span.end());
            if value.span.end() > last && guard.is_sound(&found, value, (mentions, &index)) {
                let span = Span::new(value.span.start().max(last), value.span.end());
                guard.values.push(ClinicalValue { span, ..value });
            }
        }
        // A name that is a clinical value is no neighbour of another.
        let mut named = std::mem::take(&mut guard.named);
        named.retain(|(span, _)| guard.without_values(*span).is_none_or(|(left, _)| !left.is_empty()));
        guard.named = named;
        guard
    }

    fn value(&self, found: &ClinicalMatch) -> ClinicalValue {
        let span = self.note.to_raw(Span::new(found.range.start, found.range.end));
        ClinicalValue { span, rule: found.rule }
    }

    /// Whether nothing says that a value is somebody's number, door or name.
    fn is_sound(
        &self,
        found: &ClinicalMatch,
        value: ClinicalValue,
        (mentions, index): (&[Mention], &SpanIndex),
    ) -> bool {
        let note = self.note;
        let first = note.token_at(found.range.start);
        let lettered = matches!(
            found.rule,
            "protocol"
                | "vertebra"
                | "gene"
                | "stage"
                | "catheter"
                | "measure-letter"
                | "gene-point"
                | "popq"
        );
        let before = first.checked_sub(1).map(|i| {
            let mark = usize::from(note.tokens[i].kind == Kind::Mark && i > 0);
            &note.tokens[i - mark]
        });
        // "le 25 au soir"
        let dated = |t: &taire_text::Token| {
            matches!(t.of(note.norm()), "le" | "Le" | "du" | "el" | "El" | "del" | "día" | "dia")
        };
        // "mar 23 matin"
        let week_day = before.is_some_and(|t| {
            let date = Span::new(t.start(), t.end());
            t.kind == Kind::Word && self.has_calendar_word(note.to_raw(date))
        });
        if found.rule == "frequency" && (before.is_some_and(dated) || week_day) {
            return false;
        }
        if found.rule == "measure-letter" && self.is_no_unit(found) {
            return false;
        }
        if lettered && before.is_some_and(|t| t.kind == Kind::Word && DOORS.has(token_hash(t, note.norm()))) {
            return false;
        }
        let next = note.tokens.get(note.token_at(found.range.end));
        let comma = next.is_some_and(|t| t.of(note.norm()) == ",");
        let next_word = note.tokens.get(note.token_at(found.range.end) + usize::from(comma));
        if next_word.is_some_and(|t| t.facts.is_way() && t.kind == Kind::Word && t.end() - t.start() > 2)
            && lettered
        {
            return false;
        }
        // "J'ai 33 ans", "Grâce (4 ans)": an age.
        let ends_in_number = note.norm()[found.range.clone()].ends_with(|c: char| c.is_ascii_digit());
        let aged = |t: &taire_text::Token| {
            matches!(
                t.of(note.norm()),
                "ans"
                    | "an"
                    | "mois"
                    | "jours"
                    | "semaines"
                    | "años"
                    | "año"
                    | "meses"
                    | "días"
                    | "dias"
                    | "anos"
            )
        };
        if ends_in_number && next.is_some_and(aged) && found.rule != "protocol" {
            return false;
        }
        if self.is_contradicted(found, value) {
            return false;
        }
        if found.rule == "table" && self.line_has_name(found.range.start) {
            return false;
        }
        let word = note.tokens.get(first).is_some_and(|t| t.kind == Kind::Word && t.is_capitalised());
        // "M. Denis Browne" is a man, whatever splint bears his name.
        let named = matches!(found.rule, "materia" | "named-test");
        if word && title_before(note, first).is_some_and(|t| !t.loose || named) {
            return false;
        }
        !index.any_overlapping(value.span, |i| disputes::disputes(&mentions[i], value, note))
    }

    /// "31" read as `3l` by a scanner, "4 m Ferrández" for a child of four months.
    fn is_no_unit(&self, found: &ClinicalMatch) -> bool {
        let (text, note) = (self.note.norm(), self.note);
        let inside = &text[found.range.clone()];
        let glued = inside.bytes().rev().nth(1).is_some_and(|b| b.is_ascii_digit());
        if inside.ends_with('l') && glued {
            let coded = text[found.range.end..].starts_with(['/', '-']);
            return coded || self.is_scanned();
        }
        let next = note.tokens.get(note.token_at(found.range.end));
        inside.ends_with('m')
            && next.is_some_and(|t| t.shape == Shape::Title && t.facts.is_name() && !t.facts.is_medical())
    }

    /// Whether figures and letters were confused several times, as scanners do: `l9 mars`, `2OO8`, `M0Nl`.
    fn is_scanned(&self) -> bool {
        const CONFUSED: usize = 4;
        let tokens = &self.note.tokens;
        let confused = |i: usize| {
            let (a, b) = (&tokens[i - 1], &tokens[i]);
            let letter = |t: &taire_text::Token| {
                matches!(t.of(self.note.norm()), "l" | "O" | "o" | "I" | "ll" | "OO" | "lO" | "Ol")
            };
            b.glued && (a.kind == Kind::Number && letter(b) || letter(a) && b.kind == Kind::Number)
        };
        *self
            .scanned
            .get_or_init(|| (1..tokens.len()).filter(|&i| confused(i)).take(CONFUSED).count() == CONFUSED)
    }

    /// Whether a rule found a name on the line of an offset: a list of people is no table of values.
    fn line_has_name(&self, offset: usize) -> bool {
        self.named_line.ask(self.note.line_at(offset), |line| {
            let raw = self.note.to_raw(self.note.line(line));
            let from = self.ruled.partition_point(|(s, _)| s.start() < raw.start());
            self.ruled[from..]
                .iter()
                .take_while(|(s, _)| s.start() < raw.end())
                .any(|(_, l)| matches!(l, Label::GivenName | Label::FamilyName | Label::Kinship))
        })
    }

    /// The certain values as mentions, for fusion and `explain`.
    pub fn mentions(&self) -> impl Iterator<Item = Mention> + '_ {
        self.values
            .iter()
            .map(|v| Mention::clear(v.span, 1.0, Source::Guard, format!("clinical value: {}", v.rule)))
    }

    /// Clips, checks and overrules the mentions from `from` on.
    pub fn screen(&self, mentions: &mut Vec<Mention>, from: usize) {
        let mut pieces = Vec::new();
        for mention in &mut mentions[from..] {
            if mention.label().is_none() {
                continue;
            }
            if names::known_eponym(self, mention) {
                overrule(mention, "eponym");
            } else if !is_exempt(mention) {
                self.clip_mention(mention, &mut pieces);
                self.end_street(mention);
            }
        }
        pieces.iter_mut().for_each(|piece| self.end_street(piece));
        mentions.append(&mut pieces);
        let mut overruled = FxHashSet::default();
        for mention in mentions[from..].iter_mut().filter(|m| m.source == Source::Lexicon) {
            let company = || company::medical_company(self, mention).filter(|_| mention.score.get() < TITLED);
            if let Some(rule) = names::medical_name(self, mention, false).or_else(company) {
                overruled.insert(mention.span);
                overrule(mention, rule);
            }
        }
        for mention in &mut mentions[from..] {
            let Some(label) =
                mention.label().filter(|_| !is_exempt(mention) && mention.score.get() > OVERRULED)
            else {
                continue;
            };
            let learned = mention.source.is_learned() && !self.rules_agree(mention.span, label, &overruled);
            // What is left of a wrong number once its value is taken out.
            let remnant = matches!(label.group(), Group::Time | Group::Contact | Group::Identifier)
                && mention.why.to_string().contains(CLIPPED)
                && !self.note.readable(mention.span).bytes().any(|b| b.is_ascii_digit());
            if learned && remnant && !self.has_calendar_word(mention.span) {
                overrule(mention, "form.remnant");
            } else if learned && let Some(rule) = names::medical_name(self, mention, true) {
                overrule(mention, rule);
            } else if learned && let Some(rule) = company::medical_company(self, mention) {
                overrule(mention, rule);
            } else if learned && label == Label::RelativeDate && self.is_timeless(mention.span) {
                overrule(mention, "form.relative-date");
            } else if learned && label == Label::Initials && self.is_civil_title(mention.span) {
                overrule(mention, "form.initials");
            } else if learned && let Some(rule) = self.is_counted(mention.span, label) {
                overrule(mention, rule);
            } else if learned && self.is_medical_fraction(mention.span, label) {
                overrule(mention, "form.fraction");
            } else if learned && self.is_isolated(mention, label) {
                overrule(mention, "isolated");
            } else if learned && let Some(rule) = self.broken_form(label, mention.span) {
                self.settle_form(mention, rule);
            }
        }
    }

    /// A learned mention whose form is broken: medicine is left, a long number is some identifier, a name stays.
    fn settle_form(&self, mention: &mut Mention, rule: &'static str) {
        let text = self.note.readable(mention.span);
        let text = text.as_ref();
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let keyed = || self.keyed(mention.span, |k| !matches!(k, Key::Measure | Key::Reference | Key::Birth));
        if self.has_name(mention.span) {
            return;
        }
        // A sure model is believed unless the text is plainly a measure.
        let numeric = matches!(
            mention.label(),
            Some(Label::Date | Label::BirthDate | Label::Phone | Label::Fax | Label::PostalCode)
        );
        if is_sure(mention) && !mention.why.to_string().contains(CLIPPED) && !self.is_measure(mention.span) {
            if digits >= 4 && numeric {
                self.relabel(mention, rule);
            }
            return;
        }
        // What a certain value left of a wrong mention, and the year of a classification.
        let clipped = mention.why.to_string().contains(CLIPPED);
        let year = digits == 4
            && ["19", "20"]
                .iter()
                .any(|c| text.split(|c: char| !c.is_ascii_digit()).any(|g| g.len() == 4 && g.starts_with(c)));
        let street = mention.label() == Some(Label::Street) && !self.has_title_word(mention.span);
        if clipped || year || street && digits < 4 {
            overrule(mention, rule);
            return;
        }
        if digits >= 4 && keyed() {
            self.relabel(mention, rule);
        } else if self.may_be_value(mention.span) {
            overrule(mention, rule);
        } else if digits >= 4 {
            self.relabel(mention, rule);
        } else if digits > 0 && !self.has_unknown_word(mention.span) {
            overrule(mention, rule);
        }
    }

    fn relabel(&self, mention: &mut Mention, rule: &'static str) {
        mention.verdict = taire_text::Verdict::Phi(Label::OtherId);
        mention.why = format!("{}; {rule}: some other number", mention.why).into();
    }

    /// Whether a frequent name in capitals stands in a span: whatever its label, it is not medicine alone.
    fn has_name(&self, span: Span<Raw>) -> bool {
        let Some((first, end)) = self.tokens_of(span) else { return false };
        self.note.tokens[first..end].iter().any(|t| {
            matches!(t.shape, Shape::Title | Shape::Upper)
                && (t.facts.given_tier() >= 3 || t.facts.family_tier() >= 4)
                && t.facts.careful().is_none()
                && t.end() - t.start() >= 3
        })
    }

    /// Whether a word that no list of medicine knows stands in a span in its own capital, as names of hamlets do.
    fn has_title_word(&self, span: Span<Raw>) -> bool {
        let Some((first, end)) = self.tokens_of(span) else { return false };
        self.note.tokens[first..end].iter().any(|t| {
            t.shape == Shape::Title && t.end() - t.start() >= 4 && !t.facts.is_medical() && !t.facts.is_drug()
        })
    }

    fn has_unknown_word(&self, span: Span<Raw>) -> bool {
        let Some((first, end)) = self.tokens_of(span) else { return false };
        self.note.tokens[first..end].iter().any(|t| {
            t.kind == Kind::Word
                && t.is_capitalised()
                && t.end() - t.start() >= 3
                && t.facts.word_class() == 0
                && !t.facts.is_medical()
                && !t.facts.is_drug()
        })
    }

    /// Whether a rule said the same kind of thing of this text.
    fn rules_agree(&self, span: Span<Raw>, label: Label, overruled: &FxHashSet<Span<Raw>>) -> bool {
        let group: Group = label.group();
        let until = self.ruled.partition_point(|(s, _)| s.start() < span.end());
        self.ruled[..until]
            .iter()
            .rev()
            .take(64)
            .any(|(s, l)| s.overlaps(span) && l.group() == group && !overruled.contains(s))
    }

    /// A street ends where a sentence, an age or a medicine begins.
    fn end_street(&self, mention: &mut Mention) {
        if mention.label() != Some(Label::Street) {
            return;
        }
        let note = self.note;
        let Some((first, end)) = self.tokens_of(mention.span) else { return };
        let (tokens, norm) = (&note.tokens, note.norm());
        let cut = (first + 1..end).find(|&i| {
            let token = &tokens[i];
            match token.kind {
                Kind::Mark if token.of(norm) == "." => {
                    let before = &tokens[i - 1];
                    let long = before.kind == Kind::Word
                        && before.of(norm).chars().count() > 3
                        && !before.facts.is_way()
                        && !DOORS.has(token_hash(before, norm));
                    tokens.get(i + 1).filter(|_| i + 1 < end).is_some_and(|t| {
                        !t.glued
                            && t.is_capitalised()
                            && !t.facts.is_way()
                            && !DOORS.has(token_hash(t, norm))
                            && long
                    })
                }
                Kind::Number => tokens.get(i + 1).is_some_and(|t| {
                    matches!(
                        t.of(norm),
                        "ans" | "años" | "anos" | "mois" | "meses" | "jours" | "días" | "dias"
                    )
                }),
                Kind::Word => {
                    let apart = tokens[i - 1].kind != Kind::Word
                        || tokens.get(i + 1).is_some_and(|t| t.kind == Kind::Number);
                    token.facts.is_drug() && token.facts.family_tier() < 2 && !token.facts.is_town() && apart
                }
                Kind::Mark | Kind::Newline => false,
            }
        });
        if let Some(cut) = cut {
            let last = (first..cut).rev().find(|&i| tokens[i].kind != Kind::Mark).unwrap_or(first);
            mention.span = note.raw_of_tokens(first, last);
        }
        if mention.source == Source::Structure && self.broken_form(Label::Street, mention.span).is_some() {
            overrule(mention, "form.street");
        }
    }

    /// Takes certain values out of a mention. What is left beyond the first piece goes to `pieces`.
    fn clip_mention(&self, mention: &mut Mention, pieces: &mut Vec<Mention>) {
        let Some((left, rule)) = self.without_values(mention.span) else { return };
        match left.split_first() {
            None => overrule(mention, rule),
            Some((&first, rest)) => {
                mention.why = format!("{}; {CLIPPED} {rule}", mention.why).into();
                pieces.extend(rest.iter().map(|&span| Mention { span, ..mention.clone() }));
                mention.span = first;
            }
        }
    }

    /// The pieces of a span outside every value, and the first value's rule; `None` where no value overlaps it.
    fn without_values(&self, span: Span<Raw>) -> Option<(Vec<Span<Raw>>, &'static str)> {
        let from = self.values.partition_point(|v| v.span.end() <= span.start());
        let values = self.values[from..].iter().take_while(|v| v.span.start() < span.end());
        let (mut left, mut rule, mut start) = (Vec::new(), None, span.start());
        for value in values {
            rule.get_or_insert(value.rule);
            left.extend(self.piece(start, value.span.start(), span));
            start = value.span.end();
        }
        let rule = rule?;
        left.extend(self.piece(start, span.end(), span));
        Some((left, rule))
    }

    /// A piece without the blanks and marks at its cut ends, if it says something.
    fn piece(&self, start: usize, end: usize, whole: Span<Raw>) -> Option<Span<Raw>> {
        let text = self.note.raw().get(start..end).filter(|_| start < end)?;
        let lead = if start == whole.start() { 0 } else { text.find(char::is_alphanumeric)? };
        let tail = if end == whole.end() {
            text.len()
        } else {
            let last = text.rfind(char::is_alphanumeric)?;
            last + text[last..].chars().next().map_or(0, char::len_utf8)
        };
        let says = text.get(lead..tail).is_some_and(|t| t.chars().any(char::is_alphanumeric));
        says.then(|| Span::new(start + lead, start + tail))
    }

    /// Takes certain values out of decided entities, and closes identifiers over what is glued to them.
    pub fn clip(&self, entities: Vec<Entity>) -> Vec<Entity> {
        let mut out = Vec::with_capacity(entities.len());
        for entity in entities {
            let exempt = entity.mentions.iter().any(|m| is_exempt(m) && m.span.overlaps(entity.span));
            match self.without_values(entity.span).filter(|_| !exempt) {
                None => out.push(entity),
                Some((left, _)) => {
                    out.extend(left.into_iter().map(|span| Entity { span, ..entity.clone() }));
                }
            }
        }
        self.close(&mut out);
        out
    }

    /// The tokens of a span, first and one past the last.
    fn tokens_of(&self, span: Span<Raw>) -> Option<(usize, usize)> {
        let norm = self.note.to_norm(span);
        let tokens = &self.note.tokens;
        let first = tokens.partition_point(|t| t.end() <= norm.start());
        let end = tokens.partition_point(|t| t.start() < norm.end());
        (first < end).then_some((first, end))
    }
}

/// A learned mention that its model is sure of. The CRF is surer than it should be.
fn is_sure(mention: &Mention) -> bool {
    const SURE: f32 = 0.8;
    mention.source.is_learned() && mention.source != Source::Crf && mention.score.get() >= SURE
}

/// A person's word, the known identity and the envelope are not the guard's to change.
fn is_exempt(mention: &Mention) -> bool {
    matches!(mention.source, Source::Reviewer | Source::Metadata)
}

fn overrule(mention: &mut Mention, rule: &str) {
    mention.score = Score::new(OVERRULED);
    mention.why = format!("{}; overruled by the guard: {rule}", mention.why).into();
}
