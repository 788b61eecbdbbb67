//! A window law written in Python.

use pyo3::prelude::*;
use skywave_core::tcp::window::{self, Response};
use skywave_core::tcp::{CongestionControl, TcpConfig};

use super::events::{self, AckEvent, LossEvent, TimeoutEvent, Window};
use super::{Member, Object, answer, attempt};

/// Its methods, and the one window that it is shown.
pub(super) struct Python {
    on_ack: Option<Py<PyAny>>,
    on_dupack: Option<Py<PyAny>>,
    on_loss: Option<Py<PyAny>>,
    on_timeout: Option<Py<PyAny>>,
    window: Option<Py<Window>>,
}

impl Python {
    pub(super) fn new(member: &Member, config: &TcpConfig) -> Self {
        let mut object = Object::new(member, config);
        Self {
            on_ack: object.take("on_ack"),
            on_dupack: object.take("on_dupack"),
            on_loss: object.take("on_loss"),
            on_timeout: object.take("on_timeout"),
            window: attempt(|py| Py::new(py, Window::default())),
        }
    }
}

/// What `method` answers to `event`, with the window that it leaves; `None` when it is not there or
/// raised an exception.
fn ask<T, E: for<'py> IntoPyObject<'py>>(
    method: Option<&Py<PyAny>>,
    shown: Option<&Py<Window>>,
    window: window::Window,
    event: E,
    read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
) -> Option<(T, window::Window)> {
    let (method, shown) = (method?, shown?);
    attempt(|py| {
        let shown = shown.bind(py);
        shown.borrow_mut().0 = window;
        let value = method.bind(py).call1((event, shown))?;
        let left = shown.borrow().0;
        Ok((read(&value)?, left))
    })
}

fn response(method: &str, value: &Bound<'_, PyAny>) -> PyResult<Response> {
    let response: PyRef<'_, events::Response> = answer(method, "a skywave.Response", value)?;
    Ok(response.0)
}

impl CongestionControl for Python {
    fn on_ack(&mut self, ack: &window::AckEvent, window: &mut window::Window) {
        let (method, shown) = (self.on_ack.as_ref(), self.window.as_ref());
        if let Some(((), left)) = ask(method, shown, *window, AckEvent(*ack), |_| Ok(())) {
            *window = left;
        }
    }

    fn on_dupack(&mut self, ack: &window::AckEvent) {
        if let Some(method) = &self.on_dupack {
            attempt(|py| method.bind(py).call1((AckEvent(*ack),)).map(drop));
        }
    }

    fn on_loss(&mut self, loss: &window::LossEvent, window: &window::Window) -> Response {
        let (method, shown) = (self.on_loss.as_ref(), self.window.as_ref());
        let read = |value: &Bound<'_, PyAny>| response("on_loss", value);
        let answer = ask(method, shown, *window, LossEvent(*loss), read);
        answer.map_or_else(|| Response::cut_to(loss.window), |(response, _)| response)
    }

    fn on_timeout(&mut self, timeout: &window::TimeoutEvent, window: &window::Window) -> Response {
        let (method, shown) = (self.on_timeout.as_ref(), self.window.as_ref());
        let read = |value: &Bound<'_, PyAny>| response("on_timeout", value);
        let answer = ask(method, shown, *window, TimeoutEvent(*timeout), read);
        answer.map_or_else(
            || Response::restart(timeout.window),
            |(response, _)| response,
        )
    }
}
