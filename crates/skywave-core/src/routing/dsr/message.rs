//! Packets of DSR (RFC 4728 section 6): what they say and how long they are.

use crate::radio::Address;
use crate::routing::Datagram;

/// Most hops of a source route: the length of a request's option, 6 bytes and 4 a station, is told in a byte (section
/// 6.2), so that 62 stations between the ends fit. A source route alone would have room for one more.
pub const MOST_HOPS: usize = 63;

/// A request of DSR for a route (RFC 4728 section 6.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Tells this request from others of the same originator.
    pub id: u32,
    /// The station that is sought.
    pub target: Address,
    /// Stations that the request has come by: the originator first.
    pub path: Vec<Address>,
    /// Hops that the request may still go.
    pub ttl: u8,
}

/// Contents of a packet with a source route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content<P> {
    /// A datagram.
    Datagram(Datagram<P>),
    /// A route, from the station that sought it to the one that was sought (section 6.3).
    Reply(Vec<Address>),
    /// A link that has broken (section 6.4).
    Error(Link),
}

/// A link from a station to a neighbour, which has broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The station that could not send.
    pub from: Address,
    /// The neighbour that did not answer.
    pub to: Address,
}

/// A packet of DSR on its source route (RFC 4728 section 6.7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routed<P> {
    /// All stations of the route, both ends included.
    pub route: Vec<Address>,
    /// Index in the route of the station that sends the packet now.
    pub at: u8,
    /// Number of times that a station has given the packet another route.
    pub salvaged: u8,
    /// Contents of the packet.
    pub content: Content<P>,
}

impl<P> Routed<P> {
    /// The next station of the route; none at its end.
    pub fn next_hop(&self) -> Option<Address> {
        self.route.get(usize::from(self.at) + 1).copied()
    }

    /// Bytes of the source route's option. A route without stations in between needs none.
    fn route_bytes(&self) -> u32 {
        match self.route.len().saturating_sub(2) {
            0 => 0,
            between => 4 + 4 * between as u32,
        }
    }
}

/// A packet of DSR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message<P> {
    /// A request, to all neighbours.
    Request(Request),
    /// A packet with a source route: a datagram, a reply or an error.
    Routed(Routed<P>),
}

impl<P> Message<P> {
    /// An IP header.
    const IP: u32 = 20;
    /// The fixed part of DSR's header.
    const FIXED: u32 = 4;

    /// Bytes with the IP header: 4 for DSR's (section 6.1), and for options 8 of a request and 4 for each station that
    /// it has come by (6.2), 4 of a source route and 4 for each station between its ends (6.7), 3 of a reply and 4
    /// for each station after the first (6.3), 16 of an error about a node that does not answer (6.4). Each has two
    /// bytes more than its option tells, for its type and that length. Options are not padded. A datagram to a neighbour
    /// has neither header nor option.
    pub fn bytes(&self) -> u32 {
        match self {
            Self::Request(request) => {
                Self::IP + Self::FIXED + 8 + 4 * (request.path.len() as u32 - 1)
            }
            Self::Routed(routed) => {
                let route = routed.route_bytes();
                match &routed.content {
                    Content::Datagram(datagram) if route == 0 => datagram.bytes,
                    Content::Datagram(datagram) => datagram.bytes + Self::FIXED + route,
                    Content::Reply(path) => {
                        Self::IP + Self::FIXED + route + 3 + 4 * (path.len() as u32 - 1)
                    }
                    Content::Error(_) => Self::IP + Self::FIXED + route + 16,
                }
            }
        }
    }

    /// The datagram that it carries, if any.
    pub fn datagram(&self) -> Option<&Datagram<P>> {
        match self {
            Self::Routed(Routed {
                content: Content::Datagram(datagram),
                ..
            }) => Some(datagram),
            _ => None,
        }
    }

    /// The datagram that the message carries, if any, to be changed.
    pub fn datagram_mut(&mut self) -> Option<&mut Datagram<P>> {
        match self {
            Self::Routed(Routed {
                content: Content::Datagram(datagram),
                ..
            }) => Some(datagram),
            _ => None,
        }
    }
}
