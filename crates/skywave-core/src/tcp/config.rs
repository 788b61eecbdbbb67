//! The configuration of one TCP connection, as plain data.
//!
//! A variant is a [`Composition`] of members, one a slot; [`TcpConfig`] adds everything else that
//! two hosts agree on. [`Profile`] fills it with the defaults of a known stack.
//!
//! A profile (`ns2`, `bsd`, `rfc`, `linux`) is a set of defaults: clocks, initial windows, how ACKs count,
//! whole-segment thresholds. A scenario can override each of them alone.

use std::sync::Arc;

use crate::clock::Clocks;
use crate::packet::{Segment, TCP_HEADER_BYTES};
use crate::parameter::names;
use crate::time::{Duration, Offset, Time};
use crate::units::Segments;

use super::pacing::PacingConfig;
use super::slot::Setup;
use super::slow_start::SlowStartConfig;
use super::undo::UndoConfig;

pub use super::acking::Acking;
pub use super::congestion::{CongestionConfig, NeedsEcn};
pub use super::detection::DetectionConfig;
pub use super::recovery::{NewRenoConfig, RecoveryConfig, RenoConfig};
pub use super::settings::{Counting, EcnRules, Handshake, RtoArithmetic, RtoConfig, Usage};
pub use super::timeout::TimeoutConfig;

/// Policies of a TCP sender: how it finds losses, repairs them, sets its congestion window and reacts to
/// timeouts.
#[derive(Clone, Debug, PartialEq)]
pub struct Composition {
    /// Loss detection: when a segment counts as lost.
    pub detection: DetectionConfig,
    /// Policy for what is sent after a loss, until it is repaired.
    pub recovery: RecoveryConfig,
    /// Congestion control: how the congestion window grows, and to what it is cut.
    pub congestion: CongestionConfig,
    /// Policy for the expiry of the retransmission timer.
    pub timeout: TimeoutConfig,
    /// Forbid a second fast retransmit below the highest sequence number sent at the first one (ns-2's
    /// `bugFix_`, RFC 6582's `recover`). Off for CERL, which guards against repeated cuts itself (its paper's
    /// figure 2).
    pub avoid_repeated_recovery: bool,
}

impl Composition {
    /// Policies with `congestion` in place of the present congestion control. A second fast retransmit in a window of
    /// data is forbidden unless the new one guards against repeated cuts itself.
    pub fn with_congestion(self, congestion: CongestionConfig) -> Self {
        Self {
            avoid_repeated_recovery: !congestion.guards_repeats(),
            congestion,
            ..self
        }
    }

    /// Whether loss detection or congestion control is a user's own code. A configuration does not tell what such code
    /// does, so results of its runs are not kept for reuse.
    pub fn has_custom(&self) -> bool {
        matches!(self.congestion, CongestionConfig::Custom(_))
            || matches!(self.detection, DetectionConfig::Custom(_))
    }
}

/// Configuration of one TCP connection: the sender's policies, what both ends do besides, sizes, windows,
/// timers.
#[derive(Clone, Debug, PartialEq)]
// Each switch is a switch of its own in a scenario file.
#[allow(clippy::struct_excessive_bools)]
pub struct TcpConfig {
    /// The sender's policies: loss detection, recovery, congestion control, timeouts.
    pub composition: Composition,
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Bytes of IP and TCP header together, without options, that each segment has on the wire, ACKs included.
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
    /// Largest congestion window, beyond which it does not grow (ns-2's `maxcwnd_`); infinite for no cap.
    pub max_cwnd: Segments,
    /// A sender that has sent nothing for longer than the RTO begins again with the initial window
    /// (RFC 5681 section 4.1; ns-2's `slow_start_restart_`).
    pub restart_after_idle: bool,
    /// Keep the slow start threshold in whole segments, rounded down (BSD, ns-2).
    pub whole_ssthresh: bool,
    /// Keep the slow start threshold when the retransmission timer expires again for the segment that it sent again
    /// last (RFC 5681 section 3.1): the congestion control does not hear of such an expiry, unless it alone says how
    /// much may be in flight, as BBR does. Timeout policies that set the threshold themselves still do. False: each
    /// expiry cuts it (BSD, ns-2).
    pub hold_ssthresh: bool,
    /// Signs other than a loss that end slow start.
    pub slow_start: SlowStartConfig,
    /// Signs by which the sender recognises a needless cut of the window and takes it back.
    pub undo: UndoConfig,
    /// How many segments an ACK counts as when the congestion window grows.
    pub counting: Counting,
    /// Evidence that the congestion window is used, without which it does not grow.
    pub usage: Usage,
    /// Send new data on the first two duplicate ACKs (RFC 3042).
    pub limited_transmit: bool,
    /// The retransmission timer's clock and bounds, which its estimator shares.
    pub rto: Arc<RtoConfig>,
    /// Time by which a loss detector's own timers expire later than its rules say, as in a kernel whose clock ticks
    /// (Linux: two ticks). Zero with every profile.
    pub timer_slack: Duration,
    /// Restart the retransmission timer whenever the oldest segment is sent again (Linux), also as a repair that was
    /// lost. False: only with the first one of a recovery, and for ACKs of new data (RFC 6298 section 5).
    pub restart_on_repair: bool,
    /// NewReno: restart the timer on the first partial ACK only ("impatient", RFC 6582 section 4).
    pub impatient: bool,
    /// Carry timestamps (RFC 7323): an RTT sample with every ACK of new data.
    pub timestamps: bool,
    /// Errors of the hosts' clocks, which show in one-way delays by timestamps; `None` for exact clocks.
    /// Round trips are always exact. For one-way flows only: each end of a [`Connection`](super::Connection)
    /// is sender and receiver.
    pub clocks: Option<Clocks>,
    /// The receiver sends SACK blocks (RFC 2018). [`Self::new`] sets it where the recovery or the detection
    /// needs them, and with the profiles `rfc` and `linux` always.
    pub sack: bool,
    /// The receiver reports data that came twice, by D-SACK (RFC 2883).
    pub dsack: bool,
    /// Routers may mark data instead of dropping it, and the sender answers as to a loss (RFC 3168).
    pub ecn: bool,
    /// Rules by which an ECN sender answers marks.
    pub ecn_rules: EcnRules,
    /// The receiver echoes each ECN mark exactly, and acknowledges at once where marks begin and end (RFC
    /// 8257 section 3.2); a loss in a window of data that was cut for a mark then brings a further cut.
    /// False: it echoes from the first mark until the sender answers (RFC 3168).
    pub exact_echo: bool,
    /// ECN-capable data carries ECT(1), by which queues know senders of low latency (RFC 9331), also when it is
    /// sent again.
    pub l4s: bool,
    /// An ECN mark cuts the window less than a loss does (RFC 8511): Reno keeps 0.8 of it, CUBIC 0.85. Other
    /// congestion controls ignore this.
    pub abe: bool,
    /// The sender does not cut its window for a loss if an explicit loss notification says that the channel,
    /// not a queue, lost the segment (Balakrishnan and Katz 1998).
    pub eln: bool,
    /// The receiver tells the sender about the path of the data, beside TCP's own fields: for how long radio
    /// stations contended for the channel, and routers' warnings of congestion.
    pub hints: bool,
    /// Bound the data outstanding, beside cwnd, by how long radio stations contend for the channel
    /// (Hamadani and Rakocevic, in Francis 2012, section 3.1.4). Needs `hints`.
    pub contention_control: bool,
    /// Source of the pace at which segments leave.
    pub pacing: PacingConfig,
    /// How the connection begins.
    pub handshake: Handshake,
    /// A FIN goes out although the congestion window is full, as in Linux.
    pub fin_ignores_window: bool,
    /// Whether the sender closes the connection with a FIN after its last data; false: it just stops sending.
    pub fin: bool,
    /// When the receiver acknowledges.
    pub acking: Acking,
    /// Initial sequence number of the sender.
    pub iss: u32,
}

names! {
    /// Known TCP stack whose defaults a configuration takes for everything but its policies.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Profile {
        /// ns-2.35's one-way agents.
        Ns2 = "ns2",
        /// Descendants of 4.3BSD: coarse clocks, a first window of one segment.
        Bsd = "bsd",
        /// Today's RFCs: a first window of ten segments, delayed ACKs, SACK, D-SACK and timestamps.
        Rfc = "rfc",
        /// Linux 6: as "rfc", but with `min_rto` and `tick` of 200 ms (the RTO is at least 200 ms more than the
        /// smoothed round trip), `max_rto` of 2 min, whole thresholds, ACKs that count what they deliver,
        /// delayed ACKs after 40 ms, every sign of `undo`, `restart_on_repair`, and HyStart if the law is CUBIC.
        Linux = "linux",
    }
}

impl TcpConfig {
    /// Configuration with these policies, and the defaults of `profile` for everything else; SACK, ECN and
    /// timestamps are on where a policy needs them.
    pub fn new(profile: Profile, composition: Composition) -> Self {
        let ticks = |granularity, min, initial| RtoConfig {
            arithmetic: RtoArithmetic::Ticks,
            granularity: Duration::from_millis(granularity),
            min: Duration::from_millis(min),
            max: Duration::from_secs(60),
            initial: Duration::from_millis(initial),
        };
        let needs_ecn = composition.congestion.needs_ecn();
        let common = Self {
            mss: 1460,
            header: TCP_HEADER_BYTES,
            rwnd: 1 << 20,
            initial_window: Segments(2.0),
            loss_window: Segments::ONE,
            initial_ssthresh: None,
            max_cwnd: Segments(f64::INFINITY),
            restart_after_idle: false,
            whole_ssthresh: true,
            hold_ssthresh: false,
            slow_start: SlowStartConfig::Standard,
            undo: UndoConfig::default(),
            counting: Counting::Acks,
            usage: Usage::AtAck,
            limited_transmit: composition.recovery.limited_transmit(),
            rto: Arc::new(ticks(10, 200, 3000)),
            timer_slack: Duration::ZERO,
            restart_on_repair: false,
            impatient: true,
            timestamps: composition.congestion.indicator().is_some(),
            clocks: None,
            sack: composition.recovery.uses_sack() || composition.detection.needs_sack(),
            dsack: false,
            ecn: needs_ecn != NeedsEcn::Nothing || composition.detection.needs_ecn(),
            exact_echo: needs_ecn != NeedsEcn::Nothing,
            l4s: needs_ecn == NeedsEcn::L4s,
            ecn_rules: EcnRules::Rfc3168,
            abe: false,
            eln: false,
            hints: false,
            contention_control: false,
            pacing: PacingConfig::Off,
            handshake: Handshake::ThreeWay,
            fin_ignores_window: false,
            fin: false,
            acking: Acking::EverySegment,
            iss: 0,
            composition,
        };
        match profile {
            Profile::Linux => Self {
                // `tcp_rto_min` bounds the variance term, so that the RTO is at least 200 ms more than
                // the smoothed round trip.
                rto: Arc::new(RtoConfig {
                    granularity: Duration::from_millis(200),
                    min: Duration::from_millis(200),
                    max: Duration::from_secs(120),
                    ..RtoConfig::EXACT
                }),
                // `tcp_cong_avoid` is given what an ACK delivers.
                counting: Counting::Delivered,
                // `tcp_xmit_retransmit_queue`.
                restart_on_repair: true,
                whole_ssthresh: true,
                slow_start: common.composition.congestion.slow_start(),
                undo: UndoConfig::ALL,
                acking: Acking::delayed(2, Duration::from_millis(40)),
                ..Self::new(Profile::Rfc, common.composition)
            },
            Profile::Ns2 => Self {
                ecn_rules: EcnRules::Ns2,
                ..common
            },
            Profile::Bsd => Self {
                initial_window: Segments(1.0),
                limited_transmit: false,
                rto: Arc::new(ticks(500, 1000, 3000)),
                fin: true,
                acking: Acking::DELAYED,
                ..common
            },
            Profile::Rfc => Self {
                initial_window: Segments(10.0),
                restart_after_idle: true,
                whole_ssthresh: false,
                hold_ssthresh: true,
                counting: Counting::Bytes(2),
                rto: Arc::new(RtoConfig::EXACT),
                timestamps: true,
                sack: true,
                dsack: true,
                fin: true,
                acking: Acking::DELAYED,
                ..common
            },
        }
    }

    /// Facts about the connection from which its policies are built. `law_owns_window` is false in them: the sender
    /// sets it when it has built the congestion control.
    pub fn setup(&self) -> Setup {
        Setup {
            mss: self.mss,
            initial_window: self.initial_window.min(self.max_cwnd),
            first_data: self.handshake.span(),
            loss_window: self.loss_window,
            impatient: self.impatient,
            sack: self.sack,
            recovery_uses_sack: self.composition.recovery.uses_sack(),
            ack_delay: self.acking.longest_delay(),
            tick: self.rto.granularity,
            timer_slack: self.timer_slack,
            ecn: self.ecn,
            law_owns_window: false,
        }
    }

    /// Reading of the receiver's clock at the time `now`.
    #[inline]
    pub(super) fn receiver_reads(&self, now: Time) -> Time {
        self.clocks.map_or(now, |clocks| clocks.receiver.read(now))
    }

    /// From the sending at `sent` to the receiver's reading `came`, by the clocks of both.
    pub(super) fn one_way(&self, sent: Time, came: Time) -> Offset {
        match &self.clocks {
            Some(clocks) => clocks.one_way(sent, came),
            None => came.offset_from(sent),
        }
    }

    /// Bytes on the wire of a segment: [`Self::header`], timestamps (12 with padding, RFC 7323), other
    /// options ([`crate::packet::Options::wire_len`]) and payload.
    #[inline]
    pub fn wire_size(&self, segment: &Segment) -> u32 {
        let timestamps = if segment.timestamps.is_some() { 12 } else { 0 };
        self.header + segment.options.wire_len() + timestamps + segment.len
    }
}
