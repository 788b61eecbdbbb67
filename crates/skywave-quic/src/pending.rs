//! Packets that noq speaks of, by the number that a law counts them with.
//!
//! noq numbers packets in three spaces (handshake and data) and leaves numbers out, while a law counts packets in
//! the order of their sending. When noq drops a space or a probe of the path's MTU, it says nothing of its packets.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// A packet that noq has sent.
#[derive(Clone, Copy, Debug)]
struct Pending {
    /// noq's number.
    name: u64,
    at: Instant,
    bytes: u16,
    known: bool,
}

/// The packets of which noq has not spoken yet, in the order of their sending.
#[derive(Debug, Default)]
pub(crate) struct Packets {
    pending: VecDeque<Pending>,
    /// Number of the first one.
    first: u64,
}

impl Packets {
    /// noq has sent a packet: the next number is its.
    pub(crate) fn push(&mut self, name: u64, at: Instant, bytes: u16) {
        self.pending.push_back(Pending {
            name,
            at,
            bytes,
            known: false,
        });
    }

    /// The number of the packet `name` that was sent at `at`.
    pub(crate) fn take_sent(&mut self, name: u64, at: Instant) -> Option<u64> {
        let start = self.pending.partition_point(|packet| packet.at < at);
        let same = self.pending.range(start..);
        let index = same
            .take_while(|packet| packet.at == at)
            .position(|packet| packet.name == name && !packet.known)?;
        Some(self.take(start + index))
    }

    /// The number of the oldest packet `name` of `bytes` bytes.
    pub(crate) fn take_oldest(&mut self, name: u64, bytes: u16) -> Option<u64> {
        let is_it = |packet: &Pending| packet.name == name && packet.bytes == bytes;
        let index = self.pending.iter().position(|p| !p.known && is_it(p))?;
        Some(self.take(index))
    }

    /// A packet that was sent longer than `patience` before `newest`, which has arrived: noq has forgotten it.
    pub(crate) fn take_forgotten(&mut self, newest: Instant, patience: Duration) -> Option<u64> {
        let oldest = self.pending.front()?;
        (newest.saturating_duration_since(oldest.at) > patience).then(|| self.take(0))
    }

    fn take(&mut self, index: usize) -> u64 {
        let number = self.first + index as u64;
        self.pending[index].known = true;
        while self.pending.front().is_some_and(|packet| packet.known) {
            self.pending.pop_front();
            self.first += 1;
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_of_all_spaces_are_told_apart() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut packets = Packets::default();
        // Number 0 of each space, two of them at the same moment, then one left out.
        packets.push(0, at(0), 1200);
        packets.push(0, at(5), 300);
        packets.push(1, at(5), 1200);
        packets.push(0, at(9), 1452);
        packets.push(3, at(9), 1452);
        assert_eq!(packets.take_sent(0, at(9)), Some(3));
        assert_eq!(packets.take_sent(0, at(9)), None, "only once");
        assert_eq!(packets.take_sent(1, at(5)), Some(2));
        assert_eq!(
            packets.take_sent(1, at(9)),
            None,
            "nothing of this name then"
        );
        assert_eq!(packets.take_oldest(0, 300), Some(1));
        assert_eq!(packets.take_oldest(0, 1200), Some(0));
        assert_eq!(packets.take_oldest(3, 1452), Some(4));
        packets.push(4, at(10), 1452);
        assert_eq!(packets.take_sent(4, at(10)), Some(5));
    }

    #[test]
    fn a_packet_that_nobody_speaks_of_is_forgotten() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut packets = Packets::default();
        packets.push(0, at(0), 1200);
        packets.push(1, at(900), 1200);
        let second = Duration::from_secs(1);
        assert_eq!(packets.take_forgotten(at(1000), second), None);
        assert_eq!(packets.take_forgotten(at(1001), second), Some(0));
        assert_eq!(packets.take_forgotten(at(1001), second), None);
    }
}
