//! The message of DSDV: what it says and how long it is.

use crate::radio::Address;
use crate::routing::Seq;

/// Route to one destination, as a station tells its neighbours in an [`Update`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The destination.
    pub destination: Address,
    /// Sequence number of the route: even if the destination gave it, odd if another station found the route broken.
    pub seq: Seq,
    /// Hops to the destination from the station that sends the update; `None` (infinity on the wire) if its route has
    /// broken.
    pub hops: Option<u8>,
}

/// An update of DSDV: the whole table of a station, or what has changed in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// Routes of the station; at least one entry, and at most [`Update::MOST_ENTRIES`].
    pub entries: Vec<Entry>,
}

impl Update {
    /// Most entries of one update, so that its IP packet has at most 1500 bytes; more entries go into further updates.
    pub const MOST_ENTRIES: usize = 122;

    /// Bytes of the update, as payload of UDP: 12 an entry, four each for address, sequence number and hops. (The paper
    /// has no format.)
    pub fn bytes(&self) -> u32 {
        12 * self.entries.len() as u32
    }
}
