//! IPv4 and IPv6 around a transport protocol's bytes, read and written with etherparse.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use etherparse::checksum::Sum16BitWords;
use etherparse::err::{LenError, ip, ipv6_exts};
use etherparse::{
    IpEcn, IpNumber, IpSlice, Ipv4Header, Ipv4Slice, Ipv6ExtensionSlice, Ipv6Header, Ipv6Slice,
};

use crate::packet::Ecn;

use super::checksum;
use super::error::{Layer, WireError, WriteError};

/// Protocol number of TCP.
pub const TCP: u8 = 6;
/// Protocol number of UDP.
pub const UDP: u8 = 17;
/// Bytes of the longest IP header that is written: IPv6's.
pub const MAX_HEADER: usize = Ipv6Header::LEN;
/// Hops that a packet may take: the recommended default of RFC 1700.
const HOP_LIMIT: u8 = 64;
/// Where IPv4's checksum is.
const IPV4_CHECKSUM: usize = 10;

/// Source and destination address of a packet, both of the same version of IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// IPv4 addresses.
    V4 {
        /// Address of the sender.
        source: Ipv4Addr,
        /// Address of the receiver.
        destination: Ipv4Addr,
    },
    /// IPv6 addresses.
    V6 {
        /// Address of the sender.
        source: Ipv6Addr,
        /// Address of the receiver.
        destination: Ipv6Addr,
    },
}

impl Addresses {
    /// Pairs two addresses, which must be of the same version.
    pub fn new(source: IpAddr, destination: IpAddr) -> Result<Self, WriteError> {
        match (source, destination) {
            (IpAddr::V4(source), IpAddr::V4(destination)) => Ok(Self::V4 {
                source,
                destination,
            }),
            (IpAddr::V6(source), IpAddr::V6(destination)) => Ok(Self::V6 {
                source,
                destination,
            }),
            _ => Err(WriteError::AddressFamilies),
        }
    }

    /// Address of the sender.
    pub fn source(self) -> IpAddr {
        match self {
            Self::V4 { source, .. } => source.into(),
            Self::V6 { source, .. } => source.into(),
        }
    }

    /// Address of the receiver.
    pub fn destination(self) -> IpAddr {
        match self {
            Self::V4 { destination, .. } => destination.into(),
            Self::V6 { destination, .. } => destination.into(),
        }
    }

    /// The checksum of `header` and `payload` with the pseudo header of RFC 9293 section 3.1 or RFC
    /// 8200 section 8.1; zero if `header` has the right one in it. `header` has an even length.
    pub(super) fn checksum(self, protocol: u8, header: &[u8], payload: &[u8]) -> u16 {
        let sum = self.pseudo(protocol, header.len() + payload.len());
        checksum::of(&sum.add_slice(header).add_slice(payload))
    }

    /// The sum of the pseudo header alone, for `length` bytes of header and payload.
    pub(super) fn pseudo(self, protocol: u8, length: usize) -> Sum16BitWords {
        let sum = match self {
            Self::V4 {
                source,
                destination,
            } => Sum16BitWords::new()
                .add_4bytes(source.octets())
                .add_4bytes(destination.octets()),
            Self::V6 {
                source,
                destination,
            } => Sum16BitWords::new()
                .add_16bytes(source.octets())
                .add_16bytes(destination.octets()),
        };
        // The words of RFC 8200; IPv4's 16-bit length adds up to the same.
        let mut sum = sum.add_2bytes([0, protocol]);
        sum.add_4bytes((length as u32).to_be_bytes())
    }
}

/// The fields of an IP header that matter to a transport protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Source and destination.
    pub addresses: Addresses,
    /// The ECN field (RFC 3168 section 5).
    pub ecn: Ecn,
    /// Protocol number of the payload, as [`TCP`] or [`UDP`].
    pub protocol: u8,
}

/// Appends the IP header of a packet whose payload has `payload_len` bytes: IPv4 without options, "do not fragment" and
/// identification zero (RFC 6864 section 4.1), or IPv6 without extension headers and flow label. Nothing is appended
/// when the packet is too long.
pub fn write(header: &Header, payload_len: usize, out: &mut Vec<u8>) -> Result<(), WriteError> {
    let protocol = IpNumber(header.protocol);
    match header.addresses {
        Addresses::V4 {
            source,
            destination,
        } => {
            let length = Ipv4Header::MIN_LEN + payload_len;
            let (source, destination) = (source.octets(), destination.octets());
            let new = |len| Ipv4Header::new(len, HOP_LIMIT, protocol, source, destination).ok();
            let mut ip = u16::try_from(payload_len)
                .ok()
                .and_then(new)
                .ok_or(WriteError::TooLong { length })?;
            ip.dont_fragment = true;
            ip.ecn = ecn_field(header.ecn);
            ip.header_checksum = ip.calc_header_checksum();
            out.extend(ip.to_bytes());
        }
        Addresses::V6 {
            source,
            destination,
        } => {
            let length = payload_len;
            let ip = Ipv6Header {
                traffic_class: ecn_field(header.ecn).value(),
                payload_length: u16::try_from(length)
                    .map_err(|_| WriteError::TooLong { length })?,
                next_header: protocol,
                hop_limit: HOP_LIMIT,
                source: source.octets(),
                destination: destination.octets(),
                ..Ipv6Header::default()
            };
            out.extend(ip.to_bytes());
        }
    }
    Ok(())
}

fn ecn_field(ecn: Ecn) -> IpEcn {
    match ecn {
        Ecn::NotEct => IpEcn::NotEct,
        Ecn::Ect1 => IpEcn::Ect1,
        Ecn::Ect0 => IpEcn::Ect0,
        Ecn::Ce => IpEcn::CongestionExperienced,
    }
}

/// IP packet that was read: its header and its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// IP header of the packet.
    pub header: Header,
    /// Offset of the payload: the bytes of the packet before it.
    pub offset: usize,
    /// The payload, as long as the header says: bytes after the packet are left out.
    pub payload: &'a [u8],
}

/// Reads a whole IP packet, with IPv4's options and IPv6's extension headers skipped; bytes after its end are
/// left out.
pub fn parse(bytes: &[u8]) -> Result<Packet<'_>, WireError> {
    let slice = IpSlice::from_slice(bytes).map_err(refused)?;
    let packet = match &slice {
        IpSlice::Ipv4(ip) => ipv4(ip)?,
        IpSlice::Ipv6(ip) => ipv6(ip)?,
    };
    if slice.is_fragmenting_payload() {
        return Err(WireError::Fragment);
    }
    Ok(packet)
}

fn ipv4<'a>(ip: &Ipv4Slice<'a>) -> Result<Packet<'a>, WireError> {
    let header = ip.header();
    let at = (0, IPV4_CHECKSUM);
    checksum::verify(Layer::Ip, header.slice(), at, |header| {
        checksum::of(&Sum16BitWords::new().add_slice(header))
    })?;
    if ip.extensions().auth.is_some() {
        return Err(WireError::Extension(IpNumber::AUTHENTICATION_HEADER.0));
    }
    Ok(Packet {
        header: Header {
            addresses: Addresses::V4 {
                source: header.source_addr(),
                destination: header.destination_addr(),
            },
            ecn: Ecn::from_bits(header.ecn().value()),
            protocol: header.protocol().0,
        },
        offset: header.slice().len(),
        payload: ip.payload().payload,
    })
}

fn ipv6<'a>(ip: &Ipv6Slice<'a>) -> Result<Packet<'a>, WireError> {
    let header = ip.header();
    let extensions = ip.extensions();
    // With a length of zero etherparse takes all bytes that there are, for jumbograms. Here it is zero.
    let (protocol, offset, payload) = if header.payload_length() == 0 {
        (header.next_header(), Ipv6Header::LEN, &[][..])
    } else {
        extensions.clone().into_iter().try_for_each(skip)?;
        let offset = Ipv6Header::LEN + extensions.slice().len();
        (ip.payload().ip_number, offset, ip.payload().payload)
    };
    Ok(Packet {
        header: Header {
            addresses: Addresses::V6 {
                source: header.source_addr(),
                destination: header.destination_addr(),
            },
            ecn: Ecn::from_bits(header.ecn().value()),
            protocol: protocol.0,
        },
        offset,
        payload,
    })
}

/// Refuses what a host that does not look into extension headers must not skip.
fn skip(extension: Ipv6ExtensionSlice<'_>) -> Result<(), WireError> {
    match extension {
        // RFC 8200 section 4.4: with segments left, this is not the last destination.
        Ipv6ExtensionSlice::Routing(routing) if routing.slice()[3] != 0 => {
            Err(WireError::Extension(IpNumber::IPV6_ROUTE_HEADER.0))
        }
        Ipv6ExtensionSlice::Authentication(_) => {
            Err(WireError::Extension(IpNumber::AUTHENTICATION_HEADER.0))
        }
        _ => Ok(()),
    }
}

fn refused(error: ip::SliceError) -> WireError {
    use ip::{HeaderError, HeadersError};
    match error {
        ip::SliceError::Len(error) => truncated(&error),
        ip::SliceError::IpHeaders(HeadersError::Ip(error)) => match error {
            HeaderError::UnsupportedIpVersion { version_number } => {
                WireError::Version(version_number)
            }
            HeaderError::Ipv4HeaderLengthSmallerThanHeader { ihl } => WireError::HeaderLength {
                layer: Layer::Ip,
                words: ihl,
            },
        },
        ip::SliceError::IpHeaders(HeadersError::Ipv6Ext(
            ipv6_exts::HeaderError::HopByHopNotAtStart,
        )) => WireError::Extension(IpNumber::IPV6_HEADER_HOP_BY_HOP.0),
        ip::SliceError::IpHeaders(
            HeadersError::Ipv4Ext(_) | HeadersError::Ipv6Ext(ipv6_exts::HeaderError::IpAuth(_)),
        ) => WireError::Extension(IpNumber::AUTHENTICATION_HEADER.0),
    }
}

fn truncated(error: &LenError) -> WireError {
    use etherparse::err::Layer as L;
    let layer = match error.layer {
        L::IpHeader | L::Ipv4Header | L::Ipv4Packet | L::Ipv6Header | L::Ipv6Packet => Layer::Ip,
        _ => Layer::Extension,
    };
    WireError::Truncated {
        layer,
        offset: error.layer_start_offset,
        needed: error.required_len,
        given: error.len,
    }
}
