//! What an attacker can still do with released documents.
//!
//! Plain measures over plain data, so that text and generated hospitals feed the same code: [`uniqueness`] of
//! interval sequences, [`anonymity`] over quasi-identifiers, what detection probably [`missed`], and [`attacks`] that
//! are really run, each with a success rate, its interval, and what blind guessing would give. Each attack has a test
//! in which it succeeds on a deliberately weak setting.

pub mod anonymity;
pub mod attacks;
pub mod missed;
mod share;
pub mod uniqueness;

pub use share::{Draw, Share};
