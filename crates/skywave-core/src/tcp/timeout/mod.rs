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

/// Longer wait that a policy wants when the retransmission timer expires, instead of a timeout: neither the window nor
/// what counts as in flight changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extension {
    /// Time from now until the retransmission timer expires next.
    pub timer: Duration,
    /// Whether the oldest unacknowledged segment is sent again at once.
    pub retransmit: bool,
}

/// Policy for an expired retransmission timer: whether to wait once more, and how window and RTO change at a timeout.
pub trait TimeoutPolicy {
    /// The timer expired: the longer wait before it counts as a timeout, `None` for none. Not asked before the
    /// connection is established. Default: `None`.
    fn extends(&mut self, _rto: &RtoEstimator, _flight: &Flight) -> Option<Extension> {
        None
    }

    /// Threshold and window after a timeout. `response` is what the congestion control answers, or the threshold as it
    /// is where a further expiry [keeps it](super::config::TcpConfig::hold_ssthresh), and `window` what was in force
    /// before; the sender goes back N. Default: `response`.
    fn respond(
        &mut self,
        _timeout: &TimeoutEvent,
        response: Response,
        _window: &Window,
    ) -> Response {
        response
    }

    /// Whether this expiry doubles the RTO (RFC 6298 rule 5.5), also one for a SYN; not asked about doublings for marks
    /// or by a detector. Default: yes.
    fn backs_off(&mut self, _rto: &RtoEstimator) -> bool {
        true
    }

    /// New data was acknowledged: is a timer that was extended to be restarted? Default: no.
    fn on_new_ack(&mut self) -> bool {
        false
    }

    /// Whether the policy wants [`on_round_trip`](Self::on_round_trip), for which
    /// [`Flight::delivery`] is kept. Asked when the sender is made and when data may flow. Default: no, as it costs
    /// time on every ACK.
    fn needs_deliveries(&self) -> bool {
        false
    }

    /// Takes the round trip that an ACK of new data showed, if any; `repaired`: whether all that was sent again at a
    /// timeout is acknowledged. Returns the window before the timeout if that was no congestion: the window then
    /// becomes no smaller, unless the congestion control owns it, and the backoff ends. Default: `None`.
    fn on_round_trip(&mut self, _sample: Option<RttSample>, _repaired: bool) -> Option<Window> {
        None
    }

    /// Whether the policy wants [`lets_grow`](Self::lets_grow), and answers
    /// [`counts_from`](Self::counts_from) and [`asks`](Self::asks). Asked once. Default: no.
    fn may_ask(&self) -> bool {
        false
    }

    /// Whether data sent now asks the receiver if all data before it has arrived, as in TCP-WAM. Default: no.
    fn asks(&self) -> bool {
        false
    }

    /// Position from which the congestion window counts, if that is above the oldest unacknowledged one. Default:
    /// `None`, the oldest unacknowledged position.
    fn counts_from(&self) -> Option<u64> {
        None
    }

    /// Whether the window may grow on an ACK of new data. `all`: by this ACK the receiver answers that everything has
    /// arrived; always true for a receiver that does not answer such questions. Default: yes.
    fn lets_grow(&mut self, _all: bool) -> bool {
        true
    }
}

slot! {
    [$] timeout: "What the retransmission timer does on expiry.";
    labels_given: false;
    facts: super::slot::BuiltIn;
    /// Choice of a timeout policy, with its parameters.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum TimeoutConfig;
    /// Timeout policy of one connection, with its state; its methods are dispatched statically.
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
