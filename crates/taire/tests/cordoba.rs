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

fn words(text: &str) -> Vec<&str> {
    let engine = Engine::new(Some("cordoba"), None, None).unwrap();
    let note = Note::builder("a", text).language(Some(Language::Es)).build().unwrap();
    engine.detect(note).unwrap().1.iter().map(|e| e.span.of(text)).collect()
}

/// Figure 4.2: the report starts on the line of its key, however short that line is.
#[test]
fn a_short_line_after_the_header_is_read_as_body() {
    let text = "Nombre: Ana.\nApellidos: Ruiz Vega.\nEdad: 37 años Sexo: M.\nMédico: Luis Gómez MartínezNºCol: 28 31 23567.\n\
                Informe clínico del paciente: Paciente de 37 años ingresada por disnea en el Hospital Rey Juan Carlos.\n\
                Remitido por: Dr. Luis Gómez Martínez. Hospital Rey Juan Carlos. Javier. ana@example.org\n";
    let found = words(text);
    assert_eq!(found.iter().filter(|w| **w == "Hospital Rey Juan Carlos").count(), 2, "{found:?}");
    assert_eq!(found.iter().filter(|w| **w == "37 años").count(), 2, "{found:?}");
    for word in ["28 31 23567", "Javier", "ana@example.org"] {
        assert!(found.contains(&word), "{word}: {found:?}");
    }
}

/// Footers name a street without a word for it, a generic hospital, a town before its country.
#[test]
fn what_stands_between_the_finds_of_a_footer_is_read() {
    let head = "Nombre: Ana.\nNHC: 4471902.\nHistoria Actual: Mujer sana.\n";
    for (footer, wanted) in [
        ("Remitido por: Dra. Ana Ruiz. Hospital General. 28007 Madrid.", vec!["Hospital General"]),
        (
            "Remitido por: Dr. Luis Vega. Hospital Clínico San Carlos. Doctor Esquerdo, 46. 28007 Madrid.",
            vec!["Doctor Esquerdo, 46"],
        ),
        (
            "Remitido por: Dr. Luis Vega. Complejo Hospitalario Universitario de Albacete Hermanos Falcó, s/n - 02006 Albacete",
            vec!["Hermanos Falcó, s/n"],
        ),
        (
            "Remitido por: Dr. Luis Vega. C/ Videla Castillo, 1996. 5500 Mendoza, Argentina.",
            vec!["5500", "Mendoza"],
        ),
    ] {
        let text = format!("{head}{footer}\n");
        let found = words(&text);
        for word in wanted {
            assert!(found.contains(&word), "{word}: {found:?}");
        }
    }
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
