//! The space of a search: a scenario and the keys that vary in it, and the scenarios that are its points.

use std::fmt;
use std::sync::Arc;

use toml_edit::Value as Written;

use crate::lower::Context;
use crate::lower::custom::CustomMembers;
use crate::read::error::{ScenarioError, Source};
use crate::read::fault::Fault;
use crate::read::files::{Files, Shelf};
use crate::read::names::unknown;
use crate::read::tree::{self, Node};
use crate::report::Report;
use crate::search::key::{Key, Setting};
use crate::search::write::{self, Draft};
use crate::search::{keys, set};
use crate::sweep::param::{ParamValue, Written as Param};
use crate::sweep::path::names;
use crate::{Point, Scenario, lower, lower_tree};

/// Keys of a flow that QUIC refuses.
const OF_TCP: [&str; 4] = ["profile", "acking", "fin", "tcp"];

/// Search space: a scenario with a `[search]`, and the values that the search's keys may be set to.
pub struct Space<'f> {
    source: Source,
    /// The file without its search and report.
    tree: Node,
    keys: Vec<Key>,
    files: &'f (dyn Files + Sync),
    custom: CustomMembers,
    scenario: Scenario,
}

impl fmt::Debug for Space<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Space")
            .field("file", &self.source.name)
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

impl<'f> Space<'f> {
    /// Reads a scenario with a `[search]` from `text`, as [`Scenario::parse_with`] does.
    ///
    /// # Errors
    /// A mistake in the file; no `[search]`, or one without a key.
    pub fn parse(
        name: &str,
        file: &str,
        text: &str,
        files: &'f (dyn Files + Sync),
        custom: &CustomMembers,
    ) -> Result<Self, ScenarioError> {
        let scenario = Scenario::parse_with(name, file, text, files, custom)?;
        let source = Source {
            name: file.into(),
            text: text.into(),
        };
        let read = || {
            let mut tree = tree::parse(text)?;
            tree.remove("report");
            let Some(search) = tree.remove("search") else {
                return Err(Fault::new(0..0, "there is no [search] in this scenario")
                    .label("no ranges to search")
                    .help("for example, [search] with \"link.NAME.rate\" = { log = [\"1Mbps\", \"50Mbps\"] }"));
            };
            let keys = keys(&search.node, &tree, text)?;
            if keys.is_empty() {
                return Err(Fault::new(search.key_span, "this search has no key")
                    .label("at least one is needed"));
            }
            Ok((tree, keys))
        };
        let (tree, keys) = read().map_err(|fault| fault.into_error(&source))?;
        Ok(Self {
            source,
            tree,
            keys,
            files,
            custom: custom.clone(),
            scenario,
        })
    }

    /// Scenario of the file without its search, where all keys have their defaults.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Keys of the `[search]`, in the file's order.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Names of the file's flows, by which its keys call them (`flow.NAME.start`).
    pub fn flows(&self) -> Vec<String> {
        names(&self.tree, "flow")
    }

    /// Spaces that differ in the transport of the flow `flow` alone: one for each of `senders`, which are names of
    /// presets or compositions as a file has them, `{ preset = "sack", congestion = "veno" }`. If one of the senders is
    /// of QUIC, keys of the flow that QUIC refuses are taken out in all spaces, so that all senders can be in one file.
    ///
    /// # Errors
    /// There is no such flow, the search has a key in the place of its transport, or the flow cannot have one of the
    /// senders as its transport.
    pub fn with_senders(&self, flow: &str, senders: &[String]) -> Result<Vec<Self>, ScenarioError> {
        let flows = self.flows();
        let Some(index) = flows.iter().position(|name| name == flow) else {
            let fault = unknown("flow", flow, &flows).at(&(0..0));
            return Err(fault.into_error(&self.source));
        };
        let paths = self.keys.iter().flat_map(|key| &key.paths);
        let mut seats = paths.filter(|path| path.is_in("flow", index, "transport"));
        if let Some(seat) = seats.next() {
            let fault = Fault::new(seat.span.clone(), "this search sets the sender's place")
                .label(format!("`{flow}` has the sender that is searched for"))
                .help("without this key; other senders are compared by a search for each");
            return Err(fault.into_error(&self.source));
        }
        let senders = senders.iter().map(|text| (text, sender(text)));
        let senders: Vec<(&String, Written)> = senders.collect();
        let has_quic = senders.iter().any(|(_, sender)| is_quic(sender));
        let with = |(text, sender): (&String, Written)| {
            let mut draft = self.draft();
            for key in OF_TCP.iter().filter(|_| has_quic) {
                draft.remove_of_flow(index, key);
            }
            draft.set(&["flow", &index.to_string(), "transport"], sender);
            let file = format!("{} with transport = {text}", self.source.name);
            let name = self.scenario.name();
            Self::parse(name, &file, &draft.text(), self.files, &self.custom)
        };
        senders.into_iter().map(with).collect()
    }

    /// Scenario at a point of the space: `settings` has a setting for each key, in order, `None` for the key's default.
    /// The scenario has one sweep point, whose parameters are these settings.
    ///
    /// # Errors
    /// The settings contradict each other, or what the file has.
    pub fn at(&self, settings: &[Option<Setting>]) -> Result<Scenario, ScenarioError> {
        let chosen = self.chosen(settings);
        let one = || {
            let tree = set(&chosen, &self.tree)?;
            let context = Context {
                files: Shelf::new(self.files),
                custom: &self.custom,
            };
            let (file, template) = lower_tree(&tree, &context)?;
            let seeds = lower::seeds(&file.run)?;
            Ok((template, seeds, context.files.read_traces()))
        };
        let (template, seeds, traces) =
            one().map_err(|fault: Fault| fault.into_error(&self.source))?;
        let set = chosen.iter().flat_map(|(key, setting)| key.set(setting));
        let params: Vec<(String, ParamValue)> = set
            .map(|(path, value)| (path.text.clone(), parameter(&value)))
            .collect();
        Ok(Scenario {
            text: Arc::clone(&self.source.text),
            seeds,
            params: params.iter().map(|(path, _)| path.clone()).collect(),
            reaches: Vec::new(),
            points: vec![Point { params, template }],
            report: Report::default(),
            traces,
            warnings: Vec::new(),
            ..self.scenario.clone()
        })
    }

    /// Text of a scenario file for a point of the space: the file's, with these settings, title and seeds written in
    /// place, and without `[search]` and `[report]`. If there are `senders`, a sweep gives `flow` each of them as its
    /// transport.
    pub fn text(
        &self,
        settings: &[Option<Setting>],
        title: &str,
        seeds: &[u64],
        (flow, senders): (&str, &[String]),
    ) -> String {
        let mut draft = self.draft();
        for (key, setting) in self.chosen(settings) {
            for (path, value) in key.set(setting) {
                draft.set_path(path, &value);
            }
        }
        draft.remove("search");
        // It may name what is not there at this point, and knows nothing of the senders.
        draft.remove("report");
        draft.set(&["title"], title.into());
        let seeds = seeds.iter().map(|&seed| seed.cast_signed());
        draft.set(&["run", "seeds"], Written::Array(seeds.collect()));
        if !senders.is_empty() {
            let senders: Vec<Written> = senders.iter().map(|text| sender(text)).collect();
            draft.add_sweep(&format!("flow.{flow}.transport"), &senders);
        }
        draft.text()
    }

    fn draft(&self) -> Draft {
        // What was read as TOML once is TOML.
        Draft::of(&self.source.text).unwrap_or_default()
    }

    fn chosen<'a>(&'a self, settings: &'a [Option<Setting>]) -> Vec<(&'a Key, &'a Setting)> {
        let both = self.keys.iter().zip(settings);
        both.filter_map(|(key, setting)| Some((key, setting.as_ref()?)))
            .collect()
    }
}

/// A sender as a file has it: a table, or a name.
fn sender(text: &str) -> Written {
    let text = text.trim();
    let table = text.starts_with('{').then(|| text.parse().ok()).flatten();
    table.unwrap_or_else(|| text.into())
}

/// Whether a sender is one of QUIC.
fn is_quic(sender: &Written) -> bool {
    let table = sender.as_inline_table();
    let preset = table
        .and_then(|table| table.get("preset"))
        .unwrap_or(sender);
    let known = |name: &str| skywave_core::quic::preset(name).is_some();
    preset.as_str().is_some_and(known) || table.is_some_and(|table| table.contains_key("quic"))
}

/// A value as results have it.
fn parameter(value: &Node) -> ParamValue {
    match value.value {
        tree::Value::Array(_) | tree::Value::Table(_) => ParamValue {
            written: Param::Text(write::inline(value).to_string()),
            quantity: None,
        },
        _ => ParamValue::of(value, ""),
    }
}
