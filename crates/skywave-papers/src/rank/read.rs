//! From a study's text to a checked study.

use std::fmt::Write;
use std::ops::Range;

use skywave_core::tcp::{Composition, PRESETS};
use skywave_sim::spec::Transport;

use super::compose::{Entry, cross, inline, quoted};
use super::error::RankError;
use super::model::{Cross, File, Kind, PathModel};
use super::place::Place;
use super::study::{Study, StudyPath};
use crate::file::{FileError, from_toml};
use skywave_scenario::{Document, NoFiles, Scenario, ScenarioError, Spanned};

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

struct Reader<'a> {
    file: &'a str,
    text: &'a str,
    place: &'a Place<'a>,
    document: &'a Document,
}

/// A path while it is being read.
struct Draft<'a> {
    model: &'a PathModel,
    /// The scenario with what the study sets, before compositions.
    text: String,
    flow: usize,
}

impl Reader<'_> {
    /// A mistake, at its place if it has one.
    fn fault(&self, at: Option<Range<usize>>, message: String) -> RankError {
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
    fn unknown(
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
        let mut entries = self.entries(&model)?;
        let flow = model.flow.as_deref().unwrap_or(FLOW);
        let drafts: Vec<Draft<'_>> = model
            .path
            .iter()
            .map(|path| self.draft(path, flow))
            .collect::<Result<_, _>>()?;
        let named = entries.clone();
        let left_out = self.drop_illegal(&mut entries, &drafts, flow)?;
        self.check_members(&named, &left_out)?;
        let mut scenarios = self.compose_all(&drafts, &entries, flow)?;
        let before = entries.len();
        drop_twins(&mut entries, &scenarios[0], drafts[0].flow);
        if entries.len() < before {
            scenarios = self.compose_all(&drafts, &entries, flow)?;
        }
        self.check_seeds(&scenarios, &model.path)?;
        let paths = drafts
            .iter()
            .zip(&scenarios)
            .map(|(draft, scenario)| self.path(draft, scenario))
            .collect::<Result<_, _>>()?;
        let find = |label: &Spanned<String>| {
            let at = entries.iter().position(|e| e.label == *label.get_ref());
            at.ok_or_else(|| {
                let name = label.get_ref();
                let known: Vec<&str> = entries.iter().map(|e| e.label.as_str()).collect();
                let message = format!("`{name}` is no composition of this study");
                self.unknown("composition", label, &known, message)
            })
        };
        let proposed = model.proposed.as_ref();
        Ok(Study {
            name: name.to_owned(),
            proposed: proposed.map(|p| find(&p.name)).transpose()?,
            as_fair_as: proposed
                .and_then(|p| p.as_fair_as.as_ref())
                .map(find)
                .transpose()?,
            title: model.title,
            description: model.description,
            text: self.text.to_owned(),
            entries,
            left_out,
            paths,
            scenarios,
            delay: model.delay,
            order: model.order,
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

    /// All compositions that the study names.
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
        let mut number = entries.len();
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
    fn draft<'a>(&self, model: &'a PathModel, flow: &str) -> Result<Draft<'a>, RankError> {
        let name = model.name.get_ref();
        let at = Some(model.name.span());
        let mut text = self.place.text(&model.scenario)?;
        if toml::from_str::<toml::Table>(&text).is_ok_and(|file| file.contains_key("sweep")) {
            let message = format!(
                "{} has a [sweep]; a path is one point, with `set` for what differs from the file",
                model.scenario
            );
            return Err(self.fault(at, message));
        }
        text.push_str("\n[sweep]\n");
        for (path, value) in &model.set {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(text, "{} = [{}]", quoted(path), inline(value));
        }
        // An empty sweep is no sweep, for the check alone.
        let alone = text.strip_suffix("[sweep]\n").unwrap_or(&text);
        let scenario = self.place.scenario(name, &model.scenario, alone)?;
        let spec = scenario.points()[0].spec(scenario.seeds()[0]);
        let found = spec.flows.iter().position(|f| f.name == flow);
        let Some(found) = found else {
            let names: Vec<&str> = spec.flows.iter().map(|f| f.name.as_str()).collect();
            let message = format!(
                "{} has no flow `{flow}` to put compositions in; it has {}",
                model.scenario,
                names.join(", ")
            );
            return Err(self.fault(at, message));
        };
        Ok(Draft {
            model,
            text,
            flow: found,
        })
    }

    fn compose(
        &self,
        draft: &Draft<'_>,
        entries: &[Entry],
        flow: &str,
    ) -> Result<Scenario, ScenarioError> {
        let mut text = draft.text.clone();
        let _ = writeln!(text, "{} = [", quoted(&format!("flow.{flow}.transport")));
        for entry in entries {
            let _ = writeln!(text, "    {},", entry.transport);
        }
        text.push_str("]\n");
        let (name, path) = (draft.model.name.get_ref(), &draft.model.scenario);
        self.place.scenario(name, path, &text)
    }

    fn compose_all(
        &self,
        drafts: &[Draft<'_>],
        entries: &[Entry],
        flow: &str,
    ) -> Result<Vec<Scenario>, RankError> {
        let one = |draft| Ok(self.compose(draft, entries, flow)?);
        drafts.iter().map(one).collect()
    }

    /// Takes out compositions that cannot run on some path: in a product it is no mistake if two
    /// members contradict each other, or one contradicts the scenario's settings.
    fn drop_illegal(
        &self,
        entries: &mut Vec<Entry>,
        drafts: &[Draft<'_>],
        flow: &str,
    ) -> Result<Vec<(String, String)>, RankError> {
        let mut left_out = Vec::new();
        for draft in drafts {
            if self.compose(draft, entries, flow).is_ok() {
                continue;
            }
            let mut last = None;
            entries.retain(
                |entry| match self.compose(draft, std::slice::from_ref(entry), flow) {
                    Ok(_) => true,
                    Err(error) => {
                        let reason = format!("{}: {error}", draft.model.name.get_ref());
                        left_out.push((entry.label.clone(), reason));
                        last = Some(error);
                        false
                    }
                },
            );
            if let (true, Some(error)) = (entries.is_empty(), last) {
                return Err(error.into());
            }
        }
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
    fn check_seeds(&self, scenarios: &[Scenario], paths: &[PathModel]) -> Result<(), RankError> {
        let first = scenarios[0].seeds().len();
        for (scenario, path) in scenarios.iter().zip(paths) {
            if scenario.seeds().len() != first {
                let message = format!(
                    "path `{}` has {} seeds and path `{}` has {first}; all need the same number",
                    scenario.name(),
                    scenario.seeds().len(),
                    scenarios[0].name()
                );
                return Err(self.fault(Some(path.name.span()), message));
            }
        }
        Ok(())
    }

    fn path(&self, draft: &Draft<'_>, scenario: &Scenario) -> Result<StudyPath, RankError> {
        let model = draft.model;
        let spec = scenario.points()[0].spec(scenario.seeds()[0]);
        let mut others = Vec::new();
        let mut kinds: Vec<Composition> = Vec::new();
        for (index, flow) in spec.flows.iter().enumerate() {
            if index == draft.flow {
                continue;
            }
            if let Some(composition) = composition(&flow.transport) {
                others.push(index);
                if !kinds.contains(composition) {
                    kinds.push(composition.clone());
                }
            }
        }
        let baseline = match kinds.as_slice() {
            [one] => scenario.points().iter().position(|point| {
                let spec = point.spec(scenario.seeds()[0]);
                composition(&spec.flows[draft.flow].transport) == Some(one)
            }),
            _ => None,
        };
        if model.kind == Kind::Fairness && baseline.is_none() {
            let message = "a path for fairness needs TCP flows beside the one under test, all of one \
                           transport that is among the compositions";
            return Err(self.fault(Some(model.name.span()), message.to_owned()));
        }
        Ok(StudyPath {
            name: model.name.get_ref().clone(),
            kind: model.kind,
            about: model.about.clone(),
            flow: draft.flow,
            others,
            baseline,
        })
    }
}

fn composition(transport: &Transport) -> Option<&Composition> {
    match transport {
        Transport::Tcp(config) => Some(&config.composition),
        Transport::Udp { .. } | Transport::Wtcp { .. } | Transport::Quic { .. } => None,
    }
}

/// Of compositions that are the same connection under two names, keeps the first.
fn drop_twins(entries: &mut Vec<Entry>, scenario: &Scenario, flow: usize) {
    let mut seen: Vec<Transport> = Vec::new();
    let mut points = scenario.points().iter();
    entries.retain(|_| {
        let Some(point) = points.next() else {
            return false;
        };
        let transport = point.spec(0).flows[flow].transport.clone();
        let new = !seen.contains(&transport);
        if new {
            seen.push(transport);
        }
        new
    });
}
