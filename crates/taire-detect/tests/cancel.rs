//! Detectors end inside a text that nobody waits for any more.

use taire_detect::{Detector, Lexical, Patterns, PeopleIndex, Structure};
use taire_lexicon::Annotator;
use taire_text::{CancelFlag, Language, Note};

const TEXT: &str =
    "Nom : KERVADEC\nPrénom : Aldegonde\nVue le 03/03/2019 par le Dr Yann LE GOFF, 02 98 41 77 05.\n";

fn note(cancel: Option<CancelFlag>) -> Note {
    let mut note = Note::builder("a", TEXT).language(Some(Language::Fr)).build().unwrap();
    Annotator::new(Language::Fr, |word| taire_detect::words::keyword(Language::Fr, word)).annotate(&mut note);
    note.cancel = cancel;
    note
}

#[test]
fn detectors_stop_inside_a_text() {
    let cancel = CancelFlag::default();
    cancel.cancel();
    let detectors: [&dyn Detector; 3] = [&Structure, &Patterns::new(), &Lexical];
    for detector in detectors {
        let found = |note: Note| {
            let mut out = [Vec::new()];
            detector.detect(&[note], &mut out).unwrap();
            out[0].len()
        };
        assert!(found(note(None)) > 0, "{:?}", detector.source());
        assert_eq!(found(note(Some(cancel.clone()))), 0, "{:?}", detector.source());
    }
    let mut staff = PeopleIndex::of_staff();
    staff.add_person(&["LE GOFF"], "Yann");
    let found = |note: Note| {
        let mut out = Vec::new();
        staff.find(&note, &mut out);
        out.len()
    };
    assert!(found(note(None)) > 0);
    assert_eq!(found(note(Some(cancel))), 0);
}
