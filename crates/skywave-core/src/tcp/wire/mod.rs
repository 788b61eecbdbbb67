//! Segments as bytes: TCP (RFC 9293) in IPv4 and IPv6, without I/O.
//!
//! Reading has two steps. [`parse`] checks a packet and gives its fields as they are on the wire
//! ([`Parsed`]); its addresses and ports tell the connection. Only the connection knows the window scale
//! and the clock, so [`Parsed::segment`] takes them to make the [`Segment`]. [`write()`] goes the other
//! way in one step.
//!
//! # Contract
//!
//! - [`parse`] accepts or refuses any bytes; it never panics and never reads beyond the packet's own
//!   length. What it accepts has right checksums and whole options, and is no fragment.
//! - [`write()`] never panics, and fails only for reasons of the caller's ([`WriteError`]): a segment with
//!   at most [`MAX_PAYLOAD`] bytes, as many in the slice beside it, two addresses of one version of IP,
//!   and options that belong on it and that a TCP header has room for can always be written.
//! - What was written is read as the same segment, except for what the wire cannot carry: timestamps are
//!   rounded down to ticks ([`TimestampClock`]), windows to the scale's unit, and a window beyond 65535
//!   units is written as 65535. Without [`Flags::ACK`] neither the acknowledgement number nor the echo is
//!   valid: both are zero.
//! - [`Hints`] have no place on the wire and are left out. The urgent pointer is written as zero and not
//!   read. Reserved bits are written as zero and not read (RFC 9293 section 3.1).
//!
//! # Choices
//! Captures are written with it, and a driver on real sockets would read and write with it. etherparse does IP
//! and adds up checksums. The list of options is our own code, since etherparse ends at the first option that it
//! does not know, and RFC 9293 (MUST-6) skips those. An authentication header, and a routing header with segments
//! left, are refused rather than skipped, because nothing here checks the one or forwards for the other.

mod checksum;
mod clock;
mod error;
pub mod ip;
mod options;

use std::net::SocketAddr;

use etherparse::{TcpHeader, TcpSlice, err::tcp};

use crate::packet::{Ecn, Flags, Hints, Options, Segment, Timestamps};
use crate::seq::SeqNr;
use crate::time::Time;

pub use clock::TimestampClock;
pub use error::{Layer, WireError, WriteError};
pub use options::{MAX_LEN as MAX_OPTIONS, options_len};

/// Length in bytes of the longest IP and TCP headers together, options included, that are written.
pub const MAX_HEADERS: usize = ip::MAX_HEADER + TcpHeader::MAX_LEN;
/// Largest payload in bytes that a packet can carry whatever its addresses and options are: IPv4's length field counts
/// the headers too.
pub const MAX_PAYLOAD: usize =
    u16::MAX as usize - (etherparse::Ipv4Header::MIN_LEN + TcpHeader::MAX_LEN);
/// The largest window scale (RFC 7323 section 2.3).
pub const MAX_SHIFT: u8 = 14;

/// Offset of the checksum field in a TCP header, in bytes (RFC 9293 section 3.1).
pub const CHECKSUM: usize = 16;

/// Source and destination of a packet, with ports. The flow label and the scope of an IPv6 address are
/// not written, and zero when read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Endpoints {
    /// Address and port of the packet's sender.
    pub source: SocketAddr,
    /// Address and port of the packet's receiver.
    pub destination: SocketAddr,
}

/// Fields of a packet's headers that its segment does not have, for writing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Addresses and ports of the packet's two ends.
    pub endpoints: Endpoints,
    /// The ECN field of the packet's IP header.
    pub ecn: Ecn,
    /// Window scale that the segment's sender has announced, at most [`MAX_SHIFT`]: a larger one is taken for that. The
    /// window of a SYN is never scaled (RFC 7323 section 2.2).
    pub window_shift: u8,
    /// Clock in whose ticks the timestamps are written.
    pub clock: TimestampClock,
}

/// Timestamp option (RFC 7323) as it is on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticks {
    /// TSval, in ticks of the sender's clock.
    pub value: u32,
    /// TSecr, in ticks of the receiver's clock; zero without [`Flags::ACK`].
    pub echo: u32,
}

impl Ticks {
    /// The option with the echo only where there is an acknowledgement: otherwise there is nothing
    /// to echo (RFC 7323 section 3.2).
    fn valid(self, is_ack: bool) -> Self {
        Self {
            echo: if is_ack { self.echo } else { 0 },
            ..self
        }
    }
}

/// TCP segment and IP header of a packet that was read, with the fields as they are on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parsed<'a> {
    /// Addresses and ports of the packet's two ends.
    pub endpoints: Endpoints,
    /// The ECN field of the packet's IP header.
    pub ecn: Ecn,
    /// Sequence number.
    pub seq: SeqNr,
    /// Acknowledgement number; zero without [`Flags::ACK`].
    pub ack: SeqNr,
    /// Control bits.
    pub flags: Flags,
    /// The window field, not scaled.
    pub window: u16,
    /// Timestamp option; `None` if the segment has none.
    pub timestamps: Option<Ticks>,
    /// Options that belong to the segment's kind; others are ignored. On a SYN its offers, `None` if it offers nothing;
    /// on another segment its SACK blocks, or else the sender's window or the missing segment that an experimental
    /// option tells.
    pub options: Options,
    /// Payload bytes of the segment.
    pub payload: &'a [u8],
}

impl Parsed<'_> {
    /// The segment as a connection takes it, with its window scaled and its timestamps as times.
    ///
    /// `window_shift` is the scale announced by the segment's sender; more than [`MAX_SHIFT`] is taken for that. `near`
    /// has times near those of the timestamps: the latest value of the peer's clock, and for the echo, which is of our
    /// own clock, the time now. Both are read with `clock`. That is right for the echo. The tick of a peer's clock is
    /// not known, and need not be: the value is only compared with others and echoed unchanged.
    pub fn segment(&self, window_shift: u8, clock: TimestampClock, near: Timestamps) -> Segment {
        let is_ack = self.flags.contains(Flags::ACK);
        Segment {
            seq: self.seq,
            ack: self.ack,
            len: self.payload.len() as u32,
            window: u32::from(self.window) << shift(self.flags, window_shift),
            timestamps: self.timestamps.map(|ticks| Timestamps {
                value: clock.expand(ticks.value, near.value),
                echo: if is_ack {
                    clock.expand(ticks.echo, near.echo)
                } else {
                    Time::ZERO
                },
            }),
            flags: self.flags,
            hints: Hints::NONE,
            options: self.options,
        }
    }
}

/// Appends the packet of `segment` with its `payload` to `out`; appends nothing on an error.
pub fn write(
    header: &Header,
    segment: &Segment,
    payload: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), WriteError> {
    write_headers(header, segment, payload, out)?;
    out.extend_from_slice(payload);
    Ok(())
}

/// Appends the IP and TCP headers alone, with the checksum of the whole packet: for a caller that passes `payload` on
/// without a copy, or drops it.
pub fn write_headers(
    header: &Header,
    segment: &Segment,
    payload: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), WriteError> {
    if payload.len() != segment.len as usize {
        return Err(WriteError::PayloadLength {
            counted: segment.len,
            given: payload.len(),
        });
    }
    let (start, addresses) = write_blank(header, segment, out)?;
    let checksum = addresses.checksum(ip::TCP, &out[start..], payload);
    out[start + CHECKSUM..][..2].copy_from_slice(&checksum.to_be_bytes());
    Ok(())
}

/// Appends the IP and TCP headers alone, for a device that completes the checksum (offload): the checksum field has the
/// sum of the pseudo header. Returns the length of the IP header in bytes.
pub fn write_unsummed(
    header: &Header,
    segment: &Segment,
    out: &mut Vec<u8>,
) -> Result<usize, WriteError> {
    let from = out.len();
    let (start, addresses) = write_blank(header, segment, out)?;
    let length = out.len() - start + segment.len as usize;
    let sum = !checksum::of(&addresses.pseudo(ip::TCP, length));
    out[start + CHECKSUM..][..2].copy_from_slice(&sum.to_be_bytes());
    Ok(start - from)
}

/// Appends the headers without TCP's checksum. Returns where TCP's begins, and the addresses.
fn write_blank(
    header: &Header,
    segment: &Segment,
    out: &mut Vec<u8>,
) -> Result<(usize, ip::Addresses), WriteError> {
    let Endpoints {
        source,
        destination,
    } = header.endpoints;
    let tcp_len = TcpHeader::MIN_LEN + options::checked_len(segment)?;
    let ip = ip::Header {
        addresses: ip::Addresses::new(source.ip(), destination.ip())?,
        ecn: header.ecn,
        protocol: ip::TCP,
    };
    ip::write(&ip, tcp_len + segment.len as usize, out)?;

    let start = out.len();
    let ack = if segment.is_ack() { segment.ack.0 } else { 0 };
    out.extend(source.port().to_be_bytes());
    out.extend(destination.port().to_be_bytes());
    out.extend(segment.seq.0.to_be_bytes());
    out.extend(ack.to_be_bytes());
    // The length is in words, in the upper half of its byte.
    out.extend([((tcp_len / 4) << 4) as u8, segment.flags.bits()]);
    let window = segment.window >> shift(segment.flags, header.window_shift);
    out.extend(u16::try_from(window).unwrap_or(u16::MAX).to_be_bytes());
    // Checksum and urgent pointer.
    out.extend([0; 4]);
    options::write(segment, header.clock, out);
    Ok((start, ip.addresses))
}

/// The scale of a window under this one that was announced: the window of a SYN has none.
fn shift(flags: Flags, announced: u8) -> u8 {
    if flags.contains(Flags::SYN) {
        0
    } else {
        announced.min(MAX_SHIFT)
    }
}

/// Reads an IP packet with a TCP segment; bytes after its end are ignored.
pub fn parse(bytes: &[u8]) -> Result<Parsed<'_>, WireError> {
    read(bytes, true)
}

/// Reads an IP packet with a TCP segment without checking its TCP checksum, which a device has checked or not filled
/// in.
pub fn parse_unsummed(bytes: &[u8]) -> Result<Parsed<'_>, WireError> {
    read(bytes, false)
}

fn read(bytes: &[u8], is_summed: bool) -> Result<Parsed<'_>, WireError> {
    let ip = ip::parse(bytes)?;
    if ip.header.protocol != ip::TCP {
        return Err(WireError::Protocol(ip.header.protocol));
    }
    let tcp = TcpSlice::from_slice(ip.payload).map_err(|error| match error {
        tcp::HeaderSliceError::Len(error) => WireError::Truncated {
            layer: Layer::Tcp,
            offset: ip.offset,
            needed: error.required_len,
            given: error.len,
        },
        tcp::HeaderSliceError::Content(tcp::HeaderError::DataOffsetTooSmall { data_offset }) => {
            WireError::HeaderLength {
                layer: Layer::Tcp,
                words: data_offset,
            }
        }
    })?;
    if is_summed {
        let at = (ip.offset, CHECKSUM);
        checksum::verify(Layer::Tcp, tcp.header_slice(), at, |header| {
            let addresses = ip.header.addresses;
            addresses.checksum(ip::TCP, header, tcp.payload())
        })?;
    }
    let list = options::parse(tcp.options(), ip.offset + TcpHeader::MIN_LEN)?;
    // All eight bits have a name.
    let flags = Flags::from_bits_retain(tcp.slice()[13]);
    let is_ack = flags.contains(Flags::ACK);
    let addresses = ip.header.addresses;
    Ok(Parsed {
        endpoints: Endpoints {
            source: SocketAddr::new(addresses.source(), tcp.source_port()),
            destination: SocketAddr::new(addresses.destination(), tcp.destination_port()),
        },
        ecn: ip.header.ecn,
        seq: SeqNr(tcp.sequence_number()),
        ack: SeqNr(if is_ack {
            tcp.acknowledgment_number()
        } else {
            0
        }),
        flags,
        window: tcp.window_size(),
        timestamps: list.timestamps.map(|ticks| ticks.valid(is_ack)),
        options: list.of(flags),
        payload: tcp.payload(),
    })
}

#[cfg(test)]
mod tests;
