//! Defects that were found once, each as a test with the defect's name.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{Folder, private, taire};
use serde_json::Value;

fn rows(path: &str) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn blank_patient_in_jsonl_joins_strangers() {
    let folder = Folder::new();
    let line = |id: &str, patient: &str| {
        let story = if patient.contains('7') { "Revu." } else { &format!("Revu en salle {id}.") };
        let text = format!("Monsieur Alban KERVADEC, né le 03/05/1950. {story}");
        serde_json::json!({"id": id, "patient": patient, "text": text, "lang": "fr"}).to_string() + "\n"
    };
    let strangers: String = ["a", "b", "c", "d", "e"].iter().map(|id| line(id, " ")).collect();
    let input = folder.write("in.jsonl", &(strangers + &line("f", "7") + &line("g", " 7\t")));
    let out = folder.path("out.jsonl");
    assert_eq!(taire(&["deid", &input, "-o", &out, "--quiet", "--no-link"]).status.code(), Some(0));
    let rows = rows(&out);
    let person =
        |row: &'_ serde_json::Value| row["text"].as_str().unwrap().split('.').next().unwrap().to_owned();
    let texts: BTreeSet<String> = rows[..5].iter().map(person).collect();
    assert!(texts.len() > 1, "documents without a patient share their surrogates");
    assert!(rows[..5].iter().all(|row| row["patient"].is_null()));
    assert_eq!(rows[5]["text"], rows[6]["text"], "blanks around an id do not make another patient");
    assert_eq!(rows[5]["patient"], rows[6]["patient"]);
}

/// A run that fails after it has saved a checkpoint, so that it can be resumed.
fn unfinished_run(folder: &Folder, args: &[&str]) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_taire"))
        .args(args)
        .env_remove("TAIRE_KEY_FILE")
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let stage = |entry: fs::DirEntry| entry.path().join("progress.json").exists();
    let saved = || fs::read_dir(folder.0.path()).unwrap().flatten().any(stage);
    while child.try_wait().unwrap().is_none() && !saved() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let _ = child.kill();
    child.wait().unwrap();
    assert!(saved(), "the run ended before it saved its progress");
}

#[test]
fn resume_after_a_changed_word_list_mixes_two_policies() {
    let folder = Folder::new();
    folder.write("words.tsv", "word\tjudgement\tcount\tcontext\nramipril\taccept\t1\t\n");
    let base = taire(&["policy", "show", "fasdim"]);
    let policy =
        String::from_utf8(base.stdout).unwrap().replace("allow_lists = []", "allow_lists = [\"words.tsv\"]");
    let policy = folder.write("mine.toml", &policy);
    let key = folder.path("key");
    assert!(taire(&["key", "new", "-o", &key]).status.success());
    let text = "Revu par zwrkab pour ramipril 5 mg, TA 14/8, apyrétique. ".repeat(60);
    let line = |i: usize| serde_json::json!({"id": i, "text": text, "lang": "fr"}).to_string() + "\n";
    let input = folder.write("in.jsonl", (0..2000).map(line).collect::<String>());
    let out = folder.path("out.jsonl");
    let args = [
        "deid",
        &input,
        "-o",
        &out,
        "--policy",
        &policy,
        "--key",
        &key,
        "--jobs",
        "1",
        "--journal-every",
        "0",
    ];
    unfinished_run(&folder, &args);
    folder.write("words.tsv", "word\tjudgement\tcount\tcontext\nramipril\trefuse\t1\t\n");
    let resumed: Vec<&str> = args.iter().copied().chain(["--resume"]).collect();
    let done = taire(&resumed);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("options changed since this run started: word list words.tsv"), "{said}");
    assert!(said.contains("leave out --resume"), "{said}");
}

#[test]
fn refused_file_with_a_colon_in_its_name_is_reported_as_another_document() {
    let folder = Folder::new();
    fs::create_dir(folder.path("in")).unwrap();
    fs::write(folder.path("in/a: b.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    folder.write("in/c.txt", "Madame Solenne Quintrec, revue ce jour.");
    let out = folder.path("out");
    assert_eq!(taire(&["deid", &folder.path("in"), "-o", &out, "--quiet"]).status.code(), Some(1));
    let refused = &private(Path::new(&out), "refused.csv")[0];
    assert_eq!(refused[0], folder.path("in/a: b.png"));
    assert!(!refused[2].contains("b.png"), "{refused:?}");
}

#[test]
fn unwritable_output_is_not_wrong_usage() {
    let folder = Folder::new();
    let input = folder.write("in.txt", "Madame Solenne Quintrec, revue ce jour.");
    folder.write("file", "");
    let done = taire(&["deid", &input, "-o", &folder.path("file/out"), "--quiet"]);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert_eq!(
        taire(&["deid", &input, "-o", &folder.path("out"), "--policy", "none"]).status.code(),
        Some(2)
    );
}

#[cfg(unix)]
#[test]
fn closed_pipe_ends_in_an_internal_fault() {
    let folder = Folder::new();
    let input = folder.write("in.txt", "Madame Solenne Quintrec, Brest, le 3 mars 2017.\n".repeat(400));
    for args in [
        &["explain", &input][..],
        &["policy", "show", "fr"],
        &["policy", "list"],
        &["words", "report", &input],
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_taire"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(!said.contains("fault"), "{args:?}: {said}");
        assert_eq!(done.status.code(), Some(0), "{args:?}: {said}");
    }
}

/// `-o -` made a folder called `-`.
#[test]
fn standard_output_gets_the_document_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("lettre.txt");
    fs::write(&input, "Madame Aldegonde KERVADEC va mieux.\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_taire"))
        .args(["deid", input.to_str().unwrap(), "-o", "-", "--lang", "fr"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("Madame ") && text.ends_with(" va mieux.\n"), "{text}");
    assert!(!text.contains("KERVADEC"), "{text}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
}
