//! `sample`: documents drawn at random, and the miss rate once a person has read them.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use taire::Error;
use taire_assess::{SampleOptions, draw_sample, estimate_misses};

use crate::args::{InputArgs, OutputFormat, RunArgs, parse_share};
use crate::{Outcome, print_refusal};

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct SampleArgs {
    #[command(subcommand)]
    action: Option<SampleAction>,
    #[command(flatten)]
    input: InputArgs,
    /// Documents to draw, each as likely as another
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100, value_parser = size)]
    size: usize,
    /// The same seed draws the same documents
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for documents.jsonl (to review), found.jsonl (what the program hides in them) and sample.json; it holds originals
    #[arg(short, long, value_name = "FOLDER", required = true)]
    output: Option<PathBuf>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Subcommand, Debug)]
enum SampleAction {
    /// How often something identifying was left in a sample, with its interval (a corpus of that name: `./estimate`)
    Estimate {
        /// The folder that `taire sample -o` wrote
        sample: PathBuf,
        /// What a person marked in it: the state of a review, or gold (JSONL, BRAT)
        #[arg(value_name = "STATE|GOLD")]
        reviewed: PathBuf,
        /// Exit with status 1 if more than this share of documents may hold a direct identifier, 0 to 1; the upper end of the
        /// interval counts
        #[arg(long, value_name = "X", value_parser = parse_share)]
        at_most: Option<f32>,
        /// Print the estimate as JSON on standard output
        #[arg(long, value_enum)]
        format: Option<OutputFormat>,
    },
}

fn size(text: &str) -> Result<usize, Error> {
    let within = |n: &usize| (1..=100_000).contains(n);
    text.parse().ok().filter(within).ok_or_else(|| Error::usage("must be between 1 and 100000 documents"))
}

pub(crate) fn sample(args: &SampleArgs) -> Result<Outcome, Error> {
    if let Some(SampleAction::Estimate { sample, reviewed, at_most, format }) = &args.action {
        let reviewed = crate::reviewed::read(reviewed)?;
        let estimate = estimate_misses(sample, reviewed.spans.documents())?;
        match format {
            Some(OutputFormat::Json) => out!("{}", estimate.to_json()?),
            _ => out!("{}", estimate.to_markdown()),
        }
        let exceeds = at_most.is_some_and(|most| estimate.may_exceed(most));
        return Ok(if exceeds { Outcome::SomeRefused } else { Outcome::Done });
    }
    let Some(folder) = &args.output else { return Err(Error::usage("-o FOLDER is missing")) };
    let (engine, _) = args.run.engine(None)?;
    let options = SampleOptions {
        read: args.input.options()?,
        size: args.size,
        seed: args.seed,
        jobs: args.run.jobs(),
    };
    let facts = draw_sample(&engine, &args.input.inputs, folder, &options, &mut print_refusal)?;
    if args.run.format == Some(OutputFormat::Json) {
        out!("{}", crate::to_json(&facts)?);
    }
    if !args.run.quiet {
        let documents = folder.join("documents.jsonl");
        eprintln!(
            "taire: {} of {} documents drawn; {} holds their text. Review it, accept every document, then: taire sample estimate {} STATE",
            facts.documents,
            facts.corpus_documents,
            documents.display(),
            folder.display()
        );
    }
    Ok(if facts.not_treated + facts.unreadable > 0 { Outcome::SomeRefused } else { Outcome::Done })
}
