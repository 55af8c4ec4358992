//! Stopping on request: at the first signal a run gives up the documents under way and writes down how far it is, and a server
//! lets its requests end; the second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown, register_usize};
use signal_hook::iterator::Signals;
use taire::Error;
use taire_http::StopHandle;
use taire_text::CancelFlag;

/// What signals ask of a run.
pub(crate) struct Signalled {
    /// The signal that asked to stop, 0 for none.
    pub(crate) stop: Arc<AtomicUsize>,
    /// Has what is under way given up. It is set after `stop`.
    pub(crate) cancel: CancelFlag,
}

/// Handles signals from now on.
pub(crate) fn listen() -> Result<Signalled, Error> {
    let (stop, cancel) = (Arc::new(AtomicUsize::new(0)), CancelFlag::default());
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT] {
        register_conditional_shutdown(signal, 128 + signal, asked.clone())?;
        register(signal, asked.clone())?;
        register_usize(signal, stop.clone(), signal as usize)?;
        register(signal, cancel.shared())?;
    }
    Ok(Signalled { stop, cancel })
}

/// Stops a server at the first signal.
pub(crate) fn server(stop: StopHandle) -> Result<(), Error> {
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        let mut asked = signals.forever();
        if asked.next().is_some() {
            stop.stop();
        }
        if let Some(signal) = asked.next() {
            std::process::exit(128 + signal);
        }
    });
    Ok(())
}
