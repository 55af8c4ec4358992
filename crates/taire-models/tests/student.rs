//! The student learns, gives the same bytes whatever the threads and interruptions, and refuses broken files.

use taire_detect::Detector;
use taire_models::{
    Error, GoldDocument, GoldSpan, LabelSet, StudentCorpus, StudentDetector, StudentDocument, StudentOptions,
    train_student,
};
use taire_text::{Label, Language, Note, Source, Span};

const CLASSES: [Label; 3] = [Label::GivenName, Label::FamilyName, Label::City];

/// Letters of three people in three towns.
struct Letters;

fn document(text: &str, parts: &[(&str, &str)]) -> StudentDocument {
    let note = Note::builder("a", text).language(Some(Language::Fr)).build().unwrap();
    let span = |&(part, class): &(&str, &str)| {
        let at = text.find(part).unwrap();
        GoldSpan { span: Span::new(at, at + part.len()), class: class.into() }
    };
    let gold = GoldDocument { note, mentions: Vec::new(), spans: parts.iter().map(span).collect() };
    StudentDocument { gold, unmarked: LabelSet::default(), unannotated: false }
}

impl StudentCorpus for Letters {
    fn epoch(&mut self, _: usize) -> Result<Vec<StudentDocument>, Error> {
        let people = [("Anna", "VIDAL", "Nantes"), ("Marc", "SOREL", "Lille"), ("Zoé", "BRUN", "Brest")];
        let letter = |&(given, family, town): &(&str, &str, &str)| {
            let text =
                format!("Madame {given} {family} vient ce jour.\nElle habite à {town} depuis longtemps.");
            document(&text, &[(given, "GivenName"), (family, "FamilyName"), (town, "City")])
        };
        Ok(people.iter().map(letter).collect())
    }
}

fn options(threads: usize) -> StudentOptions {
    StudentOptions {
        epochs: 30,
        width: 16,
        dilations: vec![1, 2],
        word_rows: 256,
        affix_rows: 64,
        shape_rows: 32,
        trigram_rows: 64,
        chunk_rows: 64,
        rate: 2e-2,
        batch: 20,
        threads,
        ..StudentOptions::default()
    }
}

/// Trains; fails at an epoch if asked, as a kill would.
fn train(folder: &std::path::Path, threads: usize, fails_at: Option<usize>) -> Result<Vec<u8>, Error> {
    let mut judge = |epoch: usize, _: &[u8]| match fails_at == Some(epoch) {
        true => Err(Error::new("killed")),
        false => Ok(epoch as f32),
    };
    let output = folder.join("m.student");
    train_student(&mut Letters, &CLASSES, &options(threads), &output, (&mut judge, &mut |_| {}))
}

#[test]
fn learns_and_finds_in_other_words() {
    let folder = tempfile::tempdir().unwrap();
    let detector = StudentDetector::from_bytes(&train(folder.path(), 1, None).unwrap()).unwrap();
    assert_eq!(detector.labels(), CLASSES);
    let text = "Madame Lise MAREC vient ce jour.\nElle habite à Rennes depuis longtemps.";
    let note = Note::builder("b", text).language(Some(Language::Fr)).build().unwrap();
    let mut out = [Vec::new()];
    detector.detect(&[note], &mut out).unwrap();
    let found: Vec<_> = out[0].iter().filter_map(|m| Some((m.span.of(text), m.label()?))).collect();
    assert_eq!(found, [("Lise", Label::GivenName), ("MAREC", Label::FamilyName), ("Rennes", Label::City)]);
    assert!(out[0].iter().all(|m| m.source == Source::Student && m.score.get() > 0.5));
}

#[test]
fn threads_and_interruptions_do_not_change_a_byte() {
    let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    let one = train(folders[0].path(), 1, None).unwrap();
    let two = train(folders[1].path(), 2, None).unwrap();
    assert!(one == two, "two threads gave another model");
    assert!(train(folders[2].path(), 1, Some(17)).is_err());
    let resumed = train(folders[2].path(), 2, None).unwrap();
    assert!(one == resumed, "a run that was interrupted gave another model");
}

#[test]
fn a_state_of_other_options_and_broken_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = train(folder.path(), 1, None).unwrap();
    let other = StudentOptions { rate: 1e-2, ..options(1) };
    let output = folder.path().join("m.student");
    let error = train_student(&mut Letters, &CLASSES, &other, &output, (&mut |_, _| Ok(0.0), &mut |_| {}))
        .unwrap_err();
    assert!(error.to_string().contains("options changed"), "{error}");
    let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
    for broken in [&bytes[..bytes.len() / 2], &bytes[..10], b"{}\n", b"", &longer] {
        assert!(StudentDetector::from_bytes(broken).is_err());
    }
}
