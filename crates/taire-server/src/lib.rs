//! `taire serve`: the HTTP API.
//!
//! One thread talks to clients; documents are treated on threads of their own, heavy ones apart (`pool`). A request goes
//! through `taire_http` (connections, TLS, slow clients), `routes` (who may do what, limits, audit, metrics), `request` (what
//! was asked), and `treat`, which calls the same engine as the command line. `batch` streams many documents both ways.
//!
//! No document's text, id or patient goes to a log, a metric or an error.

mod audit;
mod batch;
mod body;
mod config;
mod error;
mod keys;
mod metrics;
mod names_asked;
mod pool;
mod presidio;
mod problem;
mod rate;
mod request;
mod routes;
mod server;
mod treat;

pub use config::{Config, Limits};
pub use error::Error;
pub use keys::{ApiKey, ApiKeys, Scope};
pub use server::Server;
pub use taire_http::{StopHandle, TlsFiles};
pub use treat::SurrogateTables;

/// The description of the API, as `/v1/openapi.json` gives it.
pub const OPENAPI: &str = include_str!("openapi.json");
