//! How many documents a caller may send: a bucket of one second's worth, filled as time goes on.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const MOST_CALLERS: usize = 10_000;

#[derive(Debug)]
pub(crate) struct Rate {
    per_second: f64,
    buckets: Mutex<HashMap<String, Bucket>>,
}

#[derive(Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Rate {
    pub(crate) fn new(per_second: u32) -> Self {
        Rate { per_second: f64::from(per_second.max(1)), buckets: Mutex::default() }
    }

    /// Takes one document's share, or says how long to wait for it.
    pub(crate) fn take(&self, caller: &str, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let full = self.per_second.max(1.0);
        let refill = |b: &Bucket| {
            let since = now.saturating_duration_since(b.at).as_secs_f64();
            (b.left + since * self.per_second).min(full)
        };
        if buckets.len() >= MOST_CALLERS && !buckets.contains_key(caller) {
            buckets.retain(|_, b| refill(b) < full);
        }
        let bucket = buckets.entry(caller.to_owned()).or_insert(Bucket { left: full, at: now });
        bucket.left = refill(bucket);
        bucket.at = now;
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - bucket.left) / self.per_second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_have_each_their_share_and_get_it_back() {
        let rate = Rate::new(3);
        let begin = Instant::now();
        assert!((0..3).all(|_| rate.take("a", begin).is_ok()));
        let wait = rate.take("a", begin).unwrap_err();
        assert!(wait > Duration::from_millis(300) && wait < Duration::from_millis(350), "{wait:?}");
        assert!(rate.take("b", begin).is_ok());
        assert!(rate.take("a", begin + wait + Duration::from_millis(1)).is_ok());
        assert!(rate.take("a", begin + wait + Duration::from_millis(2)).is_err());
        let later = begin + Duration::from_secs(60);
        assert_eq!((0..10).filter(|_| rate.take("a", later).is_ok()).count(), 3);
    }
}
