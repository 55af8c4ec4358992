//! A corpus that cannot be read or compared: see [`taire_text::Error`].

pub use taire_text::Error;
