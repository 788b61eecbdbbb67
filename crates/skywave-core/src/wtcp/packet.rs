//! The packets of WTCP (section 4) as plain values, without payload bytes.
//!
//! Three types carry the protocol: [`Data`], [`Ack`], [`Probe`]. [`Open`] and [`Reset`] are for
//! connection management, which the paper leaves to TCP. Names of fields are the paper's.

use std::ops::Deref;

use crate::time::Duration;

/// Most SACK blocks in one ACK of WTCP.
pub const MAX_SACK_BLOCKS: usize = 6;

/// A length of time in whole microseconds, as packets carry it: up to 71 min.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Micros(pub u32);

impl Micros {
    /// The length of zero.
    pub const ZERO: Self = Self(0);

    /// The duration `d`, rounded to the nearest microsecond; too long saturates.
    pub fn from_duration(d: Duration) -> Self {
        let micros = d.as_nanos().saturating_add(500) / 1000;
        Self(u32::try_from(micros).unwrap_or(u32::MAX))
    }

    /// A length of `s` seconds, rounded to the nearest microsecond; NaN and negative give zero, too long saturates.
    pub fn from_secs_f64(s: f64) -> Self {
        Self((s * 1e6 + 0.5) as u32)
    }

    /// Length as a [`Duration`].
    pub const fn to_duration(self) -> Duration {
        Duration::from_micros(self.0 as u64)
    }

    /// Length in seconds, for formulas.
    pub fn as_secs_f64(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}

/// A WTCP packet from either end, without its payload bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// From the sender: one of the two packets that open a connection.
    Open(Open),
    /// From the sender: a piece of the stream.
    Data(Data),
    /// From the sender: asks for an ACK.
    Probe(Probe),
    /// From the receiver: an acknowledgement, and the rate that the receiver asks for.
    Ack(Ack),
    /// From either end: there is no connection, or no longer.
    Reset(Reset),
}

impl Packet {
    /// Payload bytes that follow the header: bytes of the stream in a data packet, padding in an open packet, else 0.
    pub fn payload_len(&self) -> u16 {
        match self {
            Self::Open(open) => open.padding,
            Self::Data(data) => data.len,
            _ => 0,
        }
    }
}

/// A packet of the pair that opens a connection, padded to the size of a full packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// Control sequence number: even in the first packet of a pair, and one more in the second.
    pub ctrl_seq: u64,
    /// Bytes of padding after the header: as many as the payload of a full packet.
    pub padding: u16,
}

/// Fields for rate control at the receiver, in each data packet and probe of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Control {
    /// Control sequence number (`cctrl_seq_num`): one more in every packet of the sender, retransmissions included, so
    /// that transmissions of the same data differ.
    pub ctrl_seq: u64,
    /// Highest ACK sequence number that the sender has seen (`hack_seq_num`).
    pub hack_seq: u64,
    /// Time since the ACK of [`Self::hack_seq`] arrived, so that the receiver can measure the round trip.
    pub hack_delay: Micros,
    /// Time from one packet to the next at the sender's present rate (`current rate`).
    pub separation: Micros,
    /// Time since the sender's previous packet was sent: the separation, unless a timer was late or the sender paused.
    pub gap: Micros,
    /// Number of packets sent since the sender last paused: 0 in the first after a pause, whose gap says nothing about
    /// the path; 255 also stands for more.
    pub run: u8,
}

/// A data packet: a piece of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Data {
    /// Fields for the receiver's rate control.
    pub control: Control,
    /// Stream position of the first byte (`rel_seq_num`).
    pub rel_seq: u64,
    /// Payload bytes (`packet_size`).
    pub len: u16,
    /// Whether the stream ends after these bytes. The end takes one stream position of its own, as TCP's FIN does.
    pub fin: bool,
    /// Number of data packets after which the receiver shall send an ACK (`ack frequency`).
    pub ack_every: u16,
}

impl Data {
    /// First stream position after this packet, counting its end of stream as one; `None` beyond 2^64 − 1.
    pub fn end(&self) -> Option<u64> {
        let end = self.rel_seq.checked_add(u64::from(self.len))?;
        end.checked_add(u64::from(self.fin))
    }
}

/// A probe: a packet without data that asks for an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Probe {
    /// Fields for the receiver's rate control.
    pub control: Control,
}

/// An acknowledgement: the data that the receiver has, and the rate that it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Ack {
    /// ACK sequence number: one more in every ACK.
    pub ack_seq: u64,
    /// Highest control sequence number that the receiver has seen (`hcctrl_seq_num`).
    pub hctrl_seq: u64,
    /// Time since the packet of [`Self::hctrl_seq`] arrived, so that the sender can measure the round trip.
    pub hctrl_delay: Micros,
    /// Time from one packet to the next that the receiver asks for (`updated rate`).
    pub separation: Micros,
    /// Cumulative acknowledgement (`CACK`): everything below this stream position has arrived.
    pub cack: u64,
    /// Receive window: bytes from [`Self::cack`] on that the receiver has room for.
    pub window: u32,
    /// Blocks above [`Self::cack`] that have arrived (`SACK`), in ascending order.
    pub sack: SackBlocks,
    /// Whether more blocks than fit have arrived, above the last one of [`Self::sack`].
    pub more: bool,
}

/// The blocks of a SACK option, at most [`MAX_SACK_BLOCKS`]; dereferences to a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SackBlocks {
    len: u8,
    /// Zeros after the last one.
    blocks: [SackBlock; MAX_SACK_BLOCKS],
}

impl SackBlocks {
    /// Adds a block after the others. Returns false, and adds nothing, if the option is full.
    pub fn push(&mut self, block: SackBlock) -> bool {
        let place = self.blocks.get_mut(usize::from(self.len));
        let has_room = place.map(|place| *place = block).is_some();
        self.len += u8::from(has_room);
        has_room
    }
}

impl Deref for SackBlocks {
    type Target = [SackBlock];

    fn deref(&self) -> &[SackBlock] {
        &self.blocks[..usize::from(self.len)]
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

/// Range of bytes that the receiver holds above a hole, relative to the cumulative acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SackBlock {
    /// First byte of the block, counted from [`Ack::cack`].
    pub start: u32,
    /// First byte after the block, counted from [`Ack::cack`].
    pub end: u32,
}

/// A WTCP packet as simulated links carry it, aligned to four bytes only, so that an enum of all protocols' packets
/// needs no padding for it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, packed(4))]
pub struct Carried(pub Packet);

/// Reason, as a reset packet states it, for which a peer ends the connection at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    /// The peer that sent the reset knows of no such connection.
    Unknown,
    /// The peer's application gave up.
    Aborted,
    /// The peer heard nothing for too long.
    IdleTimeout,
    /// A reason of a later version.
    Other(u8),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_stays_small() {
        assert!(size_of::<Packet>() <= 104, "{}", size_of::<Packet>());
    }

    #[test]
    fn a_sack_option_holds_six_blocks_in_order() {
        let block = |n: u32| SackBlock {
            start: n,
            end: n + 1,
        };
        for n in 0..9 {
            let blocks: SackBlocks = (0..n).map(block).collect();
            let held: Vec<SackBlock> = (0..n.min(6)).map(block).collect();
            assert_eq!(*blocks, *held);
        }
    }

    #[test]
    fn times_round_and_saturate() {
        assert_eq!(Micros::from_duration(Duration::from_nanos(1499)), Micros(1));
        assert_eq!(Micros::from_duration(Duration::from_nanos(1500)), Micros(2));
        assert_eq!(Micros::from_duration(Duration::MAX), Micros(u32::MAX));
        assert_eq!(Micros::from_secs_f64(f64::NAN), Micros::ZERO);
        assert_eq!(Micros::from_secs_f64(1e9), Micros(u32::MAX));
    }
}
