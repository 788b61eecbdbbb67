//! The sending side: one file, and all of them.

use std::collections::VecDeque;
use std::sync::Arc;

use noq::{RecvStream, SendStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::timeout;

use super::dealt::Dealer;
use super::{Session, next_id};
use crate::error::{Broken, Why};
use crate::event::{Arrived, Event, Id};
use crate::network::{DEADLINE, LANES, STREAM_WINDOW};
use crate::source::{Contents, Item, Piece, Pieces, Reading};
use crate::wire::frame::{read, send};
use crate::wire::message::{End, MAX_LANES, Reply, Start};

/// Files under way at a time, if they are small: each of them waits for two round trips.
const AT_ONCE: u32 = 16;
/// Of large ones, fewer: they would only be late all together.
const LARGE_AT_ONCE: u32 = 2;
/// Bytes of a large file.
const LARGE: u64 = 8 << 20;
/// However many files of which size there are, each has its lanes: none waits for those of others, which might
/// wait for its.
const _: () = assert!(LARGE / STREAM_WINDOW as u64 <= (LANES / AT_ONCE) as u64);
const _: () = assert!(LARGE_AT_ONCE * MAX_LANES as u32 <= LANES);

/// How it ended.
enum Given {
    Arrived(Option<Arrived>),
    Failed(Why),
}

/// Files that are sent, and what has become of them.
#[derive(Debug, Default)]
pub(crate) struct Giving {
    /// What is not there yet. What is under way stays here.
    pub(crate) left: VecDeque<Arc<Item>>,
    pub(crate) done: usize,
    pub(crate) failed: usize,
}

impl Giving {
    pub(crate) fn new(items: Vec<Item>) -> Self {
        Self {
            left: items.into_iter().map(Arc::new).collect(),
            done: 0,
            failed: 0,
        }
    }
}

/// Sends all files that are left, several at a time. What has ended is not left any more, even if the
/// connection breaks.
pub(crate) async fn give_all(session: &Arc<Session>, giving: &mut Giving) -> Result<(), Broken> {
    let permits = Arc::new(Semaphore::new(AT_ONCE as usize));
    let mut under_way = JoinSet::new();
    for item in giving.left.clone() {
        let (session, permits) = (session.clone(), permits.clone());
        let is_large = item.size().is_none_or(|size| size >= LARGE);
        let weight = if is_large { AT_ONCE / LARGE_AT_ONCE } else { 1 };
        under_way.spawn(async move {
            // Nobody closes it.
            let _permit = permits.acquire_many(weight).await;
            let given = give(&session, &item).await;
            (item, given)
        });
    }
    while let Some(ended) = under_way.join_next().await {
        let (item, given) = ended.map_err(|_| Broken::Stream)?;
        match given? {
            Given::Arrived(_) => giving.done += usize::from(!item.is_folder()),
            Given::Failed(_) => giving.failed += 1,
        }
        giving.left.retain(|left| !Arc::ptr_eq(left, &item));
        session.pulse.beat();
    }
    Ok(())
}

async fn give(session: &Session, item: &Item) -> Result<Given, Broken> {
    let id = next_id();
    let path = item.path.to_string();
    let given = run(session, item, id).await;
    match &given {
        Ok(Given::Arrived(Some(arrived))) => session.tell(Event::Done(id, arrived.clone())),
        Ok(Given::Arrived(None)) => {}
        Ok(Given::Failed(why)) => session.tell(Event::Failed {
            id,
            path,
            why: why.clone(),
        }),
        Err(_) => session.tell(Event::Failed {
            id,
            path,
            why: Why::Broken,
        }),
    }
    given
}

async fn run(session: &Session, item: &Item, id: Id) -> Result<Given, Broken> {
    let (mut sender, mut stream) = session.connection.open_bi().await?;
    let offer = item.offer();
    if !item.is_folder() {
        let (path, size) = (offer.path.clone(), offer.size);
        session.tell(Event::Offered {
            id,
            peer: session.peer,
            path,
            size,
        });
    }
    send(&mut sender, &offer).await?;
    let mut reading = Count::default();
    let (bytes, theirs, whole) = loop {
        match read(&mut stream).await? {
            Reply::Reading(done) => reading.rise(session, done),
            Reply::Have { bytes, hash, whole } => break (bytes, blake3::Hash::from(hash), whole),
            Reply::Done => return Ok(Given::Arrived(None)),
            Reply::No(refusal) => return Ok(Given::Failed(refusal.clean().into())),
            Reply::Written(_) => return Err(Broken::Nonsense),
        }
    };
    let (from, hasher) = match start(session, item, bytes, theirs).await {
        Ok(start) => start,
        Err(why) => {
            let _ = sender.reset(0_u32.into());
            return Ok(Given::Failed(why));
        }
    };
    send(&mut sender, &Start { from }).await?;
    let arrived = |size, hash| Arrived {
        peer: session.peer,
        path: item.path.to_string(),
        place: None,
        size,
        hash,
        resumed_from: from,
    };
    if whole && from == bytes {
        // It has the same file. Nothing is left to be sent.
        return match read(&mut stream).await? {
            Reply::Done => Ok(Given::Arrived(Some(arrived(bytes, theirs)))),
            Reply::No(refusal) => Ok(Given::Failed(refusal.clean().into())),
            _ => Err(Broken::Nonsense),
        };
    }
    let pieces = match &item.contents {
        Contents::File(file) => file.pieces(from, hasher),
        Contents::Pipe(pipe) => pipe.pieces(from, hasher),
        Contents::Folder => return Err(Broken::Nonsense),
    };
    let lanes = lanes(item.size().map(|size| size - from));
    let streams = (&mut sender, &mut stream);
    match transfer(session, item, id, streams, (pieces, lanes)).await? {
        Ok((size, hash)) => Ok(Given::Arrived(Some(arrived(size, hash)))),
        Err(why) => Ok(Given::Failed(why)),
    }
}

/// Over how many lanes so many bytes go: as many as they would fill.
fn lanes(bytes: Option<u64>) -> u8 {
    let filled = bytes.map_or(u64::MAX, |bytes| bytes / u64::from(STREAM_WINDOW));
    u8::try_from(filled).unwrap_or(MAX_LANES).min(MAX_LANES)
}

/// Counts what the peer says, which is progress if it is more than before.
#[derive(Default)]
struct Count(u64);

impl Count {
    fn rise(&mut self, session: &Session, to: u64) {
        if to > self.0 {
            self.0 = to;
            session.pulse.beat();
        }
    }
}

/// From where to start, and the hash of what is before: the receiver's bytes may be others.
async fn start(
    session: &Session,
    item: &Item,
    bytes: u64,
    theirs: blake3::Hash,
) -> Result<(u64, blake3::Hasher), Why> {
    let ours = match &item.contents {
        Contents::File(file) if bytes <= file.size => {
            let _one = session.hashing.acquire().await;
            let (file, pulse) = (file.clone(), session.pulse.clone());
            let go_on: Reading = Box::new(move |_| {
                pulse.beat();
                true
            });
            let read = spawn_blocking(move || file.prefix(bytes, &go_on)).await;
            read.map_err(|error| Why::Source(error.to_string()))??
        }
        Contents::Pipe(pipe) => pipe.prefix(bytes),
        _ => None,
    };
    Ok(match ours {
        Some(ours) if ours.finalize() == theirs => (bytes, ours),
        _ => (0, blake3::Hasher::new()),
    })
}

type Whole = (u64, blake3::Hash);

/// Sends the pieces, until the receiver gives its verdict.
async fn transfer(
    session: &Session,
    item: &Item,
    id: Id,
    (sender, stream): (&mut SendStream, &mut RecvStream),
    (mut pieces, lanes): (Pieces, u8),
) -> Result<Result<Whole, Why>, Broken> {
    let (ended, mut end) = mpsc::channel(1);
    let writing = async {
        let mut dealer = Dealer::open(&session.connection, sender, lanes).await?;
        loop {
            let end = match pieces.recv().await {
                Some(Piece::Data(data)) => {
                    dealer.send(data).await?;
                    continue;
                }
                Some(Piece::End { size, hash }) => Ok((size, hash)),
                Some(Piece::Failed(why)) => Err(why),
                None => Err(Why::Broken),
            };
            let last = match &end {
                Ok((size, hash)) => End::Whole {
                    size: *size,
                    hash: (*hash).into(),
                },
                Err(_) => End::Changed,
            };
            // Known before the receiver can answer to it.
            let _ = ended.send(end).await;
            let sender = dealer.end().await?;
            send(sender, &last).await?;
            let _ = sender.finish();
            return Ok::<_, Broken>(());
        }
    };
    let reading = async {
        let (mut written, mut checked) = (Count::default(), Count::default());
        loop {
            match read(stream).await? {
                Reply::Reading(done) => checked.rise(session, done),
                Reply::Written(bytes) => {
                    written.rise(session, bytes);
                    session.progress(id, bytes);
                    if let Contents::Pipe(pipe) = &item.contents {
                        pipe.release(bytes);
                    }
                }
                Reply::Done => return Ok(None),
                Reply::No(refusal) => return Ok::<_, Broken>(Some(refusal.clean())),
                Reply::Have { .. } => return Err(Broken::Nonsense),
            }
        }
    };
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
    Ok(match (verdict, end.try_recv()) {
        (_, Ok(Err(why))) => Err(why),
        (Some(refusal), _) => Err(refusal.into()),
        (None, Ok(Ok(whole))) => Ok(whole),
        // It cannot have what was not sent yet.
        (None, Err(_)) => return Err(Broken::Nonsense),
    })
}
