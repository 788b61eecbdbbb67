//! ICMP errors about segments that were sent (RFC 792, RFC 4443), which quote the first bytes of them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use skywave_core::tcp::wire::{Endpoints, ip};

/// Protocol numbers.
pub(super) const ICMP: u8 = 1;
pub(super) const ICMP_V6: u8 = 58;

/// An error about a segment that this end has sent, or seems to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    /// Source and destination of the packet that is quoted.
    pub(super) quoted: Endpoints,
    /// Sequence number of that packet.
    pub(super) seq: u32,
    pub(super) trouble: Trouble,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The packet was too big for a link that carries so many bytes; 0 if the router does not say.
    TooBig(u16),
    /// Nobody is there.
    Unreachable,
}

/// Reads the message of an IP packet; `None` for one that is no error about TCP.
pub(super) fn complaint(packet: &ip::Packet<'_>) -> Option<Complaint> {
    let body = packet.payload;
    let &[kind, code, ..] = body.first_chunk::<8>()?;
    let word = |at: usize| Some(u16::from_be_bytes(*body.get(at..)?.first_chunk()?));
    let trouble = match (packet.header.protocol, kind, code) {
        (ICMP, 3, 4) => Trouble::TooBig(word(6)?),
        // A link of more than 65,535 bytes is no trouble here.
        (ICMP_V6, 2, _) if word(4)? == 0 => Trouble::TooBig(word(6)?),
        (ICMP, 3, 0..=3 | 5..=13) | (ICMP_V6, 1, _) => Trouble::Unreachable,
        _ => return None,
    };
    let (quoted, seq) = quote(&body[8..])?;
    Some(Complaint {
        quoted,
        seq,
        trouble,
    })
}

/// Whether an IP packet is one for an [`Endpoint`](super::Endpoint): TCP, or an ICMP error by which a TCP packet is too
/// big or its destination unreachable. Only headers are looked at.
pub fn concerns_tcp(packet: &[u8]) -> bool {
    let protocol = match packet.first().map(|byte| byte >> 4) {
        Some(4) => packet.get(9),
        Some(6) => packet.get(6),
        _ => None,
    };
    match protocol {
        Some(&ip::TCP) => true,
        Some(&(ICMP | ICMP_V6)) => ip::parse(packet).is_ok_and(|ip| complaint(&ip).is_some()),
        _ => false,
    }
}

/// Addresses, ports and number of a TCP segment from its first bytes.
fn quote(bytes: &[u8]) -> Option<(Endpoints, u32)> {
    let (source, destination, tcp): (IpAddr, IpAddr, &[u8]) = match bytes.first()? >> 4 {
        4 => {
            let header: &[u8; 20] = bytes.first_chunk()?;
            let length = usize::from(header[0] & 15) * 4;
            if header[9] != ip::TCP || length < header.len() {
                return None;
            }
            let address = |at: usize| header[at..].first_chunk::<4>().copied().map(Ipv4Addr::from);
            (
                address(12)?.into(),
                address(16)?.into(),
                bytes.get(length..)?,
            )
        }
        6 => {
            let header: &[u8; 40] = bytes.first_chunk()?;
            // Segments are sent without extension headers.
            if header[6] != ip::TCP {
                return None;
            }
            let address = |at: usize| {
                header[at..]
                    .first_chunk::<16>()
                    .copied()
                    .map(Ipv6Addr::from)
            };
            (address(8)?.into(), address(24)?.into(), &bytes[40..])
        }
        _ => return None,
    };
    let [a, b, c, d, number @ ..] = *tcp.first_chunk::<8>()?;
    let ends = Endpoints {
        source: SocketAddr::new(source, u16::from_be_bytes([a, b])),
        destination: SocketAddr::new(destination, u16::from_be_bytes([c, d])),
    };
    Some((ends, u32::from_be_bytes(number)))
}
