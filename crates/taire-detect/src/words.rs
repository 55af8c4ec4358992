//! Words that tell what their neighbours are: titles, kinship, facility heads, eponym heads.
//!
//! Each language has one table, folded word to class. The annotator writes the class into the token's facts, so
//! that detectors test a byte instead of comparing strings.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use taire_text::{Facts, Gender, Language, Note, Shape, Token};

use crate::folded::{WordSet, word_hash};

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// What a word says of the words beside it.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum WordClass { $($(#[$doc])* $name),+ }

        impl WordClass {
            const ALL: &'static [WordClass] = &[$(WordClass::$name),+];
        }
    };
}

classes! {
    /// Madame, Sra.: a woman's name follows.
    TitleFemale,
    /// Monsieur, Sr.: a man's name follows.
    TitleMale,
    /// Docteur, Professeur, Dr: a caregiver's name follows.
    TitleCaregiver,
    /// Doctora, infirmière: a woman who cares.
    TitleCaregiverFemale,
    /// interne, chirurgien, patient: a name may follow.
    RoleWord,
    /// patient, enfant: the patient's name may follow.
    PatientWord,
    /// père, épouse, hijo.
    Kinship,
    /// femme, homme, varón, mujer.
    SexWord,
    /// de, le, van, del: inside names.
    Particle,
    /// hôpital, clinique, CHU.
    HospitalHead,
    /// cabinet, EHPAD, ambulatorio.
    HealthCentreHead,
    /// centre, maison, centro: a facility if the next word says which.
    CentreHead,
    /// université, société, colegio.
    InstitutionHead,
    /// maladie, syndrome, score: an eponym follows.
    EponymHead,
    /// habite, domicilié, natural: a town follows.
    PlaceVerb,
    /// à, en, vers: a place may follow.
    PlacePreposition,
    /// né, née, nacido: a birth date or place follows.
    Born,
    /// raza, nacionalidad, profesión: a detail of the person follows.
    DetailHead,
    /// soltera, homosexual: a detail by itself.
    DetailWord,
}

impl WordClass {
    /// The class written into a token's facts.
    pub fn of(token: &Token) -> Option<WordClass> {
        Self::from_facts(token.facts)
    }

    fn from_facts(facts: Facts) -> Option<WordClass> {
        (facts.keyword() as usize).checked_sub(1).and_then(|i| Self::ALL.get(i).copied())
    }

    pub fn is_title(self) -> bool {
        use WordClass::*;
        matches!(self, TitleFemale | TitleMale | TitleCaregiver | TitleCaregiverFemale)
    }

    pub fn is_facility(self) -> bool {
        use WordClass::*;
        matches!(self, HospitalHead | HealthCentreHead | CentreHead | InstitutionHead)
    }

    /// The sex a title tells.
    pub fn gender(self) -> Option<Gender> {
        match self {
            WordClass::TitleFemale | WordClass::TitleCaregiverFemale => Some(Gender::Female),
            WordClass::TitleMale => Some(Gender::Male),
            _ => None,
        }
    }
}

/// The keyword class of a folded word, 0 for none: what the annotator writes into `Facts`.
pub fn keyword(language: Language, folded: &str) -> u8 {
    static TABLES: LazyLock<[FxHashMap<&'static str, u8>; 2]> =
        LazyLock::new(|| [table(FRENCH), table(SPANISH)]);
    let table = match language {
        Language::Fr => &TABLES[0],
        Language::Es => &TABLES[1],
    };
    table.get(folded).copied().unwrap_or(0)
}

/// Whether a word after "Monsieur le" is an office and no name: Président, Directrice, Maire.
pub(crate) fn is_office(word: &str) -> bool {
    static OFFICES: LazyLock<WordSet> = LazyLock::new(|| {
        WordSet::new(&[
            "president presidente directeur directrice maire juge procureur procureure ministre prefet prefete recteur \
             doyen doyenne commissaire cure depute deputee senateur senatrice notaire ambassadeur proviseur delegue",
        ])
    });
    OFFICES.has(word_hash(word))
}

/// A capitalised word that medicine uses and no letter means as a person, unless a title or a key says so: its last
/// token and the reason.
pub(crate) fn medical_name(note: &Note, at: usize) -> Option<(usize, &'static str)> {
    static NAMES: LazyLock<WordSet> = LazyLock::new(|| {
        WordSet::new(&[
            // Acronyms of tests, scales and bodies.
            "elisa anca oms ecog asa nyha iga pcr smur samu gauge hla",
            // Markers, parasites, instruments, histology.
            "melan loa antoni mayfield arabin redon foley veress desjardins",
        ])
    });
    let (tokens, text) = (&note.tokens, note.norm());
    let token = tokens.get(at)?;
    if tokens.get(at + 1).is_some_and(|t| matches!(t.of(text), "®" | "™" | "©")) {
        return Some((at, "a brand, by its sign"));
    }
    // "Histidine Rich Protein", "Hamilton Rating Scale": English puts the head last.
    static HEADS: LazyLock<WordSet> =
        LazyLock::new(|| WordSet::new(&["protein scale inventory disease disorder survey trial study"]));
    let titles = tokens[at..].iter().take(4).take_while(|t| t.shape == Shape::Title).count();
    let given = tokens[at..at + titles].iter().any(|t| t.facts.given_tier() >= 4);
    if let Some(head) = (1..titles).filter(|_| !given).find(|k| HEADS.has(word_hash(tokens[at + k].of(text))))
    {
        return Some((at + head, "an English term, by its head"));
    }
    if !NAMES.has(word_hash(token.of(text))) || token.facts.given_tier() >= 5 {
        return None;
    }
    // "Melan A", "Loa loa"
    let letter = tokens.get(at + 1).is_some_and(|t| {
        !t.glued && (t.shape == Shape::Single || t.of(text).eq_ignore_ascii_case(token.of(text)))
    });
    Some((at + usize::from(letter), "a name that medicine uses"))
}

/// A word listed twice keeps its first class.
fn table(rows: &'static [(WordClass, &'static str)]) -> FxHashMap<&'static str, u8> {
    let mut table = FxHashMap::default();
    for &(class, words) in rows {
        for word in words.split(' ') {
            table.entry(word).or_insert(class as u8 + 1);
        }
    }
    table
}

use WordClass::*;

const FRENCH: &[(WordClass, &str)] = &[
    (TitleFemale, "mme mmes madame mesdames mlle mlles mademoiselle mdme"),
    (TitleMale, "m mr mrs monsieur messieurs msieur"),
    (TitleCaregiver, "dr drs docteur docteurs doct pr prs prof professeur professeurs pharmacien maitre"),
    (TitleCaregiverFemale, "dre doctoresse professeure pharmacienne sagefemme"),
    (
        RoleWord,
        "interne internes int externe externes infirmier infirmiere ide ibode iade chirurgien \
         chirurgienne anesthesiste operateur operatrice kinesitherapeute kine psychologue psychiatre \
         cadre orthophoniste secretaire cardiologue medecin radiologue dieteticienne ergotherapeute \
         brancardier ambulancier confrere consoeur chef aide assistant assistante praticien \
         investigateur nomme nommee prenomme prenommee redacteur signataire tuteur tutrice curateur \
         curatrice cher chere chers cheres",
    ),
    (PatientWord, "patient patiente enfant bebe nourrisson jeune"),
    (
        Kinship,
        "pere mere fils fille frere soeur epoux epouse mari conjoint conjointe compagnon compagne \
         oncle tante cousin cousine neveu niece belle beau gendre bru veuf veuve parrain marraine \
         parents",
    ),
    (SexWord, "femme homme garcon fillette feminin masculin"),
    (
        Particle,
        "de du des d le la les l van von der den di da dos del el al ben bin ibn ould ait mac mc o \
         saint st ste y e",
    ),
    (
        HospitalHead,
        "hopital hopitaux hop hospital clinique cliniques polyclinique chu chr chru ch chi chs chg \
         hia aphp aphm hcl ghu ght gh hospices maternite sanatorium hospitalier hospitaliere cliniq",
    ),
    (
        HealthCentreHead,
        "ehpad ssr usld cmp cmpp csapa camsp pmi cabinet pharmacie laboratoire residence ssiad had \
         mas esat dispensaire",
    ),
    (CentreHead, "centre centres maison"),
    (
        InstitutionHead,
        "universite faculte lycee college ecole societe entreprise mairie institut fondation \
         association prison caserne usine cpam caf mdph",
    ),
    (
        EponymHead,
        "maladie syndrome signe signes manoeuvre test score scores echelle indice index \
         classification criteres critere stade grade triade tetralogie sonde drain pince tumeur \
         sarcome lymphome fracture operation technique procedure methode formule coloration corps \
         cellules cellule anneau canal ligament tendon reflexe point phenomene purpura thyroidite \
         goitre choree hernie ulcere oedeme neuropathie myopathie anemie cirrhose arthrite adenome \
         bacille virus angine regime position incision voie lambeau endobrachyoesophage cul espace \
         fosse trou trompe trompes glande glandes bartholin poche nodule nodules tache taches kyste \
         diverticule gastrectomie anse ilots loi equation theoreme questionnaire inventaire \
         echographie doppler appareil attelle prothese vaccin dermatose dystrophie ataxie epilepsie \
         encephalopathie aphasie paralysie nevralgie contracture lesion lesions cancer carcinome \
         melanome protocole schema complexe type facies osteochondrite apophysite anti anticorps triangle trigone \
         clamp ecarteur pessaire tetiere classe acide",
    ),
    (
        PlaceVerb,
        "habite habitant habitait domicilie domiciliee demeurant reside residant residait originaire \
         natif native vit vivant demenage transfere transferee hospitalise hospitalisee ville commune \
         peripherie region banlieue environs agglomeration",
    ),
    (PlacePreposition, "a en vers depuis sur pres aux dans"),
    (Born, "ne nee nes naissance"),
];

const SPANISH: &[(WordClass, &str)] = &[
    (TitleFemale, "sra sras srta senora senorita dona dna"),
    (TitleMale, "sr sres senor senores don d dn"),
    (TitleCaregiver, "dr drs dres doctor doctores prof profesor due"),
    (TitleCaregiverFemale, "dra dras doctora doctoras profesora matrona"),
    (
        RoleWord,
        "medico medica enf enfermero enfermera cirujano cirujana anestesista residente mir fisioterapeuta \
         psicologo psicologa psiquiatra cardiologo cardiologa radiologo farmaceutico auxiliar celador \
         supervisora responsable facultativo colegiado tutor tutora llamado llamada remitente",
    ),
    (PatientWord, "paciente nino nina lactante bebe"),
    (
        Kinship,
        "padre madre hijo hija hijos hijas hermano hermana hermanos hermanas esposo esposa marido \
         mujer tio tia primo prima sobrino sobrina abuelo abuela abuelos padres nieto nieta cunado \
         cunada suegro suegra yerno nuera conyuge pareja novio novia familiar familiares viuda viudo tios \
         tias primos primas sobrinos sobrinas nietos nietas abuelas bisabuelo bisabuela bisabuelos suegros \
         cunados progenitor progenitora progenitores padrastro madrastra hermanastro hermanastra exmarido \
         exmujer materno materna paterno paterna",
    ),
    (SexWord, "varon varones hombre femenino masculino"),
    (Particle, "de del la las los el y e i da do dos van von der san santa mc mac ben al d o ma"),
    (
        HospitalHead,
        "hospital hospitales clinica clinicas policlinica policlinico complejo sanatorio maternidad \
         hosp chu chuac chus hospitalario hospitalaria",
    ),
    (HealthCentreHead, "ambulatorio consultorio residencia geriatrico farmacia laboratorio cap geriatrica"),
    (CentreHead, "centro centros"),
    (
        InstitutionHead,
        "universidad facultad instituto colegio escuela fundacion empresa sociedad \
         ayuntamiento asociacion ministerio consejeria prision",
    ),
    (
        EponymHead,
        "enfermedad sindrome signo signos maniobra test prueba score escala indice clasificacion \
         criterios criterio estadio grado triada tetralogia sonda drenaje pinza pinzas tumor sarcoma \
         linfoma fractura operacion tecnica procedimiento metodo formula tincion cuerpo cuerpos \
         celulas celula anillo conducto ligamento tendon reflejo punto fenomeno purpura tiroiditis \
         bocio corea hernia ulcera anemia cirrosis adenoma bacilo virus dieta posicion incision \
         espacio saco fosa trompa trompas glandula glandulas bolsa nodulo nodulos mancha manchas \
         quiste diverticulo asa ley ecuacion cuestionario aparato protesis vacuna distrofia ataxia \
         epilepsia paralisis neuralgia lesion carcinoma melanoma protocolo esquema complejo tipo \
         esofago enfermo intervencion colgajo abordaje reaccion placa raspado granulos",
    ),
    (
        PlaceVerb,
        "natural vive reside residente procedente domiciliado domiciliada oriundo originario \
         originaria vecino vecina trasladado trasladada viaje viajo localidad provincia",
    ),
    (PlacePreposition, "en a desde hacia"),
    (Born, "nacido nacida nacio nacimiento"),
    (DetailHead, "raza etnia nacionalidad origen procedencia profesion oficio ocupacion"),
    (
        DetailWord,
        "soltero soltera casado casada divorciado divorciada homosexual heterosexual bisexual transexual",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_one_class_per_language() {
        for table in [FRENCH, SPANISH] {
            for (class, words) in table {
                for word in words.split(' ') {
                    assert_eq!(word, taire_text::fold(word), "{class:?} holds a word that is not folded");
                }
            }
        }
        let class = |l, w| WordClass::from_facts(Facts::default().with_keyword(keyword(l, w)));
        assert_eq!(class(Language::Fr, "mme"), Some(TitleFemale));
        assert_eq!(class(Language::Es, "varon"), Some(SexWord));
        assert_eq!(class(Language::Fr, "plaquettes"), None);
    }
}
