//! Runs the literate specs under `specs/`: each bullet line is a marked text, and exactly its marks must be found.
//!
//! Lines without marks are must-not-hits. A heading that names a language in parentheses, `# … (es)`, sets it for
//! the file.

use std::fmt::Write as _;
use std::path::Path;

use taire_detect::{Detector, FusionRule, Patterns, fuse};
use taire_text::{Language, Mention, Note, marked};

/// What a spec file says of one line, against what was found; empty if they agree.
fn compare(line: &str, language: Language, detectors: &[&dyn Detector]) -> String {
    let wanted = marked::parse(line);
    let note = Note::builder("spec", wanted.text.replace("⏎", "\n").replace('⇥', "\t"))
        .language(Some(language))
        .build()
        .expect("a spec line is short");
    let mut out: Vec<Vec<Mention>> = vec![Vec::new()];
    for detector in detectors {
        detector.detect(std::slice::from_ref(&note), &mut out).expect("detectors read any text");
    }
    let entities = fuse(note.raw(), out.pop().unwrap_or_default(), &FusionRule::default());
    let found: Vec<_> = entities
        .iter()
        .map(|e| (e.span.of(note.raw()).replace('\n', "⏎"), e.label.name().to_owned()))
        .collect();
    let wanted: Vec<_> =
        wanted.spans.into_iter().map(|(r, label)| (wanted.text[r].to_owned(), label)).collect();
    let mut report = String::new();
    for (text, label) in wanted.iter().filter(|w| !found.contains(w)) {
        let _ = write!(report, "\n      missed [{text}]({label})");
    }
    for (text, label) in found.iter().filter(|f| !wanted.contains(f)) {
        let _ = write!(report, "\n      found  [{text}]({label})");
    }
    report
}

/// Runs every bullet of `specs/<name>` through the detectors and their fusion, and shows all lines that fail.
fn run_spec(name: &str, language: Language, detectors: &[&dyn Detector], at_least: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs").join(name);
    let source = std::fs::read_to_string(&path).expect("the spec file is in the repository");
    let mut failures = String::new();
    let (mut lines, mut failed) = (0, 0);
    for (number, line) in source.lines().enumerate() {
        let Some(text) = line.strip_prefix("- ") else { continue };
        lines += 1;
        let report = compare(text, language, detectors);
        if !report.is_empty() {
            failed += 1;
            let _ = write!(failures, "\n  {name}:{}: {text}{report}", number + 1);
        }
    }
    assert!(lines >= at_least, "{name} holds {lines} lines, expected {at_least} or more");
    assert!(failures.is_empty(), "{failed} of {lines} lines fail:{failures}");
}

#[test]
fn patterns_in_french() {
    run_spec("patterns-fr.md", Language::Fr, &[&Patterns::new()], 250);
}

#[test]
fn patterns_in_spanish() {
    run_spec("patterns-es.md", Language::Es, &[&Patterns::new()], 250);
}
