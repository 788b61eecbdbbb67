//! Random early detection (Floyd and Jacobson 1993), in ns-2's reading where the two differ.
//!
//! At each arrival the [`Average`] of the queue (packets waiting, without the arriving one and the one in
//! transmission) moves. From
//! `min_threshold` on, with more than one packet (byte) waiting, a packet is dropped with a
//! probability made from
//!
//! - `p_b`, which rises linearly from 0 at `min_threshold` to `max_p` at `max_threshold`, then
//!   jumps to 1 or (gentle) rises to 1 at twice `max_threshold`;
//! - `c`, the packets since the last drop, this one included (in byte mode: bytes over
//!   `mean_packet`, rounded down):
//!   `p_b / (1 − c·p_b)` as in the paper, or with `wait` none while `c·p_b < 1` and
//!   `p_b / (2 − c·p_b)` after it;
//! - in byte mode, the packet's size over `mean_packet`.
//!
//! As in ns-2, the first arrival after the average rose over `min_threshold` only starts the count.

use super::average::Average;
use super::marking::{level, mark_p, marks};
use crate::parameter::{Field, Kind, Refusal, Value, parameters};
use crate::rng::Stream;
use crate::time::Time;
use crate::units::{Limit, Rate};

parameters! {
    /// Random early detection: drop, or mark, before the queue is full.
    // Thresholds are in the limit's unit, by default at a quarter and three quarters of it; the rest is as in ns-2.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct RedConfig as "red" check RedConfig::check {
        /// Capacity; its unit is that of the average and of the thresholds too.
        limit: Limit = Limit::Packets(50), {
            Field::by(
                Kind::Limit,
                "limit",
                "Capacity, without the packet in transmission. The thresholds have its unit",
                |c: &Self| Some(Value::Limit(c.limit)),
                |c, value| {
                    let Value::Limit(limit) = value else {
                        return Err(Refusal::KIND);
                    };
                    *c = Self::new(limit);
                    Ok(())
                },
            )
        }.needed();
        /// Average from which packets are dropped, with a probability that rises from 0.
        min_threshold: f64 = 12.5, {
            Field::by(
                Kind::Level,
                "min",
                "Average queue from which packets are dropped, with a probability that rises from 0 there to `max_p` at `max`",
                |c: &Self| Some(Value::Level(c.limit.length(c.min_threshold))),
                |c, value| {
                    c.min_threshold = threshold(c.limit, &value)?;
                    Ok(())
                },
            )
        }.or("a quarter of the limit");
        /// Average from which all (or, when gentle, a rising share) is dropped.
        max_threshold: f64 = 37.5, {
            Field::by(
                Kind::Level,
                "max",
                "Average queue from which all packets are dropped, or with `gentle` a rising share",
                |c: &Self| Some(Value::Level(c.limit.length(c.max_threshold))),
                |c, value| {
                    c.max_threshold = threshold(c.limit, &value)?;
                    Ok(())
                },
            )
        }.or("three quarters of the limit");
        /// Drop probability at `max`.
        max_p: f64 = 0.1, Probability;
        /// Weight of a sample in the average.
        weight: f64 = 0.002, Share;
        /// Raise the probability to 1 between `max` and twice `max`.
        gentle: bool = false, Flag;
        /// Space drops evenly (ns-2's `wait_`).
        // By waiting, instead of the 1993 paper's rule.
        wait: bool = true, Flag;
        /// Typical packet, as in ns-2.
        // It stands for one packet when the average ages over an idle period, and scales the probability in byte mode.
        mean_packet: u32 = 500, Bytes;
        +
        /// Drop probability, as the average asks for it, below which an ECN-capable packet is marked instead of dropped early
        /// (RFC 3168 section 7; ns-2's `mark_p_`, 0.1 there); `None` to drop. A full queue always drops.
        mark_p: Option<f64> = None;
        also {
            Field::by(
                Kind::Flag,
                "ecn",
                "Mark packets of ECN-capable flows instead of dropping them early",
                |c| Some(Value::Flag(c.mark_p.is_some())),
                |c, value| marks(&mut c.mark_p, &value),
            ),
            Field::within(
                Kind::Positive,
                "mark_p",
                "Mark while the drop probability that the average asks for is below this, and drop from there on",
                |c: &mut Self| mark_p(&mut c.mark_p),
            )
            .or("0.1, as in ns-2"),
        }
    }
}

impl RedConfig {
    /// Settings with thresholds at a quarter and three quarters of `limit`, the rest as in ns-2; without ECN.
    pub const fn new(limit: Limit) -> Self {
        let capacity = capacity(limit);
        Self {
            limit,
            min_threshold: capacity * 0.25,
            max_threshold: capacity * 0.75,
            ..Self::DEFAULT
        }
    }

    fn check(&self) -> Result<(), Refusal> {
        if self.min_threshold >= self.max_threshold {
            return Err(Refusal::of(
                &["max", "min"],
                "RED's `min` is not below its `max`",
                "nothing lies between",
            ));
        }
        if self.max_threshold > capacity(self.limit) {
            return Err(Refusal::of(
                &["max"],
                "RED's `max` is above its limit",
                "it would never be reached",
            ));
        }
        Ok(())
    }
}

const fn capacity(limit: Limit) -> f64 {
    match limit {
        Limit::Packets(n) => n as f64,
        Limit::Bytes(n) => n as f64,
    }
}

/// A threshold in the unit of `limit`.
fn threshold(limit: Limit, value: &Value) -> Result<f64, Refusal> {
    let message = "RED's thresholds and limit have different units";
    let advice = "all in packets, or all in bytes and times";
    level(limit, value, Refusal::new(message, advice))
}

/// The state of a RED queue.
#[derive(Clone, Debug)]
pub(super) struct Red {
    config: RedConfig,
    stream: Stream,
    average: Average,
    /// The average was over the lower threshold at the last arrival.
    above: bool,
    packets_since_drop: u64,
    bytes_since_drop: u64,
}

impl Red {
    /// RED before a transmitter of `rate`.
    pub(super) fn new(config: RedConfig, rate: Rate, stream: Stream) -> Self {
        Self {
            config,
            stream,
            average: Average::new(config.weight, rate),
            above: false,
            packets_since_drop: 0,
            bytes_since_drop: 0,
        }
    }

    /// A packet arrives while `length` (in the limit's unit) wait. Returns whether it is picked, to
    /// be dropped early or to be [marked](Self::may_mark).
    pub(super) fn picks(&mut self, now: Time, length: f64, size: u32) -> bool {
        self.average.update(now, length, self.mean_packet());
        self.packets_since_drop += 1;
        self.bytes_since_drop += u64::from(size);
        if self.average.value < self.config.min_threshold || length <= 1.0 {
            self.above = false;
            return false;
        }
        if !self.above {
            self.above = true;
            self.packets_since_drop = 1;
            self.bytes_since_drop = u64::from(size);
            return false;
        }
        let p = self.probability(size);
        let picked = self.stream.chance(p);
        if picked {
            self.restart_count();
        }
        picked
    }

    /// A packet that was picked just now is marked if it is ECN-capable: as in ns-2, as long as the
    /// probability that the average alone asks for is below the limit for marks.
    pub(super) fn may_mark(&self) -> bool {
        let limit = self.config.mark_p;
        limit.is_some_and(|limit| self.base_probability() < limit)
    }

    /// A packet was dropped or marked: spacing starts anew.
    pub(super) fn restart_count(&mut self) {
        self.packets_since_drop = 0;
        self.bytes_since_drop = 0;
    }

    /// The transmitter will be idle from `end` on, unless another packet comes before.
    pub(super) fn idle_from(&mut self, end: Time) {
        self.average.idle_from(end);
    }

    fn mean_packet(&self) -> u64 {
        u64::from(self.config.mean_packet.max(1))
    }

    /// `p_b`: what the average alone asks for.
    fn base_probability(&self) -> f64 {
        let RedConfig {
            min_threshold: min,
            max_threshold: max,
            max_p,
            ..
        } = self.config;
        let average = self.average.value;
        let p = if average < max {
            max_p * (average - min) / (max - min)
        } else if self.config.gentle {
            max_p + (1.0 - max_p) * (average - max) / max
        } else {
            1.0
        };
        p.min(1.0)
    }

    fn probability(&self, size: u32) -> f64 {
        let base = self.base_probability();
        let by_bytes = matches!(self.config.limit, Limit::Bytes(_));
        let count = if by_bytes {
            self.bytes_since_drop / self.mean_packet()
        } else {
            self.packets_since_drop
        };
        let spent = count as f64 * base;
        let spaced = match (self.config.wait, spent) {
            (false, ..1.0) => base / (1.0 - spent),
            (true, ..1.0) => 0.0,
            (true, 1.0..2.0) => base / (2.0 - spent),
            _ => 1.0,
        };
        if by_bytes && spaced < 1.0 {
            return spaced * f64::from(size) / self.mean_packet() as f64;
        }
        spaced
    }
}

#[cfg(test)]
mod tests;
