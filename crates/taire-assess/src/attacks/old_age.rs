//! Somebody looks for the age of the very old in everything that a record tells, not only where it is written as an age.
//!
//! Ages from 90 on are pooled, since few people reach them. The attacker reads the birth date, "née en 1922", the digits of a
//! social security number and "à l'âge de 7 ans en 1929" against the date of the letter. Found when the greatest of these ages is
//! within a year of the true one. Blind is the one age that is right most often, for all.

use super::Success;
use crate::Share;

/// Years by which a guess may be off.
const NEAR: i32 = 1;

/// A person old enough for the pool.
#[derive(Clone, Debug, Default)]
pub struct OldPerson {
    /// The true age.
    pub age: i32,
    /// What each piece of evidence in the release says.
    pub released_ages: Vec<i32>,
}

/// Guesses each age by the greatest one that the release tells.
pub fn old_ages(people: &[OldPerson]) -> Success {
    let right = |guess: i32, person: &OldPerson| (guess - person.age).abs() <= NEAR;
    let count = |guess: i32| people.iter().filter(|p| right(guess, p)).count();
    let usual = (60..130).max_by_key(|&guess| (count(guess), -guess)).unwrap_or_default();
    let guess = |p: &OldPerson| p.released_ages.iter().copied().max().unwrap_or(usual);
    Success {
        attack: Share::of(people.iter().map(|p| right(guess(p), p))),
        blind: (!people.is_empty()).then(|| count(usual) as f64 / people.len() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(released_ages: impl Fn(i32) -> Vec<i32>) -> Vec<OldPerson> {
        (0..200)
            .map(|i| 90 + i % 12)
            .map(|age| OldPerson { age, released_ages: released_ages(age) })
            .collect()
    }

    #[test]
    fn one_birth_year_that_is_not_pooled_undoes_the_pool() {
        let found = old_ages(&people(|age| vec![90, age]));
        assert!(found.attack.share == 1.0 && found.beats_chance(), "{found}");
    }

    #[test]
    fn evidence_that_is_pooled_together_does_not() {
        let found = old_ages(&people(|_| vec![90, 91]));
        assert!(!found.beats_chance(), "{found}");
    }
}
