//! Clinical values that de-identification alters, on published cases: `scores/values.md` and `.json`.
//!
//! Published cases hold few identities, so a stretch with a digit that comes out as another one is a value of medicine,
//! unless its form or the words beside it say that it is none: a date with its year or its month in letters, the days of its
//! range, `día 12`, `el 22/8`, an age, a name or an address with words of its own, a telephone, a postal code before a town, a number behind
//! its key (`lot`, `protocol`, `record`). The corpora are not part of the project.

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
    /// What stands before and after it.
    before: String,
    after: String,
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
        Stop(format!(
            "{}: {e}; name the folder of the corpora with --corpora or TAIRE_CORPORA",
            path.display()
        ))
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
        let (before, after) = (text[from..start].to_owned(), text[end..to].to_owned());
        out.push(Exchanged { label: entity.label, old: old.to_owned(), before, after, line });
    }
    Ok(out)
}

/// Keys of numbers that are no values, in small letters.
const KEYS: &[&str] = &[
    "lot",
    "lote",
    "lotes",
    "sn",
    "ref",
    "cat",
    "protocolo",
    "protocole",
    "hc",
    "hª",
    "historia",
    "dossier",
    "utm",
    "x",
    "y",
    "lieu",
];

/// Whether an exchanged stretch was a value: it has a digit, and neither its form nor its neighbours say otherwise.
fn is_value(exchanged: &Exchanged, language: Language) -> bool {
    let text = exchanged.old.as_str();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let word = text.split(|c: char| !c.is_alphabetic()).any(|w| w.chars().count() >= 3);
    if digits == 0 || word && text.chars().any(char::is_lowercase) {
        return false;
    }
    match exchanged.label {
        Label::Date | Label::BirthDate => {
            let year = text.split(|c: char| !c.is_ascii_digit()).any(|n| n.len() == 4);
            let dated = date::parse(text, language).is_some_and(|(d, _)| d.year.is_some());
            let day = text.contains('/')
                && is_after(&exchanged.before, &["el", "le", "del", "du", "al", "au"])
                || is_after(&exchanged.before, &["día", "dia"]);
            !(dated || year || word || day || is_day_of_range(&exchanged.after, language))
        }
        Label::Age | Label::RelativeDate => !word,
        Label::Phone | Label::Fax => digits < 9,
        Label::PostalCode => !exchanged.after.trim_start_matches([' ', '-']).starts_with(char::is_uppercase),
        _ => !is_keyed(&exchanged.before),
    }
}

/// "14 et 17 Avril 2020": another day and a month follow.
fn is_day_of_range(after: &str, language: Language) -> bool {
    let rest = after.trim_start_matches(|c: char| !c.is_ascii_digit());
    let words: Vec<&str> = rest.split_whitespace().take(3).collect();
    after.len() - rest.len() <= 6
        && (2..=3).any(|n| words.get(..n).is_some_and(|w| date::parse(&w.join(" "), language).is_some()))
}

/// Whether the last word before a stretch is one of some.
fn is_after(before: &str, words: &[&str]) -> bool {
    let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    words.contains(&last.as_str())
}

/// Whether one of the last words before a stretch is a key of numbers.
fn is_keyed(before: &str) -> bool {
    let words = before.split(|c: char| !c.is_alphanumeric() && c != 'ª').filter(|w| !w.is_empty());
    words.rev().take(3).any(|w| KEYS.contains(&w.to_lowercase().as_str()))
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
         `{}`, {}, commit {}. A value is an exchanged stretch with a digit, unless its form or its neighbours say that it \
         is none: a date with its year or its month in letters, the days of its range, `día 12`, `el 22/8`, an age, a name or an address with words, a \
         telephone, a postal code before a town, a number behind its key (lot, protocol, record). Other stretches are those, and \
         the towns, hospitals and people of the cases.\n\n\
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
        Exchanged {
            label,
            old: old.to_owned(),
            before: String::new(),
            after: String::new(),
            line: String::new(),
        }
    }

    #[test]
    fn dates_and_ages_are_no_clinical_values() {
        let value = |label, old| is_value(&exchanged(label, old), Language::Es);
        assert!(value(Label::Date, "3/5") && value(Label::Date, "12-0-4") && value(Label::OtherId, "T3N1M0"));
        assert!(value(Label::Phone, "13500") && value(Label::Age, "45"));
        assert!(
            !value(Label::Date, "12 de mayo") && !value(Label::Date, "2009") && !value(Label::Age, "45 años")
        );
        assert!(!value(Label::City, "Madrid") && !value(Label::Date, "12/5/2009"));
        assert!(!value(Label::Phone, "91 582 83 66") && !value(Label::Street, "Calle Mayor 5"));
        let day = Exchanged { after: " y 23 de julio, diagn".into(), ..exchanged(Label::Date, "17") };
        assert!(!is_value(&day, Language::Es));
        let lot = Exchanged { before: "(Sanofi, lote ".into(), ..exchanged(Label::DeviceId, "K7375-2") };
        assert!(!is_value(&lot, Language::Es));
        let code = Exchanged { after: " Madrid".into(), ..exchanged(Label::PostalCode, "28006") };
        assert!(!is_value(&code, Language::Es));
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
