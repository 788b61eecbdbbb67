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
use super::config::{Limit, RedConfig};
use crate::rng::Stream;
use crate::time::Time;
use crate::units::Rate;

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
