//! `convert`: annotated documents in the formats of other annotation tools.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use taire::Error;
use taire_eval::exchange::{self, Exchange};
use taire_eval::{Corpus, Doc};
use taire_formats::AtomicFile;
use taire_text::io_reason;

use crate::Outcome;
use crate::args::ConvertArgs;

pub(crate) fn convert(args: &ConvertArgs) -> Result<Outcome, Error> {
    let from = match args.from {
        Some(format) => format.exchange(),
        None => Exchange::recognise(&args.input)?,
    };
    let to = args.to.exchange();
    let reading = from.read(&args.input)?;
    // All files are built before the first is written, and no existing file is overwritten.
    let files = converted_files(&reading.corpus, to, &args.output)?;
    if let Some((path, _)) = files.iter().find(|(path, _)| path.exists()) {
        return Err(Error::usage("this file exists; choose another output").in_file(path));
    }
    for (path, content) in &files {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|e| Error::io(io_reason(&e)).in_file(folder).caused_by(e))?;
        }
        let mut file = AtomicFile::create_private(path)?;
        file.write_all(content.as_bytes())?;
        file.finish()?;
    }
    let spans: usize = reading.corpus.docs().map(|doc| doc.spans.len()).sum();
    eprintln!(
        "taire: {} with {} written as {}, read as {}",
        taire_text::counted(reading.corpus.len(), "document", "documents"),
        taire_text::counted(spans, "span", "spans"),
        to.name(),
        from.name()
    );
    if reading.passed_over > 0 {
        eprintln!(
            "taire: {} without an accepted answer, not written",
            taire_text::counted(reading.passed_over, "document", "documents")
        );
    }
    if reading.left_out > 0 {
        eprintln!("taire: {} annotations that are no labelled stretch were left out", reading.left_out);
    }
    Ok(Outcome::Done)
}

type Files = Vec<(PathBuf, String)>;

fn converted_files(corpus: &Corpus, to: Exchange, output: &Path) -> Result<Files, Error> {
    let mut files = Files::new();
    let mut labels: BTreeSet<&str> = BTreeSet::new();
    labels.extend(corpus.docs().flat_map(|doc| doc.spans.iter().map(|tag| tag.label.as_str())));
    let labels: Vec<&str> = labels.into_iter().collect();
    let folder = match to.extension() {
        None => output.to_owned(),
        Some(extension) => {
            let is_file = output.extension().is_some() && !output.is_dir();
            let path =
                if is_file { output.to_owned() } else { output.join(format!("documents.{extension}")) };
            files.push((path.clone(), in_one_file(corpus, to)?));
            path.parent().map(Path::to_owned).unwrap_or_default()
        }
    };
    if to.extension().is_none() {
        let mut taken = BTreeSet::new();
        for doc in corpus.docs() {
            let name = file_name(&doc.id);
            if !taken.insert(name.clone()) {
                return Err(Error::input(
                    "two documents would have files of the same name; change their ids",
                ));
            }
            files.extend(own_files(doc, to, &folder.join(name))?);
        }
    }
    files.extend(to.description(&labels).map(|(name, content)| (folder.join(name), content)));
    Ok(files)
}

fn in_one_file(corpus: &Corpus, to: Exchange) -> Result<String, Error> {
    let docs = corpus.docs();
    let lines = |values: Vec<serde_json::Value>| values.iter().map(|v| format!("{v}\n")).collect::<String>();
    Ok(match to {
        Exchange::Conll => docs.map(exchange::conll).collect::<Result<String, _>>()?,
        Exchange::Doccano => lines(docs.map(exchange::doccano).collect::<Result<_, _>>()?),
        Exchange::Prodigy => lines(docs.map(exchange::prodigy).collect::<Result<_, _>>()?),
        Exchange::LabelStudio => {
            let tasks: Vec<_> = docs.map(exchange::label_studio).collect::<Result<_, _>>()?;
            crate::to_json(&tasks)?
        }
        _ => {
            let line = |doc: &Doc| exchange::jsonl(doc, |tag| corpus.role(&doc.id, tag));
            lines(docs.map(line).collect::<Result<_, _>>()?)
        }
    })
}

fn own_files(doc: &Doc, to: Exchange, stem: &Path) -> Result<Files, Error> {
    let named = |extension: &str| {
        let mut name = stem.as_os_str().to_owned();
        name.push(extension);
        PathBuf::from(name)
    };
    Ok(match to {
        Exchange::Xmi => vec![(named(".xmi"), exchange::write_xmi(doc)?)],
        _ => {
            let annotations = exchange::brat(doc)?;
            vec![(named(".txt"), doc.text.clone().unwrap_or_default()), (named(".ann"), annotations)]
        }
    })
}

/// An id as a file name, without separators of folders.
fn file_name(id: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_. ".contains(c) { c } else { '-' };
    let name: String = id.chars().map(plain).collect();
    let name = name.trim_matches([' ', '.']);
    if name.is_empty() { "document".into() } else { name.to_owned() }
}
