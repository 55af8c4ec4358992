//! Dates that hang on a word: a month (`3 mai 2010`, `05nov`, `mayo/2010`), a season, a year in letters.
//!
//! The day is looked for before the month and the year behind it, so that digits alone need no look ahead.

use taire_lang::CalendarNames;

use super::letters;
use super::numeric::is_year;
use super::scan::{Draft, Piece, Scan};
use super::surface::{Name, Part, Spelt};
use super::value::{Partial, Season};
use super::words::{self, Cue};
use crate::Kind;

/// A day before a month.
struct Day {
    first: usize,
    value: u8,
    piece: Piece,
    /// Glued to the month or joined to it by a mark.
    tight: bool,
}

/// A year behind a month.
struct Year {
    last: usize,
    value: u32,
    piece: Piece,
    digits: u8,
    /// Glued to what stands before, or after an apostrophe.
    joined: bool,
}

impl Scan<'_> {
    pub(super) fn month(&mut self, m: usize, month: u8, misspelt: bool) -> usize {
        let typed = self.str(m);
        let mut name = Name::new(CalendarNames::get().months(), month as usize - 1, typed);
        let full = name.styles & words::full_months() != 0 || misspelt;
        if misspelt {
            name.styles = words::full_month_style(self.language);
            name.accents = None;
        }
        let own = words::own_months(self.language);
        let foreign = !misspelt && name.styles != 0 && name.styles & own == 0;
        if self.is_spelt_seven(m, typed) {
            return m + 1;
        }
        let day = self.day_before(m);
        let year = self.year_after(m, day.as_ref().is_some_and(|d| d.tight));
        let long_year = year.as_ref().is_some_and(|y| y.digits != 2);
        let cue = self.cue(m);
        let mut bare_month = false;
        let confidence = match (&day, &year) {
            (Some(_), Some(_)) if misspelt => 0.8,
            (Some(_), Some(_)) => 0.98,
            (Some(d), None) if misspelt => {
                if !self.alone && !self.day_cue(d.first) {
                    return m + 1;
                }
                0.6
            }
            (Some(d), None) if full && !foreign => {
                if self.alone || self.day_cue(d.first) || d.tight {
                    0.93
                } else {
                    0.9
                }
            }
            (Some(d), None) => {
                if !(d.tight
                    || matches!(d.piece.part, Part::FirstDay(_))
                    || self.alone
                    || self.day_cue(d.first)
                    || self.mark(m + 1) == b'.' && self.glued(m + 1))
                {
                    return m + 1;
                }
                0.8
            }
            (None, Some(_)) if long_year && !misspelt => 0.95,
            (None, Some(_)) if misspelt => {
                if !long_year || !self.alone && cue == Cue::None {
                    return m + 1;
                }
                0.7
            }
            (None, Some(y)) if full && !foreign || y.joined || self.alone => 0.75,
            (None, Some(_)) => return m + 1,
            (None, None) if self.alone && !misspelt && self.kind(m + 1) != Some(Kind::Word) => 0.5,
            (None, None) if full && !foreign && !misspelt => {
                if self.month_follows(m) {
                    0.75
                } else if self.third_before(m).is_some() {
                    0.6
                } else if matches!(cue, Cue::Period)
                    || self.is_word(m.wrapping_sub(1), &["de"])
                        && self.is_word(m.wrapping_sub(2), &["mois", "mes"])
                {
                    bare_month = true;
                    0.6
                } else {
                    return m + 1;
                }
            }
            (None, None) => return m + 1,
        };
        let mut value = Partial { month: Some(month), ..Partial::default() };
        let mut pieces = Vec::with_capacity(3);
        let (mut first, mut last) = (m, m);
        if let Some(day) = day {
            value.day = Some(day.value);
            first = day.first;
            pieces.push(day.piece);
        }
        pieces.push(self.piece(m, m, Part::MonthName(name)));
        if let Some(year) = year {
            value.year = Some(year.value as i16);
            value.two_digit_year = year.digits == 2;
            last = year.last;
            pieces.push(year.piece);
        }
        self.emit(Draft { first, last, value, pieces, confidence, bare_month })
    }

    /// `sept` as the number seven: `dix-sept`, `vingt-sept`, or before a noun.
    fn is_spelt_seven(&self, m: usize, typed: &str) -> bool {
        if !typed.eq_ignore_ascii_case("sept") {
            return false;
        }
        let before = if m > 0 && self.mark(m - 1) == b'-' { m.checked_sub(2) } else { m.checked_sub(1) };
        before.is_some_and(|b| {
            self.kind(b) == Some(Kind::Word) && letters::is_number_word(self.str(b), self.language)
        })
    }

    /// `mai à juin 2029`, `mars-avril 2005`, `mayo y julio de 2005`.
    fn month_follows(&self, m: usize) -> bool {
        let joined = matches!(self.mark(m + 1), b'-' | b'/' | b',')
            || self.is_word(m + 1, &["a", "et", "y", "ou", "o", "au", "hasta"]);
        let at = if self.is_word(m + 2, &["en", "fin", "debut"]) { m + 3 } else { m + 2 };
        joined && self.kind(at) == Some(Kind::Word) && words::is_month(self.str(at))
    }

    fn day_before(&self, m: usize) -> Option<Day> {
        let mut at = m.checked_sub(1).filter(|&b| b >= self.floor)?;
        let mut tight = self.glued(m);
        if self.is_word(at, &["de", "d"]) {
            at = at.checked_sub(1)?;
            if matches!(self.mark(at), b'-') {
                at = at.checked_sub(1)?;
            }
        } else if matches!(self.mark(at), b'-' | b'/' | b'.' | b'_' | b'\'' | b'|') {
            let mark = self.mark(at);
            tight = true;
            // A dash with blanks may be a bullet or a range.
            if mark != b'-' && mark != b'/' && !self.glued(at)
                || self.glued(at) != self.glued(m) && mark != b'.'
            {
                return None;
            }
            // "TIMI 3. OCT : …", "27. MAYO 85": a sentence ends before a test.
            let year = self.value(m + 1).is_some_and(is_year);
            let sentence = mark == b'.' && !self.glued(m) && self.tokens[m].is_capitalised() && !year;
            at = at.checked_sub(1)?;
            if sentence && !self.day_cue(at) {
                return None;
            }
        }
        if at < self.floor {
            return None;
        }
        match self.kind(at) {
            Some(Kind::Number) => {
                let value = self.value(at).filter(|v| (1..=31).contains(v))?;
                if self.len(at) > 2 || !self.clean_day(at) {
                    return None;
                }
                let part = Part::Day { width: self.width(at), gap: 0 };
                Some(Day { first: at, value: value as u8, piece: self.piece(at, at, part), tight })
            }
            Some(Kind::Mark) if matches!(self.str(at), "°" | "º") => self.first_day(at, tight),
            Some(Kind::Word) if self.glued(at) && self.is_word(at, &["er", "ero", "o"]) => {
                self.first_day(at, tight)
            }
            Some(Kind::Word) if self.glued(at) && self.is_word(at, &["nd", "eme", "e"]) => {
                self.ordinal_day(at, tight)
            }
            Some(Kind::Word) => self.spelt_day(at, tight),
            _ => None,
        }
    }

    fn clean_day(&self, at: usize) -> bool {
        if self.inside_number(at) {
            return matches!(self.mark(at - 1), b'-' | b'/');
        }
        !(self.glued(at)
            && at > 0
            && self.tokens[at - 1].kind == Kind::Word
            && self.tokens[at - 1].is_capitalised()
            && self.len(at - 1) < 3)
    }

    fn first_day(&self, mark: usize, tight: bool) -> Option<Day> {
        let at = mark.checked_sub(1).filter(|&b| b >= self.floor)?;
        if !self.glued(mark) || self.str(at) != "1" || !self.clean_day(at) {
            return None;
        }
        let part = Part::FirstDay(self.str(mark).into());
        Some(Day { first: at, value: 1, piece: self.piece(at, mark, part), tight })
    }

    /// `2nd mars`, `3ème mai`: only the first day keeps an ordinal when it is written again.
    fn ordinal_day(&self, mark: usize, tight: bool) -> Option<Day> {
        let at = mark.checked_sub(1).filter(|&b| b >= self.floor)?;
        let value = self.value(at).filter(|v| (2..=31).contains(v))?;
        if self.len(at) > 2 || !self.clean_day(at) {
            return None;
        }
        let piece = self.piece(at, mark, Part::FirstDay("er".into()));
        Some(Day { first: at, value: value as u8, piece, tight })
    }

    fn spelt_day(&self, last: usize, tight: bool) -> Option<Day> {
        let (first, value) = self.spelt_number(last, 31)?;
        let typed = &self.text[self.tokens[first].start()..self.tokens[last].end()];
        let part = Part::SpeltDay(Spelt::new(value, typed, self.language, true));
        Some(Day { first, value: value as u8, piece: self.piece(first, last, part), tight })
    }

    /// The longest number in letters, from one to `most`, that ends at token `last`: its first token and value.
    pub(super) fn spelt_number(&self, last: usize, most: u32) -> Option<(usize, u32)> {
        let is_part = |i: usize| match self.kind(i) {
            Some(Kind::Word) => letters::is_number_word(self.str(i), self.language),
            Some(Kind::Mark) => self.mark(i) == b'-' && self.glued(i),
            _ => false,
        };
        if !is_part(last) {
            return None;
        }
        let mut first = last;
        while first > self.floor && last - first < 6 && is_part(first - 1) {
            first -= 1;
        }
        (first..=last).find_map(|start| {
            let (value, end) = letters::read(self.text, self.tokens, start, self.language)?;
            (end == last && (1..=most).contains(&value)).then_some((start, value))
        })
    }

    /// The year behind a month or a season, over `de`, `del año`, a dot, a dash, an apostrophe.
    fn year_after(&self, m: usize, tight: bool) -> Option<Year> {
        let mut at = m + 1;
        let mut joined = self.glued(at) && self.kind(at) == Some(Kind::Number);
        if self.mark(at) == b'.' && self.glued(at) && self.kind(at + 1) != Some(Kind::Newline) {
            at += 1;
            joined = joined || self.glued(at) && tight;
        }
        match self.mark(at) {
            b'-' | b'/' | b'_' | b'|' if self.glued(at) || !tight => {
                joined = self.glued(at) && self.glued(at + 1);
                at += 1;
            }
            b',' | b'\'' => {
                joined = self.mark(at) == b'\'';
                at += 1;
            }
            _ => {}
        }
        if self.is_word(at, &["de", "del", "d"]) {
            at += 1;
            if matches!(self.mark(at), b'\'' | b'-') {
                at += 1;
            }
            if self.is_word(at, &["l"]) && self.mark(at + 1) == b'\'' {
                at += 2;
            }
            if self.is_word(at, &["ano", "an", "annee"]) {
                at += 1;
            }
        } else if self.mark(at) == b'\'' {
            joined = true;
            at += 1;
        }
        match self.kind(at)? {
            Kind::Number => self.year_in_digits(at, joined),
            Kind::Word => {
                let (value, last) = letters::read(self.text, self.tokens, at, self.language)?;
                if !is_year(value) {
                    return None;
                }
                let typed = &self.text[self.tokens[at].start()..self.tokens[last].end()];
                let part = Part::SpeltYear(Spelt::new(value, typed, self.language, false));
                Some(Year { last, value, piece: self.piece(at, last, part), digits: 0, joined: false })
            }
            _ => None,
        }
    }

    fn year_in_digits(&self, at: usize, joined: bool) -> Option<Year> {
        let atom = self.atom(at)?;
        let digits = atom.len as u8;
        let fits = match digits {
            4 => is_year(atom.value) && !self.runs_on(atom.last),
            2 => atom.first == atom.last && self.two_digits_fit(at, joined),
            _ => false,
        };
        fits.then(|| Year {
            last: atom.last,
            value: atom.value,
            piece: self.piece(atom.first, atom.last, Part::Year { digits, gap: 0 }),
            digits,
            joined,
        })
    }

    /// More digits are joined to this number by a decimal mark.
    fn runs_on(&self, last: usize) -> bool {
        matches!(self.mark(last + 1), b',' | b':')
            && self.glued(last + 1)
            && self.glued(last + 2)
            && self.kind(last + 2) == Some(Kind::Number)
    }

    fn two_digits_fit(&self, at: usize, joined: bool) -> bool {
        let next = at + 1;
        if self.measured(at)
            || self.glued(next) && self.kind(next) == Some(Kind::Word)
            || matches!(self.mark(next), b'/' | b'-' | b':' | b'.')
                && self.glued(next)
                && self.glued(next + 1)
                && self.kind(next + 1) == Some(Kind::Number)
            || !self.glued(next) && self.kind(next) == Some(Kind::Number)
            || self.is_word(next, &["h", "heures", "horas", "hs"])
        {
            return false;
        }
        let telling = self.value(at).is_some_and(|v| v > 31) || self.str(at).starts_with('0');
        joined || telling || !self.lower_word(next)
    }

    /// `3-V-2010`, `18X2027`.
    pub(super) fn roman(&mut self, m: usize, month: u8) -> usize {
        let glued_before = self.glued(m) && m > self.floor;
        let glued_after = self.glued(m + 1);
        if !glued_before || !glued_after {
            return m + 1;
        }
        let (Some(day), Some(year)) = (self.day_before(m), self.year_after(m, true)) else { return m + 1 };
        let marks = matches!(self.mark(m - 1), b'-' | b'/' | b'.') && self.mark(m - 1) == self.mark(m + 1);
        let bare = self.kind(m - 1) == Some(Kind::Number) && self.kind(m + 1) == Some(Kind::Number);
        if !(marks || bare && year.digits == 4) || year.digits == 0 || !day.tight {
            return m + 1;
        }
        let value = Partial {
            day: Some(day.value),
            month: Some(month),
            year: Some(year.value as i16),
            two_digit_year: year.digits == 2,
            ..Partial::default()
        };
        let (first, last) = (day.first, year.last);
        let confidence = if year.digits == 4 { 0.85 } else { 0.6 };
        let pieces = vec![day.piece, self.piece(m, m, Part::RomanMonth), year.piece];
        self.emit(Draft { first, last, value, pieces, confidence, bare_month: false })
    }

    /// `été 2015`, `otoño de 2012`.
    pub(super) fn season(&mut self, m: usize, season: Season) -> usize {
        let Some(year) = self.year_after(m, false).filter(|y| y.digits == 4) else { return m + 1 };
        let name = Name::new(CalendarNames::get().seasons(), season as usize, self.str(m));
        let value = Partial { season: Some(season), year: Some(year.value as i16), ..Partial::default() };
        let last = year.last;
        let pieces = vec![self.piece(m, m, Part::Season(name)), year.piece];
        self.emit(Draft { first: m, last, value, pieces, confidence: 0.9, bare_month: false })
    }

    /// `deux mille dix-sept` after `en`.
    pub(super) fn year_in_letters(&mut self, thousand: usize) -> usize {
        let mut first = thousand;
        while first > self.floor
            && thousand - first < 2
            && (letters::is_number_word(self.str(first - 1), self.language)
                || self.mark(first - 1) == b'-' && self.glued(first))
        {
            first -= 1;
        }
        let Some((value, last)) = letters::read(self.text, self.tokens, first, self.language) else {
            return thousand + 1;
        };
        let clear = self.alone || matches!(self.cue(first), Cue::Period | Cue::Year);
        if !clear || last < thousand || !(1900..=2099).contains(&value) || self.measured(last) {
            return thousand + 1;
        }
        let typed = &self.text[self.tokens[first].start()..self.tokens[last].end()];
        let part = Part::SpeltYear(Spelt::new(value, typed, self.language, false));
        let pieces = vec![self.piece(first, last, part)];
        let value = Partial { year: Some(value as i16), ..Partial::default() };
        self.emit(Draft { first, last, value, pieces, confidence: 0.7, bare_month: false })
    }
}
