//! `/v1/batch`: a line in, a line out, in order, as a stream.
//!
//! Every line that is not empty is answered by one line: the document, or an error with the line's number. What is not yet
//! taken by the client is bounded, and so is what one batch has on the threads: reading stops until there is room. An
//! answer that ends before all lines were answered ends without the end mark of its transfer, so that a client can tell.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::Response;
use http_body::Frame;
use taire_formats::push_string;
use taire_text::CancelFlag;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;

use crate::audit::{Audit, Entry, now};
use crate::body::next;
use crate::pool::Pending;
use crate::problem::Problem;
use crate::request::{Ask, Task};
use crate::routes::{Caller, Service, response, state_unit};
use crate::treat::JobContext;

/// Bytes of lines whose answers the client has not taken.
const HELD_BYTES: usize = 8 << 20;
const HELD_LINES: usize = 1024;
const FULL: Duration = Duration::from_millis(20);

/// One line on its way out.
enum Piece {
    Line {
        answer: Pending<Vec<u8>>,
        _held: OwnedSemaphorePermit,
    },
    /// Known without treating anything.
    Ready(Vec<u8>),
    /// The end, before its time; once what came before it was sent.
    Cut {
        sent: bool,
    },
}

#[derive(Default)]
struct Count {
    documents: AtomicU64,
    refused: AtomicU64,
    spans: AtomicU64,
    bytes: AtomicU64,
    names_of_patient: AtomicU64,
    whole: AtomicBool,
}

pub(crate) async fn answer(
    service: &Arc<Service>,
    task: Task,
    ask: Ask,
    caller: Caller,
    request: Request,
    entry: &mut Entry,
) -> Result<Response<Body>, Problem> {
    let turn = service.batches.clone().try_acquire_owned().map_err(|_| Problem::Busy("batches"))?;
    // A client that sends `Expect: 100-continue` gets the refusal before the answer begins.
    let mut body = request.into_body();
    let Ok(first) = timeout(service.limits.timeout, next(&mut body)).await else {
        return Err(Problem::SlowClient);
    };
    let first = first?;
    entry.task = Some(task.name());
    entry.policy = ask.policy.clone();
    entry.batch = Some("begin");
    let count = Arc::new(Count::default());
    let (send, pieces) = mpsc::channel(HELD_LINES);
    let mut answered = response("application/x-ndjson", Body::empty());
    state_unit(&mut answered, &ask);
    let reader = Reader {
        held: Arc::new(Semaphore::new(HELD_BYTES)),
        running: Arc::new(Semaphore::new(service.pool.jobs())),
        service: service.clone(),
        count: count.clone(),
        send,
        task,
        ask: Arc::new(ask),
        caller,
        line: 0,
    };
    let end = End { audit: service.audit.clone(), entry: entry.clone(), count, begun: Instant::now() };
    tokio::spawn(reader.run(first, body));
    *answered.body_mut() = Body::new(Out { pieces, current: None, _turn: turn, _end: end });
    Ok(answered)
}

/// Reads lines and hands them to the threads.
struct Reader {
    service: Arc<Service>,
    send: mpsc::Sender<Piece>,
    count: Arc<Count>,
    held: Arc<Semaphore>,
    running: Arc<Semaphore>,
    task: Task,
    ask: Arc<Ask>,
    caller: Caller,
    line: u64,
}

/// The client is gone.
struct Gone;

impl Reader {
    async fn run(mut self, first: Option<Bytes>, body: Body) {
        match self.lines(first, body).await {
            Ok(Ok(())) => self.count.whole.store(true, Ordering::Relaxed),
            Ok(Err(problem)) => {
                self.line += 1;
                let line = error_line(None, self.line, &problem);
                let _ = self.send.send(Piece::Ready(line)).await;
                let _ = self.send.send(Piece::Cut { sent: false }).await;
            }
            Err(Gone) => {}
        }
    }

    async fn lines(&mut self, first: Option<Bytes>, mut body: Body) -> Result<Result<(), Problem>, Gone> {
        let limit = self.service.limits.document_bytes;
        let mut line: Vec<u8> = Vec::new();
        let mut too_long = false;
        let mut read = Some(first);
        loop {
            let data = match read.take() {
                Some(data) => data,
                None => match timeout(self.service.limits.timeout, next(&mut body)).await {
                    Ok(Ok(data)) => data,
                    Ok(Err(problem)) => return Ok(Err(problem)),
                    Err(_) => return Ok(Err(Problem::SlowClient)),
                },
            };
            let ended = data.is_none();
            let data = data.unwrap_or_else(|| Bytes::from_static(b"\n"));
            for piece in data.split_inclusive(|b| *b == b'\n') {
                let whole = piece.ends_with(b"\n");
                let piece = piece.strip_suffix(b"\n").unwrap_or(piece);
                if line.len() + piece.len() > limit {
                    too_long = true;
                    line = Vec::new();
                } else if !too_long {
                    line.extend_from_slice(piece);
                }
                if whole {
                    let done = std::mem::take(&mut line);
                    self.take(done, std::mem::take(&mut too_long)).await?;
                }
            }
            if ended {
                return Ok(Ok(()));
            }
        }
    }

    async fn take(&mut self, line: Vec<u8>, too_long: bool) -> Result<(), Gone> {
        self.line += 1;
        if !too_long && line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let number = self.line;
        if too_long {
            let problem = Problem::TooLarge(self.service.limits.document_bytes);
            self.count.documents.fetch_add(1, Ordering::Relaxed);
            self.count.refused.fetch_add(1, Ordering::Relaxed);
            self.service.metrics.document(self.task, 0, None);
            return self.put(Piece::Ready(error_line(None, number, &problem))).await;
        }
        self.service.pace(&self.caller).await;
        let weight = line.len().clamp(1, HELD_BYTES) as u32;
        let held = self.held.clone().acquire_many_owned(weight).await.map_err(|_| Gone)?;
        let mut running = self.running.clone().acquire_owned().await.map_err(|_| Gone)?;
        let line = Arc::new(line);
        let answer = loop {
            let (offers, metrics) = (self.service.offers.clone(), self.service.metrics.clone());
            let (count, ask, task) = (self.count.clone(), self.ask.clone(), self.task);
            let (bytes, line, caller) = (line.len(), line.clone(), self.caller.clone());
            let work = move |cancel: &CancelFlag| {
                let _running = running;
                let mut id = None;
                let done = offers.parse(&line).and_then(|request| {
                    id = Some(request.document.id.clone()).filter(|id| !id.is_empty());
                    offers.treat_document(request, task, &ask, JobContext { caller: &caller, cancel })
                });
                metrics.document(task, bytes, done.as_ref().ok().map(|a| &a.spans[..]));
                count.documents.fetch_add(1, Ordering::Relaxed);
                count.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
                match done {
                    Ok(mut answer) => {
                        let spans = answer.spans.iter().map(|n| u64::from(*n)).sum();
                        count.spans.fetch_add(spans, Ordering::Relaxed);
                        let names = answer.names_of_patient.unwrap_or_default();
                        count.names_of_patient.fetch_max(names, Ordering::Relaxed);
                        answer.json.push(b'\n');
                        answer.json
                    }
                    Err(problem) => {
                        count.refused.fetch_add(1, Ordering::Relaxed);
                        let id = id.and_then(|id| match task {
                            Task::Deid => offers.refused_id(&id, &caller),
                            Task::Detect => Some(id),
                        });
                        error_line(id.as_deref(), number, &problem)
                    }
                }
            };
            match self.service.pool.submit(bytes, work) {
                Ok(answer) => break answer,
                Err(_) => {
                    tokio::time::sleep(FULL).await;
                    running = self.running.clone().acquire_owned().await.map_err(|_| Gone)?;
                }
            }
        };
        self.put(Piece::Line { answer, _held: held }).await
    }

    async fn put(&self, piece: Piece) -> Result<(), Gone> {
        self.send.send(piece).await.map_err(|_| Gone)
    }
}

/// `{"id":…,"line":…,"error":{…}}` and a line end.
fn error_line(id: Option<&str>, number: u64, problem: &Problem) -> Vec<u8> {
    let mut line = vec![b'{'];
    if let Some(id) = id {
        line.extend_from_slice(b"\"id\":");
        push_string(&mut line, id);
        line.push(b',');
    }
    line.extend_from_slice(format!("\"line\":{number},").as_bytes());
    problem.push(&mut line);
    line.extend_from_slice(b"}\n");
    line
}

/// The answer: pieces in order, as fast as the client takes them.
struct Out {
    pieces: mpsc::Receiver<Piece>,
    current: Option<Piece>,
    _turn: OwnedSemaphorePermit,
    _end: End,
}

impl http_body::Body for Out {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let this = self.get_mut();
        if this.current.is_none() {
            match this.pieces.poll_recv(cx) {
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Ready(Some(piece)) => this.current = Some(piece),
                Poll::Pending => return Poll::Pending,
            }
        }
        let data = match &mut this.current {
            Some(Piece::Line { answer, .. }) => match Pin::new(answer).poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(line)) => line,
                Poll::Ready(Err(_)) => error_line(None, 0, &Problem::Fault),
            },
            Some(Piece::Ready(line)) => std::mem::take(line),
            Some(Piece::Cut { sent: sent @ false }) => {
                *sent = true;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Some(Piece::Cut { sent: true }) | None => {
                return Poll::Ready(Some(Err(io::ErrorKind::ConnectionAborted.into())));
            }
        };
        this.current = None;
        Poll::Ready(Some(Ok(Frame::data(data.into()))))
    }
}

/// The last line of a batch in the audit log, however it ends.
struct End {
    audit: Arc<Audit>,
    entry: Entry,
    count: Arc<Count>,
    begun: Instant,
}

impl Drop for End {
    fn drop(&mut self) {
        let count = |n: &AtomicU64| n.load(Ordering::Relaxed);
        let whole = self.count.whole.load(Ordering::Relaxed);
        self.audit.write(&Entry {
            time: now(),
            batch: Some(if whole { "end" } else { "cut" }),
            status: 200,
            documents: count(&self.count.documents),
            refused: count(&self.count.refused),
            spans: count(&self.count.spans),
            bytes: count(&self.count.bytes),
            names_of_patient: Some(count(&self.count.names_of_patient)).filter(|n| *n > 0),
            ms: self.begun.elapsed().as_millis() as u64,
            ..self.entry.clone()
        });
    }
}
