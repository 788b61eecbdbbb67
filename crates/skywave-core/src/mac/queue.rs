//! Packets that wait for the MAC.

use std::collections::VecDeque;

use crate::link::Limit;
use crate::radio::Address;

/// A packet and the station that is to have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting<P> {
    /// The next station, or all.
    pub to: Address,
    /// Its bytes, without the MAC's.
    pub bytes: u32,
    /// The packet.
    pub packet: P,
}

/// First in, first out, up to a limit; what finds it full is turned away.
#[derive(Clone, Debug)]
pub struct Queue<P> {
    limit: Limit,
    packets: VecDeque<Waiting<P>>,
    bytes: u64,
}

impl<P> Queue<P> {
    /// An empty queue.
    pub fn new(limit: Limit) -> Self {
        Self {
            limit,
            packets: VecDeque::new(),
            bytes: 0,
        }
    }

    /// Adds a packet, or gives it back.
    pub fn push(&mut self, waiting: Waiting<P>) -> Result<(), Waiting<P>> {
        let fits = match self.limit {
            Limit::Packets(most) => self.packets.len() < most as usize,
            Limit::Bytes(most) => self.bytes + u64::from(waiting.bytes) <= most,
        };
        if !fits {
            return Err(waiting);
        }
        self.bytes += u64::from(waiting.bytes);
        self.packets.push_back(waiting);
        Ok(())
    }

    /// Takes the first packet.
    pub fn pop(&mut self) -> Option<Waiting<P>> {
        let first = self.packets.pop_front()?;
        self.bytes -= u64::from(first.bytes);
        Some(first)
    }

    /// Takes out the first packet for a station, wherever it is.
    pub fn take_for(&mut self, to: Address) -> Option<Waiting<P>> {
        let place = self.packets.iter().position(|p| p.to == to)?;
        let found = self.packets.remove(place)?;
        self.bytes -= u64::from(found.bytes);
        Some(found)
    }

    /// Packets that wait.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// True when none waits.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
}
