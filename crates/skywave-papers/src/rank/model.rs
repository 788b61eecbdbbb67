//! The file of a study, as written.

use std::collections::BTreeMap;

use serde::Deserialize;
use skywave_scenario::Spanned;
use toml::Value;

/// A study of paths.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// Question of the study, in one line.
    pub(super) title: String,
    /// More about it.
    pub(super) description: Option<String>,
    /// Name of the flow under test in every scenario; default `test`.
    pub(super) flow: Option<String>,
    /// The published variants; default every preset but the proposed one.
    pub(super) presets: Option<Vec<Spanned<String>>>,
    /// Composition that is judged against the published variants.
    pub(super) proposed: Option<Proposed>,
    /// On paths of families: the composition whose treatment of the flows beside it is the measure for all others'.
    pub(super) reference: Option<Spanned<String>>,
    /// Products of slot members.
    #[serde(default)]
    pub(super) cross: Vec<Cross>,
    /// Mechanisms, which may need more than a transport.
    #[serde(default)]
    pub(super) mechanism: Vec<MechanismModel>,
    /// Measure that counts as delay.
    #[serde(default)]
    pub(super) delay: Delay,
    /// Measure that the table is sorted by.
    #[serde(default)]
    pub(super) order: Order,
    /// The paths.
    #[serde(default)]
    pub(super) path: Vec<PathModel>,
}

/// The composition that a study proposes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Proposed {
    /// A preset or the label of a composition.
    pub(super) name: Spanned<String>,
    /// The composition to compare with: the proposed one must leave as much to others.
    pub(super) as_fair_as: Option<Spanned<String>>,
}

/// Every combination of these members. A slot without a list keeps what the preset has.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cross {
    /// Preset to start from; default `reno`.
    pub(super) preset: Option<String>,
    /// Members of the detection slot, as in a scenario.
    pub(super) detection: Option<Vec<Value>>,
    /// Members of the recovery slot, as in a scenario.
    pub(super) recovery: Option<Vec<Value>>,
    /// Members of the congestion slot, as in a scenario.
    pub(super) congestion: Option<Vec<Value>>,
    /// Members of the timeout slot, as in a scenario.
    pub(super) timeout: Option<Vec<Value>>,
}

impl Cross {
    /// The slots with their lists, in the order of labels.
    pub(super) fn slots(&self) -> impl Iterator<Item = (&'static str, &[Value])> {
        let slots = [
            ("detection", self.detection.as_deref()),
            ("congestion", self.congestion.as_deref()),
            ("recovery", self.recovery.as_deref()),
            ("timeout", self.timeout.as_deref()),
        ];
        let given = slots.into_iter();
        given.filter_map(|(slot, list)| Some((slot, list?)))
    }
}

/// A mechanism: a transport, and whatever else it needs at the flow, at links, at nodes or in the radio network.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MechanismModel {
    /// Name of the mechanism in tables.
    pub(super) name: Spanned<String>,
    /// Composition that the mechanism is set beside: the sender, or the network, without it.
    pub(super) base: Option<Spanned<String>>,
    /// Transport of the flow under test, as in a scenario; default `reno`.
    pub(super) transport: Option<Value>,
    /// Paths of the scenarios as in `[sweep]`, each with its value. A scenario that has no such place, or refuses
    /// the value, is a path that the mechanism cannot run on.
    #[serde(default)]
    pub(super) set: BTreeMap<String, Value>,
    /// Keys of the flow under test that this transport does not take, as `profile` with QUIC: they are left out.
    #[serde(default)]
    pub(super) without: Vec<Spanned<String>>,
}

/// Measure that a study takes as delay; results are in multiples of the smallest RTT that any sender saw on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delay {
    /// Mean of the RTT samples.
    #[default]
    Rtt,
    /// 95th percentile of the time from a segment's first transmission to its in-order delivery.
    DelayP95,
}

/// Measure by which a study's table of sender compositions is sorted, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Mean goodput as a share of the best sender's, over the lossy paths; where that is equal, over the clean ones.
    /// More is better.
    #[default]
    Share,
    /// Mean rank by goodput over the lossy and clean paths together. Rank 1 is the best.
    Rank,
}

/// Use of a path in a study: which question it answers about a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Path for goodput where packets are lost, late or out of order for other reasons than congestion.
    Lossy,
    /// Path for goodput where congestion alone loses packets.
    Clean,
    /// Path for fairness: the goodput that a sender leaves to competing flows.
    Fairness,
    /// Path that belongs to a family, one of the kinds of paths that the study names: for goodput, and for what is left
    /// to other flows where there are any.
    #[serde(skip)]
    Any,
}

/// One path.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PathModel {
    /// Name, also of its folder of results.
    pub(super) name: Spanned<String>,
    /// Use of the path; one of a family is for all that it shows.
    pub(super) kind: Option<Kind>,
    /// Family that the path belongs to; either all paths of a study have one, or none.
    pub(super) family: Option<Spanned<String>>,
    /// The scenario file, relative to the study; the flow under test's transport is replaced.
    pub(super) scenario: String,
    /// Paths of the scenario as in `[sweep]`, each with its value here.
    #[serde(default)]
    pub(super) set: BTreeMap<String, Value>,
    /// More about it, for the report.
    pub(super) about: Option<String>,
}
