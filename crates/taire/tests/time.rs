//! Whole letters through the shipped policies, then read again: what must hold of time in the text itself.

use jiff::ToSpan;
use jiff::civil::{Date, date};
use taire::{Engine, SecretKey};
use taire_text::date::{Slot, Weekday, find, resolve};
use taire_text::{Language, Note, PatientId, SplitMix64, tokenise};

const LETTERS: u64 = 1500;

struct Random(SplitMix64);

impl Random {
    fn below(&mut self, n: u64) -> i64 {
        (self.0.next_u64() % n) as i64
    }
}

const FRENCH: [&str; 12] = [
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
];
const SPANISH: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];
const FRENCH_DAYS: [&str; 7] = ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"];
const SPANISH_DAYS: [&str; 7] = ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"];

fn years(from: Date, to: Date) -> i64 {
    let years = i64::from(to.year() - from.year());
    years - i64::from((to.month(), to.day()) < (from.month(), from.day()))
}

fn long(day: Date, language: Language) -> String {
    let (d, m) = (day.day(), day.month() as usize - 1);
    match language {
        Language::Fr if d == 1 => format!("1er {}", FRENCH[m]),
        Language::Fr => format!("{d} {}", FRENCH[m]),
        Language::Es => format!("{d} de {}", SPANISH[m]),
    }
}

/// A date without its year, as hospitals write it.
fn yearless(day: Date, shape: i64, language: Language) -> String {
    let weekday = Weekday::of(day) as usize;
    match (shape, language) {
        (0, _) => format!("{:02}/{:02}", day.day(), day.month()),
        (1, _) => long(day, language),
        (2, Language::Fr) => format!("{} {}", FRENCH_DAYS[weekday], long(day, language)),
        (_, Language::Fr) => format!("{} dernier", long(day, language)),
        (2, Language::Es) => format!("{} {}", SPANISH_DAYS[weekday], long(day, language)),
        (_, Language::Es) => format!("pasado {}", long(day, language)),
    }
}

struct Letter {
    text: String,
    /// In the order of the text.
    days: Vec<Date>,
    age: i64,
}

fn letter(seed: u64, language: Language) -> Letter {
    let mut random = Random(SplitMix64::new(seed));
    let day = date(1999, 3, 1).saturating_add(random.below(8_000).days());
    let birth = day.saturating_sub((900 + random.below(31_000)).days());
    let lived = birth.until(day).unwrap().get_days() as u64;
    let event = birth.saturating_add((1 + random.below(lived)).days());
    let recent = day.saturating_sub(random.below(270).days());
    let other = day.saturating_sub(random.below(270).days());
    let next = day.saturating_add((1 + random.below(90)).days());
    let age = years(birth, day);
    let slash = |d: Date| format!("{:02}/{:02}/{}", d.day(), d.month(), d.year());
    let (a, b) = (random.below(4), random.below(3));
    let text = match language {
        Language::Fr => format!(
            "Besançon, le {} {}\n\nCher Confrère,\n\nJe vois ce jour Madame Lefranc, née le {}, âgée de {age} ans.\n\n\
             Elle a été opérée le {}.\n\nBilan sanguin fait le {} et sans particularité.\n\n\
             Radiographie faite le {} ; pas de lésion.\n\nÀ revoir le {}.\n",
            long(day, language),
            day.year(),
            slash(birth),
            slash(event),
            yearless(recent, a, language),
            yearless(other, b, language),
            yearless(next, 0, language),
        ),
        Language::Es => format!(
            "Valladolid, {} de {}\n\nEstimado compañero:\n\nPaciente Ramona Arce Prieto, nacida el {}, de {age} años de \
             edad.\n\nFue intervenida el {}.\n\nAnalítica realizada el {} sin hallazgos.\n\nRadiografía realizada el {} \
             normal.\n\nPróximo control el {}.\n",
            long(day, language),
            day.year(),
            slash(birth),
            slash(event),
            yearless(recent, a, language),
            yearless(other, b, language),
            yearless(next, 0, language),
        ),
    };
    Letter { text, days: vec![day, birth, event, recent, other, next], age }
}

/// The days a reader finds, and whether each week day is right.
fn read(text: &str, language: Language) -> Vec<Date> {
    let mut found = Vec::new();
    find(text, &tokenise(text), language, &mut found);
    found.retain(|f| f.value.day.is_some());
    let slots: Vec<Slot> = found
        .iter()
        .map(|f| Slot {
            value: f.value,
            start: f.span.start(),
            end: f.span.end(),
            birth: text[..f.span.start()].ends_with("née le ")
                || text[..f.span.start()].ends_with("nacida el "),
        })
        .collect();
    let days: Vec<Date> = resolve(text, &slots, None).into_iter().map(Option::unwrap).collect();
    for (f, day) in found.iter().zip(&days) {
        assert!(f.value.weekday.is_none_or(|w| w == Weekday::of(*day)), "a wrong week day: {text}");
    }
    days
}

fn check(language: Language) {
    let key = SecretKey::from_bytes(&[11; 32]).unwrap();
    let engine = Engine::new(Some(language.key()), Some(language), Some(&key)).unwrap();
    let mut tags = 0;
    for seed in 0..LETTERS {
        let letter = letter(seed, language);
        assert_eq!(read(&letter.text, language), letter.days, "the letter itself: {}", letter.text);
        let note = Note::builder(format!("n{seed}"), &letter.text)
            .patient(PatientId::parse(&format!("p{seed}")))
            .language(Some(language))
            .build()
            .unwrap();
        let done = engine.run(note).unwrap();
        let place = format!("letter {seed}:\n{}\n{}", letter.text, done.text);
        // A day and month that would fall on themselves become a tag.
        if done.text.contains("<Date>") {
            tags += 1;
            continue;
        }
        let new = read(&done.text, language);
        assert_eq!(new.len(), letter.days.len(), "{place}");
        let pooled = done.text.contains("ou plus") || done.text.contains("o más");
        let mut pairs: Vec<(Date, Date)> = letter.days.iter().copied().zip(new.iter().copied()).collect();
        assert!(pairs.iter().all(|(old, new)| old != new), "a date stayed, {place}");
        if !pooled {
            let age = years(new[1], new[0]);
            let written = match language {
                Language::Fr => format!("âgée de {age} ans"),
                Language::Es => format!("de {age} años"),
            };
            assert!(done.text.contains(&written), "age {age} for {}, {place}", letter.age);
        } else {
            pairs.remove(1);
        }
        pairs.sort_unstable();
        assert!(pairs.windows(2).all(|w| w[0].1 <= w[1].1), "order, {place}");
        assert!(pairs.windows(2).all(|w| w[0].0 != w[1].0 || w[0].1 == w[1].1), "same day, {place}");
    }
    // Offsets near whole years are as likely as others, so one date in some 365 falls on itself.
    assert!(tags * 80 <= LETTERS, "{tags} of {LETTERS} letters hold a tag for a date");
}

#[test]
fn french_letters_keep_their_time() {
    check(Language::Fr);
}

#[test]
fn spanish_letters_keep_their_time() {
    check(Language::Es);
}
