//! Records of a link, and what they tell of it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use serde_json::Value;
use skywave_diagnose::advice::{Host, Question, advise};
use skywave_diagnose::answer::Answer;
use skywave_diagnose::diagnosis::{self, Observed};
use skywave_diagnose::fit::path::Loss;
use skywave_diagnose::goodness::Compared;
use skywave_diagnose::link::{Likeliest, scenario};
use skywave_diagnose::page;
use skywave_lab::report::frame::{Frame, text, unit};

use crate::custom::Failure;
use crate::errors::RecordError;
use crate::running::beside;
use crate::table::Table;

/// Records of a link, and what they tell of it.
#[pyclass(frozen, module = "skywave._skywave")]
pub(crate) struct Diagnosis(diagnosis::Diagnosis);

/// Heading and text of advice, and the same as JSON if there is some.
type Advised = (String, String, Option<String>);

/// Text of a scenario, and file name and text of the trace that it names.
type Written = (String, Option<(String, String)>);

#[pymethods]
impl Diagnosis {
    /// Reads the records in these files.
    #[new]
    #[pyo3(signature = (records, /))]
    fn new(py: Python<'_>, records: Vec<PathBuf>) -> PyResult<Self> {
        py.detach(|| diagnosis::Diagnosis::of(&records))
            .map(Self)
            .map_err(|error| RecordError::new_err(error.to_string()))
    }

    /// One row a property of the link.
    fn link(&self) -> PyResult<Table> {
        let rows = page::rows(&self.0.link);
        let known: Vec<bool> = rows.iter().map(|row| row.is_known).collect();
        let fields = ["name", "value", "from"].map(|name| Field::new(name, DataType::Utf8, false));
        let known_field = Field::new("known", DataType::Boolean, false);
        table(
            fields.into_iter().chain([known_field]).collect(),
            vec![
                text(rows.iter().map(|row| row.name)),
                text(rows.iter().map(|row| row.value.as_str())),
                text(rows.iter().map(|row| row.from.as_str())),
                Arc::new(BooleanArray::from(known)),
            ],
        )
    }

    /// One row a candidate that was tried for a property, the best of each first.
    fn models(&self) -> PyResult<Table> {
        let page = page::json(&self.0);
        let properties = page["models"].as_object().into_iter().flatten();
        let rows: Vec<(&str, &Value)> = properties
            .flat_map(|(property, candidates)| {
                let candidates = candidates.as_array().into_iter().flatten();
                candidates.map(move |candidate| (property.as_str(), candidate))
            })
            .collect();
        let parameters = rows
            .iter()
            .map(|(_, candidate)| candidate["parameters"].to_string());
        let parameters: Vec<String> = parameters.collect();
        let number = |name: &'static str| {
            let values = rows
                .iter()
                .map(move |(_, candidate)| candidate[name].as_f64());
            Arc::new(values.collect::<Float64Array>()) as ArrayRef
        };
        table(
            vec![
                Field::new("property", DataType::Utf8, false),
                Field::new("model", DataType::Utf8, false),
                Field::new("parameters", DataType::Utf8, false),
                Field::new("log_likelihood", DataType::Float64, true),
                Field::new("bic", DataType::Float64, true),
            ],
            vec![
                text(rows.iter().map(|(property, _)| *property)),
                text(
                    rows.iter()
                        .map(|(_, candidate)| candidate["model"].as_str().unwrap_or_default()),
                ),
                text(parameters.iter().map(String::as_str)),
                number("log_likelihood"),
                number("bic"),
            ],
        )
    }

    /// Remarks on the records.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }

    /// The link as a scenario; `name` names its trace.
    #[pyo3(signature = (name, /))]
    fn scenario(&self, name: &str) -> Written {
        let written = scenario(&self.0.link, name, &mut Likeliest);
        (written.toml, written.trace)
    }

    /// The page that the command prints.
    fn text(&self) -> String {
        page::text(&self.0)
    }

    /// Heading and text of the advice, and the same as JSON, for a host and its sender of today; `None` without a link.
    #[pyo3(signature = (on, today, /))]
    fn advice(&self, py: Python<'_>, on: &str, today: Option<&str>) -> PyResult<Option<Advised>> {
        let refused = |error: &dyn std::fmt::Display| PyValueError::new_err(error.to_string());
        let host = Host::named(on, today).map_err(|error| refused(&error))?;
        let failure = Failure::default();
        let ask = |question: &Question<'_>| {
            let question = Question {
                cancel: &failure.cancel,
                ..*question
            };
            advise(&question, &|_, _| ())
        };
        let answer = beside(py, &failure, || Ok(()), || Answer::of(&self.0, &host, ask))?
            .map_err(|error| refused(&error))?;
        let section = answer.section().map(|(heading, text)| {
            let json = answer.advice().map(|advice| advice.json().to_string());
            (heading, text, json)
        });
        Ok(section)
    }

    /// The page for a browser, with further headings and texts.
    #[pyo3(signature = (sections, /))]
    fn html(&self, py: Python<'_>, sections: Vec<(String, String)>) -> PyResult<String> {
        py.detach(|| page::html(&self.0, &sections)).map_err(failed)
    }

    /// One row a number of a record's end beside the model's.
    fn goodness(&self) -> PyResult<Table> {
        let numbers: Vec<(&str, &Compared)> = self
            .0
            .goodness
            .iter()
            .flat_map(|goodness| {
                let compared = goodness.compared.told().into_iter().flatten();
                compared.map(|number| (goodness.from.as_str(), number))
            })
            .collect();
        let column = |of: &dyn Fn(&Compared) -> f64| {
            let values = numbers.iter().map(|(_, number)| of(number));
            Arc::new(Float64Array::from_iter_values(values)) as ArrayRef
        };
        let fits: Vec<bool> = numbers.iter().map(|(_, number)| number.fits).collect();
        let names = ["from", "name", "unit"].map(|name| Field::new(name, DataType::Utf8, false));
        let values = ["record", "model", "model_low", "model_high"];
        let values = values.map(|name| Field::new(name, DataType::Float64, false));
        let fits_field = Field::new("fits", DataType::Boolean, false);
        table(
            names
                .into_iter()
                .chain(values)
                .chain([fits_field])
                .collect(),
            vec![
                text(numbers.iter().map(|(from, _)| *from)),
                text(numbers.iter().map(|(_, number)| number.name.as_str())),
                text(numbers.iter().map(|(_, number)| number.unit)),
                column(&|number| number.record),
                column(&|number| number.model.value),
                column(&|number| number.model.low),
                column(&|number| number.model.high),
                Arc::new(BooleanArray::from(fits)),
            ],
        )
    }

    /// One row a round trip of the main transfer.
    fn round_trips(&self) -> PyResult<Table> {
        let sent = self.main().map(|observed| &observed.transfer.sent);
        let (times, rtts): (Vec<f64>, Vec<f64>) = sent
            .into_iter()
            .flatten()
            .filter_map(|sent| Some((sent.at_s(), sent.rtt_s()? * 1e3)))
            .unzip();
        let rtt = Field::new("rtt_ms", DataType::Float64, false).with_metadata(unit("ms"));
        table(
            vec![time(), rtt],
            vec![
                Arc::new(Float64Array::from(times)),
                Arc::new(Float64Array::from(rtts)),
            ],
        )
    }

    /// One row a loss of the main transfer.
    fn losses(&self) -> PyResult<Table> {
        let found = self.main().and_then(|observed| {
            let sent = observed.transfer.sent.iter();
            Some(sent.zip(&observed.path.as_ref()?.kinds))
        });
        let (times, kinds): (Vec<f64>, Vec<&str>) = found
            .into_iter()
            .flatten()
            .filter_map(|(sent, kind)| {
                let kind = match (*kind)? {
                    Loss::Congestive => "queue",
                    Loss::Random => "channel",
                };
                Some((sent.at_s(), kind))
            })
            .unzip();
        table(
            vec![time(), Field::new("kind", DataType::Utf8, false)],
            vec![Arc::new(Float64Array::from(times)), text(kinds.into_iter())],
        )
    }
}

impl Diagnosis {
    /// The transfer with the most bytes whose path was fitted; without any, that with the most bytes.
    fn main(&self) -> Option<&Observed> {
        let transfers = &self.0.transfers;
        let fitted = transfers.iter().find(|observed| observed.path.is_some());
        fitted.or(transfers.first())
    }
}

/// When something was sent.
fn time() -> Field {
    Field::new("time_s", DataType::Float64, false).with_metadata(unit("s"))
}

fn table(fields: Vec<Field>, columns: Vec<ArrayRef>) -> PyResult<Table> {
    Table::collect(Frame::new(fields, std::iter::once(Ok(columns)))).map_err(failed)
}

fn failed(error: io::Error) -> PyErr {
    PyOSError::new_err(error.to_string())
}
