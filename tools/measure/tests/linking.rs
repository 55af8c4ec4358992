//! How often letters of the invented hospital are joined to the wrong patient, with twins, namesakes and typing errors.
//! `cargo test -p taire-measure --test linking -- --nocapture` prints the counts.

use std::collections::HashMap;
use std::fmt::Write as _;

use taire::run::Reading;
use taire::{Engine, Language, Report, Run, Task};
use taire_corpus::Rng;
use taire_corpus::hospital::{letters, patient};
use taire_formats::{ReadOptions, discover};
use taire_text::scheme::Scheme;

const SEED: u64 = 19;
const PATIENTS: u64 = 400;

/// A letter as typists leave it: a number that is missing or has a wrong digit, a name with two letters exchanged.
fn typed(rng: &mut Rng, text: &str, number: &str, given: &str) -> String {
    let mut text = text.to_owned();
    if rng.percent(25) {
        text = text.replace(&format!("IPP : {number}\n"), "");
    } else if rng.percent(3) {
        let mut wrong = number.as_bytes().to_vec();
        let at = rng.below(wrong.len() - 1) + 1;
        wrong[at] = b'0' + (wrong[at] - b'0' + 1 + rng.below(9) as u8) % 10;
        text = text.replace(number, &String::from_utf8(wrong).unwrap());
    }
    let letters: Vec<char> = given.chars().collect();
    if letters.len() > 4 && rng.percent(5) {
        let mut wrong = letters;
        let at = 1 + rng.below(wrong.len() - 3);
        wrong.swap(at, at + 1);
        text = text.replace(given, &wrong.iter().collect::<String>());
    }
    text
}

/// The letters of a patient and, of every tenth, those of a twin, a namesake and a namesake born on the same day.
fn write_letters(rows: &mut String) -> Vec<(String, String)> {
    let mut truth = Vec::new();
    for index in 0..PATIENTS {
        let real = patient(SEED, index);
        let mut rng = Rng::of_document(SEED, 1 << 50 | index);
        let who = &real.identity;
        let number = |prefix: char| format!("{prefix}{}", &who.number[1..]);
        let birth = format!("{:02}/{:02}/{}", who.birth.day(), who.birth.month(), who.birth.year());
        let other_birth =
            format!("{:02}/{:02}/{}", who.birth.day() % 28 + 1, who.birth.month(), who.birth.year());
        let other_given = patient(SEED, index + PATIENTS).identity.given;
        let mut people = vec![(who.number.clone(), who.given, birth.clone())];
        if index % 10 == 0 {
            people.push((number('7'), other_given, birth.clone()));
            people.push((number('6'), who.given, other_birth));
            people.push((number('5'), who.given, birth.clone()));
        }
        for (own, given, born) in people {
            for stay in 0..real.stays.len().min(4) {
                let (text, _) = letters::letter(SEED, index, &real, stay);
                let text = text.replace(&who.number, &own).replace(&birth, &born);
                let text = text.replacen(who.given, given, 1);
                let text = typed(&mut rng, &text, &own, given);
                let id = format!("{own}-{stay}");
                let _ = writeln!(rows, "{}", serde_json::json!({"id": id, "text": text, "lang": "fr"}));
                truth.push((id, own.clone()));
            }
        }
    }
    truth
}

#[test]
fn false_joins_are_at_most_one_in_ten_thousand_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = String::new();
    let truth = write_letters(&mut rows);
    std::fs::write(folder.path().join("letters.jsonl"), rows).unwrap();
    let options = ReadOptions::default();
    let discovery = discover(&[folder.path().to_owned()], &options);
    let engine = Engine::new(Some("fr"), Some(Language::Fr), None).unwrap();
    let run = Run::new(&engine, Task::Detect { scheme: Scheme::Taire }).jobs(2);
    let reading = Reading::new(&discovery.inputs, &options);
    let links = run.link_files(&reading, Vec::new(), None, &mut Report::default()).unwrap();
    let mut table = Vec::new();
    links.write_csv(&mut table).unwrap();
    let table = String::from_utf8(table).unwrap();
    let record: HashMap<&str, &str> = table
        .lines()
        .skip(1)
        .filter_map(|line| {
            let (id, rest) = line.split_once(',')?;
            Some((id, rest.split_once(',')?.0))
        })
        .collect();
    let (mut tried, mut wrong, mut missed, mut right) = (0u64, 0u64, 0u64, 0u64);
    for (i, (a, owner_a)) in truth.iter().enumerate() {
        for (b, owner_b) in &truth[i + 1..] {
            let joined = !record[a.as_str()].is_empty() && record[a.as_str()] == record[b.as_str()];
            tried += 1;
            wrong += u64::from(joined && owner_a != owner_b);
            right += u64::from(joined && owner_a == owner_b);
            missed += u64::from(!joined && owner_a == owner_b);
        }
    }
    println!(
        "{} letters, {tried} pairs tried: {wrong} joined wrongly, {right} rightly, {missed} missed; {:?}",
        truth.len(),
        links.counts()
    );
    assert!(wrong * 10_000 <= tried, "{wrong} false joins of {tried} pairs");
    // One patient in ten has a namesake born on the same day here; where a letter of the two has no number, nothing in it
    // tells them apart.
    assert!(wrong * 50 <= wrong + right, "{wrong} of {} joins are false", wrong + right);
    assert!(right > missed, "{missed} of {} pairs of one patient are not joined", missed + right);
}
