//! What is recognised by its form: telephones, addresses of the network, identifiers with their check digits,
//! and as a last resort any long number that nothing says is a measurement.
//!
//! One pass over the tokens works only at numbers, at `@`, and at a few words. A number is read as a [`run`] of
//! digit groups, the keyword before it is looked up ([`context`], [`keywords`]), then each family tries to match
//! from the first group on: [`phone`], [`ids`], [`net`], and [`numbers`] for what is left.

mod broken;
mod checks;
mod context;
mod dates;
mod files;
mod ids;
pub(crate) mod keywords;
mod net;
mod numbers;
mod phone;
mod plates;
mod run;

use taire_text::date::{Found, lapse::Lapse};
use taire_text::{Kind as TokenKind, Label, Language, Mention, Norm, Note, Shape, Source, Span, Token};

use self::context::{Context, LookBack};
use self::keywords::{KeywordKind, Keywords, Strength};
use self::run::Run;
use crate::MAX_TOKENS;
use crate::{Detector, Error};

/// The detector of forms. Built once, shared by all threads.
#[derive(Debug)]
pub struct Patterns {
    keys: Keywords,
}

impl Patterns {
    pub fn new() -> Self {
        Patterns { keys: Keywords::new() }
    }
}

impl Default for Patterns {
    fn default() -> Self {
        Self::new()
    }
}

impl Detector for Patterns {
    fn source(&self) -> Source {
        Source::Pattern
    }

    fn detect(&self, notes: &[Note], out: &mut [Vec<Mention>]) -> Result<(), Error> {
        for (note, out) in notes.iter().zip(out) {
            Scan::new(note, &self.keys, out).run();
        }
        Ok(())
    }
}

/// Where the scan goes on after a match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Group(usize),
    Token(usize),
}

/// One pass over one note.
struct Scan<'a> {
    note: &'a Note,
    text: &'a str,
    tokens: &'a [Token],
    keys: &'a Keywords,
    out: &'a mut Vec<Mention>,
    /// Mentions before this index are other detectors'.
    floor: usize,
    /// Normalised text before this offset is settled.
    done: usize,
    /// The last telephone found, which the next may follow ("… / …", "… ou …").
    chain: Option<(usize, KeywordKind)>,
    /// Dates of the note, in order, and the next one to meet.
    dates: Vec<Found>,
    next_date: usize,
    lapses: Vec<Lapse>,
    next_lapse: usize,
    run: Run,
    word: String,
    other: String,
}

impl<'a> Scan<'a> {
    fn new(note: &'a Note, keys: &'a Keywords, out: &'a mut Vec<Mention>) -> Self {
        Scan {
            note,
            text: note.norm(),
            tokens: &note.tokens,
            keys,
            floor: out.len(),
            out,
            done: 0,
            chain: None,
            dates: Vec::new(),
            next_date: 0,
            lapses: Vec::new(),
            next_lapse: 0,
            run: Run::default(),
            word: String::new(),
            other: String::new(),
        }
    }

    fn run(mut self) {
        self.find_dates();
        let mut i = 0;
        while let Some(token) = self.tokens.get(i)
            && !self.note.is_cancelled()
        {
            let next = if token.start() < self.done {
                i + 1
            } else {
                match token.kind {
                    TokenKind::Number => self.number(i),
                    TokenKind::Word if !self.is_time(i) && !self.may_be_net(token) => i + 1,
                    TokenKind::Word => match self.time_at(i) {
                        Some(Step::Token(next)) => next,
                        _ => self.net_word(i),
                    },
                    TokenKind::Mark => self.net_mark(i),
                    TokenKind::Newline => i + 1,
                }
            };
            debug_assert!(next > i);
            i = next;
        }
    }

    fn number(&mut self, i: usize) -> usize {
        let first =
            if self.tokens[i].glued && i > 0 && matches!(self.text_of(i - 1), "O" | "o") { i - 1 } else { i };
        if let Some(next) = self.broken(i) {
            return next;
        }
        let mut run = std::mem::take(&mut self.run);
        let end = run.read(self.text, self.tokens, first);
        let next = self.read_run(&run, end).max(i + 1);
        self.run = run;
        next
    }

    fn read_run(&mut self, run: &Run, end: usize) -> usize {
        let first = run.groups[0].first;
        if let Some(next) = self.hex_address(first) {
            return next;
        }
        if run.total() < 3 {
            if let Some(next) = self.short_extension(run) {
                return next;
            }
            for group in &run.groups {
                if let Some(Step::Token(next)) = self.time_at(group.first) {
                    return next;
                }
            }
            return end;
        }
        if let Some(next) = self.plate(run).or_else(|| self.spanish_plate(run)) {
            return next;
        }
        let start = self.value_start(first);
        let context = self.context(start);
        let mut g = 0;
        while g < run.len() {
            let here = if g == 0 { context } else { self.chained(run.groups[g].first) };
            let at = run.groups[g].first;
            let step = if let Some(step) = self.boxed_date(run, g) {
                Some(step)
            } else if here.is_some_and(|c| c.kind == KeywordKind::Reference) {
                self.reference(run, g, start)
            } else {
                self.named(run, g, start, here)
                    .or_else(|| self.phone(run, g, here))
                    .or_else(|| self.by_form(run, g, here))
                    .or_else(|| self.time_at(at))
                    .or_else(|| self.ip_v4(run, g, here))
                    .or_else(|| self.numbered(run, g, start, here))
                    .or_else(|| self.left_over(run, g, start, here))
            };
            match step {
                Some(Step::Group(h)) => g = h.max(g + 1),
                Some(Step::Token(t)) => return t,
                None => g += 1,
            }
        }
        end
    }

    /// Where the value that holds the number at `first` starts: letters glued before it belong to it ("N1123"),
    /// unless they are a keyword ("Tel0550040005").
    fn value_start(&mut self, first: usize) -> usize {
        let mut start = first;
        while start > 0 && first - start < MAX_TOKENS && self.tokens[start].glued {
            let before = &self.tokens[start - 1];
            if before.start() < self.done {
                break;
            }
            match before.kind {
                TokenKind::Number => start -= 1,
                TokenKind::Word
                    if before.end() - before.start() <= if before.shape == Shape::Upper { 10 } else { 5 } =>
                {
                    self.word.clear();
                    taire_text::fold_into(before.of(self.text), &mut self.word);
                    if !before.is_capitalised()
                        || !self.keys.ending_with(&self.word).is_empty()
                        || self.keys.connector(&self.word) == Some(true) && before.end() - before.start() > 1
                    {
                        break;
                    }
                    start -= 1;
                }
                TokenKind::Mark
                    if matches!(before.of(self.text), "-" | "_")
                        && before.glued
                        && start >= 2
                        && self.tokens[start - 2].kind != TokenKind::Mark
                        && (self.tokens[start - 2].kind == TokenKind::Number
                            || self.tokens[start - 2].is_capitalised()) =>
                {
                    start -= 1;
                }
                _ => break,
            }
        }
        while start < first && self.tokens[start].kind == TokenKind::Mark {
            start += 1;
        }
        start
    }

    fn context(&mut self, at: usize) -> Option<Context> {
        self.chained(at).or_else(|| {
            let look = LookBack { text: self.text, tokens: self.tokens, keys: self.keys };
            look.before(at, &mut self.word, &mut self.other)
        })
    }

    /// A number that follows a telephone through "/", "ou", "et", "y" is one too.
    fn chained(&self, at: usize) -> Option<Context> {
        let (last, kind) = self.chain?;
        if at <= last + 1 || at > last + 3 {
            return None;
        }
        let joined = self.tokens[last + 1..at].iter().all(|t| {
            matches!(
                t.of(self.text),
                "/" | "-" | "," | ";" | "." | "ou" | "et" | "y" | "o" | "e" | "OU" | "ET" | "Y"
            )
        });
        joined.then_some(Context { kind, strength: Strength::Near, gap: 0, mark: true })
    }

    fn text_of(&self, token: usize) -> &'a str {
        self.tokens.get(token).map_or("", |t| t.of(self.text))
    }

    fn spanish(&self) -> bool {
        self.note.language == Language::Es
    }

    fn say(&mut self, start: usize, end: usize, label: Label, score: f32, why: &'static str) {
        let span = self.note.to_raw(Span::<Norm>::new(start, end));
        while self.out.len() > self.floor && self.out.last().is_some_and(|m| m.span.overlaps(span)) {
            self.out.pop();
        }
        self.out.push(Mention::phi(span, label, score, Source::Pattern, why));
        self.done = self.done.max(end);
    }

    fn clear(&mut self, start: usize, end: usize, score: f32, why: &'static str) {
        let span = self.note.to_raw(Span::<Norm>::new(start, end));
        if self.out.len() > self.floor && self.out.last().is_some_and(|m| m.span.overlaps(span)) {
            return;
        }
        self.out.push(Mention::clear(span, score, Source::Pattern, why));
        self.done = self.done.max(end);
    }

    /// Says it of the groups `g..h` and goes on after them.
    fn say_groups(
        &mut self,
        run: &Run,
        g: usize,
        h: usize,
        label: Label,
        score: f32,
        why: &'static str,
    ) -> Step {
        let (start, end) = self.bounds(run, g, h);
        self.say(start, end, label, score, why);
        Step::Group(h)
    }

    /// Byte range of the groups `g..h`.
    fn bounds(&self, run: &Run, g: usize, h: usize) -> (usize, usize) {
        (self.tokens[run.groups[g].first].start(), self.tokens[run.groups[h - 1].last].end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mentions(text: &str, language: Language) -> (Note, Vec<Mention>) {
        let note = Note::builder("t", text).language(Some(language)).build().unwrap();
        let mut out = [Vec::new()];
        Patterns::new().detect(std::slice::from_ref(&note), &mut out).unwrap();
        let [found] = out;
        (note, found)
    }

    #[test]
    fn spans_come_back_to_the_bytes_as_read() {
        let (note, found) =
            mentions("Mme L’Hœuil\u{a0}: tél.\u{a0}01\u{a0}42\u{a0}34\u{a0}56\u{a0}78", Language::Fr);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].span.of(note.raw()), "01\u{a0}42\u{a0}34\u{a0}56\u{a0}78");
        assert_eq!(found[0].label(), Some(Label::Phone));
    }

    #[test]
    fn what_measures_is_said_to_be_clear() {
        let (note, found) = mentions("Plaquettes à 351200/mm3", Language::Fr);
        let clear: Vec<_> = found.iter().filter(|m| m.label().is_none()).collect();
        assert_eq!(clear.len(), 1);
        assert_eq!(clear[0].span.of(note.raw()), "351200");
    }

    proptest! {
        #[test]
        fn any_text_gives_disjoint_sorted_mentions(
            text in "([0-9]{1,4}|[0-9]|[ .:/@+()-]|[ ]|[0-9]{1,4}|O|A|FR|X|tel|n°|NIR|IPP|dni|www|http|at|\\(at\\)|\t|\n|é|µ|col|lot|,){0,40}",
            spanish in any::<bool>(),
        ) {
            let (note, found) = mentions(&text, if spanish { Language::Es } else { Language::Fr });
            for pair in found.windows(2) {
                prop_assert!(pair[0].span.end() <= pair[1].span.start());
            }
            for m in &found {
                prop_assert!(!m.span.is_empty() && note.raw().get(m.span.range()).is_some());
            }
        }
    }
}
