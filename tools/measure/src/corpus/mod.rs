//! Detection on the open corpus, by tier and by kind of document, and what is left of untouched documents.

mod report;
pub(crate) mod score;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use serde::Serialize;
use taire::{Engine, Policy, SecretKey};
use taire_corpus::{MarkedDocument, OpenCorpus, Split, shipped_root};
use taire_text::scheme::{self, Scheme, SchemeSpan};
use taire_text::{Entity, Language, Note};

use score::{Missed, Predicted, Scores};

#[derive(Args, Debug)]
pub(crate) struct CorpusArgs {
    /// Policies to measure, each on the documents of its language; `fr` and `es` if none is named
    #[arg(long, value_name = "NAME|FILE")]
    policy: Vec<String>,
    /// Measure a policy that has no language of its own on this one
    #[arg(long)]
    lang: Option<Language>,
    /// The split to measure on; test is looked at once a release
    #[arg(long, default_value = "dev")]
    split: Split,
    /// List every direct identifier that is not wholly covered, with its context. For dev only, and outside the repository
    #[arg(long, value_name = "FILE")]
    misses: Option<PathBuf>,
    /// Where the tables go; `scores/` of the repository if not named
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    #[arg(long, value_name = "FOLDER")]
    corpus: Option<PathBuf>,
}

/// What stops a measurement.
#[derive(Debug)]
pub(crate) struct Stop(pub(crate) String);

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop(error.to_string())
    }
}

/// One policy on one language.
#[derive(Serialize, Debug)]
pub(crate) struct Measured {
    pub(crate) policy: String,
    pub(crate) language: &'static str,
    pub(crate) documents: usize,
    pub(crate) scores: Scores,
    pub(crate) folders: BTreeMap<String, Scores>,
    pub(crate) kinds: BTreeMap<String, Scores>,
    pub(crate) untouched: Untouched,
}

/// Documents without identities, after de-identification.
#[derive(Serialize, Default, Debug)]
pub(crate) struct Untouched {
    pub(crate) documents: usize,
    pub(crate) unchanged: usize,
    /// Stretches whose text is another than before.
    pub(crate) values_exchanged: usize,
    /// The same by label.
    pub(crate) labels: BTreeMap<String, usize>,
}

pub(crate) fn run(args: &CorpusArgs) -> Result<(), Stop> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    if let Some(file) = &args.misses {
        refuse_misses(file, args.split, &root)?;
    }
    let corpus = OpenCorpus::open(&args.corpus.clone().unwrap_or_else(shipped_root))?;
    let shipped = ["fr".to_owned(), "es".to_owned()];
    let policies = if args.policy.is_empty() { &shipped[..] } else { &args.policy };
    let mut measured = Vec::new();
    let mut missed = Vec::new();
    for policy in policies {
        let key = SecretKey::from_bytes(&[7; 32])?;
        let language = args
            .lang
            .or(Policy::load(policy)?.language)
            .ok_or_else(|| Stop(format!("policy `{policy}` has no language; name one with --lang")))?;
        // Insists on the language: bilingual documents are measured, not refused.
        let engine = Engine::new(Some(policy), Some(language), Some(&key))?;
        eprintln!("taire-measure: policy {policy}, {} of {language}", args.split);
        let documents: Vec<&MarkedDocument> = corpus.split(language, args.split).collect();
        let found = in_parallel(&documents, |document| predict(&engine, document))?;
        measured.push(Measured {
            policy: policy_name(policy),
            language: language.key(),
            documents: documents.len(),
            scores: score::score(&documents, &found),
            folders: grouped(&documents, &found, folder_of),
            kinds: grouped(&documents, &found, |document| document.kind().name().to_owned()),
            untouched: untouched(&engine, &corpus.untouched_held_out(language).collect::<Vec<_>>())?,
        });
        missed.extend(score::missed(&documents, &found));
    }
    if let Some(file) = &args.misses {
        std::fs::write(file, missed.iter().map(Missed::line).collect::<String>())?;
    }
    let stamp = Stamp {
        date: jiff::Timestamp::now().to_string().chars().take(10).collect(),
        commit: commit(&root),
        command: command_line(args),
        split: args.split.name(),
    };
    let name = if args.split == Split::Test { "corpus-test" } else { "corpus" };
    let folder = args.output.clone().unwrap_or_else(|| root.join("scores"));
    std::fs::create_dir_all(&folder)?;
    let markdown = report::markdown(&stamp, &measured);
    print!("{markdown}");
    std::fs::write(folder.join(format!("{name}.md")), markdown)?;
    if args.split == Split::Dev && args.policy.is_empty() && args.output.is_none() {
        let path = root.join("README.md");
        std::fs::write(&path, report::with_summary(&std::fs::read_to_string(&path)?, &stamp, &measured))?;
    }
    let json = serde_json::json!({"stamp": stamp, "measured": measured});
    std::fs::write(
        folder.join(format!("{name}.json")),
        format!("{}\n", serde_json::to_string_pretty(&json)?),
    )?;
    Ok(())
}

/// When, of which commit and how a table was made.
#[derive(Serialize, Debug)]
pub(crate) struct Stamp {
    date: String,
    commit: String,
    command: String,
    split: &'static str,
}

/// Errors are read on dev alone, and their texts stay out of the repository.
fn refuse_misses(file: &Path, split: Split, root: &Path) -> Result<(), Stop> {
    if split != Split::Dev {
        return Err(Stop(format!("errors are read on dev only, not on {split}")));
    }
    let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if folder.canonicalize()?.starts_with(root) {
        return Err(Stop(format!("{} is inside the repository; name a file outside it", file.display())));
    }
    Ok(())
}

fn command_line(args: &CorpusArgs) -> String {
    let mut out = String::from("cargo measure corpus");
    for policy in &args.policy {
        out.push_str(&format!(" --policy {}", policy_name(policy)));
    }
    out.push_str(&args.lang.map(|l| format!(" --lang {l}")).unwrap_or_default());
    if args.split != Split::Dev {
        out.push_str(&format!(" --split {}", args.split));
    }
    out
}

/// A policy's name, or the name of its file without the folders of this machine.
fn policy_name(policy: &str) -> String {
    Path::new(policy).file_name().map_or(policy.to_owned(), |n| n.to_string_lossy().into_owned())
}

pub(crate) fn commit(root: &Path) -> String {
    let output = Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(root).output();
    output.ok().and_then(|o| String::from_utf8(o.stdout).ok()).unwrap_or_default().trim().to_owned()
}

pub(crate) fn note(document: &MarkedDocument) -> Result<Note, Stop> {
    Ok(Note::builder(&document.id, &document.text).language(Some(document.language)).build()?)
}

fn predict(engine: &Engine, document: &MarkedDocument) -> Result<Vec<Predicted>, Stop> {
    let (_, entities) = engine.detect(note(document)?)?;
    Ok(predicted(document, &entities))
}

/// What was found in a document, by the labels of the corpus.
pub(crate) fn predicted(document: &MarkedDocument, entities: &[Entity]) -> Vec<Predicted> {
    let spans = scheme::project(Scheme::Taire, &document.text, entities);
    let predicted = |s: &SchemeSpan| {
        let label = s.label.parse().ok()?;
        Some(Predicted { start: s.span.start(), end: s.span.end(), label })
    };
    spans.iter().filter_map(predicted).collect()
}

/// The folder of a document, which is one hand.
fn folder_of(document: &MarkedDocument) -> String {
    document.id.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned()
}

fn grouped(
    documents: &[&MarkedDocument],
    found: &[Vec<Predicted>],
    name: impl Fn(&MarkedDocument) -> String,
) -> BTreeMap<String, Scores> {
    let mut groups: BTreeMap<String, (Vec<&MarkedDocument>, Vec<Vec<Predicted>>)> = BTreeMap::new();
    for (document, spans) in documents.iter().zip(found) {
        let group = groups.entry(name(document)).or_default();
        group.0.push(document);
        group.1.push(spans.clone());
    }
    groups.into_iter().map(|(kind, (documents, found))| (kind, score::score(&documents, &found))).collect()
}

fn untouched(engine: &Engine, documents: &[&MarkedDocument]) -> Result<Untouched, Stop> {
    let treated = in_parallel(documents, |document| Ok(engine.run(note(document)?)?))?;
    let mut out = Untouched { documents: documents.len(), ..Untouched::default() };
    for (document, new) in documents.iter().zip(&treated) {
        out.unchanged += usize::from(new.text == document.text);
        for written in &new.written {
            let entity = &new.entities[written.entity];
            if new.text[written.range.clone()] != document.text[entity.span.start()..entity.span.end()] {
                out.values_exchanged += 1;
                *out.labels.entry(entity.label.name().to_owned()).or_default() += 1;
            }
        }
    }
    Ok(out)
}

/// Does the same to every document on all cores, results in order.
pub(crate) fn in_parallel<T: Send>(
    documents: &[&MarkedDocument],
    work: impl Fn(&MarkedDocument) -> Result<T, Stop> + Sync,
) -> Result<Vec<T>, Stop> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let size = documents.len().div_ceil(threads).max(1);
    let parts = std::thread::scope(|scope| {
        let work = &work;
        let spawn = |part| scope.spawn(move || chunk(part, work));
        let handles: Vec<_> = documents.chunks(size).map(spawn).collect();
        handles
            .into_iter()
            .map(|h| h.join().unwrap_or_else(|_| Err(Stop("a thread failed".into()))))
            .collect::<Vec<_>>()
    });
    let mut out = Vec::with_capacity(documents.len());
    for part in parts {
        out.extend(part?);
    }
    Ok(out)
}

fn chunk<T>(
    documents: &[&MarkedDocument],
    work: &impl Fn(&MarkedDocument) -> Result<T, Stop>,
) -> Result<Vec<T>, Stop> {
    documents.iter().map(|d| work(d).map_err(|e| Stop(format!("{}: {e}", d.id)))).collect()
}
