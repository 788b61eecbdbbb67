//! The ends, lengths and TCP header of a captured packet.

use std::fmt;
use std::net::IpAddr;

use etherparse::{
    EtherType, IpNumber, LaxNetSlice, LaxSlicedPacket, TcpHeader, TransportSlice, UdpHeader,
};

use super::read::Frame;

/// Link types (the registry of tcpdump.org) that are understood.
const NULL: i32 = 0;
const ETHERNET: i32 = 1;
const RAW: [i32; 5] = [12, 14, 101, 228, 229];
const LOOP: i32 = 108;
const LINUX_SLL: i32 = 113;
const LINUX_SLL2: i32 = 276;

/// End of a connection: an IP address and a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Endpoint {
    /// IP address of the host.
    pub address: IpAddr,
    /// TCP or UDP port.
    pub port: u16,
}

/// Ends, lengths and TCP header of a captured TCP or UDP packet.
#[derive(Clone, Debug)]
pub struct Dissected {
    /// Source of the packet.
    pub from: Endpoint,
    /// Destination of the packet.
    pub to: Endpoint,
    /// Bytes of the whole packet from the IP header on, however many of them the capture has.
    pub bytes: u64,
    /// Bytes of TCP or UDP payload in the whole packet.
    pub payload: u64,
    /// Header of a TCP segment; `None` for UDP.
    pub tcp: Option<TcpHeader>,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", std::net::SocketAddr::new(self.address, self.port))
    }
}

/// Dissects a captured TCP or UDP packet into ends, lengths and TCP header; `None` for any other packet, or one whose
/// headers are not fully in the capture.
pub fn dissect(frame: &Frame<'_>) -> Option<Dissected> {
    let sliced = sliced(frame)?;
    let (from, to, bytes, headers_before) = match &sliced.net {
        Some(LaxNetSlice::Ipv4(packet)) => {
            let ip = packet.header();
            let extensions = packet
                .extensions()
                .auth
                .map_or(0, |auth| auth.slice().len());
            let whole = match usize::from(ip.total_len()) {
                0 => captured(frame, ip.slice()),
                length => length,
            };
            let ends = [ip.source_addr(), ip.destination_addr()].map(IpAddr::from);
            (ends[0], ends[1], whole, ip.slice().len() + extensions)
        }
        Some(LaxNetSlice::Ipv6(packet)) => {
            let ip = packet.header();
            let head = ip.slice().len();
            let whole = match usize::from(ip.payload_length()) {
                0 => captured(frame, ip.slice()),
                length => head + length,
            };
            let ends = [ip.source_addr(), ip.destination_addr()].map(IpAddr::from);
            let extensions = packet.extensions().slice().len();
            (ends[0], ends[1], whole, head + extensions)
        }
        Some(LaxNetSlice::Arp(_)) | None => return None,
    };
    let (from_port, to_port, header, tcp) = match &sliced.transport {
        Some(TransportSlice::Tcp(segment)) => {
            let tcp = segment.to_header();
            let ports = (tcp.source_port, tcp.destination_port);
            (ports.0, ports.1, tcp.header_len(), Some(tcp))
        }
        Some(TransportSlice::Udp(datagram)) => (
            datagram.source_port(),
            datagram.destination_port(),
            UdpHeader::LEN,
            None,
        ),
        _ => return None,
    };
    Some(Dissected {
        from: Endpoint {
            address: from,
            port: from_port,
        },
        to: Endpoint {
            address: to,
            port: to_port,
        },
        bytes: bytes as u64,
        payload: bytes.saturating_sub(headers_before + header) as u64,
        tcp,
    })
}

/// Whether a frame is a TCP segment whose header is not fully in the capture, so that it cannot be dissected: a short
/// snap length leaves no room for options.
pub fn is_tcp_cut(frame: &Frame<'_>) -> bool {
    let Some(sliced) = sliced(frame).filter(|sliced| sliced.transport.is_none()) else {
        return false;
    };
    let payload = match &sliced.net {
        Some(LaxNetSlice::Ipv4(packet)) => packet.payload(),
        Some(LaxNetSlice::Ipv6(packet)) => packet.payload(),
        Some(LaxNetSlice::Arp(_)) | None => return false,
    };
    payload.ip_number == IpNumber::TCP
        && !payload.fragmented
        && frame.bytes.len() < frame.length as usize
}

/// Bytes from the IP header on of a packet whose header says no length, as the sending host's network card was to cut it
/// up.
fn captured(frame: &Frame<'_>, ip: &[u8]) -> usize {
    let before = ip.as_ptr().addr() - frame.bytes.as_ptr().addr();
    (frame.length as usize).saturating_sub(before)
}

fn sliced<'a>(frame: &Frame<'a>) -> Option<LaxSlicedPacket<'a>> {
    let bytes = frame.bytes;
    // A header that Linux makes where it captures from any device, and where in it the protocol is, as an Ethernet type.
    let after = |length: usize, protocol: usize| {
        let (head, rest) = bytes.split_at_checked(length)?;
        let kind = EtherType(u16::from_be_bytes([head[protocol], head[protocol + 1]]));
        Some(LaxSlicedPacket::from_ether_type(kind, rest))
    };
    match frame.link_type {
        ETHERNET => LaxSlicedPacket::from_ethernet(bytes).ok(),
        LINUX_SLL => after(16, 14),
        LINUX_SLL2 => after(20, 0),
        // Four bytes name the family, in the byte order of some host; IP itself tells its version.
        NULL | LOOP => LaxSlicedPacket::from_ip(bytes.get(4..)?).ok(),
        raw if RAW.contains(&raw) => LaxSlicedPacket::from_ip(bytes).ok(),
        _ => None,
    }
}
