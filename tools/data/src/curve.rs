//! How much more letters bring: a model trained on ever larger parts of the corpus.
//!
//! Every run adds its row to `scores/learning.json`, and the table is made of all rows, so the curve can be made in parts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use taire::training::{GoldDocument, GoldReader, RULE_SOURCES, TrainOptions};
use taire::{Policy, SHIPPED};
use taire_corpus::{MarkedDocument, Split};
use taire_text::Language;

use crate::error::Error;
use crate::letters;
use crate::measure::Figures;
use crate::student::{TrainArgs, by_language, gold_of, sample, scramble};
use crate::teacher::{self, TeacherArgs};
use crate::variants::{Shares, Variants};

/// Forms of each letter that the CRF learns from.
const CRF_FORMS: u64 = 2;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ModelKind {
    Crf,
    Student,
    Transformer,
}

impl ModelKind {
    /// Its source in a policy.
    fn source(self) -> &'static str {
        match self {
            ModelKind::Crf => "crf",
            ModelKind::Student => "student",
            ModelKind::Transformer => "transformer",
        }
    }
}

#[derive(Args)]
pub(crate) struct CurveArgs {
    #[arg(long)]
    kind: ModelKind,
    /// Numbers of letters; 0 for all
    #[arg(long, value_delimiter = ',', default_value = "25,50,100,200,400,0")]
    sizes: Vec<usize>,
    #[arg(long, value_delimiter = ',', default_value = "1,2,3")]
    seeds: Vec<u64>,
    /// Percent of letters read with other identities
    #[arg(long, default_value_t = 75)]
    refilled: usize,
    #[arg(long, default_value = "corpus")]
    corpus: PathBuf,
    /// The pre-trained encoder, which the transformer and the student's words begin with; without it, that of `cargo data encoder`
    #[arg(long)]
    encoder: Option<PathBuf>,
    /// Where models are kept meanwhile
    #[arg(long, default_value = "target/curve")]
    work: PathBuf,
    /// The rows, JSON; the table lies beside it
    #[arg(long, default_value = "scores/learning.json")]
    rows: PathBuf,
}

/// One trained model on the letters for development.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Row {
    kind: ModelKind,
    letters: usize,
    seed: u64,
    refilled: usize,
    date: String,
    /// Direct, clean, indirect, detail, precision.
    figures: BTreeMap<Language, [f64; 5]>,
}

impl Row {
    fn key(&self) -> (ModelKind, usize, std::cmp::Reverse<usize>, u64) {
        (self.kind, self.letters, std::cmp::Reverse(self.refilled), self.seed)
    }
}

pub(crate) fn run(args: &CurveArgs) -> Result<(), Error> {
    fs::create_dir_all(&args.work).map_err(|e| Error::at(&args.work, e))?;
    let encoder = match &args.encoder {
        Some(folder) => folder.clone(),
        None => teacher::shipped_encoder(&args.work)?,
    };
    let all = letters::read(&args.corpus, Split::Train)?.len();
    let dev = letters::read(&args.corpus, Split::Dev)?;
    for &size in &args.sizes {
        let size = if size == 0 { all } else { size.min(all) };
        for &seed in &args.seeds {
            let model = train(args, &encoder, size, seed)?;
            let figures = by_language(&dev, |language| policy(args.kind, language, &model))?;
            let figures = figures.into_iter().map(|(language, f)| (language, numbers(&f))).collect();
            let date = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
            let row = Row { kind: args.kind, letters: size, seed, refilled: args.refilled, date, figures };
            add(&args.rows, row)?;
        }
    }
    Ok(())
}

fn numbers(f: &Figures) -> [f64; 5] {
    [f.direct, f.clean, f.indirect, f.detail, f.precision].map(|share| share.value())
}

/// The files of a model, by language.
type ModelFiles = BTreeMap<Language, PathBuf>;

fn train(args: &CurveArgs, encoder: &Path, size: usize, seed: u64) -> Result<ModelFiles, Error> {
    let name = format!("{}-{size}-{}-{seed}", args.kind.source(), args.refilled);
    let both = |path: PathBuf| Language::ALL.iter().map(|&l| (l, path.clone())).collect();
    match args.kind {
        ModelKind::Crf => crfs(args, &name, size, seed),
        ModelKind::Student => {
            let out = args.work.join(format!("{name}.bin"));
            let folders = (args.corpus.as_path(), encoder);
            crate::student::train(&TrainArgs::for_curve(folders, size, seed, args.refilled, &out))?;
            Ok(both(out))
        }
        ModelKind::Transformer => {
            let work = args.work.join(&name);
            let out = work.join("model");
            let folders = (args.corpus.as_path(), encoder);
            teacher::run(&TeacherArgs::for_curve(folders, size, seed, &work, &out))?;
            Ok(both(out))
        }
    }
}

fn crfs(args: &CurveArgs, name: &str, size: usize, seed: u64) -> Result<ModelFiles, Error> {
    let letters = sample(letters::read(&args.corpus, Split::Train)?, size, seed);
    let untouched = letters::read_untouched(&args.corpus, Split::Train)?;
    let dev = letters::read(&args.corpus, Split::Dev)?;
    let readers: Vec<_> = Language::ALL.iter().map(|&l| (l, GoldReader::for_student(l))).collect();
    let variants = Variants::new(Shares { refilled: args.refilled, case: 40, noise: 15 });
    let mut out = ModelFiles::new();
    for &language in Language::ALL {
        let gold = |letters: &[MarkedDocument]| -> Result<Vec<GoldDocument>, Error> {
            letters.iter().filter(|l| l.language == language).map(|l| gold_of(&readers, l)).collect()
        };
        let mut documents = gold(&untouched)?;
        for form in 0..CRF_FORMS {
            let forms = letters.iter().enumerate();
            let forms: Vec<_> =
                forms.map(|(i, l)| variants.make(l, scramble(seed, form, 1 << 32 ^ i as u64))).collect();
            documents.extend(gold(&forms)?);
        }
        let options = TrainOptions {
            max_iterations: 60,
            sources: RULE_SOURCES.to_vec(),
            threads: 1,
            ..TrainOptions::default()
        };
        let (bytes, _) = taire::training::train(&documents, &gold(&dev)?, &options, &mut |_| {})?;
        let path = args.work.join(format!("{name}.{}.crf", language.key()));
        fs::write(&path, bytes).map_err(|e| Error::at(&path, e))?;
        out.insert(language, path);
    }
    Ok(out)
}

/// The shipped policy of a language with a model in the place of the student.
fn policy(kind: ModelKind, language: Language, files: &ModelFiles) -> Result<Policy, Error> {
    let missing = || Error::new("no policy ships for this language");
    let (_, text) = SHIPPED.iter().find(|(name, _)| *name == language.key()).ok_or_else(missing)?;
    let text = match kind {
        ModelKind::Student => (*text).to_owned(),
        // The policy knows these names already, further down in its orders.
        _ => text
            .replace(&format!("\"{}\", ", kind.source()), "")
            .replace(&format!(", \"{}\"", kind.source()), "")
            .replace("\"student\"", &format!("\"{}\"", kind.source())),
    };
    let mut policy = Policy::parse(&text, language.key())?;
    let file = files.get(&language).cloned();
    match kind {
        ModelKind::Crf => policy.detect.model = file,
        ModelKind::Student => policy.detect.student = file,
        ModelKind::Transformer => policy.detect.transformer = file,
    }
    Ok(policy)
}

/// Adds a row to the file, in the place of one of the same kind, and writes the table.
fn add(path: &Path, row: Row) -> Result<(), Error> {
    let mut rows: Vec<Row> = match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| Error::at(path, e))?,
        Err(_) => Vec::new(),
    };
    rows.retain(|other| other.key() != row.key());
    rows.push(row);
    rows.sort_by_key(Row::key);
    let json = serde_json::to_string_pretty(&rows).map_err(|e| Error::at(path, e))?;
    fs::write(path, json + "\n").map_err(|e| Error::at(path, e))?;
    let table_path = path.with_extension("md");
    fs::write(&table_path, table(&rows)).map_err(|e| Error::at(&table_path, e))
}

fn table(rows: &[Row]) -> String {
    let mut out = String::from(
        "# How much more letters bring\n\nModels trained on parts of `corpus/` (train) without any other corpus, in the place of the \
         student of `fr` and `es`, with the rules and the guard, measured on the dev folders. A larger part \
         holds the smaller ones of the same seed; the epoch of the student is the best on dev, so the figures compare models \
         and are no promise. `cargo data curve --kind crf|student|transformer`, one row a run. French / Spanish, in percent.\n\n",
    );
    out.push_str(
        "| model | letters | other identities | seed | direct, wholly | clean documents | indirect | detail | precision | date |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n",
    );
    for row in rows {
        let both = |i: usize| {
            let parts: Vec<_> = row.figures.values().map(|f| format!("{:.1}", 100.0 * f[i])).collect();
            parts.join(" / ")
        };
        let cells: Vec<_> = (0..5).map(both).collect();
        let _ = writeln!(
            out,
            "| {} | {} | {} % | {} | {} | {} |",
            row.kind.source(),
            row.letters,
            row.refilled,
            row.seed,
            cells.join(" | "),
            row.date
        );
    }
    out.push_str(&doublings(rows));
    out
}

/// What each step to more letters brought, as means over seeds.
fn doublings(rows: &[Row]) -> String {
    let mut means: BTreeMap<(ModelKind, usize), Vec<f64>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.refilled > 0) {
        let direct: Vec<f64> = row.figures.values().map(|f| f[0]).collect();
        let mean = direct.iter().sum::<f64>() / direct.len().max(1) as f64;
        means.entry((row.kind, row.letters)).or_default().push(mean);
    }
    let mut out = String::from(
        "\n## What a doubling brings\n\nDirect identifiers wholly covered, mean of both languages and all seeds, in points, by \
         doubling of the letters (the difference divided by the doublings between two sizes).\n\n| model | from | to | points a doubling |\n|---|---:|---:|---:|\n",
    );
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let steps: Vec<_> = means.iter().collect();
    for pair in steps.windows(2) {
        let ((kind, from), before) = pair[0];
        let ((other, to), after) = pair[1];
        if kind != other {
            continue;
        }
        let doublings = (*to as f64 / *from as f64).log2();
        let points = 100.0 * (mean(after) - mean(before)) / doublings;
        let _ = writeln!(out, "| {} | {from} | {to} | {points:+.2} |", kind.source());
    }
    out
}
