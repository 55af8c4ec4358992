//! The background work: the corpus is read, what is certain of each patient is gathered, and every document is searched.
//!
//! All of it can be cut short at any moment: what was done is kept, and the next start goes on with the rest.

use std::collections::HashSet;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use taire::run::{Event, Fingerprint, Item, Reading, Refusal};
use taire::{Engine, Records, Run, SecretKey, Task};
use taire_formats::discover;
use taire_text::scheme::Scheme;

use crate::Error;
use crate::app::{App, Stage, lock};
use crate::findings::StoredFindings;
use crate::store::{Incoming, Outcome, Taken};

/// Documents taken in or kept in one transaction.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 4 << 20;
const BATCH_TIME: Duration = Duration::from_millis(300);
/// A document with more text is refused: the page could not show it.
const MOST_BYTES: usize = 2 << 20;

/// Does all the work; an error is shown on the page.
pub(crate) fn run(app: &App) {
    if let Err(error) = work(app) {
        eprintln!("taire: {error}");
        app.set(Stage::Failed { why: error.to_string() });
    }
}

fn work(app: &App) -> Result<(), Error> {
    thread::scope(|scope| {
        // Both take a while, and neither needs the other.
        let engine = scope.spawn(|| build(app));
        read(app)?;
        let engine = engine.join().map_err(|_| Error::internal("the detectors could not be loaded"))??;
        let _ = app.engine.set(engine);
        Ok::<_, Error>(())
    })?;
    let engine = app.engine.get().ok_or_else(|| Error::internal("the detectors could not be loaded"))?;
    let found_by = fingerprint(app, engine)?;
    let waiting = app.store.waiting(found_by)?;
    let mut records = Records::default();
    if !waiting.is_empty() && engine.trusts_records() {
        app.set(Stage::Gathering);
        records = first_reading(app, engine)?;
    }
    lock(&app.queue).extend(waiting);
    app.set(Stage::Searching);
    search(app, engine, &records, found_by)?;
    app.set(Stage::Ready);
    Ok(())
}

fn build(app: &App) -> Result<Engine, Error> {
    let config = &app.config;
    let key = match &config.key {
        Some(key) => key.clone(),
        None => SecretKey::generate().map_err(taire::Error::from)?,
    };
    Ok(Engine::with_words(config.policy.as_deref(), &config.words, config.language, Some(&key))?)
}

/// Identifies the settings: documents are searched again when it changes.
fn fingerprint(app: &App, engine: &Engine) -> Result<i64, Error> {
    let mut fingerprint = Fingerprint::of_engine(engine)?;
    fingerprint.add("patients", &format!("{:?}", app.config.options.patients.is_some()));
    Ok(fingerprint.hash() as i64)
}

/// Documents on their way into the store, and what is not taken.
struct Intake<'a> {
    app: &'a App,
    names: HashSet<String>,
    batch: Vec<Incoming>,
    bytes: usize,
    documents: usize,
    refused: Vec<Refusal>,
}

impl Intake<'_> {
    fn add(&mut self, document: Incoming) -> Result<(), Error> {
        if document.text.len() > MOST_BYTES {
            let why = format!("it holds over {} MB of text; split it into its letters", MOST_BYTES >> 20);
            self.refuse(document.name, why);
        } else if !self.names.insert(document.name.clone()) {
            let why = "another document has this name; give each its own (--id-column names the column)";
            self.refuse(document.name, why.to_owned());
        } else {
            self.bytes += document.text.len();
            self.batch.push(document);
        }
        match self.batch.len() >= BATCH || self.bytes >= BATCH_BYTES {
            true => self.store(),
            false => Ok(()),
        }
    }

    fn refuse(&mut self, name: String, why: String) {
        self.refused.push(Refusal::of_document(name, why));
    }

    fn store(&mut self) -> Result<(), Error> {
        let batch = std::mem::take(&mut self.batch);
        for (taken, document) in self.app.store.take(&batch)?.into_iter().zip(batch) {
            if taken == Taken::Changed {
                let why = "its text is no longer the one that was reviewed, which stays; give the new one another name";
                self.refuse(document.name, why.to_owned());
            }
            self.documents += 1;
        }
        self.bytes = 0;
        self.app.set(Stage::Reading { documents: self.documents });
        Ok(())
    }
}

/// Takes every document of the corpus in. What cannot be read is listed, with its reason.
fn read(app: &App) -> Result<(), Error> {
    app.set(Stage::Reading { documents: 0 });
    let options = &app.config.options;
    let discovery = discover(&app.config.inputs, options);
    let mut intake = Intake {
        app,
        names: HashSet::new(),
        batch: Vec::new(),
        bytes: 0,
        documents: 0,
        refused: discovery.refused.clone(),
    };
    for step in Reading::new(&discovery.inputs, options).feed() {
        match step.event {
            Event::Document(document) => intake.add(Incoming::from(*document))?,
            Event::Refused(refusal) => intake.refused.push(refusal),
            Event::Open(..) | Event::Close(_) => {}
        }
    }
    intake.store()?;
    app.store.refuse(&intake.refused)
}

/// What is certain of patients with several documents, to be looked for in all of them. What cannot be read here is
/// refused when it is searched.
fn first_reading(app: &App, engine: &Engine) -> Result<Records, Error> {
    let ids = app.store.in_records()?;
    let documents = ids.into_iter().filter_map(|id| app.store.document(id).ok()?.as_read().ok());
    let run = Run::new(engine, Task::Detect { scheme: Scheme::Taire }).jobs(app.config.jobs);
    let mut records = run.partial_reading(documents.map(Item::from));
    records.close();
    Ok(records)
}

fn search(app: &App, engine: &Engine, records: &Records, found_by: i64) -> Result<(), Error> {
    let (send, receive) = mpsc::sync_channel::<Outcome>(2 * BATCH);
    thread::scope(|scope| {
        for _ in 0..app.config.jobs.max(1) {
            let send = send.clone();
            scope.spawn(move || {
                while let Some(id) = lock(&app.queue).pop_front() {
                    if send.send(find(app, engine, records, id)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut batch = Vec::new();
        let mut kept = Instant::now();
        loop {
            let next = receive.recv_timeout(BATCH_TIME);
            let ends = matches!(next, Err(RecvTimeoutError::Disconnected));
            batch.extend(next.ok());
            let full = batch.len() >= BATCH || kept.elapsed() >= BATCH_TIME || ends;
            if full && !batch.is_empty() {
                app.store.keep_found(found_by, &batch)?;
                batch.clear();
                kept = Instant::now();
            }
            if ends {
                return Ok(());
            }
        }
    })
}

fn find(app: &App, engine: &Engine, records: &Records, id: i64) -> Outcome {
    let look = || -> Result<_, Error> {
        let document = app.store.document(id).map_err(|p| Error::new(p.message))?;
        let note = document.note(engine.language())?;
        let others = records.record_of(note.patient.as_deref());
        let (note, findings) = engine.find_with(note, &others)?;
        Ok((note.language, StoredFindings::of(&findings), findings.doubt.figure()))
    };
    match look() {
        Ok((language, found, doubt)) => {
            Outcome { document: id, language: Some(language), found: Ok((found, doubt)) }
        }
        Err(error) => Outcome { document: id, language: None, found: Err(error) },
    }
}
