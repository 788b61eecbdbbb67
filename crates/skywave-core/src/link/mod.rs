//! A one-way link: queue → transmission → delay, and a channel that loses packets.
//!
//! # The caller's contract
//! [`Link::send`] is called with non-decreasing `now`. It decides the packet's whole fate at once:
//! a FIFO link knows on arrival when each packet will leave, so it needs no event of its own for
//! "transmission finished". The driver schedules the returned arrivals and delivers them.
//!
//! # The order of things
//! With [`Policer`], what exceeds its rate and its burst is dropped first of all.
//! 1. With [`LossAt::Head`], the loss models; a packet that they lose uses nothing of the link.
//! 2. The queue, which may drop it: full ([`DropCause::Queue`]) or early ([`DropCause::Early`]). Instead of
//!    the latter it may mark a packet that is ECN-capable.
//! 3. With [`Contention`], the wait for the channel, which takes no place in the queue.
//! 4. The transmission, of more bytes with [`Fec`].
//! 5. With [`LossAt::Tail`], the loss models, at the end of the transmission.
//! 6. Blackouts, at the end of the transmission; in a blackout that is the cause on record.
//! 7. Propagation delay, with [`Steps`] that of the step; jitter, reordering, damage, duplication.
//!
//! Where the loss models act, [`Fec`] may repair what they corrupt.
//!
//! Random streams are named after the link: `loss.0`, `loss.0.state`, `loss.1`, …, `fec`, `red`,
//! `contention`, `steps.share`, `steps.delay`, `jitter`, `reordering`, `corruption`, `duplication`.
//!
//! A link that retransmits ([`Arq`]), or whose queue decides when packets leave it (CoDel, FQ-CoDel, PIE,
//! DualPI2), cannot know a packet's fate on arrival: it is a [`TimedLink`], with a contract of its own.

mod blackout;
mod config;
mod contention;
mod discipline;
mod fec;
mod impair;
mod loss;
mod medium;
mod meter;
mod policer;
mod queue;
mod red;
mod service;
mod starts;
mod steps;
mod timed;
mod trace;

pub use config::*;
pub use discipline::{CoDelConfig, DualPi2Config, FqCoDelConfig, PieConfig};
pub(crate) use discipline::{Discipline, Frame, Gone};
pub use meter::{Measured, Retransmission};
pub use policer::Policer;
pub use timed::{Offered, Settled, TimedLink};
pub use trace::{OPPORTUNITY_BYTES, Trace, TraceError, TraceErrorKind};

use std::mem::offset_of;
use std::ops::Range;

use crate::packet::Ecn;
use crate::rng::Stream;
use crate::time::{Duration, Time};
use medium::Medium;
use meter::{Meter, Window};
use queue::{Queue, Verdict};
use service::Transmitter;
use steps::SteppedRate;

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It does not arrive.
    Dropped(DropCause),
    /// It reaches the other side.
    Arrives {
        /// When its last byte arrives; [`Time::MAX`] is never (a rate of zero).
        at: Time,
        /// Damaged on the way (and so is its copy).
        corrupt: bool,
        /// The queue marked it: congestion experienced (and so is its copy).
        marked: bool,
        /// A second copy arrives at the same time as the first, right after it.
        duplicate: bool,
    },
}

impl Fate {
    /// The same of a packet that the queue has marked, if `mark`.
    #[must_use]
    fn marked(self, mark: bool) -> Self {
        match self {
            Self::Arrives {
                at,
                corrupt,
                marked,
                duplicate,
            } => Self::Arrives {
                at,
                corrupt,
                marked: marked || mark,
                duplicate,
            },
            dropped @ Self::Dropped(_) => dropped,
        }
    }
}

/// Why a packet does not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DropCause {
    /// The queue was full.
    Queue,
    /// The queue dropped it although there was room (RED, CoDel, PIE, DualPI2), or a policer did.
    Early,
    /// A loss model of the channel.
    Channel,
    /// A blackout.
    Blackout,
}

/// One direction of a link.
///
/// First come the fields that a packet needs which finds a plain link idle, then those that a
/// packet needs which must wait: with many flows, most of the time goes into fetching these, a
/// cache line each.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Link {
    transmitter: Transmitter,
    /// The latest `now`.
    clock: Time,
    delay: Duration,
    meter: Meter,
    queue: Queue,
    /// Losses, delays and damage that packets may meet on the way. Most links have none, so that
    /// these lie elsewhere and a link is small.
    medium: Option<Box<Medium>>,
    /// The time in which the meter measures.
    window: Window,
}

impl Link {
    /// The bytes of a plain link that are read or written when a packet has to wait in its queue.
    pub(crate) const PLAIN_TOUCHES: Range<usize> = 0..offset_of!(Self, queue) + queue::WARM_BYTES;

    /// A link as `config` says; `name` and `seed` name its random streams. It measures from the
    /// start until [`Link::measure`] says otherwise.
    ///
    /// # Panics
    /// When `config` asks for what only a [`TimedLink`] can do ([`LinkConfig::needs_time`]), or for contention
    /// without a constant rate.
    pub fn new(config: LinkConfig, seed: u64, name: &str) -> Self {
        assert!(!config.needs_time(), "such a link is a `TimedLink`");
        let rate = SteppedRate::new(&config, seed, name);
        assert!(
            config.contention.is_none()
                || rate.is_none() && matches!(config.service, Service::Rate(_)),
            "contention is for a constant rate"
        );
        let medium = Medium::unless_perfect(&config, seed, name).map(Box::new);
        let red = Stream::named(seed, name, "red");
        Self {
            queue: Queue::new(config.queue, config.mean_rate(), red),
            transmitter: Transmitter::new(config.service, rate),
            delay: config.delay,
            medium,
            meter: Meter::new(Window::ALL),
            window: Window::ALL,
            clock: Time::ZERO,
        }
    }

    /// Offers a packet of `size` bytes at `now` and decides its fate.
    ///
    /// `now` must not decrease; an earlier one counts as the latest so far. Without reordering, the
    /// arrivals of packets are in the order of their sending.
    pub fn send(&mut self, now: Time, size: u32) -> Fate {
        self.send_capable(now, size, Ecn::NotEct)
    }

    /// As [`Self::send`], for a packet with this ECN field: a queue may mark it instead of dropping it.
    pub fn send_capable(&mut self, now: Time, size: u32, ecn: Ecn) -> Fate {
        let now = self.pass(now);
        let fate = self.decide(now, size, ecn);
        if let Some(medium) = &mut self.medium {
            self.meter.repaired(medium.take_repairs());
        }
        fate
    }

    /// Whether [`Self::send_plain`] may be called: a constant rate, tail drop and a perfect medium.
    pub(crate) fn is_plain(&self) -> bool {
        self.medium.is_none() && self.transmitter.is_plain() && !self.queue.acts_early()
    }

    /// The same as [`Self::send`] for a plain link, as most are: when the packet arrives, or `None`
    /// if the queue is full. All that such a link lacks is left out of the code, and `now` must not be
    /// earlier than in the call before.
    #[inline(always)]
    pub(crate) fn send_plain(&mut self, now: Time, size: u32) -> Option<Time> {
        if now >= self.meter.bound {
            self.pass_bounds(now);
        }
        debug_assert!(now >= self.clock);
        self.clock = now;
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

    /// Time goes on to `now`, or to the latest so far.
    #[inline(always)]
    fn pass(&mut self, now: Time) -> Time {
        if now >= self.meter.bound {
            self.pass_bounds(now);
        }
        self.clock = self.clock.max(now);
        self.clock
    }

    /// Packets waiting at `now`, or at the latest `send`, the one in transmission not counted.
    pub fn queue_len(&self, now: Time) -> u32 {
        self.queue.starts_after(now.max(self.clock)).count() as u32
    }

    /// When the packets that were waiting at the latest `send` leave the queue, in order.
    pub fn leaving(&self) -> impl Iterator<Item = Time> {
        self.queue.starts_after(self.clock)
    }

    /// Measures in `start..end` from now on, and forgets what was measured before. Exact if `start`
    /// is not before the last packet sent so far.
    pub fn measure(&mut self, start: Time, end: Time) {
        let end = end.max(start);
        self.window = Window { start, end };
        self.meter.restart(self.window);
    }

    /// The figures of the window, as of `now`: the end of the run, or any time not before the last
    /// packet. What has been decided for a time after `now` or after the window's end does not
    /// count.
    pub fn finish(&self, now: Time) -> Measured {
        let now = now.max(self.clock);
        let mut link = self.clone();
        link.pass_bounds(now);
        let Window { start, end } = link.window;
        let position = |at: Time| link.transmitter.position(at.min(now));
        let capacity = position(end).saturating_sub(position(start));
        let totals = link.meter.totals();
        let totals = totals.as_of(now, link.ahead(now), link.queue.starts_after(now));
        link.meter.read(link.window, now, capacity, totals)
    }

    /// Reads the totals at the bounds of the window up to `now`.
    #[cold]
    fn pass_bounds(&mut self, now: Time) {
        while now >= self.meter.bound && !self.meter.is_closed() {
            let at = self.meter.bound.max(self.clock);
            let totals = self.meter.totals();
            let totals = totals.as_of(at, self.ahead(at), self.queue.starts_after(at));
            self.meter.pass_bound(self.window, totals);
        }
    }

    /// Capacity after `at` that is taken already.
    fn ahead(&self, at: Time) -> u64 {
        let position = self.transmitter.position(at);
        let station = self.medium.as_ref().and_then(|medium| medium.station());
        match station {
            Some(station) => station.ahead(at),
            None => self.transmitter.taken().saturating_sub(position),
        }
    }

    /// Decides a packet's fate.
    fn decide(&mut self, now: Time, size: u32, ecn: Ecn) -> Fate {
        let meter = &mut self.meter;
        if let Some(medium) = &mut self.medium {
            if !medium.lets_in(now, size) {
                return meter.count(Fate::Dropped(DropCause::Early));
            }
            if medium.loses_at_head(now, size) {
                return meter.count(Fate::Dropped(DropCause::Channel));
            }
        }
        let start = self.transmitter.begin(now);
        let verdict = self.queue.judges(now, start, size, ecn);
        if let Verdict::Drop(cause) = verdict {
            return meter.count(Fate::Dropped(cause));
        }
        let marked = verdict == Verdict::Mark;
        let on_air = match &self.medium {
            Some(medium) => medium.on_air(size),
            None => size,
        };
        if let Some(station) = self.medium.as_mut().and_then(|m| m.station_mut()) {
            self.transmitter.defer(station.wait(now, start));
        }
        let slot = self.transmitter.transmit(on_air);
        self.queue.accept(now, start, slot.end, size);
        meter.transmitted(start.since(now), slot.used);
        if let Some(medium) = &mut self.medium {
            if let Some(station) = medium.station_mut() {
                station.transmits(now, slot);
            }
            return meter.count(medium.carry(slot.end, self.delay, size).marked(marked));
        }
        meter.count(Fate::Arrives {
            at: slot.end + self.delay,
            corrupt: false,
            marked,
            duplicate: false,
        })
    }
}

#[cfg(test)]
mod tests;
