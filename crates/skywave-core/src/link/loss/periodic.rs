//! Losses at a fixed distance.

use super::{LossModel, Streams};
use crate::parameter::{Described, Field};
use crate::time::Time;

/// The places of lost packets in the order of packets: the first one, and the distance between
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeriodicConfig {
    /// Distance between losses in packets; 0 for a single loss.
    pub every: u64,
    /// Number of the first lost packet, from 1; `None` for `every`.
    pub first: Option<u64>,
}

/// Loses packets at a fixed distance.
#[derive(Clone, Debug)]
pub struct Periodic {
    every: u64,
    /// Packets up to and including the next lost one; 0 for "never again".
    until_loss: u64,
}

impl Described for Periodic {
    type Config = PeriodicConfig;
    const NAME: &'static str = "periodic";
    const SUMMARY: &'static str = "Every n-th packet is lost.";
    const DEFAULT: PeriodicConfig = PeriodicConfig {
        every: 0,
        first: None,
    };
    const FIELDS: &'static [Field<PeriodicConfig>] = &[
        Field::count(
            "every",
            "Distance between losses in packets",
            |c: &mut PeriodicConfig| &mut c.every,
        )
        .up_to(u64::MAX)
        .needed(),
        Field::count(
            "first",
            "Number of the first lost packet, counted from 1",
            |c: &mut PeriodicConfig| &mut c.first,
        )
        .up_to(u64::MAX)
        .or("`every`"),
    ];
}

impl LossModel for Periodic {
    fn build(config: &PeriodicConfig, _streams: Streams) -> Self {
        Self {
            every: config.every,
            // Packet 0 does not exist: the period goes on from there.
            until_loss: config
                .first
                .filter(|first| *first > 0)
                .unwrap_or(config.every),
        }
    }

    fn loses(&mut self, _now: Time, _size: u32) -> bool {
        let lost = self.until_loss == 1;
        self.until_loss = if lost {
            self.every
        } else {
            self.until_loss.saturating_sub(1)
        };
        lost
    }

    fn loses_all(config: &PeriodicConfig) -> bool {
        config.every == 1 && config.first.unwrap_or(1) == 1
    }
}
