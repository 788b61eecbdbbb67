//! The compositions of a study: published presets, products of slot members, and mechanisms.

use toml::Value;

use super::model::{Cross, MechanismModel};
use crate::file::{inline, quoted};

/// Composition that a study ranks: a sender made of one policy for each task (loss detection, recovery, congestion
/// control, timeout), or a mechanism: a transport and whatever else it needs in a scenario, such as a proxy.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Entry {
    /// Name in tables: the preset's or mechanism's, or the policies that the study combines.
    pub label: String,
    /// Whether the study judges its entries against this one, as it does against published senders such as CUBIC: true
    /// of all presets and mechanisms but the proposed one, false of combinations of policies.
    pub published: bool,
    /// Transport of the flow under test, as scenario files write it.
    pub transport: String,
    /// Further keys of a scenario that a mechanism sets, such as a proxy or a link's repair, with their values as
    /// scenario files write them.
    pub set: Vec<(String, String)>,
    /// Keys of the flow under test that are taken out of the scenario, because a mechanism's transport does not allow
    /// them.
    pub without: Vec<String>,
    /// Index, among the study's entries, of the entry that a mechanism is compared with: the sender or network without
    /// the mechanism. `None` for an entry that is no mechanism, or a mechanism that names none.
    pub base: Option<usize>,
    /// Slots with their members, `recovery sack`; none for a preset.
    pub(super) members: Vec<String>,
}

impl Entry {
    /// A preset by its name.
    pub(super) fn preset(name: &str, published: bool) -> Self {
        Self {
            label: name.to_owned(),
            published,
            transport: quoted(name),
            ..Self::default()
        }
    }

    /// A mechanism, before its base is known.
    pub(super) fn mechanism(model: &MechanismModel, published: bool) -> Self {
        let transport = model.transport.as_ref();
        let set = model.set.iter();
        Self {
            transport: transport.map_or_else(|| quoted("reno"), inline),
            set: set
                .map(|(key, value)| (key.clone(), inline(value)))
                .collect(),
            without: model
                .without
                .iter()
                .map(|key| key.get_ref().clone())
                .collect(),
            ..Self::preset(model.name.get_ref(), published)
        }
    }

    /// The paths that it sets besides the transport.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.set.iter().map(|(key, _)| key.as_str())
    }

    /// Whether the composition changes no more of a scenario than the transport.
    pub(super) fn is_plain(&self) -> bool {
        self.set.is_empty() && self.without.is_empty()
    }

    /// Whether both need the same of a scenario besides the transport, so that they can be points of one sweep.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.keys().eq(other.keys()) && self.without == other.without
    }

    /// Whether the composition comes from a product of members.
    pub(super) fn is_crossed(&self) -> bool {
        !self.members.is_empty()
    }
}

/// All combinations of one product, the last slot varying fastest.
pub(super) fn cross(model: &Cross) -> Vec<Entry> {
    let mut all = vec![Combination::default()];
    if let Some(preset) = &model.preset {
        all = vec![all[0].with("preset", preset, &quoted(preset))];
    }
    for (slot, members) in model.slots() {
        let longer = |one: &Combination| {
            let with = |m: &Value| one.with(slot, &name(m), &inline(m));
            members.iter().map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.into_iter().map(Combination::entry).collect()
}

/// Members chosen so far.
#[derive(Clone, Default)]
struct Combination {
    names: Vec<String>,
    members: Vec<String>,
    keys: Vec<String>,
}

impl Combination {
    fn with(&self, slot: &str, name: &str, value: &str) -> Self {
        let mut longer = self.clone();
        longer.names.push(name.to_owned());
        longer.members.push(format!("{slot} {name}"));
        longer.keys.push(format!("{slot} = {value}"));
        longer
    }

    fn entry(self) -> Entry {
        Entry {
            label: self.names.join(" + "),
            transport: format!("{{ {} }}", self.keys.join(", ")),
            members: self.members,
            ..Entry::default()
        }
    }
}

/// A member's name, with its parameters after it: `cerl(a = 0.3)`.
fn name(member: &Value) -> String {
    match member {
        Value::String(name) => name.clone(),
        Value::Table(table) => {
            let names = table.iter().map(|(name, value)| match value {
                Value::Table(parameters) => {
                    let list = parameters
                        .iter()
                        .map(|(k, v)| format!("{k} = {}", plain(v)));
                    format!("{name}({})", list.collect::<Vec<_>>().join(", "))
                }
                other => format!("{name}({})", plain(other)),
            });
            names.collect::<Vec<_>>().join(" ")
        }
        other => inline(other),
    }
}

/// A parameter's value for people.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => inline(other),
    }
}
