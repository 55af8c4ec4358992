//! The arguments of `taire code`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use taire_coding::{Grain, Method, Options, Pooling};
use taire_text::Language;

use crate::args::{OutputFormat, jobs, parse_one_language};

#[derive(Args, Debug)]
pub(crate) struct CodeArgs {
    #[command(subcommand)]
    pub(crate) action: CodeAction,
}

#[derive(Subcommand, Debug)]
pub(crate) enum CodeAction {
    /// Train a coder on documents whose codes are known
    Train(Box<TrainArgs>),
    /// The codes of documents, with the words that drove each
    Predict(PredictArgs),
    /// Scores of a coder on documents whose codes are known
    Evaluate(ScoreArgs),
    /// Codes of the same documents before and after de-identification: precision, recall, F1, and the Jaccard index of each
    /// document
    Compare(CompareCodesArgs),
    /// What de-identification costs a coder: trained on the original, on surrogates and on tags
    Utility(Box<UtilityArgs>),
}

/// Documents and their codes.
#[derive(Args, Debug)]
pub(crate) struct CasesArgs {
    /// Documents: files or folders, of any format that is read
    #[arg(required = true)]
    pub(crate) documents: Vec<PathBuf>,
    /// Codes: lines of document id, tab, ICD-10 code
    #[arg(long, value_name = "FILE")]
    pub(crate) codes: PathBuf,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CoderMethod {
    /// Label attention over all segments
    Laat,
    /// Label attention over the first 512 words
    First,
    /// The mean of the vectors of all words
    Mean,
    /// The largest of the vectors of all words
    Max,
    /// A bag of words with logistic regressions
    Bag,
}

/// What is learned and how.
#[derive(Args, Debug)]
pub(crate) struct LearnArgs {
    /// Language of the documents
    #[arg(long, value_name = "fr|es", value_parser = parse_one_language)]
    pub(crate) lang: Language,
    /// What is trained
    #[arg(long, value_enum, default_value = "laat")]
    method: CoderMethod,
    /// Whole codes instead of their three-character families
    #[arg(long)]
    whole_codes: bool,
    /// Only the K most frequent labels, and `other`
    #[arg(long, value_name = "K")]
    top: Option<usize>,
    /// A network that adds to a bag of words
    #[arg(long)]
    with_bag: bool,
    /// Folder of a transformer whose vectors are read instead of own word vectors: slower
    #[arg(long, value_name = "FOLDER")]
    encoder: Option<PathBuf>,
    /// Texts of the codes that label attention starts from: lines of code, tab, label; the embedded tables by default
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Start from nothing, without texts of the codes
    #[arg(long, conflicts_with = "labels")]
    pub(crate) no_labels: bool,
    /// Networks whose scores are averaged
    #[arg(long, value_name = "N", default_value_t = 1)]
    members: usize,
    /// Most passes over the documents
    #[arg(long, value_name = "N", default_value_t = Options::default().epochs)]
    epochs: usize,
    /// Learning rate
    #[arg(long, value_name = "X", default_value_t = Options::default().rate)]
    rate: f32,
    /// Numbers of a word's vector
    #[arg(long, value_name = "N", default_value_t = Options::default().width)]
    width: usize,
    /// Chooses the documents that are set aside, and where the network starts
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Threads; by default one for each core
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Print the report and errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl LearnArgs {
    pub(crate) fn options(&self) -> Options {
        let net = |pooling, first_only| Method::Net { pooling, first_only };
        Options {
            grain: Grain { families: !self.whole_codes, top: self.top },
            method: match self.method {
                CoderMethod::Laat => net(Pooling::Laat, false),
                CoderMethod::First => net(Pooling::Laat, true),
                CoderMethod::Mean => net(Pooling::Mean, false),
                CoderMethod::Max => net(Pooling::Max, false),
                CoderMethod::Bag => Method::Bag,
            },
            language: self.lang,
            encoder: self.encoder.clone(),
            with_bag: self.with_bag,
            members: self.members.clamp(1, 100),
            epochs: self.epochs.max(1),
            rate: self.rate,
            width: self.width.clamp(4, 4096),
            seed: self.seed,
            threads: jobs(self.jobs),
            ..Options::default()
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    pub(crate) cases: CasesArgs,
    #[command(flatten)]
    pub(crate) learn: LearnArgs,
    /// Documents without codes that word vectors learn from too: files or folders
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub(crate) unlabelled: Vec<PathBuf>,
    /// One document of so many is set aside to know when to stop, and for the threshold
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..))]
    pub(crate) dev_share: u16,
    /// The coder to write
    #[arg(short, long, value_name = "CODER")]
    pub(crate) output: PathBuf,
    /// Print the report as JSON on standard output
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
}

#[derive(Args, Debug)]
pub(crate) struct PredictArgs {
    /// A coder of `taire code train`
    pub(crate) coder: PathBuf,
    /// Documents: files or folders
    #[arg(required = true)]
    pub(crate) documents: Vec<PathBuf>,
    /// At least so many codes a document, the next best after those that are sure enough
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) at_least: usize,
    /// Labels of the codes: lines of code, tab, label; by default the embedded table of the coder's language
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Where the coder's transformer is now, if its folder has moved
    #[arg(long, value_name = "FOLDER")]
    pub(crate) encoder: Option<PathBuf>,
    /// JSONL, one object a document, instead of a list to read
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
    /// File to write instead of standard output; the words are those of the documents, so keep it where they are
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct ScoreArgs {
    /// A coder of `taire code train`
    pub(crate) coder: PathBuf,
    #[command(flatten)]
    pub(crate) cases: CasesArgs,
    /// Another coder on the same documents: how much better the first is, with the interval of the difference
    #[arg(long, value_name = "CODER")]
    pub(crate) against: Option<PathBuf>,
    /// Where the coder's transformer is now, if its folder has moved
    #[arg(long, value_name = "FOLDER")]
    pub(crate) encoder: Option<PathBuf>,
    /// Threads; by default one for each core
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
}

#[derive(Args, Debug)]
pub(crate) struct CompareCodesArgs {
    /// Codes of the originals: lines of document id, tab, ICD-10 code
    pub(crate) before: PathBuf,
    /// Codes of the same documents after de-identification
    pub(crate) after: PathBuf,
    /// Compare families of three characters instead of whole codes
    #[arg(long)]
    pub(crate) families: bool,
    /// One line for each document too
    #[arg(long)]
    pub(crate) each: bool,
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
}

#[derive(Args, Debug)]
pub(crate) struct UtilityArgs {
    #[command(flatten)]
    pub(crate) cases: CasesArgs,
    #[command(flatten)]
    pub(crate) learn: LearnArgs,
    /// Documents to test on, by id: those of this file or folder; by default one of three is set aside
    #[arg(long, value_name = "PATH")]
    pub(crate) test: Option<PathBuf>,
    /// Policy of the surrogates and, with tags in their place, of the tags: a shipped name or a TOML file
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) policy: Option<String>,
    /// Policies to compare as well, each as it is
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) also: Vec<String>,
    /// Secret key; without one, a key is made for this run and forgotten
    #[arg(long, value_name = "FILE", env = "TAIRE_KEY_FILE")]
    pub(crate) key: Option<PathBuf>,
    /// Trainings on each release
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub(crate) seeds: u64,
    /// Folder for utility.md, utility.html and utility.json; without it the report is printed
    #[arg(short, long, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
}
