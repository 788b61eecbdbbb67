//! A file that is not complete, under a name of its own.

use std::fs::{File, FileTimes, Permissions, TryLockError};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, Mode, OFlags, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

use super::Stamp;
use super::beneath::Place;
use crate::hashing::Hashing;
use crate::wire::frame::is_zeros;
use crate::wire::message::Time;

/// Bytes that are not written if they are all zero, so that holes stay holes: file systems keep blocks.
const BLOCK: usize = 4096;

/// A partial file, which nobody else writes.
pub(crate) struct Partial {
    root: Arc<OwnedFd>,
    name: String,
    file: Arc<File>,
    have: u64,
}

impl Partial {
    /// Opens what there is under this name; nothing if somebody else is writing it. What others may do
    /// with the file is what they may do with the one that is offered, less what the umask forbids.
    /// `may_make` is asked before it is made.
    pub(crate) fn open(
        root: &Arc<OwnedFd>,
        name: &str,
        mode: u32,
        may_make: impl Fn() -> io::Result<()>,
    ) -> io::Result<Option<Self>> {
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode & 0o777 | 0o600);
        loop {
            let file = match openat(root, name, flags, mode) {
                Err(Errno::NOENT) => {
                    may_make()?;
                    openat(root, name, flags | OFlags::CREATE, mode)?
                }
                other => other?,
            };
            let file = File::from(file);
            if !file.metadata()?.is_file() {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            let partial = Self {
                root: root.clone(),
                name: name.to_owned(),
                file: Arc::new(file),
                have: 0,
            };
            // Whoever held the lock may have given the file its name meanwhile.
            if partial.is_there()? {
                return Ok(Some(partial));
            }
        }
    }

    /// Whether the file is still what is found under the name.
    fn is_there(&self) -> io::Result<bool> {
        let ours = self.file.metadata()?;
        match statat(&self.root, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(theirs) => Ok((ours.dev(), ours.ino()) == (theirs.st_dev, theirs.st_ino)),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The hash of what is there, at most `limit` bytes, yet to be read.
    pub(crate) fn hashing(&self, limit: u64) -> Hashing {
        Hashing::new(self.file.clone(), limit)
    }

    /// So many bytes were found.
    pub(crate) fn found(&mut self, bytes: u64) {
        self.have = bytes;
    }

    /// Whether so many bytes are there, after which the next ones are written.
    pub(crate) fn ends_at(&mut self, bytes: u64) -> io::Result<bool> {
        let is_end = self.file.metadata()?.len() == bytes;
        if is_end {
            self.have = bytes;
        }
        Ok(is_end)
    }

    /// Bytes that are there.
    pub(crate) fn have(&self) -> u64 {
        self.have
    }

    /// Keeps so many bytes, after which the next ones are written.
    pub(crate) fn keep(&mut self, bytes: u64) -> io::Result<()> {
        self.file.set_len(bytes)?;
        self.have = bytes;
        Ok(())
    }

    /// Adds bytes. Blocks of zeros are left out.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let end = self.have + bytes.len() as u64;
        let mut rest = bytes;
        let mut hole = false;
        while !rest.is_empty() {
            // To the end of this block, and those after it that are as this one.
            let block = |at: u64, rest: &[u8]| rest.len().min(BLOCK - (at % BLOCK as u64) as usize);
            let mut len = block(self.have, rest);
            hole = is_zeros(&rest[..len]);
            while len < rest.len() {
                let next = block(self.have + len as u64, &rest[len..]);
                if is_zeros(&rest[len..len + next]) != hole {
                    break;
                }
                len += next;
            }
            if !hole {
                self.file.write_all_at(&rest[..len], self.have)?;
            }
            self.have += len as u64;
            rest = &rest[len..];
        }
        if hole {
            self.file.set_len(end)?;
        }
        Ok(())
    }

    /// Gives the file its name, its time and its permissions once it is on the disk.
    pub(crate) fn finish(
        mut self,
        place: &Place,
        (modified, mode): (Time, u32),
        overwrite: bool,
    ) -> io::Result<Stamp> {
        self.file
            .set_times(FileTimes::new().set_modified(time(modified)))?;
        set_mode(&self.file, mode)?;
        self.file.sync_all()?;
        if let Err(error) = rename(&self.root, &self.name, place, overwrite) {
            if error.kind() == io::ErrorKind::AlreadyExists {
                // Another file came first: this one never will.
                self.discard();
            }
            return Err(error);
        }
        // It is not ours to remove any more.
        self.have = self.have.max(1);
        // Where a folder cannot be synced, the system does so in its time.
        let _ = rustix::fs::fsync(&place.folder);
        Ok(Stamp::of(&self.file.metadata()?))
    }

    /// Removes what there is: it is of no use.
    pub(crate) fn discard(self) {
        // If it cannot be removed, the next transfer will find again that it is of no use.
        let _ = unlinkat(&self.root, &self.name, AtFlags::empty());
    }
}

impl Drop for Partial {
    /// A file without a byte keeps nothing.
    fn drop(&mut self) {
        let is_empty = self.have == 0 && self.file.metadata().is_ok_and(|ours| ours.len() == 0);
        if is_empty && self.is_there().is_ok_and(|there| there) {
            let _ = unlinkat(&self.root, &self.name, AtFlags::empty());
        }
    }
}

/// A time that a peer names, as far as this system knows it.
pub(super) fn time(time: Time) -> SystemTime {
    let (whole, part) = (time.seconds.unsigned_abs(), u64::from(time.nanoseconds));
    let whole = Duration::from_secs(whole);
    let since = if time.seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(whole)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(whole)
    };
    let time = since.and_then(|since| since.checked_add(Duration::from_nanos(part)));
    time.unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Gives a file these permissions, less what the umask forbade; this host's user may read it in any case.
pub(super) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    let umasked = file.metadata()?.mode();
    file.set_permissions(Permissions::from_mode((umasked & mode | 0o400) & 0o777))
}

/// Renames; in place of another file only if it may `overwrite` that.
pub(super) fn rename(root: &OwnedFd, from: &str, to: &Place, overwrite: bool) -> io::Result<()> {
    if overwrite {
        return Ok(renameat(root, from, &to.folder, &to.name)?);
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{RenameFlags, renameat_with};
        match renameat_with(root, from, &to.folder, &to.name, RenameFlags::NOREPLACE) {
            // Old file systems cannot.
            Err(Errno::INVAL | Errno::NOSYS) => {}
            other => return other.map_err(io::Error::from),
        }
    }
    rustix::fs::linkat(root, from, &to.folder, &to.name, AtFlags::empty())?;
    Ok(unlinkat(root, from, AtFlags::empty())?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_made_is_asked_for_and_what_is_there_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let root = Arc::new(OwnedFd::from(File::open(dir.path()).unwrap()));
        let no = || Err(io::ErrorKind::QuotaExceeded.into());
        assert!(Partial::open(&root, "part", 0o644, no).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut partial = Partial::open(&root, "part", 0o644, || Ok(()))
            .unwrap()
            .unwrap();
        partial.write(b"a").unwrap();
        drop(partial);
        assert!(Partial::open(&root, "part", 0o644, no).unwrap().is_some());
    }

    #[test]
    fn zeros_are_left_out_wherever_they_begin() {
        let dir = tempfile::tempdir().unwrap();
        let root = Arc::new(OwnedFd::from(File::open(dir.path()).unwrap()));
        let mut partial = Partial::open(&root, "part", 0o644, || Ok(()))
            .unwrap()
            .unwrap();
        let mut all = Vec::new();
        for (len, byte) in [
            (5, 7),
            (10_000, 0),
            (1, 7),
            (4096, 0),
            (4095, 0),
            (9000, 7),
            (1, 0),
        ] {
            let bytes = vec![byte; len];
            partial.write(&bytes).unwrap();
            all.extend(bytes);
            assert_eq!(partial.have(), all.len() as u64);
            let there = fs::read(dir.path().join("part")).unwrap();
            assert!(there == all, "{len} of {byte}");
        }
    }
}
