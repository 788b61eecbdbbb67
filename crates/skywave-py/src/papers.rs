//! Papers whose claims are measured again.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use skywave_lab::experiment::{self, RecordSeries, series_of};
use skywave_papers::claims::{self, ClaimsError, Reproduction};
use skywave_papers::file::FileError;

use crate::errors::scenario_error;
use crate::experiment::Experiment;
use crate::results::Results;

/// A paper: its experiments and its claims.
#[pyclass(frozen, module = "skywave._skywave")]
pub(crate) struct Paper {
    inner: claims::Paper,
    folder: PathBuf,
    /// Only some of its experiments.
    part: bool,
}

/// A scorecard: claims as lines of JSON, as a table, as Markdown, and as a page.
type Judged = (String, String, String, String);

#[pymethods]
impl Paper {
    /// Reads a built-in paper, or the one in a folder; only these experiments of it, if there are some.
    #[new]
    #[pyo3(signature = (paper, only, /))]
    fn new(py: Python<'_>, paper: PathBuf, only: Vec<String>) -> PyResult<Self> {
        let read = py.detach(|| {
            let name = paper.to_str().unwrap_or_default();
            let folder = claims::folder_of(&paper);
            let built_in = claims::papers().any(|known| known == name);
            let mut inner = match &folder {
                Some(folder) if !built_in => claims::load_dir(folder)?,
                _ => claims::load(name)?,
            };
            if !only.is_empty() {
                inner.keep(&only)?;
            }
            let folder = folder.filter(|_| !built_in).unwrap_or_default();
            Ok((inner, folder))
        });
        let (inner, folder) = read.map_err(|error| claims_error(py, &error))?;
        let part = !only.is_empty();
        Ok(Self {
            inner,
            folder,
            part,
        })
    }

    /// Short name of the paper.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// Title of the paper.
    #[getter]
    fn title(&self) -> &str {
        self.inner.title()
    }

    /// Experiments of the paper, also as other readings of the text have them, each with the runs that record time
    /// series: "first" or "never".
    fn experiments(&self) -> Vec<(Experiment, &'static str)> {
        let all = self.inner.scenarios();
        all.map(|scenario| {
            let series = match series_of(scenario) {
                RecordSeries::FirstSeed => "first",
                _ => "never",
            };
            let base = self.folder.clone();
            (Experiment::of(scenario.clone(), base), series)
        })
        .collect()
    }

    /// Judges the claims by the results of the experiments, by their names.
    #[pyo3(signature = (results, /))]
    fn judge(
        &self,
        py: Python<'_>,
        results: BTreeMap<String, Bound<'_, Results>>,
    ) -> PyResult<Judged> {
        let results: BTreeMap<String, experiment::Results> = results
            .into_iter()
            .map(|(name, results)| (name, results.get().measured().clone()))
            .collect();
        py.detach(|| {
            let all = claims::evaluate(&self.inner, &results);
            let scorecard = if self.part { all.judged() } else { all };
            let page = claims::page(&[Reproduction {
                paper: &self.inner,
                results: &results,
                scorecard: &scorecard,
                maps: &[],
            }])?;
            Ok((
                scorecard.to_json_lines(),
                scorecard.table(),
                scorecard.markdown(),
                page,
            ))
        })
        .map_err(|error: std::io::Error| PyOSError::new_err(error.to_string()))
    }
}

/// The exception for claims or cases that cannot be used.
pub(crate) fn claims_error(py: Python<'_>, error: &ClaimsError) -> PyErr {
    match error {
        ClaimsError::Scenario(error)
        | ClaimsError::File(FileError::Mistake { shown: error, .. }) => scenario_error(py, error),
        other => PyValueError::new_err(other.to_string()),
    }
}
