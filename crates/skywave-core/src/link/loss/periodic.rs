//! Losses at a fixed distance.

use super::{LossModel, Streams};
use crate::parameter::{Described, parameters};
use crate::time::Time;

parameters! {
    /// Settings of the loss model [`Periodic`]: the first lost packet, and the distance between losses, in packets.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct PeriodicConfig {
        /// Distance between losses in packets.
        // 0 is a single loss, for programs; a file says `packets`.
        every: u64 = 0, Count.up_to(u64::MAX).needed();
        /// Number of the first lost packet, counted from 1.
        first: Option<u64> = None, Count.up_to(u64::MAX).or("`every`");
    }
}

/// Loss model that loses a first packet and every n-th one after it; only the first one if n is 0.
#[derive(Clone, Debug)]
pub struct Periodic {
    every: u64,
    /// Packets up to and including the next lost one; 0 if none will be lost any more.
    until_loss: u64,
}

impl Described for Periodic {
    type Config = PeriodicConfig;
    const NAME: &'static str = "periodic";
    const SUMMARY: &'static str = "Every n-th packet is lost.";
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
