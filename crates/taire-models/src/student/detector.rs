//! The student as a detector.

use std::ops::ControlFlow;
use std::sync::Mutex;

use taire_detect::Detector;
use taire_detect::words::WordClass;
use taire_text::{Group, Kind, Label, Mention, Note, Raw, Role, Source, Span};

use super::decode::{Decoder, Segment};
use super::features::{Reader, Rows};
use super::file::Model;
use super::net::{self, Numbers};
use crate::Error;
use crate::classes::{Category, Class};
use crate::detector::{append_found, push_mentions};

/// Finds what its model was trained to find. Mentions that the rules left in the output are part of its input.
pub struct StudentDetector {
    model: Model,
    /// Buffers at rest; a call takes one and gives it back.
    buffers: Mutex<Vec<Buffers>>,
}

#[derive(Default)]
struct Buffers {
    reader: Reader,
    rows: Rows,
    net: net::Buffers,
    decoder: Decoder,
    found: Vec<Segment>,
}

impl std::fmt::Debug for StudentDetector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StudentDetector").field("shape", &self.model.network.shape).finish_non_exhaustive()
    }
}

impl StudentDetector {
    pub fn from_bytes(bytes: &[u8]) -> Result<StudentDetector, Error> {
        Ok(StudentDetector { model: Model::from_bytes(bytes)?, buffers: Mutex::default() })
    }

    /// The labels that the model can find.
    pub fn labels(&self) -> &[Label] {
        &self.model.classes
    }

    /// Finds in a note. `chances`, one for each token, receives the chance that the token is part of anything.
    pub(crate) fn find(
        &self,
        note: &Note,
        rules: &[Mention],
        chances: Option<&mut Vec<f32>>,
        out: &mut Vec<Mention>,
    ) {
        let lock = || self.buffers.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut buffers = lock().pop().unwrap_or_default();
        let Buffers { reader, rows, net, decoder, found } = &mut buffers;
        let Model { classes, outside_bias, network, .. } = &self.model;
        reader.read(note, rules, self.model.alphabet(), rows);
        decoder.start(classes.len(), *outside_bias);
        network.run(rows, net, |scores| {
            decoder.push(scores);
            if note.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        decoder.finish(found);
        let mut chances = chances;
        if let Some(chances) = &mut chances {
            chances.clear();
            chances.resize(note.tokens.len(), 0.0);
        }
        if note.is_cancelled() {
            // Not every word has its scores.
            lock().push(buffers);
            return;
        }
        if let Some(chances) = chances {
            rows.tokens.iter().zip(decoder.covered()).for_each(|(&token, &p)| chances[token as usize] = p);
        }
        let dates = PatternDates::new(note, rules);
        for segment in found.iter() {
            let token = |word: usize| rows.tokens[word] as usize;
            let (first, last) = (token(segment.words.start), token(segment.words.end - 1));
            let label = classes[segment.class];
            let (first, last) = match label {
                Label::Date if dates.follow(note, first, last) => continue,
                Label::Date | Label::BirthDate => dates.inside(note, first, last),
                _ => (first, last),
            };
            let class =
                Class { category: Category::Label(label), role: role_of(note, first, label, &segment.roles) };
            push_mentions(note, (first, last), class, segment.probability, Source::Student, out);
        }
        for mention in rules.iter().filter(|m| may_be_cleared(m)) {
            let span = note.to_norm(mention.span);
            let first = note.tokens.partition_point(|t| t.end() <= span.start()) as u32;
            let last = note.tokens.partition_point(|t| t.start() < span.end()) as u32;
            let word = |token: u32| rows.tokens.partition_point(|&t| t < token);
            let words = word(first)..word(last);
            if words.is_empty() {
                continue;
            }
            let covered = decoder.most_covered(words);
            if covered < CLEARED {
                out.push(Mention::clear(mention.span, 1.0 - covered, Source::Student, CLEAR_REASON));
            }
        }
        lock().push(buffers);
    }
}

/// The dates that patterns read, in order.
struct PatternDates {
    /// Dates and birth dates.
    spans: Vec<Span<Raw>>,
    /// Where dates begin that are no birth dates.
    starts: Vec<usize>,
}

impl PatternDates {
    fn new(note: &Note, rules: &[Mention]) -> PatternDates {
        let of = |label| {
            rules
                .iter()
                .filter(move |m| m.source == Source::Pattern && m.label() == Some(label))
                .map(|m| m.span)
        };
        let mut spans: Vec<_> = of(Label::Date).chain(of(Label::BirthDate)).collect();
        spans.sort_unstable_by_key(|span| (span.start(), span.end()));
        spans.dedup();
        let mut starts: Vec<_> = of(Label::Date).map(|span| note.to_norm(span).start()).collect();
        starts.sort_unstable();
        PatternDates { spans, starts }
    }

    /// Words without a number right before a date: the `pasado` of `pasado 3 de mayo`.
    fn follow(&self, note: &Note, first: usize, last: usize) -> bool {
        let Some(next) = note.tokens.get(last + 1) else { return false };
        let words = note.tokens[first..=last].iter().all(|t| t.kind == Kind::Word);
        words && next.kind != Kind::Newline && self.starts.binary_search(&next.start()).is_ok()
    }

    /// The tokens of the one date inside a date, where no other number is left out: `pasado 3 de mayo` cannot be rewritten as a
    /// date, `3 de mayo` can.
    fn inside(&self, note: &Note, first: usize, last: usize) -> (usize, usize) {
        let whole = note.raw_of_tokens(first, last);
        let from = self.spans.partition_point(|span| span.start() < whole.start());
        let near = self.spans[from..].iter().take_while(|span| span.start() < whole.end());
        let mut inside = near.filter(|span| whole.contains(**span));
        let (Some(&span), None) = (inside.next(), inside.next()) else { return (first, last) };
        let span = note.to_norm(span);
        let from = note.tokens.partition_point(|t| t.end() <= span.start());
        let to = note.tokens.partition_point(|t| t.start() < span.end());
        let left_out = note.tokens[first..from].iter().chain(&note.tokens[to..=last]);
        match from < to && left_out.clone().all(|t| t.kind != Kind::Number) {
            true => (from, to - 1),
            false => (first, last),
        }
    }
}

/// A rule's mention is cleared where no word of it has this chance of being part of anything.
const CLEARED: f32 = 0.03;
const CLEAR_REASON: &str = "learned from annotated documents; nothing identifying in this context";

/// Words that rules take for names or places by lists and neighbours. What has a form of its own is not cleared, nor
/// initials that the rows of a log show.
fn may_be_cleared(mention: &Mention) -> bool {
    let in_rows = mention.source == Source::Structure && mention.label() == Some(Label::Initials);
    let by_words = matches!(mention.source, Source::Lexicon | Source::Structure) && !in_rows;
    let group = mention.label().map(Label::group);
    by_words && matches!(group, Some(Group::Person | Group::Place | Group::Organisation))
}

/// The role of a name or an age. A caregiver's name is drawn once for a whole release, so the model must be sure of one, and
/// `Mme` or `M.` alone before a name announces a patient or a relative.
fn role_of(note: &Note, first: usize, label: Label, scores: &[f32]) -> Role {
    const SURE: f32 = 0.85;
    if label.group() != Group::Person && !matches!(label, Label::Age) {
        return Role::Unknown;
    }
    let top = |a: &usize, b: &usize| scores[*a].total_cmp(&scores[*b]).then(b.cmp(a));
    let Some(best) = (0..scores.len()).max_by(top) else { return Role::Unknown };
    let sum: f32 = scores.iter().map(|score| (score - scores[best]).exp()).sum();
    match Role::ALL[best] {
        Role::Caregiver if has_civil_title(note, first) || 1.0 / sum < SURE => Role::Unknown,
        role => role,
    }
}

/// Whether `Mme` or `M.` announces the name that a token belongs to.
fn has_civil_title(note: &Note, first: usize) -> bool {
    const REACH: usize = 6;
    let text = note.norm();
    let before = note.tokens[..first].iter().rev().take(REACH);
    let mut name_or_title = before.skip_while(|t| {
        let joins = t.kind == Kind::Mark && matches!(t.of(text), "." | "-" | "'");
        joins
            || t.kind == Kind::Word
                && t.is_capitalised()
                && !WordClass::of(t).is_some_and(WordClass::is_title)
    });
    let title = name_or_title.next().and_then(WordClass::of);
    matches!(title, Some(WordClass::TitleFemale | WordClass::TitleMale))
}

impl Detector for StudentDetector {
    fn source(&self) -> Source {
        Source::Student
    }

    fn detect(&self, notes: &[Note], out: &mut [Vec<Mention>]) -> Result<(), taire_detect::Error> {
        append_found(notes, out, |note, before, found| self.find(note, before, None, found));
        Ok(())
    }
}
