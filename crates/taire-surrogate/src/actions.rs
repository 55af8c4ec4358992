//! Which action each label has in the end: what a policy says of it, and what follows from what it says of another.

use serde::{Deserialize, Serialize};
use taire_text::Label;

use crate::Error;
use crate::settings::{Action, Dates, Settings};

/// What decided the action of a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecidedBy {
    /// `rewrite.response`
    Response,
    /// `rewrite.labels`
    Label,
    /// The action of another label: a kept town keeps its postal code.
    Following(Label),
    /// `rewrite.groups`
    Group,
    /// `rewrite.all`
    All,
    /// Nothing in the policy.
    Default,
}

impl DecidedBy {
    /// In words, for people who read a policy.
    pub fn explain(self) -> String {
        match self {
            DecidedBy::Response => "rewrite.response".into(),
            DecidedBy::Label => "rewrite.labels".into(),
            DecidedBy::Following(label) => format!("follows {label}"),
            DecidedBy::Group => "rewrite.groups".into(),
            DecidedBy::All => "rewrite.all".into(),
            DecidedBy::Default => "default".into(),
        }
    }
}

/// How wide `generalise` makes values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Widths {
    /// What is left of a date.
    pub dates: DateWidth,
    /// Years in a band of ages.
    pub age_band: u16,
    /// What is written for a town.
    pub towns: TownWidth,
}

impl Default for Widths {
    fn default() -> Self {
        Widths { dates: DateWidth::Year, age_band: 10, towns: TownWidth::Department }
    }
}

/// What `generalise` leaves of a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DateWidth {
    /// `mars 2014`
    Month,
    /// `2014`
    Year,
}

/// What `generalise` writes for a town.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TownWidth {
    /// Its department or province; the region where that has the town's own name.
    Department,
    /// How large it is, with the department or region where enough towns are that large: `un village (Jura)`.
    Size,
}

impl Action {
    /// Every action, in the order of the reference.
    pub const ALL: &'static [Action] = &[
        Action::Surrogate,
        Action::Generalise,
        Action::Tag,
        Action::NumberedTag,
        Action::Mask,
        Action::Bar,
        Action::Remove,
        Action::Keep,
    ];

    /// The name it has in policies.
    pub fn key(self) -> &'static str {
        match self {
            Action::Surrogate => "surrogate",
            Action::Tag => "tag",
            Action::NumberedTag => "numbered-tag",
            Action::Mask => "mask",
            Action::Bar => "bar",
            Action::Remove => "remove",
            Action::Keep => "keep",
            Action::Generalise => "generalise",
        }
    }

    /// Whether there is such a value for the label: no job can be invented for a job, no name is wider than a name.
    pub fn fits(self, label: Label) -> bool {
        use Label::*;
        match self {
            Action::Surrogate => !matches!(label, Sex | Kinship | Profession | OtherDetail),
            Action::Generalise => matches!(
                label,
                Date | BirthDate
                    | Age
                    | City
                    | PostalCode
                    | Hospital
                    | HealthCentre
                    | Institution
                    | Profession
            ),
            _ => true,
        }
    }

    fn check(self, key: &str, label: Label) -> Result<(), Error> {
        if self.fits(label) {
            return Ok(());
        }
        let fitting: Vec<_> = Action::ALL.iter().filter(|a| a.fits(label)).map(|a| a.key()).collect();
        let why = match self {
            Action::Generalise => "there is no wider value of it",
            _ => "no such value can be invented",
        };
        Err(Error::new(format!("{key} is `{}`, but {why}: choose {}", self.key(), fitting.join(", "))))
    }
}

impl Settings {
    /// What is done with a label: a response, its own choice, its group's, `all`, then the default; or what follows from
    /// another label's.
    pub fn action(&self, label: Label) -> Action {
        self.decide(label).0
    }

    /// The same, with what decided it.
    pub fn decide(&self, label: Label) -> (Action, DecidedBy) {
        let own = self.own_action(label);
        self.following(label, own).unwrap_or(own)
    }

    fn own_action(&self, label: Label) -> (Action, DecidedBy) {
        if self.response.contains_key(&label) {
            return (Action::Surrogate, DecidedBy::Response);
        }
        if let Some(&action) = self.labels.get(&label) {
            return (action, DecidedBy::Label);
        }
        let shared = self.groups.get(&label.group()).map(|&a| (a, DecidedBy::Group));
        match shared.or(self.all.map(|a| (a, DecidedBy::All))) {
            Some((action, by)) if action.fits(label) => (action, by),
            Some((_, by)) => (Action::Tag, by),
            None => (default_action(label), DecidedBy::Default),
        }
    }

    /// What must not contradict another label: a postal code or a department that moved beside a town that did not, a
    /// distance in time beside dates that did not move.
    fn following(&self, label: Label, own: (Action, DecidedBy)) -> Option<(Action, DecidedBy)> {
        if own.1 == DecidedBy::Label {
            return None;
        }
        let town = self.own_action(Label::City).0;
        let (action, other) = match (label, own.0, town) {
            (Label::PostalCode | Label::Region, Action::Surrogate, Action::Keep) => {
                (Action::Keep, Label::City)
            }
            (Label::PostalCode, Action::Surrogate, Action::Generalise) => (Action::Generalise, Label::City),
            (Label::Region, Action::Surrogate | Action::Tag, Action::Generalise) => {
                (Action::Keep, Label::City)
            }
            // Without a wider value, but true: the dates around it do not move.
            (Label::RelativeDate, Action::Tag, _) if self.own_action(Label::Date).0 == Action::Generalise => {
                (Action::Surrogate, Label::Date)
            }
            _ => return None,
        };
        Some((action, DecidedBy::Following(other)))
    }

    /// Whether dates stay where they are, whole or in part, so that ages and durations stay true too.
    pub(crate) fn dates_stay(&self) -> bool {
        self.dates == Dates::Year || matches!(self.action(Label::Date), Action::Keep | Action::Generalise)
    }

    pub(crate) fn check_actions(&self) -> Result<(), Error> {
        for (&label, action) in &self.labels {
            action.check(&format!("rewrite.labels.{label}"), label)?;
        }
        for (&group, &action) in &self.groups {
            let mut members = Label::ALL.iter().copied().filter(|l| l.group() == group);
            if !members.clone().any(|label| action.fits(label))
                && let Some(first) = members.next()
            {
                action.check(&format!("rewrite.groups.{group}"), first)?;
            }
        }
        if !(2..=50).contains(&self.generalise.age_band) {
            return Err(Error::new(format!(
                "rewrite.generalise.age_band is {}; it must be between 2 and 50 years",
                self.generalise.age_band
            )));
        }
        Ok(())
    }

    /// What a person should know of the actions before sharing what they made.
    pub(crate) fn action_remarks(&self) -> Vec<&'static str> {
        let (date, birth) = (self.action(Label::Date), self.action(Label::BirthDate));
        let still = |action| matches!(action, Action::Keep | Action::Generalise);
        let mut out = Vec::new();
        if still(birth) && date == Action::Surrogate && self.dates != Dates::Year {
            out.push(
                "birth dates show their true year while other dates move: an age written beside one tells about when the \
                 document was made",
            );
        }
        if still(date) && birth == Action::Surrogate && self.dates != Dates::Year {
            out.push(
                "birth dates move while other dates stay: an age counted from them is wrong by a year or more; ages that are \
                 written in the text are true",
            );
        }
        out
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

    fn settings(toml: &str) -> Settings {
        toml::from_str(toml).unwrap()
    }

    #[test]
    fn a_label_outweighs_its_group_which_outweighs_all() {
        let settings =
            settings("all = \"mask\"\n[groups]\nPerson = \"numbered-tag\"\n[labels]\nInitials = \"remove\"");
        assert_eq!(settings.action(Label::Initials), Action::Remove);
        assert_eq!(settings.action(Label::FamilyName), Action::NumberedTag);
        assert_eq!(settings.action(Label::Sex), Action::Mask);
        assert_eq!(Settings::default().action(Label::Sex), Action::Keep);
    }

    #[test]
    fn a_kept_town_keeps_its_postal_code_and_department() {
        let kept = settings("labels = { City = \"keep\" }");
        assert_eq!(kept.decide(Label::PostalCode), (Action::Keep, DecidedBy::Following(Label::City)));
        assert_eq!(kept.action(Label::Region), Action::Keep);
        let own = settings("labels = { City = \"keep\", PostalCode = \"surrogate\" }");
        assert_eq!(own.action(Label::PostalCode), Action::Surrogate);
        let masked = settings("groups = { Place = \"mask\" }\nlabels = { City = \"keep\" }");
        assert_eq!(masked.action(Label::PostalCode), Action::Mask);
        let wide = settings("labels = { City = \"generalise\" }");
        assert_eq!(wide.action(Label::PostalCode), Action::Generalise);
        assert_eq!(wide.action(Label::Region), Action::Keep);
        assert_eq!(Settings::default().action(Label::PostalCode), Action::Surrogate);
    }

    #[test]
    fn actions_that_make_no_sense_are_refused_with_those_that_do() {
        for (toml, says) in [
            ("labels = { FamilyName = \"generalise\" }", "rewrite.labels.FamilyName is `generalise`"),
            ("labels = { Profession = \"surrogate\" }", "choose generalise, tag"),
            ("groups = { Person = \"generalise\" }", "rewrite.groups.Person"),
            ("groups = { QuasiIdentifier = \"surrogate\" }", "no such value can be invented"),
            ("generalise = { age_band = 1 }", "between 2 and 50"),
        ] {
            let message = settings(toml).check().unwrap_err().to_string();
            assert!(message.contains(says), "{toml}: {message}");
        }
        let time = settings("groups = { Time = \"generalise\" }");
        time.check().unwrap();
        assert_eq!(time.action(Label::RelativeDate), Action::Surrogate);
        assert_eq!(settings("all = \"generalise\"").action(Label::FamilyName), Action::Tag);
    }
}
