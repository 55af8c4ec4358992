//! The classes of a model: labels with roles, and whole names.
//!
//! Corpora disagree on names: some tag given and family names apart, some a whole name as one span. A model learns
//! what its gold shows; the class `Name` stands for a whole name, which the detector splits afterwards by what the
//! lexicons know of each word. Borders of both kinds of corpora can so be given back.

use std::fmt;
use std::str::FromStr;

use taire_text::{Label, Role};

use crate::Error;

/// The category part of a class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Category {
    /// A whole name: given names, family names, or both.
    Name,
    Label(Label),
}

/// One class of a model, written `Date`, `City`, `Name:Patient`, `FamilyName:Caregiver`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Class {
    pub category: Category,
    pub role: Role,
}

impl FromStr for Class {
    type Err = Error;

    fn from_str(text: &str) -> Result<Class, Error> {
        let (category, role) = text.split_once(':').unwrap_or((text, "Unknown"));
        let role = role
            .parse()
            .map_err(|e: taire_text::Error| Error::wrap(e.with_kind(taire_text::ErrorKind::Policy)))?;
        let category = match category {
            "Name" => Category::Name,
            label => Category::Label(
                label
                    .parse()
                    .map_err(|e: taire_text::Error| Error::new(format!("{e}, and Name for a whole name")))?,
            ),
        };
        Ok(Class { category, role })
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.category {
            Category::Name => f.write_str("Name")?,
            Category::Label(label) => f.write_str(label.name())?,
        }
        match self.role {
            Role::Unknown => Ok(()),
            role => write!(f, ":{role}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_read_back_and_unknown_ones_are_refused() {
        for name in ["Date", "Name", "Name:Patient", "FamilyName:Caregiver", "Sex"] {
            assert_eq!(name.parse::<Class>().unwrap().to_string(), name);
        }
        let message = "Sirname:Patient".parse::<Class>().unwrap_err().to_string();
        assert!(
            message.contains("unknown label `Sirname`") && message.contains("Name for a whole"),
            "{message}"
        );
        assert!("Date:Nobody".parse::<Class>().is_err());
    }
}
