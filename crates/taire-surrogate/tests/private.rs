//! Notes under mechanisms that declare a loss: what is spent, what is refused, what still agrees.

mod common;

use common::marked_entities;
use jiff::civil::{Date, date};
use taire_surrogate::{Loss, Rewriter, Rewritten, SecretKey, Unit};
use taire_text::date::parse;
use taire_text::{Label, Language, Note, PatientId};

const LETTER: &str = "M. Jean habite à [Bermont](City) [90400](PostalCode). Né le [02/03/1946](BirthDate), [74 ans](Age), \
    vu le [12/02/2020](Date) puis le [26/02/2020](Date) à [Dijon](City), opéré [il y a 15 ans](RelativeDate), suivi \
    depuis [mars 2004](Date), perdu de vue [quinze jours](RelativeDate).";

fn run(seed: u8, id: &str, settings: &str) -> (Rewritten, Vec<(Label, String)>) {
    run_on(LETTER, seed, id, settings)
}

fn run_on(source: &str, seed: u8, id: &str, settings: &str) -> (Rewritten, Vec<(Label, String)>) {
    let (text, entities) = marked_entities(source);
    let note = Note::builder(id, &text)
        .patient(PatientId::parse("p"))
        .date(Some(date(2020, 3, 1)))
        .language(Some(Language::Fr))
        .build()
        .unwrap();
    let key = SecretKey::from_bytes(&[seed; 32]).unwrap();
    let rewriter = Rewriter::new(key, toml::from_str(settings).unwrap()).unwrap();
    let rewritten = rewriter.rewrite(&note, &entities).unwrap();
    let texts = rewritten.replacements.iter().map(|r| (r.label, r.text.clone())).collect();
    (rewritten, texts)
}

fn day(text: &str) -> Date {
    let (value, _) = parse(text, Language::Fr).unwrap();
    Date::new(value.year.unwrap(), value.month.unwrap() as i8, value.day.unwrap() as i8).unwrap()
}

fn spent(rewritten: &Rewritten, unit: Option<Unit>) -> f64 {
    rewritten.releases.iter().map(|r| r.loss).filter(|l| l.unit() == unit).map(Loss::epsilon).sum()
}

#[test]
fn ldp_and_geo_spend_what_they_say_and_keep_order_and_ages() {
    let settings =
        "dates = { method = \"ldp\", epsilon = 0.75 }\nplaces = { method = \"geo\", epsilon = 0.25 }";
    for seed in 0..40 {
        let (rewritten, texts) = run(seed, "d", settings);
        assert!(rewritten.fallbacks.is_empty(), "{:?}", rewritten.fallbacks);
        let (birth, first, second) = (day(&texts[2].1), day(&texts[4].1), day(&texts[5].1));
        assert!(birth <= first && first <= second);
        assert!(second < date(2020, 3, 1), "the document's date moved");
        let pure = spent(&rewritten, None);
        assert!(pure <= 0.75 && pure > 0.7499, "{pure}");
        assert_eq!(spent(&rewritten, Some(Unit::Kilometre)), 0.5, "two towns");
        assert_eq!(run(seed, "d", settings).1, texts, "the same draw again");
        if !texts[3].1.contains("plus") {
            let age: i16 = texts[3].1.trim_end_matches(" ans").parse().unwrap();
            let years = second.year() - birth.year();
            assert!((age - years).abs() <= 2, "{age} against {years}");
        }
    }
}

#[test]
fn metric_noise_is_in_the_unit_that_was_written() {
    let settings = "dates = { method = \"metric\", epsilon = 0.75 }";
    let mut widest = 0;
    for seed in 0..60 {
        let (rewritten, texts) = run(seed, "d", settings);
        assert!(rewritten.fallbacks.is_empty(), "{:?}", rewritten.fallbacks);
        let gap = day(&texts[4].1).until(day(&texts[5].1)).unwrap().get_days();
        assert!((0..=45).contains(&gap), "{gap}");
        widest = widest.max((gap - 14).abs());
        let words: Vec<String> = rewritten.releases.iter().map(|r| r.loss.to_string()).collect();
        assert_eq!(
            words,
            [
                "ε = 0.75 per day that one birth date moves",
                "ε = 1.5 per day that one date moves",
                "ε = 0.75 per month that one date moves",
                "ε = 0.75 per year that one date moves",
            ]
        );
    }
    assert!(widest > 0, "no noise at all");
}

#[test]
fn health_has_no_bound_and_strict_has_one() {
    let (paper, _) = run(1, "d", "places = { method = \"health\" }");
    assert_eq!(spent(&paper, Some(Unit::Profile)), f64::INFINITY);
    let (strict, texts) = run(1, "d", "places = { method = \"health-strict\", epsilon = 4.0 }");
    let total = spent(&strict, Some(Unit::Profile));
    assert!((8.0..8.001).contains(&total), "{total}");
    assert!(strict.fallbacks.is_empty() && texts[1].1.len() == 5);
}

#[test]
fn what_the_budget_refuses_becomes_a_tag() {
    let (rewritten, texts) = run(
        1,
        "d",
        "dates = { method = \"ldp\" }\nplaces = { method = \"geo\" }\n[budget]\npure = 0.5\nkilometre = 0.25",
    );
    assert_eq!(texts[2].1, "<BirthDate>");
    assert!(!texts[0].1.starts_with('<'), "the first town is within the budget");
    let cities: Vec<&str> = texts.iter().filter(|t| t.0 == Label::City).map(|t| t.1.as_str()).collect();
    assert_eq!(cities[1], "<City>");
    assert!(rewritten.fallbacks.iter().all(|f| f.why == "the privacy budget is spent"));
    assert_eq!(spent(&rewritten, None), 0.0);
    assert_eq!(spent(&rewritten, Some(Unit::Kilometre)), 0.25);
}

/// A town draws the same surrogate in any document of its patient; dates are each document's own.
#[test]
fn towns_follow_the_patient_and_sequences_the_document() {
    let settings = "dates = { method = \"ldp\" }\nplaces = { method = \"geo\", epsilon = 0.05 }";
    let (a, b) = (run(3, "one", settings).1, run(3, "two", settings).1);
    assert_eq!(a[..2], b[..2]);
    assert_ne!(a[4], b[4]);
}

#[test]
fn towns_follow_the_law() {
    let far = (0..40)
        .filter(|&seed| {
            let one = |eps: f64| {
                run_on(
                    "[Dijon](City)",
                    seed,
                    "d",
                    &format!("places = {{ method = \"geo\", epsilon = {eps:?} }}"),
                )
                .1
            };
            assert_eq!(one(50.0)[0].1, "Dijon", "little noise, same town");
            one(0.02)[0].1 != "Dijon"
        })
        .count();
    assert!(far > 35, "{far} of 40 moved at 100 km of mean noise");
}
