//! The sending side of one file.

use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use noq::{RecvStream, SendStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::crew::{LETTING_GO, LOOK};
use super::dealt::Dealer;
use super::give::{Marks, hear, rose};
use super::{Session, Stop, next_id};
use crate::error::{Broken, Why};
use crate::event::{Arrived, Event, Id};
use crate::hashing::Hashing;
use crate::network::{DEADLINE, STREAM_WINDOW};
use crate::source::{Contents, Item, Piece, Pieces, Reader};
use crate::trouble::is_crowded;
use crate::wire::frame::{read, send};
use crate::wire::message::{End, GIVEN_UP, MAX_LANES, Open, Reply, Start, proof};

/// Where the bytes come from.
enum Feed {
    File(Box<Reader>),
    Pipe(Pieces),
}

/// A file under way.
struct Giving<'a> {
    session: &'a Session,
    item: &'a Item,
    id: Id,
    marks: &'a Marks,
}

/// Sends a file. True if the receiver has it.
pub(super) async fn give_file(
    session: &Session,
    item: &Item,
    marks: &Marks,
) -> Result<bool, Broken> {
    let giving = Giving {
        session,
        item,
        id: next_id(),
        marks,
    };
    let fail = |why| session.failed(giving.id, item.path().to_string(), why);
    match giving.run().await {
        Ok(arrived) => {
            session.tell(Event::Done(giving.id, arrived));
            Ok(true)
        }
        Err(Stop::Because(why)) => {
            fail(why);
            Ok(false)
        }
        Err(Stop::Broken(broken)) => {
            fail(Why::Broken);
            Err(broken)
        }
    }
}

impl Giving<'_> {
    async fn run(&self) -> Result<Arrived, Stop<Why>> {
        let (mut sender, mut stream) = self.session.connection.open_bi().await?;
        let offer = self.item.offer();
        let path = self.item.path().to_string();
        self.session.offered(self.id, path, offer.size);
        send(&mut sender, &Open::File(offer)).await?;
        // Known once this side has read all of it.
        let mut whole = None;
        loop {
            match read(&mut stream).await? {
                Reply::Reading(done) => self.hear(done),
                Reply::Compare if whole.is_none() => {
                    let hash =
                        or_take_back((&mut sender, &mut stream), self.hash_all().await).await?;
                    whole = Some(hash);
                    send(&mut sender, &Start::Same(proof(&hash))).await?;
                }
                Reply::Done(theirs) if whole.is_some_and(|ours| ours == theirs) => {
                    let size = self.item.size().unwrap_or(0);
                    return Ok(self.arrived((size, theirs.into()), size));
                }
                Reply::Done(_) => return Err(Stop::Because(Why::NotShown)),
                Reply::Have { bytes, hash } => {
                    let start = self.start(bytes, hash.into()).await;
                    let (from, feed) = or_take_back((&mut sender, &mut stream), start).await?;
                    send(&mut sender, &Start::From(from)).await?;
                    let whole = self
                        .transfer((&mut sender, &mut stream), feed, from)
                        .await?;
                    return Ok(self.arrived(whole, from));
                }
                Reply::No(refusal) => return Err(Stop::Because(refusal.clean().into())),
                Reply::Compare | Reply::Written(_) => return Err(Broken::Nonsense.into()),
            }
        }
    }

    fn hear(&self, done: u64) {
        // Of a pipe, as many bytes as were ever written may be there.
        let written = self.marks.written.load(Ordering::Relaxed);
        let size = self.item.size().unwrap_or(written);
        hear(self.session, &self.marks.checked, (done, size));
    }

    /// Opens the file; later, if too many files are open now.
    async fn open(&self) -> Result<Reader, Stop<Why>> {
        let Contents::File(file) = self.item.contents else {
            return Err(Broken::Nonsense.into());
        };
        let path = self.item.source();
        let late = Instant::now() + LETTING_GO;
        loop {
            let path = path.clone();
            let opened = self.session.desk.run(move || Reader::open(file, &path));
            match opened.await? {
                Ok(opened) => return opened.map_err(Stop::Because),
                Err(error) if is_crowded(&error) && Instant::now() < late => sleep(LOOK).await,
                Err(error) => return Err(Stop::Because(error.into())),
            }
        }
    }

    /// Hashes in its turn.
    async fn hash(&self, mut hashing: Hashing) -> Result<Hashing, Stop<Why>> {
        let _one = self.session.desk.hashing().await?;
        loop {
            let step = self.session.desk.run(move || {
                let ended = hashing.step();
                (hashing, ended)
            });
            let ended;
            (hashing, ended) = step.await?;
            if ended.map_err(|error| Stop::Because(error.into()))? {
                return Ok(hashing);
            }
            if rose(&self.marks.read, hashing.done) {
                self.session.pulse.beat();
            }
        }
    }

    async fn hash_all(&self) -> Result<blake3::Hash, Stop<Why>> {
        let mut reader = self.open().await?;
        let size = self.item.size().unwrap_or(0);
        let hashing = self.hash(reader.hashing(size)).await?;
        reader.go_on(hashing);
        loop {
            // To the end, which is here.
            let (next, read) = self.read(reader).await?;
            reader = next;
            if read.map_err(Stop::Because)?.is_empty() {
                break;
            }
        }
        match self.check(reader).await {
            Piece::End { hash, .. } => Ok(hash),
            Piece::Failed(why) => Err(Stop::Because(why)),
            Piece::Data(_) => Err(Broken::Nonsense.into()),
        }
    }

    async fn read(&self, mut reader: Reader) -> Result<(Reader, Result<Bytes, Why>), Broken> {
        let read = move || {
            let read = reader.next();
            (reader, read)
        };
        self.session.desk.run(read).await
    }

    /// The end of a file that was read to the end: it has to be the same file still.
    async fn check(&self, reader: Reader) -> Piece {
        let path = self.item.source();
        let look = move || {
            let same = reader.is_as_it_was(&path);
            (reader, same)
        };
        let Ok((reader, same)) = self.session.desk.run(look).await else {
            return Piece::Failed(Why::Broken);
        };
        let (end, size) = (reader.end(), self.item.size().unwrap_or(0));
        let Piece::End { hash, .. } = end else {
            return Piece::Failed(Why::Changed);
        };
        match same {
            Ok(Some(())) => end,
            // Its bytes may be others under the same time.
            Ok(None) => match self.hash(reader.hashing(size)).await {
                Ok(again) if again.done == size && again.hash() == hash => end,
                _ => Piece::Failed(Why::Changed),
            },
            Err(why) => Piece::Failed(why),
        }
    }

    /// From where to start, and what follows: the receiver's bytes may be others.
    async fn start(&self, bytes: u64, theirs: blake3::Hash) -> Result<(u64, Feed), Stop<Why>> {
        if let Contents::Pipe(pipe) = &self.item.contents {
            let ours = pipe.prefix(bytes);
            let same = ours.filter(|ours| ours.finalize() == theirs);
            let from = if same.is_some() { bytes } else { 0 };
            let feed = pipe.pieces(from, same.unwrap_or_default());
            return Ok((from, Feed::Pipe(feed)));
        }
        let mut reader = self.open().await?;
        if bytes > 0 && self.item.size().is_some_and(|size| bytes <= size) {
            let hashing = self.hash(reader.hashing(bytes)).await?;
            if hashing.done == bytes && hashing.hash() == theirs {
                reader.go_on(hashing);
                return Ok((bytes, Feed::File(Box::new(reader))));
            }
        }
        Ok((0, Feed::File(Box::new(reader))))
    }

    /// The next piece.
    async fn next(&self, feed: Feed) -> (Option<Feed>, Piece) {
        match feed {
            Feed::Pipe(mut pieces) => {
                let piece = pieces.recv().await;
                (
                    Some(Feed::Pipe(pieces)),
                    piece.unwrap_or(Piece::Failed(Why::Broken)),
                )
            }
            Feed::File(reader) => match self.read(*reader).await {
                Ok((reader, Ok(bytes))) if bytes.is_empty() => (None, self.check(reader).await),
                Ok((reader, Ok(bytes))) => (Some(Feed::File(Box::new(reader))), Piece::Data(bytes)),
                Ok((_, Err(why))) => (None, Piece::Failed(why)),
                Err(_) => (None, Piece::Failed(Why::Broken)),
            },
        }
    }

    /// Sends the pieces, until the receiver gives its verdict.
    async fn transfer(
        &self,
        (sender, stream): (&mut SendStream, &mut RecvStream),
        feed: Feed,
        from: u64,
    ) -> Result<(u64, blake3::Hash), Stop<Why>> {
        let (ended, mut end) = mpsc::channel(1);
        let sent = AtomicU64::new(from);
        let lanes = lanes(self.item.size().map(|size| size - from));
        let writing = async {
            let mut dealer = Dealer::open(&self.session.connection, sender, lanes).await?;
            let mut next = self.next(feed).await;
            let end = loop {
                match next {
                    (Some(feed), Piece::Data(data)) => {
                        sent.fetch_add(data.len() as u64, Ordering::Relaxed);
                        let dealt;
                        (dealt, next) = tokio::join!(dealer.send(data), self.next(feed));
                        dealt?;
                    }
                    (_, Piece::End { size, hash }) => break Ok((size, hash)),
                    (_, Piece::Failed(why)) => break Err(why),
                    (None, Piece::Data(_)) => break Err(Why::Broken),
                }
            };
            let last = match &end {
                Ok((size, hash)) => End::Whole {
                    size: *size,
                    proof: proof(hash),
                },
                Err(_) => End::Changed,
            };
            // Known before the receiver can answer to it.
            let _ = ended.send(end).await;
            let sender = dealer.end().await?;
            send(sender, &last).await?;
            let _ = sender.finish();
            Ok::<_, Broken>(())
        };
        let reading = self.verdict(stream, &sent);
        tokio::pin!(reading);
        let verdict = tokio::select! {
            biased;
            verdict = &mut reading => verdict?,
            written = writing => {
                let verdict = match written {
                    Ok(()) => reading.await,
                    // The receiver does not listen any more: it says why.
                    Err(broken @ Broken::Stream) => {
                        timeout(DEADLINE, reading).await.unwrap_or(Err(broken))
                    }
                    Err(broken) => Err(broken),
                };
                verdict?
            }
        };
        match (verdict, end.try_recv()) {
            (_, Ok(Err(why))) | (Err(why), _) => Err(Stop::Because(why)),
            (Ok(theirs), Ok(Ok((size, ours)))) if ours == theirs => Ok((size, ours)),
            // It cannot have what was not sent, or is something else.
            (Ok(_), _) => Err(Stop::Because(Why::NotShown)),
        }
    }

    /// The hash of what the receiver has, or why it has nothing.
    async fn verdict(
        &self,
        stream: &mut RecvStream,
        sent: &AtomicU64,
    ) -> Result<Result<blake3::Hash, Why>, Broken> {
        loop {
            match read(stream).await? {
                Reply::Reading(done) => self.hear(done),
                Reply::Written(bytes) if bytes <= sent.load(Ordering::Relaxed) => {
                    if rose(&self.marks.written, bytes) {
                        self.session.pulse.beat();
                    }
                    self.session.progress(self.id, bytes);
                    if let Contents::Pipe(pipe) = &self.item.contents {
                        pipe.release(bytes);
                    }
                }
                Reply::Done(hash) => return Ok(Ok(hash.into())),
                Reply::No(refusal) => return Ok(Err(refusal.clean().into())),
                Reply::Have { .. } | Reply::Compare | Reply::Written(_) => {
                    return Err(Broken::Nonsense);
                }
            }
        }
    }

    fn arrived(&self, (size, hash): (u64, blake3::Hash), resumed_from: u64) -> Arrived {
        Arrived {
            peer: self.session.peer,
            path: self.item.path().to_string(),
            place: None,
            size,
            hash,
            resumed_from,
        }
    }
}

/// Over how many lanes so many bytes go: as many as they would fill.
fn lanes(bytes: Option<u64>) -> u8 {
    let filled = bytes.map_or(u64::MAX, |bytes| bytes / u64::from(STREAM_WINDOW));
    u8::try_from(filled).unwrap_or(MAX_LANES).min(MAX_LANES)
}

/// A file that cannot be read is not offered any more.
async fn or_take_back<T>(
    (sender, stream): (&mut SendStream, &mut RecvStream),
    got: Result<T, Stop<Why>>,
) -> Result<T, Stop<Why>> {
    if let Err(Stop::Because(_)) = &got {
        let _ = sender.reset(GIVEN_UP.into());
        // Until the receiver ends its side: it has heard of it then, also if this was the last file.
        let heard = async { while read::<Reply>(stream).await.is_ok() {} };
        let _ = timeout(DEADLINE, heard).await;
    }
    got
}
