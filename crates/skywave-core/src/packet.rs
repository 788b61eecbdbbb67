//! Packets: small plain values that links carry and protocol machines make and read.

use std::fmt;
use std::ops::Deref;

use crate::seq::SeqNr;
use crate::time::Time;
use crate::wtcp;

/// Bytes of IPv4 and TCP headers without options.
pub const TCP_HEADER_BYTES: u32 = 40;
/// Bytes of IPv4 and UDP headers.
pub const UDP_HEADER_BYTES: u32 = 28;

/// A packet on its way from one node to another.
///
/// All of TCP's but the blocks of a SACK option fits a cache line, with four bytes of its driver's in
/// front, and everything two of them: hence the order of fields here and below, and what is packed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Packet {
    /// Index of the flow that it belongs to.
    pub flow: u32,
    /// Bytes on the wire: headers and payload.
    pub size: u32,
    /// Damaged on the way; the receiving host's checksum throws it away.
    pub corrupt: bool,
    /// A second copy that a link made.
    pub copy: bool,
    /// What it carries.
    pub body: Body,
}

impl Packet {
    /// A whole packet as its host sends it.
    #[inline]
    pub const fn new(flow: u32, size: u32, body: Body) -> Self {
        Self {
            flow,
            size,
            corrupt: false,
            copy: false,
            body,
        }
    }
}

/// What a packet carries.
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

/// The fields of a TCP segment that the machines use; payload bytes are counted, not carried.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[repr(C)]
pub struct Segment {
    /// Sequence number of the first payload byte (or of SYN or FIN).
    pub seq: SeqNr,
    /// Next sequence number expected by the sender of this segment; valid with [`Flags::ack`].
    pub ack: SeqNr,
    /// Payload bytes.
    pub len: u32,
    /// Advertised window in bytes (already scaled).
    pub window: u32,
    /// Timestamp option (RFC 7323).
    pub timestamps: Option<Timestamps>,
    /// Control bits.
    pub flags: Flags,
    /// SACK option, most recently changed block first (RFC 2018); a D-SACK block leads (RFC 2883).
    pub sack: SackBlocks,
}

/// At most four blocks fit the option space, three beside timestamps.
pub const MAX_SACK_BLOCKS: usize = 4;

/// The blocks of a SACK option; a slice to whoever reads it.
///
/// By their number, so that no block is one byte to write.
#[derive(Clone, Copy, Default)]
#[repr(u8)]
pub enum SackBlocks {
    /// No block.
    #[default]
    None,
    /// One block.
    One([SackBlock; 1]),
    /// Two blocks.
    Two([SackBlock; 2]),
    /// Three blocks.
    Three([SackBlock; 3]),
    /// Four blocks.
    Four([SackBlock; MAX_SACK_BLOCKS]),
}

impl SackBlocks {
    /// Adds a block behind the others; nothing if the option is full.
    pub fn push(&mut self, block: SackBlock) {
        *self = match *self {
            Self::None => Self::One([block]),
            Self::One([a]) => Self::Two([a, block]),
            Self::Two([a, b]) => Self::Three([a, b, block]),
            Self::Three([a, b, c]) => Self::Four([a, b, c, block]),
            full @ Self::Four(_) => full,
        };
    }
}

impl Deref for SackBlocks {
    type Target = [SackBlock];

    #[inline]
    fn deref(&self) -> &[SackBlock] {
        match self {
            Self::None => &[],
            Self::One(blocks) => blocks,
            Self::Two(blocks) => blocks,
            Self::Three(blocks) => blocks,
            Self::Four(blocks) => blocks,
        }
    }
}

impl FromIterator<SackBlock> for SackBlocks {
    /// The first blocks, as many as the option holds.
    fn from_iter<I: IntoIterator<Item = SackBlock>>(blocks: I) -> Self {
        let mut all = Self::default();
        for block in blocks {
            all.push(block);
        }
        all
    }
}

impl PartialEq for SackBlocks {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for SackBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// TCP's control bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Flags {
    /// Synchronise: takes one sequence number.
    pub syn: bool,
    /// The `ack` field is valid.
    pub ack: bool,
    /// Finish: takes one sequence number after the payload.
    pub fin: bool,
}

impl Flags {
    /// Of a segment that acknowledges, and no more.
    pub const ACK: Self = Self {
        syn: false,
        ack: true,
        fin: false,
    };
}

/// Bytes `start..end` that the receiver holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SackBlock {
    /// First sequence number held.
    pub start: SeqNr,
    /// First sequence number after the block.
    pub end: SeqNr,
}

/// RFC 7323 timestamps; here nanoseconds of the sending machine's clock, which a wire driver scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, packed(4))]
pub struct Timestamps {
    /// When the segment was sent.
    pub value: Time,
    /// The value being echoed.
    pub echo: Time,
}

impl Segment {
    /// Sequence numbers that this segment takes: payload, SYN and FIN.
    pub fn span(&self) -> u64 {
        u64::from(self.len) + u64::from(self.flags.syn) + u64::from(self.flags.fin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_tcp_but_the_sack_blocks_fits_a_cache_line() {
        // Four bytes of the driver's come before it, and the tag of the body inside.
        let body = 4 + std::mem::offset_of!(Packet, body) + size_of::<u32>();
        let count = body + std::mem::offset_of!(Segment, sack);
        assert_eq!(count + size_of::<u32>(), 64);
        assert_eq!(size_of::<SackBlocks>(), 4 + 4 * size_of::<SackBlock>());
        assert!(4 + size_of::<Packet>() <= 2 * 64, "{}", size_of::<Packet>());
    }

    #[test]
    fn a_sack_option_holds_four_blocks_in_order() {
        let block = |n: u32| SackBlock {
            start: SeqNr(n),
            end: SeqNr(n + 1),
        };
        for n in 0..6 {
            let blocks: SackBlocks = (0..n).map(block).collect();
            let held: Vec<SackBlock> = (0..n.min(4)).map(block).collect();
            assert_eq!(*blocks, *held);
        }
    }
}
