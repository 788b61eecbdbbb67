//! The `timeout` slot: what happens when the retransmission timer expires.

mod extended;
mod half_window;
mod standard;

use super::config::TimeoutConfig;
use super::rto::RtoEstimator;
use super::window::{Response, TimeoutEvent};
use crate::time::Duration;

pub use extended::Extended;
pub use half_window::HalfWindow;
pub use standard::Standard;

/// What is done instead of a timeout; neither the window nor what counts as in flight changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extension {
    /// The timer is restarted with this.
    pub timer: Duration,
    /// The oldest segment is sent again.
    pub retransmit: bool,
}

/// A way to react to an expired retransmission timer.
pub trait TimeoutPolicy {
    /// The timer expired: how to wait once more before it counts as a timeout, if at all. Asked once
    /// the connection is established. Default: not.
    fn extends(&mut self, _rto: &RtoEstimator) -> Option<Extension> {
        None
    }

    /// The window from now on; `response` is what the window law says. The sender goes back N.
    fn respond(&mut self, _timeout: &TimeoutEvent, response: Response) -> Response {
        response
    }

    /// New data was acknowledged: is a timer that was extended to be restarted? Default: no.
    fn on_new_ack(&mut self) -> bool {
        false
    }
}

/// The members of the slot, dispatched statically.
#[derive(Clone, Debug)]
pub enum Timeout {
    /// RFC 5681, RFC 6298.
    Standard(Standard),
    /// Francis 2012, chapter 4.
    HalfWindow(HalfWindow),
    /// Francis 2012, chapter 5.
    Extended(Extended),
}

macro_rules! each {
    ($self:expr, $member:ident => $call:expr) => {
        match $self {
            Timeout::Standard($member) => $call,
            Timeout::HalfWindow($member) => $call,
            Timeout::Extended($member) => $call,
        }
    };
}

impl Timeout {
    /// A fresh member for a connection.
    pub fn new(config: &TimeoutConfig) -> Self {
        match config {
            TimeoutConfig::Standard => Self::Standard(Standard),
            TimeoutConfig::HalfWindow => Self::HalfWindow(HalfWindow),
            TimeoutConfig::Extended(c) => Self::Extended(Extended::new(*c)),
        }
    }
}

impl TimeoutPolicy for Timeout {
    fn extends(&mut self, rto: &RtoEstimator) -> Option<Extension> {
        each!(self, m => m.extends(rto))
    }

    fn respond(&mut self, timeout: &TimeoutEvent, response: Response) -> Response {
        each!(self, m => m.respond(timeout, response))
    }

    fn on_new_ack(&mut self) -> bool {
        each!(self, m => m.on_new_ack())
    }
}
