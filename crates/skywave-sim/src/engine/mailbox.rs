//! Where packets wait for their host.

use std::collections::VecDeque;

use skywave_core::Time;

use super::prefetch::prefetch;

/// Packets that wait for a host, in the order of their arrival.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    packets: VecDeque<(Time, u32)>,
    /// When they are looked at.
    pub(crate) wake: Option<Time>,
}

impl Mailbox {
    /// Puts a packet in; whether it is the first one now.
    #[inline]
    pub(crate) fn insert(&mut self, at: Time, id: u32) -> bool {
        match self.packets.back() {
            Some(&(last, _)) if at < last => self.overtake(at, id),
            last => {
                let first = last.is_none();
                self.packets.push_back((at, id));
                first
            }
        }
    }

    /// A packet overtook others on the way.
    #[cold]
    fn overtake(&mut self, at: Time, id: u32) -> bool {
        let place = self.packets.partition_point(|&(other, _)| other <= at);
        self.packets.insert(place, (at, id));
        place == 0
    }

    /// When the first packet arrives.
    pub(crate) fn first(&self) -> Option<Time> {
        self.packets.front().map(|&(at, _)| at)
    }

    /// The packet at `place`.
    #[inline]
    pub(crate) fn get(&self, place: usize) -> Option<u32> {
        self.packets.get(place).map(|&(_, id)| id)
    }

    /// The first packets will be asked for.
    #[inline]
    pub(crate) fn prefetch_front(&self) {
        if let Some(front) = self.packets.front() {
            prefetch(front, 0, 1);
        }
    }

    /// A packet will be put in.
    #[inline]
    pub(crate) fn prefetch_back(&self) {
        if let Some(back) = self.packets.back() {
            prefetch(back, 0, 1);
        }
    }

    /// Takes the first packet.
    pub(crate) fn take(&mut self) -> Option<u32> {
        let first = self.packets.pop_front();
        if self.packets.is_empty() {
            // From the start of the memory again, which is still in the cache.
            self.packets.clear();
        }
        first.map(|(_, id)| id)
    }
}
