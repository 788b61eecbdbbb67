//! The four things that two sides can do.

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use noq::{ConnectionError, VarInt};
use tokio::task::JoinSet;

use crate::error::Broken;
use crate::session::dial::dial;
use crate::session::door::{Door, Guest, Shut};
use crate::session::{Giving, Lanes, Receiver, Session, Taken, give_all, take};
use crate::wire::close::Close;
use crate::wire::frame;
use crate::wire::message::{Ready, Request};
use crate::{Dial, Error, Event, Host, Item, Listen, Outcome, Target, network, output, shown};

/// Connects and sends files.
///
/// # Errors
/// When the other side does not answer, is away for too long, or is another one. Files that cannot be
/// sent are no error: they are counted and told of.
pub async fn send(host: &Host, to: &Dial, items: Vec<Item>) -> Result<Outcome, Error> {
    let mut giving = Giving::new(items);
    dial(
        host,
        to,
        Request::Push,
        async |session: &Arc<Session>, _| give_all(session, &mut giving).await,
    )
    .await?;
    Ok(Outcome {
        done: giving.done,
        failed: giving.failed,
    })
}

/// Connects and gets files and folders of these names, or all that are offered.
///
/// # Errors
/// As [`send`]; when the target cannot be written to.
pub async fn get(
    host: &Host,
    from: &Dial,
    names: Vec<String>,
    into: Target,
) -> Result<Outcome, Error> {
    let receiver = Arc::new(into.open()?);
    let mut outcome = Outcome::default();
    dial(
        host,
        from,
        Request::Pull(names),
        async |session: &Arc<Session>, ready: Ready| {
            // Those that are refused are refused again after a new connection.
            outcome.failed = 0;
            take_all(
                session,
                &receiver,
                Some(ready.items),
                &mut |taken| match taken {
                    Taken::File => outcome.done += 1,
                    Taken::Nothing => {}
                    Taken::Refused => outcome.failed += 1,
                },
            )
            .await?;
            // The other side closes the connection when it has heard of all of them. If it does not, they
            // are here all the same.
            let _ = tokio::time::timeout(network::DEADLINE, session.connection.closed()).await;
            Ok(())
        },
    )
    .await?;
    Ok(outcome)
}

/// Receives files from hosts that connect, until as many have come as wanted, or, if there was only a
/// code, the one that knew it is done.
///
/// # Errors
/// When the socket or the target cannot be used, or the code was guessed at. A target that is no folder fails for good with
/// its first write that does.
pub async fn receive(host: &Host, listen: &Listen, into: Target) -> Result<Outcome, Error> {
    receive_until(host, listen, into, pending()).await
}

/// The same, until it is known that nobody reads any more what would be written. Whoever sends is told.
///
/// # Errors
/// As [`receive`].
pub async fn receive_until(
    host: &Host,
    listen: &Listen,
    into: Target,
    unread: impl Future<Output = io::Error>,
) -> Result<Outcome, Error> {
    let (into, failed) = output::told(into);
    let door = Door::new(host, listen, false);
    let serving = serve(&door, listen, into);
    tokio::pin!(serving);
    let error = tokio::select! {
        outcome = &mut serving => return outcome,
        error = failed => error,
        error = unread => error,
    };
    door.shut(Shut::Output);
    serving.await?;
    Err(Error::Output(error))
}

async fn serve(door: &Arc<Door>, listen: &Listen, into: Target) -> Result<Outcome, Error> {
    let receiver = Arc::new(into.open()?);
    let counts = Arc::new(Counts::default());
    let (inside, counted, count) = (door.clone(), counts.clone(), listen.count);
    door.serve(listen, move |guest| {
        let (door, counts, receiver) = (inside.clone(), counted.clone(), receiver.clone());
        async move {
            let Guest {
                session,
                request,
                answer,
            } = guest;
            if request != Request::Push {
                Close::Direction.close(&session.connection);
                return;
            }
            let taken = async {
                ready(answer, 0).await?;
                take_all(&session, &receiver, None, &mut |taken| {
                    if counts.add(taken) && count.is_some_and(|n| counts.done() >= n) {
                        door.shut(Shut::Done);
                    }
                })
                .await
            };
            depart(&session, &door, taken.await);
        }
    })
    .await?;
    Ok(counts.outcome())
}

/// Offers files to hosts that connect; ends as [`receive`] does.
///
/// # Errors
/// When the socket cannot be used, or the code was guessed at.
pub async fn offer(host: &Host, listen: &Listen, items: Vec<Item>) -> Result<Outcome, Error> {
    let door = Door::new(host, listen, true);
    let counts = Arc::new(Counts::default());
    let (inside, counted, count) = (door.clone(), counts.clone(), listen.count);
    door.serve(listen, move |guest| {
        let (door, counts, items) = (inside.clone(), counted.clone(), items.clone());
        async move {
            let Guest {
                session,
                request,
                answer,
            } = guest;
            let Request::Pull(names) = request else {
                Close::Direction.close(&session.connection);
                return;
            };
            let wanted = |item: &Item| {
                names.is_empty() || names.iter().any(|name| item.path().is_under(name))
            };
            let items: Vec<Item> = items.into_iter().filter(wanted).collect();
            if items.is_empty() {
                Close::NoSuchFile.close(&session.connection);
                return;
            }
            let mut giving = Giving::new(items);
            let given = async {
                ready(answer, giving.left.len()).await?;
                give_all(&session, &mut giving).await?;
                Close::Done.close(&session.connection);
                Ok(())
            };
            let given = given.await;
            counts.done.fetch_add(giving.done, Ordering::Relaxed);
            counts.failed.fetch_add(giving.failed, Ordering::Relaxed);
            if count.is_some_and(|n| counts.done() >= n) {
                door.shut(Shut::Done);
            }
            depart(&session, &door, given);
        }
    })
    .await?;
    Ok(counts.outcome())
}

/// Says that the work begins.
async fn ready(mut answer: noq::SendStream, items: usize) -> Result<(), Broken> {
    frame::send(
        &mut answer,
        &Ready {
            items: items as u64,
        },
    )
    .await?;
    let _ = answer.finish();
    Ok(())
}

/// A guest goes: all is done, or it will come again.
fn depart(session: &Session, door: &Door, result: Result<(), Broken>) {
    match result {
        Ok(()) => door.leave(session.peer),
        Err(Broken::Connection(error)) if Close::of(&error) == Some(Close::Done) => {
            door.leave(session.peer);
        }
        // This side has ended first.
        Err(Broken::Connection(ConnectionError::LocallyClosed)) => {}
        Err(Broken::Nonsense) => Close::Nonsense.close(&session.connection),
        Err(broken) => {
            Close::Gone.close(&session.connection);
            session.tell(Event::Lost(shown(&broken.to_string())));
            door.wait_for(session.peer);
        }
    }
}

/// Receives what is offered over a connection: so many files and folders, or until it is closed.
async fn take_all(
    session: &Arc<Session>,
    receiver: &Arc<Receiver>,
    items: Option<u64>,
    told: &mut (dyn FnMut(Taken) + Send),
) -> Result<(), Broken> {
    let mut left = items;
    let lanes = Arc::new(Lanes::default());
    session
        .connection
        .set_max_concurrent_uni_streams(VarInt::from_u32(network::LANES));
    let arriving = lanes.accept(&session.connection);
    tokio::pin!(arriving);
    let mut under_way = JoinSet::new();
    let late = tokio::time::sleep(network::DEADLINE);
    tokio::pin!(late);
    let mut is_late = true;
    loop {
        if left == Some(0) && under_way.is_empty() {
            return Ok(());
        }
        tokio::select! {
            streams = session.connection.accept_bi(), if left != Some(0) => {
                is_late = false;
                let streams = match streams {
                    Ok(streams) => streams,
                    Err(error) => {
                        // They find out, too, and let go of their files.
                        while let Some(taken) = under_way.join_next().await {
                            taken.ok().and_then(Result::ok).into_iter().for_each(&mut *told);
                        }
                        return Err(error.into());
                    }
                };
                let (session, receiver) = (session.clone(), receiver.clone());
                let file = lanes.begin(streams.1.id().index());
                under_way.spawn(async move { take(&session, &receiver, streams, &file).await });
                left = left.map(|left| left - 1);
            }
            broken = &mut arriving => return Err(broken),
            // Whoever comes in and offers nothing keeps a place from others.
            () = &mut late, if is_late => {
                Close::Late.close(&session.connection);
                return Err(Broken::Late);
            }
            Some(taken) = under_way.join_next() => match taken.map_err(|_| Broken::Stream)? {
                Ok(taken) => told(taken),
                // Of this file only; a sender that could not read it takes back its offer.
                Err(Broken::Stream | Broken::Late | Broken::Replaced) => told(Taken::Refused),
                Err(broken) => return Err(broken),
            },
        }
    }
}

/// Files counted by many connections.
#[derive(Default)]
struct Counts {
    done: AtomicUsize,
    failed: AtomicUsize,
}

impl Counts {
    /// Counts it; true if it is a file that is there.
    fn add(&self, taken: Taken) -> bool {
        match taken {
            Taken::File => self.done.fetch_add(1, Ordering::Relaxed),
            Taken::Nothing => return false,
            Taken::Refused => {
                self.failed.fetch_add(1, Ordering::Relaxed);
                return false;
            }
        };
        true
    }

    fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }

    fn outcome(&self) -> Outcome {
        Outcome {
            done: self.done(),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }
}
