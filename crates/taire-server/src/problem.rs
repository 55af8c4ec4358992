//! The answer to a request that failed: a status, a code for programs, a sentence for people. Never a
//! word of the document.

use axum::body::Body;
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};
use taire_formats::push_string;
use taire_text::Language;

use crate::keys::Scope;

/// Every way a request can fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Problem {
    /// The body is no JSON object, or not one of the API's.
    BadJson(String),
    /// The query string is not one of the API's.
    BadQuery(String),
    NoKey,
    Scope(Scope),
    /// The language of the policy, where another was asked for.
    OtherLanguage(Language),
    /// What is offered instead.
    UnknownPolicy(String),
    /// The policy ships, the model that it wants is not there.
    MissingModel(String),
    NoSuchPath,
    NoSuchMethod(&'static str),
    SlowClient,
    TooLarge(usize),
    MediaType,
    WrongHost,
    /// The document was read and is held back.
    Refused(String),
    TooMany {
        seconds: u64,
    },
    Fault,
    NoAudit,
    Busy(&'static str),
    TooSlow,
}

impl Problem {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Problem::BadJson(_) | Problem::BadQuery(_) => StatusCode::BAD_REQUEST,
            Problem::NoKey => StatusCode::UNAUTHORIZED,
            Problem::Scope(_) => StatusCode::FORBIDDEN,
            Problem::UnknownPolicy(_) | Problem::NoSuchPath => StatusCode::NOT_FOUND,
            Problem::OtherLanguage(_) | Problem::MissingModel(_) => StatusCode::CONFLICT,
            Problem::NoSuchMethod(_) => StatusCode::METHOD_NOT_ALLOWED,
            Problem::SlowClient => StatusCode::REQUEST_TIMEOUT,
            Problem::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Problem::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Problem::WrongHost => StatusCode::MISDIRECTED_REQUEST,
            Problem::Refused(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Problem::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            Problem::Fault | Problem::NoAudit => StatusCode::INTERNAL_SERVER_ERROR,
            Problem::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
            Problem::TooSlow => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    pub(crate) fn code(&self) -> &'static str {
        match self {
            Problem::BadJson(_) => "bad_json",
            Problem::BadQuery(_) => "bad_query",
            Problem::NoKey => "unknown_key",
            Problem::Scope(_) => "missing_scope",
            Problem::OtherLanguage(_) => "other_language",
            Problem::UnknownPolicy(_) => "unknown_policy",
            Problem::MissingModel(_) => "missing_model",
            Problem::NoSuchPath => "unknown_path",
            Problem::NoSuchMethod(_) => "unknown_method",
            Problem::SlowClient => "slow_client",
            Problem::TooLarge(_) => "too_large",
            Problem::MediaType => "media_type",
            Problem::WrongHost => "wrong_host",
            Problem::Refused(_) => "refused",
            Problem::TooMany { .. } => "rate_limit",
            Problem::Fault => "fault",
            Problem::NoAudit => "no_audit",
            Problem::Busy(_) => "busy",
            Problem::TooSlow => "too_slow",
        }
    }

    pub(crate) fn message(&self) -> String {
        match self {
            Problem::BadJson(why) | Problem::BadQuery(why) | Problem::Refused(why) => why.clone(),
            Problem::NoKey => "this needs a valid API key: send `Authorization: Bearer KEY`".into(),
            Problem::Scope(scope) => format!("this key has no scope `{}`", scope.name()),
            Problem::OtherLanguage(language) => {
                format!("this policy reads `{language}` only; leave `lang` out")
            }
            Problem::UnknownPolicy(known) => format!("this policy is not offered here; known: {known}"),
            Problem::MissingModel(why) => format!("this policy cannot be used here yet: {why}"),
            Problem::NoSuchPath => "there is nothing at this path; see /v1/openapi.json".into(),
            Problem::NoSuchMethod(allowed) => format!("this path takes {allowed} only"),
            Problem::SlowClient => "the request was not sent whole in time; nothing was treated".into(),
            Problem::TooLarge(limit) => {
                format!("this document is larger than the limit of {limit} bytes; it was not treated")
            }
            Problem::MediaType => {
                "send application/json, or application/x-ndjson for a batch, as Content-Type".into()
            }
            Problem::WrongHost => "this service answers to localhost only".into(),
            Problem::TooMany { seconds } => {
                format!("over the rate this caller is allowed; try again in {seconds} s")
            }
            Problem::Fault => "an internal fault stopped this document; it was not treated".into(),
            Problem::NoAudit => "the audit log cannot be written, so nothing is answered".into(),
            Problem::Busy(what) => format!("too many {what} at once; try again in a second"),
            Problem::TooSlow => "this document was not done in time; it was not treated".into(),
        }
    }

    /// `"error":{"code":…,"message":…}`.
    pub(crate) fn push(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\"error\":{\"code\":");
        push_string(out, self.code());
        out.extend_from_slice(b",\"message\":");
        push_string(out, &self.message());
        out.push(b'}');
    }

    pub(crate) fn response(&self) -> Response<Body> {
        let mut body = vec![b'{'];
        self.push(&mut body);
        body.push(b'}');
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        match self {
            Problem::NoKey => drop(headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
            Problem::NoSuchMethod(allowed) => {
                drop(headers.insert(ALLOW, HeaderValue::from_static(allowed)));
            }
            Problem::TooMany { seconds } => drop(headers.insert(RETRY_AFTER, HeaderValue::from(*seconds))),
            Problem::Busy(_) => drop(headers.insert(RETRY_AFTER, HeaderValue::from_static("1"))),
            _ => {}
        }
        response
    }
}
