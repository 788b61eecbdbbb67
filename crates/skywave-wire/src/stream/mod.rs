//! An [`Endpoint`] on a real socket: a thread that supplies clock and packets, and a stream each way that blocks as files
//! do.
//!
//! This is an instrument, to measure WTCP and paths: its packets are not encrypted, so that it takes addresses of the
//! loopback interface alone, this machine's or that of a network namespace.

mod drive;
mod socket;
#[cfg(test)]
mod tests;
mod wake;

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use skywave_core::Time;
use skywave_core::wtcp::{Config, Failure, wire};

use crate::endpoint::{Endpoint, Status};
use crate::system;
use socket::Socket;
use wake::Waker;

/// Longest time that a waiting thread sleeps before it looks again.
const LOOK_AROUND: Duration = Duration::from_secs(60);

/// Reason why a WTCP [`Stream`] cannot be opened or go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Address outside of the loopback interface, which others may reach: packets are not encrypted here.
    #[error(
        "{0}: WTCP's packets are not encrypted here; expected an address of the loopback interface, such as 127.0.0.1:0"
    )]
    NotLoopback(SocketAddr),
    /// Failure of the socket, at its opening or later.
    #[error("{0}")]
    Socket(Arc<io::Error>),
    /// Failure of the connection, with WTCP's reason.
    #[error("{}", match .0 {
        Failure::Reset(_) => "the peer gave up",
        Failure::IdleTimeout => "nothing was heard for too long",
        Failure::Aborted => "given up",
    })]
    Failed(Failure),
    /// End of the stream to the peer on this side ([`Stream::close`]), after which nothing can be sent.
    #[error("written after the end of the stream")]
    Closed,
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Socket(Arc::new(error))
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::NotLoopback(_) => io::ErrorKind::InvalidInput,
            Error::Socket(error) => error.kind(),
            Error::Failed(Failure::IdleTimeout) => io::ErrorKind::TimedOut,
            Error::Failed(_) => io::ErrorKind::ConnectionReset,
            Error::Closed => io::ErrorKind::BrokenPipe,
        };
        Self::new(kind, error)
    }
}

/// A WTCP connection over a UDP socket of its own, on the loopback interface. Reading and writing block as with TCP; a
/// shared reference can do both, from several threads. Dropping it gives up what is not delivered yet;
/// [`Stream::finish`] waits for delivery.
#[derive(Debug)]
pub struct Stream {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    address: SocketAddr,
}

struct Shared {
    state: Mutex<State>,
    /// Signalled after each turn of the driver.
    changed: Condvar,
    origin: Instant,
    waker: Waker,
}

struct State {
    endpoint: Endpoint,
    /// Where the peer is; one that connects is heard of with its first packet.
    peer: Option<SocketAddr>,
    /// The latest time that the endpoint was told.
    latest: Time,
    stopping: bool,
    /// The socket has failed.
    broken: Option<Arc<io::Error>>,
}

impl Stream {
    /// Opens a socket at `address` and waits, in the background, for the first peer that connects.
    ///
    /// # Errors
    /// When the address is none of the loopback interface, or the socket cannot be opened.
    pub fn listen(address: SocketAddr, config: &Arc<Config>) -> Result<Self, Error> {
        Self::open(address, None, Endpoint::listening(config), config)
    }

    /// Opens a socket for a connection to `peer`. No packet is sent until something is written or the stream is closed.
    ///
    /// # Errors
    /// When `peer` is no address of the loopback interface, or the socket cannot be opened.
    pub fn connect(peer: SocketAddr, config: &Arc<Config>) -> Result<Self, Error> {
        let here = match peer {
            SocketAddr::V4(_) => (Ipv4Addr::LOCALHOST, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::LOCALHOST, 0).into(),
        };
        Self::open(here, Some(peer), Endpoint::connecting(config), config)
    }

    fn open(
        address: SocketAddr,
        peer: Option<SocketAddr>,
        endpoint: Endpoint,
        config: &Config,
    ) -> Result<Self, Error> {
        let mut others = [Some(address), peer].into_iter().flatten();
        if let Some(other) = others.find(|at| !at.ip().is_loopback()) {
            return Err(Error::NotLoopback(other));
        }
        let socket = Socket::bind(address, usize::from(config.mss) + wire::MAX_HEADER)?;
        let address = socket.address()?;
        let (waker, woken) = wake::pair()?;
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                endpoint,
                peer,
                latest: Time::ZERO,
                stopping: false,
                broken: None,
            }),
            changed: Condvar::new(),
            origin: Instant::now(),
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

    /// Local address and port of the socket.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for bytes from the peer and copies them into `out`. Returns their number: `Some(0)` at the end of the
    /// stream, `None` if nothing comes within `patience`.
    ///
    /// # Errors
    /// When the connection has failed.
    pub fn receive(&self, out: &mut [u8], patience: Duration) -> Result<Option<usize>, Error> {
        let n = self.wait(patience, |state, _| {
            let n = state.endpoint.read(out);
            (n > 0 || out.is_empty() || state.endpoint.is_read()).then_some(n)
        })?;
        if n.is_some_and(|n| n > 0) {
            self.shared.waker.wake(); // the window may have opened
        }
        Ok(n)
    }

    /// Hands over bytes to be sent, once the send buffer has room for some. Returns how many were taken; `None` if
    /// there is no room within `patience`.
    ///
    /// # Errors
    /// When the connection has failed, or after [`Self::close`].
    pub fn send(&self, bytes: &[u8], patience: Duration) -> Result<Option<usize>, Error> {
        let n = self.wait(patience, |state, now| {
            if state.fault().is_some() {
                return None;
            }
            if state.endpoint.is_closed() {
                return Some(Err(Error::Closed));
            }
            let n = state.endpoint.write(now, bytes);
            (n > 0 || bytes.is_empty()).then_some(Ok(n))
        })?;
        self.shared.waker.wake();
        n.transpose()
    }

    /// Ends the stream to the peer after what was written; reading goes on.
    pub fn close(&self) {
        let mut state = self.shared.lock();
        let now = state.not_before(self.shared.now());
        state.endpoint.close(now);
        drop(state);
        self.shared.waker.wake();
    }

    /// Ends the stream to the peer and waits until the peer has everything; false if it has not within `patience`.
    ///
    /// # Errors
    /// When the connection fails before.
    pub fn finish(&self, patience: Duration) -> Result<bool, Error> {
        self.close();
        let sent = self.wait(patience, |state, _| state.endpoint.is_sent().then_some(()));
        Ok(sent?.is_some())
    }

    /// Counts and times of the connection so far.
    pub fn status(&self) -> Status {
        self.shared.lock().endpoint.status()
    }

    /// Reason why the connection has failed; `None` if it has not.
    pub fn failure(&self) -> Option<Error> {
        self.shared.lock().fault()
    }

    /// Waits until `done` has an answer or something has failed; if both, the answer counts. `None` when there is
    /// neither within `patience`.
    fn wait<T>(
        &self,
        patience: Duration,
        mut done: impl FnMut(&mut State, Time) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let deadline = Instant::now().checked_add(patience);
        let mut state = self.shared.lock();
        loop {
            let now = state.not_before(self.shared.now());
            if let Some(answer) = done(&mut state, now) {
                return Ok(Some(answer));
            }
            if let Some(error) = state.fault() {
                return Err(error);
            }
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(None);
            }
            let left = left.unwrap_or(LOOK_AROUND).min(LOOK_AROUND);
            let waited = self.shared.changed.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.shared.lock().stopping = true;
        self.shared.waker.wake();
        if let Some(thread) = self.thread.take() {
            // A thread that has panicked has nothing more to say.
            let _ = thread.join();
        }
    }
}

impl Read for &Stream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        Ok(self.receive(out, Duration::MAX)?.unwrap_or(0))
    }
}

impl Write for &Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(self.send(bytes, Duration::MAX)?.unwrap_or(0))
    }

    /// Nothing: what is written is on its way. [`Stream::finish`] waits until it has arrived.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn now(&self) -> Time {
        system::since(self.origin)
    }

    /// Takes the lock, even if a thread has panicked with it: the machine is whole all the same, and may go on.
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
    /// `at`, or the latest time that the endpoint was told if that is later: for the endpoint, time never goes
    /// backwards.
    fn not_before(&mut self, at: Time) -> Time {
        self.latest = self.latest.max(at);
        self.latest
    }

    /// A datagram arrived. The first one that connects is the peer; others are not heard.
    fn on_datagram(&mut self, at: Time, from: SocketAddr, datagram: &[u8]) {
        let at = self.not_before(at);
        let may = self.peer.is_none_or(|peer| peer == from);
        if may && self.endpoint.on_datagram(at, datagram) {
            self.peer = Some(from);
        }
    }

    /// Why nothing can be sent or received any more; `None` while it works.
    fn fault(&self) -> Option<Error> {
        let broken = self.broken.clone().map(Error::Socket);
        broken.or_else(|| self.endpoint.failure().map(Error::Failed))
    }
}
