//! Training the teacher: one transformer for both languages, from the letters of the corpus.

use std::path::PathBuf;

use clap::Args;
use taire::training::{GoldDocument, GoldReader, TransformerOptions, TransformerProgress, train_transformer};
use taire_corpus::{MarkedDocument, Split};
use taire_text::Language;

use crate::error::Error;
use crate::letters;
use crate::student::{gold_of, sample, scramble};
use crate::variants::{Shares, Variants};

#[derive(Args, Clone)]
pub(crate) struct TeacherArgs {
    /// The folder of the pre-trained encoder, from `cargo data encoder`
    #[arg(long)]
    encoder: PathBuf,
    /// The folder of marked letters
    #[arg(long, default_value = "corpus")]
    corpus: PathBuf,
    /// The folder of the model
    #[arg(long, short)]
    pub(crate) out: PathBuf,
    /// Learn from so many letters only, chosen by the seed
    #[arg(long)]
    pub(crate) letters: Option<usize>,
    /// Other forms of each letter: other identities, other case, noise
    #[arg(long, default_value_t = 2)]
    variants: usize,
    #[arg(long, default_value_t = 3)]
    epochs: usize,
    #[arg(long, default_value_t = 8)]
    layers: usize,
    #[arg(long, default_value_t = 8)]
    batch: usize,
    #[arg(long, default_value_t = 3e-4)]
    rate: f32,
    #[arg(long, default_value_t = 3e-3)]
    head_rate: f32,
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

pub(crate) fn run(args: &TeacherArgs) -> Result<(), Error> {
    let mut letters = letters::read(&args.corpus, Split::Train)?;
    if let Some(count) = args.letters {
        letters = sample(letters, count, args.seed);
    }
    letters.extend(letters::read_untouched(&args.corpus, Split::Train)?);
    let mut dev = letters::read(&args.corpus, Split::Dev)?;
    dev.extend(letters::read_untouched(&args.corpus, Split::Dev)?);
    let variants = Variants::new(Shares { refilled: 75, case: 40, noise: 15 });
    let mut gold = Vec::new();
    for form in 0..args.variants {
        for (i, letter) in letters.iter().enumerate() {
            gold.push(variants.of(letter, scramble(args.seed, form as u64, 1 << 32 ^ i as u64)));
        }
    }
    let gold = read_all(&gold)?;
    let dev = read_all(&dev)?;
    eprintln!("{} documents to train on, {} for development", gold.len(), dev.len());
    let options = TransformerOptions {
        epochs: args.epochs,
        batch: args.batch,
        encoder_rate: args.rate,
        head_rate: args.head_rate,
        layers: Some(args.layers),
        negative_rate: 0.5,
        seed: args.seed,
        threads: args.threads,
        ..TransformerOptions::default()
    };
    let report = train_transformer(&args.encoder, &gold, &dev, &options, &args.out, &mut show)?;
    print!("{report}");
    Ok(())
}

fn read_all(letters: &[MarkedDocument]) -> Result<Vec<GoldDocument>, Error> {
    let readers: Vec<(Language, GoldReader)> =
        Language::ALL.iter().map(|&l| (l, GoldReader::for_student(l))).collect();
    letters.iter().map(|letter| gold_of(&readers, letter)).collect()
}

fn show(progress: TransformerProgress) {
    let TransformerProgress { step, steps, epoch, loss, left, dev_f1 } = progress;
    match dev_f1 {
        Some(f1) => eprintln!("epoch {epoch}: loss {loss:.4}, dev F1 {f1:.4}"),
        None if step.is_multiple_of(20) || step < 4 => {
            eprintln!("step {step} of {steps}: loss {loss:.4}, {} s left", left.as_secs());
        }
        None => {}
    }
}
