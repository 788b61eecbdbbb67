//! The part of the model that describes hosts' clocks. Each key is explained at the configuration that it becomes
//! ([`skywave_core::clock`]).

use serde::Deserialize;

use crate::model::number::Drift;
use crate::model::units::{Duration, SignedTime};

/// How the clocks of a flow's ends show the time where a law learns one-way delays: in TCP's timestamps, and in the
/// arrival times that QUIC's receiver tells. The sender's clock keeps the time. Round trips do not depend on these.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ClockModel {
    /// The receiver's readings are whole multiples of this, rounded down. Linux's TCP has "1ms"; default "0s",
    /// exact ones.
    pub(crate) tick: Option<Duration>,
    /// As `tick`, for the sender's timestamps. Of TCP only, as a sender of QUIC knows when it sent what; default that
    /// of `tick`.
    pub(crate) sender_tick: Option<Duration>,
    /// How far ahead of the sender's clock the receiver's is at the start of the run; "-3s" is behind. It changes
    /// nothing in QUIC, whose receiver tells times since the start; default "0s".
    pub(crate) offset: Option<SignedTime>,
    /// Seconds that the receiver's clock gains in a second: 1e-4 is 100 ppm, and a slow clock has a negative one;
    /// default 0.
    pub(crate) drift: Option<Drift>,
}
