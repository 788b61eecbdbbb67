//! The register of decisions: which settings of the experiments the text states, and which it leaves open.

use std::collections::BTreeSet;

use skywave_scenario::{Scenario, Spanned};

use super::error::Fault;
use super::model::{DecisionModel, File, GivenModel};
use super::reader::matches;

/// A setting that a text leaves open, and what was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What is decided, in words.
    pub setting: String,
    /// The experiments that it is about; all when there are none.
    pub experiments: Vec<String>,
    /// What was chosen, in words.
    pub value: String,
    /// Why.
    pub why: String,
    /// Whether the outcome of a claim had been looked at before.
    pub claims_seen: bool,
    /// The reading that has another plausible value.
    pub reading: Option<String>,
}

/// Settings that a text states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Their paths in the experiments' files, with `*` for anything.
    pub keys: Vec<String>,
    /// The experiments that it is about; all when there are none.
    pub experiments: Vec<String>,
    /// Where the text states them.
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

/// What says who is where, what is recorded and what is shown, which no text decides.
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

/// One entry of the register, whichever kind: its paths and the experiments that it is about.
struct Entry<'a> {
    keys: Vec<&'a str>,
    experiments: &'a [String],
}

impl Entry<'_> {
    /// Whether it says something about a key of an experiment.
    fn covers(&self, experiment: &str, key: &str) -> bool {
        let about = self.experiments.is_empty() || self.experiments.iter().any(|e| e == experiment);
        about && self.keys.iter().any(|pattern| is_under(pattern, key))
    }
}

/// All entries of a register.
fn entries(file: &File) -> Vec<Entry<'_>> {
    let given = file.given.iter().map(|g| (&g.keys, &g.experiments));
    let decided = file.decision.iter().map(|d| (&d.keys, &d.experiments));
    given
        .chain(decided)
        .map(|(keys, experiments)| Entry {
            keys: keys.iter().map(|key| key.get_ref().as_str()).collect(),
            experiments,
        })
        .collect()
}

/// The settings of an experiment's file, and the profile of each flow, which is a choice also where the
/// file is silent.
fn settings(experiment: &Scenario) -> BTreeSet<String> {
    let written = experiment.settings();
    let flows = written.iter().filter_map(|key| {
        let flow = key.strip_prefix("flow.")?.strip_suffix(".to")?;
        Some(format!("flow.{flow}.profile"))
    });
    let mut all: BTreeSet<String> = flows.collect();
    all.extend(written);
    all.retain(|key| !NO_SETTING.iter().any(|pattern| is_under(pattern, key)));
    all
}

/// The keys that no entry of the register covers.
pub(super) fn unregistered(file: &File, experiment: &Scenario) -> Vec<String> {
    let entries = entries(file);
    let open = |key: &String| !entries.iter().any(|e| e.covers(experiment.name(), key));
    settings(experiment).into_iter().filter(open).collect()
}

/// Whether the key is one that the pattern matches, or below one.
fn is_under(pattern: &str, key: &str) -> bool {
    matches(pattern, key) || matches(&format!("{pattern}.*"), key)
}

/// Whether the entries of a register say what there is: experiments and readings that exist, keys that
/// a file sets.
pub(super) fn check(model: &DecisionModel, file: &File, all: &[Scenario]) -> Result<(), Fault> {
    if let Some(name) = &model.reading {
        let known = || file.reading.iter().map(|r| r.name.get_ref().as_str());
        if !known().any(|reading| reading == name) {
            return Err(Fault::unknown("reading", name, known()));
        }
    }
    check_keys(&model.keys, &model.experiments, all)
}

/// Whether the experiments exist, and some file of them sets each of the keys.
pub(super) fn check_keys(
    keys: &[Spanned<String>],
    experiments: &[String],
    all: &[Scenario],
) -> Result<(), Fault> {
    known_experiments(experiments, all)?;
    let about = |one: &&Scenario| {
        experiments.is_empty() || experiments.iter().any(|name| name == one.name())
    };
    let set: BTreeSet<String> = all.iter().filter(about).flat_map(settings).collect();
    let mut keys = keys.iter().map(|key| key.get_ref().as_str());
    match keys.find(|key| !set.iter().any(|k| is_under(key, k))) {
        None => Ok(()),
        Some(key) => {
            Err(Fault::new(format!("no experiment here sets `{key}`")).about(key.to_owned()))
        }
    }
}

/// Whether all experiments of a list exist.
pub(super) fn known_experiments(names: &[String], all: &[Scenario]) -> Result<(), Fault> {
    let known = || all.iter().map(Scenario::name);
    match names
        .iter()
        .find(|name| !known().any(|k| k == name.as_str()))
    {
        None => Ok(()),
        Some(name) => Err(Fault::unknown("experiment", name, known())),
    }
}
