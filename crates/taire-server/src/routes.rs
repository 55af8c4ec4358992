//! The paths of the API, who may use them, and what is done at each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response};
use axum::routing::{MethodFilter, on};
use serde_json::json;
use taire_http::ClientAddress;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::audit::{Audit, Entry, now};
use crate::body::BodyMemory;
use crate::config::{Config, Limits};
use crate::keys::{KeyRing, Scope, hex};
use crate::metrics::Metrics;
use crate::pool::Pool;
use crate::presidio;
use crate::problem::Problem;
use crate::rate::Rate;
use crate::request::{Ask, Task, unit};
use crate::treat::{JobContext, Offers};
use crate::{Error, OPENAPI};

/// The status, in the audit log and the metrics, of a request whose client left or that a stop cut: nobody was answered.
const CONNECTION_ENDED: u16 = 499;

/// Every path there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Route {
    Detect,
    Deid,
    Batch,
    Policies,
    OpenApi,
    Metrics,
    Health,
    Analyze,
    Anonymize,
    SupportedEntities,
    PresidioHealth,
}

/// What is done with the body of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Treat(Task),
    Analyze,
    Anonymize,
}

impl Call {
    /// The task it counts as.
    fn task(self) -> Task {
        match self {
            Call::Treat(task) => task,
            Call::Analyze => Task::Detect,
            Call::Anonymize => Task::Deid,
        }
    }
}

impl Route {
    pub(crate) const ALL: &'static [Route] = &[
        Route::Detect,
        Route::Deid,
        Route::Batch,
        Route::Policies,
        Route::OpenApi,
        Route::Metrics,
        Route::Health,
        Route::Analyze,
        Route::Anonymize,
        Route::SupportedEntities,
        Route::PresidioHealth,
    ];

    pub(crate) fn path(self) -> &'static str {
        match self {
            Route::Detect => "/v1/detect",
            Route::Deid => "/v1/deid",
            Route::Batch => "/v1/batch",
            Route::Policies => "/v1/policies",
            Route::OpenApi => "/v1/openapi.json",
            Route::Metrics => "/metrics",
            Route::Health => "/healthz",
            Route::Analyze => "/analyze",
            Route::Anonymize => "/anonymize",
            Route::SupportedEntities => "/supportedentities",
            Route::PresidioHealth => "/health",
        }
    }

    pub(crate) fn posts(self) -> bool {
        matches!(self, Route::Detect | Route::Deid | Route::Batch | Route::Analyze | Route::Anonymize)
    }

    /// Query parameters it knows.
    pub(crate) fn query(self) -> &'static [&'static str] {
        match self {
            Route::Detect => &["offsets", "scheme"],
            Route::Deid => &["offsets"],
            Route::Batch => &["task", "offsets", "policy", "lang"],
            Route::SupportedEntities => &["language"],
            Route::Policies
            | Route::OpenApi
            | Route::Metrics
            | Route::Health
            | Route::Analyze
            | Route::Anonymize
            | Route::PresidioHealth => &[],
        }
    }

    /// Whether it answers without a key, and tells nothing but that the service is there.
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Route::OpenApi | Route::Health | Route::PresidioHealth)
    }
}

/// A running service: what every request needs.
pub(crate) struct Service {
    pub(crate) offers: Arc<Offers>,
    pub(crate) pool: Pool,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) audit: Arc<Audit>,
    pub(crate) rate: Option<Rate>,
    pub(crate) limits: Limits,
    pub(crate) batches: Arc<Semaphore>,
    keys: Option<KeyRing>,
    body_memory: BodyMemory,
    /// Whether only who names this machine is answered: pages of other sites cannot then use a browser to ask.
    local_names_only: bool,
    tag: String,
    requests: AtomicU64,
}

/// The audit line of a request in progress. One whose connection ends before its answer is written all the same.
struct PendingLine {
    service: Arc<Service>,
    route: Option<Route>,
    entry: Entry,
    begun: Instant,
    done: bool,
}

impl Drop for PendingLine {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        self.entry.status = CONNECTION_ENDED;
        self.entry.error = Some("cut");
        self.entry.ms = self.begun.elapsed().as_millis() as u64;
        self.service.audit.write(&self.entry);
        self.service.metrics.request(self.route, CONNECTION_ENDED, self.begun.elapsed());
    }
}

/// Who asks.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The name of the key.
    pub(crate) name: Option<String>,
    /// What limits are counted by.
    pub(crate) share: String,
}

impl Service {
    pub(crate) fn new(config: &Config) -> Result<Self, Error> {
        config.check()?;
        let mut tag = [0u8; 6];
        getrandom::fill(&mut tag).map_err(|_| Error::io("the system gives no random bytes; try again"))?;
        Ok(Service {
            offers: Arc::new(Offers::new(
                &config.policies,
                config.key.clone(),
                config.tables,
                config.refuse_below,
            )?),
            pool: Pool::new(config.jobs)?,
            metrics: Arc::new(Metrics::new()),
            audit: Arc::new(Audit::open(config.audit.as_deref())?),
            rate: config.limits.rate.map(Rate::new),
            limits: config.limits,
            batches: Arc::new(Semaphore::new(config.limits.batches)),
            keys: config.api_keys.as_deref().map(KeyRing::open).transpose()?,
            body_memory: BodyMemory::new(config.limits.document_bytes),
            local_names_only: config.api_keys.is_none() && config.host.is_loopback(),
            tag: hex(&tag),
            requests: AtomicU64::new(0),
        })
    }

    async fn handle(self: Arc<Self>, route: Option<Route>, request: Request) -> Response<Body> {
        let begun = Instant::now();
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let peer = request.extensions().get::<ClientAddress>().map(|p| p.0.to_string()).unwrap_or_default();
        let entry = Entry {
            time: now(),
            request: format!("{}-{number}", self.tag),
            from: peer,
            route: route.map_or("other", Route::path),
            ..Entry::default()
        };
        let mut line = PendingLine { service: self.clone(), route, entry, begun, done: false };
        let answered = self.answer(route, request, &mut line.entry).await;
        let mut response = answered.unwrap_or_else(|problem| {
            line.entry.error = Some(problem.code());
            problem.response()
        });
        line.entry.status = response.status().as_u16();
        line.entry.ms = begun.elapsed().as_millis() as u64;
        line.done = true;
        let not_audited = route.is_some_and(Route::is_open) && line.entry.status == 200;
        if !not_audited && !self.audit.write(&line.entry) {
            response = Problem::NoAudit.response();
        }
        self.metrics.request(route, response.status().as_u16(), begun.elapsed());
        let headers = response.headers_mut();
        if let Ok(id) = HeaderValue::from_str(&line.entry.request) {
            headers.insert(HeaderName::from_static("x-request-id"), id);
        }
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    async fn answer(
        self: &Arc<Self>,
        route: Option<Route>,
        request: Request,
        entry: &mut Entry,
    ) -> Result<Response<Body>, Problem> {
        self.check_host(request.headers())?;
        let route = route.ok_or(Problem::NoSuchPath)?;
        let caller = if route.is_open() { None } else { Some(self.caller(&request)?) };
        entry.caller = caller.as_ref().and_then(|c| c.name.clone());
        let wrong_method = request.method() != "POST" && route.posts()
            || request.method() != "GET" && request.method() != "HEAD" && !route.posts();
        if wrong_method {
            return Err(Problem::NoSuchMethod(if route.posts() { "POST" } else { "GET, HEAD" }));
        }
        let mut ask = Ask::parse(request.uri().query(), route.query())?;
        match (route, caller) {
            (Route::Detect, Some(caller)) => {
                self.one(Call::Treat(Task::Detect), &ask, &caller, request, entry).await
            }
            (Route::Deid, Some(caller)) => {
                self.one(Call::Treat(Task::Deid), &ask, &caller, request, entry).await
            }
            (Route::Analyze, Some(caller)) => self.one(Call::Analyze, &ask, &caller, request, entry).await,
            (Route::Anonymize, Some(caller)) => {
                self.one(Call::Anonymize, &ask, &caller, request, entry).await
            }
            (Route::SupportedEntities, Some(_)) => {
                Ok(json_response(json!(presidio::supported()).to_string().into_bytes()))
            }
            (Route::PresidioHealth, _) => Ok(response("text/plain; charset=utf-8", "Taire is up")),
            (Route::Batch, Some(caller)) => {
                let task = *ask.task.get_or_insert(Task::Deid);
                if let Some(policy) = &ask.policy {
                    self.offers.find(policy)?;
                }
                self.check_scope(&caller, task.scope())?;
                check_type(request.headers(), &["application/x-ndjson", "application/jsonl"])?;
                crate::batch::answer(self, task, ask, caller, request, entry).await
            }
            (Route::Policies, Some(_)) => Ok(json_response(self.policies())),
            (Route::Metrics, Some(caller)) => {
                self.check_scope(&caller, Scope::Metrics)?;
                let page = self.metrics.print(self.pool.waiting());
                Ok(response("text/plain; version=0.0.4; charset=utf-8", page.into_bytes()))
            }
            (Route::Health, _) => {
                let ok = json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")});
                Ok(json_response(ok.to_string().into_bytes()))
            }
            (Route::OpenApi, _) => Ok(json_response(OPENAPI.as_bytes().to_vec())),
            (_, None) => Err(Problem::NoKey),
        }
    }

    async fn one(
        &self,
        call: Call,
        ask: &Ask,
        caller: &Caller,
        request: Request,
        entry: &mut Entry,
    ) -> Result<Response<Body>, Problem> {
        let task = call.task();
        entry.task = Some(task.name());
        self.check_scope(caller, task.scope())?;
        check_type(request.headers(), &["application/json"])?;
        if let Some(rate) = &self.rate {
            rate.take(&caller.share, Instant::now())
                .map_err(|wait| Problem::TooMany { seconds: wait.as_secs_f64().ceil() as u64 })?;
        }
        let (parts, body) = request.into_parts();
        let whole = self.body_memory.read(&parts.headers, body, self.limits.timeout).await?;
        let bytes = whole.bytes.len();
        entry.bytes = bytes as u64;
        let (offers, asked, caller) = (self.offers.clone(), ask.clone(), caller.clone());
        let work = self.pool.submit(bytes, move |cancel| match call {
            Call::Treat(task) => {
                offers.treat(&whole.bytes, task, &asked, JobContext { caller: &caller, cancel })
            }
            Call::Analyze => presidio::analyze(&offers, &whole.bytes, cancel),
            Call::Anonymize => presidio::anonymize(&offers.key_of(&caller)?, &whole.bytes),
        })?;
        let time = self.limits.timeout.saturating_mul(1 + (bytes >> 20) as u32);
        let done = match timeout(time, work).await {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => Err(Problem::Fault),
            Err(_) => Err(Problem::TooSlow),
        };
        self.metrics.document(task, bytes, done.as_ref().ok().map(|a| &a.spans[..]));
        entry.documents = 1;
        entry.refused = u64::from(done.is_err());
        let answer = done?;
        entry.spans = answer.spans.iter().map(|n| u64::from(*n)).sum();
        entry.names_of_patient = answer.names_of_patient;
        entry.policy = answer.policy.map(|policy| self.offers.name(policy).to_owned());
        let mut response = json_response(answer.json);
        state_unit(&mut response, ask);
        Ok(response)
    }

    fn check_host(&self, headers: &HeaderMap) -> Result<(), Problem> {
        if self.local_names_only && !taire_http::host_is_loopback(headers) {
            Err(Problem::WrongHost)
        } else {
            Ok(())
        }
    }

    fn caller(&self, request: &Request) -> Result<Caller, Problem> {
        let peer =
            || request.extensions().get::<ClientAddress>().map(|p| p.0.to_string()).unwrap_or_default();
        let Some(ring) = &self.keys else { return Ok(Caller { name: None, share: peer() }) };
        let sent = request.headers().get(AUTHORIZATION).and_then(|v| v.to_str().ok()).unwrap_or_default();
        let key = match sent.split_once(' ') {
            Some((kind, key)) if kind.eq_ignore_ascii_case("bearer") => key.trim(),
            _ => return Err(Problem::NoKey),
        };
        let keys = ring.keys();
        let found = keys.find(key).ok_or(Problem::NoKey)?;
        Ok(Caller { name: Some(found.name.clone()), share: found.name.clone() })
    }

    fn check_scope(&self, caller: &Caller, scope: Scope) -> Result<(), Problem> {
        let (Some(ring), Some(name)) = (&self.keys, &caller.name) else { return Ok(()) };
        let keys = ring.keys();
        let has = keys.iter().any(|k| k.name == *name && k.scopes.contains(&scope));
        if has { Ok(()) } else { Err(Problem::Scope(scope)) }
    }

    fn policies(&self) -> Vec<u8> {
        let offers: Vec<_> = self
            .offers
            .iter()
            .map(|o| json!({"name": o.name, "description": o.description, "language": o.language}))
            .collect();
        let default = self.offers.default().map(|o| &o.name);
        json!({"policies": offers, "default": default}).to_string().into_bytes()
    }

    /// Waits for one document's share of the caller's rate.
    pub(crate) async fn pace(&self, caller: &Caller) {
        let Some(rate) = &self.rate else { return };
        while let Err(wait) = rate.take(&caller.share, Instant::now()) {
            tokio::time::sleep(wait.max(Duration::from_millis(1))).await;
        }
    }
}

fn check_type(headers: &HeaderMap, accepted: &[&str]) -> Result<(), Problem> {
    let sent = headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let sent = sent.split(';').next().unwrap_or_default().trim();
    if accepted.iter().any(|t| t.eq_ignore_ascii_case(sent)) { Ok(()) } else { Err(Problem::MediaType) }
}

/// Says in a header what offsets count.
pub(crate) fn state_unit(response: &mut Response<Body>, ask: &Ask) {
    let unit = HeaderValue::from_static(unit(ask.offsets));
    response.headers_mut().insert(HeaderName::from_static("taire-offsets"), unit);
}

pub(crate) fn response(kind: &'static str, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn json_response(body: Vec<u8>) -> Response<Body> {
    response("application/json", body)
}

/// All routes over one service.
pub(crate) fn app(service: Arc<Service>) -> Router {
    let known = |request: &Request| Route::ALL.iter().copied().find(|r| r.path() == request.uri().path());
    let other = move |State(service): State<Arc<Service>>, request: Request| {
        let route = known(&request);
        service.handle(route, request)
    };
    let mut router = Router::new();
    for &route in Route::ALL {
        let method = if route.posts() { MethodFilter::POST } else { MethodFilter::GET };
        let handler =
            move |State(service): State<Arc<Service>>, request: Request| service.handle(Some(route), request);
        router = router.route(route.path(), on(method, handler));
    }
    router.method_not_allowed_fallback(other).fallback(other).with_state(service)
}
