//! `retain`: what medical content is kept in documents that were de-identified.

use std::path::PathBuf;

use clap::Args;
use taire::Error;
use taire_assess::{RetainOptions, measure_retention};

use crate::args::{Lang, OutputFormat, jobs, parse_language, parse_share};
use crate::{Outcome, print_refusal};

#[derive(Args, Debug)]
pub(crate) struct RetainArgs {
    /// The original documents: a file or a folder
    original: PathBuf,
    /// The same documents, de-identified
    deidentified: PathBuf,
    /// Folder for retain.md, retain.json and retain-lost.csv; without it the report is printed
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Print the lost terms too; one of them may be a name
    #[arg(long)]
    show_lost: bool,
    /// Exit with status 1 if less than this share of a category is kept, 0 to 1
    #[arg(long, value_name = "X", value_parser = parse_share)]
    at_least: Option<f32>,
    /// Language of the documents
    #[arg(long, value_name = "fr|es|auto", default_value = "auto", value_parser = parse_language)]
    lang: Lang,
    /// Threads; by default one for each core
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Print the counts as JSON on standard output
    #[arg(long, value_enum)]
    format: Option<OutputFormat>,
}

pub(crate) fn retain(args: &RetainArgs) -> Result<Outcome, Error> {
    let options = RetainOptions {
        language: args.lang.0,
        exclude: args.output.iter().cloned().collect(),
        jobs: jobs(args.jobs),
    };
    let report = measure_retention(&args.original, &args.deidentified, &options, &mut print_refusal)?;
    if let Some(folder) = &args.output {
        report.save(folder)?;
    }
    match (args.format, &args.output) {
        (Some(OutputFormat::Json), _) => out!("{}", report.to_json()?),
        (_, None) => out!("{}", report.to_markdown()),
        _ => {}
    }
    if args.show_lost {
        out!("{}", report.lost.to_csv());
    }
    let below = args.at_least.is_some_and(|least| report.is_below(least));
    Ok(if report.refused > 0 || below { Outcome::SomeRefused } else { Outcome::Done })
}
