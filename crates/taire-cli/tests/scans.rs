//! Scanned letters through `deid`. Needs `tesseract` with French and Spanish; without it these tests fail.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{searchable, taire, unpacked};

const WORDS: &[&str] = &["escoub", "philom", "trepanier", "hildegarde", "anselme", "arbizon"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/office").join(name)
}

/// Treats a scan with its identity file; gives the folder, with what was written in `out`.
fn treat(name: &str, options: &[&str]) -> (tempfile::TempDir, Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(path("in")).unwrap();
    fs::copy(fixture(name), folder.path().join("in").join(name)).unwrap();
    fs::copy(fixture("identity.json"), path("in/identity.json")).unwrap();
    let (input, out) = (path("in"), path("out"));
    let done = taire(&[&["deid", &input, "-o", &out], options].concat());
    (folder, done.status.code(), String::from_utf8(done.stderr).unwrap())
}

/// The documents of a kind that were written; names of files may be replaced.
fn written(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(folder.join("out")).unwrap().flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|e| e == extension)).collect()
}

/// What OCR reads in a file.
fn text_of(path: &Path) -> String {
    let out = path.with_extension("jsonl");
    let done = taire(&["detect", path.to_str().unwrap(), "-o", out.to_str().unwrap(), "--to", "jsonl"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let line: serde_json::Value = serde_json::from_str(&fs::read_to_string(out).unwrap()).unwrap();
    line["text"].as_str().unwrap().to_owned()
}

#[test]
fn scans_come_back_covered() {
    for (name, extension, start) in [("lettre.png", "png", &b"\x89PNG"[..]), ("scan.pdf", "pdf", b"%PDF")] {
        let (folder, status, said) = treat(name, &[]);
        assert_eq!(status, Some(0), "{name}: {said}");
        let path = written(folder.path(), extension).pop().expect("a scan was written");
        let bytes = fs::read(&path).unwrap();
        assert!(bytes.starts_with(start));
        for (part, bytes) in unpacked(&bytes) {
            let words = searchable(&String::from_utf8_lossy(&bytes));
            assert!(!["escoub", "philom"].iter().any(|word| words.contains(word)), "{name}, part {part}");
        }
        let report = fs::read_to_string(folder.path().join("out/report.md")).unwrap();
        assert!(report.contains("document properties") && report.contains("regions of scans"), "{report}");
        let text = text_of(&path);
        let words = searchable(&text);
        for word in WORDS {
            assert!(!words.contains(word), "{word} can be read in {name}:\n{text}");
        }
        assert!(!text.contains("7719046502") && !text.contains("04/11/1952"), "{text}");
        for kept in ["polyarthrite", "méthotrexate 15 mg", "maladie de Basedow"] {
            assert!(text.contains(kept), "{name} lost {kept}:\n{text}");
        }
    }
}

#[test]
fn unread_parts_are_refused_or_reported_as_asked() {
    let (folder, status, said) = treat("lettre.png", &["--refuse-images"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("OCR does not read all of it") && written(folder.path(), "png").is_empty());
    let (folder, status, said) = treat("lettre.png", &["--keep-unread"]);
    assert_eq!(status, Some(0), "{said}");
    let report = fs::read_to_string(folder.path().join("out/report.md")).unwrap();
    assert!(report.contains("## Not treated, and still in what was written"), "{report}");
}

#[test]
fn without_ocr_a_scan_is_refused_with_what_to_install() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let done = Command::new(env!("CARGO_BIN_EXE_taire"))
        .args(["deid", fixture("lettre.png").to_str().unwrap(), "-o", out.to_str().unwrap()])
        .env("PATH", folder.path())
        .env_remove("TAIRE_KEY_FILE")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("tesseract-ocr tesseract-ocr-fra tesseract-ocr-spa"), "{said}");
    assert!(written(folder.path(), "png").is_empty());
}
