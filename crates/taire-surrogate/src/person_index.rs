//! The people of a note by their names: who of them a mention may mean, without comparing it with each.
//!
//! A person is entered under every pair of a family name, or its first letter, and a given name, or its first letter, by sex; without a
//! family name under given names alone. So the first person who fits a mention is found by a few look-ups, whatever the number of people
//! of one name.

use std::collections::{BTreeSet, HashMap};

use rustc_hash::FxHashMap;
use taire_text::Gender;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum FamilyKey {
    Name(u32),
    Letter(char),
    /// Whatever the family name.
    Any,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum GivenKey {
    Name(u32),
    Letter(char),
    /// No given name is known.
    Missing,
    /// Whatever the given name.
    Any,
}

/// What is known of one person.
#[derive(Default)]
struct IndexedPerson {
    families: Vec<FamilyKey>,
    givens: Vec<GivenKey>,
    sex: Option<Gender>,
}

/// What a mention says of the person it means.
#[derive(Default)]
pub(crate) struct NameQuery<'a> {
    pub(crate) families: Vec<&'a str>,
    pub(crate) family_letters: Vec<char>,
    pub(crate) given: Option<&'a str>,
    pub(crate) given_letter: Option<char>,
    pub(crate) sex: Option<Gender>,
}

#[derive(Default)]
pub(crate) struct PersonIndex {
    /// Numbers of name words.
    words: HashMap<String, u32>,
    people: FxHashMap<(FamilyKey, GivenKey, u8), BTreeSet<usize>>,
    persons: FxHashMap<usize, IndexedPerson>,
}

fn sex_key(sex: Option<Gender>) -> u8 {
    match sex {
        None => 0,
        Some(Gender::Female) => 1,
        Some(Gender::Male) => 2,
    }
}

/// The pairs of keys that a mention may ask for: whoever has no family name is looked for by the given name.
fn asked_pairs<'a>(
    families: &'a [FamilyKey],
    givens: &'a [GivenKey],
) -> impl Iterator<Item = (FamilyKey, GivenKey)> + use<'a> {
    let pairs = families.iter().flat_map(|family| givens.iter().map(move |given| (*family, *given)));
    pairs.filter(|(family, given)| *family != FamilyKey::Any || matches!(given, GivenKey::Name(_)))
}

impl PersonIndex {
    fn word(&mut self, name: &str) -> u32 {
        let next = self.words.len() as u32;
        match self.words.get(name) {
            Some(&word) => word,
            None => *self.words.entry(name.to_owned()).or_insert(next),
        }
    }

    /// A person of whom nothing is known yet.
    pub(crate) fn add_person(&mut self, at: usize) {
        let person = IndexedPerson {
            families: vec![FamilyKey::Any],
            givens: vec![GivenKey::Any, GivenKey::Missing],
            sex: None,
        };
        self.enter(at, &person.families, &person.givens, person.sex);
        self.persons.insert(at, person);
    }

    pub(crate) fn add_family(&mut self, at: usize, family: &str) {
        let word = self.word(family);
        let Some(person) = self.persons.get_mut(&at) else { return };
        let keys = [Some(FamilyKey::Name(word)), family.chars().next().map(FamilyKey::Letter)];
        let keys: Vec<_> = keys.into_iter().flatten().filter(|key| !person.families.contains(key)).collect();
        person.families.extend(&keys);
        let (givens, sex) = (person.givens.clone(), person.sex);
        self.enter(at, &keys, &givens, sex);
    }

    pub(crate) fn add_given(&mut self, at: usize, given: &str) {
        let word = self.word(given);
        let Some(person) = self.persons.get_mut(&at) else { return };
        let was_missing = person.givens.contains(&GivenKey::Missing);
        person.givens.retain(|key| *key != GivenKey::Missing);
        let keys = [Some(GivenKey::Name(word)), given.chars().next().map(GivenKey::Letter)];
        let keys: Vec<_> = keys.into_iter().flatten().filter(|key| !person.givens.contains(key)).collect();
        person.givens.extend(&keys);
        let (families, sex) = (person.families.clone(), person.sex);
        if was_missing {
            self.leave(at, &families, &[GivenKey::Missing], sex);
        }
        self.enter(at, &families, &keys, sex);
    }

    pub(crate) fn set_sex(&mut self, at: usize, sex: Gender) {
        let Some(person) = self.persons.get_mut(&at).filter(|person| person.sex.is_none()) else { return };
        person.sex = Some(sex);
        let (families, givens) = (person.families.clone(), person.givens.clone());
        self.leave(at, &families, &givens, None);
        self.enter(at, &families, &givens, Some(sex));
    }

    fn enter(&mut self, at: usize, families: &[FamilyKey], givens: &[GivenKey], sex: Option<Gender>) {
        for (family, given) in asked_pairs(families, givens) {
            self.people.entry((family, given, sex_key(sex))).or_default().insert(at);
        }
    }

    fn leave(&mut self, at: usize, families: &[FamilyKey], givens: &[GivenKey], sex: Option<Gender>) {
        for (family, given) in asked_pairs(families, givens) {
            if let Some(people) = self.people.get_mut(&(family, given, sex_key(sex))) {
                people.remove(&at);
            }
        }
    }

    /// The first person who fits: shares a family name or its letter, or the given name where no family is told; has the given name, or
    /// its letter, or none; and is not of the other sex.
    pub(crate) fn first_match(&self, query: &NameQuery<'_>) -> Option<usize> {
        let word = |name: &str| self.words.get(name).copied();
        let letters = query.family_letters.iter().map(|&letter| FamilyKey::Letter(letter));
        let names = query.families.iter().filter_map(|name| word(name)).map(FamilyKey::Name);
        let families: Vec<FamilyKey> = names.chain(letters).collect();
        let named = query.given.map(|given| word(given).map(GivenKey::Name));
        let given_alone = query.families.is_empty() && query.family_letters.is_empty();
        let (families, givens) = match (given_alone, named, query.given_letter) {
            (true, Some(given), _) => (vec![FamilyKey::Any], given.into_iter().collect()),
            (true, None, _) => return None,
            (false, Some(given), _) => (families, given.into_iter().chain([GivenKey::Missing]).collect()),
            (false, None, Some(letter)) => (families, vec![GivenKey::Letter(letter), GivenKey::Missing]),
            (false, None, None) => (families, vec![GivenKey::Any]),
        };
        let sexes = [None, Some(Gender::Female), Some(Gender::Male)];
        let sexes = || sexes.iter().filter(|sex| sex.is_none() || query.sex.is_none() || **sex == query.sex);
        let pairs = families.iter().flat_map(|family| givens.iter().map(move |given| (*family, *given)));
        pairs
            .flat_map(|(family, given)| sexes().map(move |sex| (family, given, sex_key(*sex))))
            .filter_map(|key| self.people.get(&key).and_then(BTreeSet::first).copied())
            .min()
    }
}
