//! Arguments that several commands share: what is read, how it is treated, how a run goes on; and their parsers.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use taire::batch::Shard;
use taire::{Engine, Error, Policy, SecretKey};
use taire_formats::{Directory, Identities, Ocr, Offsets, ReadOptions, To, UnreadParts, WriteOptions};
use taire_text::scheme::Scheme;
use taire_text::{Language, counted};

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

pub(super) fn parse_scheme(name: &str) -> Result<Scheme, Error> {
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
