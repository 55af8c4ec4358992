//! The targets of `taire-fuzz` under libFuzzer. `TAIRE_FUZZ` names the target; `cargo xtask fuzz` sets it.

#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use taire_fuzz::Target;

static TARGET: OnceLock<&'static Target> = OnceLock::new();

/// libFuzzer ends at the first panic. One inside a reader that is isolated is a refusal, so it goes on.
fn begin() {
    let name = std::env::var("TAIRE_FUZZ").unwrap_or_default();
    let Some(target) = taire_fuzz::named(&name) else {
        let known: Vec<&str> = taire_fuzz::TARGETS.iter().map(|target| target.name).collect();
        eprintln!("TAIRE_FUZZ names no target; known: {}", known.join(", "));
        std::process::exit(2);
    };
    let _ = TARGET.set(target);
    let end = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let place = info.location().map_or("", |place| place.file());
        if !target.isolates.iter().any(|reader| place.contains(reader)) {
            end(info);
        }
    }));
}

fuzz_target!(init: begin(), |bytes: &[u8]| {
    if let Some(target) = TARGET.get() {
        (target.run)(bytes);
    }
});
