//! The receiving side of many small files, and folders, on one stream.

use std::sync::Arc;

use crate::name::shown_bytes;
use noq::{RecvStream, SendStream};
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;

use super::crew::LOOK;
use super::take::Taken;
use super::target::Receiver;
use super::{Session, next_id};
use crate::error::{Broken, Why};
use crate::event::{Arrived, Event, Id};
use crate::folder::{Claim, Come, Group, OfferId, Small, Stored};
use crate::path::RelativePath;
use crate::wire::frame::{fill_some, read, send};
use crate::wire::message::{
    Answer, Answers, Body, MAX_ANSWERS, MAX_FILES, Offer, Refusal, Verdict, Verdicts,
};

/// Files that are stored together at most.
const TOGETHER: usize = 64;
/// Bytes of them that have come and are not stored yet.
const AHEAD: usize = 1 << 19;

/// A file of the batch that is wanted, or compared.
struct Wanted {
    id: Id,
    small: Arc<Small>,
    bytes: Option<u64>,
}

/// A file of the batch as it arrives; without a body if its sender could not read it.
struct Arrival {
    wanted: Wanted,
    body: Option<([u8; 32], Option<Vec<u8>>)>,
    /// Keeps room for its bytes.
    _room: Option<OwnedSemaphorePermit>,
}

struct Taking<'a> {
    session: &'a Session,
    receiver: &'a Arc<Receiver>,
    tell: &'a UnboundedSender<Taken>,
    /// Counts that were not told yet.
    taken: Taken,
}

/// Receives the small files and folders that are offered.
pub(super) async fn take_batch(
    session: &Session,
    receiver: &Arc<Receiver>,
    (mut sender, mut stream): (SendStream, RecvStream),
    offers: Vec<Offer>,
    tell: &UnboundedSender<Taken>,
) -> Result<(), Broken> {
    let mut taking = Taking {
        session,
        receiver,
        tell,
        taken: Taken::default(),
    };
    let (wanted, claim) = taking.answer(&mut sender, offers).await?;
    if let Some(claim) = claim
        && !wanted.is_empty()
    {
        let (arrivals, queue) = mpsc::channel(MAX_FILES);
        let reading = receive((session, receiver), &mut stream, wanted, arrivals);
        let storing = taking.store(&mut sender, claim, queue);
        let (read, stored) = tokio::join!(reading, storing);
        read.and(stored)?;
    }
    let _ = sender.finish();
    Ok(())
}

/// Receives bodies in their order, no faster than they are stored.
async fn receive(
    (session, receiver): (&Session, &Arc<Receiver>),
    stream: &mut RecvStream,
    wanted: Vec<Wanted>,
    arrivals: mpsc::Sender<Arrival>,
) -> Result<(), Broken> {
    let ahead = Arc::new(Semaphore::new(AHEAD));
    for wanted in wanted {
        let mut room = None;
        let body = read(stream).await?;
        let Wanted { id, small, .. } = &wanted;
        if !receiver.register.had_small(small.id) {
            session.offered(*id, small.path.to_string(), small.offer.size);
        }
        let body = match body {
            Body::Changed => None,
            Body::Whole(proof) => {
                let mut bytes = None;
                if let Some(size) = wanted.bytes {
                    let permits = ahead.clone().acquire_many_owned(size as u32).await;
                    // Nobody closes it.
                    room = permits.ok();
                    let whole = bytes_of((session, receiver), stream, &wanted, size).await?;
                    bytes = Some(whole);
                }
                Some((proof, bytes))
            }
        };
        let arrival = Arrival {
            wanted,
            body,
            _room: room,
        };
        if arrivals.send(arrival).await.is_err() {
            return Err(Broken::Stream);
        }
    }
    Ok(())
}

/// Receives the bytes of a file. What comes slowly is kept as a part of it until all of it is there.
async fn bytes_of(
    (session, receiver): (&Session, &Arc<Receiver>),
    stream: &mut RecvStream,
    Wanted { id, small, .. }: &Wanted,
    size: u64,
) -> Result<Vec<u8>, Broken> {
    let mut whole = vec![0; size as usize];
    let (mut have, mut kept) = (0, 0);
    while have < whole.len() {
        let more = fill_some(stream, &mut whole[have..]).await?;
        session.share.take(more);
        have += more;
        if have == whole.len() {
            break;
        }
        let (keeper, file, bytes) = (receiver.clone(), small.clone(), whole[kept..have].to_vec());
        let keep = move || keeper.keep(&file, kept as u64, &bytes);
        if session.desk.run(keep).await? {
            kept = have;
        }
        if receiver.register.rose(small.id, have as u64) {
            session.pulse.beat();
        }
        session.progress(*id, have as u64);
    }
    if kept > 0 {
        let (keeper, file) = (receiver.clone(), small.clone());
        session.desk.run(move || keeper.let_go(&file)).await?;
    }
    Ok(whole)
}

impl Taking<'_> {
    /// Answers the offers. Gives those that are wanted, and their room.
    async fn answer(
        &mut self,
        sender: &mut SendStream,
        offers: Vec<Offer>,
    ) -> Result<(Vec<Wanted>, Option<Claim>), Broken> {
        let small = |offer: Offer| match RelativePath::parse(&offer.path) {
            Ok(path) => Ok(Arc::new(Small {
                path,
                id: OfferId::of(&self.session.peer, &offer),
                guess: OfferId::of_guess(&self.session.peer, &offer),
                offer,
            })),
            Err(_) => Err(offer),
        };
        let parsed: Vec<Result<Arc<Small>, Offer>> = offers.into_iter().map(small).collect();
        let sound: Vec<Arc<Small>> = parsed.iter().flatten().cloned().collect();
        let receiver = self.receiver.clone();
        let look = move || receiver.look(&sound);
        let (looked, claim) = match self.session.desk.run_until(look).await? {
            Ok(looked) => looked,
            Err(refusal) => {
                let all = parsed.iter().flatten().map(|_| Answer::No(refusal.clone()));
                (all.collect(), None)
            }
        };
        let mut looked = looked.into_iter();
        let (mut wanted, mut answers) = (Vec::new(), Vec::new());
        for small in parsed {
            let (small, answer) = match small {
                Ok(small) => (Ok(small), looked.next().ok_or(Broken::Stream)?),
                Err(offer) => (Err(offer), Answer::No(Refusal::Path)),
            };
            match (&answer, small) {
                (Answer::Want | Answer::Compare, Ok(small)) => {
                    let bytes = matches!(answer, Answer::Want).then_some(small.offer.size);
                    wanted.push(Wanted {
                        id: next_id(),
                        small,
                        bytes: bytes.flatten(),
                    });
                }
                (Answer::There, _) => self.taken.ended += 1,
                (Answer::No(refusal), small) => {
                    let path = match &small {
                        Ok(small) => &small.offer.path,
                        Err(offer) => &offer.path,
                    };
                    self.fail(next_id(), path, refusal.clone());
                }
                _ => {}
            }
            answers.push(answer);
        }
        for some in answers.chunks(MAX_ANSWERS) {
            send(sender, &Answers(some.to_vec())).await?;
        }
        self.tell();
        Ok((wanted, claim))
    }

    fn tell(&mut self) {
        // Nobody waits for it if the connection is lost.
        let _ = self.tell.send(std::mem::take(&mut self.taken));
    }

    fn fail(&mut self, id: Id, path: &[u8], refusal: Refusal) {
        self.taken.refused += 1;
        self.taken.ended += 1;
        let why = Why::at_receiver(refusal);
        self.session.failed(id, shown_bytes(path), why);
    }

    /// Stores files as they come, and says what has become of them.
    async fn store(
        &mut self,
        sender: &mut SendStream,
        mut claim: Claim,
        mut queue: mpsc::Receiver<Arrival>,
    ) -> Result<(), Broken> {
        let mut waiting = Vec::new();
        loop {
            if waiting.is_empty() && queue.recv_many(&mut waiting, TOGETHER).await == 0 {
                return Ok(());
            }
            let mut places = self.receiver.places(waiting.len()).await;
            let mut arrivals: Vec<Arrival> = waiting.drain(..places.count()).collect();
            let mut files = Vec::new();
            for arrival in &mut arrivals {
                if let Some((proof, bytes)) = arrival.body.take() {
                    let file = arrival.wanted.small.clone();
                    files.push((file, proof, bytes));
                    arrival.body = Some((proof, None));
                }
            }
            let come = |(file, proof, bytes)| Come { file, proof, bytes };
            let mut group = Group {
                files: files.into_iter().map(come).collect::<Vec<_>>().into_iter(),
                claim,
                stored: Vec::new(),
            };
            loop {
                let receiver = self.receiver.clone();
                let store = move || {
                    receiver.store(&mut group);
                    group
                };
                group = self.session.desk.run(store).await?;
                if group.files.as_slice().is_empty() {
                    break;
                }
                // Too many files are open: others are going to be closed.
                sleep(LOOK).await;
            }
            claim = group.claim;
            let mut stored = group.stored.into_iter();
            let mut verdicts = Vec::new();
            for arrival in arrivals {
                let stored = match arrival.body {
                    None => Stored::No(Refusal::Changed),
                    Some(_) => stored.next().ok_or(Broken::Stream)?,
                };
                verdicts.push(self.end(arrival.wanted, stored));
            }
            places.use_up(self.taken.files);
            // They are there, even if the sender is never told.
            let mut sent = Ok(());
            for some in verdicts.chunks(MAX_ANSWERS) {
                sent = sent.and(send(sender, &Verdicts(some.to_vec())).await);
            }
            self.tell();
            sent?;
        }
    }

    /// Tells the fate of a file, and gives the verdict for its sender.
    fn end(&mut self, wanted: Wanted, stored: Stored) -> Verdict {
        let Wanted { id, small, bytes } = wanted;
        match stored {
            Stored::Done(hash) => {
                self.taken.ended += 1;
                if self.receiver.register.note_small(small.id) || bytes.is_some() {
                    self.taken.files += 1;
                    self.session.pulse.beat();
                    let size = small.offer.size.unwrap_or(0);
                    let arrived = Arrived {
                        peer: self.session.peer,
                        path: small.path.to_string(),
                        place: self.receiver.place(&small.path),
                        size,
                        hash,
                        resumed_from: if bytes.is_some() { 0 } else { size },
                    };
                    self.session.tell(Event::Done(id, arrived));
                }
                Verdict::Done(hash.into())
            }
            Stored::Differs => Verdict::Alone,
            Stored::No(refusal) => {
                self.fail(id, &small.offer.path, refusal.clone());
                Verdict::No(refusal)
            }
        }
    }
}
