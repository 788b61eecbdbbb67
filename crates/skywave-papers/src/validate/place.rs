//! Where the files of a set are: in the program, or in a folder.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::file::{FileError, read_text};

/// The file of a set in its folder.
const FILE: &str = "set.toml";

/// The folder of the built-in sets, from `bench/peers`.
const SETS: &str = "sets";

/// Paths from `bench/peers` and texts of what the built-in sets consist of, which the build script lists.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/peers.rs"));

/// The folder of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Folder of the built-in set of this name.
    BuiltIn(String),
    /// Folder on the disk.
    Folder(PathBuf),
}

impl Place {
    /// The names of the built-in sets, in the order of the alphabet.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        FILES.iter().filter_map(|(path, _)| {
            let name = path.strip_prefix(SETS)?.strip_prefix('/')?;
            name.strip_suffix(FILE)?.strip_suffix('/')
        })
    }

    /// The text of `set.toml`, and what messages call it.
    pub(super) fn set(&self) -> Result<(String, String), FileError> {
        Ok((self.shown(FILE), self.text(FILE)?))
    }

    /// The text of the file at `path`, relative to the folder.
    pub(super) fn text(&self, path: &str) -> Result<String, FileError> {
        match self {
            Self::Folder(folder) => read_text(&folder.join(path)),
            Self::BuiltIn(name) => {
                let path = inside(name, path);
                let found = FILES.iter().find(|(file, _)| Path::new(file) == path);
                let missing = || FileError::at(&path)(ErrorKind::NotFound.into());
                Ok(found.ok_or_else(missing)?.1.to_owned())
            }
        }
    }

    /// Name of the file at `path` in messages: a path from the repository's root, or one of the user's.
    pub(super) fn shown(&self, path: &str) -> String {
        let path = match self {
            Self::Folder(folder) => folder.join(path),
            Self::BuiltIn(name) => Path::new("bench/peers").join(inside(name, path)),
        };
        path.display().to_string()
    }
}

/// The path from `bench/peers` of a file of the built-in set `name`, without `..`.
fn inside(name: &str, path: &str) -> PathBuf {
    let mut whole = Path::new(SETS).join(name);
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}
