//! Ctrl-C, and being told to end (SIGTERM, SIGHUP): the first one gives up the runs under way and keeps the others, the second one
//! stops at once.

use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// A flag that either sets. Without a handler (none could be set) Ctrl-C stops at once.
pub(crate) fn flag() -> &'static AtomicBool {
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
    &STOP
}
