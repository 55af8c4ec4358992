//! `cargo xtask score --deep es=FOLDER fr=FOLDER`: what a transformer adds to the default policies.
//!
//! The default policy, the one with the transformer, and that one without the CRF, run by the shipped binary on the
//! development corpora, with the most memory that each took. Written to `scores/deep.md` and `.json`.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use taire::Policy;
use taire_text::{Language, Source};

use super::figures::Set;
use super::run::Taire;
use crate::stamp;

const FIGURES: [&str; 5] = [
    "strict f1",
    "documents with nothing missed",
    "identifiers wholly covered",
    "characters covered",
    "hidden characters that identify, any label",
];

#[derive(Serialize)]
struct Table {
    date: String,
    commit: String,
    command: String,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    data: String,
    policy: String,
    /// Megabytes of the model's folder.
    model: Option<f64>,
    figures: Vec<f64>,
    /// Characters covered by a label of Taire's own, where the scheme of the corpus has none for it.
    hidden: f64,
    /// Processor seconds of the run.
    seconds: f64,
    /// Megabytes of memory, at most.
    memory: f64,
}

pub(super) fn run(root: &Path, corpora: &Path, models: &[String]) -> Result<(), String> {
    let models: Vec<(Language, PathBuf)> = models.iter().map(|m| model(m)).collect::<Result<_, _>>()?;
    if models.is_empty() {
        return Err("name the folders of trained models: score --deep es=FOLDER fr=FOLDER".into());
    }
    let taire = Taire::build(root)?;
    let mut rows = Vec::new();
    for (language, folder) in &models {
        let key = language.key();
        let (gold, name, form) = match language {
            Language::Fr => ("eds-notes/dev.jsonl", "eds", ["--to", "jsonl", "--scheme", "eds"]),
            Language::Es => ("meddocan/dev", "meddocan", ["--to", "brat", "--scheme", "meddocan"]),
        };
        let gold = corpora.join(gold);
        let deep = format!("{key}-deep");
        for (policy, without) in [(key, None), (&*deep, None), (&*deep, Some(Source::Crf))] {
            let mut chosen = Policy::shipped(policy).map_err(|e| e.to_string())?;
            chosen.detect.sources.retain(|s| Some(s.0) != without);
            if without.is_some() {
                chosen.detect.pool = None;
            }
            let reads = chosen.detect.transformer.is_some();
            if reads {
                chosen.detect.transformer = Some(folder.clone());
            }
            let file = taire.scratch(&format!("{policy}-{}.toml", rows.len()));
            let text = chosen.to_toml().map_err(|e| e.to_string())?;
            fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
            let file = file.display().to_string();
            let out = format!("{name}-{}{}", rows.len(), if form[1] == "jsonl" { ".jsonl" } else { "" });
            let (output, cost) =
                taire.detect_measured(&gold, &out, &[&form[..], &["--policy", &file]].concat())?;
            let set = Set::scored(policy, &gold, &output)?;
            let value = |name: &&str| set.figures.iter().find(|f| f.name == **name).map(|f| f.value);
            let figures = FIGURES.iter().map(|n| value(n).ok_or(format!("no figure `{n}`")));
            let figures = figures.collect::<Result<Vec<_>, _>>()?;
            let hidden = match language {
                // A number that is nobody's of the scheme's numbers has no label in it.
                Language::Fr => {
                    let own = taire.detect(&gold, "own.jsonl", &["--to", "jsonl", "--policy", &file])?;
                    let set = Set::scored(policy, &gold, &own)?;
                    let covered =
                        set.figures.iter().find(|f| f.name == "characters covered").map(|f| f.value);
                    covered.ok_or("no figure `characters covered`")?
                }
                Language::Es => figures[3],
            };
            rows.push(Row {
                data: set.data.clone(),
                policy: match without {
                    None => policy.to_owned(),
                    Some(source) => format!("{policy} without {}", source.key()),
                },
                model: if reads { Some(megabytes(folder)?) } else { None },
                figures,
                hidden,
                seconds: cost.seconds,
                memory: cost.megabytes,
            });
            eprintln!("deep: {} of {}", rows.len(), models.len() * 3);
        }
    }
    let given: Vec<String> =
        models.iter().map(|(language, _)| format!("{}=FOLDER", language.key())).collect();
    let table = Table {
        date: stamp::today(),
        commit: stamp::commit(root),
        command: format!("cargo xtask score --deep {}", given.join(" ")),
        rows,
    };
    let markdown = table.markdown();
    println!("{markdown}");
    let json = serde_json::to_string_pretty(&table).map_err(|e| e.to_string())? + "\n";
    for (name, content) in [("deep.md", markdown), ("deep.json", json)] {
        fs::write(root.join("scores").join(name), content).map_err(|e| format!("scores/{name}: {e}"))?;
    }
    Ok(())
}

fn model(given: &str) -> Result<(Language, PathBuf), String> {
    let (language, folder) = given
        .split_once('=')
        .ok_or_else(|| format!("`{given}` is no LANGUAGE=FOLDER, as es=models/es-deep"))?;
    let language = language.parse::<Language>().map_err(|e| e.to_string())?;
    let folder = fs::canonicalize(folder).map_err(|e| format!("{folder}: {e}"))?;
    Ok((language, folder))
}

fn megabytes(folder: &Path) -> Result<f64, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut bytes = 0;
    for file in ["config.json", "tokenizer.json", "model.safetensors", "tagger.json", "tagger.safetensors"] {
        bytes += fs::metadata(folder.join(file)).map_err(failed)?.len();
    }
    Ok(bytes as f64 / 1e6)
}

impl Table {
    fn markdown(&self) -> String {
        let mut out = format!(
            "# What a transformer adds\n\nWritten by `{}` on {} at {}, with models made by the commands of the book's page \
             on training. Their epoch and the fusion were chosen on these same development corpora, which flatters them. \
             What is covered is told twice: by labels of the corpus's scheme, and by any label, which is what a reader of the \
             result does not see. Seconds are of processor time, memory is the most the process held.\n\n| data | policy |",
            self.command, self.date, self.commit
        );
        for figure in FIGURES {
            let _ = write!(out, " {figure} |");
        }
        out.push_str(
            " characters covered by any label of Taire | model, MB | seconds | memory, MB |\n|---|---|",
        );
        FIGURES.iter().for_each(|_| out.push_str("---:|"));
        out.push_str("---:|---:|---:|---:|\n");
        for row in &self.rows {
            let _ = write!(out, "| {} | `{}` |", row.data, row.policy);
            for figure in &row.figures {
                let _ = write!(out, " {figure:.4} |");
            }
            let size = row.model.map_or("–".to_owned(), |m| format!("{m:.1}"));
            let _ = writeln!(out, " {:.4} | {size} | {:.1} | {:.0} |", row.hidden, row.seconds, row.memory);
        }
        out
    }
}
