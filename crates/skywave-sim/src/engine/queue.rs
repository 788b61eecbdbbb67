//! The event queue: earliest time first, equal times in the order of insertion.
//!
//! Its buckets are as wide as the grid on which decisions are put that may wait (a quarter of the shortest time
//! that a sender may): most events of a bucket have one time.

use std::collections::BTreeMap;

use skywave_core::{Duration, Time};

use super::ring::LONG;

/// Number of buckets in the wheel, the present one included.
const NEAR: u64 = 64;

/// Once more than this many events of the present bucket have come out, the next insertion into it
/// removes them: the present can be long, as [`EventQueue::next_at`] makes the next bucket present
/// ahead of its time.
const FORGET: usize = 1000;

/// Pending events, in buckets of time: a timing wheel (Varghese and Lauck 1987), and a map for what
/// lies further ahead. A bucket is sorted when its time has come.
#[derive(Debug)]
pub(crate) struct EventQueue<E> {
    /// Bucket number `n` begins at `n` times 2^shift nanoseconds.
    shift: u32,
    /// The present bucket, its number, and the place of its first event that has not come out.
    present: Vec<(Time, E)>,
    number: u64,
    next: usize,
    /// The buckets after it, each in the order of insertion, and a bit for each that is not empty.
    near: [Vec<(Time, E)>; NEAR as usize],
    filled: u64,
    /// Emptied lists, for reuse. An empty bucket keeps no memory of its own: at any time only few
    /// buckets hold events, and with many flows each of those is long.
    spare: Vec<Vec<(Time, E)>>,
    /// Events that were inserted further ahead than `near` reaches, by the number of their bucket.
    /// They were inserted before anything that `near` has for the same bucket.
    far: BTreeMap<u64, Vec<(Time, E)>>,
}

impl<E: Copy> EventQueue<E> {
    /// A queue with buckets of at most `width`: few events should be inserted closer to the present
    /// than that.
    pub(crate) fn new(width: Duration) -> Self {
        Self {
            shift: width.as_nanos().max(1).ilog2(),
            present: Vec::new(),
            number: 0,
            next: 0,
            near: std::array::from_fn(|_| Vec::new()),
            filled: 0,
            spare: Vec::new(),
            far: BTreeMap::new(),
        }
    }

    /// Inserts an event, no earlier than the one that came out last.
    #[inline]
    pub(crate) fn push(&mut self, at: Time, event: E) {
        let number = at.as_nanos() >> self.shift;
        let ahead = number.saturating_sub(self.number);
        if ahead.wrapping_sub(1) < NEAR - 1 {
            let bit = 1 << (number % NEAR);
            let bucket = &mut self.near[(number % NEAR) as usize];
            if self.filled & bit == 0 {
                self.filled |= bit;
                if let Some(list) = self.spare.pop() {
                    *bucket = list;
                }
            }
            bucket.push((at, event));
        } else if ahead == 0 {
            self.push_present(at, event);
        } else {
            self.push_far(number, at, event);
        }
    }

    /// Inserts an event into the present bucket.
    #[inline(never)]
    fn push_present(&mut self, at: Time, event: E) {
        if self.next > FORGET {
            self.present.drain(..self.next);
            self.next = 0;
        }
        let rest = &self.present[self.next..];
        let later = rest.iter().rev().take_while(|(other, _)| *other > at);
        let place = self.present.len() - later.count();
        self.present.insert(place, (at, event));
    }

    /// Inserts an event into a bucket that lies further ahead.
    #[inline(never)]
    fn push_far(&mut self, number: u64, at: Time, event: E) {
        self.far.entry(number).or_default().push((at, event));
    }

    /// When the next event is.
    pub(crate) fn next_at(&mut self) -> Option<Time> {
        let has_next = self.next < self.present.len() || self.advance();
        has_next.then(|| self.present[self.next].0)
    }

    /// The next event.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<(Time, E)> {
        if self.next == self.present.len() && !self.advance() {
            return None;
        }
        let event = self.present[self.next];
        self.next += 1;
        Some(event)
    }

    /// The event that comes `events` places after the next one, if it is in the present bucket.
    #[inline]
    pub(crate) fn ahead(&self, events: usize) -> Option<E> {
        let event = self.present.get(self.next + events);
        event.map(|&(_, event)| event)
    }

    /// Goes on to the next bucket that is not empty, if there is one.
    fn advance(&mut self) -> bool {
        let behind = self.filled.rotate_right((self.number % NEAR) as u32);
        let near = (behind != 0).then(|| self.number + u64::from(behind.trailing_zeros()));
        let far = self.far.first_key_value().map(|(&number, _)| number);
        let Some(number) = near.into_iter().chain(far).min() else {
            return false;
        };
        self.number = number;
        self.next = 0;
        self.present.clear();
        if far == Some(number) {
            self.present
                .extend(self.far.remove(&number).into_iter().flatten());
        }
        if near == Some(number) {
            let mut bucket = std::mem::take(&mut self.near[(number % NEAR) as usize]);
            if self.present.is_empty() {
                std::mem::swap(&mut self.present, &mut bucket);
            } else {
                self.present.append(&mut bucket);
            }
            if bucket.capacity() <= LONG {
                self.spare.push(bucket);
            }
            self.filled &= !(1 << (number % NEAR));
        }
        sort(&mut self.present);
        true
    }
}

/// Events up to which insertion sorts faster than the library does: 0.3 % of the instructions of 240 flows.
const FEW: usize = 40;

/// Sorts events by time; equal times stay in their order.
fn sort<E: Copy>(events: &mut [(Time, E)]) {
    if events.len() > FEW {
        return events.sort_by_key(|&(at, _)| at);
    }
    for sorted in 1..events.len() {
        let event = events[sorted];
        let mut place = sorted;
        while place > 0 && events[place - 1].0 > event.0 {
            events[place] = events[place - 1];
            place -= 1;
        }
        events[place] = event;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_times_come_out_in_the_order_of_insertion() {
        let mut q = EventQueue::new(Duration::from_nanos(2));
        for (i, ns) in [5, 3, 5, 3, 1].into_iter().enumerate() {
            q.push(Time::from_nanos(ns), i);
        }
        let order: Vec<usize> = std::iter::from_fn(|| q.pop().map(|(_, e)| e)).collect();
        assert_eq!(order, [4, 1, 3, 0, 2]);
    }

    proptest! {
        #[test]
        fn few_and_many_events_are_sorted_alike(times in prop::collection::vec(0u64..30, 0..3 * FEW)) {
            let mut events: Vec<_> = times.into_iter().map(Time::from_nanos).zip(0..).collect();
            let mut expected = events.clone();
            sort(&mut events);
            expected.sort_by_key(|&(at, _)| at);
            prop_assert_eq!(events, expected);
        }

        /// Each event that comes out inserts others after it, near and far.
        #[test]
        fn events_come_out_by_time_and_then_as_inserted(
            shift in 0u32..12,
            gaps in prop::collection::vec(
                prop_oneof![0u64..3, 0u64..300, 0u64..100_000, Just(u64::MAX)], 1..200,
            ),
        ) {
            let mut queue = EventQueue::new(Duration::from_nanos(1 << shift));
            let mut waiting = Vec::new();
            let mut now = Time::ZERO;
            for (i, gaps) in gaps.chunks(3).enumerate() {
                for (j, &gap) in gaps.iter().enumerate() {
                    let at = Time::from_nanos(now.as_nanos().saturating_add(gap));
                    queue.push(at, (i, j));
                    waiting.push((at, (i, j)));
                }
                // Of the earliest events, the one inserted first.
                let first = waiting.iter().map(|w| w.0).min().and_then(|at| {
                    let place = waiting.iter().position(|w| w.0 == at)?;
                    Some(waiting.remove(place))
                });
                prop_assert_eq!(queue.pop(), first);
                now = first.map_or(now, |f| f.0);
            }
            waiting.sort_by_key(|w| w.0);
            let rest: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
            prop_assert_eq!(rest, waiting);
        }
    }
}
