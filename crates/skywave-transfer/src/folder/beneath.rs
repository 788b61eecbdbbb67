//! Files and folders below a folder. Symbolic links on the way are not followed: whoever put them there,
//! nothing is written elsewhere.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, mkdirat, openat, statat};
use rustix::io::Errno;

use crate::path::RelativePath;

/// Permissions of a folder of which nobody has told any.
const MODE: u16 = 0o777;

/// Thing that a name stands for, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum There {
    Nothing,
    /// A file of so many bytes.
    File(u64),
    Folder,
    /// A link or the like.
    Other,
}

/// A name in a folder that is open.
pub(crate) struct Place {
    pub(crate) folder: Arc<OwnedFd>,
    pub(crate) name: OsString,
}

/// Folders below a folder. The last one stays open, since the next file is often in it, too.
pub(crate) struct Folders<'a> {
    root: &'a Arc<OwnedFd>,
    last: Option<(Box<[u8]>, Arc<OwnedFd>)>,
    /// Is asked before a folder is made.
    may_make: &'a dyn Fn() -> io::Result<()>,
}

fn enter(folder: &OwnedFd, name: &OsStr) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(folder, name, flags, Mode::empty())
}

impl<'a> Folders<'a> {
    pub(crate) fn new(root: &'a Arc<OwnedFd>, may_make: &'a dyn Fn() -> io::Result<()>) -> Self {
        Self {
            root,
            last: None,
            may_make,
        }
    }

    /// Enters a folder; makes it first if it is not there, with at most these permissions. This host's user has to write
    /// into it.
    fn make(&self, folder: &OwnedFd, name: &OsStr, mode: u16) -> io::Result<OwnedFd> {
        match enter(folder, name) {
            Err(Errno::NOENT) => {}
            other => return Ok(other?),
        }
        (self.may_make)()?;
        let mode = Mode::from_raw_mode(u32::from(mode) & 0o777 | 0o700);
        match mkdirat(folder, name, mode) {
            Ok(()) | Err(Errno::EXIST) => Ok(enter(folder, name)?),
            Err(error) => Err(error.into()),
        }
    }

    /// The folder of this path; it and those that it is in are made, with these permissions from the outermost.
    fn open(&mut self, path: Option<&[u8]>, modes: &[u16]) -> io::Result<Arc<OwnedFd>> {
        let Some(path) = path else {
            return Ok(self.root.clone());
        };
        if let Some((_, folder)) = self.last.as_ref().filter(|(last, _)| **last == *path) {
            return Ok(folder.clone());
        }
        let mut folder = self.root.clone();
        for (depth, name) in path.split(|byte| *byte == b'/').enumerate() {
            let mode = modes.get(depth).copied().unwrap_or(MODE);
            folder = Arc::new(self.make(&folder, OsStr::from_bytes(name), mode)?);
        }
        self.last = Some((path.into(), folder.clone()));
        Ok(folder)
    }

    /// The place of this path; the folders that it is in are made.
    pub(crate) fn place(&mut self, path: &RelativePath, modes: &[u16]) -> io::Result<Place> {
        let (folder, name) = path.split();
        Ok(Place {
            folder: self.open(folder, modes)?,
            name: name.to_owned(),
        })
    }

    /// Makes the folder of this path.
    pub(crate) fn folder(&mut self, path: &RelativePath, modes: &[u16]) -> io::Result<()> {
        self.open(Some(path.as_bytes()), modes).map(drop)
    }

    /// Finds what is at a path; no folder is made.
    pub(crate) fn look(&mut self, path: &RelativePath) -> io::Result<(There, Option<Place>)> {
        let none = || Err(io::ErrorKind::NotFound.into());
        let looking = Folders {
            root: self.root,
            last: self.last.take(),
            may_make: &none,
        };
        let mut looking = looking;
        let place = looking.place(path, &[]);
        self.last = looking.last;
        match place {
            Ok(place) => Ok((place.look()?, Some(place))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((There::Nothing, None)),
            Err(error) => Err(error),
        }
    }
}

impl Place {
    /// Finds what is at the place.
    pub(crate) fn look(&self) -> io::Result<There> {
        match statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::RegularFile => {
                Ok(There::File(found.st_size as u64))
            }
            Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::Directory => {
                Ok(There::Folder)
            }
            Ok(_) => Ok(There::Other),
            Err(Errno::NOENT) => Ok(There::Nothing),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the file that is there.
    pub(crate) fn read(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(&self.folder, &self.name, flags, Mode::empty())?;
        Ok(File::from(file))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn links_lead_nowhere() {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(outside.path(), dir.path().join("link")).unwrap();
        let root = Arc::new(OwnedFd::from(File::open(dir.path()).unwrap()));
        let path = |path: &str| RelativePath::parse(path).unwrap();
        let may = || Ok(());
        let open = |text| Folders::new(&root, &may).place(&path(text), &[]);
        assert!(open("link/a").is_err());
        assert!(
            Folders::new(&root, &may)
                .folder(&path("link"), &[])
                .is_err()
        );
        assert!(Folders::new(&root, &may).look(&path("link/a")).is_err());
        fs::write(outside.path().join("secret"), "x").unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), dir.path().join("file")).unwrap();
        let place = open("file").unwrap();
        assert_eq!(place.look().unwrap(), There::Other);
        assert!(place.read().is_err());
        open("a/b/c").unwrap();
        assert!(dir.path().join("a/b").is_dir());
    }

    #[test]
    fn folders_are_made_once_and_as_told() {
        let dir = tempfile::tempdir().unwrap();
        let root = Arc::new(OwnedFd::from(File::open(dir.path()).unwrap()));
        let made = std::cell::Cell::new(0);
        let count = || {
            made.set(made.get() + 1);
            Ok(())
        };
        let mut folders = Folders::new(&root, &count);
        let path = |path: &str| RelativePath::parse(path).unwrap();
        assert_eq!(folders.look(&path("a/b/c")).unwrap().0, There::Nothing);
        assert!(!dir.path().join("a").exists());
        for name in ["a/b/c", "a/b/d", "a/e"] {
            folders.place(&path(name), &[0o500, 0o750]).unwrap();
        }
        assert_eq!(made.get(), 2);
        let mode = |name: &str| {
            let found = fs::metadata(dir.path().join(name)).unwrap();
            found.permissions().mode() & 0o777
        };
        // The umask may take away more.
        assert_eq!(mode("a"), 0o700);
        assert_eq!(mode("a/b") & !0o050, 0o700);
    }
}
