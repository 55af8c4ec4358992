//! What the operator decides.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use taire::SecretKey;
use taire_http::TlsFiles;

use crate::{Error, SurrogateTables};

/// Everything a service is started with.
#[derive(Clone, Debug)]
pub struct Config {
    pub host: IpAddr,
    /// 0 for any that is free.
    pub port: u16,
    /// Policies on offer, the first for requests that name none; empty for all that ship, each document by the one of
    /// its language.
    pub policies: Vec<String>,
    /// What surrogates are drawn from.
    pub key: SecretKey,
    /// Whether callers see the surrogates of `taire deid` under that key.
    pub tables: SurrogateTables,
    /// Documents less sure than this are refused.
    pub refuse_below: Option<f32>,
    /// The file of API keys; without one, everybody who reaches the service may use it.
    pub api_keys: Option<PathBuf>,
    pub tls: Option<TlsFiles>,
    pub audit: Option<PathBuf>,
    /// Threads for ordinary notes.
    pub jobs: usize,
    pub limits: Limits,
    /// Listen beyond this machine without TLS: something before it has it.
    pub plain_http: bool,
    /// Listen beyond this machine without keys.
    pub no_keys: bool,
}

/// Bounds on what clients may ask for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// Bytes of a request, or of one line of a batch.
    pub document_bytes: usize,
    /// Documents a second of one caller.
    pub rate: Option<u32>,
    /// For sending a request, for treating each MB of it, and for each pause of a batch.
    pub timeout: Duration,
    /// From a stop to the end of the service; requests under way have four fifths of it.
    pub grace: Duration,
    pub connections: usize,
    pub batches: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            document_bytes: 32 << 20,
            rate: None,
            timeout: Duration::from_secs(60),
            grace: Duration::from_secs(30),
            connections: 1024,
            batches: 16,
        }
    }
}

impl Limits {
    pub(crate) fn listener(&self) -> taire_http::Limits {
        // What is left is for cancelling work and for the last lines of the audit log.
        let grace = self.grace - self.grace / 5;
        taire_http::Limits { timeout: self.timeout, grace, connections: self.connections }
    }
}

impl Config {
    /// Loopback, no keys, the usual limits.
    pub fn new(key: SecretKey) -> Self {
        Config {
            host: IpAddr::from([127, 0, 0, 1]),
            port: 0,
            policies: Vec::new(),
            key,
            tables: SurrogateTables::PerCaller,
            refuse_below: None,
            api_keys: None,
            tls: None,
            audit: None,
            jobs: 1,
            limits: Limits::default(),
            plain_http: false,
            no_keys: false,
        }
    }

    /// Refuses to be open to a network by mistake.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.host.is_loopback() {
            return Ok(());
        }
        if self.api_keys.is_none() && !self.no_keys {
            return Err(Error::usage(format!(
                "{} is open to other machines and there are no API keys; give --api-keys FILE, or --no-keys if all who \
                 reach it may use it",
                self.host
            )));
        }
        if self.tls.is_none() && !self.plain_http {
            return Err(Error::usage(format!(
                "{} is open to other machines and there is no TLS; give --tls-cert and --tls-key, or --plain-http if \
                 something before it encrypts",
                self.host
            )));
        }
        Ok(())
    }
}
