//! How long the queue is, read from round trips.

use super::super::path::OfLate;
use crate::time::Duration;

/// A queue is long from this part of the largest one on that was seen (CERL's A, section 4.7) ...
const OF_LARGEST: f64 = 0.55;
/// ... or from this part of the smallest round trip on (the growth that HyStart++ takes for a queue, RFC
/// 9406 section 4.3), whichever is less.
const OF_RTT: u64 = 8;
/// Round trips after which the older half of the largest queues is forgotten.
const HALF: u32 = 16;
/// Slow start ends when no sample of a round trip saw a queue shorter than this part of the smallest round
/// trip: a queue that stays, where a burst only passes.
const STAYS: u64 = 4;
/// Samples that a round trip needs for that (RFC 9406's `N_RTT_SAMPLE`).
const SAMPLES: u32 = 8;

/// The bottleneck's queue, in time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Queue {
    min_rtt: Option<Duration>,
    now: Duration,
    largest: OfLate<Duration, HALF>,
    /// The shortest one in the present round trip, and samples of it.
    shortest: Option<Duration>,
    samples: u32,
    /// What a few segments take at the path's rate: no queue, as some always are on their way.
    few: Duration,
}

impl Queue {
    /// A segment that was sent once took this long until the receiver reported it.
    pub(super) fn on_sample(&mut self, rtt: Duration) {
        let least = self.min_rtt.map_or(rtt, |least| least.min(rtt));
        self.min_rtt = Some(least);
        self.now = rtt.saturating_sub(least);
        self.largest.note(self.now);
        let shortest = self.shortest.map_or(self.now, |queue| queue.min(self.now));
        self.shortest = Some(shortest);
        self.samples += 1;
    }

    /// The path delivers a few segments in this time.
    pub(super) fn set_few(&mut self, few: Duration) {
        self.few = few;
    }

    /// The smallest round trip.
    pub(super) fn min_rtt(&self) -> Option<Duration> {
        self.min_rtt
    }

    /// A loss now is one that the queue may have caused.
    pub(super) fn is_long(&self) -> bool {
        self.is_long_for_the_path() || self.is_long_for_the_buffer()
    }

    /// The same where nobody else fills the queue: one of half the largest size has room for more.
    pub(super) fn is_long_for_the_buffer(&self) -> bool {
        self.now >= self.largest.get().mul_f64(OF_LARGEST)
    }

    /// The same in slow start, where the largest queue is still to come.
    pub(super) fn is_long_for_the_path(&self) -> bool {
        self.now >= (self.min_rtt.unwrap_or_default() / OF_RTT).max(self.few)
    }

    /// No sample of the present round trip saw it short.
    pub(super) fn stayed_long(&self) -> bool {
        let stays = self.min_rtt.unwrap_or_default() / STAYS;
        self.samples >= SAMPLES && self.shortest.is_some_and(|queue| queue > stays)
    }

    /// The next round trip begins.
    pub(super) fn begin_round(&mut self) {
        self.largest.on_round();
        self.shortest = None;
        self.samples = 0;
    }
}
