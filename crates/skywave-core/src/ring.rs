//! A queue whose items are numbered in the order in which they come, and are found by their number.
//!
//! Finding an item is what a sender does most often, so there is no division: the place of the first item is
//! kept, and that of another is found by a comparison. The number of places need not be a power of two, which
//! would leave half of the memory of many flows unused.

use std::ops::{Index, IndexMut};

/// Places are added in groups of this number.
const GROUP: usize = 4;

/// Items by the order in which they came; the first one has number 0, or that of [`Self::starting_with`].
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Ring<T> {
    places: Box<[T]>,
    /// Number of the first item held.
    first: u64,
    /// Place of the first item held. As the number of items it has 32 bits: each flow has such a queue, and none
    /// can hold more.
    start: u32,
    /// Number of items held.
    len: u32,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self {
            places: Box::default(),
            first: 0,
            start: 0,
            len: 0,
        }
    }
}

impl<T: Copy> Ring<T> {
    /// An empty queue whose first item will have this number.
    pub(crate) fn starting_with(number: u64) -> Self {
        Self {
            first: number,
            ..Self::default()
        }
    }

    /// Number of the item that comes next.
    pub(crate) fn next_number(&self) -> u64 {
        self.first + u64::from(self.len)
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Number of the first item held.
    #[inline]
    pub(crate) fn first_number(&self) -> u64 {
        self.first
    }

    /// The place of an item held, or of the next one.
    #[inline(always)]
    fn place(&self, number: u64) -> usize {
        let place = self.start as usize + number.wrapping_sub(self.first) as usize;
        place.min(place.wrapping_sub(self.places.len()))
    }

    /// The item with this number, if it is held.
    #[inline(always)]
    pub(crate) fn numbered(&self, number: u64) -> Option<&T> {
        if number.wrapping_sub(self.first) >= u64::from(self.len) {
            return None;
        }
        self.places.get(self.place(number))
    }

    /// The item with this number, if it is held, to be changed.
    pub(crate) fn numbered_mut(&mut self, number: u64) -> Option<&mut T> {
        self.numbered(number)?;
        let place = self.place(number);
        self.places.get_mut(place)
    }

    /// The item at `index` among those held.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.numbered(self.first.wrapping_add(index as u64))
    }

    #[inline(always)]
    pub(crate) fn front(&self) -> Option<&T> {
        self.numbered(self.first)
    }

    #[inline(always)]
    pub(crate) fn front_mut(&mut self) -> Option<&mut T> {
        if self.is_empty() {
            return None;
        }
        let place = self.place(self.first);
        self.places.get_mut(place)
    }

    #[inline]
    pub(crate) fn back(&self) -> Option<&T> {
        self.numbered(self.next_number().wrapping_sub(1))
    }

    #[inline(always)]
    pub(crate) fn push_back(&mut self, item: T) {
        if self.len() == self.places.len() {
            self.widen(item);
        }
        let place = self.place(self.next_number());
        self.places[place] = item;
        self.len += 1;
    }

    /// Makes room for half as many items more; places without an item hold `filler`.
    #[cold]
    #[inline(never)]
    fn widen(&mut self, filler: T) {
        let more = (self.places.len() / 2).next_multiple_of(GROUP).max(GROUP);
        let mut wider = Vec::with_capacity(self.places.len() + more);
        wider.extend(self.iter().copied());
        wider.resize(self.places.len() + more, filler);
        self.places = wider.into_boxed_slice();
        self.start = 0;
    }

    /// Lets go of the first item, if there is one.
    #[inline(always)]
    pub(crate) fn pop_front(&mut self) {
        if self.is_empty() {
            return;
        }
        self.first += 1;
        self.len -= 1;
        self.start += 1;
        if self.start as usize == self.places.len() {
            self.start = 0;
        }
    }

    /// The items in order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        (0..self.len()).map(|index| &self[index])
    }

    /// The items in order, to be changed.
    pub(crate) fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut T> {
        let (len, start) = (self.len(), self.place(self.first));
        let (before, from) = self.places.split_at_mut(start);
        let straight = len.min(from.len());
        let around = &mut before[..len - straight];
        from[..straight].iter_mut().chain(around)
    }

    /// Number of items before the first one for which `holds` is false; it must be true for all of
    /// these, and false for all after them.
    pub(crate) fn partition_point(&self, holds: impl Fn(&T) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            if holds(&self[middle]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl<T: Copy> Index<usize> for Ring<T> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        &self.places[self.place(self.first + index as u64)]
    }
}

impl<T: Copy> IndexMut<usize> for Ring<T> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        let place = self.place(self.first + index as u64);
        &mut self.places[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn it_is_a_queue(takes in prop::collection::vec(prop::bool::weighted(0.45), 0..300)) {
            let (mut ring, mut queue) = (Ring::default(), VecDeque::new());
            let mut taken = 0;
            for (n, take) in takes.into_iter().enumerate() {
                if take {
                    ring.pop_front();
                    taken += u64::from(queue.pop_front().is_some());
                } else {
                    ring.push_back(n);
                    queue.push_back(n);
                }
                prop_assert_eq!(ring.len(), queue.len());
                prop_assert_eq!(ring.is_empty(), queue.is_empty());
                prop_assert_eq!(ring.first_number(), taken);
                prop_assert_eq!((ring.front(), ring.back()), (queue.front(), queue.back()));
                prop_assert_eq!(ring.front_mut().copied(), queue.front().copied());
                prop_assert!(ring.iter().eq(&queue));
                prop_assert!(ring.iter().rev().eq(queue.iter().rev()));
                prop_assert!(ring.iter_mut().eq(&mut queue));
                for index in 0..queue.len() + 2 {
                    prop_assert_eq!(ring.get(index), queue.get(index));
                    prop_assert_eq!(ring.numbered(taken + index as u64), queue.get(index));
                }
                prop_assert_eq!(ring.numbered(taken.wrapping_sub(1)), None);
                let below = |limit: &usize| ring.partition_point(|item| item < limit);
                for item in &queue {
                    prop_assert_eq!(Some(below(item)), queue.binary_search(item).ok());
                    prop_assert_eq!(&ring[below(item)], item);
                }
            }
        }
    }
}
