//! Buckets of time, found by their number.

use std::collections::{BTreeMap, VecDeque};

/// Buckets kept side by side; those that lie further ahead wait in a map.
const NEAR: u64 = 1024;

/// Numbered lists of items, taken in the order of their numbers.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    /// Number of the first bucket of `near`.
    first: u64,
    near: VecDeque<Vec<T>>,
    far: BTreeMap<u64, Vec<T>>,
    spare: Vec<Vec<T>>,
}

impl<T> Ring<T> {
    pub(crate) fn new() -> Self {
        Self {
            first: 0,
            near: VecDeque::new(),
            far: BTreeMap::new(),
            spare: Vec::new(),
        }
    }

    /// The bucket with this number.
    #[inline(always)]
    pub(crate) fn bucket(&mut self, number: u64) -> &mut Vec<T> {
        let place = number.wrapping_sub(self.first) as usize;
        if place < self.near.len() {
            &mut self.near[place]
        } else {
            self.open(number)
        }
    }

    #[cold]
    #[inline(never)]
    fn open(&mut self, number: u64) -> &mut Vec<T> {
        if self.near.is_empty() {
            self.first = number;
        }
        while number < self.first && self.first - number < NEAR {
            self.near.push_front(self.spare.pop().unwrap_or_default());
            self.first -= 1;
        }
        let place = number.wrapping_sub(self.first);
        if place >= NEAR {
            return self.far.entry(number).or_default();
        }
        while self.near.len() as u64 <= place {
            self.near.push_back(self.spare.pop().unwrap_or_default());
        }
        &mut self.near[place as usize]
    }

    /// Number of the first bucket that holds anything.
    pub(crate) fn first(&mut self) -> Option<u64> {
        while self.near.front().is_some_and(Vec::is_empty) {
            self.spare.extend(self.near.pop_front());
            self.first += 1;
        }
        let near = (!self.near.is_empty()).then_some(self.first);
        let far = self.far.first_key_value().map(|(&number, _)| number);
        near.into_iter().chain(far).min()
    }

    /// Takes the bucket that [`Self::first`] has named.
    pub(crate) fn take(&mut self, number: u64) -> Vec<T> {
        let mut items = Vec::new();
        if number == self.first
            && let Some(near) = self.near.pop_front()
        {
            self.first += 1;
            items = near;
        }
        if let Some(far) = self.far.remove(&number) {
            items.extend(far);
        }
        items
    }

    /// Gives back an emptied list, for the next bucket.
    pub(crate) fn recycle(&mut self, mut items: Vec<T>) {
        items.clear();
        self.spare.push(items);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn everything_comes_out_once_in_the_order_of_the_numbers(
            numbers in prop::collection::vec(prop_oneof![0u64..50, 0u64..5_000_000], 0..60),
        ) {
            let mut ring = Ring::new();
            for &number in &numbers {
                ring.bucket(number).push(number);
            }
            let mut taken = Vec::new();
            while let Some(number) = ring.first() {
                let items = ring.take(number);
                prop_assert!(items.iter().all(|&item| item == number) && !items.is_empty());
                taken.extend(items);
            }
            let mut sorted = numbers;
            sorted.sort_unstable();
            prop_assert_eq!(taken, sorted);
        }
    }
}
