//! What medicine the policies keep: `taire deid` with a fixed key, then `taire retain`, written to `scores/retain.md` and
//! `scores/retain.json`.
//!
//! The French case reports hold next to no identities, so nearly everything that is lost there is lost by mistake.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::figures::{Figure, Scores, Set};
use super::run::{self, Taire};
use crate::stamp;

const RUNS: &[(&str, &str, &str, &str)] = &[
    ("French case reports (E3C)", "e3c-fr/cases.jsonl", "fr", "fr"),
    ("French case reports (E3C)", "e3c-fr/cases.jsonl", "fr", "fasdim"),
    ("French case reports (E3C)", "e3c-fr/cases.jsonl", "fr", "metric"),
    ("Spanish case reports with injected identities (MEDDOCAN dev)", "meddocan/dev", "es", "es"),
];

/// The scores and the page.
pub(super) fn measure(root: &Path, taire: &Taire, corpora: &Path) -> Result<(Scores, String), String> {
    let mut page = format!(
        "# What medicine is kept\n\nWritten by `cargo xtask score` on {} at {} (`--retain` measures this alone). Terms of each \
         document before and after, as multisets; a result is kept only with its value and unit. The lists that tell medicine are \
         partly those that protect it, and rules were corrected where these reports lost a term: expect less elsewhere.\n",
        stamp::today(),
        stamp::commit(root)
    );
    let mut sets = Vec::new();
    for &(corpus, path, language, policy) in RUNS {
        let (commands, report) = taire.retained(&corpora.join(path), language, policy)?;
        let name = format!("{corpus}, policy {policy}");
        let categories = report["categories"].as_object().ok_or("`taire retain` gave no categories")?;
        let _ = write!(
            page,
            "\n## {name}\n\n`{commands}`\n\n| what | before | kept | lost | share kept |\n|---|---:|---:|---:|---:|\n"
        );
        let mut figures = Vec::new();
        let all = ("all".to_owned(), &report["all"]);
        for (category, tally) in categories.iter().map(|(k, v)| (k.clone(), v)).chain([all]) {
            let n = |key: &str| tally[key].as_u64().unwrap_or_default();
            let share = (n("before") > 0).then(|| n("kept") as f64 / n("before") as f64);
            let shown = share.map_or_else(|| "–".to_owned(), |s| format!("{s:.4}"));
            let _ =
                writeln!(page, "| {category} | {} | {} | {} | {shown} |", n("before"), n("kept"), n("lost"));
            figures.extend(share.map(|s| Figure::high(&format!("{category} kept"), s)));
        }
        let data = format!("{path}, {} documents", report["documents"].as_u64().unwrap_or_default());
        sets.push(Set { name, data, command: commands, seconds: 0.0, figures, evaluation: None });
    }
    Ok((Scores { date: stamp::today(), commit: stamp::commit(root), sets }, page))
}

pub(super) fn write(root: &Path, scores: &Scores, page: &str) -> Result<(), String> {
    scores.store(&root.join("scores/retain.json"))?;
    fs::write(root.join("scores/retain.md"), page).map_err(|e| format!("scores/retain.md: {e}"))
}

impl Taire {
    /// `taire deid` and `taire retain` on one corpus, and the commands as a person would type them.
    fn retained(&self, input: &Path, language: &str, policy: &str) -> Result<(String, Value), String> {
        let texts = self.blinded(input)?;
        let key = self.scratch("fixed.key");
        if !key.exists() {
            fixed_key()?.write_new(&key).map_err(|e| e.to_string())?;
        }
        let out = self.scratch(&format!("kept-{policy}"));
        let options = ["--policy", policy, "--lang", language];
        let tail = run::tail(input);
        self.command(
            &["deid"],
            &[&texts],
            &[&["-o", &text(&out), "--key", &text(&key), "--quiet"], &options[..]].concat(),
        )?;
        let json = self.command(&["retain"], &[&texts, &out], &["--lang", language, "--format", "json"])?;
        let report = serde_json::from_slice(&json).map_err(|e| format!("taire retain: {e}"))?;
        Ok((format!("taire deid {tail} -o out {} && taire retain {tail} out", options.join(" ")), report))
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A key that protects nothing, so that every run gives the same figures.
fn fixed_key() -> Result<taire_surrogate::SecretKey, String> {
    taire_surrogate::SecretKey::from_bytes(&[0x52; 32]).map_err(|e| e.to_string())
}
