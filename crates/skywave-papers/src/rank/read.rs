//! From a study's text to a checked study.

use std::fmt::Write;
use std::ops::Range;

use skywave_core::tcp::PRESETS;
use skywave_sim::spec::Transport;

use super::compose::{Entry, cross};
use super::error::RankError;
use super::model::{Cross, File, Kind, MechanismModel, PathModel};
use super::place::Place;
use super::study::{Study, StudyPath};
use crate::file::{FileError, from_toml, inline, quoted};
use skywave_scenario::{Document, NoFiles, Scenario, ScenarioError, Spanned};
use toml::{Table, Value};

/// The plainest scenario, up to the transport of its flow.
const PLAIN: &str = r#"
[[link]]
between = ["A", "B"]
rate = "1Mbps"
delay = "1ms"
[run]
duration = "1s"
[[flow]]
from = "A"
to = "B"
"#;
/// The flow under test, when the study does not name it.
const FLOW: &str = "test";
/// More compositions than a table can show or anybody waits for.
const MAX_ENTRIES: usize = 5000;

/// Reads a study's text; `file` is how messages name it.
pub(super) fn read(
    name: &str,
    file: &str,
    text: &str,
    place: &Place<'_>,
) -> Result<Study, RankError> {
    let (document, model) = from_toml::<File>(file, text)?;
    let reader = Reader {
        file,
        text,
        place,
        document: &document,
    };
    reader.study(name, model)
}

/// Context that all steps of reading share: the file, its text and document, its place.
pub(super) struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    place: &'a Place<'a>,
    document: &'a Document,
}

/// A path while it is being read.
pub(super) struct Draft<'a> {
    pub(super) model: &'a PathModel,
    /// Use of the path.
    pub(super) kind: Kind,
    /// The scenario's text.
    text: String,
    /// Name of the flow under test.
    pub(super) flow: &'a str,
}

impl Reader<'_> {
    /// A mistake, at its place if it has one.
    pub(super) fn fault(&self, at: Option<Range<usize>>, message: String) -> RankError {
        match at {
            Some(at) => {
                let shown = self.document.mistake(at, &message);
                FileError::mistake(self.file, message, shown).into()
            }
            None => RankError::Study {
                file: self.file.to_owned(),
                message,
            },
        }
    }

    /// A name that is none of `known`.
    pub(super) fn unknown(
        &self,
        what: &str,
        name: &Spanned<String>,
        known: &[&str],
        message: String,
    ) -> RankError {
        let shown = self
            .document
            .unknown(name.span(), what, name.get_ref(), known);
        FileError::mistake(self.file, message, shown).into()
    }

    fn study(&self, name: &str, model: File) -> Result<Study, RankError> {
        if model.path.is_empty() {
            return Err(self.fault(None, "there is no path; each is a [[path]]".into()));
        }
        self.check_names(&model.path)?;
        self.check_families(&model)?;
        let flow = model.flow.as_deref().unwrap_or(FLOW);
        let drafts: Vec<Draft<'_>> = model
            .path
            .iter()
            .map(|path| self.draft(path, flow))
            .collect::<Result<_, _>>()?;
        let mut entries = self.entries(&model)?;
        let left_out = self.drop_illegal(&mut entries, &drafts)?;
        let proposed = model.proposed.as_ref();
        let published = |name: &Spanned<String>| {
            proposed.is_none_or(|proposed| proposed.name.get_ref() != name.get_ref())
        };
        self.check_without(&model.mechanism, &drafts)?;
        self.add_mechanisms(&model.mechanism, published, &mut entries)?;
        let reference = model.reference.as_ref();
        let reference = reference.map(|label| self.find(&entries, label));
        let reference = reference.transpose()?;
        let (paths, scenarios, refused) = self.assemble(&drafts, &entries, reference)?;
        self.check_runs(&model.mechanism, &entries, &paths, &refused)?;
        self.check_seeds(&scenarios, &paths, &model.path)?;
        let find = |label: &Spanned<String>| self.find(&entries, label);
        Ok(Study {
            name: name.to_owned(),
            proposed: proposed.map(|p| find(&p.name)).transpose()?,
            as_fair_as: proposed
                .and_then(|p| p.as_fair_as.as_ref())
                .map(find)
                .transpose()?,
            reference,
            title: model.title,
            description: model.description,
            text: self.text.to_owned(),
            entries,
            left_out,
            refused,
            paths,
            scenarios,
            delay: model.delay,
            order: model.order,
        })
    }

    /// The index of the composition of that name.
    pub(super) fn find(
        &self,
        entries: &[Entry],
        label: &Spanned<String>,
    ) -> Result<usize, RankError> {
        let name = label.get_ref();
        let at = entries.iter().position(|e| e.label == *name);
        at.ok_or_else(|| {
            let known: Vec<&str> = entries.iter().map(|e| e.label.as_str()).collect();
            let message = format!("`{name}` is no composition of this study");
            self.unknown("composition", label, &known, message)
        })
    }

    fn check_names(&self, paths: &[PathModel]) -> Result<(), RankError> {
        for (index, path) in paths.iter().enumerate() {
            let name = path.name.get_ref();
            let at = Some(path.name.span());
            let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            if name.is_empty() || name.starts_with('.') || !name.chars().all(good) {
                let message =
                    format!("`{name}` cannot name a folder: letters, digits, `-`, `_` and `.` can");
                return Err(self.fault(at, message));
            }
            if paths[..index].iter().any(|p| p.name.get_ref() == name) {
                return Err(self.fault(at, format!("there are two paths `{name}`")));
            }
        }
        Ok(())
    }

    /// Either all paths have a family, and then nothing is asked for that only other paths can tell, or none has.
    fn check_families(&self, model: &File) -> Result<(), RankError> {
        let first = model.path.iter().find(|path| path.family.is_some());
        let reference = model.reference.as_ref();
        let Some(first) = first else {
            let fault = |reference: &Spanned<String>| {
                let message = "a `reference` is for paths of families; without one, others are held against their own";
                Err(self.fault(Some(reference.span()), message.into()))
            };
            return reference.map_or(Ok(()), fault);
        };
        if let Some(stranger) = model.path.iter().find(|path| path.family.is_none()) {
            let (name, other) = (stranger.name.get_ref(), first.name.get_ref());
            let message = format!(
                "`{name}` has no `family` and `{other}` has one: all paths have one, or none"
            );
            return Err(self.fault(Some(stranger.name.span()), message));
        }
        let proposed = model.proposed.as_ref();
        if let Some(held_to) = proposed.and_then(|proposed| proposed.as_fair_as.as_ref()) {
            let message = "`as_fair_as` is for paths for fairness; where paths have families, give a `reference`";
            return Err(self.fault(Some(held_to.span()), message.into()));
        }
        Ok(())
    }

    /// Use of a path.
    fn kind_of(&self, model: &PathModel) -> Result<Kind, RankError> {
        let name = model.name.get_ref();
        let (at, message) = match (model.kind, &model.family) {
            (Some(kind), None) => return Ok(kind),
            (None, Some(family)) if !family.get_ref().is_empty() => return Ok(Kind::Any),
            (None, Some(family)) => (family.span(), format!("the family of `{name}` has no name")),
            (Some(_), Some(family)) => (
                family.span(),
                format!("`{name}` has a `kind` and a `family`; it needs one of them"),
            ),
            (None, None) => (
                model.name.span(),
                format!("`{name}` needs a `kind` (lossy, clean or fairness), or a `family`"),
            ),
        };
        Err(self.fault(Some(at), message))
    }

    /// All compositions that the study names, without the mechanisms.
    fn entries(&self, model: &File) -> Result<Vec<Entry>, RankError> {
        let proposed = model.proposed.as_ref().map(|p| p.name.get_ref().as_str());
        let mut entries = Vec::new();
        match &model.presets {
            None => {
                let published = PRESETS.iter().filter(|p| Some(p.name) != proposed);
                entries.extend(published.map(|p| Entry::preset(p.name, true)));
            }
            Some(names) => {
                for name in names {
                    if !PRESETS.iter().any(|p| p.name == name.get_ref()) {
                        let known: Vec<&str> = PRESETS.iter().map(|p| p.name).collect();
                        let message = format!(
                            "there is no preset `{}`; there are {}",
                            name.get_ref(),
                            known.join(", ")
                        );
                        return Err(self.unknown("preset", name, &known, message));
                    }
                    let published = Some(name.get_ref().as_str()) != proposed;
                    entries.push(Entry::preset(name.get_ref(), published));
                }
            }
        }
        if let Some(name) = proposed
            && PRESETS.iter().any(|p| p.name == name)
            && !entries.iter().any(|e| e.label == name)
        {
            entries.push(Entry::preset(name, false));
        }
        let mut number = entries.len().saturating_add(model.mechanism.len());
        for product in &model.cross {
            number = number.saturating_add(self.combinations(product)?);
        }
        if number == 0 || number > MAX_ENTRIES {
            let message =
                format!("{number} compositions: there must be one, and at most {MAX_ENTRIES}");
            return Err(self.fault(None, message));
        }
        entries.extend(model.cross.iter().flat_map(cross));
        Ok(entries)
    }

    /// A key that no flow under test has is a mistake in its name.
    fn check_without(
        &self,
        models: &[MechanismModel],
        drafts: &[Draft<'_>],
    ) -> Result<(), RankError> {
        for key in models.iter().flat_map(|model| &model.without) {
            let name = key.get_ref();
            if !drafts.iter().any(|draft| draft.has(name)) {
                let message =
                    format!("no flow under test has a key `{name}` that could be left out");
                return Err(self.fault(Some(key.span()), message));
            }
        }
        Ok(())
    }

    /// The number of combinations of a product, counted before any of them is made.
    fn combinations(&self, product: &Cross) -> Result<usize, RankError> {
        if product.slots().next().is_none() {
            let message =
                "a [[cross]] has no slot: give detection, congestion, recovery or timeout";
            return Err(self.fault(None, message.into()));
        }
        if let Some((slot, _)) = product.slots().find(|(_, list)| list.is_empty()) {
            let message = format!("a [[cross]] has no member for `{slot}`: leave it out");
            return Err(self.fault(None, message));
        }
        let sizes = product.slots().map(|(_, list)| list.len());
        Ok(sizes.fold(1, usize::saturating_mul))
    }

    /// Reads a path's scenario as it is without compositions.
    fn draft<'a>(&self, model: &'a PathModel, flow: &'a str) -> Result<Draft<'a>, RankError> {
        let name = model.name.get_ref();
        let at = Some(model.name.span());
        let text = self.place.text(&model.scenario)?;
        if Document::parse(&model.scenario, &text).is_ok_and(|file| file.has("sweep")) {
            let message = format!(
                "{} has a [sweep]; a path is one point, with `set` for what differs from the file",
                model.scenario
            );
            return Err(self.fault(at, message));
        }
        let draft = Draft {
            model,
            kind: self.kind_of(model)?,
            text,
            flow,
        };
        let alone = draft.with(&[]);
        let scenario = self.place.scenario(name, &model.scenario, &alone)?;
        let point = &scenario.points()[0];
        let flows = 0..point.spec(scenario.seeds()[0]).flows.len();
        let mut groups: Vec<&str> = flows.filter_map(|f| point.flow_group(f)).collect();
        groups.dedup();
        if groups.contains(&flow) {
            return Ok(draft);
        }
        let message = format!(
            "{} has no flow `{flow}` to put compositions in; it has {}",
            model.scenario,
            groups.join(", ")
        );
        Err(self.fault(at, message))
    }

    /// The scenario `name` of a path with a point for each of `entries`, which all set the same keys.
    pub(super) fn compose(
        &self,
        draft: &Draft<'_>,
        name: &str,
        entries: &[&Entry],
    ) -> Result<Scenario, ScenarioError> {
        let text = draft.with(entries);
        self.place.scenario(name, &draft.model.scenario, &text)
    }

    /// Takes out compositions that cannot run on some path: in a product it is no mistake if two
    /// members contradict each other, or one contradicts the scenario's settings.
    fn drop_illegal(
        &self,
        entries: &mut Vec<Entry>,
        drafts: &[Draft<'_>],
    ) -> Result<Vec<(String, String)>, RankError> {
        let mut left_out = Vec::new();
        if entries.is_empty() {
            return Ok(left_out);
        }
        let named = entries.clone();
        for draft in drafts {
            let name = draft.model.name.get_ref();
            if self.compose(draft, name, &all(entries)).is_ok() {
                continue;
            }
            let mut last = None;
            entries.retain(|entry| match self.compose(draft, name, &[entry]) {
                Ok(_) => true,
                Err(error) => {
                    left_out.push((entry.label.clone(), format!("{name}: {error}")));
                    last = Some(error);
                    false
                }
            });
            if let (true, Some(error)) = (entries.is_empty(), last) {
                return Err(error.into());
            }
        }
        self.check_members(&named, &left_out)?;
        let first = &drafts[0];
        let scenario = self.compose(first, first.model.name.get_ref(), &all(entries))?;
        drop_twins(entries, &scenario, first.flow);
        Ok(left_out)
    }

    /// A member that no combination can run with, even where nothing else is set, is a mistake in its
    /// name or parameters.
    fn check_members(
        &self,
        entries: &[Entry],
        left_out: &[(String, String)],
    ) -> Result<(), RankError> {
        if left_out.is_empty() {
            return Ok(());
        }
        let runs = |entry: &&Entry| {
            let text = format!("{PLAIN}transport = {}\n", entry.transport);
            Scenario::parse("plain", &text, &NoFiles).is_ok()
        };
        let crossed = || entries.iter().filter(|e| e.is_crossed());
        let good: Vec<&Entry> = crossed().filter(runs).collect();
        for (label, reason) in left_out {
            let is_left_out = |e: &&Entry| e.label == *label;
            let Some(entry) = crossed().find(is_left_out) else {
                continue;
            };
            let missing = |m: &&String| !good.iter().any(|e| e.members.contains(*m));
            if let Some(member) = entry.members.iter().find(missing) {
                let message = format!("nothing runs with `{member}`; {label}, {reason}");
                return Err(self.fault(None, message));
            }
        }
        Ok(())
    }

    /// Means over paths pair seeds, so all must have the same number of them.
    fn check_seeds(
        &self,
        scenarios: &[Scenario],
        paths: &[StudyPath],
        models: &[PathModel],
    ) -> Result<(), RankError> {
        let seeds = |path: &StudyPath| {
            let mut used = path.runs.iter().flatten();
            let scenario = used.next().map(|runs| &scenarios[runs.scenario]);
            scenario.map_or(0, |s| s.seeds().len())
        };
        let first = seeds(&paths[0]);
        for (path, model) in paths.iter().zip(models) {
            if seeds(path) != first {
                let message = format!(
                    "path `{}` has {} seeds and path `{}` has {first}; all need the same number",
                    path.name,
                    seeds(path),
                    paths[0].name
                );
                return Err(self.fault(Some(model.name.span()), message));
            }
        }
        Ok(())
    }
}

impl Draft<'_> {
    /// The scenario's text with what the study sets, and with a point for each of `entries`.
    fn with(&self, entries: &[&Entry]) -> String {
        let first = entries.first().into_iter();
        let keys: Vec<&str> = first.flat_map(|entry| entry.keys()).collect();
        let mut sweep = String::new();
        for (path, value) in &self.model.set {
            // What a mechanism sets stands in place of what the path has there.
            if !keys.contains(&path.as_str()) {
                // Writing to a string cannot fail, here and below.
                let _ = writeln!(sweep, "{} = [{}]", quoted(path), inline(value));
            }
        }
        if !entries.is_empty() {
            let mut axis = format!("flow.{}.transport", self.flow);
            for key in keys {
                let _ = write!(axis, " & {key}");
            }
            let _ = writeln!(sweep, "{} = [", quoted(&axis));
            for Entry { transport, set, .. } in entries {
                let values = set.iter().map(|(_, value)| value.as_str());
                let values: Vec<&str> = std::iter::once(transport.as_str()).chain(values).collect();
                let _ = match values.as_slice() {
                    [alone] => writeln!(sweep, "    {alone},"),
                    several => writeln!(sweep, "    [{}],", several.join(", ")),
                };
            }
            sweep.push_str("]\n");
        }
        // An empty sweep is no sweep.
        let text = match entries.first() {
            Some(entry) if !entry.without.is_empty() => self.stripped(&entry.without),
            _ => self.text.clone(),
        };
        match sweep.as_str() {
            "" => text,
            _ => format!("{text}\n[sweep]\n{sweep}"),
        }
    }

    /// The sections of the flow under test.
    fn flows<'t>(&self, file: &'t mut Table) -> impl Iterator<Item = &'t mut Table> {
        let flows = file.get_mut("flow").and_then(Value::as_array_mut);
        let flows = flows.into_iter().flatten().filter_map(Value::as_table_mut);
        let named = |flow: &Table| flow.get("name").and_then(Value::as_str) == Some(self.flow);
        flows.filter(move |flow| named(flow))
    }

    /// The scenario's text without these keys of the flow under test.
    fn stripped(&self, keys: &[String]) -> String {
        // It was read before; what is no table by then is refused as a scenario.
        let Ok(mut file) = self.text.parse::<Table>() else {
            return self.text.clone();
        };
        for flow in self.flows(&mut file) {
            for key in keys {
                flow.remove(key);
            }
        }
        let keys = file.iter();
        let lines = keys.map(|(key, value)| format!("{} = {}", quoted(key), inline(value)));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Whether the flow under test has a key.
    fn has(&self, key: &str) -> bool {
        let file = self.text.parse::<Table>();
        file.is_ok_and(|mut file| self.flows(&mut file).any(|flow| flow.contains_key(key)))
    }
}

/// References to all of them.
fn all(entries: &[Entry]) -> Vec<&Entry> {
    entries.iter().collect()
}

/// Drops all but the first of the compositions that are one connection under several names.
fn drop_twins(entries: &mut Vec<Entry>, scenario: &Scenario, flow: &str) {
    let mut seen: Vec<Transport> = Vec::new();
    let mut points = scenario.points().iter();
    entries.retain(|_| {
        let Some(point) = points.next() else {
            return false;
        };
        let mut flows = point.spec(0).flows;
        let of_flow = (0..flows.len()).find(|&f| point.flow_group(f) == Some(flow));
        let Some(transport) = of_flow.map(|f| flows.swap_remove(f).transport) else {
            return false;
        };
        let new = !seen.contains(&transport);
        if new {
            seen.push(transport);
        }
        new
    });
}
