//! Words that place an event without a date: "hier", "mardi dernier", "J+5", "depuis 48 heures". Mechanisms release numbers of
//! days, weeks, months and years; these words stay as they are, so that a sentence stays one, and the report says how many they are.

use taire_lang::{CalendarNames, fold_hash};
use taire_text::{Note, fold};

use crate::rewrite::Replacement;

/// Words that place an event alone.
const ALONE: [&str; 12] = [
    "hier",
    "avant-hier",
    "demain",
    "apres-demain",
    "veille",
    "avant-veille",
    "lendemain",
    "surlendemain",
    "ayer",
    "anteayer",
    "anoche",
    "vispera",
];
const PERIODS: [&str; 10] =
    ["semaine", "mois", "annee", "an", "nuit", "week-end", "semana", "mes", "ano", "noche"];
/// What makes a week day or a period one that is near the document.
const NEAR: [&str; 14] = [
    "dernier",
    "derniere",
    "prochain",
    "prochaine",
    "passe",
    "passee",
    "suivant",
    "suivante",
    "pasado",
    "pasada",
    "proximo",
    "proxima",
    "siguiente",
    "ultimo",
];
const HOURS: [&str; 5] = ["h", "heure", "heures", "hora", "horas"];
/// What leads to a number of hours that counts from the document.
const LEADS: [&str; 6] = ["depuis", "a", "dans", "hace", "desde", "dentro"];

/// How many of them are in a note and stay in it.
pub(crate) fn count(note: &Note, replacements: &[Replacement]) -> usize {
    let mut all = 0;
    let mut from = 0;
    // What was replaced by something else does not stay.
    for r in replacements.iter().filter(|r| r.text != r.span.of(note.raw())) {
        all += count_in(&note.raw()[from..r.span.start()]);
        from = r.span.end();
    }
    all + count_in(&note.raw()[from..])
}

fn count_in(text: &str) -> usize {
    let folded = fold(text);
    let words: Vec<&str> = folded
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '-')))
        .map(|word| word.trim_matches('-'))
        .filter(|word| !word.is_empty())
        .collect();
    let calendar = CalendarNames::get();
    let is_period = |word: &str| PERIODS.contains(&word) || calendar.word(fold_hash(word)).weekday.is_some();
    (0..words.len())
        .filter(|&i| {
            let (word, next) = (words[i], words.get(i + 1).copied().unwrap_or_default());
            let before = &words[i.saturating_sub(2)..i];
            ALONE.contains(&word)
                || is_period(word) && NEAR.contains(&next)
                || is_day_count(word)
                || hours(word, next) && before.iter().any(|lead| LEADS.contains(lead))
        })
        .count()
}

/// `J+5`, `J-2`, `J3`.
fn is_day_count(word: &str) -> bool {
    let count = word.strip_prefix('j').map(|rest| rest.trim_start_matches(['+', '-']));
    count.is_some_and(|n| (1..=3).contains(&n.len()) && n.bytes().all(|b| b.is_ascii_digit()))
}

/// `48 heures`, `48h`.
fn hours(word: &str, next: &str) -> bool {
    let digits = word.trim_end_matches('h');
    let number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    number && (digits.len() < word.len() || HOURS.contains(&next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::Language;

    fn count_text(text: &str, language: Language) -> usize {
        let note = Note::builder("d", text).language(Some(language)).build().unwrap();
        count(&note, &[])
    }

    #[test]
    fn words_that_place_events_are_counted() {
        for (text, expected) in [
            ("Vu hier, puis mardi dernier. À J+5, fièvre depuis 48 heures.", 4),
            ("Apyrétique depuis 48h. Sortie le lendemain, revu la semaine prochaine.", 3),
            ("Paracétamol toutes les 6 heures, 3 jours. Dernier mardi du mois. Sonde JJ.", 0),
        ] {
            assert_eq!(count_text(text, Language::Fr), expected, "{text}");
        }
        for (text, expected) in [
            ("Visto ayer y el lunes pasado; fiebre desde hace 48 horas.", 3),
            ("Ibuprofeno cada 8 horas por la mañana.", 0),
        ] {
            assert_eq!(count_text(text, Language::Es), expected, "{text}");
        }
    }
}
