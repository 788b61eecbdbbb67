//! The `acking` slot: when the receiver acknowledges.
//!
//! The only slot of a receiver. Its members are two ways through one piece of code (`receiver.rs`),
//! so that it describes them by hand instead of a file a member.

use super::slot::{Form, Kind, Member, OwnPreset, Parameter, Refusal, Slot, Value};
use crate::time::Duration;

/// When the receiver acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acking {
    /// Every segment, at once.
    EverySegment,
    /// Every `every`th in-order segment or `timeout` after the first unacknowledged one; at once
    /// when out of order or filling a hole (RFC 5681 section 4.2).
    Delayed {
        /// Segments an ACK.
        every: u32,
        /// Longest delay.
        timeout: Duration,
    },
}

impl Acking {
    /// An ACK for every second segment, or after 200 ms.
    pub const DELAYED: Self = Self::Delayed {
        every: 2,
        timeout: Duration::from_millis(200),
    };

    /// Longest time for which an ACK is kept back.
    pub const fn longest_delay(self) -> Duration {
        match self {
            Self::EverySegment => Duration::ZERO,
            Self::Delayed { timeout, .. } => timeout,
        }
    }
}

impl Slot for Acking {
    const NAME: &'static str = "acking";
    const SUMMARY: &'static str = "When the receiver acknowledges.";
    const OPEN: bool = false;
    const LABELS_GIVEN: bool = false;
    const MEMBERS: &'static [Member] = &[
        Member {
            slot: Self::NAME,
            name: "every",
            summary: "an ACK for every segment",
            source: "RFC 5681 section 4.2",
            parameters: &[],
            keys: &[],
        },
        Member {
            slot: Self::NAME,
            name: "delayed",
            summary: "an ACK for every second segment or after 200 ms (every, timeout)",
            source: "RFC 1122, RFC 5681 section 4.2",
            parameters: &[
                Parameter {
                    name: "every",
                    doc: "Segments an ACK",
                    kind: Kind::Count,
                    form: Form::Named,
                },
                Parameter {
                    name: "timeout",
                    doc: "Longest delay",
                    kind: Kind::Period,
                    form: Form::Named,
                },
            ],
            keys: &["every", "timeout"],
        },
    ];
    const NAMES: &'static [&'static str] = &["every", "delayed"];

    fn defaults() -> Vec<Self> {
        vec![Self::EverySegment, Self::DELAYED]
    }

    fn get(&self, parameter: usize) -> Option<Value> {
        match (*self, parameter) {
            (Self::Delayed { every, .. }, 0) => Some(Value::Count(every)),
            (Self::Delayed { timeout, .. }, 1) => Some(Value::Period(timeout)),
            _ => None,
        }
    }

    fn set(&mut self, parameter: usize, value: Value) -> Result<(), Refusal> {
        match (self, parameter, value) {
            (Self::Delayed { every, .. }, 0, Value::Count(n)) => *every = n,
            (Self::Delayed { timeout, .. }, 1, Value::Period(length)) => *timeout = length,
            _ => return Err(Refusal::KIND),
        }
        Ok(())
    }

    fn presets() -> Vec<OwnPreset<Self>> {
        Vec::new()
    }
}
