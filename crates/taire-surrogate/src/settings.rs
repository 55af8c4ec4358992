//! The `[rewrite]` table of a policy: what is done with each label, and how.
//!
//! ```toml
//! [rewrite]
//! scope = "patient"            # document, patient, corpus
//! dates = { method = "warp" }  # shift, blur, warp, year
//! places = { method = "list" }
//! tags = "label"               # <FamilyName>; "category" writes <PER>
//! old_age = 90                 # ages from here on are told as this one "and over"
//!
//! [rewrite.groups]             # Person, Time, Place, Organisation, Contact, Identifier, QuasiIdentifier
//! Organisation = "tag"
//!
//! [rewrite.labels]             # a label outweighs its group
//! Profession = "generalise"
//! ```

use std::collections::BTreeMap;

use jiff::civil::{Date, date};
use serde::{Deserialize, Serialize};
use taire_text::{Group, Label};

use crate::Error;
use crate::calendar::max_drift;

/// Which documents share surrogates. A document without a patient is a scope of its own under `patient`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScopeKind {
    Document,
    #[default]
    Patient,
    Corpus,
}

/// What is written in place of an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// An invented value of the same kind and shape.
    Surrogate,
    /// `<FamilyName>`
    Tag,
    /// `[NOM_1]`: one number per person, or per value for what is no person.
    NumberedTag,
    /// `@@@`
    Mask,
    /// Black blocks, as many as the class of length asks for.
    Bar,
    /// Nothing.
    Remove,
    /// The original.
    Keep,
    /// A wider value: the year of a date, the band of an age, the department of a town, the kind of a facility;
    /// the tag where there is none.
    Generalise,
}

/// How dates move.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Dates {
    /// One offset for the scope: every interval is kept exactly, so one known date undoes all.
    Shift {
        #[serde(default = "min_days")]
        min_days: u32,
        #[serde(default = "max_days")]
        max_days: u32,
    },
    /// A shift, then one day more for every `every` days back from `anchor` (Bigeard §3.3.2).
    Blur {
        #[serde(default = "min_days")]
        min_days: u32,
        #[serde(default = "max_days")]
        max_days: u32,
        #[serde(default = "every")]
        every: u32,
        #[serde(default = "anchor")]
        anchor: Date,
    },
    /// A shift, then a bounded noise: `scales` noises with knots `base_days`, twice that, four times that … apart,
    /// whose slopes sum to `slope` at most.
    Warp {
        #[serde(default = "min_days")]
        min_days: u32,
        #[serde(default = "max_days")]
        max_days: u32,
        #[serde(default = "base_days")]
        base_days: u32,
        #[serde(default = "scales")]
        scales: u32,
        #[serde(default = "slope")]
        slope: f64,
    },
    /// The year alone, as it is.
    Year,
}

/// How towns are replaced.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Places {
    /// Another town of the region, of about the same size.
    List,
}

/// The names tags carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TagNames {
    /// `<FamilyName>`, `<PostalCode>`
    #[default]
    Label,
    /// `<PER>`, `<LOC>`
    Category,
}

fn min_days() -> u32 {
    360
}

fn max_days() -> u32 {
    1080
}

fn every() -> u32 {
    30
}

fn anchor() -> Date {
    date(2020, 12, 31)
}

fn base_days() -> u32 {
    30
}

fn scales() -> u32 {
    8
}

fn slope() -> f64 {
    0.2
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    pub scope: ScopeKind,
    pub dates: Dates,
    pub places: Places,
    pub tags: TagNames,
    /// Ages from here on are pooled.
    pub old_age: u16,
    /// One action for every label that `groups` and `labels` do not name.
    pub all: Option<Action>,
    pub groups: BTreeMap<Group, Action>,
    pub labels: BTreeMap<Label, Action>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            scope: ScopeKind::default(),
            dates: Dates::Warp {
                min_days: min_days(),
                max_days: max_days(),
                base_days: base_days(),
                scales: scales(),
                slope: slope(),
            },
            places: Places::List,
            tags: TagNames::default(),
            old_age: 90,
            all: None,
            groups: BTreeMap::new(),
            labels: BTreeMap::new(),
        }
    }
}

impl Settings {
    /// What is done with a label: its own choice, its group's, `all`, then the default.
    pub fn action(&self, label: Label) -> Action {
        self.labels
            .get(&label)
            .or_else(|| self.groups.get(&label.group()))
            .copied()
            .or(self.all)
            .unwrap_or_else(|| default_action(label))
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let (min_days, max_days) = match self.dates {
            Dates::Shift { min_days, max_days } => (min_days, max_days),
            Dates::Blur { min_days, max_days, every, .. } => {
                if every < 2 {
                    return Err(Error::new(format!(
                        "blur adds a day every {every} days; it takes 2 at least: 30 is usual"
                    )));
                }
                (min_days, max_days)
            }
            Dates::Warp { min_days, max_days, base_days, scales, slope } => {
                if !(2..=400).contains(&base_days) || !(1..=12).contains(&scales) {
                    return Err(Error::new(format!(
                        "warp has {scales} scales from {base_days} days on; it takes 1 to 12 scales and 2 to 400 days"
                    )));
                }
                if !(slope > 0.0 && slope < 0.5) {
                    return Err(Error::new(format!(
                        "warp has slope {slope}; it takes more than 0 and less than 0.5"
                    )));
                }
                let drift = max_drift(base_days, scales, slope);
                if drift >= i64::from(min_days) {
                    return Err(Error::new(format!(
                        "warp may drift by {drift} days; min_days is {min_days} and must be more: lower slope or scales"
                    )));
                }
                (min_days, max_days)
            }
            Dates::Year => (min_days(), max_days()),
        };
        if min_days < 30 || max_days < min_days.saturating_add(60) || max_days > 36_500 {
            return Err(Error::new(format!(
                "dates move by {min_days} to {max_days} days; it takes 30 at least, 36500 at most and 60 between: change min_days, max_days"
            )));
        }
        if !(18..=130).contains(&self.old_age) {
            return Err(Error::new(format!("old_age is {}; it takes 18 to 130: 90 is usual", self.old_age)));
        }
        Ok(())
    }
}

fn default_action(label: Label) -> Action {
    match label {
        Label::Sex | Label::Kinship | Label::Profession => Action::Keep,
        Label::OtherDetail => Action::Tag,
        _ => Action::Surrogate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_outweighs_its_group_which_outweighs_all() {
        let settings: Settings = toml::from_str(
            "all = \"mask\"\n[groups]\nPerson = \"numbered-tag\"\n[labels]\nInitials = \"remove\"",
        )
        .unwrap();
        assert_eq!(settings.action(Label::Initials), Action::Remove);
        assert_eq!(settings.action(Label::FamilyName), Action::NumberedTag);
        assert_eq!(settings.action(Label::Sex), Action::Mask);
        assert_eq!(Settings::default().action(Label::Sex), Action::Keep);
    }

    #[test]
    fn unknown_choices_list_the_known_ones() {
        for (toml, known) in [
            ("scope = \"record\"", "`document`, `patient`, `corpus`"),
            ("dates = { method = \"shft\" }", "shift"),
            ("[labels]\nFamilyName = \"surogate\"", "numbered-tag"),
            ("[labels]\nSirname = \"tag\"", "FamilyName"),
            ("scop = \"patient\"", "`scope`"),
            ("dates = { method = \"shift\", day = 3 }", "min_days"),
        ] {
            let message = toml::from_str::<Settings>(toml).unwrap_err().to_string();
            assert!(message.contains(known), "{toml}: {message}");
        }
    }
}
