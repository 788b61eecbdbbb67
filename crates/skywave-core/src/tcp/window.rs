//! The congestion window and what policies tell each other about it.

use crate::packet::Hints;
use crate::time::{Duration, Offset, Time};
use crate::units::Segments;

use super::flight::RateSample;

/// The sender's congestion state. `cwnd` is never inflated: what fast recovery adds for segments
/// that have left the network is kept by the recovery (see `Recovery::inflation`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window: at least one segment, but for a sender with ECN that waits for its timer.
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

    /// Takes a cut back that was a mistake: the window is no smaller than before it.
    pub fn take_back(&mut self, before: &Self) {
        self.cwnd = self.cwnd.max(before.cwnd);
        self.ssthresh = self.ssthresh.max(before.ssthresh);
    }

    /// Takes a controller's answer to a loss.
    pub fn apply(&mut self, response: Response) {
        self.ssthresh = response.ssthresh;
        self.cwnd = response.window_after;
    }
}

/// New data was acknowledged (or, with `acked` zero, a duplicate ACK came).
#[derive(Clone, Copy, Debug)]
pub struct AckEvent {
    /// When the ACK came.
    pub now: Time,
    /// Newly acknowledged data, in segments.
    pub acked: Segments,
    /// Segments as which the ACK counts when the window grows (see `Counting`).
    pub counted: Segments,
    /// The window may grow on this ACK: no recovery is going on, the window was in use, and no router has
    /// marked the data.
    pub may_grow: bool,
    /// A round-trip sample of the retransmission timer's clock: one segment at a time, or every ACK
    /// with timestamps; never of a retransmitted segment, never of the handshake.
    pub rtt: Option<Duration>,
    /// Round trip of the newest segment covered, when it was sent once.
    pub segment_rtt: Option<Duration>,
    /// Smoothed round-trip time of the retransmission timer; `None` before the first sample.
    pub srtt: Option<Duration>,
    /// Oldest position not acknowledged after this ACK (SND.UNA).
    pub una: u64,
    /// Next position to send.
    pub nxt: u64,
    /// Data in flight after this ACK, in segments.
    pub in_flight: Segments,
    /// Data in flight before this ACK, in segments.
    pub in_flight_before: Segments,
    /// Data that this ACK is the first to report as arrived, cumulatively or by a SACK block, in
    /// segments.
    pub delivered: Segments,
    /// Data that counts as lost since the ACK before, in segments.
    pub lost: Segments,
    /// The part of `delivered` that the receiver reports under an ECN echo (RFC 3168), in segments.
    pub marked: Segments,
    /// The rate of delivery, if the congestion control [asks for it](super::congestion::LawFacts::needs_rate)
    /// and this ACK delivered anything.
    pub rate: Option<RateSample>,
    /// Kind of repair that goes on after this ACK.
    pub repairing: Repairing,
    /// Hints of the receiver about the path of the data: contention for a radio channel, congestion warnings,
    /// loss notifications.
    pub hints: Hints,
    /// Delay from host to host. In TCP from the sending of the segment whose timestamp this ACK echoes to the sending of
    /// the ACK; `None` without timestamps. In QUIC those of the packets whose arrival the receiver has told since the
    /// ACK before, which are those that this ACK is the first to report where ACKs tell it; `None` if it has told none.
    pub one_way: Option<OneWayDelays>,
}

/// Delays from host to host of one packet or several, as differences of the two hosts' clocks: only their changes mean
/// something, and they may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneWayDelays {
    /// The smallest.
    pub least: Offset,
    /// Mean of the delays, to within a nanosecond a packet.
    pub mean: Offset,
    /// Number of packets, 1 at least.
    pub count: u32,
}

impl OneWayDelays {
    /// The delay of one packet.
    pub fn of(delay: Offset) -> Self {
        Self {
            least: delay,
            mean: delay,
            count: 1,
        }
    }

    /// Delays of the packets of both.
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

/// Kind of repair that a sender is in, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Repairing {
    /// Nothing is known to be lost.
    #[default]
    Nothing,
    /// A fast retransmit was sent, and its recovery goes on.
    Loss,
    /// The retransmission timer expired, and what was in flight then is not all acknowledged.
    Timeout,
}

/// A segment was found lost before its retransmission timer expired, or a router has marked one.
#[derive(Clone, Copy, Debug)]
pub struct LossEvent {
    /// When the loss or mark was noticed.
    pub now: Time,
    /// How the loss was found, or that a router marked the segment.
    pub cause: LossCause,
    /// Position of the lost segment: everything below is acknowledged.
    pub una: u64,
    /// First position never sent.
    pub max: u64,
    /// The window in force: cwnd (inflated, if still so) or the receiver's, whichever is smaller.
    pub window: Segments,
    /// Data in flight, from una to nxt, in segments.
    pub in_flight: Segments,
    /// Everything sent and not acknowledged, in segments: more than `in_flight` while going back N.
    pub outstanding: Segments,
    /// When the lost segment was last sent.
    pub sent_at: Time,
    /// How often the lost segment was sent.
    pub transmissions: u32,
    /// The smallest window that may answer the loss or mark: two segments after a loss (RFC 5681 equation 4),
    /// one after a mark (RFC 3168 section 6.1.2), half of one after a mark with ns-2's rules.
    pub floor: Segments,
    /// Whether this is a mark for which a law that knows of [RFC
    /// 8511](super::config::TcpConfig::abe) cuts less than for a loss.
    pub abe: bool,
    /// Whether this is a mark, or the ACK that shows the loss echoes one: a router warns of
    /// congestion.
    pub warned: bool,
}

impl LossEvent {
    /// Makes `before`, what was in flight before a detector let out more than the window, the measure of the
    /// cut; the window stays if it is larger.
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

    /// Threshold and window at `window`, each within its lower bound.
    pub fn cut_to(&self, window: Segments) -> Response {
        Response {
            ssthresh: window.max(MIN_SSTHRESH),
            window_after: window.max(self.floor),
        }
    }
}

/// How a loss was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// Duplicate ACKs, as many as the detector wants (RFC 5681 section 3.2).
    Dupacks,
    /// The scoreboard of SACK blocks (RFC 6675 section 4, `IsLost`).
    Sack,
    /// Time: a detector's timer, or the time since something sent later arrived (RFC 8985).
    Time,
    /// A probe repaired it before anybody had found it lost (RFC 8985 section 7.4).
    Probe,
    /// An explicit notification: a channel lost it, not a queue (Balakrishnan and Katz 1998).
    Eln,
    /// No loss: a router marked a segment instead of dropping it (RFC 3168).
    Mark,
}

/// A supposed loss was none: the segments had been reordered or delayed.
#[derive(Clone, Copy, Debug)]
pub struct SpuriousEvent {
    /// When the loss was found to be none.
    pub now: Time,
    /// Everything sent and not acknowledged, in segments.
    pub outstanding: Segments,
}

/// Data is about to be sent after a pause: the application had nothing to send, the receiver had no room, or
/// the connection stood still.
#[derive(Clone, Copy, Debug)]
pub struct IdleEvent {
    /// When the pause ends.
    pub now: Time,
    /// Time since the last segment was sent.
    pub idle: Duration,
    /// The window with which the connection began.
    pub initial_window: Segments,
}

/// The retransmission timer expired.
#[derive(Clone, Copy, Debug)]
pub struct TimeoutEvent {
    /// When the timer expired.
    pub now: Time,
    /// The window in force: cwnd or the receiver's, whichever is smaller.
    pub window: Segments,
    /// Data in flight, from una to nxt, in segments.
    pub in_flight: Segments,
    /// Everything sent and not acknowledged, in segments: more than `in_flight` while going back N.
    pub outstanding: Segments,
}

/// A controller's answer to a loss; the recovery applies it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// New slow start threshold.
    pub ssthresh: Segments,
    /// Congestion window, without inflation, from now on.
    pub window_after: Segments,
}

impl Response {
    /// Threshold and window at `window`, but at least two segments (RFC 5681 equation 4).
    pub fn cut_to(window: Segments) -> Self {
        let window = window.max(MIN_SSTHRESH);
        Self {
            ssthresh: window,
            window_after: window,
        }
    }

    /// No answer: threshold and window stay as they are.
    pub fn unchanged(window: &Window) -> Self {
        Self {
            ssthresh: window.ssthresh,
            window_after: window.cwnd,
        }
    }

    /// After a timeout: threshold at `window` (at least two segments), restart with one segment.
    pub fn restart(window: Segments) -> Self {
        Self {
            ssthresh: window.max(MIN_SSTHRESH),
            window_after: Segments::ONE,
        }
    }
}

/// Smallest slow start threshold (RFC 5681 section 3.1).
pub const MIN_SSTHRESH: Segments = Segments(2.0);
