//! Where files of other hosts go. All of it may wait for the disk.

mod beneath;
mod partial;

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{Access, Mode, OFlags, access, open};
use skywave_wire::key::PublicKey;
use skywave_wire::transfer::remove_old;
use tokio::sync::oneshot;

pub(crate) use beneath::{Place, There, make_folder};
pub(crate) use partial::{Partial, hash};
pub(crate) use skywave_wire::transfer::{Claim, Room};

use crate::error::Error;
use crate::wire::message::Offer;

/// What a folder takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taking {
    /// A file may take the place of another one of its name.
    pub overwrite: bool,
    /// Names may begin with a dot.
    pub hidden: bool,
    /// Most bytes that may be in the folder, partial files included.
    pub quota: Option<u64>,
}

/// The folder.
pub(crate) struct Inbox {
    pub(crate) root: OwnedFd,
    pub(crate) path: PathBuf,
    pub(crate) taking: Taking,
    pub(crate) room: Arc<Room>,
}

/// What this process receives, and what it has received. Transfers are known by their partial files.
#[derive(Default)]
pub(crate) struct Register {
    /// A newer transfer of the same file by the same host ends the older one.
    under_way: Mutex<HashMap<String, oneshot::Sender<()>>>,
    /// Sizes and hashes of files that are there.
    arrived: Mutex<HashMap<String, (u64, blake3::Hash)>>,
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
        remove_old(path);
        let room = Room::new(path, taking.quota).map_err(Error::Folder)?;
        Ok(Self {
            root,
            path: path.to_owned(),
            taking,
            room: Arc::new(room),
        })
    }
}

impl Register {
    /// Notes that a transfer is under way, and ends the one that was. The receiver is told when a newer
    /// one wants to have the file.
    pub(crate) fn take_over(&self, name: &str) -> oneshot::Receiver<()> {
        let (ours, ended) = oneshot::channel();
        let mut under_way = lock(&self.under_way);
        under_way.retain(|_, other| !other.is_closed());
        // Dropping the older one's end tells it.
        under_way.insert(name.to_owned(), ours);
        ended
    }

    /// Notes that a file of this size and hash is there.
    pub(crate) fn note(&self, name: &str, size: u64, hash: blake3::Hash) {
        lock(&self.arrived).insert(name.to_owned(), (size, hash));
    }

    /// Size and hash of a file that came while this process ran: maybe the sender only did not hear of
    /// it.
    pub(crate) fn had(&self, name: &str) -> Option<(u64, blake3::Hash)> {
        lock(&self.arrived).get(name).copied()
    }
}

/// The name of the partial file of an offer. Another host, and another file, has another one, so that
/// nobody touches what is somebody else's.
pub(crate) fn partial_name(peer: &PublicKey, offer: &Offer) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("skywave 1 partial file");
    hasher.update(peer.as_bytes());
    hasher.update(&offer.size.map_or([0xff; 8], u64::to_be_bytes));
    hasher.update(&offer.modified.seconds.to_be_bytes());
    hasher.update(&offer.modified.nanoseconds.to_be_bytes());
    hasher.update(offer.path.as_bytes());
    format!(
        "{}{}.part",
        skywave_wire::name::PREFIX,
        hasher.finalize().to_hex()
    )
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
