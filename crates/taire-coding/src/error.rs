//! A table or a coder that cannot be read, or cases that cannot be learned from: see [`taire_text::Error`].

pub use taire_text::Error;
