//! The page of the book on the models that ship: the text of `cards.md` with figures from `scores/`.
//!
//! A test compares the committed page; `TAIRE_BLESS=1`, which `cargo xtask docs` sets, writes it instead.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::release::MODELS;

const TEMPLATE: &str = include_str!("../cards.md");

fn scores(root: &Path, name: &str) -> Value {
    let path = root.join("scores").join(name);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn percent(part: &Value, whole: &Value) -> String {
    format!("{:.1} %", 100.0 * part.as_f64().unwrap() / whole.as_f64().unwrap())
}

fn stamp(of: &Value, command: &str) -> String {
    let word = |key: &str| of[key].as_str().unwrap().to_owned();
    format!("`{command}` on {} at {}", word("date"), word("commit"))
}

/// Policies on the open corpus, one a line.
fn table_of_tiers<'a>(measured: impl Iterator<Item = &'a Value>) -> String {
    let mut out = "| policy | documents | direct identifiers wholly covered | documents with none left | indirect | detail | precision | KB a second of one core |\n\
                   |---|---:|---:|---:|---:|---:|---:|---:|"
        .to_owned();
    for row in measured {
        let scores = &row["scores"];
        let tier = |name: &str| percent(&scores[name]["wholly"], &scores[name]["n"]);
        let _ = write!(
            out,
            "\n| `{}` | {} | {} | {} | {} | {} | {} | {} |",
            row["policy"].as_str().unwrap(),
            scores["documents"],
            tier("direct"),
            percent(&scores["documents_direct_clean"], &scores["documents"]),
            tier("indirect"),
            tier("detail"),
            percent(&scores["found_chars_right"], &scores["found_chars"]),
            row["kilobytes_per_second"].as_f64().map_or("–".to_owned(), |speed| format!("{speed:.0}")),
        );
    }
    out
}

/// Corpora of others whose scores cover identifiers.
fn table_of_sets(detection: &Value) -> String {
    const FIGURES: [&str; 3] = ["identifiers wholly covered", "documents with nothing missed", "strict f1"];
    let mut out = format!("| policy | data | {} |\n|---|---|---:|---:|---:|", FIGURES.join(" | "));
    for set in detection["sets"].as_array().unwrap() {
        let find = |name: &str| {
            let figures = set["figures"].as_array().unwrap();
            figures.iter().find(|f| f["name"] == name).map(|f| f["value"].as_f64().unwrap())
        };
        let Some(values) = FIGURES.iter().map(|name| find(name)).collect::<Option<Vec<f64>>>() else {
            continue;
        };
        let policy = set["command"].as_str().unwrap().split("--policy ").nth(1).unwrap();
        let values: Vec<String> = values.iter().map(|v| format!("{v:.3}")).collect();
        let _ = write!(out, "\n| `{policy}` | {} | {} |", set["data"].as_str().unwrap(), values.join(" | "));
    }
    out
}

fn table_of_crf(ablation: &Value) -> String {
    let rows = ablation["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["sources"] == "crf alone").unwrap();
    let mut out =
        "| language | characters covered | documents with nothing missed | strict f1 |\n|---|---:|---:|---:|"
            .to_owned();
    for (key, name) in [("fr", "French"), ("es", "Spanish")] {
        let value = |figure: &str| row[key][figure].as_f64().unwrap();
        let (characters, clean) = (value("characters_covered"), value("documents_clean"));
        let _ = write!(out, "\n| {name} | {characters:.3} | {clean:.3} | {:.3} |", value("strict_f1"));
    }
    out
}

fn values(root: &Path) -> BTreeMap<String, String> {
    let [corpus, deep, detection, ablation] =
        ["corpus.json", "deep.json", "detection.json", "ablation.json"].map(|name| scores(root, name));
    let all = |of: &Value| of["measured"].as_array().unwrap().clone();
    let (policies, deep_policies) = (all(&corpus), all(&deep));
    let mut values = BTreeMap::new();
    let mut add = |key: &str, value: String| values.insert(key.to_owned(), value);
    add("stamp.corpus", stamp(&corpus["stamp"], "cargo measure corpus"));
    add("stamp.deep", stamp(&deep, deep["command"].as_str().unwrap()));
    add("stamp.detection", stamp(&detection, "cargo xtask score"));
    add("stamp.ablation", stamp(&ablation, "cargo xtask score --ablation"));
    add("table.corpus", table_of_tiers(policies.iter()));
    add("table.deep", table_of_tiers(deep_policies.iter().filter(|row| row["ships"] == true)));
    add("table.detection", table_of_sets(&detection));
    add("table.crf", table_of_crf(&ablation));
    for (name, _, files) in MODELS {
        let folder = root.join("crates/taire-models/data");
        let bytes: u64 = files.iter().map(|file| fs::metadata(folder.join(file)).unwrap().len()).sum();
        add(&format!("size.{name}"), format!("{:.1} MB", bytes as f64 / 1e6));
    }
    values
}

#[test]
fn the_model_cards_have_the_figures_of_the_scores() {
    let root = crate::root();
    let mut page = TEMPLATE.to_owned();
    for (key, value) in values(&root) {
        let place = format!("{{{key}}}");
        assert!(page.contains(&place), "cards.md has no place for {key}");
        page = page.replace(&place, &value);
    }
    assert!(!page.contains('{'), "cards.md has a place without a value");
    let path = root.join("docs/book/src/models.md");
    if std::env::var_os("TAIRE_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap();
    assert!(committed == page, "docs/book/src/models.md is stale; `cargo xtask docs` writes it again");
}

#[test]
fn the_cards_name_the_policies_that_use_each_model() {
    let root = crate::root();
    for (model, source) in [("student", "\"student\""), ("teacher", "\"transformer\"")] {
        let row = TEMPLATE.lines().find(|line| line.starts_with(&format!("| {model} |"))).unwrap();
        for entry in fs::read_dir(root.join("policies")).unwrap() {
            let path = entry.unwrap().path();
            let policy: toml::Table = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
            let Some(sources) = policy.get("detect").and_then(|detect| detect.get("sources")) else {
                continue;
            };
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let uses = sources.to_string().contains(source);
            assert_eq!(row.contains(&format!("`{name}`")), uses, "{model} in policy {name}");
        }
    }
}
