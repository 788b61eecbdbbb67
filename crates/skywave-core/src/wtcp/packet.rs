//! The packets of WTCP (section 4) as plain values, without payload bytes.
//!
//! Three types carry the protocol: [`Data`], [`Ack`], [`Probe`]. [`Open`] and [`Reset`] are for
//! connection management, which the paper leaves to TCP. Names of fields are the paper's.

use std::ops::Deref;

use crate::time::Duration;

/// Most SACK blocks that an ACK of WTCP has room for.
pub const MAX_SACK_BLOCKS: usize = 6;

/// A length of time in whole microseconds, as packets carry it: up to 71 min.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Micros(pub u32);

impl Micros {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// The nearest whole microsecond; what is too long saturates.
    pub fn from_duration(d: Duration) -> Self {
        let micros = d.as_nanos().saturating_add(500) / 1000;
        Self(u32::try_from(micros).unwrap_or(u32::MAX))
    }

    /// The nearest whole microsecond to `s` seconds; NaN and negative give zero, too long saturates.
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

/// A WTCP packet of either end, without its payload bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// From the sender: one of the two packets that open a connection.
    Open(Open),
    /// From the sender: a piece of the stream.
    Data(Data),
    /// From the sender: asks for an ACK.
    Probe(Probe),
    /// From the receiver: an acknowledgement, and the rate that it asks for.
    Ack(Ack),
    /// From either: there is no connection, or no more.
    Reset(Reset),
}

impl Packet {
    /// Payload bytes that follow the header: those of the stream, or an open packet's padding.
    pub fn payload_len(&self) -> u16 {
        match self {
            Self::Open(open) => open.padding,
            Self::Data(data) => data.len,
            _ => 0,
        }
    }
}

/// One packet of the pair that opens a connection, padded to a full one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// Control sequence number: even in the first packet of a pair, and one more in the second.
    pub ctrl_seq: u64,
    /// Bytes of padding after the header: the sender's maximal payload.
    pub padding: u16,
}

/// Fields of a packet from the sender that rate control needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Control {
    /// Control sequence number (`cctrl_seq_num`): one more in every packet of the sender, so that it
    /// tells the transmissions of the same data apart.
    pub ctrl_seq: u64,
    /// Highest ACK sequence number seen (`hack_seq_num`).
    pub hack_seq: u64,
    /// Time since the ACK of [`Self::hack_seq`] arrived, so that the receiver can measure the round trip.
    pub hack_delay: Micros,
    /// Time from one packet to the next at the sender's present rate (`current rate`).
    pub separation: Micros,
    /// Time since the packet before this one was sent: the separation, unless a timer was late.
    pub gap: Micros,
    /// Packets since the sender last paused; 0 in the first after a pause, whose gap says nothing
    /// about the path, 255 also stands for more.
    pub run: u8,
}

/// A packet with a piece of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Data {
    /// Fields for the receiver's rate control.
    pub control: Control,
    /// Stream position of the first byte (`rel_seq_num`).
    pub rel_seq: u64,
    /// Payload bytes (`packet_size`).
    pub len: u16,
    /// Whether the stream ends after these bytes. The end takes one stream position of its own.
    pub fin: bool,
    /// Number of data packets after which the receiver shall send an ACK (`ack frequency`).
    pub ack_every: u16,
}

impl Data {
    /// Stream position after this packet, its end of stream included; `None` beyond 2^64.
    pub fn end(&self) -> Option<u64> {
        let end = self.rel_seq.checked_add(u64::from(self.len))?;
        end.checked_add(u64::from(self.fin))
    }
}

/// A packet without data that asks for an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Probe {
    /// Fields for the receiver's rate control.
    pub control: Control,
}

/// An acknowledgement: what the receiver has, and the rate that it wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Ack {
    /// ACK sequence number: one more in every ACK.
    pub ack_seq: u64,
    /// Highest control sequence number seen (`hcctrl_seq_num`).
    pub hctrl_seq: u64,
    /// Time since the packet of [`Self::hctrl_seq`] arrived, so that the sender can measure the round trip.
    pub hctrl_delay: Micros,
    /// Time from one packet to the next that the receiver asks for (`updated rate`).
    pub separation: Micros,
    /// Everything below this stream position has arrived (`CACK`).
    pub cack: u64,
    /// Bytes from [`Self::cack`] on that the receiver has room for.
    pub window: u32,
    /// Blocks above [`Self::cack`] that have arrived (`SACK`), in order.
    pub sack: SackBlocks,
    /// Whether more blocks have arrived, above the last one of [`Self::sack`].
    pub more: bool,
}

/// The blocks of a SACK option; a slice to whoever reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SackBlocks {
    len: u8,
    /// Zeros after the last one.
    blocks: [SackBlock; MAX_SACK_BLOCKS],
}

impl SackBlocks {
    /// Adds a block after the others. Returns false if the option is full.
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

/// Bytes that the receiver holds above a hole, counted from `cack`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SackBlock {
    /// First byte of the block, counted from [`Ack::cack`].
    pub start: u32,
    /// First byte after the block, counted from [`Ack::cack`].
    pub end: u32,
}

/// A packet as links carry it, aligned to four bytes only, so that it leaves no gap among the fields of other
/// packets.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, packed(4))]
pub struct Carried(pub Packet);

/// Why a peer ends the connection at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    /// The peer knows of no such connection.
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
