//! Room on the disk: what is free, less what other transfers are going to need, and a quota.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::statvfs;

use crate::wire::message::Refusal;

/// Most bytes that are left free, for what else the host does; of a small disk a part.
const SPARE: u64 = 16 << 20;
/// The part of a disk that is left free at most, as its inverse.
const SPARE_PART: u64 = 20;
/// Bytes of a quota that buy one file or folder: each takes room, too, even if it is empty.
const PER_ENTRY: u64 = 1 << 10;
/// Files and folders that any quota allows.
const ENTRIES: u64 = 1000;
/// The folder is walked for this long at first, and for this part of the time (its inverse) on average.
const WALKING: Duration = Duration::from_millis(100);
const WALKING_PART: u32 = 20;

/// The room of a folder. Its totals are kept; it is walked again when they say that it is full, since files may have
/// been taken out, but seldom, and while others go on.
#[derive(Debug)]
pub(crate) struct Room {
    path: PathBuf,
    quota: Option<u64>,
    state: Mutex<State>,
    walks: Mutex<Walks>,
}

#[derive(Debug, Default)]
struct State {
    /// Total of what is in the folder; only known if there is a quota.
    used: Total,
    /// Bytes that transfers under way are going to write.
    claimed: u64,
    /// Total of what was written since the folder was opened.
    written: Total,
}

/// Bytes of files, and how many files and folders there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Total {
    bytes: u64,
    entries: u64,
}

impl Total {
    fn add(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.entries = self.entries.saturating_add(other.entries);
    }
}

/// How long the folder was walked since it was opened.
#[derive(Debug)]
struct Walks {
    since: Instant,
    spent: Duration,
}

/// Bytes that a transfer is going to write. What it has not written is free again at its end.
#[derive(Debug)]
pub(crate) struct Claim {
    room: Arc<Room>,
    left: u64,
}

impl Room {
    /// The room of the folder at `path`, of which files may take `quota` bytes.
    ///
    /// # Errors
    /// When there is a quota and the folder cannot be read.
    pub(crate) fn new(path: &Path, quota: Option<u64>) -> io::Result<Self> {
        let used = match quota {
            Some(_) => total(path)?,
            None => Total::default(),
        };
        let state = State {
            used,
            ..State::default()
        };
        let walks = Walks {
            since: Instant::now(),
            spent: Duration::ZERO,
        };
        Ok(Self {
            path: path.to_owned(),
            quota,
            state: Mutex::new(state),
            walks: Mutex::new(walks),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks what is in the folder now, unless somebody does so or it was done too often. True if it was.
    fn walk(&self) -> io::Result<bool> {
        let Ok(mut walks) = self.walks.try_lock() else {
            return Ok(false);
        };
        if walks.spent > WALKING + walks.since.elapsed() / WALKING_PART {
            return Ok(false);
        }
        let (begun, before) = (Instant::now(), self.lock().written);
        let mut found = total(&self.path)?;
        walks.spent += begun.elapsed();
        let mut state = self.lock();
        // What came meanwhile may not have been seen.
        found.add(Total {
            bytes: state.written.bytes - before.bytes,
            entries: state.written.entries - before.entries,
        });
        state.used = found;
        Ok(true)
    }

    /// Does what the totals allow; once more after a walk if they do not.
    fn try_twice<T>(&self, mut get: impl FnMut() -> Result<T, Refusal>) -> Result<T, Refusal> {
        match get() {
            Err(Refusal::Quota(_) | Refusal::Entries(_))
                if self.walk().map_err(|error| Refusal::io(&error))? =>
            {
                get()
            }
            got => got,
        }
    }

    fn claim(&self, bytes: u64) -> Result<(), Refusal> {
        self.try_twice(|| self.claim_by_totals(bytes))
    }

    fn claim_by_totals(&self, bytes: u64) -> Result<(), Refusal> {
        let free = free(&self.path).map_err(|error| Refusal::io(&error))?;
        let mut state = self.lock();
        let wanted = state.claimed.saturating_add(bytes);
        if let Some(quota) = self.quota {
            let left = quota
                .saturating_sub(state.used.bytes)
                .saturating_sub(state.claimed);
            if bytes > left {
                return Err(Refusal::Quota(left));
            }
        }
        if let Some(free) = free
            && wanted > free
        {
            return Err(Refusal::Space(free.saturating_sub(state.claimed)));
        }
        state.claimed = wanted;
        Ok(())
    }

    /// One more file or folder is going to be there.
    ///
    /// # Errors
    /// When there are as many as the quota allows.
    pub(crate) fn enter(&self) -> Result<(), Refusal> {
        let Some(quota) = self.quota else {
            return Ok(());
        };
        let most = (quota / PER_ENTRY).saturating_add(ENTRIES);
        self.try_twice(|| {
            let mut state = self.lock();
            if state.used.entries >= most {
                return Err(Refusal::Entries(most));
            }
            state.add(Total {
                bytes: 0,
                entries: 1,
            });
            Ok(())
        })
    }
}

impl State {
    fn add(&mut self, new: Total) {
        self.used.add(new);
        self.written.add(new);
    }
}

/// Bytes that may be written to the disk; nothing if it does not tell.
fn free(path: &Path) -> io::Result<Option<u64>> {
    let disk = statvfs(path)?;
    if disk.f_blocks == 0 {
        return Ok(None);
    }
    let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
    let spare = SPARE.min(bytes(disk.f_blocks) / SPARE_PART);
    Ok(Some(bytes(disk.f_bavail).saturating_sub(spare)))
}

impl Claim {
    /// Claims room for so many bytes.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn new(room: &Arc<Room>, bytes: u64) -> Result<Self, Refusal> {
        room.claim(bytes)?;
        Ok(Self {
            room: room.clone(),
            left: bytes,
        })
    }

    /// Claims room for so many bytes more.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn add(&mut self, bytes: u64) -> Result<(), Refusal> {
        self.room.claim(bytes)?;
        self.left += bytes;
        Ok(())
    }

    /// So many bytes are going to be written; more than was claimed if nobody knew how many there are.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn write(&mut self, bytes: u64) -> Result<(), Refusal> {
        if bytes > self.left {
            self.room.claim(bytes - self.left)?;
            self.left = bytes;
        }
        self.left -= bytes;
        let mut state = self.room.lock();
        state.claimed = state.claimed.saturating_sub(bytes);
        state.add(Total { bytes, entries: 0 });
        Ok(())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut state = self.room.lock();
        state.claimed = state.claimed.saturating_sub(self.left);
    }
}

/// Total of the files and folders in a folder.
fn total(dir: &Path) -> io::Result<Total> {
    let mut sum = Total::default();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        // What is gone meanwhile takes no room.
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        let (bytes, below) = if metadata.is_dir() {
            (0, total(&entry.path())?)
        } else {
            (metadata.len(), Total::default())
        };
        sum.add(Total { bytes, entries: 1 });
        sum.add(below);
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(quota: Option<u64>) -> (tempfile::TempDir, Arc<Room>) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("old"), [0; 30]).unwrap();
        let room = Arc::new(Room::new(dir.path(), quota).unwrap());
        (dir, room)
    }

    #[test]
    fn a_quota_is_for_all_transfers_and_what_is_there() {
        let (dir, room) = room(Some(100));
        let mut one = Claim::new(&room, 50).unwrap();
        assert_eq!(Claim::new(&room, 21).err(), Some(Refusal::Quota(20)));
        one.write(40).unwrap();
        drop(one);
        // Forty bytes were written, as far as anybody knows.
        assert!(Claim::new(&room, 30).is_ok());
        fs::write(dir.path().join("new"), [0; 40]).unwrap();
        assert_eq!(Claim::new(&room, 31).err(), Some(Refusal::Quota(30)));
        fs::remove_file(dir.path().join("old")).unwrap();
        assert!(Claim::new(&room, 60).is_ok());
    }

    #[test]
    fn more_than_the_disk_has_is_refused() {
        let (_dir, room) = room(None);
        assert!(matches!(
            Claim::new(&room, u64::MAX).err(),
            Some(Refusal::Space(_))
        ));
        let _half = Claim::new(&room, 1 << 20).unwrap();
        assert!(matches!(
            Claim::new(&room, u64::MAX - 5).err(),
            Some(Refusal::Space(_))
        ));
    }

    #[test]
    fn what_has_no_size_is_claimed_as_it_comes() {
        let (dir, room) = room(Some(100));
        let mut pipe = Claim::new(&room, 0).unwrap();
        pipe.write(60).unwrap();
        fs::write(dir.path().join("pipe"), [0; 60]).unwrap();
        assert_eq!(pipe.write(20), Err(Refusal::Quota(10)));
    }

    #[test]
    fn empty_files_and_folders_count() {
        let (dir, room) = room(Some(3 * PER_ENTRY));
        // One is there.
        for _ in 1..ENTRIES + 3 {
            room.enter().unwrap();
        }
        // A walk finds that none of them was made.
        assert!(room.enter().is_ok());
        for n in 0..ENTRIES + 2 {
            fs::create_dir(dir.path().join(n.to_string())).unwrap();
        }
        room.lock().used.entries = ENTRIES + 3;
        assert_eq!(room.enter(), Err(Refusal::Entries(ENTRIES + 3)));
    }

    #[test]
    fn a_full_folder_is_walked_seldom_and_beside_the_others() {
        let (dir, room) = room(Some(30));
        room.walks.lock().unwrap().spent = Duration::from_secs(3600);
        fs::remove_file(dir.path().join("old")).unwrap();
        assert_eq!(Claim::new(&room, 1).err(), Some(Refusal::Quota(0)));
        room.walks.lock().unwrap().spent = Duration::ZERO;
        let walking = room.walks.lock().unwrap();
        assert_eq!(Claim::new(&room, 1).err(), Some(Refusal::Quota(0)));
        drop(walking);
        assert!(Claim::new(&room, 1).is_ok());
    }

    #[test]
    fn what_comes_during_a_walk_is_counted() {
        let (_dir, room) = room(Some(100));
        let mut one = Claim::new(&room, 20).unwrap();
        one.write(20).unwrap();
        // The file was not there yet, or is not any more.
        assert!(room.walk().unwrap());
        assert_eq!(room.lock().used.bytes, 30);
        assert_eq!(room.lock().written.bytes, 20);
    }
}
