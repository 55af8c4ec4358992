//! Attacks that succeed, and under which settings. No rewriting that keeps what a release is for withstands them; the book's page
//! on the threat model tells each with the figure that its test prints (`cargo test -p taire-surrogate --test limits -- --nocapture`).

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::{Date, date};
use taire_lexicon::Lexicon;
use taire_surrogate::{Rewriter, SecretKey};
use taire_text::{
    Entity, Gender, Label, Language, Note, PatientId, Role, Score, SourceSet, Span, fold, marked,
};

fn rewriter(seed: u8, settings: &str) -> Rewriter {
    Rewriter::new(SecretKey::from_bytes(&[seed; 32]).unwrap(), toml::from_str(settings).unwrap()).unwrap()
}

/// What each entity of a marked letter becomes; `[Morel](FamilyName:Caregiver)` gives a role.
fn rewrite(rewriter: &Rewriter, id: &str, patient: &str, source: &str) -> Vec<String> {
    let marked = marked::parse(source);
    let entity = |(range, name): &(std::ops::Range<usize>, String)| {
        let (label, role) = name.split_once(':').unwrap_or((name, "Unknown"));
        Entity {
            span: Span::new(range.start, range.end),
            label: label.parse::<Label>().unwrap(),
            role: role.parse::<Role>().unwrap(),
            score: Score::CERTAIN,
            sources: SourceSet::default(),
            doubtful_value: false,
            mentions: Vec::new(),
        }
    };
    let entities: Vec<Entity> = marked.spans.iter().map(entity).collect();
    let note = Note::builder(id, &marked.text)
        .patient(PatientId::parse(patient))
        .language(Some(Language::Fr))
        .build()
        .unwrap();
    let rewritten = rewriter.rewrite(&note, &entities).unwrap();
    rewritten.replacements.into_iter().map(|r| r.text).collect()
}

fn day(text: &str) -> Option<Date> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i16>().ok();
    Date::new(number(6..10)?, number(3..5)? as i8, number(0..2)? as i8).ok()
}

/// How often the age of a patient on the day of a letter is found to so many days, from so many copies of the letter that were stored under
/// different ids: the attacker knows them by their medical text and takes the middle of what they show.
fn ages_found(settings: &str, days: i64, copies: usize) -> usize {
    const PATIENTS: usize = 200;
    let rewriter = rewriter(3, settings);
    let found = |patient: &usize| {
        let birth = date(1930 + (patient % 60) as i16, 1 + (patient % 12) as i8, 1 + (patient % 28) as i8);
        let source = format!(
            "Le [12/03/2020](Date). Né le [{:02}/{:02}/{}](BirthDate).",
            birth.day(),
            birth.month(),
            birth.year()
        );
        let lived = |born: Date, written: Date| i64::from(born.until(written).unwrap().get_days());
        let shown = |copy: usize| {
            let new = rewrite(&rewriter, &copy.to_string(), &patient.to_string(), &source);
            Some(lived(day(&new[1])?, day(&new[0])?))
        };
        let mut shown: Vec<i64> = (0..copies).filter_map(shown).collect();
        shown.sort_unstable();
        let true_age = lived(birth, date(2020, 3, 12));
        shown.get(shown.len() / 2).is_some_and(|guess| (guess - true_age).abs() <= days)
    };
    (0..PATIENTS).filter(found).count() * 100 / PATIENTS
}

/// Noise that is fresh in each document is averaged over copies of one document. Where values are drawn by patient, copies are equal and
/// tell nothing more.
#[test]
fn copies_of_a_letter_are_averaged_where_noise_is_drawn_by_document() {
    for (method, days) in [("metric", 0), ("ldp", 30)] {
        let by_document = format!("scope = \"document\"\ndates = {{ method = \"{method}\" }}");
        let (one, many) = (ages_found(&by_document, days, 1), ages_found(&by_document, days, 21));
        println!("{method}: age found to {days} days in {one} % from one letter, in {many} % from 21 copies");
        assert!(many >= 2 * one, "{method}: {one} %, {many} %");
    }
    assert_eq!(ages_found("", 30, 1), ages_found("", 30, 21), "copies are equal");
}

/// The initials of the staff are exchanged for others once in a release, so that `Dupont` and `D.` agree: the frequent ones stay
/// frequent. The attacker ranks the letters by how many people have them and reads them off the ranks of French family names.
fn staff_initials_found(people: usize, seed: u8, role: &str) -> (usize, usize) {
    let names: Vec<&str> = Lexicon::of(Language::Fr).pools().family().to_vec();
    let initial = |name: &str| fold(name).chars().next().unwrap();
    let rank = |letters: Vec<char>| {
        let mut counts: BTreeMap<char, usize> = BTreeMap::new();
        letters.into_iter().for_each(|letter| *counts.entry(letter).or_default() += 1);
        let mut ranked: Vec<(usize, char)> = counts.into_iter().map(|(letter, n)| (n, letter)).collect();
        ranked.sort_unstable_by_key(|(n, letter)| (std::cmp::Reverse(*n), *letter));
        ranked.into_iter().map(|(_, letter)| letter).collect::<Vec<char>>()
    };
    let rewriter = rewriter(seed, "");
    // Every seventh name of the list, from another place for each seed.
    let staff: Vec<&str> =
        (0..people).map(|i| names[(usize::from(seed) * 37 + i * 7) % names.len().min(4000)]).collect();
    let shown: Vec<char> = staff
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let source = format!("Dr [{name}](FamilyName:{role})");
            initial(&rewrite(&rewriter, "a", &i.to_string(), &source)[0])
        })
        .collect();
    let (public, released) =
        (rank(names.iter().take(4000).map(|n| initial(n)).collect()), rank(shown.clone()));
    let read = |letter: char| released.iter().position(|l| *l == letter).and_then(|at| public.get(at));
    let found =
        staff.iter().zip(&shown).filter(|(name, shown)| read(**shown) == Some(&initial(name))).count();
    let blind = staff.iter().filter(|name| initial(name) == public[0]).count();
    (found, blind)
}

#[test]
fn initials_of_staff_are_read_off_their_frequencies() {
    const PEOPLE: usize = 300;
    let all = |role: &str| {
        let each = (1..=10).map(|seed| staff_initials_found(PEOPLE, seed, role));
        let (found, blind) = each.fold((0, 0), |(f, b), (found, blind)| (f + found, b + blind));
        (found * 100 / (10 * PEOPLE), blind * 100 / (10 * PEOPLE))
    };
    let (staff, blind) = all("Caregiver");
    let (patients, _) = all("Patient");
    println!(
        "initials of {PEOPLE} staff: {staff} % found, {blind} % by guessing the most frequent; of patients {patients} %"
    );
    assert!(staff > blind, "the attack must succeed where letters are exchanged once: {staff} %, {blind} %");
    assert!(patients <= blind, "names of patients have letters of their own: {patients} %, {blind} %");
}

/// A whole name never becomes itself. Drawn for each patient, a name that stands in every record is the one that is never written. How
/// many of the given names that can be drawn were not seen after so many patients, and whether the true one is among them.
fn given_names_left(patients: usize, role: &str) -> (usize, bool) {
    let rewriter = rewriter(5, "");
    let source = format!("[Nathalie](GivenName:{role}) est venue");
    let seen: BTreeSet<String> =
        (0..patients).map(|i| fold(&rewrite(&rewriter, "a", &i.to_string(), &source)[0])).collect();
    let drawn: BTreeSet<String> = Lexicon::of(Language::Fr)
        .pools()
        .given(Gender::Female)
        .iter()
        .take(400)
        .map(|name| fold(name))
        .filter(|name| name.chars().all(char::is_alphabetic))
        .collect();
    let left = drawn.difference(&seen).count();
    (left, !seen.contains("nathalie"))
}

#[test]
fn a_constant_name_that_is_not_known_as_staff_is_found_by_exclusion() {
    let (few, _) = given_names_left(300, "Unknown");
    let (many, missing) = given_names_left(6000, "Unknown");
    println!("names that can still be the true one: {few} after 300 patients, {many} after 6000");
    assert!(missing && many < few / 3, "{few}, {many}");
    // Staff have one name in the release: nothing is excluded but that name.
    let (left, _) = given_names_left(6000, "Caregiver");
    assert!(left > 300, "{left}");
}
