use super::*;

fn found(text: &str, language: Language) -> Vec<(String, LapseKind)> {
    let mut out = Vec::new();
    find_durations(text, &tokenise(text), language, &mut out);
    out.iter().map(|l| (l.span.of(text).to_owned(), l.kind)).collect()
}

#[test]
fn context_tells_ages_from_durations() {
    use LapseKind::*;
    for (language, text, wanted) in [
        (Language::Fr, "patient âgé de 74 ans", &[("74 ans", Age)][..]),
        (Language::Fr, "Mme DURAND, 74 ans, vue il y a 15 ans", &[("74 ans", Age), ("15 ans", Ago)]),
        (Language::Fr, "tabac depuis 12 ans, revu dans 3 jours", &[("12 ans", Since), ("3 jours", In)]),
        (
            Language::Fr,
            "nouveau-né de 3 jours, nourrisson de sept mois",
            &[("3 jours", Age), ("sept mois", Age)],
        ),
        (Language::Fr, "pendant 3 mois, tous les 2 ans", &[("3 mois", Duration), ("2 ans", Duration)]),
        (
            Language::Fr,
            "à l'âge de 3 ans et 2 mois, un octogénaire",
            &[("3 ans et 2 mois", Age), ("octogénaire", Age)],
        ),
        (Language::Fr, "Âge : 74, poids 80", &[("74", Age)]),
        (Language::Fr, "vu il y'a environ 30 ans, Mlle A.Z. 23 ans", &[("30 ans", Ago), ("23 ans", Age)]),
        (Language::Fr, "traité par 2,5 ans", &[]),
        (Language::Es, "varón de 53 años, de 7 meses de edad", &[("53 años", Age), ("7 meses", Age)]),
        (Language::Es, "hace 3 meses, desde hace 5 años", &[("3 meses", Ago), ("5 años", Since)]),
        (Language::Es, "Edad: 56 Sexo: M. Edad: 41 A Sexo", &[("56", Age), ("41 A", Age)]),
        (
            Language::Es,
            "a los 6 y 8 años, durante 3 semanas",
            &[("6", Age), ("8 años", Age), ("3 semanas", Duration)],
        ),
        (Language::Es, "niño de tres años y medio", &[("tres años y medio", Age)]),
        (Language::Es, "a los 3 meses de la cirugía", &[("3 meses", Duration)]),
    ] {
        let wanted: Vec<_> = wanted.iter().map(|(s, k)| (s.to_string(), *k)).collect();
        assert_eq!(found(text, language), wanted, "{text}");
    }
}

#[test]
fn an_isolated_surface_is_read_whole() {
    for (text, wanted) in
        [("74 ans", "62 ans"), ("il y a 15 ans", "il y a 62 ans"), ("56", "62"), ("de 8 mois", "de 62 mois")]
    {
        assert_eq!(parse(text, Language::Fr).map(|l| l.surface.print(62, None)).as_deref(), Some(wanted));
    }
    assert!(parse("12/05/2010", Language::Fr).is_none());
}

#[test]
fn the_cue_is_part_of_the_context() {
    let text = "vu il y a environ 15 ans";
    let mut out = Vec::new();
    find_durations(text, &tokenise(text), Language::Fr, &mut out);
    assert_eq!(out[0].context.of(text), "il y a environ 15 ans");
    assert_eq!((out[0].value, out[0].unit), (15, Unit::Year));
}

#[test]
fn another_number_prints_in_the_same_shape() {
    for (language, text, value, minor, wanted) in [
        (Language::Fr, "âgé de 74 ans", 81, None, "81 ans"),
        (Language::Fr, "âgé de 74 ANS", 1, None, "1 AN"),
        (Language::Fr, "âgé de vingt-et-un ans", 32, None, "trente-deux ans"),
        (Language::Fr, "un octogénaire", 71, None, "septuagénaire"),
        (Language::Fr, "âgée de trois semaines", 1, None, "une semaine"),
        (Language::Es, "Niña de 3 años y 8 meses de edad", 1, Some(1), "1 año y 1 mes"),
        (Language::Es, "de siete dias de vida", 1, None, "un dia"),
        (Language::Es, "mujer octogenaria", 93, None, "nonagenaria"),
    ] {
        let mut out = Vec::new();
        find_durations(text, &tokenise(text), language, &mut out);
        assert_eq!(out.len(), 1, "{text}");
        assert_eq!(out[0].surface.print(value, minor), wanted, "{text}");
        let same = out[0].surface.print(out[0].value, out[0].minor.map(|m| m.0));
        if !text.contains("vingt") {
            assert_eq!(same, out[0].span.of(text), "{text}");
        }
    }
}

#[test]
fn folded_decades_are_the_decades_folded() {
    assert_eq!(FRENCH_DECADES.map(crate::fold), FOLDED_DECADES[0]);
    assert_eq!(SPANISH_DECADES.map(crate::fold), FOLDED_DECADES[1]);
}
