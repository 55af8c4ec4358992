//! Work that is shared out to threads and comes back in order.

use std::thread;

/// `work` of every number below `count`, in order, on so many threads.
pub(crate) fn map<T: Send>(threads: usize, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = threads.clamp(1, count.max(1));
    if threads == 1 {
        return (0..count).map(work).collect();
    }
    let shares: Vec<Vec<T>> = thread::scope(|scope| {
        let work = &work;
        let spawn =
            |share: usize| scope.spawn(move || (share..count).step_by(threads).map(work).collect::<Vec<T>>());
        let running: Vec<_> = (0..threads).map(spawn).collect();
        running
            .into_iter()
            .map(|share| share.join().unwrap_or_else(|fault| std::panic::resume_unwind(fault)))
            .collect()
    });
    let mut shares: Vec<_> = shares.into_iter().map(Vec::into_iter).collect();
    (0..count).filter_map(|i| shares[i % threads].next()).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_come_in_order() {
        for threads in [1, 2, 7] {
            assert_eq!(super::map(threads, 5, |i| i * i), [0, 1, 4, 9, 16]);
        }
        assert!(super::map(3, 0, |i| i).is_empty());
    }
}
