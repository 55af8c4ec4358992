//! `code predict`: codes with their labels and the words that drove them.

use std::fmt::Write as _;

use serde_json::json;
use taire::Error;
use taire_coding::{Coder, Predicted, Table};
use taire_formats::{AtomicFile, Document};

use super::args::PredictArgs;
use super::read::documents;
use super::{coder, table};
use crate::Outcome;
use crate::args::OutputFormat;

pub(super) fn predict(args: &PredictArgs) -> Result<Outcome, Error> {
    let coder = coder(&args.coder, args.encoder.as_deref())?;
    let table = table(args.labels.as_deref(), coder.about.language)?;
    let (documents, refused) = documents(&args.documents)?;
    let mut out = String::new();
    for document in &documents {
        let found = coder.predict(&document.text, args.at_least);
        match args.format {
            Some(OutputFormat::Json) => as_json(&coder, document, &found, &table, &mut out)?,
            _ => as_text(document, &found, &table, &mut out),
        }
    }
    match &args.output {
        Some(path) => {
            let mut file = AtomicFile::create_private(path)?;
            file.write_all(out.as_bytes())?;
            file.finish()?;
        }
        None => out!("{out}"),
    }
    Ok(if refused > 0 { Outcome::SomeRefused } else { Outcome::Done })
}

fn as_json(
    coder: &Coder,
    document: &Document,
    found: &[Predicted],
    table: &Table,
    out: &mut String,
) -> Result<(), Error> {
    let place = |byte: usize| document.text[..byte].chars().count();
    let codes: Vec<_> = found
        .iter()
        .map(|p| {
            let words = p.words.iter().map(|(range, weight)| {
                json!({
                    "start": place(range.start), "end": place(range.end), "text": &document.text[range.clone()],
                    "weight": weight,
                })
            });
            json!({
                "code": p.label, "label": table.label(&p.label), "score": p.score,
                "given": p.score >= coder.threshold(), "words": words.collect::<Vec<_>>(),
            })
        })
        .collect();
    *out += &serde_json::to_string(&json!({"id": document.id, "codes": codes})).map_err(crate::json_error)?;
    out.push('\n');
    Ok(())
}

fn as_text(document: &Document, found: &[Predicted], table: &Table, out: &mut String) {
    let _ = writeln!(out, "{}", document.id);
    for p in found {
        let words: Vec<&str> = p.words.iter().map(|(range, _)| &document.text[range.clone()]).collect();
        let label = table.label(&p.label).unwrap_or("");
        let _ = writeln!(out, "  {:<8} {:.2}  {label}  [{}]", p.label, p.score, words.join(", "));
    }
    if found.is_empty() {
        let _ = writeln!(out, "  no code is sure enough");
    }
}
