//! The `timeout` slot: what happens when the retransmission timer expires.

mod bounded;
mod cause;
mod extended;
mod half_window;
mod standard;
mod wam;

use super::flight::{Flight, RttSample};
use super::rto::RtoEstimator;
use super::slot::register::slot;
use super::window::{Response, TimeoutEvent, Window};
use crate::time::Duration;

/// Longer wait when the retransmission timer expires, instead of a timeout: neither the window nor what
/// counts as in flight changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extension {
    /// Time until the retransmission timer expires next.
    pub timer: Duration,
    /// The oldest segment is sent again.
    pub retransmit: bool,
}

/// A way to react to an expired retransmission timer.
pub trait TimeoutPolicy {
    /// The timer expired: how to wait once more before it counts as a timeout, if at all. Asked once
    /// the connection is established. Default: not.
    fn extends(&mut self, _rto: &RtoEstimator, _flight: &Flight) -> Option<Extension> {
        None
    }

    /// The window from now on; `response` is what the window law says, and `window` what it was. The sender goes
    /// back N.
    fn respond(
        &mut self,
        _timeout: &TimeoutEvent,
        response: Response,
        _window: &Window,
    ) -> Response {
        response
    }

    /// Whether this expiry doubles the RTO (RFC 6298 rule 5.5), also one for a SYN; doublings for marks or by a detector are
    /// not asked for. Default: yes.
    fn backs_off(&mut self, _rto: &RtoEstimator) -> bool {
        true
    }

    /// New data was acknowledged: is a timer that was extended to be restarted? Default: no.
    fn on_new_ack(&mut self) -> bool {
        false
    }

    /// Whether the policy wants [`on_round_trip`](Self::on_round_trip), for which
    /// [`Flight::delivery`] is kept. Asked once, when data may flow. Default: no, as it costs time
    /// on every ACK.
    fn needs_deliveries(&self) -> bool {
        false
    }

    /// An ACK of new data showed a round trip, and what was sent again at a timeout is `repaired` or not. Returns the
    /// window to go on with, if the timeout was no congestion: the backoff then ends, too. Default: none.
    fn on_round_trip(&mut self, _sample: Option<RttSample>, _repaired: bool) -> Option<Window> {
        None
    }

    /// Whether the policy wants [`lets_grow`](Self::lets_grow), and answers
    /// [`counts_from`](Self::counts_from) and [`asks`](Self::asks). Asked once. Default: no.
    fn may_ask(&self) -> bool {
        false
    }

    /// Data is marked: the receiver is asked whether what was sent before has arrived. Default: never.
    fn asks(&self) -> bool {
        false
    }

    /// The window counts from this position instead of from the oldest unacknowledged one, if that is lower. Default:
    /// none.
    fn counts_from(&self) -> Option<u64> {
        None
    }

    /// New data was acknowledged; `all`: the receiver answers the question by saying that everything has arrived.
    /// Whether the window may grow on it. Default: yes.
    fn lets_grow(&mut self, _all: bool) -> bool {
        true
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
    Bounded(config): bounded::Bounded,
    Extended(config): extended::Extended,
    Cause(config): cause::Cause,
    Wam(config): wam::Wam,
}

impl TimeoutPolicy for Timeout {
    fn extends(&mut self, rto: &RtoEstimator, flight: &Flight) -> Option<Extension> {
        each!(self, m => m.extends(rto, flight))
    }

    fn respond(&mut self, timeout: &TimeoutEvent, response: Response, window: &Window) -> Response {
        each!(self, m => m.respond(timeout, response, window))
    }

    fn backs_off(&mut self, rto: &RtoEstimator) -> bool {
        each!(self, m => m.backs_off(rto))
    }

    fn on_new_ack(&mut self) -> bool {
        each!(self, m => m.on_new_ack())
    }

    fn needs_deliveries(&self) -> bool {
        each!(self, m => m.needs_deliveries())
    }

    fn on_round_trip(&mut self, sample: Option<RttSample>, repaired: bool) -> Option<Window> {
        each!(self, m => m.on_round_trip(sample, repaired))
    }

    fn may_ask(&self) -> bool {
        each!(self, m => m.may_ask())
    }

    fn asks(&self) -> bool {
        each!(self, m => m.asks())
    }

    fn counts_from(&self) -> Option<u64> {
        each!(self, m => m.counts_from())
    }

    fn lets_grow(&mut self, all: bool) -> bool {
        each!(self, m => m.lets_grow(all))
    }
}
