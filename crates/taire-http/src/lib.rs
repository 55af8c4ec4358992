//! The HTTP listener shared by the service and the review page: connections, TLS, limits, graceful stop.
//!
//! It knows nothing of documents: a caller hands it a router. No request's content goes to a log or an error.

#![deny(missing_docs)]

mod error;
mod listener;
mod stalled_write;
mod tls;

use std::net::IpAddr;
use std::time::Duration;

use axum::http::HeaderMap;
use axum::http::header::HOST;

pub use error::Error;
pub use listener::{ConnectionEvent, ConnectionObserver, Listener, StopHandle};
pub use tls::TlsFiles;

/// Limits of a listener.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Longest time for a pending write, and for the head of a request.
    pub timeout: Duration,
    /// How long requests in progress may take after a stop.
    pub grace: Duration,
    /// Most connections at once; further clients wait.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { timeout: Duration::from_secs(60), grace: Duration::from_secs(30), connections: 1024 }
    }
}

/// The client's address, an extension of every request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClientAddress(pub IpAddr);

/// Whether a request names `localhost` or a loopback address as its host. A page of another site that was rebound to this
/// machine's address still sends its own name, so services on loopback refuse requests for which this is false.
pub fn host_is_loopback(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(HOST) else { return true };
    let host = host.to_str().unwrap_or_default();
    let name = match host.strip_prefix('[').and_then(|h| h.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_are_local() {
        for (host, local) in [
            ("localhost", true),
            ("LOCALHOST:8047", true),
            ("127.0.0.1:8047", true),
            ("[::1]:8047", true),
            ("evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("10.0.0.4", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().expect("a header value"));
            assert_eq!(host_is_loopback(&headers), local, "{host}");
        }
    }
}
