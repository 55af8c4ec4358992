//! The error of rewriting: see [`taire_text::PolicyError`].

pub use taire_text::PolicyError as Error;
