//! Training the teacher: one transformer for both languages, from the letters of the corpus.
//!
//! PyTorch does the arithmetic, since its 16-bit matrix products are several times faster than our 32-bit ones. This program writes
//! the training windows of each epoch, with other variants of the letters each time, and packs the result as a model.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use taire::training::{GoldDocument, GoldReader, LessonOptions, Lessons, pack_model};
use taire_corpus::{MarkedDocument, Split};
use taire_text::Language;

use crate::error::Error;
use crate::student::{gold_of, sample, scramble};
use crate::variants::{Shares, Variants};
use crate::{encoder, letters, prose};

/// The share of windows without a span that is learned from.
const NEGATIVE_RATE: f32 = 0.5;

#[derive(Args, Clone)]
pub(crate) struct TeacherArgs {
    /// The folder of the model
    #[arg(long, short)]
    pub(crate) out: PathBuf,
    /// The folder of the pre-trained encoder; without it, that of `cargo data encoder`
    #[arg(long)]
    encoder: Option<PathBuf>,
    /// The folder of marked letters
    #[arg(long, default_value = "corpus")]
    corpus: PathBuf,
    /// The folder of development corpora, of which MEDDOCAN is learned from
    #[arg(long, env = "TAIRE_CORPORA")]
    corpora: Option<PathBuf>,
    /// Learn from so many letters only, chosen by the seed
    #[arg(long)]
    pub(crate) letters: Option<usize>,
    #[arg(long, default_value_t = 5)]
    pub(crate) epochs: usize,
    /// Windows of a step
    #[arg(long, default_value_t = 16)]
    pub(crate) batch: usize,
    #[arg(long, default_value_t = 3e-4)]
    rate: f32,
    #[arg(long, default_value_t = 3e-3)]
    head_rate: f32,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Where lessons and the state of the run are kept; the Python environment lies beside it
    #[arg(long, default_value = "target/teacher")]
    pub(crate) work: PathBuf,
}

impl TeacherArgs {
    /// A run of the learning curve: without other corpora, and with more epochs the fewer letters there are.
    pub(crate) fn for_curve(
        (corpus, encoder): (&Path, &Path),
        letters: usize,
        seed: u64,
        work: &Path,
        out: &Path,
    ) -> TeacherArgs {
        TeacherArgs {
            out: out.to_path_buf(),
            encoder: Some(encoder.to_path_buf()),
            corpus: corpus.to_path_buf(),
            corpora: None,
            letters: Some(letters),
            epochs: (1200 / letters.max(1)).clamp(3, 12),
            batch: if letters < 100 { 8 } else { 16 },
            rate: 3e-4,
            head_rate: 3e-3,
            seed,
            threads: 1,
            work: work.to_path_buf(),
        }
    }
}

pub(crate) fn run(args: &TeacherArgs) -> Result<(), Error> {
    std::fs::create_dir_all(&args.work).map_err(|e| Error::at(&args.work, e))?;
    let encoder = match &args.encoder {
        Some(folder) => folder.clone(),
        None => shipped_encoder(&args.work)?,
    };
    let python = python(&args.work)?;
    let sources = Sources::read(args)?;
    let lessons = Lessons::new(&encoder, &sources.epoch(args.seed, 0)?)?;
    for epoch in 0..args.epochs {
        let path = args.work.join(format!("epoch-{epoch:02}.lessons"));
        let options = LessonOptions { seed: args.seed, epoch, negative_rate: NEGATIVE_RATE };
        let count = lessons.write(&sources.epoch(args.seed, epoch)?, options, &path)?;
        eprintln!("epoch {}: {count} windows", epoch + 1);
    }
    let all = LessonOptions { seed: args.seed, epoch: 0, negative_rate: 1.0 };
    lessons.write(&sources.dev, all, &args.work.join("dev.lessons"))?;
    let script = crate::root().join("tools/data/teacher/train.py");
    let trained = args.work.join("trained");
    let done = Command::new(python)
        .arg(script)
        .args([&encoder, &args.work, &trained])
        .args(["--epochs", &args.epochs.to_string(), "--batch", &args.batch.to_string()])
        .args(["--rate", &args.rate.to_string(), "--head-rate", &args.head_rate.to_string()])
        .args(["--seed", &args.seed.to_string(), "--threads", &args.threads.to_string()])
        .status()
        .map_err(|e| Error::new(format!("cannot start Python: {e}")))?;
    if !done.success() {
        return Err(Error::new("the trainer failed; what it printed says why"));
    }
    let report = pack_model(&trained, Language::ALL, lessons.classes(), &sources.dev, &args.out)?;
    println!(
        "{}: temperature {:.2}, strict F1 on a third of dev {:.4}",
        args.out.display(),
        report.temperature,
        report.dev.f1()
    );
    Ok(())
}

/// The encoder that `cargo data encoder` makes, made where it is missing.
pub(crate) fn shipped_encoder(work: &Path) -> Result<PathBuf, Error> {
    let folder = work.join("encoder");
    if !folder.join("model.safetensors").is_file() {
        encoder::run(&["-o".to_owned(), folder.display().to_string()])?;
    }
    Ok(folder)
}

/// A Python with what the trainer needs, installed where it is missing.
fn python(work: &Path) -> Result<PathBuf, Error> {
    let folder = work.parent().unwrap_or(work).join("teacher-python");
    let python = folder.join("bin/python");
    if python.is_file() {
        return Ok(python);
    }
    let needs = crate::root().join("tools/data/teacher/requirements.txt");
    let step = |command: &mut Command| match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Error::new(format!("{}: {status}", command.get_program().to_string_lossy()))),
        Err(e) => Err(Error::new(format!("cannot start {}: {e}", command.get_program().to_string_lossy()))),
    };
    step(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    step(Command::new(&python).args(["-m", "pip", "install", "-q", "-r"]).arg(needs))?;
    Ok(python)
}

/// Everything to learn from.
struct Sources {
    letters: Vec<MarkedDocument>,
    meddocan: Vec<GoldDocument>,
    dev: Vec<GoldDocument>,
    variants: Variants,
    readers: Vec<(Language, GoldReader)>,
}

impl Sources {
    fn read(args: &TeacherArgs) -> Result<Sources, Error> {
        let readers: Vec<(Language, GoldReader)> =
            Language::ALL.iter().map(|&l| (l, GoldReader::for_student(l))).collect();
        let mut letters = letters::read(&args.corpus, Split::Train)?;
        if let Some(count) = args.letters {
            letters = sample(letters, count, args.seed);
        }
        letters.extend(letters::read_untouched(&args.corpus, Split::Train)?);
        let mut dev = letters::read(&args.corpus, Split::Dev)?;
        dev.extend(letters::read_untouched(&args.corpus, Split::Dev)?);
        let dev = dev.iter().map(|letter| gold_of(&readers, letter)).collect::<Result<_, _>>()?;
        let mut meddocan = Vec::new();
        if let Some(folder) = &args.corpora {
            for document in prose::meddocan(&folder.join("meddocan/train"))? {
                let mut gold = document.gold;
                // The letters do not annotate kinship.
                gold.spans.retain(|span| span.class != "Kinship");
                meddocan.push(gold);
            }
        }
        let variants = Variants::new(Shares { refilled: 75, case: 40, noise: 15 });
        Ok(Sources { letters, meddocan, dev, variants, readers })
    }

    /// The documents of an epoch: every letter in some form, every third document of MEDDOCAN.
    fn epoch(&self, seed: u64, epoch: usize) -> Result<Vec<GoldDocument>, Error> {
        let mut out = Vec::new();
        for (i, letter) in self.letters.iter().enumerate() {
            let number = scramble(seed, epoch as u64, 1 << 32 ^ i as u64);
            out.push(gold_of(&self.readers, &self.variants.make(letter, number))?);
        }
        out.extend(self.meddocan.iter().skip(epoch % 3).step_by(3).cloned());
        Ok(out)
    }
}
