//! `code`: ICD-10 codes of documents, and what de-identification costs a coder.

pub(crate) mod args;
mod predict;
mod read;
mod utility;

use std::io::IsTerminal;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use taire::Error;
use taire_coding::{
    Coder, Measured, Progress, Table, compare_codes, difference, measure, read_codes, set_aside,
};
use taire_formats::AtomicFile;
use taire_text::Language;

use crate::Outcome;
use crate::args::{OutputFormat, jobs};
use args::{CodeAction, CodeArgs, CompareCodesArgs, LearnArgs, ScoreArgs, TrainArgs};

/// Fewer cases cannot be split into training and development cases.
const FEWEST_CASES: usize = 5;

pub(crate) fn code(args: &CodeArgs) -> Result<Outcome, Error> {
    match &args.action {
        CodeAction::Train(args) => train(args),
        CodeAction::Predict(args) => predict::predict(args),
        CodeAction::Evaluate(args) => evaluate(args),
        CodeAction::Compare(args) => compare(args),
        CodeAction::Utility(args) => utility::utility(args),
    }
}

/// The texts of codes: the user's, else the embedded ones.
fn table(file: Option<&Path>, language: Language) -> Result<Table, Error> {
    match file {
        Some(path) => {
            let text = read::text(path)?;
            Table::read(&text).map_err(|e| e.in_file(path))
        }
        None => Table::embedded(language),
    }
}

fn label_texts(args: &LearnArgs) -> Result<Option<Table>, Error> {
    (!args.no_labels).then(|| table(args.labels.as_deref(), args.lang)).transpose()
}

fn coder(path: &Path, encoder: Option<&Path>) -> Result<Coder, Error> {
    let bytes = std::fs::read(path).map_err(|e| Error::usage(e.kind().to_string()).in_file(path))?;
    Coder::from_bytes(&bytes, encoder).map_err(|e| e.in_file(path))
}

/// Shows the progress of training: a bar on a terminal, else a line an epoch.
struct ProgressDisplay {
    bar: ProgressBar,
    quiet: bool,
}

impl ProgressDisplay {
    fn new(quiet: bool) -> ProgressDisplay {
        let bar = match quiet || !std::io::stderr().is_terminal() {
            true => ProgressBar::hidden(),
            false => ProgressBar::new(1),
        };
        if let Ok(style) = ProgressStyle::with_template("{bar:32} {msg}") {
            bar.set_style(style);
        }
        ProgressDisplay { bar, quiet }
    }

    fn step(&self, what: &str, p: Progress) {
        let line = format!(
            "{what}network {} of {}, epoch {} of {}: loss {:.3}, F1 {:.4}, {} s left at most",
            p.member,
            p.members,
            p.epoch,
            p.epochs,
            p.loss,
            p.dev_f1,
            p.left.as_secs()
        );
        self.bar.set_length((p.epochs * p.members) as u64);
        self.bar.set_position(((p.member - 1) * p.epochs + p.epoch) as u64);
        if !self.quiet && self.bar.is_hidden() {
            eprintln!("taire: {line}");
        }
        self.bar.set_message(line);
    }
}

impl Drop for ProgressDisplay {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

pub(crate) fn train(args: &TrainArgs) -> Result<Outcome, Error> {
    let read = read::cases(&args.cases)?;
    if read.coded.cases.len() < FEWEST_CASES {
        return Err(Error::usage(format!(
            "{} documents with codes are too few to set some aside; give {FEWEST_CASES} or more",
            read.coded.cases.len()
        )));
    }
    let unlabelled = match args.unlabelled.is_empty() {
        true => Vec::new(),
        false => read::documents(&args.unlabelled)?.0.into_iter().map(|d| d.text).collect(),
    };
    let options = args.learn.options();
    let table = label_texts(&args.learn)?;
    let [fit, dev] = set_aside(&read.coded.cases, usize::from(args.dev_share), args.learn.seed);
    let show = ProgressDisplay::new(args.learn.quiet);
    let coder =
        taire_coding::train(&fit, &dev, &unlabelled, table.as_ref(), &options, &mut |p| show.step("", p))?;
    drop(show);
    let bytes = coder.to_bytes()?;
    let mut file = AtomicFile::create_private(&args.output)?;
    file.write_all(&bytes)?;
    file.finish()?;
    let about = &coder.about;
    match args.format {
        Some(OutputFormat::Json) => {
            let all = json!({
                "coder": args.output, "bytes": bytes.len(), "method": about.method, "language": about.language.key(),
                "labels": coder.labels.len(), "grain": options.grain, "documents": fit.len(), "dev_documents": dev.len(),
                "without_codes": read.coded.without_codes, "codes_without_document": read.coded.codes_without_document,
                "unlabelled": unlabelled.len(), "seed": about.seed, "dev": {"f1": about.dev_f1, "threshold": coder.threshold()},
            });
            out!("{}", crate::to_json(&all)?);
        }
        _ => {
            outln!(
                "{}: {} ({}), {} documents, {} set aside",
                about.method,
                options.grain,
                coder.labels.len(),
                fit.len(),
                dev.len()
            );
            outln!(
                "micro F1 {:.4} on those set aside, where codes from {:.3} on are given",
                about.dev_f1,
                coder.threshold()
            );
        }
    }
    if !args.learn.quiet {
        eprintln!(
            "taire: coder of {} bytes in {}; it holds words of the documents it learned from, so train on de-identified ones \
             before you share it",
            bytes.len(),
            args.output.display()
        );
    }
    Ok(read.outcome())
}

fn compare(args: &CompareCodesArgs) -> Result<Outcome, Error> {
    let codes = |path: &Path| read_codes(&read::text(path)?).map_err(|e| e.in_file(path));
    let found = compare_codes(&codes(&args.before)?, &codes(&args.after)?, args.families);
    if found.documents == 0 {
        return Err(Error::usage("the two files have no document in common; ids must be the same in both"));
    }
    if matches!(args.format, Some(OutputFormat::Json)) {
        out!("{}", crate::to_json(&json!(found))?);
        return Ok(Outcome::Done);
    }
    outln!(
        "documents in both files {}, with equal codes {}; only in the first {}, only in the second {}",
        found.documents,
        found.equal,
        found.only_before,
        found.only_after
    );
    outln!(
        "precision {:.4}, recall {:.4}, F1 {:.4}; mean Jaccard index of documents {:.4}",
        found.precision,
        found.recall,
        found.f1,
        found.jaccard
    );
    outln!("\nJaccard index  documents");
    for (step, n) in found.by_jaccard.iter().enumerate() {
        let bounds = if step == 10 {
            "1".to_owned()
        } else {
            format!("{:.1} to {:.1}", step as f64 / 10.0, (step + 1) as f64 / 10.0)
        };
        outln!("{bounds:<14} {n:>9}");
    }
    if args.each {
        outln!("\ndocument\tbefore\tafter\tin both\tJaccard index");
        for d in &found.each {
            outln!("{}\t{}\t{}\t{}\t{:.4}", d.id, d.before, d.after, d.common, d.jaccard);
        }
    }
    Ok(Outcome::Done)
}

fn evaluate(args: &ScoreArgs) -> Result<Outcome, Error> {
    let read = read::cases(&args.cases)?;
    let cases: Vec<_> = read.coded.cases.iter().collect();
    let judge = |path: &Path| -> Result<_, Error> {
        let coder = coder(path, args.encoder.as_deref())?;
        Ok((coder.judge(&cases, jobs(args.jobs)), coder))
    };
    let (judged, first) = judge(&args.coder)?;
    let measured = measure(&judged);
    let other = args.against.as_deref().map(judge).transpose()?;
    if let Some((_, second)) = &other
        && second.labels.grain != first.labels.grain
    {
        return Err(Error::usage(
            "the two coders give different kinds of labels; their scores cannot be compared",
        ));
    }
    let against = other.map(|(others, second)| (measure(&others), difference(&judged, &others), second));
    match args.format {
        Some(OutputFormat::Json) => {
            let mut all = json!({
                "coder": args.coder, "method": first.about.method, "grain": first.labels.grain, "scores": measured,
                "without_codes": read.coded.without_codes,
            });
            if let Some((scores, (gap, interval), second)) = &against {
                all["against"] = json!({
                    "coder": args.against, "method": second.about.method, "scores": scores,
                    "difference": gap, "difference_interval": interval,
                });
            }
            out!("{}", crate::to_json(&all)?);
        }
        _ => {
            out!("{}", lines(&first.about.method, &measured));
            if let Some((scores, (gap, interval), second)) = &against {
                out!("{}", lines(&second.about.method, scores));
                let bounds = interval.map(|i| format!(" ({:+.4} to {:+.4})", i.0, i.1)).unwrap_or_default();
                outln!("difference of micro F1: {gap:+.4}{bounds}");
            }
        }
    }
    Ok(read.outcome())
}

fn lines(name: &str, m: &Measured) -> String {
    let interval = m.micro_f1_interval.map(|i| format!(" ({:.4} to {:.4})", i.0, i.1)).unwrap_or_default();
    let at: Vec<String> = m.precision_at.iter().map(|(k, p)| format!("{k}: {p:.4}")).collect();
    format!(
        "{name}, {} documents, {} labels true or given\n  micro precision {:.4}, recall {:.4}, F1 {:.4}{interval}\n  \
         macro precision {:.4}, recall {:.4}, F1 {:.4}\n  precision at {}\n",
        m.documents,
        m.labels,
        m.micro.p,
        m.micro.r,
        m.micro.f1,
        m.macro_.p,
        m.macro_.r,
        m.macro_.f1,
        at.join(", ")
    )
}
