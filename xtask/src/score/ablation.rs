//! `cargo xtask score --ablation`: what each detector adds, and what it finds alone.
//!
//! The default policies with their list of sources cut, run by the shipped binary on the development corpora. Written to
//! `scores/ablation.md` and `.json`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde::Serialize;
use taire::Policy;
use taire_text::Source;

use super::figures::Set;
use super::prose;
use super::run::Taire;
use crate::stamp;

const CUT: &[Source] = &[
    Source::Metadata,
    Source::Structure,
    Source::Pattern,
    Source::Lexicon,
    Source::Initials,
    Source::Crf,
    Source::Trusted,
];
/// Initials and the second pass need what others found: alone they find nothing.
const ALONE: &[Source] = &[Source::Structure, Source::Pattern, Source::Lexicon, Source::Crf];

#[derive(Serialize)]
struct Table {
    date: String,
    commit: String,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    sources: String,
    fr: Figures,
    es: Figures,
    /// Words of French case reports taken for a name, per 1000.
    false_names: f64,
}

#[derive(Serialize)]
struct Figures {
    characters_covered: f64,
    strict_f1: f64,
    documents_clean: f64,
}

pub(super) fn run(root: &Path, corpora: &Path) -> Result<(), String> {
    let taire = Taire::build(root)?;
    let keep = |name: String, keeps: Box<dyn Fn(Source) -> bool>| (name, keeps);
    let mut variants = vec![keep("all".into(), Box::new(|_| true))];
    variants
        .extend(CUT.iter().map(|&cut| keep(format!("without {}", cut.key()), Box::new(move |s| s != cut))));
    variants
        .extend(ALONE.iter().map(|&one| keep(format!("{} alone", one.key()), Box::new(move |s| s == one))));
    let mut rows = Vec::new();
    for (name, keeps) in variants {
        let file = |language: &str| -> Result<String, String> {
            let mut policy = Policy::shipped(language).map_err(|e| e.to_string())?;
            policy.detect.sources.retain(|key| keeps(key.0));
            let path = taire.scratch(&format!("{language}-{}.toml", name.replace(' ', "-")));
            let text = policy.to_toml().map_err(|e| e.to_string())?;
            fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
            Ok(path.display().to_string())
        };
        let (fr, es) = (file("fr")?, file("es")?);
        let slug = name.replace(' ', "-");
        let gold = corpora.join("eds-notes/dev.jsonl");
        let options = ["--to", "jsonl", "--scheme", "eds", "--policy", &fr];
        let eds = Set::scored("eds", &gold, &taire.detect(&gold, &format!("eds-{slug}.jsonl"), &options)?)?;
        let gold = corpora.join("meddocan/dev");
        let options = ["--to", "brat", "--scheme", "meddocan", "--policy", &es];
        let meddocan = Set::scored("md", &gold, &taire.detect(&gold, &format!("md-{slug}"), &options)?)?;
        let cases = corpora.join("e3c-fr/cases.jsonl");
        let options = ["--to", "jsonl", "--policy", &fr];
        let prose = prose::set("e3c", &taire.detect(&cases, &format!("e3c-{slug}.jsonl"), &options)?, false)?;
        rows.push(Row {
            sources: name,
            fr: Figures::of(&eds)?,
            es: Figures::of(&meddocan)?,
            false_names: value(&prose, "words taken for a name, per 1000")?,
        });
        eprintln!("ablation: {} of {}", rows.len(), 1 + CUT.len() + ALONE.len());
    }
    let table = Table { date: stamp::today(), commit: stamp::commit(root), rows };
    let markdown = table.markdown();
    println!("{markdown}");
    let json = serde_json::to_string_pretty(&table).map_err(|e| e.to_string())? + "\n";
    for (name, content) in [("ablation.md", markdown), ("ablation.json", json)] {
        fs::write(root.join("scores").join(name), content).map_err(|e| format!("scores/{name}: {e}"))?;
    }
    Ok(())
}

fn value(set: &Set, name: &str) -> Result<f64, String> {
    set.figures.iter().find(|f| f.name == name).map(|f| f.value).ok_or_else(|| format!("no figure `{name}`"))
}

impl Figures {
    fn of(set: &Set) -> Result<Figures, String> {
        Ok(Figures {
            characters_covered: value(set, "characters covered")?,
            strict_f1: value(set, "strict f1")?,
            documents_clean: value(set, "documents with nothing missed")?,
        })
    }
}

impl Table {
    fn markdown(&self) -> String {
        let mut out = format!(
            "# What each detector adds\n\nWritten by `cargo xtask score --ablation` on {} at {}: the default policies `fr` and \
             `es` with their sources cut. Thresholds and the order of belief stay as they are, and the models read the rules \
             that are left. The corpora carry no known identities, so `metadata` has nothing to say in them, and no patient \
             ids, so `trusted` looks inside each document only. `crf alone` reads no rules.\n\n\
             | sources | fr: characters covered | strict F1 | nothing missed | es: characters covered | strict F1 | nothing \
             missed | false names per 1000 words of case reports (fr) |\n|---|---:|---:|---:|---:|---:|---:|---:|\n",
            self.date, self.commit
        );
        for row in &self.rows {
            let _ = write!(out, "| {} |", row.sources);
            for f in [&row.fr, &row.es] {
                let _ = write!(
                    out,
                    " {:.1} % | {:.4} | {:.1} % |",
                    100.0 * f.characters_covered,
                    f.strict_f1,
                    100.0 * f.documents_clean
                );
            }
            let _ = writeln!(out, " {:.2} |", row.false_names);
        }
        out
    }
}
