//! What may be a clinical value: its entity gets a visible tag unless its chance is high.

use taire_text::{Entity, Group, Kind, Label, Raw, Source, Span, date};

use super::Guard;
use crate::allow_list::protected_numbers;

/// An entity as sure as this is rewritten like any other.
const SURE: f32 = 0.9;

impl Guard<'_> {
    /// Marks entities that may be clinical values and are not sure. Scores must be calibrated.
    pub fn mark_doubtful(&self, entities: &mut [Entity]) {
        for entity in entities {
            let unsure = entity.score.get() < SURE && self.is_like_a_value(entity);
            entity.doubtful_value = unsure || self.is_bare_fraction(entity);
        }
    }

    /// Whether the text of an entity reads like a value of medicine more than like its label.
    fn is_like_a_value(&self, entity: &Entity) -> bool {
        use Label::*;
        let (label, span) = (entity.label, entity.span);
        let text = self.note.readable(span);
        if !text.bytes().any(|b| b.is_ascii_digit()) {
            return label == Street && self.broken_form(label, span).is_some() && self.has_medicine(span);
        }
        match label {
            Date | BirthDate => {
                let words = text.chars().any(char::is_alphabetic);
                let whole = date::parse(text.trim(), self.note.language)
                    .is_some_and(|(value, _)| value.is_complete());
                let year = text.bytes().all(|b| b.is_ascii_digit())
                    && text.len() == 4
                    && self.broken_form(label, span).is_none()
                    && self.after_lower_case(span);
                let day = self.after_day_word(span);
                !(whole || (words || day) && self.broken_form(label, span).is_none() || year)
            }
            Age | RelativeDate | Phone | Fax | PostalCode | Street => self.broken_form(label, span).is_some(),
            Email | Url | IpAddress => false,
            _ if label.group() == Group::Identifier => !self.keyed(span, |_| true),
            Hospital | HealthCentre | Institution | Profession | OtherDetail => self.has_medicine(span),
            _ => true,
        }
    }

    /// `26/5` among fractions that are no days: doses and their fractions, scores.
    pub(super) fn is_medical_fraction(&self, span: Span<Raw>, label: Label) -> bool {
        let text = span.of(self.note.raw());
        let fraction = text.split_once('/').is_some_and(|(a, b)| {
            [a, b].iter().all(|n| (1..=2).contains(&n.len()) && n.bytes().all(|c| c.is_ascii_digit()))
        });
        let Some((first, end)) = self.tokens_of(span).filter(|_| fraction && label == Label::Date) else {
            return false;
        };
        let (tokens, norm) = (&self.note.tokens, self.note.norm());
        let value = |i: usize| tokens.get(i).and_then(|t| t.of(norm).parse::<u32>().ok());
        let slash = |i: usize| tokens.get(i).is_some_and(|t| t.of(norm) == "/");
        // "8/1, 20/5, 30/10", "66/33": another fraction beside it that no calendar has.
        let impossible = |a: Option<usize>, b: usize| {
            let (Some(day), Some(month)) = (a.and_then(value), value(b)) else { return false };
            let wide = |i: usize| tokens[i].end() - tokens[i].start() == 2;
            // "09/91", "82/04": a month and a short year.
            let year =
                a.is_some_and(wide) && wide(b) && ((1..=12).contains(&day) || (1..=12).contains(&month));
            !year && (!(1..=31).contains(&day) || !(1..=12).contains(&month)) || day > 29 && month == 2
        };
        let own = impossible(Some(first), end - 1);
        let line = self.note.line(self.note.line_at(tokens[first].start()));
        let row = first.saturating_sub(24)..(end + 24).min(tokens.len());
        let beside = row.filter(|&i| (line.start()..line.end()).contains(&tokens[i].start()) && slash(i));
        let odd = || beside.clone().filter(|&i| impossible(i.checked_sub(1), i + 1)).count() >= 2;
        own || !self.may_begin_a_date(span) && odd()
    }

    /// `2/10` that only a model takes for a day, with nothing of a date before it: a score as well.
    fn is_bare_fraction(&self, entity: &Entity) -> bool {
        let text = self.note.readable(entity.span);
        let fraction = text.split_once('/').is_some_and(|(a, b)| {
            [a, b].iter().all(|n| (1..=2).contains(&n.len()) && n.bytes().all(|c| c.is_ascii_digit()))
        });
        matches!(entity.label, Label::Date | Label::BirthDate)
            && fraction
            && entity.sources.iter().all(Source::is_learned)
            && !self.may_begin_a_date(entity.span)
    }

    /// Whether a word in small letters stands before a span: "en 2012", "desde 2012".
    fn after_lower_case(&self, span: Span<Raw>) -> bool {
        self.tokens_of(span).is_some_and(|(first, _)| {
            first > 0 && self.note.tokens[first - 1].shape == taire_text::Shape::Lower
        })
    }

    /// Whether a word stands in a span that medicine has for itself: ordinary words are on its lists too.
    pub(super) fn has_medicine(&self, span: Span<Raw>) -> bool {
        self.tokens_of(span).is_some_and(|(first, end)| {
            self.note.tokens[first..end].iter().any(|t| {
                t.kind == Kind::Word
                    && (t.facts.is_medical() || t.facts.is_drug())
                    && t.facts.word_class() < 2
                    && t.end() - t.start() > 3
            })
        })
    }

    /// Whether a span is plainly a measure: decimals, cells of a table, a unit after it.
    pub(super) fn is_measure(&self, span: Span<Raw>) -> bool {
        let text = self.note.readable(span);
        let longest = text.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
        let cells = (text.contains(['\t', '|', '%', '=', '<', '>']) || text.contains("  ")) && longest <= 4;
        let unit = self.tokens_of(span).is_some_and(|(_, end)| {
            let next = self.note.tokens.get(end);
            next.is_some_and(|t| self.is_unit(t.of(self.note.norm())) && t.end() - t.start() > 1)
        });
        cells || unit || self.has_decimals(span)
    }

    /// Whether a span may be a value: words of medicine, numbers that measure, cells of a table.
    pub(super) fn may_be_value(&self, span: Span<Raw>) -> bool {
        let text = self.note.readable(span);
        let longest = text.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
        let cells = text.contains(['\t', '|', '%', '=', '<', '>']) || text.contains("  ");
        if cells && longest <= 4 || self.has_medicine(span) {
            return true;
        }
        let Some((first, end)) = self.tokens_of(span) else { return false };
        let (tokens, norm) = (&self.note.tokens, self.note.norm());
        let number = |i: usize| tokens.get(i).is_some_and(|t| t.kind == Kind::Number);
        let short = |i: usize| tokens[i].end() - tokens[i].start() <= 3;
        // "44-98", "81 / 52 / 19"
        let runs = text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty()).count();
        let plain = text.chars().all(|c| c.is_ascii_digit() || " -–/+()".contains(c));
        if plain && longest <= 3 && runs >= 2 && (runs <= 3 || text.contains('+')) {
            return true;
        }
        let decimal = (first..end).any(|i| {
            number(i)
                && number(i + 2)
                && tokens.get(i + 1).is_some_and(|t| {
                    t.glued && (t.of(norm) == "," || t.of(norm) == "/" && short(i) && short(i + 2))
                })
        });
        let protected = self.protected.get_or_init(|| protected_numbers(self.note));
        let mut numbers = (first..end).filter(|&i| number(i)).peekable();
        decimal || numbers.peek().is_some() && numbers.all(|i| protected[i])
    }
}
