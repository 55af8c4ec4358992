//! Clinical values that de-identification alters, on published cases: `scores/values.md` and `.json`.
//!
//! Published cases hold hardly any identity, so a stretch with a digit that comes out as another one is a value of medicine,
//! unless it reads as a date with its month in letters or its year, or as an age. The corpora are not part of the project.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use taire::{Engine, SecretKey};
use taire_corpus::{Header, MarkedDocument};
use taire_text::{Label, Language, date};

use crate::corpus::{Stop, commit, in_parallel, note};

#[derive(Args, Debug)]
pub(crate) struct ValuesArgs {
    /// The folder with `e3c-fr` and `codiesp`; `TAIRE_CORPORA`, or `../shared/corpora` if not named
    #[arg(long, value_name = "FOLDER")]
    corpora: Option<PathBuf>,
    /// List every altered value with its context. The cases are published; outside the repository
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// List exchanged words too, which are no values
    #[arg(long)]
    words: bool,
    /// Where the tables go; `scores/` of the repository if not named
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

/// One policy on the cases of its language.
#[derive(Serialize, Debug)]
struct Measured {
    policy: &'static str,
    data: &'static str,
    documents: usize,
    /// Documents with at least one altered value.
    altered: usize,
    values: usize,
    /// Altered values by label.
    labels: BTreeMap<String, usize>,
    /// Stretches exchanged that are no values: names, places, whole dates, ages.
    others: usize,
}

#[derive(Serialize, Debug)]
struct Table {
    date: String,
    commit: String,
    command: &'static str,
    measured: Vec<Measured>,
}

/// A stretch that came out as another one.
struct Exchanged {
    label: Label,
    old: String,
    line: String,
}

pub(crate) fn run(args: &ValuesArgs) -> Result<(), Stop> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let corpora = args.corpora.clone().unwrap_or_else(|| {
        std::env::var_os("TAIRE_CORPORA").map_or_else(|| root.join("../shared/corpora"), PathBuf::from)
    });
    let mut listed = String::new();
    let mut table = Table {
        date: jiff::Timestamp::now().to_string().chars().take(10).collect(),
        commit: commit(&root),
        command: "cargo measure values",
        measured: Vec::new(),
    };
    for (policy, language, data) in
        [("fr", Language::Fr, "e3c-fr/cases.jsonl"), ("es", Language::Es, "codiesp/background")]
    {
        let documents = cases(&corpora.join(data), language)?;
        let key = SecretKey::from_bytes(&[7; 32])?;
        let engine = Engine::new(Some(policy), Some(language), Some(&key))?;
        let exchanged =
            in_parallel(&documents.iter().collect::<Vec<_>>(), |document| exchanged(&engine, document))?;
        for one in exchanged.iter().flatten().filter(|e| args.words || is_value(e, language)) {
            listed.push_str(&one.line);
        }
        table.measured.push(count(policy, data, language, &exchanged));
    }
    if let Some(file) = &args.list {
        std::fs::write(file, listed)?;
    }
    let folder = args.output.clone().unwrap_or_else(|| root.join("scores"));
    std::fs::create_dir_all(&folder)?;
    let markdown = markdown(&table);
    print!("{markdown}");
    std::fs::write(folder.join("values.md"), markdown)?;
    std::fs::write(folder.join("values.json"), format!("{}\n", serde_json::to_string_pretty(&table)?))?;
    Ok(())
}

/// The cases of a file of JSON lines or a folder of texts, in a fixed order.
fn cases(path: &Path, language: Language) -> Result<Vec<MarkedDocument>, Stop> {
    let absent = |e: std::io::Error| {
        Stop(format!("{}: {e}; name the folder of the corpora with --corpora or TAIRE_CORPORA", path.display()))
    };
    let mut texts = Vec::new();
    if path.extension().is_some_and(|e| e == "jsonl") {
        for line in std::fs::read_to_string(path).map_err(absent)?.lines() {
            let value: serde_json::Value = serde_json::from_str(line)?;
            let text = value["text"].as_str().ok_or_else(|| {
                Stop(format!("{}: a line has no `text`; give one case a line", path.display()))
            })?;
            texts.push((value["id"].to_string(), text.to_owned()));
        }
    } else {
        let entries = std::fs::read_dir(path).map_err(absent)?;
        let mut files = entries.map(|e| Ok(e?.path())).collect::<std::io::Result<Vec<_>>>()?;
        files.sort();
        for file in files {
            let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            texts.push((name, std::fs::read_to_string(&file)?));
        }
    }
    let document = |(id, text): (String, String)| MarkedDocument {
        id,
        language,
        folder: String::new(),
        number: String::new(),
        header: Header::default(),
        text,
        spans: Vec::new(),
    };
    Ok(texts.into_iter().map(document).collect())
}

/// Every stretch of a document that de-identification writes otherwise.
fn exchanged(engine: &Engine, document: &MarkedDocument) -> Result<Vec<Exchanged>, Stop> {
    const CONTEXT: usize = 30;
    let new = engine.run(note(document)?)?;
    let text = &document.text;
    let mut out = Vec::new();
    for written in &new.written {
        let entity = &new.entities[written.entity];
        let (start, end) = (entity.span.start(), entity.span.end());
        let (old, now) = (&text[start..end], &new.text[written.range.clone()]);
        if old == now {
            continue;
        }
        let from = text[..start].char_indices().rev().nth(CONTEXT).map_or(0, |(i, _)| i);
        let to = text[end..].char_indices().nth(CONTEXT).map_or(text.len(), |(i, _)| end + i);
        let line = format!(
            "{}\t{}\t{}\t{}⟦{old}⟧{}\t{now}\t{:?}",
            document.id,
            entity.label,
            entity.score.get(),
            &text[from..start],
            &text[end..to],
            entity.sources,
        );
        let line = format!("{}\n", line.replace('\n', "⏎"));
        out.push(Exchanged { label: entity.label, old: old.to_owned(), line });
    }
    Ok(out)
}

/// Whether an exchanged stretch was a value: it has a digit and is neither a whole date nor an age.
fn is_value(exchanged: &Exchanged, language: Language) -> bool {
    let text = exchanged.old.as_str();
    let digit = text.bytes().any(|b| b.is_ascii_digit());
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    match exchanged.label {
        Label::Date | Label::BirthDate => {
            let year = text.split(|c: char| !c.is_ascii_digit()).any(|n| n.len() == 4);
            let dated = date::parse(text, language).is_some_and(|(d, _)| d.year.is_some() || letters >= 3);
            digit && !dated && !(year || letters >= 3)
        }
        Label::Age | Label::RelativeDate => digit && letters < 3,
        _ => digit,
    }
}

fn count(
    policy: &'static str,
    data: &'static str,
    language: Language,
    exchanged: &[Vec<Exchanged>],
) -> Measured {
    let mut out = Measured {
        policy,
        data,
        documents: exchanged.len(),
        altered: 0,
        values: 0,
        labels: BTreeMap::new(),
        others: 0,
    };
    for document in exchanged {
        let values: Vec<&Exchanged> = document.iter().filter(|e| is_value(e, language)).collect();
        out.altered += usize::from(!values.is_empty());
        out.values += values.len();
        out.others += document.len() - values.len();
        for value in values {
            *out.labels.entry(value.label.name().to_owned()).or_default() += 1;
        }
    }
    out
}

fn markdown(table: &Table) -> String {
    let mut out = format!(
        "# Clinical values altered in published cases\n\n\
         `{}`, {}, commit {}. A value is an exchanged stretch with a digit that is neither a date with its year or its \
         month in letters nor an age. Published cases name hardly anybody; other stretches are names of towns, hospitals \
         and people in them, whole dates and ages.\n\n\
         | policy | data | documents | with an altered value | share | altered values | by label | other stretches |\n\
         |---|---|---:|---:|---:|---:|---|---:|\n",
        table.command, table.date, table.commit
    );
    for m in &table.measured {
        let labels: Vec<String> = m.labels.iter().map(|(label, n)| format!("{label} {n}")).collect();
        let share = 100.0 * m.altered as f64 / m.documents.max(1) as f64;
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {share:.2} % | {} | {} | {} |",
            m.policy,
            m.data,
            m.documents,
            m.altered,
            m.values,
            labels.join(", "),
            m.others
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchanged(label: Label, old: &str) -> Exchanged {
        Exchanged { label, old: old.to_owned(), line: String::new() }
    }

    #[test]
    fn dates_and_ages_are_no_clinical_values() {
        let value = |label, old| is_value(&exchanged(label, old), Language::Es);
        assert!(value(Label::Date, "3/5") && value(Label::Date, "12-0-4") && value(Label::OtherId, "T3N1M0"));
        assert!(value(Label::Phone, "13500") && value(Label::Age, "45"));
        assert!(!value(Label::Date, "12 de mayo") && !value(Label::Date, "2009") && !value(Label::Age, "45 años"));
        assert!(!value(Label::City, "Madrid") && !value(Label::Date, "12/5/2009"));
    }

    #[test]
    fn counts_documents_and_labels() {
        let documents = vec![
            vec![exchanged(Label::Phone, "13500"), exchanged(Label::City, "Madrid")],
            vec![exchanged(Label::City, "Madrid")],
        ];
        let counted = count("es", "x", Language::Es, &documents);
        assert_eq!((counted.documents, counted.altered, counted.values, counted.others), (2, 1, 1, 2));
        assert_eq!(counted.labels["Phone"], 1);
    }

    #[test]
    fn absent_corpora_are_named() {
        let error = cases(Path::new("/no/such/folder/cases.jsonl"), Language::Fr).unwrap_err();
        assert!(error.to_string().contains("--corpora"), "{error}");
    }
}
