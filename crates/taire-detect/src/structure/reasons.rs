//! What a person is told about a finding of the structure detector: which kind of key, title or line showed it.

use taire_text::{Label, Role};

use super::What;
use super::keys::Value;

pub(super) fn of(reading: What, label: Label) -> &'static str {
    match reading {
        What::Title => "name after a title",
        What::Way | What::PostalCode => address(reading, label),
        What::Key { key, colon, .. } => match key.value {
            Value::Address => address(reading, label),
            value => after_key(value, key.role, colon),
        },
    }
}

fn address(reading: What, label: Label) -> &'static str {
    let keyed = matches!(reading, What::Key { .. });
    match label {
        Label::Street if keyed => "street after a key for an address",
        Label::Street => "a word for a way with its name or number",
        Label::PostalCode if matches!(reading, What::PostalCode) => {
            "postal code at the start of a line, with a town"
        }
        Label::PostalCode => "postal code of an address",
        Label::City if matches!(reading, What::PostalCode) => "town after a postal code that starts a line",
        Label::City => "town of an address",
        Label::Region => "region of an address",
        Label::Country => "country of an address",
        _ if keyed => "after a key for an address",
        _ => "part of an address",
    }
}

fn after_key(value: Value, role: Role, colon: bool) -> &'static str {
    match value {
        Value::Family => "after a key for the family name",
        Value::Given => "after a key for the given name",
        Value::FamilyFirst => "after a key for family and given name",
        Value::People => match (role, colon) {
            (Role::Patient, true) => "after a key for the patient, with its colon",
            (Role::Patient, false) => "after a word for the patient at the start of a line or column",
            (Role::Caregiver, true) => "after a key for a caregiver, with its colon",
            (Role::Caregiver, false) => "after a word for a caregiver at the start of a line or column",
            (Role::Relative, _) => "after a key for a relative",
            (Role::Unknown, true) => "after a key for people, with its colon",
            (Role::Unknown, false) => "after a key for people at the start of a line or column",
        },
        Value::BirthDate => "after a key for the birth date",
        Value::Date => "after a key for a date",
        Value::Age => "after a key for the age",
        Value::Sex => "after a key for the sex",
        Value::Id(Label::PatientId) => "after a key for the patient's number",
        Value::Id(Label::VisitId) => "after a key for the number of a stay",
        Value::Id(Label::SocialSecurity) => "after a key for the social security number",
        Value::Id(Label::ProfessionalLicence) => "after a key for a practitioner's number",
        Value::Id(_) => "after a key for a number",
        Value::Phone => "after a key for a telephone",
        Value::Fax => "after a key for a fax",
        Value::Email => "after a key for an e-mail address",
        Value::Url => "after a key for a web address",
        Value::Facility(_) => "after a key for a facility",
        Value::Profession => "after a key for the profession",
        Value::PostalCode => "after a key for the postal code",
        Value::City => "after a key for a town",
        Value::Region => "after a key for a region",
        Value::Country => "after a key for a country",
        Value::Address => "after a key for an address",
        Value::Nothing => "after a key",
    }
}
