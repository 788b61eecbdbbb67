//! Small files of a batch: each is written when all its bytes are there, and many are brought to the disk together.

use std::fs::{File, FileTimes};
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, openat, statat, unlinkat};

use super::partial::{rename, set_mode, time};
use super::{Claim, Folders, Inbox, OfferId, Place, Register, There};
use crate::hashing::Hashing;
use crate::path::RelativePath;
use crate::trouble::Trouble;
use crate::wire::message::{Answer, Kind, Offer, Refusal, SMALL, proof};

/// Numbers files that have no name yet.
static NEXT: AtomicU64 = AtomicU64::new(0);
/// So many files, or more, are brought to the disk by one call.
const TOGETHER: usize = 4;

/// A small file or folder of a batch.
pub(crate) struct Small {
    pub(crate) offer: Offer,
    pub(crate) path: RelativePath,
    pub(crate) id: OfferId,
    /// Identity by which wrong guesses at the file's hash are counted.
    pub(crate) guess: OfferId,
}

/// A file whose sender has told what it has.
pub(crate) struct Come {
    pub(crate) file: Arc<Small>,
    pub(crate) proof: [u8; 32],
    /// Bytes of the file, if they were wanted.
    pub(crate) bytes: Option<Vec<u8>>,
}

/// Fate of a small file.
#[derive(Debug)]
pub(crate) enum Stored {
    Done(blake3::Hash),
    /// Another file is there, which may be replaced.
    Differs,
    No(Refusal),
}

/// Files that are stored together, in their order.
pub(crate) struct Group {
    pub(crate) files: std::vec::IntoIter<Come>,
    pub(crate) claim: Claim,
    pub(crate) stored: Vec<Stored>,
}

/// A file that is written and has no name yet.
struct Unnamed {
    place: Place,
    name: String,
    hash: blake3::Hash,
    /// Index of the file in its group.
    at: usize,
}

/// A name that no other file has.
fn new_name() -> io::Result<String> {
    let random = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    Ok(format!("{}{random:016x}-{number}.new", crate::name::PREFIX))
}

impl Inbox {
    /// Leave to make a file or folder: there has to be room for it.
    pub(crate) fn may_make(&self) -> impl Fn() -> io::Result<()> {
        || self.room.enter().map_err(io::Error::other)
    }

    /// Whether a file of this size is compared with what is `there` before it is wanted.
    pub(crate) fn compares(
        &self,
        there: There,
        size: Option<u64>,
        may_guess: impl FnOnce() -> bool,
    ) -> Result<bool, Refusal> {
        let is_alike = matches!(there, There::File(found) if Some(found) == size);
        match there {
            There::Nothing => Ok(false),
            // Nothing that is in it gives way to a file.
            There::Folder => Err(Refusal::Io("a folder has this name".to_owned())),
            _ if self.taking.overwrite => Ok(is_alike),
            _ if is_alike && may_guess() => Ok(true),
            _ => Err(Refusal::Exists),
        }
    }

    /// Answers to files and folders that are offered together. Room is claimed for those that are wanted.
    pub(crate) fn look(
        &self,
        register: &Register,
        offered: &[Arc<Small>],
        claim: &mut Claim,
    ) -> Result<Vec<Answer>, Trouble> {
        let may_make = self.may_make();
        let mut folders = Folders::new(&self.root, &may_make);
        let answer = |small: &Arc<Small>| match self.look_at(register, small, &mut folders, claim) {
            Ok(answer) => Ok(answer),
            Err(Trouble::Refused(refusal)) => Ok(Answer::No(refusal)),
            Err(later) => Err(later),
        };
        offered.iter().map(answer).collect()
    }

    fn look_at(
        &self,
        register: &Register,
        small: &Small,
        folders: &mut Folders<'_>,
        claim: &mut Claim,
    ) -> Result<Answer, Trouble> {
        let Small { offer, path, .. } = small;
        if path.is_hidden() && !self.taking.hidden {
            return Err(Refusal::Hidden.into());
        }
        if offer.kind == Kind::Folder {
            let modes = [&offer.folders[..], &[offer.mode as u16]].concat();
            folders.folder(path, &modes)?;
            return Ok(Answer::There);
        }
        let Some(size) = offer.size.filter(|size| *size <= SMALL) else {
            return Ok(Answer::Alone);
        };
        let may_guess = || register.may_guess(small.guess);
        if self.compares(folders.look(path)?.0, Some(size), may_guess)? {
            return Ok(Answer::Compare);
        }
        if self.has_part(small.id) {
            return Ok(Answer::Alone);
        }
        claim.add(size)?;
        Ok(Answer::Want)
    }

    /// Whether some bytes of a file are kept.
    fn has_part(&self, id: OfferId) -> bool {
        statat(&self.root, id.partial(), AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Stores files, or compares them with those that are there; as many as there may be open ones.
    pub(crate) fn store(&self, register: &Register, group: &mut Group) {
        let may_make = self.may_make();
        let mut folders = Folders::new(&self.root, &may_make);
        let mut unnamed = Vec::new();
        while let Some(come) = group.files.as_slice().first() {
            let stored = match &come.bytes {
                None => self.compare(register, come, &mut folders),
                Some(bytes) => {
                    let at = group.stored.len();
                    let written = self.write(come, bytes, &mut folders, &mut group.claim, at);
                    written.map(|file| {
                        let hash = file.hash;
                        unnamed.push(file);
                        // Unless giving it its name fails.
                        Stored::Done(hash)
                    })
                }
            };
            group.stored.push(match stored {
                Ok(stored) => stored,
                Err(Trouble::Refused(refusal)) => Stored::No(refusal),
                Err(Trouble::Later) => break,
            });
            group.files.next();
        }
        self.name(unnamed, &mut group.stored);
    }

    fn compare(
        &self,
        register: &Register,
        come: &Come,
        folders: &mut Folders<'_>,
    ) -> Result<Stored, Trouble> {
        let (there, place) = folders.look(&come.file.path)?;
        let (There::File(size), Some(place)) = (there, place) else {
            return Err(Refusal::Contents.into());
        };
        // It may have grown since.
        let mut hashing = Hashing::new(Arc::new(place.read()?), size.min(SMALL));
        hashing.step()?;
        let hash = hashing.hash();
        if come.file.offer.size == Some(hashing.done) && proof(&hash) == come.proof {
            return Ok(Stored::Done(hash));
        }
        register.guessed_wrong(come.file.guess);
        if self.taking.overwrite {
            return Ok(Stored::Differs);
        }
        Err(Refusal::Exists.into())
    }

    /// Writes a file, and reads it back.
    fn write(
        &self,
        come: &Come,
        bytes: &[u8],
        folders: &mut Folders<'_>,
        claim: &mut Claim,
        at: usize,
    ) -> Result<Unnamed, Trouble> {
        let Small { offer, path, .. } = &*come.file;
        let hash = blake3::hash(bytes);
        if proof(&hash) != come.proof {
            return Err(Refusal::Contents.into());
        }
        claim.write(bytes.len() as u64)?;
        let place = folders.place(path, &offer.folders)?;
        let name = new_name()?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = offer.mode & 0o777;
        let file = openat(&self.root, &name, flags, Mode::from_raw_mode(mode | 0o600));
        let file = File::from(file.map_err(io::Error::from)?);
        let unnamed = Unnamed {
            place,
            name,
            hash,
            at,
        };
        let written = || -> Result<(), Trouble> {
            self.room.enter()?;
            file.write_all_at(bytes, 0)?;
            // More than there should be is found, too.
            let mut read = vec![0; bytes.len() + 1];
            let n = file.read_at(&mut read, 0)?;
            if read[..n] != *bytes {
                return Err(Refusal::Contents.into());
            }
            file.set_times(FileTimes::new().set_modified(time(offer.modified)))?;
            if mode & 0o600 != 0o600 {
                set_mode(&file, mode)?;
            }
            Ok(())
        };
        match written() {
            Ok(()) => Ok(unnamed),
            Err(trouble) => {
                self.remove(&unnamed.name);
                Err(trouble)
            }
        }
    }

    fn remove(&self, name: &str) {
        // Old ones are removed when a receiver starts.
        let _ = unlinkat(&self.root, name, AtFlags::empty());
    }

    /// Brings files to the disk, and gives them their names.
    fn name(&self, unnamed: Vec<Unnamed>, stored: &mut [Stored]) {
        let is_synced = unnamed.len() >= TOGETHER && self.sync();
        let mut last: Option<Place> = None;
        for Unnamed {
            place, name, at, ..
        } in unnamed
        {
            let named = || -> io::Result<()> {
                if !is_synced {
                    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                    rustix::fs::fsync(openat(&self.root, &name, flags, Mode::empty())?)?;
                }
                rename(&self.root, &name, &place, self.taking.overwrite)
            };
            if let Err(error) = named() {
                self.remove(&name);
                stored[at] = Stored::No(Refusal::unnamed(&error));
            }
            // Where a folder cannot be synced, the system does so in its time.
            if let Some(last) = last.filter(|last| !Arc::ptr_eq(&last.folder, &place.folder)) {
                let _ = rustix::fs::fsync(&last.folder);
            }
            last = Some(place);
        }
        if let Some(last) = last {
            let _ = rustix::fs::fsync(&last.folder);
        }
    }

    /// Brings all of the file system to the disk. False where this cannot be done.
    fn sync(&self) -> bool {
        #[cfg(target_os = "linux")]
        {
            rustix::fs::syncfs(&self.root).is_ok()
        }
        #[cfg(not(target_os = "linux"))]
        {
            false
        }
    }
}
