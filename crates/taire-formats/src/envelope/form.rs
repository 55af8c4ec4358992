//! What the headers of all envelopes have in common: people with names, numbers and addresses. A [`Form`] writes them
//! as lines of a [`Sheet`] and remembers them as a known identity, so that the letter is searched for them.

use std::ops::Range;

use jiff::civil::Date;
use taire_text::{Given, Identity, KnownIdentity, Label, Language, PatientId, Role, Sex};

use crate::LeftOut;
use crate::office::{Counts, count};

use super::cda_rules::is_title;
use super::sheet::{Sheet, SlotId};
use super::values::{Shown, day_of, show_date};

/// Whose field it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Who {
    Patient,
    Caregiver(usize),
    Relative(usize),
    /// A thing, a document, an institution without a person.
    Nobody,
}

impl Who {
    pub(crate) fn role(self) -> Role {
        match self {
            Who::Patient => Role::Patient,
            Who::Caregiver(_) => Role::Caregiver,
            Who::Relative(_) => Role::Relative,
            Who::Nobody => Role::Unknown,
        }
    }
}

/// The words that announce a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Line {
    Person,
    Birth,
    Address,
    Contact,
    Number,
    Day,
    Place,
    Institution,
    Text,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AddressPart {
    Street,
    PostalCode,
    City,
    Region,
    Country,
}

#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) sheet: Sheet,
    pub(crate) left_out: Counts,
    language: Language,
    /// The document says its language.
    pub(crate) spoken: Option<Language>,
    patient: Identity,
    /// The number that joins documents of the patient: the hospital's before the nation's.
    number: Option<String>,
    national: Option<String>,
    caregivers: Vec<Identity>,
    relatives: Vec<Identity>,
    pub(crate) day: Option<Date>,
}

/// What reading an envelope gives beside the way back.
pub(crate) struct Read {
    pub(crate) known: KnownIdentity,
    pub(crate) given: Vec<Given>,
    pub(crate) language: Option<Language>,
    pub(crate) date: Option<Date>,
}

impl Form {
    pub(crate) fn new(spoken: Option<Language>) -> Form {
        Form {
            sheet: Sheet::default(),
            left_out: Counts::new(),
            language: spoken.unwrap_or(Language::Fr),
            spoken,
            patient: Identity::default(),
            number: None,
            national: None,
            caregivers: Vec::new(),
            relatives: Vec::new(),
            day: None,
        }
    }

    pub(crate) fn caregiver(&mut self) -> Who {
        self.caregivers.push(Identity::default());
        Who::Caregiver(self.caregivers.len() - 1)
    }

    pub(crate) fn relative(&mut self) -> Who {
        self.relatives.push(Identity::default());
        Who::Relative(self.relatives.len() - 1)
    }

    fn person(&mut self, who: Who) -> Option<&mut Identity> {
        match who {
            Who::Patient => Some(&mut self.patient),
            Who::Caregiver(i) => self.caregivers.get_mut(i),
            Who::Relative(i) => self.relatives.get_mut(i),
            Who::Nobody => None,
        }
    }

    pub(crate) fn leave(&mut self, what: LeftOut) {
        count(&mut self.left_out, what);
    }

    /// Ends the line that is open.
    pub(crate) fn end_line(&mut self) {
        if !self.sheet.at_line_start() {
            self.sheet.say("\n");
        }
    }

    /// Starts a line.
    pub(crate) fn line(&mut self, line: Line, who: Who) {
        self.end_line();
        let french = self.language == Language::Fr;
        let words = match (line, who, french) {
            (Line::Person, Who::Patient, _) => "Patient : ",
            (Line::Person, Who::Caregiver(_), true) => "Médecin : Dr ",
            (Line::Person, Who::Caregiver(_), false) => "Médico: Dr. ",
            (Line::Person, Who::Relative(_), true) => "Proche : ",
            (Line::Person, Who::Relative(_), false) => "Familiar: ",
            (Line::Person, Who::Nobody, true) => "Nom : ",
            (Line::Person, Who::Nobody, false) => "Nombre: ",
            (Line::Birth, _, true) => "Date de naissance : ",
            (Line::Birth, _, false) => "Fecha de nacimiento: ",
            (Line::Address, _, true) => "Adresse : ",
            (Line::Address, _, false) => "Domicilio: ",
            (Line::Contact, _, true) => "Contact : ",
            (Line::Contact, _, false) => "Contacto: ",
            (Line::Number, _, true) => "Identifiant : ",
            (Line::Number, _, false) => "Identificador: ",
            (Line::Day, _, true) => "Date : ",
            (Line::Day, _, false) => "Fecha: ",
            (Line::Place, _, true) => "Lieu : ",
            (Line::Place, _, false) => "Lugar: ",
            (Line::Institution, _, true) => "Établissement : ",
            (Line::Institution, _, false) => "Centro: ",
            (Line::Text, _, _) => "- ",
        };
        self.sheet.say(words);
    }

    /// A blank between two fields of one line.
    pub(crate) fn gap(&mut self) {
        if !self.sheet.at_line_start() && !self.sheet.text().ends_with(' ') {
            self.sheet.say(" ");
        }
    }

    pub(crate) fn given_name(&mut self, who: Who, value: &str) -> SlotId {
        self.gap();
        let (name, text) = (value.trim().to_owned(), value);
        if let Some(person) = self.person(who).filter(|p| !name.is_empty() && !p.given_names.contains(&name))
        {
            person.given_names.push(name);
        }
        self.sheet.field(text, Label::GivenName, who.role())
    }

    /// A family name, or a whole name where its parts are not told apart.
    pub(crate) fn family_name(&mut self, who: Who, value: &str, birth: bool) -> SlotId {
        self.gap();
        let name = value.trim().to_owned();
        if let Some(person) = self.person(who).filter(|_| !name.is_empty()) {
            let slot = match (birth, person.family_name.is_some()) {
                (false, false) => &mut person.family_name,
                _ => &mut person.birth_name,
            };
            slot.get_or_insert(name);
        }
        self.sheet.field(value, Label::FamilyName, who.role())
    }

    /// A line with a name in one piece: titles stay, given and family names are told apart where capitals or the order do.
    pub(crate) fn whole_name(&mut self, who: Who, value: &str) -> SlotId {
        self.line(Line::Person, who);
        let parts = name_parts(value);
        for (at, label) in &parts {
            let (name, given) = (value[at.clone()].to_owned(), *label == Label::GivenName);
            match self.person(who) {
                Some(person) if given && !person.given_names.contains(&name) => person.given_names.push(name),
                Some(person) if !given => drop(person.family_name.get_or_insert(name)),
                _ => {}
            }
        }
        self.sheet.parts(value, &parts, who.role())
    }

    /// A line with a day; `None` if it cannot be read, and then must not be written.
    pub(crate) fn day(&mut self, who: Who, value: &str, birth: bool) -> Option<SlotId> {
        let Shown { text, had_time } = show_date(value)?;
        self.line(if birth { Line::Birth } else { Line::Day }, who);
        if had_time {
            self.leave(LeftOut::TimesOfDay);
        }
        if birth && let Some(person) = self.person(who) {
            person.birth_date = person.birth_date.or_else(|| day_of(value));
        }
        let label = if birth { Label::BirthDate } else { Label::Date };
        Some(self.sheet.field(&text, label, who.role()))
    }

    /// A number of a person or a thing.
    pub(crate) fn number(&mut self, who: Who, system: &str, value: &str, label: Label) -> SlotId {
        self.line(Line::Number, who);
        let trimmed = value.trim();
        if !trimmed.is_empty() {
            if who == Who::Patient {
                let slot = if label == Label::SocialSecurity { &mut self.national } else { &mut self.number };
                slot.get_or_insert_with(|| trimmed.to_owned());
            }
            if let Some(person) = self.person(who) {
                let mut name = system.to_owned();
                while person.ids.get(&name).is_some_and(|v| v != trimmed) {
                    name.push('+');
                }
                person.ids.insert(name, trimmed.to_owned());
            }
        }
        self.sheet.field(value, label, who.role())
    }

    /// A phone number, a mail address or a link.
    pub(crate) fn contact(&mut self, who: Who, value: &str, label: Label) -> SlotId {
        self.line(Line::Contact, who);
        let trimmed = value.trim().to_owned();
        if let Some(person) = self.person(who).filter(|_| !trimmed.is_empty()) {
            match label {
                Label::Phone | Label::Fax => person.phones.push(trimmed),
                Label::Email => person.emails.push(trimmed),
                _ => {}
            }
        }
        self.sheet.field(value, label, who.role())
    }

    /// A part of the address whose line is open.
    pub(crate) fn address(&mut self, who: Who, part: AddressPart, value: &str, birth: bool) -> SlotId {
        self.gap();
        let trimmed = value.trim().to_owned();
        if let Some(person) = self.person(who).filter(|_| !trimmed.is_empty()) {
            if birth {
                if part == AddressPart::City {
                    person.birth_place.get_or_insert(trimmed);
                }
            } else {
                let address = person.address.get_or_insert_default();
                let slot = match part {
                    AddressPart::Street => Some(&mut address.street),
                    AddressPart::PostalCode => Some(&mut address.postal_code),
                    AddressPart::City => Some(&mut address.city),
                    AddressPart::Country => Some(&mut address.country),
                    AddressPart::Region => None,
                };
                if let Some(slot) = slot {
                    slot.get_or_insert(trimmed);
                }
            }
        }
        let label = match part {
            AddressPart::Street => Label::Street,
            AddressPart::PostalCode => Label::PostalCode,
            AddressPart::City => Label::City,
            AddressPart::Region => Label::Region,
            AddressPart::Country => Label::Country,
        };
        self.sheet.field(value, label, who.role())
    }

    pub(crate) fn institution(&mut self, value: &str) -> SlotId {
        self.line(Line::Institution, Who::Nobody);
        self.sheet.field(value, Label::Hospital, Role::Unknown)
    }

    /// A line of text that detectors read.
    pub(crate) fn text(&mut self, value: &str) -> SlotId {
        self.line(Line::Text, Who::Nobody);
        let slot = self.sheet.free(value);
        self.sheet.say("\n");
        slot
    }

    /// A document inside, apart from the rest.
    pub(crate) fn inside(&mut self, text: &str, left_out: &Counts, given: &[Given]) -> SlotId {
        self.end_line();
        self.sheet.say("\n");
        for (what, n) in left_out {
            *self.left_out.entry(*what).or_default() += n;
        }
        let slot = self.sheet.free_with(text, given);
        self.sheet.say("\n\n");
        slot
    }

    pub(crate) fn sex(&mut self, who: Who, sex: Sex) {
        if let Some(person) = self.person(who) {
            person.sex = Some(sex);
        }
    }

    pub(crate) fn finish(&mut self) -> Read {
        let patient = std::mem::take(&mut self.patient);
        let none = |p: &Identity| *p != Identity::default();
        self.caregivers.retain(none);
        self.relatives.retain(none);
        let known = KnownIdentity {
            patient: [self.number.take(), self.national.take()]
                .iter()
                .flatten()
                .find_map(|id| PatientId::parse(id)),
            family_name: patient.family_name,
            birth_name: patient.birth_name,
            given_names: patient.given_names,
            birth_date: patient.birth_date,
            birth_place: patient.birth_place,
            sex: patient.sex,
            address: patient.address,
            ids: patient.ids,
            phones: patient.phones,
            emails: patient.emails,
            caregivers: std::mem::take(&mut self.caregivers),
            relatives: std::mem::take(&mut self.relatives),
        };
        Read { known, given: self.sheet.take_given(), language: self.spoken, date: self.day }
    }
}

/// What a telephone number or an address of a network is, and where it begins after its scheme.
pub(crate) fn contact_kind(value: &str) -> (usize, Label) {
    let lower = value.to_ascii_lowercase();
    for (scheme, label) in [
        ("tel:", Label::Phone),
        ("fax:", Label::Fax),
        ("sms:", Label::Phone),
        ("mailto:", Label::Email),
        ("http://", Label::Url),
        ("https://", Label::Url),
        ("ftp://", Label::Url),
    ] {
        if lower.starts_with(scheme) {
            let start = if label == Label::Url { 0 } else { scheme.len() };
            return (start, label);
        }
    }
    (0, if value.contains('@') { Label::Email } else { Label::Phone })
}

/// The language a code names.
pub(crate) fn language(code: &str) -> Option<Language> {
    match code.get(..2)?.to_ascii_lowercase().as_str() {
        "fr" => Some(Language::Fr),
        "es" => Some(Language::Es),
        _ => None,
    }
}
/// The given and the family name of a name in one piece, in their order. All of it is a family name where nothing tells.
fn name_parts(value: &str) -> Vec<(Range<usize>, Label)> {
    let start = value.as_ptr() as usize;
    let words: Vec<Range<usize>> = value
        .split_whitespace()
        .map(|word| word.as_ptr() as usize - start..word.as_ptr() as usize - start + word.len())
        .skip_while(|at| is_title(&value[at.clone()]))
        .collect();
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        let inner = value.trim();
        let lead = value.len() - value.trim_start().len();
        return vec![(lead..lead + inner.len(), Label::FamilyName)];
    };
    let capitals = |at: &Range<usize>| {
        let word = &value[at.clone()];
        word.chars().filter(|c| c.is_alphabetic()).count() > 1 && !word.chars().any(char::is_lowercase)
    };
    let whole = first.start..last.end;
    let change = words.iter().position(|at| capitals(at) != capitals(first));
    match change {
        _ if words.len() == 1 => vec![(whole, Label::FamilyName)],
        Some(i) if words[i..].iter().all(|at| capitals(at) != capitals(first)) => {
            let (one, other) = (first.start..words[i - 1].end, words[i].start..last.end);
            match capitals(first) {
                true => vec![(one, Label::FamilyName), (other, Label::GivenName)],
                false => vec![(one, Label::GivenName), (other, Label::FamilyName)],
            }
        }
        None if !capitals(first) => {
            vec![(first.clone(), Label::GivenName), (words[1].start..last.end, Label::FamilyName)]
        }
        _ => vec![(whole, Label::FamilyName)],
    }
}
