//! The scenario file that results come from: two of one name share a run directory.

use std::fs;
use std::path::{Component, Path, PathBuf};

use skywave_lab::experiment::Shards;
use skywave_lab::report::WriteError;

use crate::output;

/// The file in a run directory that has the path of the scenario, from there on: so that it says the same on
/// another machine.
const FILE: &str = ".scenario-path";

/// Where results come from, and where those before them came from.
#[derive(Debug)]
pub(crate) struct Origin {
    dir: PathBuf,
    /// As the user named it.
    named: PathBuf,
    /// Canonical path of `named`, one for every name that the file has.
    path: Option<PathBuf>,
    /// The other file, whose results are there.
    other: Option<PathBuf>,
}

impl Origin {
    /// Origin of results in `dir`: the scenario at `named`, whose text is `text`.
    pub(crate) fn of(named: &Path, dir: &Path, text: &str) -> Self {
        let path = named.canonicalize().ok();
        let before = before(dir);
        // A copy makes the same results.
        let is_same =
            || fs::read_to_string(dir.join(Shards::SCENARIO)).is_ok_and(|old| old == text);
        Self {
            dir: dir.to_owned(),
            named: named.to_owned(),
            other: before.filter(|before| Some(before) != path.as_ref() && !is_same()),
            path,
        }
    }

    /// The note for a user whose two scenario files of one name share this run directory.
    pub(crate) fn note(&self) -> Option<String> {
        let other = self.other.as_deref()?;
        Some(format!(
            "{} had the results of {}; report and tables are now those of {}, finished runs are kept of both \
             (--out keeps them apart)",
            self.dir.display(),
            from_here(other).display(),
            self.named.display()
        ))
    }

    /// Keeps the path beside the results. A path that is no text is not kept.
    pub(crate) fn write(&self) -> Result<(), WriteError> {
        let dir = self.dir.canonicalize().ok();
        let relative = self.path.as_deref().zip(dir);
        let relative = relative.map(|(path, dir)| relative_to(&dir, path));
        match relative.as_deref().and_then(Path::to_str) {
            Some(path) => output::write(&self.dir.join(FILE), path),
            None => Ok(()),
        }
    }
}

/// The scenario file that the results in a folder come from, if that is known.
pub(crate) fn before(dir: &Path) -> Option<PathBuf> {
    let before = fs::read_to_string(dir.join(FILE)).ok()?;
    Some(resolved(&dir.canonicalize().ok()?, &before))
}

/// The note for a user who runs `path`, the copy of a scenario in a run directory, instead of the scenario: what it names
/// is not beside the copy. `None` of any other file.
pub(crate) fn note_of_copy(path: &Path) -> Option<String> {
    let copy = path.canonicalize().ok()?;
    let scenario = before(copy.parent()?).filter(|scenario| *scenario != copy)?;
    (copy.file_name()? == Shards::SCENARIO && scenario.is_file()).then(|| {
        format!(
            "this is a copy of {}, and files that it names are beside that one",
            from_here(&scenario).display()
        )
    })
}

/// A path without links, from the current folder on if it is in there.
fn from_here(path: &Path) -> &Path {
    let here = std::env::current_dir().ok();
    here.and_then(|here| path.strip_prefix(here).ok())
        .unwrap_or(path)
}

/// The way from a folder to a file, both without `..` and links.
fn relative_to(dir: &Path, path: &Path) -> PathBuf {
    let both = dir.components().zip(path.components());
    let shared = both.take_while(|(a, b)| a == b).count();
    let up = dir.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(path.components().skip(shared)).collect()
}

/// Where that way leads, whether or not there is such a file.
fn resolved(dir: &Path, relative: &str) -> PathBuf {
    let mut path = dir.to_owned();
    for component in Path::new(relative).components() {
        match component {
            Component::ParentDir => drop(path.pop()),
            other => path.push(other),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_from_a_folder_leads_back() {
        for (dir, path, relative) in [
            ("/a/runs/x", "/a/x.toml", "../../x.toml"),
            ("/a/runs/x", "/a/runs/x/scenario.toml", "scenario.toml"),
            ("/a", "/b/c.toml", "../b/c.toml"),
        ] {
            let (dir, path) = (Path::new(dir), Path::new(path));
            let found = relative_to(dir, path);
            assert_eq!(found, Path::new(relative));
            assert_eq!(resolved(dir, relative), path);
        }
    }
}
