//! Training and measuring the student.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};
use taire::training::{
    GoldDocument, GoldReader, GoldSpan, LabelSet, StudentCorpus, StudentDocument, StudentOptions,
    StudentProgress, train_student,
};
use taire::{Pipeline, Policy, SHIPPED};
use taire_corpus::{MarkedDocument, Split};
use taire_text::{Label, Language, Note, Span};

use crate::error::Error;
use crate::letters;
use crate::measure::{Figures, measure};
use crate::prose;
use crate::variants::{Shares, Variants};
use crate::word_vectors::word_vectors;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Trains a model; a run that was killed goes on from its last epoch
    Train(TrainArgs),
    /// Measures policies on held-out letters
    Eval(EvalArgs),
}

#[derive(Args, Clone)]
pub(crate) struct TrainArgs {
    /// The folder of marked letters
    #[arg(long, default_value = "corpus")]
    pub(crate) corpus: PathBuf,
    /// Learn from so many letters only, chosen by the seed
    #[arg(long)]
    pub(crate) letters: Option<usize>,
    /// The folder of development corpora: MEDDOCAN and published cases
    #[arg(long, env = "TAIRE_CORPORA")]
    corpora: Option<PathBuf>,
    /// The model file
    #[arg(long, short)]
    pub(crate) out: PathBuf,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[arg(long, default_value_t = 20)]
    pub(crate) epochs: usize,
    #[arg(long, default_value_t = 128)]
    width: usize,
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,1,2,4")]
    dilations: Vec<usize>,
    /// A transformer whose vectors of words the rows begin with
    #[arg(long, default_value = "crates/taire-models/data/teacher")]
    teacher: PathBuf,
    /// Words with a row of their own, at most
    #[arg(long, default_value_t = 48000)]
    word_rows: u32,
    #[arg(long, default_value_t = 8192)]
    affix_rows: u32,
    #[arg(long, default_value_t = 8192)]
    trigram_rows: u32,
    #[arg(long, default_value_t = 2048)]
    chunk_rows: u32,
    #[arg(long, default_value_t = 2e-3)]
    rate: f32,
    #[arg(long, default_value_t = 0.01)]
    decay: f32,
    #[arg(long, default_value_t = 0.2)]
    dropout: f32,
    #[arg(long, default_value_t = 0.3)]
    word_dropout: f32,
    #[arg(long, default_value_t = 0.2)]
    rule_dropout: f32,
    #[arg(long, default_value_t = 2500)]
    batch: usize,
    /// Published cases read in an epoch
    #[arg(long, default_value_t = 100)]
    cases: usize,
    /// Share of MEDDOCAN read in an epoch
    #[arg(long, default_value_t = 1.0)]
    meddocan: f64,
    /// Documents from templates read in an epoch
    #[arg(long, default_value_t = 200)]
    templates: usize,
    /// Percent of letters read with other identities
    #[arg(long, default_value_t = 75)]
    pub(crate) refilled: usize,
    /// Percent of letters read in small letters, in capitals or without accents
    #[arg(long, default_value_t = 40)]
    pub(crate) case: usize,
    /// Percent of letters read with noise of scanning and typing
    #[arg(long, default_value_t = 15)]
    pub(crate) noise: usize,
    #[arg(long, default_value_t = 0.0)]
    outside_bias: f32,
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

#[derive(Args)]
pub(crate) struct EvalArgs {
    #[arg(long, default_value = "corpus")]
    corpus: PathBuf,
    /// A model of the student for policies that have one
    #[arg(long)]
    model: Option<PathBuf>,
    /// Policies by name or file; without any, `fr` and `es`
    #[arg(long)]
    policy: Vec<String>,
    /// Measure on the folders for testing, not on those for development
    #[arg(long)]
    test: bool,
    /// Print every mistake, with its text: the letters are invented
    #[arg(long)]
    mistakes: bool,
    /// Print recall by label and false alarms by label and source
    #[arg(long)]
    labels: bool,
    /// Print the figures of each folder
    #[arg(long)]
    folders: bool,
}

impl TrainArgs {
    /// A run of the learning curve: no other corpora, words that begin with the vectors of an encoder that read no letter.
    pub(crate) fn for_curve(
        (corpus, encoder): (&Path, &Path),
        letters: usize,
        seed: u64,
        refilled: usize,
        out: &Path,
    ) -> TrainArgs {
        let epochs = if letters < 300 { 16 } else { 10 };
        let numbers = ["--epochs", &epochs.to_string(), "--letters", &letters.to_string()];
        let usual = CurveRun::parse_from(["student"].into_iter().chain(numbers).chain(["--out", "x"]));
        TrainArgs {
            corpus: corpus.to_path_buf(),
            teacher: encoder.to_path_buf(),
            corpora: None,
            seed,
            refilled,
            out: out.to_path_buf(),
            outside_bias: 0.8,
            dropout: 0.25,
            ..usual.train
        }
    }
}

#[derive(Parser)]
struct CurveRun {
    #[command(flatten)]
    train: TrainArgs,
}

pub(crate) fn run(command: &Command) -> Result<(), Error> {
    match command {
        Command::Train(args) => train(args),
        Command::Eval(args) => eval(args),
    }
}

/// The labels that a model learns.
fn classes() -> Vec<Label> {
    Label::ALL.to_vec()
}

/// Everything to learn from.
struct Sources<'a> {
    args: &'a TrainArgs,
    letters: Vec<MarkedDocument>,
    variants: Variants,
    untouched: Vec<MarkedDocument>,
    meddocan: Vec<StudentDocument>,
    templates: Vec<StudentDocument>,
    cases: Vec<(Language, String)>,
    readers: Vec<(Language, GoldReader)>,
}

impl Sources<'_> {
    fn gold(&self, letter: &MarkedDocument) -> Result<GoldDocument, Error> {
        gold_of(&self.readers, letter)
    }

    fn documents(&self, epoch: usize) -> Result<Vec<StudentDocument>, Error> {
        let mut out = Vec::new();
        let number = |i: usize, stream: u64| scramble(self.args.seed, epoch as u64, stream ^ i as u64);
        for (i, letter) in self.letters.iter().enumerate() {
            let unmarked = match letter.language {
                Language::Es => [Label::Sex, Label::Kinship].into_iter().collect(),
                Language::Fr => LabelSet::default(),
            };
            let gold = self.gold(&self.variants.make(letter, number(i, 1 << 32)))?;
            out.push(StudentDocument { gold, unmarked, unannotated: false });
        }
        for (i, document) in self.untouched.iter().enumerate() {
            let gold = self.gold(&self.variants.make(document, number(i, 4 << 32)))?;
            out.push(StudentDocument { gold, unmarked: LabelSet::default(), unannotated: false });
        }
        for (i, document) in self.meddocan.iter().enumerate() {
            if (number(i, 2 << 32) % 1000) as f64 <= self.args.meddocan * 1000.0 {
                out.push(document.clone());
            }
        }
        for i in 0..self.args.templates.min(self.templates.len()) {
            out.push(self.templates[number(i, 5 << 32) as usize % self.templates.len()].clone());
        }
        for i in 0..self.args.cases.min(self.cases.len()) {
            let (language, text) = &self.cases[number(i, 3 << 32) as usize % self.cases.len()];
            let gold = reader_of(&self.readers, *language)?.document("case", text, Vec::new())?;
            out.push(StudentDocument { gold, unmarked: LabelSet::default(), unannotated: true });
        }
        Ok(out)
    }
}

impl StudentCorpus for Sources<'_> {
    fn epoch(&mut self, epoch: usize) -> Result<Vec<StudentDocument>, taire::training::ModelError> {
        self.documents(epoch).map_err(|e| taire::training::ModelError::new(e.to_string()))
    }

    fn originals(&mut self) -> Result<Vec<StudentDocument>, taire::training::ModelError> {
        let failed = |e: Error| taire::training::ModelError::new(e.to_string());
        let marked =
            self.letters.iter().chain(&self.untouched).map(|letter| self.gold(letter).map_err(failed));
        let cases = self.cases.iter().map(|(language, text)| {
            let reader = reader_of(&self.readers, *language).map_err(failed)?;
            reader.document("case", text, Vec::new()).map_err(|e| failed(e.into()))
        });
        let gold = marked.chain(cases).collect::<Result<Vec<GoldDocument>, _>>()?;
        let plain = |gold| StudentDocument { gold, unmarked: LabelSet::default(), unannotated: false };
        let others = self.meddocan.iter().chain(&self.templates).cloned();
        Ok(gold.into_iter().map(plain).chain(others).collect())
    }

    fn word_vectors(
        &mut self,
        words: &[&str],
        width: usize,
    ) -> Result<Vec<f32>, taire::training::ModelError> {
        let vectors = word_vectors(&self.args.teacher, words, width);
        vectors.map_err(|e| taire::training::ModelError::new(e.to_string()))
    }
}

fn reader_of(readers: &[(Language, GoldReader)], language: Language) -> Result<&GoldReader, Error> {
    let found = readers.iter().find(|(l, _)| *l == language);
    found.map(|(_, reader)| reader).ok_or_else(|| Error::new("no reader for this language"))
}

/// A letter as gold, with what the rules find in it.
pub(crate) fn gold_of(
    readers: &[(Language, GoldReader)],
    letter: &MarkedDocument,
) -> Result<GoldDocument, Error> {
    let spans = letter.spans.iter();
    let spans = spans.map(|s| GoldSpan { span: Span::new(s.start, s.end), class: s.label.name().to_owned() });
    let spans = spans.collect();
    Ok(reader_of(readers, letter.language)?.document(&letter.id, &letter.text, spans)?)
}

/// A number drawn from a seed, an epoch and a place.
pub(crate) fn scramble(seed: u64, epoch: u64, number: u64) -> u64 {
    let mut x = seed ^ epoch.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = (x ^ x >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ x >> 32
}

pub(crate) fn train(args: &TrainArgs) -> Result<(), Error> {
    let mut letters = letters::read(&args.corpus, Split::Train)?;
    if let Some(count) = args.letters {
        letters = sample(letters, count, args.seed);
    }
    let mut dev = letters::read(&args.corpus, Split::Dev)?;
    // Nothing is marked in these: what is found there lowers the precision that chooses the epoch.
    dev.extend(letters::read_untouched(&args.corpus, Split::Dev)?);
    let untouched = letters::read_untouched(&args.corpus, Split::Train)?;
    let (meddocan, cases) = match &args.corpora {
        Some(folder) => (prose::meddocan(&folder.join("meddocan/train"))?, prose::cases(folder)?),
        None => (Vec::new(), Vec::new()),
    };
    eprintln!(
        "{} letters to train on, {} for development, {} documents without identity, {} of MEDDOCAN, {} published cases",
        letters.len(),
        dev.len(),
        untouched.len(),
        meddocan.len(),
        cases.len()
    );
    let templates = match args.templates {
        0 => Vec::new(),
        _ => {
            let mut all = prose::templates(Language::Fr, 1600, args.seed)?;
            all.extend(prose::templates(Language::Es, 400, args.seed)?);
            all
        }
    };
    let readers = Language::ALL.iter().map(|&l| (l, GoldReader::for_student(l))).collect();
    let shares = Shares { refilled: args.refilled, case: args.case, noise: args.noise };
    let variants = Variants::new(shares);
    let mut sources = Sources { args, letters, variants, untouched, meddocan, templates, cases, readers };
    let options = StudentOptions {
        seed: args.seed,
        epochs: args.epochs,
        width: args.width,
        dilations: args.dilations.clone(),
        word_rows: args.word_rows,
        affix_rows: args.affix_rows,
        trigram_rows: args.trigram_rows,
        chunk_rows: args.chunk_rows,
        rate: args.rate,
        decay: args.decay,
        dropout: args.dropout,
        word_dropout: args.word_dropout,
        rule_dropout: args.rule_dropout,
        batch: args.batch,
        outside_bias: args.outside_bias,
        threads: args.threads,
        ..StudentOptions::default()
    };
    let trial = args.out.with_extension("trial");
    let mut judge = |_: usize, bytes: &[u8]| -> Result<f32, taire::training::ModelError> {
        let failed = |e: &dyn std::fmt::Display| taire::training::ModelError::new(e.to_string());
        std::fs::write(&trial, bytes).map_err(|e| failed(&e))?;
        let figures =
            by_language(&dev, |language| student_policy(language, Some(&trial))).map_err(|e| failed(&e))?;
        figures.iter().for_each(|(language, figures)| eprintln!("  {language}: {figures}"));
        Ok(figures.iter().map(|(_, f)| f.value()).sum::<f32>() / figures.len().max(1) as f32)
    };
    let mut show = |p: StudentProgress| {
        eprintln!(
            "epoch {}/{}: loss {:.4}, {} words, {:.0} s, value {:.4}{}",
            p.epoch,
            p.epochs,
            p.loss,
            p.words,
            p.seconds,
            p.value,
            if p.is_best { ", best" } else { "" }
        );
    };
    let bytes = train_student(&mut sources, &classes(), &options, &args.out, (&mut judge, &mut show))?;
    println!("{}: {} bytes", args.out.display(), bytes.len());
    Ok(())
}

/// Some of the letters; a larger count holds those of a smaller one.
pub(crate) fn sample(letters: Vec<MarkedDocument>, count: usize, seed: u64) -> Vec<MarkedDocument> {
    let mut numbered: Vec<_> =
        letters.into_iter().enumerate().map(|(i, l)| (scramble(seed, 0, 6 << 32 ^ i as u64), l)).collect();
    numbered.sort_by_key(|(number, _)| *number);
    numbered.into_iter().take(count).map(|(_, letter)| letter).collect()
}

/// The shipped policy of a language with the student in the place of the CRF.
pub(crate) fn student_policy(language: Language, model: Option<&Path>) -> Result<Policy, Error> {
    let (_, text) = SHIPPED
        .iter()
        .find(|(name, _)| *name == language.key())
        .ok_or_else(|| Error::new("no policy ships for this language"))?;
    let mut policy = Policy::parse(&text.replace("\"crf\"", "\"student\""), language.key())?;
    policy.detect.student = model.map(Path::to_path_buf);
    Ok(policy)
}

pub(crate) fn by_language(
    dev: &[MarkedDocument],
    policy: impl Fn(Language) -> Result<Policy, Error>,
) -> Result<Vec<(Language, Figures)>, Error> {
    let mut out = Vec::new();
    for &language in Language::ALL {
        let letters: Vec<&MarkedDocument> = dev.iter().filter(|l| l.language == language).collect();
        if letters.is_empty() {
            continue;
        }
        let pipeline = Pipeline::from_policy(&policy(language)?, language, None)?;
        out.push((language, measure(&pipeline, &letters)?));
    }
    Ok(out)
}

fn eval(args: &EvalArgs) -> Result<(), Error> {
    let part = if args.test { Split::Test } else { Split::Dev };
    let mut dev = letters::read(&args.corpus, part)?;
    if !args.test {
        dev.extend(letters::read_untouched(&args.corpus, part)?);
    }
    let bytes: usize = dev.iter().map(|l| l.text.len()).sum();
    let named = |language: Language| {
        for name in &args.policy {
            let policy = Policy::load(name)?;
            if policy.language.is_none_or(|l| l == language) {
                return Ok(policy);
            }
        }
        match &args.model {
            Some(model) => student_policy(language, Some(model)),
            None => Ok(Policy::shipped(language.key())?),
        }
    };
    for (language, figures) in by_language(&dev, named)? {
        println!("{language}: {figures}");
        if args.folders {
            print_folders(&dev, language, &named(language)?)?;
        }
        if args.labels {
            for (label, share) in &figures.labels {
                println!("  {label}: {}/{} {:.4}", share.hits, share.all, share.value());
            }
            let mut wrong: Vec<_> = figures.wrong.iter().collect();
            wrong.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
            for ((label, sources), n) in wrong.iter().take(40) {
                println!("  false {label} by {sources}: {n}");
            }
        }
        if args.mistakes {
            figures.mistakes.iter().for_each(|m| println!("  {m}"));
        }
        let pipeline = Pipeline::from_policy(&named(language)?, language, None)?;
        speed(&pipeline, &dev, language)?;
    }
    println!("{} letters, {} KB", dev.len(), bytes / 1000);
    Ok(())
}

fn print_folders(dev: &[MarkedDocument], language: Language, policy: &Policy) -> Result<(), Error> {
    let pipeline = Pipeline::from_policy(policy, language, None)?;
    let folder = |l: &MarkedDocument| l.id.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let letters = dev.iter().filter(|l| l.language == language);
    let names: BTreeSet<String> = letters.clone().map(folder).collect();
    for name in names {
        let letters: Vec<_> = letters.clone().filter(|l| folder(l) == name).collect();
        println!("  {name} ({}): {}", letters.len(), measure(&pipeline, &letters)?);
    }
    Ok(())
}

/// Seconds of processor time of this thread: the machine may be doing other things.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// KB of text a second on one thread.
fn speed(pipeline: &Pipeline, dev: &[MarkedDocument], language: Language) -> Result<(), Error> {
    let letters: Vec<&MarkedDocument> = dev.iter().filter(|l| l.language == language).collect();
    let bytes: usize = letters.iter().map(|l| l.text.len()).sum();
    let mut best = f64::MAX;
    for _ in 0..2 {
        let mut notes = letters
            .iter()
            .map(|l| Note::builder(&l.id, &l.text).language(Some(language)).build())
            .collect::<Result<Vec<_>, _>>()?;
        let start = cpu_seconds();
        pipeline.detect(&mut notes)?;
        best = best.min(cpu_seconds() - start);
    }
    print!("{language}: {:.0} KB/s", bytes as f64 / 1000.0 / best);
    match pipeline.read_share() {
        Some(share) => println!(", the transformer reads {:.1} % of the words", 100.0 * share),
        None => println!(),
    }
    Ok(())
}
