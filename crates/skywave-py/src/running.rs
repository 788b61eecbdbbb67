//! Work beside Python: the interpreter is free meanwhile, Ctrl-C is heard soon, and progress is told from the
//! thread that called.

use std::ffi::CString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use pyo3::PyTypeInfo;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use skywave_lab::experiment::Progress;
use skywave_lab::threads::lock;

use crate::custom::Failure;

/// Where finished runs are kept, and how others are made.
#[derive(FromPyObject)]
pub(crate) struct Keep {
    /// Folder of results; `None` keeps nothing.
    pub(crate) out: Option<PathBuf>,
    /// Forget what the folder holds.
    pub(crate) fresh: bool,
    threads: Option<NonZeroUsize>,
}

impl Keep {
    /// Number of threads, by whether members written in Python are among the runs.
    pub(crate) fn threads(&self, custom: bool) -> Option<usize> {
        threads(self.threads, custom)
    }
}

/// Number of threads; `None` for one a core. With members written in Python it is one unless it is given: more would
/// only wait for each other, as one at a time has the interpreter.
pub(crate) fn threads(given: Option<NonZeroUsize>, custom: bool) -> Option<usize> {
    let alone = custom.then_some(1);
    given.map(NonZeroUsize::get).or(alone)
}

/// How often Ctrl-C is looked for and progress is told.
const TICK: Duration = Duration::from_millis(50);

/// Does some work.
///
/// It has threads of its own; this one waits without the interpreter and takes it now and then, for signals and
/// for `tell`. An exception from these, or from a member written in Python, asks `failure` to stop the work, and
/// is raised when that has ended.
pub(crate) fn beside<T: Send>(
    py: Python<'_>,
    failure: &Failure,
    mut tell: impl FnMut() -> PyResult<()>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let mut tell = || {
        py.check_signals()?;
        tell()
    };
    let ended = AtomicBool::new(false);
    let waiting = thread::current();
    let (outcome, stopped) = thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let outcome = work();
            ended.store(true, Ordering::Release);
            waiting.unpark();
            outcome
        });
        let mut stopped = None;
        while !ended.load(Ordering::Acquire) && !worker.is_finished() {
            py.detach(|| thread::park_timeout(TICK));
            if stopped.is_none()
                && let Err(exception) = tell()
            {
                failure.cancel.store(true, Ordering::Relaxed);
                stopped = Some(exception);
            }
        }
        (py.detach(|| worker.join()), stopped)
    });
    if let Some(exception) = failure.take().or(stopped) {
        return Err(exception);
    }
    match outcome {
        Ok(outcome) => {
            tell()?;
            Ok(outcome)
        }
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Tells Python of the latest news, if there are some: runs done, found and wanted.
pub(crate) fn tell(
    progress: Option<&Bound<'_, PyAny>>,
    latest: &Mutex<Option<Progress>>,
) -> PyResult<()> {
    let news = lock(latest).take();
    if let (Some(progress), Some(news)) = (progress, news) {
        progress.call1((news.done, news.reused, news.total))?;
    }
    Ok(())
}

/// Warns the user of doubts, each once.
pub(crate) fn warn_of(py: Python<'_>, doubts: &Mutex<Vec<String>>) -> PyResult<()> {
    let mut doubts = lock(doubts);
    doubts
        .drain(..)
        .try_for_each(|doubt| warn::<PyUserWarning>(py, &doubt))
}

/// Warns the user.
pub(crate) fn warn<W: PyTypeInfo>(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = CString::new(text.replace('\0', "")).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<W>(), &text, 1)
}
