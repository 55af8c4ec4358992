//! Arguments of the commands that treat documents: `deid`, `detect`, `link`, `explain`, `reveal`.

use std::path::PathBuf;

use clap::Args;
use taire_text::scheme::Scheme;

use super::input::{
    BatchArgs, InputArgs, OffsetUnit, OutputFormat, OutputTarget, RunArgs, parse_scheme, parse_share,
};

#[derive(Args, Debug)]
pub(crate) struct DeidArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Folder for the outputs, or a file when there is one input; `-` prints the output of one file
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Secret key; without one, a key is made for this run and forgotten
    #[arg(long, value_name = "FILE", env = "TAIRE_KEY_FILE")]
    pub(crate) key: Option<PathBuf>,
    /// Write this instead of the input's own format
    #[arg(long, value_enum)]
    pub(crate) to: Option<OutputTarget>,
    /// Unit of offsets in JSONL
    #[arg(long, value_enum, default_value = "codepoints")]
    pub(crate) offsets: OffsetUnit,
    /// Hold back documents that are not sure enough, 0 to 1: those with a span whose score is below X, or with
    /// something left in the text whose chance of identifying somebody is over 1 − X
    #[arg(long, value_name = "X", value_parser = parse_share)]
    pub(crate) refuse_below: Option<f32>,
    /// Leave document ids, stays and file names as they are; patients are still replaced
    #[arg(long)]
    pub(crate) keep_ids: bool,
    /// Spans that people have settled: the state of a review, or gold (JSONL, BRAT). They are final for their documents
    #[arg(long, value_name = "STATE|GOLD")]
    pub(crate) reviewed: Option<PathBuf>,
    /// Write the documents of --reviewed alone; the others count as refused
    #[arg(long, requires = "reviewed")]
    pub(crate) reviewed_only: bool,
    /// Tables without text (CSV, Parquet), such as OMOP's person and visit_occurrence, written with the same keys and calendar
    #[arg(long, value_name = "TABLE", num_args = 1..)]
    pub(crate) rekey: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) vault: VaultArgs,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// The vault that keeps the originals of surrogates, if any.
#[derive(Args, Debug)]
pub(crate) struct VaultArgs {
    /// Keep the original of each surrogate, encrypted, in this file
    #[arg(long, value_name = "FILE", requires = "vault_key")]
    pub(crate) vault: Option<PathBuf>,
    /// Key of the vault, from `taire key new`; never the key of the surrogates
    #[arg(long, value_name = "FILE", requires = "vault")]
    pub(crate) vault_key: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct RevealArgs {
    /// The surrogate, as it is in the output; case and accents do not count
    #[arg(required_unless_present = "log")]
    pub(crate) surrogate: Option<String>,
    #[arg(long, value_name = "FILE")]
    pub(crate) vault: PathBuf,
    #[arg(long, value_name = "FILE")]
    pub(crate) vault_key: PathBuf,
    /// Only this patient's, by the number of the output or of the source
    #[arg(long)]
    pub(crate) patient: Option<String>,
    /// Why you ask; it is logged with your name and the time
    #[arg(long, value_name = "TEXT", required_unless_present = "log")]
    pub(crate) reason: Option<String>,
    /// Show the log of questions instead, after checking it
    #[arg(long, conflicts_with_all = ["surrogate", "patient", "reason"])]
    pub(crate) log: bool,
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
}

#[derive(Args, Debug)]
pub(crate) struct DetectArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Folder for the outputs, or a file when there is one input; `-` prints the output of one file
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// What to write
    #[arg(long, value_enum, default_value = "jsonl")]
    pub(crate) to: OutputTarget,
    /// Write labels and span borders of another scheme: meddocan, eds, hipaa, bigeard, hnfc
    #[arg(long, value_name = "SCHEME", default_value = "taire", value_parser = parse_scheme)]
    pub(crate) scheme: Scheme,
    /// Unit of offsets in JSONL
    #[arg(long, value_enum, default_value = "codepoints")]
    pub(crate) offsets: OffsetUnit,
    #[command(flatten)]
    pub(crate) batch: BatchArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Args, Debug)]
pub(crate) struct LinkArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The document to explain, where the input holds several
    #[arg(long)]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}
