//! Packets on their way between two hosts, in virtual time.

use std::collections::BTreeMap;

use skywave_core::{Duration, Time};

/// When a packet arrives, and in which turn it was put there.
type Key = (Time, u64);

/// Packets by the time of arrival, then in the order in which they were put there. One of them is
/// chosen by any number, modulo how many there are.
#[derive(Debug)]
pub(crate) struct Path<P> {
    packets: BTreeMap<Key, P>,
    put: u64,
}

impl<P> Default for Path<P> {
    fn default() -> Self {
        Self {
            packets: BTreeMap::new(),
            put: 0,
        }
    }
}

impl<P: Clone> Path<P> {
    /// A packet that arrives at `at`.
    pub(crate) fn put(&mut self, at: Time, packet: P) {
        self.put += 1;
        self.packets.insert((at, self.put), packet);
    }

    /// When the first packet on the path arrives, or one of the timers expires before; `None` if that is after `until`.
    pub(crate) fn due<const N: usize>(
        &self,
        timers: [Option<Time>; N],
        until: Time,
    ) -> Option<Time> {
        let arrival = self.packets.keys().next().map(|(at, _)| *at);
        let next = timers.into_iter().chain([arrival]).flatten().min();
        next.filter(|&at| at <= until)
    }

    /// The first packet on the path, if it arrives at `at`.
    pub(crate) fn pop(&mut self, at: Time) -> Option<P> {
        let first = self.packets.first_entry()?;
        (first.key().0 == at).then(|| first.remove())
    }

    /// Takes out the packet that `which` chooses.
    pub(crate) fn take(&mut self, which: u8) -> Option<P> {
        self.packets.remove(&self.key(which)?)
    }

    /// A second copy of the chosen packet arrives; `later` is the time between the two.
    pub(crate) fn duplicate(&mut self, which: u8, later: Duration) {
        if let Some(key) = self.key(which) {
            self.put(key.0 + later, self.packets[&key].clone());
        }
    }

    /// Packet that `which` chooses; `None` if none is on the path.
    pub(crate) fn get_mut(&mut self, which: u8) -> Option<&mut P> {
        let key = self.key(which)?;
        self.packets.get_mut(&key)
    }

    /// The chosen packet is delayed by `later`.
    pub(crate) fn delay(&mut self, which: u8, later: Duration) {
        if let Some(key) = self.key(which)
            && let Some(packet) = self.packets.remove(&key)
        {
            self.put(key.0 + later, packet);
        }
    }

    /// All packets on the path are lost.
    pub(crate) fn clear(&mut self) {
        self.packets.clear();
    }

    fn key(&self, which: u8) -> Option<Key> {
        let n = usize::from(which).checked_rem(self.packets.len())?;
        self.packets.keys().nth(n).copied()
    }
}
