//! Cancelling the treatment of a document.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Error;

/// Set by a caller that no longer waits for the document. It is checked before each stage, so work ends after the stage
/// under way.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Asks for the end of the work.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// An error once the flag is set.
    pub(crate) fn check(flag: Option<&CancelFlag>) -> Result<(), Error> {
        match flag {
            Some(flag) if flag.is_cancelled() => {
                Err(Error::refused("the caller left before the document was treated"))
            }
            _ => Ok(()),
        }
    }
}
