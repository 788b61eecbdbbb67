//! What happens on the air: earliest first, equal times in the order of insertion.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use skywave_core::Time;

/// What may happen next on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
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

    /// When the next one is; never is [`Time::MAX`].
    pub(super) fn next(&self) -> Time {
        self.heap.peek().map_or(Time::MAX, |Reverse((at, ..))| *at)
    }

    pub(super) fn pop(&mut self) -> Option<(Time, Event)> {
        let Reverse((at, _, event)) = self.heap.pop()?;
        Some((at, event))
    }
}
