//! Maps: where in a space of network paths the main gain of a paper is found.
//!
//! A paper's folder may have a folder `maps` with a `maps.toml`, which says whose gain over whom each map is about, and
//! the spaces that it names, scenarios with a `[search]`.

mod take;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde::Deserialize;
use skywave_lab::folder::Folder;
use skywave_scenario::{CustomMembers, Files, NoFiles, ScenarioError, Space};
use skywave_search::{Objective, SearchError};

use crate::embedded::PAPERS;
use crate::file::{FileError, from_toml, read_text};

pub use take::{Taken, Taking};

/// The folder of maps in a paper's folder, and the file in it that lists them.
const FOLDER: &str = "maps";
const LIST: &str = "maps.toml";

/// Reason why a paper's maps, which show where in a space of network paths a sender gains over another, cannot be read
/// or simulated.
#[derive(Debug, thiserror::Error)]
pub enum MapError {
    /// The list of maps cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The search space of a map cannot be read, or cannot have one of the map's senders.
    #[error("{0}")]
    Space(#[from] ScenarioError),
    /// The points of a map cannot be simulated.
    #[error("map `{name}`: {error}")]
    Search {
        /// Name of the map.
        name: String,
        /// Fault of the search.
        error: SearchError,
    },
    /// The list of maps names something that does not exist, such as an objective, or has a value out of its range.
    #[error("map `{name}`: {problem}")]
    Unknown {
        /// Name of the map.
        name: String,
        /// Mistake in words, with the names that do exist.
        problem: String,
    },
    /// No maps: the name of the paper or folder that has none.
    #[error("{0} has no maps: expected a folder `{FOLDER}` with a `{LIST}`")]
    None(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    map: Vec<MapModel>,
}

/// A map as its file describes it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MapModel {
    name: String,
    /// Statement that holds inside, in words.
    statement: String,
    /// The file of its space.
    space: String,
    flow: String,
    sender: String,
    /// The sender that it is compared with.
    over: String,
    objective: String,
    at_least: f64,
}

/// Map of a paper before its simulation: the question where in a space of network paths a sender gains over another.
pub struct PaperMap {
    model: MapModel,
    objective: Objective,
    file: String,
    text: String,
    files: Box<dyn Files + Sync>,
}

impl PaperMap {
    /// Name of the map.
    pub fn name(&self) -> &str {
        &self.model.name
    }

    /// The space with the sender, and with the one that it is compared with.
    fn spaces(&self) -> Result<Vec<Space<'_>>, ScenarioError> {
        let custom = CustomMembers::default();
        let name = &self.model.name;
        let space = Space::parse(name, &self.file, &self.text, &*self.files, &custom)?;
        let senders = [self.model.sender.clone(), self.model.over.clone()];
        space.with_senders(&self.model.flow, &senders)
    }
}

/// Reads the maps of the built-in paper of this name: each asks where in a space of network paths a sender gains over
/// another.
///
/// # Errors
/// The paper does not exist or has no maps.
pub fn load(paper: &str) -> Result<Vec<PaperMap>, MapError> {
    let found = PAPERS.iter().find(|one| one.name == paper);
    let files = found.map(|one| one.maps).unwrap_or_default();
    let text = |name: &str| {
        let found = files.iter().find(|(file, _)| *file == name);
        found.map(|(_, text)| (*text).to_owned())
    };
    let list = text(LIST).ok_or_else(|| MapError::None(format!("the paper `{paper}`")))?;
    read(
        &format!("experiments/{paper}/{FOLDER}"),
        &list,
        |name| {
            text(name).ok_or_else(|| {
                let known: Vec<&str> = files.iter().map(|(file, _)| *file).collect();
                let known = known.join(", ");
                format!("there is no space `{name}`; there are {known}")
            })
        },
        || Box::new(NoFiles),
    )
}

/// Reads the maps in a paper's folder, as its `maps/maps.toml` lists them.
///
/// # Errors
/// The folder has no maps, or a file of them cannot be read or used.
pub fn load_dir(folder: &Path) -> Result<Vec<PaperMap>, MapError> {
    let folder = folder.join(FOLDER);
    let list = folder.join(LIST);
    if !list.is_file() {
        return Err(MapError::None(folder.display().to_string()));
    }
    let text = read_text(&list)?;
    read(
        &folder.display().to_string(),
        &text,
        |name| {
            let path = folder.join(name);
            skywave_lab::folder::text(&path).map_err(|error| error.to_string())
        },
        || Box::new(Folder::new(&folder)),
    )
}

fn read(
    folder: &str,
    list: &str,
    space: impl Fn(&str) -> Result<String, String>,
    files: impl Fn() -> Box<dyn Files + Sync>,
) -> Result<Vec<PaperMap>, MapError> {
    let (_, list) = from_toml::<List>(&format!("{folder}/{LIST}"), list)?;
    let map = |model: MapModel| {
        let unknown = |problem: String| MapError::Unknown {
            name: model.name.clone(),
            problem,
        };
        let objective = Objective::named(&model.objective);
        let objective = objective.filter(|one| one.compares).ok_or_else(|| {
            let all = skywave_search::OBJECTIVES.iter().filter(|one| one.compares);
            let known: Vec<&str> = all.map(|one| one.name).collect();
            unknown(format!(
                "there is no objective `{}` that compares; there are {}",
                model.objective,
                known.join(", ")
            ))
        })?;
        if model.at_least.is_nan() || model.at_least <= 0.0 {
            return Err(unknown(
                "`at_least` must be a share above 0, such as 1.1".into(),
            ));
        }
        let map = PaperMap {
            file: format!("{folder}/{}", model.space),
            text: space(&model.space).map_err(&unknown)?,
            files: files(),
            objective: objective.anywhere(),
            model,
        };
        map.spaces()?;
        Ok(map)
    };
    list.map.into_iter().map(map).collect()
}
