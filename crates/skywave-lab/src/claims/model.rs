//! A file of claims as typed data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::measure::Measures;
use super::select::Scalar;

/// A paper's claims.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// The paper's title.
    pub(super) title: String,
    /// Its author and where it appeared.
    pub(super) source: String,
    /// Short names of swept paths. With several paths, the one that an experiment sweeps is meant.
    pub(super) parameters: BTreeMap<String, Vec<String>>,
    /// The claims.
    pub(super) claim: Vec<ClaimModel>,
}

/// One result that the text states.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimModel {
    pub(super) id: Spanned<String>,
    #[serde(rename = "where")]
    pub(super) place: String,
    pub(super) kind: Kind,
    /// Whether it belongs to the core set; the others are derived, analytic or of one run.
    pub(super) core: bool,
    /// What the text says, in our words.
    pub(super) statement: String,
    /// The experiment whose plot shows it.
    pub(super) figure: Option<String>,
    /// What else should be known: how words became numbers, or where the text contradicts itself.
    pub(super) note: Option<String>,
    /// Why no simulation can measure it.
    pub(super) not_testable: Option<String>,
    /// How it is measured: an array of tables for each kind of measure.
    #[serde(default)]
    pub(super) measure: Measures,
}

/// What sort of statement a claim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// So many percent better.
    Gain,
    /// A number.
    Value,
    /// Who is ahead of whom.
    Order,
    /// How a curve runs.
    Shape,
    /// What does not change.
    Invariant,
}

impl Kind {
    /// The kind in a word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gain => "gain",
            Self::Value => "value",
            Self::Order => "order",
            Self::Shape => "shape",
            Self::Invariant => "invariant",
        }
    }
}

/// Which numbers of which runs: one experiment, the points where swept parameters have given
/// values, one flow or link, one measured number.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Data {
    /// The experiment's name.
    pub(super) experiment: String,
    /// Values of swept parameters, by their short names.
    #[serde(default)]
    pub(super) at: BTreeMap<String, Scalar>,
    /// The flow; default the first of the scenario.
    pub(super) flow: Option<String>,
    /// The link, for a number that is measured of a link.
    pub(super) link: Option<String>,
    /// The measured number; default goodput.
    pub(super) metric: Option<String>,
    /// Divide by the rate of this link.
    pub(super) share_of: Option<String>,
}

/// The swept parameter along which something holds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Along {
    /// Its short name.
    pub(super) parameter: String,
    /// Smallest value that counts.
    pub(super) from: Option<Scalar>,
    /// Largest value that counts.
    pub(super) to: Option<Scalar>,
}
