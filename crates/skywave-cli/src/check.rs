//! `skywave check`: is a scenario file right, or a study?

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skywave_lab::scenario::Scenario;
use skywave_papers::rank;

use crate::failure::Failure;

/// Check scenario files without running them.
///
/// Says what each would simulate; a mistake is shown at its place with what was expected. All
/// points of a sweep are checked, and of a study for `skywave rank` all compositions on all paths.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  skywave check experiments/cerl/*.toml")]
pub(crate) struct Args {
    /// Scenario files (TOML), or studies.
    #[arg(required = true)]
    scenarios: Vec<PathBuf>,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let mut last_wrong = None;
    for path in &args.scenarios {
        match check(path) {
            Ok(found) => writeln!(io::stdout(), "{}: {found}", path.display())?,
            // All are shown, the last one by `main`.
            Err(failure) => {
                if let Some(before) = last_wrong.replace(failure) {
                    before.report();
                }
            }
        }
    }
    last_wrong.map_or(Ok(()), Err)
}

/// What a file would run.
fn check(path: &Path) -> Result<String, Failure> {
    if path.is_file() && fs::read_to_string(path).is_ok_and(|text| rank::is_study(&text)) {
        let study = rank::load(path)?;
        let runs: usize = study.scenarios.iter().map(Scenario::runs).sum();
        return Ok(format!(
            "{runs} runs (a study: {} compositions, {} paths)",
            study.entries.len(),
            study.paths.len(),
        ));
    }
    let scenario = skywave_lab::folder::load(path)?;
    Ok(format!(
        "{} runs ({} points, {} seeds)",
        scenario.runs(),
        scenario.points().len(),
        scenario.seeds().len(),
    ))
}
