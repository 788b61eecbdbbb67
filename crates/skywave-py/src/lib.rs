//! Skywave for Python: the module `skywave._skywave`, which the package `skywave` wraps.
//!
//! The bindings are thin: a scenario's text or path goes in, Arrow tables and text come out. All
//! that a user of Python sees is in `python/skywave/`.
//!
//! A scenario built in Python becomes the text of a file and is read as one: one set of checks and messages.
//! Results leave as the Arrow tables from which the Parquet files are written; the consumer reads our memory.
//!
//! The calling thread waits without the interpreter's lock and takes it every 50 ms, for signals and progress;
//! the simulations have threads of their own and check for a cancellation at every event. The traits of policy
//! members return no errors, but users' code can raise exceptions: the first one is kept for the run under way on
//! that thread, cancels it and is raised when it has ended.
//!
//! The crate is only a library for Python to load and has no Rust tests: Python shows all of its behaviour, and a
//! test program would need Python's library to link.

#![expect(
    clippy::needless_pass_by_value,
    reason = "what Python hands over is converted into values"
)]

mod custom;
mod diagnosis;
mod errors;
mod experiment;
mod gathering;
mod judging;
mod maker;
mod papers;
mod results;
mod running;
mod searching;
mod table;

use pyo3::prelude::*;

#[pymodule]
mod _skywave {
    use std::ffi::OsString;

    use pyo3::prelude::*;
    use skywave_core::tcp::{MEMBERS, PRESETS};
    use skywave_lab::scenario::OTHER_TRANSPORTS;

    #[pymodule_export]
    use super::custom::{
        AckEvent, Delivery, DetectionEvent, Finding, Flight, HintsEvent, IdleEvent, LossEvent,
        RateSample, Response, Sent, SpuriousEvent, Stream, TimeoutEvent, Window,
    };
    #[pymodule_export]
    use super::diagnosis::Diagnosis;
    #[pymodule_export]
    use super::errors::{RecordError, ScenarioError};
    #[pymodule_export]
    use super::experiment::Experiment;
    #[pymodule_export]
    use super::gathering::Gathering;
    #[pymodule_export]
    use super::judging::{Card, judge, sets};
    #[pymodule_export]
    use super::maker::Maker;
    #[pymodule_export]
    use super::papers::Paper;
    #[pymodule_export]
    use super::results::Results;
    #[pymodule_export]
    use super::searching::worst;
    #[pymodule_export]
    use super::table::Table;

    /// Version and fingerprint of the engine: the same engine gives the same results.
    #[pymodule_export]
    const ENGINE: &str = skywave_sim::ENGINE;

    /// Most runs of a scenario.
    #[pymodule_export]
    const MAX_RUNS: usize = skywave_lab::scenario::MAX_RUNS;

    /// Defaults of a search: simulations, islands, findings, and the flow whose sender it is.
    #[pymodule_export]
    const SEARCH: (usize, u16, usize, &str) = (
        skywave_search::request::RUNS,
        skywave_search::request::ISLANDS,
        skywave_search::request::FIND,
        skywave_search::request::FLOW,
    );

    /// Text of the space that is searched unless another one is given.
    #[pymodule_export]
    const SPACE: &str = skywave_search::SPACE;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// Slow start, then one segment a round trip: what most window laws do on an ACK.
    #[pyfunction]
    #[pyo3(signature = (ack, window, /))]
    fn standard_growth(ack: &AckEvent, window: &mut Window) {
        skywave_core::tcp::congestion::standard_growth(&ack.0, &mut window.0);
    }

    /// The `skywave` command with these arguments, the program's name first; gives the exit code.
    #[pyfunction]
    #[pyo3(signature = (args, /))]
    fn main(py: Python<'_>, args: Vec<OsString>) -> u8 {
        py.detach(|| skywave_cli::main(args))
    }

    /// A quantity as scenarios write it, in SI units, and its unit; None if it is none.
    #[pyfunction]
    #[pyo3(signature = (text, /))]
    fn quantity(text: &str) -> Option<(f64, &'static str)> {
        let found = skywave_lab::scenario::Quantity::parse(text)?;
        Some((found.value, found.unit))
    }

    /// The JSON schema of scenario files, as text.
    #[pyfunction]
    fn schema() -> String {
        skywave_lab::scenario::json_schema().to_string()
    }

    /// Members and presets that can be compared and composed, each with its slot ("preset" for a TCP variant,
    /// "transport" for what is no TCP), name, summary and source.
    #[pyfunction]
    fn variants() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
        let presets = PRESETS.iter();
        let presets = presets.map(|p| ("preset", p.name, p.summary, p.source));
        let members = MEMBERS.iter();
        let members = members.map(|m| (m.slot, m.name, m.summary, m.source));
        let others = OTHER_TRANSPORTS.iter();
        let others = others.map(|o| ("transport", o.name, o.summary, o.source));
        presets.chain(members).chain(others).collect()
    }
}
