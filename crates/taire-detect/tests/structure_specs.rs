//! Runs the specs of headers, signatures and addresses: each bullet is a marked text, each block fenced as
//! `marked` a document, and exactly the marks must be found by the structure detector on annotated notes.

use std::fmt::Write as _;
use std::path::Path;

use taire_detect::{Detector, FusionRule, Structure, fuse, words};
use taire_lexicon::Annotator;
use taire_text::{Language, Note, marked};

fn compare(source: &str, annotator: &Annotator, language: Language) -> String {
    let wanted = marked::parse(&source.replace('⏎', "\n").replace('⇥', "\t"));
    let mut note =
        Note::builder("spec", wanted.text.as_str()).language(Some(language)).build().expect("short text");
    annotator.annotate(&mut note);
    let mut out = vec![Vec::new()];
    Structure.detect(std::slice::from_ref(&note), &mut out).expect("detectors read any text");
    let entities = fuse(note.raw(), out.pop().unwrap_or_default(), &FusionRule::default());
    let found: Vec<_> =
        entities.iter().map(|e| (e.span.of(note.raw()).to_owned(), e.label.name().to_owned())).collect();
    let wanted: Vec<_> =
        wanted.spans.iter().map(|(r, l)| (wanted.text[r.clone()].to_owned(), l.clone())).collect();
    let mut report = String::new();
    for (text, label) in wanted.iter().filter(|w| !found.contains(w)) {
        let _ = write!(report, "\n      missed [{text}]({label})");
    }
    for (text, label) in found.iter().filter(|f| !wanted.contains(f)) {
        let _ = write!(report, "\n      found  [{text}]({label})");
    }
    report
}

fn run(name: &str, language: Language) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs").join(name);
    let source = std::fs::read_to_string(path).expect("the spec file is in the repository");
    let annotator = Annotator::new(language, move |word| words::keyword(language, word));
    let (mut cases, mut failures, mut block): (usize, String, Option<String>) = (0, String::new(), None);
    for (number, line) in source.lines().enumerate() {
        let case = match (&mut block, line) {
            (None, "```marked") => {
                block = Some(String::new());
                continue;
            }
            (Some(_), "```") => block.take().unwrap_or_default(),
            (Some(text), line) => {
                text.push_str(line);
                text.push('\n');
                cases += 1;
                continue;
            }
            (None, line) => match line.strip_prefix("- ") {
                Some(text) => text.to_owned(),
                None => continue,
            },
        };
        cases += 1;
        let report = compare(&case, &annotator, language);
        if !report.is_empty() {
            let _ =
                write!(failures, "\n  {name}:{}: {}{report}", number + 1, case.lines().next().unwrap_or(""));
        }
    }
    assert!(cases >= 200, "{name} holds {cases} lines, expected 200 or more");
    assert!(failures.is_empty(), "some lines fail:{failures}");
}

#[test]
fn structure_in_french() {
    run("structure-fr.md", Language::Fr);
}

#[test]
fn structure_in_spanish() {
    run("structure-es.md", Language::Es);
}
