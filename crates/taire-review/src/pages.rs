//! Who is answered, and with what: the page's own files, and its calls.
//!
//! Other pages in the same browser can send requests here; none is answered. A request must ask for this machine by its own
//! name, must not come from another origin, and a call must bring the token of this run, which only who saw the printed
//! address has. The token travels behind `#`, which browsers send nowhere, and is kept by the tab, not in a cookie: cookies
//! go to every port of the machine.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use serde_json::json;
use taire_http::host_is_loopback;

use crate::app::App;
use crate::calls::{Answer, call};
use crate::problem::Problem;

/// A correction is small; the largest request is a settled document.
const MOST_BYTES: usize = 16 << 20;

const POLICY: &str = "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; \
                      form-action 'none'; require-trusted-types-for 'script'";

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! assets {
    ($($path:literal, $file:literal, $kind:expr;)+) => {
        &[$(($path, include_str!(concat!("../assets/", $file)), $kind)),+]
    };
}

/// Everything the page is made of.
const ASSETS: &[(&str, &str, &str)] = assets! {
    "/", "index.html", HTML;
    "/style.css", "style.css", CSS;
    "/icon.svg", "icon.svg", SVG;
    "/app.js", "app.js", JS;
    "/api.js", "api.js", JS;
    "/dom.js", "dom.js", JS;
    "/say.js", "say.js", JS;
    "/list.js", "list.js", JS;
    "/text.js", "text.js", JS;
    "/editor.js", "editor.js", JS;
    "/dialogs.js", "dialogs.js", JS;
    "/compare.js", "compare.js", JS;
    "/agreement.js", "agreement.js", JS;
    "/words.js", "words.js", JS;
    "/results.js", "results.js", JS;
    "/why.js", "why.js", JS;
    "/words-fr.js", "words-fr.js", JS;
    "/words-es.js", "words-es.js", JS;
    "/words-en.js", "words-en.js", JS;
};

pub(crate) fn router(app: Arc<App>) -> Router {
    Router::new().fallback(handle).with_state(app)
}

async fn handle(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let mut response = answer(app, request).await.unwrap_or_else(|problem| refuse(&problem));
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn answer(app: Arc<App>, request: Request) -> Result<Response<Body>, Problem> {
    let (parts, body) = request.into_parts();
    if !host_is_loopback(&parts.headers) || !is_own(&parts.headers) {
        return Err(Problem::elsewhere());
    }
    let path = parts.uri.path().to_owned();
    let Some(name) = path.strip_prefix("/api/") else {
        let known = ASSETS.iter().find(|(p, ..)| *p == path).filter(|_| parts.method == Method::GET);
        let (_, content, kind) = known.ok_or_else(Problem::nothing_there)?;
        return Ok(reply(StatusCode::OK, kind, content.as_bytes().to_vec()));
    };
    if !has_token(&parts.headers, &app.token) {
        return Err(Problem::no_token());
    }
    if parts.method != Method::POST {
        return Err(Problem::bad("calls are posted"));
    }
    let name = name.to_owned();
    let body = to_bytes(body, MOST_BYTES).await.map_err(|_| Problem::too_large())?;
    let done = tokio::task::spawn_blocking(move || call(&app, &name, &body)).await;
    // A panic says where, on the terminal; never what.
    match done
        .unwrap_or_else(|_| Err(crate::Error::internal("an internal fault; nothing was changed").into()))?
    {
        Answer::Json(json) => Ok(reply(StatusCode::OK, "application/json", json.to_string().into_bytes())),
        Answer::File(name, kind, bytes) => {
            let mut response = reply(StatusCode::OK, kind, bytes);
            if let Ok(name) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
                response.headers_mut().insert(CONTENT_DISPOSITION, name);
            }
            Ok(response)
        }
    }
}

/// Not sent by a page of another origin.
fn is_own(headers: &HeaderMap) -> bool {
    let text = |name: &HeaderName| headers.get(name).map(|v| v.to_str().unwrap_or("?"));
    let site = text(&HeaderName::from_static("sec-fetch-site"));
    let host = text(&HOST).unwrap_or_default();
    let origin = text(&ORIGIN).is_none_or(|o| o.strip_prefix("http://") == Some(host));
    origin && site.is_none_or(|s| matches!(s, "same-origin" | "none"))
}

fn has_token(headers: &HeaderMap, token: &str) -> bool {
    let sent = headers.get(AUTHORIZATION).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let sent = sent.strip_prefix("Bearer ").unwrap_or_default().as_bytes();
    let same = sent.iter().zip(token.as_bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    sent.len() == token.len() && same == 0
}

fn reply(status: StatusCode, kind: &'static str, body: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn refuse(problem: &Problem) -> Response<Body> {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = json!({"error": {"code": problem.code, "message": problem.message}});
    reply(status, "application/json", body.to_string().into_bytes())
}
