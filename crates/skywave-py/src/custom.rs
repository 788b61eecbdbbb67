//! Policy members written in Python: each method of the traits calls the method of that name.
//!
//! The traits cannot fail, and users' code can. The first exception is kept for the run that is under
//! way on this thread, the run is cancelled, and what the members answer until it ends is nobody's.

mod congestion;
mod detection;
mod events;
mod stream;

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use skywave_core::tcp::{CustomCongestion, CustomDetection, TcpConfig};
use skywave_lab::scenario::CustomMembers;
use skywave_lab::threads::lock;

pub(crate) use events::{
    AckEvent, Delivery, DetectionEvent, Finding, Flight, HintsEvent, IdleEvent, LossEvent,
    RateSample, Response, Sent, SpuriousEvent, TimeoutEvent, Window,
};
pub(crate) use stream::Stream;

/// A member as Python hands it over.
#[derive(FromPyObject)]
pub(crate) struct Member {
    /// `congestion` or `detection`.
    slot: String,
    /// Name in scenarios.
    name: String,
    /// Factory of its objects, called once a connection.
    factory: Py<PyAny>,
    /// Names of the methods that its class writes itself.
    methods: Vec<String>,
}

/// Members that scenario files may name, of those that Python hands over.
pub(crate) fn members(wanted: Vec<Member>) -> PyResult<CustomMembers> {
    let mut members = CustomMembers::default();
    for member in wanted {
        let name = member.name.clone();
        let added = if member.slot == "congestion" {
            let make = move |config: &TcpConfig| congestion::Python::new(&member, config);
            members.add_congestion(CustomCongestion::new(&name, make))
        } else {
            let make = move |config: &TcpConfig| detection::Python::new(&member, config);
            members.add_detection(CustomDetection::new(&name, make))
        };
        added.map_err(|taken| PyValueError::new_err(taken.to_string()))?;
    }
    Ok(members)
}

/// The methods of an object of a user's.
struct Object {
    methods: Vec<(String, Py<PyAny>)>,
}

impl Object {
    /// A new object for a connection; one without methods when that fails.
    fn new(member: &Member, config: &TcpConfig) -> Self {
        let made = attempt(|py| {
            let object = member.factory.bind(py).call0()?;
            let setup = config.setup();
            object.setattr("mss", setup.mss)?;
            object.setattr("initial_window", setup.initial_window.0)?;
            object.setattr("loss_window", setup.loss_window.0)?;
            object.setattr("first_data", setup.first_data)?;
            object.setattr("sack", setup.sack)?;
            object.setattr("recovery_uses_sack", setup.recovery_uses_sack)?;
            object.setattr("ack_delay", events::seconds(setup.ack_delay))?;
            let bound = |name: &String| Ok((name.clone(), object.getattr(&**name)?.unbind()));
            member.methods.iter().map(bound).collect::<PyResult<_>>()
        });
        Self {
            methods: made.unwrap_or_default(),
        }
    }

    /// Takes out a method, to call it without looking for it.
    fn take(&mut self, name: &str) -> Option<Py<PyAny>> {
        let at = self.methods.iter().position(|(n, _)| n == name)?;
        Some(self.methods.swap_remove(at).1)
    }
}

/// Does something with Python; `None` after an exception, which the run then raises.
fn attempt<T>(code: impl FnOnce(Python<'_>) -> PyResult<T>) -> Option<T> {
    Python::attach(|py| match code(py) {
        Ok(value) => Some(value),
        Err(exception) => {
            RUN.with_borrow(|run| match run {
                Some(run) => run.fail(exception),
                // Nobody runs it: there is nobody to tell but the interpreter.
                None => exception.write_unraisable(py, None),
            });
            None
        }
    })
}

/// The answer of a method, as the type that it must have.
fn answer<'a, 'py, T: FromPyObject<'a, 'py>>(
    method: &str,
    expected: &str,
    value: &'a Bound<'py, PyAny>,
) -> PyResult<T> {
    value.extract().map_err(|_| {
        let found = value.get_type();
        PyTypeError::new_err(format!("{method} must return {expected}, not {found}"))
    })
}

/// Calls a method, if it is there, whose answer counts for nothing.
fn tell(method: Option<&Py<PyAny>>, arguments: impl for<'py> PyCallArgs<'py>) {
    if let Some(method) = method {
        attempt(|py| method.bind(py).call1(arguments).map(drop));
    }
}

/// The answer of a method about `arguments`; `None` when it is not there or raised an exception.
fn answer_to<T: for<'a, 'py> FromPyObject<'a, 'py>, A: for<'py> PyCallArgs<'py>>(
    name: &str,
    expected: &str,
    method: Option<&Py<PyAny>>,
    arguments: impl FnOnce() -> A,
) -> Option<T> {
    let method = method?;
    attempt(|py| answer(name, expected, &method.bind(py).call1(arguments())?))
}

/// The answer of a method without arguments; `None` when it is not there or raised an exception.
fn answer_of<T: for<'a, 'py> FromPyObject<'a, 'py>>(
    name: &str,
    expected: &str,
    method: Option<&Py<PyAny>>,
) -> Option<T> {
    let method = method?;
    attempt(|py| answer(name, expected, &method.bind(py).call0()?))
}

thread_local! {
    /// The run under way on this thread.
    static RUN: RefCell<Option<Arc<Failure>>> = const { RefCell::new(None) };
}

/// The way out of a run for exceptions of users' code.
#[derive(Default)]
pub(crate) struct Failure {
    exception: Mutex<Option<PyErr>>,
    /// Set to stop the run.
    pub(crate) cancel: AtomicBool,
}

impl Failure {
    /// Does `run` on this thread, with Python at hand for members written in it.
    pub(crate) fn watch<T: Send>(self: &Arc<Self>, run: impl FnOnce() -> T + Send) -> T {
        RUN.set(Some(Arc::clone(self)));
        // Attached once around the run, a thread attaches quickly again in it.
        let value = Python::attach(|py| py.detach(run));
        RUN.set(None);
        value
    }

    fn fail(&self, exception: PyErr) {
        lock(&self.exception).get_or_insert(exception);
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// The first exception, if there was one.
    pub(crate) fn take(&self) -> Option<PyErr> {
        lock(&self.exception).take()
    }
}
