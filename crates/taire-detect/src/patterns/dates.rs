//! Dates, ages and distances in time, found by [`taire_text::date`] and given their label by what stands before
//! them.

use taire_text::Label;
use taire_text::date::{self, lapse, lapse::LapseKind};

use super::keywords::KeywordKind;
use super::run::Run;
use super::{Scan, Step};

impl Scan<'_> {
    /// Whether a date, an age or a distance in time is still to be met at a token or before it.
    #[inline]
    pub(super) fn is_time(&self, token: usize) -> bool {
        self.dates.get(self.next_date).is_some_and(|d| d.first_token <= token)
            || self.lapses.get(self.next_lapse).is_some_and(|l| l.first_token <= token)
    }

    /// The date, age or distance in time that starts at a token.
    pub(super) fn time_at(&mut self, token: usize) -> Option<Step> {
        self.date_at(token).or_else(|| self.lapse_at(token))
    }

    fn lapse_at(&mut self, token: usize) -> Option<Step> {
        while self.lapses.get(self.next_lapse).is_some_and(|l| l.first_token < token) {
            self.next_lapse += 1;
        }
        let lapse = self.lapses.get(self.next_lapse).filter(|l| l.first_token == token)?;
        let (span, score, last) = (lapse.span, lapse.confidence, lapse.last_token);
        let (label, why) = match lapse.kind {
            LapseKind::Age => (Label::Age, "age"),
            LapseKind::Ago | LapseKind::In | LapseKind::Since => (Label::RelativeDate, "distance in time"),
            LapseKind::Duration => return None,
        };
        self.say(span.start(), span.end(), label, score, why);
        Some(Step::Token(last + 1))
    }

    fn date_at(&mut self, token: usize) -> Option<Step> {
        while self.dates.get(self.next_date).is_some_and(|d| d.first_token < token) {
            self.next_date += 1;
        }
        let date = self.dates.get(self.next_date).filter(|d| d.first_token == token)?;
        let (span, score, law, last) = (date.span, date.confidence, date.law, date.last_token);
        if law {
            self.clear(span.start(), span.end(), 0.9, "date of a law");
        } else if self.context(token).is_some_and(|c| c.kind == KeywordKind::Birth && c.names(6)) {
            self.say(
                span.start(),
                span.end(),
                Label::BirthDate,
                score.max(0.95),
                "date after a word of birth",
            );
        } else if self.after_sex_cell(token) {
            self.say(
                span.start(),
                span.end(),
                Label::BirthDate,
                score,
                "date after the sex in an identity strip",
            );
        } else {
            self.say(span.start(), span.end(), Label::Date, score, "date");
        }
        Some(Step::Token(last + 1))
    }

    /// "… | F | 10/05/1986 | …": the strip that printed records carry at their head.
    fn after_sex_cell(&self, token: usize) -> bool {
        let Some(first) = token.checked_sub(3) else { return false };
        self.text_of(first) == "|"
            && matches!(self.text_of(first + 1), "F" | "M" | "H")
            && self.text_of(first + 2) == "|"
    }

    /// What a long number in such a strip is: the patient's number after the birth date, then the visit's.
    pub(super) fn strip_label(&self, token: usize) -> Option<Label> {
        let bar = token.checked_sub(1).filter(|&i| self.text_of(i) == "|")?;
        let floor = bar.saturating_sub(10);
        let cell = (floor..bar).rev().find(|&i| self.text_of(i) == "|")? + 1;
        let start = self.tokens[cell].start();
        let before =
            self.out.get(self.floor..)?.last().filter(|m| self.note.to_norm(m.span).start() >= start)?;
        match before.label()? {
            Label::Date | Label::BirthDate | Label::Age => Some(Label::PatientId),
            Label::PatientId => Some(Label::VisitId),
            _ => None,
        }
    }

    /// Whether a date starts at a token ahead.
    pub(super) fn date_starts(&self, token: usize) -> bool {
        self.dates.binary_search_by_key(&token, |d| d.first_token).is_ok()
    }

    /// Digits typed one by one that are a date and not, taken together, a telephone or a social security number.
    pub(super) fn boxed_date(&mut self, run: &Run, g: usize) -> Option<Step> {
        let singles = run.singles_from(g);
        if singles < 7 || matches!(singles, 10 | 13 | 15) {
            return None;
        }
        let first = run.groups[g].first;
        if self.date_starts(first) {
            return self.date_at(first);
        }
        let h = run.spaced_date(g)?;
        Some(self.say_groups(run, g, h, Label::Date, 0.7, "date, digit by digit"))
    }

    pub(super) fn find_dates(&mut self) {
        date::find(self.text, self.tokens, self.note.language, &mut self.dates);
        lapse::find_durations(self.text, self.tokens, self.note.language, &mut self.lapses);
    }
}
