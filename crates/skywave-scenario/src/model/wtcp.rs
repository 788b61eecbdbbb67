//! The part of the model that describes WTCP's parameters. What each is for, and why its default, is
//! said at the configuration that it becomes ([`skywave_core::wtcp::Config`]).

use serde::Deserialize;

use crate::model::number::{Count, Positive};
use crate::model::units::Period;

/// WTCP with other parameters.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct WtcpModel {
    /// Least separation of packets; default "10us".
    pub(crate) min_separation: Option<Period>,
    /// Largest separation of packets; default "10s".
    pub(crate) max_separation: Option<Period>,
    /// Round-trip time until there is a sample; default "1s".
    pub(crate) initial_rtt: Option<Period>,
    /// The sender wants an ACK at least this often; default "5s".
    pub(crate) ack_threshold: Option<Period>,
    /// A peer that is silent for longer is gone; default "30min".
    pub(crate) idle_timeout: Option<Period>,
    /// The packet pair of connection set-up.
    pub(crate) setup: Option<SetupModel>,
    /// When the sender stops sending data.
    pub(crate) blackout: Option<BlackoutModel>,
    /// Rate control at the receiver.
    pub(crate) rate: Option<RateModel>,
    /// Random or congestion loss.
    pub(crate) prediction: Option<PredictionModel>,
}

/// The packet pair of connection set-up.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SetupModel {
    /// Time until an unanswered pair is sent again; doubles each time; default "3s".
    pub(crate) interval: Option<Period>,
    /// Largest of these times; default "1min".
    pub(crate) max_interval: Option<Period>,
    /// After so many half pairs the connection opens without a measurement; default 3.
    pub(crate) broken_pairs: Option<Count>,
    /// The first epoch corrects the pair's estimate; default false.
    pub(crate) first_epoch_corrects: Option<bool>,
    /// Separation of packets without a measurement; default "1s".
    pub(crate) separation: Option<Period>,
}

/// When the sender stops sending data, and how it finds out that it can go on.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct BlackoutModel {
    /// Nothing is heard of a packet for this long ...; default "5s".
    pub(crate) threshold: Option<Period>,
    /// ... and for so many round trips; default 4.
    pub(crate) threshold_rtts: Option<Count>,
    /// Probes are sent once a round trip, but not more often than this; default "1s".
    pub(crate) probe_interval: Option<Period>,
}

/// Rate control at the receiver.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct RateModel {
    /// α in full packets a round trip; default 1.
    pub(crate) increase: Option<Positive>,
    /// δ after an increase; default 0.1.
    pub(crate) min_decrease: Option<Positive>,
    /// Largest δ; default 0.5.
    pub(crate) max_decrease: Option<Positive>,
    /// The rate after a congestion loss, as a share of that before; default 0.5.
    pub(crate) loss_factor: Option<Positive>,
    /// Weight of the latest epoch in the long-term average; default 0.125.
    pub(crate) weight: Option<Positive>,
    /// Epochs that the long-term average looks back, at most 16; default all of them.
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
    /// Weight of a new separation in average and mean deviation; default 0.125.
    pub(crate) weight: Option<Positive>,
    /// Least mean deviation as a share of the average; default 0.1.
    pub(crate) floor: Option<Positive>,
}
