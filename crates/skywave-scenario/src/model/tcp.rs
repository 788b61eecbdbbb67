//! The part of the model that describes a transport: presets, slots, parameters.

use serde::Deserialize;
use skywave_core::tcp::{EcnRules, PacingConfig, RtoArithmetic, SlowStartConfig};

use crate::model::member::{CongestionModel, DetectionModel, RecoveryModel, TimeoutModel};
use crate::model::named::NamedModel;
use crate::model::number::Count;
use crate::model::optional::WtcpModel;
use crate::model::quic::QuicModel;
use crate::model::units::{Period, Window};
use crate::read::spanned::Spanned;

/// A transport protocol.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum TransportModel {
    /// The name of a preset of TCP or QUIC, "wtcp" or "udp".
    #[serde(rename = "$scalar")]
    Preset(String),
    /// A preset with other members in some slots, or QUIC or WTCP with other parameters.
    #[serde(rename = "$table")]
    Composed(Box<ComposedModel>),
}

/// A preset with other members in some slots, or QUIC or WTCP with other parameters. A member is written by its name,
/// or with parameters as in `congestion = { cerl = { a = 0.3 } }`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ComposedModel {
    /// The preset to start from; default "reno", with `quic` "quic".
    pub(crate) preset: Option<Spanned<String>>,
    /// When a segment counts as lost. Not with QUIC; default that of the preset.
    pub(crate) detection: Option<DetectionModel>,
    /// Segments that the sender sends while it repairs a loss. Not with QUIC, which has a recovery of its own;
    /// default that of the preset.
    pub(crate) recovery: Option<RecoveryModel>,
    /// How the window grows and shrinks; default that of the preset.
    pub(crate) congestion: Option<CongestionModel>,
    /// How the sender answers a retransmission timeout. Not with QUIC, which has probes of its own; default that
    /// of the preset.
    pub(crate) timeout: Option<TimeoutModel>,
    /// Settings of QUIC, with a preset of QUIC or none; default none.
    pub(crate) quic: Option<Spanned<QuicModel>>,
    /// WTCP with these parameters, in place of TCP. No other key then; default none.
    pub(crate) wtcp: Option<Spanned<WtcpModel>>,
}

/// Settings that a profile gives, one by one. What the path tells the ends (`ecn`, `eln`, `hints`), a milder
/// answer to it (`abe`), and an even pace (`pacing`), are off unless they are set here. Where a default is by profile, "linux" has that of "rfc"
/// unless the profile itself says otherwise.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct TcpModel {
    /// First congestion window; default by profile: rfc 10, ns2 2, bsd 1 segments.
    pub(crate) initial_window: Option<Window>,
    /// Window with which slow start begins again after a timeout, and after Tahoe's fast retransmit. SIFEST's
    /// larger initial window (LIW) is 2 segments here and in `initial_window`; default one segment.
    pub(crate) loss_window: Option<Window>,
    /// First slow start threshold; default the receiver's window.
    pub(crate) initial_ssthresh: Option<Window>,
    /// Rule that ends slow start besides a loss; default "standard", with `profile = "linux"` and CUBIC "hystart".
    pub(crate) slow_start: Option<NamedModel<SlowStartConfig>>,
    /// Signs by which a cut of the window is found to be a mistake and taken back; "eifel" needs `timestamps`, and
    /// "d-sack" `dsack`; default [], with `profile = "linux"` all.
    pub(crate) undo: Option<Vec<UndoModel>>,
    /// The congestion window grows no further than this; a cap apart from `rwnd`; default no cap.
    pub(crate) max_cwnd: Option<Window>,
    /// Begin again with the initial window after an idle time of more than the RTO (RFC 5681 section 4.1);
    /// default by profile: rfc true, the others false.
    pub(crate) restart_after_idle: Option<bool>,
    /// Keep the slow start threshold in whole segments; default by profile: rfc false, the others true.
    pub(crate) whole_ssthresh: Option<bool>,
    /// Keep the slow start threshold when the retransmission timer expires again for one segment (RFC 5681 section
    /// 3.1), under laws that do not own the window; default by profile: rfc true, the others false.
    pub(crate) hold_ssthresh: Option<bool>,
    /// Restart the retransmission timer whenever the oldest segment is sent again, not only with the first one of a
    /// recovery; default by profile: linux true, the others false.
    pub(crate) restart_on_repair: Option<bool>,
    /// Smallest RTO; default by profile: rfc and bsd "1s", ns2 "200ms".
    pub(crate) min_rto: Option<Period>,
    /// Largest RTO; default "60s".
    pub(crate) max_rto: Option<Period>,
    /// RTO before the first sample; default by profile: rfc "1s", the others "3s".
    pub(crate) initial_rto: Option<Period>,
    /// Tick of the timer's clock; default by profile: rfc "1ms", ns2 "10ms", bsd "500ms".
    pub(crate) tick: Option<Period>,
    /// How the RTT estimator counts; default by profile: rfc "exact", the others "ticks".
    pub(crate) arithmetic: Option<NamedModel<RtoArithmetic>>,
    /// Send new data on the first two duplicate ACKs (RFC 3042); default by profile: bsd false, the others
    /// true; false where the recovery sends nothing on duplicate ACKs.
    pub(crate) limited_transmit: Option<bool>,
    /// Carry timestamps: an RTT sample with every ACK (RFC 7323); default by profile: rfc true, the others
    /// false.
    pub(crate) timestamps: Option<bool>,
    /// The receiver reports the blocks that it holds (RFC 2018). Recoveries and detections that need it set it;
    /// with "rack" and "ncr" it may be switched off, and TCP-NCR then counts three duplicate ACKs as usual;
    /// default by profile: rfc true, the others where it is needed.
    pub(crate) sack: Option<Spanned<bool>>,
    /// The receiver reports duplicates (RFC 2883). RACK's reordering window adapts to them; default by profile:
    /// rfc true, the others false.
    pub(crate) dsack: Option<bool>,
    /// Data are ECN-capable (RFC 3168): a RED queue with `ecn = true` marks them instead of dropping them
    /// early, while the drop probability that its average asks for is below `mark_p`. The sender cuts its
    /// window once for a window of marked data, as for a loss; default false, with laws that need it true.
    pub(crate) ecn: Option<bool>,
    /// Rules that a sender with ECN follows where RFC 3168 and ns-2 differ:
    /// docs/scenarios.md#ecn-in-rfc-3168-and-in-ns-2; default by profile: ns2 "ns2", the others "rfc3168".
    pub(crate) ecn_rules: Option<NamedModel<EcnRules>>,
    /// The receiver echoes every mark as it comes, not from the first one on until the sender answers, and
    /// acknowledges at once where marks begin and end (RFC 8257 section 3.2). Laws that count marks need it;
    /// needs `ecn`; default false, with "dctcp" and "prague" true, as `ecn` then.
    pub(crate) exact_echo: Option<bool>,
    /// Data carries ECT(1), by which a `dualpi2` queue knows senders of low latency (RFC 9331), also when it is sent
    /// again; needs `ecn`; default false, with "prague" true.
    pub(crate) l4s: Option<bool>,
    /// A mark cuts the window to 0.8 with Reno's law and to 0.85 with CUBIC, where a loss cuts it to 0.5 and 0.7
    /// (RFC 8511); other laws go their own way; needs `ecn`; default false.
    pub(crate) abe: Option<bool>,
    /// Explicit loss notification: after a lossy link, a link with `arq` that gave a packet up, or a blackout
    /// has lost data, the flow's next packet says so. The sender sends again what the channel lost, and does
    /// not cut its window; default false.
    pub(crate) eln: Option<bool>,
    /// The receiver tells the window law for how long 802.11 stations contended for the channel, and of
    /// congestion warnings. Only laws that listen do anything with it; default false.
    pub(crate) hints: Option<bool>,
    /// Data in flight are bounded beside the window, by how long 802.11 stations contend for the channel
    /// (docs/mechanisms/contention-control.md); sets `hints`; default false.
    pub(crate) contention_control: Option<bool>,
    /// Source of the pace at which segments leave; default "off".
    pub(crate) pacing: Option<NamedModel<PacingConfig>>,
    /// NewReno restarts the timer on the first partial ACK only (RFC 6582 section 4); default true.
    pub(crate) impatient: Option<bool>,
    /// No second fast retransmit below the highest sequence number that was sent at the first; default true,
    /// with CERL false.
    pub(crate) avoid_repeated_recovery: Option<bool>,
    /// How an ACK counts towards growth of the window; default by profile: rfc { bytes = 2 }, the others
    /// "acks".
    pub(crate) counting: Option<CountingModel>,
    /// Initial sequence number, up to 4294967295; default 0.
    pub(crate) iss: Option<u32>,
}

/// A sign that what was sent again had not been lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum UndoModel {
    /// The answer echoes a timestamp from before the retransmission (Eifel, RFC 3522); needs timestamps.
    Eifel,
    /// The receiver reports all that was sent again as duplicates (RFC 3708); needs `dsack`.
    DSack,
    /// After a timeout, the second ACK reports data that was not sent again (F-RTO, RFC 5682). The sender sends
    /// two new segments on the first one to find out.
    FRto,
}

/// How an ACK counts towards growth of the window.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CountingModel {
    /// Each ACK of new data counts once.
    Acks,
    /// Acknowledged bytes count, at most this many segments an ACK.
    Bytes(Count),
    /// Bytes that an ACK reports for the first time count, cumulatively or by a SACK block, as in Linux: the ACK
    /// that ends a repair counts little.
    Delivered,
}
