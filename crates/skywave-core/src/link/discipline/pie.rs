//! PIE (RFC 8033): packets are dropped on arrival with a probability that a controller moves every
//! `update`, by how far the time in the queue is from its target and by how it changes.
//!
//! The time in the queue is that of the packet which left last (section 5.2 allows time stamps in place of
//! an estimate by the rate of departures), and zero once the queue is empty.

use super::{Arrival, Frame, Frames, Gone, SHORTEST_UPDATE};
use crate::link::DropCause;
use crate::link::marking::{mark_p, marks};
use crate::parameter::{Field, Kind, Value, parameters};
use crate::rng::Stream;
use crate::time::{Duration, Time};
use crate::units::{Backlog, Limit};

/// While the probability is below this and the queue was short, nothing is dropped (section 4.1).
const SAFE_PROBABILITY: f64 = 0.2;
/// Packets that may always wait (section 4.1).
const SAFE_PACKETS: u64 = 2;
/// From this probability on it rises by at most [`LARGEST_STEP`] at a time (section 5.5).
const CAP_FROM: f64 = 0.1;
const LARGEST_STEP: f64 = 0.02;
/// An update that finds no queue multiplies the probability by this (section 4.2).
const DECAY: f64 = 0.98;
/// The smaller the probability, the smaller its steps: below each of these by which divisor
/// (section 4.2).
const SCALES: [(f64, f64); 6] = [
    (0.000_001, 2048.0),
    (0.000_01, 512.0),
    (0.000_1, 128.0),
    (0.001, 32.0),
    (0.01, 8.0),
    (0.1, 2.0),
];

parameters! {
    /// PIE (RFC 8033): drops on arrival with a probability that a controller moves.
    // Without ECN by default. The limit is that of ns-3 and Linux.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct PieConfig as "pie" {
        /// Capacity.
        // The packet in transmission does not count.
        limit: Limit = Limit::Packets(1000), Limit;
        /// Time in the queue that is aimed at.
        // `QDELAY_REF`.
        target: Duration = Duration::from_millis(15), Time;
        /// Time between two updates of the probability.
        // `T_UPDATE`.
        update: Duration = Duration::from_millis(15), Time.no_shorter_than(SHORTEST_UPDATE);
        /// Weight of the distance from the target: an update adds this to the drop probability for each second in the
        /// queue above it, or a part of it while the probability is below 0.1 (RFC 8033 section 4.2).
        alpha: f64 = 0.125, Positive;
        /// Weight of the trend: an update adds this to the drop probability for each second in the queue more than at
        /// the last update, or a part of it while the probability is below 0.1 (RFC 8033 section 4.2).
        beta: f64 = 1.25, Positive;
        /// Nothing is dropped early for this long from the start on, and after each update that finds the drop
        /// probability at 0 and, as the one before, less than half of `target` in the queue.
        // `MAX_BURST`.
        burst: Duration = Duration::from_millis(150), Time;
        /// Typical packet: two of them may always wait.
        mean_packet: u32 = 1024, Bytes;
        +
        /// Probability below which ECN-capable packets are marked instead of dropped (section 5.1); `None` to drop.
        mark_p: Option<f64> = None;
        also {
            Field::by(
                Kind::Flag,
                "ecn",
                "Mark packets of ECN-capable flows instead of dropping them",
                |c| Some(Value::Flag(c.mark_p.is_some())),
                |c, value| marks(&mut c.mark_p, &value),
            ),
            Field::within(
                Kind::Probability,
                "mark_p",
                "Mark while the probability is below this, and drop from there on; needs `ecn = true`",
                |c: &mut Self| mark_p(&mut c.mark_p),
            )
            .or("0.1"),
        }
    }
}

impl PieConfig {
    /// Settings of RFC 8033, with the capacity `limit`; without ECN.
    pub const fn new(limit: Limit) -> Self {
        Self {
            limit,
            ..Self::DEFAULT
        }
    }
}

/// Controller of PIE (RFC 8033): keeps the drop probability, and updates it by the time that packets wait in the queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieControl {
    config: PieConfig,
    probability: f64,
    /// Time in the queue at the last update.
    last_delay: Duration,
    /// Time for which nothing is dropped.
    burst_left: Duration,
}

impl PieControl {
    /// Controller of a queue that is empty at first.
    pub const fn new(config: PieConfig) -> Self {
        Self {
            config,
            probability: 0.0,
            last_delay: Duration::ZERO,
            burst_left: config.burst,
        }
    }

    /// Drop probability of a packet that arrives while `waiting` bytes wait in the queue; `None` if PIE lets it pass
    /// in any case (RFC 8033 section 4.1).
    pub fn drop_probability(&self, waiting: u64) -> Option<f64> {
        let is_short =
            self.last_delay < self.config.target / 2 && self.probability < SAFE_PROBABILITY;
        let has_few = waiting <= SAFE_PACKETS * u64::from(self.config.mean_packet);
        let is_safe = !self.burst_left.is_zero() || is_short || has_few;
        (!is_safe).then_some(self.probability)
    }

    /// Updates the drop probability; to be called at intervals of [`PieConfig::update`]. `delay` is how long the
    /// packet that left last had waited, zero if the queue is empty.
    pub fn update(&mut self, delay: Duration) {
        let target = self.config.target;
        let [now, last, aim] = [delay, self.last_delay, target].map(Duration::as_secs_f64);
        let mut step = self.config.alpha * (now - aim) + self.config.beta * (now - last);
        let scale = SCALES.iter().find(|(below, _)| self.probability < *below);
        step /= scale.map_or(1.0, |(_, divisor)| *divisor);
        if self.probability >= CAP_FROM {
            step = step.min(LARGEST_STEP);
        }
        self.probability += step;
        if delay.is_zero() && self.last_delay.is_zero() {
            self.probability *= DECAY;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.burst_left = self.burst_left.saturating_sub(self.config.update);
        let is_calm = delay < target / 2 && self.last_delay < target / 2;
        if self.probability == 0.0 && is_calm {
            self.burst_left = self.config.burst;
        }
        self.last_delay = delay;
    }
}

/// A queue under PIE.
#[derive(Clone, Debug)]
pub(crate) struct Pie {
    control: PieControl,
    stream: Stream,
    frames: Frames,
    /// Time in the queue of the packet that left last.
    delay: Duration,
    next_update: Time,
}

impl Pie {
    pub(super) fn new(mut config: PieConfig, stream: Stream) -> Self {
        config.update = config.update.max(Duration::from_nanos(1));
        Self {
            control: PieControl::new(config),
            stream,
            frames: Frames::default(),
            delay: Duration::ZERO,
            next_update: Time::ZERO + config.update,
        }
    }

    pub(super) fn offer(&mut self, arrival: Arrival, _gone: &mut Gone) -> Option<DropCause> {
        self.update_until(arrival.now);
        let config = &self.control.config;
        if arrival.exceeds(config.limit) {
            return Some(DropCause::Queue);
        }
        let mut frame = arrival.frame;
        if self.picks() {
            let control = &self.control;
            let marks = control
                .config
                .mark_p
                .is_some_and(|limit| control.probability < limit);
            if !frame.mark(marks) {
                return Some(DropCause::Early);
            }
        }
        self.frames.push(frame);
        None
    }

    pub(super) fn take(&mut self, now: Time, _gone: &mut Gone) -> Option<Frame> {
        self.update_until(now);
        let frame = self.frames.pop();
        self.delay = match frame {
            Some(frame) if self.frames.len() > 0 => now.since(frame.came),
            _ => Duration::ZERO,
        };
        frame
    }

    pub(super) fn withdraw(&mut self, id: u32) {
        self.frames.withdraw(id);
        if self.frames.len() == 0 {
            self.delay = Duration::ZERO;
        }
    }

    pub(super) fn waiting(&self) -> Backlog {
        self.frames.totals()
    }

    /// Whether an arriving packet is to be dropped or marked.
    fn picks(&mut self) -> bool {
        let probability = self.control.drop_probability(self.frames.bytes());
        probability.is_some_and(|probability| self.stream.chance(probability))
    }

    /// Carries out the updates that are due by `now`. Nothing that they look at has changed since the
    /// last packet came or left, so that they need no timer.
    fn update_until(&mut self, now: Time) {
        let update = self.control.config.update;
        while self.next_update <= now {
            let before = self.control;
            self.control.update(self.delay);
            self.next_update += update;
            if self.control == before && self.next_update <= now {
                // However many updates are due, none changes anything any more.
                let step = update.as_nanos();
                let missed = now.since(self.next_update).as_nanos() / step + 1;
                self.next_update += Duration::from_nanos(missed.saturating_mul(step));
            }
        }
    }
}

#[cfg(test)]
mod tests;
