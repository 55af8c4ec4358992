//! The error of detectors: see [`taire_text::PolicyError`].

pub use taire_text::PolicyError as Error;
