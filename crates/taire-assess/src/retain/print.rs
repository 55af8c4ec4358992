//! Kept content for a doctor, and the list of what was lost.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use taire_text::counted;

use taire_eval::retain::{Category, Tally};

use super::RetentionReport;
use crate::page::{Page, Table};

pub(super) fn markdown(kept: &RetentionReport) -> String {
    let mut page = Page::new("What medicine was kept");
    page.text(format!(
        "{} compared with the originals. {}",
        counted(kept.documents, "document was", "documents were"),
        match kept.all.share() {
            Some(share) => format!(
                "Of {} medical terms, {} are unchanged ({}); {} are gone.",
                kept.all.before,
                kept.all.kept,
                percent(share),
                kept.all.lost
            ),
            None => "No medical term was recognised in the originals, so nothing can be said.".to_owned(),
        }
    ));
    if kept.not_released > 0 || kept.refused > 0 {
        page.notice(format!(
            "{} not in the release; {} could not be read. Nothing is said of them.",
            counted(kept.not_released, "document of the original is", "documents of the original are"),
            kept.refused
        ));
    }
    let mut table = Table::new(
        "Each term counts as often as it occurs in a document. A result is kept only if its value and unit are too.",
        &["what", "before", "kept", "lost", "share kept"],
    );
    let mut row = |name: &str, t: Tally| {
        let share = t.share().map_or_else(|| "–".to_owned(), percent);
        table.row([name.to_owned(), t.before.to_string(), t.kept.to_string(), t.lost.to_string(), share]);
    };
    Category::ALL.into_iter().for_each(|c| row(c.words(), kept.categories.tally_of(c)));
    row("all", kept.all);
    page.table(table);
    if !kept.lost.is_empty() {
        page.text(format!(
            "`retain-lost.csv` lists the {} different losses by document, for a person to judge: a mistake of the program, or \
             somebody's name that is also a word of medicine. Keep it with the originals. `--show-lost` prints it.",
            kept.lost.len()
        ));
    }
    page.heading("What this does not tell");
    page.text(
        "Terms are known by lists (ICD-10 labels, drugs, acts, analytes) and by their form; what neither knows is not counted, \
         kept or lost. Dates and ages are no terms: how far they moved is the matter of the policy, and `taire risk` measures it. \
         A term may be unchanged and its sentence may have lost something else.",
    );
    page.markdown()
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// One line for each term that a document lost.
pub(super) fn list(lost: &BTreeMap<(String, Category, String), usize>) -> String {
    let mut out = String::from("document,category,term,times\n");
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    for ((document, category, term), times) in lost {
        let _ = writeln!(out, "{},{},{},{times}", quoted(document), category.name(), quoted(term));
    }
    out
}
