//! The lock of a run directory: one process at a time runs into it, or writes its report.
//!
//! Reports are written under the lock too: two processes with one directory take turns.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::Error;

const LOCK: &str = ".lock";

/// A directory that is its holder's alone until this is dropped.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Lock {
    /// Takes the directory. A file system that cannot lock is trusted.
    pub(super) fn acquire(dir: &Path) -> Result<Self, Error> {
        let (path, file) = open(dir).map_err(|(path, source)| Error::Io { path, source })?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(Error::Busy(dir.to_owned())),
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                Ok(Self(file))
            }
            Err(TryLockError::Error(source)) => Err(Error::Io { path, source }),
        }
    }

    /// Takes the directory when no other process has it any more.
    #[cfg(feature = "parquet")]
    pub(crate) fn wait(dir: &Path) -> Result<Self, (PathBuf, io::Error)> {
        let (path, file) = open(dir)?;
        match file.lock() {
            Err(error) if error.kind() != ErrorKind::Unsupported => Err((path, error)),
            _ => Ok(Self(file)),
        }
    }
}

/// Opens the file that is locked. What a link leads to is another file, which is no business of ours; and
/// nothing is ever written into it.
fn open(dir: &Path) -> Result<(PathBuf, File), (PathBuf, io::Error)> {
    let path = dir.join(LOCK);
    if path.is_symlink() {
        let why = "it is a symbolic link; expected a file, or none";
        return Err((path, io::Error::new(ErrorKind::InvalidInput, why)));
    }
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path);
    match file {
        Ok(file) => Ok((path, file)),
        Err(error) => Err((path, error)),
    }
}

impl Drop for Lock {
    /// To close the file would not be enough: a process that another thread starts at this moment holds a
    /// copy of it until it becomes its program, and the lock with it.
    fn drop(&mut self) {
        // Best effort: it is closed next.
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_lock_in_a_process_that_starts_does_not_hold_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        let lock = Lock::acquire(dir.path()).unwrap();
        assert!(matches!(Lock::acquire(dir.path()), Err(Error::Busy(_))));
        let copy = lock.0.try_clone().unwrap();
        drop(lock);
        assert!(Lock::acquire(dir.path()).is_ok());
        drop(copy);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_the_lock_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let precious = dir.path().join("precious");
        std::fs::write(&precious, "precious").unwrap();
        std::os::unix::fs::symlink(&precious, dir.path().join(LOCK)).unwrap();
        let error = Lock::acquire(dir.path()).unwrap_err().to_string();
        assert!(
            error.ends_with(".lock: it is a symbolic link; expected a file, or none"),
            "{error}"
        );
        assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
        // Nor is a file emptied that is a lock by its name alone.
        std::fs::remove_file(dir.path().join(LOCK)).unwrap();
        std::fs::write(dir.path().join(LOCK), "mine").unwrap();
        drop(Lock::acquire(dir.path()).unwrap());
        assert_eq!(std::fs::read(dir.path().join(LOCK)).unwrap(), b"mine");
    }
}
