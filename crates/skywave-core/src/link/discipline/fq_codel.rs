//! FQ-CoDel (RFC 8290): flows are hashed to queues, the queues take turns by bytes (deficit round robin),
//! and CoDel controls each queue on its own.
//!
//! A flow whose queue was empty goes before those that have a backlog, for one quantum: sparse flows, such
//! as voice, DNS or the ACKs of another flow, do not wait behind downloads.

use super::codel::{self, CoDelConfig, Control, WithCoDel};
use super::longest::Longest;
use super::slab::{List, Listed, Slab};
use super::{Arrival, Frame, Gone};
use crate::link::DropCause;
use crate::parameter::{Configuration, Described, Field, Kind, Refusal};
use crate::prefetch::prefetch;
use crate::rng::{Stream, below, mixed};
use crate::time::Time;
use crate::units::{Backlog, Limit};

/// Most packets that an overflow drops at once (section 4.1.2), so that it is not searched for a victim at
/// every packet of a flood.
const DROP_BATCH: usize = 64;
/// A smaller quantum, as in Linux, would only let queues take turns without sending.
const SMALLEST_QUANTUM: u32 = 256;

/// Settings of the queue discipline FQ-CoDel (RFC 8290).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FqCoDelConfig {
    /// Settings of CoDel at each queue; their limit is the capacity of all queues together.
    pub codel: CoDelConfig,
    /// Number of queues that flows are hashed to, at least one.
    pub queues: u32,
    /// Bytes that a queue may send in a turn, at least 256.
    pub quantum: u32,
}

impl FqCoDelConfig {
    /// Settings of RFC 8290: 1024 queues, a quantum of 1514 bytes, and `codel` at each queue.
    pub const fn new(codel: CoDelConfig) -> Self {
        Self {
            codel,
            queues: 1024,
            quantum: 1514,
        }
    }
}

impl WithCoDel for FqCoDelConfig {
    fn codel(&mut self) -> &mut CoDelConfig {
        &mut self.codel
    }
}

impl Configuration for FqCoDelConfig {
    /// The limit is that of RFC 8290 section 5.2.3.
    const DEFAULT: Self = Self::new(CoDelConfig::new(Limit::Packets(10_240)));
    const FIELDS: &'static [Field<Self>] = &{
        let [limit, target, interval, mtu, ecn, ce_threshold] =
            codel::fields("Capacity of all queues together");
        [
            limit,
            target,
            interval,
            mtu,
            ecn,
            ce_threshold,
            // More queues would only take memory.
            Field::new(
                Kind::Count,
                "queues",
                "Number of queues that flows are hashed to",
                |c: &mut Self| &mut c.queues,
            )
            .up_to(65_536),
            Field::new(
                Kind::Bytes,
                "quantum",
                "What a queue may send in a turn",
                |c| &mut c.quantum,
            ),
        ]
    };
}

impl Described for FqCoDelConfig {
    type Config = Self;
    const NAME: &'static str = "fq-codel";
    const SUMMARY: &'static str = "FQ-CoDel (RFC 8290): CoDel for each flow, and flows take turns.";

    fn check(config: &Self) -> Result<(), Refusal> {
        CoDelConfig::check(&config.codel)
    }
}

/// Queues of flows under FQ-CoDel.
#[derive(Clone, Debug)]
pub(crate) struct FqCoDel {
    config: FqCoDelConfig,
    /// Makes the hash differ from link to link.
    salt: u64,
    queues: Vec<Queue>,
    /// The queues of flows that came before, by the flows' numbers, so that they are not hashed for each packet,
    /// which saves 1.4 % of the instructions of 1,000 flows; [`NOBODY`] for others.
    known: Vec<u32>,
    /// The packets of all queues.
    slab: Slab,
    longest: Longest,
    /// Queues that have just become active, and all others with a backlog or whose turn has not ended.
    new: Turns,
    old: Turns,
    packets: usize,
    bytes: u64,
}

/// The queue of the flows of one hash value. All that a packet touches there is in one line of the cache.
#[derive(Clone, Debug)]
#[repr(align(64))]
struct Queue {
    list: List,
    control: Control,
    /// Bytes that it may still send in this turn; negative after a packet larger than that.
    deficit: i64,
    /// The queue whose turn comes after its own; [`NOBODY`] behind the last one.
    next: u32,
    /// Whether the queue waits for its turn.
    active: bool,
}

/// Flows from this number on are hashed for each packet: numbers may be anything.
const MOST_KNOWN: u32 = 1 << 16;

/// No queue.
const NOBODY: u32 = u32::MAX;

/// Queues that wait for their turn, in this order: each knows the next one.
#[derive(Clone, Copy, Debug)]
struct Turns {
    first: u32,
    last: u32,
}

impl Turns {
    const NONE: Self = Self {
        first: NOBODY,
        last: NOBODY,
    };

    /// A queue comes behind the others.
    #[inline(always)]
    fn push(&mut self, queues: &mut [Queue], index: u32) {
        queues[index as usize].next = NOBODY;
        match queues.get_mut(self.last as usize) {
            Some(last) => last.next = index,
            None => self.first = index,
        }
        self.last = index;
    }

    /// The first queue leaves.
    #[inline(always)]
    fn pop(&mut self, queues: &[Queue]) -> Option<u32> {
        let index = self.first;
        self.first = queues.get(index as usize)?.next;
        if self.first == NOBODY {
            self.last = NOBODY;
        }
        Some(index)
    }
}

impl Queue {
    fn new() -> Self {
        Self {
            list: List::EMPTY,
            control: Control::default(),
            deficit: 0,
            next: NOBODY,
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
            known: Vec::new(),
            slab: Slab::new(),
            longest: Longest::new(queues),
            new: Turns::NONE,
            old: Turns::NONE,
            packets: 0,
            bytes: 0,
        }
    }

    // Inlined, so that the packet is not written to memory in parts and read as a whole, which is slow.
    #[inline(always)]
    pub(super) fn offer(&mut self, arrival: Arrival, gone: &mut Gone) -> Option<DropCause> {
        let frame = arrival.frame;
        let index = self.index(frame.tag.flow());
        let queue = &mut self.queues[index as usize];
        self.slab.push(&mut queue.list, frame);
        self.longest.raise(index as usize, queue.list.bytes());
        self.packets += 1;
        self.bytes += u64::from(frame.tag.size());
        if !queue.active {
            queue.active = true;
            queue.deficit = i64::from(self.config.quantum);
            self.new.push(&mut self.queues, index);
        }
        if arrival.exceeds(self.config.codel.limit) {
            self.drop_from_the_longest(gone);
        }
        None
    }

    /// Prefetches the queue of this flow, for a packet that comes soon.
    #[inline]
    pub(super) fn prefetch(&self, flow: u32) {
        if let Some(&index) = self.known.get(flow as usize)
            && let Some(queue) = self.queues.get(index as usize)
        {
            prefetch(queue);
        }
    }

    pub(super) fn take(&mut self, now: Time, gone: &mut Gone) -> Option<Frame> {
        loop {
            let from_new = self.new.first != NOBODY;
            let turns = if from_new { &self.new } else { &self.old };
            let index = turns.first;
            let queue = self.queues.get_mut(index as usize)?;
            if queue.deficit <= 0 {
                queue.deficit += i64::from(self.config.quantum);
                self.end_turn(from_new, true);
                continue;
            }
            let Some(head) = self.slab.first(&queue.list) else {
                queue.control.find_nothing();
                self.leave(from_new);
                continue;
            };
            let (config, size) = (&self.config.codel, head.tag.size());
            if queue.control.passes(config, now, head, queue.list.bytes()) {
                self.send(index, size);
                let list = &mut self.queues[index as usize].list;
                return Some(self.slab.take_first(list));
            }
            if let Some(frame) = self.take_with_care(index, now, gone) {
                self.send(index, frame.tag.size());
                return Some(frame);
            }
            self.leave(from_new);
        }
    }

    /// The head of a queue, where packets before it may be dropped.
    #[inline(never)]
    fn take_with_care(&mut self, index: u32, now: Time, gone: &mut Gone) -> Option<Frame> {
        let queue = &mut self.queues[index as usize];
        let (bytes, dropped) = (queue.list.bytes(), gone.len());
        let mut frames = Listed {
            slab: &mut self.slab,
            list: &mut queue.list,
        };
        let config = &self.config.codel;
        let head = queue.control.take(config, now, &mut frames, gone);
        let sent = head.map_or(0, |frame| u64::from(frame.tag.size()));
        self.packets -= gone.len() - dropped;
        self.bytes -= bytes - queue.list.bytes() - sent;
        head
    }

    /// A packet of this size leaves for the transmitter.
    #[inline(always)]
    fn send(&mut self, index: u32, size: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(size);
        let queue = &mut self.queues[index as usize];
        queue.deficit -= i64::from(size);
        // The queues of the next turns were last touched long ago, and so were their packets.
        let next = queue.next as usize;
        if let Some(next) = self.queues.get(next) {
            self.slab.prefetch(&next.list);
            if let Some(later) = self.queues.get(next.next as usize) {
                prefetch(later);
            }
        }
    }

    /// The queue whose turn it is has run empty. A new one waits for one round among the old ones: else a
    /// flow could stay new by sending a packet whenever its queue has run empty (section 4.2).
    #[inline]
    fn leave(&mut self, from_new: bool) {
        if !from_new && let Some(queue) = self.queues.get_mut(self.old.first as usize) {
            queue.active = false;
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
        let ended = turns.pop(&self.queues);
        if again && let Some(index) = ended {
            self.old.push(&mut self.queues, index);
        }
    }

    pub(super) fn withdraw(&mut self, id: u32, flow: u32) {
        let index = self.hash(flow) as usize;
        let list = &mut self.queues[index].list;
        let Some(frame) = self.slab.withdraw(list, id) else {
            return;
        };
        self.packets -= 1;
        self.bytes -= u64::from(frame.tag.size());
    }

    pub(super) fn waiting(&self) -> Backlog {
        Backlog::new(self.packets, self.bytes)
    }

    /// Too much waits: the queue with the most bytes loses half of them from its head, at most a batch.
    fn drop_from_the_longest(&mut self, gone: &mut Gone) {
        let bytes = |queue: &Queue| queue.list.bytes();
        let index = self.longest.find(&self.queues, bytes);
        let list = &mut self.queues[index].list;
        let keep = list.bytes() / 2;
        for _ in 0..DROP_BATCH {
            let Some(frame) = self.slab.pop(list) else {
                break;
            };
            self.packets -= 1;
            self.bytes -= u64::from(frame.tag.size());
            gone.push((frame, DropCause::Queue));
            if list.bytes() <= keep {
                break;
            }
        }
    }

    /// The queue of a flow whose packet comes.
    #[inline(always)]
    fn index(&mut self, flow: u32) -> u32 {
        match self.known.get(flow as usize) {
            Some(&index) if index != NOBODY => index,
            _ => self.hash_of_new(flow),
        }
    }

    /// The queue of a flow whose number is not in `known` yet; remembers it if there is room.
    #[cold]
    #[inline(never)]
    fn hash_of_new(&mut self, flow: u32) -> u32 {
        let index = self.hash(flow);
        if flow < MOST_KNOWN {
            let len = self.known.len().max(flow as usize + 1);
            self.known.resize(len, NOBODY);
            self.known[flow as usize] = index;
        }
        index
    }

    /// The queue of a flow.
    fn hash(&self, flow: u32) -> u32 {
        let bits = mixed(self.salt, u64::from(flow));
        below(bits, self.queues.len() as u128) as u32
    }
}

#[cfg(test)]
mod tests;
