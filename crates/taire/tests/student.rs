//! The shipped student finds people without any rule's help, in both languages.

use taire::{Pipeline, Policy};
use taire_text::{Label, Language, Note};

#[test]
fn the_student_alone_finds_people() {
    let policy = Policy::parse("name = \"a\"\n[detect]\nsources = [\"student\"]\n", "a").unwrap();
    for (language, text, family) in [
        (Language::Fr, "Cher confrère,\nJ'ai revu ce jour Madame Odile BRANCHEREAU.\n", "BRANCHEREAU"),
        (Language::Es, "Estimado compañero:\nHe visto hoy a D. Ramón Iriarte Puente.\n", "Iriarte Puente"),
    ] {
        let pipeline = Pipeline::from_policy(&policy, language, None).unwrap();
        let mut notes = [Note::builder("a", text).language(Some(language)).build().unwrap()];
        let entities = pipeline.detect(&mut notes).unwrap().remove(0);
        let is_family = |e: &taire_text::Entity| e.span.of(text) == family && e.label == Label::FamilyName;
        assert!(entities.iter().any(is_family), "the family name was not found in {language}");
    }
}
