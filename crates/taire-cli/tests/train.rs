//! Training on a hospital's own gold, and using the model in a policy.

mod common;

use std::fmt::Write as _;
use std::path::Path;

use common::taire;
use taire_text::marked;

const GIVEN: &[&str] = &["Odile", "Yann", "Sabine", "Hugues", "Nadège", "Firmin", "Elvire", "Basile"];
const FAMILY: &[&str] = &["KERVELLEC", "BRANCHU", "TOURNEUX", "MALARD", "GOSSELET", "PERRAUD", "LEBAUPIN"];

/// Notes in a shape that no rule knows: the person follows `»`.
fn notes(from: usize, to: usize) -> String {
    let mut out = String::new();
    for i in from..to {
        let (given, family) = (GIVEN[i % 8], FAMILY[(i * 3 + i / 8) % 7]);
        let text = format!(
            "» [{given}](GivenName) [{family}](FamilyName) «\nDouleur depuis {} semaines, 20 mg par jour.\nRevu le [{}/{:02}/2019](Date).\n",
            2 + i % 5,
            1 + i % 28,
            1 + i % 12
        );
        let marked = marked::parse(&text);
        let place = |byte: usize| marked.text[..byte].chars().count();
        let spans: Vec<_> =
            marked.spans.iter().map(|(r, l)| serde_json::json!([place(r.start), place(r.end), l])).collect();
        let line = serde_json::json!({"id": format!("n{i}"), "text": marked.text, "spans": spans});
        writeln!(out, "{line}").unwrap();
    }
    out
}

fn policy(folder: &Path, language: &str, model: &str) -> String {
    let file = folder.join(format!("{language}-{}.toml", model.replace('.', "-")));
    let text = format!(
        "name = \"ours\"\nlanguage = \"{language}\"\n[detect]\nsources = [\"crf\"]\nmodel = \"{model}\"\n"
    );
    std::fs::write(&file, text).unwrap();
    file.display().to_string()
}

#[test]
fn trains_reports_and_detects() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("gold.jsonl"), notes(0, 60)).unwrap();
    let train = |model: &str, jobs: &str| {
        let args = ["train", "crf", "--gold", &path("gold.jsonl"), "--lang", "fr", "-o", &path(model)];
        taire(&[&args[..], &["--format", "json", "--iterations", "40", "--jobs", jobs]].concat())
    };
    let done = train("m.crf", "2");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((&report["documents"], &report["dev_documents"]), (&54.into(), &6.into()));
    assert!(report["dev"]["f1"].as_f64().unwrap() > 0.95, "{report}");
    assert!(report["labels"]["FamilyName"]["gold"].as_u64().unwrap() > 0);
    assert!(train("again.crf", "1").status.success());
    assert!(std::fs::read(path("m.crf")).unwrap() == std::fs::read(path("again.crf")).unwrap());

    std::fs::write(path("new.txt"), "» Armelle VAUCOULOUX «\nDouleur depuis 3 semaines.\n").unwrap();
    let ours = policy(folder.path(), "fr", "m.crf");
    let found = taire(&["detect", &path("new.txt"), "-o", &path("out.jsonl"), "--policy", &ours]);
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    let line: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path("out.jsonl")).unwrap()).unwrap();
    let spans: Vec<_> = line["spans"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| (s["start"].as_u64(), s["label"].as_str()))
        .collect();
    assert_eq!(spans, [(Some(2), Some("GivenName")), (Some(10), Some("FamilyName"))]);

    let bytes = std::fs::read(path("m.crf")).unwrap();
    std::fs::write(path("cut.crf"), &bytes[..bytes.len() / 2]).unwrap();
    std::fs::write(path("other.crf"), b"not a model at all, only some words").unwrap();
    let mut future = bytes;
    future[8] = 99;
    std::fs::write(path("future.crf"), future).unwrap();
    for (language, model, says) in [
        ("es", "m.crf", "trained for language `fr`"),
        ("fr", "cut.crf", "copy the file again"),
        ("fr", "other.crf", "not a CRF model"),
        ("fr", "future.crf", "format 99"),
        ("fr", "none.crf", "none.crf"),
    ] {
        let ours = policy(folder.path(), language, model);
        let refused = taire(&["detect", &path("new.txt"), "-o", &path("no.jsonl"), "--policy", &ours]);
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{model}: {message}");
        assert!(message.contains(says), "{model}: {message}");
    }
}

#[test]
fn gold_that_cannot_be_used_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("few.jsonl"), notes(0, 3)).unwrap();
    std::fs::write(path("odd.jsonl"), "{\"id\":\"a\",\"text\":\"Ana\",\"spans\":[[0,3,\"SIRNAME\"]]}\n")
        .unwrap();
    std::fs::write(path("far.jsonl"), "{\"id\":\"a\",\"text\":\"Ana\",\"spans\":[[0,9,\"City\"]]}\n")
        .unwrap();
    std::fs::write(path("bare.jsonl"), "{\"id\":\"a\",\"spans\":[[0,3,\"City\"]]}\n").unwrap();
    for (gold, says) in [
        ("few.jsonl", "too few"),
        ("odd.jsonl", "unknown label `SIRNAME`"),
        ("far.jsonl", "outside a text"),
        ("bare.jsonl", "no text"),
    ] {
        let refused = taire(&["train", "crf", "--gold", &path(gold), "--lang", "fr", "-o", &path("m.crf")]);
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{gold}: {message}");
        assert!(message.contains(says), "{gold}: {message}");
        assert!(!Path::new(&path("m.crf")).exists());
    }
}

#[test]
fn a_policy_whose_model_is_absent_says_what_to_do() {
    let letter = common::examples().join("fr").display().to_string();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("own.toml"), "extends = \"fr-deep\"\ndetect.transformer = \"ours\"").unwrap();
    for command in ["deid", "detect"] {
        let refused = taire(&[command, &letter, "-o", &path("out"), "--policy", &path("own.toml")]);
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{command}: {message}");
        assert!(message.contains("names a transformer"), "{command}: {message}");
        assert!(message.contains("taire train transformer"), "{command}: {message}");
        assert!(!Path::new(&path("out")).exists(), "{command}");
    }
}

#[test]
fn trains_a_transformer_that_a_policy_can_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("gold.jsonl"), notes(0, 60)).unwrap();
    let encoder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../taire-encoder/tests/families/minilm");
    let encoder = encoder.display().to_string();
    let args = ["train", "transformer", "--encoder", &encoder, "--gold", &path("gold.jsonl"), "--lang", "fr"];
    let rates = ["--rate", "2e-3", "--head-rate", "2e-2", "--epochs", "4", "--format", "json", "--quiet"];
    let done = taire(&[&args[..], &["-o", &path("deep")], &rates].concat());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert!(report["dev"]["f1"].as_f64().unwrap() > 0.8, "{report}");

    std::fs::write(path("new.txt"), "» Armelle VAUCOULOUX «\nDouleur depuis 3 semaines.\n").unwrap();
    let ours = |name: &str| {
        let text = format!(
            "name = \"ours\"\nlanguage = \"fr\"\n[detect]\nsources = [\"transformer\"]\ntransformer = \"{name}\"\n"
        );
        std::fs::write(path("ours.toml"), text).unwrap();
        taire(&["detect", &path("new.txt"), "-o", &path("out.jsonl"), "--policy", &path("ours.toml")])
    };
    let found = ours("deep");
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    let out = std::fs::read_to_string(path("out.jsonl")).unwrap();
    assert!(out.contains("FamilyName") && out.contains("transformer"), "{out}");
    let refused = ours("elsewhere");
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{message}");
    assert!(message.contains("no folder") && message.contains("taire train transformer"), "{message}");
    let hurt = |name: &str, bytes: &[u8]| {
        let folder = path(&format!("without-{name}"));
        std::fs::create_dir(&folder).unwrap();
        for file in std::fs::read_dir(path("deep")).unwrap().flatten() {
            std::fs::copy(file.path(), Path::new(&folder).join(file.file_name())).unwrap();
        }
        std::fs::write(Path::new(&folder).join(name), bytes).unwrap();
        let refused = ours(&format!("without-{name}"));
        assert_eq!(refused.status.code(), Some(2));
        String::from_utf8_lossy(&refused.stderr).into_owned()
    };
    let mut weights = std::fs::read(path("deep/model.safetensors")).unwrap();
    let header = 8 + u64::from_le_bytes(weights[..8].try_into().unwrap()) as usize;
    weights[header..header + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    let none = hurt("model.safetensors", &weights);
    assert!(none.contains("holds a number that is none (NaN or infinite)"), "{none}");
    let other = std::fs::read(Path::new(&encoder).join("../bert/tokenizer.json")).unwrap();
    let other = hurt("tokenizer.json", &other);
    assert!(other.contains("not of the same encoder") || other.contains("tokenizer.json is not"), "{other}");
    let empty = hurt("tagger.safetensors", b"");
    assert!(empty.contains("tagger.safetensors: too short"), "{empty}");
}

/// Tchouka 2022, §3.3: models learn from files of tokens and IOB labels (WikiNER, QUAERO), without documents in them.
#[test]
fn a_conll_file_trains_a_crf() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut lines = String::new();
    for i in 0..160 {
        let (given, family) = (GIVEN[i % 8], FAMILY[(i * 3 + i / 8) % 7]);
        write!(lines, "{given} B-PER\n{family} I-PER\nhabite O\nBermont B-LOC\n. O\n\n").unwrap();
        write!(lines, "Le O\nTour B-MISC\npasse O\n. O\n\n").unwrap();
    }
    std::fs::write(path("wikiner.conll"), lines).unwrap();
    let args = [
        "train",
        "crf",
        "--gold",
        &path("wikiner.conll"),
        "--scheme",
        "hnfc",
        "--lang",
        "fr",
        "-o",
        &path("m.crf"),
    ];
    let done = taire(&[&args[..], &["--format", "json", "--iterations", "20"]].concat());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(
        report["documents"].as_u64().unwrap() + report["dev_documents"].as_u64().unwrap(),
        16,
        "{report}"
    );
    assert!(report["dev"]["f1"].as_f64().unwrap() > 0.9, "{report}");
}
