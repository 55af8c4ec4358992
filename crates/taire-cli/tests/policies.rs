//! Policies that people write: `extends`, actions by label, own rules, `policy show` and `policy check`, what is counted.

mod common;

use std::fs;

use common::{Folder, taire};
use serde_json::{Value, json};

const LETTER: &str = "Madame Aldegonde KERVADEC, née le 03/05/1950, habite au 12 rue des Lilas, 29200 Brest. Elle est couturière. \
    Vue le 12/03/2014 au CHU de Brest par le Dr Le Goff.";

/// The letter under a policy, and the report of the run.
fn deid(folder: &Folder, policy: &str, text: &str) -> (String, Value) {
    let policy = folder.write("own.toml", policy);
    let line = json!({"id": "a", "text": text, "patient": "800417", "lang": "fr"}).to_string();
    let input = folder.write("in.jsonl", &line);
    let out = folder.path("out.jsonl");
    let done = taire(&["deid", &input, "-o", &out, "--policy", &policy, "--format", "json", "--quiet"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let row: Value = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    (row["text"].as_str().unwrap().to_owned(), serde_json::from_slice(&done.stdout).unwrap())
}

fn policy_error(folder: &Folder, policy: &str) -> String {
    let path = folder.write("wrong.toml", policy);
    let done = taire(&["policy", "check", &path]);
    assert_eq!(done.status.code(), Some(2), "{policy}");
    String::from_utf8(done.stderr).unwrap()
}

#[test]
fn a_short_policy_of_ones_own_does_not_lose_the_model() {
    let folder = Folder::new();
    for text in ["extends = \"fr\"\n[rewrite.labels]\nCity = \"tag\"", "[rewrite.labels]\nCity = \"tag\""] {
        let policy = folder.write("own.toml", text);
        let shown = taire(&["policy", "show", &policy]);
        let shown = String::from_utf8(shown.stdout).unwrap();
        assert!(shown.contains("\"student\""), "{shown}");
        assert!(shown.contains("name = \"own\""), "{shown}");
    }
}

#[test]
fn a_kept_town_keeps_its_postal_code() {
    let folder = Folder::new();
    let (text, _) = deid(&folder, "extends = \"fr\"\n[rewrite.labels]\nCity = \"keep\"", LETTER);
    assert!(text.contains("29200 Brest"), "{text}");
    assert!(!text.contains("KERVADEC") && !text.contains("Lilas"), "{text}");
}

#[test]
fn a_generalised_birth_date_is_a_year_and_not_a_tag() {
    let folder = Folder::new();
    let policy = "extends = \"fr\"\n[rewrite.labels]\nBirthDate = \"generalise\"\nDate = \"generalise\"";
    let (text, report) = deid(&folder, policy, LETTER);
    assert!(text.contains("née le 1950,") && text.contains("Vue le 2014 "), "{text}");
    assert!(!text.contains('<') && !text.contains("03/05"), "{text}");
    assert!(report["fallbacks"].as_object().unwrap().is_empty());
    let month = format!("{policy}\n[rewrite.generalise]\ndates = \"month\"");
    assert!(deid(&folder, &month, LETTER).0.contains("mai 1950"));
}

#[test]
fn own_patterns_deny_lists_and_allowed_words_work_from_the_policy_file() {
    let folder = Folder::new();
    folder.write("sites.txt", "# where patients come from\nles glycines\n");
    let policy = "extends = \"fr\"\n\
        [[detect.patterns]]\nname = \"study\"\nlabel = \"OtherId\"\nregex = 'étude ([A-Z]{3}-\\d{3})'\n\
        [[detect.deny]]\nlabel = \"Institution\"\nfile = \"sites.txt\"\n\
        [[detect.allow]]\nwords = [\"Le Goff\"]\n\
        [rewrite.labels]\nOtherId = \"tag\"\nInstitution = \"tag\"";
    let text = format!("{LETTER} Elle vit aux Glycines, dans l'étude ABC-123. Foyer Les Glycines.");
    let (text, report) = deid(&folder, policy, &text);
    assert!(text.contains("étude <OtherId>."), "{text}");
    assert!(!text.contains("Les Glycines"), "{text}");
    assert!(text.contains("Dr Le Goff"), "{text}");
    assert!(!text.contains("KERVADEC"), "{text}");
    // The report is shared with the documents.
    let settings = report["settings"].to_string();
    assert!(settings.contains("sites.txt") && !settings.contains("Goff") && !settings.contains("[A-Z]"));
}

#[test]
fn a_known_patient_outweighs_allowed_words() {
    let folder = Folder::new();
    let policy = folder.write("own.toml", "extends = \"fr\"\n[[detect.allow]]\nwords = [\"Kervadec\"]");
    let known = json!({"family_name": "KERVADEC"});
    let line = json!({"id": "a", "text": LETTER, "patient": "1", "lang": "fr", "known": known}).to_string();
    let input = folder.write("in.jsonl", &line);
    let out = folder.path("out.jsonl");
    assert!(taire(&["deid", &input, "-o", &out, "--policy", &policy, "--quiet"]).status.success());
    assert!(!fs::read_to_string(&out).unwrap().contains("KERVADEC"));
}

#[test]
fn policy_show_prints_the_effective_action_of_each_label() {
    let folder = Folder::new();
    let own =
        "extends = \"fr\"\n[rewrite.groups]\nOrganisation = \"mask\"\n[rewrite.labels]\nCity = \"keep\"";
    let policy = folder.write("own.toml", own);
    let shown = String::from_utf8(taire(&["policy", "show", &policy]).stdout).unwrap();
    let says = |label: &str| {
        let line = shown.lines().find(|l| l.split_whitespace().nth(1) == Some(label));
        line.unwrap_or_default().split_whitespace().skip(2).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(says("City"), "keep (rewrite.labels)");
    assert_eq!(says("PostalCode"), "keep (follows City)");
    assert_eq!(says("Hospital"), "mask (rewrite.groups)");
    assert_eq!(says("FamilyName"), "surrogate (default)");
    // What it prints is a policy.
    let again = folder.write("again.toml", &shown);
    assert!(taire(&["policy", "check", &again]).status.success());
}

#[test]
fn policy_check_names_unknown_keys_with_the_nearest_known_one() {
    let folder = Folder::new();
    let error = policy_error(
        &folder,
        "extends = \"fr\"\n[rewrite.lables]\nCity = \"keep\"\n[detect]\ntreshold = 0.4\n",
    );
    assert!(
        error.contains("line 2: unknown key `rewrite.lables`; did you mean `rewrite.labels`?"),
        "{error}"
    );
    assert!(
        error.contains("line 5: unknown key `detect.treshold`; did you mean `detect.threshold`?"),
        "{error}"
    );
    let error = policy_error(&folder, "extends = \"fr\"\n[rewrite.labels]\nPostcode = \"keep\"\n");
    assert!(error.contains("did you mean `rewrite.labels.PostalCode`?"), "{error}");
    let error = policy_error(&folder, "extends = \"fr\"\n[rewrite.labels]\nFamilyName = \"generalise\"\n");
    assert!(error.contains("choose surrogate, tag"), "{error}");
}

#[test]
fn policy_check_opens_every_file_that_the_policy_names() {
    let folder = Folder::new();
    for policy in [
        "extends = \"fr\"\n[[detect.deny]]\nlabel = \"City\"\nfile = \"absent.txt\"",
        "extends = \"fr\"\n[[detect.allow]]\nfile = \"absent.txt\"",
        "extends = \"fr\"\ndetect.student = \"absent.bin\"",
        "extends = \"fasdim\"\ndetect.allow_lists = [\"absent.tsv\"]",
        "extends = \"fr-deep\"\ndetect.transformer = \"absent\"",
        "extends = \"metric\"\nrewrite.indicators = \"absent.csv\"",
        "extends = \"absent.toml\"",
    ] {
        let error = policy_error(&folder, policy);
        assert!(error.contains("absent"), "{policy}: {error}");
    }
    assert!(taire(&["policy", "check", "fr"]).status.success());
}

#[test]
fn what_the_policy_keeps_is_counted_as_kept() {
    let folder = Folder::new();
    let (text, report) = deid(&folder, "extends = \"fr\"\n[rewrite.labels]\nCity = \"keep\"", LETTER);
    assert!(text.contains("couturière") && text.contains("Brest"), "{text}");
    assert_eq!(report["labels"]["City"], Value::Null, "{report}");
    assert!(report["kept"]["City"].as_u64() >= Some(1), "{report}");
    assert!(report["kept"]["Profession"].as_u64() >= Some(1), "{report}");
    assert!(report["labels"]["FamilyName"].as_u64() >= Some(1) && report["kept"]["FamilyName"].is_null());
    let markdown = fs::read_to_string(folder.path("report.md")).unwrap_or_default();
    assert!(markdown.is_empty() || markdown.contains("can still be read"), "{markdown}");
}

#[test]
fn the_board_report_leads_with_the_strongest_attack() {
    let folder = Folder::new();
    fs::create_dir(folder.path("run")).unwrap();
    folder.write(
        "run/report.json",
        json!({"documents": {"read": 1}, "labels": {}, "policies": []}).to_string(),
    );
    let share = |share: f64| json!({"attack": {"tries": 100, "hits": (100.0 * share) as u64, "share": share, "low": 0.0, "high": 1.0}});
    let attacks =
        json!({"known_date": share(0.02), "register": share(0.61), "known_number_with_key": share(1.0)});
    let risk = json!({"attacks": attacks, "intervals": {}, "anonymity": {}, "documents": 1, "records": 1});
    folder.write("run/risk.json", risk.to_string());
    let done = taire(&["report", &folder.path("run"), "-o", &folder.path("board")]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let board = fs::read_to_string(folder.path("board/board.md")).unwrap();
    let short = board.split("## ").nth(1).unwrap();
    assert!(short.contains("61.0 %") && short.contains("register of birth dates"), "{short}");
    assert!(!short.contains("2.0 %"), "{short}");
    let place = |what: &str| board.find(what).unwrap();
    assert!(place("61.0 % (61 of 100") < place("2.0 % (2 of 100"), "{board}");
}
