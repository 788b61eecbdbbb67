//! A scenario, read and checked, that can be run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use skywave_lab::folder::Folder;
use skywave_lab::report::number::counted;
use skywave_lab::scenario::{CustomMembers, Scenario, ScenarioError};

use crate::custom::{self, Member};
use crate::errors::scenario_error;
use crate::gathering::{Gathering, recorded};

/// A scenario, read and checked.
#[pyclass(frozen, module = "skywave")]
pub(crate) struct Experiment {
    scenario: Arc<Scenario>,
    /// The folder that its files are relative to.
    base: PathBuf,
    /// The scenario may name members written in Python.
    custom: bool,
}

#[pymethods]
impl Experiment {
    /// Reads the scenario file at `path`, which may name the members in `custom`.
    #[staticmethod]
    #[pyo3(signature = (path, custom, /))]
    fn _load(py: Python<'_>, path: PathBuf, custom: Vec<Member>) -> PyResult<Self> {
        Self::checked(py, base_of(&path), custom, |members| {
            skywave_lab::folder::load_with(&path, members)
        })
    }

    /// Reads the scenario file at `path` for a run that records time series whatever the file says.
    #[staticmethod]
    #[pyo3(signature = (path, /))]
    fn _load_recorded(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::checked(py, base_of(&path), Vec::new(), |_| {
            skywave_lab::folder::load_recorded(&path)
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
        let files = Folder::new(&base);
        Self::checked(py, base, custom, |members| {
            Scenario::parse_with(name, name, text, &files, members)
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
        let points = counted(self.points(), "point");
        let seeds = counted(self.scenario.seeds().len(), "seed");
        format!("<skywave.Experiment {}: {points}, {seeds}>", self.name())
    }

    /// Begins to run all points with all seeds. With `segments`, time series have those of the segments as well.
    #[pyo3(name = "_gather", signature = (*, out, fresh, series, segments))]
    fn gather(
        &self,
        py: Python<'_>,
        out: Option<PathBuf>,
        fresh: bool,
        series: Option<&str>,
        segments: bool,
    ) -> PyResult<Gathering> {
        let series = (recorded(series)?, segments);
        Gathering::open(py, &self.scenario, self.custom, (out, fresh), series)
    }

    /// Whether it may name members written in Python.
    #[getter]
    fn _custom(&self) -> bool {
        self.custom
    }

    /// The folder that the scenario's files are relative to.
    #[getter]
    fn _base(&self) -> &Path {
        &self.base
    }

    /// The places of the traces and movements that the scenario names.
    #[getter]
    fn _traces(&self) -> Vec<PathBuf> {
        self.scenario.traces().to_vec()
    }
}

impl Experiment {
    pub(crate) fn of(scenario: Scenario, base: PathBuf) -> Self {
        Self {
            scenario: Arc::new(scenario),
            base,
            custom: false,
        }
    }

    fn checked(
        py: Python<'_>,
        base: PathBuf,
        custom: Vec<Member>,
        read: impl FnOnce(&CustomMembers) -> Result<Scenario, ScenarioError> + Send,
    ) -> PyResult<Self> {
        let any = !custom.is_empty();
        let members = custom::members(custom)?;
        match py.detach(|| read(&members)) {
            Ok(scenario) => Ok(Self {
                scenario: Arc::new(scenario),
                base,
                custom: any,
            }),
            Err(error) => Err(scenario_error(py, &error)),
        }
    }
}

/// The folder in which a scenario file lies.
fn base_of(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).to_owned()
}
