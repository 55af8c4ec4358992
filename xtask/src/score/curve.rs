//! The work an allow-list asks of people (FASDIM, step 3): words still to sort against documents processed, written to
//! `scores/words.md` and `scores/words.json`.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::run::Taire;
use crate::stamp::today;

const CORPORA: &[(&str, &str, &str)] = &[
    ("French case reports (E3C)", "e3c-fr/cases.jsonl", "fr"),
    ("Spanish case reports with headers (MEDDOCAN dev)", "meddocan/dev", "es"),
];

pub(super) fn run(root: &Path, corpora: &Path) -> Result<(), String> {
    let taire = Taire::build(root)?;
    let mut all = json!({"command": "cargo xtask score --words", "date": today(), "corpora": []});
    let mut text = format!(
        "# Words to sort\n\nWritten by `cargo xtask score --words` on {}. Policy `fasdim` with its starting list and no word judged \
         yet: how many distinct words a person would have to accept or refuse after so many documents, and how many new ones \
         each further document brings. Chazard et al. measure the same in their step 3.\n",
        today()
    );
    for &(name, path, language) in CORPORA {
        let (command, report) = taire.words_report(&corpora.join(path), language)?;
        let _ = write!(text, "\n## {name}\n\n`{command}`\n\n{}", table(&report)?);
        if let Some(list) = all["corpora"].as_array_mut() {
            list.push(json!({"name": name, "command": command, "report": report}));
        }
    }
    let json = serde_json::to_string_pretty(&all).map_err(|e| e.to_string())? + "\n";
    for (name, content) in [("words.md", &text), ("words.json", &json)] {
        fs::write(root.join("scores").join(name), content).map_err(|e| format!("scores/{name}: {e}"))?;
    }
    print!("{text}");
    Ok(())
}

fn table(report: &Value) -> Result<String, String> {
    let mut out = String::from(
        "| documents | words read | words to sort | new ones a document |\n|---:|---:|---:|---:|\n",
    );
    let curve = report["curve"].as_array().ok_or("`words report` gave no curve")?;
    let mut before = (0, 0);
    for point in curve {
        let n = |key: &str| point[key].as_u64().unwrap_or_default();
        let (documents, left) = (n("documents"), n("to_judge"));
        let new = (left - before.1) as f64 / (documents - before.0).max(1) as f64;
        let _ = writeln!(out, "| {documents} | {} | {left} | {new:.1} |", n("words"));
        before = (documents, left);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_shows_what_each_document_adds() {
        let report = json!({"curve": [
            {"documents": 1, "words": 100, "to_judge": 10},
            {"documents": 5, "words": 480, "to_judge": 20}
        ]});
        let table = table(&report).unwrap();
        assert!(table.ends_with("| 1 | 100 | 10 | 10.0 |\n| 5 | 480 | 20 | 2.5 |\n"), "{table}");
        assert!(super::table(&json!({})).is_err());
    }
}
