//! The arguments of every command: shared ones in `input`, the others by what their commands do.

mod documents;
mod input;
mod measures;
mod settings;
mod training;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use documents::{DeidArgs, DetectArgs, ExplainArgs, LinkArgs, RevealArgs, VaultArgs};
pub(crate) use input::{
    BatchArgs, InputArgs, Lang, OutputFormat, RunArgs, jobs, parse_language, parse_one_language, parse_share,
    print_policy_notes,
};
pub(crate) use measures::{CompareArgs, ConvertArgs, EvaluateArgs, Grouping, ReportArgs, RiskArgs};
pub(crate) use settings::{
    KeyAction, KeyArgs, PolicyAction, PolicyArgs, WordsAction, WordsArgs, WordsReading,
};
pub(crate) use training::{CrfArgs, GoldArgs, TrainAction, TrainArgs, TransformerArgs};

use crate::serve::ServeArgs;

/// Makes clinical documents safe to share: finds what identifies people and rewrites it.
#[derive(Parser, Debug)]
#[command(
    name = "taire",
    version,
    about = "Makes clinical documents safe to share: finds what identifies people and rewrites it",
    propagate_version = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Read documents, write de-identified ones and a report
    Deid(DeidArgs),
    /// Write annotations only
    Detect(DetectArgs),
    /// Which documents belong to which patient and why, as a table on standard output; nothing is written
    Link(LinkArgs),
    /// Scores of predicted annotations against gold
    Evaluate(EvaluateArgs),
    /// Annotated documents in the format of another annotation tool
    Convert(ConvertArgs),
    /// One document, each span with its sources, scores and reasons
    Explain(ExplainArgs),
    /// What an attacker can still do with de-identified documents
    Risk(RiskArgs),
    /// Documents drawn at random for a person to read, and how often something was left in them
    Sample(Box<crate::sample::SampleArgs>),
    /// What medical content was kept in de-identified documents
    Retain(crate::retain::RetainArgs),
    /// Several policies on one corpus: what each finds, keeps and leaves to an attacker
    Compare(CompareArgs),
    /// A report for the ethics board: settings, scores, risk and kept content of a run
    Report(ReportArgs),
    /// The allow-list work: list unknown words, judge them, join lists
    Words(WordsArgs),
    /// Train a model on your own annotated documents
    Train(TrainArgs),
    /// ICD-10 codes of documents: train a coder, predict, evaluate, and what de-identification costs it
    Code(crate::code::args::CodeArgs),
    /// Shipped policies, the effective one, errors in yours
    Policy(PolicyArgs),
    /// Secret keys
    Key(KeyArgs),
    /// The original of a surrogate, from a vault; the question is logged
    Reveal(RevealArgs),
    /// A page on this machine to check, correct and accept what was found
    Review(Box<crate::review::ReviewArgs>),
    /// The HTTP API
    Serve(Box<ServeArgs>),
    /// A script that completes commands and options in a shell, on standard output
    Completions(CompletionsArgs),
    /// A manual page for each command, for packages
    #[command(hide = true)]
    ManPages(ManPagesArgs),
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct ManPagesArgs {
    /// The folder to write to; it is made where it is missing
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
}
