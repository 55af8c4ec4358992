//! How many distinct names each caller has sent with each patient, for the audit log.
//!
//! Who knows a patient's number and may ask for surrogates can send one name after another and compare. The counts show it;
//! they are made from hashes under random keys, held in memory only and bounded.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

/// Names held in all; patients first seen longest ago are forgotten beyond it.
const MOST_NAMES: usize = 1 << 20;
/// Names held of one patient; the count stays at this.
const MOST_OF_PATIENT: usize = 1 << 12;

#[derive(Debug, Default)]
pub(crate) struct NamesAsked {
    hasher: RandomState,
    seen: Mutex<SeenNames>,
}

#[derive(Debug, Default)]
struct SeenNames {
    patients: HashMap<u64, HashSet<u64>>,
    oldest: VecDeque<u64>,
    names: usize,
}

impl NamesAsked {
    /// Counts the names of one document; returns how many distinct ones this caller has sent with this patient.
    pub(crate) fn add<'a>(&self, caller: &str, patient: &str, names: impl Iterator<Item = &'a str>) -> u64 {
        let key = self.hasher.hash_one((caller, patient));
        let names: Vec<u64> = names.map(|name| self.hasher.hash_one(name.to_lowercase())).collect();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = &mut *seen;
        let of_patient = seen.patients.entry(key).or_insert_with(|| {
            seen.oldest.push_back(key);
            HashSet::new()
        });
        let before = of_patient.len();
        for name in names {
            if of_patient.len() < MOST_OF_PATIENT {
                of_patient.insert(name);
            }
        }
        let count = of_patient.len();
        seen.names += count - before;
        while seen.names + seen.patients.len() > MOST_NAMES && seen.oldest.len() > 1 {
            let Some(oldest) = seen.oldest.pop_front() else { break };
            if oldest == key {
                seen.oldest.push_back(oldest);
                continue;
            }
            seen.names -= seen.patients.remove(&oldest).map_or(0, |names| names.len());
        }
        count as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_counted_once_for_each_caller_and_patient() {
        let asked = NamesAsked::default();
        assert_eq!(asked.add("ward", "7", ["Durand", "DURAND", "Alban"].into_iter()), 2);
        assert_eq!(asked.add("ward", "7", ["Petit", "Alban"].into_iter()), 3);
        assert_eq!(asked.add("ward", "8", ["Petit"].into_iter()), 1);
        assert_eq!(asked.add("lab", "7", ["Petit"].into_iter()), 1);
    }

    #[test]
    fn memory_is_bounded() {
        let asked = NamesAsked::default();
        for patient in 0..MOST_NAMES / 2 + 10 {
            asked.add("ward", &patient.to_string(), ["Durand"].into_iter());
        }
        let held = asked.seen.lock().unwrap();
        assert!(held.names + held.patients.len() <= MOST_NAMES);
        assert_eq!(held.patients.len(), held.oldest.len());
    }
}
