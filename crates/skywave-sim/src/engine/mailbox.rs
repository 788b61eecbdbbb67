//! Where packets wait for their host.

use std::collections::VecDeque;

use skywave_core::Time;

/// Packets that wait for a host, in the order of their arrival.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    packets: VecDeque<(Time, u32)>,
    /// When they are looked at.
    pub(crate) wake: Option<Time>,
}

impl Mailbox {
    #[inline]
    pub(crate) fn insert(&mut self, at: Time, id: u32) {
        if self.packets.back().is_none_or(|&(last, _)| last <= at) {
            self.packets.push_back((at, id));
        } else {
            self.overtake(at, id);
        }
    }

    /// A packet overtook others on the way.
    #[cold]
    fn overtake(&mut self, at: Time, id: u32) {
        let place = self.packets.partition_point(|&(other, _)| other <= at);
        self.packets.insert(place, (at, id));
    }

    /// When the first packet arrives.
    pub(crate) fn first(&self) -> Option<Time> {
        self.packets.front().map(|&(at, _)| at)
    }

    /// Takes the first packet.
    pub(crate) fn take(&mut self) -> Option<u32> {
        self.packets.pop_front().map(|(_, id)| id)
    }
}
