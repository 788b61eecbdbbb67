//! Calls of a link, read out of bytes.

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::Duration;

/// Operation of a fuzzed run on a link: something offered to the link, or a passing of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Offer of one packet of this many bytes, this long after the operation before.
    Send(Duration, u32),
    /// Burst of this many packets of 1500 bytes, offered to the link at once after the operation before.
    Burst(u8),
    /// Check of the link's counts and queue, this long after the operation before.
    QueueLen(Duration),
    /// Restart of the link's measured window at the present time.
    Measure,
    /// Passing of time until the link has something to do by itself; no effect on a link without timers.
    Timer,
}

impl<'a> Arbitrary<'a> for Operation {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let kind = u8::arbitrary(bytes)?;
        Ok(match kind % 8 {
            0 => Self::Send(Duration::ZERO, 1500),
            1..=3 => Self::Send(gap(bytes)?, 1500),
            4 => Self::Send(gap(bytes)?, u32::from(u16::arbitrary(bytes)?) + 1),
            5 => Self::Burst(kind / 8),
            6 => Self::QueueLen(gap(bytes)?),
            _ if kind == 255 => Self::Measure,
            _ if kind >= 240 => Self::Timer,
            _ => Self::Send(gap(bytes)?, 40),
        })
    }
}

/// From nothing to half a minute, on a logarithmic scale: a channel with states steps through all of
/// it.
fn gap(bytes: &mut Unstructured<'_>) -> Result<Duration> {
    let mantissa = u64::from(u8::arbitrary(bytes)?);
    let exponent = u8::arbitrary(bytes)? % 28;
    Ok(Duration::from_nanos(mantissa << exponent))
}
