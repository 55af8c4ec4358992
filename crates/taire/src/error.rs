//! The error of the library: see [`taire_text::Error`].

pub use taire_text::{Error, ErrorKind};
