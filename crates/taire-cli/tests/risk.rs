//! `taire risk` on a small corpus: a constant shift is undone by one date, and no name comes out in the report.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn taire(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_taire")).args(args).env_remove("TAIRE_KEY_FILE").output().expect("runs")
}

fn corpus(folder: &Path) -> String {
    let mut lines = String::new();
    for (i, family) in ["LEGRANDIN", "VINTEUIL", "BERGOTTE", "ELSTIR", "SWANN"].into_iter().enumerate() {
        for visit in 0..2 {
            let day = 3 + 2 * i + visit;
            let text = format!(
                "Monsieur Marcel {family}\\nné le 0{}/04/1951\\nvu le {day:02}/02/2019, opéré le {:02}/0{}/2019, revu le 2{i}/11/2019.",
                i + 1,
                day + 9,
                3 + i
            );
            lines += &format!(
                "{{\"id\":\"d{i}-{visit}\",\"patient\":\"70{i}\",\"date\":\"2019-11-2{i}\",\"text\":\"{text}\"}}\n"
            );
        }
    }
    let file = folder.join("notes.jsonl");
    fs::write(&file, lines).expect("written");
    file.display().to_string()
}

fn policy(folder: &Path, dates: &str) -> String {
    let file = folder.join("own.toml");
    let text = format!(
        "name = \"own\"\nlanguage = \"fr\"\ndescription = \"test\"\n[detect]\nsources = [\"structure\", \"pattern\", \"lexicon\"]\n\
         threshold = 0.4\norder = [\"structure\", \"pattern\", \"lexicon\"]\n[rewrite]\nscope = \"patient\"\ndates = {{ method = \"{dates}\" }}\n"
    );
    fs::write(&file, text).expect("written");
    file.display().to_string()
}

fn assessed(dates: &str) -> (serde_json::Value, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let (notes, policy) = (corpus(folder.path()), policy(folder.path(), dates));
    let out = folder.path().join("out").display().to_string();
    assert!(taire(&["deid", &notes, "-o", &out, "--policy", &policy, "--quiet"]).status.success());
    let done =
        taire(&["risk", &notes, &format!("{out}/notes.jsonl"), "--policy", &policy, "--format", "json"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = taire(&["risk", &notes, &format!("{out}/notes.jsonl"), "--policy", &policy]);
    let printed = String::from_utf8_lossy(&text.stdout).into_owned();
    (serde_json::from_slice(&done.stdout).expect("JSON"), printed)
}

#[test]
fn one_date_undoes_a_shift_and_the_key_protects_the_name() {
    let (json, printed) = assessed("shift");
    assert_eq!(json["documents"], 10);
    assert_eq!(json["records"], 5);
    assert_eq!(json["attacks"]["known_date"]["attack"]["share"], 1.0);
    assert_eq!(json["attacks"]["known_number"]["attack"]["hits"], 0);
    assert_eq!(json["intervals"]["before"], json["intervals"]["after"]);
    for name in ["LEGRANDIN", "Vinteuil", "SWANN", "Marcel"] {
        assert!(!printed.to_lowercase().contains(&name.to_lowercase()));
    }
}

#[test]
fn a_warped_calendar_is_not_undone() {
    let (json, _) = assessed("warp");
    let share = json["attacks"]["known_date"]["attack"]["share"].as_f64().expect("a share");
    assert!(share < 0.9, "{share}");
}

#[test]
fn corpora_that_do_not_belong_together_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = corpus(folder.path());
    let other = folder.path().join("other.jsonl");
    fs::write(&other, "{\"id\":\"x\",\"text\":\"rien\"}\n").expect("written");
    let done = taire(&["risk", &notes, &other.display().to_string()]);
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("no document of the original"));
}
