//! Dates in digits: `12/05/2010`, `2010-05-12`, `12/05`, `05/2010`, `12052010`, a year after `en`.
//!
//! Numbers joined by separators are read as one run; a date is never cut out of a run that has other numbers,
//! unless the separators change there (`12/05/2010-15/05/2010`).

use super::scan::{Draft, Scan};
use super::surface::{Part, Width};
use super::value::Partial;
use super::words::Cue;
use crate::{Kind, Shape};

/// A number of a run: one number token, or several glued with letters that a scan took for digits.
#[derive(Clone, Copy, Default)]
pub(super) struct Atom {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) len: usize,
    pub(super) value: u32,
}

const MOST: usize = 8;

struct Run {
    atoms: [Atom; MOST],
    separators: [u8; MOST],
    count: usize,
    /// The token after the run.
    next: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    DayMonthYear,
    MonthDayYear,
    YearMonthDay,
}

pub(super) fn is_year(value: u32) -> bool {
    (1850..=2149).contains(&value)
}

pub(super) fn is_day(value: u32) -> bool {
    (1..=31).contains(&value)
}

pub(super) fn is_month(value: u32) -> bool {
    (1..=12).contains(&value)
}

impl Scan<'_> {
    /// Reads what starts at a number token. Gives the token to go on from.
    pub(super) fn number(&mut self, i: usize) -> usize {
        let run = self.run_of(i);
        if run.count >= 2 {
            if !self.inside_number(i) {
                self.joined(&run);
            }
            return run.next;
        }
        if run.count == 0 || run.atoms[0].first != run.atoms[0].last {
            return i + 1;
        }
        self.blank_run(i)
    }

    pub(super) fn atom(&self, i: usize) -> Option<Atom> {
        let noise = self.is_noise(i);
        if !noise && self.kind(i) != Some(Kind::Number) {
            return None;
        }
        let mut last = i;
        let mut digits = !noise;
        let mut letters = noise;
        while self.glued(last + 1) && (self.kind(last + 1) == Some(Kind::Number) || self.is_noise(last + 1)) {
            last += 1;
            digits |= self.kind(last) == Some(Kind::Number);
            letters |= self.kind(last) == Some(Kind::Word);
        }
        if last > i && self.glued(last + 1) && self.kind(last + 1) == Some(Kind::Word) {
            last = i;
            letters = noise;
        }
        // A capital I by itself is a Roman month.
        if !digits && (self.len(i) > 2 || self.str(i).starts_with('I')) {
            return None;
        }
        let (mut value, mut len) = (0u32, 0);
        for b in self.text[self.tokens[i].start()..self.tokens[last].end()].bytes() {
            let digit = match b {
                b'O' | b'o' => 0,
                b'l' | b'I' => 1,
                b => b - b'0',
            };
            value = value.saturating_mul(10).saturating_add(u32::from(digit));
            len += 1;
        }
        if letters && len > 4 {
            return None;
        }
        Some(Atom { first: i, last, len, value })
    }

    fn run_of(&self, i: usize) -> Run {
        let mut run = Run { atoms: [Atom::default(); MOST], separators: [0; MOST], count: 0, next: i + 1 };
        let mut at = i;
        while let Some(atom) = self.atom(at) {
            if run.count < MOST {
                run.atoms[run.count] = atom;
            }
            run.count += 1;
            run.next = atom.last + 1;
            let Some((mark, next)) = self.separator(atom.last) else { break };
            if run.count <= MOST {
                run.separators[run.count - 1] = mark;
            }
            at = next;
        }
        // A run of nothing but letters is no number; one longer than any date is none either.
        if run.count > MOST {
            run.count = MOST;
            run.separators = [0; MOST];
        }
        run
    }

    /// A separator after a token with a number behind it: the mark, and the token of that number.
    pub(super) fn separator(&self, last: usize) -> Option<(u8, usize)> {
        let mark = self.mark(last + 1);
        if !matches!(mark, b'/' | b'.' | b'-' | b'|' | b'_') {
            return None;
        }
        let mut next = last + 2;
        if self.mark(next) == mark && self.glued(next) && self.kind(next + 1) == Some(Kind::Number) {
            next += 1;
            // "13 --  12 --  11": cells of a chart.
            if !self.glued(last + 1) || !self.glued(next) {
                return None;
            }
        }
        if self.kind(next) != Some(Kind::Number) && !self.is_noise(next) {
            return None;
        }
        let (before, after) = (self.glued(last + 1), self.glued(next));
        let fits = match mark {
            b'/' | b'|' => true,
            _ => before == after,
        };
        fits.then_some((mark, next))
    }

    fn joined(&mut self, run: &Run) {
        let mut at = 0;
        while at < run.count {
            let left = run.count - at;
            if left >= 3 && self.triple(run, at) {
                at += 3;
            } else if left >= 4
                && run.separators[at] == b'-'
                && matches!(run.separators[at + 1], b'/' | b'.')
                && is_day(run.atoms[at].value)
                && run.atoms[at].len <= 2
                && left == 4
                && self.triple(run, at + 1)
            {
                // The day before the dash was taken as a coordinate of the date behind it.
                return;
            } else if left >= 2 && self.pair(run, at) {
                at += 2;
            } else {
                return;
            }
        }
    }

    fn triple(&mut self, run: &Run, at: usize) -> bool {
        let [a, b, c] = [run.atoms[at], run.atoms[at + 1], run.atoms[at + 2]];
        let [first, second] = [run.separators[at], run.separators[at + 1]];
        let last_of_run = at + 3 == run.count;
        if !last_of_run && (first != second || run.separators[at + 2] == second) {
            return false;
        }
        if at > 0 && run.separators[at - 1] == first {
            return false;
        }
        let before = a.first.checked_sub(1).filter(|_| at == 0 && self.glued(a.first));
        if let Some(before) = before {
            let word = self.tokens[before].kind == Kind::Word;
            let sign = matches!(self.mark(before), b'#' | b'+' | b'@' | b'=');
            if sign
                || word && (c.len != 4 || matches!(self.tokens[before].shape, Shape::Single | Shape::Upper))
            {
                return false;
            }
        }
        let Some((order, mut confidence)) = self.order(a, b, c, first, second) else { return false };
        if first != second {
            confidence -= 0.05;
        }
        if order != Order::YearMonthDay && c.len == 2 && last_of_run && self.measured(c.last) {
            return false;
        }
        if c.len == 2
            && a.first > self.floor
            && (1..=2).any(|back| self.is_word(a.first.wrapping_sub(back), &["apgar"]))
        {
            return false;
        }
        let noisy = [a, b, c].iter().any(|x| x.first != x.last || self.kind(x.first) == Some(Kind::Word));
        if noisy {
            confidence -= 0.2;
        }
        let draft = self.numeric_draft([a, b, c], order, confidence);
        self.emit(draft);
        true
    }

    pub(super) fn order(&self, a: Atom, b: Atom, c: Atom, first: u8, second: u8) -> Option<(Order, f32)> {
        if a.len == 4 && is_year(a.value) && b.len <= 2 && c.len <= 2 {
            return (is_month(b.value) && is_day(c.value)).then_some((Order::YearMonthDay, 0.97));
        }
        if a.len > 2 || b.len > 3 || b.len == 3 && b.value > 12 {
            return None;
        }
        match c.len {
            4 if is_year(c.value) => Some(match (a.value, b.value) {
                (0..=31, 0..=12) => {
                    (Order::DayMonthYear, if a.value > 0 && b.value > 0 { 0.99 } else { 0.7 })
                }
                (1..=12, 13..=31) => (Order::MonthDayYear, 0.9),
                // Out of the calendar, yet written as nothing but a date is.
                (_, _) if first == b'/' && second == b'/' => (Order::DayMonthYear, 0.5),
                _ => return None,
            }),
            2 if is_day(a.value) && is_month(b.value) && b.len <= 2 => {
                let dotted = first == b'.' || second == b'.' || first == b'-';
                if self.alone || !dotted || (a.len == 2 && b.len == 2) {
                    Some((Order::DayMonthYear, if a.len + b.len == 4 { 0.95 } else { 0.85 }))
                } else if self.day_cue(a.first) {
                    Some((Order::DayMonthYear, 0.85))
                } else {
                    None
                }
            }
            2 if a.value > 31 && is_month(b.value) && is_day(c.value) && b.len == 2 && first == second => {
                (first != b'.' && a.len == 2).then_some((Order::YearMonthDay, 0.6))
            }
            _ => None,
        }
    }

    pub(super) fn numeric_draft(&self, atoms: [Atom; 3], order: Order, confidence: f32) -> Draft {
        let [a, b, c] = atoms;
        let (day, month, year) = match order {
            Order::DayMonthYear => (a, b, c),
            Order::MonthDayYear => (b, a, c),
            Order::YearMonthDay => (c, b, a),
        };
        let mut value = Partial {
            year: Some(year.value as i16),
            month: Some(month.value as u8).filter(|m| (1..=12).contains(m)),
            day: Some(day.value as u8).filter(|d| (1..=31).contains(d)),
            two_digit_year: year.len == 2,
            ..Partial::default()
        };
        if value.month.is_none() {
            value.day = None;
        }
        let part = |atom: Atom, role: u8| {
            let width = match atom.len {
                1 => Width::One,
                _ if atom.value < 10 => Width::Two,
                _ => Width::Either,
            };
            let part = match role {
                0 => Part::Day { width, gap: 0 },
                1 => Part::Month { width, gap: 0 },
                _ => Part::Year { digits: year.len as u8, gap: 0 },
            };
            self.piece(atom.first, atom.last, part)
        };
        let pieces = match order {
            Order::DayMonthYear => vec![part(a, 0), part(b, 1), part(c, 2)],
            Order::MonthDayYear => vec![part(a, 1), part(b, 0), part(c, 2)],
            Order::YearMonthDay => vec![part(a, 2), part(b, 1), part(c, 0)],
        };
        Draft { first: a.first, last: c.last, value, pieces, confidence, bare_month: false }
    }

    /// `12/05`, `05/2010`, `2010-2012`.
    fn pair(&mut self, run: &Run, at: usize) -> bool {
        let [a, b] = [run.atoms[at], run.atoms[at + 1]];
        let mark = run.separators[at];
        let whole = run.count == 2;
        let range = at + 2 < run.count && run.separators[at + 1] == b'-' && mark != b'-';
        if !(whole || range || at > 0 && at + 2 == run.count) || a.first != a.last || b.first != b.last {
            return false;
        }
        if at == 0 && self.glued(a.first) && a.first > 0 && self.kind(a.first - 1) == Some(Kind::Word) {
            return false;
        }
        if whole
            && (self.measured(b.last) || self.glued(b.last + 1) && self.kind(b.last + 1) == Some(Kind::Word))
        {
            return false;
        }
        let cue = self.cue(a.first);
        if a.len <= 2 && b.len == 4 && is_month(a.value) && is_year(b.value) {
            let confidence = match mark {
                b'/' => 0.9,
                _ if cue != Cue::None => 0.85,
                b'-' if a.len == 2 => 0.7,
                _ => return false,
            };
            self.emit_month_year(a, b, false, confidence);
            return true;
        }
        if a.len == 4
            && b.len == 2
            && is_year(a.value)
            && is_month(b.value)
            && cue != Cue::None
            && mark != b'.'
        {
            self.emit_month_year(b, a, true, 0.6);
            return true;
        }
        if a.len == 4
            && b.len == 4
            && is_year(a.value)
            && is_year(b.value)
            && cue >= Cue::Period
            && !self.alone
        {
            self.emit_year(a.first, 0.7);
            self.emit_year(b.first, 0.7);
            return true;
        }
        let listed = cue != Cue::Day;
        if a.len > 2 || b.len > 2 || !is_day(a.value) || !is_month(b.value) {
            return false;
        }
        let shaped = match mark {
            b'/' => true,
            b'.' => a.len == 2 && b.len == 2,
            b'-' => a.len == 2 && b.len == 2 && (self.alone || cue == Cue::Day),
            b'|' => self.alone,
            _ => false,
        };
        let fraction = a.len == 1 && b.len == 1 && matches!((a.value, b.value), (1, 2..=5) | (2, 3) | (3, 4));
        if !shaped || fraction && !self.alone && !range {
            return false;
        }
        let confidence = if self.alone || !listed {
            0.85
        } else if range || at > 0 {
            0.8
        } else if self.in_list(a.first) {
            0.55
        } else {
            return false;
        };
        let pieces = vec![
            self.piece(a.first, a.last, Part::Day { width: self.width(a.first), gap: 0 }),
            self.piece(b.first, b.last, Part::Month { width: self.width(b.first), gap: 0 }),
        ];
        let value = Partial { day: Some(a.value as u8), month: Some(b.value as u8), ..Partial::default() };
        let draft = Draft { first: a.first, last: b.last, value, pieces, confidence, bare_month: false };
        self.emit(draft);
        true
    }

    /// One more of a list of dates: joined to a date just before, or labelled as it (`C3 4/6 C4 22/07`).
    fn in_list(&self, first: usize) -> bool {
        if let Some(found) = self.near(first, 3) {
            let joined = (found.last_token + 1..first).all(|i| {
                matches!(self.mark(i), b',' | b'-' | b';')
                    || self.is_word(i, &["et", "y", "puis", "ou", "o", "a"])
            });
            if joined && found.last_token + 1 < first && found.value.day.is_some() {
                return true;
            }
        }
        let label = first >= 2
            && self.kind(first - 1) == Some(Kind::Number)
            && self.glued(first - 1)
            && matches!(self.tokens[first - 2].shape, Shape::Single)
            && !self.glued(first);
        let first_of_list = self.len(first) == 2
            && self.len(first + 2) == 2
            && matches!(self.str(first.saturating_sub(2)), "C" | "S" | "J" | "D")
            && self.mark(first + 1) == b'/';
        label && (first_of_list || self.near(first, 12).is_some_and(|f| f.value.day.is_some()))
    }

    pub(super) fn emit_month_year(&mut self, month: Atom, year: Atom, year_first: bool, confidence: f32) {
        let width = self.width(month.first);
        let month_piece = self.piece(month.first, month.last, Part::Month { width, gap: 0 });
        let year_piece = self.piece(year.first, year.last, Part::Year { digits: 4, gap: 0 });
        let (first, last) = (month.first.min(year.first), month.last.max(year.last));
        let pieces = if year_first { vec![year_piece, month_piece] } else { vec![month_piece, year_piece] };
        let value =
            Partial { month: Some(month.value as u8), year: Some(year.value as i16), ..Partial::default() };
        self.emit(Draft { first, last, value, pieces, confidence, bare_month: false });
    }

    pub(super) fn emit_year(&mut self, i: usize, confidence: f32) -> usize {
        let Some(year) = self.value(i) else { return i + 1 };
        let mut first = i;
        let mut pieces = vec![self.piece(i, i, Part::Year { digits: 4, gap: 0 })];
        if i > self.floor && self.is_word(i - 1, &["ano"]) {
            first = i - 1;
            pieces.insert(0, self.piece(first, first, Part::Text(self.str(first).into())));
        }
        let value = Partial { year: Some(year as i16), ..Partial::default() };
        self.emit(Draft { first, last: i, value, pieces, confidence, bare_month: false })
    }
}
