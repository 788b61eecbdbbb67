//! Questions about the state of a sender.

use super::{Sender, SenderCounters, State};
use crate::tcp::flight::Flight;
use crate::tcp::limits::{Limit, LimitTimes, Resend};
use crate::tcp::recovery::LossRecovery;
use crate::tcp::rto::RtoEstimator;
use crate::tcp::window::Window;
use crate::time::{Duration, Time};
use crate::units::Segments;

impl Sender {
    /// Whether [`Self::close`] was called and everything written is acknowledged, the FIN included if one is sent.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Payload bytes written and not yet sent for the first time; `u64::MAX` for an endless source.
    pub fn unsent(&self) -> u64 {
        if self.written == u64::MAX {
            return u64::MAX;
        }
        let sent = self.flight.max().max(self.config.handshake.span());
        self.written.saturating_sub(sent)
    }

    /// Congestion window and slow start threshold; the window is without the inflation of a recovery.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Sequence space and segments in flight.
    pub fn flight(&self) -> &Flight {
        &self.flight
    }

    /// Whether a fast recovery is going on.
    pub fn in_recovery(&self) -> bool {
        self.recovery.is_active()
    }

    /// The latest round-trip sample.
    #[inline]
    pub(super) fn last_rtt(&self) -> Option<Duration> {
        (self.last_rtt < Duration::MAX).then_some(self.last_rtt)
    }

    /// Window after the handshake: smaller where the SYN was lost (RFC 5681 section 3.1).
    pub(super) fn initial_window(&self) -> Segments {
        let window = self.config.initial_window.min(self.config.max_cwnd);
        if self.syn_lost {
            window.min(Segments::ONE)
        } else {
            window
        }
    }

    /// The latest round-trip time that was sampled since the last call; `None` if none was.
    pub fn poll_rtt(&mut self) -> Option<Duration> {
        std::mem::take(&mut self.rtt_untold).then_some(self.last_rtt)
    }

    /// The retransmission timer's estimator.
    pub fn rto(&self) -> &RtoEstimator {
        &self.rto
    }

    /// Counts of retransmissions, timeouts, cuts and segments so far.
    pub fn counters(&self) -> &SenderCounters {
        &self.counters
    }

    /// Restricts [`Self::limit_times`] to the time between `from` and `to`. To be called before the connection opens:
    /// time that was added up before the call stays.
    pub fn measure(&mut self, from: Time, to: Time) {
        self.limits.measure(from, to);
    }

    /// The limit that keeps the sender from sending more, as of the last [`Self::poll_transmit`]; `None`
    /// while the connection is not open.
    pub fn limited_by(&self) -> Option<Limit> {
        self.limits.limit()
    }

    /// How long each limit was in force, from the opening of the connection until `now`, within the time set by
    /// [`Self::measure`].
    pub fn limit_times(&self, now: Time) -> LimitTimes {
        self.limits.times(now)
    }

    /// The segment sent again since the last call, and why; `None` if none was. To be asked after each segment sent.
    pub fn poll_resend(&mut self) -> Option<Resend> {
        self.resend?;
        self.resend.take()
    }
}
