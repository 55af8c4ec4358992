//! The threads that treat documents, apart from the one that talks to clients.
//!
//! Two lanes: notes of ordinary size, and heavy ones, each with threads and a queue of its own. So a letter of 3 KB never
//! waits for one of 10 MB to end, only shares the processor with it. Both queues are bounded; what finds no room is told
//! so at once. A job whose client is gone or was told that time is up is not begun.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;

use crate::Error;
use crate::problem::Problem;

/// From this size on a document is heavy.
pub(crate) const HEAVY: usize = 256 << 10;
const MOST_QUICK: usize = 4096;
const MOST_HEAVY: usize = 64;

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
            // The sender inside is dropped by a panic, which the client is told as a fault.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
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

    /// Hands over work on a document of that size. The receiver fails if the work panicked; dropping it before the work
    /// began takes it back.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<oneshot::Receiver<T>, Problem> {
        let (heavy, lane) = if bytes >= HEAVY { (true, &self.heavy) } else { (false, &self.quick) };
        let mut queue = lane.lock();
        if queue.jobs.len() >= lane.most || queue.closed {
            return Err(Problem::Busy(if heavy { "large documents" } else { "documents" }));
        }
        let (send, receive) = oneshot::channel();
        queue.jobs.push_back(Box::new(move || {
            if !send.is_closed() {
                let _ = send.send(work());
            }
        }));
        drop(queue);
        lane.wake.notify_one();
        Ok(receive)
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
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn a_heavy_note_holds_up_heavy_notes_only() {
        let pool = Pool::new(1).unwrap();
        let (go, wait) = mpsc::channel::<()>();
        let heavy = pool.submit(HEAVY, move || wait.recv().is_ok()).unwrap();
        let next = pool.submit(HEAVY, || 2).unwrap();
        let quick = pool.submit(10, || 1).unwrap();
        assert_eq!(quick.blocking_recv(), Ok(1));
        assert_eq!(pool.waiting()[0], 0);
        go.send(()).unwrap();
        assert_eq!(heavy.blocking_recv(), Ok(true));
        assert_eq!(next.blocking_recv(), Ok(2));
    }

    #[test]
    fn what_nobody_waits_for_is_not_begun_and_a_panic_is_told() {
        let pool = Pool::new(1).unwrap();
        let (go, wait) = mpsc::channel::<()>();
        let (ran, has_run) = mpsc::channel::<()>();
        let first = pool.submit(1, move || wait.recv().is_ok()).unwrap();
        drop(pool.submit(1, move || ran.send(())).unwrap());
        go.send(()).unwrap();
        assert_eq!(first.blocking_recv(), Ok(true));
        assert_eq!(pool.submit(1, || 3).unwrap().blocking_recv(), Ok(3));
        assert!(has_run.recv_timeout(Duration::from_millis(1)).is_err());
        assert!(
            pool.submit(1, || -> u32 { std::panic::resume_unwind(Box::new(())) })
                .unwrap()
                .blocking_recv()
                .is_err()
        );
        assert_eq!(pool.submit(1, || 4).unwrap().blocking_recv(), Ok(4));
    }

    #[test]
    fn a_full_queue_says_so() {
        let pool = Pool::new(1).unwrap();
        let (go, wait) = mpsc::channel::<()>();
        let mut kept = vec![pool.submit(HEAVY, move || wait.recv().is_ok()).unwrap()];
        while pool.waiting()[1] > 0 {
            thread::yield_now();
        }
        kept.extend((0..MOST_HEAVY).map(|_| pool.submit(HEAVY, || true).unwrap()));
        assert_eq!(pool.submit(HEAVY, || true).err(), Some(Problem::Busy("large documents")));
        go.send(()).unwrap();
        assert!(kept.into_iter().all(|r| r.blocking_recv() == Ok(true)));
    }
}
