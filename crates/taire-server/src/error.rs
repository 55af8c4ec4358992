//! What keeps the service from starting, or a key file from being used: see [`taire::Error`].

pub use taire::Error;
