//! The `timeout` slot: what happens when the retransmission timer expires.

mod extended;
mod half_window;
mod standard;

use super::rto::RtoEstimator;
use super::slot::register::slot;
use super::window::{Response, TimeoutEvent};
use crate::time::Duration;

/// An action instead of a timeout; neither the window nor what counts as in flight changes.
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

slot! {
    [$] timeout: "What the retransmission timer does on expiry.";
    labels_given: false;
    facts: super::slot::BuiltIn;
    /// Members of the `timeout` slot.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum TimeoutConfig;
    /// The members of the slot, dispatched statically.
    #[derive(Clone, Debug)]
    pub enum Timeout;
    Standard: standard::Standard,
    HalfWindow: half_window::HalfWindow,
    Extended(config): extended::Extended,
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
