//! The messages of AODV (RFC 3561 section 5): what they say and how long they are.

use crate::radio::Address;
use crate::routing::Seq;
use crate::time::Duration;

/// Route request of AODV (RFC 3561 section 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rreq {
    /// Flag G: a station that answers in place of the destination also tells the destination a route to the originator.
    pub gratuitous: bool,
    /// Flag D: only the destination may answer the request.
    pub destination_only: bool,
    /// Hops from the originator to the station that sends this copy of the request.
    pub hop_count: u8,
    /// Number of the request; together with the originator's address it identifies a request.
    pub id: u32,
    /// The station to which a route is sought.
    pub destination: Address,
    /// Newest known sequence number of the destination; `None` (flag U) if none is known.
    pub destination_seq: Option<Seq>,
    /// The station that seeks a route.
    pub originator: Address,
    /// Sequence number of the originator, for the routes back to that station.
    pub originator_seq: Seq,
}

/// Route reply of AODV (RFC 3561 section 5.2), also used as Hello (section 6.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rrep {
    /// Flag A: the neighbour that receives the reply is to answer with a [`Message::RrepAck`].
    pub ack_required: bool,
    /// Hops from the station that sends this copy of the reply to the destination.
    pub hop_count: u8,
    /// The station to which the reply gives a route; in a Hello, the station that sends it.
    pub destination: Address,
    /// Sequence number of the destination: the higher, the fresher the route.
    pub destination_seq: Seq,
    /// The station that sought the route; in a Hello, the station that sends it.
    pub originator: Address,
    /// Time for which the route may be used once the reply has arrived, in whole milliseconds.
    pub lifetime: Duration,
}

impl Rrep {
    /// True for a Hello, by which a station only tells its neighbours that it is there.
    pub fn is_hello(&self) -> bool {
        self.originator == self.destination
    }
}

/// A destination that can no longer be reached, as a route error names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable {
    /// Address of the destination.
    pub destination: Address,
    /// Newest known sequence number of the destination, raised because of the break unless the route is only longer
    /// ([`Rerr::no_delete`]) or [`Config::raise_on_break`](super::Config::raise_on_break) is off; `None` (zero on the
    /// wire) if none is known.
    pub seq: Option<Seq>,
}

/// Route error of AODV (RFC 3561 section 5.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rerr {
    /// Flag N: the routes were repaired and may still be used, but are longer than before.
    pub no_delete: bool,
    /// Destinations that the error is about; at least one.
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
    /// Bytes of the message, as payload of UDP.
    pub fn bytes(&self) -> u32 {
        match self {
            Self::Rreq(_) => 24,
            Self::Rrep(_) => 20,
            Self::Rerr(rerr) => 4 + 8 * rerr.unreachable.len() as u32,
            Self::RrepAck => 2,
        }
    }
}
