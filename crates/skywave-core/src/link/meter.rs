//! The figures of a link: running totals, which begin anew when a window opens and are read when it
//! closes.
//!
//! Waiting and transmission are added when they are decided, which may be before they happen; a
//! reading takes out again what lies ahead of it.

use super::{DropCause, Fate};
use crate::time::{Duration, Time};

/// Figures of a link within a window of time. Packets count at the time when they are offered to the link; losses,
/// marks and damage on a [`TimedLink`](super::TimedLink) count at the time when the packet's fate is decided.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Measured {
    /// Length of the window, or of its part up to the reading if the figures are read before its end.
    pub window: Duration,
    /// Share of the window, 0 to 1, in which the link transmitted, or a packet waited for the tokens of a shaper; for a
    /// trace, share of the bytes of its delivery opportunities that were used.
    pub utilisation: f64,
    /// Time average of the number of packets waiting in the queue, the one in transmission not counted.
    pub queue_mean_packets: f64,
    /// Packets offered to the link.
    pub offered: u64,
    /// Packets dropped by the queue, full or early, or by the policer before it.
    pub queue_drops: u64,
    /// Packets that the queue marked CE (congestion experienced, ECN) and that arrive.
    pub ecn_marks: u64,
    /// Packets lost by the loss models.
    pub channel_drops: u64,
    /// Packets lost in blackouts.
    pub blackout_drops: u64,
    /// Packets that arrive damaged.
    pub corrupted: u64,
    /// Transmissions that the loss models corrupted and forward error correction repaired.
    pub fec_repairs: u64,
    /// Counters of a link that retransmits.
    pub arq: Retransmission,
}

/// Counters of the transmissions, first and repeated ones, on a link that retransmits
/// ([`TimedLink`](super::TimedLink)). Each transmission counts when it ends; all zero for other links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Retransmission {
    /// Transmissions, retransmissions included.
    pub transmissions: u64,
    /// Transmissions of packets that had been transmitted before.
    pub retransmissions: u64,
    /// Packets given up after their last retransmission. [`Measured::channel_drops`] or [`Measured::blackout_drops`]
    /// counts them too, by the cause of that last failure.
    pub given_up: u64,
}

impl Retransmission {
    /// Mean number of transmissions per packet; `None` if no packet was transmitted for the first time.
    pub fn mean_transmissions(self) -> Option<f64> {
        let packets = self.transmissions - self.retransmissions;
        (packets > 0).then(|| self.transmissions as f64 / packets as f64)
    }
}

/// Totals since the window opened; before that, since the link's first packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Totals {
    /// Capacity used, on the transmitter's axis.
    used: u64,
    offered: u64,
    /// Sum of the times spent waiting, packet-nanoseconds.
    waited: u128,
    mishaps: Mishaps,
}

/// Counters of what happens to few packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Mishaps {
    queue_drops: u64,
    ecn_marks: u64,
    channel_drops: u64,
    blackout_drops: u64,
    corrupted: u64,
    fec_repairs: u64,
}

impl Totals {
    /// The totals as of `at`, when `taken` of the capacity lies ahead, and packets still wait that
    /// start at these times.
    pub(super) fn as_of(self, at: Time, taken: u64, waiting: impl Iterator<Item = Time>) -> Self {
        let ahead = waiting.map(|start| u128::from(start.since(at).as_nanos()));
        Self {
            used: self.used.saturating_sub(taken),
            waited: self.waited.saturating_sub(ahead.sum()),
            ..self
        }
    }
}

/// End of the part of a [`Meter`] that packets change.
#[cfg(test)]
pub(super) const WARM_BYTES: usize = std::mem::offset_of!(Meter, rest);

/// The totals since the window opened, and what they were when it closed; first what most packets change.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct Meter {
    used: u64,
    /// The next bound of the window: to be read before anything at or after it is counted. It lies between
    /// two counts that change together: side by side they would be added to as a vector, which is slower.
    pub(super) bound: Time,
    offered: u64,
    /// The lower half of the sum of waiting times; the upper one is in the rest.
    waited: u64,
    rest: Option<Box<Rest>>,
}

/// The time in which is measured: from `start` (included) to `end` (not included). Kept apart from the
/// meter, as packets do not need it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) start: Time,
    pub(super) end: Time,
}

impl Window {
    /// From the first time to the second one, which counts as the first if it is earlier.
    pub(super) fn of((start, end): (Time, Time)) -> Self {
        let end = end.max(start);
        Self { start, end }
    }

    /// The whole run.
    pub(super) const ALL: Self = Self {
        start: Time::ZERO,
        end: Time::MAX,
    };

    /// Whether the window holds `at`.
    pub(super) fn holds(self, at: Time) -> bool {
        self.start <= at && at < self.end
    }
}

/// Parts that few links need: most lose nothing, and most windows end with the run.
#[derive(Clone, Debug, Default)]
struct Rest {
    mishaps: Mishaps,
    /// The upper half of the sum of waiting times, which hardly any run needs.
    waited_high: u64,
    /// The totals when the window closed.
    at_close: Option<Totals>,
}

impl Meter {
    pub(super) fn new(window: Window) -> Self {
        Self {
            bound: window.start,
            ..Self::default()
        }
    }

    /// The window has opened.
    fn is_open(&self, window: Window) -> bool {
        self.bound != window.start
    }

    fn mishaps(&mut self) -> &mut Mishaps {
        &mut self.rest.get_or_insert_default().mishaps
    }

    fn close(&mut self, totals: Totals) {
        self.rest.get_or_insert_default().at_close = Some(totals);
        self.bound = Time::MAX;
    }

    /// Measures another window from its start on.
    pub(super) fn restart(&mut self, window: Window) {
        let waited = self.waited_so_far();
        self.bound = window.start;
        self.rest = None;
        self.set_waited(waited);
    }

    /// A packet waits for `waits`, and then takes `used` of the transmitter's capacity.
    #[inline]
    pub(super) fn transmitted(&mut self, waits: Duration, used: u64) {
        if !waits.is_zero() {
            self.waits(waits);
        }
        self.used += used;
    }

    /// A packet waits.
    #[inline(always)]
    pub(super) fn waits(&mut self, time: Duration) {
        let (sum, over) = self.waited.overflowing_add(time.as_nanos());
        self.waited = sum;
        if over {
            self.carry();
        }
    }

    /// The lower half of the sum of waiting times is full.
    #[cold]
    fn carry(&mut self) {
        self.rest.get_or_insert_default().waited_high += 1;
    }

    fn waited_so_far(&self) -> u128 {
        let high = self.rest.as_ref().map_or(0, |rest| rest.waited_high);
        u128::from(high) << 64 | u128::from(self.waited)
    }

    fn set_waited(&mut self, sum: u128) {
        self.waited = sum as u64;
        let high = (sum >> 64) as u64;
        if high > 0 || self.rest.is_some() {
            self.rest.get_or_insert_default().waited_high = high;
        }
    }

    /// A packet was offered, and takes `used` of the transmitter's capacity.
    #[inline(always)]
    pub(super) fn passed(&mut self, used: u64) {
        self.offered += 1;
        self.used += used;
    }

    /// `packets` packets wait for `time`.
    #[inline(always)]
    pub(super) fn waited(&mut self, packets: usize, time: Duration) {
        match (packets as u64).checked_mul(time.as_nanos()) {
            Some(more) => self.waits(Duration::from_nanos(more)),
            None => self.waited_very_long(packets, time),
        }
    }

    #[cold]
    #[inline(never)]
    fn waited_very_long(&mut self, packets: usize, time: Duration) {
        let more = packets as u128 * u128::from(time.as_nanos());
        self.set_waited(self.waited_so_far() + more);
    }

    /// A packet was offered, with this result, which is given back.
    #[inline]
    pub(super) fn count(&mut self, fate: Fate) -> Fate {
        self.offered();
        self.settled(fate);
        fate
    }

    /// A packet was offered.
    #[inline]
    pub(super) fn offered(&mut self) {
        self.offered += 1;
    }

    /// The fate of a packet is known.
    #[inline]
    pub(super) fn settled(&mut self, fate: Fate) {
        if let Fate::Arrives { marked: true, .. } = fate {
            self.mishaps().ecn_marks += 1;
        }
        let drops = match fate {
            Fate::Arrives { corrupt: false, .. } => return,
            Fate::Arrives { corrupt: true, .. } => &mut self.mishaps().corrupted,
            Fate::Dropped(DropCause::Queue | DropCause::Early | DropCause::Policed) => {
                &mut self.mishaps().queue_drops
            }
            Fate::Dropped(DropCause::Channel) => &mut self.mishaps().channel_drops,
            Fate::Dropped(DropCause::Blackout) => &mut self.mishaps().blackout_drops,
        };
        *drops += 1;
    }

    /// Counts transmissions that forward error correction repaired.
    pub(super) fn repaired(&mut self, more: u64) {
        if more > 0 {
            self.mishaps().fec_repairs += more;
        }
    }

    /// The totals by now.
    pub(super) fn totals(&self) -> Totals {
        Totals {
            used: self.used,
            offered: self.offered,
            waited: self.waited_so_far(),
            mishaps: self
                .rest
                .as_ref()
                .map(|rest| rest.mishaps)
                .unwrap_or_default(),
        }
    }

    /// The bound is reached, with these totals. When the window opens, counting begins anew with what
    /// lies ahead: a link does not keep what it counted before.
    pub(super) fn pass_bound(&mut self, window: Window, totals: Totals) {
        if self.is_open(window) {
            return self.close(totals);
        }
        self.bound = window.end;
        self.used = self.used.saturating_sub(totals.used);
        let waited = self.waited_so_far().saturating_sub(totals.waited);
        self.offered = 0;
        self.rest = None;
        self.set_waited(waited);
        if window.start == window.end {
            self.close(Totals::default());
        }
    }

    /// The totals when the window closed, if it did.
    fn at_close(&self) -> Option<Totals> {
        self.rest.as_ref()?.at_close
    }

    /// True once both bounds are read.
    pub(super) fn is_closed(&self) -> bool {
        self.at_close().is_some()
    }

    /// The figures as of `now`, when the totals are `totals` and all bounds up to `now` were passed.
    /// `capacity` is the length of the window, up to `now`, on the transmitter's axis.
    pub(super) fn read(
        &self,
        window: Window,
        now: Time,
        capacity: u64,
        totals: Totals,
    ) -> Measured {
        let seen = if self.is_open(window) {
            self.at_close().unwrap_or(totals)
        } else {
            Totals::default()
        };
        let length = window.end.min(now).since(window.start);
        Measured {
            window: length,
            utilisation: ratio(u128::from(seen.used), capacity),
            queue_mean_packets: ratio(seen.waited, length.as_nanos()),
            offered: seen.offered,
            queue_drops: seen.mishaps.queue_drops,
            ecn_marks: seen.mishaps.ecn_marks,
            channel_drops: seen.mishaps.channel_drops,
            blackout_drops: seen.mishaps.blackout_drops,
            corrupted: seen.mishaps.corrupted,
            fec_repairs: seen.mishaps.fec_repairs,
            arq: Retransmission::default(),
        }
    }
}

fn ratio(part: u128, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests;
