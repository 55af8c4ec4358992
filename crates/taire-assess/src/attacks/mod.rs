//! Attacks that are run, not argued.
//!
//! Each takes what the attacker holds, does what the attacker would do, and counts how often it comes out right. What
//! blind guessing gives is reported with it, since a success no better than that is no success.

mod averaging;
mod correction;
mod exclusion;
mod file_name;
mod inference;
mod initials;
mod joined;
mod known_date;
mod known_intervals;
mod known_number;
mod linkage;
mod old_age;
mod real_name;
mod register;
mod same_key;
mod season;
mod within_release;

pub use averaging::{Averaged, averaging};
pub use correction::corrected;
pub use exclusion::{Constant, exclusion};
pub use file_name::{SharedName, shared_file_name};
pub use inference::{Attribute, AttributeValue, Inference, RegisterPerson, inference};
pub use initials::{Initial, initials};
pub use joined::{Timelines, joined};
pub use known_date::{Inverse, Moved, known_date};
pub use known_intervals::known_intervals;
pub use known_number::{Victim, known_number};
pub use linkage::{Released, linkage};
pub use old_age::{OldPerson, old_ages};
pub use real_name::{NamesOfRecord, real_names};
pub use register::{Person, register};
pub use same_key::{TwoSurrogates, same_key};
pub use season::{MovedMonth, Season, season};
pub use within_release::{TownLetters, intervals_within_release, town_within_release};

use std::fmt;

use serde::Serialize;

use crate::Share;

/// How an attack went.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Success {
    /// How often it succeeded.
    pub attack: Share,
    /// How often a guess without the release succeeds; `None` where there is nothing to guess.
    pub blind: Option<f64>,
}

impl Success {
    /// Whether it succeeds more often than blind guessing: the lower end of its 95 % interval lies above.
    pub fn beats_chance(&self) -> bool {
        self.attack.tries > 0 && self.attack.low > self.blind.unwrap_or(0.0)
    }
}

impl fmt::Display for Success {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.attack)?;
        match self.blind {
            Some(blind) if self.attack.tries > 0 => write!(f, "; blind {:.1} %", 100.0 * blind),
            _ => Ok(()),
        }
    }
}
