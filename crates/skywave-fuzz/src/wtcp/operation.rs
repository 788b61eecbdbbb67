//! The operations of a path and of the applications, read out of bytes.

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::Duration;
use skywave_core::wtcp::{Config, LongTerm, Micros};

use crate::machines::Operation as OnPath;

/// More than any rule needs to be broken.
const MAX_OPERATIONS: usize = 400;
/// Longest blackout: what the paper saw.
const MAX_BLACKOUT_SECS: u16 = 600;

/// Operation of a fuzzed run of WTCP: something that the path or an application does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Operation that a path and a sending application can do with TCP, too
    /// ([`machines::Operation`](crate::machines::Operation)).
    OnPath(OnPath),
    /// Blackout of this length from now on: packets under way are lost, and so is everything sent before its end.
    Blackout(Duration),
    /// Read of up to this many bytes by the receiver's application.
    Read(u16),
}

impl<'a> Arbitrary<'a> for Operation {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match u8::arbitrary(bytes)? {
            0..=8 => {
                let secs = u16::arbitrary(bytes)? % MAX_BLACKOUT_SECS;
                Self::Blackout(Duration::from_secs(u64::from(secs) + 1))
            }
            9..=40 => Self::Read(u16::arbitrary(bytes)?),
            _ => Self::OnPath(OnPath::arbitrary(bytes)?),
        })
    }
}

/// Plan of one fuzzed run of a WTCP sender and its receiver: configuration, delay, and everything that happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Configuration of the WTCP connection, the same at both ends.
    pub config: Config,
    /// One-way delay of the path.
    pub delay: Duration,
    /// Whether the receiver's application reads at once what comes; otherwise it reads by [`Operation::Read`], and all
    /// at the end of the plan.
    pub reads: bool,
    /// Operations, carried out one after the other; after the last one the path loses nothing more, so that everything
    /// must arrive.
    pub operations: Vec<Operation>,
}

impl<'a> Arbitrary<'a> for Plan {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mss = *bytes.choose(&[512, 100, 1])?;
        let packets = u32::from(u8::arbitrary(bytes)?) % 80;
        let mut config = Config {
            mss,
            // Whole packets and some bytes; small windows are the harder ones.
            receive_buffer: packets * u32::from(mss) + bytes.int_in_range(1u32..=50)?,
            // Nothing limits the path here, and a sender probes at its pace.
            min_separation: Micros(*bytes.choose(&[20_000, 50_000, 100_000])?),
            ..Config::default()
        };
        config.setup.separation = config.setup.separation.max(config.min_separation);
        config.rate.long_term = match bytes.int_in_range(0..=7)? {
            0..=3 => LongTerm::Running,
            epochs => LongTerm::Epochs(epochs),
        };
        config.rate.epoch_rtts = bytes.int_in_range(0..=3)?;
        config.rate.epoch_samples = bytes.int_in_range(0..=6)?;
        // At most some packets and some windows, so that runs stay short.
        let most = u32::from(14 * mss).min(4 * config.receive_buffer) as u16;
        let delay = Duration::from_millis(u64::from(u8::arbitrary(bytes)?) * 4);
        let reads = bytes.arbitrary()?;
        let mut operations = Vec::new();
        while !bytes.is_empty() && operations.len() < MAX_OPERATIONS {
            operations.push(match Operation::arbitrary(bytes)? {
                Operation::OnPath(OnPath::Write(n)) => Operation::OnPath(OnPath::Write(n % most)),
                other => other,
            });
        }
        Ok(Self {
            config,
            delay,
            reads,
            operations,
        })
    }
}
