//! Training on a few invented letters, and detecting with the model that comes out.

use taire_detect::Detector;
use taire_models::{CrfDetector, GoldDocument, GoldSpan, TrainOptions, train};
use taire_text::{Label, Mention, Note, Role, Source, Span, marked};

const NAMES: &[&str] = &["Lucía", "Mateo", "Irene", "Hugo", "Olga", "Bruno", "Vera", "Dario"];
const FAMILIES: &[&str] = &["Roldán", "Cuesta", "Vidal", "Prieto", "Sáenz", "Lozano", "Marín", "Peña"];

fn letter(i: usize) -> GoldDocument {
    let (given, family) = (NAMES[i % 8], FAMILIES[(i * 3 + i / 8) % 8]);
    let (day, month) = (1 + i % 27, 1 + i % 12);
    let other = FAMILIES[(i + 5) % 8];
    gold(&format!(
        "Nombre: [{given}](Name:Patient).\nApellidos: [{family}](Name:Patient).\n\
         Fecha: [{day}/{month}/2015](Date).\nMédico: Dr. [{} {other}](Name:Caregiver).\n\
         Paciente de [{} años](Age) con dolor de {} semanas, tratado con 20 mg cada 8 horas.\n",
        NAMES[(i + 3) % 8],
        20 + i,
        2 + i % 5,
    ))
}

fn gold(text: &str) -> GoldDocument {
    let marked = marked::parse(text);
    let spans = marked
        .spans
        .into_iter()
        .map(|(range, class)| GoldSpan { span: Span::new(range.start, range.end), class })
        .collect();
    GoldDocument { note: Note::builder("a", marked.text).build().unwrap(), mentions: vec![], spans }
}

fn options() -> TrainOptions {
    TrainOptions { threads: 2, max_iterations: 60, min_count: 1, ..TrainOptions::default() }
}

fn mentions(detector: &CrfDetector, note: &Note) -> Vec<(String, Label, Role)> {
    let mut out = vec![Vec::new()];
    detector.detect(std::slice::from_ref(note), &mut out).unwrap();
    let seen = |m: &Mention| (m.span.of(note.raw()).to_owned(), m.label().unwrap(), m.role);
    assert!(out[0].iter().all(|m| m.source == Source::Crf && m.score.get() > 0.0));
    out[0].iter().map(seen).collect()
}

#[test]
fn learns_letters_and_splits_whole_names() {
    let train_set: Vec<_> = (0..40).map(letter).collect();
    let dev: Vec<_> = (50..56).map(letter).collect();
    let mut steps = 0;
    let (bytes, report) = train(&train_set, &dev, &options(), &mut |_| steps += 1).unwrap();
    assert_eq!(steps, report.iterations);
    assert_eq!((report.documents, report.spans_dropped, report.spans_inside_tokens), (40, 0, 0));
    assert!(report.dev.unwrap().f1() > 0.95, "{report}");
    let detector = CrfDetector::from_bytes(&bytes).unwrap();
    let note = Note::builder("b", "Nombre: Amaya.\nApellidos: Quiroga.\nMédico: Dr. Julio Ferrer.\n");
    let got = mentions(&detector, &note.build().unwrap());
    let expected = [
        ("Amaya", Label::GivenName, Role::Patient),
        ("Quiroga", Label::FamilyName, Role::Patient),
        ("Julio", Label::GivenName, Role::Caregiver),
        ("Ferrer", Label::FamilyName, Role::Caregiver),
    ];
    assert_eq!(got, expected.map(|(text, label, role)| (text.to_owned(), label, role)));
}

#[test]
fn the_same_gold_gives_the_same_bytes() {
    let train_set: Vec<_> = (0..12).map(letter).collect();
    let run = |threads| {
        let options = TrainOptions { threads, max_iterations: 25, ..options() };
        train(&train_set, &[], &options, &mut |_| ()).unwrap().0
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn mentions_of_other_detectors_are_features() {
    // Only the pattern's mention separates the two kinds of number.
    let document = |i: usize| {
        let number = 100_000 + i * 7919 % 900_000;
        let secret = i.is_multiple_of(2);
        let mut document =
            gold(&if secret { format!("x [{number}](OtherId) y\n") } else { format!("x {number} y\n") });
        if secret {
            document.mentions =
                vec![Mention::phi(Span::new(2, 8), Label::OtherId, 0.5, Source::Pattern, "run of digits")];
        }
        document
    };
    let train_set: Vec<_> = (0..60).map(document).collect();
    let options = TrainOptions { sources: vec![Source::Pattern], ..options() };
    let (bytes, _) = train(&train_set, &[], &options, &mut |_| ()).unwrap();
    let detector = CrfDetector::from_bytes(&bytes).unwrap();
    assert!(detector.uses(Source::Pattern) && !detector.uses(Source::Lexicon));
    for i in 60..70 {
        let document = document(i);
        let mut out = vec![document.mentions.clone()];
        let before = out[0].len();
        detector.detect(std::slice::from_ref(&document.note), &mut out).unwrap();
        assert_eq!(out[0].len() - before, before, "number {i}");
    }
}

#[test]
fn gold_that_cannot_be_learned_from_is_refused() {
    let none = train(&[gold("nada")], &[], &options(), &mut |_| ()).unwrap_err().to_string();
    assert!(none.contains("no span"), "{none}");
    let odd = train(&[gold("[Ana](Persona)")], &[], &options(), &mut |_| ()).unwrap_err().to_string();
    assert!(odd.contains("unknown label `Persona`"), "{odd}");
}

#[test]
fn empty_and_strange_notes_are_read() {
    let train_set: Vec<_> = (0..8).map(letter).collect();
    let (bytes, _) = train(&train_set, &[], &options(), &mut |_| ()).unwrap();
    let detector = CrfDetector::from_bytes(&bytes).unwrap();
    let long = "palabra ".repeat(5000);
    for text in ["", "\n\n\n", ":", "::::\n:", "\u{301}", "12/12", &long] {
        mentions(&detector, &Note::builder("c", text).build().unwrap());
    }
}
