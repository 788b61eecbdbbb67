//! The four things that two sides can do.

use std::collections::HashMap;
use std::future::pending;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use noq::{ConnectionError, VarInt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::error::Broken;
use crate::session::dial::dial;
use crate::session::door::{Door, Guest, Shut};
use crate::session::{Giving, Lanes, Receiver, Session, Taken, give_all, next_id, take};
use crate::wire::close::Close;
use crate::wire::frame;
use crate::wire::message::{Ready, Request};
use crate::{
    Dial, Error, Event, Host, Item, Listen, Outcome, PublicKey, Target, Totals, Why, name, network,
    output,
};

/// Connects to the host `to` and sends `items`; connects again when the connection breaks, until all is done.
///
/// # Errors
/// When the other side does not answer, makes no progress for too long, or fails to prove who it is. Files that cannot
/// be sent are no error: they are counted in [`Outcome::failed`] and told of by events.
pub async fn send(host: &Host, to: &Dial, items: Vec<Item>) -> Result<Outcome, Error> {
    let mut giving = Giving::new(Arc::new(items), |_| true);
    dial(
        host,
        to,
        Request::Push(giving.totals()),
        async |session: &Arc<Session>, _| {
            session.tell(Event::Expected(session.peer, giving.totals()));
            give_all(session, &mut giving).await
        },
    )
    .await?;
    Ok(giving.outcome)
}

/// Connects to the host `from` and gets the files and folders of these names, 64 at most, into the target `into`, or
/// all that the host offers if `names` is empty; connects again when the connection breaks, until all is done. A name
/// that the host does not offer beside others counts as a file that failed.
///
/// # Errors
/// When the other side does not answer, makes no progress for too long, or fails to prove who it is; when the target is
/// a folder that cannot be used. Files that do not come are no error, not even if a write to [`Target::Output`] fails:
/// they are counted in [`Outcome::failed`] and told of by events.
pub async fn get(
    host: &Host,
    from: &Dial,
    names: Vec<String>,
    into: Target,
) -> Result<Outcome, Error> {
    let receiver = Arc::new(into.open(None)?);
    receiver.register.ask(&names);
    let mut outcome = Outcome::default();
    dial(
        host,
        from,
        Request::Pull(names),
        async |session: &Arc<Session>, ready: Ready| {
            // Those that are refused are refused again after a new connection.
            outcome.failed = 0;
            session.tell(Event::Expected(session.peer, ready.totals));
            take_all(session, &receiver, Some(ready.items), &mut |taken| {
                outcome.done += taken.files;
                outcome.failed += taken.refused;
            })
            .await?;
            // The other side closes the connection when it has heard of all of them. If it does not, they
            // are here all the same.
            let _ = tokio::time::timeout(network::DEADLINE, session.connection.closed()).await;
            Ok(())
        },
    )
    .await?;
    for name in receiver.register.missing() {
        outcome.failed += 1;
        (host.teller)(Event::Failed {
            id: next_id(),
            path: name::shown_bytes(name.as_bytes()),
            why: Why::NotOffered,
        });
    }
    Ok(outcome)
}

/// Receives files from hosts that connect, into the target `into`. Ends when [`Listen::count`] files have come, or, if
/// hosts may connect only by a code, when the host that knew the code is done.
///
/// # Errors
/// When the socket or the target cannot be used, or three wrong codes were tried and nobody else may connect. Where the
/// target is no folder but a program's input, the first write that fails ends the reception with an error.
pub async fn receive(host: &Host, listen: &Listen, into: Target) -> Result<Outcome, Error> {
    receive_until(host, listen, into, pending()).await
}

/// Receives as [`receive`] does, but ends with [`Error::Output`] once the future `unread` is ready, which tells that
/// nobody reads any more what is written to the target; the sending host is told.
///
/// # Errors
/// When the socket or the target cannot be used, three wrong codes were tried and nobody else may connect, or nobody
/// reads any more.
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
    let receiver = Arc::new(into.open(listen.count)?);
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
            let Request::Push(totals) = request else {
                Close::Direction.close(&session.connection);
                return;
            };
            let taken = async {
                ready(answer, 0, Totals::default()).await?;
                session.tell(Event::Expected(session.peer, totals));
                take_all(&session, &receiver, None, &mut |taken| {
                    counts.add(taken.files, taken.refused);
                    if taken.files > 0 && count.is_some_and(|n| counts.done() >= n) {
                        door.shut(Shut::Counted);
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

/// Offers `items` to hosts that connect and get them. Ends when [`Listen::count`] files were taken, or, if hosts may
/// connect only by a code, when the host that knew the code is done.
///
/// # Errors
/// When the socket cannot be used, or three wrong codes were tried and nobody else may connect.
pub async fn offer(host: &Host, listen: &Listen, items: Vec<Item>) -> Result<Outcome, Error> {
    let door = Door::new(host, listen, true);
    let counts = Arc::new(Counts::default());
    let (inside, counted, count) = (door.clone(), counts.clone(), listen.count);
    let items = Arc::new(items);
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
            let asked = (session.peer, names);
            let wanted = |item: &Item| {
                let names = &asked.1;
                names.is_empty() || names.iter().any(|name| item.path().is_under(name))
            };
            let mut giving = Giving::new(items, wanted);
            if giving.count() == 0 {
                Close::NoSuchFile.close(&session.connection);
                return;
            }
            let given = async {
                ready(answer, giving.count(), giving.totals()).await?;
                session.tell(Event::Expected(session.peer, giving.totals()));
                give_all(&session, &mut giving).await?;
                Close::Done.close(&session.connection);
                Ok(())
            };
            let given = given.await;
            counts.add_given(asked, giving.outcome, comes_again(&given));
            if count.is_some_and(|n| counts.done() >= n) {
                door.shut(Shut::Counted);
            }
            depart(&session, &door, given);
        }
    })
    .await?;
    Ok(counts.outcome())
}

/// Says that the work begins.
async fn ready(mut answer: noq::SendStream, items: usize, totals: Totals) -> Result<(), Broken> {
    let items = items as u64;
    frame::send(&mut answer, &Ready { items, totals }).await?;
    let _ = answer.finish();
    Ok(())
}

/// Whether the connection of a guest broke, so that the guest will come again.
fn comes_again(result: &Result<(), Broken>) -> bool {
    match result {
        // `LocallyClosed`: this side has ended first.
        Ok(()) | Err(Broken::Nonsense | Broken::Connection(ConnectionError::LocallyClosed)) => {
            false
        }
        Err(Broken::Connection(error)) => Close::of(error) != Some(Close::Done),
        Err(_) => true,
    }
}

/// A guest goes: all is done, or it will come again.
fn depart(session: &Session, door: &Door, result: Result<(), Broken>) {
    let again = comes_again(&result);
    match result {
        Err(broken) if again => {
            Close::Gone.close(&session.connection);
            session.tell(Event::Lost(name::shown(&broken.to_string())));
            door.wait_for(session.peer);
        }
        Err(Broken::Nonsense) => Close::Nonsense.close(&session.connection),
        Err(Broken::Connection(ConnectionError::LocallyClosed)) => {}
        _ => door.leave(session.peer),
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
    let (tell, mut taken) = mpsc::unbounded_channel();
    let late = tokio::time::sleep(network::DEADLINE);
    tokio::pin!(late);
    let mut is_late = true;
    let result = loop {
        if left == Some(0) && under_way.is_empty() {
            break Ok(());
        }
        tokio::select! {
            streams = session.connection.accept_bi(), if left != Some(0) => {
                is_late = false;
                let streams = match streams {
                    Ok(streams) => streams,
                    Err(error) => {
                        // They find out, too, and let go of their files.
                        while under_way.join_next().await.is_some() {}
                        break Err(error.into());
                    }
                };
                let (session, receiver, tell) = (session.clone(), receiver.clone(), tell.clone());
                let file = lanes.begin(streams.1.id().index());
                under_way.spawn(async move { take(&session, &receiver, streams, &file, &tell).await });
            }
            broken = &mut arriving => break Err(broken),
            // Whoever comes in and offers nothing keeps a place from others.
            () = &mut late, if is_late => {
                Close::Late.close(&session.connection);
                break Err(Broken::Late);
            }
            Some(taken) = taken.recv() => {
                left = left.map(|left| left.saturating_sub(taken.ended));
                told(taken);
            }
            Some(ended) = under_way.join_next() => match ended.map_err(|_| Broken::Stream)? {
                // Of this stream only.
                Ok(())
                | Err(Broken::Stream | Broken::Late | Broken::GivenUp | Broken::Replaced) => {}
                Err(broken) => break Err(broken),
            }
        }
    };
    while let Ok(taken) = taken.try_recv() {
        left = left.map(|left| left.saturating_sub(taken.ended));
        told(taken);
    }
    match result {
        // The other side closes as soon as it knows that all is here, and that may be heard of before the last file.
        Err(Broken::Connection(_)) if left == Some(0) => Ok(()),
        result => result,
    }
}

/// Broken connections whose files are remembered, at most: anybody may be let in.
const MOST_BROKEN: usize = 1024;

/// Files counted by many connections.
#[derive(Default)]
struct Counts(Mutex<Counted>);

#[derive(Default)]
struct Counted {
    ended: Outcome,
    /// Files of connections that broke: the host that comes again is given all of them anew.
    broken: HashMap<Asked, Outcome>,
}

/// A host, and the names that it asks for.
type Asked = (PublicKey, Vec<String>);

impl Counts {
    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, done: usize, failed: usize) {
        self.lock().ended += Outcome { done, failed };
    }

    /// Counts the files that one connection gave to the host that `asked` for them. A file that an earlier connection gave
    /// before it broke counts once. `comes_again`: this connection broke too, and the host will ask once more.
    fn add_given(&self, asked: Asked, given: Outcome, comes_again: bool) {
        let mut counted = self.lock();
        let before = counted.broken.remove(&asked).unwrap_or_default();
        let given = Outcome {
            done: given.done.max(before.done),
            failed: given.failed,
        };
        if comes_again && counted.broken.len() < MOST_BROKEN {
            counted.broken.insert(asked, given);
        } else {
            counted.ended += given;
        }
    }

    fn done(&self) -> usize {
        self.outcome().done
    }

    fn outcome(&self) -> Outcome {
        let counted = self.lock();
        let mut all = counted.ended;
        for &broken in counted.broken.values() {
            all += broken;
        }
        all
    }
}
