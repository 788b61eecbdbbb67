//! An endpoint on a real socket: a thread that supplies clock and packets, and streams that block as
//! files do.

mod clock;
mod drive;
mod socket;
mod stream;
#[cfg(test)]
mod tests;
mod wake;

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use skywave_core::Time;

use crate::endpoint::{Allowed, Config, Endpoint, Failed, Id};
use crate::key::{PublicKey, SecretKey};
pub(crate) use clock::Clock;
use socket::Socket;
pub use stream::Stream;
use wake::Waker;

/// Why a stream cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The connection has failed.
    #[error(transparent)]
    Failed(#[from] Failed),
    /// The socket has failed.
    #[error("{0}")]
    Socket(Arc<io::Error>),
    /// The system has no random numbers.
    #[error(transparent)]
    Random(#[from] getrandom::Error),
    /// The stream to the peer has been ended on this side.
    #[error("written after the end of the stream")]
    Closed,
    /// The node was shut down.
    #[error("shut down")]
    ShutDown,
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::Failed(Failed::NoAnswer | Failed::Idle) => io::ErrorKind::TimedOut,
            Error::Failed(Failed::Refused(_)) => io::ErrorKind::ConnectionRefused,
            Error::Failed(Failed::GivenUp | Failed::Abandoned) => io::ErrorKind::ConnectionReset,
            Error::Socket(error) => error.kind(),
            Error::Random(_) => io::ErrorKind::Other,
            Error::Closed | Error::ShutDown => io::ErrorKind::BrokenPipe,
        };
        Self::new(kind, error)
    }
}

/// A socket with its connections. Dropping it gives them up, and tells their peers.
#[derive(Debug)]
pub struct Node {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    address: SocketAddr,
}

pub(crate) struct Shared {
    state: Mutex<State>,
    /// Signalled when a peer has begun a connection, and when none will be begun any more.
    incoming: Condvar,
    clock: Clock,
    waker: Waker,
}

struct State {
    endpoint: Endpoint,
    /// The latest time that the endpoint was told.
    latest: Time,
    /// By connection: signalled when it changes.
    changed: BTreeMap<Id, Arc<Condvar>>,
    incoming: VecDeque<Id>,
    stopping: bool,
    /// The socket has failed.
    broken: Option<Arc<io::Error>>,
}

impl Node {
    /// Opens a socket at `address` for the host of this key; peers of the `allowed` keys may connect.
    ///
    /// # Errors
    /// When the socket cannot be opened, or the system has no random numbers.
    pub fn bind(
        address: impl ToSocketAddrs,
        secret: SecretKey,
        allowed: Allowed,
        config: Config,
    ) -> io::Result<Self> {
        let socket = Socket::bind(address)?;
        let address = socket.address()?;
        let endpoint = Endpoint::new(secret, allowed, config).map_err(io::Error::other)?;
        let (waker, woken) = wake::pair()?;
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                endpoint,
                latest: Time::ZERO,
                changed: BTreeMap::new(),
                incoming: VecDeque::new(),
                stopping: false,
                broken: None,
            }),
            incoming: Condvar::new(),
            clock: Clock::start(),
            waker,
        });
        let driven = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("skywave-wire".to_owned())
            .spawn(move || drive::drive(&driven, &socket, &woken))?;
        Ok(Self {
            shared,
            thread: Some(thread),
            address,
        })
    }

    /// Where the socket is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Connects to the host of `key` at `peer`; waits until it has answered.
    ///
    /// # Errors
    /// When it does not, or refuses.
    pub fn connect(&self, peer: SocketAddr, key: PublicKey) -> Result<Stream, Error> {
        let stream = self.begin(peer, key)?;
        stream.wait_open(Duration::MAX)?;
        Ok(stream)
    }

    /// Begins to connect; [`Stream::wait_open`] waits for the answer.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn begin(&self, peer: SocketAddr, key: PublicKey) -> Result<Stream, Error> {
        let mut state = self.shared.lock();
        let now = state.not_before(self.shared.clock.now());
        let id = state.endpoint.connect(now, peer, key)?;
        let stream = Stream::new(&self.shared, &mut state, id);
        drop(state);
        self.shared.waker.wake();
        Ok(stream)
    }

    /// The next connection that a peer has begun. `None` if there is none in this time.
    ///
    /// # Errors
    /// When the socket has failed.
    pub fn accept(&self, patience: Duration) -> Result<Option<Stream>, Error> {
        let waits = |state: &mut State| state.incoming.is_empty() && state.fault().is_none();
        let state = self.shared.lock();
        let waited = self
            .shared
            .incoming
            .wait_timeout_while(state, patience, waits);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = state.incoming.pop_front() {
            return Ok(Some(Stream::new(&self.shared, &mut state, id)));
        }
        state.fault().map_or(Ok(None), Err)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.shared.lock().stopping = true;
        self.shared.waker.wake();
        if let Some(thread) = self.thread.take() {
            // A thread that has panicked has nothing more to say.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Takes the lock, even if a thread has panicked with it: the machine is whole all the same,
    /// and may go on.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl State {
    /// `at`, or the latest time that the endpoint was told if that is later: for the endpoint, time
    /// never goes backwards.
    fn not_before(&mut self, at: Time) -> Time {
        self.latest = self.latest.max(at);
        self.latest
    }

    /// Why nothing can be sent or received any more: the socket has failed, or the node was shut
    /// down. `None` while it works.
    fn fault(&self) -> Option<Error> {
        if let Some(error) = &self.broken {
            return Some(Error::Socket(Arc::clone(error)));
        }
        self.stopping.then_some(Error::ShutDown)
    }
}
