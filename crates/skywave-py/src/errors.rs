//! Errors of the lab as exceptions.

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use skywave_lab::report::WriteError;
use skywave_lab::{experiment, scenario};

pyo3::create_exception!(
    skywave,
    ScenarioError,
    PyValueError,
    "A scenario that cannot be used.\n\nThe message shows what is wrong, where, and what was \
     expected. `position` is the line and column of the place, both from 1, or None."
);

pyo3::create_exception!(
    skywave,
    RecordError,
    PyValueError,
    "Records that cannot be read, or that tell nothing of a link.\n\nThe message says which file, where, \
     what was expected and what was found."
);

/// The exception for a wrong scenario.
pub(crate) fn scenario_error(py: Python<'_>, error: &scenario::ScenarioError) -> PyErr {
    let exception = ScenarioError::new_err(error.render(false));
    match exception.value(py).setattr("position", error.position()) {
        Ok(()) => exception,
        Err(other) => other,
    }
}

/// The exception for an experiment that could not be run.
pub(crate) fn experiment_error(error: &experiment::Error) -> PyErr {
    match error {
        experiment::Error::Io { .. } | experiment::Error::Busy(_) => {
            PyOSError::new_err(error.to_string())
        }
        experiment::Error::Threads(_) => PyRuntimeError::new_err(error.to_string()),
    }
}

/// The exception for a file that could not be written.
pub(crate) fn write_error(error: &WriteError) -> PyErr {
    PyOSError::new_err(error.to_string())
}
