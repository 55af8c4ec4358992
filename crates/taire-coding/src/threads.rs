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

/// SplitMix64 (Steele, Lea & Flood, 2014).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.roll()) * n as u128) >> 64) as usize
    }

    /// From -1 to 1.
    pub(crate) fn symmetric(&mut self) -> f32 {
        (self.roll() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
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
