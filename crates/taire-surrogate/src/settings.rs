//! The `[rewrite]` table of a policy: what is done with each label, and how.
//!
//! ```toml
//! [rewrite]
//! scope = "patient"            # document, patient, corpus
//! dates = { method = "warp" }  # shift, blur, warp, ldp, metric, year
//! places = { method = "list" } # list, geo, health, health-strict
//! indicators = "towns.csv"     # what `health` compares: a column `code` (INSEE, INE), then numbers
//! tags = "label"               # <FamilyName>; "category" writes <PER>
//! old_age = 90                 # ages from here on are told as this one "and over"
//!
//! [rewrite.groups]             # Person, Time, Place, Organisation, Contact, Identifier, QuasiIdentifier
//! Organisation = "tag"
//!
//! [rewrite.labels]             # a label outweighs its group
//! Profession = "generalise"
//!
//! [rewrite.generalise]         # how wide
//! dates = "year"               # year, month
//! age_band = 10
//! towns = "department"         # department, size
//!
//! [rewrite.response]           # ε of a randomised response: Sex, Kinship
//! Sex = 1.0
//!
//! [rewrite.budget]             # what one document may lose; what exceeds it becomes a tag
//! pure = 0.75                  # ε, all that is released together
//! kilometre = 1.0              # ε per kilometre; also day, week, month, year, profile
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::civil::{Date, date};
use serde::{Deserialize, Serialize};
use taire_privacy::{Budget, Unit};
use taire_text::{Group, Label};

use crate::Error;
use crate::actions::Widths;
use crate::calendar::max_drift;
use crate::join_key::IdStyle;

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
    /// A wider value: the year or month of a date, the band of an age, the department of a town, the kind of a
    /// facility; the tag where there is none.
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
    /// Bounded Laplace noise on the intervals of the document's dates, and on birth dates and ages, in days; ε is split evenly
    /// among them (Tchouka 2022, §4.6). The document's own date moves as under `shift`.
    Ldp {
        #[serde(default = "time_epsilon")]
        epsilon: f64,
        #[serde(default = "min_days")]
        min_days: u32,
        #[serde(default = "max_days")]
        max_days: u32,
        /// The reach of the classes, in days.
        #[serde(default = "classes")]
        classes: [u32; 3],
        /// How far apart two birth dates, or two ages, may be for their loss to hold, in days.
        #[serde(default = "birth_days")]
        birth_days: u32,
    },
    /// Discrete Laplace noise on the intervals, each in the unit it was written in, at ε per day, week, month or year
    /// (Tchouka 2023, §8.2.2.2); a date between two others belongs to two intervals and costs 2ε. The document's own date
    /// moves as under `shift`.
    Metric {
        #[serde(default = "time_epsilon")]
        epsilon: f64,
        #[serde(default = "min_days")]
        min_days: u32,
        #[serde(default = "max_days")]
        max_days: u32,
    },
    /// The year alone, as it is.
    Year,
}

impl Dates {
    /// Whether dates move by the sequence of one document, whatever the scope.
    pub fn by_document(self) -> bool {
        matches!(self, Dates::Ldp { .. } | Dates::Metric { .. })
    }
}

/// How towns are replaced.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Places {
    /// Another town of the region, of about the same size.
    List,
    /// The town of the region nearest to a point drawn by planar Laplace at ε per kilometre (Tchouka 2022, §4.5). A
    /// town may come out as itself.
    Geo {
        #[serde(default = "place_epsilon")]
        epsilon: f64,
    },
    /// One of the `k` towns most alike within a radius, by e^(−ε·d) (Tchouka 2023, §8.2.3.2). As in the thesis each
    /// town has candidates of its own, so the loss has no bound; the report says so.
    Health {
        #[serde(default = "place_epsilon")]
        epsilon: f64,
        #[serde(default = "candidates")]
        k: usize,
        #[serde(default = "radius_km")]
        radius_km: f64,
    },
    /// Any town of the region, by e^(−ε·d/2): ε·d-private. A town may come out as itself.
    HealthStrict {
        #[serde(default = "strict_epsilon")]
        epsilon: f64,
    },
}

impl Places {
    /// Whether towns are drawn by a mechanism that declares a loss. Such a town may come out as itself: a surrogate
    /// that is never its original tells what the original was not.
    pub fn is_private(self) -> bool {
        self != Places::List
    }

    pub(crate) fn by_profile(self) -> bool {
        matches!(self, Places::Health { .. } | Places::HealthStrict { .. })
    }
}

/// What the releases of one document may lose together. What is not named is not limited.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    pub pure: Option<f64>,
    pub day: Option<f64>,
    pub week: Option<f64>,
    pub month: Option<f64>,
    pub year: Option<f64>,
    pub kilometre: Option<f64>,
    pub profile: Option<f64>,
}

impl Limits {
    fn of(&self, unit: Unit) -> Option<f64> {
        match unit {
            Unit::Day => self.day,
            Unit::Week => self.week,
            Unit::Month => self.month,
            Unit::Year => self.year,
            Unit::Kilometre => self.kilometre,
            Unit::Profile => self.profile,
        }
    }

    pub(crate) fn budget(&self) -> Budget {
        let metric = Unit::ALL.iter().filter_map(|&u| Some((u, self.of(u)?))).collect();
        Budget { pure: self.pure, metric }
    }
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

/// Two years from [`min_days`] on, so that every day of the year is as likely to be the true one.
fn max_days() -> u32 {
    1090
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

/// The papers' ε = 1: three quarters for time, one for places.
fn time_epsilon() -> f64 {
    0.75
}

fn place_epsilon() -> f64 {
    0.25
}

fn strict_epsilon() -> f64 {
    8.0
}

fn classes() -> [u32; 3] {
    [61, 660, 36_000]
}

/// A year: two people of the same age, and those of the next, are not told apart.
fn birth_days() -> u32 {
    366
}

fn candidates() -> usize {
    10
}

fn radius_km() -> f64 {
    100.0
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    pub scope: ScopeKind,
    pub dates: Dates,
    pub places: Places,
    /// A table of towns that `health` and `health-strict` compare instead of the shipped one. In a policy file its
    /// path is taken from the file's folder.
    pub indicators: Option<PathBuf>,
    pub tags: TagNames,
    /// How ids that join tables are replaced.
    pub ids: IdStyle,
    /// Whether a telephone or a number in a text has one surrogate, or another at each place.
    #[serde(skip_serializing_if = "NumberStyle::is_consistent")]
    pub numbers: NumberStyle,
    /// Ages from here on are pooled.
    pub old_age: u16,
    /// One action for every label that `groups` and `labels` do not name.
    pub all: Option<Action>,
    pub groups: BTreeMap<Group, Action>,
    pub labels: BTreeMap<Label, Action>,
    /// How wide `generalise` makes values.
    pub generalise: Widths,
    /// Labels answered by randomised response, with their ε: `Sex` and `Kinship`.
    pub response: BTreeMap<Label, f64>,
    pub budget: Limits,
}

/// What a telephone or a number in a text becomes (Bigeard, table 3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumberStyle {
    /// The same surrogate wherever it stands: joins by number are kept.
    #[default]
    Consistent,
    /// Another surrogate at each place.
    Random,
}

impl NumberStyle {
    fn is_consistent(&self) -> bool {
        *self == NumberStyle::Consistent
    }
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
            indicators: None,
            tags: TagNames::default(),
            ids: IdStyle::default(),
            numbers: NumberStyle::default(),
            old_age: 90,
            all: None,
            groups: BTreeMap::new(),
            labels: BTreeMap::new(),
            generalise: Widths::default(),
            response: BTreeMap::new(),
            budget: Limits::default(),
        }
    }
}

impl Settings {
    /// What a person should know of these choices before sharing what they made.
    pub fn remarks(&self) -> Vec<&'static str> {
        let mut out = self.action_remarks();
        if self.dates.by_document() && self.scope != ScopeKind::Document {
            out.push(
                "dates move by the sequence of each document, as ldp and metric do: the same day may become two in \
                 two documents of one patient; the dates of the documents themselves keep their intervals",
            );
        }
        if self.scope == ScopeKind::Document {
            out.push(
                "scope is document: each document has a patient id of its own, so that a patient's documents cannot be put \
                 together by it; folder names, and words that only one story has, still may",
            );
        }
        if matches!(self.places, Places::Health { .. }) {
            out.push(
                "places = health draws from candidates that differ from town to town, so its loss has no bound: \
                 health-strict has one",
            );
        }
        if self.response.contains_key(&Label::Sex) {
            out.push(
                "sex is answered at random where it is written as such; titles, given names and the agreement of \
                 adjectives still tell it",
            );
        }
        if self.dates.by_document() || self.places.is_private() {
            out.push(
                "a mechanism that declares a loss may give a town or a day back as it was: one that never did would \
                 tell what the original was not",
            );
        }
        out
    }

    /// Whether the choices can work; an error names the key and what it may be.
    pub fn check(&self) -> Result<(), Error> {
        self.check_actions()?;
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
            Dates::Ldp { epsilon, min_days, max_days, classes, birth_days } => {
                check_epsilon("dates", epsilon)?;
                let [short, medium, long] = classes;
                if !(1 <= short && short < medium && medium < long && long <= 100_000) {
                    return Err(Error::new(format!(
                        "ldp has classes {short}, {medium}, {long}; they rise from 1 to 100000: 61, 660, 36000 are usual"
                    )));
                }
                if !(1..=long).contains(&birth_days) {
                    return Err(Error::new(format!(
                        "birth_days is {birth_days}; it must be between 1 and {long}, the longest class: 366 is usual"
                    )));
                }
                (min_days, max_days)
            }
            Dates::Metric { epsilon, min_days, max_days } => {
                check_epsilon("dates", epsilon)?;
                (min_days, max_days)
            }
            Dates::Year => (min_days(), max_days()),
        };
        match self.places {
            Places::List => {}
            Places::Geo { epsilon } | Places::HealthStrict { epsilon } => check_epsilon("places", epsilon)?,
            Places::Health { epsilon, k, radius_km } => {
                check_epsilon("places", epsilon)?;
                if k < 2 || !(1.0..=1000.0).contains(&radius_km) {
                    return Err(Error::new(format!(
                        "health draws among {k} towns within {radius_km} km; it takes 2 or more, and 1 to 1000 km"
                    )));
                }
            }
        }
        for (label, &epsilon) in &self.response {
            if !matches!(label, Label::Sex | Label::Kinship) {
                return Err(Error::new(format!(
                    "response names {label}; randomised response is for Sex and Kinship: choose an action in labels"
                )));
            }
            if self.labels.contains_key(label) {
                return Err(Error::new(format!("{label} has a response and an action in labels: keep one")));
            }
            check_epsilon("responses", epsilon)?;
        }
        if self.indicators.is_some() && !self.places.by_profile() {
            return Err(Error::new(
                "indicators are given, but places take none: set places to health or health-strict",
            ));
        }
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

fn check_epsilon(what: &str, epsilon: f64) -> Result<(), Error> {
    if !(1e-6..=64.0).contains(&epsilon) {
        return Err(Error::new(format!("{what} have ε = {epsilon}; it takes 0.000001 to 64: 1 is usual")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senseless_privacy_is_refused_and_surprises_are_told() {
        for (toml, says) in [
            ("dates = { method = \"ldp\", epsilon = 0.0 }", "0.000001 to 64"),
            ("dates = { method = \"ldp\", classes = [61, 60, 36000] }", "they rise"),
            ("dates = { method = \"ldp\", birth_days = 0 }", "between 1 and 36000"),
            ("dates = { method = \"metric\", epsilon = nan }", "0.000001 to 64"),
            ("places = { method = \"health\", k = 1 }", "2 or more"),
            ("indicators = \"towns.csv\"", "places take none"),
        ] {
            let settings: Settings = toml::from_str(toml).unwrap();
            let message = settings.check().unwrap_err().to_string();
            assert!(message.contains(says), "{toml}: {message}");
        }
        let settings: Settings = toml::from_str("dates = { method = \"ldp\" }").unwrap();
        assert!(settings.remarks()[0].contains("sequence of each document"));
        assert!(Settings::default().remarks().is_empty());
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
