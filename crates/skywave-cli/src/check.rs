//! `skywave check`: is a scenario file right?

use std::io::{self, Write};
use std::path::PathBuf;

use skywave_lab::scenario::Scenario;

use crate::failure::Failure;

/// Check scenario files without running them.
///
/// Says what each would simulate; a mistake is shown at its place with what was expected. All
/// points of a sweep are checked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  skywave check experiments/cerl/*.toml")]
pub(crate) struct Args {
    /// Scenario files (TOML).
    #[arg(required = true)]
    scenarios: Vec<PathBuf>,
}

pub(crate) fn main(args: &Args) -> Result<(), Failure> {
    let mut last_wrong = None;
    for path in &args.scenarios {
        match Scenario::load(path) {
            Ok(scenario) => writeln!(
                io::stdout(),
                "{}: {} runs ({} points, {} seeds)",
                path.display(),
                scenario.runs(),
                scenario.points().len(),
                scenario.seeds().len(),
            )?,
            Err(error) => {
                // All are shown, the last one by `main`.
                if let Some(before) = last_wrong.replace(Failure::Scenario(error)) {
                    before.report();
                }
            }
        }
    }
    last_wrong.map_or(Ok(()), Err)
}
