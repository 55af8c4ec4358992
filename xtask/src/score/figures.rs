//! The figures that are kept, printed and compared from one run to the next.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use taire_eval::{Corpus, Evaluation, Options, evaluate};

use super::run::{Output, tail};

#[derive(Serialize, Deserialize)]
pub(super) struct Scores {
    pub(super) date: String,
    pub(super) commit: String,
    pub(super) sets: Vec<Set>,
}

/// One corpus and what was measured on it.
#[derive(Serialize, Deserialize)]
pub(super) struct Set {
    pub(super) name: String,
    pub(super) data: String,
    pub(super) command: String,
    pub(super) seconds: f64,
    pub(super) figures: Vec<Figure>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) evaluation: Option<Evaluation>,
}

/// A headline figure. It may get worse by `tolerance` before a check fails.
#[derive(Serialize, Deserialize)]
pub(super) struct Figure {
    pub(super) name: String,
    pub(super) value: f64,
    pub(super) better: Better,
    pub(super) tolerance: f64,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Better {
    Higher,
    Lower,
}

const TOLERANCE: f64 = 0.002;

impl Figure {
    pub(super) fn high(name: &str, value: f64) -> Figure {
        Figure { name: name.into(), value: rounded(value), better: Better::Higher, tolerance: TOLERANCE }
    }

    pub(super) fn low(name: &str, value: f64, tolerance: f64) -> Figure {
        Figure { name: name.into(), value: rounded(value), better: Better::Lower, tolerance }
    }

    fn fell(&self, now: f64) -> bool {
        let loss = match self.better {
            Better::Higher => self.value - now,
            Better::Lower => now - self.value,
        };
        loss > self.tolerance + 1e-9
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1e5).round() / 1e5
}

impl Set {
    /// Scores one output of the binary against gold.
    pub(super) fn scored(name: &str, gold: &Path, output: &Output) -> Result<Set, String> {
        let gold_corpus = Corpus::read(gold).map_err(|e| e.to_string())?;
        let predicted = Corpus::read(&output.path).map_err(|e| e.to_string())?;
        let evaluation =
            evaluate(&gold_corpus, &predicted, &Options::default()).map_err(|e| e.to_string())?;
        let mut figures = headline(&evaluation);
        figures.insert(
            3,
            Figure::high(
                "hidden characters that identify, any label",
                precision_of_characters(&gold_corpus, &predicted),
            ),
        );
        Ok(Set {
            name: name.into(),
            data: format!("{}, {} documents", tail(gold), gold_corpus.len()),
            command: output.command.clone(),
            seconds: rounded(output.seconds),
            figures,
            evaluation: Some(evaluation),
        })
    }
}

/// The share of predicted characters that gold marks too, whatever the label.
fn precision_of_characters(gold: &Corpus, predicted: &Corpus) -> f64 {
    let (mut all, mut right) = (0u64, 0u64);
    for doc in predicted.docs() {
        let Some(truth) = gold.docs().find(|d| d.id == doc.id) else { continue };
        for span in &doc.spans {
            all += (span.end - span.start) as u64;
            let shared =
                |t: &taire_eval::Tag| span.end.min(t.end).saturating_sub(span.start.max(t.start)) as u64;
            right += truth.spans.iter().map(shared).sum::<u64>().min((span.end - span.start) as u64);
        }
    }
    if all == 0 { 1.0 } else { right as f64 / all as f64 }
}

fn headline(e: &Evaluation) -> Vec<Figure> {
    let covered = |missed: u64, all: u64| if all == 0 { 1.0 } else { 1.0 - missed as f64 / all as f64 };
    let mut out = vec![
        Figure::high("documents with nothing missed", e.leak.documents_clean_rate),
        Figure::high("identifiers wholly covered", covered(e.leak.spans_missed, e.leak.spans)),
        Figure::high("characters covered", covered(e.leak.chars_missed, e.leak.chars)),
        Figure::high("strict f1", e.strict.micro.f1),
        Figure::high("overlap f1", e.overlap.micro.f1),
        Figure::high("characters f1", e.chars.micro.f1),
        Figure::high("spans f1", e.meddocan.spans.f1),
        Figure::high("merged f1", e.meddocan.merged.f1),
    ];
    out.extend(e.token.as_ref().map(|token| Figure::high("token f1", token.micro.f1)));
    out.extend(e.meddocan.leak.map(|leak| Figure::low("leak per sentence", leak, TOLERANCE)));
    out
}

impl Scores {
    pub(super) fn load(path: &Path) -> Result<Scores, String> {
        let content = fs::read_to_string(path)
            .map_err(|e| format!("{}: {e}; run `cargo xtask score` and commit its result", path.display()))?;
        serde_json::from_str(&content).map_err(|e| format!("{}: {e}", path.display()))
    }

    pub(super) fn store(&self, path: &Path) -> Result<(), String> {
        let mut content = serde_json::to_string_pretty(self).map_err(|e| e.to_string())?;
        content.push('\n');
        fs::write(path, content).map_err(|e| format!("{}: {e}", path.display()))
    }

    pub(super) fn markdown(&self) -> String {
        let mut out = format!(
            "# Detection scores\n\nWritten by `cargo xtask score` on {} at {}. The corpora are for development: \
             what is tuned on them flatters itself.\n",
            self.date, self.commit
        );
        for set in &self.sets {
            let _ = write!(
                out,
                "\n## {}\n\nData: `{}`. Command: `{}` ({:.1} s).\n\n| figure | value |\n|---|---|\n",
                set.name, set.data, set.command, set.seconds
            );
            for figure in &set.figures {
                let _ = writeln!(out, "| {} | {:.4} |", figure.name, figure.value);
            }
            if let Some(evaluation) = &set.evaluation {
                let _ = write!(out, "\n```\n{}```\n", evaluation.table());
            }
        }
        out
    }
}

/// Prints every figure before and now, and fails if one fell by more than its tolerance.
pub(super) fn check(before: &Scores, now: &Scores) -> Result<(), String> {
    let mut fallen = 0;
    for set in &before.sets {
        println!("{}", set.name);
        let current = now.sets.iter().find(|s| s.name == set.name);
        for figure in &set.figures {
            let value =
                current.and_then(|s| s.figures.iter().find(|f| f.name == figure.name)).map(|f| f.value);
            let (shown, bad) = match value {
                Some(value) => (format!("{value:.4}"), figure.fell(value)),
                None => ("absent".into(), true),
            };
            fallen += usize::from(bad);
            println!(
                "  {:<32} {:>8.4} → {shown:>8}{}",
                figure.name,
                figure.value,
                if bad { "  FELL" } else { "" }
            );
        }
    }
    if fallen > 0 { Err(format!("{fallen} figures fell under the committed scores")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(f1: f64, words: f64) -> Scores {
        let figures = vec![Figure::high("strict f1", f1), Figure::low("words", words, 0.1)];
        let set = Set {
            name: "x".into(),
            data: "d".into(),
            command: "c".into(),
            seconds: 1.0,
            figures,
            evaluation: None,
        };
        Scores { date: "2020-01-01".into(), commit: "abc".into(), sets: vec![set] }
    }

    #[test]
    fn a_check_tolerates_little_and_knows_which_way_is_better() {
        let before = scores(0.9, 2.0);
        assert!(check(&before, &scores(0.898, 2.1)).is_ok());
        assert!(check(&before, &scores(0.95, 1.0)).is_ok());
        assert!(check(&before, &scores(0.8979, 2.0)).is_err());
        assert!(check(&before, &scores(0.9, 2.11)).is_err());
        let mut empty = scores(0.9, 2.0);
        empty.sets.clear();
        assert!(check(&before, &empty).is_err());
    }

    #[test]
    fn scores_are_stored_and_loaded_whole() {
        let folder = std::env::temp_dir().join(format!("taire-score-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("s.json");
        let gold = Corpus::from_jsonl("g", r#"{"id":"a","text":"Ana","spans":[[0,3,"PRENOM"]]}"#).unwrap();
        let mut kept = scores(0.5, 1.0);
        kept.sets[0].evaluation = Some(evaluate(&gold, &gold, &Options::default()).unwrap());
        kept.store(&path).unwrap();
        let back = Scores::load(&path).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert!(back.sets[0].evaluation == kept.sets[0].evaluation && check(&kept, &back).is_ok());
        assert!(kept.markdown().contains("| strict f1 | 0.5000 |"));
    }
}
