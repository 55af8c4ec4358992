//! Arguments of the commands that measure and compare: `evaluate`, `convert`, `risk`, `compare`, `report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use taire_eval::exchange::Exchange;

use super::input::{InputArgs, Lang, OutputFormat, RunArgs, parse_language};

#[derive(Args, Debug)]
pub(crate) struct EvaluateArgs {
    /// Gold annotations: a JSONL file, a BRAT folder, a folder of marked documents (.md), a CoNLL file, or letters with an
    /// element around each identifier (.xml)
    pub(crate) gold: PathBuf,
    /// Predicted annotations: a JSONL file or a BRAT folder
    pub(crate) predicted: PathBuf,
    /// Draws for the confidence intervals; 0 for none
    #[arg(long, default_value_t = 1000)]
    pub(crate) resamples: usize,
    /// Coverage by label, by tier (direct, indirect, detail), by role of the person, by part of the document (head: first ten
    /// lines, foot: last five, body), by section of a report (header of keys, body, footer, as the policy `cordoba` reads it)
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) by: Vec<Grouping>,
    /// Count identifying words that are hidden, and other words hidden with them
    #[arg(long)]
    pub(crate) words: bool,
    /// Scores by token: first words (B-) and others (I-) of each label, support, micro, macro, weighted and sample averages;
    /// with `--by section`, a table for each section too
    #[arg(long)]
    pub(crate) tokens: bool,
    /// List what differs, by kind and place
    #[arg(long)]
    pub(crate) errors: bool,
    /// With --errors: show the text of the spans too
    #[arg(long, requires = "errors")]
    pub(crate) show_text: bool,
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
}

#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    /// Annotated documents: a file or a folder
    pub(crate) input: PathBuf,
    /// A folder, or a file where the format holds all documents in one; readable by you alone
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Format to write
    #[arg(long, value_enum)]
    pub(crate) to: ExchangeFormat,
    /// Format of the input; detected from its content unless given
    #[arg(long, value_enum)]
    pub(crate) from: Option<ExchangeFormat>,
}

/// A format of annotation tools.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ExchangeFormat {
    Jsonl,
    Brat,
    Conll,
    Doccano,
    LabelStudio,
    Prodigy,
    /// UIMA CAS, as INCEpTION exports it
    Xmi,
}

impl ExchangeFormat {
    pub(crate) fn exchange(self) -> Exchange {
        match self {
            ExchangeFormat::Jsonl => Exchange::Jsonl,
            ExchangeFormat::Brat => Exchange::Brat,
            ExchangeFormat::Conll => Exchange::Conll,
            ExchangeFormat::Doccano => Exchange::Doccano,
            ExchangeFormat::LabelStudio => Exchange::LabelStudio,
            ExchangeFormat::Prodigy => Exchange::Prodigy,
            ExchangeFormat::Xmi => Exchange::Xmi,
        }
    }
}

/// What spans are grouped by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Grouping {
    Label,
    Tier,
    Role,
    Part,
    Section,
}

impl Grouping {
    pub(crate) fn key(self) -> &'static str {
        match self {
            Grouping::Label => "label",
            Grouping::Tier => "tier",
            Grouping::Role => "role",
            Grouping::Part => "part",
            Grouping::Section => "section",
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct RiskArgs {
    /// The original documents: a file or a folder
    pub(crate) original: PathBuf,
    /// The same documents, de-identified; a second release under another key is joined with the first, and several let averaging be
    /// tried
    #[arg(required = true)]
    pub(crate) deidentified: Vec<PathBuf>,
    /// Known identities, CSV or JSONL, joined by patient id
    #[arg(long, value_name = "FILE")]
    pub(crate) patients: Option<PathBuf>,
    /// Annotations of a sample that a person has read: a JSONL file or a BRAT folder
    #[arg(long, value_name = "GOLD")]
    pub(crate) reviewed: Option<PathBuf>,
    /// The secret key of the release, to show what it protects
    #[arg(long, value_name = "FILE", env = "TAIRE_KEY_FILE")]
    pub(crate) key: Option<PathBuf>,
    /// A release of the same documents under the same key and another policy, to see whether one opens the other
    #[arg(long, value_name = "RELEASE")]
    pub(crate) same_key: Option<PathBuf>,
    /// Days by which a known interval may be off
    #[arg(long, value_name = "DAYS", default_value_t = 3)]
    pub(crate) tolerance: u32,
    /// Seed of the samples that are drawn
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Folder for risk.md and risk.json; without it the report is printed
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Policies, shipped names or TOML files; `default` is the one of each document's language
    #[arg(
        long,
        value_name = "NAMES|FILES",
        value_delimiter = ',',
        default_value = "default,bigeard,hybrid,metric,cordoba,fasdim"
    )]
    pub(crate) policies: Vec<String>,
    /// Folder for compare.md, compare.json and compare.html
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    /// Secret key; without one, a key that everybody can make again from the seed
    #[arg(long, value_name = "FILE", env = "TAIRE_KEY_FILE")]
    pub(crate) key: Option<PathBuf>,
    /// Seed of the samples that are drawn, and of the key where none is given
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Days by which a known interval may be off
    #[arg(long, value_name = "DAYS", default_value_t = 3)]
    pub(crate) tolerance: u32,
    /// Language of the documents
    #[arg(long, value_name = "fr|es|auto", default_value = "auto", value_parser = parse_language)]
    pub(crate) lang: Lang,
    /// Threads; by default one for each core
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Print the comparison as JSON on standard output
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
}

#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// The folder that `taire deid -o` wrote, with its report.json
    pub(crate) run: PathBuf,
    /// What `taire risk -o` wrote; by default risk.json in the run's folder
    #[arg(long, value_name = "FILE")]
    pub(crate) risk: Option<PathBuf>,
    /// What `taire retain -o` wrote; by default retain.json in the run's folder
    #[arg(long, value_name = "FILE")]
    pub(crate) retain: Option<PathBuf>,
    /// What `taire evaluate --format json` printed; by default eval.json in the run's folder
    #[arg(long, value_name = "FILE")]
    pub(crate) scores: Option<PathBuf>,
    /// Folder for board.md and board.html
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}
