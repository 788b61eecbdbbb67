//! The receiving side of a transfer.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::hash::hash;
use super::message::{self, Answer, Hash, Misheard, Offer, Refused};
use super::partial::{self, Partial};
use super::registry::Registry;
use super::room::{Claim, NoRoom, Room};
use crate::key::PublicKey;
use crate::name::is_plain;
use crate::node::{self, Stream};

/// How long a transfer that is taken over may need to let go of its file: a slow disk has much to write
/// at the end.
const LETTING_GO: Duration = Duration::from_secs(60);
/// How long the receiver waits for the sender to hear of the end: some round trips of the slowest
/// networks. Whoever has not asks again.
const FAREWELL: Duration = Duration::from_secs(60);

/// A file that has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// Where it is.
    pub path: PathBuf,
    /// Who sent it.
    pub from: PublicKey,
    /// Its size in bytes.
    pub size: u64,
    /// Its hash.
    pub hash: Hash,
    /// Bytes that were there before.
    pub resumed_from: u64,
}

/// Why a file has not arrived.
#[derive(Debug, thiserror::Error)]
pub enum ReceiveError {
    /// The connection has failed; what has come is kept.
    #[error(transparent)]
    Node(#[from] node::Error),
    /// The file was not taken; the sender knows why.
    #[error("{}", describe(.0))]
    Refused(Refused),
    /// The peer says something else.
    #[error("the peer does not send files")]
    Nonsense,
    /// The peer did not say in time what it sends.
    #[error("no file was offered in time")]
    Late,
    /// Told to stop; what has come is kept.
    #[error("given up")]
    Stopped,
}

/// As the receiver sees it.
fn describe(refused: &Refused) -> String {
    match refused {
        Refused::Name => "refused: not the name of a file in a folder".to_owned(),
        Refused::Exists => "refused: there is a file of this name with other contents".to_owned(),
        Refused::Busy => "refused: the same file is being received already".to_owned(),
        Refused::Io(why) => why.clone(),
        Refused::Contents => "the contents are not those offered: all discarded".to_owned(),
    }
}

impl From<Misheard> for ReceiveError {
    fn from(error: Misheard) -> Self {
        match error {
            Misheard::Node(error) => Self::Node(error),
            Misheard::Nonsense => Self::Nonsense,
            Misheard::Stopped => Self::Stopped,
        }
    }
}

/// Progress of a transfer, as it is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Offered { name: String, size: u64 },
    Have(u64),
}

/// Where files go.
pub(super) struct Place<'a> {
    pub(super) dir: &'a Path,
    pub(super) overwrite: bool,
    /// Names may begin with a dot.
    pub(super) hidden: bool,
    pub(super) room: &'a Arc<Room>,
    /// How long a sender may take to offer its file.
    pub(super) offer_within: Duration,
    pub(super) registry: &'a Registry,
}

/// Receives the file that the peer offers. `step` is told of progress and says whether to go on.
pub(super) fn receive(
    stream: &Arc<Stream>,
    peer: PublicKey,
    place: &Place<'_>,
    step: &mut dyn FnMut(Option<Step>) -> bool,
) -> Result<Received, ReceiveError> {
    let deadline = Instant::now() + place.offer_within;
    let offer = match Offer::read(stream, &mut || step(None) && Instant::now() < deadline) {
        Err(Misheard::Stopped) if Instant::now() >= deadline => return Err(ReceiveError::Late),
        other => other?,
    };
    // A name that no file may have is not shown to anybody either.
    if is_plain(&offer.name) {
        let (name, size) = (offer.name.clone(), offer.size);
        step(Some(Step::Offered { name, size }));
    }
    match take(stream, peer, place, &offer, step) {
        Ok(received) => {
            // The file is there, even if the sender is never told.
            let done = Answer::Complete.write();
            let _ = done.send(stream, &mut || true);
            let _ = message::finish(stream, FAREWELL, &mut || step(None));
            Ok(received)
        }
        Err(ReceiveError::Refused(refused)) => {
            let no = Answer::No(refused.clone()).write();
            if no.send(stream, &mut || step(None)).is_ok() {
                let _ = message::finish(stream, FAREWELL, &mut || step(None));
            }
            Err(ReceiveError::Refused(refused))
        }
        Err(other) => Err(other),
    }
}

/// What there is of a file that is offered.
enum Found {
    /// All of it, under its name.
    Whole,
    /// Its first bytes, maybe none, and their hash.
    Part(Partial, Hash),
}

/// The file of one offer.
struct Taking<'a> {
    stream: &'a Arc<Stream>,
    peer: PublicKey,
    place: &'a Place<'a>,
    offer: &'a Offer,
    path: PathBuf,
}

/// Told of progress; says whether to go on.
type Told<'a> = &'a mut dyn FnMut(Option<Step>) -> bool;

fn take(
    stream: &Arc<Stream>,
    peer: PublicKey,
    place: &Place<'_>,
    offer: &Offer,
    step: Told<'_>,
) -> Result<Received, ReceiveError> {
    if !is_plain(&offer.name) || (offer.name.starts_with('.') && !place.hidden) {
        return Err(ReceiveError::Refused(Refused::Name));
    }
    let taking = Taking {
        stream,
        peer,
        place,
        offer,
        path: place.dir.join(&offer.name),
    };
    let resumed_from = match taking.find(step)? {
        Found::Whole => offer.size,
        Found::Part(partial, hash) => taking.fill(partial, hash, step)?,
    };
    Ok(Received {
        path: taking.path,
        from: peer,
        size: offer.size,
        hash: offer.hash,
        resumed_from,
    })
}

impl Taking<'_> {
    /// Reads files of this host, when no other one is read for it. Hashing may take long: whoever takes the
    /// transfer over meanwhile does not wait for it.
    fn read<T>(
        &self,
        step: Told<'_>,
        read: impl FnOnce(&mut dyn FnMut(u64) -> bool) -> Result<T, ReceiveError>,
    ) -> Result<T, ReceiveError> {
        let mut goes_on = |_: u64| step(None) && self.stream.failure().is_none();
        let turn = self.place.registry.turn(self.peer, || goes_on(0));
        let _turn = turn.ok_or(ReceiveError::Stopped)?;
        read(&mut goes_on)
    }

    /// Looks what there is of it.
    fn find(&self, step: Told<'_>) -> Result<Found, ReceiveError> {
        let place = partial::path(self.place.dir, &self.peer, self.offer);
        if self.read(step, |goes_on| is_complete(&self.path, self.offer, goes_on))? {
            partial::tidy(&place);
            return Ok(Found::Whole);
        }
        if !self.place.overwrite && fs::symlink_metadata(&self.path).is_ok() {
            return Err(ReceiveError::Refused(Refused::Exists));
        }
        // Before any file is made for it.
        drop(Claim::new(self.place.room, 0)?);
        let registry = self.place.registry;
        registry.take_over(&place, Arc::downgrade(self.stream));
        let mut partial = open(&place, &mut || {
            step(None) && self.stream.failure().is_none()
        })?;
        self.read(step, |goes_on| {
            // An older transfer may have finished while it was to let go.
            if is_complete(&self.path, self.offer, goes_on)? {
                partial.discard();
                return Ok(Found::Whole);
            }
            let hash = partial.recover(self.offer.size, goes_on)?;
            Ok(Found::Part(partial, hash.ok_or(ReceiveError::Stopped)?))
        })
    }

    /// Receives the rest. How many bytes of what there was were used.
    fn fill(&self, mut partial: Partial, hash: Hash, step: Told<'_>) -> Result<u64, ReceiveError> {
        let (stream, size) = (self.stream, self.offer.size);
        let mut claim = Claim::new(self.place.room, size - partial.have())?;
        let have = Answer::Have {
            bytes: partial.have(),
            hash,
        };
        have.write().send(stream, &mut || step(None))?;
        let from = message::read_start(stream, &mut || step(None))?;
        if from != 0 && from != partial.have() {
            return Err(ReceiveError::Nonsense);
        }
        // What is there and is not kept is written again.
        claim.add(partial.have() - from)?;
        partial.keep(from)?;
        let mut buffer = vec![0; super::CHUNK];
        loop {
            step(Some(Step::Have(partial.have())));
            match message::receive(stream, &mut buffer, &mut || step(None))? {
                0 => break,
                n if n as u64 > size - partial.have() => return Err(ReceiveError::Nonsense),
                n => {
                    claim.write(n as u64)?;
                    partial.write(&buffer[..n])?;
                }
            }
        }
        if partial.have() < size {
            return Err(ReceiveError::Nonsense);
        }
        self.finish(partial, step)?;
        Ok(from)
    }

    /// Gives the file its name. What counts is what is on the disk, whoever has written to it.
    fn finish(&self, mut partial: Partial, step: Told<'_>) -> Result<(), ReceiveError> {
        let hash = self.read(step, |goes_on| {
            // More than there should be is found, too.
            let limit = self.offer.size.saturating_add(1);
            partial
                .recover(limit, goes_on)?
                .ok_or(ReceiveError::Stopped)
        })?;
        if (partial.have(), hash) != (self.offer.size, self.offer.hash) {
            partial.discard();
            return Err(ReceiveError::Refused(Refused::Contents));
        }
        match partial.finish(&self.path, self.place.overwrite) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(ReceiveError::Refused(Refused::Exists))
            }
            other => Ok(other?),
        }
    }
}

/// The peer's old transfer needs a moment to let go.
fn open(path: &Path, go_on: message::GoOn<'_>) -> Result<Partial, ReceiveError> {
    let deadline = Instant::now() + LETTING_GO;
    loop {
        if let Some(partial) = Partial::open(path)? {
            return Ok(partial);
        }
        if !go_on() {
            return Err(ReceiveError::Stopped);
        }
        if Instant::now() > deadline {
            return Err(ReceiveError::Refused(Refused::Busy));
        }
        std::thread::sleep(super::TICK);
    }
}

/// Errors of the file system: the sender is told too.
impl From<io::Error> for ReceiveError {
    fn from(error: io::Error) -> Self {
        Self::Refused(Refused::Io(error.to_string()))
    }
}

/// The sender is told, too.
impl From<NoRoom> for ReceiveError {
    fn from(error: NoRoom) -> Self {
        Self::Refused(Refused::Io(error.to_string()))
    }
}

/// Whether the file with these contents is there.
fn is_complete(
    path: &Path,
    offer: &Offer,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<bool, ReceiveError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() && found.len() == offer.size => {
            let hashed = hash(File::open(path)?, offer.size, go_on)?;
            let (_, found) = hashed.ok_or(ReceiveError::Stopped)?;
            Ok(found == offer.hash)
        }
        Ok(_) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.into()),
    }
}
