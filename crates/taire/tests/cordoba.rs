//! Under the policy `cordoba` each detector counts only in its part of a report.

use taire::{Engine, Policy};
use taire_text::{Entity, Language, Note, Source};

const REPORT: &str = "Datos del paciente.\nNombre: Fermín.\nApellidos: Barrientos Cañizo.\nNHC: 4471902.\nFecha de nacimiento: 04/09/1949.\nMédico: Elvira Sanmartín Ochoa. NºCol: 47 47 20318.\nInforme clínico del paciente: Varón de 70 años que acude por dolor torácico opresivo de dos horas de evolución, con cortejo vegetativo, sin irradiación. Fumador activo. El Sr. Barrientos fue dado de alta el 19 de enero de 2020 con buen estado general y sin dolor.\nRemitido por: Dra. Elvira Sanmartín Ochoa. C/ Dulzaina, 2. 47012 Valladolid. E-mail: esanmartin@saludcyl.example\n";

fn found() -> Vec<Entity> {
    let engine = Engine::new(Some("cordoba"), None, None).unwrap();
    let note = Note::builder("a", REPORT).language(Some(Language::Es)).build().unwrap();
    engine.detect(note).unwrap().1
}

fn sources_of(entities: &[Entity], text: &str, nth: usize) -> Vec<Source> {
    let start = REPORT.match_indices(text).nth(nth).unwrap().0;
    let entity = entities.iter().find(|e| e.span.start() <= start && start < e.span.end());
    let entity = entity.unwrap_or_else(|| panic!("occurrence {nth} of a mark was not found"));
    entity.mentions.iter().map(|v| v.source).collect()
}

#[test]
fn each_part_has_its_own_detectors() {
    let entities = found();
    assert!(sources_of(&entities, "4471902", 0).iter().all(|s| *s == Source::Structure));
    assert!(
        sources_of(&entities, "19 de enero", 0).iter().all(|s| matches!(s, Source::Crf | Source::Trusted))
    );
    let footer = sources_of(&entities, "esanmartin@", 0);
    assert!(footer.contains(&Source::Pattern) && !footer.contains(&Source::Crf));
}

#[test]
fn what_the_header_tells_is_found_again() {
    let entities = found();
    assert!(
        sources_of(&entities, "Barrientos", 1).iter().any(|s| matches!(s, Source::Crf | Source::Trusted))
    );
    assert!(!sources_of(&entities, "Sanmartín", 1).contains(&Source::Crf));
}

#[test]
fn parts_are_checked() {
    let policy = |parts: &str| {
        Policy::parse(
            &format!("name = \"a\"\n[detect]\nsources = [\"pattern\"]\n[detect.parts]\n{parts}"),
            "a",
        )
    };
    assert!(policy("header = [\"pattern\"]\nbody = [\"pattern\"]\nfooter = [\"pattern\"]").is_ok());
    let empty = policy("header = []\nbody = [\"pattern\"]\nfooter = [\"pattern\"]").unwrap_err();
    assert!(empty.to_string().contains("header is empty"));
    let unknown = policy("header = [\"pattern\"]\nbody = [\"crf\"]\nfooter = [\"pattern\"]").unwrap_err();
    assert!(unknown.to_string().contains("names `crf`"));
}
