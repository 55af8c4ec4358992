//! The guard through the whole engine: medicine stays, people go, other languages are refused.

use std::sync::Arc;

use taire::{Engine, Policy, SecretKey};
use taire_text::{KnownIdentity, Language, Note};

fn engine(language: Option<Language>) -> Engine {
    Engine::new(None, language, Some(&SecretKey::from_bytes(&[9; 32]).unwrap())).unwrap()
}

fn rewritten(text: &str, language: Language) -> String {
    let note = Note::builder("n", text).language(Some(language)).build().unwrap();
    engine(None).run(note).unwrap().text
}

#[test]
fn clinical_values_come_out_as_they_were() {
    for (text, language) in [
        ("adenocarcinoma de sigma T3N1M0", Language::Es),
        ("Seguril 40 mg 1/2-0-0", Language::Es),
        ("Presenta leucocitosis (13500).", Language::Es),
        ("TRAITEMENT EN COURS : poursuivi", Language::Fr),
        ("Il a été opéré du cœur à l’hôpital, pas d’œdème.", Language::Fr),
        (
            "pCO2 (mmHg)      71          66          54\npO2 (mmHg)       48          61          74",
            Language::Fr,
        ),
        ("Plaquettes 251 000, CRP 18, TA 14/8, EVA 7/10, J1=J21, AUC 5", Language::Fr),
    ] {
        assert_eq!(rewritten(text, language), text);
    }
}

#[test]
fn instruments_lists_and_drugs_keep_their_names() {
    for (text, language) in [
        ("Extraction aidée d'une spatule de Thierry.", Language::Fr),
        ("Pinces : Kelly, Kocher, Péan, Allis, Babcock, Bengoléa, Christophe, Lahey", Language::Fr),
        ("Bilharziose ? HAI 1/320, ELISA +, œufs négatifs", Language::Fr),
        ("Interaction avec la pilule (Jasmine, Minidril, Leeloo)", Language::Fr),
        ("Expulsivo: espátulas de Thierry, III plano.", Language::Es),
        ("Barrett C2M4 (Praga), Seattle.", Language::Es),
    ] {
        assert_eq!(rewritten(text, language), text);
    }
    let new = rewritten("Le Dr Thierry KOCHER a posé la spatule de Thierry.", Language::Fr);
    assert!(!new.contains("KOCHER") && !new.contains("Dr Thierry"), "{new}");
}

#[test]
fn a_measure_behind_a_street_stays() {
    let new = rewritten("Habite 5 rue des Lilas, 80 kg", Language::Fr);
    assert!(new.ends_with(", 80 kg") && !new.contains("Lilas"), "{new}");
}

#[test]
fn a_disease_that_bears_the_name_of_the_patient_stays() {
    let known = KnownIdentity {
        family_name: Some("Crohn".into()),
        given_names: vec!["Paul".into()],
        ..KnownIdentity::default()
    };
    let text = "M. Crohn est suivi pour une maladie de Crohn. Paul Crohn va mieux ; poussée de son Crohn.";
    let note =
        Note::builder("n", text).language(Some(Language::Fr)).known(Some(Arc::new(known))).build().unwrap();
    let new = engine(None).run(note).unwrap().text;
    assert_eq!(new.matches("Crohn").count(), 2, "{new}");
    assert!(new.contains("maladie de Crohn") && new.contains("son Crohn"), "{new}");
}

#[test]
fn identifiers_close_over_what_is_glued_to_them() {
    let text = "RUT 12.531.909-2, muestra 550e8400-e29b-41d4-a716-446655440000, el 2020-05-03T10:12:33Z.";
    let note = Note::builder("n", text).language(Some(Language::Es)).build().unwrap();
    let (_, entities) = engine(None).detect(note).unwrap();
    let found: Vec<_> = entities.iter().map(|e| e.span.of(text)).collect();
    assert_eq!(found, ["12.531.909-2", "550e8400-e29b-41d4-a716-446655440000", "2020-05-03T10:12:33Z"]);
}

#[test]
fn other_languages_are_refused_unless_the_caller_insists() {
    let text = "The patient was admitted to the hospital with chest pain and shortness of breath. She has a history of \
                diabetes and was treated with metformin for the last two years.";
    let note = |language| Note::builder("n", text).language(language).build().unwrap();
    let refusal = engine(None).run(note(None)).unwrap_err().to_string();
    assert!(refusal.contains("English") && !refusal.contains("metformin"), "{refusal}");
    assert!(engine(Some(Language::Fr)).run(note(Some(Language::Fr))).is_ok());
    // A policy for one language does not insist.
    let policy = Policy::shipped("fr").unwrap();
    let key = SecretKey::from_bytes(&[9; 32]).unwrap();
    let engine = Engine::of_policy(&policy, None, Some(&key)).unwrap();
    assert!(engine.run(note(engine.language())).is_err());
}
