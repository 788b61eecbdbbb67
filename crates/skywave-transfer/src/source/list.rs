//! The files that are named, and those in folders that are named.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Exclude, Pipe, Regular};
use crate::error::Why;
use crate::path::RelativePath;
use crate::wire::message::{Kind, Offer, SMALL, Time};

/// File, folder or pipe to send, with its path at the receiver. There may be many: an item takes little memory.
#[derive(Clone, Debug)]
pub struct Item {
    place: Arc<Place>,
    /// Where its name is among those of the place; nothing if it is at the place itself.
    name: Option<Name>,
    pub(crate) contents: Contents,
}

/// Part of the names of a place.
#[derive(Clone, Copy, Debug)]
struct Name {
    at: u32,
    len: u16,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Item>() <= 56);

/// A folder, or something that was named.
#[derive(Debug)]
struct Place {
    source: PathBuf,
    path: RelativePath,
    /// Permissions of the folders to here: those that it is in, and itself if it is one.
    modes: Vec<u16>,
    /// The names of files in it, one after the other.
    names: Vec<u8>,
}

impl Place {
    fn new(source: PathBuf, path: RelativePath, modes: Vec<u16>) -> Self {
        Self {
            source,
            path,
            modes,
            names: Vec::new(),
        }
    }

    /// Adds a name.
    fn add(&mut self, name: &OsStr) -> Option<Name> {
        let at = u32::try_from(self.names.len()).ok()?;
        let len = u16::try_from(name.len()).ok()?;
        self.names.extend_from_slice(name.as_bytes());
        Some(Name { at, len })
    }

    fn name(&self, name: Name) -> &OsStr {
        let at = name.at as usize;
        OsStr::from_bytes(&self.names[at..at + usize::from(name.len)])
    }
}

/// Contents of an item.
#[derive(Clone, Debug)]
pub(crate) enum Contents {
    File(Regular),
    Folder,
    Pipe(Box<Pipe>),
}

impl Item {
    /// Item for the contents of a pipe, which the receiver gets as a file of this name.
    pub fn pipe(name: RelativePath, pipe: Pipe) -> Self {
        Self::at(
            PathBuf::new(),
            name,
            Vec::new(),
            Contents::Pipe(Box::new(pipe)),
        )
    }

    fn at(source: PathBuf, path: RelativePath, modes: Vec<u16>, contents: Contents) -> Self {
        Self {
            place: Arc::new(Place::new(source, path, modes)),
            name: None,
            contents,
        }
    }

    /// Path of the item below the receiver's folder.
    pub fn path(&self) -> RelativePath {
        let path = &self.place.path;
        let below = self.name.map(|name| path.join(self.place.name(name)));
        // It was joined before, when it was found.
        below.and_then(Result::ok).unwrap_or_else(|| path.clone())
    }

    /// Place of the item on this host.
    pub(crate) fn source(&self) -> PathBuf {
        match self.name {
            Some(name) => self.place.source.join(self.place.name(name)),
            None => self.place.source.clone(),
        }
    }

    /// Size in bytes: 0 for a folder, `None` for a pipe.
    pub fn size(&self) -> Option<u64> {
        match &self.contents {
            Contents::File(file) => Some(file.size),
            Contents::Folder => Some(0),
            Contents::Pipe(_) => None,
        }
    }

    /// Whether the item is a folder.
    pub fn is_folder(&self) -> bool {
        matches!(self.contents, Contents::Folder)
    }

    /// Whether the item is small, so that it goes with others.
    pub(crate) fn is_small(&self) -> bool {
        self.size().is_some_and(|size| size <= SMALL)
    }

    /// Bytes that its offer may need at most.
    pub(crate) fn longest_offer(&self) -> usize {
        let name = self.name.map_or(0, |name| 1 + usize::from(name.len));
        let path = self.place.path.as_bytes().len() + name;
        // Numbers: two lengths, the kind, the size, the time and the mode; and three bytes for each folder's.
        path + 40 + 3 * self.place.modes.len()
    }

    pub(crate) fn offer(&self) -> Offer {
        let modes = &self.place.modes;
        let (kind, modified, mode, folders) = match &self.contents {
            Contents::File(file) => (Kind::File, file.modified(), file.mode & 0o777, &modes[..]),
            Contents::Folder => {
                let (own, folders) = modes.split_last().unwrap_or((&0o777, &[]));
                (Kind::Folder, Time::default(), u32::from(*own), folders)
            }
            Contents::Pipe(pipe) => (Kind::File, pipe.opened, 0o666, &[][..]),
        };
        Offer {
            path: self.path().as_bytes().to_owned(),
            kind,
            size: self.size(),
            modified,
            mode,
            folders: folders.to_owned(),
        }
    }
}

/// Lists the items to send for `path`, a file or a folder with all that is in it, under its own name or under `name`.
/// Links in a folder are not followed, so that nothing from elsewhere is sent. Names that `exclude` matches are left
/// out silently; `skipped` is called with the path of anything else in a folder that cannot be sent, and the reason.
///
/// # Errors
/// When `path` does not exist, cannot be read, or is neither a file nor a folder; when its name is missing or one that
/// no receiver takes.
pub fn list(
    path: &Path,
    name: Option<&OsStr>,
    exclude: &Exclude,
    skipped: &mut dyn FnMut(PathBuf, Why),
) -> Result<Vec<Item>, Why> {
    // `.` and `..` have names, too.
    let full = || fs::canonicalize(path).ok();
    let full = path.file_name().is_none().then(full).flatten();
    let own = full.as_deref().unwrap_or(path).file_name();
    let name = name
        .or(own)
        .ok_or_else(|| Why::Source("it has no name: give one with --name".to_owned()))?;
    let name =
        RelativePath::parse(name.as_bytes()).map_err(|error| Why::Source(error.to_string()))?;
    let found = fs::metadata(path)?;
    let (source, mut items) = (path.to_owned(), Vec::new());
    if found.is_dir() {
        let modes = vec![(found.mode() & 0o777) as u16];
        walk(
            Place::new(source, name, modes),
            exclude,
            &mut items,
            skipped,
        )?;
    } else {
        let contents = Contents::File(Regular::find(path)?);
        items.push(Item::at(source, name, Vec::new(), contents));
    }
    Ok(items)
}

fn walk(
    mut place: Place,
    exclude: &Exclude,
    items: &mut Vec<Item>,
    skipped: &mut dyn FnMut(PathBuf, Why),
) -> Result<(), Why> {
    let mut entries = fs::read_dir(&place.source)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in entries {
        let name = entry.file_name();
        if exclude.matches(&place.path, &name) {
            continue;
        }
        let path = place.path.join(&name);
        let path = path.map_err(|error| Why::Source(error.to_string()));
        let found = path.and_then(|path| Ok((path, entry.metadata()?)));
        let result = match found {
            Ok((path, found)) if found.is_dir() => {
                let modes = [&place.modes[..], &[(found.mode() & 0o777) as u16]].concat();
                folders.push(Place::new(entry.path(), path, modes));
                Ok(())
            }
            Ok((_, found)) => Regular::of(&found)
                .map(|file| files.extend(place.add(&name).map(|name| (name, file)))),
            Err(why) => Err(why),
        };
        if let Err(why) = result {
            skipped(entry.path(), why);
        }
    }
    place.names.shrink_to_fit();
    let place = Arc::new(place);
    let item = |name, contents| Item {
        place: place.clone(),
        name,
        contents,
    };
    // The folder itself: it may be empty.
    items.push(item(None, Contents::Folder));
    let files = files.into_iter();
    items.extend(files.map(|(name, file)| item(Some(name), Contents::File(file))));
    for folder in folders {
        let source = folder.source.clone();
        if let Err(why) = walk(folder, exclude, items, skipped) {
            skipped(source, why);
        }
    }
    Ok(())
}
