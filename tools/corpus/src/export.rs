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

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use taire_text::{Kind, Label, Language, tokenise};

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
    match format {
        ExportFormat::Brat => write(&folder.join("annotation.conf"), &annotation_conf())?,
        ExportFormat::LabelStudio => write(&folder.join("config.xml"), &label_studio_config())?,
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
    let lines = |line: fn(&MarkedDocument) -> Value| {
        documents.iter().map(|d| format!("{}\n", line(d))).collect::<String>()
    };
    match format {
        ExportFormat::Jsonl => write(&file("jsonl"), &lines(jsonl)),
        ExportFormat::Doccano => write(&file("jsonl"), &lines(doccano)),
        ExportFormat::Conll => {
            let text: String = documents.iter().map(|d| conll(d)).collect();
            write(&file("conll"), &text)
        }
        ExportFormat::LabelStudio => {
            let tasks: Vec<Value> = documents.iter().map(|d| label_studio(d)).collect();
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
                write(&below.join(format!("{name}.ann")), &brat(document))?;
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

/// Counts the units before bytes of a text, asked for in order.
struct Offsets<'t> {
    text: &'t str,
    unit: fn(char) -> usize,
    byte: usize,
    count: usize,
}

impl<'t> Offsets<'t> {
    fn code_points(text: &'t str) -> Offsets<'t> {
        Offsets { text, unit: |_| 1, byte: 0, count: 0 }
    }

    fn utf16(text: &'t str) -> Offsets<'t> {
        Offsets { text, unit: char::len_utf16, byte: 0, count: 0 }
    }

    fn at(&mut self, byte: usize) -> usize {
        self.count += self.text[self.byte..byte].chars().map(self.unit).sum::<usize>();
        self.byte = byte;
        self.count
    }
}

/// Spans as start, end and label in a unit of offsets.
fn spans_in(document: &MarkedDocument, mut offsets: Offsets<'_>) -> Vec<(usize, usize, Label)> {
    document.spans.iter().map(|s| (offsets.at(s.start), offsets.at(s.end), s.label)).collect()
}

fn jsonl(document: &MarkedDocument) -> Value {
    let spans = spans_in(document, Offsets::code_points(&document.text)).into_iter();
    let spans: Vec<Value> =
        spans.map(|(start, end, label)| json!({"start": start, "end": end, "label": label.name()})).collect();
    json!({
        "id": document.id, "lang": document.language.key(), "kind": document.header.kind,
        "group": document.kind().name(), "specialty": document.header.specialty, "style": document.header.style,
        "text": document.text, "spans": spans,
    })
}

fn doccano(document: &MarkedDocument) -> Value {
    let spans = spans_in(document, Offsets::code_points(&document.text)).into_iter();
    let label: Vec<Value> = spans.map(|(start, end, label)| json!([start, end, label.name()])).collect();
    json!({"id": document.id, "text": document.text, "label": label})
}

fn label_studio(document: &MarkedDocument) -> Value {
    let spans = spans_in(document, Offsets::utf16(&document.text)).into_iter();
    let result: Vec<Value> = spans
        .zip(&document.spans)
        .enumerate()
        .map(|(i, ((start, end, label), span))| {
            json!({
                "id": format!("s{i}"), "from_name": "label", "to_name": "text", "type": "labels",
                "value": {"start": start, "end": end, "text": span.of(&document.text), "labels": [label.name()]},
            })
        })
        .collect();
    json!({"data": {"id": document.id, "text": document.text}, "annotations": [{"result": result}]})
}

fn label_studio_config() -> String {
    let mut out = String::from("<View>\n  <Labels name=\"label\" toName=\"text\">\n");
    for label in Label::ALL {
        let _ = writeln!(out, "    <Label value=\"{label}\"/>");
    }
    out.push_str("  </Labels>\n  <Text name=\"text\" value=\"$text\"/>\n</View>\n");
    out
}

/// A span over several lines is written in fragments, as BRAT asks.
fn brat(document: &MarkedDocument) -> String {
    let mut out = String::new();
    let mut offsets = Offsets::code_points(&document.text);
    for (i, span) in document.spans.iter().enumerate() {
        let mut places = Vec::new();
        let mut at = span.start;
        for line in span.of(&document.text).split('\n') {
            let blank = line.len() - line.trim_start().len();
            let (start, end) = (at + blank, at + blank + line.trim().len());
            if start < end {
                places.push(format!("{} {}", offsets.at(start), offsets.at(end)));
            }
            at += line.len() + 1;
        }
        let text: Vec<&str> = span.of(&document.text).split('\n').map(str::trim).collect();
        let _ = writeln!(out, "T{}\t{} {}\t{}", i + 1, span.label, places.join(";"), text.join(" "));
    }
    out
}

fn annotation_conf() -> String {
    let labels: String = Label::ALL.iter().map(|l| format!("{l}\n")).collect();
    format!("[entities]\n{labels}\n[relations]\n\n[events]\n\n[attributes]\n")
}

/// Tokens of the text with IOB2 labels. A token that a border of a span cuts is written in pieces.
fn conll(document: &MarkedDocument) -> String {
    let text = &document.text;
    let mut out = format!("-DOCSTART- {} O\n\n", document.id);
    let mut cuts: Vec<usize> = document.spans.iter().flat_map(|s| [s.start, s.end]).collect();
    cuts.dedup();
    let (mut cut, mut last_line) = (0, 0);
    for token in tokenise(text).iter().filter(|t| t.kind != Kind::Newline) {
        let line = text[..token.start()].rfind('\n').map_or(0, |i| i + 1);
        if line != last_line {
            out.push('\n');
            last_line = line;
        }
        let mut start = token.start();
        while start < token.end() {
            while cuts.get(cut).is_some_and(|c| *c <= start) {
                cut += 1;
            }
            let end = cuts.get(cut).copied().unwrap_or(usize::MAX).min(token.end());
            let inside = document.spans.iter().find(|s| s.start <= start && end <= s.end);
            let tag = match inside {
                Some(span) if span.start == start => format!("B-{}", span.label),
                Some(span) => format!("I-{}", span.label),
                None => "O".to_owned(),
            };
            let _ = writeln!(out, "{} {tag}", &text[start..end]);
            start = end;
        }
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests;
