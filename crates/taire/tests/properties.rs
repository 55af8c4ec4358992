//! What must hold for any document: spans in bounds and disjoint, bytes outside them untouched, the same key the same
//! output, and no known identity in the result.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use taire::{Engine, SecretKey};
use taire_text::{Address, KnownIdentity, Language, Note, fold};

static ENGINE: LazyLock<Engine> = LazyLock::new(|| engine(7));

fn engine(seed: u8) -> Engine {
    let key = SecretKey::from_bytes(&[seed; 32]).unwrap();
    Engine::new(None, None, Some(&key)).unwrap()
}

fn known() -> Arc<KnownIdentity> {
    Arc::new(KnownIdentity {
        patient: taire_text::PatientId::parse("p1"),
        family_name: Some("Quevauvilliers".into()),
        birth_name: Some("Thouvignon".into()),
        given_names: vec!["Apolline".into()],
        birth_date: Some("1957-11-03".parse().unwrap()),
        address: Some(Address { city: Some("Châteaudun".into()), ..Address::default() }),
        ids: [("ipp".to_owned(), "8834120957".to_owned())].into(),
        phones: vec!["02 37 45 61 08".into()],
        ..KnownIdentity::default()
    })
}

/// Pieces of hospital text, some with the known identity in one of its forms.
const PIECES: &[&str] = &[
    "Mme Apolline QUEVAUVILLIERS",
    "QUEVAUVILLIERS APOLLINE",
    "apolline quevauvilliers",
    "née Thouvignon",
    "Mme Q.",
    "Quevauviliers",
    "née le 03/11/1957",
    "3 novembre 1957",
    "IPP 8834120957",
    "IPP : 88 34 12 09 57",
    "tél 0237456108",
    "Tel: 02.37.45.61.08",
    "habite à Châteaudun",
    "CHATEAUDUN",
    "plaquettes 251 000/mm3",
    "TA 12/8",
    "maladie de Charcot",
    "Dr Marchand",
    "le 12 mars 2019",
    "vue en 2004",
    "RAS",
    "Hôpital Bichat",
    "12 rue des Lilas 75012 Paris",
    "\n",
    "\n\n",
    " : ",
    ", ",
    ". ",
    "\t",
    "l’œil\u{a0}droit",
    "Rene\u{301}e",
    "DOCVARIABLE NOM \\* MERGEFORMAT",
    "é",
    "(",
    ")",
    "1",
    "paciente de 45 años",
    "Hospital La Paz",
    "D. Pedro Ruiz",
    "4/5",
    "0",
    "-",
    "’",
    "\u{200b}",
    "\r\n",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec((0..PIECES.len(), any::<bool>()), 0..30).prop_map(|pieces| {
        pieces.iter().map(|&(i, space)| format!("{}{}", PIECES[i], if space { " " } else { "\n" })).collect()
    })
}

fn note(text: &str, language: Option<Language>) -> Note {
    Note::builder("d", text).language(language).known(Some(known())).build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn spans_are_in_bounds_disjoint_and_the_rest_is_untouched(text in text(), spanish in any::<bool>()) {
        let language = Some(if spanish { Language::Es } else { Language::Fr });
        let done = ENGINE.run(note(&text, language)).unwrap();
        let mut last = 0;
        for entity in &done.entities {
            prop_assert!(entity.span.start() >= last && text.get(entity.span.range()).is_some());
            prop_assert!(!entity.span.is_empty());
            last = entity.span.end();
        }
        // Taking the written parts out of the new text and the replaced ones out of the old leaves the same. Small words that had
        // to agree are parts of them.
        let mut old = String::new();
        let mut new = String::new();
        let (mut from_old, mut from_new) = (0, 0);
        for written in &done.written {
            old.push_str(&text[from_old..written.original.start]);
            new.push_str(&done.text[from_new..written.range.start - written.put]);
            (from_old, from_new) = (written.original.end, written.range.end);
        }
        old.push_str(&text[from_old..]);
        new.push_str(&done.text[from_new..]);
        prop_assert_eq!(old, new);
    }

    #[test]
    fn no_known_identity_survives(text in text()) {
        let done = ENGINE.run(note(&text, Some(Language::Fr))).unwrap();
        let folded = fold(&done.text);
        for word in ["quevauvilliers", "quevauviliers", "thouvignon", "apolline", "chateaudun"] {
            prop_assert!(!folded.contains(word));
        }
        let digits: String = done.text.chars().filter(char::is_ascii_digit).collect();
        prop_assert!(!digits.contains("8834120957") && !digits.contains("237456108") && !digits.contains("03111957"));
    }

    #[test]
    fn the_key_decides_and_nothing_else(text in text()) {
        let again = ENGINE.run(note(&text, Some(Language::Fr))).unwrap();
        let same = engine(7).run(note(&text, Some(Language::Fr))).unwrap();
        prop_assert_eq!(&again.text, &same.text);
    }

    #[test]
    fn any_text_at_all_is_treated_or_refused_without_a_fault(text in "\\PC{0,200}") {
        prop_assert!(ENGINE.run(note(&text, None)).is_ok());
    }
}

#[test]
fn a_text_without_identities_comes_back_as_it_is() {
    let text = "Examen normal. Plaquettes 251 000/mm3, TA 12/8.\r\nScore de Glasgow 15/15, l’œil\u{a0}droit est clair.\n";
    let note = Note::builder("d", text).language(Some(Language::Fr)).build().unwrap();
    assert_eq!(ENGINE.run(note).unwrap().text, text);
}
