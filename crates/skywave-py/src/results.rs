//! Results of an experiment, as tables, text and plots.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use skywave_lab::experiment;
use skywave_lab::report::frame::{self, Frame};
use skywave_lab::report::plot::Print;
use skywave_lab::report::{self, Drawing, Fonts, HtmlOptions, Study};
use skywave_lab::scenario::Scenario;

use crate::errors::{scenario_error, write_error};
use crate::table::Table;

/// Results of an experiment: its scenario, and what was measured.
#[pyclass(frozen, module = "skywave._skywave")]
pub(crate) struct Results {
    scenario: Arc<Scenario>,
    study: Study,
    measured: experiment::Results,
}

impl Results {
    pub(crate) fn new(scenario: Arc<Scenario>, measured: experiment::Results) -> Self {
        Self {
            study: Study::from(&*scenario),
            scenario,
            measured,
        }
    }

    /// The measurements, without their scenario.
    pub(crate) fn measured(&self) -> &experiment::Results {
        &self.measured
    }

    fn table<'a>(
        &'a self,
        py: Python<'_>,
        frame: fn(&'a Study, &'a experiment::Results) -> Frame<'a>,
    ) -> PyResult<Table> {
        py.detach(|| Table::collect(frame(&self.study, &self.measured)))
            .map_err(|error| PyOSError::new_err(error.to_string()))
    }

    /// The plots of the scenario's report, or those that `report` asks for; on a screen, or for print.
    fn drawn(
        &self,
        py: Python<'_>,
        report: Option<&str>,
        print: Option<&Print>,
    ) -> PyResult<Vec<Drawing>> {
        let other;
        let study = match report {
            None => &self.study,
            Some(text) => {
                let report = self.scenario.report_from(text);
                other = Study {
                    report: report.map_err(|error| scenario_error(py, &error))?,
                    ..self.study.clone()
                };
                &other
            }
        };
        Ok(py.detach(|| report::drawings(study, &self.measured, print))?)
    }
}

#[pymethods]
impl Results {
    /// Name of the scenario.
    #[getter]
    fn name(&self) -> &str {
        &self.study.name
    }

    /// Title of the scenario.
    #[getter]
    fn title(&self) -> &str {
        &self.study.title
    }

    /// Version and fingerprint of the engine that made the results.
    #[getter]
    fn engine(&self) -> &str {
        &self.measured.engine
    }

    /// The seeds of each point.
    #[getter]
    fn seeds(&self) -> Vec<u64> {
        self.measured.seeds.clone()
    }

    /// One row a run and flow.
    fn runs(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, frame::runs)
    }

    /// One row a run and link.
    fn links(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, frame::links)
    }

    /// One row a run and flow that a proxy splits.
    fn proxies(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, frame::proxies)
    }

    /// One row a run and station.
    fn stations(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, frame::stations)
    }

    /// One row a run, station and span of time.
    fn timelines(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, frame::timelines)
    }

    /// One row a run, flow and bin: delivered bytes.
    fn bins(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, frame::bins)
    }

    /// One row a run, flow and transfer that was kept by itself.
    fn requests(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, frame::requests)
    }

    /// One row a sample of a recorded time series.
    fn series(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, frame::series)
    }

    /// One row a point and flow: means with the half widths of their 95% intervals.
    fn summary(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, frame::summary)
    }

    /// The tables that the command prints, for so many columns.
    #[pyo3(signature = (width, /))]
    fn text(&self, py: Python<'_>, width: usize) -> String {
        py.detach(|| report::table(&self.study, &self.measured, width))
    }

    /// Title and SVG of each plot: those of the scenario's report, or those that `report` (the keys
    /// of a `[report]` table) asks for.
    #[pyo3(signature = (report, /))]
    fn drawings(&self, py: Python<'_>, report: Option<&str>) -> PyResult<Vec<(String, String)>> {
        let drawings = self.drawn(py, report, None)?;
        Ok(drawings.into_iter().map(|d| (d.title, d.svg)).collect())
    }

    /// The same plots as SVGs for paper, without titles.
    #[pyo3(signature = (report, /))]
    fn prints(&self, py: Python<'_>, report: Option<&str>) -> PyResult<Vec<String>> {
        let drawings = self.drawn(py, report, Some(&Print::default()))?;
        Ok(drawings.into_iter().map(|d| d.svg).collect())
    }

    /// An SVG of `prints` as a PDF, its font inside.
    #[staticmethod]
    #[pyo3(signature = (svg, /))]
    fn pdf<'py>(py: Python<'py>, svg: &str) -> PyResult<Bound<'py, PyBytes>> {
        let pdf = py.detach(|| report::pdf(svg, &Fonts::built_in()))?;
        Ok(PyBytes::new(py, &pdf))
    }

    /// Writes the report, one HTML file.
    #[pyo3(signature = (path, /))]
    fn save_report(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            report::write_file(&path, |out| {
                let page = report::html(&self.study, &self.measured, &HtmlOptions::default())?;
                std::io::Write::write_all(out, page.as_bytes())
            })
        })
        .map_err(|error| write_error(&error))
    }

    /// Writes everything that the command leaves in a run directory.
    #[pyo3(signature = (dir, /))]
    fn save(&self, py: Python<'_>, dir: PathBuf) -> PyResult<()> {
        py.detach(|| {
            report::write_all(
                &dir,
                &self.study,
                &self.measured,
                &HtmlOptions::default(),
                false,
            )
        })
        .map(|_| ())
        .map_err(|error| write_error(&error))
    }
}
