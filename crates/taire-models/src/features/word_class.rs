//! Small closed classes of words, French and Spanish, folded: what few training documents cannot show in full.
//!
//! Shipped models were trained with these classes, so a change here needs new models. That is why they are no queries to
//! `taire-lang`; a test holds the two together.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::hash::word_hashes;

/// One line a class. Words of a class stand for one another in contexts.
const CLASSES: &[&str] = &[
    // months
    "enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre \
     ene feb abr jun jul ago sep sept oct nov dic \
     janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre janv fevr juil dec",
    // days of the week
    "lunes martes miercoles jueves viernes sabado domingo lundi mardi mercredi jeudi vendredi samedi dimanche",
    // units of age
    "ano anos mes meses dia dias semana semanas hora horas an ans mois jour jours semaine semaines",
    // numerals
    "un una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete \
     dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa \
     une deux trois quatre cinq sept huit neuf dix onze douze treize quatorze quinze seize vingt trente quarante \
     cinquante soixante",
    // ordinals
    "primer primero primera segundo segunda tercer tercero tercera cuarto cuarta quinto quinta sexto sexta \
     premier premiere deuxieme troisieme quatrieme",
    // parents
    "padre madre padres progenitor progenitora progenitores mama papa pere mere parents",
    // children
    "hijo hija hijos hijas nieto nieta nietos fils fille enfants petit-fils",
    // brothers and sisters
    "hermano hermana hermanos hermanas gemelo gemela gemelos gemelas mellizo melliza frere soeur freres soeurs \
     jumeau jumelle",
    // further kin
    "tio tia tios tias primo prima primos primas sobrino sobrina sobrinos sobrinas abuelo abuela abuelos abuelas \
     bisabuelo bisabuela cunado cunada suegro suegra yerno nuera oncle tante cousin cousine cousins neveu niece \
     grand-pere grand-mere beau-frere belle-soeur",
    // couples
    "esposo esposa marido mujer conyuge pareja novio novia companero companera mari femme epouse epoux conjoint \
     conjointe compagnon compagne",
    // kin in general
    "familiar familiares familia pariente parientes allegado allegados materno materna maternos maternas paterno \
     paterna paternos paternas famille proches maternel maternelle paternel paternelle",
    // sex and age of life, man
    "varon hombre masculino nino chico lactante caballero homme garcon masculin monsieur",
    // sex and age of life, woman
    "femenino femenina nina chica senora femme fille feminin feminine madame",
    // titles
    "dr dra drs doctor doctora don dona sr sra srta prof profesor profesora docteur professeur pr mr mme mlle",
    // facilities
    "hospital hospitalario hospitalaria hospitales clinica clinico policlinica policlinico sanatorio \
     complejo hopital clinique polyclinique chu chr ehpad",
    // health centres
    "ambulatorio consultorio cap residencia geriatrico dispensaire",
    // institutions
    "universidad facultad instituto fundacion colegio escuela consejeria ministerio sociedad asociacion agencia \
     laboratorio laboratorios universite faculte institut fondation college ecole ministere laboratoire",
    // parts of a facility
    "servicio departamento unidad seccion area division catedra service departement unite pole",
    // ways
    "calle avenida avda av plaza pza paseo carretera ctra camino ronda travesia rambla carrer urbanizacion urb \
     poligono via gran bulevar glorieta pasaje cuesta rue avenue boulevard place chemin allee impasse quai route",
    // directions
    "norte sur este oeste nord sud est ouest",
    // after a door
    "piso puerta escalera portal bajo izquierda izda izq derecha dcha bloque edificio apartado apdo esc etage \
     escalier batiment appartement",
    // contact
    "tel telefono tlf tfno tlfno tfn movil fax correo email mail telephone telecopie portable courriel",
    // companies
    "sa sl inc ltd corp corporation gmbh co company",
];

static TABLE: LazyLock<FxHashMap<u64, u64>> = LazyLock::new(|| {
    let mut folded = Vec::new();
    let mut table = FxHashMap::default();
    for (i, words) in CLASSES.iter().enumerate() {
        for word in words.split_ascii_whitespace() {
            table.entry(word_hashes(word, &mut folded).word).or_insert(i as u64 + 1);
        }
    }
    table
});

/// The class of a folded word's hash, 0 for none.
#[inline]
pub(crate) fn word_class(word: u64) -> u64 {
    TABLE.get(&word).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_lang::{CalendarNames, Vocabulary, fold_hash};

    #[test]
    fn months_week_days_and_titles_are_those_of_the_vocabulary() {
        let calendar = |word| CalendarNames::get().word(fold_hash(word));
        let (months, days) = (CLASSES[0], CLASSES[1]);
        for month in months.split_ascii_whitespace() {
            assert!(calendar(month).month.is_some(), "{month}");
        }
        for day in days.split_ascii_whitespace() {
            assert!(calendar(day).weekday.is_some(), "{day}");
        }
        let titles = CLASSES.iter().find(|words| words.starts_with("dr dra ")).unwrap();
        for title in titles.split_ascii_whitespace() {
            assert!(Vocabulary::any().roles(fold_hash(title)).is_title(), "{title}");
        }
    }
}
