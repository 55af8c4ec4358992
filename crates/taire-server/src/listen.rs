//! Connections: accepting them, TLS, clients that are slow, and a stop that lets what is under way end.

use std::future::{Future, poll_fn};
use std::net::{SocketAddr, TcpListener as StdListener};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
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

use crate::Error;
use crate::config::{Config, Limits, TlsFiles};
use crate::routes::{Peer, Service, app};
use crate::stall::Stall;

/// For the head of a request, and between two requests.
const HEAD_TIME: Duration = Duration::from_secs(30);
const HEAD_BYTES: usize = 64 << 10;
const AGAIN: Duration = Duration::from_millis(50);

/// A port that is taken, and the router that answers there.
pub struct Front {
    listener: StdListener,
    address: SocketAddr,
    tls: tls::Tls,
    limits: Limits,
    stop: Arc<watch::Sender<bool>>,
}

impl std::fmt::Debug for Front {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Front").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Ends a service: no new connection, what is under way may end.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<watch::Sender<bool>>);

impl Stopper {
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

/// Told of each connection: `true` when it begins, `false` when it has ended.
type Watcher = Arc<dyn Fn(bool) + Send + Sync>;

impl Front {
    /// Takes the port. Nothing is answered before [`Front::run`].
    pub fn bind(at: SocketAddr, tls: Option<&TlsFiles>, limits: Limits) -> Result<Self, Error> {
        let tls = tls::load(tls)?;
        let fail = |e: std::io::Error| Error::new(format!("cannot listen at {at}: {}", e.kind()));
        let listener = StdListener::bind(at).map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        Ok(Front { listener, address, tls, limits, stop: Arc::new(watch::Sender::new(false)) })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Answers until it is stopped. `false` if requests were still under way when the time for them was over.
    pub fn run(self, router: Router) -> Result<bool, Error> {
        self.run_watched(router, Arc::new(|_| ()))
    }

    fn run_watched(self, router: Router, watch: Watcher) -> Result<bool, Error> {
        let fail = |e: std::io::Error| Error::new(format!("the service cannot run: {}", e.kind()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(fail)?;
        let done = runtime.block_on(self.serve(router, watch)).map_err(fail)?;
        runtime.shutdown_timeout(Duration::ZERO);
        Ok(done)
    }

    async fn serve(self, router: Router, watch: Watcher) -> std::io::Result<bool> {
        let listener = TcpListener::from_std(self.listener)?;
        let most = self.limits.connections.clamp(1, Semaphore::MAX_PERMITS >> 3);
        let room = Arc::new(Semaphore::new(most));
        let mut stop = self.stop.subscribe();
        loop {
            let accepted = {
                let room = room.clone();
                let next = async {
                    let permit = room.acquire_owned().await;
                    (permit, listener.accept().await)
                };
                first(asked(&mut stop), next).await
            };
            let (permit, accepted) = match accepted {
                Either::Left(_) => break,
                Either::Right((Ok(permit), accepted)) => (permit, accepted),
                Either::Right((Err(_), _)) => break,
            };
            // Out of file descriptors, or gone already: neither ends the service.
            let Ok((stream, peer)) = accepted else {
                tokio::time::sleep(AGAIN).await;
                continue;
            };
            let (router, tls, limits, stop) = (router.clone(), self.tls.clone(), self.limits, stop.clone());
            let watch = watch.clone();
            tokio::spawn(async move {
                watch(true);
                connection(stream, peer, router, tls, limits, stop).await;
                watch(false);
                drop(permit);
            });
        }
        drop(listener);
        Ok(timeout(self.limits.grace, room.acquire_many(most as u32)).await.is_ok())
    }
}

/// The HTTP API, listening.
pub struct Server {
    front: Front,
    service: Arc<Service>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.front.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Builds policies, opens files and takes the port. Nothing is answered before [`Server::run`].
    pub fn bind(config: &Config) -> Result<Self, Error> {
        let service = Arc::new(Service::new(config)?);
        let at = SocketAddr::new(config.host, config.port);
        Ok(Server { front: Front::bind(at, config.tls.as_ref(), config.limits)?, service })
    }

    pub fn address(&self) -> SocketAddr {
        self.front.address()
    }

    /// What keeps shipped policies from being offered, to be said once: a model that is not there.
    pub fn not_offered(&self) -> impl Iterator<Item = &str> {
        self.service.offers.absent()
    }

    pub fn stopper(&self) -> Stopper {
        self.front.stopper()
    }

    /// Answers until it is stopped. `false` if requests were still under way when the time for them was over.
    pub fn run(self) -> Result<bool, Error> {
        let metrics = self.service.metrics.clone();
        let watch: Watcher = Arc::new(move |begins| {
            let count = &metrics.connections;
            match begins {
                true => count.fetch_add(1, Ordering::Relaxed),
                false => count.fetch_sub(1, Ordering::Relaxed),
            };
        });
        self.front.run_watched(app(self.service), watch)
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    tls: tls::Tls,
    limits: Limits,
    stop: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let head = HEAD_TIME.min(limits.timeout);
    let stream = Stall::new(stream, limits.timeout);
    #[cfg(feature = "tls")]
    if let Some(acceptor) = tls {
        if let Ok(Ok(stream)) = timeout(head, acceptor.accept(stream)).await {
            speak(stream, peer, router, head, stop).await;
        }
        return;
    }
    #[cfg(not(feature = "tls"))]
    let () = tls;
    speak(stream, peer, router, head, stop).await;
}

async fn speak<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    peer: SocketAddr,
    router: Router,
    head: Duration,
    mut stop: watch::Receiver<bool>,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(peer.ip()));
        router.clone().call(request)
    });
    let speaking = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut speaking = pin!(speaking);
    if let Either::Left(_) = first(asked(&mut stop), speaking.as_mut()).await {
        speaking.as_mut().graceful_shutdown();
        let _ = speaking.await;
    }
}

/// Ends when the service shall.
async fn asked(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|s| *s).await;
}

enum Either<A, B> {
    Left(A),
    Right(B),
}

/// Whichever ends first; the first of the two if both have.
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

#[cfg(not(feature = "tls"))]
mod tls {
    use crate::{Error, TlsFiles};

    pub(crate) type Tls = ();

    pub(crate) fn load(files: Option<&TlsFiles>) -> Result<Tls, Error> {
        match files {
            None => Ok(()),
            Some(_) => Err(Error::new("this binary was built without TLS; build it with --features tls")),
        }
    }
}

#[cfg(feature = "tls")]
mod tls {
    use std::path::Path;
    use std::sync::Arc;

    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::crypto::ring;
    use tokio_rustls::rustls::pki_types::pem::PemObject;
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

    use crate::{Error, TlsFiles};

    pub(crate) type Tls = Option<TlsAcceptor>;

    pub(crate) fn load(files: Option<&TlsFiles>) -> Result<Tls, Error> {
        let Some(TlsFiles { certificates, key }) = files else { return Ok(None) };
        check_mode(key)?;
        let bad = |path: &Path| Error::new(format!("{} holds no PEM that can be read", path.display()));
        let chain = CertificateDer::pem_file_iter(certificates)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|_| bad(certificates))?;
        let secret = PrivateKeyDer::from_pem_file(key).map_err(|_| bad(key))?;
        let wrong = |e| Error::new(format!("certificate and key cannot be used: {e}"));
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(wrong)?
            .with_no_client_auth()
            .with_single_cert(chain, secret)
            .map_err(wrong)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Some(TlsAcceptor::from(Arc::new(config))))
    }

    /// A private key that everybody may read is none.
    fn check_mode(path: &Path) -> Result<(), Error> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(path).map(|m| m.permissions().mode()).unwrap_or(0);
            if mode & 0o007 != 0 {
                let shown = path.display();
                return Err(Error::new(format!(
                    "TLS key {shown} has mode {:03o}; everybody may read it: run `chmod 640 {shown}`",
                    mode & 0o777
                )));
            }
        }
        #[cfg(not(unix))]
        let _ = path;
        Ok(())
    }
}
