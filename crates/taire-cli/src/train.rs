//! `train`: a model from a hospital's own gold.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use taire::Error;
use taire::training::{
    GoldDocument, GoldReader, Progress, RULE_SOURCES, Tally, TrainOptions, TrainReport, TransformerOptions,
    TransformerProgress, gold_spans, train as learn, train_transformer,
};
use taire_eval::{Corpus, Doc, Tag};
use taire_formats::AtomicFile;

use crate::Outcome;
use crate::args::{CrfArgs, GoldArgs, OutputFormat, TrainAction, TrainArgs, TransformerArgs, jobs};

/// Fewer documents cannot be split into those to learn from and those to look at.
const FEWEST: usize = 5;
/// One document of so many is looked at, when no others are given for that.
const DEV_SHARE: usize = 10;

pub(crate) fn train(args: &TrainArgs) -> Result<Outcome, Error> {
    match &args.action {
        TrainAction::Crf(args) => crf(args),
        TrainAction::Transformer(args) => transformer(args),
        TrainAction::Coder(args) => crate::code::train(args),
    }
}

/// The gold, and what is looked at to know when to stop.
fn gold_and_dev(args: &GoldArgs) -> Result<[Vec<GoldDocument>; 2], Error> {
    let reader = GoldReader::new(args.lang);
    let mut gold = documents(&args.gold, &reader, args)?;
    let dev = match args.dev.is_empty() {
        true => split(&mut gold, args.seed)?,
        false => documents(&args.dev, &reader, args)?,
    };
    Ok([gold, dev])
}

fn transformer(args: &TransformerArgs) -> Result<Outcome, Error> {
    let common = &args.common;
    let [gold, dev] = gold_and_dev(common)?;
    let options = TransformerOptions {
        epochs: args.epochs.max(1),
        batch: args.batch.max(1),
        encoder_rate: args.rate,
        head_rate: args.head_rate,
        layers: args.layers,
        seed: common.seed,
        threads: jobs(common.jobs),
        ..TransformerOptions::default()
    };
    let bar = progress_bar(common, 0, "{bar:32} step {pos}/{len}, {msg}");
    let mut last = String::new();
    let report = train_transformer(
        &args.encoder,
        &gold,
        &dev,
        &options,
        &common.output,
        &mut |p: TransformerProgress| {
            bar.set_length(p.steps as u64);
            bar.set_position(p.step as u64);
            if let Some(f1) = p.dev_f1 {
                last = format!(", F1 {f1:.4} after epoch {}", p.epoch);
                if !common.quiet && bar.is_hidden() {
                    eprintln!("taire: epoch {}: loss {:.4}, F1 {f1:.4}", p.epoch, p.loss);
                }
            }
            let minutes = p.left.as_secs().div_ceil(60);
            bar.set_message(format!("{minutes} min left, loss {:.4}{last}", p.loss));
        },
    )?;
    bar.finish_and_clear();
    match common.format {
        Some(OutputFormat::Json) => {
            let labels: BTreeMap<_, _> =
                report.dev_by_class.iter().map(|(n, t)| (n.clone(), tally(t))).collect();
            let all = json!({
                "model": common.output,
                "language": common.lang.key(),
                "documents": report.documents,
                "dev_documents": dev.len(),
                "words": report.words,
                "spans": report.spans,
                "spans_widened": report.spans_inside_tokens,
                "spans_dropped": report.spans_dropped,
                "steps": report.steps,
                "best_epoch": report.best_epoch,
                "temperature": report.temperature,
                "dev": report.dev.as_ref().map(tally),
                "labels": labels,
            });
            out!("{}", crate::to_json(&all)?);
        }
        _ => out!("{report}"),
    }
    if !common.quiet {
        eprintln!(
            "taire: model in {}; a policy uses it with `transformer = \"FOLDER\"` under [detect]",
            common.output.display()
        );
    }
    Ok(Outcome::Done)
}

fn crf(args: &CrfArgs) -> Result<Outcome, Error> {
    let common = &args.common;
    let [gold, dev] = gold_and_dev(common)?;
    let options = TrainOptions {
        l1: args.l1,
        l2: args.l2,
        max_iterations: args.iterations,
        min_count: args.min_count,
        sources: RULE_SOURCES.to_vec(),
        threads: jobs(common.jobs),
        ..TrainOptions::default()
    };
    let style = "{bar:32} iteration {pos}/{len}, {eta} left at most {msg}";
    let bar = progress_bar(common, args.iterations, style);
    let (bytes, report) = learn(&gold, &dev, &options, &mut |p| show(&bar, p))?;
    bar.finish_and_clear();
    let mut file = AtomicFile::create(&common.output)?;
    file.write_all(&bytes)?;
    file.finish()?;
    match common.format {
        Some(OutputFormat::Json) => {
            let all = as_json(common, &options, &report, dev.len(), bytes.len());
            out!("{}", crate::to_json(&all)?);
        }
        _ => {
            out!("{report}");
            outln!(
                "language {}, l1 {}, l2 {}, min count {}, seed {}, {} development documents{}",
                common.lang,
                options.l1,
                options.l2,
                options.min_count,
                common.seed,
                dev.len(),
                if common.dev.is_empty() { ", split off the gold" } else { "" },
            );
        }
    }
    if !common.quiet {
        eprintln!(
            "taire: model of {} bytes in {}; a policy uses it with `model = \"FILE\"` under [detect]",
            bytes.len(),
            common.output.display()
        );
    }
    Ok(Outcome::Done)
}

fn documents(paths: &[PathBuf], reader: &GoldReader, args: &GoldArgs) -> Result<Vec<GoldDocument>, Error> {
    let mut out = Vec::new();
    for path in paths {
        for doc in Corpus::read(path)?.docs().flat_map(pieces) {
            let text = doc.text.as_deref().ok_or_else(|| without_text(path, &doc.id))?;
            let tags: Vec<_> = doc.spans.iter().map(|t| (t.start, t.end, t.label.as_str())).collect();
            let in_document =
                |e: taire::Error| Error::usage(format!("{}: document {}: {e}", path.display(), doc.id));
            let spans = gold_spans(args.scheme, text, &tags).map_err(in_document)?;
            out.push(reader.document(&doc.id, text, spans).map_err(in_document)?);
        }
    }
    Ok(out)
}

/// Sentences that make one training document out of a file of sentences without `-DOCSTART-`.
const SENTENCES: usize = 20;

/// A long CoNLL file (WikiNER, QUAERO) as documents of some sentences each. Other documents stay whole; what CoNLL calls
/// `MISC` identifies nobody.
fn pieces(doc: &Doc) -> Vec<Doc> {
    let Some(text) = doc.text.as_deref() else { return vec![doc.clone()] };
    let conll = |t: &Tag| matches!(t.label.as_str(), "PER" | "LOC" | "ORG" | "MISC");
    if text.lines().count() <= SENTENCES || !doc.spans.iter().all(conll) {
        return vec![doc.clone()];
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut start = 0;
    let piece = |(n, lines): (usize, &[&str])| {
        let text: String = lines.concat();
        let (from, to) = (start, start + text.chars().count());
        start = to;
        let inside = doc.spans.iter().filter(|t| t.start >= from && t.end <= to && t.label != "MISC");
        let spans = inside.map(|t| Tag::new(t.start - from, t.end - from, t.label.clone())).collect();
        Doc { id: format!("{}:{}", doc.id, n + 1), text: Some(text), spans }
    };
    lines.chunks(SENTENCES).enumerate().map(piece).collect()
}

fn without_text(path: &Path, id: &str) -> Error {
    Error::usage(format!(
        "{}: document {id} has annotations but no text; training needs both: put the text beside them",
        path.display()
    ))
}

/// Takes every tenth document away to look at, by the seed and the document's name, not by the order of files.
fn split(gold: &mut Vec<GoldDocument>, seed: u64) -> Result<Vec<GoldDocument>, Error> {
    if gold.len() < FEWEST {
        return Err(Error::usage(format!(
            "{} gold documents are too few to set some aside; give {FEWEST} or more, or --dev",
            gold.len()
        )));
    }
    let rank = |document: &GoldDocument| {
        let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash =
            document.note.id.bytes().fold(start, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    gold.sort_by_cached_key(|document| (rank(document), document.note.id.clone()));
    let aside = (gold.len() / DEV_SHARE).max(1);
    Ok(gold.split_off(gold.len() - aside))
}

fn progress_bar(args: &GoldArgs, length: usize, template: &str) -> ProgressBar {
    if args.quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length as u64);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

fn show(bar: &ProgressBar, progress: Progress) {
    bar.set_position(progress.iteration as u64);
    if let Some(f1) = progress.dev_f1 {
        bar.set_message(format!("F1 {f1:.4}"));
    }
}

fn tally(t: &Tally) -> Value {
    json!({"p": t.precision(), "r": t.recall(), "f1": t.f1(), "right": t.right, "found": t.found, "gold": t.gold})
}

fn as_json(
    args: &GoldArgs,
    options: &TrainOptions,
    report: &TrainReport,
    dev_documents: usize,
    bytes: usize,
) -> Value {
    let labels: BTreeMap<_, _> =
        report.dev_by_class.iter().map(|(name, t)| (name.clone(), tally(t))).collect();
    json!({
        "model": args.output,
        "bytes": bytes,
        "language": args.lang.key(),
        "options": {
            "l1": options.l1, "l2": options.l2, "iterations": options.max_iterations,
            "min_count": options.min_count, "seed": args.seed,
        },
        "documents": report.documents,
        "dev_documents": dev_documents,
        "dev_split_off": args.dev.is_empty(),
        "tokens": report.tokens,
        "spans": report.spans,
        "spans_widened": report.spans_inside_tokens,
        "spans_dropped": report.spans_dropped,
        "features": report.kept_features,
        "weights": report.kept_weights,
        "iterations": report.iterations,
        "best_iteration": report.best_iteration,
        "ending": report.ending,
        "outside_lowered_by": report.outside_bias,
        "dev": report.dev.as_ref().map(tally),
        "labels": labels,
    })
}
