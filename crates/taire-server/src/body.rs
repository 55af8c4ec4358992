//! Bodies of requests, read whole within bounds of size, time and memory.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, EXPECT};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use crate::pool::HEAVY;
use crate::problem::Problem;

/// How much of a body that is too large is read and thrown away, so that the client receives the reason.
const MOST_DRAINED: usize = 64 << 20;
const DRAIN_TIME: Duration = Duration::from_secs(5);
/// Memory for all large bodies together, in documents of the largest size.
const LARGE_AT_ONCE: usize = 8;

/// Bounds the memory of large bodies that are being read or treated. Small ones are bounded by the number of connections.
#[derive(Debug)]
pub(crate) struct BodyMemory {
    kilobytes: Arc<Semaphore>,
    limit: usize,
}

/// A body, with its share of the memory bound.
pub(crate) struct ReadBody {
    pub(crate) bytes: Vec<u8>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl BodyMemory {
    pub(crate) fn new(limit: usize) -> Self {
        BodyMemory { kilobytes: Arc::new(Semaphore::new(LARGE_AT_ONCE * (limit / 1024 + 1))), limit }
    }

    async fn take(&self, bytes: usize, until: Instant) -> Result<OwnedSemaphorePermit, Problem> {
        let kilobytes = u32::try_from(bytes / 1024 + 1).unwrap_or(u32::MAX);
        match timeout_at(until, self.kilobytes.clone().acquire_many_owned(kilobytes)).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Problem::Busy("large documents")),
        }
    }

    /// Reads a body to its end.
    pub(crate) async fn read(
        &self,
        headers: &HeaderMap,
        mut body: Body,
        time: Duration,
    ) -> Result<ReadBody, Problem> {
        let until = Instant::now() + time;
        let announced =
            headers.get(CONTENT_LENGTH).and_then(|v| v.to_str().ok()).and_then(|v| v.parse().ok());
        if announced.is_some_and(|n: usize| n > self.limit) {
            if !headers.contains_key(EXPECT) {
                drain(&mut body).await;
            }
            return Err(Problem::TooLarge(self.limit));
        }
        let mut permit = match announced {
            Some(n) if n >= HEAVY => Some(self.take(n, until).await?),
            _ => None,
        };
        let mut bytes = Vec::with_capacity(announced.unwrap_or(0));
        loop {
            let Ok(frame) = timeout_at(until, next(&mut body)).await else { return Err(Problem::SlowClient) };
            let Some(data) = frame? else { break };
            if bytes.len() + data.len() > self.limit {
                drain(&mut body).await;
                return Err(Problem::TooLarge(self.limit));
            }
            if permit.is_none() && bytes.len() + data.len() >= HEAVY {
                permit = Some(self.take(self.limit, until).await?);
            }
            bytes.extend_from_slice(&data);
        }
        Ok(ReadBody { bytes, _permit: permit })
    }
}

/// The next piece of a body; `None` at its end.
pub(crate) async fn next(body: &mut Body) -> Result<Option<Bytes>, Problem> {
    loop {
        match body.frame().await {
            None => return Ok(None),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Some(Err(_)) => return Err(Problem::BadJson("the body was cut short".into())),
        }
    }
}

async fn drain(body: &mut Body) {
    let all = async {
        let mut left = MOST_DRAINED;
        while let Ok(Some(data)) = next(body).await {
            left = left.saturating_sub(data.len());
            if left == 0 {
                break;
            }
        }
    };
    let _ = timeout(DRAIN_TIME, all).await;
}
