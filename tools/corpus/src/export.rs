//! The corpus in the formats of other tools.
//!
//! | format | what is written |
//! |---|---|
//! | `jsonl` | `SPLIT-LANG.jsonl`: `{"id", "lang", "kind", "specialty", "text", "spans": [{"start", "end", "label"}]}`, code points |
//! | `brat` | `SPLIT/LANG/FOLDER-NN.txt` and `.ann`, and `annotation.conf` |
//! | `conll` | `SPLIT-LANG.conll`: a token and its IOB2 label a line, a blank line between sentences (lines of the text), `-DOCSTART-` before each document |
//! | `doccano` | `SPLIT-LANG.jsonl`: `{"id", "text", "label": [[start, end, label]]}`, code points |
//! | `label-studio` | `SPLIT-LANG.json`: tasks with one annotation each, offsets in UTF-16 as its browser counts, and `config.xml` |
//!
//! Untouched documents are a part of their own, `untouched`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use taire_eval::exchange;
use taire_eval::{Doc, Tag};
use taire_text::{Label, Language, Role};

use crate::{Error, LANGUAGES, MarkedDocument, OpenCorpus, Split};

/// A format of [`export`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportFormat {
    Jsonl,
    Brat,
    Conll,
    Doccano,
    LabelStudio,
}

/// Writes the whole corpus into a folder, each split and language apart. Returns how many documents.
pub fn export(corpus: &OpenCorpus, format: ExportFormat, folder: &Path) -> Result<usize, Error> {
    let mut count = 0;
    if let Some(document) =
        corpus.documents.iter().find(|d| corpus.splits.get(d.language, &d.folder).is_none())
    {
        return Err(Error::new(format!("{}: its folder has no split in splits.toml", document.id)));
    }
    create(folder)?;
    let labels: Vec<&str> = Label::ALL.iter().map(|label| label.name()).collect();
    match format {
        ExportFormat::Brat => write(&folder.join("annotation.conf"), &exchange::annotation_conf(&labels))?,
        ExportFormat::LabelStudio => {
            write(&folder.join("config.xml"), &exchange::label_studio_config(&labels))?;
        }
        _ => {}
    }
    for language in LANGUAGES {
        for split in Split::ALL {
            let documents: Vec<_> = corpus.split(language, split).collect();
            count += documents.len();
            export_part(&documents, format, folder, (split.name(), language))?;
        }
        let untouched: Vec<_> = corpus.untouched(language).collect();
        count += untouched.len();
        export_part(&untouched, format, folder, ("untouched", language))?;
    }
    Ok(count)
}

fn export_part(
    documents: &[&MarkedDocument],
    format: ExportFormat,
    folder: &Path,
    (part, language): (&str, Language),
) -> Result<(), Error> {
    if documents.is_empty() {
        return Ok(());
    }
    let file = |extension: &str| folder.join(format!("{part}-{}.{extension}", language.key()));
    let lines = |line: fn(&MarkedDocument) -> Result<Value, Error>| {
        documents.iter().map(|d| Ok(format!("{}\n", line(d)?))).collect::<Result<String, Error>>()
    };
    match format {
        ExportFormat::Jsonl => write(&file("jsonl"), &lines(jsonl)?),
        ExportFormat::Doccano => write(&file("jsonl"), &lines(doccano)?),
        ExportFormat::Conll => {
            let text = documents.iter().map(|d| conll(d)).collect::<Result<String, Error>>()?;
            write(&file("conll"), &text)
        }
        ExportFormat::LabelStudio => {
            let tasks = documents.iter().map(|d| label_studio(d)).collect::<Result<Vec<Value>, Error>>()?;
            write(&file("json"), &format!("{}\n", json!(tasks)))
        }
        ExportFormat::Brat => {
            let below = folder.join(part).join(language.key());
            create(&below)?;
            for document in documents {
                // `fr/a/01` → `a-01`.
                let name = document
                    .id
                    .split_once('/')
                    .map_or(document.id.as_str(), |(_, rest)| rest)
                    .replace('/', "-");
                write(&below.join(format!("{name}.txt")), &document.text)?;
                write(&below.join(format!("{name}.ann")), &brat(document)?)?;
            }
            Ok(())
        }
    }
}

fn create(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|e| Error::io(folder, &e))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|e| Error::io(path, &e))
}

/// The document as the writers of annotation formats take it.
fn annotated(document: &MarkedDocument) -> Doc {
    let (mut byte, mut point) = (0, 0);
    let mut at = |to: usize| {
        point += document.text[byte..to].chars().count();
        byte = to;
        point
    };
    let spans = document.spans.iter().map(|s| Tag::new(at(s.start), at(s.end), s.label.name())).collect();
    Doc { id: document.id.clone(), text: Some(document.text.clone()), spans }
}

fn failed(document: &MarkedDocument) -> impl Fn(taire_eval::Error) -> Error {
    let id = document.id.clone();
    move |error| Error::new(format!("{id}: {error}"))
}

fn jsonl(document: &MarkedDocument) -> Result<Value, Error> {
    let spans = exchange::jsonl_spans(&annotated(document), |_| Role::Unknown);
    Ok(json!({
        "id": document.id, "lang": document.language.key(), "kind": document.header.kind,
        "group": document.kind().name(), "specialty": document.header.specialty, "style": document.header.style,
        "text": document.text, "spans": spans,
    }))
}

fn doccano(document: &MarkedDocument) -> Result<Value, Error> {
    exchange::doccano(&annotated(document)).map_err(failed(document))
}

fn label_studio(document: &MarkedDocument) -> Result<Value, Error> {
    exchange::label_studio(&annotated(document)).map_err(failed(document))
}

fn brat(document: &MarkedDocument) -> Result<String, Error> {
    exchange::brat(&annotated(document)).map_err(failed(document))
}

fn conll(document: &MarkedDocument) -> Result<String, Error> {
    exchange::conll(&annotated(document)).map_err(failed(document))
}

#[cfg(test)]
mod tests;
