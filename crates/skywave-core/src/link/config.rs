//! The configuration of a link, as plain data.

use std::sync::Arc;

use crate::time::{Duration, Time};
use crate::units::Rate;

use super::discipline::{CoDelConfig, DualPi2Config, FqCoDelConfig, PieConfig};
use super::policer::Policer;
use super::shaper::Shaper;
use super::trace::Trace;

/// One direction of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfig {
    /// How packets leave the queue.
    pub service: Service,
    /// Propagation delay.
    pub delay: Duration,
    /// What exceeds its rate is dropped before everything else.
    pub policer: Option<Policer>,
    /// What exceeds its rate waits before the transmitter; only with a constant rate, without contention.
    pub shaper: Option<Shaper>,
    /// Random addition to the propagation delay; keeps order.
    pub jitter: Option<Jitter>,
    /// Rate and delay change in steps; the rate only where it is a constant one, without contention.
    pub steps: Option<Arc<Steps>>,
    /// The queue before the transmitter.
    pub queue: QueueConfig,
    /// Packets that the device takes from the queue ahead of their transmission, as the transmit ring of
    /// a network card does: the queue discipline does not see them any more. Only of a
    /// [`TimedLink`](super::TimedLink); elsewhere a longer queue is the same.
    pub ring: u32,
    /// Channel loss; several models act one after the other.
    pub loss: Vec<LossConfig>,
    /// Whether a lost packet has used the queue and the transmitter.
    pub loss_at: LossAt,
    /// Times without any transmission reaching the other side; sorted, not overlapping.
    pub blackouts: Vec<Blackout>,
    /// Probability that a packet arrives damaged (the host drops it, the cause is recorded).
    pub corruption: f64,
    /// Probability that a packet arrives twice.
    pub duplication: f64,
    /// Packets that later ones overtake.
    pub reordering: Option<Reordering>,
    /// Forward error correction.
    pub fec: Option<Fec>,
    /// Other stations contend for the channel; only with a constant rate and without ARQ.
    pub contention: Option<Contention>,
    /// Retransmission by the link; such a link is a [`TimedLink`](super::TimedLink).
    pub arq: Option<Arq>,
}

/// How packets leave the queue.
#[derive(Clone, Debug, PartialEq)]
pub enum Service {
    /// At a constant rate.
    Rate(Rate),
    /// At the recorded opportunities of a cellular link, repeated for ever.
    Trace(Arc<Trace>),
}

impl LinkConfig {
    /// Long-run capacity: of a shaped link that of the shaper, of steps and traces the mean over time.
    pub fn mean_rate(&self) -> Rate {
        let shaped = |rate: Rate| match self.shaper {
            Some(shaper) => rate.min(shaper.rate),
            None => rate,
        };
        let steps = self.steps.as_ref().and_then(|steps| steps.share.as_ref());
        match (&self.service, steps) {
            (Service::Rate(rate), None) => shaped(*rate),
            (Service::Rate(rate), Some(share)) => {
                Rate::from_bps((rate.as_bps() as f64 * share.mean()) as u64)
            }
            (Service::Trace(trace), _) => trace.mean_rate(),
        }
    }

    /// The same, or the rate of the policer if that lets less pass.
    pub fn allowed_rate(&self) -> Rate {
        let rate = self.mean_rate();
        let policer = self.policer.as_ref();
        policer.map_or(rate, |policer| rate.min(policer.rate))
    }
}

/// Random addition to the propagation delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Jitter {
    /// Uniform on [low, high).
    Uniform(Duration, Duration),
    /// Exponential with this mean.
    Exponential(Duration),
}

/// Rate and delay that change in steps of equal length, from time zero on.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    /// Length of a step. A packet that takes many steps takes as many computations.
    pub every: Duration,
    /// Share of the rate in a step, above 0 and at most 1; `None` for the whole rate at all times.
    pub share: Option<StepValues<f64>>,
    /// Addition to the delay of packets whose transmission ends in a step; keeps order.
    pub delay: Option<StepValues<Duration>>,
}

/// The values of steps.
#[derive(Clone, Debug, PartialEq)]
pub enum StepValues<T> {
    /// These in turn, again and again.
    InTurn(Vec<T>),
    /// One of these, drawn for each step.
    AnyOf(Vec<T>),
    /// Drawn for each step, uniform on [low, high).
    Uniform(T, T),
}

impl StepValues<f64> {
    /// The mean over many steps; without values nothing changes.
    fn mean(&self) -> f64 {
        match self {
            Self::InTurn(values) | Self::AnyOf(values) if values.is_empty() => 1.0,
            Self::InTurn(values) | Self::AnyOf(values) => {
                values.iter().sum::<f64>() / values.len() as f64
            }
            Self::Uniform(low, high) => f64::midpoint(*low, *high),
        }
    }
}

/// Queue discipline and its limit.
///
/// A tail drop limit in packets counts the packet in transmission: n − 1 may wait, as in ns-2. Limits in
/// bytes and those of all other disciplines count only what waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueConfig {
    /// Tail drop.
    DropTail(Limit),
    /// Random early detection (Floyd and Jacobson 1993).
    Red(RedConfig),
    /// Marks above a threshold.
    Step(StepConfig),
    /// CoDel (RFC 8289).
    CoDel(CoDelConfig),
    /// FQ-CoDel (RFC 8290).
    FqCoDel(FqCoDelConfig),
    /// PIE (RFC 8033).
    Pie(PieConfig),
    /// DualPI2 (RFC 9332).
    DualPi2(DualPi2Config),
}

impl QueueConfig {
    /// Capacity.
    pub fn limit(&self) -> Limit {
        match self {
            Self::DropTail(limit) => *limit,
            Self::Red(red) => red.limit,
            Self::Step(step) => step.limit,
            Self::CoDel(codel) => codel.limit,
            Self::FqCoDel(fq) => fq.codel.limit,
            Self::Pie(pie) => pie.limit,
            Self::DualPi2(dual) => dual.limit,
        }
    }

    /// It may mark packets that are ECN-capable.
    pub fn marks(&self) -> bool {
        match self {
            Self::DropTail(_) => false,
            Self::Red(red) => red.mark_p.is_some(),
            Self::Step(_) | Self::DualPi2(_) => true,
            Self::CoDel(codel) => codel.ecn,
            Self::FqCoDel(fq) => fq.codel.ecn,
            Self::Pie(pie) => pie.mark_p.is_some(),
        }
    }

    /// The fate of a packet is known when it arrives. Other disciplines need a
    /// [`TimedLink`](super::TimedLink).
    pub fn decides_on_arrival(&self) -> bool {
        match self {
            Self::DropTail(_) | Self::Red(_) | Self::Step(_) => true,
            Self::CoDel(_) | Self::FqCoDel(_) | Self::Pie(_) | Self::DualPi2(_) => false,
        }
    }
}

/// Marks each ECN-capable packet that finds more than a threshold waiting, as switches do for DCTCP
/// (RFC 8257 section 3.1), or while the average queue is longer: TCP New Jersey's congestion warning. Drops
/// when full, as tail drop does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepConfig {
    /// Capacity.
    pub limit: Limit,
    /// What may wait without a mark, in the limit's unit; the packet in transmission does not count.
    pub threshold: u64,
    /// Weight of a sample in the average that is compared with the threshold, above 0 and at most 1; `None` to
    /// compare the queue itself.
    pub weight: Option<f64>,
}

/// Capacity of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// In packets of any size.
    Packets(u32),
    /// In bytes.
    Bytes(u64),
}

impl Limit {
    /// A packet of `size` bytes may join when this number and these bytes wait.
    #[inline]
    pub(super) fn has_room(self, (packets, bytes): (usize, u64), size: u32) -> bool {
        match self {
            Self::Packets(limit) => packets < limit as usize,
            Self::Bytes(limit) => bytes + u64::from(size) <= limit,
        }
    }

    /// How much waits, in the limit's unit, when this number and these bytes do.
    #[inline]
    pub(super) fn level(self, (packets, bytes): (usize, u64)) -> u64 {
        match self {
            Self::Packets(_) => packets as u64,
            Self::Bytes(_) => bytes,
        }
    }
}

/// Random early detection; thresholds in the limit's unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedConfig {
    /// Capacity; its unit is that of the average and of the thresholds too.
    pub limit: Limit,
    /// Average below which nothing is dropped.
    pub min_threshold: f64,
    /// Average from which all (or, when gentle, a rising share) is dropped.
    pub max_threshold: f64,
    /// Drop probability at `max_threshold`.
    pub max_p: f64,
    /// Weight of a new sample in the average.
    pub weight: f64,
    /// Between `max_threshold` and twice that, raise the probability from `max_p` to 1.
    pub gentle: bool,
    /// Space drops evenly by waiting (ns-2's `wait_`), instead of the 1993 paper's rule.
    pub wait: bool,
    /// Packet size in bytes that stands for one packet when the average ages over an idle period,
    /// and that scales the probability in byte mode.
    pub mean_packet: u32,
    /// Mark an ECN-capable packet instead of dropping it early (RFC 3168 section 7), as long as the drop
    /// probability that the average asks for is below this (ns-2's `mark_p_`, 0.1 there); `None` to
    /// drop. A full queue always drops.
    pub mark_p: Option<f64>,
}

/// A channel loss model.
#[derive(Clone, Debug, PartialEq)]
pub enum LossConfig {
    /// Each packet is lost with this probability.
    Bernoulli(f64),
    /// Exponentially distributed gaps between losses, rounded up to whole packets so that their
    /// mean is 1/p; 0 is never.
    ExponentialPackets(f64),
    /// Exponentially distributed gaps between byte errors; the argument is the mean gap in bytes.
    /// A packet with an error in it is lost.
    ExponentialBytes(f64),
    /// Two states, good and bad, stepped once a packet, before its loss is drawn; good at first.
    GilbertElliottPackets(GilbertElliott),
    /// Two states, good and bad, with exponentially distributed stays; good at first.
    GilbertElliottTime {
        /// Mean stay in the good state.
        good: Duration,
        /// Mean stay in the bad state.
        bad: Duration,
        /// Loss probability of a packet in the good state.
        loss_good: f64,
        /// Loss probability of a packet in the bad state.
        loss_bad: f64,
    },
    /// Every `every`th packet is lost, the first one being number `first` (from 1). With `every` 0
    /// only that one.
    Periodic {
        /// Distance between losses in packets.
        every: u64,
        /// Number of the first lost packet, from 1.
        first: u64,
    },
    /// Exactly these packets are lost (from 1, in order of arrival; sorted).
    Packets(Arc<[u64]>),
}

/// The per-packet two-state channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GilbertElliott {
    /// P(good → bad) at each packet (SIFEST's α).
    pub to_bad: f64,
    /// P(bad → good) at each packet (SIFEST's β).
    pub to_good: f64,
    /// Loss probability in the good state (x).
    pub loss_good: f64,
    /// Loss probability in the bad state (y).
    pub loss_bad: f64,
}

/// Where a channel loss happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LossAt {
    /// Before the queue: a lost packet uses no capacity (ns-2's `lossmodel`).
    #[default]
    Head,
    /// At the end of the transmission: a lost packet has used its share of the link.
    Tail,
}

/// A time in which packets are lost whose transmission ends in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blackout {
    /// First moment of the outage.
    pub start: Time,
    /// First moment after it.
    pub end: Time,
}

/// Reordering: chosen packets get an extra delay, and later ones overtake them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reordering {
    /// Probability that a packet is delayed.
    pub probability: f64,
    /// Its extra delay.
    pub delay: Duration,
}

/// Forward error correction: every packet carries redundancy, which repairs some of those that the
/// loss models corrupt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fec {
    /// Code rate in (0, 1]: a packet takes 1/rate of its bytes on the air.
    pub rate: f64,
    /// Probability that a corrupted transmission is repaired, each independently.
    pub repair: f64,
}

/// Retransmission by the link (TCP-DCR, sections 3.5 and 4); see [`TimedLink`](super::TimedLink).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arq {
    /// Time from the end of a failed transmission until the packet is back at the head of the
    /// queue; `None` for a round trip of the link, twice its delay.
    pub round_trip: Option<Duration>,
    /// Most retransmissions of a packet, then it is given up; `None` for no limit.
    pub retries: Option<u32>,
    /// Deliver in the order of the first transmissions: what comes after a missing packet waits at
    /// the far side until that is repaired or given up.
    pub in_order: bool,
    /// Whether the loss models see retransmissions too. (Blackouts always do.)
    pub errors_on_retransmissions: bool,
}

impl Default for Arq {
    /// As in TCP-DCR's simulations.
    fn default() -> Self {
        Self {
            round_trip: None,
            retries: None,
            in_order: false,
            errors_on_retransmissions: true,
        }
    }
}

/// A channel that other stations contend for, by binary exponential backoff.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contention {
    /// Length of a slot.
    pub slot: Duration,
    /// The first window: an attempt comes after 0 to `window` − 1 slots.
    pub window: u32,
    /// The window doubles with each failure up to this.
    pub max_window: u32,
    /// Probability that an attempt fails, below 1: another station has the channel, or both collide.
    pub failure: f64,
    /// Mean time for which the other station has the channel then; exponential.
    pub hold: Duration,
    /// Once it has the channel, a station sends all that is queued; else it contends for each packet.
    pub capture: bool,
}

impl LinkConfig {
    /// Packets do not leave in the order and at the times that are known when they arrive: the link is a
    /// [`TimedLink`](super::TimedLink).
    pub fn needs_time(&self) -> bool {
        self.arq.is_some() || !self.queue.decides_on_arrival()
    }

    /// A clean link: no loss, no jitter.
    pub fn new(rate: Rate, delay: Duration, queue: QueueConfig) -> Self {
        Self {
            service: Service::Rate(rate),
            delay,
            policer: None,
            shaper: None,
            jitter: None,
            steps: None,
            queue,
            ring: 0,
            loss: Vec::new(),
            loss_at: LossAt::Head,
            blackouts: Vec::new(),
            corruption: 0.0,
            duplication: 0.0,
            reordering: None,
            fec: None,
            contention: None,
            arq: None,
        }
    }
}
