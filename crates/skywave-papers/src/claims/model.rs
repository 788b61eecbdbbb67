//! A file of claims as typed data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use skywave_scenario::Spanned;

use super::measure::Measures;
use super::select::Scalar;

/// Path of the transport that a judged sender takes where a file of claims names none.
pub(crate) const SEAT: &str = "flow.test.transport";

/// A paper's claims.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// The paper's title.
    pub(super) title: String,
    /// Author of the paper and where it appeared.
    pub(super) source: String,
    /// Short names of swept paths. With several paths, the one that an experiment sweeps is meant.
    pub(super) parameters: BTreeMap<String, Vec<String>>,
    /// Paths of the transports that a sender takes which is judged by these claims; default [`SEAT`].
    pub(super) sender: Option<Names>,
    /// Senders that the claims are about, as patterns with `*`; every one when there are none.
    #[serde(default)]
    pub(super) only: Vec<String>,
    /// Senders that the claims compare with and that are not the paper's.
    #[serde(default)]
    pub(super) baseline: Vec<BaselineModel>,
    /// Settings of the experiments that the text states.
    #[serde(default)]
    pub(super) given: Vec<GivenModel>,
    /// Settings that the text leaves open.
    #[serde(default)]
    pub(super) decision: Vec<DecisionModel>,
    /// Other plausible values of what the text leaves open.
    #[serde(default)]
    pub(super) reading: Vec<ReadingModel>,
    /// The claims.
    pub(super) claim: Vec<ClaimModel>,
}

impl File {
    /// The names with which its parts begin.
    pub(super) fn heads(&self) -> impl Iterator<Item = &Spanned<String>> {
        let claims = self.claim.iter().map(|claim| &claim.id);
        let baselines = self.baseline.iter().map(|baseline| &baseline.sender);
        let given = self.given.iter().filter_map(|given| given.keys.first());
        let decisions = self.decision.iter().map(|decision| &decision.setting);
        let readings = self.reading.iter().map(|reading| &reading.name);
        let settings = given.chain(decisions).chain(readings);
        claims.chain(baselines).chain(settings)
    }
}

/// Settings that the text states.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenModel {
    /// Paths in the experiments' files, with `*` for anything.
    pub(super) keys: Vec<Spanned<String>>,
    /// Where the text states them.
    #[serde(rename = "where")]
    pub(super) place: String,
    /// Only in these experiments; in all when there are none.
    #[serde(default)]
    pub(super) experiments: Vec<String>,
}

/// A setting that the text leaves open.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DecisionModel {
    /// Setting that is decided, in words.
    pub(super) setting: Spanned<String>,
    /// Paths in the experiments' files that set it, with `*` for anything; none when it is a default.
    pub(super) keys: Vec<Spanned<String>>,
    /// Experiments that the decision is about; all when there are none.
    #[serde(default)]
    pub(super) experiments: Vec<String>,
    /// Choice that was made, in words.
    pub(super) value: String,
    /// Reason for the choice: another section of the text, a default of the time, a witness.
    pub(super) why: String,
    /// Whether the outcome of a claim had been looked at before.
    pub(super) claims_seen: bool,
    /// The reading that has another plausible value.
    pub(super) reading: Option<String>,
}

/// Another plausible value of what the text leaves open. Claims are judged under it, too.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadingModel {
    /// Name of the reading, which is also a part of file names.
    pub(super) name: Spanned<String>,
    /// Difference to what was chosen, in words.
    pub(super) what: String,
    /// The experiments that are run again with `set`, or in which `instead` holds; all when there are none.
    #[serde(default)]
    pub(super) experiments: Vec<String>,
    /// Values of paths, as a `[sweep]` names them.
    #[serde(default)]
    pub(super) set: BTreeMap<String, toml::Value>,
    /// Choices that take the place of others: an experiment has both, a claim names the first.
    #[serde(default)]
    pub(super) instead: BTreeMap<String, String>,
}

/// A sender that is not the one that the paper measured.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BaselineModel {
    /// Name of the sender, as it stands in the names of the parts that compare with it.
    pub(super) sender: Spanned<String>,
    /// How the sender differs from the paper's, how that is known, and where to read more.
    pub(super) why: String,
    /// Measurements of the sender by other programs.
    #[serde(default)]
    pub(super) evidence: Vec<EvidenceModel>,
}

/// A measurement of a baseline by another program, at one point of an experiment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EvidenceModel {
    /// The program, with its version.
    pub(super) program: String,
    /// Where its numbers are recorded.
    pub(super) source: String,
    /// The point; the sender is left open.
    pub(super) data: Data,
    /// The baseline's number in that program.
    pub(super) baseline: Measured,
    /// The sender that the baseline is set in relation to, in that program.
    pub(super) over: Sender,
    /// The paper's mechanism, written independently, in that program.
    pub(super) mechanism: Sender,
    /// The ratio of the baseline to `over` that the paper's numbers imply.
    pub(super) paper: f64,
    /// The unit of the numbers.
    #[serde(default)]
    pub(super) unit: String,
}

/// A sender's number.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sender {
    /// Name of the sender in the experiment.
    pub(super) sender: String,
    /// Mean and half of the 95 % interval.
    pub(super) measured: Measured,
}

/// Mean and half of the 95 % interval.
pub(super) type Measured = [f64; 2];

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
    /// Statement of the text, in our words.
    pub(super) statement: String,
    /// Experiment whose plot shows the claim.
    pub(super) figure: Option<String>,
    /// Further remark: how words became numbers, or where the text contradicts itself.
    pub(super) note: Option<String>,
    /// Reason why a main statement of the paper stands, or why not; main statements are shown first.
    pub(super) main: Option<String>,
    /// Part of the statement that is not measured.
    pub(super) unmeasured: Option<String>,
    /// Parts whose outcome was put in, by their names (empty for the only one), and how.
    #[serde(default)]
    pub(super) circular: BTreeMap<String, String>,
    /// Senders that the claim is about, as patterns with `*`; those of the file when there are none.
    #[serde(default)]
    pub(super) only: Vec<String>,
    /// Why no simulation can measure it.
    pub(super) not_testable: Option<String>,
    /// How it is measured: an array of tables for each kind of measure.
    #[serde(default)]
    pub(super) measure: Measures,
}

/// Kind of statement that a claim makes: a gain, a value, an order, a shape or no change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Claim that something is better by a number of percent.
    Gain,
    /// Claim that a quantity, such as a goodput, has a value.
    Value,
    /// Claim about the order of variants: which of them is ahead of which.
    Order,
    /// Claim about the course of a curve: falling, flat, crossing another one.
    Shape,
    /// Claim that something does not change.
    Invariant,
}

/// Numbers of runs to read: one experiment, the points where swept parameters have given
/// values, one flow or link, one measured number.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Data {
    /// The experiment's name.
    pub(super) experiment: String,
    /// Values of swept parameters, by their short names.
    #[serde(default)]
    pub(super) at: BTreeMap<String, Scalar>,
    /// The flow; default the first of the scenario. Several: the name of a `[[flow]]` with copies, or a
    /// pattern with `*`.
    pub(super) flow: Option<String>,
    /// How several flows become one number; default the sum of rates and counts, the mean of others.
    pub(super) pool: Option<Pool>,
    /// The link, for a number that is measured of a link.
    pub(super) link: Option<String>,
    /// The measured number, or several to be added up; default goodput.
    pub(super) metric: Option<Names>,
    /// Divide by another measured number, by several added up, or by a number that is given here.
    pub(super) per: Option<Per>,
    /// Goodput from one time to another, both bounds of bins.
    pub(super) during: Option<(String, String)>,
    /// How long flows take to give way to others, in seconds.
    pub(super) takeover: Option<Takeover>,
    /// Divide by the rate of this link.
    pub(super) share_of: Option<String>,
}

impl Data {
    /// Names of the measured numbers; those of a link after the link's.
    pub(super) fn measures(&self) -> Vec<String> {
        let metric = self.metric.as_ref().map_or(&[][..], Names::as_slice);
        let per = match &self.per {
            Some(Per::Metric(names)) => names.as_slice(),
            _ => &[],
        };
        let named = |name: &String| match &self.link {
            Some(link) => format!("{link}.{name}"),
            None => name.clone(),
        };
        let mut names: Vec<String> = metric.iter().chain(per).map(named).collect();
        if metric.is_empty() {
            let default = self.link.as_ref().map_or("goodput", |_| "utilisation");
            names.push(named(&default.to_owned()));
        }
        names
    }
}

/// How several flows become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Pool {
    /// All together.
    Sum,
    /// A flow in the mean.
    Mean,
    /// Jain's index: 1 when all are equal.
    Jain,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

/// One measured number or several.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "must be a name, or an array of names")]
pub(super) enum Names {
    One(String),
    Many(Vec<String>),
}

impl Names {
    pub(super) fn as_slice(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }
}

impl From<&str> for Names {
    fn from(name: &str) -> Self {
        Self::One(name.to_owned())
    }
}

/// The divisor of a number.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "must be a number, a name, or an array of names")]
pub(super) enum Per {
    Number(f64),
    Metric(Names),
}

/// Flows that give way to others.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Takeover {
    /// The flows that have the link before, as in [`Data::flow`].
    pub(super) falls: String,
    /// The share of the link that they have at most in the end.
    pub(super) to: f64,
    /// The flows that come.
    pub(super) rises: String,
    /// The share that these have at least in the end.
    pub(super) from: f64,
    /// The link.
    pub(super) of: String,
    /// When they come.
    pub(super) after: String,
    /// Judge by the mean over this much time; default one bin.
    pub(super) smooth: Option<String>,
}

/// The swept parameter along which something holds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Along {
    /// Short name of the parameter.
    pub(super) parameter: String,
    /// Smallest value that counts.
    pub(super) from: Option<Scalar>,
    /// Largest value that counts.
    pub(super) to: Option<Scalar>,
}
