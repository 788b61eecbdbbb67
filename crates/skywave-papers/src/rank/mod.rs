//! Ranking of compositions, and of mechanisms beside what they change: over paths, by goodput, fairness and delay.
//!
//! A [`Study`] is a TOML file that names paths (scenario files with one flow under test, and with
//! competitors for fairness) and compositions. [`load`] reads a file, [`builtin`] the study of the
//! papers' paths; [`run_all`](skywave_lab::experiment::run_all) simulates what is missing of its
//! scenarios, and [`evaluate`] turns the results into a [`Ranking`].

mod assemble;
mod compose;
mod embedded;
mod error;
mod frame;
mod grids;
mod html;
mod json;
mod markdown;
mod mechanisms;
mod model;
mod place;
mod ranking;
mod read;
mod samples;
mod study;
mod text;

use std::collections::BTreeMap;
use std::path::Path;

use crate::file::read_text;
use skywave_lab::experiment::{ENGINE, Results};
use skywave_scenario::Document;

use place::Place;

pub use compose::Entry;
pub use embedded::builtin;
pub use error::RankError;
pub use frame::write_ranking;
pub use html::html;
pub use json::json_lines;
pub use markdown::markdown;
pub use mechanisms::heat;
pub use model::{Delay, Kind, Order};
pub use ranking::{Beside, Contestant, OnPath, RankedPath, Ranking, Row, rank};
pub use samples::{PathSamples, Samples};
pub use study::{Flows, Refused, Runs, Study, StudyPath};
pub use text::table;

/// Reads the study at `path`; its name is the file's, or the folder's if that is `study.toml`.
pub fn load(path: &Path) -> Result<Study, RankError> {
    let text = read_text(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let stem = path.file_stem().unwrap_or_default();
    let name = match folder.file_name() {
        Some(name) if stem == "study" => name,
        _ => stem,
    };
    let file = path.display().to_string();
    if is_scenario(&text) {
        return Err(RankError::Study {
            file,
            message:
                "this is a scenario, which `skywave run` takes; a study names scenarios, each in a \
                      [[path]]"
                    .into(),
        });
    }
    read::read(
        &name.to_string_lossy(),
        &file,
        &text,
        &Place::Folder(folder),
    )
}

/// Whether a text is a study's, right or wrong, and not a scenario's.
pub fn is_study(text: &str) -> bool {
    has(text, "path", "run")
}

fn is_scenario(text: &str) -> bool {
    has(text, "run", "path")
}

/// Whether a text is TOML and has a key, and not another one.
fn has(text: &str, key: &str, other: &str) -> bool {
    Document::parse("file", text).is_ok_and(|file| file.has(key) && !file.has(other))
}

/// A study's ranking, and the numbers that it was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// For each path the samples of all compositions.
    pub samples: Vec<PathSamples>,
    /// How the compositions compare.
    pub ranking: Ranking,
}

/// Ranks the compositions by the results of the study's scenarios, by their names. Runs that are
/// missing are left out.
pub fn evaluate(study: &Study, results: &BTreeMap<String, Results>) -> Ranked {
    let none = |seeds| Results::empty(ENGINE, seeds, 0);
    let missing = study
        .scenarios
        .first()
        .map_or_else(|| none(&[]), |s| none(s.seeds()));
    let scenarios = study.scenarios.iter();
    let of_scenarios: Vec<&Results> = scenarios
        .map(|scenario| results.get(scenario.name()).unwrap_or(&missing))
        .collect();
    let paths = study.paths.iter();
    let samples: Vec<PathSamples> = paths
        .map(|path| PathSamples::of(path, &of_scenarios, study.delay))
        .collect();
    let entries = study.entries.iter();
    let contestants: Vec<Contestant> = entries.map(Contestant::of).collect();
    let ranking = rank(&samples, &contestants, study.order);
    Ranked { samples, ranking }
}

#[cfg(test)]
mod tests;
