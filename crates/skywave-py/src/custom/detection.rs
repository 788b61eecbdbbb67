//! A loss detector written in Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use skywave_core::Time;
use skywave_core::tcp::detection::{self, AckFinding, Allowance, Answer, Dupacks, Facts};
use skywave_core::tcp::window::LossEvent;
use skywave_core::tcp::{LossDetector, TcpConfig, flight};

use super::events::{DetectionEvent, Finding, Flight, since_start, time_at};
use super::{Member, Object, answer, answer_of, answer_to, attempt, tell};

/// The detector whose answers stand where a method is not written.
const STANDARD: Dupacks = Dupacks(3);

/// Methods of a detector's Python object, each `None` where it is not written.
pub(super) struct Python {
    on_dupack: Option<Py<PyAny>>,
    on_new_ack: Option<Py<PyAny>>,
    on_retransmit: Option<Py<PyAny>>,
    threshold: Option<Py<PyAny>>,
    distrusts_rto: Option<Py<PyAny>>,
    limited_transmit: Option<Py<PyAny>>,
    /// The answer of `needs_deliveries`.
    needs_deliveries: bool,
    on_duplicate: Option<Py<PyAny>>,
    on_delivery: Option<Py<PyAny>>,
    arm_probe: Option<Py<PyAny>>,
    on_timeout: Option<Py<PyAny>>,
    next_timer: Option<Py<PyAny>>,
    on_timer: Option<Py<PyAny>>,
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
            needs_deliveries: object
                .take("needs_deliveries")
                .and_then(|method| answer_of("needs_deliveries", BOOL, Some(&method)))
                .unwrap_or(false),
            on_duplicate: object.take("on_duplicate"),
            on_delivery: object.take("on_delivery"),
            arm_probe: object.take("arm_probe"),
            on_timeout: object.take("on_timeout"),
            next_timer: object.take("next_timer"),
            on_timer: object.take("on_timer"),
        }
    }
}

/// The finding of the method called `name`; nothing when it is not there or raised an exception.
fn find(
    name: &str,
    method: Option<&Py<PyAny>>,
    event: &detection::DetectionEvent,
) -> detection::Finding {
    let found = method.and_then(|method| {
        attempt(|py| {
            let event = DetectionEvent::new(event);
            let value = method.bind(py).call1((event,))?;
            let finding: PyRef<'_, Finding> = answer(name, "a skywave.Finding", &value)?;
            Ok(finding.0)
        })
    });
    found.unwrap_or(detection::Finding::Nothing)
}

const BOOL: &str = "True or False";
const COUNT: &str = "a whole number, 0 or more";

impl LossDetector for Python {
    fn facts(&self) -> Facts {
        Facts {
            needs_deliveries: self.needs_deliveries,
            ..Facts::default()
        }
    }

    fn on_dupack(&mut self, event: &detection::DetectionEvent) -> bool {
        let event = || (DetectionEvent::new(event),);
        let answer = answer_to("on_dupack", BOOL, self.on_dupack.as_ref(), event);
        answer.unwrap_or_default()
    }

    fn on_new_ack(&mut self, event: &detection::DetectionEvent) -> AckFinding {
        let event = || (DetectionEvent::new(event),);
        let answer = answer_to("on_new_ack", BOOL, self.on_new_ack.as_ref(), event);
        if answer.unwrap_or_default() {
            AckFinding::NextLost
        } else {
            AckFinding::Nothing
        }
    }

    fn on_retransmit(&mut self, flight: &flight::Flight, _loss: &mut LossEvent) -> Answer {
        if let Some(method) = &self.on_retransmit {
            attempt(|py| {
                let flight = Flight(flight.clone());
                method.bind(py).call1((flight,)).map(drop)
            });
        }
        let backs_off = answer_of("distrusts_rto", BOOL, self.distrusts_rto.as_ref());
        Answer {
            backs_off: backs_off.unwrap_or_default(),
            ..Answer::default()
        }
    }

    fn on_duplicate(&mut self, ack: u64, reported: Option<u64>) {
        tell(self.on_duplicate.as_ref(), (ack, reported));
    }

    fn on_delivery(&mut self, event: &detection::DetectionEvent) -> detection::Finding {
        find("on_delivery", self.on_delivery.as_ref(), event)
    }

    fn arm_probe(&mut self, event: &detection::DetectionEvent, timeout: Time) {
        if let Some(method) = &self.arm_probe {
            attempt(|py| {
                let event = DetectionEvent::new(event);
                method
                    .bind(py)
                    .call1((event, since_start(timeout)))
                    .map(drop)
            });
        }
    }

    fn on_timeout(&mut self, _flight: &flight::Flight) {
        tell(self.on_timeout.as_ref(), ());
    }

    fn next_timer(&self) -> Option<Time> {
        let seconds: Option<f64> =
            answer_of("next_timer", "a number or None", self.next_timer.as_ref())?;
        seconds.map(time_at)
    }

    fn on_timer(&mut self, event: &detection::DetectionEvent) -> detection::Finding {
        let finding = find("on_timer", self.on_timer.as_ref(), event);
        if self.next_timer().is_some_and(|due| due <= event.now) {
            // The clock would stand still, and the run never come to where it is cancelled.
            self.next_timer = None;
            let message = "after on_timer, next_timer must return a later time or None";
            attempt(|_| Err::<(), _>(PyValueError::new_err(message)));
        }
        finding
    }

    fn threshold(&self) -> u32 {
        let answer = answer_of("threshold", COUNT, self.threshold.as_ref());
        answer.unwrap_or_else(|| STANDARD.threshold())
    }

    fn limited_transmit(&self, dupacks: u32) -> Allowance {
        let method = self.limited_transmit.as_ref();
        let answer = answer_to("limited_transmit", COUNT, method, || (dupacks,));
        answer.map_or_else(
            || detection::limited_transmit(dupacks, self.threshold()),
            Allowance::Beyond,
        )
    }
}
