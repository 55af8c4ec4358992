//! `cargo xtask models`: trains the models that ship, from the development corpora and generated documents.
//!
//! Each language has its gold, its development documents and its options here; the same input gives the same bytes.
//! The corpora are not part of the project: without them nothing is trained, and that is said.

mod gold;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use taire::training::{Clusters, GoldDocument, Progress, RULE_SOURCES, TrainOptions, train};
use taire_text::Language;

use gold::Reader;
use taire_corpus::generate;

/// What is asked for. `-o` and the settings are for trying things out: what ships is trained without them.
struct Request {
    check: bool,
    languages: Vec<Language>,
    output: Option<PathBuf>,
    settings: Vec<(String, f64)>,
}

impl Request {
    fn parse(args: &[String]) -> Result<Request, String> {
        let mut request =
            Request { check: false, languages: Language::ALL.to_vec(), output: None, settings: Vec::new() };
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            match arg.as_str() {
                "--check" => request.check = true,
                "fr" => request.languages = vec![Language::Fr],
                "es" => request.languages = vec![Language::Es],
                "-o" => request.output = rest.next().map(PathBuf::from),
                setting => match setting.split_once('=').map(|(key, value)| (key, value.parse())) {
                    Some((key, Ok(value))) => request.settings.push((key.to_owned(), value)),
                    _ => return Err(format!("unknown option `{setting}`; usage: {USAGE}")),
                },
            }
        }
        Ok(request)
    }

    fn setting(&self, key: &str, usual: f64) -> f64 {
        self.settings.iter().find(|(k, _)| k == key).map_or(usual, |(_, value)| *value)
    }
}

const USAGE: &str =
    "models [fr|es] [--check] [-o FOLDER] [l1=N l2=N min-count=N iterations=N documents=N clusters=N]";

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let request = Request::parse(args)?;
    let root = crate::root();
    let corpora =
        std::env::var_os("TAIRE_CORPORA").map_or_else(|| root.join("../shared/corpora"), PathBuf::from);
    if !corpora.is_dir() {
        println!("models: skipped, no corpora at ../shared/corpora (or TAIRE_CORPORA)");
        return Ok(());
    }
    for &language in &request.languages {
        let bytes = match language {
            Language::Fr => french(&corpora, &request)?,
            Language::Es => spanish(&corpora, &request)?,
        };
        let name = format!("{}.crf", language.key());
        let folder = request.output.clone().unwrap_or_else(|| root.join("crates/taire-models/data"));
        let file = folder.join(&name);
        if !request.check {
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

fn invented<'a>(
    language: Language,
    held_out: bool,
    documents: u64,
    seed: u64,
    prose: &'a Path,
) -> generate::Request<'a> {
    generate::Request { language, held_out, documents, seed, prose: Some(prose) }
}

/// Invented documents around published cases; those of other templates tell when to stop.
fn french_gold(
    corpora: &Path,
    request: &Request,
    usual: f64,
) -> Result<(Vec<GoldDocument>, Vec<GoldDocument>), String> {
    let reader = Reader::new(Language::Fr);
    let prose = corpora.join("e3c-fr/cases.jsonl");
    let documents = request.setting("documents", usual) as u64;
    let mut gold = reader.generated(&invented(Language::Fr, false, documents, 20_261_115, &prose))?;
    let mut dev = reader.generated(&invented(Language::Fr, true, 300, 20_261_116, &prose))?;
    gold.iter_mut().chain(&mut dev).for_each(gold::forget_whose);
    Ok((gold, dev))
}

fn french(corpora: &Path, request: &Request) -> Result<Vec<u8>, String> {
    let (gold, dev) = french_gold(corpora, request, 2400.0)?;
    let prose = corpora.join("e3c-fr/cases.jsonl");
    let unlabelled = kept_cases(&prose)?;
    // Invented text is more alike than real text is: weights are held tighter.
    let options = TrainOptions { l1: 0.1, l2: 0.6, max_iterations: 60, ..Default::default() };
    finish(Language::Fr, gold, &dev, &unlabelled, options, request)
}

/// MEDDOCAN, and invented documents that do not look like it.
fn spanish_gold(
    corpora: &Path,
    request: &Request,
    usual: f64,
) -> Result<(Vec<GoldDocument>, Vec<GoldDocument>), String> {
    let reader = Reader::new(Language::Es);
    let mut gold = reader.meddocan(&corpora.join("meddocan/train"))?;
    let dev = reader.meddocan(&corpora.join("meddocan/dev"))?;
    let prose = corpora.join("codiesp/background");
    let documents = request.setting("documents", usual) as u64;
    let mut extra = reader.generated(&invented(Language::Es, false, documents, 20_261_115, &prose))?;
    let classes: BTreeSet<String> = gold.iter().flat_map(|d| &d.spans).map(|s| s.class.clone()).collect();
    extra.iter_mut().for_each(|document| gold::as_meddocan(document, &classes));
    gold.append(&mut extra);
    Ok((gold, dev))
}

fn spanish(corpora: &Path, request: &Request) -> Result<Vec<u8>, String> {
    let (gold, dev) = spanish_gold(corpora, request, 500.0)?;
    let prose = corpora.join("codiesp/background");
    let mut unlabelled = texts(&prose)?;
    unlabelled.extend(texts(&corpora.join("meddocan/train"))?);
    finish(Language::Es, gold, &dev, &unlabelled, TrainOptions::default(), request)
}

/// The published cases that training may see: every fourth is kept to measure on.
fn kept_cases(path: &Path) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let kept = text.lines().enumerate().filter(|(i, _)| i % 4 != 3);
    kept.map(|(_, line)| {
        let value: serde_json::Value =
            serde_json::from_str(line).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(value["text"].as_str().unwrap_or("").to_owned())
    })
    .collect()
}

fn texts(folder: &Path) -> Result<Vec<String>, String> {
    let fail = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        files.push(entry.map_err(fail)?.path());
    }
    files.sort();
    let files = files.iter().filter(|f| f.extension().is_some_and(|e| e == "txt"));
    files.map(|file| fs::read_to_string(file).map_err(fail)).collect()
}

fn finish(
    language: Language,
    mut gold: Vec<GoldDocument>,
    dev: &[GoldDocument],
    unlabelled: &[String],
    options: TrainOptions,
    request: &Request,
) -> Result<Vec<u8>, String> {
    // The rules find nothing in one document of four, so that the model also learns to do without them.
    gold.iter_mut().skip(3).step_by(4).for_each(|document| document.mentions.clear());
    let clusters = request.setting("clusters", CLUSTERS as f64) as usize;
    let options = TrainOptions {
        l1: request.setting("l1", options.l1),
        l2: request.setting("l2", options.l2),
        min_count: request.setting("min-count", options.min_count.into()) as u32,
        max_iterations: request.setting("iterations", options.max_iterations as f64) as usize,
        sources: RULE_SOURCES.to_vec(),
        clusters: Clusters::learn(unlabelled.iter().map(String::as_str), clusters, RARE),
        ..options
    };
    let key = language.key();
    let (bytes, report) =
        train(&gold, dev, &options, &mut show).map_err(|e| format!("training model `{key}`: {e}"))?;
    print!("{report}");
    println!("{key}.crf: {} bytes", bytes.len());
    Ok(bytes)
}

/// Clusters of words, and how often a word must come to have one.
const CLUSTERS: usize = 128;
const RARE: u32 = 5;

fn show(progress: Progress) {
    match progress.dev_f1 {
        Some(f1) => {
            eprintln!("iteration {}: value {:.1}, dev F1 {f1:.4}", progress.iteration, progress.value)
        }
        None => eprintln!("iteration {}: value {:.1}", progress.iteration, progress.value),
    }
}
