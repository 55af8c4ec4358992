//! What a Rust program gets without the command line.

use std::fs;
use std::path::{Path, PathBuf};

use taire::SecretKey;
use taire_assess::{
    BoardFiles, CompareOptions, RetainOptions, UtilityOptions, board_report, compare_policies,
    measure_retention, measure_utility,
};
use taire_coding::{CodedDocuments, Method, Options};

fn notes(folder: &Path, name: &str, texts: &[&str]) -> PathBuf {
    let line = |(i, text): (usize, &&str)| {
        serde_json::json!({"id": format!("d{i}"), "patient": format!("70{i}"), "text": text}).to_string()
            + "\n"
    };
    let path = folder.join(name);
    fs::write(&path, texts.iter().enumerate().map(line).collect::<String>()).expect("written");
    path
}

#[test]
fn retention_counts_lost_terms_and_reports_unreadable_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let original = notes(
        folder.path(),
        "a.jsonl",
        &["Mme Aldegonde KERVADEC. Insuffisance cardiaque.", "Diabète de type 2."],
    );
    let released = folder.path().join("out");
    fs::create_dir(&released).expect("made");
    notes(&released, "a.jsonl", &["Mme Odile BOSSUET. Insuffisance cardiaque.", "Rien."]);
    fs::write(released.join("broken.docx"), b"PK\x03\x04 not a document").expect("written");
    let mut refused = Vec::new();
    let report = measure_retention(&original, &released, &RetainOptions::default(), &mut |refusal| {
        refused.push(refusal.document.clone());
    })
    .expect("both corpora are read");
    assert_eq!((report.documents, report.refused, refused.len()), (2, 1, 1));
    assert!(report.all.kept >= 1 && report.all.lost >= 1, "{report:?}");
    assert!(report.is_below(1.0) && !report.is_below(0.0));
    assert_eq!(report.lost.to_csv().lines().count(), 1 + report.lost.len());
    assert!(!format!("{report:?}").to_lowercase().contains("diab"), "debug output shows counts only");
}

#[test]
fn one_comparison_gives_figures_json_and_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let texts =
        ["M. Marcel SWANN, vu le 12/03/2019 et le 20/03/2019.", "Mme Odile BERGOTTE, vue le 02/05/2019."];
    let options = CompareOptions {
        inputs: vec![notes(folder.path(), "notes.jsonl", &texts)],
        policies: vec!["default".into(), "fasdim".into()],
        ..CompareOptions::default()
    };
    let comparison = compare_policies(&options, &mut |_| {}).expect("policies are compared");
    assert_eq!((comparison.documents, comparison.policies.len()), (2, 2));
    assert!(!comparison.has_refusals());
    assert!(comparison.policies[0].spans >= 4);
    assert!(comparison.to_json().expect("JSON").contains("\"command\": \"compare\""));
    assert!(comparison.to_page().markdown().contains("The key was made from the seed"));
    let twice = CompareOptions { policies: vec!["fr".into(), "fr".into()], ..options };
    assert!(compare_policies(&twice, &mut |_| {}).is_err());
}

#[test]
fn board_report_needs_the_report_of_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = BoardFiles { run: folder.path().to_owned(), ..BoardFiles::default() };
    assert!(board_report(&files).is_err());
    let report =
        r#"{"documents": {"read": 2, "written": 1, "refused": 1}, "labels": {}, "policies": ["fr"]}"#;
    fs::write(folder.path().join("report.json"), report).expect("written");
    let page = board_report(&files).expect("a page").markdown();
    assert!(page.contains("2 documents were read, 1 written and 1 refused"), "{page}");
    assert!(page.contains("The risk was not measured."), "{page}");
}

#[test]
fn utility_compares_the_original_with_surrogates_and_tags() {
    let folder = tempfile::tempdir().expect("a folder");
    let diseases = [("diabète de type 2", "E11.9"), ("infection urinaire", "N39.0")];
    let (mut documents, mut codes) = (Vec::new(), String::new());
    for i in 0..12 {
        let (disease, code) = diseases[i % 2];
        documents
            .push(taire::Document::new(format!("d{i}"), format!("Mme KERVADEC, suivie pour {disease}.")));
        codes += &format!("d{i}\t{code}\n");
    }
    let table = folder.path().join("codes.tsv");
    fs::write(&table, codes).expect("written");
    let coded = CodedDocuments::join(documents, &table).expect("joined");
    let options = UtilityOptions {
        coder: Options { method: Method::Bag, threads: 1, ..Options::default() },
        labels: None,
        policy: Some("fr".into()),
        also: Vec::new(),
        key: SecretKey::from_bytes(&[7; 32]).expect("a key"),
        seeds: 1,
        test: None,
    };
    let report = measure_utility(&coded, &options, &mut |_| {}, &mut |_, _, _| {}).expect("trained");
    let names: Vec<_> = report.arms.iter().map(|arm| arm.result.name.as_str()).collect();
    assert_eq!(names, ["original", "surrogates", "tags"]);
    assert_eq!(report.arms[0].words_changed, 0.0);
    assert!(report.arms[2].words_changed > 0.0);
    assert_eq!(report.documents, 12);
}
