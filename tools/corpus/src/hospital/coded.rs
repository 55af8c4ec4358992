//! Letters whose codes are known: `cargo corpus hospital --coded`, for the coder and the utility experiment in French.
//!
//! Each letter has a main diagnosis and up to five others, each named in one of several ways (in full, by an abbreviation,
//! by what was seen or done), among findings, treatments, denied diagnoses ("pas d'embolie pulmonaire") and those of the
//! family, which are not coded. Some words mean another code in a child, an old person, a woman or a man, as they do in
//! hospitals: a coder has to look at the age or the sex, which de-identification touches. So are drawn 15 of a
//! hundred diagnoses. Codes are those a coder would give; nothing was chosen to flatter a policy.

use taire_text::Gender;

use super::people::Identity;
use super::stays::Stay;
use crate::Rng;

/// A code, its weight, and the ways to write it.
struct Diagnosis(&'static str, usize, &'static [&'static str]);

const DIAGNOSES: &[Diagnosis] = &[
    Diagnosis(
        "I50.0",
        9,
        &[
            "insuffisance cardiaque congestive",
            "décompensation cardiaque globale",
            "poussée d'insuffisance cardiaque",
            "IC droite et gauche",
        ],
    ),
    Diagnosis(
        "J44.1",
        8,
        &[
            "exacerbation de BPCO",
            "bronchopneumopathie chronique obstructive décompensée",
            "BPCO surinfectée",
            "poussée aiguë de bronchite chronique obstructive",
        ],
    ),
    Diagnosis(
        "I10",
        14,
        &[
            "hypertension artérielle",
            "HTA essentielle",
            "HTA traitée",
            "chiffres tensionnels élevés de longue date",
        ],
    ),
    Diagnosis(
        "E11.9",
        10,
        &["diabète de type 2", "DNID", "diabète non insulinodépendant", "diabète gras sous metformine"],
    ),
    Diagnosis("E10.9", 3, &["diabète de type 1", "DID", "diabète insulinodépendant", "diabète juvénile"]),
    Diagnosis(
        "N18.5",
        5,
        &[
            "insuffisance rénale chronique terminale",
            "IRC stade 5",
            "maladie rénale chronique au stade de la dialyse",
        ],
    ),
    Diagnosis(
        "C50.9",
        5,
        &["carcinome mammaire", "cancer du sein", "néoplasie mammaire", "tumeur maligne du sein"],
    ),
    Diagnosis(
        "C18.7",
        4,
        &["adénocarcinome du sigmoïde", "cancer du côlon sigmoïde", "néoplasie sigmoïdienne"],
    ),
    Diagnosis(
        "C34.1",
        4,
        &["carcinome bronchique", "cancer du poumon", "néoplasie pulmonaire du lobe supérieur", "CBNPC"],
    ),
    Diagnosis("C61", 4, &["adénocarcinome prostatique", "cancer de la prostate", "néoplasie prostatique"]),
    Diagnosis(
        "I63.9",
        5,
        &[
            "infarctus cérébral",
            "AVC ischémique",
            "accident vasculaire cérébral ischémique",
            "ischémie sylvienne",
        ],
    ),
    Diagnosis(
        "S72.0",
        6,
        &[
            "fracture du col du fémur",
            "fracture cervicale vraie",
            "fracture Garden IV",
            "fracture de l'extrémité supérieure du fémur",
        ],
    ),
    Diagnosis(
        "K80.2",
        5,
        &[
            "lithiase vésiculaire",
            "calculs de la vésicule",
            "vésicule lithiasique",
            "colique hépatique sur lithiase",
        ],
    ),
    Diagnosis(
        "J18.9",
        8,
        &[
            "pneumopathie",
            "pneumonie",
            "foyer de condensation pulmonaire",
            "infection parenchymateuse pulmonaire",
        ],
    ),
    Diagnosis(
        "N39.0",
        7,
        &["infection urinaire", "cystite", "ECBU positif à E. coli", "infection des voies urinaires basses"],
    ),
    Diagnosis("M16.1", 5, &["coxarthrose", "arthrose de hanche", "usure de la hanche"]),
    Diagnosis("M17.1", 5, &["gonarthrose", "arthrose du genou", "arthrose fémoro-tibiale"]),
    Diagnosis("I48.9", 8, &["fibrillation auriculaire", "ACFA", "FA paroxystique", "arythmie complète"]),
    Diagnosis(
        "F32.1",
        4,
        &[
            "épisode dépressif",
            "syndrome dépressif",
            "dépression",
            "tristesse de l'humeur avec ralentissement",
        ],
    ),
    Diagnosis("G20", 3, &["maladie de Parkinson", "syndrome parkinsonien idiopathique", "Parkinson évolué"]),
    Diagnosis("G30.9", 3, &["maladie d'Alzheimer", "démence de type Alzheimer", "Alzheimer connu"]),
    Diagnosis("D64.9", 5, &["anémie", "déglobulisation", "hémoglobine effondrée", "anémie normocytaire"]),
    Diagnosis("E78.0", 5, &["hypercholestérolémie", "dyslipidémie", "LDL élevé"]),
    Diagnosis("E03.9", 4, &["hypothyroïdie", "hypothyroïdie substituée", "TSH élevée sous lévothyroxine"]),
    Diagnosis("E66.9", 4, &["obésité", "surcharge pondérale avec IMC à 36", "obésité morbide"]),
    Diagnosis("I26.9", 4, &["embolie pulmonaire", "EP bilatérale", "thrombus des artères pulmonaires"]),
    Diagnosis("I80.2", 3, &["thrombose veineuse profonde", "phlébite surale", "TVP poplitée"]),
    Diagnosis(
        "I21.9",
        4,
        &["infarctus du myocarde", "IDM inférieur", "SCA avec sus-décalage", "syndrome coronarien aigu"],
    ),
    Diagnosis("K35.8", 3, &["appendicite aiguë", "appendice inflammatoire", "appendicite non compliquée"]),
    Diagnosis("K57.3", 3, &["diverticulose", "sigmoïdite diverticulaire", "diverticules du côlon"]),
    Diagnosis("K74.6", 3, &["cirrhose", "hépatopathie cirrhotique", "cirrhose décompensée"]),
    Diagnosis("K21.0", 3, &["reflux gastro-œsophagien", "RGO avec œsophagite", "pyrosis sur hernie hiatale"]),
    Diagnosis("L03.1", 3, &["érysipèle", "dermohypodermite de jambe", "cellulite du membre inférieur"]),
    Diagnosis("J45.9", 4, &["asthme", "crise d'asthme", "hyperréactivité bronchique"]),
    Diagnosis("N20.0", 3, &["colique néphrétique", "calcul rénal", "lithiase rénale"]),
    Diagnosis("N10", 3, &["pyélonéphrite aiguë", "PNA droite", "infection urinaire haute"]),
    Diagnosis("G40.9", 3, &["épilepsie", "crise comitiale", "crises convulsives répétées"]),
    Diagnosis("F10.2", 3, &["alcoolodépendance", "éthylisme chronique", "OH chronique"]),
    Diagnosis("F17.2", 4, &["tabagisme actif", "intoxication tabagique", "fumeur 30 PA"]),
    Diagnosis("A41.9", 3, &["sepsis", "choc septique", "septicémie", "état septique"]),
    Diagnosis("E86", 3, &["déshydratation", "déshydratation globale", "pli cutané avec hypernatrémie"]),
    Diagnosis("E87.1", 3, &["hyponatrémie", "natrémie à 121", "SIADH"]),
    Diagnosis("L89.1", 2, &["escarre sacrée", "escarre talonnière", "plaie de pression"]),
    Diagnosis("M81.9", 3, &["ostéoporose", "tassements sur os fragile", "déminéralisation diffuse"]),
    Diagnosis("S82.6", 2, &["fracture de la malléole", "fracture bimalléolaire", "fracture de cheville"]),
    Diagnosis(
        "S06.0",
        2,
        &["commotion cérébrale", "traumatisme crânien avec perte de connaissance", "TC léger"],
    ),
    Diagnosis("B37.0", 2, &["candidose buccale", "muguet", "mycose oropharyngée"]),
    Diagnosis("H25.9", 2, &["cataracte", "opacification du cristallin", "cataracte bilatérale"]),
];

/// A word that means one code or another: the text, and the code for who the patient is.
struct Ambiguous(&'static str, fn(i64, Gender) -> Option<&'static str>);

const AMBIGUOUS: &[Ambiguous] = &[
    Ambiguous("diabète", |age, _| Some(if age < 25 { "E10.9" } else { "E11.9" })),
    Ambiguous("fracture de hanche", |age, _| Some(if age < 50 { "S32.4" } else { "S72.0" })),
    Ambiguous("troubles de la mémoire", |age, _| Some(if age < 65 { "R41.3" } else { "G30.9" })),
    Ambiguous("sifflements expiratoires", |age, _| {
        Some(if age < 3 {
            "J21.9"
        } else if age < 40 {
            "J45.9"
        } else {
            "J44.1"
        })
    }),
    Ambiguous("bilan de stérilité", |_, sex| Some(if sex == Gender::Female { "N97.9" } else { "N46" })),
    Ambiguous("néoplasie hormonodépendante", |_, sex| {
        Some(if sex == Gender::Female { "C50.9" } else { "C61" })
    }),
    Ambiguous("retard de croissance", |age, _| (age < 18).then_some("R62.8")),
    Ambiguous("altération de l'état général du sujet âgé", |age, _| (age >= 75).then_some("R54")),
];

const MAIN: &[&str] = &[
    "a été hospitalisé{e} pour {d}.",
    "a été admis{e} dans le service : {d}.",
    "nous a été adressé{e} par les urgences pour {d}.",
    "est sorti{e} ce jour après prise en charge d'une {d}.",
];
const OTHERS: &[&str] = &[
    "On note également {d}.",
    "Antécédents : {d}.",
    "Au cours du séjour : {d}.",
    "Diagnostic associé : {d}.",
    "ATCD de {d}, suivi en ville.",
    "Le bilan retrouve {d}.",
    "{d} connue depuis plusieurs années.",
];
const DENIED: &[&str] =
    &["Pas de {d}.", "Absence de {d}.", "On élimine {d}.", "Père : {d}.", "Sœur suivie pour {d}."];
const COURSES: &[&str] = &[
    "Évolution favorable sous traitement, apyrexie obtenue en 48 heures.",
    "TA 132/78 mmHg, FC 74/min, saturation 97 % en air ambiant.",
    "CRP 34 mg/L puis 8 mg/L, leucocytes 9,1 G/L, créatinine 88 µmol/L.",
    "Scanner réalisé, sans complication visible. Échographie sans particularité.",
    "Kinésithérapie débutée, reprise de la marche avec aide.",
    "Transit et diurèse conservés, examen cutané sans particularité.",
    "ECG sans trouble de la repolarisation, troponine négative.",
];
const DRUGS: &[&str] = &[
    "furosémide 40 mg",
    "bisoprolol 2,5 mg",
    "paracétamol 1 g",
    "amoxicilline 1 g",
    "apixaban 5 mg",
    "ramipril 5 mg",
    "atorvastatine 20 mg",
    "prednisone 20 mg",
    "pantoprazole 40 mg",
    "tramadol 50 mg",
    "énoxaparine 4 000 UI",
];

/// Text and codes of the letter of a stay.
pub fn letter(seed: u64, index: u64, who: &Identity, stay: &Stay) -> (String, Vec<&'static str>) {
    let mut rng = Rng::of_document(seed ^ 0xC0DE, index);
    let woman = who.gender == Gender::Female;
    let (title, e) = if woman { ("Madame", "e") } else { ("Monsieur", "") };
    let age = i64::from((stay.entry - who.birth).get_days()) / 365;
    let mut codes: Vec<&'static str> = Vec::new();
    let count = 1 + rng.between(1, 5);
    let mut named = Vec::new();
    while named.len() < count {
        let (way, code) = diagnosis(&mut rng, age, who.gender);
        if !codes.contains(&code) {
            codes.push(code);
            named.push(way);
        }
    }
    let say = |pattern: &str, what: &str| pattern.replace("{d}", what).replace("{e}", e);
    let mut lines: Vec<String> = Vec::new();
    for way in &named[1..] {
        lines.push(say(OTHERS[rng.below(OTHERS.len())], way));
    }
    for _ in 0..rng.between(1, 2) {
        let (way, code) = diagnosis(&mut rng, age, who.gender);
        if !codes.contains(&code) {
            lines.push(say(DENIED[rng.below(DENIED.len())], way));
        }
    }
    for _ in 0..rng.between(1, 3) {
        lines.push(COURSES[rng.below(COURSES.len())].to_owned());
    }
    for i in (1..lines.len()).rev() {
        lines.swap(i, rng.below(i + 1));
    }
    let (first, second) = (DRUGS[rng.below(DRUGS.len())], DRUGS[rng.below(DRUGS.len())]);
    let day = |d: jiff::civil::Date| format!("{:02}/{:02}/{}", d.day(), d.month(), d.year());
    let family = who.family.to_uppercase();
    let text = format!(
        "Centre hospitalier de {}\nService de médecine\n\n{title} {} {family}\nné{e} le {}\nIPP : {}\n{}\n{} {}\nTél. : {}\n\n\
         Le {}\n\nCher confrère,\n\n{title} {family}, âgé{e} de {age} ans, {}, {}\n{}\n\
         Traitement de sortie : {first}, {second}.\nRevoir le Dr {} {} en consultation.\n\nBien confraternellement,\nDr {} {}\n",
        who.city,
        who.given,
        day(who.birth),
        who.number,
        who.street,
        who.postal,
        who.city,
        who.phone,
        day(stay.exit),
        who.profession,
        say(MAIN[rng.below(MAIN.len())], named[0]),
        lines.join("\n"),
        who.doctor.0,
        who.doctor.1,
        who.doctor.0,
        who.doctor.1.to_uppercase(),
    );
    (text, codes)
}

fn diagnosis(rng: &mut Rng, age: i64, gender: Gender) -> (&'static str, &'static str) {
    loop {
        if rng.percent(15) {
            let Ambiguous(way, code) = &AMBIGUOUS[rng.below(AMBIGUOUS.len())];
            if let Some(code) = code(age, gender) {
                return (way, code);
            }
            continue;
        }
        let Diagnosis(code, _, ways) = &DIAGNOSES[rng.weighted(DIAGNOSES.iter().map(|d| d.1))];
        let of_women = matches!(*code, "C50.9");
        let of_men = matches!(*code, "C61");
        let of_the_old =
            matches!(*code, "G30.9" | "G20" | "H25.9" | "M81.9" | "C61" | "M16.1" | "M17.1") && age < 45;
        if (of_women && gender != Gender::Female) || (of_men && gender == Gender::Female) || of_the_old {
            continue;
        }
        return (ways[rng.below(ways.len())], code);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hospital::patient;

    #[test]
    fn a_letter_names_its_codes_and_the_same_word_has_the_code_of_its_patient() {
        let mut young = 0;
        for index in 0..800 {
            let patient = patient(5, index);
            let (text, codes) = letter(5, index, &patient.identity, &patient.stays[0]);
            assert!((2..=6).contains(&codes.len()), "{codes:?}");
            let known = |way: &&str| text.contains(*way);
            let code = |c: &&str| {
                DIAGNOSES.iter().any(|d| d.0 == *c && d.2.iter().any(known))
                    || AMBIGUOUS.iter().any(|a| text.contains(a.0))
            };
            assert!(codes.iter().all(code), "{index}");
            young += usize::from(text.contains("bilan de stérilité") && codes.contains(&"N46"));
        }
        assert!(young > 0);
    }
}
