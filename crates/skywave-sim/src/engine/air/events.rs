//! The events of a radio network: earliest first, equal times in the order of insertion.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use skywave_core::Time;

/// What may happen next in a radio network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// Machines of a station may have something to do.
    Timer(u16),
    /// The IP layer of a station has handled a packet.
    Handled(u16),
    /// A frame begins to reach the station at a place of its list.
    Begins { transmission: u32, reach: u32 },
    /// A frame has passed that station.
    Ends { transmission: u32, reach: u32 },
    /// A frame has left its sender.
    Sent(u32),
    /// The measured window begins.
    Measure,
}

/// Pending events.
#[derive(Debug, Default)]
pub(super) struct Events {
    heap: BinaryHeap<Reverse<(Time, u64, Event)>>,
    pushed: u64,
}

impl Events {
    pub(super) fn push(&mut self, at: Time, event: Event) {
        self.pushed += 1;
        self.heap.push(Reverse((at, self.pushed, event)));
    }

    pub(super) fn next(&self) -> Option<Time> {
        self.heap.peek().map(|Reverse((at, ..))| *at)
    }

    /// The next event, if it is due by `now`.
    pub(super) fn pop(&mut self, now: Time) -> Option<(Time, Event)> {
        self.next().filter(|&at| at <= now)?;
        let Reverse((at, _, event)) = self.heap.pop()?;
        Some((at, event))
    }
}
