//! How often something identifying is left, from a random sample that a person has read.
//!
//! [`draw_sample`] draws documents of a corpus, each as likely as another, and writes down what the program would hide in them: with
//! what it knows from the whole corpus, as in a run over it. A person marks what identifies somebody, and [`estimate_misses`] compares.
//! Documents chosen because they looked doubtful are not representative; a random sample is.
//!
//! | figure | interval, 95 % |
//! |---|---|
//! | documents with a direct identifier left | exact (Clopper & Pearson, 1934) |
//! | identifiers left, by tier | exact at the effective size of the sample (Korn & Graubard, 1998), since identifiers of one document are missed together |
//!
//! Both hold for the documents that the run would write, under the policy of the sample, as far as the reader misses nothing.

use std::collections::{BTreeMap, BinaryHeap};
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::json;
use taire::run::{Event, InputPosition, Reading, Refusal, ReviewedDocument, check_output};
use taire::{Engine, Error, Links, PatientId, Report, Run, Task, found_spans};
use taire_eval::{Corpus, Coverage, Doc, Offsets, Tag, Tiers, by_document};
use taire_formats::{AtomicFile, OutSpan, ReadOptions, annotation_line, discover};
use taire_surrogate::Action;
use taire_text::scheme::Scheme;
use taire_text::{Label, counted};

use crate::json::to_json;
use crate::page::percent;
use taire_text::SplitMix64;

use crate::share::Share;

const DOCUMENTS: &str = "documents.jsonl";
const FOUND: &str = "found.jsonl";
const FACTS: &str = "sample.json";

/// What is drawn, and from what.
#[derive(Clone, Debug)]
pub struct SampleOptions {
    /// How the documents are read.
    pub read: ReadOptions,
    /// Documents to draw.
    pub size: usize,
    /// The same seed draws the same documents of the same corpus.
    pub seed: u64,
    /// Threads.
    pub jobs: usize,
}

/// A sample that was drawn: `sample.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleFacts {
    version: String,
    /// Documents of the corpus that could be read.
    pub corpus_documents: u64,
    /// Documents in the sample.
    pub documents: u64,
    /// Documents that were drawn and that a run would refuse: they are not in the sample.
    pub not_treated: u64,
    /// Documents of the corpus that could not be read, and were not drawn from.
    pub unreadable: u64,
    /// The seed of the draw.
    pub seed: u64,
    /// Names of the policies.
    pub policies: Vec<String>,
    /// Labels that every policy keeps: what is left of them is no miss.
    pub kept_labels: Vec<Label>,
}

/// Draws documents and writes them to `folder`, readable by their owner alone: `documents.jsonl` to review, `found.jsonl` with what the
/// program hides in them, `sample.json`.
pub fn draw_sample(
    engine: &Engine,
    inputs: &[PathBuf],
    folder: &Path,
    options: &SampleOptions,
    on_refusal: &mut dyn FnMut(&Refusal),
) -> Result<SampleFacts, Error> {
    check_output(inputs, folder)?;
    if folder.join(DOCUMENTS).exists() || folder.join(FACTS).exists() {
        let why = "this folder holds a sample, which somebody may be reading: choose another";
        return Err(Error::usage(why).in_file(folder));
    }
    let discovery = discover(inputs, &options.read);
    if let Some(input) = discovery.inputs.iter().find(|input| !input.is_rereadable()) {
        let why = "a sample is drawn from files, which can be read twice";
        return Err(Error::usage(why).in_file(&input.path));
    }
    discovery.refused.iter().for_each(&mut *on_refusal);
    let reading = Reading::new(&discovery.inputs, &options.read);
    let mut unreadable = discovery.refused.len() as u64;
    let (corpus_documents, chosen) = choose(&reading, options, |refusal| {
        unreadable += 1;
        on_refusal(refusal);
    });
    if chosen.is_empty() {
        return Err(Error::usage("there is no document to draw; give files or folders that hold some"));
    }
    let run = Run::new(engine, Task::Detect { scheme: Scheme::Taire }).jobs(options.jobs);
    let tables = options.read.patients.iter().chain(&discovery.tables).cloned().collect();
    let links = run.link_files(&reading, tables, None, &mut Report::default())?;
    let drawn = treat_chosen(engine, &reading, &links, chosen, on_refusal)?;
    let policies = || engine.policies().map(|policy| &policy.rewrite);
    let facts = SampleFacts {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        corpus_documents,
        documents: drawn.iter().flatten().count() as u64,
        not_treated: drawn.iter().filter(|one| one.is_none()).count() as u64,
        unreadable,
        seed: options.seed,
        policies: engine.policies().map(|policy| policy.name.clone()).collect(),
        kept_labels: (Label::ALL.iter().copied())
            .filter(|&label| policies().all(|rewrite| rewrite.action(label) == Action::Keep))
            .collect(),
    };
    save_sample(folder, drawn.into_iter().flatten(), &facts)?;
    Ok(facts)
}

/// A document of the sample, and what is hidden in it.
struct Drawn {
    id: String,
    text: String,
    patient: Option<PatientId>,
    date: Option<Date>,
    hidden: Vec<OutSpan>,
}

/// Counts the documents that can be read, and draws some: each gets a random number, and the smallest numbers are drawn.
fn choose(
    reading: &Reading<'_>,
    options: &SampleOptions,
    mut on_refusal: impl FnMut(&Refusal),
) -> (u64, BTreeMap<InputPosition, u64>) {
    let mut draw = SplitMix64::new(options.seed);
    let mut smallest: BinaryHeap<(u64, InputPosition)> = BinaryHeap::new();
    let mut all = 0;
    for step in reading.feed() {
        match step.event {
            Event::Document(_) => {
                all += 1;
                smallest.push((draw.next_u64(), step.after));
                if smallest.len() > options.size {
                    smallest.pop();
                }
            }
            Event::Refused(refusal) => on_refusal(&refusal),
            Event::Open(..) | Event::Close(_) => {}
        }
    }
    (all, smallest.into_iter().map(|(order, at)| (at, order)).collect())
}

/// Finds what identifies somebody in the chosen documents, in random order. `None` is one that a run refuses.
fn treat_chosen(
    engine: &Engine,
    reading: &Reading<'_>,
    links: &Links,
    mut chosen: BTreeMap<InputPosition, u64>,
    on_refusal: &mut dyn FnMut(&Refusal),
) -> Result<Vec<Option<Drawn>>, Error> {
    let run = Run::new(engine, Task::Detect { scheme: Scheme::Taire });
    let mut drawn = Vec::with_capacity(chosen.len());
    for step in reading.feed() {
        let (Event::Document(mut document), Some(order)) = (step.event, chosen.remove(&step.after)) else {
            continue;
        };
        let text = document.text.clone();
        let (patient, date) = (document.patient_id().cloned(), document.date);
        links.apply(step.after, &mut document)?;
        let one = match run.treat(&mut document, links) {
            Ok(treated) => {
                let rewrite = &engine.policy_of(treated.language)?.rewrite;
                let hidden = treated.done.entities.iter().filter(|e| rewrite.action(e.label) != Action::Keep);
                let hidden: Vec<_> = hidden.cloned().collect();
                let hidden = found_spans(Scheme::Taire, &text, &hidden);
                Some(Drawn { id: document.id.clone(), text, patient, date, hidden })
            }
            Err(error) => {
                on_refusal(&Refusal::of_document(&*document.id, error.reason().clone()));
                None
            }
        };
        drawn.push((order, one));
        if chosen.is_empty() {
            break;
        }
    }
    drawn.sort_by_key(|(order, _)| *order);
    Ok(drawn.into_iter().map(|(_, one)| one).collect())
}

fn save_sample(folder: &Path, drawn: impl Iterator<Item = Drawn>, facts: &SampleFacts) -> Result<(), Error> {
    let mut documents = AtomicFile::create_private(&folder.join(DOCUMENTS))?;
    let mut found = AtomicFile::create_private(&folder.join(FOUND))?;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for Drawn { id, text, patient, date, hidden } in drawn {
        let times = seen.entry(id.clone()).or_default();
        *times += 1;
        let id = if *times == 1 { id } else { format!("{id} ({times})") };
        let mut line = json!({"id": id, "text": text});
        if let Some(patient) = patient {
            line["patient"] = json!(patient.as_str());
        }
        if let Some(date) = date {
            line["date"] = json!(date.to_string());
        }
        documents.write_all(format!("{line}\n").as_bytes())?;
        let mut line = Vec::new();
        annotation_line(&mut line, &id, &text, &hidden, taire_formats::Offsets::CodePoints);
        line.push(b'\n');
        found.write_all(&line)?;
    }
    documents.finish()?;
    found.finish()?;
    let mut file = AtomicFile::create_private(&folder.join(FACTS))?;
    file.write_all(to_json(facts)?.as_bytes())?;
    file.finish()
}

/// What a reader found left in a sample.
#[derive(Clone, Debug, Serialize)]
pub struct MissEstimate {
    command: &'static str,
    version: &'static str,
    /// The sample.
    pub sample: SampleFacts,
    /// Documents of the sample that were read and accepted.
    pub read: u64,
    /// Documents with a direct identifier left.
    pub documents_with_direct_left: Share,
    /// How many documents of the whole corpus that may be, at least and at most.
    pub in_the_corpus: (u64, u64),
    /// Identifiers left, of those that were there.
    pub identifiers: MissesByTier,
}

/// Identifiers left, by what they do to a person.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MissesByTier {
    /// Names, numbers, addresses, contacts.
    pub direct: Share,
    /// What identifies with other facts.
    pub indirect: Share,
    /// The rest.
    pub detail: Share,
}

/// Compares what a person marked in a sample with what the program hides there.
pub fn estimate_misses<'r>(
    folder: &Path,
    reviewed: impl IntoIterator<Item = (&'r str, &'r ReviewedDocument)>,
) -> Result<MissEstimate, Error> {
    let path = folder.join(FACTS);
    let no_sample =
        |why: &str| Error::usage(format!("this is no sample of `taire sample`: {why}")).in_file(&path);
    let content = std::fs::read(&path).map_err(|e| no_sample(&format!("cannot be read: {}", e.kind())))?;
    let sample: SampleFacts =
        serde_json::from_slice(&content).map_err(|_| no_sample("not as it was written"))?;
    let found = Corpus::read(&folder.join(FOUND))?;
    let mut gold = Vec::new();
    for (id, document) in reviewed {
        if found.get(id).is_none() {
            return Err(Error::input(format!(
                "document {id} was reviewed and is not in the sample: an estimate takes the documents that were drawn and no others"
            ))
            .in_file(folder));
        }
        let spans = document.spans.iter().filter(|(.., label, _)| !sample.kept_labels.contains(label));
        let spans = spans.map(|&(start, end, label, _)| Tag::new(start, end, label.name())).collect();
        gold.push(Doc { id: id.to_owned(), text: document.text.clone(), spans });
    }
    if gold.is_empty() {
        return Err(Error::input("no document of the sample was accepted yet").in_file(folder));
    }
    let read = gold.len() as u64;
    let documents = by_document(&Corpus::new(gold)?, &found, Offsets::CodePoints)?;
    let with_direct = documents.values().filter(|tiers| tiers.direct.wholly < tiers.direct.n).count();
    let share = Share::new(with_direct as u64, read);
    let treated = sample.documents as f64 / (sample.documents + sample.not_treated).max(1) as f64;
    let in_corpus = |share: f64| share * treated * sample.corpus_documents as f64;
    let tier = |of: fn(&Tiers) -> &Coverage| clustered(documents.values().map(of));
    Ok(MissEstimate {
        command: "sample estimate",
        version: env!("CARGO_PKG_VERSION"),
        read,
        documents_with_direct_left: share,
        in_the_corpus: (in_corpus(share.low).floor() as u64, in_corpus(share.high).ceil() as u64),
        identifiers: MissesByTier {
            direct: tier(|tiers| &tiers.direct),
            indirect: tier(|tiers| &tiers.indirect),
            detail: tier(|tiers| &tiers.detail),
        },
        sample,
    })
}

/// The share of spans missed. Spans of one document are missed together, so the interval is that of fewer, independent ones: as many
/// as give the variance between documents. Without a miss, or without a hit, each document counts once.
fn clustered<'c>(documents: impl Iterator<Item = &'c Coverage>) -> Share {
    let documents: Vec<(f64, f64)> = documents
        .filter(|document| document.n > 0)
        .map(|document| ((document.n - document.wholly) as f64, document.n as f64))
        .collect();
    let (missed, all) = documents.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    if documents.is_empty() {
        return Share::new(0, 0);
    }
    let (rate, count) = (missed / all, documents.len() as f64);
    let squares: f64 = documents.iter().map(|(m, n)| (m - rate * n).powi(2)).sum();
    let variance = count / (count - 1.0).max(1.0) * squares / (all * all);
    let size = match rate * (1.0 - rate) / variance {
        size if size.is_finite() && missed > 0.0 && missed < all => size.clamp(1.0, all),
        _ => count,
    };
    let size = size.floor().max(1.0);
    let interval = |hits: f64| Share::new(hits as u64, size as u64);
    Share {
        hits: missed as u64,
        tries: all as u64,
        share: rate,
        low: interval((rate * size).floor()).low.min(rate),
        high: interval((rate * size).ceil()).high.max(rate),
    }
}

impl MissEstimate {
    /// The estimate as JSON, with a line end.
    pub fn to_json(&self) -> Result<String, Error> {
        to_json(self)
    }

    /// Whether more than this share of documents may hold a direct identifier: the upper end of the interval counts.
    pub fn may_exceed(&self, most: f32) -> bool {
        self.documents_with_direct_left.high > f64::from(most)
    }

    /// The estimate in words, as Markdown.
    pub fn to_markdown(&self) -> String {
        let sample = &self.sample;
        let mut out = String::from("# What a person found left\n\n");
        out += &format!(
            "{} drawn at random (seed {}) from {}, policy {}; {} read.\n\n",
            counted(sample.documents, "document", "documents"),
            sample.seed,
            sample.corpus_documents,
            sample.policies.join(", "),
            self.read
        );
        out += "| | left | 95 % interval | of |\n|---|---|---|---|\n";
        let row = |name: &str, share: &Share| match share.tries {
            0 => format!("| {name} | none was there | | 0 |\n"),
            tries => format!(
                "| {name} | {} ({}) | {} to {} | {tries} |\n",
                share.hits,
                percent(share.share),
                percent(share.low),
                percent(share.high)
            ),
        };
        out += &row("documents with a direct identifier left", &self.documents_with_direct_left);
        out += &row("direct identifiers", &self.identifiers.direct);
        out += &row("indirect identifiers", &self.identifiers.indirect);
        out += &row("details", &self.identifiers.detail);
        let (low, high) = self.in_the_corpus;
        out += &format!(
            "\nIn the whole corpus, {low} to {high} documents may hold a direct identifier. The intervals hold for documents that a \
             run under this policy writes, drawn from this corpus, as far as the reader misses nothing; identifiers of one document \
             are not counted as independent.\n"
        );
        if !sample.kept_labels.is_empty() {
            let names: Vec<_> = sample.kept_labels.iter().map(|label| label.name()).collect();
            out += &format!("\nKept by the policy and not counted: {}.\n", names.join(", "));
        }
        if sample.not_treated > 0 {
            out += &format!("\n{} more were drawn that a run refuses.\n", sample.not_treated);
        }
        let unread = sample.documents.saturating_sub(self.read);
        if unread > 0 {
            out += &format!(
                "\n{} not accepted or not settled. The figures are unbiased only once all are: those \
                 that are put off are often the hard ones.\n",
                counted(unread, "document of the sample is", "documents of the sample are")
            );
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage(documents: &[(u64, u64)]) -> Vec<Coverage> {
        let one = |&(missed, n): &(u64, u64)| Coverage { n, wholly: n - missed, ..Coverage::default() };
        documents.iter().map(one).collect()
    }

    fn share(documents: &[(u64, u64)]) -> Share {
        clustered(coverage(documents).iter())
    }

    #[test]
    fn misses_of_one_document_are_not_independent() {
        let apart: Vec<(u64, u64)> = (0..100).map(|i| (u64::from(i % 10 == 0), 10)).collect();
        let together: Vec<(u64, u64)> = (0..100).map(|i| (if i == 0 { 10 } else { 0 }, 10)).collect();
        let (apart, together) = (share(&apart), share(&together));
        assert_eq!((apart.hits, apart.tries), (together.hits, together.tries));
        assert!(together.high - together.low > 2.0 * (apart.high - apart.low));
    }

    #[test]
    fn without_a_miss_documents_count_and_not_spans() {
        let clean: Vec<(u64, u64)> = vec![(0, 50); 20];
        let all = Share::new(0, 20);
        assert_eq!((share(&clean).low, share(&clean).high), (all.low, all.high));
        assert_eq!(share(&[(0, 0)]).tries, 0);
        assert!(share(&[(3, 3)]).high == 1.0);
    }

    /// 2,000 samples of 60 documents in which whole documents fail: the interval holds the true rate in 95 % or more.
    #[test]
    fn interval_holds_the_true_rate() {
        let mut draw = SplitMix64::new(11);
        let mut inside = 0;
        for _ in 0..2000 {
            let documents: Vec<(u64, u64)> = (0..60)
                .map(|_| {
                    let n = 1 + draw.below(12) as u64;
                    let hard = draw.below(10) == 0;
                    ((0..n).filter(|_| draw.below(100) < if hard { 40 } else { 2 }).count() as u64, n)
                })
                .collect();
            let truth = 0.1 * 0.4 + 0.9 * 0.02;
            let share = share(&documents);
            inside += usize::from(share.low <= truth && truth <= share.high);
        }
        assert!(inside >= 1880, "the interval held the true rate {inside} times of 2000");
    }
}
