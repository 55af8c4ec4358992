//! A surrogate of one person in a record is the true name of another person in it.
//!
//! The attacker knows the family or the ward. A patient who is written under the name of the real neighbour, doctor or husband is an
//! accusation, and it reveals that the name belongs to the record. The baseline is how often the surrogates of one record contain a real
//! name of another record.

use std::collections::BTreeSet;

use super::Success;
use crate::Share;

/// The words of names in one record.
#[derive(Clone, Default)]
pub struct NamesOfRecord {
    /// Words of the true names.
    pub real: BTreeSet<String>,
    /// Words of their surrogates.
    pub written: BTreeSet<String>,
}

impl std::fmt::Debug for NamesOfRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NamesOfRecord").finish_non_exhaustive()
    }
}

/// Records in which a surrogate is a true name of the record.
pub fn real_names(records: &[NamesOfRecord]) -> Success {
    let meets = |a: &NamesOfRecord, b: &NamesOfRecord| !a.written.is_disjoint(&b.real);
    let next = records.iter().cycle().skip(1);
    let chance = Share::of(records.iter().zip(next).map(|(a, b)| meets(a, b)));
    Success {
        attack: Share::of(records.iter().map(|r| meets(r, r))),
        blind: (records.len() > 1).then_some(chance.share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::SplitMix64;

    /// Records of five names, whose surrogates come from a list of `pool` names that holds the real ones.
    fn records(pool: usize, avoid: bool) -> Vec<NamesOfRecord> {
        let mut draw = SplitMix64::new(12);
        (0..300)
            .map(|_| {
                let mut name = |n: usize| draw.below(n).to_string();
                let real: BTreeSet<String> = (0..5).map(|_| name(pool)).collect();
                let drawn: BTreeSet<String> = (0..5).map(|_| name(pool)).collect();
                let written = drawn.into_iter().filter(|n| !avoid || !real.contains(n)).collect();
                NamesOfRecord { real, written }
            })
            .collect()
    }

    #[test]
    fn names_exchanged_inside_a_record_are_found() {
        // One name of each record is exchanged with another of the same record.
        let mut exchanged = records(4000, false);
        for record in exchanged.iter_mut().step_by(3) {
            record.written.extend(record.real.first().cloned());
        }
        let found = real_names(&exchanged);
        assert!(found.attack.share > 0.3 && found.beats_chance(), "{found}");
    }

    #[test]
    fn surrogates_that_avoid_the_names_of_the_record_do_not() {
        let found = real_names(&records(40, true));
        assert!(found.attack.hits == 0 && !found.beats_chance(), "{found}");
    }
}
