//! The waiting room before the transmitter.
//!
//! A FIFO link knows on arrival when each packet's transmission will start, so the queue is a list
//! of those times: at `now` it holds the packets that start later. The packet in transmission is
//! not in it; one that finds the transmitter free passes without waiting and is never dropped.

use std::collections::VecDeque;

use super::DropCause;
use super::average::Average;
use super::discipline::QueueConfig;
use super::red::Red;
use super::starts::Starts;
use crate::packet::Ecn;
use crate::rng::Stream;
use crate::time::Time;
use crate::units::{Backlog, Limit, Rate};

/// Packets that wait, and who may join them.
///
/// Packets whose transmission has started are removed late: when a place is needed.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Queue {
    /// Number of packets that may wait; 0 where bytes are limited.
    places: u32,
    starts: Starts,
    /// Where bytes are limited.
    sizes: Option<Box<Sizes>>,
}

/// Bytes of each packet that waits, and of all together.
#[derive(Clone, Debug, Default)]
struct Sizes {
    /// Most bytes that may wait together.
    limit: u64,
    each: VecDeque<u32>,
    sum: u64,
}

/// End of the part of a [`Queue`] that waiting packets need where the limit is a number of packets.
pub(super) const WARM_BYTES: usize =
    std::mem::offset_of!(Queue, starts) + super::starts::WARM_BYTES;

/// The decision of a queue about an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The packet may join, or pass without waiting.
    Pass,
    /// The packet may join or pass, and is marked: congestion experienced.
    Mark,
    /// The packet is dropped.
    Drop(DropCause),
}

/// The rule by which a packet may join a queue: a limit, and perhaps early drops or marks.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Admission {
    limit: Limit,
    early: Option<Box<Early>>,
}

/// The rule that picks packets before the queue is full.
#[derive(Clone, Debug)]
enum Early {
    Red(Red),
    /// The threshold of [`StepConfig`](super::discipline::StepConfig), and the average that is compared with it, if it
    /// is not the queue itself.
    Step(u64, Option<Average>),
}

impl Admission {
    /// For a queue before a transmitter of `rate`; `stream` decides the early drops.
    pub(super) fn new(config: QueueConfig, rate: Rate, stream: Stream) -> Self {
        let (limit, early) = match config {
            // The packet in transmission has one of the places.
            QueueConfig::DropTail(Limit::Packets(n)) => (Limit::Packets(n.saturating_sub(1)), None),
            QueueConfig::Red(red) => (red.limit, Some(Early::Red(Red::new(red, rate, stream)))),
            QueueConfig::Step(step) => {
                let average = step.weight.map(|weight| Average::new(weight, rate));
                (step.limit, Some(Early::Step(step.threshold, average)))
            }
            other => (other.limit(), None),
        };
        Self {
            limit,
            early: early.map(Box::new),
        }
    }

    /// A packet of `size` bytes with this ECN field comes; `must_wait` unless its transmission starts at once.
    #[inline]
    pub(super) fn judges(
        &mut self,
        now: Time,
        must_wait: bool,
        waiting: Backlog,
        size: u32,
        ecn: Ecn,
    ) -> Verdict {
        let full = must_wait && !self.limit.has_room(waiting, size);
        let level = self.limit.level(waiting);
        match self.early.as_deref_mut() {
            None if full => Verdict::Drop(DropCause::Queue),
            None => Verdict::Pass,
            Some(Early::Step(threshold, average)) => {
                let over = match average {
                    None => level > *threshold,
                    Some(average) => {
                        average.update(now, level as f64, u64::from(size.max(1)));
                        average.value > *threshold as f64
                    }
                };
                match (full, over && ecn.is_capable()) {
                    (true, _) => Verdict::Drop(DropCause::Queue),
                    (false, true) => Verdict::Mark,
                    (false, false) => Verdict::Pass,
                }
            }
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

    pub(super) fn limit(&self) -> Limit {
        self.limit
    }

    /// Whether packets are dropped or marked before the queue is full.
    pub(super) fn acts_early(&self) -> bool {
        self.early.is_some()
    }

    /// The transmitter will be idle from `end` on, unless another packet comes before.
    #[inline]
    pub(super) fn idle_from(&mut self, end: Time) {
        match self.early.as_deref_mut() {
            Some(Early::Red(red)) => red.idle_from(end),
            Some(Early::Step(_, Some(average))) => average.idle_from(end),
            Some(Early::Step(_, None)) | None => {}
        }
    }
}

impl Queue {
    /// A queue with this limit.
    pub(super) fn new(limit: Limit) -> Self {
        let sizes = |limit| Sizes {
            limit,
            ..Sizes::default()
        };
        let (places, sizes) = match limit {
            Limit::Packets(places) => (places, None),
            Limit::Bytes(limit) => (0, Some(Box::new(sizes(limit)))),
        };
        Self {
            places,
            starts: Starts::default(),
            sizes,
        }
    }

    /// A packet comes that must wait until `start`, at a queue that drops only what it has no room for:
    /// puts it after the others, if it may wait. Saves 6 % of the instructions of 24 flows.
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
        let limit = match &self.sizes {
            Some(sizes) => Limit::Bytes(sizes.limit),
            None => Limit::Packets(self.places),
        };
        let has_room = limit.has_room(waiting, size);
        if has_room {
            self.wait(start, size);
        }
        has_room
    }

    /// When the transmissions that start after `now` do, in order.
    pub(super) fn starts_after(&self, now: Time) -> impl Iterator<Item = Time> {
        self.starts.iter().filter(move |&start| start > now)
    }

    /// Puts a packet after the others.
    pub(super) fn wait(&mut self, start: Time, size: u32) {
        self.starts.push(start);
        if let Some(sizes) = &mut self.sizes {
            sizes.push(size);
        }
    }

    /// Removes the packets whose transmission has started by `now`. Returns what waits then; its bytes are zero
    /// unless they are limited.
    pub(super) fn waiting(&mut self, now: Time) -> Backlog {
        while self.starts.len() > 0 && self.starts.first() <= now {
            self.starts.drop_first();
            if let Some(sizes) = &mut self.sizes {
                sizes.drop_first();
            }
        }
        let bytes = self.sizes.as_ref().map_or(0, |sizes| sizes.sum);
        Backlog::new(self.starts.len() as usize, bytes)
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
    use crate::link::{RedConfig, StepConfig};

    /// A queue, and who may join it.
    struct Room {
        queue: Queue,
        admission: Admission,
    }

    impl Room {
        fn new(config: QueueConfig, rate: u64) -> Self {
            let stream = Stream::named(1, "test", "red");
            let admission = Admission::new(config, Rate::from_bps(rate), stream);
            Self {
                queue: Queue::new(admission.limit()),
                admission,
            }
        }

        fn judges(&mut self, now: Time, start: Time, size: u32, ecn: Ecn) -> Verdict {
            let waiting = self.queue.waiting(now);
            self.admission.judges(now, start > now, waiting, size, ecn)
        }

        /// A packet transmits from `start` to `end`.
        fn accept(&mut self, now: Time, (start, end): (Time, Time), size: u32) {
            if start > now {
                self.queue.wait(start, size);
            }
            self.admission.idle_from(end);
        }

        fn starts_after(&self, ns: u64) -> usize {
            self.queue.starts_after(Time::from_nanos(ns)).count()
        }
    }

    fn queue(limit: Limit) -> Room {
        Room::new(QueueConfig::DropTail(limit), 1_000_000)
    }

    fn ns(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    /// Offers a packet of `size` that would transmit for 10 ns from `start`.
    fn offer(q: &mut Room, now: u64, start: u64, size: u32) -> bool {
        let verdict = q.judges(ns(now), ns(start), size, Ecn::NotEct);
        let refused = matches!(verdict, Verdict::Drop(_));
        if !refused {
            q.accept(ns(now), (ns(start), ns(start + 10)), size);
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
        assert_eq!(q.starts_after(9), 2);
    }

    #[test]
    fn a_place_is_free_from_the_instant_when_a_transmission_starts() {
        let mut q = queue(Limit::Packets(2));
        assert!(offer(&mut q, 0, 0, 100));
        assert!(offer(&mut q, 0, 10, 100));
        assert!(!offer(&mut q, 9, 20, 100));
        assert!(offer(&mut q, 10, 20, 100));
        assert_eq!(q.starts_after(19), 1);
        assert_eq!(q.starts_after(20), 0);
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
        let mut q = Room::new(QueueConfig::Red(red), 8_000_000);
        for start in [0, 10, 20] {
            assert!(offer(&mut q, 0, start, 1000));
        }
        // Refused; if its bytes still counted, the next one would be due for an early drop.
        let refused = q.judges(ns(0), ns(30), 10_000_000, Ecn::NotEct);
        assert_eq!(refused, Verdict::Drop(DropCause::Queue));
        assert!(offer(&mut q, 0, 30, 1000));
    }

    /// Verdicts on packets of `ecn` that come together, with a threshold of ten packets and half
    /// the weight for a sample.
    fn warned(ecn: Ecn, packets: u64) -> Vec<Verdict> {
        let step = StepConfig {
            limit: Limit::Packets(40),
            threshold: 10,
            weight: Some(0.5),
        };
        let mut q = Room::new(QueueConfig::Step(step), 8_000_000);
        (0..packets)
            .map(|n| {
                let verdict = q.judges(ns(0), ns(10 * n), 100, ecn);
                if !matches!(verdict, Verdict::Drop(_)) {
                    q.accept(ns(0), (ns(10 * n), ns(10 * n + 10)), 100);
                }
                verdict
            })
            .collect()
    }

    #[test]
    fn a_warning_needs_an_average_over_the_threshold_and_nothing_is_dropped_for_it() {
        let verdicts = warned(Ecn::Ect0, 20);
        // Packet n finds n − 1 waiting. The average is a packet behind: it is over ten at the 13th.
        let first = verdicts.iter().position(|v| *v == Verdict::Mark);
        assert_eq!(first, Some(12));
        assert!(verdicts[12..].iter().all(|v| *v == Verdict::Mark));
        // What cannot be marked passes, until there is no room.
        let deaf = warned(Ecn::NotEct, 43);
        assert!(deaf[..41].iter().all(|v| *v == Verdict::Pass));
        assert_eq!(deaf[41..], [Verdict::Drop(DropCause::Queue); 2]);
    }

    #[test]
    fn an_idle_link_forgets_the_average_that_warns() {
        let step = StepConfig {
            limit: Limit::Packets(40),
            threshold: 0,
            weight: Some(0.5),
        };
        // 1000 bytes a millisecond.
        let mut q = Room::new(QueueConfig::Step(step), 8_000_000);
        let ms = |ms: u64| ns(ms * 1_000_000);
        q.accept(ns(0), (ns(0), ms(1)), 1000);
        assert_eq!(q.judges(ns(0), ms(1), 1000, Ecn::Ect0), Verdict::Pass);
        q.accept(ns(0), (ms(1), ms(2)), 1000);
        assert_eq!(q.judges(ns(0), ms(2), 1000, Ecn::Ect0), Verdict::Mark);
        q.accept(ns(0), (ms(2), ms(3)), 1000);
        // Half of a packet is left of the average, and a thousand packets could have been sent since.
        assert_eq!(q.judges(ms(4), ms(4), 1000, Ecn::Ect0), Verdict::Mark);
        q.accept(ms(4), (ms(4), ms(5)), 1000);
        assert_eq!(q.judges(ms(5000), ms(5000), 1000, Ecn::Ect0), Verdict::Pass);
    }

    #[test]
    fn a_free_transmitter_needs_no_place() {
        let mut q = queue(Limit::Packets(1));
        assert!(offer(&mut q, 0, 0, 100));
        assert!(!offer(&mut q, 5, 10, 100));
        assert!(offer(&mut q, 10, 10, 100));
    }
}
