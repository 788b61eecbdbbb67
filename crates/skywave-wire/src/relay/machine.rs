//! The relay without clock and sockets.
//!
//! # The caller's contract
//! [`Relay::offer`] takes a packet when it comes. [`Relay::on_time`] is to be called at (or after)
//! [`Relay::next_time`]. After each call of either, [`Relay::poll`] is to be called until it returns `None`. Being late
//! changes nothing but when outcomes are told: everything is decided at the time when it was due.
//!
//! A property test compares the outcomes with those of bare links. So lateness only delays when packets *leave*,
//! and is measured for each packet. A damaged packet goes all the way to the end of its route and is lost
//! there, as in the simulator: routers would forward it, and a real host's checksum would refuse it. The driver drops it, or
//! shows it with a wrong bit to a receiver that has such a checksum.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use skywave_core::Time;
use skywave_core::link::{DropCause, Fate, LinkConfig};

use super::hop::Hop;
use super::report::HopReport;

/// Memory that a packet under way takes besides its bytes, roughly. It is counted so that small
/// packets are not free.
const BOOKKEEPING: u64 = 128;

/// Default of [`RelayConfig::kept_bytes`], the most bytes under way that a relay keeps: 256 MiB. A gigabit link with a
/// second of delay and queue holds half of it.
pub const KEPT_BYTES: u64 = 256 << 20;

/// Direction in which a packet goes through a relay; as an index, forward is 0 and back is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// Direction of the flow's data: from clients to a target, or from the first of two devices to the
    /// second.
    Forward,
    /// Direction of the flow's acknowledgements, against [`Self::Forward`].
    Back,
}

/// Configuration of a relay, as plain data: simulated links, and the routes of real packets over them.
#[derive(Clone, Debug, PartialEq)]
pub struct RelayConfig {
    /// One-way links of the path, to which routes refer by index.
    pub hops: Vec<HopConfig>,
    /// Links that packets pass, in order: the route forward, then the route back (by [`Direction`]). A link may be in
    /// both.
    pub routes: [Vec<Step>; 2],
    /// Bytes that each packet has on the wire in addition to those that are relayed, such as IP and UDP headers.
    pub overhead: u32,
    /// Seed of the links' random streams.
    pub seed: u64,
    /// Most bytes under way that the relay keeps in memory, some bookkeeping for each packet included; a packet beyond
    /// is dropped ([`Cause::Memory`]).
    pub kept_bytes: u64,
}

/// Configuration of a one-way link of a relay.
#[derive(Clone, Debug, PartialEq)]
pub struct HopConfig {
    /// Name of the link in the scenario, which also names its random streams.
    pub name: String,
    /// Configuration of the link.
    pub link: LinkConfig,
}

/// Link on a route of a relay, and the headers that packets have in addition there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Index of the link in [`RelayConfig::hops`].
    pub hop: usize,
    /// Bytes that each packet has on this link beside those on a route without tunnels: the tunnels' outer headers.
    pub extra: u32,
}

/// Fate of one packet given to the [`Relay`], as [`Relay::poll`] reports it; `T` is the caller's packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// Arrival of the packet at the end of its route.
    Arrives {
        /// Direction in which the packet went.
        direction: Direction,
        /// Time at which the packet should leave the relay.
        due: Time,
        /// Packet as the caller gave it to [`Relay::offer`].
        packet: T,
        /// Events on the packet's way.
        course: Course,
    },
    /// Loss of the packet within the relay.
    Lost {
        /// Direction in which the packet went.
        direction: Direction,
        /// Reason for the loss.
        cause: Cause,
        /// Packet as the caller gave it to [`Relay::offer`].
        packet: T,
        /// Events on the packet's way.
        course: Course,
    },
}

/// Flags of a packet that went through the relay: whether a link duplicated it or transmitted it more than once, and
/// whether it is the copy that a link made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Course {
    /// Whether a link duplicated the packet, so that there is a copy of it.
    pub duplicated: bool,
    /// Whether a link that retransmits (ARQ) transmitted the packet more than once.
    pub retransmitted: bool,
    /// Whether the packet is the copy that a link has made.
    pub is_copy: bool,
}

/// Reason why a packet does not come out of a relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Drop by the link with this index in [`RelayConfig::hops`], and the link's reason.
    Link(usize, DropCause),
    /// Damage on the way, for which a host's checksum would refuse the packet.
    Corrupt,
    /// Limit of [`RelayConfig::kept_bytes`] reached: a failure of the relay, not of the path.
    Memory,
}

/// Relay without clock and sockets: a chain of simulated links each way, and the packets on them. `T` is the caller's
/// packet, which comes back in an [`Outcome`].
#[derive(Debug)]
pub struct Relay<T> {
    hops: Vec<Hop>,
    routes: [Vec<Step>; 2],
    overhead: u32,
    kept_bytes: u64,
    /// Memory that the packets under way take: their bytes and [`BOOKKEEPING`] for each.
    held: u64,
    packets: Vec<Option<Travelling<T>>>,
    /// Places in `packets` that are free.
    free: Vec<u32>,
    /// Packets on their way to a link's far side: time of arrival, number of the decision, number
    /// of the packet.
    arrivals: BinaryHeap<Reverse<(Time, u64, u32)>>,
    decided: u64,
    outcomes: VecDeque<Outcome<T>>,
    clock: Time,
}

#[derive(Clone, Debug)]
struct Travelling<T> {
    packet: T,
    direction: Direction,
    /// Bytes on the wire outside of tunnels.
    size: u32,
    /// Place in the route.
    at: usize,
    corrupt: bool,
    course: Course,
}

impl<T: Clone> Relay<T> {
    /// Relay with the links and routes of `config`, without packets, at time 0.
    ///
    /// # Panics
    /// When a route has an index that is not in [`RelayConfig::hops`], or a link's configuration is one for which
    /// [`Link::new`](skywave_core::link::Link::new) or [`TimedLink::new`](skywave_core::link::TimedLink::new) panics.
    pub fn new(config: &RelayConfig) -> Self {
        let hops: Vec<Hop> = config
            .hops
            .iter()
            .map(|hop| Hop::new(&hop.name, &hop.link, config.seed))
            .collect();
        let mut steps = config.routes.iter().flatten();
        assert!(steps.all(|s| s.hop < hops.len()), "a route without a link");
        Self {
            hops,
            routes: config.routes.clone(),
            overhead: config.overhead,
            kept_bytes: config.kept_bytes,
            held: 0,
            packets: Vec::new(),
            free: Vec::new(),
            arrivals: BinaryHeap::new(),
            decided: 0,
            outcomes: VecDeque::new(),
            clock: Time::ZERO,
        }
    }

    /// Takes a packet that comes at `now`, with `length` bytes apart from [`RelayConfig::overhead`]. A `now` earlier
    /// than that of a former call counts as the latest time so far.
    pub fn offer(&mut self, now: Time, direction: Direction, length: u32, packet: T) {
        self.on_time(now);
        let travelling = Travelling {
            packet,
            direction,
            size: length.saturating_add(self.overhead),
            at: 0,
            corrupt: false,
            course: Course::default(),
        };
        if let Some(id) = self.keep(travelling) {
            self.enter(self.clock, id);
        }
    }

    /// Time at which the relay has something to do next ([`Self::on_time`]); `None` if nothing is to come.
    pub fn next_time(&self) -> Option<Time> {
        let timers = self.hops.iter().filter_map(Hop::next_time);
        let arrival = self.arrivals.peek().map(|Reverse((at, ..))| *at);
        // A link without a rate delivers at the end of time.
        timers.chain(arrival).min().filter(|at| *at < Time::MAX)
    }

    /// Advances the links to `now`: makes all decisions that are due by then (departures, losses, arrivals), each at
    /// its own time.
    pub fn on_time(&mut self, now: Time) {
        while let Some(at) = self.next_time()
            && at <= now
        {
            self.clock = self.clock.max(at);
            for hop in 0..self.hops.len() {
                self.hops[hop].on_time(at);
                self.settle(hop);
            }
            while let Some(&Reverse((due, _, id))) = self.arrivals.peek()
                && due <= at
            {
                self.arrivals.pop();
                self.advance(due, id);
            }
        }
        self.clock = self.clock.max(now);
    }

    /// Next fate of a packet that is decided and has not been returned yet; `None` if there is none.
    pub fn poll(&mut self) -> Option<Outcome<T>> {
        self.outcomes.pop_front()
    }

    /// Number of packets under way, those in queues and the copies that links made included.
    pub fn under_way(&self) -> usize {
        self.packets.len() - self.free.len()
    }

    /// Packets on a link with a rate of zero, which never arrive; copies that a link made are not among them.
    pub fn stuck(&self) -> impl Iterator<Item = &T> {
        let never = self.arrivals.iter().filter(|next| next.0.0 == Time::MAX);
        let packets = never.filter_map(|next| self.packets[next.0.2 as usize].as_ref());
        let originals = packets.filter(|travelling| !travelling.course.is_copy);
        originals.map(|travelling| &travelling.packet)
    }

    /// Number of packets waiting in the queues of this direction's links, at the time of the latest [`Self::offer`] or
    /// [`Self::on_time`].
    pub fn queued(&self, direction: Direction) -> u32 {
        if self.under_way() == 0 {
            return 0;
        }
        let now = self.clock;
        let route = &self.routes[direction as usize];
        let waiting = |step: &Step| self.hops[step.hop].queue_len(now);
        route.iter().map(waiting).sum()
    }

    /// Counts and figures of each link, in the order of [`RelayConfig::hops`]: counts of all packets whose fate on the
    /// link is decided, which is before they come out, and figures as of `now` or of the link's latest packet, whichever
    /// is later.
    pub fn report(&self, now: Time) -> Vec<HopReport> {
        let report = |hop: &Hop| HopReport {
            name: hop.name.clone(),
            tally: hop.tally,
            measured: hop.measured(now),
        };
        self.hops.iter().map(report).collect()
    }

    /// Finds room for a packet, or drops it.
    fn keep(&mut self, travelling: Travelling<T>) -> Option<u32> {
        let bytes = u64::from(travelling.size) + BOOKKEEPING;
        if self.held + bytes > self.kept_bytes {
            self.outcomes.push_back(Outcome::Lost {
                direction: travelling.direction,
                cause: Cause::Memory,
                packet: travelling.packet,
                course: travelling.course,
            });
            return None;
        }
        self.held += bytes;
        if let Some(id) = self.free.pop() {
            self.packets[id as usize] = Some(travelling);
            return Some(id);
        }
        self.packets.push(Some(travelling));
        Some(self.packets.len() as u32 - 1)
    }

    fn take(&mut self, id: u32) -> Option<Travelling<T>> {
        let travelling = self.packets[id as usize].take()?;
        self.held -= u64::from(travelling.size) + BOOKKEEPING;
        self.free.push(id);
        Some(travelling)
    }

    /// A packet comes to the link of its place.
    fn enter(&mut self, now: Time, id: u32) {
        let Some(travelling) = &self.packets[id as usize] else {
            return;
        };
        let step = self.routes[travelling.direction as usize].get(travelling.at);
        let Some(&Step { hop, extra }) = step else {
            return self.leave(now, id);
        };
        let size = travelling.size.saturating_add(extra);
        let fate = self.hops[hop].offer(now, id, size);
        // The fates of packets offered earlier may be known now.
        self.settle(hop);
        if let Some(fate) = fate {
            self.decide(hop, id, fate);
        }
    }

    fn settle(&mut self, hop: usize) {
        while let Some(settled) = self.hops[hop].settled() {
            let id = settled.tag.id();
            if let Some(travelling) = &mut self.packets[id as usize] {
                travelling.course.retransmitted |= settled.transmissions > 1;
            }
            self.decide(hop, id, settled.fate);
        }
    }

    fn decide(&mut self, hop: usize, id: u32, fate: Fate) {
        match fate {
            Fate::Dropped(cause) => self.lose(id, Cause::Link(hop, cause)),
            Fate::Arrives {
                at,
                corrupt,
                duplicate,
                // Packets are offered as not ECN-capable: their headers are not read here.
                marked: _,
            } => {
                let Some(travelling) = &mut self.packets[id as usize] else {
                    return;
                };
                travelling.corrupt |= corrupt;
                let copy = duplicate.then(|| {
                    let mut copy = travelling.clone();
                    copy.course.is_copy = true;
                    copy
                });
                travelling.course.duplicated |= duplicate;
                self.arrives(at, id);
                if let Some(copy) = copy
                    && let Some(copy) = self.keep(copy)
                {
                    self.arrives(at, copy);
                }
            }
        }
    }

    fn arrives(&mut self, at: Time, id: u32) {
        self.arrivals.push(Reverse((at, self.decided, id)));
        self.decided += 1;
    }

    /// A packet comes out of the link of its place.
    fn advance(&mut self, now: Time, id: u32) {
        if let Some(travelling) = &mut self.packets[id as usize] {
            travelling.at += 1;
        }
        self.enter(now, id);
    }

    fn leave(&mut self, due: Time, id: u32) {
        if self.packets[id as usize]
            .as_ref()
            .is_some_and(|t| t.corrupt)
        {
            return self.lose(id, Cause::Corrupt);
        }
        if let Some(Travelling {
            packet,
            direction,
            course,
            ..
        }) = self.take(id)
        {
            self.outcomes.push_back(Outcome::Arrives {
                direction,
                due,
                packet,
                course,
            });
        }
    }

    fn lose(&mut self, id: u32, cause: Cause) {
        if let Some(Travelling {
            packet,
            direction,
            course,
            ..
        }) = self.take(id)
        {
            self.outcomes.push_back(Outcome::Lost {
                direction,
                cause,
                packet,
                course,
            });
        }
    }
}

#[cfg(test)]
mod tests;
