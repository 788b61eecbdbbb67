//! Readings: other plausible values of what a text leaves open. Claims are judged under each of them,
//! too, and none is dropped for its verdict.
//!
//! A reading's experiments are the same file with more in its `[sweep]`, and `evaluate` judges every claim under
//! each.

use std::collections::BTreeMap;
use std::fmt::Write;

use skywave_scenario::{CustomMembers, Files, Scenario};

use super::error::Fault;
use super::model::ReadingModel;
use super::register::is_about;

/// Reading of a paper's text: another plausible value of something that the text leaves open, under which its claims
/// are judged too.
#[derive(Debug)]
pub struct Reading {
    /// Name of this reading of the paper's text, such as `delayed-acks`.
    pub name: String,
    /// Difference in words between this reading and the value that the paper's experiments have.
    pub what: String,
    /// The experiments as this reading has them, by the names of those that they stand for.
    experiments: BTreeMap<String, Scenario>,
    /// Choices of the reading, by the choices that they take the place of.
    instead: BTreeMap<String, String>,
    /// Experiments in which `instead` holds; all when there are none.
    within: Vec<String>,
}

impl Reading {
    /// The reading over these experiments of the paper, whose traces are in `files`.
    pub(super) fn new(
        model: &ReadingModel,
        all: &[Scenario],
        files: &dyn Files,
    ) -> Result<Self, Fault> {
        let name = model.name.get_ref();
        if model.set.is_empty() == model.instead.is_empty() {
            return Err(Fault::new(
                "it needs either `set`, values of paths, or `instead`, choices in the place of others",
            ));
        }
        let names = model.experiments.iter().map(String::as_str);
        Fault::unless_known("experiment", names, || all.iter().map(Scenario::name))?;
        let within = |one: &&Scenario| is_about(&model.experiments, one.name());
        if name.is_empty() {
            return Err(Fault::new("it needs a name"));
        }
        for (choice, other) in &model.instead {
            let has_both = |one: &Scenario| {
                one.params().iter().any(|path| {
                    let has = |name: &str| {
                        let mut values = one.points().iter().filter_map(|point| point.param(path));
                        values.any(|value| value.to_string() == name)
                    };
                    has(choice) && has(other)
                })
            };
            let mut read = all.iter().filter(within);
            let fits = if model.experiments.is_empty() {
                read.any(has_both)
            } else {
                read.all(has_both)
            };
            if !fits {
                return Err(Fault::new(format!(
                    "`{choice}` and `{other}` are not both values of one swept parameter of its experiments"
                )));
            }
        }
        let asked = |one: &&Scenario| !model.set.is_empty() && within(one);
        let read = |one: &Scenario| -> Result<(String, Scenario), Fault> {
            let own = format!("{}.{name}", one.name());
            let read = with_values(one, &own, &model.set, files, &CustomMembers::default());
            Ok((one.name().to_owned(), read?))
        };
        Ok(Self {
            name: name.clone(),
            what: model.what.clone(),
            experiments: all
                .iter()
                .filter(asked)
                .map(read)
                .collect::<Result<_, _>>()?,
            instead: model.instead.clone(),
            within: model.experiments.clone(),
        })
    }

    /// Scenario that the reading has in place of an experiment; `None` where it has none.
    pub(super) fn experiment(&self, name: &str) -> Option<&Scenario> {
        self.experiments.get(name)
    }

    /// Choice that the reading has in place of `choice` in an experiment; `None` where it has none.
    pub(super) fn instead_of(&self, choice: &str, experiment: &str) -> Option<&str> {
        let other = self.instead.get(choice).map(String::as_str);
        other.filter(|_| is_about(&self.within, experiment))
    }

    /// Whether the reading has another choice in place of this one, in some experiment.
    pub(super) fn replaces(&self, choice: &str) -> bool {
        self.instead.contains_key(choice)
    }

    /// The choices that only this reading means.
    pub(super) fn own_choices(&self) -> impl Iterator<Item = &str> {
        self.instead.values().map(String::as_str)
    }

    /// Experiments to run for the reading.
    pub(super) fn scenarios(&self) -> impl Iterator<Item = &Scenario> {
        self.experiments.values()
    }

    /// Twice as many seeds for each of its experiments.
    pub(super) fn double_seeds(&mut self) {
        self.experiments
            .values_mut()
            .for_each(Scenario::double_seeds);
    }

    /// Leaves only what stands for these experiments.
    pub(super) fn keep(&mut self, names: &[String]) {
        self.experiments.retain(|name, _| names.contains(name));
    }
}

/// A scenario called `name` that is as another one but for the values at some paths.
pub(crate) fn with_values(
    scenario: &Scenario,
    name: &str,
    set: &BTreeMap<String, toml::Value>,
    files: &dyn Files,
    custom: &CustomMembers,
) -> Result<Scenario, Fault> {
    let text = overlaid(scenario, set)?;
    let read = Scenario::parse_with(name, name, &text, files, custom);
    read.map_err(|error| Fault::new(error.to_string()))
}

/// A scenario's text with these values: each is a swept path with one value, which replaces what the
/// file sets there.
fn overlaid(scenario: &Scenario, set: &BTreeMap<String, toml::Value>) -> Result<String, Fault> {
    let (name, text) = (scenario.name(), scenario.text());
    if let Some(path) = set.keys().find(|path| scenario.params().contains(path)) {
        return Err(Fault::new(format!(
            "`{path}` is swept in `{name}`: only what is not can be set"
        )));
    }
    let mut lines = String::from("[sweep]\n");
    for (path, value) in set {
        let path = toml::Value::String(path.clone());
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{path} = [{value}]");
    }
    let header = |line: &str| line.split('#').next().map(str::trim) == Some("[sweep]");
    match text.lines().position(header) {
        None if scenario.params().is_empty() => Ok(format!("{text}\n{lines}")),
        None => Err(Fault::new(format!(
            "the sweep of `{name}` has to begin with a line `[sweep]`, so that more can be set"
        ))),
        Some(at) => {
            let whole = |line: &str| line.to_owned() + "\n";
            let before = text.lines().take(at).map(whole);
            let after = text.lines().skip(at + 1).map(whole);
            Ok(before.chain([lines]).chain(after).collect())
        }
    }
}
