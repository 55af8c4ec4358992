//! An attacker receives every corrected version of a letter and averages the noise of the versions.
//!
//! The attacker holds the releases of one letter before and after small corrections, all under one key and policy. Where noise
//! depends on how many dates a letter holds, every correction is another sample of the same birth date. The corrections are made
//! here: a date is added to the letter, and it is rewritten. The baseline is the first version alone.

use super::{Success, intervals_within_release};

/// For each letter, the error in days of one interval in every version, the uncorrected one first. The attack succeeds
/// when the median of these errors is zero.
pub fn corrected(letters: &[Vec<i32>]) -> Success {
    intervals_within_release(letters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taire_text::SplitMix64;

    #[test]
    fn a_letter_drawn_anew_at_each_correction_averages_out() {
        let mut draw = SplitMix64::new(9);
        let noise = |draw: &mut SplitMix64| draw.below(4) as i32 + draw.below(4) as i32 - 3;
        let letters: Vec<Vec<i32>> = (0..300).map(|_| (0..15).map(|_| noise(&mut draw)).collect()).collect();
        let found = corrected(&letters);
        assert!(found.attack.share > 0.5 && found.beats_chance(), "{found}");
    }

    #[test]
    fn a_letter_that_keeps_what_was_not_corrected_gives_nothing_more() {
        let letters: Vec<Vec<i32>> = (0..300).map(|i| vec![i % 5 - 2; 15]).collect();
        let found = corrected(&letters);
        assert!(!found.beats_chance() && found.attack.share == 0.2, "{found}");
    }
}
