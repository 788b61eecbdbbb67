//! Where files go: into a folder, or one of them to where a program reads it.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

use crate::error::Error;
use crate::folder::{
    Claim, Folders, Group, Inbox, Known, OfferId, Partial, Place, Register, Small, Stamp, Taking,
    There,
};
use crate::hashing::Hashing;
use crate::path::RelativePath;
use crate::trouble::Trouble;
use crate::wire::message::{Answer, Kind, Offer, Refusal};

/// Destination of received files: a folder, or a program for one file.
pub enum Target {
    /// Folder that received files are written into, and its rules for overwriting, hidden names and total size.
    Folder(PathBuf, Taking),
    /// Writer for the contents of one file, such as a program's input; any other file is refused.
    Output(Box<dyn Write + Send>),
}

/// Target that is open, and the register of its files.
pub(crate) struct Receiver {
    pub(crate) register: Register,
    to: To,
    /// Places that are left of a count of files; nothing if any number is taken.
    places: Option<Arc<Semaphore>>,
}

/// Places for files that are about to be taken; those that are not used up are free again.
pub(crate) struct Places {
    count: usize,
    held: Option<OwnedSemaphorePermit>,
}

enum To {
    Folder(Inbox),
    Output(Arc<Mutex<Output>>),
}

/// A file that is written to where it cannot be read again.
pub(crate) struct Output {
    to: Box<dyn Write + Send>,
    /// Identity of the file.
    id: Option<OfferId>,
    written: u64,
    hasher: blake3::Hasher,
}

/// Part that is there of a file that is offered.
pub(crate) enum Found {
    /// A file of its name and size.
    Same(Hashing),
    /// First bytes of the file, maybe none.
    Part(Sink),
}

/// Sink of a file's bytes.
pub(crate) enum Sink {
    File { partial: Partial, claim: Claim },
    Output(OwnedMutexGuard<Output>),
}

impl Target {
    /// Opens it for so many files, or for any number.
    pub(crate) fn open(self, count: Option<usize>) -> Result<Receiver, Error> {
        let to = match self {
            Self::Folder(path, taking) => To::Folder(Inbox::open(&path, taking)?),
            Self::Output(to) => {
                let output = Output {
                    to,
                    id: None,
                    written: 0,
                    hasher: blake3::Hasher::new(),
                };
                To::Output(Arc::new(Mutex::new(output)))
            }
        };
        Ok(Receiver {
            register: Register::default(),
            to,
            places: count.map(|count| Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)))),
        })
    }
}

impl Places {
    /// How many there are, one at least.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// So many files were taken.
    pub(crate) fn use_up(&mut self, files: usize) {
        if let Some(used) = self.held.as_mut().and_then(|held| held.split(files)) {
            used.forget();
        }
    }
}

impl Receiver {
    /// Places for at most `most` files. When none is left, this waits: the receiver is about to end.
    pub(crate) async fn places(&self, most: usize) -> Places {
        let Some(places) = &self.places else {
            let (count, held) = (most, None);
            return Places { count, held };
        };
        // Nobody closes it.
        let mut held = places.clone().acquire_owned().await.ok();
        let mut count = 1;
        while count < most
            && let Ok(more) = places.clone().try_acquire_owned()
            && let Some(held) = &mut held
        {
            held.merge(more);
            count += 1;
        }
        Places { count, held }
    }

    /// Where a file will be.
    pub(crate) fn place(&self, path: &RelativePath) -> Option<PathBuf> {
        match &self.to {
            To::Folder(inbox) => Some(inbox.path.join(path)),
            To::Output(_) => None,
        }
    }

    /// Answers to files and folders that are offered together, and the room of those that are wanted.
    pub(crate) fn look(
        &self,
        offered: &[Arc<Small>],
    ) -> Result<(Vec<Answer>, Option<Claim>), Trouble> {
        match &self.to {
            To::Folder(inbox) => {
                let mut claim = Claim::new(&inbox.room, 0)?;
                let answers = inbox.look(&self.register, offered, &mut claim)?;
                Ok((answers, Some(claim)))
            }
            To::Output(_) => {
                let answer = |small: &Arc<Small>| match small.offer.kind {
                    Kind::File => Answer::Alone,
                    Kind::Folder => Answer::No(Refusal::One),
                };
                Ok((offered.iter().map(answer).collect(), None))
            }
        }
    }

    /// Stores small files.
    pub(crate) fn store(&self, group: &mut Group) {
        if let To::Folder(inbox) = &self.to {
            inbox.store(&self.register, group);
        }
    }

    /// Keeps bytes of a small file that comes slowly, after the first `from`. False if they cannot be kept.
    pub(crate) fn keep(&self, small: &Small, from: u64, bytes: &[u8]) -> bool {
        match &self.to {
            To::Folder(inbox) => inbox.keep(small, from, bytes).is_ok(),
            To::Output(_) => false,
        }
    }

    /// Removes what was kept of a small file, all of which is there.
    pub(crate) fn let_go(&self, small: &Small) {
        if let To::Folder(inbox) = &self.to
            && let Ok(kept) = inbox.open_partial(small.id, &small.offer)
        {
            kept.discard();
        }
    }

    /// The file, if it came while this process ran and is as it was.
    pub(crate) fn known(&self, id: OfferId, path: &RelativePath) -> Option<Known> {
        let known = self.register.had(id)?;
        let found = self.place(path)?.symlink_metadata().ok()?;
        (Stamp::of(&found) == known.stamp).then_some(known)
    }

    /// Looks what there is of a file.
    pub(crate) fn find(
        &self,
        id: OfferId,
        offer: &Offer,
        path: &RelativePath,
        guess: OfferId,
    ) -> Result<Found, Trouble> {
        match &self.to {
            To::Folder(inbox) => {
                let may_guess = || self.register.may_guess(guess);
                inbox.find(id, offer, path, may_guess)
            }
            To::Output(output) => {
                // Its older transfer may have to let go of it.
                let locked = output.clone().try_lock_owned();
                let mut output = locked.map_err(|_| Trouble::Later)?;
                if *output.id.get_or_insert(id) != id {
                    return Err(Refusal::One.into());
                }
                Ok(Found::Part(Sink::Output(output)))
            }
        }
    }

    /// The place of a file; the folders that it is in are made.
    pub(crate) fn enter(
        &self,
        offer: &Offer,
        path: &RelativePath,
    ) -> Result<Option<Place>, Trouble> {
        let To::Folder(inbox) = &self.to else {
            return Ok(None);
        };
        let may_make = inbox.may_make();
        let mut folders = Folders::new(&inbox.root, &may_make);
        Ok(Some(folders.place(path, &offer.folders)?))
    }

    /// An empty partial file for what is going to replace another file.
    pub(crate) fn replace(&self, id: OfferId, offer: &Offer) -> Result<Sink, Trouble> {
        match &self.to {
            To::Folder(inbox) if inbox.taking.overwrite => inbox.open_partial(id, offer),
            To::Folder(_) => Err(Refusal::Exists.into()),
            To::Output(_) => Err(Refusal::One.into()),
        }
    }
}

impl Inbox {
    fn find(
        &self,
        id: OfferId,
        offer: &Offer,
        path: &RelativePath,
        may_guess: impl Fn() -> bool,
    ) -> Result<Found, Trouble> {
        if path.is_hidden() && !self.taking.hidden {
            return Err(Refusal::Hidden.into());
        }
        let may_make = || Ok(());
        let (there, place) = Folders::new(&self.root, &may_make).look(path)?;
        if self.compares(there, offer.size, may_guess)?
            && let (There::File(size), Some(place)) = (there, place)
        {
            return Ok(Found::Same(Hashing::new(Arc::new(place.read()?), size)));
        }
        // Before any file is made for it.
        drop(Claim::new(&self.room, 0)?);
        self.open_partial(id, offer).map(Found::Part)
    }

    fn keep(&self, small: &Small, from: u64, bytes: &[u8]) -> Result<(), Trouble> {
        // Nobody who comes again has to wait for it: it is open only while it is written.
        let mut sink = self.open_partial(small.id, &small.offer)?;
        if let Sink::File { partial, .. } = &mut sink
            && !partial.ends_at(from)?
        {
            return Err(Trouble::Later);
        }
        Ok(sink.write(bytes)?)
    }

    fn open_partial(&self, id: OfferId, offer: &Offer) -> Result<Sink, Trouble> {
        let partial = Partial::open(&self.root, &id.partial(), offer.mode, self.may_make())?;
        let partial = partial.ok_or(Trouble::Later)?;
        let claim = Claim::new(&self.room, 0)?;
        Ok(Sink::File { partial, claim })
    }
}

impl Sink {
    /// The hash of what there is, yet to be read; nothing if it is known.
    pub(crate) fn hashing(&self, limit: u64) -> Option<Hashing> {
        match self {
            Self::File { partial, .. } => Some(partial.hashing(limit)),
            Self::Output(_) => None,
        }
    }

    /// So many bytes are there, with this hash, of which `read` were found on the disk.
    pub(crate) fn have(&mut self, read: Option<Hashing>) -> (u64, blake3::Hash) {
        match (self, read) {
            (Self::File { partial, .. }, Some(read)) => {
                partial.found(read.done);
                (read.done, read.hash())
            }
            (Self::File { .. }, None) => (0, blake3::hash(b"")),
            (Self::Output(output), _) => (output.written, output.hasher.finalize()),
        }
    }

    /// Claims room for what is left of a file of this size.
    pub(crate) fn claim(&mut self, size: Option<u64>) -> Result<(), Refusal> {
        match self {
            Self::File { partial, claim } => {
                let left = size.unwrap_or(0).saturating_sub(partial.have());
                claim.add(left)
            }
            Self::Output(_) => Ok(()),
        }
    }

    /// Begins after so many bytes of those that are there.
    pub(crate) fn start(&mut self, from: u64) -> Result<(), Refusal> {
        match self {
            Self::File { partial, claim } => {
                // What is there and is not kept is written again.
                claim.add(partial.have().saturating_sub(from))?;
                partial.keep(from).map_err(|error| Refusal::io(&error))
            }
            Self::Output(output) if output.written == from => Ok(()),
            // What is written cannot be taken back.
            Self::Output(_) => Err(Refusal::Contents),
        }
    }

    /// Adds bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        match self {
            Self::File { partial, claim } => {
                claim.write(bytes.len() as u64)?;
                partial.write(bytes)
            }
            Self::Output(output) => output.to.write_all(bytes).map(|()| {
                output.hasher.update(bytes);
                output.written += bytes.len() as u64;
            }),
        }
        .map_err(|error| Refusal::io(&error))
    }

    /// Whether jobs on it wait for a program rather than for the disk.
    pub(crate) fn is_output(&self) -> bool {
        matches!(self, Self::Output(_))
    }

    /// Gives it its name, after it was checked.
    pub(crate) fn finish(
        self,
        (receiver, place): (&Receiver, Option<&Place>),
        offer: &Offer,
    ) -> Result<Option<Stamp>, Refusal> {
        let io = |error| Refusal::unnamed(&error);
        match (self, &receiver.to, place) {
            (
                Self::File {
                    partial,
                    claim: _claim,
                },
                To::Folder(inbox),
                Some(place),
            ) => {
                let how = (offer.modified, offer.mode);
                let stamp = partial.finish(place, how, inbox.taking.overwrite);
                stamp.map(Some).map_err(io)
            }
            (Self::Output(mut output), ..) => output.to.flush().map(|()| None).map_err(io),
            (Self::File { .. }, ..) => Ok(None),
        }
    }

    /// Discards what came.
    pub(crate) fn discard(self) {
        if let Self::File { partial, .. } = self {
            partial.discard();
        }
    }
}
