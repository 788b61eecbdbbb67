//! The medium of a link: a policer before it, who contends for it, loss models, blackouts, and what [`super::impair`] does to
//! packets.

use super::blackout::Blackouts;
use super::bucket::Bucket;
use super::config::{LinkConfig, LossAt};
use super::contention::Station;
use super::fec::Code;
use super::impair::Impairments;
use super::loss::Channel;
use super::{DropCause, Fate};
use crate::rng::Stream;
use crate::time::{Duration, Time};

/// The medium of a link.
#[derive(Clone, Debug)]
pub(super) struct Medium {
    policer: Option<Bucket>,
    channel: Channel,
    pub(super) loss_at: LossAt,
    code: Option<Code>,
    blackouts: Blackouts,
    impairments: Impairments,
    /// The link's part in a contention, if there is one.
    pub(super) station: Option<Station>,
}

impl Medium {
    /// The medium of a link; `None` if it only delays.
    pub(super) fn unless_perfect(config: &LinkConfig, seed: u64, name: &str) -> Option<Self> {
        let medium = Self::new(config, seed, name);
        let perfect = config.policer.is_none()
            && config.loss.is_empty()
            && config.blackouts.is_empty()
            && medium.code.is_none()
            && medium.station.is_none()
            && medium.impairments.are_none();
        (!perfect).then_some(medium)
    }

    /// The medium of a link; `seed` and `name` name its random streams.
    pub(super) fn new(config: &LinkConfig, seed: u64, name: &str) -> Self {
        Self {
            policer: config
                .policer
                .map(|policer| Bucket::new(policer.rate, policer.burst)),
            channel: Channel::new(&config.loss, seed, name),
            loss_at: config.loss_at,
            code: Code::new(config, seed, name),
            blackouts: Blackouts::new(config.blackouts.clone()),
            impairments: Impairments::new(config, seed, name),
            station: config
                .contention
                .map(|c| Station::new(c, Stream::named(seed, name, "contention"))),
        }
    }

    /// Bytes that a packet takes on the air.
    pub(super) fn on_air(&self, size: u32) -> u32 {
        self.code.as_ref().map_or(size, |code| code.coded(size))
    }

    /// Transmissions that forward error correction has repaired since this was last asked.
    pub(super) fn take_repairs(&mut self) -> u64 {
        let code = self.code.as_mut();
        code.map_or(0, |code| std::mem::take(&mut code.repairs))
    }

    /// A packet comes to the link at `now`. Returns whether the policer lets it pass.
    pub(super) fn lets_in(&mut self, now: Time, size: u32) -> bool {
        let policer = self.policer.as_mut();
        policer.is_none_or(|bucket| bucket.passes(now, size))
    }

    /// A packet comes to the link at `now`. Returns whether the channel loses it before the queue.
    pub(super) fn loses_at_head(&mut self, now: Time, size: u32) -> bool {
        self.loss_at == LossAt::Head && self.corrupts(now, size) && !self.is_repaired()
    }

    /// A packet's last byte leaves the transmitter at `departure`, which must not decrease.
    pub(super) fn carry(&mut self, departure: Time, delay: Duration, size: u32) -> Fate {
        match self.fails(departure, size, self.loss_at == LossAt::Tail) {
            Some(cause) => Fate::Dropped(cause),
            None => self.arrival(departure + delay),
        }
    }

    /// A transmission ends at `departure`, which must not decrease. Returns why it fails, if it
    /// does. The loss models only act with `errors`.
    pub(super) fn fails(&mut self, departure: Time, size: u32, errors: bool) -> Option<DropCause> {
        let corrupted = errors && self.corrupts(departure, size);
        if self.blackouts.cover(departure) {
            return Some(DropCause::Blackout);
        }
        (corrupted && !self.is_repaired()).then_some(DropCause::Channel)
    }

    /// A packet that got through would arrive at `at`, which must not decrease.
    pub(super) fn arrival(&mut self, at: Time) -> Fate {
        self.impairments.arrival(at)
    }

    fn corrupts(&mut self, now: Time, size: u32) -> bool {
        let size = self.on_air(size);
        self.channel.loses(now, size)
    }

    fn is_repaired(&mut self) -> bool {
        self.code.as_mut().is_some_and(Code::repairs)
    }
}
