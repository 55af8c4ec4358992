//! Several policies on one corpus, side by side: what each finds, what it keeps, what it leaves to an attacker, what it
//! costs.
//!
//! Everything is done in memory and nothing of the documents is written. The originals and all releases are looked at by
//! the same detectors, those of the documents' languages, so that policies are measured alike.

mod clock;
mod detection;
mod print;
mod release;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use taire::run::read_all;
use taire::{Engine, Error, Policy, Refusal, SHIPPED, SecretKey, Spent};
use taire_eval::retain::Retention;
use taire_formats::{Document, ReadOptions};
use taire_surrogate::Action;
use taire_text::{Label, Language};

use crate::attacks::Averaged;
use crate::json::{json_error, to_json};
use crate::page::Page;
use crate::risk::{Observed, ObservedCorpora, RiskAssessment, RiskSettings, assess, days};
use crate::uniqueness::intervals;

pub use detection::DetectionScores;
use detection::Gold;
use release::{PolicyRunner, RELEASES, Release};

/// The name of the policy of each document's language.
pub const DEFAULT_POLICY: &str = "default";

/// What [`compare_policies`] compares, and on which documents.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// Files and folders of documents; annotations that come with them are scored.
    pub inputs: Vec<PathBuf>,
    /// How they are read.
    pub read: ReadOptions,
    /// Policies: shipped names, paths of TOML files, or [`DEFAULT_POLICY`].
    pub policies: Vec<String>,
    /// The secret key; without one, a key that everybody can make again from the seed.
    pub key: Option<SecretKey>,
    /// Seed of the samples that are drawn, and of the key where none is given.
    pub seed: u64,
    /// Days by which a known interval may be off.
    pub tolerance: u32,
    /// The language of all documents; by default each in its own.
    pub language: Option<Language>,
    /// Threads.
    pub jobs: usize,
}

impl Default for CompareOptions {
    fn default() -> Self {
        CompareOptions {
            inputs: Vec::new(),
            read: ReadOptions::default(),
            policies: vec![DEFAULT_POLICY.to_owned()],
            key: None,
            seed: 1,
            tolerance: 3,
            language: None,
            jobs: 1,
        }
    }
}

/// Policies side by side.
#[derive(Debug, Serialize)]
pub struct Comparison {
    command: &'static str,
    version: &'static str,
    /// Seed of the samples.
    pub seed: u64,
    /// Days by which a known interval may be off.
    pub tolerance: u32,
    /// Documents that were read.
    pub documents: usize,
    /// Documents that could not be read at all.
    pub unreadable: usize,
    /// The annotations of the corpus, if it has some.
    pub gold: Option<GoldSummary>,
    /// One column for each policy.
    pub policies: Vec<PolicyColumn>,
    /// The command that gives the same figures.
    #[serde(skip)]
    made_by: String,
    /// The key was made from the seed.
    #[serde(skip)]
    demonstration_key: bool,
}

impl Comparison {
    /// The comparison as a page.
    pub fn to_page(&self) -> Page {
        print::page(self)
    }

    /// The comparison as JSON, with a line end.
    pub fn to_json(&self) -> Result<String, Error> {
        to_json(self)
    }

    /// Whether some document could not be read or was refused by a policy.
    pub fn has_refusals(&self) -> bool {
        self.unreadable > 0 || self.policies.iter().any(|p| p.refused > 0)
    }
}

/// The annotations that came with the corpus.
#[derive(Debug, Serialize)]
pub struct GoldSummary {
    /// Annotated identifiers.
    pub spans: usize,
    /// The scheme that has all their labels, if one has.
    pub scheme: Option<&'static str>,
}

/// What was measured of one policy.
#[derive(Debug, Serialize)]
pub struct PolicyColumn {
    /// Its name in the table.
    pub name: String,
    /// The policies that `name` means, one for each language.
    pub policies: Vec<String>,
    /// The language all documents were read in; without one, each in its own.
    pub language: Option<Language>,
    /// The calendar, or what is written in place of dates.
    pub dates: String,
    /// Documents written.
    pub written: usize,
    /// Documents refused.
    pub refused: usize,
    /// Identifiers found.
    pub spans: usize,
    /// Scores against the annotations, if the corpus has some.
    pub detection: Option<DetectionScores>,
    /// Share of letters and digits that are unchanged.
    pub text_left: f64,
    /// Medical terms before and after, by category.
    pub retained: Retention,
    /// Intervals between dates before and after.
    pub intervals: IntervalHistogram,
    /// What an attacker can still do.
    pub risk: RiskAssessment,
    /// An interval, by the middle of several releases under different keys.
    pub averaging: Vec<Averaged>,
    /// By kind of loss and label, `all` being a document's whole loss.
    pub losses: BTreeMap<String, BTreeMap<String, Spent>>,
    /// How many times as fast as the first policy, in computing time of this run.
    pub speed: f64,
}

/// Days between neighbouring dates of a record, in classes.
#[derive(Debug, Serialize)]
pub struct IntervalHistogram {
    /// Names of the classes.
    pub classes: Vec<&'static str>,
    /// Intervals in each class before.
    pub before: Vec<u64>,
    /// Intervals in each class after.
    pub after: Vec<u64>,
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

/// Applies every policy to the same documents and measures each. Documents that cannot be read are counted and given to
/// `on_refusal`.
pub fn compare_policies(
    options: &CompareOptions,
    on_refusal: &mut dyn FnMut(&Refusal),
) -> Result<Comparison, Error> {
    let mut seen = std::collections::BTreeSet::new();
    if let Some(twice) = options.policies.iter().find(|p| !seen.insert(p.as_str())) {
        return Err(Error::usage(format!("policy `{twice}` is named twice; name each once")));
    }
    let (documents, unreadable) = read(options, on_refusal)?;
    let gold = Gold::read(&documents)?;
    let observer = Engine::new(None, options.language, None)?;
    let runner = PolicyRunner { documents: &documents, observer: &observer, jobs: options.jobs };
    let originals = runner.originals()?;
    let keys = keys(options)?;
    let baseline = Baseline {
        options,
        documents: &documents,
        originals: &originals,
        gold: gold.as_ref(),
        key: &keys[0],
    };
    let mut policies = Vec::new();
    let mut first = None;
    for name in &options.policies {
        let chosen = Some(name.as_str()).filter(|&n| n != DEFAULT_POLICY);
        let engine = Engine::new(chosen, options.language, keys.first())?;
        let release = runner.release(&engine, &keys)?;
        let time = release.time.as_secs_f64();
        let speed = *first.get_or_insert(time) / time.max(1e-9);
        policies.push(baseline.column(name, release, speed)?);
    }
    Ok(Comparison {
        command: "compare",
        version: env!("CARGO_PKG_VERSION"),
        seed: options.seed,
        tolerance: options.tolerance,
        documents: documents.len(),
        unreadable,
        gold: gold.map(|g| GoldSummary { spans: g.spans, scheme: g.scheme.map(|s| s.key()) }),
        policies,
        made_by: command_line(options),
        demonstration_key: options.key.is_none(),
    })
}

fn command_line(options: &CompareOptions) -> String {
    let inputs: Vec<_> = options.inputs.iter().map(|p| p.display().to_string()).collect();
    format!("taire compare {} --policies {}", inputs.join(" "), options.policies.join(","))
}

/// The key of the release that is measured, and those of the releases for averaging.
fn keys(options: &CompareOptions) -> Result<Vec<SecretKey>, Error> {
    let first = match &options.key {
        Some(key) => key.clone(),
        None => demonstration_key(options.seed, 0)?,
    };
    let mut keys = vec![first];
    for n in 1..RELEASES {
        keys.push(demonstration_key(options.seed, n)?);
    }
    Ok(keys)
}

/// A key derived from the seed, which protects nothing. It is for measuring only.
fn demonstration_key(seed: u64, number: usize) -> Result<SecretKey, Error> {
    let mut bytes = *b"taire compare: demonstration key";
    for (byte, add) in bytes.iter_mut().zip(seed.to_le_bytes().into_iter().chain([number as u8])) {
        *byte ^= add;
    }
    Ok(SecretKey::from_bytes(&bytes)?)
}

fn read(
    options: &CompareOptions,
    on_refusal: &mut dyn FnMut(&Refusal),
) -> Result<(Vec<Document>, usize), Error> {
    let read = ReadOptions { gold: true, ..options.read.clone() };
    let (documents, refused) = read_all(&options.inputs, &read);
    refused.iter().for_each(on_refusal);
    if documents.is_empty() {
        return Err(Error::usage(
            "there is no document in what was given; give files or folders that hold some",
        ));
    }
    Ok((documents, refused.len()))
}

/// What every column is measured against.
struct Baseline<'a> {
    options: &'a CompareOptions,
    documents: &'a [Document],
    originals: &'a [Observed],
    gold: Option<&'a Gold>,
    key: &'a SecretKey,
}

impl Baseline<'_> {
    fn column(&self, name: &str, release: Release, speed: f64) -> Result<PolicyColumn, Error> {
        let Release { policies, found, observed, report, averaging, retained, .. } = release;
        let found: Vec<_> = found.iter().map(|(at, e)| (&self.documents[*at], e.as_slice())).collect();
        let settings = RiskSettings {
            tolerance: self.options.tolerance,
            seed: self.options.seed,
            policy: policies.first().cloned(),
            key: Some(self.key.clone()),
            reviewed: None,
            refused: report.documents.refused,
        };
        let intervals = IntervalHistogram::count(self.originals, &observed);
        let corpora = ObservedCorpora { original: self.originals, releases: &[observed], same_key: None };
        let risk = assess(corpora, &settings)?;
        Ok(PolicyColumn {
            name: column_name(name, &policies),
            language: self
                .options
                .language
                .or(policies.first().filter(|_| name != DEFAULT_POLICY).and_then(|p| p.language)),
            policies: policies.iter().map(|p| p.name.clone()).collect(),
            dates: policies.first().map(dates).transpose()?.unwrap_or_default(),
            written: report.documents.written,
            refused: report.documents.refused,
            spans: report.spans(),
            detection: self.gold.map(|gold| gold.score(&found, self.options.seed)).transpose()?,
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

/// The name of a policy in the table: for a file, the `name` in it.
fn column_name(given: &str, policies: &[Policy]) -> String {
    let shipped = given == DEFAULT_POLICY || SHIPPED.iter().any(|(name, _)| *name == given);
    let own = policies.first().filter(|_| !shipped).map(|p| p.name.clone());
    own.unwrap_or_else(|| given.to_owned())
}

/// The name of the calendar, or of the tag that is written for dates.
fn dates(policy: &Policy) -> Result<String, Error> {
    let named = match policy.rewrite.action(Label::Date) {
        Action::Surrogate => serde_json::to_value(policy.rewrite.dates).map_err(json_error)?["method"].take(),
        action => serde_json::to_value(action).map_err(json_error)?,
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

impl IntervalHistogram {
    fn count(originals: &[Observed], released: &[Observed]) -> IntervalHistogram {
        let released: BTreeMap<&str, &Observed> = released.iter().map(|o| (o.id.as_str(), o)).collect();
        let mut records: BTreeMap<&str, Vec<(&Observed, &Observed)>> = BTreeMap::new();
        for before in originals {
            if let Some(after) = released.get(before.id.as_str()) {
                records.entry(before.record()).or_default().push((before, after));
            }
        }
        let mut out = IntervalHistogram {
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
