//! The slots a template may hold, read once when the templates are loaded.
//!
//! `{PERSON.FORM}`: the person is `patient`, `relative`, `relative2`, `other`, or any other word, which names a
//! caregiver. Everything else is a value with, for some, a range.

use taire_text::Role;

use super::template::range;

macro_rules! choices {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($text:literal $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum $name { $($variant),+ }

        impl $name {
            fn parse(text: &str) -> Result<$name, String> {
                match text {
                    $($text => Ok($name::$variant),)+
                    _ => Err(format!(
                        concat!("unknown ", $what, " `{}`; known: {}"), text, [$($text),+].join(", ")
                    )),
                }
            }
        }
    };
}

choices! {
    /// What of a person is written.
    Form, "form" {
        "full" Full, "titled" Titled, "civil" Civil, "title" Title, "family" Family, "given" Given,
        "givens" Givens, "birthname" BirthName, "initials" Initials, "familyfirst" FamilyFirst,
        "givenfirst" GivenFirst, "short" Short,
        "dob" BirthDate, "age" Age, "sex" Sex, "sexword" SexWord, "birthplace" BirthPlace,
        "street" Street, "zip" PostalCode, "city" City, "address" Address,
        "phone" Phone, "email" Email, "nir" SocialSecurity, "ipp" PatientId, "kin" Kinship,
        "dni" NationalId, "licence" Licence, "profession" Profession,
    }
}

choices! {
    /// A value that belongs to nobody in particular.
    Value, "slot" {
        "date" Date, "when" When, "fulldate" FullDate, "month" Month, "year" Year, "ago" Ago, "since" Since, "soon" Soon,
        "time" Time, "phone" Phone, "fax" Fax, "email" Email, "url" Url, "ip" Ip, "hospital" Hospital,
        "centre" Centre, "institution" Institution, "street" Street, "zip" PostalCode, "city" City,
        "address" Address, "region" Region, "country" Country, "visit" Visit, "employee" Employee,
        "iban" Iban, "plate" Plate, "device" Device, "plan" HealthPlan, "otherid" OtherId, "finess" Finess,
        "noise" Noise, "rule" Rule,
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Slot {
    Person {
        key: String,
        fresh: bool,
        form: Form,
    },
    Value(Value),
    Number(usize, usize),
    Decimal(usize, usize),
    Digits(usize, usize),
    /// Sentences of the carriers, untouched.
    Prose(usize, usize),
    /// Sentences of the carriers in which people are named.
    Story(usize, usize),
}

impl Slot {
    pub(crate) fn parse(text: &str) -> Result<Slot, String> {
        if let Some((key, form)) = text.split_once('.') {
            let fresh = key.starts_with('+');
            let key = key.trim_start_matches('+').to_owned();
            return Ok(Slot::Person { key, fresh, form: Form::parse(form)? });
        }
        let (name, counts) = text.split_once(' ').unwrap_or((text, "1"));
        let make = match name {
            "n" => Slot::Number,
            "f" => Slot::Decimal,
            "digits" => Slot::Digits,
            "prose" => Slot::Prose,
            "story" => Slot::Story,
            other => return Value::parse(other).map(Slot::Value),
        };
        let (low, high) = range(counts)?;
        Ok(make(low, high))
    }
}

/// Whether a caregiver goes by "Docteur" rather than by a civil title.
pub(crate) fn is_doctor(key: &str) -> bool {
    let plain = key.trim_end_matches(|c: char| c.is_ascii_digit());
    role(key) == Role::Caregiver && !matches!(plain, "nurse" | "worker" | "therapist" | "secretary")
}

/// Whose name a person's key stands for.
pub(crate) fn role(key: &str) -> Role {
    match key.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "patient" => Role::Patient,
        "relative" => Role::Relative,
        "other" => Role::Unknown,
        _ => Role::Caregiver,
    }
}
