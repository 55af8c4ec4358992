//! `taire code` from end to end, on invented cases.

mod common;

use std::fmt::Write as _;
use std::path::Path;

use common::taire;

const DISEASES: [(&str, [&str; 2]); 4] = [
    ("I10", ["hypertension artérielle", "HTA connue"]),
    ("E11.9", ["diabète de type 2", "DNID"]),
    ("J18.9", ["pneumopathie", "foyer pulmonaire"]),
    ("N39.0", ["infection urinaire", "ECBU positif"]),
];

/// Cases of JSONL and their codes.
fn corpus(folder: &Path, from: usize, to: usize) -> (String, String) {
    let (mut documents, mut codes) = (String::new(), String::new());
    for i in from..to {
        let mut text =
            format!("Monsieur Armel VAUCOULOUX, né le {:02}/03/19{}, vu ce jour.\n", i % 27 + 1, 30 + i % 60);
        for (d, (code, ways)) in DISEASES.iter().enumerate() {
            if (i >> d) & 1 == 1 {
                let _ = writeln!(text, "On retient : {}.", ways[i / 16 % 2]);
                let _ = writeln!(codes, "case-{i}\t{code}");
            }
        }
        if i % 16 == 0 {
            let _ = writeln!(codes, "case-{i}\tZ00.0");
        }
        text += "Sortie à domicile, repos conseillé.";
        let _ = writeln!(documents, "{}", serde_json::json!({"id": format!("case-{i}"), "text": text}));
    }
    let path = |name: String| folder.join(name).display().to_string();
    let (a, b) = (path(format!("cases-{from}.jsonl")), path(format!("codes-{from}.tsv")));
    std::fs::write(&a, documents).unwrap();
    std::fs::write(&b, codes).unwrap();
    (a, b)
}

fn json(args: &[&str]) -> serde_json::Value {
    let done = taire(args);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).unwrap()
}

#[test]
fn trains_predicts_evaluates_and_compares() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (cases, codes) = corpus(folder.path(), 0, 96);
    let (fresh, fresh_codes) = corpus(folder.path(), 96, 128);
    let common =
        ["--codes", &codes, "--lang", "fr", "--width", "16", "--rate", "0.01", "--quiet", "--format", "json"];
    let train = |verb: &[&str], model: &str, more: &[&str]| {
        json(&[verb, &[cases.as_str(), "-o", &path(model)], &common, more].concat())
    };
    let report = train(&["code", "train"], "laat.coder", &["--jobs", "1"]);
    assert!(report["dev"]["f1"].as_f64().unwrap() > 0.9, "{report}");
    assert_eq!((report["labels"].as_u64(), report["documents"].as_u64()), (Some(5), Some(77)));
    // The other name, another number of threads: the same bytes.
    train(&["train", "coder"], "again.coder", &["--jobs", "2"]);
    assert!(std::fs::read(path("laat.coder")).unwrap() == std::fs::read(path("again.coder")).unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path("laat.coder")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "a coder holds words of the documents");
    }
    train(&["code", "train"], "bag.coder", &["--method", "bag"]);

    let scores = json(&[
        "code",
        "evaluate",
        &path("laat.coder"),
        &fresh,
        "--codes",
        &fresh_codes,
        "--against",
        &path("bag.coder"),
        "--format",
        "json",
    ]);
    assert!(scores["scores"]["micro"]["f1"].as_f64().unwrap() > 0.8, "{scores}");
    assert_eq!(scores["against"]["difference_interval"].as_array().unwrap().len(), 2);

    let note = "Patient vu ce jour.\nOn retient : DNID.\n";
    std::fs::write(path("new.txt"), note).unwrap();
    let said = json(&["code", "predict", &path("laat.coder"), &path("new.txt"), "--format", "json"]);
    let first = &said["codes"][0];
    assert_eq!(
        (first["code"].as_str(), first["words"][0]["text"].as_str()),
        (Some("E11"), Some("DNID")),
        "{said}"
    );
    assert!(first["label"].as_str().unwrap().contains("iabète"), "{said}");
    let start = first["words"][0]["start"].as_u64().unwrap() as usize;
    assert_eq!(note.chars().skip(start).take(4).collect::<String>(), "DNID");
    let shown = taire(&["code", "predict", &path("laat.coder"), &path("new.txt")]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("E11"));
}

#[test]
fn tells_what_de_identification_costs() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let (cases, codes) = corpus(folder.path(), 0, 96);
    let shown = out.display().to_string();
    let args =
        ["code", "utility", &cases, "--codes", &codes, "--lang", "fr", "--also", "bigeard", "--seeds", "2"];
    let report = json(
        &[
            &args[..],
            &[
                "--width", "16", "--rate", "0.01", "--epochs", "4", "--quiet", "--format", "json", "-o",
                &shown,
            ],
        ]
        .concat(),
    );
    let arms = report["arms"].as_array().unwrap();
    let names: Vec<&str> = arms.iter().map(|a| a["result"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["original", "surrogates", "tags", "policy bigeard"]);
    assert_eq!(arms[0]["result"]["loss"].as_f64(), Some(0.0));
    assert_eq!(arms[0]["words_changed"].as_f64(), Some(0.0));
    for arm in &arms[1..] {
        assert!(arm["words_changed"].as_f64().unwrap() > 0.05, "{report}");
        assert!(arm["result"]["micro"]["f1"].as_f64().unwrap() > 0.6, "{report}");
    }
    let page = std::fs::read_to_string(out.join("utility.md")).unwrap();
    assert!(page.contains("| surrogates |") && !page.contains("VAUCOULOUX"), "{page}");
    assert!(out.join("utility.json").exists() && out.join("utility.html").exists());
}

#[test]
fn what_cannot_be_used_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (cases, codes) = corpus(folder.path(), 0, 20);
    for (name, content) in [
        ("none.tsv", "elsewhere\tI10\n"),
        ("bad.tsv", "case-1\n"),
        ("no.coder", "%PDF"),
        ("few.jsonl", "{\"id\":\"case-1\",\"text\":\"toux\"}\n"),
    ] {
        std::fs::write(path(name), content).unwrap();
    }
    let model = path("m.coder");
    let train = |documents: &str, codes: &str| {
        taire(&["code", "train", documents, "--codes", codes, "--lang", "fr", "-o", &model])
    };
    for (done, says) in [
        (train(&cases, &path("none.tsv")), "no document has its id"),
        (train(&cases, &path("bad.tsv")), "line 1"),
        (train(&path("few.jsonl"), &codes), "too few"),
        (taire(&["code", "predict", &path("no.coder"), &cases]), "no coder"),
        (taire(&["code", "predict", &path("absent.coder"), &cases]), "absent.coder"),
    ] {
        let message = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{message}");
        assert!(message.contains(says), "{says}: {message}");
        assert!(!Path::new(&model).exists());
    }
}

/// Tchouka 2022, table 4 and figure 8: the codes of letters before and after, document by document.
#[test]
fn codes_before_and_after_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("before.tsv"), "a\tI10\na\tE11.9\nb\tJ18.9\n").unwrap();
    std::fs::write(path("after.tsv"), "a\tI10\nb\tJ18.9\nb\tN39.0\n").unwrap();
    let found = json(&["code", "compare", &path("before.tsv"), &path("after.tsv"), "--format", "json"]);
    assert_eq!((&found["documents"], &found["equal"]), (&2.into(), &0.into()), "{found}");
    assert!((found["f1"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9, "{found}");
    assert_eq!(found["each"][0]["jaccard"], 0.5);
    let done = taire(&["code", "compare", &path("before.tsv"), &path("after.tsv"), "--each"]);
    assert!(String::from_utf8_lossy(&done.stdout).contains("mean Jaccard index"), "{done:?}");
}
