//! The kernel's senders as laws to judge: cases in real time, through the relay.

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use skywave_lab::experiment::{self, ENGINE};
use skywave_lab::scenario::{Files, Scenario};
use skywave_lab::threads::lock;
use skywave_papers::referee::{Law, Sender};
use skywave_sim::outcome::{Bins, FlowOutcome};
use skywave_sim::{Outcome, Spec};
use skywave_wire::behind::bulk;

use crate::failure::Failure;
use crate::gap::kernel::plan::{Plan, Refusal};
use crate::gap::kernel::real;
use crate::impair::path;

/// Beginning of the names.
const PREFIX: &str = "kernel:";

/// Names of the kernel's laws, and the simulator's sender that stands for each in a scenario.
const LAWS: [(&str, &str); 3] = [("bbr", "bbr"), ("cubic", "linux"), ("reno", "rack-tlp")];

/// Attempts of a run until the relay was in time.
const TRIES: usize = 3;

/// Fastest link for which the relay is in time on a machine of two cores, bits a second.
const FASTEST: u64 = 300_000_000;

/// Measured numbers that are known outside of the kernel.
const MEASURED: [&str; 2] = ["goodput", "delivered"];

/// A congestion control of this machine's kernel.
pub(super) struct Kernel {
    name: String,
    seat: Law,
    engine: String,
    /// Turn to run: the time is real, and one runs at a time.
    turn: Mutex<()>,
}

impl Kernel {
    /// The sender of that name; `None` if the name is not as those of the kernel's are, `kernel:cubic`.
    pub(super) fn named(name: &str) -> Result<Option<Self>, Failure> {
        let Some(law) = name.strip_prefix(PREFIX) else {
            return Ok(None);
        };
        let known = LAWS.iter().find(|(kernel, _)| *kernel == law);
        bulk::load(law);
        let offered = bulk::laws().unwrap_or_default();
        let Some((_, seat)) = known.filter(|_| offered.iter().any(|one| one == law)) else {
            let all = LAWS.map(|(law, _)| law).join(", ");
            return Err(Failure::usage(format!(
                "`{name}`: expected one of {all} after `{PREFIX}`, which this kernel has; it has {}",
                offered.join(", ")
            )));
        };
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        Ok(Some(Self {
            name: name.to_owned(),
            seat: Law::parse(seat)?,
            engine: format!("{ENGINE} {name} Linux {}", release.trim()),
            turn: Mutex::new(()),
        }))
    }
}

/// The connections that stand for the flows of a simulation.
fn plan(spec: &Spec) -> Result<Plan, String> {
    let first = spec.flows.first().map(|flow| flow.name.as_str());
    let path = path::within(spec.clone(), first, 0).map_err(|error| error.to_string())?;
    let plan = Plan::new(&path, "judge").map_err(Refusal::why)?;
    let rate = |link: &&skywave_sim::spec::LinkSpec| link.config.mean_rate().as_bps() > FASTEST;
    if let Some(link) = spec.links.iter().find(rate) {
        return Err(format!(
            "link.{}.rate: the relay is too late; expected at most {} Mb/s",
            link.name,
            FASTEST / 1_000_000
        ));
    }
    if plan.connections.iter().any(|connection| connection.is_back) {
        return Err("what comes to the near side is not measured".to_owned());
    }
    Ok(plan)
}

impl Sender for Kernel {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_meant_by(&self, pattern: &str) -> bool {
        self.seat.is_meant_by(pattern)
    }

    fn take(
        &self,
        scenario: &Scenario,
        seats: &[&str],
        files: &dyn Files,
    ) -> Result<Scenario, String> {
        self.seat.take_checked(scenario, seats, files, |_, spec| {
            let plan = plan(spec).map(drop);
            plan.map_err(|why| format!("not for the kernel: {why}"))
        })
    }

    fn measures(&self, number: &str) -> bool {
        MEASURED.contains(&number)
    }

    fn engine(&self) -> &str {
        &self.engine
    }

    fn run(&self, spec: &Spec, cancel: &AtomicBool) -> Option<Outcome> {
        let _alone = lock(&self.turn);
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        // `take` has refused the scenarios that the kernel cannot run. One without a place for the judged sender did not go
        // through it, and is simulated.
        let Ok(plan) = plan(spec) else {
            return experiment::simulate(spec, cancel);
        };
        let run = match real::run(&plan, TRIES, cancel) {
            Ok(run) => run,
            Err(error) => {
                eprintln!("{}: {error}", self.name);
                return None;
            }
        };
        if let Some(why) = run.unfaithful {
            eprintln!("{}: a run was not over the case's path: {why}", self.name);
            return None;
        }
        // Connections are in the order of the flows: the first flow is that of the path.
        let flows = spec.flows.iter().zip(&run.got);
        let flows = flows.map(|(flow, got)| FlowOutcome {
            name: flow.name.to_string(),
            goodput_bps: plan.bps(got.bytes),
            delivered_bytes: got.bytes,
            ..FlowOutcome::default()
        });
        Some(Outcome {
            flows: flows.collect(),
            bins: spec.bins.map(|width| Bins {
                width_s: width.as_secs_f64(),
                delivered: run.got.iter().map(|got| got.bins.clone()).collect(),
            }),
            ..Outcome::default()
        })
    }
}
