//! Runs that are made here for an experiment elsewhere.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use skywave_lab::experiment;
use skywave_lab::scenario::{CustomMembers, Files, Scenario, Unreadable};

use crate::custom::Failure;
use crate::errors::scenario_error;
use crate::gathering::{Lines, packed, recorded, simulate};
use crate::running;

/// The files of a scenario that was sent here, by the places that they have elsewhere.
struct Sent {
    base: PathBuf,
    files: BTreeMap<PathBuf, String>,
}

impl Files for Sent {
    fn text(&self, path: &str) -> Result<String, Unreadable> {
        let text = self.files.get(&self.place(path));
        let text = text.ok_or_else(|| Unreadable::Because("it was not sent along".into()))?;
        Ok(text.clone())
    }

    fn exists(&self, path: &str) -> bool {
        self.files.contains_key(&self.place(path))
    }

    fn place(&self, path: &str) -> PathBuf {
        self.base.join(path)
    }
}

/// Makes runs of a scenario that was sent here.
#[pyclass(frozen, module = "skywave._skywave")]
pub(crate) struct Maker {
    scenario: Scenario,
    inner: experiment::Maker,
    segments: bool,
}

#[pymethods]
impl Maker {
    /// Reads the scenario called `name` from its `text`; the files that it names are in `files`, by their places
    /// from `base` on.
    #[new]
    #[pyo3(signature = (name, text, base, files, series, segments, /))]
    fn new(
        py: Python<'_>,
        name: &str,
        text: &str,
        base: PathBuf,
        files: BTreeMap<PathBuf, String>,
        series: Option<&str>,
        segments: bool,
    ) -> PyResult<Self> {
        let series = recorded(series)?;
        let read = py.detach(|| {
            let files = Sent { base, files };
            // Whoever sends it has checked it, and may have time series recorded whatever it says.
            let scenario =
                Scenario::parse_recorded(name, name, text, &files, &CustomMembers::default())?;
            let inner = experiment::Maker::of(&scenario, series);
            Ok((scenario, inner))
        });
        let (scenario, inner) = read.map_err(|error| scenario_error(py, &error))?;
        Ok(Self {
            scenario,
            inner,
            segments,
        })
    }

    /// A hash of all that decides the results.
    #[getter]
    fn plan(&self) -> String {
        format!("{:032x}", self.inner.hash())
    }

    /// Makes the runs at these places, one after the other, and gives their lines, with the time series by their
    /// keys. Begins no other run after so many seconds. `watch` is called now and then; its exceptions give up the run under way.
    #[pyo3(signature = (places, seconds, watch, /))]
    fn make<'py>(
        &self,
        py: Python<'py>,
        places: Vec<usize>,
        seconds: f64,
        watch: &Bound<'py, PyAny>,
    ) -> PyResult<Lines<'py>> {
        let failure = Arc::new(Failure::default());
        let tell = || watch.call0().map(|_| ());
        let budget = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        let lines = running::beside(py, &failure, tell, || {
            let start = Instant::now();
            let mut lines = Vec::with_capacity(places.len());
            for place in places {
                if !lines.is_empty() && start.elapsed() > budget {
                    break;
                }
                let line =
                    self.inner
                        .make(&self.scenario, place, &failure.cancel, |spec, cancel| {
                            simulate(spec, cancel, self.segments)
                        });
                let Some(line) = line else { break };
                lines.push(line);
            }
            lines
        })?;
        Ok(packed(py, &lines))
    }
}
