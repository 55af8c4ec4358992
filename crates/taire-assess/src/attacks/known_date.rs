//! Somebody knows one true date of a patient and its surrogate in the released record, and wants the others.
//!
//! The best guess without more is that all moved alike. Who knows the policy can do better against a calendar without
//! noise: `blur` is public but for its offset, so one date undoes it as it undoes `shift`.

use super::Success;
use crate::Share;

/// A day of a record, before and after, both counted from any one day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    /// The true date, as a day number.
    pub true_day: i32,
    /// The date in the release.
    pub released: i32,
}

/// What the attacker makes of the calendar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inverse {
    /// All days moved by the same number.
    Constant,
    /// One day more for every so many days back from the anchor.
    Blur {
        /// Days.
        every: i32,
        /// The anchor, as a day number.
        anchor: i32,
    },
}

impl Inverse {
    /// The true day of `released`, knowing one moved day.
    fn guess(self, known: Moved, released: i32) -> i32 {
        match self {
            Inverse::Constant => released + known.true_day - known.released,
            Inverse::Blur { every, anchor } => {
                let extra = |day: i32| (anchor - day).div_euclid(every.max(1));
                let offset = known.true_day - known.released - extra(known.true_day);
                let mut day = released + offset;
                // The calendar is monotone: each round brings the day nearer until it maps onto the released one.
                for _ in 0..200 {
                    let off = released - (day - offset - extra(day));
                    if off == 0 {
                        break;
                    }
                    day += off;
                }
                day
            }
        }
    }
}

/// For every record with two days or more, each day in turn is the known one and the others are guessed, to within
/// `tolerance` days.
pub fn known_date(records: &[Vec<Moved>], inverse: Inverse, tolerance: i32) -> Success {
    let (mut hits, mut tries) = (0, 0);
    for record in records {
        for (i, &known) in record.iter().enumerate() {
            let others = record.iter().enumerate().filter(|(j, m)| *j != i && m.true_day != known.true_day);
            for (_, other) in others {
                tries += 1;
                let off = inverse.guess(known, other.released) - other.true_day;
                hits += u64::from(off.abs() <= tolerance);
            }
        }
    }
    Success { attack: Share::new(hits, tries), blind: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(calendar: impl Fn(i32) -> i32) -> Vec<Vec<Moved>> {
        let days = [100, 107, 400, 401, 3000, 9000];
        vec![days.map(|true_day| Moved { true_day, released: calendar(true_day) }).to_vec()]
    }

    #[test]
    fn a_shift_is_undone_by_one_date() {
        let found = known_date(&record(|d| d - 512), Inverse::Constant, 0);
        assert_eq!(found.attack.share, 1.0);
    }

    #[test]
    fn a_blur_is_undone_by_who_knows_the_policy() {
        let blur = |d: i32| d - 512 - (10_000 - d).div_euclid(30);
        assert!(known_date(&record(blur), Inverse::Constant, 0).attack.share < 0.2);
        let informed = known_date(&record(blur), Inverse::Blur { every: 30, anchor: 10_000 }, 0);
        assert_eq!(informed.attack.share, 1.0);
    }
}
