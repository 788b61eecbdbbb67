//! Deeds of a network, of applications and of strangers, read out of bytes.

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::Duration;
use skywave_core::tcp::PRESETS;

use crate::machines::PROFILES;

/// More than any rule needs to be broken.
const MAX_OPERATIONS: usize = 400;
/// Longest time that one operation takes or adds.
const MAX_MS: u16 = 4000;
/// Bytes of a stranger's packet at most.
const MAX_PACKET: usize = 120;

/// One thing that happens. Packets on their way and connections are chosen by a number, modulo how many there are; ends
/// are 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The network behaves, for this number of arrivals and timers.
    Pass(u8),
    /// The clock advances, and what is due happens.
    Wait(Duration),
    /// A packet is lost.
    Lose(u8),
    /// A second copy of this packet arrives this much later.
    Duplicate(u8, Duration),
    /// A packet arrives this much later.
    Delay(u8, Duration),
    /// Flip of one bit of a packet under way: the packet by its index in order of arrival, modulo their number, and the bit,
    /// modulo the packet's bits. No-op without packets.
    Flip(u8, u16),
    /// The application at this end opens a connection to the other one, from a port.
    Connect(usize, u8),
    /// The application writes into this connection of this end.
    Write(usize, u8, u16),
    /// The application reads from this connection of this end.
    Read(usize, u8, u16),
    /// The application closes this connection of this end.
    Close(usize, u8),
    /// The application aborts this connection of this end.
    Abort(usize, u8),
    /// The application lets go of this connection of this end.
    Release(usize, u8),
    /// A stranger's bytes arrive at this end.
    Bytes(usize, Vec<u8>),
    /// Forged copy, with right checksums, of packet `.0` under way (modulo their number), delivered at once.
    /// `.1 / 32 % 5` selects seq, ack, window, flags or no timestamps. Change of the first three: `.2 << .1 % 32`;
    /// of the flags: `.2`.
    Forge(u8, u16, u8),
}

impl Operation {
    fn is_strange(&self) -> bool {
        matches!(self, Self::Bytes(..) | Self::Forge(..))
    }
}

impl<'a> Arbitrary<'a> for Operation {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let kind = u8::arbitrary(bytes)?;
        let which = kind / 32;
        let end = usize::from(which % 2);
        Ok(match kind % 32 {
            0..=6 => Self::Pass(which + 1),
            7..=8 => Self::Lose(u8::arbitrary(bytes)?),
            9 => Self::Duplicate(u8::arbitrary(bytes)?, time(bytes)?),
            10..=11 => Self::Delay(u8::arbitrary(bytes)?, time(bytes)?),
            12 => Self::Wait(time(bytes)?),
            13..=15 => Self::Connect(end, which / 2),
            16..=20 => Self::Write(end, u8::arbitrary(bytes)?, u16::arbitrary(bytes)?),
            21..=23 => Self::Read(end, u8::arbitrary(bytes)?, u16::arbitrary(bytes)?),
            24 => Self::Close(end, u8::arbitrary(bytes)?),
            25 if which < 2 => Self::Abort(end, u8::arbitrary(bytes)?),
            26 if which < 4 => Self::Release(end, u8::arbitrary(bytes)?),
            27 => Self::Flip(u8::arbitrary(bytes)?, u16::arbitrary(bytes)?),
            28..=29 => {
                let at = u16::arbitrary(bytes)?;
                Self::Forge(u8::arbitrary(bytes)?, at, u8::arbitrary(bytes)?)
            }
            30 => {
                let len = bytes.int_in_range(0..=MAX_PACKET)?;
                let taken = bytes.bytes(len.min(bytes.len()))?;
                Self::Bytes(end, taken.to_vec())
            }
            _ => Self::Pass(8 * (which + 1)),
        })
    }
}

fn time(bytes: &mut Unstructured<'_>) -> Result<Duration> {
    let ms = u16::arbitrary(bytes)? % MAX_MS;
    Ok(Duration::from_millis(u64::from(ms)))
}

/// Two endpoints, and everything that happens to them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Places of both presets and profiles in their lists.
    pub presets: [usize; 2],
    /// Profiles' places.
    pub profiles: [usize; 2],
    /// Receive buffer of both, in bytes.
    pub buffer: u32,
    /// Connections that a listener takes at once.
    pub backlog: usize,
    /// A listener asks first.
    pub asks: bool,
    /// In order.
    pub operations: Vec<Operation>,
}

impl Plan {
    /// Whether streams have in them what was written: no stranger sends, and no two flipped bits hide each other from a
    /// checksum.
    pub fn is_honest(&self) -> bool {
        let flips = |o: &&Operation| matches!(o, Operation::Flip(..));
        let operations = &self.operations;
        !operations.iter().any(Operation::is_strange) && operations.iter().filter(flips).count() < 2
    }
}

impl<'a> Arbitrary<'a> for Plan {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let place = |bytes: &mut Unstructured<'a>, len: usize| bytes.int_in_range(0..=len - 1);
        let presets = [place(bytes, PRESETS.len())?, place(bytes, PRESETS.len())?];
        let profiles = [place(bytes, PROFILES.len())?, place(bytes, PROFILES.len())?];
        let buffer = 1000 + u32::from(u16::arbitrary(bytes)?) * 4;
        let choice = u8::arbitrary(bytes)?;
        let mut operations = Vec::new();
        while !bytes.is_empty() && operations.len() < MAX_OPERATIONS {
            operations.push(Operation::arbitrary(bytes)?);
        }
        Ok(Self {
            presets,
            profiles,
            buffer,
            backlog: 1 + usize::from(choice % 8),
            asks: choice >= 128,
            operations,
        })
    }
}
