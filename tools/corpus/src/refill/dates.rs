//! New dates in the old surface, ages near the old ones.

use jiff::ToSpan;
use jiff::civil::Date;
use taire_text::{date, fold};

use super::Redraw;
use super::words::{Onset, cased_like, onset, pieces};
use crate::MarkedDocument;

const NUMBERS: [&[&str]; 2] = [
    &["deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix"],
    &["dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez"],
];

/// The last four-digit year of a document's dates; 2015 if there is none.
pub(super) fn usual_year(document: &MarkedDocument) -> i16 {
    let years = document.spans.iter().filter(|s| s.label == taire_text::Label::Date).filter_map(|span| {
        pieces(span.of(&document.text)).iter().filter_map(|p| four_digit_year(p.text)).next_back()
    });
    years.max().unwrap_or(2015)
}

fn four_digit_year(word: &str) -> Option<i16> {
    let year = (word.len() == 4).then(|| word.parse::<i16>().ok()).flatten()?;
    (1880..=2040).contains(&year).then_some(year)
}

/// The day a partial date stands for.
fn whole(value: &date::Partial, year: i16) -> Option<Date> {
    let year = match value.year {
        Some(short) if value.two_digit_year => {
            let century = if short > (year % 100) + 5 { 1900 } else { 2000 };
            century + short
        }
        Some(year) => year,
        None => year,
    };
    let month = value.month.or(value.season.map(|s| s.middle_month())).unwrap_or(6);
    let day = value.day.unwrap_or(15).clamp(1, 28);
    Date::new(year, month as i8, day as i8).ok()
}

impl Redraw {
    pub(super) fn date(&mut self, old: &str, before: &str) -> String {
        let asked = onset(before, self.stock.language);
        let begins_with_letter = old.starts_with(char::is_alphabetic);
        if let Some((value, surface)) = date::parse(old, self.stock.language)
            && !surface.begins_with_season()
            && let Some(day) = whole(&value, self.year)
        {
            for extra in 0..30_i32 {
                let weeks = self.weeks + extra * if self.weeks < 0 { -5 } else { 5 };
                let Ok(moved) = day.checked_add(i64::from(weeks).weeks()) else { break };
                let new = surface.print(moved);
                let agrees = asked == Onset::Any || !begins_with_letter || asked.admits(&new);
                if agrees && !surface.loses_its_dot(&new) {
                    return new;
                }
            }
            return old.to_owned();
        }
        self.loose_date(old)
    }

    /// Stamps, ranges, feasts: years move, days stay in order, words stay.
    fn loose_date(&mut self, old: &str) -> String {
        let digits = old.chars().filter(char::is_ascii_digit).count();
        if digits >= 8 && old.chars().all(|c| c.is_ascii_digit()) && old.starts_with(['1', '2']) {
            return self.stamp(old);
        }
        let parts = pieces(old);
        let days: Vec<i32> = parts
            .iter()
            .filter(|p| p.text.len() <= 2)
            .filter_map(|p| p.text.parse().ok())
            .filter(|d| (1..=28).contains(d))
            .collect();
        let (low, high) = (days.iter().min().copied().unwrap_or(1), days.iter().max().copied().unwrap_or(28));
        let has_letters_only_months = !old.contains(['/', '.']);
        let move_days = if has_letters_only_months {
            self.rng.between(0, (28 - high + low - 1) as usize) as i32
        } else {
            0
        };
        let by = 1 - low + move_days;
        let mut out = String::with_capacity(old.len());
        for part in parts {
            if let Some(year) = four_digit_year(part.text) {
                out.push_str(&(i32::from(year) + self.weeks / 52).to_string());
            } else if has_letters_only_months
                && part.text.len() <= 2
                && let Ok(day @ 1..=28) = part.text.parse::<i32>()
            {
                let day = day + by;
                out.push_str(&if part.text.starts_with('0') { format!("{day:02}") } else { day.to_string() });
            } else {
                out.push_str(part.text);
            }
        }
        out
    }

    /// `20190312` and what follows: another day, the same hour.
    fn stamp(&mut self, old: &str) -> String {
        let number = |range: std::ops::Range<usize>| old.get(range).and_then(|n| n.parse::<i16>().ok());
        let day = match (number(0..4), number(4..6), number(6..8)) {
            (Some(y), Some(m), Some(d)) => Date::new(y, m as i8, d as i8).ok(),
            _ => None,
        };
        match day.and_then(|d| d.checked_add(i64::from(self.weeks).weeks()).ok()) {
            Some(d) => format!("{:04}{:02}{:02}{}", d.year(), d.month(), d.day(), &old[8..]),
            None => old.to_owned(),
        }
    }

    /// Near the old age and of the same time of life: medicine around it stays true.
    pub(super) fn age(&mut self, old: &str) -> String {
        let mut out = String::with_capacity(old.len());
        let mut done = false;
        for part in pieces(old) {
            let (digits, unit) =
                part.text.split_at(part.text.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.text.len()));
            match digits.parse::<usize>() {
                Ok(age) if !done => {
                    out.push_str(&format!("{}{unit}", self.near_age(age)));
                    done = true;
                }
                _ => out.push_str(part.text),
            }
        }
        out
    }

    fn near_age(&mut self, age: usize) -> usize {
        let (low, high) = match age {
            0..=2 => return age,
            3..=17 => (age.saturating_sub(2).max(3), (age + 2).min(17)),
            18..=89 => (age.saturating_sub(4).max(18), (age + 4).min(89)),
            _ => (90, (age + 3).clamp(90, 104)),
        };
        self.rng.between(low, high)
    }

    /// `il y a 3 semaines`: another number of them.
    pub(super) fn relative_date(&mut self, old: &str) -> String {
        let words = NUMBERS[usize::from(self.stock.language == taire_text::Language::Es)];
        let mut out = String::with_capacity(old.len());
        let mut done = false;
        for part in pieces(old) {
            let folded = fold(part.text);
            match part.text.parse::<usize>() {
                Ok(n @ 2..=40) if !done => {
                    out.push_str(&self.rng.between(2, n + 3).to_string());
                    done = true;
                }
                Err(_) if !done && words.contains(&folded.as_str()) => {
                    out.push_str(&cased_like(self.rng.pick(words), part.text));
                    done = true;
                }
                _ => out.push_str(part.text),
            }
        }
        out
    }
}
