//! Packets of DSR (RFC 4728 section 6): what they say and how long they are.

use crate::radio::Address;
use crate::routing::Datagram;

/// Most hops of a source route: a route request's option tells its length, 6 bytes and 4 a station between the ends, in
/// one byte (RFC 4728 section 6.2), so that 62 such stations fit. A source route alone could have one more.
pub const MOST_HOPS: usize = 63;

/// Route request of DSR (RFC 4728 section 6.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Number of the request; together with the originator's address it identifies a request.
    pub id: u32,
    /// The station to which a route is sought.
    pub target: Address,
    /// Stations that have sent the request so far, in order: the originator first.
    pub path: Vec<Address>,
    /// Hops that the request may still go, the present one included.
    pub ttl: u8,
}

/// Contents of a DSR packet with a source route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content<P> {
    /// A datagram.
    Datagram(Datagram<P>),
    /// A route reply: a route from the station that sought it to the target (section 6.3).
    Reply(Vec<Address>),
    /// A route error: a link that has broken (section 6.4).
    Error(Link),
}

/// A broken link from a station to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The station that could not send over the link.
    pub from: Address,
    /// The neighbour whose MAC did not answer.
    pub to: Address,
}

/// A packet of DSR on its source route (RFC 4728 section 6.7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routed<P> {
    /// All stations of the source route in order, both ends included.
    pub route: Vec<Address>,
    /// Index in [`Self::route`] of the station that sends the packet now.
    pub at: u8,
    /// Number of times that a station before a broken link has given the packet another route.
    pub salvaged: u8,
    /// Contents of the packet.
    pub content: Content<P>,
}

impl<P> Routed<P> {
    /// The next station of the route; `None` at its end.
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

    /// Bytes of the packet with the IP header. DSR's own header has 4 (RFC 4728 section 6.1). Its options, with type
    /// and length and without padding, have: a request 8 and 4 for each station passed after the originator (6.2), a
    /// source route 4 and 4 for each station between its ends (6.7), a reply 3 and 4 for each station after the first
    /// (6.3), an error about a node that does not answer 16 (6.4). A datagram straight to a neighbour has neither DSR's
    /// header nor an option.
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

    /// The datagram that the packet carries; `None` in a request, a reply or an error.
    pub fn datagram(&self) -> Option<&Datagram<P>> {
        match self {
            Self::Routed(Routed {
                content: Content::Datagram(datagram),
                ..
            }) => Some(datagram),
            _ => None,
        }
    }

    /// The datagram that the packet carries, mutable; `None` in a request, a reply or an error.
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
