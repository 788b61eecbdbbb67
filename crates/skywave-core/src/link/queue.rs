//! The waiting room before the transmitter.
//!
//! A FIFO link knows on arrival when each packet's transmission will start, so the queue is a list
//! of those times: at `now` it holds the packets that start later. The packet in transmission is
//! not in it; one that finds the transmitter free passes without waiting and is never dropped.

use std::collections::VecDeque;

use super::DropCause;
use super::config::{Limit, QueueConfig};
use super::red::Red;
use super::starts::Starts;
use crate::packet::Ecn;
use crate::rng::Stream;
use crate::time::Time;
use crate::units::Rate;

/// Packets that wait, and who may join them.
///
/// Packets whose transmission has started are removed late: when a place is needed.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Queue {
    /// Number of packets that may wait without a closer check; 0 where bytes are limited.
    places: u32,
    starts: Starts,
    admission: Admission,
    /// Where bytes are limited.
    sizes: Option<Box<Sizes>>,
}

/// Bytes of each packet that waits, and of all together.
#[derive(Clone, Debug, Default)]
struct Sizes {
    each: VecDeque<u32>,
    sum: u64,
}

/// End of the part of a [`Queue`] that waiting packets need where the limit is a number of packets.
pub(super) const WARM_BYTES: usize =
    std::mem::offset_of!(Queue, starts) + super::starts::WARM_BYTES;

/// The decision of a queue about an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It may join, or pass without waiting.
    Pass,
    /// The same, with congestion experienced on it.
    Mark,
    /// It is dropped.
    Drop(DropCause),
}

/// Who may join a queue.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Admission {
    limit: Limit,
    early: Option<Box<Early>>,
}

/// What picks packets before the queue is full.
#[derive(Clone, Debug)]
enum Early {
    Red(Red),
    /// The threshold of [`StepConfig`](super::config::StepConfig).
    Step(u64),
}

impl Admission {
    /// For a queue before a transmitter of `rate`; `stream` decides the early drops.
    pub(super) fn new(config: QueueConfig, rate: Rate, stream: Stream) -> Self {
        let (limit, early) = match config {
            // The packet in transmission has one of the places.
            QueueConfig::DropTail(Limit::Packets(n)) => (Limit::Packets(n.saturating_sub(1)), None),
            QueueConfig::Red(red) => (red.limit, Some(Early::Red(Red::new(red, rate, stream)))),
            QueueConfig::Step(step) => (step.limit, Some(Early::Step(step.threshold))),
            other => (other.limit(), None),
        };
        Self {
            limit,
            early: early.map(Box::new),
        }
    }

    /// A packet of `size` bytes with this ECN field comes while `packets` with `bytes` wait; `must_wait`
    /// unless its transmission starts at once.
    #[inline]
    pub(super) fn judges(
        &mut self,
        now: Time,
        must_wait: bool,
        waiting: (usize, u64),
        size: u32,
        ecn: Ecn,
    ) -> Verdict {
        let full = must_wait && !self.has_room(waiting, size);
        let level = self.limit.level(waiting);
        match self.early.as_deref_mut() {
            None | Some(Early::Step(_)) if full => Verdict::Drop(DropCause::Queue),
            Some(Early::Step(threshold)) if level > *threshold && ecn.is_capable() => Verdict::Mark,
            None | Some(Early::Step(_)) => Verdict::Pass,
            Some(Early::Red(red)) => {
                let picked = red.picks(now, level as f64, size);
                if full {
                    red.restart_count();
                    Verdict::Drop(DropCause::Queue)
                } else if !picked {
                    Verdict::Pass
                } else if ecn.is_capable() && red.may_mark() {
                    Verdict::Mark
                } else {
                    Verdict::Drop(DropCause::Early)
                }
            }
        }
    }

    /// A packet of `size` bytes may wait too, while this number with these bytes does.
    #[inline]
    fn has_room(&self, waiting: (usize, u64), size: u32) -> bool {
        self.limit.has_room(waiting, size)
    }

    /// The transmitter will be idle from `end` on, unless another packet comes before.
    #[inline]
    pub(super) fn idle_from(&mut self, end: Time) {
        if let Some(Early::Red(red)) = self.early.as_deref_mut() {
            red.idle_from(end);
        }
    }
}

impl Queue {
    /// A queue before a transmitter of `rate`; `stream` decides the early drops.
    pub(super) fn new(config: QueueConfig, rate: Rate, stream: Stream) -> Self {
        let admission = Admission::new(config, rate, stream);
        let (places, sizes) = match admission.limit {
            Limit::Packets(places) => (places, None),
            Limit::Bytes(_) => (0, Some(Box::default())),
        };
        Self {
            places,
            starts: Starts::new(),
            admission,
            sizes,
        }
    }

    /// It drops or marks packets before it is full.
    pub(super) fn acts_early(&self) -> bool {
        self.admission.early.is_some()
    }

    /// A packet arrives whose transmission would start at `start`.
    pub(super) fn judges(&mut self, now: Time, start: Time, size: u32, ecn: Ecn) -> Verdict {
        let waiting = self.waiting(now);
        self.admission.judges(now, start > now, waiting, size, ecn)
    }

    /// As [`Self::judges`] and [`Self::accept`], for a packet that must wait at a queue without RED:
    /// returns whether it may.
    #[inline(always)]
    pub(super) fn admits(&mut self, now: Time, start: Time, size: u32) -> bool {
        if self.places == 0 {
            return self.admits_at_a_closer_look(now, start, size);
        }
        if self.starts.last() <= now {
            self.starts.restart(start);
            return true;
        }
        // It takes the place of one that has gone, as long as there is one.
        if self.starts.first() <= now {
            self.starts.drop_first();
        }
        if self.starts.len() >= self.places {
            return self.admits_at_a_closer_look(now, start, size);
        }
        self.starts.push_behind(start);
        true
    }

    #[inline(never)]
    fn admits_at_a_closer_look(&mut self, now: Time, start: Time, size: u32) -> bool {
        let waiting = self.waiting(now);
        let has_room = self.admission.has_room(waiting, size);
        if has_room {
            self.wait(start, size);
        }
        has_room
    }

    /// The packet that was not dropped is transmitted from `start` to `end`.
    pub(super) fn accept(&mut self, now: Time, start: Time, end: Time, size: u32) {
        if start > now {
            self.wait(start, size);
        }
        self.admission.idle_from(end);
    }

    /// When the transmissions that start after `now` do, in order.
    pub(super) fn starts_after(&self, now: Time) -> impl Iterator<Item = Time> {
        self.starts.iter().filter(move |&start| start > now)
    }

    /// Puts a packet after the others.
    fn wait(&mut self, start: Time, size: u32) {
        self.starts.push(start);
        if let Some(sizes) = &mut self.sizes {
            sizes.push(size);
        }
    }

    /// Removes the packets whose transmission has started by `now`. Returns how many wait then, and
    /// their bytes if those are limited.
    fn waiting(&mut self, now: Time) -> (usize, u64) {
        while self.starts.len() > 0 && self.starts.first() <= now {
            self.starts.drop_first();
            if let Some(sizes) = &mut self.sizes {
                sizes.drop_first();
            }
        }
        let bytes = self.sizes.as_ref().map_or(0, |sizes| sizes.sum);
        (self.starts.len() as usize, bytes)
    }
}

impl Sizes {
    fn push(&mut self, size: u32) {
        self.each.push_back(size);
        self.sum += u64::from(size);
    }

    fn drop_first(&mut self) {
        if let Some(size) = self.each.pop_front() {
            self.sum -= u64::from(size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::RedConfig;

    fn queue(limit: Limit) -> Queue {
        let stream = Stream::named(1, "test", "red");
        Queue::new(
            QueueConfig::DropTail(limit),
            Rate::from_bps(1_000_000),
            stream,
        )
    }

    fn ns(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    /// Offers a packet of `size` that would transmit for 10 ns from `start`.
    fn offer(q: &mut Queue, now: u64, start: u64, size: u32) -> bool {
        let refused = matches!(
            q.judges(ns(now), ns(start), size, Ecn::NotEct),
            Verdict::Drop(_)
        );
        if !refused {
            q.accept(ns(now), ns(start), ns(start + 10), size);
        }
        !refused
    }

    #[test]
    fn a_limit_in_packets_counts_the_one_in_transmission() {
        let mut q = queue(Limit::Packets(3));
        assert!(offer(&mut q, 0, 0, 100));
        assert!(offer(&mut q, 0, 10, 100));
        assert!(offer(&mut q, 0, 20, 100));
        assert!(!offer(&mut q, 0, 30, 100));
        assert!(!offer(&mut q, 9, 30, 100));
        assert_eq!(q.starts_after(ns(9)).count(), 2);
    }

    #[test]
    fn a_place_is_free_from_the_instant_when_a_transmission_starts() {
        let mut q = queue(Limit::Packets(2));
        assert!(offer(&mut q, 0, 0, 100));
        assert!(offer(&mut q, 0, 10, 100));
        assert!(!offer(&mut q, 9, 20, 100));
        assert!(offer(&mut q, 10, 20, 100));
        assert_eq!(q.starts_after(ns(19)).count(), 1);
        assert_eq!(q.starts_after(ns(20)).count(), 0);
    }

    #[test]
    fn a_limit_in_bytes_is_never_exceeded() {
        let mut q = queue(Limit::Bytes(250));
        assert!(offer(&mut q, 0, 0, 5000));
        assert!(offer(&mut q, 0, 10, 100));
        assert!(!offer(&mut q, 0, 20, 151));
        assert!(offer(&mut q, 0, 20, 150));
        assert!(!offer(&mut q, 0, 30, 1));
        assert!(offer(&mut q, 10, 30, 100));
    }

    #[test]
    fn a_full_red_queue_starts_the_spacing_anew() {
        let red = RedConfig {
            limit: Limit::Bytes(10_000),
            min_threshold: 1_500.0,
            max_threshold: 50_000.0,
            max_p: 0.1,
            weight: 1.0,
            gentle: false,
            wait: true,
            mean_packet: 1000,
            mark_p: None,
        };
        let rate = Rate::from_bps(8_000_000);
        let mut q = Queue::new(QueueConfig::Red(red), rate, Stream::named(1, "test", "red"));
        for start in [0, 10, 20] {
            assert!(offer(&mut q, 0, start, 1000));
        }
        // Refused; if its bytes still counted, the next one would be due for an early drop.
        let refused = q.judges(ns(0), ns(30), 10_000_000, Ecn::NotEct);
        assert_eq!(refused, Verdict::Drop(DropCause::Queue));
        assert!(offer(&mut q, 0, 30, 1000));
    }

    #[test]
    fn a_free_transmitter_needs_no_place() {
        let mut q = queue(Limit::Packets(1));
        assert!(offer(&mut q, 0, 0, 100));
        assert!(!offer(&mut q, 5, 10, 100));
        assert!(offer(&mut q, 10, 10, 100));
    }
}
