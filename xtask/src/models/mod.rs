//! `cargo xtask models`: trains the models that ship, from the development corpora and generated documents.
//!
//! Each language has its gold, its development documents and its options here; the same input gives the same bytes.
//! The corpora are not part of the project: without them nothing is trained, and that is said.

mod gold;

use std::fs;
use std::path::{Path, PathBuf};

use taire_models::{GoldDocument, Progress, TrainOptions, train};
use taire_text::{Language, Source};

use crate::generate::Request;
use gold::Reader;

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let (mut check, mut languages) = (false, vec![Language::Fr, Language::Es]);
    for arg in args {
        match arg.as_str() {
            "--check" => check = true,
            "fr" => languages = vec![Language::Fr],
            "es" => languages = vec![Language::Es],
            other => return Err(format!("unknown option `{other}`; known: fr, es, --check")),
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let corpora =
        std::env::var_os("TAIRE_CORPORA").map_or_else(|| root.join("../shared/corpora"), PathBuf::from);
    if !corpora.is_dir() {
        println!("models: skipped, no corpora at ../shared/corpora (or TAIRE_CORPORA)");
        return Ok(());
    }
    for language in languages {
        let bytes = match language {
            Language::Fr => french(&corpora)?,
            Language::Es => spanish(&corpora)?,
        };
        let name = format!("{}.crf", language.key());
        let file = root.join("crates/taire-models/data").join(&name);
        if !check {
            fs::write(&file, bytes).map_err(|e| format!("{}: {e}", file.display()))?;
            continue;
        }
        let committed = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        if committed != bytes {
            return Err(format!(
                "{name} differs from what training gives; run `cargo xtask models` and commit it"
            ));
        }
        println!("models: {name} is reproduced bit for bit");
    }
    Ok(())
}

/// What every shipped model hears: the detectors that [`Reader`] runs.
const HEARD: [Source; 2] = [Source::Pattern, Source::Structure];

/// Invented documents around published cases; those of other templates tell when to stop.
fn french(corpora: &Path) -> Result<Vec<u8>, String> {
    let reader = Reader::new(Language::Fr);
    let prose = corpora.join("e3c-fr/cases.jsonl");
    let request = |held_out, documents, seed| Request {
        language: Language::Fr,
        held_out,
        documents,
        seed,
        prose: Some(&prose),
    };
    let gold = reader.generated(&request(false, 2400, 20_261_115))?;
    let dev = reader.generated(&request(true, 300, 20_261_116))?;
    // Invented text is more alike than real text is: weights are held tighter.
    let options = TrainOptions { l1: 0.1, l2: 0.6, max_iterations: 60, ..Default::default() };
    finish(Language::Fr, gold, &dev, options)
}

fn spanish(corpora: &Path) -> Result<Vec<u8>, String> {
    let reader = Reader::new(Language::Es);
    let gold = reader.meddocan(&corpora.join("meddocan/train"))?;
    let dev = reader.meddocan(&corpora.join("meddocan/dev"))?;
    finish(Language::Es, gold, &dev, TrainOptions::default())
}

fn finish(
    language: Language,
    mut gold: Vec<GoldDocument>,
    dev: &[GoldDocument],
    options: TrainOptions,
) -> Result<Vec<u8>, String> {
    // The rules are silent in one document of four, so that the model also learns to do without them.
    gold.iter_mut().skip(3).step_by(4).for_each(|document| document.mentions.clear());
    let options = TrainOptions { sources: HEARD.to_vec(), ..options };
    let key = language.key();
    let (bytes, report) =
        train(&gold, dev, &options, &mut show).map_err(|e| format!("training model `{key}`: {e}"))?;
    print!("{report}");
    println!("{key}.crf: {} bytes", bytes.len());
    Ok(bytes)
}

fn show(progress: Progress) {
    match progress.dev_f1 {
        Some(f1) => {
            eprintln!("iteration {}: value {:.1}, dev F1 {f1:.4}", progress.iteration, progress.value)
        }
        None => eprintln!("iteration {}: value {:.1}", progress.iteration, progress.value),
    }
}
