//! Counts for Prometheus. Every label comes from a closed list of this program, so that nothing a client sends can appear
//! in them.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use taire_text::Label;

use crate::request::Task;
use crate::routes::Route;

const STATUSES: &[u16] = &[200, 400, 401, 403, 404, 405, 408, 409, 413, 415, 421, 422, 429, 500, 503, 504];
const BUCKETS: &[f64] = &[0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

#[derive(Debug)]
pub(crate) struct Metrics {
    /// By route, the last for paths that are none; then by status, the last for others.
    requests: Vec<Vec<AtomicU64>>,
    /// By route, then by bucket, the last for longer ones.
    took: Vec<Vec<AtomicU64>>,
    micros: Vec<AtomicU64>,
    /// By task: done, refused.
    documents: Vec<[AtomicU64; 2]>,
    bytes: AtomicU64,
    spans: Vec<AtomicU64>,
    pub(crate) connections: AtomicU64,
}

fn zeros(n: usize) -> Vec<AtomicU64> {
    (0..n).map(|_| AtomicU64::new(0)).collect()
}

fn add(counter: Option<&AtomicU64>, n: u64) {
    if let Some(counter) = counter {
        counter.fetch_add(n, Ordering::Relaxed);
    }
}

fn get(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let routes = Route::ALL.len() + 1;
        Metrics {
            requests: (0..routes).map(|_| zeros(STATUSES.len() + 1)).collect(),
            took: (0..routes).map(|_| zeros(BUCKETS.len() + 1)).collect(),
            micros: zeros(routes),
            documents: Task::ALL.iter().map(|_| Default::default()).collect(),
            bytes: AtomicU64::new(0),
            spans: zeros(Label::ALL.len()),
            connections: AtomicU64::new(0),
        }
    }

    pub(crate) fn request(&self, route: Option<Route>, status: u16, took: Duration) {
        let route = route.map_or(Route::ALL.len(), |r| r as usize);
        let status = STATUSES.iter().position(|s| *s == status).unwrap_or(STATUSES.len());
        add(self.requests.get(route).and_then(|r| r.get(status)), 1);
        let seconds = took.as_secs_f64();
        let bucket = BUCKETS.iter().position(|b| seconds <= *b).unwrap_or(BUCKETS.len());
        add(self.took.get(route).and_then(|r| r.get(bucket)), 1);
        add(self.micros.get(route), took.as_micros() as u64);
    }

    /// One document: its bytes, and its spans by label if it was treated.
    pub(crate) fn document(&self, task: Task, bytes: usize, spans: Option<&[u32]>) {
        add(self.documents.get(task as usize).map(|d| &d[usize::from(spans.is_none())]), 1);
        add(Some(&self.bytes), bytes as u64);
        for (counter, n) in self.spans.iter().zip(spans.unwrap_or_default()) {
            add(Some(counter), u64::from(*n));
        }
    }

    /// The page Prometheus reads.
    pub(crate) fn print(&self, waiting: [usize; 2]) -> String {
        let mut out = String::new();
        let head = |out: &mut String, name: &str, kind: &str, help: &str| {
            let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        };
        let route = |i: usize| Route::ALL.get(i).map_or("other", |r| r.path());
        head(&mut out, "taire_requests_total", "counter", "Requests answered.");
        for (i, counts) in self.requests.iter().enumerate() {
            for (j, count) in counts.iter().enumerate().filter(|(_, c)| get(c) > 0) {
                let status = STATUSES.get(j).map_or("other".to_owned(), u16::to_string);
                let n = get(count);
                let _ =
                    writeln!(out, "taire_requests_total{{route=\"{}\",status=\"{status}\"}} {n}", route(i));
            }
        }
        head(&mut out, "taire_request_seconds", "histogram", "Time to answer.");
        for (i, counts) in self.took.iter().enumerate() {
            let mut sum = 0;
            for (j, count) in counts.iter().enumerate() {
                sum += get(count);
                let le = BUCKETS.get(j).map_or("+Inf".to_owned(), f64::to_string);
                let _ =
                    writeln!(out, "taire_request_seconds_bucket{{route=\"{}\",le=\"{le}\"}} {sum}", route(i));
            }
            let seconds = get(&self.micros[i]) as f64 / 1e6;
            let _ = writeln!(out, "taire_request_seconds_sum{{route=\"{}\"}} {seconds}", route(i));
            let _ = writeln!(out, "taire_request_seconds_count{{route=\"{}\"}} {sum}", route(i));
        }
        head(&mut out, "taire_documents_total", "counter", "Documents by what became of them.");
        for task in Task::ALL {
            for (i, outcome) in ["done", "refused"].iter().enumerate() {
                let n = get(&self.documents[*task as usize][i]);
                let name = task.name();
                let _ = writeln!(out, "taire_documents_total{{task=\"{name}\",outcome=\"{outcome}\"}} {n}");
            }
        }
        head(&mut out, "taire_document_bytes_total", "counter", "Bytes of requests for documents.");
        let _ = writeln!(out, "taire_document_bytes_total {}", get(&self.bytes));
        head(&mut out, "taire_spans_total", "counter", "Spans found, by label.");
        for (label, count) in Label::ALL.iter().zip(&self.spans) {
            let _ = writeln!(out, "taire_spans_total{{label=\"{}\"}} {}", label.name(), get(count));
        }
        head(&mut out, "taire_waiting", "gauge", "Documents that wait for a thread.");
        for (lane, n) in ["ordinary", "heavy"].iter().zip(waiting) {
            let _ = writeln!(out, "taire_waiting{{lane=\"{lane}\"}} {n}");
        }
        head(&mut out, "taire_connections", "gauge", "Open connections.");
        let _ = writeln!(out, "taire_connections {}", get(&self.connections));
        out
    }
}
