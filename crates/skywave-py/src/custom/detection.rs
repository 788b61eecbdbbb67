//! A loss detector written in Python.

use pyo3::prelude::*;
use skywave_core::tcp::detection::Dupacks;
use skywave_core::tcp::detection::{self, Allowance};
use skywave_core::tcp::{LossDetector, TcpConfig, flight};

use super::events::{DetectionEvent, Flight};
use super::{Member, Object, answer, attempt};

/// The detector whose answers stand where a method is not written.
const STANDARD: Dupacks = Dupacks(3);

/// Its methods.
pub(super) struct Python {
    on_dupack: Option<Py<PyAny>>,
    on_new_ack: Option<Py<PyAny>>,
    on_retransmit: Option<Py<PyAny>>,
    threshold: Option<Py<PyAny>>,
    distrusts_rto: Option<Py<PyAny>>,
    limited_transmit: Option<Py<PyAny>>,
}

impl Python {
    pub(super) fn new(member: &Member, config: &TcpConfig) -> Self {
        let mut object = Object::new(member, config);
        Self {
            on_dupack: object.take("on_dupack"),
            on_new_ack: object.take("on_new_ack"),
            on_retransmit: object.take("on_retransmit"),
            threshold: object.take("threshold"),
            distrusts_rto: object.take("distrusts_rto"),
            limited_transmit: object.take("limited_transmit"),
        }
    }
}

const BOOL: &str = "True or False";
const COUNT: &str = "a whole number, 0 or more";

impl LossDetector for Python {
    fn on_dupack(&mut self, event: &detection::DetectionEvent) -> bool {
        let answer = self.on_dupack.as_ref().and_then(|method| {
            attempt(|py| {
                let event = DetectionEvent::new(event);
                answer("on_dupack", BOOL, &method.bind(py).call1((event,))?)
            })
        });
        answer.unwrap_or_default()
    }

    fn on_new_ack(&mut self, event: &detection::DetectionEvent) -> bool {
        let answer = self.on_new_ack.as_ref().and_then(|method| {
            attempt(|py| {
                let event = DetectionEvent::new(event);
                answer("on_new_ack", BOOL, &method.bind(py).call1((event,))?)
            })
        });
        answer.unwrap_or_default()
    }

    fn on_retransmit(&mut self, flight: &flight::Flight) {
        if let Some(method) = &self.on_retransmit {
            attempt(|py| {
                let flight = Flight(flight.clone());
                method.bind(py).call1((flight,)).map(drop)
            });
        }
    }

    fn threshold(&self) -> u32 {
        let answer = self
            .threshold
            .as_ref()
            .and_then(|method| attempt(|py| answer("threshold", COUNT, &method.bind(py).call0()?)));
        answer.unwrap_or_else(|| STANDARD.threshold())
    }

    fn distrusts_rto(&self) -> bool {
        let answer = self.distrusts_rto.as_ref().and_then(|method| {
            attempt(|py| answer("distrusts_rto", BOOL, &method.bind(py).call0()?))
        });
        answer.unwrap_or_else(|| STANDARD.distrusts_rto())
    }

    fn limited_transmit(&self, dupacks: u32) -> Allowance {
        let answer = self.limited_transmit.as_ref().and_then(|method| {
            attempt(|py| {
                answer(
                    "limited_transmit",
                    COUNT,
                    &method.bind(py).call1((dupacks,))?,
                )
            })
        });
        answer.map_or_else(
            || detection::limited_transmit(dupacks, self.threshold()),
            Allowance::Beyond,
        )
    }
}
