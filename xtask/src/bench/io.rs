//! `cargo xtask bench io`: what reading and writing cost of a whole run, for JSONL and Parquet.
//!
//! The same notes of 3 KB are read alone, read and written back alone, and treated. A run with the default policies reads
//! its input twice, so its share is two readings and one writing. Processor time of one thread, user and system, the
//! least of a few runs. Writes `scores/io.md` and `scores/io.json`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::least_seconds;
use crate::stamp::{commit, today};
use serde::Serialize;

const USAGE: &str = "bench io [--notes N] [--runs N]";
/// Reading and writing must cost less.
const MOST: f64 = 0.20;

#[derive(Serialize)]
struct Row {
    format: &'static str,
    policy: &'static str,
    read: f64,
    write: f64,
    whole: f64,
    share: f64,
    notes_per_second: f64,
}

#[derive(Serialize)]
struct Table {
    date: String,
    commit: String,
    command: String,
    notes: usize,
    rows: Vec<Row>,
}

/// Runs the chore.
pub(super) fn run(args: &[String]) -> Result<(), String> {
    let (mut notes, mut runs) = (10_000usize, 3usize);
    for pair in args.chunks(2) {
        let value = pair.get(1).and_then(|v| v.parse::<usize>().ok());
        let value = value.ok_or_else(|| format!("`{}` needs a whole number; usage: {USAGE}", pair[0]))?;
        match pair[0].as_str() {
            "--notes" => notes = value.max(100),
            "--runs" => runs = value.max(1),
            other => return Err(format!("unknown option `{other}`; usage: {USAGE}")),
        }
    }
    let root = crate::test::root();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = target.join("bench/io");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    super::build(&root)?;
    let (binary, copier) = (target.join("release/taire"), super::note_maker(&root, &target)?);
    let rules = super::rules_only(&root, &folder, taire_text::Language::Fr)?;
    let key = crate::pages::demo_key(&folder)?;
    let mut rows = Vec::new();
    for format in ["jsonl", "parquet"] {
        let input = folder.join(format!("notes.{format}"));
        let (given, out, key) = (input.display().to_string(), folder.join("out"), key.display().to_string());
        let out = out.display().to_string();
        least_seconds(&copier, &["make", &notes.to_string(), &given], 1, children_time)?;
        let read = least_seconds(&copier, &["read", &given], runs, children_time)?;
        let write = (least_seconds(&copier, &["copy", &given, &out], runs, children_time)? - read).max(0.0);
        for (policy, path) in [("default", None), ("rules only", Some(rules.display().to_string()))] {
            let mut args =
                vec!["deid", &given, "-o", &out, "--key", &key, "--jobs", "1", "--quiet", "--into-existing"];
            if let Some(path) = &path {
                args.extend(["--policy", path]);
            }
            let whole = least_seconds(&binary, &args, runs, children_time)?;
            let share = (2.0 * read + write) / whole;
            println!("{format:<8} {policy:<11} {whole:>7.2} s, reading and writing {:.1} %", 100.0 * share);
            rows.push(Row {
                format,
                policy,
                read,
                write,
                whole,
                share,
                notes_per_second: notes as f64 / whole,
            });
        }
        let _ = std::fs::remove_file(&input);
    }
    let _ = std::fs::remove_dir_all(folder.join("out"));
    let table = Table {
        date: today(),
        commit: commit(&root),
        command: format!("cargo xtask bench io --notes {notes} --runs {runs}"),
        notes,
        rows,
    };
    table.write(&root)?;
    match table.rows.iter().find(|row| row.share > MOST) {
        None => Ok(()),
        Some(row) => Err(format!(
            "reading and writing {} cost {:.1} % of a run with the {} policy; the limit is {:.0} %",
            row.format,
            100.0 * row.share,
            row.policy,
            100.0 * MOST
        )),
    }
}

impl Table {
    fn write(&self, root: &Path) -> Result<(), String> {
        let put = |name: &str, text: String| {
            let path = root.join("scores").join(name);
            std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
        };
        put("io.json", serde_json::to_string_pretty(self).map_err(|e| e.to_string())? + "\n")?;
        let mut out = format!(
            "# What reading and writing cost\n\n`{}` on {}, commit {}: {} notes of 2.9 KB, five of each patient, one thread. \
             Seconds of processor time, the least of several runs. A run reads its input twice (what is certain in one \
             document is looked for in the patient's others) and writes once.\n\n| format | policy | read once | write | \
             whole run | reading and writing | notes a second |\n|---|---|---:|---:|---:|---:|---:|\n",
            self.command, self.date, self.commit, self.notes
        );
        for row in &self.rows {
            let Row { format, policy, read, write, whole, share, notes_per_second } = row;
            let _ = writeln!(
                out,
                "| {format} | {policy} | {read:.2} | {write:.2} | {whole:.2} | {:.1} % | {notes_per_second:.0} |",
                100.0 * share
            );
        }
        put("io.md", out)
    }
}

/// User and system time of the children: the second line of the shell's `times`.
fn children_time(times: &str) -> Option<f64> {
    let one = |word: &str| {
        let (minutes, seconds) = word.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.replace(',', ".").parse::<f64>().ok()?)
    };
    times.lines().nth(1)?.split_whitespace().map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_system_time_are_added() {
        assert_eq!(children_time("0m0.00s 0m0.00s\n1m2.50s 0m0.25s\n"), Some(62.75));
        assert_eq!(children_time(""), None);
    }
}
