//! A scenario, read and checked, that can be run.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use skywave_lab::experiment::RecordSeries;
use skywave_lab::scenario::{Scenario, ScenarioError};

use crate::errors::scenario_error;
use crate::results::Results;
use crate::running::{self, Wanted};

/// A scenario, read and checked.
#[pyclass(frozen, module = "skywave._skywave")]
pub(crate) struct Experiment(Arc<Scenario>);

#[pymethods]
impl Experiment {
    /// Reads the scenario file at `path`.
    #[staticmethod]
    #[pyo3(signature = (path, /))]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::checked(py, || Scenario::load(&path))
    }

    /// Reads a scenario from `text`; traces are looked for in `base`.
    #[staticmethod]
    #[pyo3(signature = (name, text, base, /))]
    fn parse(py: Python<'_>, name: &str, text: &str, base: PathBuf) -> PyResult<Self> {
        Self::checked(py, || Scenario::parse(name, text, Some(&base)))
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn title(&self) -> &str {
        self.0.title()
    }

    #[getter]
    fn description(&self) -> Option<&str> {
        self.0.description()
    }

    #[getter]
    fn text(&self) -> &str {
        self.0.text()
    }

    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.0.seeds().to_vec()
    }

    #[getter]
    fn params(&self) -> Vec<String> {
        self.0.params().to_vec()
    }

    #[getter]
    fn points(&self) -> usize {
        self.0.points().len()
    }

    #[getter]
    fn runs(&self) -> usize {
        self.0.runs()
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
        progress: Option<Bound<'_, PyAny>>,
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
            threads: threads.map(NonZeroUsize::get),
            series,
        };
        let measured = running::run(py, &self.0, &wanted, progress.as_ref())?;
        Ok(Results::new(Arc::clone(&self.0), measured))
    }
}

impl Experiment {
    fn checked(
        py: Python<'_>,
        read: impl FnOnce() -> Result<Scenario, ScenarioError> + Send,
    ) -> PyResult<Self> {
        match py.detach(read) {
            Ok(scenario) => Ok(Self(Arc::new(scenario))),
            Err(error) => Err(scenario_error(py, &error)),
        }
    }
}
