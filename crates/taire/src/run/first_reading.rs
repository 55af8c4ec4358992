//! The first reading: what is certain of each patient, before any document is treated.
//!
//! Only documents that carry a patient id take part, read by the rules alone. Inputs in which no document can have a
//! patient are not opened. What can be read once only (standard input, pipes) cannot take part, and the report says so.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use taire_detect::LinkFacts;
use taire_detect::TrustedRecord;
use taire_formats::{Document, Identities, InputFile, ReadOptions};
use taire_text::{Note, PatientId, counted};

use super::feed::{Event, Reading, Step};
use super::{Item, Run};
use crate::batch::ordered;
use crate::links::{Learned, Linker, Links};
use crate::{Error, Records, Report, SecretKey};

impl<K: Send> Run<'_, K> {
    /// What is certain of each patient, of documents that are at hand. Only patients with several documents are read.
    pub fn first_reading<I>(&self, documents: impl Fn() -> I) -> Records
    where
        I: Iterator<Item = Item> + Send,
    {
        self.first_reading_with(documents, |note| self.engine.gather(note))
    }

    /// The same, by another reading of a note than [`crate::Engine::gather`].
    pub fn first_reading_with<I>(
        &self,
        documents: impl Fn() -> I,
        gather: impl Fn(Note) -> Result<TrustedRecord, Error> + Sync,
    ) -> Records
    where
        I: Iterator<Item = Item> + Send,
    {
        let mut records = Records::default();
        if !self.engine.trusts_records() {
            return records;
        }
        let mut counts: HashMap<PatientId, usize> = HashMap::new();
        for item in documents() {
            if let Some(patient) = item.patient() {
                *counts.entry(patient.clone()).or_default() += 1;
            }
        }
        counts.retain(|_, documents| *documents > 1);
        if !counts.is_empty() {
            let wanted = |item: &Item| item.patient().is_some_and(|p| counts.contains_key(p));
            self.collect(documents().filter(wanted), gather, &mut records);
            records.close();
        }
        records
    }

    /// What is certain in some of the documents, where others of the same patients are read elsewhere.
    pub fn partial_reading(&self, documents: impl Iterator<Item = Item> + Send) -> Records {
        let mut records = Records::default();
        if self.engine.trusts_records() {
            self.collect(documents, |note| self.engine.gather(note), &mut records);
        }
        records
    }

    fn collect(
        &self,
        documents: impl Iterator<Item = Item> + Send,
        gather: impl Fn(Note) -> Result<TrustedRecord, Error> + Sync,
        records: &mut Records,
    ) {
        let learn = |item: Item| self.learn(item.into_document()?, &gather);
        let Ok(()) = ordered(self.jobs, documents, learn, |learned| {
            add(records, learned);
            Ok::<_, Infallible>(())
        });
    }

    /// What is certain in one document of a patient. What cannot be read or treated is refused in the second reading.
    fn learn(
        &self,
        document: Document,
        gather: impl Fn(Note) -> Result<TrustedRecord, Error>,
    ) -> Option<(PatientId, TrustedRecord)> {
        let patient = document.patient_id()?.clone();
        let mut note = document.into_note(self.engine.language()).ok()?;
        note.cancel = self.cancel.clone();
        Some((patient, gather(note).ok()?))
    }

    /// Reads all documents that can be read twice, and joins those of one patient. `tables` hold known people.
    pub fn link_files(
        &self,
        reading: &Reading<'_>,
        tables: Vec<Arc<Identities>>,
        key: Option<&SecretKey>,
        report: &mut Report,
    ) -> Result<Links, Error> {
        let mut linker = Linker::new(key)?;
        tables.iter().try_for_each(|table| linker.add_table(table))?;
        let twice: Vec<usize> =
            (0..reading.inputs.len()).filter(|&i| reading.inputs[i].is_rereadable()).collect();
        if twice.len() < reading.inputs.len() {
            report.remark(READ_ONCE);
        }
        let inputs: Vec<InputFile> = twice.iter().map(|&i| reading.inputs[i].clone()).collect();
        // Whoever treats a share must join as those who treat the others do.
        let feed = Reading { inputs: &inputs, shard: None, ..*reading }.feed();
        let learn = |Step { event, after }: Step| match event {
            Event::Document(document) => Some((after, document.id.clone(), self.learn_linked(*document))),
            _ => None,
        };
        ordered(self.jobs, feed, learn, |learned| {
            let Some((at, id, learned)) = learned else { return Ok(()) };
            let at = super::InputPosition { input: twice[at.input], items: at.items };
            linker.add_document(at, &id, &learned)
        })?;
        let links = linker.finish(tables)?;
        report.links = links.counts().clone();
        if links.left_out() > 0 {
            report.remark(no_room(links.left_out()));
        }
        if links.patients() > 0 && self.engine.trusts_records() {
            report.remark(several_documents(links.patients()));
        }
        Ok(links)
    }

    /// What one document says of its patient. What cannot be read or treated is refused in the second reading.
    fn learn_linked(&self, document: Document) -> Learned {
        let patient = document.patient_id().cloned();
        let known = document.known.as_deref().map(LinkFacts::of_identity).unwrap_or_default();
        let read = document.into_note(self.engine.language()).and_then(|mut note| {
            note.cancel = self.cancel.clone();
            self.engine.gather_linked(note)
        });
        let (record, facts) = read.unwrap_or_else(|_| (TrustedRecord::default(), known));
        Learned { patient, facts, record }
    }

    /// The first reading of files. What a person should know of it goes to the report.
    pub fn first_reading_of_files(&self, reading: &Reading<'_>, report: &mut Report) -> Records {
        let mut records = Records::default();
        if !self.engine.trusts_records() {
            return records;
        }
        let with_patients = || reading.inputs.iter().filter(|input| input.may_have_patient());
        let twice: Vec<InputFile> = with_patients().filter(|input| input.is_rereadable()).cloned().collect();
        if twice.len() < with_patients().count() {
            report.remark(READ_ONCE);
        }
        let options = ReadOptions { patients_only: true, ..reading.options.clone() };
        let learn = |event| match event {
            Event::Document(document) => self.learn(*document, |note| self.engine.gather(note)),
            _ => None,
        };
        let feed = Reading { inputs: &twice, options: &options, ..*reading }.feed();
        let learned = |step: Step| learn(step.event);
        let Ok(()) = ordered(self.jobs, feed, learned, |learned| {
            add(&mut records, learned);
            Ok::<_, Infallible>(())
        });
        records.close();
        if records.left_out() > 0 {
            report.remark(no_room(records.left_out()));
        }
        if records.patients() > 0 {
            report.remark(several_documents(records.patients()));
        }
        records
    }
}

const READ_ONCE: &str = "standard input and pipes are read once: their documents were not joined by what they say, and what \
                         is certain in one of them was not looked for in the patient's others (give files to have all \
                         treated alike)";

fn no_room(documents: usize) -> String {
    format!(
        "{} treated each by itself: there was no room to keep what is certain of their patients; give fewer patients at a time",
        counted(documents, "document was", "documents were")
    )
}

fn several_documents(patients: usize) -> String {
    let patients = counted(patients, "patient has", "patients have");
    format!("{patients} several documents: what is certain in one was looked for in the others")
}

fn add(records: &mut Records, learned: Option<(PatientId, TrustedRecord)>) {
    if let Some((patient, record)) = learned {
        records.add(&patient, &record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Task};
    use taire_formats::discover;
    use taire_text::Language;

    /// Defect: letters without a patient were read twice. Here they cannot even be opened a second time.
    #[test]
    fn inputs_without_patients_are_not_read_twice() {
        let folder = tempfile::tempdir().unwrap();
        for i in 0..3 {
            std::fs::write(folder.path().join(format!("{i}.txt")), "Mme Aldegonde KERVADEC").unwrap();
        }
        std::fs::write(folder.path().join("t.csv"), "id,text\n1,Mme Aldegonde KERVADEC\n").unwrap();
        let options = ReadOptions::default();
        let inputs = discover(&[folder.path().to_owned()], &options).inputs;
        assert_eq!(inputs.len(), 4);
        assert_eq!(inputs.iter().filter(|input| input.may_have_patient()).count(), 1, "the table");
        let options = ReadOptions { patients_only: true, ..options };
        assert_eq!(Reading::new(&inputs[3..], &options).feed().count(), 0, "it has no column of patients");
        let engine = Engine::new(Some("fr"), Some(Language::Fr), None).unwrap();
        let run = Run::new(&engine, Task::Deid { refuse_below: None });
        let mut report = Report::default();
        let records = run.first_reading_of_files(&Reading::new(&inputs, &options), &mut report);
        assert!(records.patients() == 0 && report.remarks.is_empty());
    }

    #[test]
    fn only_patients_with_several_documents_are_read() {
        let engine = Engine::new(Some("fr"), Some(Language::Fr), None).unwrap();
        let run = Run::new(&engine, Task::Deid { refuse_below: None }).jobs(2);
        let text = "Nom : KERVADEC\nPrénom : Aldegonde\nMme KERVADEC revient.";
        let patients = ["7", " 7", "8", " ", ""];
        let items = || patients.iter().map(|p| Item::from(Document::new("a", text).patient(p)));
        let read = std::sync::atomic::AtomicUsize::new(0);
        let records = run.first_reading_with(items, |note| {
            read.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            engine.gather(note)
        });
        assert_eq!((read.into_inner(), records.patients()), (2, 1));
        assert!(!records.record_of(Some("7")).is_empty() && records.record_of(Some("8")).is_empty());
    }
}
