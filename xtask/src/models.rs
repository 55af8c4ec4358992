//! `cargo xtask models`: trains the models that ship, from the development corpora.
//!
//! Each language has its gold, its development documents and its options here; the same input gives the same bytes.
//! The corpora are not part of the project: without them nothing is trained, and that is said.

use std::fs;
use std::path::{Path, PathBuf};

use taire_detect::{Detector, Patterns, Structure};
use taire_eval::{Corpus, Doc, Tag};
use taire_lexicon::Annotator;
use taire_models::{GoldDocument, GoldSpan, Progress, TrainOptions, train};
use taire_text::scheme::{Scheme, read_gold};
use taire_text::{Label, Language, Note, Raw, Role, Source, Span};

pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let mut check = false;
    for arg in args {
        match arg.as_str() {
            "--check" => check = true,
            other => return Err(format!("unknown option `{other}`; known: --check")),
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let corpora =
        std::env::var_os("TAIRE_CORPORA").map_or_else(|| root.join("../shared/corpora"), PathBuf::from);
    if !corpora.is_dir() {
        println!("models: skipped, no corpora at ../shared/corpora (or TAIRE_CORPORA)");
        return Ok(());
    }
    let bytes = spanish(&corpora)?;
    let file = root.join("crates/taire-models/data/es.crf");
    if check {
        let committed = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        return if committed == bytes {
            println!("models: es.crf is reproduced bit for bit");
            Ok(())
        } else {
            Err("es.crf differs from what training gives; run `cargo xtask models` and commit it".into())
        };
    }
    fs::write(&file, bytes).map_err(|e| format!("{}: {e}", file.display()))
}

fn spanish(corpora: &Path) -> Result<Vec<u8>, String> {
    let mut gold = meddocan(&corpora.join("meddocan/train"))?;
    // The rules are silent in one document of four, so that the model also learns to do without them.
    gold.iter_mut().skip(3).step_by(4).for_each(|document| document.mentions.clear());
    let dev = meddocan(&corpora.join("meddocan/dev"))?;
    let options = TrainOptions { sources: vec![Source::Pattern, Source::Structure], ..Default::default() };
    let (bytes, report) =
        train(&gold, &dev, &options, &mut show).map_err(|e| format!("training the Spanish model: {e}"))?;
    print!("{report}");
    println!("es.crf: {} bytes", bytes.len());
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

/// A folder of MEDDOCAN as gold documents: labels are ours, borders are the corpus's, names stay whole.
fn meddocan(folder: &Path) -> Result<Vec<GoldDocument>, String> {
    let corpus = Corpus::read(folder).map_err(|e| e.to_string())?;
    // The models do not see keyword classes.
    let annotator = Annotator::new(Language::Es, |_| 0);
    let read = |doc: &Doc| document(&annotator, &doc.id, doc.text.as_deref().unwrap_or(""), &doc.spans);
    corpus.docs().map(read).collect()
}

fn document(annotator: &Annotator, id: &str, text: &str, tags: &[Tag]) -> Result<GoldDocument, String> {
    let mut bytes: Vec<usize> = text.char_indices().map(|(i, _)| i).collect();
    bytes.push(text.len());
    let outside = || format!("{id}: a span lies outside the text");
    let mut spans = Vec::with_capacity(tags.len());
    for tag in tags {
        let start = *bytes.get(tag.start).ok_or_else(outside)?;
        let end = *bytes.get(tag.end).filter(|&&end| end >= start).ok_or_else(outside)?;
        let span = Span::<Raw>::new(start, end);
        let class = class(text, span, &tag.label).map_err(|e| format!("{id}: {e}"))?;
        spans.push(GoldSpan { span, class });
    }
    let note = Note::builder(id, text).language(Some(Language::Es)).build();
    let mut note = note.map_err(|e| format!("{id}: {e}"))?;
    annotator.annotate(&mut note);
    let mut heard = [Vec::new()];
    let notes = std::slice::from_ref(&note);
    Patterns::new().detect(notes, &mut heard).map_err(|e| format!("{id}: {e}"))?;
    Structure.detect(notes, &mut heard).map_err(|e| format!("{id}: {e}"))?;
    let [mentions] = heard;
    Ok(GoldDocument { note, mentions, spans })
}

fn class(text: &str, span: Span<Raw>, label: &str) -> Result<String, String> {
    let read = read_gold(Scheme::Meddocan, text, &[(span, label)]).map_err(|e| e.to_string())?;
    let Some(first) = read.first() else { return Err(format!("a span of `{label}` is empty")) };
    let is_name = |label| matches!(label, Label::GivenName | Label::FamilyName | Label::Initials);
    let category = if is_name(first.label) { "Name" } else { first.label.name() };
    Ok(match first.role {
        Role::Unknown => category.to_owned(),
        role => format!("{category}:{role}"),
    })
}
