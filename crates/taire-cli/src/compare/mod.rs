//! `compare`: several policies on one corpus, side by side: what each finds, what it keeps, what it leaves to an
//! attacker, what it costs.
//!
//! Everything is done in memory and nothing of the documents is written. The originals and all releases are looked at by
//! the same detectors, those of the documents' languages, so that policies are measured alike.

mod clock;
mod detection;
mod print;
mod release;

use std::collections::BTreeMap;

use serde::Serialize;
use taire::{Engine, Policy, SHIPPED, SecretKey, Spent};
use taire_eval::retain::Retention;
use taire_formats::{Document, ReadOptions, discover};
use taire_risk::attacks::Averaged;
use taire_risk::uniqueness::intervals;
use taire_surrogate::Action;
use taire_text::{Label, Language};

use crate::args::{CompareArgs, OutputFormat, jobs};
use crate::feed::{Event, Feed};
use crate::risk::{Assessment, Observed, Settings, assess, days};
use crate::{Outcome, Usage};

use detection::{Detection, Gold};
use release::{RELEASES, Reader, Release};

/// The policy of each document's language.
const DEFAULT: &str = "default";

/// All that is told, for a program.
#[derive(Serialize)]
pub(crate) struct Comparison {
    command: &'static str,
    version: &'static str,
    seed: u64,
    tolerance: u32,
    documents: usize,
    /// Documents that could not be read at all.
    unreadable: usize,
    gold: Option<Annotated>,
    policies: Vec<Measured>,
}

#[derive(Serialize)]
struct Annotated {
    spans: usize,
    scheme: Option<&'static str>,
}

/// One column of the table.
#[derive(Serialize)]
struct Measured {
    name: String,
    /// What `name` stands for.
    policies: Vec<String>,
    /// The language all documents were read in; without one, each in its own.
    language: Option<Language>,
    /// The calendar, or what is written in place of dates.
    dates: String,
    written: usize,
    refused: usize,
    spans: usize,
    detection: Option<Detection>,
    /// Letters and digits that stand as they stood.
    text_left: f64,
    /// Medical terms before and after, by category.
    retained: Retention,
    intervals: Histogram,
    risk: Assessment,
    averaging: Vec<Averaged>,
    /// By kind of loss and label, `all` being a document's whole loss.
    losses: BTreeMap<String, BTreeMap<String, Spent>>,
    /// How many times as fast as the first policy, in computing time of this run.
    speed: f64,
}

/// Days between neighbouring dates of a record, in classes.
#[derive(Serialize)]
struct Histogram {
    classes: Vec<&'static str>,
    before: Vec<u64>,
    after: Vec<u64>,
}

/// Classes of intervals: the most days in each, and its name.
const CLASSES: [(i32, &str); 9] = [
    (1, "1 d"),
    (3, "2–3"),
    (7, "4–7"),
    (14, "–14"),
    (30, "–30 d"),
    (91, "–3 m"),
    (365, "–1 y"),
    (3652, "–10 y"),
    (i32::MAX, "more"),
];

pub(crate) fn compare(args: &CompareArgs) -> Result<Outcome, Usage> {
    let comparison = measure(args)?;
    let page = print::page(&comparison, args);
    let json = serde_json::to_string_pretty(&comparison)? + "\n";
    if let Some(folder) = &args.output {
        page.save(folder, "compare", Some(&json))?;
    }
    match args.format {
        Some(OutputFormat::Json) => print!("{json}"),
        _ => print!("{}", page.markdown()),
    }
    let refused = comparison.policies.iter().any(|p| p.refused > 0);
    Ok(if refused || comparison.unreadable > 0 { Outcome::SomeRefused } else { Outcome::Done })
}

fn measure(args: &CompareArgs) -> Result<Comparison, Usage> {
    let mut seen = std::collections::BTreeSet::new();
    if let Some(twice) = args.policies.iter().find(|p| !seen.insert(p.as_str())) {
        return Err(Usage(format!("policy `{twice}` is named twice; name each once")));
    }
    let (documents, unreadable) = read(args)?;
    let gold = Gold::of(&documents)?;
    let observer = Engine::new(None, args.lang.0, None)?;
    let reader = Reader { documents: &documents, observer: &observer, jobs: jobs(args.jobs) };
    let originals = reader.originals()?;
    let mut keys = vec![match &args.key {
        Some(path) => SecretKey::read(path)?,
        None => demonstration(args.seed, 0)?,
    }];
    for n in 1..RELEASES {
        keys.push(demonstration(args.seed, n)?);
    }
    let bench =
        Bench { args, documents: &documents, originals: &originals, gold: gold.as_ref(), key: &keys[0] };
    let mut policies = Vec::new();
    let mut first = None;
    for name in &args.policies {
        let chosen = Some(name.as_str()).filter(|&n| n != DEFAULT);
        let engine = Engine::new(chosen, args.lang.0, keys.first())?;
        let release = reader.release(&engine, &keys)?;
        let time = release.time.as_secs_f64();
        let speed = *first.get_or_insert(time) / time.max(1e-9);
        policies.push(bench.column(name, release, speed)?);
    }
    Ok(Comparison {
        command: "compare",
        version: env!("CARGO_PKG_VERSION"),
        seed: args.seed,
        tolerance: args.tolerance,
        documents: documents.len(),
        unreadable,
        gold: gold.map(|g| Annotated { spans: g.spans, scheme: g.scheme.map(|s| s.key()) }),
        policies,
    })
}

/// A key that protects nothing: who has the seed has it. It is for measuring only.
fn demonstration(seed: u64, number: usize) -> Result<SecretKey, Usage> {
    let mut bytes = *b"taire compare: demonstration key";
    for (byte, add) in bytes.iter_mut().zip(seed.to_le_bytes().into_iter().chain([number as u8])) {
        *byte ^= add;
    }
    Ok(SecretKey::from_bytes(&bytes)?)
}

fn read(args: &CompareArgs) -> Result<(Vec<Document>, usize), Usage> {
    let mut options = ReadOptions { gold: true, ..args.input.options()? };
    options.exclude.extend(args.output.clone());
    let discovery = discover(&args.input.inputs, &options);
    let mut documents: Vec<Document> = Vec::new();
    let mut unreadable = 0;
    let mut refuse = |why: &str| {
        eprintln!("taire: refused {why}");
        unreadable += 1;
    };
    discovery.refused.iter().for_each(|refusal| refuse(&refusal.to_string()));
    for step in Feed::new(&discovery.inputs, &options) {
        match step.event {
            Event::Document(document) => documents.push(*document),
            Event::Refused(refusal) => refuse(&refusal.to_string()),
            Event::Open(..) | Event::Close(_) => {}
        }
    }
    if documents.is_empty() {
        return Err(Usage(
            "there is no document in what was given; give files or folders that hold some".into(),
        ));
    }
    Ok((documents, unreadable))
}

/// What every column is measured against.
struct Bench<'a> {
    args: &'a CompareArgs,
    documents: &'a [Document],
    originals: &'a [Observed],
    gold: Option<&'a Gold>,
    key: &'a SecretKey,
}

impl Bench<'_> {
    fn column(&self, name: &str, release: Release, speed: f64) -> Result<Measured, Usage> {
        let Release { policies, found, observed, report, averaging, retained, .. } = release;
        let found: Vec<_> = found.iter().map(|(at, e)| (&self.documents[*at], e.as_slice())).collect();
        let settings = Settings {
            tolerance: self.args.tolerance,
            seed: self.args.seed,
            policy: policies.first().cloned(),
            key: Some(self.key.clone()),
            reviewed: None,
            refused: report.documents.refused,
        };
        let intervals = Histogram::of(self.originals, &observed);
        let risk = assess(self.originals, &[observed], &settings)?;
        Ok(Measured {
            name: called(name, &policies),
            language: self
                .args
                .lang
                .0
                .or(policies.first().filter(|_| name != DEFAULT).and_then(|p| p.language)),
            policies: policies.iter().map(|p| p.name.clone()).collect(),
            dates: policies.first().map(dates).transpose()?.unwrap_or_default(),
            written: report.documents.written,
            refused: report.documents.refused,
            spans: report.spans(),
            detection: self.gold.map(|gold| gold.score(&found, self.args.seed)).transpose()?,
            text_left: text_left(&found),
            retained,
            intervals,
            risk,
            averaging,
            losses: report.losses,
            speed,
        })
    }
}

/// A policy in a file goes by the name it gives itself.
fn called(given: &str, policies: &[Policy]) -> String {
    let shipped = given == DEFAULT || SHIPPED.iter().any(|(name, _)| *name == given);
    let own = policies.first().filter(|_| !shipped).map(|p| p.name.clone());
    own.unwrap_or_else(|| given.to_owned())
}

/// The name of the calendar, or of the tag that stands for dates.
fn dates(policy: &Policy) -> Result<String, Usage> {
    let named = match policy.rewrite.action(Label::Date) {
        Action::Surrogate => serde_json::to_value(policy.rewrite.dates)?["method"].take(),
        action => serde_json::to_value(action)?,
    };
    Ok(named.as_str().unwrap_or_default().to_owned())
}

fn text_left(found: &[(&Document, &[taire_text::Entity])]) -> f64 {
    let count = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let (mut all, mut gone) = (0, 0);
    for (document, entities) in found {
        all += count(&document.text);
        gone += entities.iter().map(|e| count(e.span.of(&document.text))).sum::<usize>();
    }
    1.0 - gone as f64 / all.max(1) as f64
}

impl Histogram {
    fn of(originals: &[Observed], released: &[Observed]) -> Histogram {
        let released: BTreeMap<&str, &Observed> = released.iter().map(|o| (o.id.as_str(), o)).collect();
        let mut records: BTreeMap<&str, Vec<(&Observed, &Observed)>> = BTreeMap::new();
        for before in originals {
            if let Some(after) = released.get(before.id.as_str()) {
                records.entry(before.record()).or_default().push((before, after));
            }
        }
        let mut out = Histogram {
            classes: CLASSES.map(|c| c.1).into(),
            before: vec![0; CLASSES.len()],
            after: vec![0; CLASSES.len()],
        };
        for record in records.values() {
            let sides = [
                (days(record.iter().map(|r| r.0)), &mut out.before),
                (days(record.iter().map(|r| r.1)), &mut out.after),
            ];
            for (days, counts) in sides {
                for interval in intervals(&days) {
                    counts[CLASSES.partition_point(|c| c.0 < interval)] += 1;
                }
            }
        }
        out
    }
}
