//! Deeds of a network, of two applications and of strangers, read out of bytes.

use arbitrary::{Arbitrary, Result, Unstructured};
use skywave_core::Duration;
use skywave_core::tcp::PacingConfig;
use skywave_core::tcp::connection::{ConnectionConfig, KeepAlive};

use crate::machines::any_config;
use crate::parameters::{any_iss, any_sizes, any_time};

/// More than any rule needs to be broken.
const MAX_OPERATIONS: usize = 600;
/// Most bytes that an application hands over at a time.
const MAX_WRITE: u16 = 20_000;

/// Forged TCP segment, which neither of the two ends has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spoof {
    /// Sequence number of the segment, in bytes relative to the one that the receiving end expects next.
    pub seq: i32,
    /// Acknowledgement number, in bytes relative to `SND.UNA` of the end that receives the segment.
    pub ack: i32,
    /// TCP control bits of the segment; the low two also set the ECN codepoint of its IP header.
    pub flags: u8,
    /// Payload bytes.
    pub len: u32,
    /// Receive window that the segment advertises, in bytes.
    pub window: u32,
    /// Timestamp value and echo of the segment, in ms relative to the present time, negative for earlier; no timestamps
    /// if both are 0.
    pub timestamps: (i16, i16),
    /// SACK block of the segment: start, in bytes relative to the oldest unacknowledged number of the receiving end,
    /// and length. For a SYN instead the MSS and window scale that it offers.
    pub option: (u16, u16),
}

/// Operation of a fuzzed run: something that the network, an application or a stranger (third party) does. A packet is
/// chosen by its index among those under way, in order of arrival, modulo their number; nothing happens if there are
/// none. A `usize` is an end of the connection, 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Regular behaviour of the network, for this number of arrivals and timer expiries.
    Pass(u8),
    /// Passing of this time, in which everything that is due happens.
    Wait(Duration),
    /// Arrival of one packet under way, chosen by its index, now and before all others.
    Deliver(u8),
    /// Loss of one packet under way, or damage that makes its host drop it. Index into the packets in order of
    /// arrival, modulo their number; no-op without packets.
    Lose(u8),
    /// ECN mark (CE) of one packet under way, if it is ECN-capable. Index into the packets in order of arrival, modulo
    /// their number; no-op without packets.
    Mark(u8),
    /// Loss of all packets under way.
    LoseAll,
    /// Duplication of one packet under way, chosen by its index; the copy arrives this much later than the original
    /// would.
    Duplicate(u8, Duration),
    /// Delay of one packet under way, chosen by its index, by this time.
    Delay(u8, Duration),
    /// Write by the application at this end, of this number of bytes.
    Write(usize, u16),
    /// Read by the application at this end, of up to this number of bytes.
    Read(usize, u16),
    /// Close by the application at this end: it has no more data.
    Close(usize),
    /// Abort of the connection by the application at this end.
    Abort(usize),
    /// Arrival at this end of a forged segment from a stranger, a third party.
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
            14..=15 => Self::Duplicate(which, any_time(bytes)?),
            16..=17 => Self::Delay(which, any_time(bytes)?),
            18..=19 => Self::Deliver(u8::arbitrary(bytes)?),
            20 => Self::Wait(any_time(bytes)?),
            21..=24 => Self::Write(end, u16::arbitrary(bytes)? % MAX_WRITE),
            25..=26 => Self::Read(end, u16::arbitrary(bytes)?),
            27 if which < 4 => Self::Close(end),
            28 if which == 0 => Self::Abort(usize::arbitrary(bytes)? % 2),
            28..=30 => Self::Inject(end, Spoof::arbitrary(bytes)?),
            _ => Self::Pass(8 * (which + 1)),
        })
    }
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

/// Plan of one fuzzed run: both ends of a TCP connection, and everything that happens to them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Configurations of both ends; end 0 opens actively.
    pub configs: [ConnectionConfig; 2],
    /// Whether the application at end 0, and that at end 1, reads at once whatever comes; otherwise it reads by
    /// [`Operation::Read`], and all at the end of the plan.
    pub eager: [bool; 2],
    /// Whether both ends open actively, at the same time; otherwise end 1 listens.
    pub simultaneous: bool,
    /// One-way delay of the network.
    pub delay: Duration,
    /// Operations, carried out one after the other; after the last one the network loses nothing more.
    pub operations: Vec<Operation>,
}

impl<'a> Arbitrary<'a> for Plan {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let configs = [any_end(bytes)?, any_end(bytes)?];
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
    /// Whether the plan has no forged segment and no abort, so that all data written must arrive.
    pub fn is_honest(&self) -> bool {
        let mut operations = self.operations.iter();
        !operations.any(|o| matches!(o, Operation::Inject(..) | Operation::Abort(_)))
    }
}

fn any_end(bytes: &mut Unstructured<'_>) -> Result<ConnectionConfig> {
    let mut tcp = any_config(bytes)?;
    (tcp.mss, tcp.rwnd) = any_sizes(bytes)?;
    tcp.iss = any_iss(bytes)?;
    let [window_scaling, ecn, nagle, paced]: [bool; 4] = bytes.arbitrary()?;
    if paced {
        tcp.pacing = PacingConfig::Window;
    }
    tcp.ecn = ecn;
    let [freezes, exact_window, blind_resets, takes_bare]: [bool; 4] = bytes.arbitrary()?;
    let [accepts_whole_buffer, repeats_fin, mss_counts_options]: [bool; 3] = bytes.arbitrary()?;
    Ok(ConnectionConfig {
        window_scaling,
        nagle,
        freezes,
        exact_window,
        blind_resets,
        takes_bare,
        accepts_whole_buffer,
        repeats_fin,
        mss_counts_options,
        ..ConnectionConfig::from(tcp)
    })
}
