//! The sending side of many small files, and folders, on one stream.

use std::future::pending;

use bytes::Bytes;
use noq::{PathId, RecvStream, SendStream};
use skywave_quic::Silence;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, sleep};

use super::crew::{LETTING_GO, LOOK};
use super::give::{End, Given};
use super::{Session, next_id};
use crate::error::{Broken, Why};
use crate::event::{Arrived, Event, Id};
use crate::source::Contents;
use crate::trouble::is_crowded;
use crate::wire::frame::{put, read, send};
use crate::wire::message::{Answer, Answers, Body, Open, Verdict, Verdicts, proof};

/// Files that are read at once, and their bytes, about.
const TOGETHER: usize = 64;
const BYTES: u64 = 1 << 19;

/// A file that the receiver wants, or has one to compare with.
#[derive(Clone)]
struct Wanted {
    given: Given,
    id: Id,
    wants: bool,
}

/// Bytes and hash of a small file that was read, or why it is not sent.
type Read = Result<(Vec<u8>, blake3::Hash), Why>;
/// Size and hash of a small file, or why it is not sent.
type Known = Result<(u64, blake3::Hash), Why>;

struct Giving<'a> {
    session: &'a Session,
    ended: &'a UnboundedSender<End>,
}

/// Sends small files and folders. What has become of each is told as it is known.
pub(super) async fn give_batch(
    session: &Session,
    batch: &[Given],
    ended: &UnboundedSender<End>,
) -> Result<(), Broken> {
    let (mut sender, mut stream) = session.connection.open_bi().await?;
    let offers = batch.iter().map(|given| given.item().offer()).collect();
    send(&mut sender, &Open::Batch(offers)).await?;
    let giving = Giving { session, ended };
    let wanted = giving.answers(&mut stream, batch).await?;
    let (known, knows) = mpsc::unbounded_channel();
    let writing = giving.write(&mut sender, &wanted, known);
    let reading = giving.verdicts(&mut stream, &wanted, knows);
    tokio::select! {
        both = async { tokio::try_join!(writing, reading) } => both.map(drop),
        never = giving.flow() => never,
    }
}

impl Giving<'_> {
    fn end(&self, end: End) {
        // Nobody waits for it if the connection is lost.
        let _ = self.ended.send(end);
    }

    fn fail(&self, given: &Given, id: Id, why: Why) {
        let path = given.item().path().to_string();
        self.session.failed(id, path, why);
        self.end(End::Failed(given.number));
    }

    /// Notes that bytes go over: the receiver says nothing of a file before all of it is there.
    async fn flow<T>(&self) -> T {
        let mut heard = 0;
        loop {
            sleep(Silence::LOOK).await;
            let Some(path) = self.session.connection.path(PathId::ZERO) else {
                return pending().await;
            };
            let stats = path.stats();
            if stats.frame_rx.acks > heard {
                heard = stats.frame_rx.acks;
                // What is lost goes again in another frame.
                let flowed = stats.frame_tx.stream.saturating_sub(stats.lost_packets);
                self.session.pulse.flow(flowed);
            }
        }
    }

    async fn answers(
        &self,
        stream: &mut RecvStream,
        batch: &[Given],
    ) -> Result<Vec<Wanted>, Broken> {
        let (mut wanted, mut left) = (Vec::new(), batch.iter());
        while left.len() > 0 {
            let Answers(answers) = read(stream).await?;
            if answers.is_empty() || answers.len() > left.len() {
                return Err(Broken::Nonsense);
            }
            for (answer, given) in answers.into_iter().zip(&mut left) {
                let (item, id) = (given.item(), next_id());
                match answer {
                    Answer::There if item.is_folder() => self.end(End::Done(given.number)),
                    Answer::Want | Answer::Compare if !item.is_folder() => {
                        wanted.push(Wanted {
                            given: given.clone(),
                            id,
                            wants: answer == Answer::Want,
                        });
                    }
                    Answer::Alone if !item.is_folder() => self.end(End::Alone(given.number)),
                    Answer::No(refusal) => self.fail(given, id, refusal.clean().into()),
                    _ => return Err(Broken::Nonsense),
                }
            }
        }
        Ok(wanted)
    }

    /// Sends what is wanted.
    async fn write(
        &self,
        sender: &mut SendStream,
        wanted: &[Wanted],
        known: UnboundedSender<Known>,
    ) -> Result<(), Broken> {
        let mut left = wanted;
        while !left.is_empty() {
            let mut bytes = 0;
            let fits = |wanted: &&Wanted| {
                bytes += wanted.given.item().size().unwrap_or(0);
                bytes <= BYTES
            };
            let count = left.iter().take(TOGETHER).take_while(fits).count().max(1);
            let (group, rest) = left.split_at(count);
            left = rest;
            for Wanted { given, id, .. } in group {
                let item = given.item();
                let path = item.path().to_string();
                self.session.offered(*id, path, item.size());
            }
            let mut out = Vec::new();
            for (wanted, read) in group.iter().zip(self.read(group).await?) {
                match read {
                    Ok((bytes, hash)) => {
                        put(&mut out, &Body::Whole(proof(&hash)))?;
                        if wanted.wants {
                            out.extend_from_slice(&bytes);
                        }
                        let _ = known.send(Ok((bytes.len() as u64, hash)));
                    }
                    Err(why) => {
                        put(&mut out, &Body::Changed)?;
                        let _ = known.send(Err(why));
                    }
                }
            }
            sender.write_chunk(Bytes::from(out)).await?;
        }
        let _ = sender.finish();
        Ok(())
    }

    /// Reads files; some later, if too many files are open now.
    async fn read(&self, group: &[Wanted]) -> Result<Vec<Read>, Broken> {
        let late = Instant::now() + LETTING_GO;
        let mut done = Vec::new();
        while done.len() < group.len() {
            let rest = group[done.len()..].to_vec();
            let is_late = Instant::now() >= late;
            let job = move || {
                let mut read = Vec::new();
                for wanted in rest {
                    let item = wanted.given.item();
                    let Contents::File(file) = item.contents else {
                        break;
                    };
                    match file.read(&item.source()) {
                        Err(error) if is_crowded(&error) && !is_late => break,
                        Err(error) => read.push(Err(error.into())),
                        Ok(file) => read.push(file),
                    }
                }
                read
            };
            let read = self.session.desk.run(job).await?;
            if read.is_empty() {
                sleep(LOOK).await;
            }
            done.extend(read);
        }
        Ok(done)
    }

    async fn verdicts(
        &self,
        stream: &mut RecvStream,
        wanted: &[Wanted],
        mut known: UnboundedReceiver<Known>,
    ) -> Result<(), Broken> {
        let mut left = wanted.iter();
        while left.len() > 0 {
            let Verdicts(verdicts) = read(stream).await?;
            if verdicts.is_empty() || verdicts.len() > left.len() {
                return Err(Broken::Nonsense);
            }
            for (verdict, wanted) in verdicts.into_iter().zip(&mut left) {
                // It may give it before it is asked: then it guesses.
                let ours = known.recv().await.ok_or(Broken::Stream)?;
                self.judge(wanted, verdict, ours);
            }
        }
        Ok(())
    }

    fn judge(&self, wanted: &Wanted, verdict: Verdict, ours: Known) {
        let Wanted { given, id, wants } = wanted;
        let why = match (verdict, ours) {
            (_, Err(why)) => why,
            (Verdict::Done(theirs), Ok((size, hash))) if hash == theirs => {
                self.session.tell(Event::Done(
                    *id,
                    Arrived {
                        peer: self.session.peer,
                        path: given.item().path().to_string(),
                        place: None,
                        size,
                        hash,
                        resumed_from: if *wants { 0 } else { size },
                    },
                ));
                return self.end(End::Done(given.number));
            }
            (Verdict::Alone, _) => return self.end(End::Alone(given.number)),
            (Verdict::Done(_), _) => Why::NotShown,
            (Verdict::No(refusal), _) => refusal.clean().into(),
        };
        self.fail(given, *id, why);
    }
}
