//! What a run did, for a doctor (Markdown) and for a program (JSON). It holds counts, names of documents and
//! reasons; never text of a document.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use taire_surrogate::Loss;
use taire_text::{Entity, Language};

use crate::{Deidentified, Doubt, Policy};

/// A document that was not written, and why.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Refused {
    pub document: String,
    pub why: String,
}

/// How doubtful the treatment of a written document is, for those who read a part of them again.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Doubtful {
    pub document: String,
    /// The chance that its worst decision is wrong.
    pub doubt: f32,
    #[serde(flatten)]
    pub worst: Doubt,
}

/// The report lists so many documents by their doubt; the others are surer than all of these.
const MOST_DOUBTFUL: usize = 10_000;

/// Parts of a document that were not written: pictures, properties, link targets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PartsLeftOut {
    pub document: String,
    pub what: String,
}

/// Counts of one run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, Default)]
pub struct Report {
    pub command: String,
    pub version: String,
    pub policies: Vec<String>,
    /// The policies in full, every choice spelt out; of files they name, the names alone.
    #[serde(default)]
    pub settings: Vec<Policy>,
    pub documents: Documents,
    /// Found spans by label.
    pub labels: BTreeMap<String, usize>,
    /// Spans each source took part in.
    pub sources: BTreeMap<String, usize>,
    pub languages: BTreeMap<Language, usize>,
    /// Where a tag was written because no surrogate could be made: label and reason.
    pub fallbacks: BTreeMap<String, usize>,
    /// What documents lost, by kind of loss (`ε`, `ε per day`) and label, `all` being a document's whole loss.
    pub losses: BTreeMap<String, BTreeMap<String, Spent>>,
    pub refused: Vec<Refused>,
    /// Written documents, most doubtful first; at most 10,000 of them.
    pub doubtful: Vec<Doubtful>,
    /// What stood in a document's file, is not treated, and was left out of what was written.
    pub left_out: Vec<PartsLeftOut>,
    /// Anything else a person should know: encodings, columns left out, identity files used.
    pub remarks: Vec<String>,
    pub seconds: f64,
}

/// How many documents, and how much text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, Default)]
pub struct Documents {
    pub read: usize,
    pub written: usize,
    pub refused: usize,
    pub bytes: usize,
    pub with_nothing_found: usize,
}

/// Losses of many documents: how many lost something, and how much each on average and at most.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Spent {
    pub documents: usize,
    #[serde(serialize_with = "bound", deserialize_with = "unbound")]
    pub mean: f64,
    #[serde(serialize_with = "bound", deserialize_with = "unbound")]
    pub max: f64,
}

impl Spent {
    fn add(&mut self, eps: f64) {
        let before = self.mean * self.documents as f64;
        self.documents += 1;
        self.mean = (before + eps) / self.documents as f64;
        self.max = self.max.max(eps);
    }
}

/// JSON has no infinity.
fn bound<S: Serializer>(eps: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if eps.is_finite() { serializer.serialize_f64(*eps) } else { serializer.serialize_str("no bound") }
}

fn unbound<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Bound {
        Number(f64),
        Word(serde::de::IgnoredAny),
    }
    Ok(match Bound::deserialize(deserializer)? {
        Bound::Number(eps) => eps,
        Bound::Word(_) => f64::INFINITY,
    })
}

/// Four digits, rounded upward.
fn shown(eps: f64) -> String {
    if eps.is_finite() { format!("{}", (eps * 1e4 - 1e-6).ceil() / 1e4) } else { "no bound".to_owned() }
}

fn kind(loss: Loss) -> String {
    loss.unit().map_or_else(|| "ε".to_owned(), |unit| format!("ε per {}", unit.name()))
}

fn add_one(counts: &mut BTreeMap<String, usize>, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => drop(counts.insert(name.to_owned(), 1)),
    }
}

/// One policy may serve several languages: it is told once.
fn once<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut out = Vec::new();
    all.for_each(|one| {
        if !out.contains(&one) {
            out.push(one);
        }
    });
    out
}

impl Report {
    pub fn new(command: &str, policies: impl Iterator<Item = String>) -> Self {
        Report {
            command: command.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            policies: once(policies),
            ..Report::default()
        }
    }

    /// What the run was made with.
    pub fn settings<'a>(&mut self, policies: impl Iterator<Item = &'a Policy>) {
        let name = |path: &PathBuf| path.file_name().map(PathBuf::from).unwrap_or_default();
        self.settings = once(policies.cloned().map(|mut policy| {
            policy.detect.allow_lists.iter_mut().for_each(|path| *path = name(path));
            policy.rewrite.indicators = policy.rewrite.indicators.as_ref().map(name);
            policy
        }));
    }

    pub fn count(&mut self, language: Language, bytes: usize, entities: &[Entity]) {
        self.documents.read += 1;
        self.documents.written += 1;
        self.documents.bytes += bytes;
        self.documents.with_nothing_found += usize::from(entities.is_empty());
        *self.languages.entry(language).or_default() += 1;
        for entity in entities {
            add_one(&mut self.labels, entity.label.name());
            for source in entity.sources.iter() {
                add_one(&mut self.sources, source.key());
            }
        }
    }

    pub fn count_rewritten(&mut self, language: Language, bytes: usize, done: &Deidentified) {
        self.count(language, bytes, &done.entities);
        for fallback in &done.fallbacks {
            *self.fallbacks.entry(format!("{}: {}", fallback.label, fallback.why)).or_default() += 1;
        }
        let mut sums: BTreeMap<(String, &str), f64> = BTreeMap::new();
        for &(label, loss) in &done.losses {
            for name in [label.name(), "all"] {
                *sums.entry((kind(loss), name)).or_default() += loss.epsilon();
            }
        }
        for ((kind, name), eps) in sums {
            self.losses.entry(kind).or_default().entry(name.to_owned()).or_default().add(eps);
        }
    }

    /// A document that was read but not written.
    pub fn refuse(&mut self, document: impl Into<String>, why: impl Into<String>) {
        self.documents.read += 1;
        self.documents.refused += 1;
        self.refused.push(Refused { document: document.into(), why: why.into() });
    }

    /// How doubtful a written document is.
    pub fn doubt(&mut self, document: &str, worst: Doubt) {
        let thousandths = |x: f32| (x * 1000.0).round() / 1000.0;
        let rounded =
            Doubt { least_sure: worst.least_sure.map(thousandths), spared: worst.spared.map(thousandths) };
        let doubt = thousandths(worst.figure());
        self.doubtful.push(Doubtful { document: document.to_owned(), doubt, worst: rounded });
        if self.doubtful.len() >= 2 * MOST_DOUBTFUL {
            self.sort_doubts();
        }
    }

    /// To be called once after the last document.
    pub fn sort_doubts(&mut self) {
        self.doubtful.sort_by(|a, b| b.doubt.total_cmp(&a.doubt).then_with(|| a.document.cmp(&b.document)));
        self.doubtful.truncate(MOST_DOUBTFUL);
    }

    /// A document that was written without some parts of its file.
    pub fn leave_out(&mut self, document: impl Into<String>, what: impl Into<String>) {
        self.left_out.push(PartsLeftOut { document: document.into(), what: what.into() });
    }

    pub fn remark(&mut self, remark: impl Into<String>) {
        let remark = remark.into();
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_else(|_| "{}".to_owned()) + "\n"
    }

    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        let d = &self.documents;
        let _ = writeln!(out, "# Taire: what was done\n");
        let _ = writeln!(
            out,
            "`taire {}` {} with policy {} read {} documents ({:.1} KB of text) in {:.1} s.\n",
            self.command,
            self.version,
            self.policies.iter().map(|p| format!("`{p}`")).collect::<Vec<_>>().join(", "),
            d.read,
            d.bytes as f64 / 1e3,
            self.seconds
        );
        let _ = writeln!(out, "| documents | |\n|---|---:|");
        let _ = writeln!(out, "| written | {} |", d.written);
        let _ = writeln!(out, "| refused | {} |", d.refused);
        let _ = writeln!(out, "| in which nothing was found | {} |", d.with_nothing_found);
        for (language, n) in &self.languages {
            let _ = writeln!(out, "| read as {language} | {n} |");
        }
        self.table(&mut out, "What was found", "label", &self.labels);
        self.table(&mut out, "Who found it", "source", &self.sources);
        if !self.sources.is_empty() {
            let _ =
                writeln!(out, "\nOne span may have several sources, so these add up to more than the spans.");
        }
        self.table(
            &mut out,
            "Tags written because no surrogate could be made",
            "label and reason",
            &self.fallbacks,
        );
        self.privacy(&mut out);
        if !self.refused.is_empty() {
            let _ = writeln!(
                out,
                "\n## Refused: these documents were not written\n\n| document | why |\n|---|---|"
            );
            for r in &self.refused {
                let _ =
                    writeln!(out, "| {} | {} |", r.document.replace('|', "\\|"), r.why.replace('|', "\\|"));
            }
        }
        self.doubts(&mut out);
        if !self.left_out.is_empty() {
            let _ = writeln!(
                out,
                "\n## Not treated, hence left out of what was written\n\n| document | what (how many) |\n|---|---|"
            );
            for l in &self.left_out {
                let _ = writeln!(out, "| {} | {} |", l.document.replace('|', "\\|"), l.what);
            }
        }
        if !self.remarks.is_empty() {
            let _ = writeln!(out, "\n## Remarks\n");
            for remark in &self.remarks {
                let _ = writeln!(out, "- {remark}");
            }
        }
        let _ = writeln!(
            out,
            "\n## What this does not promise\n\nNo tool finds everything. Have a person read a sample before sharing, and keep the \
             secret key where the shared documents are not."
        );
        out
    }

    fn doubts(&self, out: &mut String) {
        const SHOWN: usize = 20;
        let shown = self.doubtful.iter().take(SHOWN).filter(|d| d.doubt >= 0.1);
        if shown.clone().next().is_none() {
            return;
        }
        let _ = writeln!(
            out,
            "\n## Read these first\n\nThe most doubtful documents: the score of their least sure span, and the chance that \
             something left in their text identifies somebody. The JSON report lists more.\n\n\
             | document | least sure span | left in the text |\n|---|---:|---:|"
        );
        for d in shown {
            let figure = |x: Option<f32>| x.map_or("–".to_owned(), |x| format!("{x:.2}"));
            let (least, spared) = (figure(d.worst.least_sure), figure(d.worst.spared));
            let _ = writeln!(out, "| {} | {least} | {spared} |", d.document.replace('|', "\\|"));
        }
    }

    fn privacy(&self, out: &mut String) {
        if self.losses.is_empty() {
            return;
        }
        let _ = writeln!(
            out,
            "\n## Privacy spent, by document\n\n| loss | label | documents | mean | most |\n|---|---|---:|---:|---:|"
        );
        for (kind, labels) in &self.losses {
            for (label, spent) in labels {
                let (mean, max) = (shown(spent.mean), shown(spent.max));
                let _ = writeln!(out, "| {kind} | {label} | {} | {mean} | {max} |", spent.documents);
            }
        }
        let _ = writeln!(
            out,
            "\nε and ε per unit are different promises and are never added together. They cover dates, ages, towns, and sex and \
             kinship where those are answered at random; names and numbers are drawn from the key and claim none. The account \
             is a document's: a town or an answer that comes back in another document of the same scope is the same draw and \
             costs nothing more, while the dates of each further document of a patient add their own loss."
        );
    }

    fn table(&self, out: &mut String, title: &str, what: &str, rows: &BTreeMap<String, usize>) {
        if rows.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n## {title}\n\n| {what} | spans |\n|---|---:|");
        let mut rows: Vec<_> = rows.iter().collect();
        rows.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        for (name, n) in rows {
            let _ = writeln!(out, "| {name} | {n} |");
        }
    }

    /// How many spans were found.
    pub fn spans(&self) -> usize {
        self.labels.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_surrogate::Unit;
    use taire_text::Label;

    fn done(losses: Vec<(Label, Loss)>) -> Deidentified {
        Deidentified {
            id_tells: false,
            text: String::new(),
            entities: Vec::new(),
            written: Vec::new(),
            fallbacks: Vec::new(),
            losses,
            patient: None,
            date: None,
            doubt: Doubt::default(),
        }
    }

    #[test]
    fn the_most_doubtful_come_first_and_are_bounded() {
        let mut report = Report::new("deid", std::iter::empty());
        let doubt = |i: usize| Doubt { least_sure: Some(1.0 - (i % 500) as f32 / 1000.0), spared: None };
        (0..25_000).for_each(|i| report.doubt(&format!("d{i:05}"), doubt(i)));
        report.sort_doubts();
        assert_eq!(report.doubtful.len(), MOST_DOUBTFUL);
        assert_eq!((report.doubtful[0].document.as_str(), report.doubtful[0].doubt), ("d00499", 0.499));
        assert!(report.doubtful[MOST_DOUBTFUL - 1].doubt >= 0.299);
        assert!(report.to_markdown().contains("| d00499 | 0.50 | – |"));
        assert!(report.to_json().contains("\"least_sure\": 0.501"));
    }

    #[test]
    fn losses_are_summed_by_document_and_kinds_stay_apart() {
        let mut report = Report::new("deid", std::iter::once("hybrid".to_owned()));
        let km = |eps| (Label::City, Loss::Metric { eps, per: Unit::Kilometre });
        report.count_rewritten(
            Language::Fr,
            10,
            &done(vec![(Label::Date, Loss::Pure(0.5)), km(0.25), km(0.25)]),
        );
        report.count_rewritten(Language::Fr, 10, &done(vec![km(0.25)]));
        report.count_rewritten(Language::Fr, 10, &done(Vec::new()));
        let city = report.losses["ε per kilometre"]["City"];
        assert_eq!(city, Spent { documents: 2, mean: 0.375, max: 0.5 });
        assert_eq!(report.losses["ε"]["all"].documents, 1);
        assert!(report.to_markdown().contains("| ε per kilometre | all | 2 | 0.375 | 0.5 |"));
        report.count_rewritten(Language::Fr, 10, &done(vec![km(f64::INFINITY)]));
        assert!(report.to_json().contains("\"no bound\""));
    }
}
