//! The operations of a path and of an application, read out of bytes.

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::Duration;
use skywave_core::tcp::TcpConfig;

use crate::parameters::{any_sizes, any_time};

/// More than any rule needs to be broken.
const MAX_OPERATIONS: usize = 600;

/// Operation of a fuzzed run: something that the path or the application does. A packet is chosen by its index among
/// those under way, in order of arrival, modulo their number; nothing happens if there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Regular behaviour of the path, for this number of arrivals and timer expiries.
    Pass(u8),
    /// Passing of this time, in which everything that is due happens.
    Wait(Duration),
    /// Arrival of one packet under way, chosen by its index, now and before all others.
    Deliver(u8),
    /// Loss of one packet under way, chosen by its index, or damage for which its host drops it.
    Lose(u8),
    /// Loss of all packets under way.
    LoseAll,
    /// Duplication of one packet under way, chosen by its index; the copy arrives this much later than the original
    /// would.
    Duplicate(u8, Duration),
    /// Delay of one packet under way, chosen by its index, by this time.
    Delay(u8, Duration),
    /// Write of this many bytes by the application.
    Write(u16),
    /// Close by the application: later writes count for nothing.
    Close,
}

impl<'a> Arbitrary<'a> for Operation {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let kind = u8::arbitrary(bytes)?;
        Ok(match kind % 32 {
            0..=10 => Self::Pass(kind / 32 + 1),
            11 => Self::Pass(u8::arbitrary(bytes)?),
            12..=15 => Self::Lose(kind / 32),
            16..=17 => Self::Lose(u8::arbitrary(bytes)?),
            18 => Self::LoseAll,
            19..=20 => Self::Duplicate(kind / 32, any_time(bytes)?),
            21..=22 => Self::Delay(kind / 32, any_time(bytes)?),
            23..=24 => Self::Deliver(u8::arbitrary(bytes)?),
            25 => Self::Wait(any_time(bytes)?),
            26..=30 => Self::Write(u16::arbitrary(bytes)?),
            _ if kind == 255 => Self::Close,
            _ => Self::Pass(8 * (kind / 32 + 1)),
        })
    }
}

/// Plan of one fuzzed run of a TCP sender and its receiver: sizes, delay, and everything that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Size of the receiver's buffer, in bytes.
    pub rwnd: u32,
    /// One-way delay of the path.
    pub delay: Duration,
    /// Operations, carried out one after the other; after the last one the path loses nothing more, so that everything
    /// must arrive.
    pub operations: Vec<Operation>,
}

impl<'a> Arbitrary<'a> for Plan {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let (mss, rwnd) = any_sizes(bytes)?;
        let delay = Duration::from_millis(u64::from(u8::arbitrary(bytes)?));
        // A limited number of segments is written at a time, so that runs stay short.
        let most = 14 * mss.min(rwnd) as u16;
        let mut operations = Vec::new();
        while !bytes.is_empty() && operations.len() < MAX_OPERATIONS {
            operations.push(match Operation::arbitrary(bytes)? {
                Operation::Write(n) => Operation::Write(n % most),
                other => other,
            });
        }
        Ok(Self {
            mss,
            rwnd,
            delay,
            operations,
        })
    }
}

impl Plan {
    /// Copy of `config` with the MSS and the receive buffer of this plan.
    pub fn applied_to(&self, config: TcpConfig) -> TcpConfig {
        TcpConfig {
            mss: self.mss,
            rwnd: self.rwnd,
            ..config
        }
    }

    /// Bytes that the application writes before it closes.
    pub fn bytes(&self) -> u64 {
        let before_close = self
            .operations
            .iter()
            .take_while(|o| **o != Operation::Close);
        before_close
            .map(|operation| match operation {
                Operation::Write(bytes) => u64::from(*bytes),
                _ => 0,
            })
            .sum()
    }

    /// Initial sequence number with which the plan's transfer wraps around the 32-bit sequence space half-way through.
    pub fn near_the_wrap(&self) -> u32 {
        u32::MAX - (self.bytes() / 2) as u32
    }
}
