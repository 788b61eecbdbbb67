//! Queue disciplines of a [`TimedLink`](super::TimedLink) and of a MAC: who may wait, who leaves next, and who is
//! dropped or marked on the way out.
//!
//! Tail drop, RED and step marking decide when a packet arrives. CoDel, FQ-CoDel, PIE and DualPI2 look at
//! the time that packets spend in the queue, so they also decide when the transmitter takes one.
//!
//! A [`TimedLink`](super::TimedLink) cannot decide on arrival, because repaired packets go before those that
//! wait, or because the queue drops packets on their way out. It takes its packets from a discipline, as the MAC
//! of 802.11 does (`mac/queue.rs`). With a drop-tail queue and without retransmission it gives the same packets
//! and counts as a [`Link`](super::Link) (a property test).
//!
//! A further discipline needs its file, with the description of its configuration, a line of `family!` in
//! `config.rs`, and its arms there and here.

mod codel;
mod config;
mod dualpi2;
mod fifo;
mod fq_codel;
mod frames;
mod longest;
mod pie;
mod slab;

pub use codel::CoDelConfig;
pub use config::{DropTail, QueueConfig, StepConfig};
pub use dualpi2::DualPi2Config;
pub use fq_codel::FqCoDelConfig;
pub use pie::{PieConfig, PieControl};

pub(crate) use frames::Frame;
pub(super) use frames::Frames;

use super::DropCause;
use crate::rng::Stream;
use crate::time::{Duration, Time};
use crate::units::{Backlog, Limit, Rate};
use codel::CoDel;
use dualpi2::DualPi2;
use fifo::Fifo;
use fq_codel::FqCoDel;
use pie::Pie;

/// Shortest time between two updates of a drop probability that a file may ask for: it need not be computed more often.
const SHORTEST_UPDATE: Duration = Duration::from_micros(100);

/// The packets that wait for the transmitter, and the rule by which they do.
#[derive(Clone, Debug)]
pub(crate) enum Discipline {
    Fifo(Box<Fifo>),
    CoDel(Box<CoDel>),
    FqCoDel(Box<FqCoDel>),
    Pie(Box<Pie>),
    DualPi2(Box<DualPi2>),
}

/// A packet comes to a queue.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    now: Time,
    /// Whether the packet's transmission does not start at once.
    must_wait: bool,
    /// All packets that wait, the link's own repairs included.
    waiting: Backlog,
    frame: Frame,
}

impl Arrival {
    /// Whether the packet has to wait, and there is no room for it.
    fn exceeds(&self, limit: Limit) -> bool {
        self.must_wait && !limit.has_room(self.waiting, self.frame.tag.size())
    }
}

/// Packets that a discipline has dropped after it had accepted them.
pub(crate) type Gone = Vec<(Frame, DropCause)>;

/// Calls a method of whichever discipline it is.
macro_rules! each {
    ($self:expr, $queue:ident => $call:expr) => {
        match $self {
            Discipline::Fifo($queue) => $call,
            Discipline::CoDel($queue) => $call,
            Discipline::FqCoDel($queue) => $call,
            Discipline::Pie($queue) => $call,
            Discipline::DualPi2($queue) => $call,
        }
    };
}

impl Discipline {
    /// A discipline before a transmitter of `rate`; `seed` and `name` name its random streams.
    pub(crate) fn new(config: QueueConfig, rate: Rate, seed: u64, name: &str) -> Self {
        let stream = |purpose| Stream::named(seed, name, purpose);
        match config {
            QueueConfig::DropTail(_) | QueueConfig::Red(_) | QueueConfig::Step(_) => {
                Self::Fifo(Box::new(Fifo::new(config, rate, stream("red"))))
            }
            QueueConfig::CoDel(config) => Self::CoDel(Box::new(CoDel::new(config))),
            QueueConfig::FqCoDel(config) => {
                Self::FqCoDel(Box::new(FqCoDel::new(config, stream("fq"))))
            }
            QueueConfig::Pie(config) => Self::Pie(Box::new(Pie::new(config, stream("pie")))),
            QueueConfig::DualPi2(config) => Self::DualPi2(Box::new(DualPi2::new(config))),
        }
    }

    /// A packet comes at `now` while `repairs` wait in front of the queue: why it is
    /// refused, if it is, and how many packets wait then. `must_wait` unless its transmission starts at once.
    /// Packets that are dropped in its favour go to `gone`.
    #[inline(always)]
    pub(crate) fn offer(
        &mut self,
        now: Time,
        must_wait: bool,
        repairs: Backlog,
        frame: Frame,
        gone: &mut Gone,
    ) -> (Option<DropCause>, usize) {
        each!(self, queue => {
            let arrival = Arrival {
                now,
                must_wait,
                waiting: queue.waiting() + repairs,
                frame,
            };
            (queue.offer(arrival, gone), queue.waiting().packets)
        })
    }

    /// Prefetches the queue of this flow, where flows have queues of their own, for a packet that comes soon.
    #[inline]
    pub(crate) fn prefetch(&self, flow: u32) {
        if let Self::FqCoDel(queue) = self {
            queue.prefetch(flow);
        }
    }

    /// The packet to transmit from `now` on, and how many packets wait then. Those that are dropped on the way
    /// out go to `gone`; `None` if nothing is left.
    #[inline(always)]
    pub(crate) fn take(&mut self, now: Time, gone: &mut Gone) -> (Option<Frame>, usize) {
        each!(self, queue => (queue.take(now, gone), queue.waiting().packets))
    }

    /// Takes out the packet of this number and this flow, which waits, as if it had never come.
    pub(crate) fn withdraw(&mut self, id: u32, flow: u32) {
        match self {
            Self::Fifo(queue) => queue.withdraw(id),
            Self::CoDel(queue) => queue.withdraw(id),
            Self::FqCoDel(queue) => queue.withdraw(id, flow),
            Self::Pie(queue) => queue.withdraw(id),
            Self::DualPi2(queue) => queue.withdraw(id),
        }
    }

    /// All packets that wait.
    #[inline]
    pub(crate) fn waiting(&self) -> Backlog {
        each!(self, queue => queue.waiting())
    }

    /// The transmitter will be idle from `end` on, unless another packet comes before.
    pub(crate) fn idle_from(&mut self, end: Time) {
        if let Self::Fifo(fifo) = self {
            fifo.idle_from(end);
        }
    }
}

#[cfg(test)]
mod testing;
