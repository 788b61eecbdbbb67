//! A link of the chain, of either kind, and what it did.

use skywave_core::Time;
use skywave_core::link::{DropCause, Fate, Link, LinkConfig, Measured, Settled, TimedLink};

/// Counts of what one link of a relay did with the packets that were offered to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Tally {
    /// Packets offered to the link.
    pub offered: u64,
    /// Packets that the link did not drop, damaged ones included, even if they are still on it or, as its rate is zero,
    /// never come out; the second copies of duplicates are not counted.
    pub carried: u64,
    /// Packets dropped because the queue was full.
    pub queue: u64,
    /// Packets dropped although the queue had room: by queue management (RED, CoDel, PIE) or by a policer.
    pub early: u64,
    /// Packets lost by the link's loss models.
    pub channel: u64,
    /// Packets lost in the link's blackouts.
    pub blackout: u64,
    /// Packets that the link damaged; they count as carried.
    pub corrupted: u64,
    /// Packets of which the link made a copy; they count once as carried.
    pub duplicated: u64,
}

impl Tally {
    fn count(&mut self, fate: Fate) {
        match fate {
            Fate::Dropped(DropCause::Queue) => self.queue += 1,
            Fate::Dropped(DropCause::Early | DropCause::Policed) => self.early += 1,
            Fate::Dropped(DropCause::Channel) => self.channel += 1,
            Fate::Dropped(DropCause::Blackout) => self.blackout += 1,
            Fate::Arrives {
                corrupt, duplicate, ..
            } => {
                self.carried += 1;
                self.corrupted += u64::from(corrupt);
                self.duplicated += u64::from(duplicate);
            }
        }
    }
}

/// A link and its counts.
#[derive(Debug)]
pub(super) struct Hop {
    pub(super) name: String,
    machine: Machine,
    pub(super) tally: Tally,
}

#[derive(Debug)]
enum Machine {
    Fifo(Box<Link>),
    Timed(Box<TimedLink>),
}

impl Hop {
    /// The link called `name`, with the random streams that it has in the simulator.
    pub(super) fn new(name: &str, config: &LinkConfig, seed: u64) -> Self {
        let streams = format!("link.{name}");
        let machine = if config.needs_time() {
            Machine::Timed(Box::new(TimedLink::new(config.clone(), seed, &streams)))
        } else {
            Machine::Fifo(Box::new(Link::new(config.clone(), seed, &streams)))
        };
        Self {
            name: name.to_owned(),
            machine,
            tally: Tally::default(),
        }
    }

    /// Offers packet `id`; its fate, unless [`Hop::settled`] will tell it.
    pub(super) fn offer(&mut self, now: Time, id: u32, size: u32) -> Option<Fate> {
        self.tally.offered += 1;
        let fate = match &mut self.machine {
            Machine::Fifo(link) => Some(link.send(now, size)),
            Machine::Timed(link) => link.offer(now, id, size).map(Fate::Dropped),
        };
        if let Some(fate) = fate {
            self.tally.count(fate);
        }
        fate
    }

    /// When the link has something to decide by itself.
    pub(super) fn next_time(&self) -> Option<Time> {
        match &self.machine {
            Machine::Fifo(_) => None,
            Machine::Timed(link) => link.next_time(),
        }
    }

    /// Decides all that is due by `now`.
    pub(super) fn on_time(&mut self, now: Time) {
        if let Machine::Timed(link) = &mut self.machine {
            link.on_time(now);
        }
    }

    /// The next packet whose fate was not known when it was offered.
    pub(super) fn settled(&mut self) -> Option<Settled> {
        let Machine::Timed(link) = &mut self.machine else {
            return None;
        };
        let settled = link.poll()?;
        self.tally.count(settled.fate);
        Some(settled)
    }

    /// Packets waiting at `now`.
    pub(super) fn queue_len(&self, now: Time) -> u32 {
        match &self.machine {
            Machine::Fifo(link) => link.queue_len(now),
            Machine::Timed(link) => link.queue_len(),
        }
    }

    /// The link's own figures up to `now`.
    pub(super) fn measured(&self, now: Time) -> Measured {
        match &self.machine {
            Machine::Fifo(link) => link.finish(now),
            Machine::Timed(link) => link.finish(now),
        }
    }
}
