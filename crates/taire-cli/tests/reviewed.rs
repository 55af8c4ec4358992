//! What people corrected reaches the output: `--reviewed` with gold and with the state of a review.

mod common;

use std::fs;
use std::process::Output;

use common::{Folder, taire};
use serde_json::{Value, json};

const TEXT: &str = "Madame KERVADEC, née à Évreux, vient avec Ambre. Suivie par le Dr Le Goff.";

fn deid(folder: &Folder, input: &str, out: &str, reviewed: &str) -> Output {
    let (key, out) = (folder.path("key"), folder.path(out));
    taire(&[
        "deid",
        input,
        "-o",
        &out,
        "--key",
        &key,
        "--policy",
        "fr",
        "--reviewed",
        reviewed,
        "--format",
        "json",
    ])
}

/// A span over a part of the text, in code points.
fn span(part: &str, label: &str) -> Value {
    let start = TEXT[..TEXT.find(part).unwrap()].chars().count();
    json!({"start": start, "end": start + part.chars().count(), "label": label, "role": "Unknown"})
}

fn gold(id: &str, text: &str, spans: &[Value]) -> String {
    json!({"id": id, "text": text, "spans": spans}).to_string() + "\n"
}

#[test]
fn gold_that_a_reviewer_corrected_is_final_and_keeps_the_format() {
    let folder = Folder::with_key();
    let line = |id: &str| json!({"id": id, "text": TEXT, "patient": "7", "lang": "fr"}).to_string() + "\n";
    let input = folder.write("in.jsonl", &(line("a") + &line("b")));
    // The reviewer hides what nobody else would, and lets a name stay.
    let reviewed = folder.write("gold.jsonl", gold("a", TEXT, &[span("vient avec", "OtherDetail")]));
    let done = deid(&folder, &input, "out.jsonl", &reviewed);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = fs::read_to_string(folder.path("out.jsonl")).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows[0]["text"], TEXT.replace("vient avec", "<OtherDetail>"));
    assert!(!rows[1]["text"].as_str().unwrap().contains("KERVADEC"));
    let report: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(report["documents"]["from_reviewed_spans"], 1);
    assert_eq!(report["documents"]["written"], 2);
}

#[test]
fn a_word_processors_file_is_written_from_brat_in_its_own_format() {
    let folder = Folder::with_key();
    folder.write("in/lettre.html", format!("<html><body><p>{TEXT}</p></body></html>"));
    let span = span("Ambre", "GivenName");
    // The text as it is read may have more lines than the paragraph: ask the program.
    let found = folder.path("found");
    assert!(taire(&["detect", &folder.path("in"), "-o", &found, "--to", "jsonl"]).status.success());
    let mut read = fs::read_dir(&found).unwrap().flatten().map(|e| e.path());
    let read = read.find(|p| p.extension().is_some_and(|e| e == "jsonl")).unwrap();
    let row: Value = serde_json::from_str(fs::read_to_string(read).unwrap().lines().next().unwrap()).unwrap();
    let text = row["text"].as_str().unwrap();
    let start = text[..text.find("Ambre").unwrap()].chars().count();
    let (id, label) = (row["id"].as_str().unwrap(), span["label"].as_str().unwrap());
    folder.write(&format!("brat/{id}.ann"), format!("T1\t{label} {start} {}\tAmbre\n", start + 5));
    let done = deid(&folder, &folder.path("in"), "out", &folder.path("brat"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mut written = fs::read_dir(folder.path("out")).unwrap().flatten().map(|e| e.path());
    let html = written.find(|p| p.extension().is_some_and(|e| e == "html")).unwrap();
    let html = fs::read_to_string(html).unwrap();
    assert!(html.contains("Madame KERVADEC") && !html.contains("Ambre") && html.contains("<p>"), "{html}");
}

#[test]
fn a_reviewed_span_outside_its_document_stops_the_run_before_anything_is_written() {
    let folder = Folder::with_key();
    let line = |id: &str| json!({"id": id, "text": TEXT, "lang": "fr"}).to_string() + "\n";
    let input = folder.write("in.jsonl", &(line("a") + &line("b")));
    let beyond = json!({"start": 10, "end": 999, "label": "City"});
    for (gold, says) in [
        (gold("b", TEXT, &[beyond]), "document b: the reviewed City from character 10 to 999"),
        (
            gold("b", &TEXT.replace("Ambre", "Ambra"), &[]),
            "document b: its text is not the one that was reviewed",
        ),
        (
            gold("b", TEXT, &[json!({"start": 0, "end": 3, "label": "Sirname"})]),
            "document b: the label of the span",
        ),
    ] {
        let reviewed = folder.write("gold.jsonl", &gold);
        let done = deid(&folder, &input, "out.jsonl", &reviewed);
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains(says) && !said.contains("KERVADEC"), "{said}");
        assert!(!fs::exists(folder.path("out.jsonl")).unwrap());
    }
}
