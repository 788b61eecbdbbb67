//! Ranking of compositions, and of mechanisms beside what they change: over paths, by goodput, fairness and delay.
//!
//! A *composition* is a sender made of one policy for each task (loss detection, recovery, congestion control,
//! timeout). Some are *published* variants, such as CUBIC, against which the others are judged. A *mechanism* is
//! anything else that can be added to a scenario, such as a proxy, and is compared with its *base*, the same without
//! it.
//!
//! A [`Study`] is a TOML file that names paths (scenario files with one flow under test, and with competitors for
//! fairness) and compositions. [`load`] reads a file, [`builtin`] the study of the papers' paths;
//! [`run_all`](skywave_lab::experiment::run_all) simulates what is missing of its scenarios, and [`evaluate`] turns the
//! results into a [`Ranking`]. Where the paths of a study belong to families, [`Families`] sums the ranking up.

mod assemble;
mod compose;
mod embedded;
mod error;
mod families;
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
pub use families::{Families, Figures, Set, Spread, Standing, Together};
pub use frame::{write_ranking, write_ranking_csv};
pub use html::html;
pub use json::json_lines;
pub use markdown::markdown;
pub use model::{Delay, Kind, Order};
pub use ranking::{Beside, Contestant, OnPath, RankedPath, Ranking, Row, rank};
use samples::carried;
pub use samples::{PathSamples, Samples};
pub use study::{Family, Flows, Group, Refused, Runs, Study, StudyPath};
pub use text::table;

/// Reads the study at `path`; its name is the file's, or the folder's if the file is `study.toml`.
///
/// # Errors
/// When a file cannot be read, or is no study that can be used.
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

/// Whether `text` is the TOML of a study (it has `path` and no `run`), with or without mistakes, and not of a scenario.
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
    /// Numbers of the runs of all sender compositions ([`Entry`]) on each path, in the order of the study's paths.
    pub samples: Vec<PathSamples>,
    /// Ranking that follows from the samples.
    pub ranking: Ranking,
}

/// Ranks the sender compositions of a study ([`Study::entries`]) by `results`, which has the results of the study's
/// scenarios by the scenarios' names. Runs that are missing are left out.
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
        .map(|path| {
            let mut samples = PathSamples::of(path, &of_scenarios, study.delay);
            if path.family.is_some() {
                samples.carried = carried(path, &study.scenarios);
            }
            samples
        })
        .collect();
    let entries = study.entries.iter();
    let contestants: Vec<Contestant> = entries.map(Contestant::of).collect();
    let ranking = rank(&samples, &contestants, study.order);
    Ranked { samples, ranking }
}

/// Picture of a study's results as SVG: a heat map of sender compositions by paths or, if its paths belong to families
/// (kinds of paths that the study names), a curve for each sender of its shares of the best goodput over the paths.
pub fn picture(study: &Study, ranked: &Ranked) -> String {
    if study.has_families() {
        families::curve(study, ranked).to_svg()
    } else {
        mechanisms::heat(study, ranked).to_svg()
    }
}

#[cfg(test)]
mod tests;
