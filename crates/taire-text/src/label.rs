//! The closed set of categories, and who a name belongs to.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

use crate::Error;

macro_rules! closed_set {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        pub enum $name { $($variant),+ }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            pub fn name(self) -> &'static str {
                match self { $($name::$variant => stringify!($variant)),+ }
            }

            /// Position in [`Self::ALL`], for tables indexed by it.
            pub fn index(self) -> usize {
                self as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $name {
            type Err = Error;
            fn from_str(s: &str) -> Result<Self, Error> {
                Self::ALL.iter().copied().find(|x| x.name() == s)
                    .ok_or_else(|| Error::unknown($what, s, Self::ALL.iter().map(|x| x.name())))
            }
        }
    };
}
pub(crate) use closed_set;

closed_set! {
    /// What a stretch of text is. METHODS §1 of the design; schemes map to and from it.
    Label, "label" {
        GivenName, FamilyName, Initials,
        Date, BirthDate, Age, RelativeDate,
        Street, PostalCode, City, Region, Country,
        Hospital, HealthCentre, Institution,
        Phone, Fax, Email, Url, IpAddress,
        PatientId, VisitId, SocialSecurity, HealthPlan, ProfessionalLicence, EmployeeId,
        AccountNumber, VehicleId, DeviceId, OtherId,
        Sex, Kinship, Profession, OtherDetail,
    }
}

closed_set! {
    /// Whose name, number or address it is, where that is known.
    Role, "role" { Patient, Caregiver, Relative, Unknown }
}

closed_set! {
    /// The families of labels, as rewriting and policies see them.
    Group, "group" { Person, Time, Place, Organisation, Contact, Identifier, QuasiIdentifier }
}

impl Label {
    pub fn group(self) -> Group {
        use Label::*;
        match self {
            GivenName | FamilyName | Initials => Group::Person,
            Date | BirthDate | Age | RelativeDate => Group::Time,
            Street | PostalCode | City | Region | Country => Group::Place,
            Hospital | HealthCentre | Institution => Group::Organisation,
            Phone | Fax | Email | Url | IpAddress => Group::Contact,
            PatientId | VisitId | SocialSecurity | HealthPlan | ProfessionalLicence | EmployeeId
            | AccountNumber | VehicleId | DeviceId | OtherId => Group::Identifier,
            Sex | Kinship | Profession | OtherDetail => Group::QuasiIdentifier,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back_and_unknown_ones_list_the_known() {
        for &label in Label::ALL {
            assert_eq!(label.name().parse::<Label>().unwrap(), label);
            assert_eq!(Label::ALL[label.index()], label);
        }
        let message = "Sirname".parse::<Label>().unwrap_err().to_string();
        assert!(message.contains("unknown label `Sirname`") && message.contains("FamilyName"), "{message}");
    }
}
