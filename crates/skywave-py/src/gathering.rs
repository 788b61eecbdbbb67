//! An experiment under way, whose runs come from its directory, from threads here, or from elsewhere.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use skywave_lab::capture;
use skywave_lab::experiment::{self, Limits, Options, RecordSeries, RunKey, SentSeries};
use skywave_lab::scenario::Scenario;
use skywave_lab::threads::lock;
use skywave_sim::{Outcome, Spec};

use crate::custom::Failure;
use crate::errors::experiment_error;
use crate::results::Results;
use crate::running;

/// Lines of runs, and the time series of those that have some, by their keys.
pub(crate) type Lines<'py> = (Bound<'py, PyBytes>, Vec<(String, Bound<'py, PyBytes>)>);

/// Runs that record time series, by Python's word for them: "first", "all", "never", or `None` for those that the
/// scenario says.
pub(crate) fn recorded(series: Option<&str>) -> PyResult<RecordSeries> {
    Ok(match series {
        None => RecordSeries::AsSpecified,
        Some("first") => RecordSeries::FirstSeed,
        Some("all") => RecordSeries::Always,
        Some("never") => RecordSeries::Never,
        Some(other) => {
            return Err(PyValueError::new_err(format!(
                "series must be \"first\", \"all\" or None, not {other:?}"
            )));
        }
    })
}

/// An experiment under way. Its directory is locked until it ends: use it in a `with` statement.
#[pyclass(frozen, module = "skywave._skywave")]
pub(crate) struct Gathering {
    scenario: Arc<Scenario>,
    /// The scenario may name members written in Python.
    custom: bool,
    /// Time series are to have those of the segments as well.
    segments: bool,
    /// The engine's gathering; `None` once it has ended.
    inner: RwLock<Option<experiment::Gathering>>,
    /// The places of the plan whose runs a store has.
    stored: Mutex<Vec<bool>>,
}

impl Gathering {
    pub(crate) fn open(
        py: Python<'_>,
        scenario: &Arc<Scenario>,
        custom: bool,
        (out, fresh): (Option<PathBuf>, bool),
        (series, segments): (RecordSeries, bool),
    ) -> PyResult<Self> {
        let told = Mutex::new(Vec::new());
        let opened = py.detach(|| {
            let options = Options {
                dir: out.as_deref(),
                fresh,
                series,
                doubts: &|doubts| lock(&told).push(doubts.to_string()),
                ..Options::default()
            };
            experiment::Gathering::open(&**scenario, &options)
        });
        let gathering = opened.map_err(|error| experiment_error(&error))?;
        running::warn_of(py, &told)?;
        Ok(Self {
            scenario: Arc::clone(scenario),
            custom,
            segments,
            stored: Mutex::new(vec![false; gathering.total()]),
            inner: RwLock::new(Some(gathering)),
        })
    }

    /// Does something with the experiment, unless it has ended.
    fn with<T>(&self, work: impl FnOnce(&experiment::Gathering) -> T) -> PyResult<T> {
        let guard: RwLockReadGuard<'_, _> =
            self.inner.read().unwrap_or_else(PoisonError::into_inner);
        match &*guard {
            Some(gathering) => Ok(work(gathering)),
            None => Err(PyRuntimeError::new_err("this experiment has ended")),
        }
    }

    fn take(&self) -> Option<experiment::Gathering> {
        let mut guard = self.inner.write().unwrap_or_else(PoisonError::into_inner);
        guard.take()
    }

    /// Adds lines; the number of runs that were not there, and whether each line could be used.
    fn add_lines(
        &self,
        py: Python<'_>,
        (lines, series): (&[u8], &[(String, Vec<u8>)]),
        stored: bool,
    ) -> PyResult<(usize, bool)> {
        let added = py.detach(|| {
            self.with(|gathering| {
                let series: BTreeMap<&str, &[u8]> = series
                    .iter()
                    .map(|(key, bytes)| (key.as_str(), bytes.as_slice()))
                    .collect();
                let (mut new, mut all_used) = (0, true);
                for line in lines.split_inclusive(|&byte| byte == b'\n') {
                    let key = key_of(line);
                    let sent = key.and_then(|key| {
                        let bytes = series.get(key)?;
                        let key = RunKey::parse(key)?;
                        Some(SentSeries { key, bytes })
                    });
                    match gathering.add(line, sent)? {
                        Some(added) => {
                            new += added.new;
                            if stored {
                                let mut stored = lock(&self.stored);
                                for place in added.places {
                                    stored[place] = true;
                                }
                            }
                        }
                        None => all_used = false,
                    }
                }
                Ok((new, all_used))
            })
        });
        added?.map_err(|error| experiment_error(&error))
    }
}

#[pymethods]
impl Gathering {
    /// Number of runs.
    #[getter]
    fn total(&self) -> PyResult<usize> {
        self.with(experiment::Gathering::total)
    }

    /// Number of runs that were found at the start.
    #[getter]
    fn reused(&self) -> PyResult<usize> {
        self.with(experiment::Gathering::reused)
    }

    /// A hash of all that decides the results.
    #[getter]
    fn plan(&self) -> PyResult<String> {
        self.with(|gathering| format!("{:032x}", gathering.hash()))
    }

    /// Places of the runs that are missing, in the order in which they should be made.
    fn missing(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        py.detach(|| self.with(experiment::Gathering::missing))
    }

    /// Places of the plan, among `places`, whose runs are missing.
    #[pyo3(signature = (places, /))]
    fn lacking(&self, places: Vec<usize>) -> PyResult<Vec<usize>> {
        self.with(|gathering| {
            let places = places.into_iter();
            places.filter(|&place| gathering.lacks(place)).collect()
        })
    }

    /// Makes the runs that are missing on threads here; `progress` is called with runs done, found and wanted.
    #[pyo3(signature = (*, threads, progress))]
    fn make(
        &self,
        py: Python<'_>,
        threads: Option<NonZeroUsize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let failure = Arc::new(Failure::default());
        let latest = Mutex::new(None);
        let options = Options {
            threads: running::threads(threads, self.custom),
            cancel: &failure.cancel,
            progress: &|progress| *lock(&latest) = Some(progress),
            ..Options::default()
        };
        let tell = || running::tell(progress, &latest);
        let made = running::beside(py, &failure, tell, || {
            self.with(|gathering| {
                gathering.make(&*self.scenario, &options, |spec, cancel| {
                    let one = || simulate(spec, cancel, self.segments);
                    if spec.has_custom() {
                        failure.watch(one)
                    } else {
                        one()
                    }
                })
            })
        })?;
        made?.map_err(|error| experiment_error(&error))
    }

    /// Takes runs that were made elsewhere; gives how many of them were missing, and whether all lines could be used.
    #[pyo3(signature = (lines, series, /))]
    fn add(
        &self,
        py: Python<'_>,
        lines: &[u8],
        series: Vec<(String, Vec<u8>)>,
    ) -> PyResult<(usize, bool)> {
        self.add_lines(py, (lines, &series), false)
    }

    /// As `add`, of runs that a store has.
    #[pyo3(signature = (lines, series, /))]
    fn add_stored(
        &self,
        py: Python<'_>,
        lines: &[u8],
        series: Vec<(String, Vec<u8>)>,
    ) -> PyResult<(usize, bool)> {
        self.add_lines(py, (lines, &series), true)
    }

    /// The specification of each run, in the order of their places, by its name in a store.
    fn specifications(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.detach(|| {
            self.with(|gathering| {
                let all = gathering.specifications(&*self.scenario).into_iter();
                // Time series with and without those of the segments are not the same bytes.
                all.map(|(specification, series)| {
                    let ending = if series && self.segments {
                        "-segments"
                    } else {
                        ""
                    };
                    format!("{specification}{ending}")
                })
                .collect()
            })
        })
    }

    /// Most bytes of a line, and of a run's time series.
    fn limits(&self, py: Python<'_>) -> (usize, usize) {
        let limits = py.detach(|| Limits::of(&*self.scenario));
        (limits.line, limits.series)
    }

    /// How many places a line with this key has here, by what it says.
    #[pyo3(signature = (line, /))]
    fn places(&self, line: &[u8]) -> PyResult<usize> {
        let key = key_of(line).and_then(RunKey::parse);
        key.map_or(Ok(0), |key| self.with(|gathering| gathering.places(key)))
    }

    /// Places of the runs that are kept here and that no store has.
    fn unstored(&self, py: Python<'_>) -> PyResult<Vec<usize>> {
        py.detach(|| {
            self.with(|gathering| {
                let stored = lock(&self.stored);
                let places = stored.iter().enumerate();
                let places = places.filter(|&(place, stored)| !stored && gathering.has_line(place));
                places.map(|(place, _)| place).collect()
            })
        })
    }

    /// Notes that a store has the runs at these places.
    #[pyo3(signature = (places, /))]
    fn note_stored(&self, places: Vec<usize>) {
        let mut stored = lock(&self.stored);
        for place in places {
            if let Some(stored) = stored.get_mut(place) {
                *stored = true;
            }
        }
    }

    /// The lines of the runs at these places, and their time series by their keys.
    #[pyo3(signature = (places, /))]
    fn lines<'py>(&self, py: Python<'py>, places: Vec<usize>) -> PyResult<Lines<'py>> {
        let lines = py.detach(|| self.with(|gathering| gathering.lines(&places)))?;
        let lines = lines.map_err(|error| experiment_error(&error))?;
        Ok(packed(py, &lines))
    }

    /// Ends the experiment; gives its results. The journal is put in order if nothing is missing.
    fn finish(&self, py: Python<'_>) -> PyResult<Results> {
        let measured = py.detach(|| match self.take() {
            Some(gathering) => gathering.finish().map_err(|error| experiment_error(&error)),
            None => Err(PyRuntimeError::new_err("this experiment has ended")),
        })?;
        Ok(Results::new(Arc::clone(&self.scenario), measured))
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Leaves the directory to others.
    #[pyo3(signature = (kind, error, trace, /))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: Option<&Bound<'_, PyAny>>,
        error: Option<&Bound<'_, PyAny>>,
        trace: Option<&Bound<'_, PyAny>>,
    ) {
        let _ = (kind, error, trace);
        py.detach(|| drop(self.take()));
    }
}

/// Lines as Python has them.
pub(crate) fn packed<'py>(py: Python<'py>, lines: &[experiment::Line]) -> Lines<'py> {
    let bytes: Vec<u8> = lines.iter().flat_map(|line| &line.line).copied().collect();
    let series = lines.iter().filter_map(|line| {
        let bytes = line.series.as_ref()?;
        Some((line.key.to_string(), PyBytes::new(py, bytes)))
    });
    (PyBytes::new(py, &bytes), series.collect())
}

/// The key in a line; `None` if there is none where it should be. The line's check is made later.
fn key_of(line: &[u8]) -> Option<&str> {
    const BEFORE: &[u8] = b"\"key\":\"";
    let at = line.windows(BEFORE.len()).position(|w| w == BEFORE)? + BEFORE.len();
    std::str::from_utf8(line.get(at..at + 32)?).ok()
}

/// Makes a run, with time series of the segments if they are wanted.
pub(crate) fn simulate(spec: &Spec, cancel: &AtomicBool, segments: bool) -> Option<Outcome> {
    if segments {
        capture::simulate_with_sequence(spec, cancel)
    } else {
        experiment::simulate(spec, cancel)
    }
}
