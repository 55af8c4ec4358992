//! The statistics of the dataset card: documents, spans by label and tier, kinds.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use taire_text::{Label, Language, Tier};

use crate::{DocumentKind, Error, LANGUAGES, OpenCorpus, Split};

const BEGIN: &str = "<!-- statistics: written by `cargo corpus stats --write` -->";
const END: &str = "<!-- end of statistics -->";

fn documents(corpus: &OpenCorpus, language: Language) -> impl Iterator<Item = &crate::MarkedDocument> {
    corpus.documents.iter().filter(move |d| d.language == language)
}

/// The tables as Markdown.
pub fn statistics(corpus: &OpenCorpus) -> String {
    let mut out = String::from("| | French | Spanish |\n|---|---:|---:|\n");
    let mut row = |name: &str, figure: &dyn Fn(Language) -> usize| {
        let _ = writeln!(out, "| {name} | {} | {} |", figure(Language::Fr), figure(Language::Es));
    };
    row("documents", &|l| documents(corpus, l).count());
    row("hands (folders)", &|l| documents(corpus, l).map(|d| &d.folder).collect::<BTreeSet<_>>().len());
    for split in Split::ALL {
        row(&format!("– of {split}"), &|l| corpus.split(l, split).count());
    }
    row("untouched documents", &|l| corpus.untouched(l).count());
    row("characters", &|l| documents(corpus, l).map(|d| d.text.chars().count()).sum());
    row("spans", &|l| documents(corpus, l).map(|d| d.spans.len()).sum());
    row("documents without a span", &|l| documents(corpus, l).filter(|d| d.spans.is_empty()).count());
    out.push_str(
        "\n| label | tier | French | Spanish | documents that hold it |\n|---|---|---:|---:|---:|\n",
    );
    for &label in Label::ALL {
        let count = |l| documents(corpus, l).flat_map(|d| &d.spans).filter(|s| s.label == label).count();
        let [fr, es] = LANGUAGES.map(count);
        let holders = corpus.documents.iter().filter(|d| d.spans.iter().any(|s| s.label == label)).count();
        let tier = match label {
            Label::Age => "detail; over 89 indirect",
            _ => Tier::of_span(label, None).map_or("not scored", Tier::key),
        };
        let _ = writeln!(out, "| {label} | {tier} | {fr} | {es} | {holders} |");
    }
    out.push_str("\n| kind (from the words of the header) | French | Spanish | spans a document |\n|---|---:|---:|---:|\n");
    let mut kinds: BTreeMap<DocumentKind, ([usize; 2], usize)> = BTreeMap::new();
    for document in &corpus.documents {
        let entry = kinds.entry(document.kind()).or_default();
        entry.0[usize::from(document.language == Language::Es)] += 1;
        entry.1 += document.spans.len();
    }
    for (kind, ([fr, es], spans)) in kinds {
        let _ = writeln!(out, "| {kind} | {fr} | {es} | {:.0} |", spans as f64 / (fr + es) as f64);
    }
    out
}

/// The card with its statistics written anew between their two comments.
pub fn with_statistics(card: &str, corpus: &OpenCorpus) -> Result<String, Error> {
    let missing = || Error::new(format!("the card lacks `{BEGIN}` or `{END}`"));
    let start = card.find(BEGIN).ok_or_else(missing)? + BEGIN.len();
    let end = card.find(END).filter(|end| *end >= start).ok_or_else(missing)?;
    Ok(format!("{}\n\n{}\n{}", &card[..start], statistics(corpus), &card[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_card_holds_the_statistics_and_the_metadata_of_a_dataset() {
        let corpus = OpenCorpus::shipped().unwrap();
        let card = std::fs::read_to_string(corpus.root.join("README.md")).unwrap();
        let written = with_statistics(&card, &corpus).unwrap();
        assert_eq!(with_statistics(&written, &corpus).unwrap(), written);
        let spans =
            corpus.documents.iter().flat_map(|d| &d.spans).filter(|s| s.label == Label::Email).count();
        let row = written.lines().find(|l| l.starts_with("| Email |")).unwrap();
        let cells: Vec<usize> = row.split('|').filter_map(|c| c.trim().parse().ok()).collect();
        assert_eq!(cells[0] + cells[1], spans);
        for field in ["license: cc-by-4.0", "token-classification", "- fr", "- es"] {
            assert!(card.contains(field), "{field}");
        }
    }
}
