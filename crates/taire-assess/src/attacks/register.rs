//! A register of birth dates and towns, as a neighbour or a broker has, held against released records.
//!
//! The attacker looks for each person of the register among the released records by both values. The attack
//! succeeds when at most two records match and one of them is the true one.

use std::collections::BTreeMap;

use super::Success;
use crate::Share;

/// One person: what the register says and what the release shows. `None` where a value is absent or a tag.
#[derive(Clone, Default)]
pub struct Person {
    /// True birth date, as a day number.
    pub birth: Option<i32>,
    /// True town.
    pub town: Option<String>,
    /// Birth date in the release.
    pub released_birth: Option<i32>,
    /// Town in the release.
    pub released_town: Option<String>,
}

impl std::fmt::Debug for Person {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Person").finish_non_exhaustive()
    }
}

/// Looks every released person up in the register of true birth dates and towns.
pub fn register(people: &[Person]) -> Success {
    let mut released: BTreeMap<(i32, &str), Vec<usize>> = BTreeMap::new();
    for (at, person) in people.iter().enumerate() {
        if let (Some(birth), Some(town)) = (person.released_birth, &person.released_town) {
            released.entry((birth, town)).or_default().push(at);
        }
    }
    let wins = people.iter().enumerate().filter_map(|(at, person)| {
        let (birth, town) = (person.birth?, person.town.as_deref()?);
        let fitting = released.get(&(birth, town));
        Some(fitting.is_some_and(|f| f.len() <= 2 && f.contains(&at)))
    });
    let attack = Share::of(wins);
    let blind = (!people.is_empty()).then(|| 1.0 / people.len() as f64);
    Success { attack, blind }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(birth: impl Fn(i32) -> i32, town: impl Fn(usize) -> usize) -> Vec<Person> {
        let name = |i: usize| format!("town {}", i % 7);
        let one = |i: usize| Person {
            birth: Some(i as i32 * 31),
            town: Some(name(i)),
            released_birth: Some(birth(i as i32 * 31)),
            released_town: Some(name(town(i))),
        };
        (0..500).map(one).collect()
    }

    #[test]
    fn what_is_kept_is_found() {
        assert_eq!(register(&people(|b| b, |t| t)).attack.share, 1.0);
    }

    #[test]
    fn moved_births_and_towns_are_not() {
        assert!(register(&people(|b| b - 411, |t| t + 1)).attack.share < 0.02);
    }
}
