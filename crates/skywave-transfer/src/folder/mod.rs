//! Where files of other hosts go. All of it may wait for the disk.

mod beneath;
mod partial;
mod room;
mod store;
mod tidy;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::key::PublicKey;
use rustix::fs::{Access, Mode, OFlags, access, open};
use tokio::sync::oneshot;

pub(crate) use beneath::{Folders, Place, There};
pub(crate) use partial::Partial;
pub(crate) use room::{Claim, Room};
pub(crate) use store::{Come, Group, Small, Stored};

use crate::error::Error;
use crate::path::is_under;
use crate::wire::message::{Offer, Time};

/// Rules of a folder for the files of other hosts that it takes: [`Target::Folder`](crate::Target::Folder).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taking {
    /// Whether a received file may replace one of the same name that is in the folder.
    pub overwrite: bool,
    /// Whether files and folders are taken whose names begin with a dot (hidden ones).
    pub hidden: bool,
    /// Most bytes that all files in the folder may have together, partial files included; `None` for no limit. A quota
    /// also limits the number of files and folders: to 1000, and one more for each KiB of the quota.
    pub quota: Option<u64>,
}

/// The folder.
pub(crate) struct Inbox {
    pub(crate) root: Arc<OwnedFd>,
    pub(crate) path: PathBuf,
    pub(crate) taking: Taking,
    pub(crate) room: Arc<Room>,
}

/// Times that a host may name the proof of a file that is there and is another one: then it is not told any more
/// whether it guessed right.
const GUESSES: u8 = 3;

/// Files that this process receives, and has received. Transfers are known by their offers.
#[derive(Default)]
pub(crate) struct Register {
    /// A newer transfer of the same file by the same host ends the older one.
    under_way: Mutex<HashMap<OfferId, oneshot::Sender<()>>>,
    /// Files that are there and had a stream for themselves.
    arrived: Mutex<HashMap<OfferId, Known>>,
    /// Small ones.
    small: Mutex<HashSet<u64>>,
    /// Wrong proofs of files that are there.
    wrong: Mutex<HashMap<OfferId, u8>>,
    /// Most bytes that were there of files under way.
    most: Mutex<HashMap<OfferId, u64>>,
    /// Names that were asked for, of which nothing was offered yet.
    missing: Mutex<Vec<String>>,
}

/// Identity of a file of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OfferId([u8; 16]);

/// A file that came while this process ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) hash: blake3::Hash,
    /// As it was then.
    pub(crate) stamp: Stamp,
}

impl Inbox {
    /// Opens a folder, and makes it if it is not there. Old partial files are removed.
    ///
    /// # Errors
    /// When it cannot be written to.
    pub(crate) fn open(path: &Path, taking: Taking) -> Result<Self, Error> {
        let open = || -> io::Result<OwnedFd> {
            if !path.exists() {
                fs::create_dir_all(path)?;
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let root = open(path, flags, Mode::empty())?;
            access(path, Access::WRITE_OK | Access::EXEC_OK)?;
            Ok(root)
        };
        let root = open().map_err(Error::Folder)?;
        tidy::remove_old(path);
        let room = Room::new(path, taking.quota).map_err(Error::Folder)?;
        Ok(Self {
            root: Arc::new(root),
            path: path.to_owned(),
            taking,
            room: Arc::new(room),
        })
    }
}

impl Register {
    /// Notes that a transfer is under way, and ends the one that was. The receiver is told when a newer
    /// one wants to have the file.
    pub(crate) fn take_over(&self, id: OfferId) -> oneshot::Receiver<()> {
        let (ours, ended) = oneshot::channel();
        let mut under_way = lock(&self.under_way);
        under_way.retain(|_, other| !other.is_closed());
        // Dropping the older one's end tells it.
        under_way.insert(id, ours);
        ended
    }

    /// Notes that a file is there.
    pub(crate) fn note(&self, id: OfferId, known: Known) {
        lock(&self.most).remove(&id);
        lock(&self.arrived).insert(id, known);
    }

    /// The file, if it came while this process ran: maybe the sender only did not hear of it.
    pub(crate) fn had(&self, id: OfferId) -> Option<Known> {
        lock(&self.arrived).get(&id).copied()
    }

    /// Notes that a small file is there. False if it came before.
    pub(crate) fn note_small(&self, id: OfferId) -> bool {
        lock(&self.most).remove(&id);
        lock(&self.small).insert(id.short())
    }

    /// Whether a small file came while this process ran.
    pub(crate) fn had_small(&self, id: OfferId) -> bool {
        lock(&self.small).contains(&id.short())
    }

    /// Notes that so many bytes of a file are there. True if there never were as many.
    pub(crate) fn rose(&self, id: OfferId, to: u64) -> bool {
        let mut most = lock(&self.most);
        let most = most.entry(id).or_default();
        let rose = to > *most;
        *most = to.max(*most);
        rose
    }

    /// Notes the names of the files and folders that this host asks the other one for.
    pub(crate) fn ask(&self, names: &[String]) {
        lock(&self.missing).extend_from_slice(names);
    }

    /// Notes that something is offered.
    pub(crate) fn offered(&self, offer: &Offer) {
        lock(&self.missing).retain(|name| !is_under(&offer.path, name));
    }

    /// Names that were asked for and never offered.
    pub(crate) fn missing(&self) -> Vec<String> {
        lock(&self.missing).clone()
    }

    /// Whether the host may still be told that a file is another one than it thinks.
    pub(crate) fn may_guess(&self, id: OfferId) -> bool {
        lock(&self.wrong)
            .get(&id)
            .is_none_or(|wrong| *wrong < GUESSES)
    }

    /// Counts a wrong guess at a file's hash.
    pub(crate) fn guessed_wrong(&self, id: OfferId) {
        *lock(&self.wrong).entry(id).or_default() += 1;
    }
}

/// Metadata of a file, which change when the file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    pub(crate) modified: Time,
    /// When anything of it was changed last: nobody can put this back.
    changed: (i64, i64),
    file: (u64, u64),
}

impl Stamp {
    pub(crate) fn of(found: &fs::Metadata) -> Self {
        Self {
            size: found.len(),
            modified: Time {
                seconds: found.mtime(),
                nanoseconds: found.mtime_nsec() as u32,
            },
            changed: (found.ctime(), found.ctime_nsec()),
            file: (found.dev(), found.ino()),
        }
    }

    /// All but when anything was changed is the same: maybe it has another name or permissions only.
    pub(crate) fn looks_like(&self, other: &Self) -> bool {
        Self {
            changed: other.changed,
            ..*self
        } == *other
    }
}

impl OfferId {
    fn new(hasher: &blake3::Hasher) -> Self {
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        Self(id)
    }

    /// The file under its name, as long as it has this size, by whichever offer.
    pub(crate) fn of_guess(peer: &PublicKey, offer: &Offer) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("skywave 2 guess");
        hasher.update(peer.as_bytes()).update(&offer.path);
        Self::new(&hasher)
    }

    /// The offer. Another host, and another file, has another one.
    pub(crate) fn of(peer: &PublicKey, offer: &Offer) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("skywave 1 partial file");
        hasher.update(peer.as_bytes());
        hasher.update(&offer.size.map_or([0xff; 8], u64::to_be_bytes));
        hasher.update(&offer.modified.seconds.to_be_bytes());
        hasher.update(&offer.modified.nanoseconds.to_be_bytes());
        hasher.update(&offer.path);
        Self::new(&hasher)
    }

    /// Enough of it where there are many, and where nothing comes of it if two are the same but that a file that came is
    /// not told of.
    fn short(self) -> u64 {
        self.0[..8]
            .iter()
            .fold(0, |id, byte| id << 8 | u64::from(*byte))
    }

    /// The name of its partial file, which nobody else touches.
    pub(crate) fn partial(self) -> String {
        let number = u128::from_be_bytes(self.0);
        format!("{}{number:032x}.part", crate::name::PREFIX)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
