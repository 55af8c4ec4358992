//! Numbers with blanks around them: `20 12 2003`, `07 2002`, `23022018`, a year after `en`.

use super::Precision;
use super::numeric::{Order, is_day, is_month, is_year};
use super::scan::{Draft, Piece, Scan};
use super::surface::{Part, Width};
use super::value::Partial;
use super::words::Cue;
use crate::{Kind, Shape};

impl Scan<'_> {
    /// A number with no separator glued to it: blanks may separate the parts of a date.
    pub(super) fn blank_run(&mut self, i: usize) -> usize {
        let clean_start = !self.inside_number(i);
        if clean_start
            && !self.glued_to_word(i)
            && let Some(next) = self.spaced_digits(i)
        {
            return next;
        }
        let mut count = 1;
        while count < 24 && self.follows_blank(i + count) {
            count += 1;
        }
        let last = i + count - 1;
        let ends_clean = !(self.glued(last + 1) && self.kind(last + 1) == Some(Kind::Word));
        let starts_other = self.begins_run(i + count);
        if clean_start && !self.glued_to_word(i) {
            match count {
                1 if ends_clean || self.len(i) == 4 => return self.single(i),
                2 if ends_clean && !starts_other && self.any_cue(i) => {
                    if let Some(next) = self.month_year(i) {
                        return next;
                    }
                }
                3 if ends_clean && !starts_other => {
                    if let Some(next) = self.blank_triple(i) {
                        return next;
                    }
                }
                4.. if self.day_cue(i) && self.len(i + 2) == 4 => {
                    if let Some(next) = self.blank_triple(i) {
                        return next;
                    }
                }
                _ => {}
            }
            if self.len(i) == 8 || self.len(i) == 4 && !self.alone {
                self.single(i);
            }
        }
        // Digits in boxes may follow a number in groups.
        (i + 1..=last)
            .find(|&at| at + 7 <= last && (at..at + 8).all(|k| self.len(k) == 1))
            .unwrap_or(last + 1)
    }

    pub(super) fn glued_to_word(&self, i: usize) -> bool {
        self.glued(i)
            && i > 0
            && (self.kind(i - 1) == Some(Kind::Word) || matches!(self.mark(i - 1), b'#' | b'+' | b'=' | 0xc2))
    }

    /// A number after a blank on the same line, which does not itself begin a run with separators.
    pub(super) fn follows_blank(&self, i: usize) -> bool {
        self.kind(i) == Some(Kind::Number) && !self.glued(i) && !self.begins_run(i)
    }

    fn begins_run(&self, i: usize) -> bool {
        let decimal = self.glued(i + 1)
            && matches!(self.mark(i + 1), b',' | b':')
            && self.glued(i + 2)
            && self.kind(i + 2) == Some(Kind::Number);
        self.kind(i) == Some(Kind::Number) && (decimal || self.separator(i).is_some())
    }

    /// `07 2002` after `en`.
    fn month_year(&mut self, i: usize) -> Option<usize> {
        let [a, b] = [self.atom(i)?, self.atom(i + 1)?];
        if a.len > 2 || b.len != 4 || !is_month(a.value) || !is_year(b.value) || self.measured(i + 1) {
            return None;
        }
        self.emit_month_year(a, b, false, 0.8);
        Some(i + 2)
    }

    /// `20 12 2003`.
    fn blank_triple(&mut self, i: usize) -> Option<usize> {
        let [a, b, c] = [self.atom(i)?, self.atom(i + 1)?, self.atom(i + 2)?];
        let (order, confidence) = self.order(a, b, c, b' ', b' ')?;
        let sure = match order {
            Order::YearMonthDay => a.len == 4 && b.len == 2 && c.len == 2,
            _ => {
                let told = self.day_cue(i) || self.triple_follows(c.last);
                c.len == 4 || told && a.len == 2 && b.len == 2 && !self.measured(c.last)
            }
        };
        if !sure || !is_month(b.value) && order != Order::MonthDayYear {
            return None;
        }
        let draft = self.numeric_draft([a, b, c], order, confidence - 0.1);
        self.emit(draft);
        Some(i + 3)
    }

    /// `22 11 03 et le 11 06 03`: another date of the same form is joined to this one.
    fn triple_follows(&self, last: usize) -> bool {
        let joined = self.is_word(last + 1, &["et", "puis", "y"]) && self.is_word(last + 2, &["le", "el"]);
        joined && (last + 3..last + 6).all(|i| self.len(i) == 2 && self.kind(i) == Some(Kind::Number))
    }

    /// One number by itself: `23022018`, `211017` after `le`, a year after `en`.
    fn single(&mut self, i: usize) -> usize {
        let Some(value) = self.value(i) else { return i + 1 };
        match self.len(i) {
            8 => {
                let (head, tail) = (value / 10_000, value % 10_000);
                let (first, last) = (value / 100 % 100, value % 100);
                let context = if self.day_cue(i) {
                    0.9
                } else if self.line_alone(i) {
                    0.7
                } else {
                    0.5
                };
                if is_day(head / 100) && is_month(head % 100) && (1900..=2099).contains(&tail) {
                    self.emit_glued(i, [head / 100, head % 100, tail], Order::DayMonthYear, context);
                } else if (1900..=2099).contains(&head) && is_month(first) && is_day(last) {
                    self.emit_glued(i, [head, first, last], Order::YearMonthDay, context);
                }
            }
            6 if self.day_cue(i) && !self.measured(i) => {
                let parts = [value / 10_000, value / 100 % 100, value % 100];
                if is_day(parts[0]) && is_month(parts[1]) {
                    self.emit_glued(i, parts, Order::DayMonthYear, 0.75);
                }
            }
            4 => {
                if let Some(confidence) = self.year_confidence(i, value) {
                    self.emit_year(i, confidence);
                }
            }
            2 if value > 31 && (self.alone || self.is_short_year(i)) => {
                let draft = Draft {
                    first: i,
                    last: i,
                    value: Partial { year: Some(value as i16), two_digit_year: true, ..Partial::default() },
                    pieces: vec![self.piece(i, i, Part::Year { digits: 2, gap: 0 })],
                    confidence: 0.6,
                    bare_month: false,
                };
                return self.emit(draft);
            }
            1 | 2 if self.alone && is_day(value) && i + 1 == self.tokens.len() => {
                let part = Part::Day { width: self.width(i), gap: 0 };
                let draft = Draft {
                    first: i,
                    last: i,
                    value: Partial { day: Some(value as u8), ..Partial::default() },
                    pieces: vec![self.piece(i, i, part)],
                    confidence: 0.5,
                    bare_month: false,
                };
                return self.emit(draft);
            }
            _ => {}
        }
        i + 1
    }

    /// `revu en 98`: two digits after `en` or `depuis` that nothing measures or counts.
    fn is_short_year(&self, i: usize) -> bool {
        let ends = match self.kind(i + 1) {
            None | Some(Kind::Newline) => true,
            Some(Kind::Mark) => matches!(self.mark(i + 1), b'.' | b',' | b';' | b')') && !self.glued(i + 2),
            Some(Kind::Word) => self.is_word(
                i + 1,
                &["et", "puis", "pour", "par", "avec", "a", "au", "chez", "sans", "y", "por", "con"],
            ),
            Some(Kind::Number) => false,
        };
        ends && self.value(i).is_some_and(|v| v >= 50)
            && self.is_word(i.wrapping_sub(1), &["en", "depuis", "desde"])
            && !self.measured(i)
    }

    fn line_alone(&self, i: usize) -> bool {
        (i == 0 || self.kind(i - 1) == Some(Kind::Newline))
            && matches!(self.kind(i + 1), None | Some(Kind::Newline))
    }

    fn emit_glued(&mut self, i: usize, numbers: [u32; 3], order: Order, confidence: f32) {
        let start = self.tokens[i].start();
        let long = self.len(i) == 8;
        let year = if order == Order::YearMonthDay { 0 } else { 2 };
        let mut at = start;
        let mut pieces: Vec<Piece> = Vec::with_capacity(3);
        for n in 0..3 {
            let size = if n == year && long { 4 } else { 2 };
            let part = match n {
                n if n == year => Part::Year { digits: size as u8, gap: 0 },
                1 => Part::Month { width: Width::Two, gap: 0 },
                _ => Part::Day { width: Width::Two, gap: 0 },
            };
            pieces.push(Piece { start: at, end: at + size, part });
            at += size;
        }
        let value = Partial {
            year: Some(numbers[year] as i16),
            month: Some(numbers[1] as u8),
            day: Some(numbers[2 - year] as u8),
            two_digit_year: !long,
            ..Partial::default()
        };
        self.emit(Draft { first: i, last: i, value, pieces, confidence, bare_month: false });
    }

    fn year_confidence(&self, i: usize, value: u32) -> Option<f32> {
        if self.alone {
            return is_year(value).then_some(0.9);
        }
        if !(1900..=2049).contains(&value) || self.measured(i) {
            return None;
        }
        let glued_after = self.glued(i + 1) && self.kind(i + 1) == Some(Kind::Word);
        let coded = self.glued(i) && i > 0 && matches!(self.mark(i - 1), b'-' | b'/' | b'.' | b'*' | b'_');
        let after_third = coded && self.mark(i - 1) == b'-' && i >= 2 && self.is_word(i - 2, &["mi"]);
        if glued_after || coded && !after_third {
            return None;
        }
        if after_third {
            return Some(0.8);
        }
        if let Some(found) = self.near(i, 3) {
            let joined = (found.last_token + 1..i).all(|t| {
                matches!(self.mark(t), b',' | b'-')
                    || self.is_word(t, &["et", "y", "puis", "ou", "o", "a", "en"])
            });
            if joined && found.last_token + 1 < i && found.value.precision() == Precision::Year {
                return Some(0.7);
            }
        }
        match self.cue(i) {
            Cue::Year => return Some(0.9),
            Cue::Period => return Some(0.85),
            _ => {}
        }
        if i >= 2
            && self.is_word(i - 1, &["de", "del", "l", "a"])
            && self.is_word(i - 2, &["finales", "principios", "mediados", "comienzos", "fin", "debut"])
        {
            return Some(0.8);
        }
        let cited = i >= 3 && self.is_word(i - 3, &["al"]);
        let bracketed = i > 0 && self.mark(i - 1) == b'(' && self.mark(i + 1) == b')' && !cited;
        let line_start = i == 0 || self.kind(i - 1) == Some(Kind::Newline);
        let bullet = i > 0 && self.mark(i - 1) == b'-' && !self.glued(i);
        if bracketed {
            Some(0.5)
        } else if (line_start || bullet)
            && (self.mark(i + 1) == b':'
                || self.tokens.get(i + 1).is_some_and(|t| t.shape == Shape::Title)
                || bullet && self.lower_word(i + 1))
        {
            Some(0.4)
        } else {
            None
        }
    }
}
