//! `taire evaluate`: tiers, groups, words, gold from marked documents.

use std::fs;
use std::process::{Command, Output};

fn evaluate(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_taire")).arg("evaluate").args(args).output().expect("the command runs")
}

#[test]
fn marked_gold_is_scored_by_tier_role_part_and_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::create_dir(folder.path().join("gold")).expect("a folder");
    fs::write(
        folder.path().join("gold/01.md"),
        "<!-- kind: note -->\nMme [Roux](FamilyName) [Léa](GivenName), [92 ans](Age), [boulangère](Profession) à [Brest](City)\n",
    )
    .expect("written");
    let found =
        r#"{"id":"01","spans":[{"start":4,"end":8,"label":"FamilyName","role":"Patient"},[35,40,"City"]]}"#;
    fs::write(folder.path().join("found.jsonl"), found).expect("written");

    let args =
        [&path("gold"), &path("found.jsonl"), "--by", "label,tier,role,part", "--words"].map(String::from);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let printed = evaluate(&args);
    let text = String::from_utf8_lossy(&printed.stdout);
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    assert!(text.contains("direct     wholly covered 1 of 2 (50.0 %)"), "{text}");
    assert!(text.contains("coverage by part") && text.contains("identifying words hidden 2 of 6"), "{text}");

    let json = evaluate(&[&args[..], &["--format", "json"]].concat());
    let scores: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(
        scores["tiers"]["indirect"],
        serde_json::json!({
            "n": 2, "wholly": 1, "chars": 11, "chars_covered": 5, "documents": 1, "documents_clean": 0
        })
    );
    assert_eq!(scores["documents_direct_clean"], 0);
    assert_eq!(scores["by"]["label"]["City"]["wholly"], 1);
}

#[test]
fn two_schemes_are_refused_with_the_option_that_joins_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    fs::write(path("gold.jsonl"), r#"{"id":"a","text":"Roux","spans":[[0,4,"NOM"]]}"#).expect("written");
    fs::write(path("found.jsonl"), r#"{"id":"a","text":"Roux","spans":[[0,4,"FamilyName"]]}"#)
        .expect("written");
    let done = evaluate(&[&path("gold.jsonl"), &path("found.jsonl")]);
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("--scheme"));
}

/// Córdoba's tables 5.5 to 5.8 and annex A.2, and Bigeard's letters with an element around each identifier.
#[test]
fn tables_by_token_and_section_and_gold_with_elements() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text =
        "Nombre: Ana.\nNHC: 4471.\nHistoria Actual: Vista por Luis Vega ayer.\nRemitido por: Luis Vega.\n";
    let gold = serde_json::json!({"id": "a", "text": text, "spans": [[8, 11, "NOMS"], [18, 22, "IDSUJ"], [51, 60, "NOMP"], [81, 90, "NOMP"]]});
    let found = serde_json::json!({"id": "a", "text": text, "spans": [[8, 11, "NOMS"], [18, 22, "IDSUJ"], [81, 85, "NOMP"]]});
    fs::write(path("gold.jsonl"), gold.to_string()).expect("written");
    fs::write(path("found.jsonl"), found.to_string()).expect("written");
    let args = [&path("gold.jsonl"), &path("found.jsonl"), "--by", "section", "--tokens"].map(String::from);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let printed = evaluate(&args);
    let table = String::from_utf8_lossy(&printed.stdout);
    for part in
        ["coverage by section", "tokens, header", "tokens, body", "tokens, footer", "weighted avg", "I-NOMP"]
    {
        assert!(table.contains(part), "{part}: {table}");
    }
    let json = evaluate(&[&args[..], &["--format", "json"]].concat());
    let scores: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(scores["tokens"]["footer"]["micro"]["r"], 0.5, "{scores}");
    assert_eq!(scores["by"]["section"]["header"]["wholly"], 2);

    fs::write(path("lettre.xml"), "Vu <prenomf>Denise</prenomf> <nom_famille>Martin</nom_famille>")
        .expect("written");
    let line = r#"{"id":"lettre","spans":[[3,9,"prenom"],[10,16,"nom_famille"]]}"#;
    fs::write(path("lettre.jsonl"), line).expect("written");
    let done = evaluate(&[&path("lettre.xml"), &path("lettre.jsonl")]);
    assert!(
        String::from_utf8_lossy(&done.stdout).contains("documents with nothing missed  1 of 1"),
        "{done:?}"
    );
}
