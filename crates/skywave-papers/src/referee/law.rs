//! A congestion control (law) to judge: a preset, a composition or a QUIC sender, run by the simulator.

use std::collections::{BTreeMap, BTreeSet};

use skywave_core::quic;
use skywave_core::tcp::PRESETS;
use skywave_scenario::{
    CustomMembers, Files, NoFiles, Point, Scenario, ScenarioError, transport_name,
};
use skywave_sim::Spec;
use toml::Value;

use crate::claims::sender::Sender;
use crate::claims::{SEAT, matches, with_values};
use crate::file::inline;

/// A sender to be judged that the simulator runs: a TCP or QUIC preset (a named sender), or a composition of policies.
#[derive(Clone, Debug)]
pub struct Law {
    name: String,
    value: Value,
    custom: CustomMembers,
    /// Names by which files of claims may mean it.
    names: BTreeSet<String>,
}

impl Law {
    /// Sender that `text` describes in the notation of scenarios: a preset, as in `cubic`, or a composition, as in
    /// `{ preset = "cerl", recovery = "sack" }`.
    ///
    /// # Errors
    /// When `text` is neither a known preset nor a valid composition.
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        Self::with_members(text, &CustomMembers::default())
    }

    /// Sender that `text` describes in the notation of scenarios: a preset or a composition, which may also have the
    /// policies in `custom`, a user's own code.
    ///
    /// # Errors
    /// When `text` is neither a known preset nor a valid composition.
    pub fn with_members(text: &str, custom: &CustomMembers) -> Result<Self, ScenarioError> {
        let value = match text.trim() {
            table if table.starts_with('{') => {
                format!("transport = {table}").parse::<toml::Table>()
            }
            name => Ok([("transport".to_owned(), Value::from(name))]
                .into_iter()
                .collect()),
        };
        // What is no TOML is shown where it stands.
        let value = value.ok().and_then(|mut table| table.remove("transport"));
        let written = value.as_ref().map_or_else(
            || text.trim().to_owned(),
            |value| format!("[{}]", inline(value)),
        );
        let probe = format!(
            "# The law as a scenario has it.\n[sweep]\n\"{SEAT}\" = {written}\n\n\
             [[flow]]\nname = \"test\"\nfrom = \"A\"\nto = \"B\"\n\n\
             [[link]]\nbetween = [\"A\", \"B\"]\nrate = \"1Mbps\"\ndelay = \"1ms\"\n\n\
             [run]\nduration = \"1s\"\n"
        );
        let read = Scenario::parse_with("law", "law", &probe, &NoFiles, custom)?;
        let label = read.points()[0].transport_label(0).unwrap_or_default();
        let name = transport_name(label);
        let mut names = BTreeSet::from([name.clone()]);
        if let Some(Value::Table(table)) = &value {
            names.extend(
                table
                    .get("preset")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            );
            names.extend(table.get("congestion").and_then(member));
        }
        Ok(Self {
            name,
            // A scenario that can be read has a value.
            value: value.unwrap_or_else(|| Value::from(text.trim())),
            custom: custom.clone(),
            names,
        })
    }

    /// The sender with `name` as an additional name by which a file of claims may refer to it: for a variant, the name
    /// of the congestion control that it varies.
    #[must_use]
    pub fn also(mut self, name: &str) -> Self {
        self.names.insert(name.to_owned());
        self
    }

    /// Senders of all presets: those of TCP, then those of QUIC.
    ///
    /// # Errors
    /// When a preset's name cannot be read as a sender, which would be a mistake in the presets.
    pub fn all() -> Result<Vec<Self>, ScenarioError> {
        let tcp = PRESETS.iter().map(|preset| preset.name);
        let quic = quic::PRESETS.iter().map(|preset| preset.name);
        tcp.chain(quic).map(Self::parse).collect()
    }
}

impl Law {
    /// The scenario with this sender at the keys `seats`, such as `flow.test.transport`; `check` is called with each
    /// point of the scenario and the point's specification for the first seed, and may refuse it.
    ///
    /// # Errors
    /// Those of [`Sender::take`], and of `check`.
    pub fn take_checked(
        &self,
        scenario: &Scenario,
        seats: &[&str],
        files: &dyn Files,
        check: impl Fn(&Point, &Spec) -> Result<(), String>,
    ) -> Result<Scenario, String> {
        let taken = self.take(scenario, seats, files)?;
        let seed = taken.seeds().first().copied().unwrap_or(1);
        for point in taken.points() {
            check(point, &point.spec(seed))?;
        }
        Ok(taken)
    }
}

/// The name of a member, alone or with parameters.
fn member(value: &Value) -> Option<String> {
    match value {
        Value::String(name) => Some(name.clone()),
        Value::Table(table) => table.keys().next().cloned(),
        _ => None,
    }
}

impl Sender for Law {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_meant_by(&self, pattern: &str) -> bool {
        self.names.iter().any(|name| matches(pattern, name))
    }

    fn take(
        &self,
        scenario: &Scenario,
        seats: &[&str],
        files: &dyn Files,
    ) -> Result<Scenario, String> {
        let set: BTreeMap<String, Value> = seats
            .iter()
            .map(|seat| ((*seat).to_owned(), self.value.clone()))
            .collect();
        let taken = with_values(scenario, scenario.name(), &set, files, &self.custom);
        taken.map_err(|fault| fault.to_string())
    }
}
