//! The side that listens: who may come in, and how many.
//!
//! Addresses are validated first, by QUIC's Retry (RFC 9000 section 8.1.2): nothing is kept of packets with
//! made-up addresses, no handshake is done for them, and their answers are shorter than they are. noq's own
//! limit for handshakes with addresses that are not validated lets more than three times the bytes pass, by a
//! part of a datagram. A stranger with an address of its own costs one handshake, and some kilobytes for [`DEADLINE`] at
//! most.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::key::PublicKey;
use noq::{Connection, Endpoint, Incoming, RecvStream, SendStream, ServerConfig, VarInt};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::memory::{self, Share};
use super::pass::{Guess, Pass};
use super::pulse::Pulse;
use super::strangers::{Strangers, owner};
use super::{Crew, Session, remote};
use crate::auth::prove::{self, Sides};
use crate::auth::tls;
use crate::error::{Broken, Error};
use crate::event::Event;
use crate::network::{self, DEADLINE, PER_KEY, STREAM_WINDOW, Watched};
use crate::wire::close::Close;
use crate::wire::frame::{read, send};
use crate::wire::message::{Hello, Request};
use crate::{Allowed, Host, Listen};

/// Refused keys that are told of at most: anybody can make many.
const TOLD: usize = 8;

/// Door of a host that listens: who may come in, and who is in.
pub(crate) struct Door {
    host: Host,
    allowed: Allowed,
    /// True if this host gives files to whoever comes in; false if it takes them.
    gives: bool,
    crew: Crew,
    state: Mutex<State>,
    /// Nobody comes in any more; why.
    shut: watch::Sender<Option<Shut>>,
}

/// Why nobody comes in any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shut {
    /// The work that was wanted is done.
    Done,
    /// As many files as were counted have moved.
    Counted,
    /// Too many wrong codes.
    Guessed,
    /// Nothing can come out of where files go.
    Output,
}

struct State {
    pass: Option<Pass>,
    /// True if there was a code, and nobody is allowed without.
    only_code: bool,
    strangers: Strangers,
    /// Keys that were told to be refused.
    refused: BTreeSet<PublicKey>,
    inside: Vec<Inside>,
}

/// A connection of a host that has shown who it is.
struct Inside {
    peer: PublicKey,
    connection: Connection,
    share: Arc<Share>,
}

/// Somebody who came in, and what they want.
pub(crate) struct Guest {
    pub(crate) session: Arc<Session>,
    pub(crate) request: Request,
    pub(crate) answer: SendStream,
}

/// A host that has shown nothing yet.
struct Stranger {
    door: Arc<Door>,
    number: u64,
    /// Others need its place.
    goes: Arc<Notify>,
    showed: bool,
}

impl Drop for Stranger {
    fn drop(&mut self) {
        self.door.lock().strangers.leave(self.number, self.showed);
    }
}

impl Door {
    pub(crate) fn new(host: &Host, listen: &Listen, gives: bool) -> Arc<Self> {
        let nobody = matches!(&listen.allowed, Allowed::Keys(keys) if keys.is_empty());
        let state = State {
            pass: listen.code.clone().map(Pass::new),
            only_code: listen.code.is_some() && nobody,
            strangers: Strangers::default(),
            refused: BTreeSet::new(),
            inside: Vec::new(),
        };
        Arc::new(Self {
            host: host.clone(),
            allowed: listen.allowed.clone(),
            gives,
            crew: Crew::new(),
            state: Mutex::new(state),
            shut: watch::Sender::new(None),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Connections that it has to do with, since they were let in.
    #[cfg(test)]
    pub(crate) fn guests(&self) -> usize {
        self.lock().inside.len()
    }

    /// Lets nobody in any more.
    pub(crate) fn shut(&self, why: Shut) {
        self.shut.send_replace(Some(why));
    }

    /// A host is done. With a code and no keys, it was the only one.
    pub(crate) fn leave(&self, peer: PublicKey) {
        let mut state = self.lock();
        let came_by_code = state.pass.as_mut().is_some_and(|pass| pass.leave(peer));
        let was_only = came_by_code && state.only_code;
        drop(state);
        if was_only {
            self.shut(Shut::Done);
        }
    }

    /// A host has gone, maybe to come again: tells so if it came by the code.
    pub(crate) fn wait_for(&self, peer: PublicKey) {
        let awaits = |pass: &Pass| pass.awaits(peer);
        if self.lock().pass.as_ref().is_some_and(awaits) {
            (self.host.teller)(Event::Waiting(peer));
        }
    }

    /// Listens, and has each guest served, until the door is shut.
    pub(crate) async fn serve<F: Future<Output = ()> + Send + 'static>(
        self: &Arc<Self>,
        listen: &Listen,
        serve: impl Fn(Guest) -> F + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let peers = match &listen.code {
            None => self.allowed.clone(),
            Some(_) => Allowed::Everybody,
        };
        // Weak: this door holds connections, those the endpoint, and that what is made here.
        let door = Arc::downgrade(self);
        let refused = Box::new(move |key| {
            if let Some(door) = door.upgrade() {
                door.refuse(key);
            }
        });
        let config = network::server(&self.host.secret, peers, refused, &self.host.sending)?;
        let wire = network::listening(listen.at, &self.host.secret, config.clone())?;
        let (endpoint, config) = (wire.endpoint.clone(), Arc::new(config));
        let at = endpoint
            .local_addr()
            .map_err(|error| Error::Bind(listen.at, error))?;
        (self.host.teller)(Event::Listening(at));
        let serve = Arc::new(serve);
        let mut shut = self.shut.subscribe();
        // Whoever does not listen any more does not serve anybody either.
        let mut guests = JoinSet::new();
        let why = loop {
            tokio::select! {
                why = shut.wait_for(Option::is_some) => break why.ok().and_then(|why| *why),
                Some(_) = guests.join_next() => {}
                incoming = endpoint.accept() => {
                    let Some(incoming) = incoming else { break None };
                    let (door, serve) = (self.clone(), serve.clone());
                    let (wire, config) = (wire.clone(), config.clone());
                    if let Some((incoming, stranger)) = self.sort(incoming) {
                        guests.spawn(async move {
                            let guest = door.welcome(wire, &config, incoming, stranger).await;
                            if let Ok(guest) = guest {
                                let session = guest.session.clone();
                                // It comes by itself.
                                let anew = pending::<Infallible>;
                                let _ = session.with_peer(serve(guest), anew).await;
                                session.connection.closed().await;
                                door.lock().forget_closed();
                            }
                        });
                    }
                }
            }
        };
        self.close(&endpoint, why).await
    }

    async fn close(&self, endpoint: &Endpoint, why: Option<Shut>) -> Result<(), Error> {
        // Whoever has heard that all is there closes the connection.
        let inside: Vec<Connection> = {
            let state = self.lock();
            state.inside.iter().map(|i| i.connection.clone()).collect()
        };
        let all = async {
            for connection in &inside {
                connection.closed().await;
            }
        };
        if matches!(why, Some(Shut::Done | Shut::Counted | Shut::Output)) {
            let _ = timeout(DEADLINE / 4, all).await;
        }
        let word = match why {
            Some(Shut::Output) => Close::Output,
            Some(Shut::Counted) => Close::Counted,
            _ => Close::Gone,
        };
        endpoint.close(word.code(), b"");
        let _ = timeout(DEADLINE / 10, endpoint.wait_idle()).await;
        if why == Some(Shut::Guessed) {
            Err(Error::Guessed)
        } else {
            Ok(())
        }
    }

    /// Whether a handshake may begin, and its stranger.
    fn sort(self: &Arc<Self>, incoming: Incoming) -> Option<(Incoming, Stranger)> {
        let at = incoming.remote_address();
        if !incoming.remote_address_validated() && !is_of_link(at) {
            // It can be asked to retry: this was looked up.
            let _ = incoming.retry();
            return None;
        }
        let Some((number, goes)) = self.lock().strangers.enter(at.ip()) else {
            // An answer would only make them try again, sooner.
            incoming.ignore();
            return None;
        };
        let door = self.clone();
        let stranger = Stranger {
            door,
            number,
            goes,
            showed: false,
        };
        Some((incoming, stranger))
    }

    async fn welcome(
        &self,
        wire: Watched,
        config: &ServerConfig,
        incoming: Incoming,
        mut stranger: Stranger,
    ) -> Result<Guest, Broken> {
        let (config, one_way) = network::for_one(config, &self.host.sending, self.gives);
        let connecting = incoming
            .accept_with(Arc::new(config))
            .map_err(Broken::from)?;
        let meeting = async {
            let connection = timeout(DEADLINE, connecting)
                .await
                .map_err(|_| Broken::Late)??;
            let told = self.meet(&connection).await?;
            Ok::<_, Broken>((connection, told))
        };
        let (connection, (peer, request, answer)) = tokio::select! {
            met = meeting => met?,
            () = stranger.goes.notified() => return Err(Broken::Late),
        };
        stranger.showed = true;
        drop(stranger);
        let Some(share) = self.enter(peer, &connection) else {
            Close::Full.close(&connection);
            return Err(Broken::Late);
        };
        let at = remote(&connection);
        let desk = self.crew.desk(peer, owner(at.ip()));
        (self.host.teller)(Event::Connected(peer, at));
        let pulse = Arc::new(Pulse::new());
        let teller = self.host.teller.clone();
        let limits = (desk, share);
        let session = Session::new(wire, (connection, one_way), peer, teller, pulse, limits);
        Ok(Guest {
            session,
            request,
            answer,
        })
    }

    /// Asks who it is, and closes the connection if that is not told.
    async fn meet(
        &self,
        connection: &Connection,
    ) -> Result<(PublicKey, Request, SendStream), Broken> {
        let told = timeout(DEADLINE, self.ask(connection)).await;
        let broken = match told.unwrap_or(Err(Broken::Late)) {
            Ok(told) => return Ok(told),
            Err(broken) => broken,
        };
        match broken {
            Broken::Nonsense => Close::Nonsense.close(connection),
            Broken::Late => Close::Late.close(connection),
            _ => {}
        }
        // It may have gone after it showed that it knows the code.
        if let Some(peer) = tls::peer(connection) {
            self.wait_for(peer);
        }
        Err(broken)
    }

    /// Asks a stranger who it is and what it wants.
    async fn ask(
        &self,
        connection: &Connection,
    ) -> Result<(PublicKey, Request, SendStream), Broken> {
        let peer = tls::peer(connection).ok_or(Broken::Nonsense)?;
        let (mut sender, mut stream) = connection.accept_bi().await?;
        let hello: Hello = read(&mut stream).await?;
        let may = match (&self.allowed, hello) {
            (Allowed::Everybody, Hello::Key) => true,
            (Allowed::Keys(keys), Hello::Key) => {
                let knows = |pass: &Pass| pass.is_known_to(peer);
                keys.contains(&peer) || self.lock().pass.as_ref().is_some_and(knows)
            }
            (_, Hello::Code(share)) => {
                self.try_code(connection, (&mut sender, &mut stream), peer, &share)
                    .await?
            }
        };
        if !may {
            self.refuse(peer);
            Close::WantsCode.close(connection);
            return Err(Broken::Stream);
        }
        let request = read(&mut stream).await?;
        Ok((peer, request, sender))
    }

    /// Tells that a host with this key was not let in.
    fn refuse(&self, key: PublicKey) {
        let mut state = self.lock();
        let tells = state.refused.len() < TOLD && state.refused.insert(key);
        drop(state);
        if tells {
            (self.host.teller)(Event::Refused(key));
        }
    }

    /// One guess. Until the peer confirms it, it keeps nothing from others.
    async fn try_code(
        &self,
        connection: &Connection,
        (sender, stream): (&mut SendStream, &mut RecvStream),
        peer: PublicKey,
        share: &[u8],
    ) -> Result<bool, Broken> {
        let code = self.lock().pass.as_ref().and_then(|p| p.code_for(peer));
        let Some(code) = code else {
            Close::NoCode.close(connection);
            return Err(Broken::Stream);
        };
        let sides = Sides {
            client: peer,
            server: self.host.secret.public(),
        };
        let answer =
            prove::as_server(connection, (&mut *sender, stream), &code, sides, share).await?;
        let judge = |pass: &mut Pass| pass.judge(peer, answer.is_some());
        let guess = self.lock().pass.as_mut().map_or(Guess::Vain, judge);
        match (guess, answer) {
            (Guess::Right, Some(answer)) => {
                send(sender, &answer).await?;
                return Ok(true);
            }
            (Guess::Wrong(left), _) => {
                Close::WrongCode.close(connection);
                self.count_wrong(left);
            }
            _ => Close::NoCode.close(connection),
        }
        Err(Broken::Stream)
    }

    fn count_wrong(&self, left: u32) {
        (self.host.teller)(Event::WrongCode(left));
        if left == 0 && self.lock().only_code {
            self.shut(Shut::Guessed);
        } else if left == 0 {
            (self.host.teller)(Event::CodeEnded);
        }
    }

    /// Notes who is in, if there is memory for it. The oldest connection of the same host goes if there are too many: a host
    /// that was started again is not kept out by what it left.
    fn enter(&self, peer: PublicKey, connection: &Connection) -> Option<Arc<Share>> {
        let mut state = self.lock();
        state.forget_closed();
        let of_peer = state.inside.iter().filter(|other| other.peer == peer);
        if of_peer.count() >= PER_KEY {
            let oldest = state.inside.iter().position(|other| other.peer == peer);
            if let Some(oldest) = oldest {
                let old = state.inside.remove(oldest);
                Close::Replaced.close(&old.connection);
            }
        }
        let share = if self.gives {
            // Its words are short.
            connection.set_receive_window(VarInt::from_u32(STREAM_WINDOW));
            Share::new(0)
        } else {
            let window = state.window_for(peer)?;
            connection.set_receive_window(VarInt::from_u32(window as u32));
            Share::new(window)
        };
        let share = Arc::new(share);
        state.inside.push(Inside {
            peer,
            connection: connection.clone(),
            share: share.clone(),
        });
        Some(share)
    }
}

impl State {
    /// Lets go of connections that are closed, and of all that came over them and nobody has read.
    fn forget_closed(&mut self) {
        let is_open = |other: &Inside| other.connection.close_reason().is_none();
        self.inside.retain(is_open);
    }

    /// The window of one more connection of this host. Of hosts that hold more, one gives back if there is no memory.
    fn window_for(&mut self, peer: PublicKey) -> Option<u64> {
        let now = Instant::now();
        loop {
            let held = self.inside.iter().map(|other| other.share.held()).sum();
            if let Some(window) = memory::window(held) {
                return Some(window);
            }
            let all_of = |peer| {
                let theirs = self.inside.iter().filter(|other| other.peer == peer);
                theirs.map(|other| other.share.held()).sum::<u64>()
            };
            let own = all_of(peer);
            let places = self.inside.iter().enumerate().map(|(place, other)| {
                let all = all_of(other.peer);
                let is_idle = other.share.is_idle(now) && all > own;
                (is_idle, all, other.share.held(), place)
            });
            let (is_idle, all, _, place) = places.max()?;
            if !is_idle && all <= own + memory::LEAST {
                return None;
            }
            if !is_idle {
                let other = &self.inside[place];
                other.share.shrink();
                let least = VarInt::from_u32(memory::LEAST as u32);
                other.connection.set_receive_window(least);
                // It tries again when this has become free.
                return None;
            }
            Close::Full.close(&self.inside.remove(place).connection);
        }
    }
}

/// Whether an address is one of this host's link alone: nobody further away is sent anything by its neighbours' packets.
/// noq's tokens forget the link of such an address, so that none of its retries would be taken.
fn is_of_link(at: SocketAddr) -> bool {
    matches!(at, SocketAddr::V6(v6) if v6.ip().is_unicast_link_local())
}
