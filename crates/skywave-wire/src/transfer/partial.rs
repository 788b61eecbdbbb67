//! A file that is not complete: the first bytes of known contents, under a name of its own beside the
//! place where the file will be.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::hash::hash_into;
use super::message::{Hash, Offer};
use crate::key::PublicKey;
use crate::name::PREFIX;

/// A partial file, which nobody else writes.
pub(super) struct Partial {
    file: File,
    path: PathBuf,
    have: u64,
}

/// Where the first bytes of what this host offers are kept. Another host, and other contents, have another
/// place, so that nobody touches what is somebody else's.
pub(super) fn path(dir: &Path, peer: &PublicKey, offer: &Offer) -> PathBuf {
    let mut hasher = blake3::Hasher::new_derive_key("skywave 1 partial file of WTCP");
    hasher.update(peer.as_bytes());
    hasher.update(&offer.size.to_be_bytes());
    hasher.update(&offer.hash.0);
    dir.join(format!("{PREFIX}{}.part", hasher.finalize().to_hex()))
}

/// Removes the empty file that a receiver has left that was killed before it could do so.
pub(super) fn tidy(path: &Path) {
    if fs::symlink_metadata(path).is_ok_and(|found| found.len() == 0) {
        // A file that cannot be opened is left alone: it is in nobody's way.
        drop(Partial::open(path));
    }
}

impl Drop for Partial {
    /// A file without a byte keeps nothing.
    fn drop(&mut self) {
        let is_empty = self.file.metadata().is_ok_and(|ours| ours.len() == 0);
        // If the file has got its name by now, or was replaced, the one at the path is not ours to
        // remove.
        if is_empty && is_at(&self.file, &self.path).is_ok_and(|ours| ours) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Partial {
    /// Opens what there is of these contents; `None` if somebody else is writing it.
    pub(super) fn open(path: &Path) -> io::Result<Option<Self>> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        // A symbolic link that somebody has put there is not followed.
        let options = options.custom_flags(OFlags::NOFOLLOW.bits() as i32);
        loop {
            let file = options.open(path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // Whoever held the lock may have given the file its name meanwhile.
            if is_at(&file, path)? {
                return Ok(Some(Self {
                    file,
                    path: path.to_owned(),
                    have: 0,
                }));
            }
        }
    }

    /// Reads what is there, at most `limit` bytes, and changes nothing. Their hash; nothing if `go_on`
    /// says to stop.
    pub(super) fn recover(
        &mut self,
        limit: u64,
        go_on: impl FnMut(u64) -> bool,
    ) -> io::Result<Option<Hash>> {
        self.file.rewind()?;
        let mut hasher = blake3::Hasher::new();
        let read = hash_into(&mut hasher, &self.file, limit, go_on)?;
        Ok(read.map(|read| {
            self.have = read;
            hasher.finalize().into()
        }))
    }

    /// Keeps so many bytes, after which the next ones are written.
    pub(super) fn keep(&mut self, bytes: u64) -> io::Result<()> {
        self.file.set_len(bytes)?;
        self.file.seek(SeekFrom::Start(bytes))?;
        self.have = bytes;
        Ok(())
    }

    /// Bytes that are there.
    pub(super) fn have(&self) -> u64 {
        self.have
    }

    /// Adds bytes.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.have += bytes.len() as u64;
        Ok(())
    }

    /// Gives the file its name once its contents are on the disk; in place of another one only if told.
    pub(super) fn finish(self, name: &Path, overwrite: bool) -> io::Result<()> {
        self.file.sync_all()?;
        if overwrite {
            fs::rename(&self.path, name)?;
        } else {
            rename_new(&self.path, name)?;
        }
        if let Some(dir) = name.parent() {
            // Where a folder cannot be synced, the system does so in its time.
            let _ = File::open(dir).and_then(|dir| dir.sync_all());
        }
        Ok(())
    }

    /// Removes what there is: it is of no use.
    pub(super) fn discard(self) {
        // If it cannot be removed, the next transfer will find again that it is of no use.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether the file is still what is found at the path.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let ours = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(theirs) => Ok((ours.dev(), ours.ino()) == (theirs.dev(), theirs.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Renames, but never in place of another file.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // Old file systems cannot.
            Err(Errno::INVAL | Errno::NOSYS) => {}
            other => return other.map_err(io::Error::from),
        }
    }
    fs::hard_link(from, to)?;
    fs::remove_file(from)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::key::SecretKey;

    #[test]
    fn what_is_there_is_found_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".part");
        let open = || Partial::open(&path).unwrap();
        let hash = |text: &str| Some(Hash::from(blake3::hash(text.as_bytes())));
        let mut partial = open().unwrap();
        assert_eq!(partial.recover(11, |_| true).unwrap(), hash(""));
        assert_eq!(partial.have(), 0);
        partial.write(b"hello ").unwrap();
        assert!(open().is_none(), "another one writes it");
        drop(partial);
        let mut partial = open().unwrap();
        assert_eq!(partial.recover(11, |_| true).unwrap(), hash("hello "));
        partial.keep(6).unwrap();
        partial.write(b"world").unwrap();
        assert_eq!(partial.recover(12, |_| true).unwrap(), hash("hello world"));
        let name = dir.path().join("greeting");
        partial.finish(&name, false).unwrap();
        assert_eq!(fs::read(&name).unwrap(), b"hello world");
        assert!(!path.exists());
    }

    #[test]
    fn each_host_and_each_file_has_a_place_of_its_own() {
        let dir = Path::new("in");
        let hosts = [1, 4].map(|n| SecretKey::from_bytes([n; 32]).public());
        let offer = |size, contents| Offer {
            name: "film".to_owned(),
            size,
            hash: Hash([contents; 32]),
        };
        let offers = [offer(9, 1), offer(1, 1), offer(9, 2)];
        let places = offers
            .iter()
            .flat_map(|o| hosts.iter().map(|h| path(dir, h, o)));
        let places: BTreeSet<PathBuf> = places.collect();
        assert_eq!(places.len(), 6);
    }

    #[test]
    fn nothing_is_left_where_nothing_came() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".part");
        let open = || Partial::open(&path).unwrap().unwrap();
        drop(open());
        assert!(!path.exists());
        open().write(b"a").unwrap();
        assert!(path.exists());
        // An empty file that has come whole stays, and so does what stands in its place meanwhile.
        open().keep(0).unwrap();
        let empty = open();
        let name = dir.path().join("empty");
        fs::rename(&path, &name).unwrap();
        fs::write(&path, "").unwrap();
        drop(empty);
        assert!(name.exists() && path.exists());
        tidy(&path);
        assert!(!path.exists());
    }

    #[test]
    fn another_file_keeps_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let name = dir.path().join("taken");
        fs::write(&name, "mine").unwrap();
        let path = dir.path().join(".part");
        let partial = || {
            let mut partial = Partial::open(&path).unwrap().unwrap();
            partial.keep(0).unwrap();
            partial.write(b"yours").unwrap();
            partial
        };
        let error = partial().finish(&name, false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&name).unwrap(), b"mine");
        partial().finish(&name, true).unwrap();
        assert_eq!(fs::read(&name).unwrap(), b"yours");
    }

    #[test]
    fn nothing_is_lost_by_stopping_on_the_way() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".part");
        fs::write(&path, vec![7; 300_000]).unwrap();
        let mut partial = Partial::open(&path).unwrap().unwrap();
        let stopped = partial.recover(300_000, |read| read < 100_000).unwrap();
        assert_eq!(stopped, None);
        assert_eq!(fs::metadata(&path).unwrap().len(), 300_000);
    }

    #[test]
    fn what_is_linked_there_is_not_touched() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join(".part"), dir.path().join("other"));
        fs::write(&other, "mine").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        assert!(Partial::open(&path).is_err());
        assert_eq!(fs::read(&other).unwrap(), b"mine");
    }

    #[test]
    fn nothing_is_cut_off_before_it_is_agreed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".part");
        fs::write(&path, "abcdef").unwrap();
        let mut partial = Partial::open(&path).unwrap().unwrap();
        partial.recover(4, |_| true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"abcdef");
        partial.keep(partial.have()).unwrap();
        partial.write(b"X").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"abcdX");
    }
}
