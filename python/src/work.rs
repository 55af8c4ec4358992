//! Documents through the engine, in order, on all threads.

use std::collections::{BTreeMap, HashMap};

use taire::batch::{Weigh, ordered};
use taire::{Engine, Error, SecretKey, TrustedRecord, found_spans, text_id};
use taire_formats::{Document, OutSpan};
use taire_text::Note;
use taire_text::scheme::Scheme;

use crate::records::{Records, Sealer};

/// One policy, ready.
pub(crate) struct Worker {
    pub(crate) engine: Engine,
    pub(crate) sealer: Sealer,
    pub(crate) key: SecretKey,
    pub(crate) jobs: usize,
    /// Documents less sure than this are refused.
    pub(crate) refuse_below: Option<f32>,
}

/// A document, or why it cannot be one.
pub(crate) struct Given {
    pub(crate) document: Document,
    pub(crate) refused: Option<String>,
}

impl Weigh for Given {
    fn weight(&self) -> usize {
        self.document.weight()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    Deid,
    Detect(Scheme),
}

/// What was done to one document.
pub(crate) struct Done {
    pub(crate) text: String,
    pub(crate) spans: Vec<OutSpan>,
    pub(crate) patient: Option<String>,
    pub(crate) date: Option<jiff::civil::Date>,
    pub(crate) doubt: f32,
}

impl Worker {
    fn note(&self, document: &mut Document) -> Result<Note, Error> {
        let text = std::mem::take(&mut document.text);
        let id = match document.id.is_empty() {
            true => text_id(&self.key, &text)?,
            false => document.id.clone(),
        };
        let note = Note::builder(id, text)
            .patient(document.patient.clone())
            .date(document.date)
            .language(self.engine.language().or(document.language))
            .known(document.known.clone())
            .build();
        Ok(note?)
    }

    fn treat(&self, given: &mut Given, task: Task, records: &Records) -> Result<Done, Error> {
        if let Some(why) = &given.refused {
            return Err(Error::new(why.as_str()));
        }
        let note = self.note(&mut given.document)?;
        let others = records.of(&self.sealer, note.patient.as_deref())?;
        match task {
            Task::Deid => {
                let done = self.engine.run_with(note, &others)?;
                if let Some(why) = self.refuse_below.and_then(|below| done.doubt.refusal(below)) {
                    return Err(Error::new(why));
                }
                let (spans, doubt) = (done.written_spans(), done.doubt.figure());
                Ok(Done { text: done.text, spans, patient: done.patient, date: done.date, doubt })
            }
            Task::Detect(scheme) => {
                let (note, findings) = self.engine.find_with(note, &others)?;
                let spans = found_spans(scheme, note.raw(), &findings.entities);
                let (patient, date, doubt) = (note.patient.clone(), note.date, findings.doubt().figure());
                Ok(Done { text: note.into_raw(), spans, patient, date, doubt })
            }
        }
    }

    /// Hands every document to `sink` with what was done to it, in order.
    pub(crate) fn each<E>(
        &self,
        given: impl Iterator<Item = Given> + Send,
        task: Task,
        records: &Records,
        mut sink: impl FnMut(Document, Result<Done, Error>) -> Result<(), E>,
    ) -> Result<(), E> {
        let work = |mut given: Given| {
            let done = self.treat(&mut given, task, records);
            (given.document, done)
        };
        ordered(self.jobs, given, work, |(document, done)| sink(document, done))
    }

    /// The first reading: what is certain of each patient that `wanted` names. What cannot be read or treated is refused in
    /// the second.
    pub(crate) fn gather(
        &self,
        given: impl Iterator<Item = Given> + Send,
        wanted: impl Fn(&str) -> bool + Sync,
    ) -> Result<Records, Error> {
        if !self.engine.trusts_records() {
            return Ok(Records::default());
        }
        let learn = |mut given: Given| {
            let patient = patient(&given).filter(|p| wanted(p))?.to_owned();
            let note = self.note(&mut given.document).ok()?;
            Some((patient, self.engine.gather(note).ok()?))
        };
        let mut gathered: BTreeMap<String, (u64, TrustedRecord)> = BTreeMap::new();
        ordered(self.jobs, given, learn, |learned| {
            if let Some((patient, record)) = learned {
                let (documents, all) = gathered.entry(patient).or_default();
                *documents += 1;
                all.merge(&record);
            }
            Ok::<_, Error>(())
        })?;
        Records::seal(&self.sealer, gathered)
    }

    /// The same for documents that are all here: only patients with several are worth reading twice.
    pub(crate) fn gather_repeated<I>(&self, given: impl Fn() -> I) -> Result<Records, Error>
    where
        I: Iterator<Item = Given> + Send,
    {
        if !self.engine.trusts_records() {
            return Ok(Records::default());
        }
        let mut counts: HashMap<String, usize> = HashMap::new();
        for given in given() {
            if let Some(patient) = patient(&given) {
                *counts.entry(patient.to_owned()).or_default() += 1;
            }
        }
        counts.retain(|_, n| *n > 1);
        if counts.is_empty() {
            return Ok(Records::default());
        }
        self.gather(given(), |patient| counts.contains_key(patient))
    }
}

fn patient(given: &Given) -> Option<&str> {
    let document = &given.document;
    let known = document.known.as_ref().and_then(|k| k.patient.as_deref());
    document.patient.as_deref().or(known).filter(|p| given.refused.is_none() && !p.trim().is_empty())
}
