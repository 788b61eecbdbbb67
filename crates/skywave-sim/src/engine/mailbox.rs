//! Where packets wait for their host.

use skywave_core::Time;
use skywave_core::prefetch::prefetch;

use super::wake::Wake;

/// Packets that wait for a host, in the order of their arrival.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    /// Times of arrival and numbers. The first `taken` packets have been taken; mostly a host takes
    /// all, and then the list is cleared.
    packets: Vec<Mail>,
    taken: usize,
    /// Event at which the host looks at them.
    pub(super) wake: Wake,
}

/// The number of a packet and when it arrives: without a gap, as there is a mailbox in each flow.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed(4))]
struct Mail {
    at: Time,
    id: u32,
}

/// Room is made for this number of packets, or a quarter of those there: a list that doubles would lie half
/// empty in many flows.
const ROOM: usize = 2;

impl Mailbox {
    /// Puts a packet in. Returns whether it is the first one now.
    #[inline]
    pub(crate) fn insert(&mut self, at: Time, id: u32) -> bool {
        if let Some(last) = self.packets.last()
            && at < { last.at }
        {
            return self.overtake(at, id);
        }
        if self.packets.len() == self.packets.capacity() {
            self.make_room();
        }
        self.packets.push(Mail { at, id });
        self.packets.len() == self.taken + 1
    }

    /// When the packet comes that has this number among those that wait, from 0.
    pub(super) fn time_of(&self, number: usize) -> Option<Time> {
        Some(self.packets.get(self.taken + number)?.at)
    }

    /// Number of packets that wait.
    #[inline]
    pub(super) fn waiting(&self) -> usize {
        self.packets.len() - self.taken
    }

    /// Removes the packets that were taken; if they are few, the list grows instead.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        if self.taken < self.packets.len().div_ceil(4) {
            self.packets.reserve_exact(ROOM.max(self.packets.len() / 4));
        } else {
            self.packets.drain(..self.taken);
            self.taken = 0;
        }
    }

    /// A packet overtook others on the way.
    #[cold]
    fn overtake(&mut self, at: Time, id: u32) -> bool {
        let waiting = &self.packets[self.taken..];
        let place = waiting.partition_point(|other| { other.at } <= at);
        self.packets.insert(self.taken + place, Mail { at, id });
        place == 0
    }

    /// When the first packet arrives.
    #[inline]
    pub(crate) fn first(&self) -> Option<Time> {
        self.packets.get(self.taken).map(|mail| mail.at)
    }

    /// The packet at `place`.
    #[inline]
    pub(crate) fn get(&self, place: usize) -> Option<u32> {
        let packet = self.packets.get(self.taken + place);
        packet.map(|mail| mail.id)
    }

    /// Fetches memory of the first packets.
    #[inline]
    pub(crate) fn prefetch_front(&self) {
        if let Some(front) = self.packets.get(self.taken) {
            prefetch(front);
        }
    }

    /// Fetches memory to which the next packet will be written.
    #[inline]
    pub(crate) fn prefetch_back(&self) {
        if let Some(back) = self.packets.last() {
            prefetch(back);
        }
    }

    /// Takes the first packet.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<u32> {
        let id = self.packets.get(self.taken)?.id;
        self.taken += 1;
        if self.taken == self.packets.len() {
            self.packets.clear();
            self.taken = 0;
        }
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Packets of one time come out in the order in which they were put in.
        #[test]
        fn packets_come_out_in_the_order_of_their_times(
            steps in prop::collection::vec(prop::option::weighted(0.55, 0u64..300), 0..1_000),
        ) {
            let (mut mailbox, mut waiting) = (Mailbox::default(), Vec::new());
            for (id, step) in (0..).zip(steps) {
                let first = waiting.iter().min().copied();
                prop_assert_eq!(mailbox.first(), first.map(|(at, _)| at));
                if let Some(at) = step.map(Time::from_nanos) {
                    let comes_first = first.is_none_or(|(other, _)| at < other);
                    prop_assert_eq!(mailbox.insert(at, id), comes_first);
                    waiting.push((at, id));
                } else {
                    prop_assert_eq!(mailbox.take(), first.map(|(_, id)| id));
                    waiting.retain(|&packet| Some(packet) != first);
                }
                let mut order = waiting.clone();
                order.sort();
                prop_assert_eq!(mailbox.get(1), order.get(1).map(|&(_, id)| id));
            }
        }
    }
}
