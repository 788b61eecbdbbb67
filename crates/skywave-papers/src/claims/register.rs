//! The register of decisions: which settings of the experiments the text states, and which it leaves open.
//!
//! It knows which settings an experiment's file makes and which of them the file of claims calls given or
//! decided; a test refuses a built-in paper with a setting in neither.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use skywave_scenario::{Scenario, Spanned};

use super::error::Fault;
use super::model::{DecisionModel, File, GivenModel};
use super::reader::matches;

/// A setting of the experiments that the paper's text leaves open, and what was chosen for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// Setting that was decided, in words.
    pub setting: String,
    /// Names of the experiments that the decision is about; empty for all.
    pub experiments: Vec<String>,
    /// Choice that was made, in words.
    pub value: String,
    /// Reason for the choice.
    pub why: String,
    /// Whether the outcome of a claim had been looked at before the choice was made.
    pub claims_seen: bool,
    /// Name of the other [`Reading`](super::Reading) of the paper's text, which has another plausible value of this
    /// setting and under which the claims are judged too; `None` if there is none.
    pub reading: Option<String>,
}

/// Settings of the experiments that the paper's text states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Given {
    /// Keys of the settings in the experiments' files, such as `link.radio.delay`; `*` stands for anything.
    pub keys: Vec<String>,
    /// Names of the experiments whose settings these are; empty for all.
    pub experiments: Vec<String>,
    /// Place in the paper that states the settings.
    pub place: String,
}

impl Given {
    pub(super) fn new(model: &GivenModel) -> Self {
        let keys = model.keys.iter().map(|key| key.get_ref().clone());
        Self {
            keys: keys.collect(),
            experiments: model.experiments.clone(),
            place: model.place.clone(),
        }
    }
}

impl Decision {
    pub(super) fn new(model: &DecisionModel) -> Self {
        Self {
            setting: model.setting.get_ref().clone(),
            experiments: model.experiments.clone(),
            value: model.value.clone(),
            why: model.why.clone(),
            claims_seen: model.claims_seen,
            reading: model.reading.clone(),
        }
    }
}

/// Keys that say who is where, what is recorded and what is shown, which no text decides.
const NO_SETTING: [&str; 11] = [
    "title",
    "description",
    "report",
    "*.name",
    "*.between",
    "*.from",
    "*.to",
    "agent.*.at",
    "run.seeds",
    "run.bins",
    "run.series",
];

/// The settings of each experiment's file, by the experiment's name.
pub(super) type Settings = BTreeMap<String, BTreeSet<String>>;

/// The settings of these experiments: what each file sets, and the profile of each flow, which is a choice also where
/// the file is silent.
pub(super) fn settings(experiments: &[Scenario]) -> Settings {
    let of = |experiment: &Scenario| {
        let written = experiment.settings();
        let flows = written.iter().filter_map(|key| {
            let flow = key.strip_prefix("flow.")?.strip_suffix(".to")?;
            Some(format!("flow.{flow}.profile"))
        });
        let mut all: BTreeSet<String> = flows.collect();
        all.extend(written);
        all.retain(|key| !NO_SETTING.iter().any(|pattern| is_under(pattern, key)));
        (experiment.name().to_owned(), all)
    };
    experiments.iter().map(of).collect()
}

/// The keys of an experiment that no entry of the register covers.
pub(super) fn unregistered<'a>(
    file: &File,
    experiment: &str,
    keys: &'a BTreeSet<String>,
) -> Vec<&'a str> {
    let given = file.given.iter().map(|g| (&g.keys, &g.experiments));
    let decided = file.decision.iter().map(|d| (&d.keys, &d.experiments));
    let about = given
        .chain(decided)
        .filter(|(_, names)| is_about(names, experiment));
    let patterns: Vec<&str> = about
        .flat_map(|(keys, _)| keys.iter().map(|key| key.get_ref().as_str()))
        .collect();
    let open = |key: &&str| !patterns.iter().any(|pattern| is_under(pattern, key));
    keys.iter().map(String::as_str).filter(open).collect()
}

/// Whether a list of experiments that something is about, all when it is empty, has this one.
pub(super) fn is_about(experiments: &[String], name: &str) -> bool {
    experiments.is_empty() || experiments.iter().any(|one| one == name)
}

/// Whether the key is one that the pattern matches, or below one.
fn is_under(pattern: &str, key: &str) -> bool {
    matches(pattern, key) || matches(&format!("{pattern}.*"), key)
}

/// Whether a decision says what there is: experiments and a reading that exist, keys that a file sets.
pub(super) fn check(model: &DecisionModel, file: &File, all: &Settings) -> Result<(), Fault> {
    let known = || file.reading.iter().map(|r| r.name.get_ref().as_str());
    let named = model.reading.iter().map(String::as_str);
    Fault::unless_known("reading", named, known)?;
    check_keys(&model.keys, &model.experiments, all)
}

/// Whether the experiments exist, and some file of them sets each of the keys.
pub(super) fn check_keys(
    keys: &[Spanned<String>],
    experiments: &[String],
    all: &Settings,
) -> Result<(), Fault> {
    let known = || all.keys().map(String::as_str);
    Fault::unless_known("experiment", experiments.iter().map(String::as_str), known)?;
    let set = |pattern: &str| {
        let mut files = all.iter().filter(|(name, _)| is_about(experiments, name));
        files.any(|(_, keys)| keys.iter().any(|key| is_under(pattern, key)))
    };
    let mut keys = keys.iter().map(|key| key.get_ref().as_str());
    match keys.find(|key| !set(key)) {
        None => Ok(()),
        Some(key) => {
            Err(Fault::new(format!("no experiment here sets `{key}`")).about(key.to_owned()))
        }
    }
}
