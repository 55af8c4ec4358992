//! The time a thread spent computing, so that a busy machine does not change who is faster.

use std::time::Duration;

#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(not(unix))]
fn now() -> Duration {
    static STARTED: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    STARTED.elapsed()
}

/// What some work took, beside its result.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = now();
    let done = work();
    (done, now().saturating_sub(started))
}
