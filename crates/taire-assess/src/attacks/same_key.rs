//! Somebody holds two releases of the same documents, made with one key under two policies, and opens one with the other.
//!
//! Where the surrogates of both agree, whatever is learned from the weaker release (a name that it leaves beside a
//! surrogate, a calendar that one date undoes) holds in the stronger one. A key file remembers nothing, so only the derivation keeps them
//! apart. Blind is how often a release under another key agrees with the other one: two draws for one value agree more often than those of
//! two values, because both know its sex or its region. Without such a release it is how often surrogates of two different values agree.

use std::collections::{BTreeMap, BTreeSet};

use super::Success;
use crate::Share;

/// What one value became in two releases.
#[derive(Clone)]
pub struct TwoSurrogates {
    /// What it is: only values of one kind are compared with each other.
    pub kind: &'static str,
    /// In the release that is attacked.
    pub ours: String,
    /// In the other.
    pub other: String,
}

impl std::fmt::Debug for TwoSurrogates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TwoSurrogates").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// How often a value has the same surrogate in both releases. What stands in several letters of a patient is one draw. `control` has the
/// release that is attacked under another key.
pub fn same_key(values: &[TwoSurrogates], control: &[TwoSurrogates]) -> Success {
    let attack = |values: &[&TwoSurrogates]| Share::of(values.iter().map(|v| v.ours == v.other));
    let control = distinct(control);
    let values = distinct(values);
    let blind = match control.is_empty() {
        true => other_values_agree(&values),
        false => Some(attack(&control).share),
    };
    Success { attack: attack(&values), blind }
}

fn distinct(values: &[TwoSurrogates]) -> Vec<&TwoSurrogates> {
    let mut seen = BTreeSet::new();
    let mut distinct = Vec::with_capacity(values.len());
    for value in values {
        if seen.insert((value.kind, &value.ours, &value.other)) {
            distinct.push(value);
        }
    }
    distinct
}

/// How often surrogates of two different values agree.
fn other_values_agree(values: &[&TwoSurrogates]) -> Option<f64> {
    // How often each surrogate of the other release occurs, by kind.
    let (mut all, mut occurs) = (BTreeMap::new(), BTreeMap::new());
    for value in values {
        *all.entry(value.kind).or_insert(0usize) += 1;
        *occurs.entry((value.kind, &value.other)).or_insert(0usize) += 1;
    }
    let by_chance = |value: &&TwoSurrogates| {
        let own = usize::from(value.ours == value.other);
        let others = occurs.get(&(value.kind, &value.ours)).copied().unwrap_or(0) - own;
        let tries = all.get(value.kind).copied().unwrap_or(0).checked_sub(1).filter(|n| *n > 0)?;
        Some(others as f64 / tries as f64)
    };
    let chances: Vec<f64> = values.iter().filter_map(by_chance).collect();
    (!chances.is_empty()).then(|| chances.iter().sum::<f64>() / chances.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::SplitMix64;

    fn values(other: impl Fn(&mut SplitMix64, usize) -> usize) -> Vec<TwoSurrogates> {
        let mut draw = SplitMix64::new(7);
        (0..500)
            .map(|_| {
                let ours = draw.below(60);
                let other = other(&mut draw, ours);
                TwoSurrogates { kind: "FamilyName", ours: ours.to_string(), other: other.to_string() }
            })
            .collect()
    }

    #[test]
    fn a_derivation_that_forgets_the_policy_is_opened() {
        let found = same_key(&values(|_, ours| ours), &[]);
        assert!(found.attack.share == 1.0 && found.beats_chance(), "{found}");
    }

    #[test]
    fn unrelated_draws_agree_by_chance() {
        let found = same_key(&values(|draw, _| draw.below(60)), &[]);
        assert!(!found.beats_chance() && found.attack.share < 0.05, "{found}");
    }

    /// Defect: draws that both keep the sex of a name agree twice as often as those of two names, and were taken for a leak of the key.
    #[test]
    fn draws_within_a_group_are_compared_with_those_of_another_key() {
        // One of two groups of thirty names for each value, drawn from by every release.
        let grouped = |seed| {
            let mut draw = taire_text::SplitMix64::new(seed);
            let value = |i: usize| {
                let mut name = || (30 * (i % 2) + draw.below(30)).to_string();
                TwoSurrogates { kind: "GivenName", ours: name(), other: name() }
            };
            (0..4000).map(value).collect::<Vec<_>>()
        };
        let (found, control) = (grouped(1), grouped(2));
        let without = same_key(&found, &[]);
        let with = same_key(&found, &control);
        assert!(with.blind > without.blind && !with.beats_chance(), "{with}, {without}");
    }
}
