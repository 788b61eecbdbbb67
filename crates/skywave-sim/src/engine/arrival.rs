//! A packet that comes to a link.
//!
//! A link needs only two words of it, so that it travels in registers.

use std::cmp::Ordering;

use skywave_core::Time;
use skywave_core::link::Tag;
use skywave_core::packet::Packet;

/// A packet that comes to a link, with all that plain links need to know of it: the packet itself
/// lies elsewhere, and is out of the cache by now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) at: Time,
    pub(crate) label: Label,
}

/// Description of a packet for links: its number among the packets under way, whether it is damaged,
/// its flow, its bytes on the wire, and its place in the list of routes (the note of the tag).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Label(pub(super) Tag);

/// Bit above a packet's number: set if the packet is damaged.
const CORRUPT: u32 = 1 << 31;

impl Label {
    /// Label of `packet`, number `id` among those under way, at place `hop` of the list of routes.
    #[inline]
    pub(crate) fn of(packet: &Packet, id: u32, hop: u32) -> Self {
        let label = Self::new(packet.flow, id, packet.size, hop);
        if packet.is_corrupt() {
            label.corrupt()
        } else {
            label
        }
    }

    #[inline]
    pub(super) fn new(flow: u32, id: u32, size: u32, hop: u32) -> Self {
        debug_assert!(id <= !CORRUPT, "{id}");
        Self(Tag::new(id, size).of_flow(flow).with_note(hop))
    }

    /// Label of the same packet, damaged.
    #[inline]
    pub(crate) fn corrupt(self) -> Self {
        Self(self.0.with_id(self.0.id() | CORRUPT))
    }

    pub(crate) fn is_corrupt(self) -> bool {
        self.0.id() & CORRUPT != 0
    }

    pub(crate) fn flow(self) -> u32 {
        self.0.flow()
    }

    pub(crate) fn id(self) -> u32 {
        self.0.id() & !CORRUPT
    }

    /// Bytes on the wire.
    pub(crate) fn size(self) -> u32 {
        self.0.size()
    }

    /// Place of the packet in the list of routes.
    pub(crate) fn hop(self) -> u32 {
        self.0.note()
    }

    /// Label of the packet at the next place of its route. (No list is so long that this overflows.)
    #[inline]
    pub(crate) fn at_next_hop(self) -> Self {
        Self(self.0.with_next_note())
    }
}

impl Arrival {
    /// Stand-in for the link's own timer. It comes after the packets of the same time.
    pub(crate) fn timer(at: Time) -> Self {
        Self {
            at,
            label: Label::new(u32::MAX, !CORRUPT, 0, 0),
        }
    }

    pub(crate) fn is_timer(&self) -> bool {
        self.label.id() == !CORRUPT
    }

    /// Packets are taken by their time; of equal times, by lot.
    #[inline]
    pub(crate) fn order(&self, other: &Self, salt: u32) -> Ordering {
        let lots = || self.lot(salt).cmp(&other.lot(salt));
        self.at.cmp(&other.at).then_with(lots)
    }

    /// Decides which of several packets that arrive at the same time goes first: a hash of the
    /// link's `salt` in this run, the time and the flow. With a fixed order one flow would always
    /// be ahead: on paths of equal delays whose rates divide each other, packets meet all the time,
    /// and the first one gets the last place in a queue. At one time no two flows have the same
    /// lot, as each step of the hash can be undone (the mixer is that of MurmurHash3).
    #[inline]
    pub(crate) fn lot(&self, salt: u32) -> u32 {
        if self.is_timer() {
            return u32::MAX;
        }
        let time = self.at.as_nanos().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let mut lot = self.label.flow() ^ time as u32 ^ salt;
        lot = (lot ^ (lot >> 16)).wrapping_mul(0x85eb_ca6b);
        lot = (lot ^ (lot >> 13)).wrapping_mul(0xc2b2_ae35);
        lot ^ (lot >> 16)
    }
}
