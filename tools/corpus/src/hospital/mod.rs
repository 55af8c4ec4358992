//! `cargo corpus hospital`: an invented hospital, so that risk can be measured on many patients.
//!
//! Patients ([`people`]) with stays over six years ([`stays`]) and a letter for each stay ([`letters`], or [`coded`] for the coder), in French, with
//! their identities and the codes of their diagnoses. The same seed gives the same bytes, and a patient does not
//! depend on how many there are. Each module documents the distributions it draws from; they follow what
//! hospitals publish of themselves, and were not chosen to flatter a policy.

pub mod coded;
pub mod letters;
pub mod notes;
pub mod people;
pub mod stays;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::json;

/// A patient with everything that happened.
#[derive(Debug)]
pub struct Patient {
    pub identity: people::Identity,
    pub stays: Vec<stays::Stay>,
}

/// Patient `index` of the hospital of this seed.
pub fn patient(seed: u64, index: u64) -> Patient {
    let identity = people::identity(seed, index);
    let stays = stays::draw(seed, index, identity.birth);
    Patient { identity, stays }
}

/// Writes the hospital into a folder: `documents.jsonl`, `patients.jsonl`, `stays.csv`. Returns how many documents.
pub fn write(folder: &Path, patients: u64, seed: u64) -> std::io::Result<u64> {
    fs::create_dir_all(folder)?;
    let file = |name: &str| File::create(folder.join(name)).map(BufWriter::new);
    let (mut documents, mut identities, mut stays) =
        (file("documents.jsonl")?, file("patients.jsonl")?, file("stays.csv")?);
    writeln!(stays, "patient,document,entry,exit,codes")?;
    let mut count = 0u64;
    for index in 0..patients {
        let patient = patient(seed, index);
        writeln!(identities, "{}", patient.identity.to_json())?;
        for (number, stay) in patient.stays.iter().enumerate() {
            let id = format!("{}-{:02}", patient.identity.number, number + 1);
            let (text, spans) = letters::letter(seed, index, &patient, number);
            let document = json!({
                "id": id, "patient": patient.identity.number, "date": stay.exit.to_string(), "text": text,
                "spans": spans.iter().map(|(start, end, label)| json!({"start": start, "end": end, "label": label}))
                    .collect::<Vec<_>>(),
                "codes": stay.codes,
            });
            writeln!(documents, "{document}")?;
            writeln!(
                stays,
                "{},{id},{},{},{}",
                patient.identity.number,
                stay.entry,
                stay.exit,
                stay.codes.join(" ")
            )?;
            count += 1;
        }
    }
    for mut out in [documents, identities, stays] {
        out.flush()?;
    }
    Ok(count)
}

/// One letter a patient, with the codes of what it names: `documents.jsonl` and `codes.tsv`.
pub fn write_coded(folder: &Path, patients: u64, seed: u64) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let file = |name: &str| File::create(folder.join(name)).map(BufWriter::new);
    let (mut documents, mut table) = (file("documents.jsonl")?, file("codes.tsv")?);
    for index in 0..patients {
        let patient = patient(seed, index);
        let Some(stay) = patient.stays.first() else { continue };
        let (text, codes) = coded::letter(seed, index, &patient.identity, stay);
        let number = &patient.identity.number;
        let document = json!({"id": number, "patient": number, "date": stay.exit.to_string(), "text": text});
        writeln!(documents, "{document}")?;
        codes.iter().try_for_each(|code| writeln!(table, "{number}\t{code}"))?;
    }
    documents.flush()?;
    table.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patient_does_not_depend_on_how_many_there_are() {
        assert_eq!(format!("{:?}", patient(7, 41)), format!("{:?}", patient(7, 41)));
        assert_ne!(format!("{:?}", patient(7, 41)), format!("{:?}", patient(8, 41)));
    }

    #[test]
    fn stays_are_in_order_after_birth_and_one_to_twelve() {
        for index in 0..3000 {
            let patient = patient(3, index);
            assert!((1..=12).contains(&patient.stays.len()));
            assert!(patient.stays[0].entry > patient.identity.birth);
            for pair in patient.stays.windows(2) {
                assert!(pair[0].exit < pair[1].entry, "patient {index}");
            }
        }
    }

    #[test]
    fn a_letter_holds_its_identity_where_its_spans_say() {
        let patient = patient(3, 5);
        let (text, spans) = letters::letter(3, 5, &patient, 0);
        let chars: Vec<char> = text.chars().collect();
        let of = |label: &str| -> Vec<String> {
            spans.iter().filter(|s| s.2 == label).map(|s| chars[s.0..s.1].iter().collect()).collect()
        };
        assert!(of("PatientId").contains(&patient.identity.number));
        assert!(of("FamilyName").iter().any(|n| n.to_lowercase() == patient.identity.family.to_lowercase()));
        assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0));
    }

    #[test]
    fn some_live_together_and_bear_one_name() {
        let shared = (0..2000).filter(|&i| {
            let (a, b) = (people::identity(1, i), people::identity(1, i + 1));
            a.family == b.family && a.street == b.street && a.city == b.city
        });
        let count = shared.count();
        assert!((200..900).contains(&count), "{count} households of 2000");
    }
}
