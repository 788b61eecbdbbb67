//! A window law written in Python.

use pyo3::prelude::*;
use skywave_core::packet::Hints;
use skywave_core::tcp::congestion::LawFacts;
use skywave_core::tcp::window::{self, Response};
use skywave_core::tcp::{CongestionControl, TcpConfig};
use skywave_core::{Rate, Time};

use super::events::{
    self, AckEvent, HintsEvent, IdleEvent, LossEvent, SpuriousEvent, TimeoutEvent, Window,
};
use super::{Member, Object, answer, answer_of, attempt, tell};

/// Methods of a window law's Python object, each `None` where it is not written, and the one window that they are
/// shown.
pub(super) struct Python {
    on_ack: Option<Py<PyAny>>,
    grow: Option<Py<PyAny>>,
    on_dupack: Option<Py<PyAny>>,
    on_loss: Option<Py<PyAny>>,
    on_timeout: Option<Py<PyAny>>,
    on_ecn: Option<Py<PyAny>>,
    on_spurious: Option<Py<PyAny>>,
    on_resume: Option<Py<PyAny>>,
    on_idle_restart: Option<Py<PyAny>>,
    on_hints: Option<Py<PyAny>>,
    pacing_rate: Option<Py<PyAny>>,
    send_quantum: Option<Py<PyAny>>,
    /// The answer of `needs_rate`.
    needs_rate: bool,
    owns_window: bool,
    window: Option<Py<Window>>,
}

impl Python {
    pub(super) fn new(member: &Member, config: &TcpConfig) -> Self {
        let mut object = Object::new(member, config);
        let mut says = |name: &'static str| {
            let method = object.take(name);
            method
                .and_then(|method| answer_of(name, "a bool", Some(&method)))
                .unwrap_or(false)
        };
        let (needs_rate, owns_window) = (says("needs_rate"), says("owns_window"));
        Self {
            on_ack: object.take("on_ack"),
            grow: object.take("grow"),
            on_dupack: object.take("on_dupack"),
            on_loss: object.take("on_loss"),
            on_timeout: object.take("on_timeout"),
            on_ecn: object.take("on_ecn"),
            on_spurious: object.take("on_spurious"),
            on_resume: object.take("on_resume"),
            on_idle_restart: object.take("on_idle_restart"),
            on_hints: object.take("on_hints"),
            pacing_rate: object.take("pacing_rate"),
            send_quantum: object.take("send_quantum"),
            needs_rate,
            owns_window,
            window: attempt(|py| Py::new(py, Window::default())),
        }
    }

    /// Asks `method` about `event`. Returns its answer and the window that it leaves; `None` when it is
    /// not there or raised an exception.
    fn ask<T, E: for<'py> IntoPyObject<'py>>(
        &self,
        method: Option<&Py<PyAny>>,
        event: E,
        window: &window::Window,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<(T, window::Window)> {
        let (method, shown) = (method?, self.window.as_ref()?);
        attempt(|py| {
            let shown = shown.bind(py);
            shown.borrow_mut().0 = *window;
            let value = method.bind(py).call1((event, shown))?;
            let left = shown.borrow().0;
            Ok((read(&value)?, left))
        })
    }

    /// Lets `method` change the window.
    fn change<E: for<'py> IntoPyObject<'py>>(
        &self,
        method: Option<&Py<PyAny>>,
        event: E,
        window: &mut window::Window,
    ) {
        if let Some(((), left)) = self.ask(method, event, window, |_| Ok(())) {
            *window = left;
        }
    }

    /// The response of a method, which has a name.
    fn respond<E: for<'py> IntoPyObject<'py>>(
        &self,
        (name, method): (&str, Option<&Py<PyAny>>),
        event: E,
        window: &window::Window,
    ) -> Option<Response> {
        let answer = self.ask(method, event, window, |value| {
            let response: PyRef<'_, events::Response> = answer(name, "a skywave.Response", value)?;
            Ok(response.0)
        });
        answer.map(|(response, _)| response)
    }
}

impl CongestionControl for Python {
    fn on_ack(&mut self, ack: &window::AckEvent) {
        tell(self.on_ack.as_ref(), (AckEvent(*ack),));
    }

    fn grow(&mut self, ack: &window::AckEvent, window: &mut window::Window) {
        self.change(self.grow.as_ref(), AckEvent(*ack), window);
    }

    fn on_dupack(&mut self, ack: &window::AckEvent) {
        tell(self.on_dupack.as_ref(), (AckEvent(*ack),));
    }

    fn on_loss(&mut self, loss: &window::LossEvent, window: &window::Window) -> Response {
        let method = ("on_loss", self.on_loss.as_ref());
        let answer = self.respond(method, LossEvent(*loss), window);
        answer.unwrap_or_else(|| Response::cut_to(loss.window))
    }

    fn on_timeout(&mut self, timeout: &window::TimeoutEvent, window: &window::Window) -> Response {
        let method = ("on_timeout", self.on_timeout.as_ref());
        let answer = self.respond(method, TimeoutEvent(*timeout), window);
        answer.unwrap_or_else(|| Response::restart(timeout.window))
    }

    fn on_ecn(&mut self, mark: &window::LossEvent, window: &window::Window) -> Response {
        if self.on_ecn.is_none() {
            return self.on_loss(mark, window);
        }
        let method = ("on_ecn", self.on_ecn.as_ref());
        let answer = self.respond(method, LossEvent(*mark), window);
        answer.unwrap_or_else(|| Response::cut_to(mark.window))
    }

    fn on_spurious(&mut self, spurious: &window::SpuriousEvent, window: &mut window::Window) {
        self.change(self.on_spurious.as_ref(), SpuriousEvent(*spurious), window);
    }

    fn on_resume(&mut self, idle: &window::IdleEvent) {
        tell(self.on_resume.as_ref(), (IdleEvent(*idle),));
    }

    fn on_idle_restart(&mut self, idle: &window::IdleEvent, window: &mut window::Window) {
        if self.on_idle_restart.is_none() {
            window.cwnd = window.cwnd.min(idle.initial_window);
            return;
        }
        self.change(self.on_idle_restart.as_ref(), IdleEvent(*idle), window);
    }

    fn on_hints(&mut self, now: Time, hints: &Hints, window: &mut window::Window) {
        let event = HintsEvent { now, hints: *hints };
        self.change(self.on_hints.as_ref(), event, window);
    }

    fn facts(&self) -> LawFacts {
        LawFacts {
            owns_window: self.owns_window,
            needs_rate: self.needs_rate,
            ..LawFacts::default()
        }
    }

    fn pacing_rate(&self) -> Option<Rate> {
        let bps: Option<f64> =
            answer_of("pacing_rate", "a number or None", self.pacing_rate.as_ref())?;
        // A cast of a float saturates; not a number is no rate.
        bps.filter(|bps| *bps > 0.0)
            .map(|bps| Rate::from_bps((bps as u64).max(1)))
    }

    fn send_quantum(&self) -> Option<u64> {
        answer_of(
            "send_quantum",
            "a number or None",
            self.send_quantum.as_ref(),
        )?
    }
}
