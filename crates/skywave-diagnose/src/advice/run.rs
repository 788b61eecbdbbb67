//! The simulations: every contestant over every draw of the link, on all cores, always with the same results.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use skywave_lab::experiment::simulate;
use skywave_lab::experiment::stats;
use skywave_lab::threads::each;
use skywave_sim::Outcome;
use skywave_sim::outcome::FlowOutcome;

use super::scene::{Scene, Task};
use super::{AdviceError, Change, Contestant, Objective};
use crate::fit::throughput::PAYLOAD;

/// Packets of all simulations together up to which long flows are repeated, and beyond which they are made shorter than
/// they should be: about ten and twenty seconds on two cores.
const BUDGET: (f64, f64) = (40e6, 80e6);
/// Longest time that is given to a transfer, seconds.
const PATIENCE: f64 = 1000.0;
/// Longest and shortest long flow, seconds.
const LONG: (f64, f64) = (30.0, 10.0);
/// Packets of a long flow beyond which it need not be longer than the shortest.
const ENOUGH: f64 = 150e3;
/// Long flows of a contestant over all draws, at most, and transfers of a size of a contestant on a draw.
const RUNS: (usize, usize) = (24, 60);
/// As many of a link on which luck has no part but in the sender.
const CERTAIN: (usize, usize) = (3, 5);
/// Seconds over which the starts of transfers are spread.
const SPREAD: f64 = 20.0;
/// Sizes of short transfers, bytes.
pub(super) const SIZES: [u64; 2] = [100_000, 1_000_000];

/// Results of a contestant on one draw of the link.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct OnLink {
    /// Goodput of a long flow alone, bit/s.
    pub(super) goodput_bps: f64,
    /// Time within which 90 % of its packets arrive, of those that arrive at first, seconds.
    pub(super) delay_s: f64,
    /// Share of its packets that are sent again.
    pub(super) resent: f64,
    /// Goodput of a CUBIC flow beside it, bit/s.
    pub(super) left_bps: f64,
    /// Time within which 95 % of a call's packets arrive beside it, seconds.
    pub(super) call_s: f64,
    /// Share of the call's packets that are lost.
    pub(super) call_lost: f64,
    /// Median and 95th percentile of the times of transfers, by size, seconds.
    pub(super) transfers: [(f64, f64); 2],
}

struct Job {
    link: usize,
    contestant: usize,
    task: Task,
    number: usize,
}

/// How a link is simulated.
struct Plan {
    /// Length of long flows, seconds.
    seconds: f64,
    /// Long flows of a contestant and a task.
    long: usize,
    /// Transfers of a contestant and a size.
    transfers: usize,
}

impl Plan {
    fn of(scene: &Scene, links: usize, contestants: usize) -> Self {
        let facts = scene.facts();
        let per_second = facts.rate_bps / 12e3;
        let least = LONG.1.max(60.0 * facts.base_rtt_s);
        let seconds = if facts.constant && !scene.has_steps() {
            (ENOUGH / per_second).clamp(least.min(LONG.0), LONG.0)
        } else {
            LONG.0
        };
        let runs = (links * contestants * 3) as f64;
        let most = (BUDGET.1 / (per_second * runs)).max(2.0 + 20.0 * facts.base_rtt_s);
        let seconds = seconds.min(most);
        let once = per_second * seconds * runs;
        let (wanted, transfers) = if scene.is_certain() { CERTAIN } else { RUNS };
        let wanted = wanted.div_ceil(links);
        let long = ((BUDGET.0 / once) as usize).clamp(1, wanted);
        Self {
            seconds,
            long,
            transfers,
        }
    }
}

/// Tasks that the objectives ask of a contestant.
pub(super) fn tasks(objectives: &[Objective], change: Option<Change>) -> Vec<Task> {
    let asked = |objective| objectives.contains(&objective);
    let mut tasks = Vec::new();
    if asked(Objective::Bulk) && change != Some(Change::InitialWindow) {
        tasks.push(Task::Bulk);
        if change.is_none() {
            tasks.push(Task::Beside);
        }
    }
    if asked(Objective::Calls) && change != Some(Change::InitialWindow) {
        tasks.push(Task::Call);
    }
    if asked(Objective::Short) {
        tasks.extend(SIZES.map(Task::Transfer));
    }
    tasks
}

/// Simulates all contestants on all links; the results by contestant, then by link.
pub(super) fn run(
    scenes: &[Scene],
    contestants: &[Contestant],
    question: &super::Question<'_>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Vec<Vec<OnLink>>, AdviceError> {
    let plans: Vec<Plan> = scenes
        .iter()
        .map(|scene| Plan::of(scene, scenes.len(), contestants.len()))
        .collect();
    let mut jobs = Vec::new();
    for (link, plan) in plans.iter().enumerate() {
        for (contestant, one) in contestants.iter().enumerate() {
            for task in tasks(question.objectives, one.change) {
                let count = match task {
                    Task::Transfer(_) => plan.transfers,
                    _ => plan.long,
                };
                jobs.extend((0..count).map(|number| Job {
                    link,
                    contestant,
                    task,
                    number,
                }));
            }
        }
    }
    let (seed, cancel) = (question.seed, question.cancel);
    let done = AtomicUsize::new(0);
    progress(0, jobs.len());
    let outcomes = each(question.threads, jobs.len(), |index| {
        let job = &jobs[index];
        let plan = &plans[job.link];
        let change = contestants[job.contestant].change;
        let measured = measure(&scenes[job.link], job, plan, change, (seed, cancel))?;
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        Ok::<_, AdviceError>(measured)
    })?;
    let mut results: Vec<Vec<OnLink>> =
        vec![vec![OnLink::default(); scenes.len()]; contestants.len()];
    for (contestant, on_links) in results.iter_mut().enumerate() {
        for (link, result) in on_links.iter_mut().enumerate() {
            let mine = jobs.iter().zip(&outcomes);
            let mine = mine.filter(|(job, _)| job.link == link && job.contestant == contestant);
            result.fill(&mine.map(|(job, m)| (job.task, *m)).collect::<Vec<_>>());
            result.goodput_bps *= contestants[contestant].sender.carries;
        }
    }
    Ok(results)
}

/// Numbers of one simulation: what they are hangs on the task.
type Numbers = [f64; 3];

fn measure(
    scene: &Scene,
    job: &Job,
    plan: &Plan,
    change: Option<Change>,
    (seed, cancel): (u64, &AtomicBool),
) -> Result<Numbers, AdviceError> {
    let facts = scene.facts();
    let times = match job.task {
        Task::Transfer(bytes) => {
            let limit = (60.0 + 20.0 * bytes as f64 * 8.0 / facts.rate_bps).min(PATIENCE);
            let begins = SPREAD * (job.number as f64 + 0.5) / plan.transfers as f64;
            (limit, begins)
        }
        _ => (plan.seconds, 0.0),
    };
    // All contestants meet the same draws.
    let seed = seed.wrapping_add(job.number as u64);
    let spec = scene.simulation(job.contestant, change, job.task, times, seed);
    let outcome = simulate(&spec, cancel).ok_or(AdviceError::Cancelled)?;
    Ok(numbers(&outcome, job.task, times.0))
}

/// A run that has no number has the worst one: a delay as long as the run.
fn numbers(outcome: &Outcome, task: Task, seconds: f64) -> Numbers {
    let flow = |index: usize| outcome.flows.get(index);
    let Some(first) = flow(0) else {
        return [0.0; 3];
    };
    match task {
        Task::Bulk => [
            carried_bps(first),
            first.arrival_p90_s.unwrap_or(seconds),
            first.retransmits as f64 / (first.sent_packets as f64).max(1.0),
        ],
        Task::Beside => [flow(1).map_or(0.0, carried_bps), 0.0, 0.0],
        Task::Call => [
            flow(1).and_then(|flow| flow.delay_p95_s).unwrap_or(seconds),
            flow(1).and_then(|flow| flow.datagrams_lost).unwrap_or(1.0),
            0.0,
        ],
        Task::Transfer(_) => [first.completion_s.unwrap_or(seconds), 0.0, 0.0],
    }
}

/// Goodput of a flow, bit/s, without what had come before the measured time and waited behind a hole until then: not more than what
/// came, less what came twice and TCP's headers (QUIC has longer ones).
fn carried_bps(flow: &FlowOutcome) -> f64 {
    let came = flow.received_packets as f64;
    if came == 0.0 {
        return 0.0;
    }
    let new = 1.0 - (flow.spurious_retransmits as f64 / came).min(1.0);
    flow.goodput_bps.min(flow.throughput_bps * new * PAYLOAD)
}

impl OnLink {
    fn fill(&mut self, measured: &[(Task, Numbers)]) {
        let of = |task: Task, number: usize| -> Vec<f64> {
            let mine = measured.iter().filter(|(of, _)| *of == task);
            mine.map(|(_, numbers)| numbers[number]).collect()
        };
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
        self.goodput_bps = mean(of(Task::Bulk, 0));
        self.delay_s = mean(of(Task::Bulk, 1));
        self.resent = mean(of(Task::Bulk, 2));
        self.left_bps = mean(of(Task::Beside, 0));
        self.call_s = mean(of(Task::Call, 0));
        self.call_lost = mean(of(Task::Call, 1));
        for (times, size) in self.transfers.iter_mut().zip(SIZES) {
            let values = of(Task::Transfer(size), 0);
            *times = (quantile(&values, 0.5), quantile(&values, 0.95));
        }
    }
}

/// A quantile of values in any order, linear between two of them; 0 of none.
pub(super) fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    stats::quantile(&sorted, share).unwrap_or(0.0)
}

/// Never set.
pub(super) static NEVER: AtomicBool = AtomicBool::new(false);
