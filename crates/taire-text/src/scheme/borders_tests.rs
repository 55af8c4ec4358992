use super::*;
use crate::{Source, marked};

/// Entities marked `[text](Label)` or `[text](Label:Role)`, shown as the scheme writes them.
fn shown(scheme: Scheme, source: &str) -> Vec<String> {
    let m = marked::parse(source);
    let entities: Vec<Entity> = m
        .spans
        .iter()
        .map(|(range, name)| {
            let (label, role) = name.split_once(':').unwrap_or((name, "Unknown"));
            Entity {
                span: Span::new(range.start, range.end),
                label: label.parse().unwrap(),
                role: role.parse().unwrap(),
                score: Score::new(0.9),
                sources: [Source::Pattern].into_iter().collect(),
                doubtful_value: false,
                mentions: Vec::new(),
            }
        })
        .collect();
    let spans = project(scheme, &m.text, &entities);
    for pair in spans.windows(2) {
        assert!(pair[0].span.end() <= pair[1].span.start());
    }
    spans.iter().map(|s| format!("{}|{}", s.span.of(&m.text), s.label)).collect()
}

#[test]
fn meddocan_joins_names_on_one_line() {
    let got = shown(
        Scheme::Meddocan,
        "Nombre: [Pedro](GivenName:Patient).\nApellidos: [De Miguel](FamilyName:Patient) [Rivera](FamilyName:Patient).\n\
         Médico: [Ana](GivenName:Caregiver) de la [Calle](FamilyName:Caregiver) y [Sanz](FamilyName:Caregiver), [Eva](GivenName:Caregiver)",
    );
    assert_eq!(
        got,
        [
            "Pedro|NOMBRE_SUJETO_ASISTENCIA",
            "De Miguel Rivera|NOMBRE_SUJETO_ASISTENCIA",
            "Ana de la Calle y Sanz|NOMBRE_PERSONAL_SANITARIO",
            "Eva|NOMBRE_PERSONAL_SANITARIO",
        ]
    );
    let got = shown(
        Scheme::Meddocan,
        "[Dra. Inés](GivenName:Caregiver) y [Luz](GivenName:Caregiver) [M](Initials). [Vega](FamilyName)",
    );
    assert_eq!(got, ["Inés|NOMBRE_PERSONAL_SANITARIO", "Luz M. Vega|NOMBRE_PERSONAL_SANITARIO"]);
}

#[test]
fn meddocan_keeps_streets_hospitals_and_licences_whole() {
    let got = shown(
        Scheme::Meddocan,
        "Domicilio: [Calle Mayor](Street), 23, 4º D. [28001](PostalCode) [Soria](City)\n\
         Hospital [Rey Juan Carlos](Hospital). [C/ Luna](Street) s/n, 28045 [León](City) (E-[24001](PostalCode))\n\
         NºCol: 28 28 [20943](ProfessionalLicence). Edad: [53](Age) años, [3 meses de edad](Age). [hace dos días](RelativeDate)",
    );
    assert_eq!(
        got,
        [
            "Calle Mayor, 23, 4º D|CALLE",
            "28001|TERRITORIO",
            "Soria|TERRITORIO",
            "Hospital Rey Juan Carlos|HOSPITAL",
            "C/ Luna s/n|CALLE",
            "León|TERRITORIO",
            "E-24001|TERRITORIO",
            "28 28 20943|ID_TITULACION_PERSONAL_SANITARIO",
            "53 años|EDAD_SUJETO_ASISTENCIA",
            "3 meses|EDAD_SUJETO_ASISTENCIA",
        ]
    );
}

#[test]
fn meddocan_gives_the_e_to_the_postal_code_and_leaves_the_plus_outside() {
    let got = shown(
        Scheme::Meddocan,
        "[Paseo del Olmo](Street), 8 E-[37007](PostalCode). [Avda. Norte S/N. E](Street)-[41013](PostalCode). \
         Tel: [+34 923 555 100](Phone), fax: [+ 34 923 555 101](Fax)",
    );
    assert_eq!(
        got,
        [
            "Paseo del Olmo, 8|CALLE",
            "E-37007|TERRITORIO",
            "Avda. Norte S/N|CALLE",
            "E-41013|TERRITORIO",
            "34 923 555 100|NUMERO_TELEFONO",
            "34 923 555 101|NUMERO_FAX",
        ]
    );
}

#[test]
fn a_name_without_a_role_that_repeats_the_patients_is_the_patients() {
    let got = shown(
        Scheme::Meddocan,
        "Nombre: [Ana Belén](GivenName:Patient).\n[ANA](GivenName) acude con la Dra. [Ana Ruiz](FamilyName).",
    );
    assert_eq!(got[1..], ["ANA|NOMBRE_SUJETO_ASISTENCIA", "Ana Ruiz|NOMBRE_PERSONAL_SANITARIO"]);
}

#[test]
fn dots_of_abbreviations_stay_and_streets_join_only_with_their_door() {
    let got = shown(
        Scheme::Meddocan,
        "[EE.UU.](Country) [Soria.](City) [Luna 3](Street), [2 izq.](Street) o [Sol 4](Street), [Mar 5](Street)",
    );
    assert_eq!(
        got,
        ["EE.UU.|PAIS", "Soria|TERRITORIO", "Luna 3, 2 izq.|CALLE", "Sol 4|CALLE", "Mar 5|CALLE"]
    );
    assert_eq!(shown(Scheme::Eds, "[Roux](FamilyName) [Roux](FamilyName)"), ["Roux|NOM", "Roux|NOM"]);
}

#[test]
fn eds_splits_names_and_keeps_the_dot_of_initials() {
    let got = shown(
        Scheme::Eds,
        "Dr [J](Initials).-[P](Initials). [Le Gall](FamilyName), Mme [Roux](FamilyName) [Anne](GivenName) [Lise](GivenName). [42 ans](Age)",
    );
    assert_eq!(got, ["J.-P.|PRENOM", "Le Gall|NOM", "Roux|NOM", "Anne Lise|PRENOM"]);
}

#[test]
fn eds_drops_the_word_hospital_unless_de_follows() {
    let one = |source: &str| shown(Scheme::Eds, source).join(" ");
    assert_eq!(one("à l'[Hôpital Bichat](Hospital)."), "Bichat|HOPITAL");
    assert_eq!(one("à [l'Hôpital de la Timone](Hospital)."), "Hôpital de la Timone|HOPITAL");
    assert_eq!(one("[HOP Avicenne](Hospital)"), "HOP Avicenne|HOPITAL");
    assert_eq!(one("[GH Armand Trousseau](Hospital)"), "Armand Trousseau|HOPITAL");
    assert_eq!(one("au [CHU de Lille](Hospital)"), "Lille|VILLE");
    assert_eq!(one("[Laboratoire Roux](HealthCentre)"), "");
    assert_eq!(one("94010 [CRETEIL](City) CEDEX 12 et"), "CRETEIL CEDEX 12|VILLE");
}

#[test]
fn young_ages_and_france_are_left_alone_where_the_scheme_says_so() {
    let source = "[42 ans](Age) [91 ans](Age) [France](Country) [Hongrie](Country)";
    assert_eq!(shown(Scheme::Bigeard, source), ["91 ans|age", "Hongrie|pays"]);
    assert_eq!(shown(Scheme::Hipaa, source), ["91 ans|DATE"]);
    assert_eq!(shown(Scheme::Taire, source).len(), 4);
}

mod any_text {
    use super::*;
    use crate::scheme::read_gold;
    use proptest::prelude::*;

    /// Words and marks that borders look at, in any order.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "Hôpital", "de ", "l'", "CHU", "Dr", ".", ",", " ", "\n", "é", "º", "28", "001", "E-", "CEDEX",
            "y", "Ana", "P", "-", "años", "C/", "s/n", "’", "😀", "\u{a0}", "de edad", ":", "Nombre", "fax",
        ]);
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    /// Disjoint, sorted cuts of the text on its characters, with a number that picks the label.
    fn cuts(text: &str, picks: &[(usize, usize)]) -> Vec<(Span<Raw>, usize)> {
        let edges: Vec<_> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
        let mut out = Vec::new();
        let mut at = 0;
        for &(step, label) in picks {
            let (start, end) = (at + step % 3, at + step % 3 + 1 + step / 3 % 6);
            if end >= edges.len() {
                break;
            }
            out.push((Span::new(edges[start], edges[end]), label));
            at = end;
        }
        out
    }

    proptest! {
        #[test]
        fn spans_stay_disjoint_and_inside(text in text(), picks in prop::collection::vec((0usize..60, 0usize..500), 0..12)) {
            for &scheme in Scheme::ALL {
                let labels: Vec<_> = scheme.labels().collect();
                let gold: Vec<_> = cuts(&text, &picks).iter().map(|&(s, l)| (s, labels[l % labels.len()])).collect();
                for span in read_gold(scheme, &text, &gold).unwrap() {
                    prop_assert!(text.get(span.span.range()).is_some_and(|t| !t.is_empty()));
                }
                let entities: Vec<_> = cuts(&text, &picks).iter().map(|&(span, pick)| Entity {
                    span,
                    label: Label::ALL[pick % Label::ALL.len()],
                    role: Role::ALL[pick % Role::ALL.len()],
                    score: Score::CERTAIN,
                    sources: SourceSet::default(),
                    doubtful_value: false,
                    mentions: Vec::new(),
                }).collect();
                let mut end = 0;
                for span in project(scheme, &text, &entities) {
                    prop_assert!(span.span.start() >= end);
                    prop_assert!(text.get(span.span.range()).is_some_and(|t| !t.is_empty()));
                    prop_assert!(labels.contains(&span.label));
                    end = span.span.end();
                }
            }
        }
    }
}
