//! The `timeout` slot: what happens when the retransmission timer expires.

mod standard;

use super::config::TimeoutConfig;
use super::rto::RtoEstimator;
use super::window::{Response, TimeoutEvent};
use crate::time::Duration;

pub use standard::Standard;

/// A way to react to an expired retransmission timer.
pub trait TimeoutPolicy {
    /// The timer expired: how long to wait once more before anything else is done, if at all. The
    /// timer is then restarted with that, and neither window nor flight change. Default: not.
    fn extends(&mut self, _rto: &RtoEstimator) -> Option<Duration> {
        None
    }

    /// The window from now on; `response` is what the window law says. The sender goes back N.
    fn respond(&mut self, _timeout: &TimeoutEvent, response: Response) -> Response {
        response
    }

    /// New data was acknowledged.
    fn on_new_ack(&mut self) {}
}

/// The members of the slot, dispatched statically.
#[derive(Clone, Debug)]
pub enum Timeout {
    /// RFC 5681, RFC 6298.
    Standard(Standard),
}

macro_rules! each {
    ($self:expr, $member:ident => $call:expr) => {
        match $self {
            Timeout::Standard($member) => $call,
        }
    };
}

impl Timeout {
    /// A fresh member for a connection.
    pub fn new(config: &TimeoutConfig) -> Self {
        match config {
            TimeoutConfig::Standard => Self::Standard(Standard),
        }
    }
}

impl TimeoutPolicy for Timeout {
    fn extends(&mut self, rto: &RtoEstimator) -> Option<Duration> {
        each!(self, m => m.extends(rto))
    }

    fn respond(&mut self, timeout: &TimeoutEvent, response: Response) -> Response {
        each!(self, m => m.respond(timeout, response))
    }

    fn on_new_ack(&mut self) {
        each!(self, m => m.on_new_ack());
    }
}
