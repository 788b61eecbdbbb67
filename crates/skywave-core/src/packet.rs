//! Packets: small plain values that links carry and protocol machines make and read.

mod hints;
mod hole;
mod options;
pub mod quic;

use bitflags::bitflags;

use crate::seq::SeqNr;
use crate::time::Time;
use crate::wtcp;

pub use hints::{ContentionDelay, Hints};
pub use hole::Hole;
pub use options::{MAX_SACK_BLOCKS, Options, SackBlock, SynOptions};

/// Bytes of an IPv4 header and a TCP header together, without options.
pub const TCP_HEADER_BYTES: u32 = 40;
/// Bytes of an IPv4 header and a UDP header together.
pub const UDP_HEADER_BYTES: u32 = 28;

/// A packet on its way from one node to another.
///
/// A TCP packet without SACK blocks fits one cache line together with four bytes of its driver, and any
/// packet fits two: hence the order of the fields here and in [`Segment`], and the packed structures.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Packet {
    /// Index of the flow that the packet belongs to.
    pub flow: u32,
    /// Bytes on the wire: headers and payload.
    pub size: u32,
    /// Marks that links, queues and agents on the path have set on the packet, such as damage.
    pub marks: Marks,
    /// The ECN field of the packet's IP header (RFC 3168 section 5).
    pub ecn: Ecn,
    /// Sum of the times for which the radio stations on the packet's path contended for the channel.
    pub contention: ContentionDelay,
    /// Contents of the packet.
    pub body: Body,
}

impl Packet {
    /// An undamaged packet as its host sends it: without marks, not ECN-capable.
    #[inline]
    pub const fn new(flow: u32, size: u32, body: Body) -> Self {
        Self {
            flow,
            size,
            marks: Marks::empty(),
            ecn: Ecn::NotEct,
            contention: ContentionDelay::ZERO,
            body,
        }
    }

    /// Record of the packet's path that its receiver sees: marks, ECN field and contention.
    #[inline]
    pub fn way(&self) -> Way {
        Way {
            marks: self.marks,
            ecn: self.ecn,
            contention: self.contention,
        }
    }

    /// Whether the packet was damaged on the way.
    #[inline]
    pub fn is_corrupt(&self) -> bool {
        self.marks.contains(Marks::CORRUPT)
    }

    /// Whether the packet is the second copy that a link made.
    #[inline]
    pub fn is_copy(&self) -> bool {
        self.marks.contains(Marks::COPY)
    }
}

/// Record of a packet's path that its receiver sees: marks, ECN field and contention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Way {
    /// Marks on arrival; a receiver tells the sender [`Marks::ELN`] and
    /// [`Marks::CONGESTION_WARNING`] of them.
    pub marks: Marks,
    /// The ECN field on arrival.
    pub ecn: Ecn,
    /// Sum of the times for which the radio stations on the packet's path contended for the channel.
    pub contention: ContentionDelay,
}

impl Way {
    /// Whether a receiver has nothing to tell the sender of the path: no [`Marks::HINTS`], no congestion experienced,
    /// no contention.
    #[inline]
    pub fn is_plain(self) -> bool {
        !self.marks.intersects(Marks::HINTS)
            && self.ecn != Ecn::Ce
            && self.contention == ContentionDelay::ZERO
    }
}

bitflags! {
    /// Marks that links, queues and agents set on a packet, and those that the two ends of a connection set in the
    /// [`Hints`] of a segment.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct Marks: u8 {
        /// Damaged on the way; the receiving host's checksum throws it away.
        const CORRUPT = 1;
        /// A second copy that a link made.
        const COPY = 1 << 1;
        /// Explicit loss notification: the packet of the same flow before this one was lost by a
        /// channel, not by a queue (Balakrishnan and Katz 1998).
        const ELN = 1 << 2;
        /// Congestion warning: a router on the way found its average queue long (Xu, Tian and Ansari
        /// 2004, TCP-Jersey).
        const CONGESTION_WARNING = 1 << 3;
        /// On data: its sender asks whether everything before has arrived (Francis 2012, section 3.2.1, TCP-WAM).
        const ASKS = 1 << 4;
        /// On an ACK: everything before the data that asked has arrived.
        const ALL_RECEIVED = 1 << 5;
        /// On an ACK that asks for a missing segment: its loss may be congestion (Francis 2012, section 3.2.4).
        const DUBIOUS = 1 << 6;
        /// On an ACK that asks for a missing segment: its loss is congestion.
        const CONGESTED = 1 << 7;
        /// Marks that a receiver tells the sender.
        const HINTS = Self::ELN.bits() | Self::CONGESTION_WARNING.bits();
    }
}

/// The ECN field of an IP header (RFC 3168 section 5); the values are those on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum Ecn {
    /// The transport does not understand ECN: a congested queue drops the packet.
    #[default]
    NotEct = 0,
    /// ECN-capable transport, ECT(1); the mark of low-latency senders (RFC 9331).
    Ect1 = 1,
    /// ECN-capable transport, ECT(0).
    Ect0 = 2,
    /// Congestion experienced: a queue on the way marked the packet.
    Ce = 3,
}

impl Ecn {
    /// Whether a queue may mark the packet instead of dropping it.
    #[inline]
    pub fn is_capable(self) -> bool {
        self != Self::NotEct
    }

    /// ECN field that the lowest two bits of `bits` stand for; the others do not count.
    pub fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::NotEct,
            1 => Self::Ect1,
            2 => Self::Ect0,
            _ => Self::Ce,
        }
    }
}

/// A packet of any type, with the fields that queues read and write: its flow and its ECN field.
pub trait Labelled {
    /// Flow of the packet, which fair queueing tells apart from others.
    fn flow(&self) -> u32;

    /// ECN field of the packet.
    fn ecn(&self) -> Ecn;

    /// Writes congestion experienced on the packet. Called only if [`Self::ecn`]
    /// [is capable](Ecn::is_capable).
    fn mark(&mut self);
}

/// Contents of a packet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
pub enum Body {
    /// A TCP segment from the data sender.
    TcpData(Segment),
    /// A TCP segment from the data receiver (an acknowledgement).
    TcpAck(Segment),
    /// A UDP datagram.
    Udp(Datagram),
    /// A WTCP packet from the data sender.
    WtcpForward(wtcp::Carried),
    /// A WTCP packet from the data receiver.
    WtcpBack(wtcp::Carried),
    /// A QUIC packet from the data sender.
    QuicForward(quic::Carried),
    /// A QUIC packet from the data receiver.
    QuicBack(quic::Carried),
    /// One D-Proxy asks the other, against the data's direction, for a part of a TCP flow.
    Nack(Hole),
    /// Answer of the other D-Proxy to a [`Self::Nack`], in the data's direction: it does not have this part
    /// of the flow.
    NackRefused(Hole),
}

impl Body {
    /// Whether a packet with these contents goes towards the data sender, against the flow's data.
    #[inline]
    pub fn goes_back(&self) -> bool {
        match self {
            Self::TcpAck(_) | Self::WtcpBack(_) | Self::QuicBack(_) | Self::Nack(_) => true,
            Self::TcpData(_)
            | Self::Udp(_)
            | Self::WtcpForward(_)
            | Self::QuicForward(_)
            | Self::NackRefused(_) => false,
        }
    }
}

/// A UDP datagram of a constant-rate or on/off source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, packed(4))]
pub struct Datagram {
    /// Count of datagrams sent before this one.
    pub number: u64,
    /// When its source sent it.
    pub sent_at: Time,
    /// Payload bytes.
    pub len: u32,
}

/// The fields of a TCP segment that senders, receivers and agents use; payload bytes are counted, not carried.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Segment {
    /// Sequence number of the first payload byte (or of SYN or FIN).
    pub seq: SeqNr,
    /// Next sequence number expected by the sender of this segment; valid with [`Flags::ACK`].
    pub ack: SeqNr,
    /// Payload bytes.
    pub len: u32,
    /// Advertised window in bytes (already scaled).
    pub window: u32,
    /// Timestamp option (RFC 7323).
    pub timestamps: Option<Timestamps>,
    /// Control bits.
    pub flags: Flags,
    /// Hints of a receiver about the path that the data took, for cross-layer mechanisms.
    pub hints: Hints,
    /// SACK blocks, the options of a SYN, the window of the data's sender, or a segment that the receiver misses.
    pub options: Options,
}

bitflags! {
    /// The control bits of a TCP header (RFC 9293 section 3.1); the values are those on the wire.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct Flags: u8 {
        /// Finish: takes one sequence number after the payload.
        const FIN = 1;
        /// Synchronise: takes one sequence number.
        const SYN = 1 << 1;
        /// Reset the connection.
        const RST = 1 << 2;
        /// Hand the data to the application now.
        const PSH = 1 << 3;
        /// The `ack` field is valid.
        const ACK = 1 << 4;
        /// The urgent pointer is valid; nothing here sets or reads it.
        const URG = 1 << 5;
        /// ECN echo: a packet came with congestion experienced (RFC 3168 section 6.1).
        const ECE = 1 << 6;
        /// Congestion window reduced: the answer to ECE.
        const CWR = 1 << 7;
    }
}

impl Flags {
    /// Flags of the answer to a SYN.
    pub const SYN_ACK: Self = Self::SYN.union(Self::ACK);
}

/// RFC 7323 timestamps; here nanoseconds of the sending machine's clock, which a wire driver scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, packed(4))]
pub struct Timestamps {
    /// Time of sending. A receiver's [clock](crate::tcp::TcpConfig::clocks) may differ from the true time.
    pub value: Time,
    /// Timestamp of the peer's that this segment echoes.
    pub echo: Time,
}

impl Segment {
    /// Number of sequence numbers that this segment takes: its payload bytes, and one each for SYN and FIN.
    #[inline]
    pub fn span(&self) -> u64 {
        let len = u64::from(self.len);
        if self.flags == Flags::ACK {
            return len; // as most
        }
        len + u64::from(self.is_syn()) + u64::from(self.is_fin())
    }

    /// Whether ACK is the only control bit and there are no hints, as in most segments. (The four
    /// bytes compared as one number.)
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        let [low, high] = self.hints.contention.to_bytes();
        let bytes = [self.flags.bits(), self.hints.marks.bits(), low, high];
        u32::from_ne_bytes(bytes) == u32::from_ne_bytes([Flags::ACK.bits(), 0, 0, 0])
    }

    /// Whether the segment takes no sequence number: no payload, SYN or FIN.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0 && !self.flags.intersects(Flags::SYN.union(Flags::FIN))
    }

    /// Whether the segment resets the connection.
    #[inline]
    pub fn is_rst(&self) -> bool {
        self.flags.contains(Flags::RST)
    }

    /// Whether the acknowledgement field is valid.
    #[inline]
    pub fn is_ack(&self) -> bool {
        self.flags.contains(Flags::ACK)
    }

    /// Whether SYN is set: the segment opens its direction of a connection.
    #[inline]
    pub fn is_syn(&self) -> bool {
        self.flags.contains(Flags::SYN)
    }

    /// Whether FIN is set: the segment ends its direction of a connection.
    #[inline]
    pub fn is_fin(&self) -> bool {
        self.flags.contains(Flags::FIN)
    }

    /// The blocks of its SACK option; empty without one.
    #[inline]
    pub fn sack(&self) -> &[SackBlock] {
        self.options.sack()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tcp_packet_without_blocks_fits_a_cache_line() {
        // Four bytes of the driver's come before it, and the tag of the body inside.
        let body = 4 + std::mem::offset_of!(Packet, body) + size_of::<u32>();
        let count = body + std::mem::offset_of!(Segment, options);
        assert_eq!(count + size_of::<u32>(), 64);
        assert_eq!(
            size_of::<Options>(),
            4 + MAX_SACK_BLOCKS * size_of::<SackBlock>()
        );
        assert!(4 + size_of::<Packet>() <= 2 * 64, "{}", size_of::<Packet>());
    }

    #[test]
    fn ecn_codepoints_are_those_of_the_ip_header() {
        for bits in 0..4 {
            assert_eq!(Ecn::from_bits(bits) as u8, bits);
        }
        assert!(!Ecn::NotEct.is_capable() && Ecn::Ect1.is_capable() && Ecn::Ce.is_capable());
    }
}
