//! The message of DSDV: what it says and how long it is.

use crate::radio::Address;
use crate::routing::Seq;

/// Route to one destination, as a station tells its neighbours in an [`Update`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The destination.
    pub destination: Address,
    /// Sequence number of the route: an even one is the destination's own, an odd one that of a break.
    pub seq: Seq,
    /// Hops to the destination from the station that sends the update; `None` (infinity on the wire) if it
    /// has no route any more.
    pub hops: Option<u8>,
}

/// An update of DSDV: the whole table of a station, or what has changed in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// Routes of the station; at least one entry, and at most [`Update::MOST_ENTRIES`].
    pub entries: Vec<Entry>,
}

impl Update {
    /// Most entries of a message, so that it is no longer than an IP packet of 1500 bytes; more go
    /// into a further one.
    pub const MOST_ENTRIES: usize = 122;

    /// Bytes as payload of UDP: an address, a number and a length of four bytes each an entry. (The paper has
    /// no format.)
    pub fn bytes(&self) -> u32 {
        12 * self.entries.len() as u32
    }
}
