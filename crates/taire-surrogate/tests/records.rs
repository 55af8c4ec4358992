//! Thousands of random records: what must hold of time whatever the calendar.

mod common;

use std::collections::BTreeMap;

use common::marked_entities;
use jiff::ToSpan;
use jiff::civil::{Date, date};
use taire_surrogate::{Rewriter, SecretKey};
use taire_text::date::parse;
use taire_text::{Label, Language, Note, PatientId, SplitMix64};

const RECORDS: u64 = 2000;

struct Random(SplitMix64);

impl Random {
    fn below(&mut self, n: u64) -> i64 {
        (self.0.next_u64() % n) as i64
    }
}

struct Letter {
    id: String,
    date: Date,
    birth: Date,
    source: String,
    /// The days written in it, in the order of its entities.
    days: Vec<Date>,
}

fn years(from: Date, to: Date) -> i64 {
    let years = i64::from(to.year() - from.year());
    years - i64::from((to.month(), to.day()) < (from.month(), from.day()))
}

fn written(day: Date, shape: i64) -> String {
    const MONTHS: [&str; 12] = [
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
    match shape {
        0 => format!("{:02}/{:02}/{}", day.day(), day.month(), day.year()),
        1 => format!("{:02}.{:02}.{}", day.day(), day.month(), day.year()),
        _ => {
            let first = if day.day() == 1 { "1er".to_owned() } else { day.day().to_string() };
            format!("{first} {} {}", MONTHS[day.month() as usize - 1], day.year())
        }
    }
}

/// One to three letters of a patient; dates come back from one to the next.
fn record(seed: u64) -> Vec<Letter> {
    let mut random = Random(SplitMix64::new(seed));
    let last = date(1996, 1, 1).saturating_add(random.below(9_000).days());
    let birth = last.saturating_sub((1 + random.below(36_000)).days());
    let lived = (birth.until(last).unwrap().get_days() as u64).max(1);
    let events: Vec<Date> = (0..4).map(|_| birth.saturating_add(random.below(lived + 1).days())).collect();
    let count = 1 + random.below(3);
    (0..count)
        .map(|i| {
            let day = last.saturating_sub((random.below(40) * i).days()).max(birth);
            let mut source = format!(
                "Le [{}](Date). Né le [{}](BirthDate), [{} ans](Age).",
                written(day, 0),
                written(birth, random.below(3)),
                years(birth, day)
            );
            let mut days = vec![day, birth];
            for _ in 0..1 + random.below(4) {
                let event = events[random.below(4) as usize].min(day);
                source.push_str(&format!(" Vu le [{}](Date).", written(event, random.below(3))));
                days.push(event);
            }
            Letter { id: format!("{seed}-{i}"), date: day, birth, source, days }
        })
        .collect()
}

struct New {
    document: Date,
    birth: Date,
    age: String,
    /// Original and new day.
    pairs: Vec<(Date, Date)>,
}

fn rewrite(rewriter: &Rewriter, seed: u64, letter: &Letter) -> New {
    let (text, entities) = marked_entities(&letter.source);
    let note = Note::builder(&letter.id, &text)
        .patient(PatientId::parse(&format!("p{seed}")))
        .date(Some(letter.date))
        .language(Some(Language::Fr))
        .build()
        .unwrap();
    let out = rewriter.rewrite(&note, &entities).unwrap();
    assert!(out.fallbacks.is_empty(), "record {seed}: {:?}", out.fallbacks);
    let dates: Vec<Date> = out
        .replacements
        .iter()
        .filter(|r| r.label != Label::Age)
        .map(|r| {
            let (value, _) = parse(&r.text, Language::Fr).unwrap();
            Date::new(value.year.unwrap(), value.month.unwrap() as i8, value.day.unwrap() as i8).unwrap()
        })
        .collect();
    let age = out.replacements.iter().find(|r| r.label == Label::Age).unwrap().text.clone();
    let pairs: Vec<(Date, Date)> = letter.days.iter().copied().zip(dates).collect();
    New { document: rewriter.document_date(&note).unwrap(), birth: pairs[1].1, age, pairs }
}

fn check(method: &str, calendar: bool) {
    let settings = format!("dates = {{ method = \"{method}\" }}");
    let key = SecretKey::from_bytes(&[7; 32]).unwrap();
    let rewriter = Rewriter::new(key, toml::from_str(&settings).unwrap()).unwrap();
    for seed in 0..RECORDS {
        let letters = record(seed);
        let news: Vec<New> = letters.iter().map(|l| rewrite(&rewriter, seed, l)).collect();
        let mut all: BTreeMap<Date, Date> = BTreeMap::new();
        for (letter, new) in letters.iter().zip(&news) {
            let place = format!("{method}, record {seed}, {}", letter.id);
            let pooled = new.age.contains("plus");
            let mut events = new.pairs.clone();
            // Calendars pool the birth date of the very old, and what would lie before it.
            events.retain(|p| !(pooled && calendar) || (p.0 != letter.birth && p.1 != new.birth));
            events.sort_unstable();
            assert!(events.windows(2).all(|w| w[0].1 <= w[1].1), "{place}: order");
            assert!(events.windows(2).all(|w| w[0].0 != w[1].0 || w[0].1 == w[1].1), "{place}: same day");
            assert_eq!(new.pairs[0].1, new.document, "{place}: the document's date");
            let age = years(new.birth, new.document);
            if pooled {
                assert!(age >= 90, "{place}: pooled at {age}");
            } else {
                let unit = if age > 1 { "ans" } else { "an" };
                assert_eq!(new.age, format!("{} {unit}", age.max(0)), "{place}: age");
            }
            if calendar {
                assert!(events.iter().all(|(old, new)| old != new), "{place}: a date stayed");
                for (old, new) in events {
                    assert_eq!(*all.entry(old).or_insert(new), new, "{place}: two surrogates of one day");
                }
            }
        }
        // Another order of arrival, another machine: the same bytes.
        let again: Vec<New> = letters.iter().rev().map(|l| rewrite(&rewriter, seed, l)).collect();
        for (a, b) in news.iter().zip(again.iter().rev()) {
            assert_eq!(a.pairs, b.pairs);
        }
    }
}

#[test]
fn shift() {
    check("shift", true);
}

#[test]
fn blur() {
    check("blur", true);
}

#[test]
fn warp() {
    check("warp", true);
}

#[test]
fn ldp() {
    check("ldp", false);
}

#[test]
fn metric() {
    check("metric", false);
}
