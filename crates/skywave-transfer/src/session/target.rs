//! Where files go: into a folder, or one of them to where a program reads it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use skywave_wire::key::PublicKey;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::watch::Watch;
use crate::error::Error;
use crate::folder::{self, Claim, Inbox, Partial, Place, Register, Taking, There, partial_name};
use crate::name::RelativePath;
use crate::wire::message::{Kind, Offer, Refusal};

/// How long a transfer that is taken over may need to let go of its file.
const LETTING_GO: Duration = Duration::from_secs(60);

/// Where files go.
pub enum Target {
    /// Into a folder.
    Folder(PathBuf, Taking),
    /// The contents of one file to a program.
    Output(Box<dyn Write + Send>),
}

/// The same, when it is open.
pub(crate) struct Receiver {
    pub(crate) register: Register,
    to: To,
}

enum To {
    Folder(Inbox),
    Output(Arc<Mutex<Output>>),
}

/// A file that is written to where it cannot be read again.
pub(crate) struct Output {
    to: Box<dyn Write + Send>,
    /// Which file it is.
    name: Option<String>,
    written: u64,
    hasher: blake3::Hasher,
}

/// What there is of a file that is offered.
pub(crate) enum Found {
    /// All of it, under its name, or at least as many bytes.
    Whole(u64, blake3::Hash),
    /// Its first bytes, maybe none.
    Part(Sink, u64, blake3::Hash),
    /// A folder, which is made.
    Folder,
    /// Nobody waits for it any more.
    Stopped,
}

/// What takes the bytes of a file.
pub(crate) enum Sink {
    File { partial: Partial, claim: Claim },
    Output(OwnedMutexGuard<Output>),
}

impl Target {
    pub(crate) fn open(self) -> Result<Receiver, Error> {
        let to = match self {
            Self::Folder(path, taking) => To::Folder(Inbox::open(&path, taking)?),
            Self::Output(to) => {
                let output = Output {
                    to,
                    name: None,
                    written: 0,
                    hasher: blake3::Hasher::new(),
                };
                To::Output(Arc::new(Mutex::new(output)))
            }
        };
        Ok(Receiver {
            register: Register::default(),
            to,
        })
    }
}

impl Receiver {
    /// Where a file will be.
    pub(crate) fn place(&self, path: &RelativePath) -> Option<PathBuf> {
        match &self.to {
            To::Folder(inbox) => Some(inbox.path.join(Path::new(path.as_str()))),
            To::Output(_) => None,
        }
    }

    /// Looks what there is of a file, and claims room for the rest. May take long.
    pub(crate) fn find(
        &self,
        peer: &PublicKey,
        offer: &Offer,
        path: &RelativePath,
        watch: &Watch,
    ) -> Result<Found, Refusal> {
        match &self.to {
            To::Folder(inbox) => inbox.find(peer, offer, path, watch),
            To::Output(output) => find_output(output, peer, offer, watch),
        }
    }

    /// An empty partial file for what is going to replace another file.
    pub(crate) fn replace(
        &self,
        peer: &PublicKey,
        offer: &Offer,
        watch: &Watch,
    ) -> Result<Option<Sink>, Refusal> {
        match &self.to {
            To::Folder(inbox) => inbox.replace(peer, offer, watch),
            To::Output(_) => Err(Refusal::One),
        }
    }
}

/// Waits for somebody who was told to let go.
fn wait_for<T>(
    watch: &Watch,
    mut get: impl FnMut() -> Result<Option<T>, Refusal>,
) -> Result<Option<T>, Refusal> {
    let deadline = Instant::now() + LETTING_GO;
    loop {
        if let Some(got) = get()? {
            return Ok(Some(got));
        }
        if watch.is_stopped() {
            return Ok(None);
        }
        if Instant::now() > deadline {
            return Err(Refusal::Busy);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn find_output(
    output: &Arc<Mutex<Output>>,
    peer: &PublicKey,
    offer: &Offer,
    watch: &Watch,
) -> Result<Found, Refusal> {
    if offer.kind == Kind::Folder {
        return Err(Refusal::One);
    }
    let name = partial_name(peer, offer);
    let got = wait_for(watch, || Ok(output.clone().try_lock_owned().ok()))?;
    let Some(mut output) = got else {
        return Ok(Found::Stopped);
    };
    if output.name.get_or_insert_with(|| name.clone()) != &name {
        return Err(Refusal::One);
    }
    let (have, hash) = (output.written, output.hasher.finalize());
    Ok(Found::Part(Sink::Output(output), have, hash))
}

impl Inbox {
    fn find(
        &self,
        peer: &PublicKey,
        offer: &Offer,
        path: &RelativePath,
        watch: &Watch,
    ) -> Result<Found, Refusal> {
        let io = |error: std::io::Error| Refusal::io(&error);
        if path.is_hidden() && !self.taking.hidden {
            return Err(Refusal::Hidden);
        }
        if offer.kind == Kind::Folder {
            folder::make_folder(&self.root, path).map_err(io)?;
            return Ok(Found::Folder);
        }
        // Before any folder is made for it.
        Claim::new(&self.room, 0)?;
        let place = Place::open(&self.root, path).map_err(io)?;
        match place.look().map_err(io)? {
            There::File(size) if offer.size == Some(size) => {
                let file = place.read().map_err(io)?;
                let found = folder::hash(file, size, &mut |done| watch.tell(done)).map_err(io)?;
                return Ok(found.map_or(Found::Stopped, |(size, hash)| Found::Whole(size, hash)));
            }
            There::Nothing => {}
            _ if self.taking.overwrite => {}
            _ => return Err(Refusal::Exists),
        }
        let name = partial_name(peer, offer);
        let open = || Partial::open(&self.root, &name, offer.mode).map_err(io);
        let Some(mut partial) = wait_for(watch, open)? else {
            return Ok(Found::Stopped);
        };
        let limit = offer.size.unwrap_or(u64::MAX);
        let hash = partial
            .recover(limit, &mut |done| watch.tell(done))
            .map_err(io)?;
        let Some(hash) = hash else {
            return Ok(Found::Stopped);
        };
        let have = partial.have();
        let claim = Claim::new(&self.room, offer.size.map_or(0, |size| size - have))?;
        Ok(Found::Part(Sink::File { partial, claim }, have, hash))
    }

    fn replace(
        &self,
        peer: &PublicKey,
        offer: &Offer,
        watch: &Watch,
    ) -> Result<Option<Sink>, Refusal> {
        if !self.taking.overwrite {
            return Err(Refusal::Exists);
        }
        let name = partial_name(peer, offer);
        let open =
            || Partial::open(&self.root, &name, offer.mode).map_err(|error| Refusal::io(&error));
        let partial = wait_for(watch, open)?;
        let claim = Claim::new(&self.room, offer.size.unwrap_or(0))?;
        Ok(partial.map(|partial| Sink::File { partial, claim }))
    }
}

impl Sink {
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

    /// Checks all of it, as it is on the disk, and gives it its name. False if nobody waits any more.
    pub(crate) fn finish(
        self,
        receiver: &Receiver,
        (offer, path): (&Offer, &RelativePath),
        (size, hash): (u64, blake3::Hash),
        watch: &Watch,
    ) -> Result<bool, Refusal> {
        let io = |error: std::io::Error| Refusal::io(&error);
        match (self, &receiver.to) {
            (
                Self::File {
                    mut partial,
                    claim: _claim,
                },
                To::Folder(inbox),
            ) => {
                // More than there should be is found, too.
                let limit = size.saturating_add(1);
                let found = partial
                    .recover(limit, &mut |done| watch.tell(done))
                    .map_err(io)?;
                let Some(found) = found else { return Ok(false) };
                if (partial.have(), found) != (size, hash) {
                    partial.discard();
                    return Err(Refusal::Contents);
                }
                let place = Place::open(&inbox.root, path).map_err(io)?;
                let finished =
                    partial.finish(&place, (offer.modified, offer.mode), inbox.taking.overwrite);
                finished.map_err(|error| match error.kind() {
                    std::io::ErrorKind::AlreadyExists => Refusal::Exists,
                    _ => Refusal::io(&error),
                })?;
            }
            (Self::Output(mut output), _) => {
                output.to.flush().map_err(io)?;
                if (output.written, output.hasher.finalize()) != (size, hash) {
                    return Err(Refusal::Contents);
                }
            }
            (Self::File { .. }, To::Output(_)) => {}
        }
        Ok(true)
    }

    /// What came is worth nothing.
    pub(crate) fn discard(self) {
        if let Self::File { partial, .. } = self {
            partial.discard();
        }
    }
}
