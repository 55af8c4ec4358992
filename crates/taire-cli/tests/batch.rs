//! Long runs: killed, stopped, cut short by a full disk, shared between machines. The output is always the same.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use arrow_array::{Int64Array, RecordBatch, StringArray};
use common::{documents, taire};

const NOTES: usize = 240;

fn text(i: usize) -> String {
    let names = ["KERVADEC", "LE BIHAN", "Trévidic", "Sanchez", "DUPONT"];
    let name = names[i % names.len()];
    let body =
        "TA 14/8, apyrétique. Plaquettes 251 000/mm3. Traitement par ramipril 5 mg, revu à la consultation. ";
    format!(
        "Mme {name}, née le {:02}/0{}/19{}, vue le 3 mars 2017. {}",
        1 + i % 28,
        1 + i % 9,
        30 + i % 60,
        body.repeat(12)
    )
}

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    /// A folder with one table of each kind, and letters.
    fn new() -> Self {
        let bench = Bench { folder: tempfile::tempdir().unwrap() };
        assert!(taire(&["key", "new", "-o", &bench.path("key")]).status.success());
        fs::create_dir_all(bench.path("in/letters")).unwrap();
        let rows = || (0..NOTES).map(|i| (i, i / 3, text(i)));
        let json = |(i, p, t): (usize, usize, String)| {
            format!("{{\"id\":{i},\"patient\":{},\"text\":\"{t}\"}}\n", 5000 + p)
        };
        fs::write(bench.path("in/a.jsonl"), rows().map(json).collect::<String>()).unwrap();
        let csv = rows().map(|(i, p, t)| format!("{i},{p},\"{t}\"\n"));
        let csv: String = std::iter::once("id,patient,text\n".to_owned()).chain(csv).collect();
        fs::write(bench.path("in/b.csv"), csv).unwrap();
        let ids = Int64Array::from_iter_values(0..NOTES as i64);
        let people = Int64Array::from_iter_values((0..NOTES as i64).map(|i| 5000 + i / 3));
        let texts = StringArray::from_iter_values((0..NOTES).map(text));
        let columns: [(&str, arrow_array::ArrayRef); 3] =
            [("note_id", Arc::new(ids)), ("person_id", Arc::new(people)), ("note_text", Arc::new(texts))];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let file = fs::File::create(bench.path("in/c.parquet")).unwrap();
        let mut out = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        out.write(&batch).unwrap();
        out.close().unwrap();
        for i in 0..40 {
            fs::write(bench.path(&format!("in/letters/{i:02}.txt")), text(i)).unwrap();
        }
        bench
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn args(&self, out: &str, more: &[&str]) -> Vec<String> {
        let (input, out, key) = (self.path("in"), self.path(out), self.path("key"));
        let all = ["deid", &input, "-o", &out, "--key", &key, "--jobs", "2"];
        let always = ["--journal-every", "0", "--row-group-rows", "20"];
        all.iter().chain(&always).chain(more).map(|s| (*s).to_owned()).collect()
    }

    fn run(&self, out: &str, more: &[&str]) -> (Option<i32>, String) {
        let args = self.args(out, more);
        let done = taire(&args.iter().map(String::as_str).collect::<Vec<_>>());
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    }

    fn start(&self, out: &str, more: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_taire"))
            .args(self.args(out, more))
            .env_remove("TAIRE_KEY_FILE")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn stage(&self, out: &str) -> PathBuf {
        self.folder.path().join(out).join(".taire-run")
    }

    /// Waits until a run has noted progress, and then some.
    fn wait(&self, out: &str, child: &mut Child, more: Duration) {
        let note = self.stage(out).join("progress.json");
        let before = fs::metadata(&note).and_then(|m| m.modified()).ok();
        let begun = Instant::now();
        while child.try_wait().unwrap().is_none() && begun.elapsed() < Duration::from_secs(120) {
            let now = fs::metadata(&note).and_then(|m| m.modified()).ok();
            if now.is_some() && now != before {
                sleep(more);
                return;
            }
            sleep(Duration::from_millis(2));
        }
    }

    fn written(&self, out: &str) -> std::collections::BTreeMap<PathBuf, Vec<u8>> {
        documents(Path::new(&self.path(out)))
    }

    /// The counts of a report; its time differs from run to run.
    fn report(&self, out: &str) -> serde_json::Value {
        let text = fs::read_to_string(self.path(&format!("{out}/report.json"))).unwrap();
        let mut report: serde_json::Value =
            serde_json::from_str(&text.replace(&self.path(out), "OUT")).unwrap();
        report.as_object_mut().unwrap().remove("seconds");
        report
    }
}

#[test]
fn killed_five_times_and_resumed_it_writes_the_same() {
    let bench = Bench::new();
    let (code, said) = bench.run("whole", &[]);
    assert_eq!(code, Some(0), "{said}");
    let mut random = 0x9E37_79B9u32;
    for _ in 0..5 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let mut child = bench.start("killed", &["--resume"]);
        bench.wait("killed", &mut child, Duration::from_millis(u64::from(random >> 24)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let (code, said) = bench.run("killed", &["--resume"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(bench.written("killed") == bench.written("whole"));
    assert_eq!(bench.report("killed"), bench.report("whole"));
    assert!(!bench.stage("killed").exists());
}

#[test]
fn a_signal_stops_it_gracefully() {
    let bench = Bench::new();
    let mut child = bench.start("out", &[]);
    bench.wait("out", &mut child, Duration::ZERO);
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(143), "{said}");
    assert!(said.contains("stopped by signal 15") && said.contains("--resume"), "{said}");
    assert!(!Path::new(&bench.path("out/report.json")).exists());
    let (code, said) = bench.run("out", &["--resume", "--shard", "1/2"]);
    assert_eq!(code, Some(0), "a share is another run: {said}");
    let (code, said) = bench.run("out", &["--resume", "--keep-columns", "ward"]);
    assert!(code == Some(2) && said.contains("options changed since this run started: columns;"), "{said}");
    let (code, said) = bench.run("out", &["--resume"]);
    assert!(code == Some(0) && said.contains("continuing after"), "{said}");
    bench.run("whole", &[]);
    let mut written = bench.written("out");
    written.retain(|path, _| !path.to_string_lossy().contains("1-of-2"));
    assert!(written == bench.written("whole"));
}

/// Defect: a long document was treated to its end before a signal was heard.
#[test]
fn a_signal_is_heard_inside_a_long_document() {
    let bench = Bench::new();
    fs::write(bench.path("in/long.txt"), "rue de la ".repeat(600 << 10)).unwrap();
    let mut child = bench.start("out", &["--no-link"]);
    bench.wait("out", &mut child, Duration::ZERO);
    let stopped = Instant::now();
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(143), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(stopped.elapsed() < Duration::from_secs(10), "{:?}", stopped.elapsed());
    fs::write(bench.path("in/long.txt"), "Mme KERVADEC").unwrap();
    let (code, said) = bench.run("out", &["--resume", "--no-link"]);
    assert!(code == Some(2) && said.contains("options changed since this run started"), "{said}");
}

#[test]
fn a_full_disk_ends_it_cleanly() {
    let bench = Bench::new();
    let limited = format!(
        "trap '' XFSZ; ulimit -f 200; exec {} {}",
        env!("CARGO_BIN_EXE_taire"),
        bench.args("out", &[]).join(" ")
    );
    let done = Command::new("bash").args(["-c", &limited]).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("cannot write") && said.contains("--resume"), "{said}");
    assert!(!Path::new(&bench.path("out/a.jsonl")).exists());
    let (code, said) = bench.run("out", &["--resume"]);
    assert!(code == Some(0) && said.contains("continuing after"), "{said}");
    bench.run("whole", &[]);
    assert!(bench.written("out") == bench.written("whole"));
}

#[test]
fn shares_hold_everything_once_and_records_together() {
    let bench = Bench::new();
    fs::remove_file(bench.path("in/c.parquet")).unwrap();
    fs::remove_file(bench.path("in/b.csv")).unwrap();
    for share in ["1/3", "2/3", "3/3"] {
        assert_eq!(bench.run("shared", &["--shard", share]).0, Some(0));
    }
    bench.run("whole", &[]);
    let (shared, whole) = (bench.written("shared"), bench.written("whole"));
    assert_eq!(shared.keys().filter(|p| p.starts_with("letters")).count(), 40);
    let mut lines = Vec::new();
    for i in 1..=3 {
        let part = String::from_utf8(shared[&PathBuf::from(format!("a.{i}-of-3.jsonl"))].clone()).unwrap();
        let patients: Vec<String> = part
            .lines()
            .map(|l| l.split("\"text\"").next().unwrap().split(',').nth(1).unwrap().to_owned())
            .collect();
        assert!(patients.chunk_by(|a, b| a == b).all(|record| record.len() == 3));
        lines.extend(part.lines().map(str::to_owned));
    }
    let mut all: Vec<_> =
        String::from_utf8(whole[Path::new("a.jsonl")].clone()).unwrap().lines().map(str::to_owned).collect();
    assert!(lines.len() == NOTES && lines != all);
    lines.sort();
    all.sort();
    assert!(lines == all);
    assert!(Path::new(&bench.path("shared/report.2-of-3.json")).exists());
    let (code, said) = bench.run("shared", &["--shard", "4/3"]);
    assert!(code == Some(2) && said.contains("2/8"), "{said}");
}

#[test]
fn only_repeatable_runs_are_resumed() {
    let bench = Bench::new();
    let (input, out) = (bench.path("in"), bench.path("out"));
    let done = taire(&["deid", &input, "-o", &out, "--resume"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("--resume needs the key"));
    // Where nothing is unfinished, a run begins; what an earlier one left is cleared.
    fs::create_dir_all(bench.stage("out").join("groups")).unwrap();
    fs::write(bench.stage("out").join("part"), "rest").unwrap();
    assert_eq!(bench.run("out", &["--resume"]).0, Some(0));
    assert!(!bench.stage("out").exists());
    assert_eq!(bench.written("out").len(), 43);
}
