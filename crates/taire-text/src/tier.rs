//! How directly a span identifies: the tiers scores are reported by (`corpus/GUIDELINES.md`).

use crate::date::lapse::{self, Unit};
use crate::label::closed_set;
use crate::{Error, Label, Language};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

closed_set! {
    /// Direct identifiers point to one person; indirect ones do when joined; details narrow down.
    Tier, "tier" { Direct, Indirect, Detail }
}

/// Ages above this one are rare enough to identify.
const OLDEST_COMMON_AGE: u16 = 89;

impl Tier {
    /// The name written in reports and JSON.
    pub fn key(self) -> &'static str {
        match self {
            Tier::Direct => "direct",
            Tier::Indirect => "indirect",
            Tier::Detail => "detail",
        }
    }

    /// The tier of a span; `text` decides for ages. `None` for labels that are not scored.
    pub fn of_span(label: Label, text: Option<&str>) -> Option<Tier> {
        use Label::*;
        match label {
            GivenName | FamilyName | Initials | BirthDate | Street | PostalCode | Phone | Fax | Email
            | Url | IpAddress | PatientId | VisitId | SocialSecurity | HealthPlan | ProfessionalLicence
            | EmployeeId | AccountNumber | VehicleId | DeviceId | OtherId => Some(Tier::Direct),
            Date | City | Region | Hospital | HealthCentre | Institution => Some(Tier::Indirect),
            Age if text.is_some_and(is_great_age) => Some(Tier::Indirect),
            Age | RelativeDate | Profession | Country | OtherDetail => Some(Tier::Detail),
            Sex | Kinship => None,
        }
    }
}

/// `91 ans`, `noventa y dos años`, `103`: more than 89 years.
fn is_great_age(text: &str) -> bool {
    let bare = |text: &str| text.parse::<u16>().is_ok_and(|age| age > OLDEST_COMMON_AGE && age < 125);
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = text[digits.len()..].trim().to_lowercase();
    if bare(digits)
        && matches!(unit.as_str(), "" | "a" | "ans" | "an" | "años" | "anos" | "y" | "a." | "ans." | "anys")
    {
        return true;
    }
    let read = |language| lapse::parse(text, language);
    let age = read(Language::Fr).or_else(|| read(Language::Es));
    age.is_some_and(|age| age.unit == Unit::Year && age.value > OLDEST_COMMON_AGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn great_ages_are_indirect() {
        let tier = |text: &str| Tier::of_span(Label::Age, Some(text));
        for text in ["91 ans", "90", "102 años", "94a", "noventa y dos años"] {
            assert_eq!(tier(text), Some(Tier::Indirect), "{text}");
        }
        for text in ["89 ans", "3 mois", "95 jours", "71", "nouveau-né"] {
            assert_eq!(tier(text), Some(Tier::Detail), "{text}");
        }
    }

    #[test]
    fn every_label_but_sex_and_kinship_is_scored() {
        let none: Vec<_> = Label::ALL.iter().filter(|l| Tier::of_span(**l, None).is_none()).collect();
        assert_eq!(none, [&Label::Sex, &Label::Kinship]);
    }
}
