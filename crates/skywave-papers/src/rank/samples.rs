//! The part of a path's results that the ranking needs: for each composition a number a seed.

use skywave_sim::outcome::FlowOutcome;

use super::model::{Delay, Kind};
use super::study::StudyPath;
use skywave_lab::experiment::stats::jain;
use skywave_lab::experiment::{Results, RunResult};

/// One number a seed; `None` where the run is missing or has none.
pub type Samples = Vec<Option<f64>>;

/// The results of one path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathSamples {
    /// Name of the path.
    pub name: String,
    /// What it is for.
    pub kind: Kind,
    /// Composition of the competing flows.
    pub baseline: Option<usize>,
    /// Goodput of the flow under test, bit/s, by composition.
    pub goodput: Vec<Samples>,
    /// Goodput of all other TCP flows together, bit/s; empty without any.
    pub others: Vec<Samples>,
    /// Jain's index of all TCP flows; empty when there is one.
    pub jain: Vec<Samples>,
    /// Delay of the flow under test in multiples of the path's floor.
    pub delay: Vec<Samples>,
}

fn outcome(run: &RunResult, flow: usize) -> Option<&FlowOutcome> {
    run.outcome.flows.get(flow)
}

impl PathSamples {
    /// Takes them from the results; point `i` is composition `i`.
    pub fn of(path: &StudyPath, results: &Results, delay: Delay) -> Self {
        let by_composition = |value: &dyn Fn(&RunResult) -> Option<f64>| -> Vec<Samples> {
            let points = 0..results.points();
            points.map(|p| results.samples(p, value)).collect()
        };
        let goodput = |run: &RunResult, flow| Some(outcome(run, flow)?.goodput_bps);
        let smallest = by_composition(&|run| outcome(run, path.flow)?.rtt_min_s);
        let smallest = smallest.iter().flatten().copied().flatten();
        let floor = smallest.fold(f64::INFINITY, f64::min);
        let multiple = |run: &RunResult| {
            let flow = outcome(run, path.flow)?;
            let delay = match delay {
                Delay::Rtt => flow.rtt_mean_s,
                Delay::DelayP95 => flow.delay_p95_s,
            };
            (floor > 0.0 && floor.is_finite()).then_some(delay? / floor)
        };
        let (mut others, mut evenness) = (Vec::new(), Vec::new());
        if !path.others.is_empty() {
            others = by_composition(&|run| path.others.iter().map(|&f| goodput(run, f)).sum());
            evenness = by_composition(&|run| {
                let all = std::iter::once(&path.flow).chain(&path.others);
                let shares: Option<Vec<f64>> = all.map(|&f| goodput(run, f)).collect();
                jain(&shares?)
            });
        }
        Self {
            name: path.name.clone(),
            kind: path.kind,
            baseline: path.baseline,
            goodput: by_composition(&|run| goodput(run, path.flow)),
            others,
            jain: evenness,
            delay: by_composition(&multiple),
        }
    }
}
