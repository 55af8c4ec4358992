//! How much more letters bring: the student trained on ever larger parts of the corpus.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use taire_corpus::Split;

use crate::error::Error;
use crate::letters;
use crate::measure::Figures;
use crate::student::{TrainArgs, by_language, student_policy, train};

#[derive(Args)]
pub(crate) struct CurveArgs {
    #[command(flatten)]
    train: TrainArgs,
    /// Numbers of letters; all letters come last by themselves
    #[arg(long, value_delimiter = ',', default_value = "25,50,100,200,400")]
    sizes: Vec<usize>,
    /// Seeds up to this many letters; one above
    #[arg(long, default_value_t = 100)]
    small: usize,
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// The table, Markdown
    #[arg(long, default_value = "scores/learning.md")]
    table: PathBuf,
}

/// One trained model on the letters for development.
struct Row {
    name: String,
    seed: u64,
    figures: Vec<Figures>,
}

pub(crate) fn run(args: &CurveArgs) -> Result<(), Error> {
    let all = letters::read(&args.train.corpus, Split::Train)?.len();
    let mut rows = Vec::new();
    for &size in args.sizes.iter().filter(|&&size| size < all) {
        let seeds = if size <= args.small { args.seeds } else { 1 };
        for seed in 1..=seeds {
            rows.push(measured(args, format!("{size} letters"), Some(size), seed, args.train.refilled)?);
        }
    }
    for seed in 1..=args.seeds {
        rows.push(measured(args, format!("all {all} letters"), None, seed, args.train.refilled)?);
    }
    for seed in 1..=args.seeds {
        rows.push(measured(args, format!("all {all}, never other identities"), None, seed, 0)?);
    }
    fs::write(&args.table, table(args, &rows)).map_err(|e| Error::at(&args.table, e))
}

fn measured(
    args: &CurveArgs,
    name: String,
    letters: Option<usize>,
    seed: u64,
    refilled: usize,
) -> Result<Row, Error> {
    let out = args.train.out.with_file_name(format!("curve-{}-{refilled}-{seed}.bin", letters.unwrap_or(0)));
    let mut options = args.train.clone();
    (options.letters, options.seed, options.refilled, options.out) = (letters, seed, refilled, out.clone());
    train(&options)?;
    let dev = letters::read(&options.corpus, Split::Dev)?;
    let figures = by_language(&dev, |language| student_policy(language, Some(&out)))?;
    Ok(Row { name, seed, figures: figures.into_iter().map(|(_, figures)| figures).collect() })
}

fn table(args: &CurveArgs, rows: &[Row]) -> String {
    let mut out = String::from(
        "# How much more letters bring\n\nThe student, trained on parts of `corpus/` (train) and measured with the rules and the \
         guard on its dev folders. A larger part holds the smaller ones of the same seed; the epoch is the best on dev, so the \
         figures compare models and are no promise.\n\n",
    );
    let others = if args.train.has_corpora() { "with" } else { "without" };
    let _ = writeln!(
        out,
        "`cargo data student curve --epochs {} --seeds {} --sizes {}`, {others} MEDDOCAN and published cases. French / Spanish, in percent.\n",
        args.train.epochs,
        args.seeds,
        args.sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
    );
    out.push_str(
        "| learned from | seed | direct, wholly | clean documents | indirect | detail | precision |\n",
    );
    out.push_str("|---|---:|---:|---:|---:|---:|---:|\n");
    for row in rows {
        let both = |share: &dyn Fn(&Figures) -> f64| {
            let parts: Vec<_> = row.figures.iter().map(|f| format!("{:.1}", 100.0 * share(f))).collect();
            parts.join(" / ")
        };
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} |",
            row.name,
            row.seed,
            both(&|f| f.direct.value()),
            both(&|f| f.clean.value()),
            both(&|f| f.indirect.value()),
            both(&|f| f.detail.value()),
            both(&|f| f.precision.value()),
        );
    }
    out
}
