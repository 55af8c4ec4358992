//! The models that ship, embedded in the program. `data/SOURCES.md` says what they learned from.

use taire_text::Language;

use crate::{CrfDetector, Error, StudentDetector};

static FR: &[u8] = include_bytes!("../data/fr.crf");
static ES: &[u8] = include_bytes!("../data/es.crf");

/// The file of the model that ships for a language, if one does.
pub fn shipped(language: Language) -> Option<&'static [u8]> {
    match language {
        Language::Fr => Some(FR),
        Language::Es => Some(ES),
    }
}

impl CrfDetector {
    /// The detector that ships for a language, if one does.
    pub fn shipped(language: Language) -> Option<Result<CrfDetector, Error>> {
        shipped(language).map(CrfDetector::from_bytes)
    }
}

static STUDENT: &[u8] = include_bytes!("../data/student.bin");

impl StudentDetector {
    /// The student that ships; one model reads all languages.
    pub fn shipped() -> Result<StudentDetector, Error> {
        StudentDetector::from_bytes(STUDENT)
    }
}

/// The files of the teacher that ships.
pub(crate) static TEACHER: &[(&str, &[u8])] = &[
    ("config.json", include_bytes!("../data/teacher/config.json")),
    ("tokenizer.json", include_bytes!("../data/teacher/tokenizer.json")),
    ("model.safetensors", include_bytes!("../data/teacher/model.safetensors")),
    ("tagger.json", include_bytes!("../data/teacher/tagger.json")),
    ("tagger.safetensors", include_bytes!("../data/teacher/tagger.safetensors")),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TransformerDetector;
    use taire_detect::Detector;
    use taire_text::{Label, Mention, Note, Role};

    #[test]
    fn every_shipped_model_reads() {
        for language in [Language::Fr, Language::Es] {
            if let Some(bytes) = shipped(language) {
                assert!(bytes.len() < 2 << 20);
                CrfDetector::from_bytes(bytes).unwrap();
            }
        }
    }

    #[test]
    fn the_shipped_student_reads() {
        assert!(STUDENT.len() < 12_000_000);
        assert!(StudentDetector::shipped().unwrap().labels().contains(&Label::FamilyName));
    }

    #[test]
    fn the_shipped_teacher_reads_both_languages() {
        let bytes: usize = TEACHER.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(bytes < 35 << 20, "{bytes}");
        let teacher = TransformerDetector::shipped().unwrap();
        assert!(Language::ALL.iter().all(|l| teacher.languages().contains(l)));
    }

    #[test]
    fn finds_people_and_dates_in_a_french_letter() {
        let detector = CrfDetector::shipped(Language::Fr).unwrap().unwrap();
        let text = "Cher confrère,\nJ'ai revu en consultation le 12/03/2019 Madame Odile BRANCHEREAU, née le 02/07/1951.\nDr Yann KERVELLEC\nTél : 05 55 01 02 03\n";
        let note = Note::builder("a", text).language(Some(Language::Fr)).build().unwrap();
        let mut out = vec![Vec::new()];
        detector.detect(std::slice::from_ref(&note), &mut out).unwrap();
        let has = |words: &str, label: Label| {
            let is = |m: &&Mention| m.span.of(text) == words && m.label() == Some(label);
            assert!(out[0].iter().any(|m| is(&m)), "{label} was not found");
        };
        has("BRANCHEREAU", Label::FamilyName);
        has("Odile", Label::GivenName);
        has("KERVELLEC", Label::FamilyName);
        has("12/03/2019", Label::Date);
        has("02/07/1951", Label::BirthDate);
    }

    #[test]
    fn finds_people_dates_and_places_in_a_spanish_letter() {
        let detector = CrfDetector::shipped(Language::Es).unwrap().unwrap();
        let text = "Nombre: Leire.\nApellidos: Aranburu Otxoa.\nNHC: 7730112.\nFecha de nacimiento: 12/11/1958.\n\
                    Edad: 57 años Sexo: M.\nMédico: Ramón Iriarte Puente NºCol: 31 31 60112.\n\
                    Mujer de 57 años que acude por dolor.\n";
        let note = Note::builder("a", text).language(Some(Language::Es)).build().unwrap();
        let mut out = vec![Vec::new()];
        detector.detect(std::slice::from_ref(&note), &mut out).unwrap();
        let has = |words: &str, label: Label, role: Role| {
            let is = |m: &&Mention| m.span.of(text) == words && m.label() == Some(label) && m.role == role;
            assert!(out[0].iter().any(|m| is(&m)), "{label} {role} was not found");
        };
        has("Leire", Label::GivenName, Role::Patient);
        has("Aranburu Otxoa", Label::FamilyName, Role::Patient);
        has("7730112", Label::PatientId, Role::Patient);
        has("57 años", Label::Age, Role::Patient);
        has("Iriarte Puente", Label::FamilyName, Role::Caregiver);
    }
}
