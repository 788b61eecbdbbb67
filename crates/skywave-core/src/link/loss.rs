//! Channel loss. Each model has random streams of its own, and sees every packet offered to the
//! channel, also those that a model before it has already lost.

mod exponential;
mod gilbert_elliott;
mod iid;
mod packets;
mod periodic;

use crate::parameter::Described;
use crate::rng::Stream;
use crate::time::Time;
pub use exponential::*;
pub use gilbert_elliott::*;
pub use iid::*;
pub use packets::*;
pub use periodic::*;

/// A built-in model of packet losses. The type is the model's state on one link; [`Described`] has its
/// settings.
pub trait LossModel: Described {
    /// New state of the model with the settings `config`, which draws from `streams`.
    fn build(config: &Self::Config, streams: Streams) -> Self;

    /// Whether a packet of `size` bytes is lost that reaches the channel at `now`, which must not decrease.
    fn loses(&mut self, now: Time, size: u32) -> bool;

    /// Whether the settings are known to lose every packet; `false` does not exclude it.
    fn loses_all(_config: &Self::Config) -> bool {
        false
    }
}

/// Two random streams of a loss model: one for which packets are lost, one for how the channel's state changes.
pub struct Streams {
    /// Decides which packets are lost.
    losses: Stream,
    /// Decides how the channel's state changes.
    states: Stream,
}

/// The list of the loss models. A further one needs its file and a line here.
macro_rules! models {
    ($( $model:ident, )+) => {
        crate::parameter::family! {
            "channel" => "A model of channel losses.";
            open: false; sections: true;
            /// Choice of a channel loss model, with its settings.
            #[derive(Clone, Debug, PartialEq)]
            pub enum LossConfig;
            $( $model(config): $model, )+
        }

        impl LossConfig {
            /// Whether the settings are known to lose every packet; `false` does not exclude it.
            pub fn loses_all(&self) -> bool {
                match self {
                    $( Self::$model(config) => $model::loses_all(config), )+
                }
            }
        }

        #[derive(Clone, Debug)]
        enum Model {
            $( $model($model), )+
        }

        impl Model {
            fn new(config: &LossConfig, streams: Streams) -> Self {
                match config {
                    $( LossConfig::$model(config) => Self::$model($model::build(config, streams)), )+
                }
            }

            fn loses(&mut self, now: Time, size: u32) -> bool {
                match self {
                    $( Self::$model(model) => model.loses(now, size), )+
                }
            }
        }
    };
}

models! {
    Iid,
    Exponential,
    ExponentialBytes,
    GilbertElliott,
    GilbertElliottTime,
    Periodic,
    Packets,
}

/// Loss models of a link, or of the frames that a radio station hears: a packet is lost if any of them loses it.
#[derive(Clone, Debug)]
pub struct Channel(Vec<Model>);

impl Channel {
    /// Builds the models of `configs`; model number `i`, from 0, draws from the random streams `loss.i` and
    /// `loss.i.state` of the link or station `name`.
    pub fn new(configs: &[LossConfig], seed: u64, name: &str) -> Self {
        let model = |(i, config)| {
            let purpose = format!("loss.{i}");
            let streams = Streams {
                losses: Stream::named(seed, name, &purpose),
                states: Stream::named(seed, name, &format!("{purpose}.state")),
            };
            Model::new(config, streams)
        };
        Self(configs.iter().enumerate().map(model).collect())
    }

    /// Whether a packet of `size` bytes is lost that reaches the channel at `now`, which must not decrease.
    pub fn loses(&mut self, now: Time, size: u32) -> bool {
        // No short cut: every model sees every packet.
        self.0
            .iter_mut()
            .fold(false, |lost, model| model.loses(now, size) | lost)
    }
}

#[cfg(test)]
mod tests;
