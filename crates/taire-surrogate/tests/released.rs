//! The losses that a report prints, against what released documents give away: pairs of neighbouring letters are rewritten many
//! times and told apart by what they show. `TAIRE_AUDIT_DOCUMENTS` sets how many letters of each are written.

mod common;

use common::marked_entities;
use jiff::civil::{Date, date};
use taire_privacy::audit::sampled_loss;
use taire_surrogate::{Rewriter, Rewritten, SecretKey, Unit};
use taire_text::date::parse;
use taire_text::{Language, Note, PatientId};

/// A measured loss is wrong with at most this probability.
const ERROR: f64 = 1e-4;

fn documents() -> u64 {
    std::env::var("TAIRE_AUDIT_DOCUMENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(12_000)
}

/// How many documents showed each event, and the last of them with its releases.
fn release(source: &str, settings: &str, event: impl Fn(&[String]) -> usize) -> (Vec<u64>, Rewritten) {
    let (text, entities) = marked_entities(source);
    let mut counts = vec![0u64; 64];
    let mut last = Rewritten::default();
    let keys = 8;
    for key in 0..keys {
        let key = SecretKey::from_bytes(&[key as u8 + 1; 32]).unwrap();
        let rewriter = Rewriter::new(key, toml::from_str(settings).unwrap()).unwrap();
        for id in 0..documents() / keys {
            let note = Note::builder(format!("{id}"), &text)
                .patient(PatientId::parse(source))
                .date(Some(date(2020, 3, 12)))
                .language(Some(Language::Fr))
                .build()
                .unwrap();
            last = rewriter.rewrite(&note, &entities).unwrap();
            let texts: Vec<String> = last.replacements.iter().map(|r| r.text.clone()).collect();
            counts[event(&texts).min(63)] += 1;
        }
    }
    (counts, last)
}

fn day(text: &str) -> Date {
    let (value, _) = parse(text, Language::Fr).unwrap();
    Date::new(value.year.unwrap(), value.month.unwrap() as i8, value.day.unwrap() as i8).unwrap()
}

fn days(from: &str, to: &str) -> i64 {
    i64::from(day(from).until(day(to)).unwrap().get_days())
}

fn declared(rewritten: &Rewritten, words: &str) -> f64 {
    let loss = rewritten.releases.iter().find(|r| r.loss.adjacency().to_string() == words);
    loss.unwrap_or_else(|| panic!("no loss {words}: {:?}", rewritten.releases)).loss.epsilon()
}

fn measured(a: &[u64], b: &[u64]) -> f64 {
    // Which half of the line an output is in tells the most between two values; every cut is an event.
    let cuts = |counts: &[u64]| -> Vec<u64> {
        let mut below = 0;
        let sums = counts.iter().map(|n| {
            below += n;
            below
        });
        let sums: Vec<u64> = sums.collect();
        let all = below;
        sums.iter().copied().chain(sums.iter().map(|n| all - n)).chain(counts.iter().copied()).collect()
    };
    let n = a.iter().sum();
    sampled_loss(&cuts(a), &cuts(b), n, ERROR)
}

fn ldp(birth_days: u32) -> String {
    format!("scope = \"document\"\ndates = {{ method = \"ldp\", birth_days = {birth_days} }}")
}

const METRIC: &str = "scope = \"document\"\ndates = { method = \"metric\" }";

/// Two birth dates a year apart under `ldp`, in classes of half a year around them.
fn births(first: &str, second: &str, birth_days: u32) -> (f64, f64) {
    let letter = |birth: &str| format!("Le [12/03/2020](Date). Né le [{birth}](BirthDate).");
    let middle = (days(first, "12/03/2020") + days(second, "12/03/2020")) / 2;
    let event =
        |texts: &[String]| (32 + (days(&texts[1], &texts[0]) - middle).div_euclid(182)).max(0) as usize;
    let (a, last) = release(&letter(first), &ldp(birth_days), event);
    let (b, _) = release(&letter(second), &ldp(birth_days), event);
    let words = format!("between two birth dates at most {birth_days} days apart");
    (measured(&a, &b), declared(&last, &words))
}

#[test]
fn a_birth_date_loses_what_is_declared() {
    for (first, second) in [("02/03/1950", "02/03/1951"), ("12/03/2019", "12/03/2020")] {
        let (measured, declared) = births(first, second, 366);
        assert!(measured <= declared, "{first}: {measured} of {declared}");
        assert!(measured > 0.1, "{first}: nothing was measured: {measured}");
    }
}

/// The old declaration gave a birth date the short class and printed ε = 0.75 without saying that it holds for 61 days.
#[test]
fn the_audit_refutes_the_old_declaration_of_birth_dates() {
    let (measured, declared) = births("02/03/1950", "02/03/1951", 61);
    assert!(measured > declared, "a year apart: {measured} is not above {declared}");
}

/// One inner date moves by a day: both intervals around it change.
#[test]
fn an_inner_date_under_metric_costs_twice_epsilon_and_not_once() {
    let letter = |inner: &str| {
        format!(
            "Le [12/03/2020](Date). Vu le [{inner}](Date), puis le [02/03/2020](Date). Opéré le [01/02/2020](Date)."
        )
    };
    // The two intervals around the inner date, each below, at or above its length.
    let event = |texts: &[String]| {
        let class = |interval: i64, length: i64| (interval - length).signum() + 1;
        let (near, far) = (days(&texts[1], &texts[2]), days(&texts[3], &texts[1]));
        (class(near, 11) * 3 + class(far, 19)) as usize
    };
    let (a, last) = release(&letter("20/02/2020"), METRIC, event);
    let (b, _) = release(&letter("21/02/2020"), METRIC, event);
    let (measured, declared) = (measured(&a, &b), declared(&last, "per day that one date moves"));
    assert!(measured <= declared, "{measured} of {declared}");
    assert!(measured > 0.75, "the old declaration of ε is not refuted: {measured}");
    assert_eq!(last.releases.iter().filter(|r| r.loss.unit() == Some(Unit::Day)).count(), 1);
}

/// A short date moves by 61 days under `ldp`, and the next one stays: two intervals change, and both parts of ε are declared.
#[test]
fn an_inner_date_under_ldp_loses_what_is_declared() {
    let letter =
        |inner: &str| format!("Le [12/03/2020](Date). Vu le [{inner}](Date). Opéré le [11/01/2020](Date).");
    let event = |texts: &[String]| (days(&texts[1], &texts[0]) / 2) as usize;
    let (a, last) = release(&letter("11/03/2020"), &ldp(366), event);
    let (b, _) = release(&letter("12/01/2020"), &ldp(366), event);
    let declared: f64 = last.releases.iter().map(|r| r.loss.epsilon()).sum();
    let measured = measured(&a, &b);
    assert!(measured <= declared && declared <= 0.75, "{measured} of {declared}");
    assert!(measured > 0.1, "nothing was measured: {measured}");
}
