//! Packets that wait for the MAC, under the same queue disciplines as those of a link.
//!
//! A discipline knows a packet by a number, its size, its flow and its ECN field. The packets themselves stay
//! here, each in the place of that number, until the discipline lets them go or drops them.

use std::collections::VecDeque;

use crate::link::{Discipline, DropCause, Frame, Gone, Limit, QueueConfig, Tag};
use crate::packet::Labelled;
use crate::radio::Address;
use crate::time::{Duration, Time};
use crate::units::{Backlog, Rate};

/// A packet that waits at a station's MAC, and the station that is to have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting<P> {
    /// Station that is to receive the packet next, or the broadcast address.
    pub to: Address,
    /// Bytes of the packet, without the MAC's headers.
    pub bytes: u32,
    /// The packet itself, without the MAC's headers.
    pub packet: P,
}

/// Queue of a station's MAC: the packets that wait, the one in service not among them.
#[derive(Clone, Debug)]
pub struct Queue<P> {
    discipline: Discipline,
    places: Vec<Option<Placed<P>>>,
    /// Places without a packet.
    free: Vec<u32>,
    /// Packets that have come so far.
    came: u64,
    /// Packets that the discipline drops in the call that goes on; empty between calls, kept to save allocations.
    gone: Gone,
    /// Packets that the discipline has dropped, until they are asked for.
    dropped: VecDeque<(P, DropCause)>,
}

/// A packet in its place.
#[derive(Clone, Debug)]
struct Placed<P> {
    /// Number of packets that came before this one.
    number: u64,
    flow: u32,
    waiting: Waiting<P>,
}

impl<P: Labelled> Queue<P> {
    /// An empty queue before a transmitter of about `rate`, by which the average length (of RED or step marking) falls
    /// in idle times; `seed` and `name` name its random streams.
    pub fn new(config: QueueConfig, rate: Rate, seed: u64, name: &str) -> Self {
        let config = match config {
            // A link counts the packet in transmission, a MAC does not count the one in service.
            QueueConfig::DropTail(Limit::Packets(n)) => {
                QueueConfig::DropTail(Limit::Packets(n.saturating_add(1)))
            }
            other => other,
        };
        Self {
            discipline: Discipline::new(config, rate, seed, name),
            places: Vec::new(),
            free: Vec::new(),
            came: 0,
            gone: Gone::new(),
            dropped: VecDeque::new(),
        }
    }

    /// Takes a packet, which `must_wait` unless it is served at once. Returns whether the queue accepted it.
    pub fn push(&mut self, now: Time, must_wait: bool, waiting: Waiting<P>) -> bool {
        let frame = self.frame(now, &waiting);
        let (refused, _) =
            self.discipline
                .offer(now, must_wait, Backlog::default(), frame, &mut self.gone);
        if let Some(cause) = refused {
            self.free.push(frame.tag.id());
            self.dropped.push_back((waiting.packet, cause));
        } else {
            self.places[frame.tag.id() as usize] = Some(Placed {
                number: self.came,
                flow: frame.tag.flow(),
                waiting,
            });
            self.came += 1;
        }
        self.let_go();
        refused.is_none()
    }

    /// Takes out the packet to serve from `now` on, marked if the discipline says so, with the time that it has
    /// waited; `None` if no packet waits.
    pub fn pop(&mut self, now: Time) -> Option<(Waiting<P>, Duration)> {
        let (head, _) = self.discipline.take(now, &mut self.gone);
        self.let_go();
        // The service ends when the channel lets it, so that nobody knows when the station will be idle.
        self.discipline.idle_from(head.map_or(now, |_| Time::MAX));
        let frame = head?;
        let mut waiting = self.leave(frame.tag.id())?;
        if frame.marked {
            waiting.packet.mark();
        }
        Some((waiting, now.since(frame.came)))
    }

    /// Next packet that the discipline has dropped, and why; to be called after [`Self::push`] and [`Self::pop`]
    /// until it returns `None`.
    pub fn poll_dropped(&mut self) -> Option<(P, DropCause)> {
        self.dropped.pop_front()
    }

    /// Takes out the packet for station `to` that has waited longest, wherever it is in the queue; `None` if there is
    /// none.
    pub fn take_for(&mut self, to: Address) -> Option<Waiting<P>> {
        let placed = (0..).zip(&self.places);
        let found = placed.filter_map(|(id, placed)| Some((id, placed.as_ref()?)));
        let (id, placed) = found
            .filter(|(_, placed)| placed.waiting.to == to)
            .min_by_key(|(_, placed)| placed.number)?;
        self.discipline.withdraw(id, placed.flow);
        self.leave(id)
    }

    /// Number of packets that wait.
    pub fn len(&self) -> usize {
        self.discipline.waiting().packets
    }

    /// True when no packet waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The discipline's view of a packet, which gets the number of a free place.
    fn frame(&mut self, now: Time, waiting: &Waiting<P>) -> Frame {
        let id = self.free.pop().unwrap_or_else(|| {
            self.places.push(None);
            (self.places.len() - 1) as u32
        });
        let packet = &waiting.packet;
        let tag = Tag::new(id, waiting.bytes).of_flow(packet.flow());
        Frame::new(now, tag, packet.ecn())
    }

    /// Gives up the packets that the discipline has dropped.
    fn let_go(&mut self) {
        let mut gone = std::mem::take(&mut self.gone);
        for (frame, cause) in gone.drain(..) {
            if let Some(waiting) = self.leave(frame.tag.id()) {
                self.dropped.push_back((waiting.packet, cause));
            }
        }
        self.gone = gone;
    }

    fn leave(&mut self, id: u32) -> Option<Waiting<P>> {
        let placed = self.places.get_mut(id as usize)?.take()?;
        self.free.push(id);
        Some(placed.waiting)
    }
}

#[cfg(test)]
mod tests;
