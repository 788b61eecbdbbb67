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
//! 4. With [`Shaper`], the wait for tokens, which takes no place in the queue.
//! 5. The transmission, of more bytes with [`Fec`].
//! 6. With [`LossAt::Tail`], the loss models, at the end of the transmission.
//! 7. Blackouts, at the end of the transmission; in a blackout that is the cause on record.
//! 8. Propagation delay, with [`Steps`] that of the step; jitter, reordering, damage, duplication.
//!
//! Where the loss models act, [`Fec`] may repair what they corrupt.
//!
//! Random streams are named after the link: `loss.0`, `loss.0.state`, `loss.1`, …, `fec`, `red`,
//! `contention`, `steps.share`, `steps.delay`, `jitter`, `reordering`, `corruption`, `duplication`; those of a
//! [`TimedLink`] also `fq` and `pie`.
//!
//! A link that retransmits ([`Arq`]), or whose queue decides when packets leave it (CoDel, FQ-CoDel, PIE,
//! DualPI2), cannot know a packet's fate on arrival: it is a [`TimedLink`], with a contract of its own.
//!
//! # Notes
//! The channel may lose before the queue (as ns-2's `lossmodel` does) or after the transmission. A tail-drop
//! limit in packets counts the packet in transmission, as ns-2's does. Recorded traces are served as mahimahi
//! does: each opportunity carries up to 1500 bytes of what waits, and is lost when nothing does. A shaper is part
//! of the transmitter: a packet's transmission lasts from when it is next until it has left, the wait for its
//! tokens included, so that its fate too is known on arrival.

mod average;
mod blackout;
mod bucket;
mod config;
mod contention;
mod discipline;
mod fec;
mod filled;
mod impair;
mod loss;
mod marking;
mod medium;
mod meter;
mod pipe;
mod policer;
mod queue;
mod red;
mod repair;
mod service;
mod shaper;
mod starts;
mod steps;
mod tag;
mod timed;
mod trace;

pub use config::*;
pub use contention::Contention;
pub use discipline::{
    CoDelConfig, DropTail, DualPi2Config, FqCoDelConfig, PieConfig, PieControl, QueueConfig,
    StepConfig,
};
pub(crate) use discipline::{Discipline, Frame, Gone};
pub use filled::{filled, filled_bins};
pub use loss::*;
pub use meter::{Measured, Retransmission};
pub use pipe::Pipe;
pub use policer::Policer;
pub use red::RedConfig;
pub use repair::{Arq, Fec};
pub use shaper::Shaper;
pub use tag::Tag;
pub use timed::{Offered, Settled, TimedLink};
pub use trace::{OPPORTUNITY_BYTES, Trace, TraceError, TraceErrorKind};

use crate::packet::Ecn;
use crate::rng::Stream;
use crate::time::Time;
use medium::Medium;
use meter::{Meter, Window};
use queue::{Admission, Queue, Verdict};
use service::Transmitter;
use steps::SteppedRate;

/// Fate of a packet that was offered to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The packet does not arrive.
    Dropped(DropCause),
    /// The packet reaches the other side.
    Arrives {
        /// When its last byte arrives; [`Time::MAX`] is never (a rate of zero).
        at: Time,
        /// Whether the packet, and so its copy, is damaged on the way.
        corrupt: bool,
        /// Whether the queue marked the packet, and so its copy: congestion experienced.
        marked: bool,
        /// Whether a second copy arrives at the same time, right after the first.
        duplicate: bool,
    },
}

impl Fate {
    /// A packet arrives at `at` as its host sent it: once, undamaged and unmarked.
    #[inline(always)]
    pub const fn untouched(at: Time) -> Self {
        Self::Arrives {
            at,
            corrupt: false,
            marked: false,
            duplicate: false,
        }
    }

    /// Adds the queue's mark to the fate of a packet that arrives, if `mark`.
    #[inline(always)]
    #[must_use]
    fn marked(mut self, mark: bool) -> Self {
        if let Self::Arrives { marked, .. } = &mut self {
            *marked |= mark;
        }
        self
    }
}

/// Cause for which a packet that was offered to a link does not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DropCause {
    /// The queue was full.
    Queue,
    /// The queue dropped the packet although there was room (RED, CoDel, FQ-CoDel, PIE, DualPI2).
    Early,
    /// The policer before the queue dropped the packet. Counted as [`Self::Early`].
    Policed,
    /// A loss model of the channel lost the packet.
    Channel,
    /// The packet's transmission ended in a blackout of the link.
    Blackout,
}

/// One direction of a link that decides a packet's fate as soon as it is offered: queue, transmitter, delay, and a
/// channel that may lose it. A link that cannot decide so early is a [`TimedLink`].
#[derive(Clone, Debug)]
pub struct Link {
    pipe: Pipe,
    /// The latest `now`.
    clock: Time,
    admission: Admission,
    /// Losses, delays and damage that packets may meet on the way. Most links have none, so that
    /// these lie elsewhere and a link is small.
    medium: Option<Box<Medium>>,
    /// The time in which the meter measures.
    window: Window,
}

impl Link {
    /// A link as `config` says; `name` and `seed` name its random streams. Its figures cover the whole run until
    /// [`Link::measure`] sets a window.
    ///
    /// # Panics
    /// When `config` asks for what only a [`TimedLink`] can do ([`LinkConfig::needs_time`]), for contention
    /// without a constant rate, or for a shaper without a constant rate or with contention.
    pub fn new(config: LinkConfig, seed: u64, name: &str) -> Self {
        assert!(!config.needs_time(), "such a link is a `TimedLink`");
        let rate = SteppedRate::new(&config, seed, name);
        assert!(
            config.contention.is_none()
                || rate.is_none() && matches!(config.service, Service::Rate(_)),
            "contention is for a constant rate"
        );
        assert!(
            config.contention.is_none() || config.shaper.is_none(),
            "no shaper with contention"
        );
        let medium = Medium::unless_perfect(&config, seed, name).map(Box::new);
        let red = Stream::named(seed, name, "red");
        let admission = Admission::new(config.queue, config.mean_rate(), red);
        Self {
            pipe: Pipe {
                queue: Queue::new(admission.limit()),
                transmitter: Transmitter::new(config.service, rate).shaped(config.shaper),
                delay: config.delay,
                meter: Meter::new(Window::ALL),
            },
            admission,
            medium,
            window: Window::ALL,
            clock: Time::ZERO,
        }
    }

    /// Offers a packet of `size` bytes at `now` and decides its fate.
    ///
    /// `now` must not decrease; an earlier time counts as the latest so far. Without reordering, packets arrive in
    /// the order in which they are sent.
    pub fn send(&mut self, now: Time, size: u32) -> Fate {
        self.send_capable(now, size, Ecn::NotEct)
    }

    /// Offers a packet of `size` bytes with this ECN field at `now` and decides its fate, as [`Self::send`]
    /// does. The queue may mark an ECN-capable packet instead of dropping it.
    pub fn send_capable(&mut self, now: Time, size: u32, ecn: Ecn) -> Fate {
        let now = self.pass(now);
        let fate = self.decide(now, size, ecn);
        if let Some(medium) = &mut self.medium {
            self.pipe.meter.repaired(medium.take_repairs());
        }
        fate
    }

    /// Whether the link has only a constant rate, a drop-tail queue and a delay, as [`Self::into_pipe`] needs it.
    pub fn is_plain(&self) -> bool {
        self.medium.is_none() && self.pipe.transmitter.is_plain() && !self.admission.acts_early()
    }

    /// Turns a [plain](Self::is_plain) link, over which nothing was sent yet, into a [`Pipe`], which takes fewer
    /// instructions per packet. For a [driver](crate::driver) of thousands of links.
    pub fn into_pipe(self) -> Pipe {
        self.pipe
    }

    /// Moves the clock on to `now`, or keeps it at the latest time so far; returns the clock.
    #[inline(always)]
    fn pass(&mut self, now: Time) -> Time {
        if now >= self.pipe.meter.bound {
            let station = self.medium.as_ref().and_then(|m| m.station.as_ref());
            self.pipe.pass_bounds(now, self.clock, self.window, station);
        }
        self.clock = self.clock.max(now);
        self.clock
    }

    /// Number of packets waiting in the queue at `now`, or at the latest [`Self::send`] if that is later; the packet
    /// in transmission does not count.
    pub fn queue_len(&self, now: Time) -> u32 {
        let now = now.max(self.clock);
        self.pipe.queue.starts_after(now).count() as u32
    }

    /// Times at which the packets that were waiting at the latest `send` leave the queue, in order.
    pub fn leaving(&self) -> impl Iterator<Item = Time> {
        self.pipe.queue.starts_after(self.clock)
    }

    /// Sets the window `start..end` of the figures that [`Self::finish`] returns, and forgets what was measured
    /// before. The figures are exact if no packet so far was sent after `start`. Packets sent before this call are not
    /// counted, even if they were sent at `start`.
    pub fn measure(&mut self, start: Time, end: Time) {
        self.window = Window::of((start, end));
        self.pipe.meter.restart(self.window);
    }

    /// Figures of the window that [`Self::measure`] set (else of the whole run), as of `now`: the end of the run, or
    /// any time not before the last packet. Waiting and transmission after `now` or after the window do not count.
    pub fn finish(&self, now: Time) -> Measured {
        let station = self.medium.as_ref().and_then(|m| m.station.as_ref());
        let now = now.max(self.clock);
        self.pipe.measured(now, self.clock, self.window, station)
    }

    /// Decides a packet's fate.
    fn decide(&mut self, now: Time, size: u32, ecn: Ecn) -> Fate {
        let Pipe {
            transmitter,
            delay,
            meter,
            queue,
        } = &mut self.pipe;
        if let Some(medium) = &mut self.medium {
            if !medium.lets_in(now, size) {
                return meter.count(Fate::Dropped(DropCause::Policed));
            }
            if medium.loses_at_head(now, size) {
                return meter.count(Fate::Dropped(DropCause::Channel));
            }
        }
        let start = transmitter.begin(now);
        let waiting = queue.waiting(now);
        let verdict = self.admission.judges(now, start > now, waiting, size, ecn);
        if let Verdict::Drop(cause) = verdict {
            return meter.count(Fate::Dropped(cause));
        }
        let marked = verdict == Verdict::Mark;
        let on_air = self.medium.as_ref().map_or(size, |m| m.on_air(size));
        if let Some(station) = self.medium.as_mut().and_then(|m| m.station.as_mut()) {
            transmitter.defer(station.wait(now, start));
        }
        let slot = transmitter.transmit(on_air);
        if start > now {
            queue.wait(start, size);
        }
        self.admission.idle_from(slot.end);
        meter.transmitted(start.since(now), slot.used);
        let fate = match &mut self.medium {
            Some(medium) => {
                if let Some(station) = &mut medium.station {
                    station.transmits(now, slot);
                }
                medium.carry(slot.end, *delay, size)
            }
            None => Fate::untouched(slot.end + *delay),
        };
        meter.count(fate.marked(marked))
    }
}

#[cfg(test)]
mod tests;
