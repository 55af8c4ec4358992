//! Somebody holds two releases of the same documents, made with one key under two policies, and opens one with the other.
//!
//! Where the surrogates of both agree, whatever is learned from the weaker release (a name that it leaves beside a
//! surrogate, a calendar that one date undoes) holds in the stronger one. A key file remembers nothing, so only the derivation keeps them
//! apart. Blind is how often surrogates of two different values agree.

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

/// How often a value has the same surrogate in both releases. What stands in several letters of a patient is one draw.
pub fn same_key(values: &[TwoSurrogates]) -> Success {
    let mut seen = BTreeSet::new();
    let mut distinct = Vec::with_capacity(values.len());
    for value in values {
        if seen.insert((value.kind, &value.ours, &value.other)) {
            distinct.push(value);
        }
    }
    let values = distinct;
    // How often each surrogate of the other release occurs, by kind.
    let (mut all, mut occurs) = (BTreeMap::new(), BTreeMap::new());
    for value in &values {
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
    Success {
        attack: Share::of(values.iter().map(|v| v.ours == v.other)),
        blind: (!chances.is_empty()).then(|| chances.iter().sum::<f64>() / chances.len() as f64),
    }
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
        let found = same_key(&values(|_, ours| ours));
        assert!(found.attack.share == 1.0 && found.beats_chance(), "{found}");
    }

    #[test]
    fn unrelated_draws_agree_by_chance() {
        let found = same_key(&values(|draw, _| draw.below(60)));
        assert!(!found.beats_chance() && found.attack.share < 0.05, "{found}");
    }
}
