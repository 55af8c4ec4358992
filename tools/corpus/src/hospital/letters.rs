//! The letter of a stay, with its spans. It tells the patient's earlier stays by their dates, as letters do.

use jiff::civil::Date;
use taire_lang::CalendarNames;
use taire_text::{Gender, Language, marked};

use super::Patient;
use super::stays::REASONS;
use crate::Rng;

const COURSES: &[&str] = &[
    "L'évolution est favorable sous traitement. CRP à 12 mg/L à la sortie, créatinine 84 µmol/L.",
    "Hémoglobine 11,2 g/dL, plaquettes 245 G/L, leucocytes 7,4 G/L. Pas de fièvre.",
    "TA 135/80 mmHg, FC 72/min, SpO2 96 % en air ambiant. Auscultation libre.",
    "Scanner thoraco-abdomino-pelvien sans lésion suspecte. Poids 71 kg.",
    "Potassium 4,1 mmol/L, sodium 139 mmol/L, DFG 58 mL/min. Diurèse conservée.",
    "Score de Glasgow à 15, examen neurologique sans déficit. NIHSS 0.",
];

const DRUGS: &[&str] = &[
    "furosémide 40 mg",
    "bisoprolol 2,5 mg",
    "metformine 1 000 mg",
    "paracétamol 1 g",
    "amoxicilline 1 g",
    "apixaban 5 mg",
    "ramipril 5 mg",
    "atorvastatine 20 mg",
    "lévothyroxine 75 µg",
    "prednisone 20 mg",
];

fn numeric(day: Date) -> String {
    format!("[{:02}/{:02}/{}](Date)", day.day(), day.month(), day.year())
}

fn written(day: Date) -> String {
    let number = if day.day() == 1 { "1er".to_owned() } else { day.day().to_string() };
    let months = CalendarNames::get().full_months(Language::Fr);
    let month = months.map_or("", |row| &*row.names[usize::from(day.month() as u8 - 1)]);
    format!("[{number} {month} {}](Date)", day.year())
}

/// Text and spans, in code points, of the letter of stay `number`.
pub fn letter(
    seed: u64,
    index: u64,
    patient: &Patient,
    number: usize,
) -> (String, Vec<(usize, usize, String)>) {
    let mut rng = Rng::of_document(seed ^ 0x1E77E5, index * 64 + number as u64);
    let (who, stay) = (&patient.identity, &patient.stays[number]);
    let woman = who.gender == Gender::Female;
    let title = if woman { "Madame" } else { "Monsieur" };
    let (e, he) = if woman { ("e", "Elle") } else { ("", "Il") };
    let age = (stay.entry - who.birth).get_days() / 365;
    let family = if rng.percent(60) { who.family.to_uppercase() } else { who.family.to_owned() };
    let birth = &who.birth;
    let birth = format!("[{:02}/{:02}/{}](BirthDate)", birth.day(), birth.month(), birth.year());
    let (reason, course) = (REASONS[stay.reason].1, COURSES[rng.below(COURSES.len())]);
    let drug = |rng: &mut Rng| DRUGS[rng.below(DRUGS.len())];
    let mut text = format!(
        "Centre hospitalier\nService de médecine\n\n{title} [{}](GivenName) [{family}](FamilyName)\nné{e} le {birth}\n\
         IPP : [{}](PatientId)\n[{}](Street)\n[{}](PostalCode) [{}](City)\nTél. : [{}](Phone)\n\n\
         Le {}\n\nCher confrère,\n\n",
        who.given,
        who.number,
        who.street,
        who.postal,
        who.city,
        who.phone,
        written(stay.exit)
    );
    text += &format!(
        "Votre patient{e} {title} [{family}](FamilyName), âgé{e} de [{age} ans](Age), [{}](Profession), a été hospitalisé{e} du {} au {} \
         pour {reason}.\n",
        who.profession,
        numeric(stay.entry),
        numeric(stay.exit)
    );
    let earlier = &patient.stays[..number];
    if !earlier.is_empty() {
        let days: Vec<String> = earlier.iter().map(|s| numeric(s.entry)).collect();
        text += &format!("Hospitalisations antérieures : {}.\n", days.join(", "));
    }
    let (first, second) = (drug(&mut rng), drug(&mut rng));
    text += &format!(
        "{course}\nTraitement de sortie : {first}, {second}.\n{he} sera revu{e} par le Dr [{}](GivenName) [{}](FamilyName).\n\n\
         Bien confraternellement,\nDr [{}](GivenName) [{}](FamilyName)\n",
        who.doctor.0,
        who.doctor.1,
        who.doctor.0,
        who.doctor.1.to_uppercase()
    );
    let marked = marked::parse(&text);
    let place = |byte: usize| marked.text[..byte].chars().count();
    let spans = marked.spans.iter().map(|(r, label)| (place(r.start), place(r.end), label.clone()));
    let spans = spans.collect();
    (marked.text, spans)
}
