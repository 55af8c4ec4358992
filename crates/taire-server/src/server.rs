//! The service: its routes behind a listener.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use taire_http::{ConnectionEvent, ConnectionObserver, Listener, StopHandle};

use crate::routes::{Service, app};
use crate::{Config, Error};

/// The HTTP API, bound to its port.
pub struct Server {
    listener: Listener,
    service: Arc<Service>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.listener.address()).finish_non_exhaustive()
    }
}

impl Server {
    /// Builds policies, opens files and binds the port. Nothing is answered before [`Server::run`].
    pub fn bind(config: &Config) -> Result<Self, Error> {
        let service = Arc::new(Service::new(config)?);
        let at = SocketAddr::new(config.host, config.port);
        Ok(Server { listener: Listener::bind(at, config.tls.as_ref(), config.limits.listener())?, service })
    }

    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// Why shipped policies are not offered: their model is missing.
    pub fn not_offered(&self) -> impl Iterator<Item = &str> {
        self.service.offers.absent()
    }

    pub fn stop_handle(&self) -> StopHandle {
        self.listener.stop_handle()
    }

    /// Answers requests until stopped. `false` if requests were still in progress when the grace time ended.
    pub fn run(self) -> Result<bool, Error> {
        let metrics = self.service.metrics.clone();
        let observer: ConnectionObserver = Arc::new(move |event| {
            let count = &metrics.connections;
            match event {
                ConnectionEvent::Opened => count.fetch_add(1, Ordering::Relaxed),
                ConnectionEvent::Closed => count.fetch_sub(1, Ordering::Relaxed),
            };
        });
        self.listener.run_observed(app(self.service), observer)
    }
}
