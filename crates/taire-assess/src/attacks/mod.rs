//! Attacks that are run, not argued.
//!
//! Each takes what the attacker holds, does what the attacker would do, and counts how often it comes out right. What
//! blind guessing gives is reported with it, since a success no better than that is no success.

mod averaging;
mod initials;
mod known_date;
mod known_intervals;
mod known_number;
mod linkage;
mod register;

pub use averaging::{Averaged, averaging};
pub use initials::{Initial, initials};
pub use known_date::{Inverse, Moved, known_date};
pub use known_intervals::known_intervals;
pub use known_number::{Victim, known_number};
pub use linkage::{Released, linkage};
pub use register::{Person, register};

use std::fmt;

use serde::Serialize;

use crate::Share;

/// How an attack went.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Success {
    /// How often it succeeded.
    pub attack: Share,
    /// What somebody reaches who looks at nothing, or `None` where there is nothing to guess.
    pub blind: Option<f64>,
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
