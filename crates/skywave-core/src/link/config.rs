//! The configuration of a link, as plain data.

use std::sync::Arc;

use crate::parameter::{names, parameters};
use crate::time::{Duration, Time};
pub use crate::units::Limit;
use crate::units::Rate;

use super::contention::Contention;
use super::discipline::QueueConfig;
use super::loss::LossConfig;
use super::policer::Policer;
use super::repair::{Arq, Fec};
use super::shaper::Shaper;
use super::trace::Trace;

/// Settings of one direction of a link: its rate, queue and delay, and what happens to packets on it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkConfig {
    /// Rate at which packets leave the queue: constant, or that of a recorded trace.
    pub service: Service,
    /// Propagation delay, one way.
    pub delay: Duration,
    /// Token bucket before everything else that drops packets beyond its rate and burst; `None` for no policer.
    pub policer: Option<Policer>,
    /// Token bucket that delays packets beyond its rate, before the transmitter; only with a
    /// constant rate, without contention.
    pub shaper: Option<Shaper>,
    /// Random addition to the propagation delay; packets keep their order.
    pub jitter: Option<Jitter>,
    /// Changes of rate and delay in steps; changes of the rate need a constant `service`, without contention or shaper.
    pub steps: Option<Arc<Steps>>,
    /// The queue before the transmitter.
    pub queue: QueueConfig,
    /// Number of packets that the device takes from the queue ahead of their transmission, as the transmit ring of a
    /// network card does: the queue discipline does not see them any more. Only a [`TimedLink`](super::TimedLink) has
    /// a ring; for other links a longer queue does the same.
    pub ring: u32,
    /// Models of channel loss, all in effect: a packet is lost if any of them loses it.
    pub loss: Vec<LossConfig>,
    /// Place of the channel loss, and so whether a lost packet has used the queue and the transmitter. Without effect
    /// with `arq`: the loss models then act at the end of transmissions.
    pub loss_at: LossAt,
    /// Outages: a transmission fails if it ends in one, whenever it began; sorted, not overlapping.
    pub blackouts: Vec<Blackout>,
    /// Probability that a packet arrives damaged (the host drops it, the cause is recorded).
    pub corruption: f64,
    /// Probability that a packet arrives twice.
    pub duplication: f64,
    /// Extra delay of some packets, so that later ones overtake them.
    pub reordering: Option<Reordering>,
    /// Forward error correction; `None` for no code.
    pub fec: Option<Fec>,
    /// Contention with other stations for the channel; `None` for a channel of the link's own. Only a
    /// [`Link`](super::Link) of a constant rate without a shaper can have it: others panic when they are made.
    pub contention: Option<Contention>,
    /// Retransmission by the link, which must then be a [`TimedLink`](super::TimedLink); `None` for no ARQ.
    pub arq: Option<Arq>,
}

/// Rate at which packets leave the queue of a link.
#[derive(Clone, Debug, PartialEq)]
pub enum Service {
    /// Constant rate.
    Rate(Rate),
    /// Delivery opportunities of a recorded cellular link, repeated for ever.
    Trace(Arc<Trace>),
}

impl LinkConfig {
    /// Settings of a clean link, with only a constant rate, a propagation delay and a queue: no loss, no jitter.
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

    /// Whether the link must be a [`TimedLink`](super::TimedLink): with ARQ, or with a queue discipline that decides
    /// when packets leave, a packet's fate is not known when it arrives at the link.
    pub fn needs_time(&self) -> bool {
        self.arq.is_some() || !self.queue.decides_on_arrival()
    }

    /// Long-run capacity: the constant rate, or the shaper's where that is lower; of steps and traces the
    /// mean over time.
    pub fn mean_rate(&self) -> Rate {
        let steps = self.steps.as_ref().and_then(|steps| steps.share.as_ref());
        match (&self.service, steps) {
            (Service::Rate(rate), None) => self.shaper.map_or(*rate, |s| s.rate.min(*rate)),
            (Service::Rate(rate), Some(share)) => {
                Rate::from_bps((rate.as_bps() as f64 * share.mean()) as u64)
            }
            (Service::Trace(trace), _) => trace.mean_rate(),
        }
    }

    /// Long-run rate that the link lets pass: its mean rate, or the rate of the policer if that is
    /// lower.
    pub fn allowed_rate(&self) -> Rate {
        let rate = self.mean_rate();
        self.policer.map_or(rate, |policer| rate.min(policer.rate))
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

/// Changes of a link's rate and delay in steps of equal length, from time zero on.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps {
    /// Length of a step of rate and delay. A packet whose transmission lasts many steps costs as many computations.
    pub every: Duration,
    /// Share of the link's rate that a step has, above 0 and at most 1; `None` for the whole rate at all times.
    pub share: Option<StepValues<f64>>,
    /// Addition to the propagation delay of packets whose transmission ends in a step; packets keep their
    /// order. `None` for no addition.
    pub delay: Option<StepValues<Duration>>,
}

/// Values of a link's rate or delay, one for each step of equal length.
#[derive(Clone, Debug, PartialEq)]
pub enum StepValues<T> {
    /// Values taken in turn, again and again, one a step.
    InTurn(Vec<T>),
    /// Values of which one is drawn for each step.
    AnyOf(Vec<T>),
    /// Bounds [low, high) of a uniform distribution from which the value of each step is drawn.
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

names! {
    /// Where a channel loss happens.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub enum LossAt {
        /// Before the queue: a lost packet uses no capacity.
        // As ns-2's `lossmodel`.
        Head = "head" default,
        /// After the transmission: a lost packet has used its capacity.
        Tail = "tail",
    }
}

/// Outage of a link: packets whose transmission ends in it are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blackout {
    /// First moment of the outage.
    pub start: Time,
    /// First moment after the outage.
    pub end: Time,
}

parameters! {
    /// Reordering by an extra delay.
    // Later packets overtake the chosen ones.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Reordering as "reordering" {
        /// Probability that a packet is delayed.
        probability: f64 = 0.0, Probability.needed();
        /// Extra delay of such a packet.
        delay: Duration = Duration::ZERO, Time.needed();
    }
}
