//! Room on the disk: what is free, less what other transfers are going to need, and a quota.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::statvfs;

/// Bytes that are left free, for what else the host does.
const SPARE: u64 = 16 << 20;

/// Why there is no room.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRoom {
    /// So many bytes are free on the disk.
    #[error("there is no room: {0} bytes are free")]
    Space(u64),
    /// So many bytes are left of the quota.
    #[error("there is no room: the quota leaves {0} bytes")]
    Quota(u64),
    /// Nobody knows.
    #[error("{0}")]
    Io(String),
}

impl From<io::Error> for NoRoom {
    fn from(error: io::Error) -> Self {
        Self::Io(error.to_string())
    }
}

/// The room of a folder.
#[derive(Debug)]
pub struct Room {
    path: PathBuf,
    quota: Option<u64>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Bytes of the files in the folder; only known if there is a quota.
    used: u64,
    /// Bytes that transfers under way are going to write.
    claimed: u64,
}

/// Bytes that a transfer is going to write. What it has not written is free again at its end.
#[derive(Debug)]
pub struct Claim {
    room: Arc<Room>,
    left: u64,
}

impl Room {
    /// The room of the folder at `path`, of which files may take `quota` bytes.
    ///
    /// # Errors
    /// When there is a quota and the folder cannot be read.
    pub fn new(path: &Path, quota: Option<u64>) -> io::Result<Self> {
        let used = if quota.is_some() { size(path)? } else { 0 };
        let state = Mutex::new(State { used, claimed: 0 });
        Ok(Self {
            path: path.to_owned(),
            quota,
            state,
        })
    }

    fn claim(&self, bytes: u64) -> Result<(), NoRoom> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = state.claimed.saturating_add(bytes);
        if let Some(quota) = self.quota {
            if state.used.saturating_add(wanted) > quota {
                // Files may have been taken out of the folder.
                state.used = size(&self.path)?;
            }
            let left = quota
                .saturating_sub(state.used)
                .saturating_sub(state.claimed);
            if bytes > left {
                return Err(NoRoom::Quota(left));
            }
        }
        let disk = statvfs(&self.path).map_err(io::Error::from)?;
        let free = disk
            .f_bavail
            .saturating_mul(disk.f_frsize)
            .saturating_sub(SPARE);
        if wanted > free {
            return Err(NoRoom::Space(free.saturating_sub(state.claimed)));
        }
        state.claimed = wanted;
        Ok(())
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Claim {
    /// Claims room for so many bytes.
    ///
    /// # Errors
    /// When there is none.
    pub fn new(room: &Arc<Room>, bytes: u64) -> Result<Self, NoRoom> {
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
    pub fn add(&mut self, bytes: u64) -> Result<(), NoRoom> {
        self.room.claim(bytes)?;
        self.left += bytes;
        Ok(())
    }

    /// So many bytes are going to be written; more than was claimed if nobody knew how many there are.
    ///
    /// # Errors
    /// When there is none.
    pub fn write(&mut self, bytes: u64) -> Result<(), NoRoom> {
        if bytes > self.left {
            self.room.claim(bytes - self.left)?;
            self.left = bytes;
        }
        self.left -= bytes;
        self.room.change(|state| {
            state.claimed = state.claimed.saturating_sub(bytes);
            state.used = state.used.saturating_add(bytes);
        });
        Ok(())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.room
            .change(|state| state.claimed = state.claimed.saturating_sub(self.left));
    }
}

/// Bytes of all files in a folder.
fn size(dir: &Path) -> io::Result<u64> {
    let mut sum = 0_u64;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        // What is gone meanwhile takes no room.
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        let size = if metadata.is_dir() {
            size(&entry.path())?
        } else {
            metadata.len()
        };
        sum = sum.saturating_add(size);
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
        assert_eq!(Claim::new(&room, 21).err(), Some(NoRoom::Quota(20)));
        one.write(40).unwrap();
        drop(one);
        // Forty bytes were written, as far as anybody knows.
        assert!(Claim::new(&room, 30).is_ok());
        fs::write(dir.path().join("new"), [0; 40]).unwrap();
        assert_eq!(Claim::new(&room, 31).err(), Some(NoRoom::Quota(30)));
        fs::remove_file(dir.path().join("old")).unwrap();
        assert!(Claim::new(&room, 60).is_ok());
    }

    #[test]
    fn more_than_the_disk_has_is_refused() {
        let (_dir, room) = room(None);
        assert!(matches!(
            Claim::new(&room, u64::MAX).err(),
            Some(NoRoom::Space(_))
        ));
        let _half = Claim::new(&room, 1 << 20).unwrap();
        assert!(matches!(
            Claim::new(&room, u64::MAX - 5).err(),
            Some(NoRoom::Space(_))
        ));
    }

    #[test]
    fn what_has_no_size_is_claimed_as_it_comes() {
        let (dir, room) = room(Some(100));
        let mut pipe = Claim::new(&room, 0).unwrap();
        pipe.write(60).unwrap();
        fs::write(dir.path().join("pipe"), [0; 60]).unwrap();
        assert_eq!(pipe.write(20), Err(NoRoom::Quota(10)));
    }
}
