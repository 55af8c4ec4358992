//! Input that is wrong: a message that says what and where, the other documents done, nothing half-written, and
//! no identifying text in anything that is printed.

mod common;

use std::fs;
use std::path::Path;
use std::process::Output;

use common::{documents, taire};

fn deid(inputs: &[&str], out: &str) -> Output {
    let mut args = vec!["deid"];
    args.extend(inputs);
    args.extend(["-o", out]);
    taire(&args)
}

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let bench = Bench { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(bench.path("in")).unwrap();
        bench.put("good.txt", b"Mme Aldegonde KERVADEC, 76 ans, vue le 3 mars 2017.");
        bench
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        fs::write(self.folder.path().join("in").join(name), bytes).unwrap();
    }

    fn go(&self) -> (Option<i32>, String, Vec<String>) {
        let done = deid(&[&self.path("in")], &self.path("out"));
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        let report = fs::read_to_string(self.path("out/report.json")).unwrap_or_default();
        for printed in [&said, &report] {
            assert!(!printed.contains("KERVADEC") && !printed.contains("SECRETNAME"), "{printed}");
        }
        let written = documents(self.folder.path().join("out").as_path());
        (done.status.code(), said, written.keys().map(|p| p.to_string_lossy().into_owned()).collect())
    }
}

#[test]
fn binary_noise_is_refused_and_the_rest_is_done() {
    let bench = Bench::new();
    let noise: Vec<u8> = (0..5000u32).map(|i| (i.wrapping_mul(2654435761) >> 13) as u8).collect();
    bench.put("noise.txt", &noise);
    let (code, said, written) = bench.go();
    assert_eq!((code, written), (Some(1), vec!["good.txt".to_owned()]));
    assert!(said.contains("noise.txt"), "{said}");
}

#[test]
fn invalid_utf8_is_read_as_windows_1252_and_reported() {
    let bench = Bench::new();
    bench.put("old.txt", b"N\xe9e le 17/02/1941, suivie \xe0 domicile.");
    let (code, _, written) = bench.go();
    assert_eq!((code, written.len()), (Some(0), 2));
    let report = fs::read_to_string(bench.path("out/report.md")).unwrap();
    assert!(report.to_lowercase().contains("windows-1252"), "{report}");
    let text = fs::read_to_string(bench.path("out/old.txt")).unwrap();
    assert!(text.starts_with("Née le ") && text.contains("suivie à domicile"));
}

#[test]
fn a_file_name_that_tells_is_replaced() {
    let bench = Bench::new();
    bench.put("kervadec-2017.txt", b"Mme Aldegonde KERVADEC, vue ce jour.");
    let (code, _, written) = bench.go();
    assert_eq!((code, written.len()), (Some(0), 2));
    assert!(written.iter().all(|name| !name.contains("kervadec") && !name.contains("2017")), "{written:?}");
}

#[test]
fn an_empty_file_stays_empty() {
    let bench = Bench::new();
    bench.put("empty.txt", b"");
    let (code, _, _) = bench.go();
    assert_eq!(code, Some(0));
    assert_eq!(fs::read(bench.path("out/empty.txt")).unwrap(), b"");
}

#[test]
fn a_broken_jsonl_line_is_named_and_its_neighbours_are_done() {
    let bench = Bench::new();
    bench.put("notes.jsonl", b"{\"id\":\"a\",\"text\":\"Vu le 3 mai 2010\"}\n{\"id\":\"b\",\"text\":\"SECRETNAME\n{\"id\":\"c\",\"text\":\"RAS\"}\n");
    let (code, said, _) = bench.go();
    assert_eq!(code, Some(1));
    assert!(said.contains("notes.jsonl") && said.contains("line 2"), "{said}");
    let out = fs::read_to_string(bench.path("out/notes.jsonl")).unwrap();
    assert_eq!(out.lines().count(), 2);
}

#[test]
fn a_csv_without_its_text_column_names_the_columns_found() {
    let bench = Bench::new();
    bench.put("table.csv", b"number,letter\n1,SECRETNAME\n");
    let (code, said, written) = bench.go();
    assert_eq!((code, written), (Some(1), vec!["good.txt".to_owned()]));
    assert!(
        said.contains("table.csv") && said.contains("letter") && said.contains("--text-column"),
        "{said}"
    );
}

#[test]
fn a_huge_single_line_is_refused_without_being_cut() {
    let bench = Bench::new();
    let mut line = Vec::from(&b"{\"id\":\"a\",\"text\":\""[..]);
    line.resize(60 << 20, b'x');
    line.extend(b"\"}\n{\"id\":\"b\",\"text\":\"RAS\"}\n");
    bench.put("huge.jsonl", &line);
    let (code, said, _) = bench.go();
    assert_eq!(code, Some(1));
    assert!(said.contains("huge.jsonl") && said.contains("MB"), "{said}");
    assert!(fs::read_to_string(bench.path("out/huge.jsonl")).unwrap().contains("RAS"));
}

#[test]
fn wrong_usage_ends_with_2_and_names_the_choices() {
    let bench = Bench::new();
    let (input, out) = (bench.path("in"), bench.path("out"));
    for (args, says) in [
        (vec!["deid", &input, "-o", &out, "--policy", "fra"], "known: fr, es"),
        (vec!["detect", &input, "-o", &out, "--scheme", "medocan"], "meddocan"),
        (vec!["deid", &input, "-o", &out, "--lang", "it"], "known: fr, es"),
        (vec!["deid", "-o", &out], "<INPUTS>"),
    ] {
        let done = taire(&args);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains(says), "{said}");
    }
}

/// Defect: an input that is not there left the folders of an output with nothing in them.
#[test]
fn a_missing_input_leaves_no_folders() {
    let bench = Bench::new();
    let out = bench.path("out");
    for inputs in [vec![bench.path("nothing-here")], vec![bench.path("in"), bench.path("nothing-here")]] {
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let missing = deid(&inputs, &out);
        let said = String::from_utf8_lossy(&missing.stderr).into_owned();
        assert_eq!(missing.status.code(), Some(2), "{said}");
        assert!(said.contains("nothing-here") && said.contains("no such file or folder"), "{said}");
        assert!(!Path::new(&out).exists() && !Path::new(&format!("{out}.private")).exists());
    }
}

/// Defect: a link in the input folder had files elsewhere treated and written as if they had been given.
#[cfg(unix)]
#[test]
fn a_link_out_of_the_input_is_refused_and_reported() {
    let bench = Bench::new();
    let out = bench.path("out");
    fs::create_dir(bench.path("elsewhere")).unwrap();
    fs::write(bench.path("elsewhere/other.txt"), "Mme Aldegonde KERVADEC").unwrap();
    std::os::unix::fs::symlink(bench.path("elsewhere"), Path::new(&bench.path("in")).join("link")).unwrap();
    let done = deid(&[&bench.path("in")], &out);
    assert_eq!(done.status.code(), Some(1));
    let report = fs::read_to_string(Path::new(&out).join("report.md")).unwrap();
    assert!(report.contains("leads out of the input folder"), "{report}");
    let refused = fs::read_to_string(format!("{out}.private/refused.csv")).unwrap();
    assert!(refused.contains("link") && !Path::new(&out).join("link").exists());
}

#[test]
fn nothing_is_left_under_a_final_name_when_the_output_cannot_be_written() {
    let bench = Bench::new();
    fs::write(bench.path("taken"), b"").unwrap();
    let done = deid(&[&bench.path("in")], &bench.path("taken"));
    assert_eq!(done.status.code(), Some(2));
    assert_eq!(fs::read(bench.path("taken")).unwrap(), b"");
}
