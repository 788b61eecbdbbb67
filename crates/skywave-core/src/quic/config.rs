//! The configuration of one QUIC connection, as plain data.

use crate::clock::Clock;
use crate::tcp::config::{CongestionConfig, Handshake, NeedsEcn};
use crate::tcp::{Profile, SlowStartConfig, TcpConfig, preset};
use crate::time::Duration;
use crate::units::Segments;

use super::packet::{Acking, DATA_OVERHEAD};

/// Payload of a full packet by default: with its headers and those of UDP and IPv4 it makes 1500 bytes.
pub const DEFAULT_MSS: u16 = 1435;

/// Upper bound of the probe timeout that no simulation reaches: a day.
pub const UNBOUNDED: Duration = Duration::from_secs(86_400);

/// Settings of one simulated QUIC connection, of both its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Congestion control: how the window grows and shrinks.
    pub congestion: CongestionConfig,
    /// Rule that ends slow start besides a loss, for congestion controls without a slow start of their own.
    pub slow_start: SlowStartConfig,
    /// First congestion window, in full packets (RFC 9002 section 7.2: ten).
    pub initial_window: Segments,
    /// Payload bytes of a full packet.
    pub mss: u16,
    /// Bytes of the stream that the receiver has room for beyond those that its application has read.
    pub receive_buffer: u32,
    /// Whether a round trip comes before the first data.
    pub handshake: Handshake,
    /// Whether packets with data are ECN-capable, so that queues may mark them instead of dropping them (RFC
    /// 9000 section 13.4).
    pub ecn: bool,
    /// Whether ECN-capable packets carry ECT(1), by which queues know senders of low latency (RFC
    /// 9331).
    pub l4s: bool,
    /// Constants of loss recovery: when a packet counts as lost, and when the sender probes.
    pub loss: LossConfig,
    /// How the receiver acknowledges what comes in order, unless the sender asks it for something else.
    pub acking: Acking,
    /// Whether the sender asks for fewer ACKs while they wait on the way back (draft-ietf-quic-ack-frequency). Without
    /// `receive_times` it does not know that they do.
    pub ack_frequency: bool,
    /// Whether ACKs tell when packets came, which gives congestion controls one-way delays
    /// (draft-smith-quic-receive-ts). By default for those that go by them.
    pub receive_times: bool,
    /// Clock of the receiver, by which it tells arrival times; `None` for an exact one.
    pub clock: Option<Clock>,
}

/// The constants of RFC 9002's loss recovery (appendix A.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossConfig {
    /// A packet is lost when one sent this many packets later has arrived (`kPacketThreshold`).
    pub packet_threshold: u64,
    /// A packet is lost when a later one has arrived and it is older than this many round trips
    /// (`kTimeThreshold`).
    pub time_threshold: f64,
    /// Least time by which a packet must be late to count as lost, and clock granularity in the probe timeout
    /// (`kGranularity`).
    pub granularity: Duration,
    /// Round-trip time until there is a sample (`kInitialRtt`).
    pub initial_rtt: Duration,
    /// Losses over a time of more than this many probe timeouts are persistent congestion
    /// (`kPersistentCongestionThreshold`).
    pub persistent_threshold: u64,
    /// Longest probe timeout that follows an unanswered one, or two round trips if these are longer; the first one may
    /// be longer still. RFC 9002 has no bound ([`UNBOUNDED`]); noq makes each interval at most 2 s longer than the one before.
    pub max_pto: Duration,
}

impl Default for LossConfig {
    fn default() -> Self {
        Self {
            packet_threshold: 3,
            time_threshold: 9.0 / 8.0,
            granularity: Duration::from_millis(1),
            initial_rtt: Duration::from_millis(333),
            persistent_threshold: 3,
            max_pto: UNBOUNDED,
        }
    }
}

impl Config {
    /// Settings with this congestion control and the values of RFC 9000 and RFC 9002.
    pub fn new(congestion: CongestionConfig) -> Self {
        Self {
            slow_start: SlowStartConfig::Standard,
            initial_window: Segments(10.0),
            mss: DEFAULT_MSS,
            receive_buffer: 1 << 20,
            handshake: Handshake::ThreeWay,
            ecn: congestion.needs_ecn() != NeedsEcn::Nothing,
            l4s: congestion.needs_ecn() == NeedsEcn::L4s,
            loss: LossConfig::default(),
            acking: Acking {
                every: 2,
                delay: Duration::from_millis(25),
            },
            ack_frequency: false,
            receive_times: congestion.hears_one_way(),
            clock: None,
            congestion,
        }
    }

    /// Bytes of a full packet, as the window counts them: without the headers of IP and UDP (RFC 9002
    /// section 2, "bytes in flight").
    pub fn packet_bytes(&self) -> u32 {
        u32::from(self.mss) + DATA_OVERHEAD
    }

    /// The settings from which the sender's [`Control`](super::Control) is built.
    pub(super) fn of_law(&self) -> TcpConfig {
        TcpConfig {
            slow_start: self.slow_start,
            initial_window: self.initial_window,
            ..law(self.congestion.clone(), self.packet_bytes())
        }
    }
}

/// Settings from which a [`Control`](super::Control) with this congestion control is built, for packets of
/// `segment` bytes: an initial window of ten packets, and HyStart++ where `congestion` has no slow start of
/// its own. A `Control` ignores the loss detection and recovery in them: QUIC has its own.
///
/// # Panics
/// Never: "newreno" is built in.
pub fn law(congestion: CongestionConfig, segment: u32) -> TcpConfig {
    let newreno = preset("newreno").expect("it is built in");
    let composition = newreno.composition.clone().with_congestion(congestion);
    TcpConfig {
        mss: segment,
        initial_window: Segments(10.0),
        slow_start: SlowStartConfig::HyStartPlusPlus,
        ..TcpConfig::new(Profile::Rfc, composition)
    }
}
