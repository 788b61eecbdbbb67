//! Events on the air: earliest first, equal times in the order of insertion.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use skywave_core::Time;

/// A transmission as it passes a station: number `reach` in the list of those that it reaches, the nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Passing {
    pub(super) transmission: u32,
    pub(super) reach: u32,
}

impl Passing {
    /// A transmission as it passes the nearest station.
    pub(super) fn first(transmission: u32) -> Self {
        Self {
            transmission,
            reach: 0,
        }
    }
}

/// An event on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// A frame begins to reach a station.
    Begins(Passing),
    /// A frame has left its sender.
    Sent(u32),
    /// A frame has passed a station.
    Ends(Passing),
    /// The measured window begins.
    MeasureFrom,
    /// The measured window ends.
    MeasureTo,
}

/// Pending events.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// The earliest, if it is known: a frame that has just been sent reaches its neighbours before
    /// anything else happens.
    first: Option<Entry>,
    heap: BinaryHeap<Reverse<Entry>>,
    pushed: u64,
}

type Entry = (Time, u64, Event);

impl Events {
    pub(super) fn push(&mut self, at: Time, event: Event) {
        self.pushed += 1;
        let entry = (at, self.pushed, event);
        // Of equal times the one that was there comes first.
        let rest = if at >= self.next() {
            entry
        } else if let Some(first) = self.first.replace(entry) {
            first
        } else {
            return;
        };
        self.heap.push(Reverse(rest));
    }

    /// When the next one is; never is [`Time::MAX`].
    #[inline]
    pub(super) fn next(&self) -> Time {
        match (&self.first, self.heap.peek()) {
            (Some((at, ..)), _) | (None, Some(Reverse((at, ..)))) => *at,
            (None, None) => Time::MAX,
        }
    }

    pub(super) fn pop(&mut self) -> Option<(Time, Event)> {
        let first = self.first.take();
        let (at, _, event) = first.or_else(|| self.heap.pop().map(|Reverse(entry)| entry))?;
        Some((at, event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn events_come_out_by_time_and_then_as_they_went_in(
            steps in prop::collection::vec(prop::option::weighted(0.6, 0u64..8), 1..100),
        ) {
            let mut events = Events::default();
            let mut plain: Vec<(Time, u32)> = Vec::new();
            for (number, step) in (0..).zip(steps) {
                if let Some(at) = step {
                    let at = Time::from_nanos(at);
                    events.push(at, Event::Sent(number));
                    plain.push((at, number));
                    // Stable: equal times stay in their order.
                    plain.sort_by_key(|&(at, _)| at);
                } else {
                    let first = (!plain.is_empty()).then(|| plain.remove(0));
                    let popped = first.map(|(at, number)| (at, Event::Sent(number)));
                    prop_assert_eq!(events.pop(), popped);
                }
                let next = plain.first().map_or(Time::MAX, |&(at, _)| at);
                prop_assert_eq!(events.next(), next);
            }
        }
    }
}
