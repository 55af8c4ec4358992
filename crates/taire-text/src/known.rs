//! What is known of a patient before reading: from a sidecar row, a document header, or `--patients`.

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::PatientId;

/// Administrative sex.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Sex {
    #[serde(alias = "f", alias = "female")]
    F,
    #[serde(alias = "m", alias = "male", alias = "H")]
    M,
}

/// A postal address, as far as it is known.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Address {
    pub street: Option<String>,
    pub postal_code: Option<String>,
    pub city: Option<String>,
    pub country: Option<String>,
}

/// One person: the patient, somebody who cares for them, or a relative.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Identity {
    pub family_name: Option<String>,
    pub birth_name: Option<String>,
    pub given_names: Vec<String>,
    pub birth_date: Option<Date>,
    pub birth_place: Option<String>,
    pub sex: Option<Sex>,
    pub address: Option<Address>,
    pub ids: BTreeMap<String, String>,
    pub phones: Vec<String>,
    pub emails: Vec<String>,
}

/// The identity of a patient and of the people around them. All keys are optional.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KnownIdentity {
    /// The patient number of the source, which joins documents into a record.
    #[serde(deserialize_with = "PatientId::deserialize_optional")]
    pub patient: Option<PatientId>,
    pub family_name: Option<String>,
    pub birth_name: Option<String>,
    pub given_names: Vec<String>,
    pub birth_date: Option<Date>,
    pub birth_place: Option<String>,
    pub sex: Option<Sex>,
    pub address: Option<Address>,
    pub ids: BTreeMap<String, String>,
    pub phones: Vec<String>,
    pub emails: Vec<String>,
    pub caregivers: Vec<Identity>,
    pub relatives: Vec<Identity>,
}

impl KnownIdentity {
    pub fn is_empty(&self) -> bool {
        *self == KnownIdentity::default()
    }

    /// The patient's own part, in the shape shared with caregivers and relatives.
    pub fn person(&self) -> Identity {
        Identity {
            family_name: self.family_name.clone(),
            birth_name: self.birth_name.clone(),
            given_names: self.given_names.clone(),
            birth_date: self.birth_date,
            birth_place: self.birth_place.clone(),
            sex: self.sex,
            address: self.address.clone(),
            ids: self.ids.clone(),
            phones: self.phones.clone(),
            emails: self.emails.clone(),
        }
    }
}

macro_rules! hide {
    ($($t:ty),+) => { $(
        /// Identities never print their content.
        impl fmt::Debug for $t {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!("<", stringify!($t), ">"))
            }
        }
    )+ };
}
hide!(Address, Identity, KnownIdentity);
