//! Label schemes: the names other corpora and tools give to what we find, and where their spans begin and end.
//!
//! The tables are in `tables`; [`project`] writes entities as a scheme would; [`read_gold`] reads a corpus
//! annotated under a scheme into our labels and roles.

mod borders;
mod gold;
mod tables;
mod words;

use std::fmt;
use std::str::FromStr;

use crate::{Error, Label, Role};

pub use borders::{SchemeSpan, project};
pub use gold::{GoldSpan, read_gold};

/// A set of labels with its conventions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scheme {
    /// Our own labels; roles beside them.
    Taire,
    /// The identifiers of the HIPAA Safe Harbor rule.
    Hipaa,
    /// MEDDOCAN's 28 labels.
    Meddocan,
    /// Bigeard's 12 categories.
    Bigeard,
    /// `PER ORG LOC DATE AGE TEL REF QID`.
    Hnfc,
    /// The labels of the EDS corpus.
    Eds,
    /// One label: what must go.
    Fasdim,
}

impl Scheme {
    pub const ALL: &'static [Scheme] = &[
        Scheme::Taire,
        Scheme::Hipaa,
        Scheme::Meddocan,
        Scheme::Bigeard,
        Scheme::Hnfc,
        Scheme::Eds,
        Scheme::Fasdim,
    ];

    /// The name written in commands and policies.
    pub fn key(self) -> &'static str {
        match self {
            Scheme::Taire => "taire",
            Scheme::Hipaa => "hipaa",
            Scheme::Meddocan => "meddocan",
            Scheme::Bigeard => "bigeard",
            Scheme::Hnfc => "hnfc",
            Scheme::Eds => "eds",
            Scheme::Fasdim => "fasdim",
        }
    }

    /// The labels of the scheme that text can carry, in its own order.
    pub fn labels(self) -> impl Iterator<Item = &'static str> {
        let taire = if self == Scheme::Taire { Label::ALL } else { &[] };
        let rows = tables::rows(self);
        let once = move |&i: &usize| rows[..i].iter().all(|before| before.name != rows[i].name);
        taire.iter().map(|l| l.name()).chain((0..rows.len()).filter(once).map(move |i| rows[i].name))
    }

    /// What the scheme calls this, or nothing if it leaves it alone.
    pub fn to_scheme(self, label: Label, role: Role) -> Option<&'static str> {
        if self == Scheme::Taire {
            return Some(label.name());
        }
        tables::rows(self).iter().find(|row| row.takes(label, role)).map(|row| row.name)
    }

    /// The label that stands best for one of the scheme. [`read_gold`] does better when it has the text.
    pub fn from_scheme(self, name: &str) -> Option<(Label, Role)> {
        if self == Scheme::Taire {
            return name.parse().ok().map(|label| (label, Role::Unknown));
        }
        tables::rows(self)
            .iter()
            .find(|row| row.name == name || row.synonyms.contains(&name))
            .map(|row| (row.label, row.role))
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.key())
    }
}

impl FromStr for Scheme {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self, Error> {
        Scheme::ALL
            .iter()
            .copied()
            .find(|x| x.key() == s)
            .ok_or_else(|| Error::unknown("scheme", s, Scheme::ALL.iter().map(|x| x.key())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_of_a_scheme_comes_back_to_itself() {
        for &scheme in Scheme::ALL {
            assert_eq!(scheme.key().parse::<Scheme>().unwrap(), scheme);
            for name in scheme.labels() {
                let (label, role) = scheme.from_scheme(name).unwrap_or_else(|| panic!("{scheme}: {name}"));
                assert_eq!(scheme.to_scheme(label, role), Some(name), "{scheme}");
            }
        }
        assert!("i2b2".parse::<Scheme>().unwrap_err().to_string().contains("known: taire, hipaa, meddocan"));
    }

    #[test]
    fn schemes_have_the_labels_their_papers_list() {
        assert_eq!(Scheme::Meddocan.labels().count(), 28);
        assert_eq!(Scheme::Bigeard.labels().count(), 12);
        assert_eq!(Scheme::Eds.labels().count(), 13);
        assert_eq!(Scheme::Hnfc.labels().count(), 8);
        // Photographs and biometric data are not text.
        assert_eq!(Scheme::Hipaa.labels().count(), 16);
        assert_eq!(Scheme::Fasdim.labels().collect::<Vec<_>>(), ["PHI"]);
        assert_eq!(Scheme::Bigeard.from_scheme("prenomf"), Some((Label::GivenName, Role::Unknown)));
    }

    #[test]
    fn roles_and_omissions() {
        let md = |label, role| Scheme::Meddocan.to_scheme(label, role);
        assert_eq!(md(Label::FamilyName, Role::Patient), Some("NOMBRE_SUJETO_ASISTENCIA"));
        assert_eq!(md(Label::GivenName, Role::Unknown), Some("NOMBRE_PERSONAL_SANITARIO"));
        assert_eq!(md(Label::GivenName, Role::Relative), Some("FAMILIARES_SUJETO_ASISTENCIA"));
        assert_eq!(md(Label::Age, Role::Unknown), Some("EDAD_SUJETO_ASISTENCIA"));
        assert_eq!(md(Label::RelativeDate, Role::Unknown), None);
        for label in [Label::Age, Label::Country, Label::Profession, Label::Institution, Label::OtherId] {
            assert_eq!(Scheme::Eds.to_scheme(label, Role::Unknown), None, "{label}");
        }
        for &label in Label::ALL {
            assert_eq!(Scheme::Fasdim.to_scheme(label, Role::Unknown), Some("PHI"));
        }
    }
}
