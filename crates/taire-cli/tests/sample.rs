//! Documents drawn at random, and the miss rate that a reader's marks give.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::taire;
use serde_json::{Value, json};

struct Drawn {
    folder: tempfile::TempDir,
}

fn lines(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn write_lines(path: &Path, rows: &[Value]) {
    fs::write(path, rows.iter().map(|row| format!("{row}\n")).collect::<String>()).unwrap();
}

impl Drawn {
    /// Forty letters in two tables, two of them with one id.
    fn corpus() -> Drawn {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        let letter = |i: usize| {
            let text =
                format!("Lettre {i}. Madame Solenne QUINTREC, née le 12/03/19{:02}, vue ce jour.", 40 + i);
            json!({"id": format!("d{}", i.max(1)), "text": text})
        };
        let rows: Vec<Value> = (0..40).map(letter).collect();
        write_lines(&folder.path().join("in/a.jsonl"), &rows[..25]);
        write_lines(&folder.path().join("in/b.jsonl"), &rows[25..]);
        Drawn { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn draw(&self, size: &str, seed: &str, out: &str) -> (Option<i32>, String) {
        let (input, out) = (self.path("in"), self.path(out));
        let done = taire(&["sample", &input, "-n", size, "--seed", seed, "-o", &out, "--lang", "fr"]);
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    }

    fn ids(&self, out: &str) -> BTreeSet<String> {
        let rows = lines(&self.folder.path().join(out).join("documents.jsonl"));
        rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    }

    fn estimate(&self, gold: &str, more: &[&str]) -> (Option<i32>, String, String) {
        let (sample, gold) = (self.path("s"), self.path(gold));
        let done = taire(&[&["sample", "estimate", &sample, &gold][..], more].concat());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (done.status.code(), text(&done.stdout), text(&done.stderr))
    }
}

#[test]
fn sample_is_drawn_by_its_seed_for_its_owner_alone() {
    let corpus = Drawn::corpus();
    for (seed, out) in [("7", "s"), ("7", "again"), ("8", "other")] {
        let (code, said) = corpus.draw("10", seed, out);
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(corpus.ids(out).len(), 10);
    }
    assert_eq!(corpus.ids("s"), corpus.ids("again"));
    assert_ne!(corpus.ids("s"), corpus.ids("other"));
    let facts: Value = serde_json::from_slice(&fs::read(corpus.path("s/sample.json")).unwrap()).unwrap();
    assert_eq!((&facts["corpus_documents"], &facts["documents"]), (&json!(40), &json!(10)));
    #[cfg(unix)]
    for name in ["documents.jsonl", "found.jsonl", "sample.json"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(corpus.path(&format!("s/{name}"))).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name}");
    }
    // A sample that somebody may be reading is not replaced; a larger one than the corpus is all of it, each document once.
    let (code, said) = corpus.draw("10", "9", "s");
    assert!(code == Some(2) && said.contains("choose another"), "{said}");
    assert_eq!(corpus.draw("500", "1", "all").0, Some(0));
    assert_eq!(corpus.ids("all").len(), 40, "documents of one id stay apart");
    assert_eq!(corpus.draw("5", "1", "in/s").0, Some(2), "inside the corpus");
    assert_eq!(corpus.draw("0", "1", "none").0, Some(2));
}

#[test]
fn estimate_counts_documents_with_something_left_and_gives_the_interval() {
    let corpus = Drawn::corpus();
    assert_eq!(corpus.draw("20", "7", "s").0, Some(0));
    let mut gold = lines(&corpus.folder.path().join("s/found.jsonl"));
    assert!(gold.iter().all(|row| !row["spans"].as_array().unwrap().is_empty()), "the patient is found");
    write_lines(&corpus.folder.path().join("clean.jsonl"), &gold);
    let (code, out, said) = corpus.estimate("clean.jsonl", &["--format", "json"]);
    assert_eq!(code, Some(0), "{said}");
    let none: Value = serde_json::from_str(&out).unwrap();
    let share = &none["documents_with_direct_left"];
    assert_eq!((&share["hits"], &share["tries"]), (&json!(0), &json!(20)));
    // Clopper and Pearson: none of 20 is compatible with up to 16.8 %.
    assert!((share["high"].as_f64().unwrap() - 0.168).abs() < 0.001, "{share}");
    assert_eq!(none["in_the_corpus"], json!([0, 7]));
    // A name that the reader finds in one document: the first word, which the program does not hide.
    gold[0]["spans"].as_array_mut().unwrap().push(json!({"start": 0, "end": 6, "label": "FamilyName"}));
    write_lines(&corpus.folder.path().join("one.jsonl"), &gold);
    let (code, out, _) = corpus.estimate("one.jsonl", &["--format", "json", "--at-most", "0.2"]);
    assert_eq!(code, Some(1), "the upper end is over 20 %");
    let one: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(one["documents_with_direct_left"]["hits"], 1);
    assert_eq!(one["identifiers"]["direct"]["hits"], 1);
    let (_, words, _) = corpus.estimate("one.jsonl", &[]);
    assert!(words.contains("1 (5.0 %)") && !words.to_lowercase().contains("quintrec"), "{words}");
    // Documents that nobody accepted are reported; documents that were not drawn are an error.
    write_lines(&corpus.folder.path().join("some.jsonl"), &gold[..12]);
    let (code, words, _) = corpus.estimate("some.jsonl", &[]);
    assert!(code == Some(0) && words.contains("8 documents of the sample are not accepted"), "{words}");
    gold.push(json!({"id": "elsewhere", "text": "x", "spans": []}));
    write_lines(&corpus.folder.path().join("more.jsonl"), &gold);
    let (code, _, said) = corpus.estimate("more.jsonl", &[]);
    assert!(code == Some(2) && said.contains("elsewhere") && said.contains("not in the sample"), "{said}");
    gold.pop();
    gold[1]["spans"].as_array_mut().unwrap().push(json!({"start": 5, "end": 900, "label": "City"}));
    write_lines(&corpus.folder.path().join("outside.jsonl"), &gold);
    let (code, _, said) = corpus.estimate("outside.jsonl", &[]);
    assert!(code == Some(2) && said.contains("5..900"), "{said}");
    assert_eq!(
        taire(&["sample", "estimate", &corpus.path("in"), &corpus.path("one.jsonl")]).status.code(),
        Some(2)
    );
}
