//! Running ns-2 here, where it is installed, at a point of the user's choice.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use skywave_core::rng::Stream;

use super::model::Live;
use super::table::Cells;
use super::{Quantity, Row, Set, SetError};
use skywave_lab::experiment::stats::Estimate;
use skywave_lab::report::number::fixed;
use skywave_lab::threads::{self, NoThreads};

/// Reason why ns-2 was not run for a comparison, or gave no numbers.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// A set whose reference numbers are not ns-2's: its name, and the simulator that they are of.
    #[error("`{0}` compares with {1}, which --live does not run")]
    NotNs2(String, String),
    /// A setting was given that the points of the set do not have.
    #[error("a point of `{set}` has no `{name}`; it has {known}")]
    NoSetting {
        /// Name of the set.
        set: String,
        /// Name of the setting that was given.
        name: String,
        /// Names of the settings that the set's points have.
        known: String,
    },
    /// Settings from which no row of the set can be made.
    #[error(transparent)]
    Set(#[from] SetError),
    /// No `ns` program: ns-2 is not installed.
    #[error("there is no `ns` here: --live needs ns-2.35 (Debian and Ubuntu: apt install ns2)")]
    Missing,
    /// ns-2 could not be run.
    #[error("ns-2 could not be run: {0}")]
    Run(#[from] io::Error),
    /// Failure of ns-2 itself: it ended with an error, or did not print the quantities that are compared.
    #[error("ns-2 failed: {0}")]
    Failed(String),
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// Runs that were stopped by Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

/// Runs ns-2 on all cores, once for each seed, at one point: the default point in the file of `set` (a comparison with
/// ns-2), changed by `settings` (names and values). Returns a copy of `set`, named `live`, with this point as its only
/// row, and ns-2's numbers as the reference.
pub fn measure(
    set: &Set,
    settings: &[(String, String)],
    cancel: &AtomicBool,
) -> Result<Set, LiveError> {
    let live = live(set)?;
    let mut cells = Cells::empty("--at");
    for (name, value) in &live.point {
        let text = value.as_str().map(str::to_owned);
        cells.set(name, text.unwrap_or_else(|| value.to_string()));
    }
    for (name, text) in settings {
        if !cells.has(name) && !set.terms.variables.contains_key(name) {
            let known = live.point.keys().chain(set.terms.variables.keys());
            return Err(LiveError::NoSetting {
                set: set.name.clone(),
                name: name.clone(),
                known: known.map(String::as_str).collect::<Vec<_>>().join(", "),
            });
        }
        cells.set(name, text.clone());
    }
    let mut row = set.making(|maker| maker.row(maker.complete(cells)?))?;
    for (name, text) in settings {
        if !row.labels.iter().any(|(label, _)| label == name) {
            row.labels.push((name.clone(), text.clone()));
        }
    }
    let quantities = set.terms.quantity.iter().map(|measured| measured.name);
    let runs = Script::of(set)?.runs(set, &row, &quantities.clone().collect::<Vec<_>>(), cancel)?;
    row.reference = estimates(&runs, quantities);
    let mut set = set.clone();
    "live".clone_into(&mut set.name);
    "ns-2 run here".clone_into(&mut set.terms.title);
    set.terms.required = set.terms.required.map(|_| 1.0);
    set.terms.note = format!("Goodputs of ns-2's runs, Mb/s: {}", goodputs(&runs));
    set.rows = vec![row];
    Ok(set)
}

/// Runs ns-2 on all cores for each row of `set`, and returns a copy of the set with the new numbers as the reference,
/// in place of those of its table.
pub fn repeat(set: &Set, cancel: &AtomicBool) -> Result<Set, LiveError> {
    let script = Script::of(set)?;
    let mut repeated = set.clone();
    for row in &mut repeated.rows {
        let expected: Vec<Quantity> = row.reference.iter().map(|&(q, _)| q).collect();
        let runs = script.runs(set, row, &expected, cancel)?;
        row.reference = estimates(&runs, expected.into_iter());
    }
    Ok(repeated)
}

/// How ns-2 runs the rows of a set.
fn live(set: &Set) -> Result<&Live, LiveError> {
    let other = || LiveError::NotNs2(set.name.clone(), set.terms.peer.clone());
    set.terms.live.as_ref().ok_or_else(other)
}

fn estimates(runs: &[Run], expected: impl Iterator<Item = Quantity>) -> Vec<(Quantity, Estimate)> {
    let of = |quantity: Quantity| {
        let values = runs.iter().filter_map(|run| run.get(quantity.name()));
        let samples: Vec<f64> = values.copied().collect();
        Some((quantity, Estimate::of(&samples)?))
    };
    expected.filter_map(of).collect()
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

/// One run's numbers by name.
type Run = BTreeMap<String, f64>;

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
    /// Script of `set` in a file.
    fn of(set: &Set) -> Result<Self, LiveError> {
        let text = set.place.text(&live(set)?.script).map_err(SetError::from)?;
        Ok(Self::write(&text)?)
    }

    fn write(text: &str) -> io::Result<Self> {
        let name = format!("skywave-ns2-{}.tcl", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut options = std::fs::OpenOptions::new();
        // Never follow or overwrite what somebody else has put there.
        let mut file = options.write(true).create_new(true).open(&path)?;
        let script = Self { path };
        file.write_all(text.as_bytes())?;
        Ok(script)
    }

    /// The runs of ns-2 at a row of `set`, one a seed, which have all the `expected` quantities.
    fn runs(
        &self,
        set: &Set,
        row: &Row,
        expected: &[Quantity],
        cancel: &AtomicBool,
    ) -> Result<Vec<Run>, LiveError> {
        let arguments = &live(set)?.arguments;
        let arguments = set.making(|maker| maker.arguments(arguments, &row.cells))?;
        threads::each(None, set.seeds.len(), |index| {
            if cancel.load(Ordering::Relaxed) {
                return Err(LiveError::Interrupted);
            }
            // Ctrl-C reaches ns-2 too: that it said nothing is then no failure of its own.
            one(self, &arguments, expected, index as u64 + 1).map_err(|error| {
                if cancel.load(Ordering::Relaxed) {
                    LiveError::Interrupted
                } else {
                    error
                }
            })
        })
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        // Best effort: a leftover does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}
