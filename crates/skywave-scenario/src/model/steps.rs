//! Rate and delay that change in steps.

use serde::Deserialize;

use crate::model::number::Share;
use crate::model::units::{Duration, Period};
use crate::read::spanned::Spanned;

/// Rate and delay that change in steps.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum StepsModel {
    #[serde(rename = "$scalar")]
    Preset(StepsPresetModel),
    #[serde(rename = "$table")]
    Settings(StepsSettingsModel),
}

/// The name for no steps.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StepsPresetModel {
    /// Rate and delay stay as they are.
    None,
}

/// Rate and delay that change in steps.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct StepsSettingsModel {
    /// Length of a step, at least "1ms". The first one begins with the run.
    pub(crate) every: Spanned<Period>,
    /// Share of `rate` in each step: a list of values in turn, or a draw for each step; default the whole rate
    /// at all times.
    pub(crate) share: Option<Spanned<StepValuesModel<Share>>>,
    /// Addition to `delay` in each step, for packets that leave the transmitter in it. Packets keep their
    /// order; default none.
    pub(crate) delay: Option<Spanned<StepValuesModel<Duration>>>,
}

/// The values of steps.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(rename = "StepValues_{Q}", transform = crate::model::schema::unwrap_kinds))]
pub(crate) enum StepValuesModel<Q> {
    /// Values of a list in turn, again and again.
    #[serde(rename = "$array")]
    InTurn(Vec<Q>),
    /// Value from a list, drawn for each step.
    AnyOf(Vec<Q>),
    /// Value drawn for each step, uniform between two bounds.
    Uniform(Q, Q),
}
