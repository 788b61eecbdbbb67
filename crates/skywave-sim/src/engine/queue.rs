//! The event queue: earliest time first, equal times in the order of insertion.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use skywave_core::Time;

/// Pending events.
#[derive(Debug)]
pub(crate) struct EventQueue<E> {
    heap: BinaryHeap<Entry<E>>,
    inserted: u64,
}

#[derive(Debug)]
struct Entry<E> {
    at: Time,
    order: u64,
    event: E,
}

impl<E> EventQueue<E> {
    pub(crate) fn new() -> Self {
        Self {
            heap: BinaryHeap::new(),
            inserted: 0,
        }
    }

    pub(crate) fn push(&mut self, at: Time, event: E) {
        self.heap.push(Entry {
            at,
            order: self.inserted,
            event,
        });
        self.inserted += 1;
    }

    pub(crate) fn pop(&mut self) -> Option<(Time, E)> {
        self.heap.pop().map(|e| (e.at, e.event))
    }
}

impl<E> Entry<E> {
    fn key(&self) -> (Time, u64) {
        (self.at, self.order)
    }
}

// The heap gives its greatest entry first: the earliest is the greatest.
impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Entry<E> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_times_come_out_in_the_order_of_insertion() {
        let mut q = EventQueue::new();
        for (i, ns) in [5, 3, 5, 3, 1].into_iter().enumerate() {
            q.push(Time::from_nanos(ns), i);
        }
        let order: Vec<usize> = std::iter::from_fn(|| q.pop().map(|(_, e)| e)).collect();
        assert_eq!(order, [4, 1, 3, 0, 2]);
    }
}
