//! One policy on the whole corpus: what it wrote, what that cost, and what is measured on it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use taire::batch::{Weigh, ordered};
use taire::run::Item;
use taire::{Engine, Error, Policy, Records, Refusal, Report, Run, SecretKey, Task};
use taire_eval::retain::{Retention, terms};
use taire_formats::Document;
use taire_surrogate::Rewriter;
use taire_text::{Entity, Label, Note, PatientId, Setting};

use super::clock::timed;
use crate::attacks::{Averaged, averaging};
use crate::risk::{Observed, day_of, observe};

/// Releases under different keys, for the attack that takes their median.
pub(super) const RELEASES: usize = 4;

/// Documents that are treated before times are measured.
const WARM_UP_DOCUMENTS: usize = 32;

/// The documents as one policy left them.
pub(super) struct Release {
    pub(super) policies: Vec<Policy>,
    /// What was found in each document that was written, by its index in the corpus.
    pub(super) found: Vec<(usize, Vec<Entity>)>,
    pub(super) observed: Vec<Observed>,
    /// Counts, and what the mechanisms declared.
    pub(super) report: Report,
    /// Computing time, the first reading included.
    pub(super) time: Duration,
    pub(super) averaging: Vec<Averaged>,
    /// What medicine was kept.
    pub(super) retained: Retention,
}

/// Applies policies to the documents.
pub(super) struct PolicyRunner<'a> {
    pub(super) documents: &'a [Document],
    /// The detectors that read all releases.
    pub(super) observer: &'a Engine,
    pub(super) jobs: usize,
}

#[derive(Clone, Copy)]
struct Numbered<'a>(usize, &'a Document);

impl Weigh for Numbered<'_> {
    fn weight(&self) -> usize {
        self.1.text.len()
    }
}

fn note(engine: &Engine, document: &Document) -> Result<Note, Error> {
    document.detached().into_note(engine.language())
}

impl PolicyRunner<'_> {
    fn items(&self) -> impl Iterator<Item = Numbered<'_>> + Send {
        self.documents.iter().enumerate().map(|(at, document)| Numbered(at, document))
    }

    /// The originals as a reader sees them; what cannot be read is refused by every policy.
    pub(super) fn originals(&self) -> Result<Vec<Observed>, Error> {
        let mut out = Vec::new();
        ordered(
            self.jobs,
            self.items(),
            |Numbered(_, document)| observe(self.observer, document.detached()),
            |observed| {
                out.extend(observed);
                Ok::<_, Error>(())
            },
        )?;
        Ok(out)
    }

    pub(super) fn release(&self, engine: &Engine, keys: &[SecretKey]) -> Result<Release, Error> {
        let policies: Vec<Policy> = engine.policies().cloned().collect();
        let mut report = Report::new("compare", policies.iter().map(|p| p.name.clone()));
        self.warm(engine)?;
        let (records, mut time) = self.first_reading(engine);
        // The policies of the languages differ in what they find, not in how they move dates: the first one serves for all.
        let rewriters: Vec<Rewriter> = match policies.first() {
            Some(policy) => keys
                .iter()
                .map(|key| Rewriter::new(key.clone(), policy.rewrite.clone()))
                .collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        let (mut found, mut observed) = (Vec::new(), Vec::new());
        let mut retained = Retention::default();
        let mut gaps = Gaps { truth: Vec::new(), releases: vec![Vec::new(); rewriters.len()] };
        ordered(
            self.jobs,
            self.items(),
            |Numbered(at, document)| {
                (at, self.treat(&Treatment { engine, records: &records, rewriters: &rewriters }, document))
            },
            |(at, result)| {
                let document = &self.documents[at];
                match result {
                    Ok(treated) => {
                        time += treated.time;
                        report.count_rewritten(treated.language, document.text.len(), &treated.done);
                        gaps.add(treated.gaps);
                        retained.merge(&treated.retained);
                        found.push((at, treated.done.entities));
                        observed.push(treated.observed);
                    }
                    Err(error) => {
                        let refusal = Refusal::of_document(&*document.id, error.reason().clone());
                        report.refuse(&refusal, Setting::neutral_name);
                    }
                }
                Ok::<_, Error>(())
            },
        )?;
        let averaging = averaging(&gaps.truth, &gaps.releases);
        Ok(Release { policies, found, observed, report, time, averaging, retained })
    }

    /// How often each document is treated; the fastest time counts. A small corpus takes little time, and noise would
    /// distort a single measurement.
    fn runs(&self) -> usize {
        if self.documents.len() < 1000 { 3 } else { 1 }
    }

    /// Loads what is loaded once in a program before times are measured.
    fn warm(&self, engine: &Engine) -> Result<(), Error> {
        let some = self.items().take(WARM_UP_DOCUMENTS);
        let run = |Numbered(_, document): Numbered<'_>| {
            drop(note(engine, document).and_then(|note| engine.run(note)))
        };
        ordered(self.jobs, some, run, |()| Ok::<_, Error>(()))
    }

    /// The first reading, as `deid` does it, and the time it took.
    fn first_reading(&self, engine: &Engine) -> (Records, Duration) {
        let run = Run::new(engine, Task::Deid { refuse_below: None }).jobs(self.jobs);
        let nanoseconds = AtomicU64::new(0);
        let records = run.first_reading_with(
            || self.documents.iter().map(|document| Item::from(document.detached())),
            |note| {
                let (record, took) = timed(|| engine.gather(note));
                nanoseconds.fetch_add(took.as_nanos() as u64, Ordering::Relaxed);
                record
            },
        );
        (records, Duration::from_nanos(nanoseconds.into_inner()))
    }

    fn treat(&self, by: &Treatment<'_>, document: &Document) -> Result<Treated, Error> {
        let Treatment { engine, records, rewriters } = *by;
        let first = note(engine, document)?;
        let language = first.language;
        let others = records.record_of(first.patient.as_deref());
        let (done, mut time) = timed(|| engine.run_with(first, &others));
        let done = done?;
        for _ in 1..self.runs() {
            let again = note(engine, document)?;
            time = time.min(timed(|| drop(engine.run_with(again, &others))).1);
        }
        // In the document's own language, whatever language the policy reads.
        let before = note(self.observer, document)?;
        let after = Note::builder("", done.text.clone()).language(Some(before.language)).build()?;
        let mut retained = Retention::default();
        retained.add(&terms(&before), &terms(&after), |_, _| {});
        let mut released = Document::new(document.id.clone(), done.text.clone());
        released.patient = done.patient.as_deref().and_then(PatientId::parse);
        released.date = done.date;
        released.language = Some(language);
        let observed = observe(self.observer, released)
            .ok_or_else(|| Error::refused("what was written cannot be read again"))?;
        let gaps = gaps(engine, rewriters, document, &done.entities);
        Ok(Treated { language, time, observed, gaps, retained, done })
    }
}

/// What a document is treated with.
struct Treatment<'a> {
    engine: &'a Engine,
    records: &'a Records,
    rewriters: &'a [Rewriter],
}

struct Treated {
    language: taire_text::Language,
    time: Duration,
    observed: Observed,
    gaps: Option<Gaps>,
    retained: Retention,
    done: taire::Deidentified,
}

/// Days between the neighbouring whole dates of documents, in truth and in each release.
struct Gaps {
    truth: Vec<i32>,
    releases: Vec<Vec<i32>>,
}

impl Gaps {
    fn add(&mut self, other: Option<Gaps>) {
        let Some(other) = other else { return };
        self.truth.extend(other.truth);
        self.releases.iter_mut().zip(other.releases).for_each(|(all, one)| all.extend(one));
    }
}

/// `None` where some release does not show every date to the day.
fn gaps(engine: &Engine, rewriters: &[Rewriter], document: &Document, entities: &[Entity]) -> Option<Gaps> {
    let note = note(engine, document).ok()?;
    let between = |days: Vec<i32>| days.windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>();
    let whole =
        |e: &&Entity| e.label == Label::Date && day_of(e.span.of(note.raw()), note.language).is_some();
    let dates: Vec<&Entity> = entities.iter().filter(whole).collect();
    let truth = dates.iter().filter_map(|e| day_of(e.span.of(note.raw()), note.language)).collect();
    let release = |rewriter: &Rewriter| -> Option<Vec<i32>> {
        let rewritten = rewriter.rewrite(&note, entities).ok()?;
        let texts: BTreeMap<usize, &str> =
            rewritten.replacements.iter().map(|r| (r.span.start(), r.text.as_str())).collect();
        let day = |e: &&Entity| {
            let shown = texts.get(&e.span.start()).copied().unwrap_or_else(|| e.span.of(note.raw()));
            day_of(shown, note.language)
        };
        dates.iter().map(day).collect::<Option<Vec<i32>>>().map(between)
    };
    let releases = rewriters.iter().map(release).collect::<Option<Vec<_>>>()?;
    Some(Gaps { truth: between(truth), releases })
}
