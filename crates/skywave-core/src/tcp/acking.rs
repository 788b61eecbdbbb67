//! The `acking` slot: when the receiver acknowledges.
//!
//! The only slot of a receiver. Its members are ways through one piece of code (`receiver/schedule.rs`),
//! so that it describes them by hand instead of a file a member.

use super::slot::{Kind, Member, OwnPreset, Parameter, Refusal, Slot, Value};
use crate::parameter::{Family, Settings};
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
    /// When as many in-order segments have come as the sender's window holds, which it tells in an option, or
    /// `timeout` after the first unacknowledged one; at once when out of order or filling a hole (Chen, Marsic and
    /// Miller 2008).
    SelfTriggered {
        /// Longest delay.
        timeout: Duration,
    },
    /// Every segment at once, but the third duplicate ACK and those after it `wait` later, and not at all if the
    /// hole is filled before (Vaidya et al. 2002).
    DelayedDupacks {
        /// Longest delay.
        wait: Duration,
    },
    /// As [`Self::Delayed`], but data whose sender asks for an answer at once, and with a mark if everything before
    /// has arrived (Francis 2012, section 3.2.1).
    Wam {
        /// Segments an ACK.
        every: u32,
        /// Longest delay.
        timeout: Duration,
    },
    /// `wait` after the first segment that is not answered, once for all: an ACK for each missing segment, which names
    /// it, or one that all have come (Long et al., in Francis 2012, section 3.2.3).
    Lba {
        /// How long the receiver waits.
        wait: Duration,
    },
}

impl Acking {
    /// An ACK for every second segment, or after 200 ms.
    pub const DELAYED: Self = Self::Delayed {
        every: 2,
        timeout: Duration::from_millis(200),
    };

    /// As [`Self::SelfTriggered`], or after 200 ms.
    pub const SELF_TRIGGERED: Self = Self::SelfTriggered {
        timeout: Duration::from_millis(200),
    };

    /// As [`Self::DelayedDupacks`], for 100 ms: the text gives no number, and a receiver cannot know for how long
    /// its link repairs.
    pub const DELAYED_DUPACKS: Self = Self::DelayedDupacks {
        wait: Duration::from_millis(100),
    };

    /// As [`Self::Wam`], for every second segment, or after 200 ms.
    pub const WAM: Self = Self::Wam {
        every: 2,
        timeout: Duration::from_millis(200),
    };

    /// As [`Self::Lba`], after 200 ms: the text says "one RTO", which the receiver does not know; this is the least
    /// that there is with most stacks.
    pub const LBA: Self = Self::Lba {
        wait: Duration::from_millis(200),
    };

    /// Whether the receiver answers at once where the sender asks on a data segment.
    pub const fn answers(self) -> bool {
        matches!(self, Self::Wam { .. })
    }

    /// Whether the sender writes something for the receiver's schedule on data: its window, or a
    /// request.
    pub const fn listens(self) -> bool {
        self.is_by_window() || self.answers()
    }

    /// Whether the number of segments per ACK follows the congestion window, which the sender tells
    /// in an option.
    pub const fn is_by_window(self) -> bool {
        matches!(self, Self::SelfTriggered { .. })
    }

    /// Longest time for which an ACK of data in order is kept back.
    pub const fn longest_delay(self) -> Duration {
        match self {
            Self::EverySegment | Self::DelayedDupacks { .. } => Duration::ZERO,
            Self::Delayed { timeout, .. }
            | Self::SelfTriggered { timeout }
            | Self::Wam { timeout, .. }
            | Self::Lba { wait: timeout } => timeout,
        }
    }
}

const EVERY_AND_TIMEOUT: &[Parameter] = &[
    Parameter::new(Kind::Count, "every", "Segments an ACK"),
    Parameter::new(Kind::Period, "timeout", "Longest delay"),
];

impl Settings for Acking {
    fn get(&self, parameter: usize) -> Option<Value> {
        match (*self, parameter) {
            (Self::Delayed { every, .. } | Self::Wam { every, .. }, 0) => {
                Some(Value::Count(every.into()))
            }
            (Self::Delayed { timeout, .. } | Self::Wam { timeout, .. }, 1)
            | (
                Self::SelfTriggered { timeout }
                | Self::DelayedDupacks { wait: timeout }
                | Self::Lba { wait: timeout },
                0,
            ) => Some(Value::Period(timeout)),
            _ => None,
        }
    }

    fn set(&mut self, parameter: usize, value: Value) -> Result<(), Refusal> {
        match (self, parameter, value) {
            (Self::Delayed { every, .. } | Self::Wam { every, .. }, 0, Value::Count(n)) => {
                *every = u32::try_from(n).map_err(|_| Refusal::KIND)?;
            }
            (
                Self::Delayed { timeout, .. } | Self::Wam { timeout, .. },
                1,
                Value::Period(length),
            )
            | (
                Self::SelfTriggered { timeout }
                | Self::DelayedDupacks { wait: timeout }
                | Self::Lba { wait: timeout },
                0,
                Value::Period(length),
            ) => {
                *timeout = length;
            }
            _ => return Err(Refusal::KIND),
        }
        Ok(())
    }

    fn check(&self) -> Result<(), Refusal> {
        Ok(())
    }
}

impl Family for Acking {
    const NAME: &'static str = "acking";
    const SUMMARY: &'static str = "When the receiver acknowledges.";
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
            parameters: EVERY_AND_TIMEOUT,
            keys: &["every", "timeout"],
        },
        Member {
            slot: Self::NAME,
            name: "self-triggered",
            summary: "an ACK for a window of the sender's, or after 200 ms (timeout)",
            source: "Chen, Marsic and Miller 2008; Francis 2012, section 3.2.2",
            parameters: &[Parameter::new(Kind::Period, "timeout", "Longest delay")],
            keys: &["timeout"],
        },
        Member {
            slot: Self::NAME,
            name: "delayed-dupacks",
            summary: "every segment, from the third duplicate ACK on 100 ms later unless filled (wait)",
            source: "Vaidya et al. 2002",
            parameters: &[Parameter::new(
                Kind::Period,
                "wait",
                "For how long the third duplicate ACK and those after it are kept back",
            )],
            keys: &["wait"],
        },
        Member {
            slot: Self::NAME,
            name: "wam",
            summary: "as `delayed`, but data that asks at once, with a mark if all before has come (every, timeout)",
            source: "Francis 2012, section 3.2.1",
            parameters: EVERY_AND_TIMEOUT,
            keys: &["every", "timeout"],
        },
        Member {
            slot: Self::NAME,
            name: "lba",
            summary: "200 ms after the first segment, an ACK for each missing one, or one that all have come (wait)",
            source: "Long et al., in Francis 2012, section 3.2.3",
            parameters: &[Parameter::new(
                Kind::Period,
                "wait",
                "How long the receiver waits before it answers",
            )],
            keys: &["wait"],
        },
    ];
    const NAMES: &'static [&'static str] = &[
        "every",
        "delayed",
        "self-triggered",
        "delayed-dupacks",
        "wam",
        "lba",
    ];

    fn defaults() -> Vec<Self> {
        vec![
            Self::EverySegment,
            Self::DELAYED,
            Self::SELF_TRIGGERED,
            Self::DELAYED_DUPACKS,
            Self::WAM,
            Self::LBA,
        ]
    }
}

impl Slot for Acking {
    const LABELS_GIVEN: bool = false;

    fn presets() -> Vec<OwnPreset<Self>> {
        Vec::new()
    }
}
