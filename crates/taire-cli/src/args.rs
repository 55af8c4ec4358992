//! The arguments of every command.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand, ValueEnum};
use taire::batch::Shard;
use taire::{Engine, Error, Policy, SecretKey};
use taire_eval::exchange::Exchange;
use taire_formats::{Directory, Identities, Ocr, Offsets, ReadOptions, To, UnreadParts, WriteOptions};
use taire_text::scheme::Scheme;
use taire_text::{Language, counted};

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

/// What to read and how.
#[derive(Args, Debug)]
pub(crate) struct InputArgs {
    /// Files, folders, or `-` for standard input
    #[arg(required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Column or key that holds the text
    #[arg(long, value_name = "NAME")]
    text_column: Option<String>,
    /// Column or key that names the document
    #[arg(long, value_name = "NAME")]
    id_column: Option<String>,
    /// Column or key that names the patient
    #[arg(long, value_name = "NAME")]
    patient_column: Option<String>,
    /// Column or key that holds the document's date
    #[arg(long, value_name = "NAME")]
    date_column: Option<String>,
    /// Column or key that names the stay
    #[arg(long, value_name = "NAME")]
    visit_column: Option<String>,
    /// Columns or keys to pass through as they are; others are left out
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    keep_columns: Vec<String>,
    /// Known patients, CSV, JSONL or Parquet, joined by patient id, by number, or by name and birth date
    #[arg(long, value_name = "FILE")]
    pub(crate) patients: Option<PathBuf>,
    /// The program that reads scans (tesseract), where it is not on PATH
    #[arg(long, value_name = "PROGRAM")]
    ocr: Option<PathBuf>,
    /// Refuse scans with parts that OCR does not read: handwriting, stamps, barcodes, faces, words it is not sure of
    #[arg(long)]
    refuse_images: bool,
    /// Leave such parts of scans visible; by default they are covered
    #[arg(long, conflicts_with = "refuse_images")]
    keep_unread: bool,
}

impl InputArgs {
    fn ocr(&self) -> Ocr {
        let unread = match (self.refuse_images, self.keep_unread) {
            (true, _) => UnreadParts::Refuse,
            (false, true) => UnreadParts::Keep,
            (false, false) => UnreadParts::Cover,
        };
        self.ocr.as_ref().map_or_else(Ocr::default, Ocr::at).with_unread(unread)
    }

    pub(crate) fn options(&self) -> Result<ReadOptions, Error> {
        let patients = match &self.patients {
            Some(path) => Some(Arc::new(Identities::load(path)?)),
            None => None,
        };
        Ok(ReadOptions {
            text_column: self.text_column.clone(),
            id_column: self.id_column.clone(),
            patient_column: self.patient_column.clone(),
            date_column: self.date_column.clone(),
            visit_column: self.visit_column.clone(),
            keep_columns: self.keep_columns.clone(),
            patients,
            ocr: self.ocr(),
            ..ReadOptions::default()
        })
    }
}

/// Long runs, and several machines.
#[derive(Args, Debug)]
pub(crate) struct BatchArgs {
    /// Go on with a run that was stopped or killed; the rest of the command must be the same
    #[arg(long)]
    pub(crate) resume: bool,
    /// Write into a folder that holds other files, and leave those there
    #[arg(long)]
    pub(crate) into_existing: bool,
    /// Join documents by their patient id alone, not by what their text shows of the patient
    #[arg(long)]
    pub(crate) no_link: bool,
    /// Only share I of N, by patient where known, else by document id
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    pub(crate) shard: Option<Shard>,
    /// How often the progress of the run is saved
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = parse_seconds)]
    pub(crate) journal_every: f64,
    /// Rows of one row group of Parquet outputs
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = parse_rows)]
    row_group_rows: usize,
}

impl BatchArgs {
    pub(crate) fn options(&self, to: To, offsets: Offsets) -> WriteOptions {
        WriteOptions { to, offsets, group_rows: self.row_group_rows }
    }
}

fn parse_shard(text: &str) -> Result<Shard, Error> {
    let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    numbers
        .and_then(|(i, n)| Shard::new(i, n))
        .ok_or_else(|| Error::usage("a share is written 2/8: the second of eight"))
}

fn parse_seconds(text: &str) -> Result<f64, Error> {
    let within = |s: &f64| (0.0..=86_400.0).contains(s);
    text.parse().ok().filter(within).ok_or_else(|| Error::usage("must be between 0 and 86400 seconds"))
}

fn parse_rows(text: &str) -> Result<usize, Error> {
    text.parse()
        .ok()
        .filter(|n| (1..=1_000_000).contains(n))
        .ok_or_else(|| Error::usage("must be between 1 and 1000000 rows"))
}

/// How to treat what is read.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// Policy: a shipped name or a TOML file; by default the one of each document's language
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) policy: Option<String>,
    /// Lists of judged words, for a policy with an allow-list
    #[arg(long, value_name = "FILE")]
    pub(crate) words: Vec<PathBuf>,
    /// Staff, sites and services of the institution, CSV, JSONL or Parquet, looked for in every document
    #[arg(long, value_name = "FILE")]
    pub(crate) directory: Option<PathBuf>,
    /// Language of the documents
    #[arg(long, value_name = "fr|es|auto", default_value = "auto", value_parser = parse_language)]
    pub(crate) lang: Lang,
    /// Threads; by default one for each core
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Print the report as JSON on standard output
    #[arg(long, value_enum)]
    pub(crate) format: Option<OutputFormat>,
    /// Print errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl RunArgs {
    /// The detectors and the rewriter that were asked for, and what the report says of the directory.
    pub(crate) fn engine(&self, key: Option<&SecretKey>) -> Result<(Engine, Option<String>), Error> {
        let mut engine = Engine::with_words(self.policy.as_deref(), &self.words, self.lang.0, key)?;
        if !self.quiet {
            print_policy_notes(engine.policies().next());
        }
        let Some(path) = &self.directory else { return Ok((engine, None)) };
        let directory = Directory::load(path)?;
        let junk = engine.use_directory(&directory);
        let unknown = match directory.unknown_columns {
            0 => String::new(),
            n => format!(
                "; {} a title that is not known, and not used",
                counted(n, "column has", "columns have")
            ),
        };
        let remark = format!(
            "directory: {} ignored{unknown}",
            counted(junk, "value was no name and is", "values were no names and are")
        );
        Ok((engine, Some(remark)))
    }

    pub(crate) fn jobs(&self) -> usize {
        jobs(self.jobs)
    }
}

/// Prints what the reader of a policy noted, such as keys under an old name.
pub(crate) fn print_policy_notes<'a>(policies: impl IntoIterator<Item = &'a Policy>) {
    policies.into_iter().flat_map(|p| &p.notes).for_each(|note| eprintln!("taire: {note}"));
}

/// As many threads as asked for, else one for each core.
pub(crate) fn jobs(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1)
}

/// A language, or each document's own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lang(pub(crate) Option<Language>);

pub(crate) fn parse_language(name: &str) -> Result<Lang, Error> {
    match name {
        "auto" => Ok(Lang(None)),
        name => match name.parse::<Language>() {
            Ok(language) => Ok(Lang(Some(language))),
            Err(unknown) => Err(Error::usage(format!("{unknown}, auto"))),
        },
    }
}

pub(crate) fn parse_share(text: &str) -> Result<f32, Error> {
    let value = text.parse().ok().filter(|x| (0.0..=1.0).contains(x));
    value.ok_or_else(|| Error::usage("must be between 0 and 1, such as 0.6"))
}

pub(crate) fn parse_one_language(name: &str) -> Result<Language, Error> {
    Ok(name.parse::<Language>()?)
}

fn parse_scheme(name: &str) -> Result<Scheme, Error> {
    name.parse()
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OutputFormat {
    Json,
    Text,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum OutputTarget {
    Jsonl,
    Brat,
    Xml,
    Html,
}

impl From<OutputTarget> for To {
    fn from(target: OutputTarget) -> To {
        match target {
            OutputTarget::Jsonl => To::Jsonl,
            OutputTarget::Brat => To::Brat,
            OutputTarget::Xml => To::Xml,
            OutputTarget::Html => To::Html,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub(crate) enum OffsetUnit {
    Codepoints,
    Bytes,
    Utf16,
}

impl From<OffsetUnit> for Offsets {
    fn from(unit: OffsetUnit) -> Offsets {
        match unit {
            OffsetUnit::Codepoints => Offsets::CodePoints,
            OffsetUnit::Bytes => Offsets::Bytes,
            OffsetUnit::Utf16 => Offsets::Utf16,
        }
    }
}

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
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The document to explain, where the input holds several
    #[arg(long)]
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
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

#[derive(Args, Debug)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    pub(crate) action: PolicyAction,
}

#[derive(Subcommand, Debug)]
pub(crate) enum PolicyAction {
    /// The policies inside this program
    List,
    /// The effective policy, every choice spelt out, with what is done with each label
    Show {
        /// A shipped name or a TOML file
        #[arg(value_name = "NAME|FILE")]
        policy: String,
    },
    /// Whether a policy is sound: unknown keys, choices that cannot work, files that cannot be read
    Check {
        /// A shipped name or a TOML file
        #[arg(value_name = "NAME|FILE")]
        policy: String,
    },
}

#[derive(Args, Debug)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    pub(crate) action: KeyAction,
}

#[derive(Subcommand, Debug)]
pub(crate) enum KeyAction {
    /// Make a new secret key, in a file only you can read
    New {
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
}

#[derive(Args, Debug)]
pub(crate) struct WordsArgs {
    #[command(subcommand)]
    pub(crate) action: WordsAction,
}

#[derive(Subcommand, Debug)]
pub(crate) enum WordsAction {
    /// List the words nobody has judged yet, most frequent first, each with a masked context
    Extract {
        #[command(flatten)]
        reading: WordsReading,
        /// The list to write; it may hold names, so keep it where the documents are
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// Accept or refuse the words of a list, one key each; the list can as well be edited in a spreadsheet
    Sort {
        /// The list, saved as you go
        list: PathBuf,
    },
    /// Join the judgements of several lists; where they differ, the refusal wins
    Merge {
        #[arg(required = true)]
        lists: Vec<PathBuf>,
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
    },
    /// How many words are left to judge as documents come in (also `taire words --report`)
    #[command(long_flag = "report")]
    Report {
        #[command(flatten)]
        reading: WordsReading,
        #[arg(long, value_enum)]
        format: Option<OutputFormat>,
    },
}

/// What the word commands read, and with which lists.
#[derive(Args, Debug)]
pub(crate) struct WordsReading {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Lists of words judged so far
    #[arg(long, value_name = "FILE", num_args = 1.., action = clap::ArgAction::Append)]
    pub(crate) lists: Vec<PathBuf>,
    /// Policy with an allow-list: a shipped name or a TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = "fasdim")]
    pub(crate) policy: String,
    /// Language of the documents
    #[arg(long, value_name = "fr|es|auto", default_value = "auto", value_parser = parse_language)]
    pub(crate) lang: Lang,
    /// Threads; by default one for each core
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
}
