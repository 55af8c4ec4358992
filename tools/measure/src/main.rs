//! `cargo measure …`: measures that are written to `scores/`.

mod corpus;
mod deep;
mod lists;
mod pathological;
mod scans;
mod values;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measures that are written to `scores/`.
#[derive(Parser, Debug)]
#[command(name = "taire-measure")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Detection on the open corpus: tiers, clean documents, precision, untouched documents; `scores/corpus.md` and `.json`
    Corpus(corpus::CorpusArgs),
    /// What the transformer of the deep policies adds, and what their cascade saves; `scores/deep.md` and `.json`
    Deep(deep::DeepArgs),
    /// Policies that live on a hospital's lists, with lists made from the gold; `scores/lists.md` and `.json`
    Lists(lists::ListsArgs),
    /// Time on repeated texts of 1, 2, 4 and 8 MB, which must grow with their length; `scores/pathological.md`
    Pathological(pathological::PathologicalArgs),
    /// Letters printed, scanned badly and read by OCR: which characters of identifiers are covered; `scores/scans.md`
    Scans(scans::ScansArgs),
    /// Clinical values altered in published cases, from corpora beside the repository; `scores/values.md` and `.json`
    Values(values::ValuesArgs),
}

fn main() -> ExitCode {
    let done = match Args::parse().command {
        Command::Corpus(args) => corpus::run(&args),
        Command::Deep(args) => deep::run(&args),
        Command::Lists(args) => lists::run(&args),
        Command::Pathological(args) => pathological::run(&args),
        Command::Scans(args) => scans::run(&args),
        Command::Values(args) => values::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("taire-measure: {error}");
            ExitCode::FAILURE
        }
    }
}
