//! The `congestion` slot: how the window grows and shrinks.

mod cerl;
mod cubic;
mod reno;
mod three_quarter;
mod vegas;
mod veno;
mod westwood;

use super::config::{CongestionConfig, TcpConfig};
use super::custom::Built;
use super::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
use crate::units::Segments;

pub use cerl::Cerl;
pub use cubic::Cubic;
pub use reno::Reno;
pub use three_quarter::ThreeQuarter;
pub use vegas::Vegas;
pub use veno::Veno;
pub use westwood::Westwood;

/// A window law. The sender owns the window, the flight and the recovery; a controller hears events
/// and answers. Windows are in segments, and may be fractions.
///
/// - An ACK of new data: change `window.cwnd`, if `ack.may_grow` or on your own judgement.
/// - A loss: answer with the threshold and the window from now on. The recovery applies it, and
///   adds what it needs to keep sending while it repairs; that never shows in `cwnd`.
/// - A timeout: the same; everything in flight then counts as lost.
///
/// What a window of a user's own law is not, a number of at least one segment, it is made.
///
/// ```
/// use skywave_core::tcp::CongestionControl;
/// use skywave_core::tcp::congestion::standard_growth;
/// use skywave_core::tcp::window::{AckEvent, LossEvent, Response, TimeoutEvent, Window};
///
/// /// Reno with a milder cut.
/// struct Gentle;
///
/// impl CongestionControl for Gentle {
///     fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
///         standard_growth(ack, window);
///     }
///
///     fn on_loss(&mut self, loss: &LossEvent, _window: &Window) -> Response {
///         Response::cut_to(loss.window * 0.8)
///     }
///
///     fn on_timeout(&mut self, timeout: &TimeoutEvent, _window: &Window) -> Response {
///         Response::restart(timeout.window / 2.0)
///     }
/// }
/// ```
pub trait CongestionControl {
    /// Data was acknowledged. Called for every new ACK, also in recovery (then `may_grow` is
    /// false), after the sender's own state was updated.
    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window);

    /// A duplicate ACK came: one more segment has left the network.
    fn on_dupack(&mut self, _ack: &AckEvent) {}

    /// A duplicate ACK came while the detector waits before it reports a loss (TCP-DCR section 3.3:
    /// the window goes on growing). `ack` counts as one segment. Default: [`standard_growth`].
    fn on_waiting(&mut self, ack: &AckEvent, window: &mut Window) {
        standard_growth(ack, window);
    }

    /// A segment was found lost. Called once a fast retransmit.
    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response;

    /// The retransmission timer expired.
    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response;
}

/// Slow start, then one segment a round trip: `+counted` below the threshold, `+counted/cwnd` from
/// there on (RFC 5681 section 3.1; RFC 3465 when bytes are counted).
#[inline]
pub fn standard_growth(ack: &AckEvent, window: &mut Window) {
    if ack.may_grow {
        window.grow(ack.counted);
    }
}

/// The members of the slot: built-in ones, dispatched statically, and a user's own.
#[derive(Debug)]
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
    /// Francis 2012, chapter 4.
    ThreeQuarter(ThreeQuarter),
    /// A user's own.
    Custom(Built<dyn CongestionControl + Send>),
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
            Congestion::ThreeQuarter($member) => $call,
            Congestion::Custom($member) => $call,
        }
    };
}

/// Largest window that a controller of a user's own may set, far above any receiver's.
const LARGEST: Segments = Segments(1e9);

/// At least a segment, as a connection without a window never goes on, and a number.
fn bounded(window: Segments) -> Segments {
    window.max(Segments::ONE).min(LARGEST)
}

fn bounded_response(response: Response) -> Response {
    Response {
        ssthresh: bounded(response.ssthresh),
        window_after: bounded(response.window_after),
    }
}

impl CongestionControl for Built<dyn CongestionControl + Send> {
    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        self.member.on_ack(ack, window);
        window.cwnd = bounded(window.cwnd);
        window.ssthresh = bounded(window.ssthresh);
    }

    fn on_dupack(&mut self, ack: &AckEvent) {
        self.member.on_dupack(ack);
    }

    fn on_waiting(&mut self, ack: &AckEvent, window: &mut Window) {
        self.member.on_waiting(ack, window);
        window.cwnd = bounded(window.cwnd);
        window.ssthresh = bounded(window.ssthresh);
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        bounded_response(self.member.on_loss(loss, window))
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        bounded_response(self.member.on_timeout(timeout, window))
    }
}

impl Congestion {
    /// A fresh controller for a connection.
    pub fn new(config: &TcpConfig) -> Self {
        match config.composition.congestion {
            CongestionConfig::Reno => Self::Reno(Reno),
            CongestionConfig::Vegas(c) => Self::Vegas(Vegas::new(c, config.mss)),
            CongestionConfig::Veno(c) => Self::Veno(Veno::new(c)),
            CongestionConfig::Westwood(c) => Self::Westwood(Westwood::new(c)),
            CongestionConfig::Cubic(c) => Self::Cubic(Cubic::new(c)),
            CongestionConfig::Cerl(c) => Self::Cerl(Cerl::new(c)),
            CongestionConfig::ThreeQuarter => Self::ThreeQuarter(ThreeQuarter),
            CongestionConfig::Custom(ref custom) => Self::Custom(custom.build(config)),
        }
    }
}

impl Congestion {
    /// It grows as [`standard_growth`] does, and hears of nothing else but losses.
    #[inline]
    pub(super) fn is_standard(&self) -> bool {
        matches!(self, Self::Reno(_))
    }
}

impl CongestionControl for Congestion {
    fn on_ack(&mut self, ack: &AckEvent, window: &mut Window) {
        each!(self, m => m.on_ack(ack, window));
    }

    fn on_dupack(&mut self, ack: &AckEvent) {
        each!(self, m => m.on_dupack(ack));
    }

    fn on_waiting(&mut self, ack: &AckEvent, window: &mut Window) {
        each!(self, m => m.on_waiting(ack, window));
    }

    fn on_loss(&mut self, loss: &LossEvent, window: &Window) -> Response {
        each!(self, m => m.on_loss(loss, window))
    }

    fn on_timeout(&mut self, timeout: &TimeoutEvent, window: &Window) -> Response {
        each!(self, m => m.on_timeout(timeout, window))
    }
}
