//! The segments that the agent keeps until they are acknowledged.

use std::collections::VecDeque;
use std::ops::Range;

use crate::packet::Packet;
use crate::time::Time;

/// A segment on its way to the mobile host.
#[derive(Clone, Debug)]
pub(super) struct Cached {
    start: u64,
    end: u64,
    /// Number and time of the last transmission of the segment to the mobile host.
    pub(super) order: u64,
    pub(super) sent_at: Time,
    /// Number of the transmission before the last repair.
    pub(super) order_before: u64,
    /// The sender has sent it again, or late: it knows of the loss, and the agent leaves it to it.
    pub(super) resent: bool,
    /// The agent has sent it again.
    pub(super) repaired: bool,
    /// Whether the last transmission was a repair by the agent.
    pub(super) repair_is_last: bool,
    pub(super) packet: Packet,
}

/// Segments in the order of their positions, without overlaps.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    segments: VecDeque<Cached>,
    limit: usize,
    /// End of what was seen.
    end: u64,
}

/// Segments that an acknowledgement frees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Freed {
    /// The newest transmission of it.
    pub(super) newest: u64,
    /// When the last segment of it was sent, unless some of it was sent twice (Karn's rule).
    pub(super) sent_at: Option<Time>,
}

impl Cache {
    pub(super) fn new(limit: Option<u32>) -> Self {
        Self {
            segments: VecDeque::new(),
            limit: limit.map_or(usize::MAX, |limit| limit as usize),
            end: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    /// The packet with these positions passes, as transmission number `order`.
    pub(super) fn take(&mut self, at: Range<u64>, order: u64, now: Time, packet: &Packet) {
        let late = at.start < self.end;
        self.end = self.end.max(at.end);
        let place = self.segments.partition_point(|s| s.end <= at.start);
        if let Some(known) = self.segments.get_mut(place)
            && known.start < at.end
        {
            if known.start == at.start && known.end == at.end {
                (known.order, known.sent_at) = (order, now);
                known.repair_is_last = false;
            }
            // Cut in another way: the older ones stay, and the sender's copy will do.
            let known = self.segments.iter_mut().skip(place);
            for segment in known.take_while(|s| s.start < at.end) {
                segment.resent = true;
            }
        } else if self.segments.len() < self.limit {
            let cached = Cached {
                start: at.start,
                end: at.end,
                order,
                order_before: order,
                sent_at: now,
                resent: late,
                repaired: false,
                repair_is_last: false,
                packet: *packet,
            };
            self.segments.insert(place, cached);
        }
    }

    /// The last transmission of a segment was dropped before it left: its number, and whether it was a
    /// repair. A segment that never left is forgotten.
    pub(super) fn dropped(&mut self, at: Range<u64>) -> Option<(u64, bool)> {
        let place = self.segments.partition_point(|s| s.end <= at.start);
        let known = self.segments.get_mut(place);
        let known = known.filter(|s| s.start == at.start && s.end == at.end)?;
        let dropped = (known.order, known.repair_is_last);
        if known.repair_is_last {
            known.order = known.order_before;
        } else if !known.resent {
            self.segments.remove(place);
        }
        Some(dropped)
    }

    /// Forgets what is acknowledged.
    pub(super) fn free_below(&mut self, ack: u64) -> Freed {
        let mut freed = Freed::default();
        let mut once = true;
        while let Some(first) = self.segments.front()
            && first.end <= ack
        {
            freed.newest = freed.newest.max(first.order);
            once &= !first.resent && !first.repaired;
            freed.sent_at = once.then_some(first.sent_at);
            self.segments.pop_front();
        }
        freed
    }

    /// The first segment, if it is the one that `ack` asks for.
    pub(super) fn at(&self, ack: u64) -> Option<&Cached> {
        self.segments.front().filter(|first| first.start <= ack)
    }

    /// The first segment, to be sent again, if it is the one that `ack` asks for.
    pub(super) fn at_mut(&mut self, ack: u64) -> Option<&mut Cached> {
        self.segments.front_mut().filter(|first| first.start <= ack)
    }
}
