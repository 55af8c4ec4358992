//! Known identities from JSON objects and from flat table columns. One setter serves both, so both know the
//! same keys; problems name the key, never the value.

use std::fmt;

use serde_json::{Map, Value};
use taire_text::{Address, Identity, KnownIdentity, PatientId, Sex, is_placeholder};

use crate::date;

/// What is wrong with a known identity, and under which key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub key: String,
    pub why: &'static str,
}

impl Problem {
    /// What is wrong, without a key that came with the data: for answers that leave the machine.
    pub(crate) fn without_key(&self) -> String {
        match self.why == UNKNOWN {
            true => "there is a key that is not known".to_owned(),
            false => self.to_string(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match looks_like_key(&self.key) {
            true => write!(f, "key `{}` {}", self.key, self.why)?,
            false => write!(f, "a key that looks like data, and is not shown, {}", self.why)?,
        }
        if self.why == UNKNOWN {
            write!(f, "; known: {}", KEYS.join(", "))?;
        }
        Ok(())
    }
}

const UNKNOWN: &str = "is not a key of a known identity";
const LIST: &str = "must be a list of strings";
const SCALAR: &str = "must be a string";
const PEOPLE: &str = "must be a list of objects";

/// Whether a key or the name of a column may be shown: one short word in small letters.
pub(crate) fn looks_like_key(name: &str) -> bool {
    name.len() <= 40
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'.'))
}

/// The problem of a key that is none.
pub(crate) fn unknown(key: &str) -> Problem {
    Problem { key: key.to_owned(), why: UNKNOWN }
}

/// The problem of a table whose first line names no key: it may be data, and is not shown.
pub(crate) fn no_header() -> String {
    format!("the first line is no header; known columns: {}", KEYS.join(", "))
}

/// Keys as people spell them, for messages.
const KEYS: &[&str] = &[
    "patient",
    "family_name",
    "birth_name",
    "given_names",
    "birth_date",
    "birth_place",
    "sex",
    "address.street",
    "address.postal_code",
    "address.city",
    "address.country",
    "ids.NAME",
    "phones",
    "emails",
    "caregivers",
    "relatives",
];

/// Whether a key of one person holds a list.
fn is_list(key: &str) -> bool {
    matches!(key, "given_names" | "phones" | "emails")
}

fn is_person_key(key: &str) -> bool {
    key.strip_prefix("ids.").is_some_and(|name| !name.is_empty())
        || matches!(
            key,
            "family_name"
                | "second_family_name"
                | "birth_name"
                | "given_names"
                | "birth_date"
                | "birth_place"
                | "sex"
                | "sexo"
                | "phones"
                | "emails"
                | "address.street"
                | "address.postal_code"
                | "address.city"
                | "address.country"
        )
}

/// Whether a name is a key of a known identity, or of one of its parts.
pub(crate) fn is_key(name: &str) -> bool {
    matches!(name, "patient" | "address" | "ids" | "caregivers" | "relatives") || is_person_key(name)
}

fn set(person: &mut Identity, key: &str, value: &str) -> Result<(), &'static str> {
    let value = value.trim();
    if is_placeholder(value) {
        return Ok(());
    }
    let text = || Some(value.to_owned());
    let address = |person: &mut Identity, put: fn(&mut Address, Option<String>)| {
        put(person.address.get_or_insert_default(), text());
    };
    match key {
        "family_name" => match person.family_name {
            Some(_) if person.birth_name.is_none() => person.birth_name = text(),
            _ => person.family_name = text(),
        },
        "second_family_name" => match &mut person.family_name {
            Some(first) => *first = format!("{first} {value}"),
            None => person.family_name = text(),
        },
        "birth_name" => person.birth_name = text(),
        "given_names" => person.given_names.push(value.to_owned()),
        "birth_place" => person.birth_place = text(),
        "phones" => person.phones.push(value.to_owned()),
        "emails" => person.emails.push(value.to_owned()),
        "birth_date" => match date::parse(value) {
            Some((date, _)) => person.birth_date = Some(date),
            None => return Err("must be a date such as 1950-05-03"),
        },
        "sex" => match value.to_lowercase().as_str() {
            "f" | "2" | "female" | "femme" | "mujer" | "féminin" | "feminin" | "femenino" | "hembra" => {
                person.sex = Some(Sex::F)
            }
            "m" | "h" | "v" | "1" | "male" | "homme" | "hombre" | "varón" | "varon" | "masculin"
            | "masculino" => {
                person.sex = Some(Sex::M);
            }
            _ => return Err("must be F or M"),
        },
        // Where `H` is hombre `M` is mujer, where `V` is varón `M` may be masculino: `M` alone says nothing.
        "sexo" => match value.to_lowercase().as_str() {
            "f" | "2" | "mujer" | "femenino" | "hembra" => person.sex = Some(Sex::F),
            "h" | "v" | "1" | "hombre" | "varón" | "varon" | "masculino" => person.sex = Some(Sex::M),
            "m" => person.sex = None,
            _ => return Err("must be H, V, F, M, hombre or mujer"),
        },
        "address.street" => address(person, |a, v| a.street = v),
        "address.postal_code" => address(person, |a, v| a.postal_code = v),
        "address.city" => address(person, |a, v| a.city = v),
        "address.country" => address(person, |a, v| a.country = v),
        _ => match key.strip_prefix("ids.") {
            Some(name) => drop(person.ids.insert(name.to_owned(), value.to_owned())),
            None => return Err(UNKNOWN),
        },
    }
    Ok(())
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(s) => Some(s.clone()),
        Value::Number(n) => Some(n.to_string()),
        _ => None,
    }
}

/// Reads a JSON object as INTERFACE spells a known identity.
pub fn known_from_json(value: &Value) -> Result<KnownIdentity, Problem> {
    let Value::Object(map) = value else {
        return Err(Problem { key: "known".into(), why: "must be an object" });
    };
    known_from_map(map)
}

pub(crate) fn known_from_map(map: &Map<String, Value>) -> Result<KnownIdentity, Problem> {
    let mut known = Builder::default();
    for (key, value) in map {
        match (key.as_str(), value) {
            (_, Value::Null) if key == "patient" || is_person_key(key) => {}
            ("patient", value) => {
                let id = scalar(value).ok_or_else(|| Problem { key: key.clone(), why: SCALAR })?;
                known.patient = PatientId::parse(&id);
            }
            ("caregivers" | "relatives", value) => {
                let people = people(key, value)?;
                if key == "caregivers" { known.caregivers = people } else { known.relatives = people }
            }
            (_, value) => person_key(&mut known.person, "", key, value)?,
        }
    }
    Ok(known.build())
}

fn people(key: &str, value: &Value) -> Result<Vec<Identity>, Problem> {
    let items = match value {
        Value::Null => return Ok(Vec::new()),
        Value::Array(items) => items,
        _ => return Err(Problem { key: key.into(), why: PEOPLE }),
    };
    items
        .iter()
        .enumerate()
        .map(|(i, item)| {
            let at = format!("{key}.{}.", i + 1);
            let Value::Object(map) = item else {
                return Err(Problem { key: key.into(), why: PEOPLE });
            };
            let mut person = Identity::default();
            map.iter().try_for_each(|(k, v)| person_key(&mut person, &at, k, v))?;
            Ok(person)
        })
        .collect()
}

fn person_key(person: &mut Identity, at: &str, key: &str, value: &Value) -> Result<(), Problem> {
    let problem = |key: &str, why| Problem { key: format!("{at}{key}"), why };
    match value {
        Value::Object(inner) if matches!(key, "address" | "ids") => {
            for (name, value) in inner {
                let path = format!("{key}.{name}");
                match (value, scalar(value)) {
                    (Value::Null, _) => {}
                    (_, Some(text)) => set(person, &path, &text).map_err(|why| problem(&path, why))?,
                    (_, None) => return Err(problem(&path, SCALAR)),
                }
            }
            Ok(())
        }
        Value::Null if matches!(key, "address" | "ids") || is_person_key(key) => Ok(()),
        _ if matches!(key, "address" | "ids") => Err(problem(key, "must be an object")),
        _ if !is_person_key(key) => Err(problem(key, UNKNOWN)),
        Value::Array(items) if is_list(key) => items.iter().try_for_each(|item| {
            let text = scalar(item).ok_or_else(|| problem(key, LIST))?;
            set(person, key, &text).map_err(|why| problem(key, why))
        }),
        value => {
            let why = if is_list(key) { LIST } else { SCALAR };
            let text = scalar(value).ok_or_else(|| problem(key, why))?;
            set(person, key, &text).map_err(|why| problem(key, why))
        }
    }
}

/// A column of a table that holds part of a known identity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FlatKey {
    Patient,
    Person(String),
    /// The n-th caregiver or relative; without a number, a `;` list runs over all of them.
    Around {
        relative: bool,
        index: Option<usize>,
        key: String,
    },
}

impl FlatKey {
    /// Reads `address.city`, `ids.NIP`, `caregivers.family_name`, `relatives.2.phones`.
    pub(crate) fn parse(column: &str) -> Option<FlatKey> {
        const MAX_PEOPLE: usize = 1000;
        if column == "patient" {
            return Some(FlatKey::Patient);
        }
        if is_person_key(column) {
            return Some(FlatKey::Person(column.to_owned()));
        }
        let (group, rest) = column.split_once('.')?;
        let relative = match group {
            "caregivers" => false,
            "relatives" => true,
            _ => return None,
        };
        let (index, key) = match rest.split_once('.') {
            Some((n, key)) if n.parse::<usize>().is_ok_and(|n| n < MAX_PEOPLE) => (n.parse().ok(), key),
            _ => (None, rest),
        };
        is_person_key(key).then(|| FlatKey::Around { relative, index, key: key.to_owned() })
    }

    pub(crate) fn is_sex(&self) -> bool {
        matches!(self, FlatKey::Person(key) if key == "sex" || key == "sexo")
    }
}

/// A known identity in the making.
#[derive(Default)]
pub(crate) struct Builder {
    patient: Option<PatientId>,
    person: Identity,
    caregivers: Vec<Identity>,
    relatives: Vec<Identity>,
}

impl Builder {
    pub(crate) fn cell(&mut self, key: &FlatKey, cell: &str) -> Result<(), &'static str> {
        match key {
            FlatKey::Patient => {
                self.patient = PatientId::parse(cell);
                Ok(())
            }
            FlatKey::Person(key) => set_cell(&mut self.person, key, cell),
            FlatKey::Around { relative, index, key } => {
                let people = if *relative { &mut self.relatives } else { &mut self.caregivers };
                match index {
                    Some(_) if cell.trim().is_empty() => Ok(()),
                    Some(index) => set_cell(nth(people, *index), key, cell),
                    None => cell
                        .split(';')
                        .enumerate()
                        .filter(|(_, part)| !part.trim().is_empty())
                        .try_for_each(|(i, part)| set(nth(people, i), key, part)),
                }
            }
        }
    }

    pub(crate) fn build(self) -> KnownIdentity {
        let Builder { patient, person, mut caregivers, mut relatives } = self;
        caregivers.retain(|p| *p != Identity::default());
        relatives.retain(|p| *p != Identity::default());
        KnownIdentity {
            patient,
            family_name: person.family_name,
            birth_name: person.birth_name,
            given_names: person.given_names,
            birth_date: person.birth_date,
            birth_place: person.birth_place,
            sex: person.sex,
            address: person.address,
            ids: person.ids,
            phones: person.phones,
            emails: person.emails,
            caregivers,
            relatives,
        }
    }
}

fn set_cell(person: &mut Identity, key: &str, cell: &str) -> Result<(), &'static str> {
    if is_list(key) {
        cell.split(';').try_for_each(|part| set(person, key, part))
    } else {
        set(person, key, cell)
    }
}

fn nth(people: &mut Vec<Identity>, index: usize) -> &mut Identity {
    if people.len() <= index {
        people.resize_with(index + 1, Identity::default);
    }
    &mut people[index]
}

/// What two sources know together. Where they differ, the first keeps its word and the second's person stands
/// among the relatives, so that none of its strings is lost.
pub fn merge(first: &KnownIdentity, second: &KnownIdentity) -> KnownIdentity {
    let mut all = first.clone();
    let mut differ = false;
    let mut take = |mine: &mut Option<String>, other: &Option<String>| match (&mine, other) {
        (None, other) => *mine = other.clone(),
        (Some(a), Some(b)) if a != b => differ = true,
        _ => {}
    };
    take(&mut all.family_name, &second.family_name);
    take(&mut all.birth_name, &second.birth_name);
    take(&mut all.birth_place, &second.birth_place);
    match (&mut all.address, &second.address) {
        (Some(mine), Some(other)) => {
            take(&mut mine.street, &other.street);
            take(&mut mine.postal_code, &other.postal_code);
            take(&mut mine.city, &other.city);
            take(&mut mine.country, &other.country);
        }
        (mine, other) => *mine = mine.take().or_else(|| other.clone()),
    }
    for (name, value) in &second.ids {
        differ |= all.ids.entry(name.clone()).or_insert_with(|| value.clone()) != value;
    }
    differ |= all.birth_date.is_some() && second.birth_date.is_some() && all.birth_date != second.birth_date;
    all.patient = all.patient.or_else(|| second.patient.clone());
    all.birth_date = all.birth_date.or(second.birth_date);
    all.sex = all.sex.or(second.sex);
    add(&mut all.given_names, &second.given_names);
    add(&mut all.phones, &second.phones);
    add(&mut all.emails, &second.emails);
    add(&mut all.caregivers, &second.caregivers);
    add(&mut all.relatives, &second.relatives);
    if differ {
        add(&mut all.relatives, &[second.person()]);
    }
    all
}

fn add<T: Clone + PartialEq>(mine: &mut Vec<T>, other: &[T]) {
    for item in other {
        if !mine.contains(item) {
            mine.push(item.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_and_columns_say_the_same() {
        let from_json = known_from_json(&json!({
            "patient": 12, "family_name": "Durand", "given_names": ["Zoé", "Anne"], "birth_date": "1950-05-03",
            "sex": "F", "address": {"city": "Lyon", "postal_code": 69001}, "ids": {"NIP": "44"},
            "phones": null, "caregivers": [{"family_name": "Morel"}, {"family_name": "Petit", "phones": "01"}],
        }))
        .unwrap();
        let mut flat = Builder::default();
        for (column, cell) in [
            ("patient", "12"),
            ("family_name", "Durand"),
            ("given_names", "Zoé; Anne"),
            ("birth_date", "03/05/1950"),
            ("sex", "femme"),
            ("address.city", "Lyon"),
            ("address.postal_code", "69001"),
            ("ids.NIP", "44"),
            ("phones", ""),
            ("caregivers.family_name", "Morel;Petit"),
            ("caregivers.1.phones", "01"),
        ] {
            flat.cell(&FlatKey::parse(column).unwrap(), cell).unwrap();
        }
        assert!(from_json == flat.build());
    }

    #[test]
    fn the_letter_m_of_a_spanish_column_names_no_sex() {
        for (column, cell, sex) in [
            ("sexo", "M", None),
            ("sexo", "H", Some(Sex::M)),
            ("sexo", "Mujer", Some(Sex::F)),
            ("sex", "M", Some(Sex::M)),
        ] {
            let mut person = Builder::default();
            person.cell(&FlatKey::parse(column).unwrap(), cell).unwrap();
            assert_eq!(person.build().sex, sex, "{column} {cell}");
        }
    }

    #[test]
    fn problems_name_the_key_and_not_the_value() {
        for (value, key) in [
            (json!({"familly_name": "Durand"}), "familly_name"),
            (json!({"birth_date": "Durand"}), "birth_date"),
            (json!({"address": "Durand"}), "address"),
            (json!({"address": {"town": "Durand"}}), "address.town"),
            (json!({"caregivers": [{"sex": "Durand"}]}), "caregivers.1.sex"),
            (json!({"given_names": [["Durand"]]}), "given_names"),
        ] {
            let problem = known_from_json(&value).unwrap_err();
            assert_eq!(problem.key, key);
            assert!(!problem.to_string().contains("Durand"));
        }
        assert!(FlatKey::parse("caregivers.town").is_none());
    }

    #[test]
    fn merging_loses_no_string() {
        let a = known_from_json(&json!({"family_name": "Durand", "given_names": ["Zoé"]})).unwrap();
        let b = known_from_json(&json!({"family_name": "Martin", "phones": ["01"]})).unwrap();
        let both = merge(&a, &b);
        assert_eq!(both.family_name.as_deref(), Some("Durand"));
        assert_eq!(both.phones, ["01"]);
        assert_eq!(both.relatives[0].family_name.as_deref(), Some("Martin"));
    }
}
