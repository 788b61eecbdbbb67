//! The files that are named, and those in folders that are named.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Pipe, Regular};
use crate::error::Why;
use crate::name::RelativePath;
use crate::wire::message::{Kind, Offer, Time};

/// Something that is sent.
#[derive(Clone, Debug)]
pub struct Item {
    pub(crate) path: RelativePath,
    pub(crate) contents: Contents,
}

/// What is in it.
#[derive(Clone, Debug)]
pub(crate) enum Contents {
    File(Regular),
    Folder,
    Pipe(Pipe),
}

impl Item {
    /// What comes out of a pipe, under this name.
    pub fn pipe(name: RelativePath, pipe: Pipe) -> Self {
        Self {
            path: name,
            contents: Contents::Pipe(pipe),
        }
    }

    /// Its path at the receiver.
    pub fn path(&self) -> &RelativePath {
        &self.path
    }

    /// Its size in bytes, as far as it is known.
    pub fn size(&self) -> Option<u64> {
        match &self.contents {
            Contents::File(file) => Some(file.size),
            Contents::Folder => Some(0),
            Contents::Pipe(_) => None,
        }
    }

    /// It is a folder.
    pub fn is_folder(&self) -> bool {
        matches!(self.contents, Contents::Folder)
    }

    pub(crate) fn offer(&self) -> Offer {
        let (kind, modified, mode) = match &self.contents {
            Contents::File(file) => (Kind::File, file.modified, file.mode & 0o777),
            Contents::Folder => (
                Kind::Folder,
                Time {
                    seconds: 0,
                    nanoseconds: 0,
                },
                0o777,
            ),
            Contents::Pipe(pipe) => (Kind::File, pipe.opened, 0o666),
        };
        Offer {
            path: self.path.as_str().to_owned(),
            kind,
            size: self.size(),
            modified,
            mode,
        }
    }
}

/// What is sent when this path is named, which may be a folder's: files under the name that it has, or
/// under another one. Links in a folder are not followed, so that nothing from elsewhere is sent. What is
/// not sent is told of.
///
/// # Errors
/// When it is not there, cannot be read, or has no name that can be told.
pub fn list(
    path: &Path,
    name: Option<&str>,
    skipped: &mut dyn FnMut(PathBuf, Why),
) -> Result<Vec<Item>, Why> {
    let own = || {
        // `.` and `..` have names, too.
        let full = fs::canonicalize(path).ok()?;
        Some(full.file_name()?.to_str()?.to_owned())
    };
    let own_name = path
        .file_name()
        .and_then(|name| name.to_str())
        .map(str::to_owned);
    let name = name.map(str::to_owned).or(own_name).or_else(own);
    let name =
        name.ok_or_else(|| Why::Source("its name is no text: give one with --name".to_owned()))?;
    let name = RelativePath::parse(&name).map_err(|error| Why::Source(error.to_string()))?;
    let mut items = Vec::new();
    if fs::metadata(path)?.is_dir() {
        walk(path, &name, &mut items, skipped)?;
    } else {
        let contents = Contents::File(Regular::find(path)?);
        items.push(Item {
            path: name,
            contents,
        });
    }
    Ok(items)
}

fn walk(
    dir: &Path,
    name: &RelativePath,
    items: &mut Vec<Item>,
    skipped: &mut dyn FnMut(PathBuf, Why),
) -> Result<(), Why> {
    let mut entries = fs::read_dir(dir)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    // The folder itself: it may be empty.
    items.push(Item {
        path: name.clone(),
        contents: Contents::Folder,
    });
    for entry in entries {
        let path = entry.path();
        let below = entry
            .file_name()
            .to_str()
            .map(|own| format!("{name}/{own}"));
        let below = below.and_then(|path| RelativePath::parse(&path).ok());
        let result = match (entry.metadata(), below) {
            (Err(error), _) => Err(error.into()),
            (_, None) => Err(Why::Source("its name cannot be told".to_owned())),
            (Ok(found), Some(below)) if found.is_dir() => walk(&path, &below, items, skipped),
            (Ok(found), Some(below)) if found.is_file() => Regular::find(&path).map(|file| {
                items.push(Item {
                    path: below,
                    contents: Contents::File(file),
                });
            }),
            _ => Err(Why::Special),
        };
        if let Err(why) = result {
            skipped(path, why);
        }
    }
    Ok(())
}
