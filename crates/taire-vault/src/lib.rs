//! The reversible vault: which original each surrogate stands for, for those who hold the vault's own key.
//!
//! Off unless asked for: surrogates need no table, and losing the vault loses only the originals. A vault is
//! one SQLite file. Each entry is sealed under a subkey of the vault key (XChaCha20-Poly1305, a random nonce each) and
//! bound to its place in the file; it is found by a keyed hash of its surrogate. Without the key the file shows how many
//! entries it holds, about how long each is, and how many share a surrogate; not which surrogates, and no original.
//!
//! Threads seal ([`Sealer`]), one writer adds ([`Vault::add`]). [`Vault::reveal`] writes an audit line first.

mod audit;
mod error;
mod seal;
mod store;

pub use audit::AuditLine;
pub use error::Error;
pub use seal::{Entry, Sealed, Sealer};
pub use store::{Revealed, Vault};
