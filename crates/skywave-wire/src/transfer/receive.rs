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
use crate::key::PublicKey;
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
    /// Told to stop; what has come is kept.
    #[error("given up")]
    Stopped,
}

/// As the receiver sees it.
fn describe(refused: &Refused) -> String {
    match refused {
        Refused::Name => "refused: not the name of a file in a folder".to_owned(),
        Refused::Exists => "refused: there is a file of this name with other contents".to_owned(),
        Refused::Busy => "refused: another sender is sending the same contents".to_owned(),
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
    pub(super) registry: &'a Registry,
}

/// Receives the file that the peer offers. `step` is told of progress and says whether to go on.
pub(super) fn receive(
    stream: &Arc<Stream>,
    peer: PublicKey,
    place: &Place<'_>,
    step: &mut dyn FnMut(Option<Step>) -> bool,
) -> Result<Received, ReceiveError> {
    let offer = Offer::read(stream, &mut || step(None))?;
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

fn take(
    stream: &Arc<Stream>,
    peer: PublicKey,
    place: &Place<'_>,
    offer: &Offer,
    step: &mut dyn FnMut(Option<Step>) -> bool,
) -> Result<Received, ReceiveError> {
    if !is_plain(&offer.name) {
        return Err(ReceiveError::Refused(Refused::Name));
    }
    let path = place.dir.join(&offer.name);
    let received = |resumed_from| Received {
        path: path.clone(),
        from: peer,
        size: offer.size,
        hash: offer.hash,
        resumed_from,
    };
    // Hashing may take long: whoever takes the transfer over meanwhile does not wait for it.
    let mut goes_on = |_: u64| step(None) && stream.failure().is_none();
    let partial = partial::path(place.dir, &offer.hash);
    if is_complete(&path, offer, &mut goes_on)? {
        partial::tidy(&partial);
        return Ok(received(offer.size));
    }
    if !place.overwrite && fs::symlink_metadata(&path).is_ok() {
        return Err(ReceiveError::Refused(Refused::Exists));
    }
    let ours = Arc::downgrade(stream);
    if !place.registry.take_over(&partial, peer, ours) {
        return Err(ReceiveError::Refused(Refused::Busy));
    }
    let mut partial = open(&partial, &mut || goes_on(0))?;
    // An older transfer may have finished while it was to let go.
    if is_complete(&path, offer, &mut goes_on)? {
        partial.discard();
        return Ok(received(offer.size));
    }
    if !partial.recover(offer.size, &mut goes_on)? {
        return Err(ReceiveError::Stopped);
    }
    let have = Answer::Have {
        bytes: partial.have(),
        hash: partial.hash(),
    };
    have.write().send(stream, &mut || step(None))?;
    let from = message::read_start(stream, &mut || step(None))?;
    if from == 0 && partial.have() > 0 {
        partial.clear()?;
    } else if from != partial.have() {
        return Err(ReceiveError::Nonsense);
    }
    let mut buffer = vec![0; super::CHUNK];
    loop {
        step(Some(Step::Have(partial.have())));
        match message::receive(stream, &mut buffer, &mut || step(None))? {
            0 => break,
            n if n as u64 > offer.size - partial.have() => return Err(ReceiveError::Nonsense),
            n => partial.write(&buffer[..n])?,
        }
    }
    if partial.have() < offer.size {
        return Err(ReceiveError::Nonsense);
    }
    if partial.hash() != offer.hash {
        partial.discard();
        return Err(ReceiveError::Refused(Refused::Contents));
    }
    match partial.finish(&path, place.overwrite) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(ReceiveError::Refused(Refused::Exists))
        }
        other => Ok(other.map(|()| received(from))?),
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

/// A name in a folder, and nothing else; not that of a partial file.
fn is_plain(name: &str) -> bool {
    let bad = |c: char| c.is_control() || c == '/' || c == '\\';
    let names_nothing = name.is_empty() || name == "." || name == "..";
    !names_nothing && !name.chars().any(bad) && !name.starts_with(partial::PREFIX)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_folder() {
        for name in ["a", "a b.txt", "ä", ".profile", "..."] {
            assert!(is_plain(name), "{name}");
        }
        for name in [
            "",
            ".",
            "..",
            "a/b",
            "/etc/passwd",
            "..\\x",
            "a\nb",
            ".skywave-x.part",
        ] {
            assert!(!is_plain(name), "{name:?}");
        }
    }
}
