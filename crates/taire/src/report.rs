//! What a run did, for a doctor (Markdown) and for a program (JSON). It holds counts and
//! reasons; never a name or an id of a document, never its text: it lies beside what is shared.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use taire_formats::Refusal;
use taire_text::{Entity, Language, Setting, counted};

use crate::losses::{self, EventWords, PatientAccounts, PatientSpent, Spent};
use crate::{Deidentified, Doubt, LinkCounts, Policy};

/// Documents that were not written, by reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Refused {
    /// The reason.
    pub why: String,
    /// How many documents, or files in which none could be read.
    pub documents: usize,
}

/// How many written documents have at least this figure of doubt.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Doubtful {
    /// The figure of doubt, 0 to 1.
    pub at_least: f32,
    /// How many documents.
    pub documents: usize,
}

/// The figures of doubt that are counted.
const DOUBTS: [f32; 4] = [0.5, 0.3, 0.2, 0.1];
/// Beyond so many reasons, refusals are counted together.
const MOST_REASONS: usize = 100;

/// Counts of one run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, Default)]
pub struct Report {
    /// The command that was run.
    pub command: String,
    /// The version that made it.
    pub version: String,
    /// The names of the policies.
    pub policies: Vec<String>,
    /// The policies in full, every choice spelt out; of files they name, the names alone.
    #[serde(default)]
    pub settings: Vec<Policy>,
    /// How many documents.
    pub documents: Documents,
    /// How documents and known people were joined; all 0 where they were not asked to be.
    #[serde(default)]
    pub links: LinkCounts,
    /// The rows of the directory of staff, sites and services, where one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<DirectoryCounts>,
    /// Spans by label: hidden ones of `deid`, found ones of `detect`.
    pub labels: BTreeMap<String, usize>,
    /// Spans by label that were found and came out as they were: the policy keeps them, or their surrogate is the same.
    #[serde(default)]
    pub kept: BTreeMap<String, usize>,
    /// Spans each source took part in.
    pub sources: BTreeMap<String, usize>,
    /// Documents by the language they were read in.
    pub languages: BTreeMap<Language, usize>,
    /// Where a tag was written because no surrogate could be made: label and reason.
    pub fallbacks: BTreeMap<String, usize>,
    /// What documents lost, by kind of loss and label, `all` being a document's whole loss of that kind. A kind says between
    /// which inputs it holds: `ε between two birth dates at most 366 days apart`.
    pub losses: BTreeMap<String, BTreeMap<String, Spent>>,
    /// What patients lost over all of their documents, by kind of loss.
    #[serde(default)]
    pub patient_losses: BTreeMap<String, PatientSpent>,
    /// Words that place events and are outside these losses.
    #[serde(default)]
    pub event_words: EventWords,
    /// Why documents were not written. The private folder of the run names them.
    pub refused: Vec<Refused>,
    /// Written documents by figure of doubt. The private folder names them.
    pub doubtful: Vec<Doubtful>,
    /// What was in documents' files, is not treated, and was left out of what was written: how many of each.
    pub left_out: BTreeMap<String, usize>,
    /// What is not treated and is in what was written all the same, because that was asked for: how many of each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub untreated: BTreeMap<String, usize>,
    /// Documents that were not UTF-8, by how they were read.
    pub encodings: BTreeMap<String, usize>,
    /// Anything else a person should know: encodings, columns left out, identity files used.
    pub remarks: Vec<String>,
    /// How long it took.
    pub seconds: f64,
}

/// What became of a directory of staff, sites and services.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, Default)]
pub struct DirectoryCounts {
    /// Rows of the directory that are not empty.
    pub rows: usize,
    /// Rows of which a name, a site or a number was found in some document.
    pub joined: usize,
    /// Rows of which nothing was found.
    pub unjoined: usize,
}

/// How many documents, and how much text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, Default)]
pub struct Documents {
    pub read: usize,
    pub written: usize,
    pub refused: usize,
    pub bytes: usize,
    pub with_nothing_found: usize,
    /// Documents whose spans a person had settled: they were not searched.
    #[serde(default)]
    pub from_reviewed_spans: usize,
}

/// Replaces the words of a policy by their count, and its patterns, which may contain names: the report is shared.
fn hide_words(policy: &mut Policy) {
    let name = |path: &PathBuf| path.file_name().map(PathBuf::from).unwrap_or_default();
    let count = |words: &mut Vec<String>| {
        if !words.is_empty() {
            *words = vec![format!("({} not shown)", words.len())];
        }
    };
    let crate::policy::Detect { patterns, deny, allow, .. } = &mut policy.detect;
    patterns.iter_mut().for_each(|pattern| pattern.regex = "(not shown)".into());
    for list in deny {
        count(&mut list.words);
        list.file = list.file.as_ref().map(name);
    }
    for list in allow {
        count(&mut list.words);
        list.file = list.file.as_ref().map(name);
    }
}

fn add_one(counts: &mut BTreeMap<String, usize>, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => drop(counts.insert(name.to_owned(), 1)),
    }
}

/// One policy may serve several languages: it is listed once.
fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut out = Vec::new();
    all.for_each(|one| {
        if !out.contains(&one) {
            out.push(one);
        }
    });
    out
}

impl Report {
    /// A report that counts nothing yet.
    pub fn new(command: &str, policies: impl Iterator<Item = String>) -> Self {
        Report {
            command: command.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            policies: distinct(policies),
            ..Report::default()
        }
    }

    /// What the run was made with.
    pub fn settings<'a>(&mut self, policies: impl Iterator<Item = &'a Policy>) {
        let name = |path: &PathBuf| path.file_name().map(PathBuf::from).unwrap_or_default();
        self.settings = distinct(policies.cloned().map(|mut policy| {
            policy.detect.allow_lists.iter_mut().for_each(|path| *path = name(path));
            policy.rewrite.indicators = policy.rewrite.indicators.as_ref().map(name);
            hide_words(&mut policy);
            policy
        }));
    }

    /// Counts a document and what was found in it.
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

    /// The same, with what its rewriting cost.
    pub fn count_rewritten(&mut self, language: Language, bytes: usize, done: &Deidentified) {
        self.count(language, bytes, &done.entities);
        for &index in &done.kept {
            let label = done.entities[index].label.name();
            add_one(&mut self.kept, label);
            if let Some(count) = self.labels.get_mut(label) {
                *count -= 1;
            }
        }
        self.labels.retain(|_, count| *count > 0);
        for fallback in &done.fallbacks {
            *self.fallbacks.entry(format!("{}: {}", fallback.label, fallback.why)).or_default() += 1;
        }
        for ((kind, name), eps) in losses::sums(&done.releases) {
            self.losses.entry(kind).or_default().entry(name.to_owned()).or_default().add(eps);
        }
        self.event_words.add(done.event_words);
    }

    /// What patients lost over all of their documents.
    pub(crate) fn settle_patient_losses(&mut self, accounts: &PatientAccounts) {
        match accounts.sums() {
            Some(sums) => self.patient_losses = sums,
            None if self.losses.is_empty() => {}
            None => self.remark(
                "losses were not added up by patient: the run was resumed or has too many patients; add up those of its documents",
            ),
        }
    }

    /// A document that was read but not written; `name` gives the options their names. The report counts it and does not
    /// name it.
    pub fn refuse(&mut self, refusal: &Refusal, name: impl Fn(Setting) -> &'static str) {
        self.documents.read += 1;
        self.documents.refused += 1;
        let mut why = refusal.reason.in_words(name);
        if self.refused.len() >= MOST_REASONS && !self.refused.iter().any(|r| r.why == why) {
            why = "other reasons".to_owned();
        }
        match self.refused.iter_mut().find(|r| r.why == why) {
            Some(known) => known.documents += 1,
            None => self.refused.push(Refused { why, documents: 1 }),
        }
    }

    /// How doubtful a written document is.
    pub fn doubt(&mut self, doubt: Doubt) {
        if self.doubtful.is_empty() {
            self.doubtful.extend(DOUBTS.map(|at_least| Doubtful { at_least, documents: 0 }));
        }
        let figure = doubt.figure();
        self.doubtful.iter_mut().filter(|d| figure >= d.at_least).for_each(|d| d.documents += 1);
    }

    /// A part of a document that was not written.
    pub fn leave_out(&mut self, what: &str, count: usize) {
        *self.left_out.entry(what.to_owned()).or_default() += count;
    }

    /// A part of a document that was written as it was.
    pub fn leave_untreated(&mut self, what: &str, count: usize) {
        *self.untreated.entry(what.to_owned()).or_default() += count;
    }

    /// A document that was not UTF-8.
    pub fn count_encoding(&mut self, encoding: &str) {
        add_one(&mut self.encodings, encoding);
    }

    /// Adds a remark, once.
    pub fn remark(&mut self, remark: impl Into<String>) {
        let remark = remark.into();
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_else(|_| "{}".to_owned()) + "\n"
    }

    /// The report as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        let d = &self.documents;
        let _ = writeln!(out, "# Taire: what was done\n");
        let _ = writeln!(
            out,
            "`taire {}` {} with policy {} read {} ({:.1} KB of text) in {:.1} s.\n",
            self.command,
            self.version,
            self.policies.iter().map(|p| format!("`{p}`")).collect::<Vec<_>>().join(", "),
            counted(d.read, "document", "documents"),
            d.bytes as f64 / 1e3,
            self.seconds
        );
        let _ = writeln!(out, "| documents | |\n|---|---:|");
        let _ = writeln!(out, "| written | {} |", d.written);
        let _ = writeln!(out, "| refused | {} |", d.refused);
        let _ = writeln!(out, "| in which nothing was found | {} |", d.with_nothing_found);
        if d.from_reviewed_spans > 0 {
            let _ = writeln!(out, "| written from reviewed spans | {} |", d.from_reviewed_spans);
        }
        for (language, n) in &self.languages {
            let _ = writeln!(out, "| read as {language} | {n} |");
        }
        self.records(&mut out);
        self.directory(&mut out);
        let hidden = if self.command == "detect" { "What was found" } else { "What was hidden" };
        self.table(&mut out, hidden, "label", &self.labels);
        self.table(&mut out, "Found and kept: it can still be read", "label", &self.kept);
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
                "\n## Refused: these documents were not written\n\n`refused.csv` in the private folder of the run names them.\n\n\
                 | why | documents |\n|---|---:|"
            );
            for r in &self.refused {
                let _ = writeln!(out, "| {} | {} |", r.why.replace('|', "\\|"), r.documents);
            }
        }
        self.doubts(&mut out);
        if !self.left_out.is_empty() {
            let _ = writeln!(out, "\n## Not treated, hence left out of what was written\n");
            for (what, count) in &self.left_out {
                let _ = writeln!(out, "- {what} ({count})");
            }
        }
        if !self.untreated.is_empty() {
            let _ = writeln!(
                out,
                "\n## Not treated, and still in what was written\n\nLook at them before sharing.\n"
            );
            for (what, count) in &self.untreated {
                let _ = writeln!(out, "- {what} ({count})");
            }
        }
        for (encoding, count) in &self.encodings {
            let read = counted(*count, "document was not UTF-8 and was", "documents were not UTF-8 and were");
            let _ = writeln!(out, "\n{read} read as {encoding}.");
        }
        if !self.remarks.is_empty() {
            let _ = writeln!(out, "\n## Remarks\n");
            for remark in &self.remarks {
                let _ = writeln!(out, "- {remark}");
            }
        }
        let _ = writeln!(
            out,
            "\n## What this does not promise\n\nNo tool finds everything. Have a person read a sample before sharing \
             (`taire sample` draws one), and keep the secret key where the shared documents are not."
        );
        out
    }

    fn doubts(&self, out: &mut String) {
        if self.doubtful.iter().all(|d| d.documents == 0) {
            return;
        }
        let _ = writeln!(
            out,
            "\n## Read these first\n\n`doubtful.csv` in the private folder of the run lists the documents by the harm that their most \
             doubtful decision may do: the chance that something left in the text identifies somebody, or, with less weight, \
             that something was hidden without need. What the policy keeps does not count.\n\n\
             | doubt at least | documents |\n|---:|---:|"
        );
        for d in &self.doubtful {
            let _ = writeln!(out, "| {} | {} |", d.at_least, d.documents);
        }
    }

    fn directory(&self, out: &mut String) {
        if let Some(DirectoryCounts { rows, joined, unjoined }) = self.directory {
            let rows = counted(rows, "row", "rows");
            let _ = writeln!(
                out,
                "\nDirectory of staff, sites and services: {rows}, looked for in every document; {joined} found in some \
                 document, {unjoined} in none."
            );
        }
    }

    fn records(&self, out: &mut String) {
        let l = &self.links;
        if *l == LinkCounts::default() {
            return;
        }
        let _ = writeln!(out, "\n## Patients\n\n| documents | |\n|---|---:|");
        for (what, n) in [
            ("joined by patient id", l.by_patient_id),
            ("joined by a number in the text", l.by_number),
            ("joined by name and birth date", l.by_name_and_birth_date),
            ("alone: nothing certain of the patient", l.alone),
            ("alone: number or name of people who contradict each other", l.contradicted),
        ] {
            let _ = writeln!(out, "| {what} | {n} |");
        }
        let patients = counted(l.records, "patient", "patients");
        let _ = writeln!(out, "\nThey are the documents of {patients}, beside those alone.");
        if l.known_joined + l.known_unjoined > 0 {
            let _ = writeln!(
                out,
                "\nKnown people: {} joined to documents; {} joined to none, and looked for in every document.",
                l.known_joined, l.known_unjoined
            );
        }
    }

    fn privacy(&self, out: &mut String) {
        if self.losses.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n## Privacy spent\n\nThe most that one document lost:\n");
        for (kind, labels) in &self.losses {
            if let Some(spent) = labels.get("all") {
                let _ = writeln!(out, "- {}", losses::in_words(kind, spent.max));
            }
        }
        let _ = writeln!(
            out,
            "\n{}\n\n| by document: loss | label | documents | mean | most |\n|---|---|---:|---:|---:|",
            losses::CONDITIONS
        );
        for (kind, labels) in &self.losses {
            for (label, spent) in labels {
                let (mean, max) = (losses::shown(spent.mean), losses::shown(spent.max));
                let _ = writeln!(out, "| {kind} | {label} | {} | {mean} | {max} |", spent.documents);
            }
        }
        self.privacy_by_patient(out);
        let _ = writeln!(out, "\n{}", self.event_words.in_words());
    }

    fn privacy_by_patient(&self, out: &mut String) {
        if self.patient_losses.is_empty() {
            return;
        }
        let _ = writeln!(
            out,
            "\nThe most that one patient lost, all documents of this run together (a value that comes back as the same draw is \
             counted once):\n"
        );
        for (kind, spent) in &self.patient_losses {
            let line = losses::in_words(kind, spent.max);
            let patients = counted(spent.patients, "patient", "patients");
            let _ = writeln!(out, "- {line}; mean of {patients}: {}", losses::shown(spent.mean));
        }
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
        self.labels.values().chain(self.kept.values()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_surrogate::{Adjacency, Loss, Release, Unit};
    use taire_text::Label;

    fn done(releases: Vec<Release>) -> Deidentified {
        Deidentified {
            in_form: None,
            id: String::new(),
            visit: None,
            text: String::new(),
            entities: Vec::new(),
            written: Vec::new(),
            kept: Vec::new(),
            fallbacks: Vec::new(),
            releases,
            event_words: 2,
            patient: None,
            date: None,
            doubt: Doubt::default(),
        }
    }

    #[test]
    fn one_document_is_not_spoken_of_as_several() {
        let mut report = Report::new("deid", std::iter::empty());
        report.count(Language::Fr, 10, &[]);
        report.count_encoding("windows-1252");
        report.links.records = 1;
        report.directory = Some(DirectoryCounts { rows: 1, joined: 1, unjoined: 0 });
        let markdown = report.to_markdown();
        for said in
            ["read 1 document (", "1 document was not UTF-8", "documents of 1 patient,", "services: 1 row,"]
        {
            assert!(markdown.contains(said), "{said}: {markdown}");
        }
    }

    #[test]
    fn refusals_and_doubts_are_counted_and_name_nothing() {
        let mut report = Report::new("deid", std::iter::empty());
        for document in ["KERVADEC.docx", "LOISELEUR.docx"] {
            report.refuse(&Refusal::of_document(document, "it is a scan"), Setting::neutral_name);
        }
        for harm in [0.55, 0.25, 0.0] {
            report.doubt(Doubt { harm, ..Doubt::default() });
        }
        let (json, markdown) = (report.to_json(), report.to_markdown());
        assert!(markdown.contains("| it is a scan | 2 |") && markdown.contains("| 0.2 | 2 |"), "{markdown}");
        assert!(!json.contains("KERVADEC") && !markdown.contains("KERVADEC"));
        (0..300).for_each(|i| {
            report.refuse(&Refusal::of_document("a", format!("reason {i}")), Setting::neutral_name);
        });
        assert!(report.refused.len() <= MOST_REASONS + 1 && report.documents.refused == 302);
    }

    #[test]
    fn losses_are_summed_by_document_and_kinds_stay_apart() {
        let mut report = Report::new("deid", std::iter::once("hybrid".to_owned()));
        let towns = Adjacency::PerUnit { what: "towns", unit: Unit::Kilometre };
        let km = |eps| Release { label: Label::City, loss: Loss::new(eps, towns), draw: None };
        let births = Adjacency::Within { what: "birth dates", most: 366, unit: Unit::Day };
        let birth = Release { label: Label::BirthDate, loss: Loss::new(0.5, births), draw: None };
        let sex = Loss::new(1.0, Adjacency::AnyTwo("sexes"));
        let sex = Release { label: Label::Sex, loss: sex, draw: None };
        report.count_rewritten(Language::Fr, 10, &done(vec![birth, sex, km(0.25), km(0.25)]));
        report.count_rewritten(Language::Fr, 10, &done(vec![km(0.25)]));
        report.count_rewritten(Language::Fr, 10, &done(Vec::new()));
        let city = report.losses["ε per kilometre between two towns"]["City"];
        assert_eq!(city, Spent { documents: 2, mean: 0.375, max: 0.5 });
        assert_eq!(report.losses[losses::AT_ONCE]["all"].max, 1.5);
        let markdown = report.to_markdown();
        for line in [
            "- ε = 0.5 between two birth dates at most 366 days apart",
            "- ε = 1.5 when all of these differ at once",
            "| ε per kilometre between two towns | all | 2 | 0.375 | 0.5 |",
            "6 words of 3 documents place an event",
        ] {
            assert!(markdown.contains(line), "{line}: {markdown}");
        }
        let mut accounts = PatientAccounts::default();
        for (patient, releases) in [
            (Some("7"), vec![birth, sex, km(0.25)]),
            (Some("7"), vec![birth, km(0.5)]),
            (Some("8"), vec![km(0.25)]),
            (None, vec![km(0.125)]),
        ] {
            accounts.add(patient, &releases);
        }
        report.settle_patient_losses(&accounts);
        let towns = report.patient_losses["ε per kilometre between two towns"];
        assert_eq!((towns.patients, towns.max), (3, 0.75));
        assert_eq!(report.patient_losses[losses::AT_ONCE].max, 2.0);
        assert!(
            report
                .to_markdown()
                .contains("- ε = 0.75 per kilometre between two towns; mean of 3 patients: 0.375")
        );
        let mut resumed = PatientAccounts::of_resumed_run();
        resumed.add(Some("7"), &[km(0.25)]);
        let mut part = report.clone();
        part.settle_patient_losses(&resumed);
        assert!(part.remarks.iter().any(|remark| remark.contains("not added up by patient")));
        report.count_rewritten(Language::Fr, 10, &done(vec![km(f64::INFINITY)]));
        assert!(report.to_json().contains("\"no bound\""));
        assert!(report.to_markdown().contains("- no bound per kilometre between two towns"));
    }
}
