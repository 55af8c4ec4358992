//! Which findings of a note belong to the institution and not to a patient: hospitals, their address lines and telephones,
//! the place in "Orléans, le 9 février", licences of staff. They are drawn once for the release, so that a hospital is one hospital
//! through it and no patient's draw tells what it is not.

use taire_text::{Entity, Label, Note, Role, fold};

/// An address line this long is prose.
const LONGEST_LINE: usize = 90;
/// So many lines below its name an address may go on.
const MOST_LINES: usize = 5;
/// Letters an address line may hold beside what was found in it: `Tél. secrétariat :`.
const MOST_LETTERS: usize = 25;

/// For each entity of a note, whether it is the institution's.
pub(crate) fn owned(note: &Note, entities: &[Entity]) -> Vec<bool> {
    let mut page = Page {
        text: note.norm(),
        entities,
        spans: entities.iter().map(|e| note.to_norm(e.span).range()).collect(),
        follows: vec![false; entities.len()],
    };
    for i in 0..entities.len() {
        page.follows[i] = page.follows_facility(i);
    }
    (0..entities.len()).map(|i| page.is_institutions(i)).collect()
}

struct Page<'a> {
    text: &'a str,
    entities: &'a [Entity],
    spans: Vec<std::ops::Range<usize>>,
    /// Whether a facility comes before an entity, as far as entities were read.
    follows: Vec<bool>,
}

impl Page<'_> {
    fn is_institutions(&self, i: usize) -> bool {
        let entity = &self.entities[i];
        match (entity.label, entity.role) {
            (Label::Hospital | Label::HealthCentre | Label::Institution, _) => true,
            (_, Role::Patient | Role::Relative) => false,
            (Label::Fax | Label::Url | Label::ProfessionalLicence | Label::EmployeeId, _) => true,
            (Label::City | Label::PostalCode | Label::Street | Label::Phone | Label::Email, role) => {
                role == Role::Caregiver
                    || self.heads_a_date(i)
                    || self.follows[i]
                    || self.is_below_facility(i)
            }
            _ => false,
        }
    }

    fn is_facility(&self, i: usize) -> bool {
        matches!(self.entities[i].label, Label::Hospital | Label::HealthCentre | Label::Institution)
    }

    /// `Orléans, le 9/02/2021` at the start of a line.
    fn heads_a_date(&self, i: usize) -> bool {
        let span = &self.spans[i];
        let starts_line = || {
            let mut before = self.text[..span.start].chars().rev().take_while(|&c| c != '\n');
            !before.any(char::is_alphanumeric)
        };
        let date = self.entities.get(i + 1).filter(|next| next.label == Label::Date);
        self.entities[i].label == Label::City
            && date.is_some()
            && starts_line()
            && self
                .words_between(i, i + 1)
                .is_some_and(|words| words.is_empty() || matches!(words.as_str(), "le" | "a" | "el"))
    }

    /// `Hôpital Bichat, 75018 Paris`, `Hôpital Bichat à Paris`: the facility comes just before, on the same line, with
    /// nothing but parts of its address between.
    fn follows_facility(&self, i: usize) -> bool {
        let Some(before) = i.checked_sub(1).filter(|_| is_address(self.entities[i].label)) else {
            return false;
        };
        if !self.is_facility(before) && !self.follows[before] {
            return false;
        }
        let Some(words) = self.words_between(before, i) else { return false };
        let phone =
            matches!(self.entities[i].label, Label::Phone | Label::Email) && words.len() <= MOST_LETTERS;
        phone || words.is_empty() || matches!(words.as_str(), "a" | "de" | "d" | "du" | "en" | "des")
    }

    /// A line of an address block whose first lines name a facility, without a patient's or an unknown person's name
    /// between.
    fn is_below_facility(&self, i: usize) -> bool {
        let mut end = self.spans[i].start;
        for above in 0..MOST_LINES {
            let Some(line) = self.short_line(end) else { return false };
            let start = line.start;
            if self.text[line.clone()].trim().is_empty() || line.len() > LONGEST_LINE {
                return false;
            }
            let first = self.spans.partition_point(|s| s.end <= line.start);
            let on_line = || (first..self.entities.len()).take_while(|&e| self.spans[e].start < line.end);
            if on_line().any(|e| is_person(&self.entities[e]))
                || (above == 0 && !self.is_address_line(&line, first))
            {
                return false;
            }
            if above > 0 && on_line().any(|e| self.is_facility(e)) {
                return true;
            }
            if start == 0 {
                return false;
            }
            end = start - 1;
        }
        false
    }

    /// The line that holds an offset; `None` where it is longer than an address line.
    fn short_line(&self, at: usize) -> Option<std::ops::Range<usize>> {
        let bytes = self.text.as_bytes();
        let (from, to) = (at.saturating_sub(LONGEST_LINE + 1), bytes.len().min(at + LONGEST_LINE + 1));
        let before = bytes[from..at].iter().rposition(|&b| b == b'\n').map(|n| from + n + 1);
        let after = bytes[at..to].iter().position(|&b| b == b'\n').map(|n| at + n);
        let start = before.or((from == 0).then_some(0))?;
        let end = after.or((to == bytes.len()).then_some(to))?;
        Some(start..end)
    }

    /// Whether a line is little more than what was found in it.
    fn is_address_line(&self, line: &std::ops::Range<usize>, first: usize) -> bool {
        let mut from = line.start;
        let mut letters = 0;
        for span in self.spans[first..].iter().take_while(|s| s.start < line.end) {
            letters += count_letters(&self.text[from..span.start.max(from)]);
            from = span.end.min(line.end).max(from);
        }
        letters + count_letters(&self.text[from..line.end]) <= MOST_LETTERS
    }

    /// The folded letters between two neighbours on one line; `None` across lines.
    fn words_between(&self, a: usize, b: usize) -> Option<String> {
        let gap = self.text.get(self.spans[a].end..self.spans.get(b)?.start)?;
        (!gap.contains('\n')).then(|| fold(gap).chars().filter(|c| c.is_alphanumeric()).collect())
    }
}

fn is_address(label: Label) -> bool {
    matches!(
        label,
        Label::City
            | Label::PostalCode
            | Label::Street
            | Label::Phone
            | Label::Fax
            | Label::Email
            | Label::Url
    )
}

/// A finding that tells of a patient or of somebody unknown.
fn is_person(entity: &Entity) -> bool {
    let name = matches!(entity.label, Label::GivenName | Label::FamilyName | Label::Initials);
    (name && entity.role != Role::Caregiver) || entity.label == Label::BirthDate
}

fn count_letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphabetic()).count()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use taire_text::Language;

    use super::*;
    use crate::testing::{entities, note};

    /// The texts of the findings that are the institution's.
    fn institutions(source: &str) -> Vec<String> {
        let (text, entities) = entities(source);
        let note = note(&text, Language::Fr, Arc::default());
        let owned = owned(&note, &entities);
        entities.iter().zip(owned).filter(|(_, own)| *own).map(|(e, _)| e.span.of(&text).to_owned()).collect()
    }

    #[test]
    fn a_letterhead_and_its_place_are_the_institutions() {
        let found = institutions(
            "[CHU Nord](Hospital)\nService de cardiologie\n[12 rue Haute](Street)\n[80000](PostalCode) [Amiens](City)\n\
             Tél. [03 22 00 00 00](Phone)\n\n[Amiens](City), le [3 mai 2020](Date)\n\
             M. [Petit](FamilyName:Patient), [80400](PostalCode) [Ham](City), tél. [06 11 22 33 44](Phone)",
        );
        assert_eq!(found, ["CHU Nord", "12 rue Haute", "80000", "Amiens", "03 22 00 00 00", "Amiens"]);
    }

    #[test]
    fn prose_and_addresses_of_people_are_not() {
        let found = institutions(
            "Vu au [CHU Nord](Hospital), vit à [Ham](City). Opéré à l'[hôpital Sud](Hospital) d'[Amiens](City).\n\n\
             [CHU Nord](Hospital)\nM. [Petit](FamilyName)\n[3 rue Basse](Street)\n[80400](PostalCode) [Ham](City)",
        );
        assert_eq!(found, ["CHU Nord", "hôpital Sud", "Amiens", "CHU Nord"]);
    }
}
