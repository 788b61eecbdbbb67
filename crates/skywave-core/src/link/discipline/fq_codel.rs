//! FQ-CoDel (RFC 8290): flows are hashed to queues, the queues take turns by bytes (deficit round robin),
//! and CoDel controls each queue on its own.
//!
//! A flow whose queue was empty goes before those that have a backlog, for one quantum: sparse flows, such
//! as voice, DNS or the ACKs of another flow, do not wait behind downloads.

use std::collections::VecDeque;

use super::codel::{CoDelConfig, Control};
use super::longest::Longest;
use super::slab::{List, Listed, Slab};
use super::{Arrival, Frame, Gone};
use crate::link::DropCause;
use crate::rng::{Stream, below, mixed};
use crate::time::Time;

/// Most packets that an overflow drops at once (section 4.1.2), so that it is not searched for a victim at
/// every packet of a flood.
const DROP_BATCH: usize = 64;
/// A smaller quantum, as in Linux, would only let queues take turns without sending.
const SMALLEST_QUANTUM: u32 = 256;

/// FQ-CoDel (RFC 8290).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCoDelConfig {
    /// CoDel at each queue; its limit is that of all queues together.
    pub codel: CoDelConfig,
    /// Number of queues that flows are hashed to, at least one.
    pub queues: u32,
    /// Bytes that a queue may send in a turn, at least 256.
    pub quantum: u32,
}

impl FqCoDelConfig {
    /// The RFC's values: 1024 queues, a quantum of 1514 bytes.
    pub const fn new(codel: CoDelConfig) -> Self {
        Self {
            codel,
            queues: 1024,
            quantum: 1514,
        }
    }
}

/// Queues of flows under FQ-CoDel.
#[derive(Clone, Debug)]
pub(crate) struct FqCoDel {
    config: FqCoDelConfig,
    /// Makes the hash differ from link to link.
    salt: u64,
    queues: Vec<Queue>,
    /// The packets of all queues.
    slab: Slab,
    longest: Longest,
    /// Queues that have just become active, and all others with a backlog or whose turn has not ended.
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    packets: usize,
    bytes: u64,
}

/// The queue of the flows of one hash value.
#[derive(Clone, Debug)]
struct Queue {
    list: List,
    control: Control,
    /// Bytes that it may still send in this turn; negative after a packet larger than that.
    deficit: i64,
    /// It is in one of the lists.
    active: bool,
}

impl Queue {
    fn new() -> Self {
        Self {
            list: List::EMPTY,
            control: Control::default(),
            deficit: 0,
            active: false,
        }
    }
}

impl FqCoDel {
    pub(super) fn new(mut config: FqCoDelConfig, mut stream: Stream) -> Self {
        config.quantum = config.quantum.max(SMALLEST_QUANTUM);
        let queues = config.queues.max(1) as usize;
        Self {
            config,
            salt: stream.uniform_int(0, u64::MAX),
            queues: vec![Queue::new(); queues],
            slab: Slab::new(),
            longest: Longest::new(queues),
            new: VecDeque::new(),
            old: VecDeque::new(),
            packets: 0,
            bytes: 0,
        }
    }

    pub(super) fn offer(&mut self, arrival: Arrival, gone: &mut Gone) -> Option<DropCause> {
        let frame = arrival.frame;
        let index = self.hash(frame.flow);
        let queue = &mut self.queues[index as usize];
        self.slab.push(&mut queue.list, frame);
        self.longest.set(index as usize, queue.list.totals().1);
        self.packets += 1;
        self.bytes += u64::from(frame.size);
        if !queue.active {
            queue.active = true;
            queue.deficit = i64::from(self.config.quantum);
            self.new.push_back(index);
        }
        if arrival.exceeds(self.config.codel.limit) {
            self.drop_from_the_longest(gone);
        }
        None
    }

    pub(super) fn take(&mut self, now: Time, gone: &mut Gone) -> Option<Frame> {
        loop {
            let from_new = !self.new.is_empty();
            let turns = if from_new { &self.new } else { &self.old };
            let index = *turns.front()?;
            let queue = &mut self.queues[index as usize];
            if queue.deficit <= 0 {
                queue.deficit += i64::from(self.config.quantum);
                self.end_turn(from_new, true);
                continue;
            }
            if queue.list.is_empty() {
                queue.control.find_nothing();
                self.leave(from_new);
                continue;
            }
            let before = queue.list.totals();
            let mut frames = Listed {
                slab: &mut self.slab,
                list: &mut queue.list,
            };
            let config = &self.config.codel;
            let head = queue.control.take(config, now, &mut frames, gone);
            let after = queue.list.totals();
            self.longest.set(index as usize, after.1);
            self.packets -= before.0 - after.0;
            self.bytes -= before.1 - after.1;
            let Some(frame) = head else {
                self.leave(from_new);
                continue;
            };
            queue.deficit -= i64::from(frame.size);
            return Some(frame);
        }
    }

    /// The queue whose turn it is has run empty. A new one waits for one round among the old ones: else a
    /// flow could stay new by sending a packet whenever its queue has run empty (section 4.2).
    #[inline]
    fn leave(&mut self, from_new: bool) {
        if let Some(&index) = self.old.front().filter(|_| !from_new) {
            self.queues[index as usize].active = false;
        }
        self.end_turn(from_new, from_new);
    }

    /// The first queue's turn is over, of the new ones or of the old ones. It goes behind the old ones, if it
    /// is to have another.
    #[inline]
    fn end_turn(&mut self, from_new: bool, again: bool) {
        let turns = if from_new {
            &mut self.new
        } else {
            &mut self.old
        };
        let ended = turns.pop_front();
        self.old.extend(ended.filter(|_| again));
    }

    pub(super) fn withdraw(&mut self, id: u32, flow: u32) {
        let index = self.hash(flow) as usize;
        let list = &mut self.queues[index].list;
        let Some(frame) = self.slab.withdraw(list, id) else {
            return;
        };
        self.longest.set(index, list.totals().1);
        self.packets -= 1;
        self.bytes -= u64::from(frame.size);
    }

    pub(super) fn waiting(&self) -> (usize, u64) {
        (self.packets, self.bytes)
    }

    /// Too much waits: the queue with the most bytes loses half of them from its head, at most a batch.
    fn drop_from_the_longest(&mut self, gone: &mut Gone) {
        let index = self.longest.find();
        let list = &mut self.queues[index].list;
        let keep = list.totals().1 / 2;
        for _ in 0..DROP_BATCH {
            let Some(frame) = self.slab.pop(list) else {
                break;
            };
            self.packets -= 1;
            self.bytes -= u64::from(frame.size);
            gone.push((frame, DropCause::Queue));
            if list.totals().1 <= keep {
                break;
            }
        }
        self.longest.set(index, list.totals().1);
    }

    /// The queue of a flow.
    fn hash(&self, flow: u32) -> u32 {
        let bits = mixed(self.salt, u64::from(flow));
        below(bits, self.queues.len() as u128) as u32
    }
}

#[cfg(test)]
mod tests;
