//! What a link measures over a window: use, mean queue, and counts of what became of the packets.

use super::{DropCause, Fate};
use crate::time::{Duration, Time};

/// A stretch `from..to` of an integer axis (nanoseconds, or bytes of capacity).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    from: u64,
    to: u64,
}

impl Span {
    pub(super) const fn new(from: u64, to: u64) -> Self {
        Self { from, to }
    }

    const fn between(from: Time, to: Time) -> Self {
        Self::new(from.as_nanos(), to.as_nanos())
    }

    const fn len(self) -> u64 {
        self.to.saturating_sub(self.from)
    }

    /// Length of the part that lies in `other` too.
    fn overlap(self, other: Self) -> u64 {
        Self::new(self.from.max(other.from), self.to.min(other.to)).len()
    }
}

/// What a link measured; packets are counted by the time when they were offered.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Measured {
    /// Length of the window, up to where the run came.
    pub window: Duration,
    /// Share of the window in which the link transmitted; for a trace, used share of the bytes of
    /// its opportunities.
    pub utilisation: f64,
    /// Time average of the packets waiting, the one in transmission not counted.
    pub queue_mean_packets: f64,
    /// Packets offered to the link.
    pub offered: u64,
    /// Packets dropped by the queue, full or early.
    pub queue_drops: u64,
    /// Packets lost by the loss models.
    pub channel_drops: u64,
    /// Packets lost in blackouts.
    pub blackout_drops: u64,
    /// Packets that arrive damaged.
    pub corrupted: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    offered: u64,
    queue_drops: u64,
    channel_drops: u64,
    blackout_drops: u64,
    corrupted: u64,
}

/// Accumulates what [`Measured`] reports. Waiting and transmission are entered when they are
/// decided, which may be before they happen; reading takes out again what lies ahead.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    window: Span,
    /// The window on the transmitter's capacity axis.
    capacity: Span,
    /// Capacity used in closed busy periods.
    used: u64,
    /// The last busy period, on the capacity axis.
    busy: Span,
    /// Sum of the times spent waiting, packet-nanoseconds.
    waited: u128,
    counts: Counts,
}

impl Meter {
    /// Measures from `start` to `end`, which lie at `capacity` on the transmitter's axis.
    pub(super) fn new(start: Time, end: Time, capacity: Span) -> Self {
        Self {
            window: Span::between(start, end),
            capacity,
            used: 0,
            busy: Span::new(0, 0),
            waited: 0,
            counts: Counts::default(),
        }
    }

    /// Measures another window from its start, not before `now`; `waiting` as in [`Self::read`].
    pub(super) fn restart(
        &mut self,
        now: Time,
        (start, end): (Time, Time),
        capacity: Span,
        waiting: impl Iterator<Item = Time>,
    ) {
        let busy = self.busy;
        *self = Self::new(start, end, capacity);
        self.busy = busy;
        self.waited = self.waiting_from(now, waiting);
    }

    /// Packet-nanoseconds of the window that `waiting` packets spend there from `now` on.
    fn waiting_from(&self, now: Time, waiting: impl Iterator<Item = Time>) -> u128 {
        waiting
            .map(|start| u128::from(Span::between(now, start).overlap(self.window)))
            .sum()
    }

    /// A packet waits from `arrival` to `start`, then takes `used` of the transmitter.
    pub(super) fn transmitted(&mut self, arrival: Time, start: Time, used: Span) {
        self.waited += u128::from(Span::between(arrival, start).overlap(self.window));
        if used.from > self.busy.to {
            self.used += self.busy.overlap(self.capacity);
            self.busy.from = used.from;
        }
        self.busy.to = used.to;
    }

    /// A packet was offered at `now`, with this result.
    pub(super) fn count(&mut self, now: Time, fate: Fate) {
        let now = now.as_nanos();
        if now < self.window.from || now >= self.window.to {
            return;
        }
        let counts = &mut self.counts;
        counts.offered += 1;
        match fate {
            Fate::Arrives { corrupt, .. } => counts.corrupted += u64::from(corrupt),
            Fate::Dropped(DropCause::Queue | DropCause::Early) => counts.queue_drops += 1,
            Fate::Dropped(DropCause::Channel) => counts.channel_drops += 1,
            Fate::Dropped(DropCause::Blackout) => counts.blackout_drops += 1,
        }
    }

    /// The figures as of `now`, which lies at `position` on the capacity axis (or is clipped to the
    /// window already); `waiting` are the starts of transmission of the packets still waiting.
    pub(super) fn read(
        &self,
        now: Time,
        position: u64,
        waiting: impl Iterator<Item = Time>,
    ) -> Measured {
        let ahead = self.waiting_from(now, waiting);
        let seen = Span::new(self.window.from, self.window.to.min(now.as_nanos()));
        let capacity = Span::new(self.capacity.from, self.capacity.to.min(position));
        Measured {
            window: Duration::from_nanos(seen.len()),
            utilisation: ratio(
                u128::from(self.used + self.busy.overlap(capacity)),
                capacity.len(),
            ),
            queue_mean_packets: ratio(self.waited.saturating_sub(ahead), seen.len()),
            offered: self.counts.offered,
            queue_drops: self.counts.queue_drops,
            channel_drops: self.counts.channel_drops,
            blackout_drops: self.counts.blackout_drops,
            corrupted: self.counts.corrupted,
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
mod tests {
    use super::*;

    fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    fn meter(start: u64, end: u64) -> Meter {
        Meter::new(at(start), at(end), Span::new(start, end))
    }

    fn read(meter: &Meter, now: u64, waiting: &[u64]) -> Measured {
        meter.read(at(now), now, waiting.iter().map(|&t| at(t)))
    }

    #[test]
    fn busy_time_and_waiting_are_clipped_to_the_window() {
        let mut m = meter(100, 200);
        m.transmitted(at(0), at(0), Span::new(0, 50)); // before
        m.transmitted(at(60), at(60), Span::new(60, 110)); // 10 within
        m.transmitted(at(60), at(110), Span::new(110, 130)); // 20 within, waits 10 within
        m.transmitted(at(150), at(150), Span::new(150, 190)); // 40 within
        m.transmitted(at(160), at(190), Span::new(190, 230)); // 10 within, waits 30
        m.transmitted(at(195), at(230), Span::new(230, 260)); // none, waits 5
        let got = read(&m, 300, &[]);
        assert_eq!(got.utilisation, 0.80);
        assert_eq!(got.queue_mean_packets, 0.45);
        assert_eq!(got.window, Duration::from_nanos(100));
    }

    #[test]
    fn what_lies_ahead_of_an_early_end_is_taken_out() {
        let mut m = meter(0, 1000);
        m.transmitted(at(0), at(0), Span::new(0, 60));
        m.transmitted(at(20), at(60), Span::new(60, 120));
        m.transmitted(at(40), at(120), Span::new(120, 180));
        // As of 100: transmitting all the time; one waited 40, one has waited 60 so far.
        let got = read(&m, 100, &[120]);
        assert_eq!(got.utilisation, 1.0);
        assert_eq!(got.queue_mean_packets, 1.0);
        assert_eq!(got.window, Duration::from_nanos(100));
    }

    #[test]
    fn packets_count_by_the_time_of_the_offer() {
        let mut m = meter(100, 200);
        let dropped = Fate::Dropped;
        let damaged = Fate::Arrives {
            at: at(500),
            corrupt: true,
            duplicate_at: None,
        };
        m.count(at(99), dropped(DropCause::Queue));
        m.count(at(100), dropped(DropCause::Queue));
        m.count(at(101), dropped(DropCause::Early));
        m.count(at(102), dropped(DropCause::Channel));
        m.count(at(103), dropped(DropCause::Blackout));
        m.count(at(199), damaged);
        m.count(at(200), damaged);
        let got = read(&m, 300, &[]);
        assert_eq!((got.offered, got.queue_drops), (5, 2));
        assert_eq!((got.channel_drops, got.blackout_drops), (1, 1));
        assert_eq!(got.corrupted, 1);
    }

    #[test]
    fn an_empty_window_reads_zero() {
        let got = read(&meter(5, 5), 10, &[]);
        assert_eq!((got.utilisation, got.queue_mean_packets), (0.0, 0.0));
    }
}
