//! The smallest round trip as version 1 knows it, and what the path delivers in it.

use super::{NO_RATE, delivered_in};
use crate::time::{Duration, Time};
use crate::units::{Rate, Segments};

/// For how long a smallest round trip counts (RTpropFilterLen).
const RTT_WINDOW: Duration = Duration::from_secs(10);

/// The smallest round trip (BBR.RTprop, section 4.1.2).
#[derive(Clone, Copy, Debug)]
pub(super) struct MinRtt {
    /// [`Duration::MAX`] until a round trip was measured.
    rtt: Duration,
    /// When the smallest round trip was seen, or PROBE_RTT has ended.
    since: Time,
}

impl Default for MinRtt {
    fn default() -> Self {
        Self {
            rtt: Duration::MAX,
            since: Time::ZERO,
        }
    }
}

impl MinRtt {
    /// A round trip was seen, `late` if the receiver may have kept the ACK back. Whether nothing as small
    /// had been seen for the whole window before it.
    pub(super) fn update(&mut self, now: Time, rtt: Option<Duration>, late: bool) -> bool {
        let expired = self.is_known() && now > self.since + RTT_WINDOW;
        if let Some(rtt) = rtt.filter(|&rtt| rtt <= self.rtt || expired && !late) {
            self.rtt = rtt;
            self.since = now;
        }
        expired
    }

    /// Keeps the smallest round trip for another window of time, which begins at `now`.
    pub(super) fn confirm(&mut self, now: Time) {
        self.since = now;
    }

    /// The smallest round trip; [`Duration::MAX`] until one was measured.
    #[inline]
    pub(super) fn get(&self) -> Duration {
        self.rtt
    }

    fn is_known(&self) -> bool {
        self.rtt < Duration::MAX
    }
}

/// Lumps of ACKs count up to what the path's rate delivers in this time.
const LONGEST_SILENCE: Duration = Duration::from_millis(100);

/// How many segments the path delivers in two lengths of time, computed from the bandwidth and the smallest
/// round trip. Each ACK uses these numbers several times, and few ACKs change what they are computed from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivers {
    rtt: Duration,
    rate: Rate,
    in_rtt: Segments,
    in_silence: Segments,
}

impl Default for Delivers {
    fn default() -> Self {
        Self {
            rtt: Duration::MAX,
            rate: NO_RATE,
            in_rtt: Segments::ZERO,
            in_silence: Segments::ZERO,
        }
    }
}

impl Delivers {
    /// Computes the numbers again if the smallest round trip or the bandwidth has changed; `mss`: payload bytes of
    /// a segment.
    #[inline]
    pub(super) fn follow(&mut self, rtt: Duration, rate: Rate, mss: u32) {
        if !self.is_of(rtt, rate) {
            self.change(rtt, rate, mss);
        }
    }

    /// Whether the numbers were computed from this round trip and this bandwidth.
    #[inline]
    pub(super) fn is_of(&self, rtt: Duration, rate: Rate) -> bool {
        rtt == self.rtt && rate == self.rate
    }

    #[inline(never)]
    fn change(&mut self, rtt: Duration, rate: Rate, mss: u32) {
        *self = Self {
            rtt,
            rate,
            in_rtt: delivered_in(rtt, rate, mss),
            in_silence: delivered_in(LONGEST_SILENCE, rate, mss),
        };
    }

    /// The BDP: segments in the smallest round trip; `None` until one was measured.
    pub(super) fn in_rtt(&self) -> Option<Segments> {
        (self.rtt < Duration::MAX).then_some(self.in_rtt)
    }

    /// Segments in the longest pause between lumps of ACKs that counts.
    pub(super) fn in_silence(&self) -> Segments {
        self.in_silence
    }
}
