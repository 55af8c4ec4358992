//! Numbers with their unit inside ages and durations: `74 ans`, `entre 70 et 75 ans`, `hace 3 meses`.

use jiff::civil::Date;
use taire_privacy::Unit as Count;
use taire_text::date::lapse;

use crate::calendar::{number, years_between};

/// The unit of a number in an age or a duration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    pub(crate) fn of(word: &str) -> Option<Unit> {
        let word = taire_text::fold(word);
        Some(match word.as_str() {
            "j" | "jr" | "jrs" | "jour" | "jours" | "dia" | "dias" | "d" => Unit::Day,
            "sem" | "semaine" | "semaines" | "semana" | "semanas" => Unit::Week,
            "mois" | "mes" | "meses" => Unit::Month,
            "a" | "an" | "ans" | "annee" | "annees" | "ano" | "anos" => Unit::Year,
            _ => return None,
        })
    }

    pub(crate) fn span(self, n: i64) -> Option<jiff::Span> {
        match self {
            Unit::Day => jiff::Span::new().try_days(n),
            Unit::Week => jiff::Span::new().try_weeks(n),
            Unit::Month => jiff::Span::new().try_months(n),
            Unit::Year => jiff::Span::new().try_years(n),
        }
        .ok()
    }

    pub(crate) fn of_lapse(unit: lapse::Unit) -> Unit {
        match unit {
            lapse::Unit::Day => Unit::Day,
            lapse::Unit::Week => Unit::Week,
            lapse::Unit::Month => Unit::Month,
            lapse::Unit::Year => Unit::Year,
        }
    }

    pub(crate) fn count(self) -> Count {
        match self {
            Unit::Day => Count::Day,
            Unit::Week => Count::Week,
            Unit::Month => Count::Month,
            Unit::Year => Count::Year,
        }
    }

    pub(crate) fn days(self) -> f64 {
        match self {
            Unit::Day => 1.0,
            Unit::Week => 7.0,
            Unit::Month => 30.436_875,
            Unit::Year => 365.2425,
        }
    }
}

/// Whole units from one day to a later one.
pub(crate) fn elapsed(from: Date, to: Date, unit: Unit) -> i64 {
    match unit {
        Unit::Day => number(to) - number(from),
        Unit::Week => (number(to) - number(from)).div_euclid(7),
        Unit::Month => {
            let months = 12 * (i64::from(to.year()) - i64::from(from.year())) + i64::from(to.month())
                - i64::from(from.month());
            if to.day() < from.day() { months - 1 } else { months }
        }
        Unit::Year => years_between(from, to),
    }
}

/// How many of the second unit make one of the first; `None` where the second is not finer.
pub(crate) fn ratio(coarse: Unit, fine: Unit) -> Option<i64> {
    Some(match (coarse, fine) {
        (Unit::Year, Unit::Month) => 12,
        (Unit::Year, Unit::Week) => 52,
        (Unit::Year, Unit::Day) => 365,
        (Unit::Month, Unit::Week) => 4,
        (Unit::Month, Unit::Day) => 30,
        (Unit::Week, Unit::Day) => 7,
        _ => return None,
    })
}

/// Rewrites each run of digits with its unit, the next word. `None` without digits, with too many, or where a number
/// has no new one.
pub(crate) fn numbers(
    text: &str,
    after: &str,
    mut change: impl FnMut(i64, Option<Unit>) -> Option<i64>,
) -> Option<String> {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    let mut any = false;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        out.push_str(&rest[..start]);
        let end = rest[start..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| start + n);
        let n: i64 = rest[start..end].parse().ok().filter(|n| *n < 10_000)?;
        // "04 ans" becomes "05 ans": a zero that went would show that the number is another.
        let width = if rest[start..].starts_with('0') { end - start } else { 0 };
        rest = &rest[end..];
        let unit = first_unit(rest).or_else(|| if rest.trim().is_empty() { first_unit(after) } else { None });
        // `70-75 ans`, `entre 70 et 75 ans`: the unit of the last number is everybody's.
        let unit = unit.or_else(|| rest.split(|c: char| !c.is_alphabetic()).find_map(Unit::of));
        let new = change(n, unit)?;
        out.push_str(&format!("{new:0width$}"));
        rest = agree(rest, new, &mut out);
        any = true;
    }
    out.push_str(rest);
    any.then_some(out)
}

fn first_unit(text: &str) -> Option<Unit> {
    let text = text.trim_start_matches([' ', '\u{a0}']);
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    Unit::of(&text[..end])
}

/// Writes the unit behind a new number in its right form, and gives what follows it: `1 an`, `2 ans`.
fn agree<'t>(rest: &'t str, number: i64, out: &mut String) -> &'t str {
    const FORMS: [(&str, &str, bool); 11] = [
        ("an", "ans", true),
        ("jour", "jours", true),
        ("semaine", "semaines", true),
        ("année", "années", true),
        ("annee", "annees", true),
        ("año", "años", false),
        ("ano", "anos", false),
        ("mes", "meses", false),
        ("día", "días", false),
        ("dia", "dias", false),
        ("semana", "semanas", false),
    ];
    let blank = rest.len() - rest.trim_start_matches([' ', '\u{a0}']).len();
    let end = rest[blank..].find(|c: char| !c.is_alphabetic()).map_or(rest.len(), |n| blank + n);
    let word = &rest[blank..end];
    let lower = word.to_lowercase();
    let Some(&(one, many, french)) = FORMS.iter().find(|(one, many, _)| *one == lower || *many == lower)
    else {
        return rest;
    };
    let right = if number == 1 || (number == 0 && french) { one } else { many };
    out.push_str(&rest[..blank]);
    if word.chars().count() > 1 && word.chars().all(char::is_uppercase) {
        out.push_str(&right.to_uppercase());
    } else if right == lower {
        out.push_str(word);
    } else {
        out.push_str(right);
    }
    &rest[end..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn units_agree_with_their_number() {
        let to = |n: i64| move |_: i64, _: Option<Unit>| Some(n);
        assert_eq!(numbers("il y a 1 an", "", to(2)).as_deref(), Some("il y a 2 ans"));
        assert_eq!(numbers("2 ANS et demi", "", to(1)).as_deref(), Some("1 AN et demi"));
        assert_eq!(numbers("hace 1 mes", "", to(3)).as_deref(), Some("hace 3 meses"));
        assert_eq!(numbers("de 2 días", "", to(1)).as_deref(), Some("de 1 día"));
        assert_eq!(numbers("3 mois", "", to(1)).as_deref(), Some("1 mois"));
        assert_eq!(numbers("5 ans", "", to(0)).as_deref(), Some("0 an"));
        assert_eq!(numbers("04 ans", "", to(5)).as_deref(), Some("05 ans"));
    }

    #[test]
    fn whole_units_between_two_days() {
        assert_eq!(elapsed(date(2019, 1, 31), date(2019, 3, 30), Unit::Month), 1);
        assert_eq!(elapsed(date(2018, 11, 3), date(2019, 2, 3), Unit::Month), 3);
        assert_eq!(elapsed(date(2019, 1, 1), date(2019, 1, 14), Unit::Week), 1);
    }
}
