//! The side that listens: who may come in, and how many.
//!
//! Addresses are validated first, by QUIC's Retry (RFC 9000 section 8.1.2): nothing is kept of packets with
//! made-up addresses, no handshake is done for them, and their answers are shorter than they are. noq's own
//! limit for handshakes with addresses that are not validated lets more than three times the bytes pass, by a
//! part of a datagram. A stranger with an address of its own costs one handshake, and some kilobytes for [`DEADLINE`] at
//! most.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use noq::{Connection, Endpoint, Incoming, RecvStream, SendStream, ServerConfig, VarInt};
use skywave_wire::endpoint::owner;
use skywave_wire::key::PublicKey;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::pulse::Pulse;
use super::{Crew, Session};
use crate::auth::code::Code;
use crate::auth::prove::{self, Sides};
use crate::auth::tls::{self, Peers};
use crate::error::{Broken, Error};
use crate::event::Event;
use crate::network::{self, DEADLINE, PER_ADDRESS, PER_KEY, STRANGERS, WINDOW, Watched};
use crate::wire::close::Close;
use crate::wire::frame::read;
use crate::wire::message::{Hello, Request};
use crate::{Allowed, Host, Listen};

/// Wrong codes, after which a code is not good any more.
const TRIES: u32 = 3;
/// Refused keys that are told of at most: anybody can make many.
const TOLD: usize = 8;

/// Who may come in, and who is in.
pub(crate) struct Door {
    host: Host,
    allowed: Allowed,
    /// This host gives files to whoever comes in; otherwise it takes them.
    gives: bool,
    crew: Crew,
    state: Mutex<State>,
    /// Nobody comes in any more; why.
    shut: watch::Sender<Option<Shut>>,
}

/// Why nobody comes in any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shut {
    /// All that was wanted is done.
    Done,
    /// Too many wrong codes.
    Guessed,
}

struct State {
    /// Good for whoever comes first.
    code: Option<Code>,
    /// There was a code, and nobody is allowed without.
    only_code: bool,
    wrong: u32,
    /// Hosts that knew the code.
    proven: BTreeSet<PublicKey>,
    /// Where connections come from that have shown nothing yet.
    strangers: Vec<IpAddr>,
    /// Keys that were told to be refused.
    refused: BTreeSet<PublicKey>,
    inside: Vec<Inside>,
}

/// A connection of a host that has shown who it is.
struct Inside {
    peer: PublicKey,
    connection: Connection,
}

/// Somebody who came in, and what they want.
pub(crate) struct Guest {
    pub(crate) session: Arc<Session>,
    pub(crate) request: Request,
    pub(crate) answer: SendStream,
}

/// Counts a stranger, until it is none.
struct Stranger<'a>(&'a Door, IpAddr);

impl Drop for Stranger<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        let found = state.strangers.iter().position(|from| *from == self.1);
        found.map(|found| state.strangers.swap_remove(found));
    }
}

impl Door {
    pub(crate) fn new(host: &Host, listen: &Listen, gives: bool) -> Arc<Self> {
        let nobody = matches!(&listen.allowed, Allowed::Keys(keys) if keys.is_empty());
        let state = State {
            code: listen.code.clone(),
            only_code: listen.code.is_some() && nobody,
            wrong: 0,
            proven: BTreeSet::new(),
            strangers: Vec::new(),
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

    /// Lets nobody in any more.
    pub(crate) fn shut(&self, why: Shut) {
        self.shut.send_replace(Some(why));
    }

    /// A host is done. With a code and no keys, it was the only one.
    pub(crate) fn leave(&self) {
        if self.lock().only_code {
            self.shut(Shut::Done);
        }
    }

    /// Listens, and has each guest served, until the door is shut.
    pub(crate) async fn serve<F: Future<Output = ()> + Send + 'static>(
        self: &Arc<Self>,
        listen: &Listen,
        serve: impl Fn(Guest) -> F + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let peers = match (&self.allowed, &listen.code) {
            (Allowed::Keys(keys), None) => Peers::Keys(keys.clone()),
            _ => Peers::Everybody,
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
                    if let Some(incoming) = self.sort(incoming) {
                        guests.spawn(async move {
                            if let Ok(guest) = door.welcome(wire, &config, incoming).await {
                                let session = guest.session.clone();
                                session.with_peer(serve(guest)).await;
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
        if why == Some(Shut::Done) {
            let _ = timeout(DEADLINE / 4, all).await;
        }
        endpoint.close(Close::Gone.code(), b"");
        let _ = timeout(DEADLINE / 10, endpoint.wait_idle()).await;
        if why == Some(Shut::Guessed) {
            Err(Error::Guessed)
        } else {
            Ok(())
        }
    }

    /// Whether a handshake may begin, and its stranger be counted.
    fn sort(&self, incoming: Incoming) -> Option<Incoming> {
        let mut state = self.lock();
        let from = owner(incoming.remote_address().ip());
        if incoming.may_retry() && !incoming.remote_address_validated() {
            // It can be asked to retry: this was looked up.
            let _ = incoming.retry();
            return None;
        }
        let same = state
            .strangers
            .iter()
            .filter(|other| **other == from)
            .count();
        if state.strangers.len() >= STRANGERS || same >= PER_ADDRESS {
            // An answer would only make them try again, sooner.
            incoming.ignore();
            return None;
        }
        state.strangers.push(from);
        Some(incoming)
    }

    async fn welcome(
        &self,
        wire: Watched,
        config: &ServerConfig,
        incoming: Incoming,
    ) -> Result<Guest, Broken> {
        let stranger = Stranger(self, owner(incoming.remote_address().ip()));
        let (config, one_way) = network::for_one(config, &self.host.sending, self.gives);
        let connecting = incoming
            .accept_with(Arc::new(config))
            .map_err(Broken::from)?;
        let connection = timeout(DEADLINE, connecting)
            .await
            .map_err(|_| Broken::Late)??;
        let result = timeout(DEADLINE, self.ask(&connection)).await;
        let (peer, request, answer) = match result {
            Ok(Ok(told)) => told,
            Ok(Err(broken)) => {
                if matches!(broken, Broken::Nonsense) {
                    Close::Nonsense.close(&connection);
                }
                return Err(broken);
            }
            Err(_) => {
                Close::Late.close(&connection);
                return Err(Broken::Late);
            }
        };
        drop(stranger);
        connection.set_receive_window(VarInt::from_u32(WINDOW));
        self.enter(peer, &connection);
        let desk = self.crew.desk(peer, owner(remote(&connection).ip()));
        (self.host.teller)(Event::Connected(peer, remote(&connection)));
        let pulse = Arc::new(Pulse::new());
        let teller = self.host.teller.clone();
        let session = Session::new(wire, (connection, one_way), peer, teller, pulse, desk);
        Ok(Guest {
            session,
            request,
            answer,
        })
    }

    /// Who is it, and what does it want?
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
                keys.contains(&peer) || self.lock().proven.contains(&peer)
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

    /// One try; one at a time, so that nobody tries many codes before the first one is counted.
    async fn try_code(
        &self,
        connection: &Connection,
        streams: (&mut SendStream, &mut RecvStream),
        peer: PublicKey,
        share: &[u8],
    ) -> Result<bool, Broken> {
        let Some(code) = self.lock().code.take() else {
            Close::NoCode.close(connection);
            return Err(Broken::Stream);
        };
        let mut trying = Trying {
            door: self,
            code: Some(code.clone()),
        };
        let sides = Sides {
            client: peer,
            server: self.host.secret.public(),
        };
        let proven = prove::as_server(connection, streams, &code, sides, share).await?;
        if proven {
            trying.code = None;
            self.lock().proven.insert(peer);
            return Ok(true);
        }
        Close::WrongCode.close(connection);
        let wrong = {
            let mut state = self.lock();
            state.wrong += 1;
            state.wrong
        };
        (self.host.teller)(Event::WrongCode(TRIES.saturating_sub(wrong)));
        if wrong >= TRIES {
            trying.code = None;
            if self.lock().only_code {
                self.shut(Shut::Guessed);
            }
        }
        Err(Broken::Stream)
    }

    /// Notes who is in. The oldest connection of the same host goes if there are too many: a host that
    /// was started again is not kept out by what it left.
    fn enter(&self, peer: PublicKey, connection: &Connection) {
        let mut state = self.lock();
        state
            .inside
            .retain(|other| other.connection.close_reason().is_none());
        let of_peer = state.inside.iter().filter(|other| other.peer == peer);
        if of_peer.count() >= PER_KEY {
            let oldest = state.inside.iter().position(|other| other.peer == peer);
            if let Some(oldest) = oldest {
                let old = state.inside.remove(oldest);
                Close::Replaced.close(&old.connection);
            }
        }
        state.inside.push(Inside {
            peer,
            connection: connection.clone(),
        });
    }
}

/// Gives the code back, if it is still good.
struct Trying<'a> {
    door: &'a Door,
    code: Option<Code>,
}

impl Drop for Trying<'_> {
    fn drop(&mut self) {
        if let Some(code) = self.code.take() {
            self.door.lock().code = Some(code);
        }
    }
}

/// Where the peer is now.
fn remote(connection: &Connection) -> std::net::SocketAddr {
    let path = connection.path(noq::PathId::ZERO);
    let address = path.and_then(|path| path.remote_address().ok());
    address.unwrap_or_else(|| ([0; 4], 0).into())
}
