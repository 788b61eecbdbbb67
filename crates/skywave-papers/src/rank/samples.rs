//! The part of a path's results that the ranking needs: for each composition a number a seed.

use skywave_sim::outcome::{FlowOutcome, Outcome};

use super::model::{Delay, Kind};
use super::study::{Flows, Runs, StudyPath};
use skywave_lab::experiment::Results;
use skywave_lab::experiment::stats::jain;
use skywave_lab::way;
use skywave_scenario::Scenario;

/// One number for each seed; `None` where the run is missing or has no such number.
pub type Samples = Vec<Option<f64>>;

/// Measurements on one path that a ranking needs. Fields "by sender" have an element for each sender composition of the
/// study, in the order of [`Study::entries`](super::Study::entries), and in it a number for each seed.
#[derive(Clone, Debug, PartialEq)]
pub struct PathSamples {
    /// Name of the path.
    pub name: String,
    /// Use of the path in a ranking: goodput with losses that congestion does not cause, goodput without such losses,
    /// fairness to competing flows, or (on a path of a family, a kind of paths that the study names) all of these.
    pub kind: Kind,
    /// Index, among the study's entries, of the sender that sharing of the path is measured against
    /// ([`RankedPath::baseline`](super::RankedPath::baseline)); `None` if there is none.
    pub baseline: Option<usize>,
    /// Goodput of the flow under test, bit/s, by sender; if the flow has copies, of all together.
    pub goodput: Vec<Samples>,
    /// Goodput of all competing flows together, bit/s, by sender of the flow under test. Empty if the path has no
    /// competing flows.
    pub others: Vec<Samples>,
    /// Jain's fairness index of the goodput of the flow under test and the competing ones, by sender of the flow under
    /// test; empty without competing flows.
    pub jain: Vec<Samples>,
    /// Delay of the flow under test, by sender: the study's measure (mean RTT, or 95th percentile of the time from a
    /// segment's first transmission to its in-order delivery) in multiples of the smallest RTT of any sender.
    pub delay: Vec<Samples>,
    /// Number of retransmission timeouts of the flow under test, by sender.
    pub timeouts: Vec<Samples>,
    /// Number of segments that the flow under test sent again, by sender.
    pub retransmits: Vec<Samples>,
    /// Segments sent again, as a share (0 to 1) of all that the flow under test sent, by sender.
    pub resent: Vec<Samples>,
    /// Rate of payload that the path can carry, bit/s, whichever sender uses it: one number for each seed; empty on a
    /// path without a family.
    pub carried: Samples,
}

/// Rate that a path carries, bit/s of payload, a number a seed; `None` where that is not known.
pub(super) fn carried(path: &StudyPath, scenarios: &[Scenario]) -> Samples {
    let Some(runs) = path.runs.iter().flatten().next() else {
        return Samples::new();
    };
    let scenario = &scenarios[runs.scenario];
    let point = &scenario.points()[runs.point];
    let seeds = scenario.seeds().iter();
    seeds
        .map(|&seed| way::carried(&point.spec(seed), *runs.flows.test.first()?))
        .collect()
}

/// A quantity of a run, whose flows have these parts.
type Quantity<'a> = &'a dyn Fn(&Outcome, &Flows) -> Option<f64>;

fn total(outcome: &Outcome, flows: &[usize], of: impl Fn(&FlowOutcome) -> f64) -> Option<f64> {
    flows.iter().map(|&f| outcome.flows.get(f).map(&of)).sum()
}

/// The mean of a quantity that one of them may not have; `None` then.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The delay of the flow under test in seconds, of copies the mean.
fn delay_of(outcome: &Outcome, flows: &Flows, delay: Delay) -> Option<f64> {
    let each = |of: fn(&FlowOutcome) -> Option<f64>| {
        let tested = flows.test.iter();
        mean(tested.map(|&f| outcome.flows.get(f).and_then(of)))
    };
    let split = flows.split.iter();
    match delay {
        Delay::Rtt if flows.split.is_empty() => each(|flow| flow.rtt_mean_s),
        // No ACK goes all the way.
        Delay::Rtt => None,
        Delay::DelayP95 if flows.split.is_empty() => each(|flow| flow.delay_p95_s),
        Delay::DelayP95 => mean(split.map(|&p| outcome.proxies.get(p).and_then(|p| p.delay_p95_s))),
    }
}

impl PathSamples {
    /// Takes the samples on `path` from `results`, which are those of the study's scenarios in the scenarios' order.
    /// [`Self::carried`] stays empty.
    pub fn of(path: &StudyPath, results: &[&Results], delay: Delay) -> Self {
        let seeds = results.first().map_or(0, |results| results.seeds.len());
        let by_composition = |quantity: Quantity<'_>| -> Vec<Samples> {
            let runs = path.runs.iter();
            runs.map(|runs| match runs {
                Some(runs) => results[runs.scenario]
                    .samples(runs.point, |run| quantity(&run.outcome, &runs.flows)),
                None => vec![None; seeds],
            })
            .collect()
        };
        let goodput = |flow: &FlowOutcome| flow.goodput_bps;
        let smallest = by_composition(&|outcome, flows| {
            // The half of a split flow has a shorter way.
            let whole = flows.test.iter().filter(|_| flows.split.is_empty());
            whole
                .filter_map(|&f| outcome.flows.get(f)?.rtt_min_s)
                .reduce(f64::min)
        });
        let smallest = smallest.iter().flatten().copied().flatten();
        let floor = smallest.fold(f64::INFINITY, f64::min);
        let multiple = |outcome: &Outcome, flows: &Flows| {
            let delay = delay_of(outcome, flows, delay)?;
            (floor > 0.0 && floor.is_finite()).then_some(delay / floor)
        };
        let number = |outcome: &Outcome, flows: &Flows, of: fn(&FlowOutcome) -> u64| {
            let of = |flow: &FlowOutcome| of(flow) as f64;
            Some(total(outcome, &flows.test, of)? + total(outcome, &flows.near, of)?)
        };
        let (mut others, mut evenness) = (Vec::new(), Vec::new());
        let beside = |runs: &Runs| !runs.flows.others.is_empty();
        if path.runs.iter().flatten().any(beside) {
            others = by_composition(&|outcome, flows| total(outcome, &flows.others, goodput));
            evenness = by_composition(&|outcome, flows| {
                let all = flows.test.iter().chain(&flows.others);
                let shares = all.map(|&f| outcome.flows.get(f).map(goodput));
                jain(&shares.collect::<Option<Vec<f64>>>()?)
            });
        }
        Self {
            name: path.name.clone(),
            kind: path.kind,
            baseline: path.baseline,
            goodput: by_composition(&|outcome, flows| total(outcome, &flows.test, goodput)),
            others,
            jain: evenness,
            delay: by_composition(&multiple),
            timeouts: by_composition(&|outcome, flows| number(outcome, flows, |f| f.timeouts)),
            retransmits: by_composition(&|outcome, flows| {
                number(outcome, flows, |f| f.retransmits)
            }),
            resent: by_composition(&|outcome, flows| {
                let sent = number(outcome, flows, |f| f.sent_packets)?;
                let again = number(outcome, flows, |f| f.retransmits)?;
                (sent > 0.0).then_some(again / sent)
            }),
            carried: Samples::new(),
        }
    }
}
