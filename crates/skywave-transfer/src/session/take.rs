//! The receiving side of one file.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use noq::{RecvStream, SendStream};
use skywave_wire::name::shown;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::dealt::Dealt;
use super::lanes::File;
use super::target::{Found, Receiver, Sink};
use super::watch::{ticks, work};
use super::{Session, next_id};
use crate::error::{Broken, Why};
use crate::event::{Arrived, Event, Id};
use crate::folder::partial_name;
use crate::name::RelativePath;
use crate::network::DEADLINE;
use crate::wire::frame::{read, send};
use crate::wire::message::{End, Kind, Offer, Refusal, Reply, Start};

/// Chunks that have come and are not written yet.
const AHEAD: usize = 4;

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// A file is there.
    File,
    /// A folder is, or the sender only had not heard of a file.
    Nothing,
    /// It is not.
    Refused,
}

/// Why it is not there.
enum Stop {
    Broken(Broken),
    Refused(Refusal),
}

impl<E: Into<Broken>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::Broken(error.into())
    }
}

/// One file of a session.
struct Taking<'a> {
    session: &'a Session,
    receiver: &'a Arc<Receiver>,
    offer: Arc<Offer>,
    path: RelativePath,
    id: Id,
    file: &'a File,
}

/// Receives the file that the peer offers on a stream, and maybe sends over lanes.
pub(crate) async fn take(
    session: &Session,
    receiver: &Arc<Receiver>,
    (mut sender, mut stream): (SendStream, RecvStream),
    file: &File,
) -> Result<Taken, Broken> {
    let offer: Offer = timeout(DEADLINE, read(&mut stream))
        .await
        .map_err(|_| Broken::Late)??;
    let id = next_id();
    let name = partial_name(&session.peer, &offer);
    let result = match RelativePath::parse(&offer.path) {
        Err(_) => Err(Stop::Refused(Refusal::Path)),
        Ok(path) => {
            let taking = Taking {
                session,
                receiver,
                offer: Arc::new(offer.clone()),
                path,
                id,
                file,
            };
            if let Some((size, hash)) = taking.known(&name) {
                // The sender is told again; nobody else is.
                let again = taking.replace(&mut sender, &mut stream, size, hash).await;
                again.map(|arrived| (arrived.resumed_from < size).then_some(arrived))
            } else {
                let end = receiver.register.take_over(&name);
                tokio::select! {
                    _ = end => Err(Stop::Broken(Broken::Replaced)),
                    taken = taking.run(&mut sender, &mut stream) => taken,
                }
            }
        }
    };
    match result {
        Ok(None) => {
            send(&mut sender, &Reply::Done).await?;
            let _ = sender.finish();
            Ok(Taken::Nothing)
        }
        Ok(Some(arrived)) => {
            receiver.register.note(&name, arrived.size, arrived.hash);
            session.pulse.beat();
            session.tell(Event::Done(id, arrived));
            // The file is there, even if the sender is never told.
            let _ = send(&mut sender, &Reply::Done).await;
            let _ = sender.finish();
            Ok(Taken::File)
        }
        Err(Stop::Refused(refusal)) => {
            let why = match &refusal {
                Refusal::Changed => Why::Changed,
                other => Why::Refused(other.clone()),
            };
            session.tell(Event::Failed {
                id,
                path: shown(&offer.path),
                why,
            });
            let _ = stream.stop(0_u32.into());
            send(&mut sender, &Reply::No(refusal)).await?;
            let _ = sender.finish();
            Ok(Taken::Refused)
        }
        Err(Stop::Broken(broken)) => {
            session.tell(Event::Failed {
                id,
                path: shown(&offer.path),
                why: Why::Broken,
            });
            Err(broken)
        }
    }
}

impl Taking<'_> {
    /// Size and hash of the file, if this process has received it already. Nothing for empty ones.
    fn known(&self, name: &str) -> Option<(u64, blake3::Hash)> {
        let (size, hash) = self.receiver.register.had(name)?;
        let found = self.receiver.place(&self.path)?.symlink_metadata().ok()?;
        (size > 0 && found.is_file() && found.len() == size).then_some((size, hash))
    }

    async fn run(
        &self,
        sender: &mut SendStream,
        stream: &mut RecvStream,
    ) -> Result<Option<Arrived>, Stop> {
        if self.offer.kind == Kind::File {
            self.session.tell(Event::Offered {
                id: self.id,
                peer: self.session.peer,
                path: shown(&self.offer.path),
                size: self.offer.size,
            });
        }
        let found = {
            let _one = self.session.hashing.acquire().await;
            let (receiver, peer) = (self.receiver.clone(), self.session.peer);
            let (offer, path) = (self.offer.clone(), self.path.clone());
            work(sender, move |watch| {
                receiver.find(&peer, &offer, &path, watch)
            })
            .await?
        };
        match found.map_err(Stop::Refused)? {
            Found::Folder => Ok(None),
            Found::Stopped => Err(Stop::Broken(Broken::Stream)),
            Found::Whole(bytes, hash) => self.replace(sender, stream, bytes, hash).await.map(Some),
            Found::Part(sink, bytes, hash) => {
                let have = Reply::Have {
                    bytes,
                    hash: hash.into(),
                    whole: false,
                };
                send(sender, &have).await?;
                let Start { from } = read(stream).await?;
                if from > bytes {
                    return Err(Stop::Broken(Broken::Nonsense));
                }
                self.receive(sender, stream, sink, from).await.map(Some)
            }
        }
    }

    /// There is a file of this name and size. The sender says whether it is the same.
    async fn replace(
        &self,
        sender: &mut SendStream,
        stream: &mut RecvStream,
        bytes: u64,
        hash: blake3::Hash,
    ) -> Result<Arrived, Stop> {
        send(
            sender,
            &Reply::Have {
                bytes,
                hash: hash.into(),
                whole: true,
            },
        )
        .await?;
        let Start { from } = read(stream).await?;
        if from == bytes && self.offer.size == Some(bytes) {
            return Ok(self.arrived(bytes, hash, bytes));
        }
        if from != 0 {
            return Err(Stop::Broken(Broken::Nonsense));
        }
        let (receiver, peer, offer) =
            (self.receiver.clone(), self.session.peer, self.offer.clone());
        let sink = work(sender, move |watch| receiver.replace(&peer, &offer, watch));
        let sink = sink.await?.map_err(Stop::Refused)?;
        let sink = sink.ok_or(Stop::Broken(Broken::Stream))?;
        self.receive(sender, stream, sink, 0).await
    }

    /// Receives the bytes after the first `from`.
    async fn receive(
        &self,
        sender: &mut SendStream,
        stream: &mut RecvStream,
        mut sink: Sink,
        from: u64,
    ) -> Result<Arrived, Stop> {
        sink.start(from).map_err(Stop::Refused)?;
        let (chunks, mut queue) = mpsc::channel::<Vec<u8>>(AHEAD);
        let written = Arc::new(AtomicU64::new(from));
        let count = written.clone();
        let writing = spawn_blocking(move || {
            while let Some(chunk) = queue.blocking_recv() {
                sink.write(&chunk)?;
                count.fetch_add(chunk.len() as u64, Ordering::Relaxed);
            }
            Ok(sink)
        });
        let mut left = self.offer.size.map(|size| size.saturating_sub(from));
        let reading = async {
            let mut dealt = Dealt::open(stream, async |count| self.file.lanes(count).await).await?;
            loop {
                let chunk = dealt.read().await?;
                self.session.share.take(chunk.len());
                if chunk.is_empty() {
                    return Ok::<_, Broken>(Some(read::<End>(dealt.own).await?));
                }
                if let Some(left) = &mut left {
                    *left = left
                        .checked_sub(chunk.len() as u64)
                        .ok_or(Broken::Nonsense)?;
                }
                // The disk does not take it.
                if chunks.send(chunk).await.is_err() {
                    return Ok(None);
                }
            }
        };
        let mut reading = Box::pin(reading);
        let mut ticks = ticks();
        let mut told = from;
        let end = loop {
            tokio::select! {
                end = &mut reading => break end,
                _ = ticks.tick() => {
                    let now = written.load(Ordering::Relaxed);
                    if now > told {
                        told = now;
                        self.progress(now);
                        send(sender, &Reply::Written(now)).await?;
                    }
                }
            }
        };
        drop(reading);
        drop(chunks);
        // What has come is written, whatever happened to the connection.
        let sink = writing
            .await
            .map_err(|_| Broken::Stream)?
            .map_err(Stop::Refused)?;
        let end = end?;
        let written = written.load(Ordering::Relaxed);
        self.progress(written);
        let (size, hash) = match end {
            Some(End::Whole { size, hash }) if size == written => (size, blake3::Hash::from(hash)),
            Some(End::Whole { .. }) => return Err(Stop::Broken(Broken::Nonsense)),
            Some(End::Changed) => {
                sink.discard();
                return Err(Stop::Refused(Refusal::Changed));
            }
            None => return Err(Stop::Broken(Broken::Stream)),
        };
        if self.offer.size.is_some_and(|offered| offered != size) {
            return Err(Stop::Broken(Broken::Nonsense));
        }
        send(sender, &Reply::Written(written)).await?;
        let _one = self.session.hashing.acquire().await;
        let (receiver, offer, path) =
            (self.receiver.clone(), self.offer.clone(), self.path.clone());
        let finish = move |watch: &_| sink.finish(&receiver, (&offer, &path), (size, hash), watch);
        if !work(sender, finish).await?.map_err(Stop::Refused)? {
            return Err(Stop::Broken(Broken::Stream));
        }
        Ok(self.arrived(size, hash, from))
    }

    fn progress(&self, bytes: u64) {
        self.session.pulse.beat();
        self.session.progress(self.id, bytes);
    }

    fn arrived(&self, size: u64, hash: blake3::Hash, resumed_from: u64) -> Arrived {
        Arrived {
            peer: self.session.peer,
            path: shown(&self.offer.path),
            place: self.receiver.place(&self.path),
            size,
            hash,
            resumed_from,
        }
    }
}
