//! A packet that comes to a link.

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

/// What links need to know of a packet: two words with two numbers in each, so that a label travels
/// in registers. (A value that was written to memory in parts is slow to read as a whole.)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Label {
    /// Flow, whether it is damaged, and number among the packets under way.
    who: u64,
    /// Bytes on the wire, and place in the list of routes.
    what: u64,
}

/// Bit above a packet's number: set if the packet is damaged.
const CORRUPT: u32 = 1 << 31;

impl Label {
    /// For packet number `id` at place `hop` of the list of routes.
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
        Self {
            who: u64::from(flow) << 32 | u64::from(id),
            what: u64::from(size) << 32 | u64::from(hop),
        }
    }

    /// The label as links with a time of their own keep it; the note is the place on the route.
    #[inline]
    pub(super) fn tag(self) -> Tag {
        Tag::from_words([self.who, self.what])
    }

    /// The label that was kept so.
    #[inline]
    pub(super) fn tagged(tag: Tag) -> Self {
        let [who, what] = tag.words();
        Self { who, what }
    }

    /// The same, damaged.
    #[inline]
    pub(crate) fn corrupt(self) -> Self {
        Self {
            who: self.who | u64::from(CORRUPT),
            ..self
        }
    }

    pub(crate) fn is_corrupt(self) -> bool {
        self.who as u32 & CORRUPT != 0
    }

    pub(crate) fn flow(self) -> u32 {
        (self.who >> 32) as u32
    }

    pub(crate) fn id(self) -> u32 {
        self.who as u32 & !CORRUPT
    }

    /// Bytes on the wire.
    pub(crate) fn size(self) -> u32 {
        (self.what >> 32) as u32
    }

    /// Its place in the list of routes.
    pub(crate) fn hop(self) -> u32 {
        self.what as u32
    }

    /// The same at the next place of its route. (No list is so long that this overflows.)
    #[inline]
    pub(crate) fn at_next_hop(self) -> Self {
        Self {
            what: self.what + 1,
            ..self
        }
    }
}

impl Arrival {
    /// Not a packet, but the link's own timer. It comes after the packets of the same time.
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
