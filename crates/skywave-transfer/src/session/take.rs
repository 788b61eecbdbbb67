//! The receiving side of a stream: of one file, or of many small ones.

use std::sync::Arc;

use crate::name::shown_bytes;
use noq::{RecvStream, SendStream};
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::dealt::Dealt;
use super::lanes::File;
use super::take_batch::take_batch;
use super::target::{Found, Receiver, Sink};
use super::{Session, Stop, next_id};
use crate::error::{Broken, Why};
use crate::event::{Arrived, Event, Id};
use crate::folder::{Known, OfferId};
use crate::hashing::Hashing;
use crate::network::DEADLINE;
use crate::path::RelativePath;
use crate::wire::frame::{read, send};
use crate::wire::message::{End, Kind, Offer, Open, Refusal, Reply, Start, proof};

/// Chunks that have come and are not written yet.
const AHEAD: usize = 4;
/// Between two words to the peer about progress.
const TICK: std::time::Duration = std::time::Duration::from_millis(250);

/// Counts of a stream's files, by their fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Files that are there.
    pub(crate) files: usize,
    /// Files that are not.
    pub(crate) refused: usize,
    /// Files and folders that need not be offered again.
    pub(crate) ended: u64,
}

impl Taken {
    const REFUSED: Self = Self {
        files: 0,
        refused: 1,
        ended: 1,
    };
}

/// One file of a session.
struct Taking<'a> {
    session: &'a Session,
    receiver: &'a Arc<Receiver>,
    offer: Arc<Offer>,
    path: RelativePath,
    id: Id,
    /// Identity of the file.
    of: OfferId,
    file: &'a File,
}

/// Receives what the peer offers on a stream, and maybe sends over lanes. What has become of it is told as it is known.
pub(crate) async fn take(
    session: &Session,
    receiver: &Arc<Receiver>,
    (sender, mut stream): (SendStream, RecvStream),
    file: &File,
    tell: &UnboundedSender<Taken>,
) -> Result<(), Broken> {
    let open = timeout(DEADLINE, read(&mut stream)).await;
    match open.map_err(|_| Broken::Late)?? {
        Open::File(offer) => {
            receiver.register.offered(&offer);
            let result = take_file(session, receiver, (sender, stream), (file, offer)).await;
            if let Ok(taken) | Err((_, Some(taken))) = &result {
                // Nobody waits for it if the connection is lost.
                let _ = tell.send(*taken);
            }
            result.map(drop).map_err(|(broken, _)| broken)
        }
        Open::Batch(offers) => {
            for offer in &offers {
                receiver.register.offered(offer);
            }
            take_batch(session, receiver, (sender, stream), offers, tell).await
        }
    }
}

type Failed = (Broken, Option<Taken>);

async fn take_file(
    session: &Session,
    receiver: &Arc<Receiver>,
    (mut sender, mut stream): (SendStream, RecvStream),
    (file, offer): (&File, Offer),
) -> Result<Taken, Failed> {
    let id = next_id();
    let shown = shown_bytes(&offer.path);
    let result = match RelativePath::parse(&offer.path) {
        _ if offer.kind != Kind::File => Err(Stop::Broken(Broken::Nonsense)),
        Err(_) => Err(Stop::Because(Refusal::Path)),
        Ok(path) => {
            let of = OfferId::of(&session.peer, &offer);
            let taking = Taking {
                session,
                receiver,
                offer: Arc::new(offer),
                path,
                id,
                of,
                file,
            };
            taking.run_unless_replaced(&mut sender, &mut stream).await
        }
    };
    match result {
        Ok((arrived, is_new)) => {
            let done = Reply::Done(arrived.hash.into());
            if is_new {
                session.pulse.beat();
                session.tell(Event::Done(id, arrived));
            }
            // The file is there, even if the sender is never told.
            let _ = send(&mut sender, &done).await;
            let _ = sender.finish();
            Ok(Taken {
                files: usize::from(is_new),
                refused: 0,
                ended: 1,
            })
        }
        Err(Stop::Because(refusal)) => {
            session.failed(id, shown, Why::at_receiver(refusal.clone()));
            let _ = stream.stop(0_u32.into());
            let told = send(&mut sender, &Reply::No(refusal)).await;
            let _ = sender.finish();
            told.map(|()| Taken::REFUSED)
                .map_err(|broken| (broken, None))
        }
        Err(Stop::Broken(broken)) => {
            let why = match broken {
                Broken::GivenUp => Why::GivenUp,
                Broken::PipeOver => Why::PipeOver,
                _ => Why::Broken,
            };
            session.failed(id, shown, why);
            let taken = match broken {
                // Of this file only.
                Broken::Stream | Broken::Late | Broken::GivenUp => Some(Taken::REFUSED),
                // What becomes of the file is told by the newer attempt.
                Broken::Replaced => Some(Taken {
                    refused: 0,
                    ..Taken::REFUSED
                }),
                Broken::Connection(_) | Broken::PipeOver | Broken::Nonsense => None,
            };
            Err((broken, taken))
        }
    }
}

impl Taking<'_> {
    /// Receives the file. True if it was not here before by the same offer.
    async fn run_unless_replaced(
        &self,
        sender: &mut SendStream,
        stream: &mut RecvStream,
    ) -> Result<(Arrived, bool), Stop<Refusal>> {
        if let Some(known) = self.receiver.known(self.of, &self.path) {
            // The sender is told again; nobody else is.
            let size = known.stamp.size;
            let again = self.compare(sender, stream, Ok((size, known.hash))).await?;
            let is_new = again.resumed_from < size;
            return Ok((again, is_new));
        }
        let end = self.receiver.register.take_over(self.of);
        tokio::select! {
            _ = end => Err(Stop::Broken(Broken::Replaced)),
            taken = self.run(sender, stream) => Ok((taken?, true)),
        }
    }

    async fn run(
        &self,
        sender: &mut SendStream,
        stream: &mut RecvStream,
    ) -> Result<Arrived, Stop<Refusal>> {
        let path = shown_bytes(&self.offer.path);
        self.session.offered(self.id, path, self.offer.size);
        let _open = self.session.desk.file().await?;
        let (receiver, offer) = (self.receiver.clone(), self.offer.clone());
        let (of, path, guess) = (self.of, self.path.clone(), self.guess());
        let find = move || receiver.find(of, &offer, &path, guess);
        let found = self.session.desk.run_until(find).await?;
        match found.map_err(Stop::Because)? {
            Found::Same(hashing) => self.compare(sender, stream, Err(hashing)).await,
            Found::Part(mut sink) => {
                let read = match sink.hashing(self.offer.size.unwrap_or(u64::MAX)) {
                    Some(hashing) => Some(self.hash(sender, hashing).await?),
                    None => None,
                };
                let (bytes, hash) = sink.have(read);
                sink.claim(self.offer.size).map_err(Stop::Because)?;
                self.receive(sender, stream, sink, (bytes, hash)).await
            }
        }
    }

    fn guess(&self) -> OfferId {
        OfferId::of_guess(&self.session.peer, &self.offer)
    }

    /// Hashes in its turn; the peer is told how far it is.
    async fn hash(
        &self,
        sender: &mut SendStream,
        mut hashing: Hashing,
    ) -> Result<Hashing, Stop<Refusal>> {
        let _one = self.session.desk.hashing().await?;
        let mut told = Instant::now();
        loop {
            let step = self.session.desk.run(move || {
                let ended = hashing.step();
                (hashing, ended)
            });
            let ended;
            (hashing, ended) = step.await?;
            if ended.map_err(|error| Stop::Because(Refusal::io(&error)))? {
                return Ok(hashing);
            }
            if told.elapsed() >= TICK {
                told = Instant::now();
                send(sender, &Reply::Reading(hashing.done)).await?;
            }
        }
    }

    /// Compares a file with one of this name and size that is there. The sender shows whether it knows its hash.
    async fn compare(
        &self,
        sender: &mut SendStream,
        stream: &mut RecvStream,
        there: Result<(u64, blake3::Hash), Hashing>,
    ) -> Result<Arrived, Stop<Refusal>> {
        send(sender, &Reply::Compare).await?;
        let (mut stamp, is_new) = (None, there.is_err());
        // Both sides read at the same time.
        let hash = async {
            match there {
                Ok(known) => Ok(known),
                Err(hashing) => {
                    let read = self.hash(sender, hashing).await?;
                    stamp = read.stamp().ok();
                    Ok((read.done, read.hash()))
                }
            }
        };
        let start = async { Ok::<_, Stop<Refusal>>(read(stream).await?) };
        let ((size, hash), start) = tokio::try_join!(hash, start)?;
        let Start::Same(theirs) = start else {
            return Err(Stop::Broken(Broken::Nonsense));
        };
        if self.offer.size == Some(size) && theirs == proof(&hash) {
            if is_new {
                self.receiver.places(1).await.use_up(1);
            }
            if let Some(stamp) = stamp {
                self.receiver.register.note(self.of, Known { hash, stamp });
            }
            return Ok(self.arrived(size, hash, size));
        }
        self.receiver.register.guessed_wrong(self.guess());
        let (receiver, of, offer) = (self.receiver.clone(), self.of, self.offer.clone());
        let replace = move || receiver.replace(of, &offer);
        let replace = self.session.desk.run_until(replace).await?;
        let mut sink = replace.map_err(Stop::Because)?;
        sink.claim(self.offer.size).map_err(Stop::Because)?;
        self.receive(sender, stream, sink, (0, blake3::hash(b"")))
            .await
    }

    /// Receives the bytes after those that are there.
    async fn receive(
        &self,
        sender: &mut SendStream,
        stream: &mut RecvStream,
        mut sink: Sink,
        (bytes, hash): (u64, blake3::Hash),
    ) -> Result<Arrived, Stop<Refusal>> {
        let hash = hash.into();
        send(sender, &Reply::Have { bytes, hash }).await?;
        let from = match read(stream).await? {
            Start::From(from) if from <= bytes => from,
            _ => return Err(Stop::Broken(Broken::Nonsense)),
        };
        sink.start(from).map_err(Stop::Because)?;
        let (chunks, queue) = mpsc::channel::<Vec<u8>>(AHEAD);
        let (count, written) = tokio::sync::watch::channel(from);
        let mut left = self.offer.size.map(|size| size.saturating_sub(from));
        let reading = async move {
            let mut dealt = Dealt::open(stream, async |count| self.file.lanes(count).await).await?;
            loop {
                let chunk = dealt.read().await?;
                self.session.share.take(chunk.len());
                if chunk.is_empty() {
                    return Ok::<_, Broken>(Some((read::<End>(dealt.own).await?, dealt.own)));
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
        // What has come is written, whatever happens to the connection.
        let both = async { tokio::join!(reading, self.write(sink, queue, &count)) };
        tokio::pin!(both);
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut told = from;
        let (end, sink) = loop {
            tokio::select! {
                ended = &mut both => break ended,
                _ = ticks.tick() => {
                    let now = *written.borrow();
                    if now > told {
                        told = now;
                        self.progress(now);
                        // If it is lost, so is what is read.
                        let _ = send(sender, &Reply::Written(now)).await;
                    }
                }
            }
        };
        let sink = sink?;
        let end = match end {
            Err(broken) if self.offer.size.is_none() && broken.is_over() => {
                // What came out of a pipe cannot be sent again.
                sink.discard();
                return Err(Broken::PipeOver.into());
            }
            end => end?,
        };
        let written = *written.borrow();
        self.progress(written);
        let (size, theirs) = match end {
            Some((End::Whole { size, proof }, _)) if size == written => (size, proof),
            Some((End::Whole { .. }, _)) => return Err(Stop::Broken(Broken::Nonsense)),
            Some((End::Changed, _)) => {
                sink.discard();
                return Err(Stop::Because(Refusal::Changed));
            }
            None => return Err(Stop::Broken(Broken::Stream)),
        };
        if self.offer.size.is_some_and(|offered| offered != size) {
            return Err(Stop::Broken(Broken::Nonsense));
        }
        send(sender, &Reply::Written(written)).await?;
        let hash = self.finish(sender, sink, (size, theirs)).await?;
        Ok(self.arrived(size, hash, from))
    }

    /// Writes chunks as they come.
    async fn write(
        &self,
        mut sink: Sink,
        mut queue: mpsc::Receiver<Vec<u8>>,
        count: &tokio::sync::watch::Sender<u64>,
    ) -> Result<Sink, Stop<Refusal>> {
        loop {
            let mut chunks = Vec::new();
            if queue.recv_many(&mut chunks, AHEAD).await == 0 {
                return Ok(sink);
            }
            let bytes: usize = chunks.iter().map(Vec::len).sum();
            let waits = sink.is_output();
            let write = move || {
                let written = chunks.iter().try_for_each(|chunk| sink.write(chunk));
                (sink, written)
            };
            let written;
            (sink, written) = if waits {
                // For a program, which may take its time: there is only one.
                let written = tokio::task::spawn_blocking(write).await;
                written.map_err(|_| Broken::Stream)?
            } else {
                self.session.desk.run(write).await?
            };
            written.map_err(Stop::Because)?;
            count.send_modify(|count| *count += bytes as u64);
        }
    }

    /// Checks all of it, as it is on the disk, and gives it its name.
    async fn finish(
        &self,
        sender: &mut SendStream,
        mut sink: Sink,
        (size, theirs): (u64, [u8; 32]),
    ) -> Result<blake3::Hash, Stop<Refusal>> {
        // More than there should be is found, too.
        let read = match sink.hashing(size.saturating_add(1)) {
            Some(hashing) => Some(self.hash(sender, hashing).await?),
            None => None,
        };
        let (found, hash) = sink.have(read);
        if (found, proof(&hash)) != (size, theirs) {
            sink.discard();
            return Err(Stop::Because(Refusal::Contents));
        }
        let mut place_left = self.receiver.places(1).await;
        let (receiver, offer, path) =
            (self.receiver.clone(), self.offer.clone(), self.path.clone());
        let enter = move || receiver.enter(&offer, &path);
        let place = self.session.desk.run_until(enter).await?;
        let place = place.map_err(Stop::Because)?;
        let (receiver, offer) = (self.receiver.clone(), self.offer.clone());
        let finish = move || sink.finish((&receiver, place.as_ref()), &offer);
        let stamp = self.session.desk.run(finish).await?;
        let stamp = stamp.map_err(Stop::Because)?;
        place_left.use_up(1);
        if let Some(stamp) = stamp {
            self.receiver.register.note(self.of, Known { hash, stamp });
        }
        Ok(hash)
    }

    /// Reports that `bytes` of this file are there: progress if there never were as many.
    fn progress(&self, bytes: u64) {
        if self.receiver.register.rose(self.of, bytes) {
            self.session.pulse.beat();
        }
        self.session.progress(self.id, bytes);
    }

    fn arrived(&self, size: u64, hash: blake3::Hash, resumed_from: u64) -> Arrived {
        Arrived {
            peer: self.session.peer,
            path: shown_bytes(&self.offer.path),
            place: self.receiver.place(&self.path),
            size,
            hash,
            resumed_from,
        }
    }
}
