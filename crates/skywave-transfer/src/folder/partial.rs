//! A file that is not complete, under a name of its own.

use std::fs::{File, FileTimes, Permissions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, Mode, OFlags, openat, renameat, statat, unlinkat};
use rustix::io::Errno;
use skywave_wire::transfer::hash_into;

use super::beneath::Place;
use crate::wire::message::Time;

/// A partial file, which nobody else writes.
pub(crate) struct Partial {
    root: OwnedFd,
    name: String,
    file: File,
    have: u64,
}

/// Told how many bytes are read; says whether to go on.
pub(crate) type GoOn<'a> = &'a mut dyn FnMut(u64) -> bool;

/// The hash of the first bytes, at most `limit`, and their number; nothing if told to stop.
pub(crate) fn hash(
    file: impl Read,
    limit: u64,
    go_on: GoOn<'_>,
) -> io::Result<Option<(u64, blake3::Hash)>> {
    let mut hasher = blake3::Hasher::new();
    let read = hash_into(&mut hasher, file, limit, go_on)?;
    Ok(read.map(|read| (read, hasher.finalize())))
}

impl Partial {
    /// Opens what there is under this name; nothing if somebody else is writing it. What others may do
    /// with the file is what they may do with the one that is offered, less what the umask forbids.
    pub(crate) fn open(root: &OwnedFd, name: &str, mode: u32) -> io::Result<Option<Self>> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(mode & 0o777 | 0o600);
        loop {
            let file = File::from(openat(root, name, flags, mode)?);
            if !file.metadata()?.is_file() {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            let partial = Self {
                root: root.try_clone()?,
                name: name.to_owned(),
                file,
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

    /// Reads what is there, at most `limit` bytes; their hash. Nothing if told to stop.
    pub(crate) fn recover(
        &mut self,
        limit: u64,
        go_on: GoOn<'_>,
    ) -> io::Result<Option<blake3::Hash>> {
        self.file.rewind()?;
        let found = hash(&self.file, limit, go_on)?;
        Ok(found.map(|(have, hash)| {
            self.have = have;
            hash
        }))
    }

    /// Bytes that are there.
    pub(crate) fn have(&self) -> u64 {
        self.have
    }

    /// Keeps so many bytes, after which the next ones are written.
    pub(crate) fn keep(&mut self, bytes: u64) -> io::Result<()> {
        self.file.set_len(bytes)?;
        self.file.seek(io::SeekFrom::Start(bytes))?;
        self.have = bytes;
        Ok(())
    }

    /// Adds bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.have += bytes.len() as u64;
        Ok(())
    }

    /// Gives the file its name, its time and its permissions once it is on the disk.
    pub(crate) fn finish(
        mut self,
        place: &Place,
        (modified, mode): (Time, u32),
        overwrite: bool,
    ) -> io::Result<()> {
        self.file
            .set_times(FileTimes::new().set_modified(time(modified)))?;
        let umasked = self.file.metadata()?.mode();
        self.file
            .set_permissions(Permissions::from_mode((umasked & mode | 0o400) & 0o777))?;
        self.file.sync_all()?;
        if overwrite {
            renameat(&self.root, &self.name, &place.folder, &place.name)?;
        } else {
            rename_new(&self.root, &self.name, place)?;
        }
        // It is not ours to remove any more.
        self.have = self.have.max(1);
        // Where a folder cannot be synced, the system does so in its time.
        let _ = rustix::fs::fsync(&place.folder);
        Ok(())
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
fn time(time: Time) -> SystemTime {
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

/// Renames, but never in place of another file.
fn rename_new(root: &OwnedFd, from: &str, to: &Place) -> io::Result<()> {
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
