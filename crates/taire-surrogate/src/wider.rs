//! Wider values, for the action `generalise`: the band of an age, the year of a date, the size and department of a town,
//! the kind of a facility, the group of a profession. `None` where there is none that would hide anything.

use jiff::civil::Date;
use taire_lang::CalendarNames;
use taire_text::{Language, fold};

use crate::facilities;
use crate::places::dress_place;
use crate::shape;

/// `74 ans` → `70-79 ans`; where the unit stands behind the number, `70-79`.
pub(crate) fn age(years: i64, band: i64, old: i64, unit_follows: bool, language: Language) -> Option<String> {
    if !(0..150).contains(&years) {
        return None;
    }
    let from = years / band * band;
    // The last band ends where ages are pooled.
    let to = (from + band - 1).min(old - 1);
    Some(match (years >= old, unit_follows, language) {
        (true, true, _) => format!("{old}+"),
        (true, false, Language::Fr) => format!("{old} ans ou plus"),
        (true, false, Language::Es) => format!("{old} años o más"),
        (false, true, _) => format!("{from}-{to}"),
        (false, false, Language::Fr) => format!("{from}-{to} ans"),
        (false, false, Language::Es) => format!("{from}-{to} años"),
    })
}

/// `mars 2014`, `marzo de 2014`.
pub(crate) fn month(day: Date, language: Language) -> Option<String> {
    let months = CalendarNames::get().full_months(language)?;
    let name = months.names.get(usize::try_from(day.month()).ok()?.checked_sub(1)?)?;
    Some(match language {
        Language::Fr => format!("{name} {}", day.year()),
        Language::Es => format!("{name} de {}", day.year()),
    })
}

/// The birth year of the very old.
pub(crate) fn year_or_before(year: i64, language: Language) -> String {
    match language {
        Language::Fr => format!("{year} ou avant"),
        Language::Es => format!("{year} o antes"),
    }
}

/// `33000` → `33000`, `33140` → `33000`, `97110` → `97100`: the department alone.
pub(crate) fn postal_code(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    match digits.len() {
        2 => Some(text.to_owned()),
        5 if digits.starts_with("97") || digits.starts_with("98") => Some(format!("{}00", &digits[..3])),
        5 => Some(format!("{}000", &digits[..2])),
        _ => None,
    }
}

/// How large a town is, in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Size {
    Village,
    Small,
    Middling,
    Great,
}

impl Size {
    pub(crate) fn of(inhabitants: u32) -> Size {
        match inhabitants {
            0..=1_999 => Size::Village,
            2_000..=19_999 => Size::Small,
            20_000..=99_999 => Size::Middling,
            _ => Size::Great,
        }
    }

    /// How many people live in a usual town of this size.
    pub(crate) fn usual(self) -> u32 {
        match self {
            Size::Village => 1_000,
            Size::Small => 6_000,
            Size::Middling => 45_000,
            Size::Great => 200_000,
        }
    }

    pub(crate) fn name(self, language: Language) -> &'static str {
        match (language, self) {
            (Language::Fr, Size::Village) => "un village",
            (Language::Fr, Size::Small) => "une petite ville",
            (Language::Fr, Size::Middling) => "une ville moyenne",
            (Language::Fr, Size::Great) => "une grande ville",
            (Language::Es, Size::Village) => "un pueblo",
            (Language::Es, Size::Small) => "una ciudad pequeña",
            (Language::Es, Size::Middling) => "una ciudad mediana",
            (Language::Es, Size::Great) => "una gran ciudad",
        }
    }
}

/// `CHU de Bordeaux` → `CHU`; a name alone becomes `un hôpital`.
pub(crate) fn facility(text: &str, language: Language) -> String {
    match facilities::kind(text) {
        Some(kind) => kind.to_owned(),
        None => dress_place(
            match language {
                Language::Fr => "un établissement de santé",
                Language::Es => "un centro sanitario",
            },
            if text.chars().all(|c| !c.is_lowercase()) { text } else { "x" },
        ),
    }
}

/// `maçon` → `ouvrier`, `infirmière` → `professionnelle de santé`. Unknown ones, and a group's own name, have none.
pub(crate) fn profession(text: &str, language: Language) -> Option<String> {
    let (groups, feminine): (_, fn(&str) -> bool) = match language {
        Language::Fr => (FRENCH, |w| w.ends_with('e') && !w.ends_with("iste") && !w.ends_with("aire")),
        Language::Es => (SPANISH, |w| w.ends_with('a') && !w.ends_with("ista")),
    };
    let typed = text.split_whitespace().next()?;
    let folded = fold(typed);
    let (male, female, _) =
        groups.iter().find(|(_, _, words)| words.split(' ').any(|w| fold(w) == folded))?;
    let group = if feminine(&typed.to_lowercase()) { *female } else { *male };
    (fold(group) != fold(text.trim())).then(|| match shape::case_of(typed) {
        shape::Case::Title => {
            let mut letters = group.chars();
            letters.next().map(|c| c.to_uppercase().chain(letters).collect()).unwrap_or_default()
        }
        _ => shape::dress(group, typed),
    })
}

#[rustfmt::skip]
const FRENCH: &[(&str, &str, &str)] = &[
    ("agriculteur", "agricultrice",
     "agriculteur agricultrice cultivateur cultivatrice éleveur éleveuse viticulteur viticultrice \
     maraîcher maraîchère bûcheron pêcheur jardinier jardinière paysagiste"),
    ("ouvrier", "ouvrière",
     "ouvrier ouvrière maçon plombier électricien menuisier charpentier couvreur carreleur peintre \
     plaquiste chauffagiste serrurier soudeur chaudronnier mécanicien garagiste carrossier \
     manutentionnaire cariste magasinier docker mineur couturière intérimaire"),
    ("conducteur", "conductrice",
     "chauffeur routier camionneur livreur livreuse taxi ambulancier ambulancière conducteur conductrice \
     cheminot marin"),
    ("commerçant", "commerçante",
     "commerçant commerçante vendeur vendeuse caissier caissière boulanger boulangère pâtissier pâtissière \
     boucher bouchère charcutier charcutière restaurateur restauratrice hôtelier hôtelière coiffeur \
     coiffeuse esthéticienne fleuriste artisan artisane gérant gérante commercial commerciale cuisinier \
     cuisinière serveur serveuse"),
    ("professionnel de santé", "professionnelle de santé",
     "aide-soignant aide-soignante infirmier infirmière médecin chirurgien chirurgienne dentiste \
     pharmacien pharmacienne kinésithérapeute orthophoniste psychologue vétérinaire sage-femme"),
    ("enseignant", "enseignante",
     "instituteur institutrice enseignant enseignante professeur professeure éducateur éducatrice"),
    ("élève", "élève",
     "étudiant étudiante lycéen lycéenne collégien collégienne écolier écolière apprenti apprentie \
     stagiaire"),
    ("employé", "employée",
     "secrétaire comptable employé employée facteur factrice postier postière concierge gardien gardienne \
     nourrice assistante banquier banquière assureur"),
    ("agent public", "agente publique",
     "fonctionnaire policier policière gendarme militaire pompier vigile juge magistrat magistrate \
     greffier greffière"),
    ("cadre", "cadre",
     "cadre ingénieur ingénieure informaticien informaticienne technicien technicienne architecte géomètre \
     avocat avocate notaire huissier directeur directrice chef entrepreneur entrepreneuse journaliste"),
    ("artiste", "artiste",
     "écrivain écrivaine musicien musicienne comédien comédienne artiste photographe"),
    ("sans emploi", "sans emploi",
     "chômeur chômeuse invalide"),
    ("retraité", "retraitée",
     "retraité retraitée"),
];

#[rustfmt::skip]
const SPANISH: &[(&str, &str, &str)] = &[
    ("agricultor", "agricultora",
     "agricultor agricultora ganadero ganadera pastor jornalero jornalera jardinero jardinera pescador \
     viticultor"),
    ("obrero", "obrera",
     "obrero obrera albañil fontanero electricista carpintero pintor soldador mecánico mecánica minero \
     costurera modista peón cerrajero tornero operario operaria"),
    ("conductor", "conductora",
     "conductor conductora camionero taxista repartidor chófer marinero transportista"),
    ("comerciante", "comerciante",
     "comerciante dependiente dependienta cajero cajera panadero panadera carnicero carnicera camarero \
     camarera cocinero cocinera peluquero peluquera hostelero comercial autónomo autónoma"),
    ("profesional sanitario", "profesional sanitaria",
     "enfermero enfermera médico médica cirujano cirujana dentista farmacéutico farmacéutica \
     fisioterapeuta psicólogo psicóloga veterinario veterinaria celador celadora auxiliar matrona"),
    ("docente", "docente",
     "maestro maestra profesor profesora educador educadora docente"),
    ("estudiante", "estudiante",
     "estudiante escolar alumno alumna aprendiz becario becaria"),
    ("empleado", "empleada",
     "administrativo administrativa secretario secretaria contable empleado empleada oficinista cartero \
     cartera conserje limpiadora banquero"),
    ("empleado público", "empleada pública",
     "funcionario funcionaria policía guardia militar bombero juez jueza vigilante"),
    ("profesional", "profesional",
     "ingeniero ingeniera informático informática técnico técnica arquitecto arquitecta abogado abogada \
     notario directivo directora director empresario empresaria periodista"),
    ("artista", "artista",
     "músico música actor actriz artista escritor escritora fotógrafo fotógrafa"),
    ("sin empleo", "sin empleo",
     "parado parada desempleado desempleada"),
    ("jubilado", "jubilada",
     "jubilado jubilada pensionista"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn professions_facilities_and_ages_widen() {
        let french = |t: &str| profession(t, Language::Fr);
        assert_eq!(french("maçon").as_deref(), Some("ouvrier"));
        assert_eq!(french("Infirmière").as_deref(), Some("Professionnelle de santé"));
        assert_eq!(french("INSTITUTRICE").as_deref(), Some("ENSEIGNANTE"));
        assert_eq!(french("funambule"), None);
        assert_eq!(french("retraité"), None);
        assert_eq!(profession("albañil", Language::Es).as_deref(), Some("obrero"));
        assert_eq!(profession("maestra", Language::Es).as_deref(), Some("docente"));
        assert_eq!(facility("CHU de Bordeaux", Language::Fr), "CHU");
        assert_eq!(facility("Hôpital Saint-Louis", Language::Fr), "Hôpital");
        assert_eq!(facility("Hospital Universitario Río Hortega", Language::Es), "Hospital Universitario");
        assert_eq!(facility("Bichat", Language::Fr), "un établissement de santé");
        let band = |years, bare| age(years, 10, 90, bare, Language::Fr).unwrap();
        assert_eq!((&*band(74, false), &*band(74, true)), ("70-79 ans", "70-79"));
        assert_eq!((&*band(93, false), &*band(93, true)), ("90 ans ou plus", "90+"));
        assert_eq!(age(93, 10, 90, false, Language::Es).as_deref(), Some("90 años o más"));
        assert_eq!(age(88, 20, 90, false, Language::Fr).as_deref(), Some("80-89 ans"));
        assert_eq!(postal_code("33140").as_deref(), Some("33000"));
        assert_eq!(postal_code("97110").as_deref(), Some("97100"));
        assert_eq!(postal_code("(33)").as_deref(), Some("(33)"));
    }
}
