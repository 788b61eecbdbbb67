//! `skywave gap --kernel` and `--tcp`: the kernel's TCP, or a sender of ours to its receiver, through the relay, beside the
//! simulation of the same path.

#[cfg(target_os = "linux")]
pub(crate) mod plan;
#[cfg(target_os = "linux")]
pub(crate) mod real;
#[cfg(target_os = "linux")]
mod row;
#[cfg(target_os = "linux")]
mod scenario;

use std::num::NonZeroUsize;
use std::path::PathBuf;

#[cfg(target_os = "linux")]
use skywave_lab::folder::plain_name;
#[cfg(target_os = "linux")]
use skywave_lab::report::number::counted;
#[cfg(target_os = "linux")]
use skywave_wire::is_root;

use super::Args;
use crate::failure::Failure;

/// The verb, from which this program is started again at the near side.
#[cfg(target_os = "linux")]
const VERB: &str = "gap";

/// The options that ask for TCP: the kernel's or ours.
pub(super) const REAL: &str = "real";

/// Length of a run unless said, s: that of the table's.
#[cfg(target_os = "linux")]
const SECONDS: u32 = 25;

/// Options of `--kernel` and `--tcp`.
#[derive(Debug, clap::Args)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "elsewhere they are read, and nothing is done")
)]
pub(super) struct KernelArgs {
    /// The kernel's TCP, over twelve paths unless scenarios are given (Linux; rights as of skywave impair).
    #[arg(long, group = REAL)]
    kernel: bool,

    /// Our own TCP with this sender, to the kernel's receiver, over the same paths as --kernel: a preset of `skywave
    /// variants` or a composition. May be given several times.
    #[arg(long, value_name = "SENDER", group = REAL)]
    tcp: Vec<String>,

    /// Paths of --kernel or --tcp to run over, by their numbers in the table; all unless given.
    #[arg(
        long,
        value_name = "N",
        value_delimiter = ',',
        requires = REAL,
        conflicts_with = "scenarios"
    )]
    only: Vec<usize>,

    /// Congestion controls of --kernel to run; bbr, cubic and reno unless given.
    // Clap asks for no option that conflicts with a given one.
    #[arg(
        long,
        value_name = "LAW",
        value_delimiter = ',',
        requires = "kernel",
        conflicts_with = "tcp"
    )]
    laws: Vec<String>,

    /// Length of a run of --kernel or --tcp, in seconds; 25 unless given. A scenario says its own.
    #[arg(long, value_name = "N", requires = REAL, conflicts_with = "scenarios",
        value_parser = clap::value_parser!(u32).range(2..=3600))]
    seconds: Option<u32>,

    /// Attempts of a run of --kernel or --tcp until the relay was in time.
    #[arg(long, value_name = "N", requires = REAL, default_value = "3")]
    tries: NonZeroUsize,

    /// Runs of --kernel or --tcp at once. A full path takes half a core.
    #[arg(long, value_name = "N", requires = REAL, default_value = "1")]
    jobs: NonZeroUsize,

    /// Folder for a capture of each run of --kernel or --tcp, as of skywave impair --capture.
    #[arg(long, value_name = "FOLDER", requires = REAL)]
    captures: Option<PathBuf>,

    /// Print the table of --kernel or --tcp as bench/peers/sets/kernel/reference.csv has it, a line as soon as it
    /// is measured.
    #[arg(long, requires = REAL, conflicts_with_all = ["json", "scenarios"])]
    csv: bool,
}

impl KernelArgs {
    /// File for the capture of a run, if one is wanted: of a sender over something with a seed.
    #[cfg(target_os = "linux")]
    fn capture(&self, over: &str, sender: &str, seed: u64) -> Option<PathBuf> {
        let name = plain_name(&format!("{over} {sender} {seed}"));
        Some(self.captures.as_ref()?.join(name + ".pcapng"))
    }

    /// Whether the user asks for a comparison of TCP senders, by `--kernel` or `--tcp`.
    pub(super) fn is_asked_for(&self) -> bool {
        self.kernel || !self.tcp.is_empty()
    }
}

/// Advice that may make the relay punctual, for root and for others.
#[cfg(target_os = "linux")]
fn what_helps() -> &'static str {
    if is_root() {
        "a busy host is busy for root too"
    } else {
        "root gives the relay a priority before other programs; a busy host is busy for root too"
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn main(_: &Args) -> Result<(), Failure> {
    Err(Failure::failed("--kernel needs Linux"))
}

#[cfg(target_os = "linux")]
pub(super) fn main(args: &Args) -> Result<(), Failure> {
    use std::io::{self, Write};

    use skywave_lab::experiment::Progress;

    use crate::interrupt;
    use crate::progress::Bar;
    use plan::Plan;

    if let Some(folder) = &args.kernel.captures {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, error))?;
    }
    if !args.scenarios.is_empty() {
        return scenario::main(args);
    }
    let stop = interrupt::flag();
    let mut rows = row::rows(args)?;
    if args.kernel.kernel {
        let offered = real::offered(rows.iter().map(|row| row.law.as_str()).collect())?;
        rows.retain(|row| offered.contains(&row.law));
    }
    if args.kernel.csv {
        writeln!(io::stdout().lock(), "{}", row::COLUMNS)?;
    } else {
        row::simulate(&mut rows, stop)?;
    }
    let mut plans = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        for seed in 1..=row.count as u64 {
            let capture = args.kernel.capture(&row.path.to_string(), &row.law, seed);
            let plan = row.plan(seed)?;
            plans.push((at, Plan { capture, ..plan }));
        }
    }
    let progress = |done| Progress {
        done,
        reused: 0,
        total: plans.len(),
    };
    let bar = Bar::new("gap");
    bar.show(progress(0));
    let (mut done, mut shown) = (0, 0);
    real::each(&plans, &args.kernel, stop, |at, run| {
        rows[at].take(run);
        done += 1;
        bar.show(progress(done));
        let mut out = io::stdout().lock();
        while let Some(row) = rows.get(shown).filter(|row| row.is_complete()) {
            if args.kernel.csv {
                writeln!(out, "{}", row.csv())?;
            } else if args.json {
                writeln!(out, "{}", row.object())?;
            }
            shown += 1;
        }
        Ok(out.flush()?)
    })?;
    drop(bar);
    if !args.kernel.csv && !args.json {
        write!(io::stdout().lock(), "{}", row::table(&rows))?;
    }
    faithful(rows.iter().flat_map(|row| &row.runs))
}

/// Fails if the relay was not in time for some of the runs.
#[cfg(target_os = "linux")]
fn faithful<'a>(runs: impl Iterator<Item = &'a real::Run>) -> Result<(), Failure> {
    let reasons: Vec<&String> = runs.filter_map(|run| run.unfaithful.as_ref()).collect();
    let Some(reason) = reasons.first() else {
        return Ok(());
    };
    let were = if reasons.len() == 1 { "was" } else { "were" };
    Err(Failure::failed(format!(
        "{} {were} not over the path that was asked for: {reason} ({})",
        counted(reasons.len(), "run"),
        what_helps()
    )))
}
