//! `taire compare` and `taire report` on small corpora: figures that must come out, nothing that identifies, pages that
//! stand alone.

mod common;

use std::fs;
use std::path::Path;

use common::{examples, taire};
use serde_json::Value;

const NAMES: [&str; 5] = ["LEGRANDIN", "VINTEUIL", "BERGOTTE", "ELSTIR", "SWANN"];

/// Ten letters of five patients, with their identifiers annotated.
fn corpus(folder: &Path) -> String {
    let mut lines = String::new();
    for (i, family) in NAMES.into_iter().enumerate() {
        for visit in 0..2 {
            let day = 3 + 2 * i + visit;
            let text = format!(
                "Monsieur Marcel {family}\nvu le {day:02}/02/2019, opéré le {:02}/0{}/2019, revu le 2{i}/11/2019. Insuffisance cardiaque.",
                day + 9,
                3 + i
            );
            let mut spans = Vec::new();
            let mut mark = |what: &str, label: &str| {
                let byte = text.find(what).expect("it is there");
                let start = text[..byte].chars().count();
                spans.push(serde_json::json!([start, start + what.chars().count(), label]));
            };
            mark("Marcel", "GivenName");
            mark(family, "FamilyName");
            mark(&format!("{day:02}/02/2019"), "Date");
            mark(&format!("{:02}/0{}/2019", day + 9, 3 + i), "Date");
            mark(&format!("2{i}/11/2019"), "Date");
            let line = serde_json::json!({"id": format!("d{i}-{visit}"), "patient": format!("70{i}"), "text": text, "spans": spans});
            lines += &format!("{line}\n");
        }
    }
    let file = folder.join("notes.jsonl");
    fs::write(&file, lines).expect("written");
    file.display().to_string()
}

fn policy(folder: &Path, name: &str, sources: &str, dates: &str) -> String {
    let file = folder.join(format!("{name}.toml"));
    let text = format!(
        "name = \"{name}\"\nlanguage = \"fr\"\n[detect]\nsources = [{sources}]\nthreshold = 0.4\n[rewrite]\nscope = \"patient\"\n\
         dates = {{ method = \"{dates}\" }}\n"
    );
    fs::write(&file, text).expect("written");
    file.display().to_string()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

/// Everything but the speed, which the clock tells.
fn timeless(mut value: Value) -> Value {
    let policies = value["policies"].as_array_mut().expect("policies");
    policies.iter_mut().for_each(|p| p["speed"] = Value::Null);
    value
}

#[test]
fn policies_differ_in_what_they_find_and_what_they_leave() {
    let folder = tempfile::tempdir().expect("a folder");
    let notes = corpus(folder.path());
    let all = "\"structure\", \"pattern\", \"lexicon\"";
    let chosen = [
        policy(folder.path(), "shift", all, "shift"),
        policy(folder.path(), "warp", all, "warp"),
        policy(folder.path(), "blind", "\"pattern\"", "shift"),
    ];
    let out = folder.path().join("out");
    let run = |jobs: &str| {
        let done = taire(&[
            "compare",
            &notes,
            "--policies",
            &chosen.join(","),
            "-o",
            out.to_str().expect("UTF-8"),
            "--format",
            "json",
            "--jobs",
            jobs,
        ]);
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
        json(&done.stdout)
    };
    let report = run("1");
    assert_eq!(report["documents"], 10);
    assert_eq!(report["gold"]["scheme"], "taire");
    let [shift, warp, blind] = [0, 1, 2].map(|i| &report["policies"][i]);
    assert_eq!(shift["detection"]["documents_clean"], 1.0);
    assert_eq!(shift["detection"]["strict_f1"], 1.0);
    assert_eq!(blind["detection"]["documents_clean"], 0.0);
    assert!(
        blind["detection"]["characters_covered"].as_f64() < shift["detection"]["characters_covered"].as_f64()
    );
    assert_eq!(shift["risk"]["attacks"]["known_date"]["attack"]["share"], 1.0);
    assert!(warp["risk"]["attacks"]["known_date"]["attack"]["share"].as_f64() < Some(0.9));
    assert_eq!(shift["risk"]["attacks"]["known_number"]["attack"]["hits"], 0);
    assert_eq!(shift["risk"]["attacks"]["known_number_with_key"]["attack"]["share"], 1.0);
    assert_eq!(shift["intervals"]["before"], shift["intervals"]["after"]);
    let averaged = shift["averaging"].as_array().expect("releases");
    assert_eq!(
        (&averaged[1]["releases"], &averaged[1]["exact"]["share"]),
        (&Value::from(4), &Value::from(1.0))
    );
    assert_eq!(shift["speed"], 1.0);

    let page = fs::read_to_string(out.join("compare.html")).expect("a page");
    let markdown = fs::read_to_string(out.join("compare.md")).expect("a table");
    for name in NAMES.iter().chain(&["Marcel"]) {
        for text in [&page, &markdown, &report.to_string()] {
            assert!(!text.to_lowercase().contains(&name.to_lowercase()));
        }
    }
    assert!(
        !page.contains("http")
            && !page.contains("<script")
            && !page.contains("<link")
            && !page.contains("NaN")
    );
    assert_eq!(page.matches("<svg").count(), page.matches("<desc id=").count());
    assert!(page.matches("<svg").count() >= 9, "histograms, reliability and trade-offs");
    assert!(
        markdown.contains("| documents with nothing missed |  | 100.0 % | 100.0 % | 0.0 % |"),
        "{markdown}"
    );

    assert!(timeless(report) == timeless(run("4")), "threads change nothing");
}

#[test]
fn the_examples_are_compared_without_gold_and_losses_are_reported() {
    let examples = examples().display().to_string();
    let done = taire(&["compare", &examples, "--policies", "default,hybrid,fasdim"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let printed = String::from_utf8(done.stdout).expect("UTF-8");
    assert!(printed.contains("not annotated"));
    let line = |name: &str| {
        printed
            .lines()
            .find(|l| l.starts_with(&format!("| {name} |")))
            .unwrap_or_else(|| panic!("{name}"))
            .to_owned()
    };
    assert!(line("ε when all of these differ at once").contains("0.75"));
    assert!(line("documents refused").ends_with("| 0 | 0 | 0 |"));
    assert!(line("dates").contains("`ldp` | `mask`"));
    let kept = line("results with value and unit");
    let shares: Vec<f64> = kept.split(" | ").filter_map(|c| c.strip_suffix(" %")?.parse().ok()).collect();
    assert!(shares.iter().all(|&s| s > 90.0), "{kept}");
}

#[test]
fn wrong_comparisons_are_reported() {
    let examples = examples().display().to_string();
    for (policies, why) in [("fr,nothing-of-this-name", "nothing-of-this-name"), ("fr,fr", "named twice")] {
        let done = taire(&["compare", &examples, "--policies", policies]);
        assert_eq!(done.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&done.stderr).contains(why));
    }
    let empty = tempfile::tempdir().expect("a folder");
    let done = taire(&["compare", &empty.path().display().to_string(), "--policies", "fr"]);
    assert_eq!(done.status.code(), Some(2));
}

#[test]
fn a_board_reads_what_was_measured_and_what_was_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let notes = corpus(folder.path());
    let own = policy(folder.path(), "own", "\"structure\", \"pattern\", \"lexicon\"", "shift");
    assert!(taire(&["deid", &notes, "-o", &path("run"), "--policy", &own, "--quiet"]).status.success());
    let report = json(&fs::read(folder.path().join("run/report.json")).expect("a report"));
    assert_eq!(report["settings"][0]["rewrite"]["dates"]["method"], "shift");

    assert!(taire(&["report", &path("run"), "-o", &path("bare")]).status.success());
    let bare = fs::read_to_string(folder.path().join("bare/board.md")).expect("a report");
    for command in ["taire risk ORIGINALS", "taire retain ORIGINALS", "taire evaluate GOLD"] {
        assert!(bare.contains(command), "{command}");
    }
    assert!(bare.contains("one known date undoes it"));

    let released = path("run/notes.jsonl");
    assert!(taire(&["risk", &notes, &released, "--policy", &own, "-o", &path("risk")]).status.success());
    assert!(
        taire(&["detect", &notes, "-o", &path("found.jsonl"), "--policy", &own, "--quiet"]).status.success()
    );
    let scores = taire(&["evaluate", &notes, &path("found.jsonl"), "--format", "json"]);
    fs::write(path("eval.json"), scores.stdout).expect("written");
    // The whole folder: the run's own report is none of the documents.
    assert!(taire(&["retain", &notes, &path("run"), "-o", &path("kept")]).status.success());
    let done = taire(&[
        "report",
        &path("run"),
        "--retain",
        &path("kept/retain.json"),
        "--risk",
        &path("risk/risk.json"),
        "--scores",
        &path("eval.json"),
        "-o",
        &path("board"),
    ]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let board = fs::read_to_string(folder.path().join("board/board.md")).expect("a report");
    assert!(board.contains("nothing was missed in 100.0 % of them"), "{board}");
    assert!(
        board.contains(
            "| knows one true date of the patient, and works out the others to the day | 100.0 % ("
        )
    );
    assert!(!board.contains("taire risk ORIGINALS RUN_FOLDER -o"));
    assert!(board.contains("| diseases and symptoms (ICD-10) | 10 | 10 | 0 | 100.0 % |"), "{board}");
    let page = fs::read_to_string(folder.path().join("board/board.html")).expect("a page");
    for text in [&board, &page] {
        // Neither people nor the names of documents.
        for name in NAMES.iter().chain(&["Marcel", "d0-0", "notes.jsonl"]) {
            assert!(!text.contains(name), "{name}");
        }
    }
    assert!(!page.contains("http") && !page.contains("<script"));
}

#[test]
fn a_board_refuses_what_is_no_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let run = folder.path().join("run");
    fs::create_dir(&run).expect("made");
    let done = taire(&["report", &path("run"), "-o", &path("out")]);
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("give what `taire deid -o` writes"));
    fs::write(run.join("report.json"), "{\"documents\": \"Durand\"").expect("written");
    let done = taire(&["report", &path("run"), "-o", &path("out")]);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.code() == Some(2) && said.contains("not JSON") && !said.contains("Durand"), "{said}");
    assert!(!Path::new(&path("out")).exists());
}
