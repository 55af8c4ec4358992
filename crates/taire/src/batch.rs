//! Many documents on several threads, in order, in bounded memory.
//!
//! One thread reads, `jobs` threads work, the caller's thread receives results in the order of reading. What is in
//! flight is bounded by its weight in bytes, so memory does not grow with the length of the input.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

/// How much text may be in flight. A single item that weighs more still passes, alone.
const IN_FLIGHT_BYTES: usize = 4 << 20;
/// Items travel in batches of about this weight: channels cost little, and threads stay fed.
const BATCH_BYTES: usize = 64 << 10;

/// Something whose memory is bounded while it is in flight.
pub trait Weigh {
    /// Its size in bytes.
    fn weight(&self) -> usize;
}

/// One share of the documents, for runs on several machines: documents go by their patient where that is known, so that
/// a record stays in one share, and by their id otherwise. The same on every machine, whatever the order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    number: u64,
    total: u64,
}

impl Shard {
    /// Share `number` of `total`, from 1.
    pub fn new(number: u64, total: u64) -> Option<Shard> {
        (1..=total).contains(&number).then_some(Shard { number, total })
    }

    /// Whether a document belongs to this share.
    pub fn holds(&self, patient: Option<&str>, id: &str) -> bool {
        let kind = if patient.is_some() { 1 } else { 2 };
        let hash = stable_hash([&[kind], patient.unwrap_or(id).as_bytes()].into_iter());
        ((u128::from(hash) * u128::from(self.total)) >> 64) as u64 == self.number - 1
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-of-{}", self.number, self.total)
    }
}

/// A hash that is the same on every machine and in every version. Not a secret one.
pub fn stable_hash<'a>(parts: impl Iterator<Item = &'a [u8]>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut take = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    for part in parts {
        (part.len() as u64).to_le_bytes().into_iter().chain(part.iter().copied()).for_each(&mut take);
    }
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ hash >> 32
}

struct Gate {
    used: Mutex<usize>,
    freed: Condvar,
}

impl Gate {
    fn enter(&self, weight: usize) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        while *used > 0 && *used + weight > IN_FLIGHT_BYTES {
            used = self.freed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        *used += weight;
    }

    fn leave(&self, weight: usize) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) -= weight;
        self.freed.notify_all();
    }
}

struct Batch<T> {
    number: usize,
    weight: usize,
    items: Vec<T>,
}

/// Runs `work` over `items` on `jobs` threads and hands the results to `sink` in the items' order. The first error of
/// `sink` stops the run and is returned.
pub fn ordered<I, O, E>(
    jobs: usize,
    items: impl Iterator<Item = I> + Send,
    work: impl Fn(I) -> O + Sync,
    mut sink: impl FnMut(O) -> Result<(), E>,
) -> Result<(), E>
where
    I: Weigh + Send,
    O: Send,
{
    let gate = Gate { used: Mutex::new(0), freed: Condvar::new() };
    let (to_work, for_work) = crossbeam_channel::unbounded::<Batch<I>>();
    let (to_sink, for_sink) = crossbeam_channel::unbounded::<Batch<O>>();
    let stopped = AtomicBool::new(false);
    thread::scope(|scope| {
        let (gate, work, stopped) = (&gate, &work, &stopped);
        scope.spawn(move || {
            let mut number = 0;
            let mut batch = Batch { number, weight: 0, items: Vec::new() };
            let send = |batch: Batch<I>| {
                gate.enter(batch.weight);
                !stopped.load(Ordering::Relaxed) && to_work.send(batch).is_ok()
            };
            for item in items {
                let weight = item.weight() + 64;
                if batch.weight > 0 && batch.weight + weight > BATCH_BYTES {
                    number += 1;
                    let full = std::mem::replace(&mut batch, Batch { number, weight: 0, items: Vec::new() });
                    if !send(full) {
                        return;
                    }
                }
                batch.weight += weight;
                batch.items.push(item);
            }
            send(batch);
        });
        for _ in 0..jobs.max(1) {
            let (for_work, to_sink) = (for_work.clone(), to_sink.clone());
            scope.spawn(move || {
                for Batch { number, weight, items } in for_work {
                    let items = items.into_iter().map(work).collect();
                    if to_sink.send(Batch { number, weight, items }).is_err() {
                        return;
                    }
                }
            });
        }
        drop((for_work, to_sink));
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        let mut outcome = Ok(());
        for batch in for_sink {
            waiting.insert(batch.number, batch);
            while let Some(batch) = waiting.remove(&next) {
                next += 1;
                if outcome.is_ok() {
                    outcome = batch.items.into_iter().try_for_each(&mut sink);
                    if outcome.is_err() {
                        stopped.store(true, Ordering::Relaxed);
                    }
                }
                gate.leave(batch.weight);
            }
        }
        outcome
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Weigh for u32 {
        fn weight(&self) -> usize {
            10_000 + *self as usize
        }
    }

    #[test]
    fn results_come_in_order_whatever_the_threads() {
        for jobs in [1, 2, 5] {
            let mut got = Vec::new();
            ordered(
                jobs,
                0..2_000u32,
                |n| n * 2,
                |n| {
                    got.push(n);
                    Ok::<_, ()>(())
                },
            )
            .unwrap();
            assert!(got.iter().copied().eq((0..2_000).map(|n| n * 2)));
        }
    }

    #[test]
    fn shares_are_even_whole_and_keep_records_together() {
        let shares: Vec<Shard> = (1..=7).map(|n| Shard::new(n, 7).unwrap()).collect();
        let mut counts = [0; 7];
        for i in 0..7000 {
            let id = format!("note-{i}");
            let holding: Vec<usize> = (0..7).filter(|&s| shares[s].holds(None, &id)).collect();
            assert_eq!(holding.len(), 1);
            counts[holding[0]] += 1;
            assert_eq!(shares[0].holds(Some("12"), &id), shares[0].holds(Some("12"), "another"));
        }
        assert!(counts.iter().all(|n| (800..1200).contains(n)), "{counts:?}");
        assert!(Shard::new(0, 3).is_none() && Shard::new(4, 3).is_none());
        // Machines of other versions must agree: this number never changes.
        assert_eq!(stable_hash([&[1u8][..], b"800417"].into_iter()), 0x7ded_481f_3951_9849);
    }

    #[test]
    fn an_item_heavier_than_the_bound_passes_and_an_error_stops() {
        struct Heavy;
        impl Weigh for Heavy {
            fn weight(&self) -> usize {
                2 * IN_FLIGHT_BYTES
            }
        }
        let mut count = 0;
        ordered(
            2,
            (0..5).map(|_| Heavy),
            |_| (),
            |()| {
                count += 1;
                Ok::<_, ()>(())
            },
        )
        .unwrap();
        assert_eq!(count, 5);
        let result = ordered(2, 0..100_000u32, |n| n, |n| if n == 10 { Err("full") } else { Ok(()) });
        assert_eq!(result, Err("full"));
    }
}
