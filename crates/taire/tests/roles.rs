//! Whose name it is decides how often it is drawn: a caregiver's once for a release, a patient's for each patient.

use taire::{Deidentifier, Document, Role, SecretKey};

#[test]
fn a_civil_title_announces_no_caregiver() {
    let key = SecretKey::from_bytes(&[7; 32]).unwrap();
    let deid = Deidentifier::builder().policy("fr").key(key).build().unwrap();
    for text in [
        "Mme Aldegonde KERVADEC",
        "Madame Kervadec est revue ce jour en consultation.",
        "PERSONNE A PREVENIR : MME KERVADEC LOUISE",
    ] {
        let found = deid.detect(Document::new("a", text)).unwrap();
        assert!(!found.is_empty(), "{text}");
        assert!(found.iter().all(|e| e.role != Role::Caregiver), "{text}");
    }
    let found = deid.detect(Document::new("b", "Vu avec le Dr Louise KERVADEC, cardiologue.")).unwrap();
    assert!(found.iter().all(|e| e.role == Role::Caregiver));
}
