//! The part of the model that describes WTCP's parameters. What each is for, and why its default, is
//! said at the configuration that it becomes ([`skywave_core::wtcp::Config`]).

use serde::Deserialize;

use crate::model::number::{Count, Positive};
use crate::model::units::Period;

/// Parameters of WTCP, most of them what its paper leaves open.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct WtcpModel {
    /// Least time between packets; default "10us".
    pub(crate) min_separation: Option<Period>,
    /// Largest time between packets; default "10s".
    pub(crate) max_separation: Option<Period>,
    /// Least time between a packet and a probe in a slot without data; default "10ms".
    pub(crate) probe_separation: Option<Period>,
    /// Round-trip time until there is a sample; default "1s".
    pub(crate) initial_rtt: Option<Period>,
    /// The sender wants an ACK at least this often; default "5s".
    pub(crate) ack_threshold: Option<Period>,
    /// A peer that is silent for longer is gone; default "30min".
    pub(crate) idle_timeout: Option<Period>,
    /// The packet pair of connection set-up; default all of its defaults.
    pub(crate) setup: Option<SetupModel>,
    /// When the sender stops sending data; default all of its defaults.
    pub(crate) blackout: Option<BlackoutModel>,
    /// Rate control at the receiver; default all of its defaults.
    pub(crate) rate: Option<RateModel>,
    /// Which losses are random, and which of congestion; default all of its defaults.
    pub(crate) prediction: Option<PredictionModel>,
}

/// The packet pair of connection set-up.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SetupModel {
    /// Time until a pair without an answer is sent again. It doubles each time; default "3s".
    pub(crate) interval: Option<Period>,
    /// Largest of these times; default "1min".
    pub(crate) max_interval: Option<Period>,
    /// After this many pairs of which one packet was lost, the connection opens without a measurement; default
    /// 3.
    pub(crate) broken_pairs: Option<Count>,
    /// The first epoch corrects the pair's estimate; default false.
    pub(crate) first_epoch_corrects: Option<bool>,
    /// Time between packets if there is no measurement; default "1s".
    pub(crate) separation: Option<Period>,
}

/// When the sender stops sending data, and how it finds out that it can go on.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct BlackoutModel {
    /// A blackout begins when nothing was heard of a packet for the longer of this time and `threshold_rtts`;
    /// default "5s".
    pub(crate) threshold: Option<Period>,
    /// The same in round trips; default 4.
    pub(crate) threshold_rtts: Option<Count>,
    /// A probe is sent each round trip, but not more often than this; default "1s".
    pub(crate) probe_interval: Option<Period>,
}

/// Rate control at the receiver.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RateModel {
    /// Increase of the rate α, in full packets a round trip; default 1.
    pub(crate) increase: Option<Positive>,
    /// Decrease of the rate δ after an increase; default 0.1.
    pub(crate) min_decrease: Option<Positive>,
    /// Largest δ; default 0.5.
    pub(crate) max_decrease: Option<Positive>,
    /// The rate after a congestion loss, as a share of the rate before; default 0.5.
    pub(crate) loss_factor: Option<Positive>,
    /// Weight of the latest epoch in the long-term average; default 0.125.
    pub(crate) weight: Option<Positive>,
    /// Epochs that the long-term average looks back, 1 to 16; default all of them.
    pub(crate) long_term: Option<Count>,
    /// Length of an epoch in round trips; default 2.
    pub(crate) epoch_rtts: Option<Count>,
    /// Fewest samples of an epoch; default 4.
    pub(crate) epoch_samples: Option<Count>,
}

/// The loss predictor.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct PredictionModel {
    /// Mean deviations around the average within which a loss is random; default 2.
    pub(crate) k: Option<Positive>,
    /// Weight of a new separation in the average and its mean deviation; default 0.125.
    pub(crate) weight: Option<Positive>,
    /// Least mean deviation, as a share of the average; default 0.1.
    pub(crate) floor: Option<Positive>,
}
