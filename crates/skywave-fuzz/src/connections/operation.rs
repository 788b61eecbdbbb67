//! Deeds of a network, of two applications and of strangers, read out of bytes.

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::Duration;
use skywave_core::tcp::PacingConfig;
use skywave_core::tcp::TcpConfig;
use skywave_core::tcp::connection::{ConnectionConfig, KeepAlive};

use crate::machines::{AnyConfig, PROFILES};

/// More than any rule needs to be broken.
const MAX_OPERATIONS: usize = 600;
/// Longest time that one operation takes or adds.
const MAX_MS: u16 = 4000;
/// Most bytes that an application hands over at a time.
const MAX_WRITE: u16 = 20_000;

/// A segment that none of the two ends has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spoof {
    /// Distance of its sequence number from the one that is expected.
    pub seq: i32,
    /// Acknowledgement number, in bytes relative to `SND.UNA` of the end that receives the segment.
    pub ack: i32,
    /// TCP control bits of the segment; the low two also set the ECN codepoint of its IP header.
    pub flags: u8,
    /// Payload bytes.
    pub len: u32,
    /// Window that the segment tells of, in bytes.
    pub window: u32,
    /// Timestamp and echo of the segment, before or after now in ms; none if both are 0.
    pub timestamps: (i16, i16),
    /// Start and length of a SACK block, from the oldest number not acknowledged; or what a SYN
    /// offers: largest payload, and shift.
    pub option: (u16, u16),
}

/// One thing that happens. Packets on their way are chosen by a number, modulo how many there are, in
/// the order in which they would arrive; it does nothing when there are none. Ends are 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The network behaves, for this number of arrivals and expiries of timers.
    Pass(u8),
    /// The clock advances, and what is due happens.
    Wait(Duration),
    /// A packet overtakes all others and arrives now.
    Deliver(u8),
    /// Loss of one packet under way, or damage that makes its host drop it. Index into the packets in order of
    /// arrival, modulo their number; no-op without packets.
    Lose(u8),
    /// ECN mark (CE) of one packet under way, if it is ECN-capable. Index into the packets in order of arrival, modulo their
    /// number; no-op without packets.
    Mark(u8),
    /// All packets on their way are lost.
    LoseAll,
    /// A second copy of a packet arrives this much later.
    Duplicate(u8, Duration),
    /// A packet arrives this much later.
    Delay(u8, Duration),
    /// The application at this end hands over this number of bytes.
    Write(usize, u16),
    /// The application at this end reads up to this number of bytes.
    Read(usize, u16),
    /// The application at this end has no more data.
    Close(usize),
    /// The application at this end gives up.
    Abort(usize),
    /// A segment of a stranger's arrives at this end.
    Inject(usize, Spoof),
}

impl<'a> Arbitrary<'a> for Operation {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let kind = u8::arbitrary(bytes)?;
        let which = kind / 32;
        let end = usize::from(which % 2);
        Ok(match kind % 32 {
            0..=7 => Self::Pass(which + 1),
            8 => Self::Pass(u8::arbitrary(bytes)?),
            9..=10 => Self::Lose(which),
            11 => Self::Mark(which),
            12 => Self::Lose(u8::arbitrary(bytes)?),
            13 => Self::LoseAll,
            14..=15 => Self::Duplicate(which, time(bytes)?),
            16..=17 => Self::Delay(which, time(bytes)?),
            18..=19 => Self::Deliver(u8::arbitrary(bytes)?),
            20 => Self::Wait(time(bytes)?),
            21..=24 => Self::Write(end, u16::arbitrary(bytes)? % MAX_WRITE),
            25..=26 => Self::Read(end, u16::arbitrary(bytes)?),
            27 if which < 4 => Self::Close(end),
            28 if which == 0 => Self::Abort(usize::arbitrary(bytes)? % 2),
            28..=30 => Self::Inject(end, Spoof::arbitrary(bytes)?),
            _ => Self::Pass(8 * (which + 1)),
        })
    }
}

fn time(bytes: &mut Unstructured<'_>) -> Result<Duration> {
    let ms = u16::arbitrary(bytes)? % MAX_MS;
    Ok(Duration::from_millis(u64::from(ms)))
}

impl<'a> Arbitrary<'a> for Spoof {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        // Near what is expected, or anywhere.
        let near = bytes.int_in_range(0..=3u8)? > 0;
        let number = |bytes: &mut Unstructured<'a>| {
            Ok(if near {
                i32::from(i16::arbitrary(bytes)?) / 8
            } else {
                i32::arbitrary(bytes)?
            })
        };
        Ok(Self {
            seq: number(bytes)?,
            ack: number(bytes)?,
            flags: u8::arbitrary(bytes)?,
            len: if near {
                u32::from(u16::arbitrary(bytes)? % 3000)
            } else {
                u32::arbitrary(bytes)?
            },
            window: u32::arbitrary(bytes)? >> bytes.int_in_range(0..=31)?,
            timestamps: bytes.arbitrary()?,
            option: bytes.arbitrary()?,
        })
    }
}

/// One run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Both ends.
    pub configs: [ConnectionConfig; 2],
    /// Applications that read at once whatever comes.
    pub eager: [bool; 2],
    /// Both open actively, at the same time; otherwise the second one listens.
    pub simultaneous: bool,
    /// One-way delay of the network.
    pub delay: Duration,
    /// Operations in turn; after the last one the network behaves.
    pub operations: Vec<Operation>,
}

impl<'a> Arbitrary<'a> for Plan {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let configs = [any_config(bytes)?, any_config(bytes)?];
        let [simultaneous, honest, first, second]: [bool; 4] = bytes.arbitrary()?;
        let delay = Duration::from_millis(u64::from(u8::arbitrary(bytes)?));
        let mut operations = Vec::new();
        while !bytes.is_empty() && operations.len() < MAX_OPERATIONS {
            operations.push(match Operation::arbitrary(bytes)? {
                Operation::Inject(..) | Operation::Abort(_) if honest => Operation::Pass(1),
                other => other,
            });
        }
        let mut plan = Self {
            configs,
            eager: [first, second],
            simultaneous,
            delay,
            operations,
        };
        if !plan.is_honest() {
            // A stranger may leave an end without a peer: it must give up at last. But nobody gives up
            // an honest one.
            for config in &mut plan.configs {
                config.user_timeout = Some(Duration::from_secs(600));
                config.keep_alive = Some(KeepAlive {
                    idle: Duration::from_secs(60),
                    interval: Duration::from_secs(10),
                    probes: 3,
                });
            }
        }
        Ok(plan)
    }
}

impl Plan {
    /// No stranger and no abort: what was written must arrive.
    pub fn is_honest(&self) -> bool {
        let mut operations = self.operations.iter();
        !operations.any(|o| matches!(o, Operation::Inject(..) | Operation::Abort(_)))
    }
}

fn any_config(bytes: &mut Unstructured<'_>) -> Result<ConnectionConfig> {
    let which = usize::from(u8::arbitrary(bytes)?);
    let profile = PROFILES[which % PROFILES.len()];
    let presets = &skywave_core::tcp::PRESETS;
    let mut tcp = match presets.get(which / PROFILES.len()) {
        Some(preset) => TcpConfig::new(profile, preset.composition.clone()),
        None => AnyConfig::arbitrary(bytes)?.0,
    };
    tcp.mss = *bytes.choose(&[1460, 536, 100])?;
    // Whole segments and some bytes; small windows are the harder ones.
    let window = u32::from(u8::arbitrary(bytes)?) % 80 * tcp.mss;
    tcp.rwnd = window + bytes.int_in_range(50..=100)?;
    tcp.iss = match bytes.int_in_range(0..=3u8)? {
        0 => 0,
        1 => u32::MAX,
        2 => u32::MAX - 3000,
        _ => bytes.arbitrary()?,
    };
    let [window_scaling, ecn, nagle, paced]: [bool; 4] = bytes.arbitrary()?;
    if paced {
        tcp.pacing = PacingConfig::Window;
    }
    tcp.ecn = ecn;
    Ok(ConnectionConfig {
        window_scaling,
        nagle,
        ..ConnectionConfig::from(tcp)
    })
}
