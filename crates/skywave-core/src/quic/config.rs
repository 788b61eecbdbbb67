//! The configuration of one QUIC connection, as plain data.

use crate::clock::Clock;
use crate::tcp::config::{CongestionConfig, Handshake, NeedsEcn};
use crate::tcp::{Profile, SlowStartConfig, TcpConfig, preset};
use crate::time::Duration;
use crate::units::Segments;

use super::packet::{Acking, DATA_OVERHEAD};

/// Default payload of a full packet, in bytes: with the headers of QUIC, UDP and IPv4 it makes 1500 bytes.
pub const DEFAULT_MSS: u16 = 1435;

/// Value of [`LossConfig::max_pto`] that stands for no bound: a day, which no probe timeout of a simulation reaches.
pub const UNBOUNDED: Duration = Duration::from_secs(86_400);

/// Settings of one simulated QUIC connection, of both its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Congestion control: how the window grows and shrinks.
    pub congestion: CongestionConfig,
    /// Rule that ends slow start besides a loss, for congestion controls without a slow start of their own.
    pub slow_start: SlowStartConfig,
    /// Initial congestion window, in full packets (RFC 9002 section 7.2: ten).
    pub initial_window: Segments,
    /// Payload bytes of a full packet.
    pub mss: u16,
    /// Receive buffer: bytes of the stream that the receiver can hold beyond those read by its application.
    pub receive_buffer: u32,
    /// Whether a round trip comes before the first data.
    pub handshake: Handshake,
    /// Whether packets with data are ECN-capable, so that queues may mark them instead of dropping them (RFC
    /// 9000 section 13.4).
    pub ecn: bool,
    /// Whether ECN-capable packets carry ECT(1) instead of ECT(0), by which queues recognise L4S traffic (RFC 9331).
    pub l4s: bool,
    /// Constants of loss recovery: when a packet counts as lost, and when the sender probes.
    pub loss: LossConfig,
    /// Rule for ACKs of packets in order: after how many, or after which delay, until the sender asks for another rule.
    pub acking: Acking,
    /// Whether the sender asks for fewer ACKs while they queue on the return path (draft-ietf-quic-ack-frequency).
    /// Works only with `receive_times`, from which the sender knows the delay there.
    pub ack_frequency: bool,
    /// Whether ACKs tell the arrival times of packets (draft-smith-quic-receive-ts), from which congestion controls get
    /// one-way delays. By default true for congestion controls that use them.
    pub receive_times: bool,
    /// Clock of the receiver, by which it tells arrival times; `None` for an exact one.
    pub clock: Option<Clock>,
}

/// The constants of RFC 9002's loss recovery (appendix A.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossConfig {
    /// Reordering threshold in packets: a packet is lost when one sent this many later has arrived
    /// (`kPacketThreshold`).
    pub packet_threshold: u64,
    /// Reordering threshold in round trips: a packet sent longer ago is lost when a later one has arrived
    /// (`kTimeThreshold`).
    pub time_threshold: f64,
    /// Timer granularity (`kGranularity`): least age at which a packet counts as lost by time, and least value of the
    /// probe timeout's deviation term.
    pub granularity: Duration,
    /// Round-trip time that is assumed until there is a sample (`kInitialRtt`).
    pub initial_rtt: Duration,
    /// Number of probe timeouts: nothing but losses over a longer time is persistent congestion
    /// (`kPersistentCongestionThreshold`).
    pub persistent_threshold: u64,
    /// Bound of the probe timeout's backoff, or two smoothed round trips if these are longer; a probe timeout without
    /// backoff may exceed it. RFC 9002 has no bound ([`UNBOUNDED`]); the library noq makes each timeout at most 2 s
    /// longer than the previous one.
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
    /// Settings with this congestion control and otherwise the default values of RFC 9000 and RFC 9002.
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

    /// Bytes of a full packet, as the congestion window counts them: with the headers of QUIC, without those of IP and
    /// UDP (RFC 9002 section 2, "bytes in flight").
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

/// Settings to build a QUIC [`Control`](super::Control) with this congestion control from, for packets of `segment`
/// bytes without the headers of UDP and IP: an initial window of ten packets, and HyStart++ if `congestion` has no slow
/// start of its own. A `Control` ignores their loss detection and recovery, which are TCP's.
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
