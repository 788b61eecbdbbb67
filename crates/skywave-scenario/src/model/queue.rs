//! Queue disciplines.

use serde::Deserialize;

use crate::model::number::{Count, Positive, Probability};
use crate::model::units::{Bytes, Duration, Level, Limit, Room};
use crate::read::spanned::Spanned;

/// A queue discipline.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum QueueModel {
    /// Drop what comes when the queue is at this limit. A limit in packets counts the packet in transmission; one
    /// in bytes or in time does not. A time stands for the bytes that the link sends in it at its mean rate. In
    /// `radio`, a limit in packets does not count the one in service.
    Droptail(Room),
    /// Random early detection: drop, or mark, before the queue is full.
    Red(RedModel),
    /// Marks packets of ECN-capable flows above a threshold, as switches do for DCTCP.
    Step(StepModel),
    /// CoDel (RFC 8289): drops at the head when packets wait too long for too long; `{}` for its defaults.
    Codel(CodelModel),
    /// FQ-CoDel (RFC 8290): CoDel for each flow, and flows take turns; `{}` for its defaults.
    FqCodel(FqCodelModel),
    /// PIE (RFC 8033): drops on arrival with a probability that a controller moves; `{}` for its defaults.
    Pie(PieModel),
    /// DualPI2 (RFC 9332): a queue of low latency for senders that mark ECT(1), coupled with one for all others;
    /// `{}` for its defaults.
    #[serde(rename = "dualpi2")]
    DualPi2(DualPi2Model),
}

/// The queue of a MAC.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum MacQueueModel {
    #[serde(rename = "$scalar")]
    Limit(Limit),
    #[serde(rename = "$table")]
    Discipline(Spanned<QueueModel>),
}

/// Random early detection.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RedModel {
    /// Capacity, without the packet in transmission. The thresholds have its unit.
    pub(crate) limit: Room,
    /// Average queue from which packets are dropped; default a quarter of the limit.
    pub(crate) min: Option<Level>,
    /// Average queue from which all packets are dropped, or with `gentle` a rising share; default three
    /// quarters of the limit.
    pub(crate) max: Option<Level>,
    /// Drop probability at `max`; default 0.1.
    pub(crate) max_p: Option<Probability>,
    /// Weight of a sample in the average; default 0.002.
    pub(crate) weight: Option<Probability>,
    /// Raise the probability to 1 between `max` and twice `max`; default false.
    pub(crate) gentle: Option<bool>,
    /// Space drops evenly (ns-2's `wait_`); default true.
    pub(crate) wait: Option<bool>,
    /// Typical packet in bytes; default 500, as in ns-2.
    pub(crate) mean_packet: Option<Bytes>,
    /// Mark packets of ECN-capable flows instead of dropping them early; default false.
    pub(crate) ecn: Option<bool>,
    /// Mark while the drop probability that the average asks for is below this, and drop from there on; default
    /// 0.1, as in ns-2.
    pub(crate) mark_p: Option<Positive>,
}

/// Marks above a threshold.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct StepModel {
    /// Capacity.
    pub(crate) limit: Room,
    /// A packet that finds more than this waiting is marked; in the unit of `limit`.
    pub(crate) threshold: Level,
    /// Weight of a sample in the average that is compared with the threshold (TCP New Jersey's congestion
    /// warning); default the queue itself is compared.
    pub(crate) weight: Option<Probability>,
}

/// CoDel (RFC 8289).
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct CodelModel {
    /// Capacity; default "1000 packets".
    pub(crate) limit: Option<Room>,
    /// Time in the queue that is acceptable for good; default "5ms".
    pub(crate) target: Option<Duration>,
    /// Time for which packets may wait longer than the target before the first drop, the order of a
    /// large round trip; default "100ms".
    pub(crate) interval: Option<Duration>,
    /// Nothing is dropped while at most this waits; default "1500B".
    pub(crate) mtu: Option<Bytes>,
    /// Mark packets of ECN-capable flows instead of dropping them; default false.
    pub(crate) ecn: Option<bool>,
    /// Also mark each packet that waited longer than this; needs `ecn = true`; default never.
    pub(crate) ce_threshold: Option<Duration>,
}

/// FQ-CoDel (RFC 8290): the keys of CoDel, and those of its queues.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct FqCodelModel {
    /// Capacity of all queues together; default "10240 packets".
    pub(crate) limit: Option<Room>,
    /// Time in a queue that is acceptable for good; default "5ms".
    pub(crate) target: Option<Duration>,
    /// Time for which packets may wait longer than the target before the first drop; default "100ms".
    pub(crate) interval: Option<Duration>,
    /// Nothing is dropped while at most this waits in a queue; default "1500B".
    pub(crate) mtu: Option<Bytes>,
    /// Mark packets of ECN-capable flows instead of dropping them; default false.
    pub(crate) ecn: Option<bool>,
    /// Also mark each packet that waited longer than this; needs `ecn = true`; default never.
    pub(crate) ce_threshold: Option<Duration>,
    /// Number of queues that flows are hashed to; default 1024.
    pub(crate) queues: Option<Count>,
    /// What a queue may send in a turn; default "1514B".
    pub(crate) quantum: Option<Bytes>,
}

/// PIE (RFC 8033).
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct PieModel {
    /// Capacity; default "1000 packets".
    pub(crate) limit: Option<Room>,
    /// Time in the queue that is aimed at; default "15ms".
    pub(crate) target: Option<Duration>,
    /// Time between two updates of the probability; default "15ms".
    pub(crate) update: Option<Duration>,
    /// Weight of the distance from the target: an update adds this for each second above it; default 0.125.
    pub(crate) alpha: Option<Positive>,
    /// Weight of the trend: an update adds this for each second more than at the last update; default 1.25.
    pub(crate) beta: Option<Positive>,
    /// A burst after a time without queue is let through for this long; default "150ms".
    pub(crate) burst: Option<Duration>,
    /// Typical packet: two of them may always wait; default "1024B".
    pub(crate) mean_packet: Option<Bytes>,
    /// Mark packets of ECN-capable flows instead of dropping them; default false.
    pub(crate) ecn: Option<bool>,
    /// Mark while the probability is below this, and drop from there on; needs `ecn = true`; default 0.1.
    pub(crate) mark_p: Option<Probability>,
}

/// DualPI2 (RFC 9332): two queues under one controller.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct DualPi2Model {
    /// Capacity of both queues together; default "10000 packets".
    pub(crate) limit: Option<Room>,
    /// Time in the classic queue that is aimed at; default "15ms".
    pub(crate) target: Option<Duration>,
    /// Time between two updates of the probability; default "16ms".
    pub(crate) update: Option<Duration>,
    /// Weight of the distance from the target: an update adds this for each second above it; default 0.16.
    pub(crate) alpha: Option<Positive>,
    /// Weight of the trend: an update adds this for each second more than at the last update; default 3.2.
    pub(crate) beta: Option<Positive>,
    /// The coupling factor k: with the base probability p a classic packet is dropped or marked with p², one of
    /// low latency marked with k·p; default 2.
    pub(crate) coupling: Option<Positive>,
    /// A packet of low latency that has waited longer is marked in any case; default "1ms".
    pub(crate) step: Option<Duration>,
    /// A classic packet goes first when it has waited longer than the other queue's by this; default "50ms".
    pub(crate) shift: Option<Duration>,
}
