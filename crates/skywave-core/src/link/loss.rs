//! Channel loss. Each model has random streams of its own, and sees every packet offered to the
//! channel, also those that a model before it has already lost.

mod gap;
mod gilbert;

use std::sync::Arc;

use super::config::LossConfig;
use crate::rng::Stream;
use crate::time::Time;
use gap::Gaps;
use gilbert::{PacketChain, TimeChain};

/// Loss models of a link, or of the frames that a station hears, one after the other.
#[derive(Clone, Debug)]
pub struct Channel(Vec<Model>);

impl Channel {
    /// The models of `configs`; number `i` draws from the streams `loss.i` and `loss.i.state` of
    /// the entity `name`.
    pub fn new(configs: &[LossConfig], seed: u64, name: &str) -> Self {
        let model = |(i, config)| {
            let purpose = format!("loss.{i}");
            let losses = Stream::named(seed, name, &purpose);
            let states = Stream::named(seed, name, &format!("{purpose}.state"));
            Model::new(config, losses, states)
        };
        Self(configs.iter().enumerate().map(model).collect())
    }

    /// Whether a packet of `size` bytes is lost that reaches the channel at `now` (which must not decrease).
    pub fn loses(&mut self, now: Time, size: u32) -> bool {
        // No short cut: every model sees every packet.
        self.0
            .iter_mut()
            .fold(false, |lost, model| model.loses(now, size) | lost)
    }
}

#[derive(Clone, Debug)]
enum Model {
    Bernoulli(f64, Stream),
    GapInPackets(Gaps),
    GapInBytes(Gaps),
    PacketChain(PacketChain),
    TimeChain(TimeChain),
    Periodic { every: u64, until_loss: u64 },
    Packets(Listed),
}

impl Model {
    fn new(config: &LossConfig, losses: Stream, states: Stream) -> Self {
        match config {
            LossConfig::Bernoulli(p) => Self::Bernoulli(*p, losses),
            LossConfig::ExponentialPackets(p) => Self::GapInPackets(Gaps::with_rate(*p, losses)),
            LossConfig::ExponentialBytes(mean) => Self::GapInBytes(Gaps::with_mean(*mean, losses)),
            LossConfig::GilbertElliottPackets(chain) => {
                Self::PacketChain(PacketChain::new(*chain, losses, states))
            }
            LossConfig::GilbertElliottTime {
                good,
                bad,
                loss_good,
                loss_bad,
            } => Self::TimeChain(TimeChain::new(
                (*good, *bad),
                (*loss_good, *loss_bad),
                losses,
                states,
            )),
            LossConfig::Periodic { every, first } => Self::Periodic {
                every: *every,
                // Packet 0 does not exist: the period goes on from there.
                until_loss: if *first == 0 { *every } else { *first },
            },
            LossConfig::Packets(numbers) => Self::Packets(Listed {
                numbers: Arc::clone(numbers),
                next: 0,
                seen: 0,
            }),
        }
    }

    fn loses(&mut self, now: Time, size: u32) -> bool {
        match self {
            Self::Bernoulli(p, stream) => stream.chance(*p),
            Self::GapInPackets(gaps) => gaps.passes(1),
            Self::GapInBytes(gaps) => gaps.passes(u64::from(size)),
            Self::PacketChain(chain) => chain.loses(),
            Self::TimeChain(chain) => chain.loses(now),
            Self::Periodic { every, until_loss } => {
                // 0 is "never again".
                let lost = *until_loss == 1;
                *until_loss = if lost {
                    *every
                } else {
                    until_loss.saturating_sub(1)
                };
                lost
            }
            Self::Packets(listed) => listed.loses(),
        }
    }
}

/// Loses the packets of a sorted list.
#[derive(Clone, Debug)]
struct Listed {
    numbers: Arc<[u64]>,
    next: usize,
    seen: u64,
}

impl Listed {
    fn loses(&mut self) -> bool {
        self.seen += 1;
        while let Some(&number) = self.numbers.get(self.next)
            && number < self.seen
        {
            self.next += 1;
        }
        self.numbers.get(self.next) == Some(&self.seen)
    }
}

#[cfg(test)]
mod tests;
