//! From compositions and paths to what runs where.

use skywave_core::tcp::Composition;
use skywave_sim::Spec;
use skywave_sim::spec::Transport;

use super::compose::Entry;
use super::error::RankError;
use super::model::{Kind, MechanismModel};
use super::read::{Draft, Reader};
use super::study::{Family, Flows, Group, Refused, Runs, StudyPath};
use skywave_lab::way;
use skywave_scenario::{Point, Scenario, Spanned};

/// The paths with what runs on them, the scenarios, and what has no place.
type Assembled = (Vec<StudyPath>, Vec<Scenario>, Vec<Refused>);

/// Compositions that run, and others with the reason why they do not; as indices.
type Able = (Vec<usize>, Vec<(usize, String)>);

impl Reader<'_> {
    /// Puts the mechanisms after the other compositions.
    pub(super) fn add_mechanisms(
        &self,
        models: &[MechanismModel],
        published: impl Fn(&Spanned<String>) -> bool,
        entries: &mut Vec<Entry>,
    ) -> Result<(), RankError> {
        let first = entries.len();
        for model in models {
            let entry = Entry::mechanism(model, published(&model.name));
            let same = |other: &&Entry| {
                other.label == entry.label
                    || (&other.transport, &other.set) == (&entry.transport, &entry.set)
            };
            if let Some(other) = entries.iter().find(same) {
                let message = format!("`{}` is `{}` again", entry.label, other.label);
                return Err(self.fault(Some(model.name.span()), message));
            }
            entries.push(entry);
        }
        for (index, model) in models.iter().enumerate() {
            let base = model.base.as_ref().map(|base| self.find(entries, base));
            entries[first + index].base = base.transpose()?;
        }
        Ok(())
    }

    /// Makes the scenarios of all paths.
    pub(super) fn assemble(
        &self,
        drafts: &[Draft<'_>],
        entries: &[Entry],
        reference: Option<usize>,
    ) -> Result<Assembled, RankError> {
        let (mut paths, mut scenarios, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for draft in drafts {
            let mut runs = vec![None; entries.len()];
            for group in groups(entries) {
                let (able, reasons) = self.able(draft, entries, group);
                let path = paths.len();
                let reasons = reasons.into_iter();
                refused.extend(reasons.map(|(entry, reason)| Refused {
                    entry,
                    path,
                    reason,
                }));
                let those: Vec<&Entry> = able.iter().map(|&entry| &entries[entry]).collect();
                if those.is_empty() {
                    continue;
                }
                let name = scenario_name(draft.model.name.get_ref(), those[0], &scenarios);
                let scenario = self.compose(draft, &name, &those)?;
                for (number, &entry) in able.iter().enumerate() {
                    let point = &scenario.points()[number];
                    runs[entry] = Some(Runs {
                        scenario: scenarios.len(),
                        point: number,
                        flows: Flows::of(point, &spec_of(&scenario, number), draft),
                    });
                }
                scenarios.push(scenario);
            }
            paths.push(match &draft.model.family {
                Some(family) => of_family(draft, family, reference, runs, &scenarios),
                None => self.path(draft, entries, runs, &scenarios)?,
            });
        }
        Ok((paths, scenarios, refused))
    }

    /// Compositions of a group that run on a path, and why the mechanisms among the others do not.
    fn able(&self, draft: &Draft<'_>, entries: &[Entry], group: Vec<usize>) -> Able {
        let name = draft.model.name.get_ref();
        let all: Vec<&Entry> = group.iter().map(|&entry| &entries[entry]).collect();
        if self.compose(draft, name, &all).is_ok() {
            return (group, Vec::new());
        }
        let (mut able, mut reasons) = (Vec::new(), Vec::new());
        for entry in group {
            match self.compose(draft, name, &[&entries[entry]]) {
                Ok(_) => able.push(entry),
                Err(error) => reasons.push((entry, error.to_string())),
            }
        }
        (able, reasons)
    }

    /// A mechanism that runs nowhere is a mistake in its transport or in what it sets.
    pub(super) fn check_runs(
        &self,
        models: &[MechanismModel],
        entries: &[Entry],
        paths: &[StudyPath],
        refused: &[Refused],
    ) -> Result<(), RankError> {
        let first = entries.len() - models.len();
        for (index, model) in models.iter().enumerate() {
            let entry = first + index;
            if paths.iter().any(|path| path.runs[entry].is_some()) {
                continue;
            }
            let reason = refused.iter().find(|refused| refused.entry == entry);
            let reason = reason.map_or("", |refused| refused.reason.as_str());
            let message = format!("`{}` runs on no path: {reason}", entries[entry].label);
            return Err(self.fault(Some(model.name.span()), message));
        }
        Ok(())
    }

    fn path(
        &self,
        draft: &Draft<'_>,
        entries: &[Entry],
        runs: Vec<Option<Runs>>,
        scenarios: &[Scenario],
    ) -> Result<StudyPath, RankError> {
        let model = draft.model;
        let baseline = baseline(entries, &runs, scenarios);
        if draft.kind == Kind::Fairness && baseline.is_none() {
            let message = "a path for fairness needs TCP flows beside the one under test, all of one \
                           transport that is among the compositions";
            return Err(self.fault(Some(model.name.span()), message.to_owned()));
        }
        Ok(StudyPath {
            name: model.name.get_ref().clone(),
            kind: draft.kind,
            family: None,
            about: model.about.clone(),
            runs,
            baseline,
        })
    }
}

/// A path of a family, held against the reference where others are beside the flow under test.
fn of_family(
    draft: &Draft<'_>,
    family: &Spanned<String>,
    reference: Option<usize>,
    runs: Vec<Option<Runs>>,
    scenarios: &[Scenario],
) -> StudyPath {
    let group = runs.iter().flatten().next().map(|runs| {
        let spec = spec_of(&scenarios[runs.scenario], runs.point);
        let tested = || runs.flows.test.iter();
        if !runs.flows.others.is_empty() {
            Group::Shared
        } else if tested().any(|&flow| way::is_recorded(&spec, flow)) {
            Group::Recorded
        } else if tested()
            .filter_map(|&flow| way::rate(&spec, flow))
            .any(|rate| rate < Group::SLOW)
        {
            Group::Slow
        } else {
            Group::Alone
        }
    });
    let group = group.unwrap_or(Group::Alone);
    StudyPath {
        name: draft.model.name.get_ref().clone(),
        kind: draft.kind,
        family: Some(Family {
            name: family.get_ref().clone(),
            group,
        }),
        about: draft.model.about.clone(),
        runs,
        baseline: reference.filter(|_| group == Group::Shared),
    }
}

/// Specification that a point of a scenario runs with its first seed.
fn spec_of(scenario: &Scenario, point: usize) -> Spec {
    scenario.points()[point].spec(scenario.seeds()[0])
}

/// The composition of the flows beside the one under test, if it is one for all and among the entries.
fn baseline(entries: &[Entry], runs: &[Option<Runs>], scenarios: &[Scenario]) -> Option<usize> {
    let spec = |runs: &Runs| spec_of(&scenarios[runs.scenario], runs.point);
    // A mechanism changes more than the composition.
    let plain = entries.iter().zip(runs).enumerate();
    let plain = plain.filter(|(_, (entry, _))| entry.is_plain());
    let mut plain = plain.filter_map(|(index, (_, runs))| Some((index, runs.as_ref()?)));
    let (_, first) = plain.clone().next()?;
    let first_spec = spec(first);
    let mut others = first.flows.others.iter();
    let one = composition(&first_spec.flows[*others.next()?].transport)?;
    if !others.all(|&other| composition(&first_spec.flows[other].transport) == Some(one)) {
        return None;
    }
    let found = plain.find(|(_, runs)| {
        let tested = runs.flows.test.first();
        let spec = spec(runs);
        tested.is_some_and(|&tested| composition(&spec.flows[tested].transport) == Some(one))
    });
    found.map(|(index, _)| index)
}

fn composition(transport: &Transport) -> Option<&Composition> {
    match transport {
        Transport::Tcp(config) => Some(&config.composition),
        Transport::Udp { .. } | Transport::Wtcp { .. } | Transport::Quic { .. } => None,
    }
}

/// Compositions that can be points of one sweep, as indices.
fn groups(entries: &[Entry]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let same = |group: &&mut Vec<usize>| entries[group[0]].is_like(entry);
        match groups.iter_mut().find(same) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

/// The name of a scenario, and so of its folder of results: the path's, and after it that of a mechanism that sets
/// more than the transport. Names of paths have no `+`.
fn scenario_name(path: &str, entry: &Entry, taken: &[Scenario]) -> String {
    if entry.is_plain() {
        return path.to_owned();
    }
    let letter = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let mut name = format!(
        "{path}+{}",
        entry.label.chars().map(letter).collect::<String>()
    );
    while taken.iter().any(|scenario| scenario.name() == name) {
        name.push('+');
    }
    name
}

impl Flows {
    /// The flows of a point by their parts.
    fn of(point: &Point, spec: &Spec, draft: &Draft<'_>) -> Self {
        let of_flow = |index: usize| point.flow_group(index) == Some(draft.flow);
        // Halves before a proxy, and what carries its state, are beside no flow.
        let is_part = |index: usize| {
            let mut proxies = spec.proxies.iter();
            proxies.any(|proxy| proxy.near == index || proxy.states().any(|state| state == index))
        };
        let is_tcp = |index: usize| composition(&spec.flows[index].transport).is_some();
        let all = 0..spec.flows.len();
        let test: Vec<usize> = all.clone().filter(|&f| of_flow(f)).collect();
        let is_beside = |index: usize| match draft.kind {
            Kind::Any => test.iter().any(|&tested| way::meet(spec, tested, index)),
            Kind::Lossy | Kind::Clean | Kind::Fairness => is_tcp(index),
        };
        let proxies = spec.proxies.iter().enumerate();
        let proxies = proxies.filter(|(_, proxy)| of_flow(proxy.far));
        Self {
            near: proxies.clone().map(|(_, proxy)| proxy.near).collect(),
            split: proxies.map(|(index, _)| index).collect(),
            others: all
                .filter(|&f| !of_flow(f) && !is_part(f) && is_beside(f))
                .collect(),
            test,
        }
    }
}
