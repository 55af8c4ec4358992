//! What goes on behind the page: the corpus is read, what is certain of each patient gathered, every document searched.
//!
//! All of it can be cut short at any moment: what was done is kept, and the next start goes on with the rest.

use std::collections::HashSet;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use taire::batch::stable_hash;
use taire::{Engine, Records, SecretKey};
use taire_formats::{discover, open};

use crate::Error;
use crate::app::{App, Stage, lock};
use crate::findings::Found;
use crate::store::{Incoming, Outcome, Taken};

/// Documents taken in or kept in one transaction.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 4 << 20;
const BATCH_TIME: Duration = Duration::from_millis(300);
/// A page of more text than this cannot be worked on.
const MOST_BYTES: usize = 2 << 20;

/// Does all there is to do; what goes wrong is shown on the page.
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
        let engine = engine.join().map_err(|_| Error::new("the detectors could not be loaded"))??;
        let _ = app.engine.set(engine);
        Ok::<_, Error>(())
    })?;
    let engine = app.engine.get().ok_or_else(|| Error::new("the detectors could not be loaded"))?;
    let found_by = print(app, engine)?;
    let waiting = app.store.waiting(found_by)?;
    if !waiting.is_empty() && engine.trusts_records() {
        app.set(Stage::Gathering);
        gather(app, engine)?;
    }
    lock(&app.queue).extend(waiting);
    app.set(Stage::Searching);
    search(app, engine, found_by)?;
    app.set(Stage::Ready);
    Ok(())
}

fn build(app: &App) -> Result<Engine, Error> {
    let config = &app.config;
    let key = match &config.key {
        Some(key) => key.clone(),
        None => SecretKey::generate().map_err(|e| Error::new(e.to_string()))?,
    };
    Ok(Engine::with_words(config.policy.as_deref(), &config.words, config.language, Some(&key))?)
}

/// Tells settings apart that may find other things.
fn print(app: &App, engine: &Engine) -> Result<i64, Error> {
    let mut parts = vec![env!("CARGO_PKG_VERSION").to_owned(), format!("{:?}", engine.language())];
    for policy in engine.policies() {
        parts.push(policy.to_toml()?);
        let files = policy.detect.allow_lists.iter().chain(&policy.detect.model);
        let about = files.map(|f| std::fs::metadata(f).map(|m| (m.len(), m.modified().ok())).ok());
        parts.push(format!("{:?}", about.collect::<Vec<_>>()));
    }
    parts.push(format!("{:?}", app.config.options.patients.is_some()));
    Ok(stable_hash(parts.iter().map(|p| p.as_bytes())) as i64)
}

/// Takes every document of the corpus in. What cannot be read is listed, with its reason.
fn read(app: &App) -> Result<(), Error> {
    app.set(Stage::Reading { documents: 0 });
    let options = &app.config.options;
    let discovery = discover(&app.config.inputs, options);
    let split = |text: String| match text.split_once(": ") {
        Some((name, why)) => (name.to_owned(), why.to_owned()),
        None => (text, String::new()),
    };
    let mut refused: Vec<(String, String)> =
        discovery.refused.iter().map(|refusal| split(refusal.to_string())).collect();
    let mut names = HashSet::new();
    let mut batch: Vec<Incoming> = Vec::new();
    let mut bytes = 0;
    let mut documents = 0;
    let mut take = |batch: &mut Vec<Incoming>, refused: &mut Vec<(String, String)>| -> Result<(), Error> {
        for (taken, document) in app.store.take(batch)?.into_iter().zip(batch.drain(..)) {
            if taken == Taken::Changed {
                let why = "its text is no longer the one that was reviewed, which stays; give the new one another name";
                refused.push((document.name, why.into()));
            }
            documents += 1;
        }
        app.set(Stage::Reading { documents });
        Ok(())
    };
    for input in &discovery.inputs {
        let reader = match open(input, options) {
            Ok(reader) => reader,
            Err(error) => {
                refused.push(split(error.to_string()));
                continue;
            }
        };
        for document in reader {
            let document = match document {
                Ok(document) => Incoming::from(document),
                Err(refusal) => {
                    refused.push(split(refusal.to_string()));
                    continue;
                }
            };
            if document.text.len() > MOST_BYTES {
                let why = format!("it holds over {} MB of text; split it into its letters", MOST_BYTES >> 20);
                refused.push((document.name, why));
                continue;
            }
            if !names.insert(document.name.clone()) {
                let why = "another document has this name; give each its own (--id-column names the column)";
                refused.push((document.name, why.into()));
                continue;
            }
            bytes += document.text.len();
            batch.push(document);
            if batch.len() >= BATCH || bytes >= BATCH_BYTES {
                take(&mut batch, &mut refused)?;
                bytes = 0;
            }
        }
    }
    take(&mut batch, &mut refused)?;
    app.store.refuse(&refused)
}

/// What is certain of patients with several documents, to be looked for in all of them.
fn gather(app: &App, engine: &Engine) -> Result<(), Error> {
    let mut records = Records::default();
    for id in app.store.in_records()? {
        let Ok(document) = app.store.document(id) else { continue };
        let Some(patient) = document.patient.clone() else { continue };
        // What cannot be read here is told when it is searched.
        let Ok(note) = document.note(engine.language()) else { continue };
        if let Ok(record) = engine.gather(note) {
            records.add(&patient, &record);
        }
    }
    records.close();
    engine.remember(records);
    Ok(())
}

fn search(app: &App, engine: &Engine, found_by: i64) -> Result<(), Error> {
    let (send, receive) = mpsc::sync_channel::<Outcome>(2 * BATCH);
    thread::scope(|scope| {
        for _ in 0..app.config.jobs.max(1) {
            let send = send.clone();
            scope.spawn(move || {
                while let Some(id) = lock(&app.queue).pop_front() {
                    if send.send(find(app, engine, id)).is_err() {
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

fn find(app: &App, engine: &Engine, id: i64) -> Outcome {
    let look = || -> Result<_, Error> {
        let document = app.store.document(id).map_err(|p| Error::new(p.message))?;
        let (note, findings) = engine.find(document.note(engine.language())?)?;
        Ok((note.language, Found::of(&findings), findings.doubt().figure()))
    };
    match look() {
        Ok((language, found, doubt)) => {
            Outcome { document: id, language: Some(language), found: Ok((found, doubt)) }
        }
        Err(error) => Outcome { document: id, language: None, found: Err(error.to_string()) },
    }
}
