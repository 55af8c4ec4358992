//! One policy on the whole corpus: what it wrote, what that cost, and what is measured on it.

use std::collections::BTreeMap;
use std::time::Duration;

use taire::batch::{Weigh, ordered};
use taire::{Engine, Error, Policy, Records, Report, SecretKey};
use taire_eval::retain::{Retention, terms};
use taire_formats::Document;
use taire_risk::attacks::{Averaged, averaging};
use taire_surrogate::Rewriter;
use taire_text::{Entity, Label, Note};

use super::clock::timed;
use crate::Usage;
use crate::risk::{Observed, day_of, observe};

/// Releases under different keys, for the attack that takes the middle of them.
pub(super) const RELEASES: usize = 4;

/// Documents that are looked at before the clock runs.
const WARMED: usize = 32;

/// The documents as one policy left them.
pub(super) struct Release {
    pub(super) policies: Vec<Policy>,
    /// What was found in each document that was written, by its place in the corpus.
    pub(super) found: Vec<(usize, Vec<Entity>)>,
    pub(super) observed: Vec<Observed>,
    /// Counts, and what the mechanisms declared.
    pub(super) report: Report,
    /// Computing, the first reading included.
    pub(super) time: Duration,
    pub(super) averaging: Vec<Averaged>,
    /// What medicine was kept.
    pub(super) retained: Retention,
}

pub(super) struct Reader<'a> {
    pub(super) documents: &'a [Document],
    /// Looks at all releases alike.
    pub(super) observer: &'a Engine,
    pub(super) jobs: usize,
}

#[derive(Clone, Copy)]
struct Item<'a>(usize, &'a Document);

impl Weigh for Item<'_> {
    fn weight(&self) -> usize {
        self.1.text.len()
    }
}

fn note(engine: &Engine, document: &Document) -> Result<Note, Error> {
    Ok(Note::builder(document.id.clone(), document.text.clone())
        .patient(document.patient.clone())
        .date(document.date)
        .language(engine.language().or(document.language))
        .known(document.known.clone())
        .given(document.given.clone())
        .build()?)
}

impl Reader<'_> {
    fn items(&self) -> impl Iterator<Item = Item<'_>> + Send {
        self.documents.iter().enumerate().map(|(at, document)| Item(at, document))
    }

    /// The originals as a reader sees them; what cannot be read is refused by every policy.
    pub(super) fn originals(&self) -> Result<Vec<Observed>, Usage> {
        let mut out = Vec::new();
        ordered(
            self.jobs,
            self.items(),
            |Item(_, document)| observe(self.observer, copy(document)),
            |observed| {
                out.extend(observed);
                Ok::<_, Usage>(())
            },
        )?;
        Ok(out)
    }

    pub(super) fn release(&self, engine: &Engine, keys: &[SecretKey]) -> Result<Release, Usage> {
        let policies: Vec<Policy> = engine.policies().cloned().collect();
        let mut report = Report::new("compare", policies.iter().map(|p| p.name.clone()));
        self.warm(engine)?;
        let mut time = self.gather(engine)?;
        // The same dates under every language's policy: what differs between those is what is found.
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
            |Item(at, document)| self.treat(engine, &rewriters, at, document),
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
                    Err(error) => report.refuse(document.id.clone(), error.to_string()),
                }
                Ok::<_, Usage>(())
            },
        )?;
        let averaging = averaging(&gaps.truth, &gaps.releases);
        Ok(Release { policies, found, observed, report, time, averaging, retained })
    }

    /// How often each document is treated, of which the fastest time counts: few documents are soon done, and their
    /// times are easily disturbed.
    fn runs(&self) -> usize {
        if self.documents.len() < 1000 { 3 } else { 1 }
    }

    /// What is loaded once in a program is loaded before the clock runs.
    fn warm(&self, engine: &Engine) -> Result<(), Usage> {
        let some = self.items().take(WARMED);
        let run =
            |Item(_, document): Item<'_>| drop(note(engine, document).and_then(|note| engine.run(note)));
        ordered(self.jobs, some, run, |()| Ok::<_, Usage>(()))
    }

    /// The first reading, as `deid` does it.
    fn gather(&self, engine: &Engine) -> Result<Duration, Usage> {
        let mut records = Records::default();
        let mut time = Duration::ZERO;
        if !engine.trusts_records() {
            return Ok(time);
        }
        ordered(
            self.jobs,
            self.items(),
            |Item(_, document)| {
                let known = || document.known.as_ref().and_then(|k| k.patient.clone());
                let patient = document.patient.clone().or_else(known).filter(|p| !p.trim().is_empty())?;
                let note = note(engine, document).ok()?;
                let (record, took) = timed(|| engine.gather(note));
                Some((patient, record.ok()?, took))
            },
            |learned| {
                if let Some((patient, record, took)) = learned {
                    records.add(&patient, &record);
                    time += took;
                }
                Ok::<_, Usage>(())
            },
        )?;
        records.close();
        engine.remember(records);
        Ok(time)
    }

    fn treat(
        &self,
        engine: &Engine,
        rewriters: &[Rewriter],
        at: usize,
        document: &Document,
    ) -> (usize, Result<Treated, Error>) {
        let treat = || -> Result<Treated, Error> {
            let first = note(engine, document)?;
            let language = first.language;
            let (done, mut time) = timed(|| engine.run(first));
            let done = done?;
            for _ in 1..self.runs() {
                let again = note(engine, document)?;
                time = time.min(timed(|| drop(engine.run(again))).1);
            }
            // In the document's own language, whatever the policy took it for.
            let before = note(self.observer, document)?;
            let after = Note::builder("", done.text.clone()).language(Some(before.language)).build()?;
            let mut retained = Retention::default();
            retained.add(&terms(&before), &terms(&after), |_, _| {});
            let mut released = Document::new(document.id.clone(), done.text.clone());
            released.patient = done.patient.clone();
            released.date = done.date;
            released.language = Some(language);
            let observed = observe(self.observer, released)
                .ok_or_else(|| Error::new("what was written cannot be read again"))?;
            let gaps = gaps(engine, rewriters, document, &done.entities);
            Ok(Treated { language, time, observed, gaps, retained, done })
        };
        (at, treat())
    }
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

/// Nothing where some release does not show every date as a day.
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

fn copy(document: &Document) -> Document {
    let mut out = Document::new(document.id.clone(), document.text.clone());
    out.patient = document.patient.clone();
    out.date = document.date;
    out.language = document.language;
    out.known = document.known.clone();
    out.given = document.given.clone();
    out
}
