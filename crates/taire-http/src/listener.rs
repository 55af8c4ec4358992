//! Accepts connections, with or without TLS, drops stalled clients, and shuts down gracefully.

use std::future::{Future, poll_fn};
use std::net::{SocketAddr, TcpListener as StdListener};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use tower_service::Service as _;

use crate::stalled_write::StalledWriteTimeout;
use crate::tls::{self, TlsFiles};
use crate::{ClientAddress, Error, Limits};

/// Longest time to send a request's head, and longest idle time between two requests.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
const HEAD_BYTES: usize = 64 << 10;
/// Pause before accepting again after a failed accept.
const ACCEPT_RETRY: Duration = Duration::from_millis(50);

/// A bound port. Connections are answered once [`Listener::run`] is given a router.
pub struct Listener {
    listener: StdListener,
    address: SocketAddr,
    tls: tls::Tls,
    limits: Limits,
    stop: Arc<watch::Sender<bool>>,
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listener").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Stops a listener: no new connection is accepted, requests in progress may finish.
#[derive(Clone, Debug)]
pub struct StopHandle(Arc<watch::Sender<bool>>);

impl StopHandle {
    /// Requests the stop; returns at once.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

/// Whether a connection was opened or closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectionEvent {
    /// A client was accepted.
    Opened,
    /// The connection ended, for whatever reason.
    Closed,
}

/// Called for every connection event, for example to count open connections.
pub type ConnectionObserver = Arc<dyn Fn(ConnectionEvent) + Send + Sync>;

impl Listener {
    /// Binds the port. Nothing is answered before [`Listener::run`].
    pub fn bind(at: SocketAddr, tls: Option<&TlsFiles>, limits: Limits) -> Result<Self, Error> {
        let tls = tls::load(tls)?;
        let fail = |e: std::io::Error| Error::io(format!("cannot listen at {at}: {}", e.kind()));
        let listener = StdListener::bind(at).map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        Ok(Listener { listener, address, tls, limits, stop: Arc::new(watch::Sender::new(false)) })
    }

    /// The address it is bound to, with the port the system chose.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A handle that stops it from another thread.
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(self.stop.clone())
    }

    /// Answers requests until stopped. `false` if requests were still in progress when the grace time ended.
    pub fn run(self, router: Router) -> Result<bool, Error> {
        self.run_observed(router, Arc::new(|_| ()))
    }

    /// Like [`Listener::run`], and calls `observer` when a connection opens or closes.
    pub fn run_observed(self, router: Router, observer: ConnectionObserver) -> Result<bool, Error> {
        let fail = |e: std::io::Error| Error::io(format!("the service cannot run: {}", e.kind()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(fail)?;
        let done = runtime.block_on(self.serve(router, observer)).map_err(fail)?;
        runtime.shutdown_timeout(Duration::ZERO);
        Ok(done)
    }

    async fn serve(self, router: Router, observer: ConnectionObserver) -> std::io::Result<bool> {
        let listener = TcpListener::from_std(self.listener)?;
        let most = self.limits.connections.clamp(1, Semaphore::MAX_PERMITS >> 3);
        let permits = Arc::new(Semaphore::new(most));
        let mut stop = self.stop.subscribe();
        loop {
            let accepted = {
                let permits = permits.clone();
                let next = async {
                    let permit = permits.acquire_owned().await;
                    (permit, listener.accept().await)
                };
                first(stop_requested(&mut stop), next).await
            };
            let (permit, accepted) = match accepted {
                Either::Left(_) => break,
                Either::Right((Ok(permit), accepted)) => (permit, accepted),
                Either::Right((Err(_), _)) => break,
            };
            // Out of file descriptors, or the client has left: neither stops the listener.
            let Ok((stream, peer)) = accepted else {
                tokio::time::sleep(ACCEPT_RETRY).await;
                continue;
            };
            let (router, tls, limits, stop) = (router.clone(), self.tls.clone(), self.limits, stop.clone());
            let observer = observer.clone();
            tokio::spawn(async move {
                observer(ConnectionEvent::Opened);
                serve_connection(stream, peer, router, tls, limits, stop).await;
                observer(ConnectionEvent::Closed);
                drop(permit);
            });
        }
        drop(listener);
        Ok(timeout(self.limits.grace, permits.acquire_many(most as u32)).await.is_ok())
    }
}

async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    tls: tls::Tls,
    limits: Limits,
    stop: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let head = HEAD_TIMEOUT.min(limits.timeout);
    let stream = StalledWriteTimeout::new(stream, limits.timeout);
    #[cfg(feature = "tls")]
    if let Some(acceptor) = tls {
        if let Ok(Ok(stream)) = timeout(head, acceptor.accept(stream)).await {
            serve_http(stream, peer, router, head, stop).await;
        }
        return;
    }
    #[cfg(not(feature = "tls"))]
    let () = tls;
    serve_http(stream, peer, router, head, stop).await;
}

async fn serve_http<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    peer: SocketAddr,
    router: Router,
    head: Duration,
    mut stop: watch::Receiver<bool>,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ClientAddress(peer.ip()));
        router.clone().call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    if let Either::Left(_) = first(stop_requested(&mut stop), connection.as_mut()).await {
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}

/// Resolves when a stop was requested.
async fn stop_requested(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|s| *s).await;
}

enum Either<A, B> {
    Left(A),
    Right(B),
}

/// The output of the future that resolves first; of `a` if both are ready.
async fn first<A: Future, B: Future>(a: A, b: B) -> Either<A::Output, B::Output> {
    let (mut a, mut b) = (pin!(a), pin!(b));
    poll_fn(|cx| {
        if let Poll::Ready(done) = a.as_mut().poll(cx) {
            return Poll::Ready(Either::Left(done));
        }
        b.as_mut().poll(cx).map(Either::Right)
    })
    .await
}
