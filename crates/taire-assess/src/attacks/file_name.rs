//! Somebody knows one date of a `lettre.txt`, and undoes the dates of another person's `lettre.txt`.
//!
//! Documents that name no patient need a calendar of their own. Where it comes from the file name, two people whose letters have the
//! same name, in two folders or two runs under one key, share it: what undoes one undoes the other. Blind is the same
//! attack on documents that share nothing.

use super::{Moved, Success};
use crate::Share;

/// Days by which a guess may be off: a shared calendar may still bend between two dates.
const NEAR: i32 = 7;

/// Documents of different people that share a file name: a date of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SharedName {
    /// The date that the attacker knows, before and after.
    pub known: Moved,
    /// A date of the other document.
    pub sought: Moved,
}

/// How often the move of one document undoes the other. `strangers` are documents that do not share a name.
pub fn shared_file_name(pairs: &[SharedName], strangers: &[SharedName]) -> Success {
    let undone = |p: &SharedName| {
        (p.known.true_day - p.known.released - (p.sought.true_day - p.sought.released)).abs() <= NEAR
    };
    let chance = Share::of(strangers.iter().map(undone));
    Success { attack: Share::of(pairs.iter().map(undone)), blind: (chance.tries > 0).then_some(chance.share) }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use taire_surrogate::{Rewriter, SecretKey, Settings};

    use super::*;

    /// Pairs of letters whose calendars come from what `scope` makes of the two people.
    fn pairs(scope: impl Fn(usize) -> String) -> Vec<SharedName> {
        let key = SecretKey::from_bytes(&[3; 32]).expect("a key");
        let rewriter = Rewriter::new(key, Settings::default()).expect("a rewriter");
        let moved = |who: usize| {
            let day = date(2019, 1 + (who % 12) as i8, 7);
            let new = rewriter.move_days(&scope(who), &[day])[0].expect("a day");
            let number = |d| date(1900, 1, 1).until(d).expect("a span").get_days();
            Moved { true_day: number(day), released: number(new) }
        };
        (0..200).map(|i| SharedName { known: moved(2 * i), sought: moved(2 * i + 1) }).collect()
    }

    #[test]
    fn a_calendar_by_file_name_is_shared_by_strangers() {
        let strangers = pairs(|who| who.to_string());
        let found = shared_file_name(&pairs(|who| format!("lettre-{}.txt", who / 2)), &strangers);
        assert!(found.attack.share > 0.3 && found.beats_chance(), "{found}");
        assert!(!shared_file_name(&strangers, &strangers).beats_chance());
    }
}
