//! The congestion window and what policies tell each other about it.

use crate::packet::Hints;
use crate::time::{Duration, Offset, Time};
use crate::units::Segments;

use super::flight::RateSample;

/// Congestion window and slow start threshold of a sender. `cwnd` is never inflated: what fast recovery adds for
/// segments that have left the network is kept by the recovery (see `Recovery::inflation`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window: at least one segment, but possibly less for a sender that waits for its timer after an ECN
    /// mark.
    pub cwnd: Segments,
    /// Slow start threshold.
    pub ssthresh: Segments,
}

impl Window {
    /// Slow start by what an ACK counts, or one segment a round trip.
    #[inline]
    pub(crate) fn grow(&mut self, counted: Segments) {
        self.cwnd += if self.cwnd < self.ssthresh {
            counted
        } else {
            counted / self.cwnd.0
        };
    }

    /// Takes back a cut that was a mistake: neither `cwnd` nor `ssthresh` is then smaller than in `before`, their state
    /// before the cut.
    pub fn take_back(&mut self, before: &Self) {
        self.cwnd = self.cwnd.max(before.cwnd);
        self.ssthresh = self.ssthresh.max(before.ssthresh);
    }

    /// Sets `cwnd` and `ssthresh` as `response` says, the congestion control's answer to a loss.
    pub fn apply(&mut self, response: Response) {
        self.ssthresh = response.ssthresh;
        self.cwnd = response.window_after;
    }
}

/// Event of an ACK of new data or, with `acked` zero, of a duplicate ACK, as the congestion control is told of it.
#[derive(Clone, Copy, Debug)]
pub struct AckEvent {
    /// When the ACK came.
    pub now: Time,
    /// Newly acknowledged data, in segments.
    pub acked: Segments,
    /// Segments as which the ACK counts when the window grows (see `Counting`).
    pub counted: Segments,
    /// Whether the window may grow on this ACK: no recovery is going on, the window was in use, and no router has
    /// marked the data.
    pub may_grow: bool,
    /// Round-trip sample of the retransmission timer, if this ACK gives one: with timestamps every ACK of new data,
    /// otherwise one segment at a time, never of one sent again; never of the handshake.
    pub rtt: Option<Duration>,
    /// Round trip of the newest segment that this ACK covers; `None` if that was sent more than once, if the connection
    /// has stood still since, or if the ACK covers no whole segment.
    pub segment_rtt: Option<Duration>,
    /// Smoothed round-trip time of the retransmission timer; `None` before the first sample, and after
    /// [`back_off`](super::rto::RtoEstimator::back_off) has discarded the samples, until the next one.
    pub srtt: Option<Duration>,
    /// Oldest position not acknowledged after this ACK (SND.UNA), in bytes from the initial sequence number. In QUIC:
    /// bytes sent before the oldest packet in flight.
    pub una: u64,
    /// Next position to send (SND.NXT), counted as [`Self::una`]. In QUIC: bytes sent so far.
    pub nxt: u64,
    /// Data in flight after this ACK, in segments.
    pub in_flight: Segments,
    /// Data in flight before this ACK, in segments.
    pub in_flight_before: Segments,
    /// Data that this ACK is the first to report as arrived, cumulatively or by a SACK block, in
    /// segments.
    pub delivered: Segments,
    /// Data found lost since the previous ACK, in segments.
    pub lost: Segments,
    /// Part of [`Self::delivered`] that the receiver reports under an ECN echo (RFC 3168), in segments.
    pub marked: Segments,
    /// Sample of the delivery rate, if the congestion control [asks for it](super::congestion::LawFacts::needs_rate)
    /// and this ACK delivered a segment, more than the first part of one.
    pub rate: Option<RateSample>,
    /// Loss recovery that goes on after this ACK: [`Repairing::Nothing`] if none does.
    pub repairing: Repairing,
    /// Hints of the receiver about the path of the data: contention for a radio channel, congestion warnings,
    /// loss notifications.
    pub hints: Hints,
    /// One-way delays from sender to receiver. In TCP: one, from the sending of the segment whose timestamp this ACK
    /// echoes to the sending of the ACK; `None` without timestamps. In QUIC: those of the packets whose arrival times
    /// the receiver has told since the previous ACK, which are those that this ACK is the first to report where each
    /// ACK tells them; `None` if it has told none.
    pub one_way: Option<OneWayDelays>,
}

/// One-way delays of one packet or several, as differences of the two hosts' clocks: only their changes mean something,
/// and they may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneWayDelays {
    /// Smallest of the delays.
    pub least: Offset,
    /// Mean of the delays; off by less than a nanosecond for each record that was joined with another.
    pub mean: Offset,
    /// Number of packets whose delays these are, 1 at least.
    pub count: u32,
}

impl OneWayDelays {
    /// Record of the delay of a single packet.
    pub fn of(delay: Offset) -> Self {
        Self {
            least: delay,
            mean: delay,
            count: 1,
        }
    }

    /// Record of the delays of `self` and `more` together.
    pub fn and(self, more: Self) -> Self {
        let count = self.count.saturating_add(more.count);
        let above = more.mean.as_nanos().saturating_sub(self.mean.as_nanos());
        let above = above.saturating_mul(more.count.into()) / i64::from(count);
        Self {
            least: self.least.min(more.least),
            mean: Offset::from_nanos(self.mean.as_nanos().saturating_add(above)),
            count,
        }
    }
}

/// Loss recovery that a sender is in: fast recovery, recovery after a timeout, or none, which is the variant
/// [`Self::Nothing`]. A reduction for ECN marks alone (CWR) is no loss recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Repairing {
    /// No loss recovery; a reduction for ECN marks may go on.
    #[default]
    Nothing,
    /// Fast recovery: a fast retransmit was sent, and its recovery goes on. In QUIC each recovery period that losses
    /// have begun.
    Loss,
    /// Recovery after a timeout: the retransmission timer expired, and what was in flight then is not all acknowledged.
    /// Never in QUIC.
    Timeout,
}

/// Event of a segment that was found lost before the retransmission timer expired, or that a router has marked, as the
/// congestion control is told of it.
#[derive(Clone, Copy, Debug)]
pub struct LossEvent {
    /// When the loss or mark was noticed.
    pub now: Time,
    /// How the loss was found, or that a router marked the segment.
    pub cause: LossCause,
    /// Oldest unacknowledged position (SND.UNA), in bytes from the initial sequence number: mostly where the lost
    /// segment begins. In QUIC: bytes sent before the oldest packet in flight.
    pub una: u64,
    /// First position never sent, counted as [`Self::una`]. In QUIC: bytes sent so far.
    pub max: u64,
    /// Window just before the congestion control answers this loss or mark, so that only cuts for earlier ones are in
    /// it: cwnd or the receiver's window, whichever is smaller. The inflation of a recovery that still goes on counts,
    /// unless a segment is lost that this recovery has sent again. In QUIC the window is cwnd alone. A detector may
    /// raise it ([`Self::measure_by`]).
    pub window: Segments,
    /// Data in flight, from una to nxt, in segments.
    pub in_flight: Segments,
    /// Everything sent and not acknowledged, in segments: more than `in_flight` while going back N.
    pub outstanding: Segments,
    /// When the lost segment was last sent; if a probe repaired the loss, when it was first sent; for a mark, when the
    /// oldest segment in flight was last sent. In QUIC, for a mark: when the newest packet that the ACK reports was
    /// sent.
    pub sent_at: Time,
    /// How often the lost segment was sent, taken for 2 if a probe repaired the loss; for a mark, the oldest one in
    /// flight. Always 1 in QUIC.
    pub transmissions: u32,
    /// The smallest window that may answer the loss or mark: two segments after a loss (RFC 5681 equation 4),
    /// one after a mark (RFC 3168 section 6.1.2), half of one after a mark with ns-2's rules.
    pub floor: Segments,
    /// Whether this is a mark for which a congestion control that knows of [RFC 8511](super::config::TcpConfig::abe)
    /// cuts less than for a loss.
    pub abe: bool,
    /// Whether this is a mark, or the ACK that shows the loss echoes one: a router warns of
    /// congestion.
    pub warned: bool,
}

impl LossEvent {
    /// Measures the cut by `before`, the data in flight before a detector let out more than the window;
    /// [`Self::window`] stays if it is larger.
    pub fn measure_by(&mut self, before: Segments) {
        self.window = self.window.max(before);
        self.in_flight = before;
        self.outstanding = before;
    }

    /// Threshold at what the path was measured to carry; the window falls to it, and is never raised.
    pub(crate) fn fall_to(&self, path: Segments, window: &Window) -> Response {
        let cut = self.cut_to(path);
        Response {
            window_after: window.cwnd.min(cut.window_after),
            ..cut
        }
    }

    /// Answer that sets the threshold and the window to `window`, but the threshold to no less than [`MIN_SSTHRESH`],
    /// and the window to no less than [`Self::floor`].
    pub fn cut_to(&self, window: Segments) -> Response {
        Response {
            ssthresh: window.max(MIN_SSTHRESH),
            window_after: window.max(self.floor),
        }
    }
}

/// How a loss was found, or that a router marked a segment and nothing was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// Duplicate ACKs, as many as the detector wants (RFC 5681 section 3.2), or one on which it finds the loss
    /// otherwise.
    Dupacks,
    /// The scoreboard of SACK blocks (RFC 6675 section 4, `IsLost`), or a receiver that names the missing segment.
    Sack,
    /// Time: a detector's timer, or the time since something sent later arrived (RFC 8985).
    Time,
    /// A probe repaired the loss before anybody had found it (RFC 8985 section 7.4).
    Probe,
    /// An explicit notification: a channel lost the segment, not a queue (Balakrishnan and Katz 1998).
    Eln,
    /// No loss: a router marked a segment instead of dropping it (RFC 3168).
    Mark,
}

/// Event of a supposed loss that was none, as the congestion control is told of it: the segments had been reordered or
/// delayed.
#[derive(Clone, Copy, Debug)]
pub struct SpuriousEvent {
    /// When the loss was found to be none.
    pub now: Time,
    /// Everything sent and not acknowledged, in segments.
    pub outstanding: Segments,
}

/// Event of data that is about to be sent after a pause, in which the application had nothing to send, the receiver's
/// window was full, or the connection stood still, as in [`freeze`](super::Connection::freeze).
#[derive(Clone, Copy, Debug)]
pub struct IdleEvent {
    /// When the pause ends.
    pub now: Time,
    /// Time since the last segment was sent.
    pub idle: Duration,
    /// Congestion window with which the connection began.
    pub initial_window: Segments,
}

/// Event of an expiry of the retransmission timer, as the congestion control is told of it.
#[derive(Clone, Copy, Debug)]
pub struct TimeoutEvent {
    /// When the timer expired.
    pub now: Time,
    /// Window just before the congestion control answers this expiry: cwnd or the receiver's window, whichever is
    /// smaller; in QUIC cwnd alone.
    pub window: Segments,
    /// Data in flight, from una to nxt, in segments.
    pub in_flight: Segments,
    /// Everything sent and not acknowledged, in segments: more than `in_flight` while going back N.
    pub outstanding: Segments,
}

/// Answer of a congestion control to a loss, a mark or a timeout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// New slow start threshold.
    pub ssthresh: Segments,
    /// Congestion window from now on, without what a recovery adds.
    pub window_after: Segments,
}

impl Response {
    /// Answer that sets the threshold and the window to `window`, but to at least two segments (RFC 5681 equation 4).
    pub fn cut_to(window: Segments) -> Self {
        let window = window.max(MIN_SSTHRESH);
        Self {
            ssthresh: window,
            window_after: window,
        }
    }

    /// Answer that leaves the threshold and the window as they are in `window`.
    pub fn unchanged(window: &Window) -> Self {
        Self {
            ssthresh: window.ssthresh,
            window_after: window.cwnd,
        }
    }

    /// Answer to a timeout: the threshold is set to `window` (at least two segments), and the window restarts with one
    /// segment.
    pub fn restart(window: Segments) -> Self {
        Self {
            ssthresh: window.max(MIN_SSTHRESH),
            window_after: Segments::ONE,
        }
    }
}

/// Smallest slow start threshold (RFC 5681 section 3.1).
pub const MIN_SSTHRESH: Segments = Segments(2.0);
