//! The letters of a patient as notes with their entities, for measures that start where detection ends.

use taire_text::{Entity, Label, Language, Note, PatientId, Role, Score, Source, Span, fold};

use super::{letters, patient};

/// Every letter of patient `index`, with what identifies somebody in it. Ids are those of [`super::write`].
pub fn notes(seed: u64, index: u64) -> Result<Vec<(Note, Vec<Entity>)>, taire_text::Error> {
    let patient = patient(seed, index);
    let doctor = [fold(patient.identity.doctor.0), fold(patient.identity.doctor.1)];
    let mut out = Vec::with_capacity(patient.stays.len());
    for (number, stay) in patient.stays.iter().enumerate() {
        let (text, spans) = letters::letter(seed, index, &patient, number);
        let bytes: Vec<usize> = text.char_indices().map(|(byte, _)| byte).chain([text.len()]).collect();
        let mut entities = Vec::with_capacity(spans.len());
        for (start, end, label) in &spans {
            let label: Label = label.parse()?;
            let span = Span::new(bytes[*start], bytes[*end]);
            let by_doctor =
                text[..span.start()].trim_end().rsplit('\n').next().is_some_and(|l| l.contains("Dr"));
            let role = match label {
                Label::GivenName | Label::FamilyName
                    if by_doctor && doctor.contains(&fold(span.of(&text))) =>
                {
                    Role::Caregiver
                }
                Label::GivenName | Label::FamilyName | Label::BirthDate | Label::Age => Role::Patient,
                _ => Role::Unknown,
            };
            entities.push(Entity {
                span,
                label,
                role,
                score: Score::CERTAIN,
                sources: [Source::Metadata].into_iter().collect(),
                doubtful_value: false,
                mentions: Vec::new(),
            });
        }
        let note = Note::builder(format!("{}-{:02}", patient.identity.number, number + 1), text)
            .patient(PatientId::parse(&patient.identity.number))
            .date(Some(stay.exit))
            .language(Some(Language::Fr))
            .build()?;
        out.push((note, entities));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doctors_are_caregivers_and_patients_are_not() {
        for index in 0..50 {
            let identity = patient(3, index).identity;
            for (note, entities) in notes(3, index).unwrap() {
                let names = |role| {
                    let of = entities.iter().filter(move |e| e.label == Label::FamilyName && e.role == role);
                    of.map(|e| fold(e.span.of(note.raw()))).collect::<Vec<_>>()
                };
                assert_eq!(names(Role::Patient), vec![fold(identity.family); 2]);
                assert_eq!(names(Role::Caregiver), vec![fold(identity.doctor.1); 2]);
            }
        }
    }
}
