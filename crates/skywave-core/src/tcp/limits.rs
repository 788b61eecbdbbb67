//! Why a sender is not faster: what it waits for at each moment, and why it sends again.

use crate::time::{Duration, Time};

/// Reason why a sender does not send more. At each moment of an open connection exactly one applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The SYN is not answered yet.
    Handshake,
    /// The congestion window is full; also the limit by contention, or that on how much a connection may send again.
    Cwnd,
    /// The receiver's window is full; also when the congestion window is, too.
    Rwnd,
    /// Everything written is sent.
    Application,
    /// A fast recovery is going on, whatever else may be full.
    Recovery,
    /// The pace: the next segment fits the windows, and leaves when its turn comes.
    Pacing,
    /// Silence that the retransmission timer ended: from the last segment sent or heard until it
    /// expired. Known only afterwards; until then the time counts as what it looked like.
    Timeout,
}

impl Limit {
    /// Every limit, in the order of [`LimitTimes`].
    pub const ALL: [Self; 7] = [
        Self::Handshake,
        Self::Cwnd,
        Self::Rwnd,
        Self::Application,
        Self::Recovery,
        Self::Pacing,
        Self::Timeout,
    ];
}

/// How long each limit was in force, in the order of [`Limit::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitTimes([Duration; Limit::ALL.len()]);

impl LimitTimes {
    /// How long `limit` was in force.
    pub fn of(&self, limit: Limit) -> Duration {
        self.0[limit as usize]
    }

    /// How long the connection was open within the time that is measured: the sum over all limits.
    pub fn total(&self) -> Duration {
        self.0.iter().fold(Duration::ZERO, |sum, &d| sum + d)
    }

    /// Share of the open time, from 0 to 1, in which `limit` was in force; `None` if there was no open time.
    pub fn share(&self, limit: Limit) -> Option<f64> {
        let total = self.total().as_nanos();
        (total > 0).then(|| self.of(limit).as_nanos() as f64 / total as f64)
    }
}

/// Adds up the time under each limit.
///
/// Only a change of the limit and an expiry of the timer add anything, so it costs little.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct LimitClock {
    times: LimitTimes,
    /// Only time between these counts.
    window: (Time, Time),
    /// Time before this has been added up.
    since: Time,
    /// When a segment was last sent or heard.
    heard: Time,
    /// The limit in force; `None` while the connection is not open.
    limit: Option<Limit>,
}

impl Default for LimitClock {
    fn default() -> Self {
        Self {
            times: LimitTimes::default(),
            limit: None,
            since: Time::ZERO,
            heard: Time::ZERO,
            window: (Time::ZERO, Time::MAX),
        }
    }
}

impl LimitClock {
    /// Offset of the part that every packet touches.
    pub(super) const HOT: usize = std::mem::offset_of!(Self, heard);

    /// Counts only what is between `from` and `to`.
    pub(crate) fn measure(&mut self, from: Time, to: Time) {
        self.window = (from, to);
    }

    /// `limit` is in force from `now` on; `None` for a connection that is not open.
    #[inline]
    pub(crate) fn set(&mut self, now: Time, limit: Option<Limit>) {
        if limit != self.limit {
            self.add_until(now, self.limit);
            self.limit = limit;
        }
    }

    /// A segment was sent or heard.
    pub(crate) fn hear(&mut self, now: Time) {
        self.heard = now;
    }

    /// The retransmission timer ended the silence.
    pub(crate) fn expire(&mut self, now: Time) {
        self.add_until(self.heard.max(self.since), self.limit);
        self.add_until(now, Some(Limit::Timeout));
    }

    /// Nothing was sent or heard for a while, because there was nothing to send or no room for it at the receiver.
    pub(crate) fn pauses(&self, now: Time) -> bool {
        now > self.heard && matches!(self.limit, Some(Limit::Application | Limit::Rwnd))
    }

    pub(crate) fn limit(&self) -> Option<Limit> {
        self.limit
    }

    /// The times as of `now`.
    pub(crate) fn times(mut self, now: Time) -> LimitTimes {
        self.add_until(now, self.limit);
        self.times
    }

    #[inline(never)]
    fn add_until(&mut self, to: Time, limit: Option<Limit>) {
        if let Some(limit) = limit {
            let (from, end) = (self.since.max(self.window.0), to.min(self.window.1));
            self.times.0[limit as usize] += end.since(from);
        }
        self.since = to;
    }
}

/// Why a segment is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Duplicate ACKs reached the detector's threshold.
    Dupacks,
    /// A partial ACK in a recovery without a scoreboard showed the next hole (RFC 6582).
    PartialAck,
    /// The scoreboard of selective ACKs showed the loss, or its rescue rule applied (RFC 6675).
    Sack,
    /// The detector found the loss otherwise: by time (Vegas' fine-grained timer, the end of TCP-DCR's wait,
    /// RACK), by another number of duplicate ACKs (SIFEST), or by a user's own rule. Also the end of an outage, after
    /// which everything in flight is sent again; the first segment of that.
    Detector,
    /// Nothing was found lost: a detector's probe sends the last segment again, so that an ACK tells
    /// (RFC 8985 section 7.3).
    Probe,
    /// An explicit notification told of the loss.
    Notice,
    /// The retransmission timer expired; the first segment of what follows.
    Timeout,
    /// Going back N, after a timeout or Tahoe's fast retransmit, has come to the segment. Nothing was found
    /// out about this segment itself.
    GoBackN,
}

/// A segment that was sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resend {
    /// Position after the segment's last byte, in bytes from the initial sequence number.
    pub end: u64,
    /// Reason for sending it again.
    pub why: Why,
}
