//! Arguments of `train`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use taire_text::Language;
use taire_text::scheme::Scheme;

use super::input::{OutputFormat, parse_one_language, parse_scheme};

#[derive(Args, Debug)]
pub(crate) struct TrainArgs {
    #[command(subcommand)]
    pub(crate) action: TrainAction,
}

#[derive(Subcommand, Debug)]
pub(crate) enum TrainAction {
    /// A linear-chain CRF, small and fast
    Crf(CrfArgs),
    /// A transformer on a pre-trained encoder: slower, hours of training
    Transformer(TransformerArgs),
    /// A coder of ICD-10, as `taire code train` does
    Coder(Box<crate::code::args::TrainArgs>),
}

/// What every kind of training takes.
#[derive(Args, Debug)]
pub(crate) struct GoldArgs {
    /// Annotated documents: JSONL files, BRAT folders, CoNLL files
    #[arg(long, value_name = "PATH", required = true, num_args = 1..)]
    pub(crate) gold: Vec<PathBuf>,
    /// Annotated documents that decide when to stop; by default a tenth of the gold is set aside
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub(crate) dev: Vec<PathBuf>,
    /// Language of the documents
    #[arg(long, value_name = "fr|es", value_parser = parse_one_language)]
    pub(crate) lang: Language,
    /// Label scheme of the annotations: taire, meddocan, eds, hipaa, bigeard, hnfc
    #[arg(long, value_name = "SCHEME", default_value = "taire", value_parser = parse_scheme)]
    pub(crate) scheme: Scheme,
    /// The model to write
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) output: PathBuf,
    /// Chooses the documents that are set aside
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Threads
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Print the report as JSON on standard output
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
    /// Print the report and errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CrfArgs {
    #[command(flatten)]
    pub(crate) common: GoldArgs,
    /// Penalty on the sum of weights: higher makes a smaller model
    #[arg(long, default_value_t = 0.06)]
    pub(crate) l1: f64,
    /// Penalty on the sum of squared weights: higher makes a more careful model
    #[arg(long, default_value_t = 0.4)]
    pub(crate) l2: f64,
    /// Most passes over the gold
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) iterations: usize,
    /// Forget features seen in fewer tokens
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) min_count: u32,
}

#[derive(Args, Debug)]
pub(crate) struct TransformerArgs {
    #[command(flatten)]
    pub(crate) common: GoldArgs,
    /// Folder of a pre-trained encoder: config.json, tokenizer.json, model.safetensors
    #[arg(long, value_name = "FOLDER")]
    pub(crate) encoder: PathBuf,
    /// Layers of the encoder to keep, from the first; all by default
    #[arg(long, value_name = "N")]
    pub(crate) layers: Option<usize>,
    /// Most passes over the gold
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) epochs: usize,
    /// Windows of text in a step
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) batch: usize,
    /// Learning rate of the encoder at its highest
    #[arg(long, default_value_t = 2e-4)]
    pub(crate) rate: f32,
    /// The same for the head on it
    #[arg(long, default_value_t = 2e-3)]
    pub(crate) head_rate: f32,
}
