//! `cargo corpus …`: the open corpus and what is made from it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use taire_corpus::{
    Error, ExportFormat, OpenCorpus, Refiller, agreement_table, check, check_counts, export, generate,
    hospital, noise, shipped_root, statistics, with_statistics,
};
use taire_text::Language;

/// The open corpus of invented clinical documents and what is made from it.
#[derive(Parser, Debug)]
#[command(name = "taire-corpus")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// What must hold of the corpus: marks, repeats, near duplicates, splits, coverage
    Check(CheckArgs),
    /// Documents, spans by label, kinds; `--write` puts them into the card
    Stats(StatsArgs),
    /// How far a second, blind marking agrees; `--write` makes `scores/agreement.md`
    Agreement(StatsArgs),
    /// The corpus in the format of another tool
    Export(ExportArgs),
    /// A document with other identities, printed with its marks
    Refill(RefillArgs),
    /// Invented documents from templates, as JSONL
    Generate(GenerateArgs),
    /// An invented hospital: patients, stays and letters
    Hospital(HospitalArgs),
}

#[derive(clap::Args, Debug)]
struct CheckArgs {
    /// Also ask for the counts of a whole corpus
    #[arg(long)]
    complete: bool,
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
}

#[derive(clap::Args, Debug)]
struct StatsArgs {
    /// Write them into README.md of the corpus
    #[arg(long)]
    write: bool,
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
}

#[derive(clap::Args, Debug)]
struct ExportArgs {
    #[arg(long, value_enum)]
    to: Target,
    #[arg(short)]
    output: PathBuf,
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum Target {
    Jsonl,
    Brat,
    Conll,
    Doccano,
    LabelStudio,
}

#[derive(clap::Args, Debug)]
struct RefillArgs {
    /// Ids of documents: `fr/a/01`; all of a folder: `fr/a`
    #[arg(required = true)]
    documents: Vec<String>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Spoil the text too, as typing, scanning and software do
    #[arg(long)]
    noise: bool,
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
}

#[derive(clap::Args, Debug)]
struct GenerateArgs {
    #[arg(long)]
    lang: Language,
    #[arg(long)]
    documents: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(short)]
    output: PathBuf,
    #[arg(long, value_enum, default_value_t = Families::HeldIn)]
    families: Families,
    /// Medical prose to carry the identities; without it, the project's own
    #[arg(long)]
    prose: Option<PathBuf>,
    /// Print how often each label and family occurs
    #[arg(long)]
    counts: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum Families {
    HeldIn,
    HeldOut,
}

#[derive(clap::Args, Debug)]
struct HospitalArgs {
    #[arg(long)]
    patients: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One letter a patient with its ICD-10 codes, for the coder
    #[arg(long)]
    coded: bool,
    #[arg(short)]
    output: PathBuf,
}

fn main() -> ExitCode {
    let done = match Args::parse().command {
        Command::Check(args) => run_check(&args),
        Command::Stats(args) => run_stats(&args),
        Command::Agreement(args) => run_agreement(&args),
        Command::Export(args) => run_export(&args),
        Command::Refill(args) => run_refill(&args),
        Command::Generate(args) => run_generate(&args),
        Command::Hospital(args) => run_hospital(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("taire-corpus: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run_check(args: &CheckArgs) -> Result<(), Error> {
    let corpus = open(&args.corpus)?;
    let mut findings = check(&corpus)?;
    let counts = check_counts(&corpus);
    if args.complete {
        findings.extend(counts);
    } else {
        counts.iter().for_each(|c| eprintln!("not yet: {c}"));
    }
    findings.iter().for_each(|finding| println!("{finding}"));
    println!(
        "{} documents, {} untouched: {} findings",
        corpus.documents.len(),
        corpus.untouched.len(),
        findings.len()
    );
    match findings.len() {
        0 => Ok(()),
        n => Err(Error::from(format!("{n} findings"))),
    }
}

fn open(root: &Option<PathBuf>) -> Result<OpenCorpus, Error> {
    OpenCorpus::open(&root.clone().unwrap_or_else(shipped_root))
}

fn run_agreement(args: &StatsArgs) -> Result<(), Error> {
    let corpus = open(&args.corpus)?;
    let table = agreement_table(&corpus)?;
    if !args.write {
        print!("{table}");
        return Ok(());
    }
    let path = corpus.root.join("../scores/agreement.md");
    std::fs::write(&path, table).map_err(|e| Error::from(format!("{}: {e}", path.display())))
}

fn run_stats(args: &StatsArgs) -> Result<(), Error> {
    let corpus = open(&args.corpus)?;
    if !args.write {
        print!("{}", statistics(&corpus));
        return Ok(());
    }
    let path = corpus.root.join("README.md");
    let fail = |e: std::io::Error| Error::from(format!("{}: {e}", path.display()));
    let card = std::fs::read_to_string(&path).map_err(fail)?;
    std::fs::write(&path, with_statistics(&card, &corpus)?).map_err(fail)
}

fn run_export(args: &ExportArgs) -> Result<(), Error> {
    let format = match args.to {
        Target::Jsonl => ExportFormat::Jsonl,
        Target::Brat => ExportFormat::Brat,
        Target::Conll => ExportFormat::Conll,
        Target::Doccano => ExportFormat::Doccano,
        Target::LabelStudio => ExportFormat::LabelStudio,
    };
    let documents = export(&open(&args.corpus)?, format, &args.output)?;
    println!("{documents} documents in {}", args.output.display());
    Ok(())
}

fn run_refill(args: &RefillArgs) -> Result<(), Error> {
    let corpus = open(&args.corpus)?;
    for wanted in &args.documents {
        let chosen =
            corpus.documents.iter().filter(|d| d.id == *wanted || d.id.starts_with(&format!("{wanted}/")));
        for document in chosen {
            let mut new = Refiller::new(document.language).refill(document, args.seed);
            if args.noise {
                new = noise::mixed(&new, args.seed);
            }
            println!("<!-- {} -->\n{}", new.id, new.to_marked()?);
        }
    }
    Ok(())
}

fn run_generate(args: &GenerateArgs) -> Result<(), Error> {
    let request = generate::Request {
        language: args.lang,
        held_out: args.families == Families::HeldOut,
        documents: args.documents,
        seed: args.seed,
        prose: args.prose.as_deref(),
    };
    let tally = generate::write(&request, &args.output)?;
    if args.counts {
        for (name, count) in tally {
            println!("{count:>8}  {name}");
        }
    }
    Ok(())
}

fn run_hospital(args: &HospitalArgs) -> Result<(), Error> {
    let fail = |e: std::io::Error| Error::from(format!("cannot write {}: {e}", args.output.display()));
    if args.coded {
        return hospital::write_coded(&args.output, args.patients, args.seed).map_err(fail);
    }
    let documents = hospital::write(&args.output, args.patients, args.seed).map_err(fail)?;
    println!("{} patients, {documents} documents in {}", args.patients, args.output.display());
    Ok(())
}
