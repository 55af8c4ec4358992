//! The number that joins the documents of one patient.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize};

use crate::fold;

/// A patient id of the source: trimmed, never blank and never a placeholder such as `N/A`, so that two documents without
/// one are never joined.
///
/// It identifies somebody: `Debug` shows its length only, and there is no `Display`.
///
/// ```
/// use taire_text::PatientId;
/// assert_eq!(PatientId::parse(" 800417 ").unwrap().as_str(), "800417");
/// assert!(PatientId::parse(" \u{a0}\t").is_none());
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct PatientId(String);

impl PatientId {
    /// The id without the blanks around it; `None` where nothing is left, or where it only says that there is no id.
    pub fn parse(text: &str) -> Option<PatientId> {
        let trimmed = text.trim_matches(is_blank);
        (!is_placeholder(trimmed)).then(|| PatientId(trimmed.to_owned()))
    }

    /// The id itself. The caller decides where it goes.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// For the serde fields that hold an optional id: a blank one is none.
    pub(crate) fn deserialize_optional<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<PatientId>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        Ok(text.as_deref().and_then(PatientId::parse))
    }
}

/// Words that say that a value is not known, folded and without their marks.
const UNKNOWN: &[&str] = &[
    "na",
    "nan",
    "nc",
    "nd",
    "nr",
    "ns",
    "nil",
    "null",
    "none",
    "sd",
    "inconnu",
    "inconnue",
    "inconnus",
    "inconnues",
    "unknown",
    "aucun",
    "aucune",
    "neant",
    "vide",
    "absent",
    "nonrenseigne",
    "nonrenseignee",
    "noncommunique",
    "desconocido",
    "desconocida",
    "noconsta",
    "sindatos",
    "sindato",
    "ninguno",
    "ninguna",
    "vacio",
];

/// Whether a cell holds no value: nothing, marks only, zeros only, three or more `x`, or a word such as `N/A`,
/// `inconnu`, `desconocido`.
///
/// ```
/// use taire_text::is_placeholder;
/// assert!(["-", "N/A", "0", "inconnu", "Desconocido", ""].into_iter().all(is_placeholder));
/// assert!(!is_placeholder("800417") && !is_placeholder("Nadal"));
/// ```
pub fn is_placeholder(text: &str) -> bool {
    let plain: String = fold(text).chars().filter(|c| c.is_alphanumeric()).collect();
    let repeats = |c: char, least: usize| plain.len() >= least && plain.chars().all(|other| other == c);
    plain.is_empty() || repeats('0', 1) || repeats('x', 3) || UNKNOWN.contains(&plain.as_str())
}

/// White space, control characters and characters of no width.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

impl Deref for PatientId {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for PatientId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for PatientId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<PatientId> for String {
    fn from(id: PatientId) -> String {
        id.0
    }
}

impl fmt::Debug for PatientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PatientId(<{} characters>)", self.0.chars().count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_ids_are_none_and_padded_ids_are_equal() {
        for blank in ["", " ", "\t\n", "\u{a0}", "\u{200b}\u{feff}", "\0"] {
            assert_eq!(PatientId::parse(blank), None, "{blank:?}");
        }
        for unknown in ["-", "N/A", "0", "000", "inconnu", "Desconocido", "NULL", "xxx"] {
            assert_eq!(PatientId::parse(unknown), None, "{unknown}");
        }
        assert!(["p", "x", "NA-12", "00812"].iter().all(|id| PatientId::parse(id).is_some()));
        assert_eq!(PatientId::parse(" 12 3\u{a0}"), PatientId::parse("12 3"));
        assert_ne!(PatientId::parse("12 3"), PatientId::parse("123"));
        assert_eq!(format!("{:?}", PatientId::parse("800417").unwrap()), "PatientId(<6 characters>)");
    }
}
