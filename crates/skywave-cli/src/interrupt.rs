//! Ctrl-C, and being told to end (SIGTERM, SIGHUP): the first one gives up the runs under way and keeps the others, the second one
//! stops at once.

use std::fmt::Display;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use skywave_lab::experiment::Results;

use crate::failure::Failure;

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

/// Failure that reports an interruption to the user: the folder `dir` keeps the finished `runs` (a number, or `3 of 10`), and
/// the same command continues with the others.
pub(crate) fn kept(runs: impl Display, dir: &Path) -> Failure {
    let dir = dir.display();
    Failure::interrupted(format!(
        "interrupted: {runs} runs are kept in {dir}; the same command goes on from there"
    ))
}

/// The results of all runs; the failure of [`kept`] where Ctrl-C has left some out.
pub(crate) fn complete(results: Results, dir: &Path) -> Result<Results, Failure> {
    if !results.is_complete() {
        let runs = format_args!("{} of {}", results.finished(), results.total());
        return Err(kept(runs, dir));
    }
    Ok(results)
}
