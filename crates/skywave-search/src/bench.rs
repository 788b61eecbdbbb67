//! Benches: candidate paths judged by simulations of one sender, and of those that it is compared with.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use skywave_lab::experiment::{ENGINE, Error, Ledger, Numbers, RunKey};
use skywave_lab::threads::{self, NoThreads};
use skywave_lab::way;
use skywave_scenario::{Point, Space};
use skywave_sim::observe::{Observer, Offer, Watch};
use skywave_sim::spec::Traffic;
use skywave_sim::{Outcome, Spec, simulate_watched};

use crate::machine::Machine;
use crate::measure::{self, BIN, CARRIED, STALL};
use crate::{Candidate, Objective};

/// Packets offered to links, in multiples of what all links carry, from which on a run is given up, and packets that are
/// given in any case: a sender that floods may take minutes for a run of milliseconds.
const FLOOD: f64 = 30.0;
const ALLOWED: f64 = 1e6;

/// Reason why a search cannot be made, or ended before it was done.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The runs cannot be kept, or threads cannot be started.
    #[error(transparent)]
    Experiment(#[from] Error),
    /// Search that the caller has cancelled.
    #[error("the search was interrupted")]
    Interrupted,
    /// Search that cannot be made with these settings or over this space of paths: the reason, in a sentence.
    #[error("{0}")]
    Space(String),
}

impl From<NoThreads> for SearchError {
    fn from(error: NoThreads) -> Self {
        Self::Experiment(error.into())
    }
}

/// Settings for running the simulations of a search: threads, cancelling, and the report of progress.
#[derive(Clone, Copy)]
pub struct Making<'a> {
    /// Number of threads; `None` for one per processor core.
    pub threads: Option<usize>,
    /// Flag that the caller sets to stop all runs, even one under way; the search ends with
    /// [`SearchError::Interrupted`].
    pub cancel: &'a AtomicBool,
    /// Function called after each run with two numbers: runs so far, and how many of these were not simulated because
    /// the journal of runs ([`Ledger`]) had them already.
    pub told: &'a (dyn Fn(usize, usize) + Sync),
}

/// Function that runs one simulation; `None` if it was cancelled, or given up because a sender flooded the path.
pub type Simulation<'a> = dyn Fn() -> Option<Outcome> + Sync + 'a;

/// Wrapper that a caller puts around each simulation of a congestion control of the caller's own code, which may need
/// the thread that it runs on to be prepared: the wrapper is given the simulation, calls it and returns its outcome.
pub type Within<'a> = dyn Fn(&Simulation<'_>) -> Option<Outcome> + Sync + 'a;

/// Judge of network paths: for each candidate path of a search space it simulates the judged sender, and those that it
/// is compared with, and computes the value of an [`Objective`] from the runs.
pub struct Bench<'a> {
    /// A space for each sender: the one that is judged, then the others.
    senders: &'a [Space<'a>],
    /// For each of them what runs it; `None` for the simulator.
    machines: Vec<Option<&'a dyn Machine>>,
    flow: &'a str,
    objective: &'a Objective,
    ledger: Option<&'a Ledger>,
    making: Making<'a>,
    within: &'a Within<'a>,
    done: AtomicUsize,
    found: AtomicUsize,
    given_up: AtomicUsize,
}

/// A run that is to be made.
struct Task {
    spec: Spec,
    flow: usize,
    /// Place of the sender among those of the bench.
    sender: usize,
    wants: &'static [&'static str],
}

impl<'a> Bench<'a> {
    /// Bench for the sender of the flow called `flow`. `senders` has the search space with the judged sender in this
    /// flow, then the same space with each sender that it is compared with; `ledger` is the journal that keeps runs for
    /// later searches, `None` for none.
    ///
    /// # Errors
    /// No sender is given, or none to compare with though the objective compares; the name is not that of a single flow
    /// that always has data; or the objective cannot be measured in this space.
    pub fn new(
        senders: &'a [Space<'a>],
        flow: &'a str,
        objective: &'a Objective,
        ledger: Option<&'a Ledger>,
        making: Making<'a>,
    ) -> Result<Self, SearchError> {
        let refuse = |why: String| Err(SearchError::Space(why));
        let Some(space) = senders.first() else {
            return refuse("there is no sender to judge".into());
        };
        if objective.compares && senders.len() < 2 {
            let name = objective.name;
            return refuse(format!(
                "the objective `{name}` compares with another sender, and none is given"
            ));
        }
        let point = &space.scenario().points()[0];
        let spec = point.spec(1);
        let Some(index) = place(point, &spec, flow) else {
            return refuse(format!(
                "`{flow}` must be one flow, without a `count` or a proxy"
            ));
        };
        if spec.flows[index].traffic != Traffic::Ftp {
            return refuse(format!(
                "`{flow}` must always have data to send, so that what it gets is its sender's doing: traffic = \"ftp\""
            ));
        }
        let needs = objective.wants;
        let needs_way = needs.contains(&CARRIED) || needs.contains(&STALL);
        if needs_way && way::carried(&spec, index).is_none() {
            return refuse(format!(
                "`{flow}` goes over no link, so that there is no telling what its way carries"
            ));
        }
        Ok(Self {
            senders,
            machines: vec![None; senders.len()],
            flow,
            objective,
            ledger,
            making,
            within: &|simulation| simulation(),
            done: AtomicUsize::new(0),
            found: AtomicUsize::new(0),
            given_up: AtomicUsize::new(0),
        })
    }

    /// Bench like this one, but with `machine` instead of the simulator's own sender carrying the flow in the runs of
    /// sender number `sender` (0 is the judged one): for senders that the simulator does not have. A candidate that the
    /// machine [cannot carry](Machine::can) has no value. Without a sender of that number nothing changes.
    #[must_use]
    pub fn carried_by(mut self, sender: usize, machine: &'a dyn Machine) -> Self {
        if let Some(place) = self.machines.get_mut(sender) {
            *place = Some(machine);
        }
        self
    }

    /// Bench like this one, but with each simulation of a congestion control of the caller's own code run through
    /// `within`, which is given the simulation as a function and has to call it.
    #[must_use]
    pub fn within(mut self, within: &'a Within<'a>) -> Self {
        self.within = within;
        self
    }

    /// Search space of network paths; the flow under test has the judged sender.
    pub fn space(&self) -> &'a Space<'a> {
        &self.senders[0]
    }

    /// Number of senders.
    pub(crate) fn senders(&self) -> usize {
        self.senders.len()
    }

    /// Number of runs so far that were given up, as when a sender flooded the path with packets.
    pub fn given_up(&self) -> usize {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Mean over `seeds` of the objective's value for each candidate; `None` if the candidate is no valid path or if,
    /// with any of the seeds, a run was given up or the objective has no value: the path then says nothing about the
    /// sender.
    ///
    /// # Errors
    /// The search was cancelled, runs cannot be kept, or threads cannot be started.
    pub fn means(
        &self,
        candidates: &[Candidate],
        seeds: &[u64],
    ) -> Result<Vec<Option<f64>>, SearchError> {
        let mean = |values: Option<Vec<f64>>| {
            let values = values.filter(|values| !values.is_empty())?;
            Some(values.iter().sum::<f64>() / values.len() as f64)
        };
        let values = self.values(candidates, seeds)?;
        Ok(values.into_iter().map(mean).collect())
    }

    /// Values of the objective: for each candidate, in their order, those for each of `seeds`. A candidate has `None`
    /// instead of all its values if it is no valid path or if, with any of the seeds, a run was given up or the
    /// objective has no value: the path then says nothing about the sender.
    ///
    /// # Errors
    /// The search was cancelled, runs cannot be kept, or threads cannot be started.
    pub fn values(
        &self,
        candidates: &[Candidate],
        seeds: &[u64],
    ) -> Result<Vec<Option<Vec<f64>>>, SearchError> {
        let threads = self.making.threads;
        let tasks = threads::each(threads, candidates.len(), |index| {
            Ok::<_, SearchError>(self.tasks(&candidates[index], seeds))
        })?;
        let flat: Vec<&Task> = tasks.iter().flatten().flatten().collect();
        let runs = threads::each(threads, flat.len(), |index| self.run(flat[index]))?;
        let mut runs = runs.into_iter();
        let values = tasks.iter().map(|tasks| {
            let count = tasks.as_ref().map_or(0, Vec::len);
            let own: Vec<Option<Numbers>> = runs.by_ref().take(count).collect();
            let own: Vec<Numbers> = own.into_iter().collect::<Option<_>>()?;
            tasks.as_ref()?;
            let by_seed = own.chunks(self.senders.len());
            by_seed.map(|runs| self.objective.value(runs)).collect()
        });
        Ok(values.collect())
    }

    /// The runs of a candidate, seed by seed those of all senders; `None` if the candidate cannot be.
    fn tasks(&self, candidate: &Candidate, seeds: &[u64]) -> Option<Vec<Task>> {
        let mut points = Vec::with_capacity(self.senders.len());
        for space in self.senders {
            let scenario = space.at(candidate).ok()?;
            points.push(scenario.points().first()?.clone());
        }
        let mut tasks = Vec::with_capacity(seeds.len() * points.len());
        for &seed in seeds {
            for (sender, point) in points.iter().enumerate() {
                let mut spec = point.spec(seed);
                let flow = place(point, &spec, self.flow)?;
                if self.machines[sender].is_some_and(|machine| !machine.can(&spec, flow)) {
                    return None;
                }
                // What a path carries is the same for all senders, and a stall is the first one's.
                let wants = if sender == 0 {
                    self.objective.wants
                } else {
                    &[]
                };
                if wants.contains(&STALL) {
                    spec.bins = Some(BIN);
                }
                tasks.push(Task {
                    spec,
                    flow,
                    sender,
                    wants,
                });
            }
        }
        Some(tasks)
    }

    /// The numbers of a run, from the ledger if it has them all; `None` if the run was given up.
    fn run(&self, task: &Task) -> Result<Option<Numbers>, SearchError> {
        let cancel = self.making.cancel;
        if cancel.load(Ordering::Relaxed) {
            return Err(SearchError::Interrupted);
        }
        let ledger = self.ledger.filter(|_| !task.spec.has_custom());
        let machine = self.machines[task.sender];
        let engine = machine.map_or(ENGINE, Machine::engine);
        let engine = format!("{engine} {} {}", measure::VERSION, task.flow);
        let key = ledger.map(|ledger| (ledger, RunKey::new(&task.spec, &engine)));
        let known = key.and_then(|(ledger, key)| ledger.get(key));
        let has_all = |numbers: &Numbers| task.wants.iter().all(|name| numbers.contains_key(*name));
        if let Some(known) = known.filter(|numbers| numbers.is_empty() || has_all(numbers)) {
            self.tell(true);
            return Ok(self.whole(known));
        }
        let simulation = || simulate(&task.spec, cancel);
        let outcome = match machine {
            Some(machine) => machine.run(&task.spec, task.flow, cancel),
            None if task.spec.has_custom() => (self.within)(&simulation),
            None => simulation(),
        };
        let numbers = match outcome {
            Some(outcome) => measure::of(&task.spec, &outcome, task.flow, task.wants),
            None if cancel.load(Ordering::Relaxed) => return Err(SearchError::Interrupted),
            None => Numbers::new(),
        };
        if let Some((ledger, key)) = key {
            ledger.add(key, numbers.clone())?;
        }
        self.tell(false);
        Ok(self.whole(numbers))
    }

    fn tell(&self, was_found: bool) {
        let found = self.found.fetch_add(was_found.into(), Ordering::Relaxed);
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        (self.making.told)(done, found + usize::from(was_found));
    }

    /// The numbers of a run; none at all are those of one that was given up.
    fn whole(&self, numbers: Numbers) -> Option<Numbers> {
        if numbers.is_empty() {
            self.given_up.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        Some(numbers)
    }
}

/// The only flow of a point that comes from the `[[flow]]` of that name.
fn place(point: &Point, spec: &Spec, name: &str) -> Option<usize> {
    let mut places = (0..spec.flows.len()).filter(|&flow| point.flow_group(flow) == Some(name));
    places.next().filter(|_| places.next().is_none())
}

/// One simulation; `None` when `cancel` was set before its end, or it has too many packets.
fn simulate(spec: &Spec, cancel: &AtomicBool) -> Option<Outcome> {
    let seconds = spec.duration.as_secs_f64();
    let carried = spec
        .links
        .iter()
        .map(|link| link.config.allowed_rate().as_bps() as f64 * seconds / (8.0 * 1500.0));
    let mut meter = Meter {
        left: (ALLOWED + FLOOD * carried.sum::<f64>()) as u64,
    };
    let watch = Watch {
        observer: Some(&mut meter),
        cancel: Some(cancel),
    };
    simulate_watched(spec, watch)
}

/// Ends a run that has too many packets on links. Packets are counted, and not seconds: so a run ends the same way on any
/// machine.
struct Meter {
    left: u64,
}

impl Observer for Meter {
    fn on_offer(&mut self, _: &Offer<'_>) {
        self.left = self.left.saturating_sub(1);
    }

    fn has_enough(&self) -> bool {
        self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skywave_scenario::{CustomMembers, NoFiles, Scenario};

    /// Two stations, and no link.
    const AIR: &str = r#"
[radio]
standard = "802.11g"

[[station]]
node = "N#"
count = 2
at = ["0m", "0m"]
step = ["100m", "0m"]

[[flow]]
name = "test"
from = "N1"
to = "N2"

[run]
duration = "2s"
"#;

    #[test]
    fn what_a_way_carries_is_not_asked_where_there_is_no_link() {
        let text = format!("{AIR}[search]\n\"station.N#.count\" = [2, 3]\n");
        let custom = CustomMembers::default();
        let space = Space::parse("test", "test.toml", &text, &NoFiles, &custom).expect("a space");
        let senders = ["reno", "cubic"].map(str::to_owned);
        let spaces = space.with_senders("test", &senders).expect("spaces");
        let making = Making {
            threads: Some(1),
            cancel: &AtomicBool::new(false),
            told: &|_, _| (),
        };
        for (objective, can) in [("channel", false), ("stall", false), ("vain", true)] {
            let objective = Objective::named(objective).expect("an objective");
            let bench = Bench::new(&spaces, "test", objective, None, making);
            let why = bench.err().map(|error| error.to_string());
            let refusal = "goes over no link";
            assert_eq!(why.is_none_or(|why| !why.contains(refusal)), can);
        }
    }

    #[test]
    fn a_run_without_links_ends_when_the_search_does() {
        let scenario = Scenario::parse("test.toml", AIR, &NoFiles).expect("a scenario");
        let spec = scenario.points()[0].spec(1);
        let outcome = simulate(&spec, &AtomicBool::new(false)).expect("an outcome");
        assert!(outcome.flows[0].delivered_bytes > 0);
        assert_eq!(simulate(&spec, &AtomicBool::new(true)), None);
    }
}
