//! Why a listener could not start or run: see [`taire_text::Error`].

pub use taire_text::Error;
