//! The `congestion` slot: how the window grows and shrinks.

mod cerl;
mod cubic;
mod reno;
mod vegas;
mod veno;
mod westwood;

use super::config::CongestionConfig;
use super::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};

pub use cerl::Cerl;
pub use cubic::Cubic;
pub use reno::Reno;
pub use vegas::Vegas;
pub use veno::Veno;
pub use westwood::Westwood;

/// A window law. The sender owns the window, the flight and the recovery; a controller hears events
/// and answers.
pub trait CongestionControl {
    /// Data was acknowledged. Called for every new ACK, also in recovery (then `may_grow` is
    /// false), after the sender's own state was updated.
    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window);

    /// A duplicate ACK came: one more segment has left the network.
    fn on_dupack(&mut self, _ack: &AckEvent) {}

    /// A segment was found lost. Called once a fast retransmit.
    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response;

    /// The retransmission timer expired.
    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response;
}

/// Slow start, then one segment a round trip: `+counted` below the threshold, `+counted/cwnd` from
/// there on (RFC 5681 section 3.1; RFC 3465 when bytes are counted).
pub fn standard_growth(ack: &AckEvent, window: &mut Window) {
    if ack.may_grow {
        window.cwnd += if window.cwnd < window.ssthresh {
            ack.counted
        } else {
            ack.counted / window.cwnd.0
        };
    }
}

/// The built-in members, dispatched statically.
#[derive(Clone, Debug)]
pub enum Congestion {
    /// RFC 5681.
    Reno(Reno),
    /// Brakmo 1994.
    Vegas(Vegas),
    /// Fu and Liew 2003.
    Veno(Veno),
    /// Casetti 2002; Grieco and Mascolo 2004.
    Westwood(Westwood),
    /// RFC 9438.
    Cubic(Cubic),
    /// El-Ocla 2008.
    Cerl(Cerl),
}

macro_rules! each {
    ($self:expr, $member:ident => $call:expr) => {
        match $self {
            Congestion::Reno($member) => $call,
            Congestion::Vegas($member) => $call,
            Congestion::Veno($member) => $call,
            Congestion::Westwood($member) => $call,
            Congestion::Cubic($member) => $call,
            Congestion::Cerl($member) => $call,
        }
    };
}

impl Congestion {
    /// A fresh controller for a connection with segments of `mss` bytes.
    pub fn new(config: CongestionConfig, mss: u32) -> Self {
        match config {
            CongestionConfig::Reno => Self::Reno(Reno),
            CongestionConfig::Vegas(c) => Self::Vegas(Vegas::new(c, mss)),
            CongestionConfig::Veno(c) => Self::Veno(Veno::new(c)),
            CongestionConfig::Westwood(c) => Self::Westwood(Westwood::new(c)),
            CongestionConfig::Cubic(c) => Self::Cubic(Cubic::new(c)),
            CongestionConfig::Cerl(c) => Self::Cerl(Cerl::new(c)),
        }
    }
}

impl CongestionControl for Congestion {
    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        each!(self, m => m.on_ack(ack, window));
    }

    fn on_dupack(&mut self, ack: &AckEvent) {
        each!(self, m => m.on_dupack(ack));
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        each!(self, m => m.on_loss(loss, window))
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        each!(self, m => m.on_timeout(timeout, window))
    }
}
