//! How sure the program is, what it learns from a patient's other documents, and whom it lets see.

mod common;

use std::path::Path;

use common::{crosswalk, documents, private, taire};
use serde_json::Value;

fn run(args: &[&str]) -> Option<i32> {
    taire(args).status.code()
}

#[cfg(unix)]
#[test]
fn state_and_output_files_are_private_to_their_owner() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("a.txt"), "Madame Solenne Quintrec, revue ce jour.").unwrap();
    std::fs::write(path("b.jsonl"), "{\"id\":\"b\",\"text\":\"Madame Solenne Quintrec\"}\n").unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let (a, b) = (path("a.txt"), path("b.jsonl"));
    for to in ["jsonl", "brat", "xml", "html"] {
        let out = path(&format!("out-{to}"));
        assert_eq!(run(&["detect", &a, &b, "-o", &out, "--to", to, "--quiet"]), Some(0));
        for name in documents(Path::new(&out)).into_keys() {
            assert_eq!(mode(&Path::new(&out).join(&name)), 0o600, "{}", name.display());
        }
    }
    assert_eq!(run(&["words", "extract", &a, "-o", &path("words.tsv")]), Some(0));
    assert_eq!(mode(Path::new(&path("words.tsv"))), 0o600);
}

fn json(path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn documents_that_are_not_sure_enough_are_held_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let rows = [
        ("sure", "Nom : QUINTREC\nPrénom : Solenne\nNée le 12/03/1961\nMadame Solenne QUINTREC est revue."),
        ("doubtful", "Le patient va bien. Échographie par Colin, contrôle à Bellevue, avis Zwrkab demandé."),
    ];
    let lines = rows.map(|(id, text)| serde_json::json!({"id": id, "text": text}).to_string());
    std::fs::write(path("in.jsonl"), lines.join("\n")).unwrap();
    let input = path("in.jsonl");
    assert_eq!(run(&["deid", &input, "-o", &path("all"), "--lang", "fr", "--quiet"]), Some(0));
    let listed = private(Path::new(&path("all")), "doubtful.csv");
    assert_eq!(listed.len(), 2);
    assert_eq!((listed[0][0].as_str(), listed[0][2].as_str()), ("doubtful", "1"));
    let doubt = |row: &Vec<String>| row[3].parse::<f64>().unwrap();
    let (worse, better) = (doubt(&listed[0]), doubt(&listed[1]));
    assert!(worse > better && better < 0.2, "{worse} {better}");
    let below = format!("{}", 1.0 - (worse + better) / 2.0);
    let done = taire(&["deid", &input, "-o", &path("some"), "--lang", "fr", "--refuse-below", &below]);
    assert_eq!(done.status.code(), Some(1));
    let report = json(&path("some/report.json"));
    assert_eq!(private(Path::new(&path("some")), "refused.csv")[0][0], "doubtful");
    assert!(!report.to_string().contains("\"doubtful\":\"") && report["refused"][0]["documents"] == 1);
    let why = report["refused"][0]["why"].as_str().unwrap();
    assert!(why.contains("below") || why.contains("over"), "{why}");
    let said = String::from_utf8_lossy(&done.stderr).into_owned() + why;
    assert!(!said.contains("Colin") && !said.contains("Bellevue") && !said.contains("Zwrkab"));
    let written = std::fs::read_to_string(path("some/in.jsonl")).unwrap();
    assert_eq!(written.lines().count(), 1);
    assert!(written.contains(&crosswalk(Path::new(&path("some")), "document")["sure"]));
    assert_eq!(run(&["deid", &input, "-o", &path("x"), "--refuse-below", "2"]), Some(2));
}

/// Letters 1 and 3 of one patient, and one of another: only the third says that Vantadour is a name.
fn letters() -> Vec<String> {
    let bare = "Consultation de contrôle. Pansement refait ce matin, VANTADOUR prévenue, revient lundi.";
    [
        ("1", "p1", bare),
        ("2", "p1", "Bilan biologique sans particularité."),
        ("3", "p1", "Nom : VANTADOUR\nJe revois ce jour Madame Solenne VANTADOUR pour son suivi."),
        ("4", "p2", bare),
        ("5", "", bare),
        ("6", "", "Nom : VANTADOUR\nJe revois ce jour Madame Solenne VANTADOUR pour son suivi."),
    ]
    .map(|(id, patient, text)| serde_json::json!({"id": id, "patient": patient, "text": text}).to_string())
    .to_vec()
}

/// The ids of documents whose span VANTADOUR the trusted pass found.
fn trusted(jsonl: &str) -> Vec<String> {
    let line = |l: &str| -> Option<String> {
        let row: Value = serde_json::from_str(l).unwrap();
        let found = row["spans"]
            .as_array()?
            .iter()
            .any(|s| s["sources"].as_array().is_some_and(|all| all.iter().any(|source| source == "trusted")));
        found.then(|| row["id"].as_str().unwrap().to_owned())
    };
    jsonl.lines().filter_map(line).collect()
}

#[test]
fn what_is_certain_in_one_letter_is_found_in_the_patients_others_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    // Without the model, which may find the name by itself.
    let policy = |scope: &str| {
        format!(
            "name = \"rules\"\nlanguage = \"fr\"\n[detect]\nsources = [\"structure\", \"pattern\", \"lexicon\", \
             \"trusted\"]\nthreshold = 0.5\ntrusted = \"{scope}\"\n"
        )
    };
    std::fs::write(path("record.toml"), policy("record")).unwrap();
    std::fs::write(path("document.toml"), policy("document")).unwrap();
    let mut sorted_lines = Vec::new();
    for (n, turn) in [0, 2, 4].into_iter().enumerate() {
        let mut lines = letters();
        lines.rotate_left(turn);
        let (input, out) = (path(&format!("in{n}.jsonl")), path(&format!("out{n}.jsonl")));
        std::fs::write(&input, lines.join("\n")).unwrap();
        let jobs = format!("{}", n + 1);
        let args =
            ["detect", &input, "-o", &out, "--policy", &path("record.toml"), "--jobs", &jobs, "--quiet"];
        assert_eq!(run(&args), Some(0));
        let found = std::fs::read_to_string(&out).unwrap();
        assert_eq!(trusted(&found), ["1"]);
        let mut lines: Vec<_> = found.lines().map(str::to_owned).collect();
        lines.sort();
        sorted_lines.push(lines);
    }
    assert!(sorted_lines.windows(2).all(|w| w[0] == w[1]));
    let args = [
        "detect",
        &path("in0.jsonl"),
        "-o",
        &path("alone.jsonl"),
        "--policy",
        &path("document.toml"),
        "--quiet",
    ];
    assert_eq!(run(&args), Some(0));
    assert!(trusted(&std::fs::read_to_string(path("alone.jsonl")).unwrap()).is_empty());
    let explained = taire(&["explain", &path("in0.jsonl"), "--id", "1", "--policy", &path("record.toml")]);
    let text = String::from_utf8(explained.stdout).unwrap();
    assert!(text.contains("VANTADOUR") && text.contains("certain elsewhere in this record"), "{text}");
}
