//! Buckets of time, found by their number.

use std::collections::BTreeMap;

/// Number of buckets kept in a ring, at first and at most; powers of two. Those that lie further
/// ahead wait in a map.
const FEWEST: u64 = 16;
const MOST: u64 = 1024;

/// Emptied lists with room for more items than this are not kept: with many flows there are many long
/// lists, each for a short while, and the next bucket that gets one may have few items.
pub(super) const LONG: usize = 256;

/// Numbered lists of items, taken in the order of their numbers.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    /// Number of the first bucket in `near`, which holds as many consecutive numbers as it is long:
    /// number `n` at place `n` modulo the length.
    first: u64,
    near: Vec<Vec<T>>,
    far: BTreeMap<u64, Vec<T>>,
    /// Emptied lists, for reuse. An empty bucket keeps no memory of its own: at any time only few
    /// buckets hold items, and with many flows each of those is long.
    spare: Vec<Vec<T>>,
}

impl<T> Ring<T> {
    pub(crate) fn new() -> Self {
        Self {
            first: 0,
            near: (0..FEWEST).map(|_| Vec::new()).collect(),
            far: BTreeMap::new(),
            spare: Vec::new(),
        }
    }

    /// Puts an item into the bucket with this number. Returns whether it is the first one there.
    #[inline(always)]
    pub(crate) fn push(&mut self, number: u64, item: T) -> bool {
        // The item is passed to no other function: for that it would be put together in memory, and
        // reading it as a whole just after it was written in parts is slow.
        let is_near = number.wrapping_sub(self.first) < self.near.len() as u64;
        let bucket = if is_near || self.reach(number) {
            let place = self.place(number);
            &mut self.near[place]
        } else {
            self.far.entry(number).or_default()
        };
        let opens = bucket.is_empty();
        if opens && let Some(list) = self.spare.pop() {
            *bucket = list;
        }
        bucket.push(item);
        opens
    }

    #[inline(always)]
    fn place(&self, number: u64) -> usize {
        number as usize & (self.near.len() - 1)
    }

    /// Makes room in `near` for this number, unless it lies too far from the others. Returns
    /// whether it is there now.
    #[cold]
    #[inline(never)]
    fn reach(&mut self, number: u64) -> bool {
        if self.near.iter().all(Vec::is_empty) {
            self.first = number;
        }
        let ahead = number.wrapping_sub(self.first);
        if ahead >= MOST {
            return false;
        }
        let room = (ahead + 1).next_power_of_two() as usize;
        if room > self.near.len() {
            let mut wider: Vec<Vec<T>> = (0..room).map(|_| Vec::new()).collect();
            for number in self.first..self.first + self.near.len() as u64 {
                let place = self.place(number);
                wider[number as usize & (room - 1)] = std::mem::take(&mut self.near[place]);
            }
            self.near = wider;
        }
        true
    }

    /// Takes the bucket with this number. Those before it must be empty.
    pub(crate) fn take(&mut self, number: u64) -> Vec<T> {
        let mut items = Vec::new();
        if number.wrapping_sub(self.first) < self.near.len() as u64 {
            let place = self.place(number);
            items = std::mem::take(&mut self.near[place]);
        }
        self.first = self.first.max(number + 1);
        if let Some(mut before) = self.far.remove(&number) {
            before.append(&mut items);
            return before;
        }
        items
    }

    /// Gives back an emptied list, for another bucket.
    pub(crate) fn recycle(&mut self, mut items: Vec<T>) {
        if items.capacity() <= LONG {
            items.clear();
            self.spare.push(items);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Between the takings, items are put in at and after the number taken last.
        #[test]
        fn everything_comes_out_once_in_the_order_of_the_numbers(
            steps in prop::collection::vec(
                (prop_oneof![0u64..50, 0u64..3_000, 0u64..5_000_000], any::<bool>()), 0..100,
            ),
        ) {
            let mut ring = Ring::new();
            let (mut waiting, mut taken) = (Vec::new(), 0);
            for (ahead, takes) in steps.into_iter().chain((0..100).map(|_| (0, true))) {
                if !takes || waiting.is_empty() {
                    let number = taken + ahead;
                    let is_first = !waiting.contains(&number);
                    prop_assert!(ring.push(number, number) || !is_first);
                    waiting.push(number);
                    continue;
                }
                taken = waiting.iter().min().copied().unwrap_or_default();
                let items = ring.take(taken);
                prop_assert!(items.iter().all(|&item| item == taken));
                let before = waiting.len();
                waiting.retain(|&number| number != taken);
                prop_assert_eq!(items.len(), before - waiting.len());
                ring.recycle(items);
            }
        }
    }
}
