//! Many first-in first-out lists of packets in one piece of memory.
//!
//! Fair queueing has a list for each flow, most of them with few packets. A place that a packet leaves is
//! taken by the next one that comes, whichever list that joins: so the memory in use is that of the packets
//! which wait, and it stays in the cache. A buffer of its own for each list would be walked round and round.

use super::Frame;
use super::frames::Heads;
use crate::prefetch::prefetch;

/// No place.
const NONE: u32 = u32::MAX;

/// The places of all lists.
#[derive(Clone, Debug)]
pub(super) struct Slab {
    places: Vec<Place>,
    /// The free place that was left last; the others follow it.
    free: u32,
}

/// A packet, or nothing, and the place after it in its list.
#[derive(Clone, Copy, Debug)]
struct Place {
    frame: Frame,
    next: u32,
}

/// A list of packets; it belongs to one slab.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    first: u32,
    last: u32,
    bytes: u64,
}

impl Slab {
    pub(super) fn new() -> Self {
        Self {
            places: Vec::new(),
            free: NONE,
        }
    }

    /// Puts a packet behind the others of a list.
    #[inline]
    pub(super) fn push(&mut self, list: &mut List, frame: Frame) {
        let place = Place { frame, next: NONE };
        let at = self.free;
        let at = if let Some(free) = self.places.get_mut(at as usize) {
            self.free = free.next;
            *free = place;
            at
        } else {
            self.places.push(place);
            (self.places.len() - 1) as u32
        };
        match self.places.get_mut(list.last as usize) {
            Some(last) => last.next = at,
            None => list.first = at,
        }
        list.last = at;
        list.bytes += u64::from(frame.tag.size());
    }

    /// Prefetches the first packet of a list.
    #[inline]
    pub(super) fn prefetch(&self, list: &List) {
        if let Some(place) = self.places.get(list.first as usize) {
            prefetch(place);
        }
    }

    /// The first packet of a list.
    #[inline(always)]
    pub(super) fn first(&self, list: &List) -> Option<&Frame> {
        let place = self.places.get(list.first as usize)?;
        Some(&place.frame)
    }

    /// Takes the first packet of a list.
    #[inline]
    pub(super) fn pop(&mut self, list: &mut List) -> Option<Frame> {
        (!list.is_empty()).then(|| self.take_first(list))
    }

    /// Takes the first packet of a list that is not empty.
    #[inline(always)]
    pub(super) fn take_first(&mut self, list: &mut List) -> Frame {
        let at = list.first;
        let place = &mut self.places[at as usize];
        list.bytes -= u64::from(place.frame.tag.size());
        list.first = place.next;
        place.next = self.free;
        self.free = at;
        if list.first == NONE {
            list.last = NONE;
        }
        place.frame
    }

    /// Takes out the packet of this number, wherever it is in the list: the others go once round.
    pub(super) fn withdraw(&mut self, list: &mut List, id: u32) -> Option<Frame> {
        let last = list.last;
        let mut found = None;
        loop {
            let at = list.first;
            let Some(frame) = self.pop(list) else {
                break;
            };
            if frame.tag.id() == id && found.is_none() {
                found = Some(frame);
            } else {
                self.push(list, frame);
            }
            if at == last {
                break;
            }
        }
        found
    }
}

impl List {
    pub(super) const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
        bytes: 0,
    };

    /// Whether the list has no packet.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.first == NONE
    }

    /// Bytes of the list's packets.
    #[inline]
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// A list with its slab.
pub(super) struct Listed<'a> {
    pub(super) slab: &'a mut Slab,
    pub(super) list: &'a mut List,
}

impl Heads for Listed<'_> {
    #[inline]
    fn pop(&mut self) -> Option<Frame> {
        self.slab.pop(self.list)
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.list.bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::{frame, ms};
    use super::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn each_list_is_a_list_of_its_own(
            acts in prop::collection::vec((0usize..4, any::<bool>()), 0..200),
        ) {
            let mut slab = Slab::new();
            let mut lists = [List::EMPTY; 4];
            let mut expected: [VecDeque<u32>; 4] = Default::default();
            let mut most = 0;
            for (id, (list, comes)) in (0..).zip(acts) {
                if comes {
                    slab.push(&mut lists[list], frame(id, ms(0)));
                    expected[list].push_back(id);
                } else {
                    let first = slab.pop(&mut lists[list]).map(|frame| frame.tag.id());
                    prop_assert_eq!(first, expected[list].pop_front());
                }
                let waiting = expected[list].len();
                prop_assert_eq!(lists[list].bytes(), waiting as u64 * 1500);
                prop_assert_eq!(lists[list].is_empty(), waiting == 0);
                most = most.max(expected.iter().map(VecDeque::len).sum());
            }
            prop_assert_eq!(slab.places.len(), most);
        }
    }
}
