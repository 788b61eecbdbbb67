//! The sending side of a transfer.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

use super::hash::hash;
use super::message::{self, Answer, Hash, Misheard, Offer, Refused};
use crate::endpoint::{Failed, Refusal, Status};
use crate::key::PublicKey;
use crate::name::MAX_NAME;
use crate::node::{self, Node, Stream};

/// After this time in a blackout a new connection is tried beside the old one: the receiver may have
/// been started anew. At once if it seems to say so.
const RECONNECT_AFTER: Duration = Duration::from_secs(10);
/// Time between two attempts to connect to a receiver that is not there any more.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);

/// How a file is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendOptions {
    /// Where the receiver is.
    pub to: SocketAddr,
    /// Who it is.
    pub key: PublicKey,
    /// Once the receiver has answered, there may be no progress for this long, however often it
    /// answers.
    pub patience: Duration,
}

/// A file, with the name that it shall have.
#[derive(Debug)]
pub struct FileOffer {
    file: File,
    pub(super) offer: Offer,
}

/// A file that the receiver has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its size in bytes.
    pub size: u64,
    /// Its hash.
    pub hash: Hash,
    /// Bytes that the receiver had before.
    pub resumed_from: u64,
    /// How often the transfer was started.
    pub starts: u32,
}

/// Progress of a transfer, as it is reported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SendStep {
    /// This many bytes of the file are hashed.
    Hashing(u64),
    /// Waits for the receiver to answer; somebody in its place has refused, which may mean nothing.
    Connecting(Option<Refusal>),
    /// The receiver has this many bytes.
    Sending(u64, Status),
}

/// Why a file was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The file cannot be read.
    #[error("{0}")]
    File(#[from] io::Error),
    /// It is not a file, or has no name that can be told.
    #[error("{0}")]
    NoFile(&'static str),
    /// The file has changed while it was sent.
    #[error("the file has changed while it was sent")]
    Changed,
    /// The connection has failed.
    #[error(transparent)]
    Node(#[from] node::Error),
    /// The receiver does not take it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The peer says something else.
    #[error("the peer does not receive files")]
    Nonsense,
    /// There was no progress for longer than [`SendOptions::patience`].
    #[error("no progress for too long; the same command goes on from there")]
    Away,
    /// Told to stop.
    #[error("given up")]
    Stopped,
}

impl From<Misheard> for SendError {
    fn from(error: Misheard) -> Self {
        match error {
            Misheard::Node(error) => Self::Node(error),
            Misheard::Nonsense => Self::Nonsense,
            Misheard::Stopped => Self::Stopped,
        }
    }
}

impl FileOffer {
    /// Opens and hashes a file; it shall have `name`, or its own. `step` is told of progress and says
    /// whether to go on.
    ///
    /// # Errors
    /// When it cannot be read or is no file.
    pub fn open(
        path: &Path,
        name: Option<&str>,
        step: &mut dyn FnMut(SendStep) -> bool,
    ) -> Result<Self, SendError> {
        // Does not wait for the other end of a pipe.
        let mut options = OpenOptions::new();
        let options = options
            .read(true)
            .custom_flags(OFlags::NONBLOCK.bits() as i32);
        let file = options.open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(SendError::NoFile("not a regular file"));
        }
        let own = path.file_name().and_then(|name| name.to_str());
        let name = name.or(own);
        let name = name.ok_or(SendError::NoFile("its name is no text: give one"))?;
        if name.len() > MAX_NAME {
            return Err(SendError::NoFile("its name is longer than 255 bytes"));
        }
        let size = metadata.len();
        let hashed = hash(&file, size, |done| step(SendStep::Hashing(done)))?;
        let (read, hash) = hashed.ok_or(SendError::Stopped)?;
        // Some files have more in them than they say.
        if read != size || (&file).read(&mut [0])? > 0 {
            return Err(SendError::Changed);
        }
        let name = name.to_owned();
        Ok(Self {
            file,
            offer: Offer { name, size, hash },
        })
    }

    /// The name that it shall have.
    pub fn name(&self) -> &str {
        &self.offer.name
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.offer.size
    }

    /// Its hash.
    pub fn hash(&self) -> Hash {
        self.offer.hash
    }
}

/// Sends a file; goes on where it was interrupted. `step` is told of progress and says whether to go on.
///
/// # Errors
/// When the receiver does not answer at first, is away for too long later, or does not take the file.
pub fn send(
    node: &Node,
    offer: &mut FileOffer,
    options: &SendOptions,
    step: &mut dyn FnMut(SendStep) -> bool,
) -> Result<Sent, SendError> {
    let mut next = None;
    let mut starts = 0;
    let mut had = None;
    let mut heard = None;
    loop {
        let stream = match next.take() {
            Some(stream) => stream,
            None => node.begin(options.to, options.key)?,
        };
        let mut attempt = Attempt {
            node,
            options,
            preamble: 0,
            dark_since: None,
            other: None,
            heard: &mut heard,
            best: u64::MAX,
            had: &mut had,
            step,
        };
        let error = match attempt.run(&stream, offer) {
            Ok(()) => {
                return Ok(Sent {
                    size: offer.size(),
                    hash: offer.hash(),
                    resumed_from: had.unwrap_or(0),
                    starts: starts + 1,
                });
            }
            Err(error) => error,
        };
        next = attempt.other.take().filter(Stream::is_open);
        if matches!(error, SendError::Node(node::Error::Failed(Failed::GivenUp))) {
            // Only a receiver that has answered can give up, and it may do so before this thread has
            // seen the connection open.
            heard.get_or_insert_with(Instant::now);
        }
        starts += u32::from(heard.is_some());
        if next.is_some() {
            continue;
        }
        let away = matches!(
            error,
            SendError::Node(node::Error::Failed(
                // A refusal is not authenticated, so it does not end a transfer whose receiver has
                // answered before.
                Failed::GivenUp | Failed::Idle | Failed::NoAnswer | Failed::Refused(_)
            ))
        );
        let Some(heard) = heard.filter(|_: &Instant| away) else {
            return Err(error);
        };
        if heard.elapsed() > options.patience {
            return Err(SendError::Away);
        }
        pause(step)?;
    }
}

/// Waits before the next attempt.
fn pause(step: &mut dyn FnMut(SendStep) -> bool) -> Result<(), SendError> {
    let until = Instant::now() + RETRY_INTERVAL;
    while Instant::now() < until {
        if !step(SendStep::Connecting(None)) {
            return Err(SendError::Stopped);
        }
        std::thread::sleep(super::TICK);
    }
    Ok(())
}

/// One connection's work.
struct Attempt<'a> {
    node: &'a Node,
    options: &'a SendOptions,
    /// Bytes before those of the file.
    preamble: u64,
    dark_since: Option<Instant>,
    /// A connection that is tried because this one is dark.
    other: Option<Stream>,
    /// When the receiver first answered, or there was progress last; never yet.
    heard: &'a mut Option<Instant>,
    /// Most bytes that the receiver was known to have over this connection, once it has said.
    best: u64,
    /// Bytes that the receiver had when it was first heard of.
    had: &'a mut Option<u64>,
    step: &'a mut dyn FnMut(SendStep) -> bool,
}

impl Attempt<'_> {
    fn run(&mut self, stream: &Stream, offer: &mut FileOffer) -> Result<(), SendError> {
        match self.talk(stream, offer) {
            Err(SendError::Stopped) if self.is_tired() => Err(SendError::Away),
            other => other,
        }
    }

    /// There was no progress for too long.
    fn is_tired(&self) -> bool {
        self.heard
            .is_some_and(|heard| heard.elapsed() > self.options.patience)
    }

    fn talk(&mut self, stream: &Stream, offer: &mut FileOffer) -> Result<(), SendError> {
        while !stream.wait_open(super::TICK)? {
            let refusal = stream.status().and_then(|status| status.refusal);
            if self.is_tired() || !(self.step)(SendStep::Connecting(refusal)) {
                return Err(SendError::Stopped);
            }
        }
        self.heard.get_or_insert_with(Instant::now);
        let go_on = |attempt: &mut Self| attempt.goes_on(stream, SendStep::Connecting(None));
        let message = offer.offer.write();
        self.preamble = message.len() + message::start(0).len();
        message.send(stream, &mut || go_on(self))?;
        let from = match Answer::read(stream, &mut || go_on(self))? {
            Answer::Complete => {
                self.had.get_or_insert(offer.size());
                return Ok(());
            }
            Answer::No(refused) => return Err(refused.into()),
            Answer::Have { bytes, hash } => self.first_new(offer, bytes, hash)?,
        };
        self.had.get_or_insert(from);
        self.best = from;
        message::start(from).send(stream, &mut || go_on(self))?;
        offer.file.seek(SeekFrom::Start(from))?;
        let mut buffer = vec![0; super::CHUNK];
        let mut sent = from;
        while sent < offer.size() && !stream.is_readable() {
            let most = usize::try_from(offer.size() - sent);
            let most = most.map_or(buffer.len(), |left| left.min(buffer.len()));
            let n = offer.file.read(&mut buffer[..most])?;
            if n == 0 {
                return Err(SendError::Changed);
            }
            sent += n as u64;
            self.send_all(stream, &buffer[..n], from)?;
        }
        if sent == offer.size() {
            stream.close();
        }
        let verdict = Answer::read(stream, &mut || {
            self.goes_on(stream, self.sending(stream, from))
        })?;
        match verdict {
            Answer::Complete => Ok(()),
            Answer::No(refused) => Err(refused.into()),
            Answer::Have { .. } => Err(SendError::Nonsense),
        }
    }

    /// The first byte that the receiver does not have: it may have others than these.
    fn first_new(
        &mut self,
        offer: &mut FileOffer,
        bytes: u64,
        theirs: Hash,
    ) -> Result<u64, SendError> {
        if bytes > offer.size() {
            return Err(SendError::Nonsense);
        }
        offer.file.rewind()?;
        let ours = hash(&offer.file, bytes, |n| (self.step)(SendStep::Hashing(n)))?;
        let (_, ours) = ours.ok_or(SendError::Stopped)?;
        Ok(if ours == theirs { bytes } else { 0 })
    }

    fn send_all(&mut self, stream: &Stream, mut bytes: &[u8], from: u64) -> Result<(), SendError> {
        while !bytes.is_empty() && !stream.is_readable() {
            let taken = stream.send(bytes, super::TICK)?;
            bytes = &bytes[taken.unwrap_or(0)..];
            if !self.goes_on(stream, self.sending(stream, from)) {
                return Err(SendError::Stopped);
            }
        }
        Ok(())
    }

    /// The progress, by the bytes that the receiver is known to have.
    fn sending(&self, stream: &Stream, from: u64) -> SendStep {
        let status = stream.status().unwrap_or_default();
        // The offer and the start come before the bytes.
        let bytes = status.acknowledged.saturating_sub(self.preamble);
        SendStep::Sending(from + bytes, status)
    }

    /// Tells of progress; tries another connection while this one is dark. False: this one is given up.
    fn goes_on(&mut self, stream: &Stream, step: SendStep) -> bool {
        if let SendStep::Sending(bytes, _) = step
            && bytes > self.best
        {
            self.best = bytes;
            *self.heard = Some(Instant::now());
        }
        if !(self.step)(step) || self.is_tired() {
            return false;
        }
        let status = stream.status().unwrap_or_default();
        if !status.in_blackout && !status.doubted {
            (self.dark_since, self.other) = (None, None);
            return true;
        }
        let since = *self.dark_since.get_or_insert_with(Instant::now);
        let due = status.doubted || since.elapsed() > RECONNECT_AFTER;
        if due && self.other.as_ref().is_none_or(has_failed) {
            self.other = self.node.begin(self.options.to, self.options.key).ok();
        }
        !self.other.as_ref().is_some_and(Stream::is_open)
    }
}

fn has_failed(stream: &Stream) -> bool {
    stream.failure().is_some()
}
