//! What the transformer adds to the default policies, and what the cascade saves: `scores/deep.md` and `.json`.
//!
//! On corpus dev with each language: the default policy, the deep one reading everything, and the deep one with several
//! thresholds of its cascade, among them the one that ships. The smallest threshold whose direct recall is that of the
//! whole reading within 0.1 point is the one to ship; run this again after a model was trained.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use taire::{Pipeline, Policy};
use taire_corpus::{MarkedDocument, OpenCorpus, Split, shipped_root};
use taire_text::Language;

use crate::corpus::score::{self, Scores};
use crate::corpus::{Stop, commit, in_parallel, note, predicted};
use crate::pathological::cpu_time;

#[derive(Args, Debug)]
pub(crate) struct DeepArgs {
    /// Thresholds of the cascade to measure beside the one that ships
    #[arg(long, value_delimiter = ',', default_value = "0.1,0.03,0.01,0.003,0.001")]
    cascade: Vec<f32>,
    /// Where the tables go; `scores/` of the repository if not named
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// One policy on the documents of its language.
#[derive(Serialize, Debug)]
struct Measured {
    policy: String,
    /// The cascade's threshold; none where the transformer reads everything, or does not take part.
    cascade: Option<f32>,
    ships: bool,
    scores: Scores,
    /// Documents without identities in which nothing was found.
    untouched: usize,
    /// The share of words that the transformer read, those read as context included.
    read: f64,
    kilobytes_per_second: f64,
    /// Processor seconds until the policy is ready.
    start: f64,
}

#[derive(Serialize, Debug)]
struct Table {
    date: String,
    commit: String,
    command: String,
    documents: usize,
    untouched: usize,
    kilobytes: usize,
    /// The most memory that the process held, in MB: both languages, two threads.
    memory: Option<f64>,
    measured: Vec<Measured>,
}

pub(crate) fn run(args: &DeepArgs) -> Result<(), Stop> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let corpus = OpenCorpus::open(&shipped_root())?;
    let mut table = Table {
        date: jiff::Timestamp::now().to_string().chars().take(10).collect(),
        commit: commit(&root),
        command: command_line(args),
        documents: 0,
        untouched: 0,
        kilobytes: 0,
        memory: None,
        measured: Vec::new(),
    };
    for &language in Language::ALL {
        let marked: Vec<&MarkedDocument> = corpus.split(language, Split::Dev).collect();
        let untouched: Vec<&MarkedDocument> = corpus.untouched_held_out(language).collect();
        table.documents += marked.len();
        table.untouched += untouched.len();
        table.kilobytes += marked.iter().chain(&untouched).map(|d| d.text.len()).sum::<usize>() / 1000;
        let default = Policy::shipped(language.key())?;
        let deep = Policy::shipped(&format!("{}-deep", language.key()))?;
        let mut policies = vec![(deep.clone(), true)];
        for least in std::iter::once(None).chain(args.cascade.iter().copied().map(Some)) {
            if least != deep.detect.cascade {
                let mut policy = deep.clone();
                policy.detect.cascade = least;
                policies.push((policy, false));
            }
        }
        policies.push((default, true));
        let first = table.measured.len();
        for (policy, ships) in policies {
            eprintln!("taire-measure: policy {}, cascade {:?}", policy.name, policy.detect.cascade);
            table.measured.push(measure(&policy, ships, language, &marked, &untouched)?);
            if table.memory.is_none() || ships {
                table.memory = peak_memory();
            }
        }
        // The default policy first, then from reading everything down.
        let order = |m: &Measured| (m.policy.len(), m.cascade.map_or(0, |least| 1 + (least * 1e6) as u32));
        table.measured[first..].sort_by_key(order);
    }
    let markdown = table.markdown();
    print!("{markdown}");
    let folder = args.output.clone().unwrap_or_else(|| root.join("scores"));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("deep.md"), markdown)?;
    std::fs::write(folder.join("deep.json"), format!("{}\n", serde_json::to_string_pretty(&table)?))?;
    Ok(())
}

fn measure(
    policy: &Policy,
    ships: bool,
    language: Language,
    marked: &[&MarkedDocument],
    untouched: &[&MarkedDocument],
) -> Result<Measured, Stop> {
    let before = cpu_time();
    let pipeline = Pipeline::from_policy(policy, language, None)?;
    let start = cpu_time() - before;
    let documents: Vec<&MarkedDocument> = marked.iter().chain(untouched).copied().collect();
    let found = in_parallel(&documents, |document| {
        let mut notes = [note(document)?];
        let before = cpu_time();
        let entities = pipeline.detect(&mut notes)?.pop().unwrap_or_default();
        Ok((predicted(document, &entities), entities.is_empty(), cpu_time() - before))
    })?;
    let seconds = found.iter().map(|(_, _, time)| *time).sum::<Duration>().as_secs_f64();
    let bytes: usize = documents.iter().map(|d| d.text.len()).sum();
    let spans: Vec<_> = found[..marked.len()].iter().map(|(spans, ..)| spans.clone()).collect();
    let reads = policy.uses_transformer();
    Ok(Measured {
        policy: policy.name.clone(),
        cascade: policy.detect.cascade,
        ships,
        scores: score::score(marked, &spans),
        untouched: found[marked.len()..].iter().filter(|(_, empty, _)| *empty).count(),
        read: pipeline.read_share().unwrap_or(if reads { 1.0 } else { 0.0 }),
        kilobytes_per_second: bytes as f64 / 1000.0 / seconds,
        start: start.as_secs_f64(),
    })
}

/// The most memory that this process has held, in MB, where the system says so.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<f64>().ok()? / 1000.0)
}

fn command_line(args: &DeepArgs) -> String {
    let thresholds: Vec<String> = args.cascade.iter().map(f32::to_string).collect();
    format!("cargo measure deep --cascade {}", thresholds.join(","))
}

impl Table {
    fn markdown(&self) -> String {
        let mut out = format!(
            "# What the transformer adds, and what the cascade saves\n\nWritten by `{}` on {} at {}: {} letters of corpus dev \
             and {} documents without identities, {} KB. Percent of direct identifiers wholly covered, documents with no \
             direct identifier left, indirect and detail identifiers, and characters found that identify. *Words read* are \
             those that the transformer reads, context included. Speed is in KB of text a second of processor time, detection \
             only; *times* compares it with the same policy reading everything. *Start* is in seconds of processor time; models \
             that were read before are not read again. The thresholds were chosen on these same letters.\n\n\
             | policy | cascade | direct | clean | indirect | detail | precision | untouched, nothing found | words read | KB/s | times | start |\n\
             |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
            self.command, self.date, self.commit, self.documents, self.untouched, self.kilobytes,
        );
        for row in &self.measured {
            let whole =
                self.measured.iter().find(|m| m.policy == row.policy && m.cascade.is_none()).unwrap_or(row);
            let cascade = match (row.cascade, row.read > 0.0) {
                (Some(least), _) => least.to_string(),
                (None, true) => "reads all".to_owned(),
                (None, false) => "–".to_owned(),
            };
            let mark = if row.ships && row.cascade.is_some() { ", ships" } else { "" };
            let s = &row.scores;
            let _ = writeln!(
                out,
                "| `{}` | {cascade}{mark} | {:.2} | {:.1} | {:.2} | {:.2} | {:.2} | {} | {:.1} % | {:.0} | {:.1} | {:.2} |",
                row.policy,
                s.direct.percent(),
                s.clean(),
                s.indirect.percent(),
                s.detail.percent(),
                s.precision(),
                row.untouched,
                100.0 * row.read,
                row.kilobytes_per_second,
                row.kilobytes_per_second / whole.kilobytes_per_second,
                row.start,
            );
        }
        if let Some(memory) = self.memory {
            let _ = writeln!(
                out,
                "\nThe process that measured all this, both languages and two threads, held at most {memory:.0} MB."
            );
        }
        out
    }
}
