//! The threads that treat documents, apart from the one that talks to clients.
//!
//! Two lanes: notes of ordinary size, and heavy ones, each with threads and a queue of its own. So a letter of 3 KB never
//! waits for one of 10 MB to end, only shares the processor with it. Both queues are bounded; a full queue refuses
//! at once. A job whose client is gone or has timed out is not begun, and one that is under way ends with its
//! stage.

use std::collections::VecDeque;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use taire_text::CancelFlag;
use tokio::sync::oneshot;

use crate::Error;
use crate::problem::Problem;

/// From this size on a document is heavy.
pub(crate) const HEAVY: usize = 256 << 10;
const MOST_QUICK: usize = 4096;
const MOST_HEAVY: usize = 64;
/// How long a pool that is dropped waits for cancelled work; threads that take longer end with the process.
const LAST_WAIT: Duration = Duration::from_millis(200);

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    closed: bool,
}

struct Lane {
    queue: Mutex<Queue>,
    wake: Condvar,
    most: usize,
}

impl Lane {
    fn new(most: usize) -> Arc<Self> {
        Arc::new(Lane { queue: Mutex::default(), wake: Condvar::new(), most })
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        loop {
            let mut queue = self.lock();
            let job = loop {
                match queue.jobs.pop_front() {
                    Some(job) => break job,
                    None if queue.closed => return,
                    None => queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(queue);
            // The sender inside is dropped by a panic, which the client receives as an internal fault.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }
}

/// Work handed over. Dropping it takes the work back: what has not begun is not begun, what is under way is cancelled.
pub(crate) struct Pending<T> {
    answer: oneshot::Receiver<T>,
    cancel: CancelFlag,
}

impl<T> Future for Pending<T> {
    /// An error if the work panicked.
    type Output = Result<T, oneshot::error::RecvError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.answer).poll(cx)
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

pub(crate) struct Pool {
    quick: Arc<Lane>,
    heavy: Arc<Lane>,
    threads: Vec<JoinHandle<()>>,
    jobs: usize,
}

impl Pool {
    /// `jobs` threads for ordinary notes and half as many for heavy ones.
    pub(crate) fn new(jobs: usize) -> Result<Self, Error> {
        let jobs = jobs.max(1);
        let (quick, heavy) = (Lane::new(MOST_QUICK), Lane::new(MOST_HEAVY));
        let mut pool = Pool { quick, heavy, threads: Vec::new(), jobs };
        let lanes =
            [(pool.quick.clone(), jobs, "notes"), (pool.heavy.clone(), jobs.div_ceil(2), "heavy notes")];
        for (lane, threads, name) in lanes {
            for _ in 0..threads {
                let lane = lane.clone();
                let thread = thread::Builder::new().name(name.into()).spawn(move || lane.work());
                let thread = thread.map_err(|e| Error::io(format!("cannot start a thread: {}", e.kind())))?;
                pool.threads.push(thread);
            }
        }
        Ok(pool)
    }

    /// How many ordinary notes are treated at once.
    pub(crate) fn jobs(&self) -> usize {
        self.jobs
    }

    /// How many wait: ordinary and heavy.
    pub(crate) fn waiting(&self) -> [usize; 2] {
        [&self.quick, &self.heavy].map(|lane| lane.lock().jobs.len())
    }

    /// Hands over work on a document of that size. The work is given a flag that is set when nobody waits for it any more.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce(&CancelFlag) -> T + Send + 'static,
    ) -> Result<Pending<T>, Problem> {
        let (heavy, lane) = if bytes >= HEAVY { (true, &self.heavy) } else { (false, &self.quick) };
        let mut queue = lane.lock();
        if queue.jobs.len() >= lane.most || queue.closed {
            return Err(Problem::Busy(if heavy { "large documents" } else { "documents" }));
        }
        let (send, answer) = oneshot::channel();
        let cancel = CancelFlag::default();
        let flag = cancel.clone();
        queue.jobs.push_back(Box::new(move || {
            if !flag.is_cancelled() {
                let _ = send.send(work(&flag));
            }
        }));
        drop(queue);
        lane.wake.notify_one();
        Ok(Pending { answer, cancel })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for lane in [&self.quick, &self.heavy] {
            let mut queue = lane.lock();
            queue.closed = true;
            queue.jobs.clear();
            drop(queue);
            lane.wake.notify_all();
        }
        let until = Instant::now() + LAST_WAIT;
        for thread in self.threads.drain(..) {
            while !thread.is_finished() && Instant::now() < until {
                thread::sleep(Duration::from_millis(2));
            }
            if thread.is_finished() {
                let _ = thread.join();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// The answer, or `None` if the work panicked.
    fn wait<T>(pending: Pending<T>) -> Option<T> {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(pending).ok()
    }

    #[test]
    fn a_heavy_note_holds_up_heavy_notes_only() {
        let pool = Pool::new(1).unwrap();
        let (go, gate) = mpsc::channel::<()>();
        let heavy = pool.submit(HEAVY, move |_| gate.recv().is_ok()).unwrap();
        let next = pool.submit(HEAVY, |_| 2).unwrap();
        let quick = pool.submit(10, |_| 1).unwrap();
        assert_eq!(wait(quick), Some(1));
        assert_eq!(pool.waiting()[0], 0);
        go.send(()).unwrap();
        assert_eq!(wait(heavy), Some(true));
        assert_eq!(wait(next), Some(2));
    }

    #[test]
    fn what_nobody_waits_for_is_not_begun_and_a_panic_is_reported() {
        let pool = Pool::new(1).unwrap();
        let (go, gate) = mpsc::channel::<()>();
        let (ran, has_run) = mpsc::channel::<()>();
        let first = pool.submit(1, move |_| gate.recv().is_ok()).unwrap();
        drop(pool.submit(1, move |_| ran.send(())).unwrap());
        go.send(()).unwrap();
        assert_eq!(wait(first), Some(true));
        assert_eq!(wait(pool.submit(1, |_| 3).unwrap()), Some(3));
        assert!(has_run.recv_timeout(Duration::from_millis(1)).is_err());
        let panics = pool.submit(1, |_| -> u32 { std::panic::resume_unwind(Box::new(())) }).unwrap();
        assert_eq!(wait(panics), None);
        assert_eq!(wait(pool.submit(1, |_| 4).unwrap()), Some(4));
    }

    #[test]
    fn a_full_queue_says_so() {
        let pool = Pool::new(1).unwrap();
        let (go, gate) = mpsc::channel::<()>();
        let mut kept = vec![pool.submit(HEAVY, move |_| gate.recv().is_ok()).unwrap()];
        while pool.waiting()[1] > 0 {
            thread::yield_now();
        }
        kept.extend((0..MOST_HEAVY).map(|_| pool.submit(HEAVY, |_| true).unwrap()));
        assert_eq!(pool.submit(HEAVY, |_| true).err(), Some(Problem::Busy("large documents")));
        go.send(()).unwrap();
        assert!(kept.into_iter().all(|r| wait(r) == Some(true)));
    }

    /// Defect: work that a client had left, or that a stop had cut, ran to its end, and the service with it.
    #[test]
    fn work_that_nobody_waits_for_is_cancelled() {
        let pool = Pool::new(1).unwrap();
        let (begun, has_begun) = mpsc::channel();
        let (ended, has_ended) = mpsc::channel();
        let pending = pool.submit(1, move |cancel| {
            begun.send(()).unwrap();
            while !cancel.is_cancelled() {
                thread::sleep(Duration::from_millis(1));
            }
            ended.send(()).unwrap();
        });
        has_begun.recv().unwrap();
        drop(pending);
        assert!(has_ended.recv_timeout(Duration::from_secs(10)).is_ok());
        let (release, held) = mpsc::channel::<()>();
        let ignores_cancel = pool.submit(1, move |_| held.recv().is_ok()).unwrap();
        while pool.waiting()[0] > 0 {
            thread::yield_now();
        }
        let stopped = Instant::now();
        drop(pool);
        assert!(stopped.elapsed() < Duration::from_secs(5), "a stop waited for work that does not end");
        drop((release, ignores_cancel));
    }
}
