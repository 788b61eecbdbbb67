//! Running an experiment beside Python: the interpreter is free meanwhile, Ctrl-C is heard soon, and
//! progress is told from the thread that called.

use std::ffi::CString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use skywave_lab::experiment::{self, Options, Progress, RecordSeries, Results};
use skywave_lab::scenario::Scenario;

use crate::custom::Failure;
use crate::errors::experiment_error;

/// How often Ctrl-C is looked for and progress is told.
const TICK: Duration = Duration::from_millis(50);

/// How to run, in owned values.
pub(crate) struct Wanted {
    pub(crate) dir: Option<PathBuf>,
    pub(crate) fresh: bool,
    pub(crate) threads: Option<usize>,
    pub(crate) series: RecordSeries,
}

/// Runs all points with all seeds.
///
/// The simulations have threads of their own; this one waits without the interpreter and takes it
/// now and then, for signals and for `progress`. An exception from these, or from a member written in
/// Python, gives up the runs under
/// way and is raised when they have ended; finished ones are kept when there is a directory.
pub(crate) fn run(
    py: Python<'_>,
    scenario: &Scenario,
    wanted: &Wanted,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Results> {
    let failure = Arc::new(Failure::default());
    let ended = AtomicBool::new(false);
    let latest = Mutex::new(None);
    let told = Mutex::new(Vec::new());
    let options = Options {
        dir: wanted.dir.as_deref(),
        fresh: wanted.fresh,
        threads: wanted.threads,
        series: wanted.series,
        cancel: &failure.cancel,
        progress: &|progress| {
            *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
        },
        doubts: &|doubts| {
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            told.push(doubts.to_string());
        },
        ..Options::default()
    };
    let tell = || -> PyResult<()> {
        py.check_signals()?;
        let doubts = std::mem::take(&mut *told.lock().unwrap_or_else(PoisonError::into_inner));
        for doubt in doubts {
            let category = py.get_type::<PyUserWarning>();
            let text = CString::new(doubt.replace('\0', "")).unwrap_or_default();
            PyErr::warn(py, &category, &text, 1)?;
        }
        let news = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (
            Some(progress),
            Some(Progress {
                done,
                reused,
                total,
            }),
        ) = (progress, news)
        {
            progress.call1((done, reused, total))?;
        }
        Ok(())
    };

    let waiting = thread::current();
    let (outcome, stopped) = thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let outcome = experiment::run(scenario, &options, |spec, cancel| {
                if spec.has_custom() {
                    failure.watch(|| experiment::simulate(spec, cancel))
                } else {
                    experiment::simulate(spec, cancel)
                }
            });
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
            outcome.map_err(|error| experiment_error(&error))
        }
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
