//! What lies between the transmitter and the other side: loss models, blackouts, and what
//! [`super::impair`] does to packets.

use super::blackout::Blackouts;
use super::config::{LinkConfig, LossAt};
use super::impair::Impairments;
use super::loss::Channel;
use super::{DropCause, Fate};
use crate::time::{Duration, Time};

/// A medium that is not perfect.
#[derive(Clone, Debug)]
pub(super) struct Medium {
    channel: Channel,
    loss_at: LossAt,
    blackouts: Blackouts,
    impairments: Impairments,
}

impl Medium {
    /// The medium of a link; `None` if it only delays. `seed` and `name` name its random streams.
    pub(super) fn new(config: &LinkConfig, seed: u64, name: &str) -> Option<Self> {
        let medium = Self {
            channel: Channel::new(&config.loss, seed, name),
            loss_at: config.loss_at,
            blackouts: Blackouts::new(config.blackouts.clone()),
            impairments: Impairments::new(config, seed, name),
        };
        let perfect =
            config.loss.is_empty() && config.blackouts.is_empty() && medium.impairments.are_none();
        (!perfect).then_some(medium)
    }

    /// A packet comes to the link at `now`: whether the channel loses it before the queue.
    pub(super) fn loses_at_head(&mut self, now: Time, size: u32) -> bool {
        self.loss_at == LossAt::Head && self.channel.loses(now, size)
    }

    /// A packet's last byte leaves the transmitter at `departure`, which must not decrease.
    pub(super) fn carry(&mut self, departure: Time, delay: Duration, size: u32) -> Fate {
        let lost = self.loss_at == LossAt::Tail && self.channel.loses(departure, size);
        if self.blackouts.cover(departure) {
            return Fate::Dropped(DropCause::Blackout);
        }
        if lost {
            return Fate::Dropped(DropCause::Channel);
        }
        self.impairments.arrival(departure + delay)
    }
}
