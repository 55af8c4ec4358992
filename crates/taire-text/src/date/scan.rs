//! The walk over the tokens, and what every grammar shares: looking at neighbours and writing down a date.

use taire_lang::CalendarNames;

use super::surface::{Case, Name, Part, Surface, Width};
use super::value::{Partial, Third};
use super::words::{self, Cue, Trigger};
use super::{Found, Precision};
use crate::{Calendar, Kind, Language, Shape, Span, Token};

/// One part of a date with its place in the text.
pub(super) struct Piece {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) part: Part,
}

/// A date about to be written down.
pub(super) struct Draft {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) value: Partial,
    /// In the order of the text.
    pub(super) pieces: Vec<Piece>,
    pub(super) confidence: f32,
    pub(super) bare_month: bool,
}

pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) language: Language,
    /// The text is one date by itself: no context is asked for.
    pub(super) alone: bool,
    /// The first token that no date has taken yet.
    pub(super) floor: usize,
    out: &'a mut Vec<Found>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(
        text: &'a str,
        tokens: &'a [Token],
        language: Language,
        alone: bool,
        out: &'a mut Vec<Found>,
    ) -> Self {
        Scan { text, tokens, language, alone, floor: 0, out }
    }

    pub(super) fn run(&mut self) {
        let mut i = 0;
        while let Some(token) = self.tokens.get(i) {
            i = match token.kind {
                _ if token.calendar == Calendar::No => i + 1,
                Kind::Number => self.number(i),
                Kind::Word => self.word(i, token),
                _ => i + 1,
            };
        }
    }

    #[inline]
    fn word(&mut self, i: usize, token: &Token) -> usize {
        let word = token.of(self.text);
        match words::trigger(word) {
            Some(Trigger::Month(month)) => return self.month(i, month, false),
            Some(Trigger::Roman(month)) => return self.roman(i, month),
            Some(Trigger::Season(season)) => return self.season(i, season),
            Some(Trigger::Thousand) => return self.year_in_letters(i),
            None => {}
        }
        if word.len() <= 3 && self.kind(i + 1) == Some(Kind::Number) && self.is_noise(i) {
            return self.number(i);
        }
        if word.len() >= 5
            && self.next_to_number(i)
            && let Some(month) = words::misspelt_month(word, self.language)
        {
            return self.month(i, month, true);
        }
        i + 1
    }

    fn next_to_number(&self, i: usize) -> bool {
        self.kind(i + 1) == Some(Kind::Number)
            || i > 0 && self.kind(i - 1) == Some(Kind::Number)
            || self.kind(i + 2) == Some(Kind::Number)
                && (self.is_word(i + 1, &["de", "del"]) || self.mark(i + 1) == b'-')
    }

    #[inline]
    pub(super) fn kind(&self, i: usize) -> Option<Kind> {
        self.tokens.get(i).map(|t| t.kind)
    }

    #[inline]
    pub(super) fn str(&self, i: usize) -> &'a str {
        self.tokens.get(i).map_or("", |t| t.of(self.text))
    }

    #[inline]
    pub(super) fn len(&self, i: usize) -> usize {
        self.tokens.get(i).map_or(0, |t| t.end() - t.start())
    }

    #[inline]
    pub(super) fn glued(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| t.glued)
    }

    /// The ASCII mark at a token, or zero.
    #[inline]
    pub(super) fn mark(&self, i: usize) -> u8 {
        match self.tokens.get(i) {
            Some(t) if t.kind == Kind::Mark => self.text.as_bytes()[t.start()],
            _ => 0,
        }
    }

    pub(super) fn is_word(&self, i: usize, set: &[&str]) -> bool {
        let Some(token) = self.tokens.get(i) else { return false };
        token.kind == Kind::Word
            && token.end() - token.start() <= 8
            && words::Folded::new(token.of(self.text))
                .is_some_and(|f| set.iter().any(|w| w.as_bytes() == f.bytes()))
    }

    /// The value of a number token of at most nine digits.
    pub(super) fn value(&self, i: usize) -> Option<u32> {
        match self.tokens.get(i) {
            Some(t) if t.kind == Kind::Number && t.end() - t.start() <= 9 => t.of(self.text).parse().ok(),
            _ => None,
        }
    }

    /// What stands before a token says a date may begin there. Brackets and colons are looked through.
    pub(super) fn cue(&self, first: usize) -> Cue {
        if self.alone {
            return Cue::Day;
        }
        let mut i = first;
        for _ in 0..3 {
            let Some(before) = i.checked_sub(1).filter(|&b| b >= self.floor) else { return Cue::None };
            i = before;
            match self.kind(i) {
                Some(Kind::Word) => return words::cue(self.str(i)),
                Some(Kind::Mark) if matches!(self.mark(i), b'(' | b'[' | b':' | b'\'' | b'"' | b'.') => {}
                _ => return Cue::None,
            }
        }
        Cue::None
    }

    pub(super) fn day_cue(&self, first: usize) -> bool {
        self.cue(first) == Cue::Day
    }

    pub(super) fn any_cue(&self, first: usize) -> bool {
        self.cue(first) != Cue::None
    }

    /// The token is glued to a mark that is itself glued to a number: a decimal, an hour, part of a code.
    pub(super) fn inside_number(&self, i: usize) -> bool {
        i >= 2
            && self.glued(i)
            && self.glued(i - 1)
            && self.kind(i - 2) == Some(Kind::Number)
            && matches!(self.mark(i - 1), b',' | b'.' | b':' | b'/' | b'-' | b'_' | b'+' | b'*')
    }

    /// What follows a number makes it a measure: a unit, a percent sign, decimals, an hour.
    pub(super) fn measured(&self, last: usize) -> bool {
        let next = last + 1;
        match self.kind(next) {
            Some(Kind::Word) => words::is_unit(self.str(next)),
            Some(Kind::Mark) => match self.mark(next) {
                b'%' | b'*' | b'<' | b'>' | b'=' => true,
                b',' | b':' | b'.' => {
                    self.glued(next) && self.glued(next + 1) && self.kind(next + 1) == Some(Kind::Number)
                }
                b'/' => self.glued(next),
                0xc2 => self.str(next) == "°",
                _ => false,
            },
            _ => false,
        }
    }

    /// Puts a piece over a run of tokens.
    pub(super) fn piece(&self, first: usize, last: usize, part: Part) -> Piece {
        Piece { start: self.tokens[first].start(), end: self.tokens[last].end(), part }
    }

    pub(super) fn width(&self, i: usize) -> Width {
        match self.str(i).as_bytes() {
            [_] => Width::One,
            [b'0', ..] => Width::Two,
            _ => Width::Either,
        }
    }

    /// The last date found, if it ends at most `reach` tokens before `first`.
    pub(super) fn near(&self, first: usize, reach: usize) -> Option<&Found> {
        self.out.last().filter(|f| f.last_token < first && first - f.last_token <= reach)
    }

    /// Completes a draft with what stands before it and appends it. Gives the token after it.
    pub(super) fn emit(&mut self, mut draft: Draft) -> usize {
        if draft.value.precision() == Precision::Day {
            self.take_weekday(&mut draft);
            if draft.value.month.is_some() {
                self.coordinates(draft.first);
            }
        } else {
            self.take_third(&mut draft);
        }
        let next = draft.last + 1;
        let law = self.names_law(draft.first);
        let named = draft.pieces.iter().any(|p| matches!(p.part, Part::MonthName(_)));
        if named && draft.value.precision() == Precision::Day && self.names_place(draft.first) {
            draft.confidence = draft.confidence.min(0.2);
        }
        self.push(draft, law);
        next
    }

    pub(super) fn push(&mut self, draft: Draft, law: bool) {
        let (Some(head), Some(tail)) = (draft.pieces.first(), draft.pieces.last()) else { return };
        let span = Span::new(head.start, tail.end);
        let mut parts = Vec::with_capacity(draft.pieces.len() * 2);
        let mut at = head.start;
        for piece in draft.pieces {
            if piece.start > at {
                parts.push(Part::Text(self.text[at..piece.start].into()));
            }
            at = piece.end;
            parts.push(piece.part);
        }
        self.floor = draft.last + 1;
        self.out.push(Found {
            span,
            first_token: draft.first,
            last_token: draft.last,
            value: draft.value,
            surface: Surface { language: self.language, parts },
            confidence: draft.confidence,
            law,
            bare_month: draft.bare_month,
        });
    }

    /// `lundi 3 mai`, `jeudi, 12/05`, `lun. 3 mai`.
    fn take_weekday(&self, draft: &mut Draft) {
        let mut i = draft.first;
        for _ in 0..2 {
            let Some(before) = i.checked_sub(1).filter(|&b| b >= self.floor) else { return };
            i = before;
            match self.kind(i) {
                Some(Kind::Word) => break,
                Some(Kind::Mark) if matches!(self.mark(i), b',' | b'.') => {}
                _ => return,
            }
        }
        if self.kind(i) != Some(Kind::Word) {
            return;
        }
        let Some(weekday) = words::weekday(self.str(i)) else { return };
        let name = Name::new(CalendarNames::get().weekdays(), weekday as usize, self.str(i));
        draft.pieces.insert(0, self.piece(i, i, Part::Weekday(name)));
        draft.value.weekday = Some(weekday);
        draft.first = i;
    }

    /// The token of `début`, `mi`, `fin` before a month or a year, over `de` or a dash.
    pub(super) fn third_before(&self, first: usize) -> Option<(usize, Third)> {
        let mut i = first;
        for _ in 0..3 {
            i = i.checked_sub(1).filter(|&b| b >= self.floor)?;
            if let Some(third) = words::third(self.str(i)) {
                return Some((i, third));
            }
            if self.mark(i) != b'-' && self.mark(i) != b'\'' && !self.is_word(i, &["de", "d", "del", "du"]) {
                return None;
            }
        }
        None
    }

    /// `début mars`, `mi-mars`, `fin de 2010`, `finales de mayo`.
    fn take_third(&self, draft: &mut Draft) {
        let Some((i, third)) = self.third_before(draft.first) else { return };
        draft.value.third = Some(third);
        draft.confidence = draft.confidence.max(0.6);
        draft.bare_month = false;
        // Spanish writes it as a noun of its own: "a finales de mayo".
        if self.language == Language::Es && !self.alone {
            return;
        }
        let start = self.tokens[i].start();
        let end = draft.pieces[0].start;
        let typed = &self.text[start..end];
        let part = Part::Third {
            of_year: draft.value.precision() == Precision::Year,
            third,
            typed: typed.into(),
            case: Case::of(typed),
        };
        draft.pieces.insert(0, Piece { start, end, part });
        draft.first = i;
    }

    /// A text of law is named a few words before on the same line.
    fn names_law(&self, first: usize) -> bool {
        // Across its number, which reads as a month: "Ley 1/2000, de 7 de enero".
        let dated =
            first == self.floor + 2 && self.mark(self.floor) == b',' && self.is_word(first - 1, &["de"]);
        let floor = if dated { 0 } else { self.floor };
        for i in (floor..first).rev().take(8) {
            match self.kind(i) {
                Some(Kind::Newline) => return false,
                Some(Kind::Mark) if matches!(self.mark(i), b';' | b'(' | b')') => return false,
                // A dot after a short word is an abbreviation's.
                Some(Kind::Mark)
                    if self.mark(i) == b'.' && !self.glued(i + 1) && self.len(i.wrapping_sub(1)) > 3 =>
                {
                    return false;
                }
                Some(Kind::Word) if words::is_law(self.str(i)) => return true,
                _ => {}
            }
        }
        false
    }

    /// The date is the name of a street or a building: `rue du 8 mai 1945`, `Hospital 12 de Octubre`.
    fn names_place(&self, first: usize) -> bool {
        let words = (self.floor..first).rev().take(3).take_while(|&i| self.kind(i) == Some(Kind::Word));
        for i in words {
            if words::is_place(self.str(i)) {
                return true;
            }
            if !self.is_word(i, &["du", "de", "del", "la"]) {
                return false;
            }
        }
        false
    }

    /// Days that share the month of the date at `first`: `du 3 au 5 avril`, `les 3, 5 et 7 mai`.
    fn coordinates(&mut self, first: usize) {
        if self.alone {
            return;
        }
        const MOST: usize = 6;
        let mut days = [(0usize, 0u8); MOST];
        let mut count = 0;
        let mut at = first;
        let mut led = 0;
        while count < MOST {
            let Some(day) = self.linked_day(at) else { break };
            let Some(value) = self.value(day).filter(|v| (1..=31).contains(v)) else { break };
            days[count] = (day, value as u8);
            count += 1;
            at = day;
            if self.day_cue(day) || day > self.floor && self.is_word(day - 1, &["entre"]) {
                // `le 3, le 5 et le 8 avril`: one with its own article may have others before it.
                led = count;
            }
        }
        for &(day, value) in days[..led].iter().rev() {
            let part = Part::Day { width: self.width(day), gap: 0 };
            let draft = Draft {
                first: day,
                last: day,
                value: Partial { day: Some(value), ..Partial::default() },
                pieces: vec![self.piece(day, day, part)],
                confidence: 0.85,
                bare_month: false,
            };
            let law = self.names_law(day);
            self.push(draft, law);
        }
    }

    /// The number of one or two digits joined to what starts at `first` by `au`, `et le`, `y`, a comma, a dash.
    fn linked_day(&self, first: usize) -> Option<usize> {
        let mut joined = false;
        let mut i = first;
        for _ in 0..5 {
            i = i.checked_sub(1).filter(|&b| b >= self.floor)?;
            if self.is_word(i, &["et", "au", "al", "y", "e", "ou", "o", "a", "hasta", "jusqu"])
                || matches!(self.mark(i), b'-' | b',' | b'/')
            {
                joined = true;
            } else if joined && self.kind(i) == Some(Kind::Number) {
                return (self.len(i) <= 2
                    && !self.inside_number(i)
                    && !(self.glued(i) && i > 0 && self.kind(i - 1) == Some(Kind::Word)))
                .then_some(i);
            } else if !(self.is_word(i, &["le", "el", "les", "los", "du", "del"]) || self.mark(i) == b'\'') {
                return None;
            }
        }
        None
    }

    /// The word is made only of letters that readers of scans take for digits, as `O` and `l`.
    pub(super) fn is_noise(&self, i: usize) -> bool {
        self.kind(i) == Some(Kind::Word) && words::is_noise(self.str(i))
    }

    /// The word before or after is a lower-case word: running text.
    pub(super) fn lower_word(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| t.kind == Kind::Word && t.shape == Shape::Lower)
    }
}
