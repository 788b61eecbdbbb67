//! `skywave gap`: the same transfer simulated and over real sockets.

pub(crate) mod kernel;

use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;
use skywave_core::{Duration, Time, wtcp};
use skywave_lab::scenario::{Scenario, ScenarioError};
use skywave_sim::spec::{Traffic, Transport};
use skywave_sim::{Spec, simulate};
use skywave_wire::loopback::{Transfer, TransferError, transfer};

use crate::failure::Failure;
use crate::impair::path::{self, Choice, Path};
use crate::impair::show;
use crate::interrupt;
use kernel::KernelArgs;

/// Real and simulated goodput agree if they differ by no more than this share.
const AGREE: f64 = 0.1;

/// Compare simulation and reality: WTCP, or the kernel's TCP, over real sockets.
///
/// The real one is WTCP in UDP datagrams over this machine's loopback, unencrypted, through the relay of
/// `skywave impair`, all in this process; it takes the scenario's duration. The simulated one has the
/// same links, parameters and seeds. Prints both goodputs and the ratio of the real one to the
/// simulated one. The flow must be one of `transport = "wtcp"` (with `header = 28`, its packets are as long
/// as the datagrams with IPv4 and UDP); what else the scenario has is left out. docs/gap.md has ten paths.
///
/// With --kernel it is bbr, cubic and reno of this machine's kernel, between two networks of their own,
/// over the twelve paths of the set `kernel` of `skywave validate`, whose table it can make again; or over
/// those of scenarios, such as `skywave worst` leaves: each point of the sweep whose sender the kernel has,
/// with the other flows as further connections of the kernel's.
///
/// With --tcp it is our own TCP with the sender that is named, to a receiver of the kernel's, over the same twelve paths, or in
/// the place of the sender of scenarios.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "skywave gap [OPTIONS] <SCENARIOS>...\n       skywave gap --kernel [OPTIONS] [SCENARIOS]...\n       skywave gap --tcp SENDER [OPTIONS] [SCENARIOS]..."
)]
#[command(after_help = "Examples:\n  \
    skywave gap experiments/gap/*.toml           # some minutes: it is real time\n  \
    skywave gap my-link.toml --seeds 3 --json\n  \
    skywave gap --kernel                         # half an hour\n  \
    skywave gap --kernel --only 4,5 --laws bbr --seconds 10\n  \
    skywave gap --kernel --csv > kernel.csv\n  \
    skywave gap --kernel runs/worst-bbr/1.toml   # is the kernel's own sender as bad there?\n  \
    skywave gap --tcp cerl --jobs 2              # our own stack: eleven minutes, two runs at once\n  \
    skywave gap --tcp '{ preset = \"dcr\", detection = { dcr = { by = \"dupacks\" } } }' --only 7\n\n\
    Each line of --json is a scenario and seed: scenario, flow, seed, simulated_bps, real_bps, ratio,\n\
    real {delivered_bytes, window_s, data_packets, retransmits, rtt_s, separation_s, blackouts},\n\
    relay (as of skywave impair --json). With --kernel or --tcp a path and law: path, law, rate_mbps, rtt_ms,\n\
    loss, queue_packets, seconds, real_mbps, queues_packets (a number a run), unfaithful (runs),\n\
    simulated_mbps, simulated_ci95, expected_mbps (with --tcp of the seeds of the real runs), ratio; of scenarios a sender: scenario, sender, law, simulated_mbps,\n\
    simulated_sd, real_mbps, median_mbps, ratio, agrees, unfaithful.")]
pub(crate) struct Args {
    /// Scenario files (TOML).
    #[arg(required_unless_present = kernel::REAL)]
    scenarios: Vec<PathBuf>,

    /// The flow whose path is taken; needed if there are several. With --kernel the one whose transport the sweep
    /// changes unless given, else the first one.
    #[arg(long, value_name = "NAME")]
    flow: Option<String>,

    /// Real transfers of each, with another seed; one unless given, of the kernel's over a path with
    /// losses three, and over a scenario's three.
    #[arg(long, value_name = "N")]
    seeds: Option<NonZeroUsize>,

    /// Print one JSON object a transfer instead of the table.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    kernel: KernelArgs,
}

/// A path with the transfer over it.
struct Case {
    scenario: PathBuf,
    path: Path,
    wtcp: Arc<wtcp::Config>,
}

/// A path's transfers.
struct Row {
    name: String,
    simulated: f64,
    real: f64,
    /// The smallest and the largest simulated goodput of all the scenario's seeds.
    range: [f64; 2],
    late_p99_s: f64,
    problem: Option<String>,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    if args.kernel.is_asked_for() {
        return kernel::main(args);
    }
    // A mistake in the last file should not cost the transfers of the first.
    let scenarios = args
        .scenarios
        .iter()
        .map(|path| skywave_lab::folder::load(path));
    let scenarios: Vec<Scenario> = scenarios.collect::<Result<_, ScenarioError>>()?;
    let mut all = Vec::new();
    for (file, scenario) in args.scenarios.iter().zip(&scenarios) {
        let seeds = scenario.seeds().iter();
        let cases = seeds.map(|&seed| Case::new(file, scenario, args.flow.as_deref(), seed));
        all.push(cases.collect::<Result<Vec<Case>, Failure>>()?);
    }
    let mut rows = Vec::new();
    for (scenario, cases) in scenarios.iter().zip(&all) {
        rows.push(compare(args, scenario.name(), cases)?);
    }
    if !args.json {
        write!(io::stdout().lock(), "{}", table(&rows))?;
    }
    for (row, scenario) in rows.iter().zip(&args.scenarios) {
        if let Some(problem) = &row.problem {
            return Err(Failure::failed(format!(
                "{}: the path was not the scenario's: {problem}",
                scenario.display()
            )));
        }
    }
    Ok(())
}

impl Case {
    fn new(
        file: &FilePath,
        scenario: &Scenario,
        flow: Option<&str>,
        seed: u64,
    ) -> Result<Self, Failure> {
        let choice = Choice {
            flow,
            seed,
            point: 1,
            overhead: 0,
        };
        let mut path = path::of(scenario, choice).map_err(|error| Failure::file(file, error))?;
        let name = path.flow.name.clone();
        let Transport::Wtcp { config, header } = path.flow.transport.clone() else {
            let why = format!(
                "flow `{name}` is not one of WTCP, which is what can be sent over real sockets: transport = \"wtcp\""
            );
            return Err(Failure::file(file, why));
        };
        path.config.overhead = header;
        Ok(Self {
            scenario: file.to_owned(),
            wtcp: config,
            path,
        })
    }

    /// The goodput of the simulated transfer.
    fn simulated(&self) -> f64 {
        let mut flow = self.path.flow.clone();
        flow.traffic = Traffic::Ftp;
        flow.start = Time::ZERO;
        flow.stop = None;
        let spec = Spec {
            flows: vec![flow],
            ..self.path.spec.clone()
        };
        simulate(&spec).flows[0].goodput_bps
    }

    fn real(&self) -> Result<Transfer, Failure> {
        let measure = self.path.spec.measure;
        let stop = interrupt::flag();
        let done = transfer(&self.path.config, &self.wtcp, measure, stop);
        // Ctrl-C may have come too late to end it.
        let done = done.and_then(|got| {
            let is_late = stop.load(Ordering::Relaxed);
            (!is_late).then_some(got).ok_or(TransferError::Stopped)
        });
        done.map_err(|error| {
            let why = format!("{}: {error}", self.scenario.display());
            match error {
                TransferError::Stopped => Failure::interrupted(why),
                _ => Failure::failed(why),
            }
        })
    }
}

/// Makes the transfers of a scenario, one case a seed.
fn compare(args: &Args, name: &str, cases: &[Case]) -> Result<Row, Failure> {
    let simulated: Vec<f64> = cases.iter().map(Case::simulated).collect();
    let mut row = Row {
        name: name.to_owned(),
        simulated: 0.0,
        real: 0.0,
        range: [
            simulated.iter().copied().fold(f64::INFINITY, f64::min),
            simulated.iter().copied().fold(0.0, f64::max),
        ],
        late_p99_s: 0.0,
        problem: None,
    };
    let count = args.seeds.map_or(1, NonZeroUsize::get).min(cases.len());
    for note in cases.iter().take(1).flat_map(|case| &case.path.notes) {
        eprintln!("note: {name}: {note}");
    }
    for (case, &simulated) in cases.iter().zip(&simulated).take(count) {
        if io::stderr().is_terminal() {
            let seconds = case.path.spec.measure.1.as_secs_f64();
            eprintln!("{name}: {seconds} s, seed {}", case.path.spec.seed);
        }
        let got = case.real()?;
        if args.json {
            writeln!(
                io::stdout().lock(),
                "{}",
                object(name, case, simulated, &got)
            )?;
        }
        row.simulated += simulated / count as f64;
        row.real += got.goodput_bps() / count as f64;
        let late = got.report.lateness.quantile(0.99);
        row.late_p99_s = row.late_p99_s.max(late.map_or(0.0, Duration::as_secs_f64));
        row.problem = row.problem.or(show::unfaithful(&got.report));
    }
    Ok(row)
}

/// Whether the two are within [`AGREE`].
fn agree(real: f64, simulated: f64) -> bool {
    (real / simulated - 1.0).abs() <= AGREE
}

fn table(rows: &[Row]) -> String {
    let header = [
        "path",
        "simulated",
        "real",
        "real / simulated",
        "all seeds simulated",
        "late 99 %",
        "",
    ];
    let cells = rows.iter().map(|row| {
        let [low, high] = row.range;
        let problem = row.problem.as_ref().map_or("", |_| "NOT IN TIME");
        vec![
            row.name.clone(),
            show::rate(row.simulated),
            show::rate(row.real),
            format!("{:.3}", row.real / row.simulated),
            format!("{} to {}", show::rate(low), show::rate(high)),
            format!("{:.2} ms", row.late_p99_s * 1e3),
            problem.to_owned(),
        ]
    });
    let agrees = |row: &&Row| agree(row.real, row.simulated);
    let agreeing = rows.iter().filter(agrees).count();
    format!(
        "{}\n{agreeing} of {} within {:.0} %\n",
        show::with_header(&header, cells),
        rows.len(),
        AGREE * 100.0
    )
}

fn object(name: &str, case: &Case, simulated: f64, got: &Transfer) -> serde_json::Value {
    json!({
        "scenario": name,
        "flow": case.path.flow.name.as_str(),
        "seed": case.path.spec.seed,
        "simulated_bps": simulated,
        "real_bps": got.goodput_bps(),
        "ratio": got.goodput_bps() / simulated,
        "real": {
            "delivered_bytes": got.delivered,
            "window_s": got.window.as_secs_f64(),
            "data_packets": got.sender.sent.data,
            "retransmits": got.sender.sent.retransmits,
            "rtt_s": got.sender.rtt.map(Duration::as_secs_f64),
            "separation_s": got.sender.separation.map(Duration::as_secs_f64),
            "blackouts": got.sender.sent.blackouts,
        },
        "relay": show::object(&got.report),
    })
}
