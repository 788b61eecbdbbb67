//! Files and folders below a folder. Symbolic links on the way are not followed: whoever put them there,
//! nothing is written elsewhere.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, mkdirat, openat, statat};
use rustix::io::Errno;

use crate::name::RelativePath;

/// What has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum There {
    Nothing,
    /// A file of so many bytes.
    File(u64),
    /// A folder, a link or the like.
    Other,
}

/// A name in a folder that is open.
pub(crate) struct Place {
    pub(crate) folder: OwnedFd,
    pub(crate) name: String,
}

fn enter(folder: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::empty())?)
}

/// Enters a folder; makes it first if it is not there.
fn make(folder: &OwnedFd, name: &str) -> io::Result<OwnedFd> {
    match mkdirat(folder, name, Mode::from_raw_mode(0o777)) {
        Ok(()) | Err(Errno::EXIST) => enter(folder, name),
        Err(error) => Err(error.into()),
    }
}

/// Makes the folder of this path, and those that it is in.
pub(crate) fn make_folder(root: &OwnedFd, path: &RelativePath) -> io::Result<()> {
    Place::open(root, path)
        .and_then(|place| make(&place.folder, &place.name))
        .map(drop)
}

impl Place {
    /// The place of this path; the folders that it is in are made.
    pub(crate) fn open(root: &OwnedFd, path: &RelativePath) -> io::Result<Self> {
        let (folders, name) = path.split();
        let mut folder = root.try_clone()?;
        for name in folders {
            folder = make(&folder, name)?;
        }
        Ok(Self {
            folder,
            name: name.to_owned(),
        })
    }

    /// What is there.
    pub(crate) fn look(&self) -> io::Result<There> {
        match statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::RegularFile => {
                Ok(There::File(found.st_size as u64))
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

    use super::*;

    #[test]
    fn links_lead_nowhere() {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(outside.path(), dir.path().join("link")).unwrap();
        let root = OwnedFd::from(File::open(dir.path()).unwrap());
        let open = |path| Place::open(&root, &RelativePath::parse(path).unwrap());
        assert!(open("link/a").is_err());
        assert!(make_folder(&root, &RelativePath::parse("link").unwrap()).is_err());
        fs::write(outside.path().join("secret"), "x").unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), dir.path().join("file")).unwrap();
        let place = open("file").unwrap();
        assert_eq!(place.look().unwrap(), There::Other);
        assert!(place.read().is_err());
        open("a/b/c").unwrap();
        assert!(dir.path().join("a/b").is_dir());
    }
}
