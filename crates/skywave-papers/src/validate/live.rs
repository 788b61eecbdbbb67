//! Running ns-2 here, where it is installed, at a point of the user's choice.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use skywave_core::rng::Stream;

use super::case::Path;
use super::{Case, NS2, Quantity, Row, Set, Terms};
use skywave_lab::experiment::stats::Estimate;
use skywave_lab::report::number::fixed;
use skywave_lab::threads::{self, NoThreads};
use skywave_scenario::{NoFiles, Scenario, ScenarioError};

/// Our script for ns-2.
const SCRIPT: &str = include_str!("../../../../bench/peers/ns2/path.tcl");

/// Why ns-2 could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// No agent has this name.
    #[error("there is no agent `{0}`; there are {names}", names = names())]
    UnknownAgent(String),
    /// A set's numbers are not ns-2's.
    #[error("`{0}` compares with {1}, which --live does not run")]
    NotNs2(String, &'static str),
    /// The point is no valid scenario.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// ns-2 is not installed.
    #[error("there is no `ns` here: --live needs ns-2.35 (Debian and Ubuntu: apt install ns2)")]
    Missing,
    /// ns-2 could not be run.
    #[error("ns-2 could not be run: {0}")]
    Run(#[from] io::Error),
    /// ns-2 ended with an error, or said nothing of use.
    #[error("ns-2 failed: {0}")]
    Failed(String),
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

fn names() -> String {
    super::Agent::names().collect::<Vec<_>>().join(", ")
}

/// Runs ns-2 at `case` with `seeds` seeds on all cores, and makes a set of the one row.
pub fn measure(case: &Case, seeds: u64, cancel: &AtomicBool) -> Result<Set, LiveError> {
    let (expected, decisive) = quantities(case);
    let runs = runs(&Script::write()?, case, expected, seeds, cancel)?;
    let row = Row {
        labels: vec![("agent", case.agent.name.to_owned())],
        case: case.clone(),
        reference: estimates(&runs, expected),
    };
    let terms = Terms {
        title: "ns-2 run here",
        peer: NS2,
        required: case.agent.comparable.then_some(1.0),
        decisive,
        goodput_tolerance: None,
        note: format!("Goodputs of ns-2's runs, Mb/s: {}", goodputs(&runs)),
    };
    Ok(Set::new("live", terms, vec![row], seeds)?)
}

/// The rows of `set` with numbers that ns-2 gives here instead of those of the table.
pub fn repeat(set: &Set, cancel: &AtomicBool) -> Result<Set, LiveError> {
    if set.terms.peer != NS2 {
        return Err(LiveError::NotNs2(set.name.clone(), set.terms.peer));
    }
    let script = Script::write()?;
    let mut repeated = set.clone();
    for row in &mut repeated.rows {
        let expected: Vec<Quantity> = row.reference.iter().map(|&(q, _)| q).collect();
        let seeds = set.seeds.len() as u64;
        let runs = runs(&script, &row.case, &expected, seeds, cancel)?;
        row.reference = estimates(&runs, &expected);
    }
    Ok(repeated)
}

/// The runs of ns-2 at `case`.
fn runs(
    script: &Script,
    case: &Case,
    expected: &[Quantity],
    seeds: u64,
    cancel: &AtomicBool,
) -> Result<Vec<Run>, LiveError> {
    let scenario = Scenario::parse("live", &case.scenario(), &NoFiles)?;
    let arguments = case.ns_arguments(&scenario.points()[0].spec(1));
    all(script, &arguments, expected, seeds, cancel)
}

fn estimates(runs: &[Run], expected: &[Quantity]) -> Vec<(Quantity, Estimate)> {
    let of = |&quantity: &Quantity| {
        let values = runs.iter().filter_map(|run| run.get(quantity.name()));
        let samples: Vec<f64> = values.copied().collect();
        Some((quantity, Estimate::of(&samples)?))
    };
    expected.iter().filter_map(of).collect()
}

/// The goodputs of all runs, sorted: a mean would hide that there are two kinds of runs.
fn goodputs(runs: &[Run]) -> String {
    let values = runs
        .iter()
        .filter_map(|run| run.get(Quantity::Goodput.name()));
    let mut values: Vec<f64> = values.copied().collect();
    values.sort_by(f64::total_cmp);
    let words: Vec<String> = values.into_iter().map(|x| fixed(x, 3)).collect();
    words.join(" ")
}

/// The quantities of a case, and those of them that decide.
fn quantities(case: &Case) -> (&'static [Quantity], &'static [Quantity]) {
    match case.path {
        Path::Dcr(_) => (&Quantity::OF_DCR, &Quantity::OF_DCR),
        Path::Red(_) => (&Quantity::OF_RED, &Quantity::DECISIVE_OF_RED),
        _ => (&Quantity::OF_FLOWS, &Quantity::OF_FLOWS),
    }
}

/// One run's numbers by name.
type Run = BTreeMap<String, f64>;

fn all(
    script: &Script,
    arguments: &[String],
    expected: &[Quantity],
    seeds: u64,
    cancel: &AtomicBool,
) -> Result<Vec<Run>, LiveError> {
    threads::each(None, seeds as usize, |index| {
        if cancel.load(Ordering::Relaxed) {
            return Err(LiveError::Interrupted);
        }
        // Ctrl-C reaches ns-2 too: that it said nothing is then no failure of its own.
        one(script, arguments, expected, index as u64 + 1).map_err(|error| {
            if cancel.load(Ordering::Relaxed) {
                LiveError::Interrupted
            } else {
                error
            }
        })
    })
}

/// The seed of replication `number`: large and unrelated, for small seeds of ns-2 give correlated
/// streams (1 to 10 all lose the first packet at 1%).
fn ns_seed(number: u64) -> u64 {
    Stream::named(number, "ns-2", "seed").uniform_int(100_000_000, 2_000_000_000)
}

fn one(
    script: &Script,
    arguments: &[String],
    expected: &[Quantity],
    number: u64,
) -> Result<Run, LiveError> {
    let output = Command::new("ns")
        .arg(&script.path)
        .args(arguments)
        .args(["seed", &ns_seed(number).to_string()])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => LiveError::Missing,
            _ => LiveError::Run(error),
        })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let pair = |line: &str| {
        let (name, value) = line.split_once(' ')?;
        Some((name.to_owned(), value.trim().parse().ok()?))
    };
    let run: Run = text.lines().filter_map(pair).collect();
    let missing = expected.iter().find(|q| !run.contains_key(q.name()));
    if output.status.success() && missing.is_none() {
        return Ok(run);
    }
    if was_interrupted(output.status) {
        return Err(LiveError::Interrupted);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let reason = errors.lines().find(|line| !line.trim().is_empty());
    Err(LiveError::Failed(match (reason, missing) {
        (Some(reason), _) => reason.trim().to_owned(),
        (None, Some(quantity)) => format!("it printed no {}", quantity.name()),
        (None, None) => output.status.to_string(),
    }))
}

/// Whether Ctrl-C ended it. Our own handler may hear of it later.
#[cfg(unix)]
fn was_interrupted(status: ExitStatus) -> bool {
    const SIGINT: i32 = 2;
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(SIGINT)
}

#[cfg(not(unix))]
fn was_interrupted(_: ExitStatus) -> bool {
    false
}

/// The script in a file of its own, removed when it is no longer needed.
struct Script {
    path: std::path::PathBuf,
}

impl Script {
    fn write() -> io::Result<Self> {
        let name = format!("skywave-ns2-{}.tcl", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut options = std::fs::OpenOptions::new();
        // Never follow or overwrite what somebody else has put there.
        let mut file = options.write(true).create_new(true).open(&path)?;
        let script = Self { path };
        file.write_all(SCRIPT.as_bytes())?;
        Ok(script)
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        // Best effort: a leftover does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}
