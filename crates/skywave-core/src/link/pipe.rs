//! The part that every link has: a transmitter, a delay, a waiting room and a meter.

use std::mem::offset_of;
use std::ops::Range;

use super::contention::Station;
use super::meter::{Measured, Meter, Window};
use super::queue::{self, Queue};
use super::service::Transmitter;
use super::{DropCause, Fate};
use crate::time::{Duration, Time};

/// A plain link, which has only a constant rate, a queue that is full or not, and a delay, as most links
/// ([`Link::into_pipe`](super::Link::into_pipe)). Every [`Link`](super::Link) contains one.
///
/// Its first fields are those for a packet that finds the link idle, then come those for a packet that must wait, a
/// cache line each: with many flows, most of the time goes into fetching them. The window of the measurement is not
/// stored: the driver has one for all of its links.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Pipe {
    pub(super) transmitter: Transmitter,
    pub(super) delay: Duration,
    pub(super) meter: Meter,
    pub(super) queue: Queue,
}

impl Pipe {
    /// The bytes that are read or written when a packet has to wait in its queue.
    pub(crate) const TOUCHES: Range<usize> = 0..offset_of!(Self, queue) + queue::WARM_BYTES;

    /// Offers a packet of `size` bytes at `now`; returns when it arrives, or `None` if the queue is full. Does what
    /// [`Link::send`](super::Link::send) does on a plain link; with that in its place, a run of 24 flows executes 1.9
    /// times as many instructions. `now` must not be earlier than in the call before, and `window` must be the one
    /// given to [`Link::measure`](super::Link::measure), the same in all calls.
    #[inline(always)]
    pub fn send(&mut self, now: Time, size: u32, window: &(Time, Time)) -> Option<Time> {
        if now >= self.meter.bound {
            self.pass_bounds(now, Time::ZERO, Window::of(*window), None);
        }
        // Only one branch is hard to predict, whether the link is idle; and there is none for each
        // packet that has left the queue.
        let free_at = self.transmitter.plain_free_at();
        let start = if free_at > now {
            if !self.queue.admits(now, free_at, size) {
                self.meter.count(Fate::Dropped(DropCause::Queue));
                return None;
            }
            self.meter.waits(free_at.since(now));
            free_at
        } else {
            now
        };
        let slot = self.transmitter.plain_transmit(start, size);
        self.meter.passed(slot.used);
        Some(slot.end + self.delay)
    }

    /// Figures of the link in `window`, the one given to [`Link::measure`](super::Link::measure), as of
    /// `now`, which must not be before the last packet.
    pub fn finish(&self, now: Time, window: &(Time, Time)) -> Measured {
        self.measured(now, Time::ZERO, Window::of(*window), None)
    }

    /// The figures of the window, as of `now`; `clock` is when the latest packet was offered.
    pub(super) fn measured(
        &self,
        now: Time,
        clock: Time,
        window: Window,
        station: Option<&Station>,
    ) -> Measured {
        let mut pipe = self.clone();
        pipe.pass_bounds(now, clock, window, station);
        let capacity = pipe.transmitter.capacity(window, now);
        let totals = pipe.meter.totals();
        let ahead = pipe.ahead(now, station);
        let totals = totals.as_of(now, ahead, pipe.queue.starts_after(now));
        pipe.meter.read(window, now, capacity, totals)
    }

    /// Reads the totals at the bounds of the window up to `now`.
    #[cold]
    pub(super) fn pass_bounds(
        &mut self,
        now: Time,
        clock: Time,
        window: Window,
        station: Option<&Station>,
    ) {
        while now >= self.meter.bound && !self.meter.is_closed() {
            let at = self.meter.bound.max(clock);
            let totals = self.meter.totals();
            let ahead = self.ahead(at, station);
            let totals = totals.as_of(at, ahead, self.queue.starts_after(at));
            self.meter.pass_bound(window, totals);
        }
    }

    /// Capacity after `at` that is taken already.
    fn ahead(&self, at: Time, station: Option<&Station>) -> u64 {
        station.map_or_else(|| self.transmitter.ahead(at), |station| station.ahead(at))
    }
}

#[cfg(test)]
mod tests {
    use super::super::meter;
    use super::*;

    #[test]
    fn what_packets_need_lies_together() {
        // A cache line for a packet that finds the link idle, and one more for one that must wait.
        let meter = offset_of!(Pipe, meter);
        assert_eq!(meter + meter::WARM_BYTES, 64);
        assert_eq!(size_of::<Pipe>(), 2 * 64);
    }
}
