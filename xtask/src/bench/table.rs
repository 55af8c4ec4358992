//! What was measured, as a table for people and as JSON.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;

use super::Options;
use super::corpus::Corpus;
use crate::stamp::{commit, today};

#[derive(Serialize)]
pub(super) struct Row {
    language: String,
    text: String,
    what: String,
    command: String,
    /// User time.
    seconds: f64,
    megabytes_per_second: f64,
    /// How many times as long as the plain scan.
    of_plain_scan: f64,
}

impl Row {
    pub(super) fn of(corpus: &Corpus, what: &str, command: &str, seconds: f64, scan: f64) -> Row {
        Row {
            language: corpus.language.to_string(),
            text: corpus.name.clone(),
            what: what.to_owned(),
            command: command.to_owned(),
            seconds,
            megabytes_per_second: corpus.bytes as f64 / 1e6 / seconds.max(0.001),
            of_plain_scan: seconds / scan.max(0.001),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Table {
    date: String,
    commit: String,
    command: String,
    cores: usize,
    rows: Vec<Row>,
    remarks: Vec<String>,
}

impl Table {
    pub(super) fn new(root: &Path, options: &Options) -> Table {
        let &Options { megabytes, seed, runs } = options;
        let given = if std::env::var_os("TAIRE_BIN").is_some() { "TAIRE_BIN=… " } else { "" };
        Table {
            date: today(),
            commit: commit(root),
            command: format!("{given}cargo xtask bench --megabytes {megabytes} --seed {seed} --runs {runs}"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            rows: Vec::new(),
            remarks: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, row: Row) {
        println!(
            "{}  {:<30} {:<24} {:>8.2} MB/s  {:>6.2} s",
            row.language, row.text, row.what, row.megabytes_per_second, row.seconds
        );
        self.rows.push(row);
    }

    pub(super) fn remark(&mut self, remark: String) {
        println!("{remark}");
        self.remarks.push(remark);
    }

    /// What was timed.
    pub(super) fn say(&mut self, corpus: &Corpus) {
        let density = match corpus.spans {
            Some(spans) => format!("an identifying span every {} bytes", corpus.bytes / spans.max(1)),
            None => "nothing marked as identifying".to_owned(),
        };
        self.remark(format!(
            "{}, {}: {} documents of {:.1} KB on average, {:.1} MB of text, {density}.",
            corpus.language,
            corpus.name,
            corpus.documents,
            corpus.bytes as f64 / 1e3 / corpus.documents.max(1) as f64,
            corpus.bytes as f64 / 1e6,
        ));
    }

    pub(super) fn write(&self, root: &Path) -> Result<(), String> {
        let folder = root.join("scores");
        let put = |name: &str, text: String| {
            std::fs::write(folder.join(name), text).map_err(|e| format!("{}/{name}: {e}", folder.display()))
        };
        let json = serde_json::to_string_pretty(self).map_err(|e| e.to_string())?;
        put("speed.json", json + "\n")?;
        put("speed.md", self.markdown())
    }

    fn markdown(&self) -> String {
        let mut out = String::from("# Speed\n\n");
        let _ = writeln!(
            out,
            "`{}` on {}, commit {}, a machine of {} cores; one is used. Megabytes of text in a second of user time, \
             start-up included, the least of several runs. The plain scan reads the same JSONL and looks for seven \
             regular expressions (mail, telephone, date, long number, postal code, titled name, two names) one after \
             the other. A generated note has letters and forms, dense with identifiers, and a kilobyte of medical prose between two, \
             a long report in four; prose is invented from a few frames, so the rows of published cases tell more of prose.\n",
            self.command, self.date, self.commit, self.cores
        );
        out.push_str("| language | text | what | MB/s | time, plain scan = 1 |\n|---|---|---|---:|---:|\n");
        for row in &self.rows {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {:.1} | {:.2} |",
                row.language, row.text, row.what, row.megabytes_per_second, row.of_plain_scan
            );
        }
        out.push('\n');
        for remark in &self.remarks {
            let _ = writeln!(out, "- {remark}");
        }
        out
    }
}
