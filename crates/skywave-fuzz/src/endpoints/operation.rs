//! Deeds of a network, of applications and of strangers, read out of bytes.

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::Duration;
use skywave_core::tcp::PRESETS;

use crate::machines::PROFILES;
use crate::parameters::any_time;

/// More than any rule needs to be broken.
const MAX_OPERATIONS: usize = 400;
/// Bytes of a stranger's packet at most.
const MAX_PACKET: usize = 120;

/// Operation of a fuzzed run: something that the network, an application or a stranger (third party) does. A `u8`
/// chooses a packet under way, or a connection of an end: its index, modulo their number; nothing happens if there are
/// none. A `usize` is an end, 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Regular behaviour of the network, for this number of arrivals and timer expiries.
    Pass(u8),
    /// Passing of this time, in which everything that is due happens.
    Wait(Duration),
    /// Loss of one packet under way, chosen by its index.
    Lose(u8),
    /// Duplication of one packet under way, chosen by its index; the copy arrives this much later than the original
    /// would.
    Duplicate(u8, Duration),
    /// Delay of one packet under way, chosen by its index, by this time.
    Delay(u8, Duration),
    /// Flip of one bit of a packet under way: the packet by its index in order of arrival, modulo their number, and the
    /// bit, modulo the packet's bits. No-op without packets.
    Flip(u8, u16),
    /// Opening of a connection from this end to the other end; the local port is 1000 plus the second number.
    Connect(usize, u8),
    /// Write by the application at this end into the connection chosen by the second number; the third one is the
    /// number of bytes.
    Write(usize, u8, u16),
    /// Read by the application at this end from the connection chosen by the second number; the third one is the most
    /// bytes.
    Read(usize, u8, u16),
    /// Close by the application at this end of the connection chosen by the second number.
    Close(usize, u8),
    /// Abort by the application at this end of the connection chosen by the second number.
    Abort(usize, u8),
    /// Release by the application at this end of the connection chosen by the second number, which then closes by
    /// itself.
    Release(usize, u8),
    /// Arrival at this end of arbitrary bytes from a stranger, a third party.
    Bytes(usize, Vec<u8>),
    /// Forged copy, with right checksums, of packet `.0` under way (modulo their number), delivered at once. The value
    /// `.1 / 32 % 5` selects what is changed: sequence number, ACK number, window, flags, or removal of the timestamps.
    /// To the first two `.2 << .1 % 32` is added; the bits of it are flipped in the window, those of `.2` in the flags.
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
            9 => Self::Duplicate(u8::arbitrary(bytes)?, any_time(bytes)?),
            10..=11 => Self::Delay(u8::arbitrary(bytes)?, any_time(bytes)?),
            12 => Self::Wait(any_time(bytes)?),
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

/// Plan of one fuzzed run: two TCP endpoints of many connections, and everything that happens to them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// TCP preset (named set of algorithms) of each endpoint, as an index into [`PRESETS`].
    pub presets: [usize; 2],
    /// Profile (set of timers and defaults) of each endpoint, as an index into [`PROFILES`].
    pub profiles: [usize; 2],
    /// Size of the receive buffer, and of the send buffer, of each connection of both endpoints, in bytes.
    pub buffer: u32,
    /// Most connections that wait at an endpoint's listener (its backlog).
    pub backlog: usize,
    /// Whether a listener asks the application before it answers a SYN.
    pub asks: bool,
    /// Operations, carried out one after the other.
    pub operations: Vec<Operation>,
}

impl Plan {
    /// Whether each stream must deliver exactly what was written into it: no stranger (third party) sends, and at most
    /// one bit is flipped, as two could hide each other from a checksum.
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
