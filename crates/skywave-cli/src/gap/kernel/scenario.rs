//! The senders of a scenario, simulated and by the kernel, over the scenario's path and beside its other flows; or senders of
//! ours in their place.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::Path as FilePath;

use serde_json::{Value, json};
use skywave_lab::experiment::stats::{Estimate, quantile};
use skywave_lab::folder::{self, Folder};
use skywave_lab::scenario::{Point, Scenario};
use skywave_papers::referee::{Law, Sender};
use skywave_sim::{Spec, simulate};

use super::super::Args;
use super::plan::{Plan, Refusal};
use super::real::{self, Run};
use super::{VERB, faithful};
use crate::failure::Failure;
use crate::impair::path::{self, Choice};
use crate::impair::show;
use crate::interrupt;

/// Real runs of a sender unless said.
const RUNS: usize = 3;

/// Median real and mean simulated goodput agree if they differ by no more than this share.
const AGREE: f64 = 0.25;

/// A sender over a scenario's path.
struct Case<'a> {
    scenario: &'a Scenario,
    /// Number of the scenario among those that were given.
    file: usize,
    /// Number of the point of the sweep, from 1.
    number: usize,
    /// Whether the sender over the links is ours.
    is_ours: bool,
    /// Name of the flow.
    flow: String,
    /// The sender, as the scenario calls it.
    sender: String,
    /// The kernel's names of the congestion controls, of the flow and of those beside it; none if the sender is ours.
    laws: Vec<String>,
    simulated: Option<Estimate>,
    runs: Vec<Run>,
}

pub(super) fn main(args: &Args) -> Result<(), Failure> {
    let laws = args.kernel.tcp.iter().map(|law| Law::parse(law));
    let laws: Vec<Law> = laws.collect::<Result<_, _>>()?;
    let mut scenarios = Vec::new();
    for (file, path) in args.scenarios.iter().enumerate() {
        let scenario = folder::load(path)?;
        if laws.is_empty() {
            scenarios.push((file, scenario));
            continue;
        }
        for law in &laws {
            let taken = with(&scenario, args.flow.as_deref(), law, &Folder::of(path));
            scenarios.push((file, taken.map_err(|what| Failure::file(path, what))?));
        }
    }
    let is_ours = !laws.is_empty();
    let mut cases = Vec::new();
    for (file, scenario) in &scenarios {
        let path = &args.scenarios[*file];
        for number in 1..=scenario.points().len() {
            let case = Case::new(scenario, *file, number, args.flow.as_deref(), is_ours);
            match case {
                Ok(case) => cases.push(case),
                Err(Refusal::Sender(why)) if scenario.points().len() > 1 => {
                    eprintln!("note: {}: {why}: left out", path.display());
                }
                Err(refusal) => return Err(Failure::file(path, refusal.why())),
            }
        }
    }
    let asked = &args.kernel.laws;
    cases.retain(|case| asked.is_empty() || asked.contains(&case.laws[0]));
    if args.kernel.kernel {
        let laws = cases.iter().flat_map(|case| &case.laws);
        let offered = real::offered(laws.map(String::as_str).collect())?;
        cases.retain(|case| case.laws.iter().all(|law| offered.contains(law)));
    }
    let stop = interrupt::flag();
    let mut plans = Vec::new();
    let count = args.seeds.map_or(RUNS, NonZeroUsize::get);
    for (at, case) in cases.iter_mut().enumerate() {
        case.simulate();
        for &seed in case.scenario.seeds().iter().take(count) {
            let plan = case.plan(seed).map_err(Failure::failed)?;
            let capture = args
                .kernel
                .capture(case.scenario.name(), &case.sender, seed);
            plans.push((at, Plan { capture, ..plan }));
        }
    }
    real::each(&plans, &args.kernel, stop, |at, run| {
        let case = &mut cases[at];
        let file = &args.scenarios[case.file];
        eprintln!("{}: {}, seed {}", file.display(), case.sender, run.seed);
        case.runs.push(run);
        case.runs.sort_by_key(|run| run.seed);
        if args.json && case.runs.len() == case.scenario.seeds().len().min(count) {
            let mut out = io::stdout().lock();
            writeln!(out, "{}", case.object(file))?;
            out.flush()?;
        }
        Ok(())
    })?;
    if !args.json {
        let names: Vec<String> = args
            .scenarios
            .iter()
            .map(|p| p.display().to_string())
            .collect();
        write!(io::stdout().lock(), "{}", table(&names, &cases))?;
    }
    faithful(cases.iter().flat_map(|case| &case.runs))
}

/// The scenario with this law as the sender of a flow: of that name, or of the first one.
fn with(
    scenario: &Scenario,
    flow: Option<&str>,
    law: &Law,
    files: &Folder,
) -> Result<Scenario, String> {
    let first = || {
        let spec = scenario.points().first()?.spec(1);
        Some(spec.flows.first()?.name.to_string())
    };
    let flow = flow.map(str::to_owned).or_else(first).unwrap_or_default();
    law.take(scenario, &[&format!("flow.{flow}.transport")], files)
}

impl<'a> Case<'a> {
    fn new(
        scenario: &'a Scenario,
        file: usize,
        number: usize,
        flow: Option<&str>,
        is_ours: bool,
    ) -> Result<Self, Refusal> {
        let point = &scenario.points()[number - 1];
        let mut case = Self {
            scenario,
            file,
            number,
            is_ours,
            flow: String::new(),
            sender: String::new(),
            laws: Vec::new(),
            simulated: None,
            runs: Vec::new(),
        };
        let seed = scenario.seeds().first().copied().unwrap_or(1);
        let first = point.spec(seed).flows.into_iter().next();
        let first = first.map(|flow| flow.name.to_string());
        let flow = flow.or_else(|| swept(point)).or(first.as_deref());
        let path = case.path(flow, seed).map_err(Refusal::Path)?;
        let (spec, measured) = (&path.spec, &path.flow);
        case.flow = measured.name.to_string();
        case.sender = match &point.params[..] {
            [] => point
                .transport_label(place(spec, &measured.name))
                .unwrap_or_default()
                .to_owned(),
            params => {
                let values = params.iter().map(|(_, value)| value.to_string());
                values.collect::<Vec<_>>().join(", ")
            }
        };
        let plan = Plan::of(&path, VERB, is_ours)?;
        if !is_ours {
            case.laws = plan.connections.into_iter().map(|c| c.law).collect();
        }
        Ok(case)
    }

    fn path(&self, flow: Option<&str>, seed: u64) -> Result<path::Path, String> {
        let choice = Choice {
            flow,
            seed,
            point: self.number,
            // Whole IP packets come.
            overhead: 0,
        };
        path::of(self.scenario, choice).map_err(|error| error.to_string())
    }

    /// Connections as the simulation with this seed has its flows.
    fn plan(&self, seed: u64) -> Result<Plan, String> {
        let path = self.path(Some(&self.flow), seed)?;
        Plan::of(&path, VERB, self.is_ours).map_err(Refusal::why)
    }

    /// Simulates with all seeds of the file.
    fn simulate(&mut self) {
        let point = &self.scenario.points()[self.number - 1];
        let seeds = self.scenario.seeds().iter();
        let simulated = seeds.map(|&seed| goodput(&point.spec(seed), &self.flow) / 1e6);
        self.simulated = Estimate::of(&simulated.collect::<Vec<f64>>());
    }

    /// Median of the runs in which the relay was in time, Mb/s.
    fn real(&self) -> Option<f64> {
        let faithful = self.runs.iter().filter(|run| run.unfaithful.is_none());
        let mut real: Vec<f64> = faithful.map(|run| run.mbps).collect();
        real.sort_by(f64::total_cmp);
        quantile(&real, 0.5)
    }

    /// Median real goodput as a share of the mean simulated one.
    fn ratio(&self) -> Option<f64> {
        Some(self.real()? / self.simulated?.mean)
    }

    fn agrees(&self) -> bool {
        let both = self.real().zip(self.simulated);
        // Nothing at all may be right as well.
        both.is_some_and(|(real, s)| (real - s.mean).abs() <= AGREE * s.mean)
    }

    fn object(&self, file: &FilePath) -> Value {
        json!({
            "scenario": file.display().to_string(),
            "sender": self.sender,
            "law": self.laws.first(),
            "simulated_mbps": self.simulated.map(|s| s.mean),
            "simulated_sd": self.simulated.map(|s| s.sd),
            "real_mbps": self.runs.iter().map(|run| run.mbps).collect::<Vec<_>>(),
            "median_mbps": self.real(),
            "ratio": self.ratio(),
            "agrees": self.agrees(),
            "unfaithful": real::unfaithful(&self.runs),
        })
    }

    fn cells(&self, name: &str) -> Vec<String> {
        let none = || "–".to_owned();
        let runs: Vec<String> = self
            .runs
            .iter()
            .map(|run| format!("{:.3}", run.mbps))
            .collect();
        vec![
            name.to_owned(),
            self.sender.clone(),
            self.laws.first().cloned().unwrap_or_else(none),
            (self.simulated).map_or_else(none, |s| format!("{:.3} ±{:.3}", s.mean, s.sd)),
            self.real().map_or_else(none, |real| format!("{real:.3}")),
            runs.join(" "),
            self.ratio()
                .map_or_else(none, |ratio| format!("{ratio:.3}")),
            real::in_time(&self.runs, if self.agrees() { "agrees" } else { "" }),
        ]
    }
}

/// Name of the flow whose sender the sweep changes.
fn swept(point: &Point) -> Option<&str> {
    let mut paths = point.params.iter().map(|(path, _)| path.as_str());
    paths.find_map(|path| path.strip_prefix("flow.")?.strip_suffix(".transport"))
}

/// Place of the flow of this name, which is there.
fn place(spec: &Spec, name: &str) -> usize {
    let mut flows = spec.flows.iter();
    flows.position(|flow| flow.name == name).unwrap_or_default()
}

/// Goodput of the flow in a simulation, bits a second.
fn goodput(spec: &Spec, flow: &str) -> f64 {
    simulate(spec).flows[place(spec, flow)].goodput_bps
}

/// Percentage that a case has of the best of others.
fn share<'a>(
    case: &Case<'a>,
    others: &[&Case<'a>],
    value: impl Fn(&Case<'a>) -> Option<f64>,
) -> Option<f64> {
    let others = others.iter().filter_map(|other| value(other));
    Some(100.0 * value(case)? / others.max_by(f64::total_cmp)?)
}

/// The table for a terminal, and how bad the first sender of each sweep is beside the best of the others.
fn table(names: &[String], cases: &[Case<'_>]) -> String {
    let header = [
        "path",
        "sender",
        "kernel",
        "simulated, Mb/s",
        "real",
        "runs",
        "real / simulated",
        "",
    ];
    let rows = cases.iter().map(|case| case.cells(&names[case.file]));
    let mut text = show::with_header(&header, rows) + "\n";
    for (file, name) in names.iter().enumerate() {
        let mut of_file = cases.iter().filter(|case| case.file == file);
        let Some(first) = of_file.next().filter(|case| case.number == 1) else {
            continue;
        };
        let others: Vec<&Case<'_>> = of_file.collect();
        let simulated = |case: &Case<'_>| Some(case.simulated?.mean);
        let simulated = share(first, &others, simulated);
        if let (Some(simulated), Some(real)) = (simulated, share(first, &others, Case::real)) {
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "{name}: {} gets {simulated:.1} % of the best other simulated, {real:.1} % really",
                first.sender
            );
        }
    }
    let agreeing = cases.iter().filter(|case| case.agrees()).count();
    let (all, within) = (cases.len(), AGREE * 100.0);
    text + &format!("{agreeing} of {all} within {within:.0} %\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use skywave_lab::scenario::NoFiles;

    use super::*;

    /// A path as `skywave worst` leaves it, with an upload.
    const FOUND: &str = r#"
[[link]]
name = "path"
between = ["server", "client"]
rate = "20Mbps"
delay = "20ms"
reverse = { rate = "300kbps" }

[[flow]]
name = "test"
from = "server"
to = "client"
transport = "bbr"
profile = "linux"
rwnd = "16MB"

[[flow]]
name = "upload"
from = "client"
to = "server"
transport = "linux"
profile = "linux"
start = "250ms"
count = 1

[run]
duration = "10s"
measure = ["3s", "10s"]
seeds = [7, 8]

[sweep]
"flow.test.transport" = ["bbr", "linux", "vegas"]
"#;

    fn case(text: &str, number: usize) -> Result<(Vec<String>, Plan), String> {
        let scenario = Scenario::parse("1", text, &NoFiles).unwrap();
        let case = Case::new(&scenario, 0, number, None, false);
        let case = case.map_err(Refusal::why)?;
        let plan = case.plan(8).unwrap();
        Ok((case.laws, plan))
    }

    #[test]
    fn flows_are_connections_in_their_directions() {
        for (number, law) in [(1, "bbr"), (2, "cubic")] {
            let (laws, plan) = case(FOUND, number).unwrap();
            assert_eq!(laws, [law, "cubic"]);
            let [measured, upload] = &plan.connections[..] else {
                panic!("{:?}", plan.connections);
            };
            assert!(!measured.is_back && upload.is_back && measured.port != upload.port);
            assert_eq!((measured.law.as_str(), upload.law.as_str()), (law, "cubic"));
            let ms = Duration::from_millis;
            assert_eq!((measured.start, upload.start), (ms(0), ms(250)));
            assert_eq!(plan.window, (ms(3000), ms(10_000)));
            assert_eq!((plan.rwnd, plan.config.seed), (Some(16_000_000), 8));
        }
    }

    #[test]
    fn what_the_kernel_and_the_relay_do_not_have_is_refused_by_its_key() {
        let refused = |number, from: &str, to: &str| {
            let text = FOUND.replace(from, to);
            assert!(from.is_empty() || text != FOUND, "{from}");
            case(&text, number).map(drop).unwrap_err()
        };
        assert!(refused(3, "", "").contains("`flow.test.transport`"));
        for (from, to, key) in [
            (
                "count = 1",
                "traffic = { bytes = \"1MB\" }\ncount = 1",
                "flow.upload.traffic",
            ),
            (
                "transport = \"linux\"",
                "transport = \"vegas\"",
                "`flow.upload.transport`",
            ),
            ("start = \"250ms\"", "mss = \"536B\"", "flow.upload.mss"),
            (
                "delay = \"20ms\"",
                "delay = \"20ms\"\nqueue = \"fq-codel\"",
                "link.path.queue",
            ),
        ] {
            let told = refused(1, from, to);
            assert!(told.starts_with(key), "{told}");
        }
    }
}
