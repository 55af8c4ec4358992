//! Stopping on request: the first signal lets what is under way end, the second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown, register_usize};
use signal_hook::iterator::Signals;
use taire::Error;
use taire_http::StopHandle;

/// Holds the signal that asked to stop, 0 for none.
pub(crate) fn flag() -> Result<Arc<AtomicUsize>, Error> {
    let stop = Arc::new(AtomicUsize::new(0));
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT] {
        register_conditional_shutdown(signal, 128 + signal, asked.clone())?;
        register(signal, asked.clone())?;
        register_usize(signal, stop.clone(), signal as usize)?;
    }
    Ok(stop)
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
