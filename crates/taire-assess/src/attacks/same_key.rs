//! Somebody holds two releases of the same documents, made with one key under two policies, and opens one with the other.
//!
//! Where the surrogates of both agree, whatever is learned from the weaker release (a name that it leaves beside a
//! surrogate, a calendar that one date undoes) holds in the stronger one. A key file remembers nothing, so only the derivation keeps them
//! apart. Blind is how often surrogates of two different values agree.

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
    let mut seen = std::collections::BTreeSet::new();
    let is_new = |v: &&TwoSurrogates| seen.insert((v.kind, v.ours.as_str(), v.other.as_str()));
    let values: Vec<&TwoSurrogates> = values.iter().filter(is_new).collect();
    let by_chance = |(i, value): (usize, &&TwoSurrogates)| {
        let mut others = values[i + 1..].iter().chain(&values[..i]);
        others.find(|o| o.kind == value.kind).is_some_and(|o| o.other == value.ours)
    };
    let chance = Share::of(values.iter().enumerate().map(by_chance));
    Success {
        attack: Share::of(values.iter().map(|v| v.ours == v.other)),
        blind: (chance.tries > 0).then_some(chance.share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Draw;

    fn values(other: impl Fn(&mut Draw, usize) -> usize) -> Vec<TwoSurrogates> {
        let mut draw = Draw::new(7);
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
