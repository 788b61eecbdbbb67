//! What one TCP connection is made of, as plain data.
//!
//! A variant is a [`Composition`] of members, one a slot; [`TcpConfig`] adds everything else that
//! two hosts agree on. [`Profile`] fills it with the defaults of a known stack.

use crate::packet::{Segment, TCP_HEADER_BYTES};
use crate::time::Duration;
use crate::units::Segments;

use super::custom::{CustomCongestion, CustomDetection};

/// The members of a sender's policy slots.
#[derive(Clone, Debug, PartialEq)]
pub struct Composition {
    /// When a segment counts as lost.
    pub detection: DetectionConfig,
    /// What is sent after a loss, until it is repaired.
    pub recovery: RecoveryConfig,
    /// How the window grows and shrinks.
    pub congestion: CongestionConfig,
    /// What the retransmission timer does on expiry.
    pub timeout: TimeoutConfig,
    /// Forbid a second fast retransmit below the highest sequence number sent at the first one
    /// (ns-2's `bugFix_`, RFC 6582's `recover`). Off for CERL: its figure 2 needs it so.
    pub avoid_repeated_recovery: bool,
}

impl Composition {
    /// The same with another window law, and with what that one says of repeated recoveries.
    pub fn with_congestion(self, congestion: CongestionConfig) -> Self {
        let own_rule = matches!(
            congestion,
            CongestionConfig::Cerl(_) | CongestionConfig::Vegas(_)
        );
        Self {
            congestion,
            avoid_repeated_recovery: !own_rule,
            ..self
        }
    }

    /// Some member is a user's own: what it does cannot be told from this data.
    pub fn has_custom(&self) -> bool {
        matches!(self.congestion, CongestionConfig::Custom(_))
            || matches!(self.detection, DetectionConfig::Custom(_))
    }
}

/// Members of the `detection` slot.
#[derive(Clone, Debug, PartialEq)]
pub enum DetectionConfig {
    /// The third duplicate ACK (RFC 5681); the number is a parameter.
    Dupacks(u32),
    /// As many duplicate ACKs as the segments in flight could cause, or this threshold (Pan, Mark
    /// and Shen 2004, section 4.2).
    Sifest(u32),
    /// The third duplicate ACK, or Vegas' fine-grained timer checked on the first one and on the
    /// first two ACKs after a retransmission (Brakmo 1994, section 3.1).
    Vegas,
    /// TCP-DCR: one round trip after the first duplicate ACK (Bhandarkar et al., section 3).
    Dcr(DcrConfig),
    /// The third duplicate ACK, or fewer when so many cannot come (RFC 5827).
    EarlyRetransmit,
    /// About a window's worth of duplicate ACKs (TCP-NCR, RFC 4653).
    Ncr(NcrTransmit),
    /// A round trip and a reordering window after it was sent, when something sent later has arrived;
    /// and probes of a silent tail (RACK-TLP, RFC 8985).
    Rack,
    /// A user's own.
    Custom(CustomDetection),
}

/// TCP-DCR's delay of the response to a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DcrConfig {
    /// Delay τ, in smoothed round trips (section 3.2: one).
    pub tau: f64,
    /// How the delay is kept.
    pub wait: DcrWait,
}

/// How TCP-DCR keeps its delay (section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DcrWait {
    /// By a timer of τ.
    Timer {
        /// Tick of its clock: it expires on the first one at or after τ. Zero for an exact clock.
        tick: Duration,
    },
    /// By W·τ·srtt/RTT duplicate ACKs, with W the segments in flight at the first one and RTT the
    /// latest sample; at least three. Needs new data to send meanwhile, for the ACKs to come.
    Dupacks,
}

/// What TCP-NCR sends while it waits (RFC 4653, Extended Limited Transmit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NcrTransmit {
    /// A new segment for every two that arrive; DupThresh is two thirds of what is outstanding.
    Careful,
    /// A new segment for each one that arrives; DupThresh is half of what is outstanding.
    Aggressive,
}

/// Members of the `recovery` slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryConfig {
    /// Slow start from the lost segment, going back N.
    Tahoe,
    /// Fast recovery that ends with the first new ACK (RFC 2581).
    Reno,
    /// Fast recovery that repairs a hole a round trip (RFC 6582).
    NewReno,
    /// Selective repair by a scoreboard and `pipe` (RFC 6675).
    Sack,
    /// As `Sack`, with the rate reduced in proportion to what arrives (RFC 6937, RFC 9937).
    Prr,
    /// As `Sack`, with the simpler pipe accounting of ns-2's Sack1 agent.
    Sack1,
}

/// Members of the `congestion` slot, with their parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum CongestionConfig {
    /// RFC 5681.
    Reno,
    /// Brakmo 1994, as ns-2 reads it.
    Vegas(VegasConfig),
    /// Fu and Liew 2003.
    Veno(VenoConfig),
    /// Casetti et al. 2002 and Westwood+ (Grieco and Mascolo 2004).
    Westwood(WestwoodConfig),
    /// RFC 9438.
    Cubic(CubicConfig),
    /// El-Ocla 2008.
    Cerl(CerlConfig),
    /// Reno with three quarters left after a fast retransmit (Francis 2012, algorithm 2).
    ThreeQuarter,
    /// A user's own.
    Custom(CustomCongestion),
}

/// Vegas' thresholds, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VegasConfig {
    /// Grow when fewer than this many extra segments are queued.
    pub alpha: f64,
    /// Shrink when more than this many are.
    pub beta: f64,
    /// Leave slow start when more than this many are.
    pub gamma: f64,
}

/// Veno's threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VenoConfig {
    /// Backlog N in segments from which a loss counts as congestive.
    pub backlog: f64,
}

/// Which Westwood.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WestwoodConfig {
    /// One bandwidth sample a round trip (Westwood+) instead of one an ACK (2002).
    pub plus: bool,
    /// Time constant τ of the low-pass filter (2002 only).
    pub tau: Duration,
}

/// CUBIC's constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubicConfig {
    /// Scaling constant C, segments per second cubed.
    pub c: f64,
    /// Multiplicative decrease factor.
    pub beta: f64,
    /// Give up part of the share to new flows.
    pub fast_convergence: bool,
}

/// CERL's constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CerlConfig {
    /// Share A of the largest queue seen from which a loss counts as congestive (section 4.7).
    pub a: f64,
    /// Reduce the window once a window of data only (section 3.4); CERL2 leaves that out.
    pub once_per_window: bool,
}

/// Members of the `timeout` slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeoutConfig {
    /// Restart with one segment and go back N (RFC 5681, RFC 6298).
    Standard,
    /// Restart with half of what is outstanding (Francis 2012, algorithm 1).
    HalfWindow,
    /// Wait once more first (Francis 2012, chapter 5).
    Extended(ExtendedConfig),
}

/// How the extended timer waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExtendedConfig {
    /// The extended timer at the first expiry on a connection, in RTOs.
    pub first: f64,
    /// The same at later ones.
    pub later: f64,
    /// Send the oldest segment again when the timer is extended; the thesis does not say whether.
    pub retransmit: bool,
}

impl ExtendedConfig {
    /// As published.
    pub const DEFAULT: Self = Self {
        first: 1.5,
        later: 2.0,
        retransmit: false,
    };
}

impl DcrConfig {
    /// As published.
    pub const DEFAULT: Self = Self {
        tau: 1.0,
        wait: DcrWait::Timer {
            tick: Duration::ZERO,
        },
    };
}

impl VegasConfig {
    /// As published.
    pub const DEFAULT: Self = Self {
        alpha: 1.0,
        beta: 3.0,
        gamma: 1.0,
    };
}

impl VenoConfig {
    /// As published.
    pub const DEFAULT: Self = Self { backlog: 3.0 };
}

impl WestwoodConfig {
    /// As published.
    pub const DEFAULT: Self = Self {
        plus: false,
        tau: Duration::from_millis(500),
    };
}

impl CubicConfig {
    /// As published.
    pub const DEFAULT: Self = Self {
        c: 0.4,
        beta: 0.7,
        fast_convergence: true,
    };
}

impl CerlConfig {
    /// As published.
    pub const DEFAULT: Self = Self {
        a: 0.55,
        once_per_window: true,
    };
}

/// Everything that makes one connection.
#[derive(Clone, Debug, PartialEq)]
// Each switch is a switch of its own in a scenario file.
#[allow(clippy::struct_excessive_bools)]
pub struct TcpConfig {
    /// The sender's policies.
    pub composition: Composition,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Header bytes on the wire, for data and ACKs, without options.
    pub header: u32,
    /// The receiver's buffer: the largest window that it advertises, in bytes.
    pub rwnd: u32,
    /// First congestion window.
    pub initial_window: Segments,
    /// The window with which slow start begins again: after a timeout, and after Tahoe's fast
    /// retransmit (RFC 5681's LW). SIFEST's larger initial window (LIW) makes it two segments.
    pub loss_window: Segments,
    /// First slow start threshold; `None` for the receiver's window.
    pub initial_ssthresh: Option<Segments>,
    /// The congestion window grows no further (ns-2's `maxcwnd_`); infinite for no cap.
    pub max_cwnd: Segments,
    /// A sender that has sent nothing for longer than the RTO begins again with the initial window
    /// (RFC 5681 section 4.1; ns-2's `slow_start_restart_`).
    pub restart_after_idle: bool,
    /// Keep the slow start threshold in whole segments, rounded down (BSD, ns-2).
    pub whole_ssthresh: bool,
    /// How an ACK counts towards growth.
    pub counting: Counting,
    /// Send new data on the first two duplicate ACKs (RFC 3042).
    pub limited_transmit: bool,
    /// The retransmission timer's clock and bounds.
    pub rto: RtoConfig,
    /// NewReno: restart the timer on the first partial ACK only ("impatient", RFC 6582 section 4).
    pub impatient: bool,
    /// Carry timestamps (RFC 7323): an RTT sample with every ACK.
    pub timestamps: bool,
    /// The receiver reports blocks that it holds (RFC 2018). Set by recoveries that need it.
    pub sack: bool,
    /// The receiver reports duplicates (RFC 2883).
    pub dsack: bool,
    /// How the connection begins.
    pub handshake: Handshake,
    /// Close with FIN.
    pub fin: bool,
    /// When the receiver acknowledges.
    pub acking: Acking,
    /// Initial sequence number.
    pub iss: u32,
}

/// How an ACK counts towards window growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Each ACK of new data counts once (RFC 5681 as written; ns-2).
    Acks,
    /// Bytes acknowledged count, at most this many segments an ACK (RFC 3465's L).
    Bytes(u32),
}

impl Counting {
    /// What an ACK of so much new data counts.
    #[inline]
    pub(super) fn counted(self, acked: impl Fn() -> Segments) -> Segments {
        match self {
            Self::Acks => Segments::ONE,
            Self::Bytes(limit) => acked().min(Segments(f64::from(limit))),
        }
    }
}

/// The retransmission timer's clock and bounds (RFC 6298).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtoConfig {
    /// How the estimator counts.
    pub arithmetic: RtoArithmetic,
    /// Clock tick G.
    pub granularity: Duration,
    /// Smallest RTO.
    pub min: Duration,
    /// Largest RTO.
    pub max: Duration,
    /// RTO before the first sample.
    pub initial: Duration,
}

/// How the RTT estimator counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoArithmetic {
    /// Exact nanoseconds; G only bounds the variance term.
    Exact,
    /// Whole ticks in fixed point (Jacobson 1988, appendix A), as BSD and ns-2 do.
    Ticks,
}

/// How the connection begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// Both ends are connected from the start.
    None,
    /// SYN, SYN-ACK, ACK (RFC 9293).
    ThreeWay,
}

impl Handshake {
    /// Sequence numbers that it takes before the first payload byte.
    pub const fn span(self) -> u64 {
        match self {
            Self::None => 0,
            Self::ThreeWay => 1,
        }
    }
}

/// When the receiver acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acking {
    /// Every segment, at once.
    EverySegment,
    /// Every `every`th in-order segment or `timeout` after the first unacknowledged one; at once
    /// when out of order or filling a hole (RFC 5681 section 4.2).
    Delayed {
        /// Segments an ACK.
        every: u32,
        /// Longest delay.
        timeout: Duration,
    },
}

/// Defaults of a known stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// ns-2.35's one-way agents.
    Ns2,
    /// 4.3BSD descendants: coarse clocks, one segment first.
    Bsd,
    /// The standards of today.
    Rfc,
}

impl TcpConfig {
    /// `composition` with the defaults of `profile`.
    pub fn new(profile: Profile, composition: Composition) -> Self {
        let ticks = |granularity, min, initial| RtoConfig {
            arithmetic: RtoArithmetic::Ticks,
            granularity: Duration::from_millis(granularity),
            min: Duration::from_millis(min),
            max: Duration::from_secs(60),
            initial: Duration::from_millis(initial),
        };
        let sack = matches!(
            composition.recovery,
            RecoveryConfig::Sack | RecoveryConfig::Prr | RecoveryConfig::Sack1
        ) || matches!(
            composition.detection,
            DetectionConfig::Rack | DetectionConfig::Ncr(_)
        );
        let common = Self {
            composition,
            mss: 1460,
            header: TCP_HEADER_BYTES,
            rwnd: 1 << 20,
            initial_window: Segments(2.0),
            loss_window: Segments::ONE,
            initial_ssthresh: None,
            max_cwnd: Segments(f64::INFINITY),
            restart_after_idle: false,
            whole_ssthresh: true,
            counting: Counting::Acks,
            limited_transmit: true,
            rto: ticks(10, 200, 3000),
            impatient: true,
            timestamps: false,
            sack,
            dsack: false,
            handshake: Handshake::ThreeWay,
            fin: false,
            acking: Acking::EverySegment,
            iss: 0,
        };
        match profile {
            Profile::Ns2 => common,
            Profile::Bsd => Self {
                initial_window: Segments(1.0),
                limited_transmit: false,
                rto: ticks(500, 1000, 3000),
                fin: true,
                acking: Acking::Delayed {
                    every: 2,
                    timeout: Duration::from_millis(200),
                },
                ..common
            },
            Profile::Rfc => Self {
                initial_window: Segments(10.0),
                restart_after_idle: true,
                whole_ssthresh: false,
                counting: Counting::Bytes(2),
                rto: RtoConfig {
                    arithmetic: RtoArithmetic::Exact,
                    granularity: Duration::from_millis(1),
                    min: Duration::from_secs(1),
                    max: Duration::from_secs(60),
                    initial: Duration::from_secs(1),
                },
                timestamps: true,
                sack: true,
                dsack: true,
                fin: true,
                acking: Acking::Delayed {
                    every: 2,
                    timeout: Duration::from_millis(200),
                },
                ..common
            },
        }
    }

    /// Bytes on the wire of a segment: headers, options (RFC 2018: 8 a block and 2, padded to 4;
    /// RFC 7323: 10, padded to 12) and payload.
    #[inline]
    pub fn wire_size(&self, segment: &Segment) -> u32 {
        let sack = match segment.sack.len() as u32 {
            0 => 0,
            blocks => 8 * blocks + 4,
        };
        let timestamps = if segment.timestamps.is_some() { 12 } else { 0 };
        self.header + sack + timestamps + segment.len
    }
}
