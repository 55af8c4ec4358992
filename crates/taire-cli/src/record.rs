//! The first reading: what is certain of each patient, before any document is treated.
//!
//! Only documents that carry a patient id take part, read by the rules alone. What is read once (standard input, pipes)
//! cannot, and the report says so.

use std::path::Path;

use taire::batch::ordered;
use taire::{Engine, Records, Report};
use taire_formats::{InputFile, ReadOptions};
use taire_text::Note;

use crate::Usage;
use crate::feed::{Event, Feed};

fn reads_twice(input: &InputFile) -> bool {
    let plain = || std::fs::metadata(&input.path).is_ok_and(|m| m.is_file());
    input.path != Path::new("-") && (input.is_packed() || plain())
}

/// Reads what can be read twice and hands the engine what it learned.
pub(crate) fn gather(
    engine: &Engine,
    reading: &Feed<'_>,
    jobs: usize,
    report: &mut Report,
) -> Result<(), Usage> {
    if !engine.trusts_records() {
        return Ok(());
    }
    let inputs: Vec<InputFile> = reading.inputs().iter().filter(|i| reads_twice(i)).cloned().collect();
    if inputs.len() < reading.inputs().len() {
        report.remark(
            "standard input and pipes are read once: what is certain in one of their documents was not looked for in the \
             patient's others (give files, or `trusted = \"document\"` in the policy, to have all treated alike)",
        );
    }
    let options = ReadOptions { patients_only: true, ..reading.options().clone() };
    let mut records = Records::default();
    ordered(
        jobs,
        reading.first_reading(&inputs, &options),
        |step| learn(engine, step.event),
        |learned| {
            if let Some((patient, record)) = learned {
                records.add(&patient, &record);
            }
            Ok::<_, Usage>(())
        },
    )?;
    records.close();
    if records.left_out() > 0 {
        report.remark(format!(
            "{} documents were treated each by itself: there was no room to keep what is certain of their patients; give \
             fewer patients at a time",
            records.left_out()
        ));
    }
    if records.patients() > 0 {
        report.remark(format!(
            "{} patients have several documents: what is certain in one was looked for in the others",
            records.patients()
        ));
    }
    engine.remember(records);
    Ok(())
}

/// What cannot be read or treated is refused in the second reading, with its reason.
fn learn(engine: &Engine, event: Event) -> Option<(String, taire::TrustedRecord)> {
    let Event::Document(document) = event else { return None };
    let known = || document.known.as_ref().and_then(|k| k.patient.clone());
    let patient = document.patient.clone().or_else(known).filter(|p| !p.trim().is_empty())?;
    let note = Note::builder(document.id, document.text)
        .patient(Some(patient.clone()))
        .date(document.date)
        .language(engine.language().or(document.language))
        .known(document.known)
        .given(document.given)
        .build()
        .ok()?;
    let record = engine.gather(note).ok()?;
    Some((patient, record))
}
