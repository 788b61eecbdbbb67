//! `skywave check`: is a scenario file right, or a study, or a paper's claims?

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use skywave_lab::report::number::counted;
use skywave_lab::scenario::Scenario;
use skywave_papers::{claims, rank};

use crate::failure::Failure;
use crate::{forecast, output};

/// Check scenario files without running them.
///
/// Says what each would simulate, and roughly what that takes; a mistake is shown at its place with what was expected. All
/// points of a sweep are checked, and of a study for `skywave rank` all compositions on all paths.
/// Of a folder with claims.toml, or of that file, all claims and experiments are checked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    skywave check my-link.toml\n  \
    skywave check experiments/cerl/*.toml\n  \
    skywave check my-paper                     # its claims.toml and all its experiments")]
pub(crate) struct Args {
    /// Scenario files (TOML), studies, or folders of papers.
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

/// Describes the runs of a file.
fn check(path: &Path) -> Result<String, Failure> {
    if path.is_file() && fs::read_to_string(path).is_ok_and(|text| rank::is_study(&text)) {
        let study = rank::load(path)?;
        let runs: usize = study.scenarios.iter().map(Scenario::runs).sum();
        return Ok(format!(
            "{} (a study: {}, {})",
            counted(runs, "run"),
            counted(study.entries.len(), "composition"),
            counted(study.paths.len(), "path"),
        ));
    }
    if let Some(folder) = claims::folder_of(path) {
        if !claims::is_paper(&folder) {
            let why =
                "a folder without claims.toml is no paper; to check scenarios, name the files";
            let files = output::for_shell(&folder);
            return Err(Failure::file(
                &folder,
                format_args!("{why}: {files}/*.toml"),
            ));
        }
        let paper = claims::load_dir(&folder)?;
        return Ok(format!(
            "{} (a paper: {}, {})",
            counted(paper.runs(), "run"),
            counted(paper.claims(), "claim"),
            counted(paper.experiments().len(), "experiment"),
        ));
    }
    let scenario = skywave_lab::folder::load(path)?;
    output::warn(&scenario);
    let reaches = scenario.reaches().iter();
    let reaches = reaches.map(|(path, what)| format!("\n  {path} reaches {what}"));
    Ok(format!(
        "{} ({}, {}); {}{}",
        counted(scenario.runs(), "run"),
        counted(scenario.points().len(), "point"),
        counted(scenario.seeds().len(), "seed"),
        forecast::text(&scenario),
        reaches.collect::<String>(),
    ))
}
