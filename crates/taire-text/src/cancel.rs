//! Giving up the treatment of a document that nobody waits for any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by whoever asked for a document and left. A note carries it, and every loop over a whole text looks at it and ends
/// early. What such a loop leaves is partial: who started the work asks [`Note::check_cancelled`](crate::Note::check_cancelled)
/// before its result is used.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Asks for the end of the work. It cannot be taken back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// What a signal handler sets.
    pub fn shared(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}
