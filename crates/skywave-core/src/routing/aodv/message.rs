//! The messages of AODV (RFC 3561 section 5): what they say and how long they are.

use crate::radio::Address;
use crate::routing::Seq;
use crate::time::Duration;

/// Route request (section 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rreq {
    /// G: a station that answers for the destination tells it of the originator too.
    pub gratuitous: bool,
    /// D: only the destination may answer.
    pub destination_only: bool,
    /// Hops from the originator to the station that sent it.
    pub hop_count: u8,
    /// Number of this request among those of the same originator.
    pub id: u32,
    /// The station that is sought.
    pub destination: Address,
    /// Newest known sequence number of the destination; `None` is the flag U.
    pub destination_seq: Option<Seq>,
    /// The station that seeks.
    pub originator: Address,
    /// Sequence number of the originator.
    pub originator_seq: Seq,
}

/// Route reply (section 5.2), and Hello (section 6.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rrep {
    /// A: the receiver is to answer with a [`Message::RrepAck`].
    pub ack_required: bool,
    /// Hops from the station that sent it to the destination.
    pub hop_count: u8,
    /// The station to which it is a route.
    pub destination: Address,
    /// The sequence number of the route.
    pub destination_seq: Seq,
    /// The station that sought; of a Hello, the one that sends it.
    pub originator: Address,
    /// How long the route may be used, in whole milliseconds.
    pub lifetime: Duration,
}

impl Rrep {
    /// True for a Hello, with which a station only says that it is there.
    pub fn is_hello(&self) -> bool {
        self.originator == self.destination
    }
}

/// A destination that can no longer be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable {
    /// The destination.
    pub destination: Address,
    /// Sequence number of the destination, raised with the break; `None` (zero on the wire) if none
    /// is known.
    pub seq: Option<Seq>,
}

/// Route error (section 5.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rerr {
    /// N: the route was repaired and may be used, but is longer than before.
    pub no_delete: bool,
    /// The unreachable destinations; at least one.
    pub unreachable: Vec<Unreachable>,
}

/// A message of AODV.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Route request.
    Rreq(Rreq),
    /// Route reply or Hello.
    Rrep(Rrep),
    /// Route error.
    Rerr(Rerr),
    /// Acknowledgment of a route reply (section 5.4).
    RrepAck,
}

impl Message {
    /// Bytes in UDP.
    pub fn bytes(&self) -> u32 {
        match self {
            Self::Rreq(_) => 24,
            Self::Rrep(_) => 20,
            Self::Rerr(rerr) => 4 + 8 * rerr.unreachable.len() as u32,
            Self::RrepAck => 2,
        }
    }
}
