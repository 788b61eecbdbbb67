//! A scenario, read and checked, that can be run.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use skywave_lab::experiment::RecordSeries;
use skywave_lab::folder::Folder;
use skywave_lab::scenario::{CustomMembers, Scenario, ScenarioError};

use crate::custom::{self, Member};
use crate::errors::scenario_error;
use crate::results::Results;
use crate::running::{self, Wanted};

/// A scenario, read and checked.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct Experiment {
    scenario: Arc<Scenario>,
    /// It may name members written in Python.
    custom: bool,
}

#[pymethods]
impl Experiment {
    /// Reads the scenario file at `path`, which may name the members in `custom`.
    #[staticmethod]
    #[pyo3(signature = (path, custom, /))]
    fn _load(py: Python<'_>, path: PathBuf, custom: Vec<Member>) -> PyResult<Self> {
        Self::checked(py, custom, |members| {
            skywave_lab::folder::load_with(&path, members)
        })
    }

    /// Reads a scenario from `text`; traces are looked for in `base`.
    #[staticmethod]
    #[pyo3(signature = (name, text, base, custom, /))]
    fn _parse(
        py: Python<'_>,
        name: &str,
        text: &str,
        base: PathBuf,
        custom: Vec<Member>,
    ) -> PyResult<Self> {
        Self::checked(py, custom, |members| {
            Scenario::parse_with(name, name, text, &Folder::new(base), members)
        })
    }

    #[getter]
    fn name(&self) -> &str {
        self.scenario.name()
    }

    #[getter]
    fn title(&self) -> &str {
        self.scenario.title()
    }

    #[getter]
    fn description(&self) -> Option<&str> {
        self.scenario.description()
    }

    #[getter]
    fn text(&self) -> &str {
        self.scenario.text()
    }

    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.scenario.seeds().to_vec()
    }

    #[getter]
    fn params(&self) -> Vec<String> {
        self.scenario.params().to_vec()
    }

    #[getter]
    fn points(&self) -> usize {
        self.scenario.points().len()
    }

    #[getter]
    fn runs(&self) -> usize {
        self.scenario.runs()
    }

    fn __repr__(&self) -> String {
        let (name, points) = (self.name(), self.points());
        let seeds = self.scenario.seeds().len();
        format!("<skywave.Experiment {name}: {points} points, {seeds} seeds>")
    }

    /// Runs all points with all seeds; `progress` is called with runs done, found and wanted.
    #[pyo3(name = "_run", signature = (*, out, fresh, threads, series, progress))]
    fn run(
        &self,
        py: Python<'_>,
        out: Option<PathBuf>,
        fresh: bool,
        threads: Option<NonZeroUsize>,
        series: Option<&str>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Results> {
        let series = match series {
            None => RecordSeries::AsSpecified,
            Some("first") => RecordSeries::FirstSeed,
            Some("all") => RecordSeries::Always,
            Some(other) => {
                return Err(PyValueError::new_err(format!(
                    "series must be \"first\", \"all\" or None, not {other:?}"
                )));
            }
        };
        let wanted = Wanted {
            dir: out,
            fresh,
            // More threads would only wait for each other: one at a time has the interpreter.
            threads: match threads {
                None if self.custom => Some(1),
                threads => threads.map(NonZeroUsize::get),
            },
            series,
        };
        let measured = running::run(py, &self.scenario, &wanted, progress)?;
        Ok(Results::new(Arc::clone(&self.scenario), measured))
    }
}

impl Experiment {
    fn checked(
        py: Python<'_>,
        custom: Vec<Member>,
        read: impl FnOnce(&CustomMembers) -> Result<Scenario, ScenarioError> + Send,
    ) -> PyResult<Self> {
        let any = !custom.is_empty();
        let members = custom::members(custom)?;
        match py.detach(|| read(&members)) {
            Ok(scenario) => Ok(Self {
                scenario: Arc::new(scenario),
                custom: any,
            }),
            Err(error) => Err(scenario_error(py, &error)),
        }
    }
}
