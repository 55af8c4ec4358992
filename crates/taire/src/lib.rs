//! Taire as a library: a [`Policy`] says what to find and what to write, a [`Pipeline`] does it to one document,
//! [`batch`] to many, and a [`Report`] tells what was done.
//!
//! The command line, the service and the bindings all call this crate; there is no second path.

pub mod batch;
mod doubt;
mod error;
mod given;
pub mod journal;
mod pipeline;
mod policy;
mod records;
mod report;
mod spans;
pub mod training;
mod words;

pub use doubt::{Doubt, Findings};
pub use error::Error;
pub use pipeline::{Deidentified, Engine, Pipeline, Written, text_id};
pub use policy::{Policy, SHIPPED, TrustedScope};
pub use records::Records;
pub use report::{Doubtful, Refused, Report, Spent};
pub use spans::found_spans;
pub use taire_detect::{Judgement, Judgements, TrustedRecord, WordEntry, WordList};
pub use taire_surrogate::{Loss, SecretKey, Unit};
pub use words::UnjudgedWords;
