//! A connection, as its two streams.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, PoisonError};
use std::time::{Duration, Instant};

use super::{Error, Shared, State};
use crate::endpoint::{Failed, Id, Status};
use crate::key::PublicKey;

/// Longest time that a waiting thread sleeps before it looks again.
const LOOK_AROUND: Duration = Duration::from_secs(60);

/// A connection: a stream of bytes each way. Reading and writing block as with TCP; a shared reference
/// can do both, from several threads. Dropping it gives up what is not delivered: see
/// [`Stream::finish`].
#[derive(Debug)]
pub struct Stream {
    shared: Arc<Shared>,
    changed: Arc<Condvar>,
    id: Id,
}

impl Stream {
    pub(super) fn new(shared: &Arc<Shared>, state: &mut State, id: Id) -> Self {
        let changed = Arc::new(Condvar::new());
        state.changed.insert(id, Arc::clone(&changed));
        Self {
            shared: Arc::clone(shared),
            changed,
            id,
        }
    }

    /// Tells it from the other connections of the node.
    pub fn id(&self) -> Id {
        self.id
    }

    /// Who the peer is, and where.
    pub fn peer(&self) -> Option<(PublicKey, SocketAddr)> {
        self.shared.lock().endpoint.peer(self.id)
    }

    /// Waits until the peer has answered; false if it has not in this time.
    ///
    /// # Errors
    /// When it refuses, or has not answered for too long.
    pub fn wait_open(&self, patience: Duration) -> Result<bool, Error> {
        let open = self.wait(patience, |state, id| {
            state.endpoint.is_open(id).then_some(())
        });
        Ok(open?.is_some())
    }

    /// Whether the peer has answered.
    pub fn is_open(&self) -> bool {
        self.shared.lock().endpoint.is_open(self.id)
    }

    /// Reads what has come, once there is something: `Some(0)` at the end of the stream, `None` if there
    /// is nothing in this time.
    ///
    /// # Errors
    /// When the connection has failed.
    pub fn receive(&self, out: &mut [u8], patience: Duration) -> Result<Option<usize>, Error> {
        let n = self.wait(patience, |state, id| {
            let n = state.endpoint.read(id, out);
            (n > 0 || out.is_empty() || state.endpoint.is_read(id)).then_some(n)
        })?;
        if n.is_some_and(|n| n > 0) {
            self.shared.waker.wake(); // the window may have opened
        }
        Ok(n)
    }

    /// Whether reading would not wait: there are bytes, or there is an end.
    pub fn is_readable(&self) -> bool {
        self.shared.lock().endpoint.is_readable(self.id)
    }

    /// Hands over bytes to be sent, once there is room for some: how many were taken, `None` if there is
    /// no room in this time.
    ///
    /// # Errors
    /// When the connection has failed, or after [`Self::close`].
    pub fn send(&self, bytes: &[u8], patience: Duration) -> Result<Option<usize>, Error> {
        let n = self.wait(patience, |state, id| {
            if fault(state, id).is_some() {
                return None;
            }
            if state.endpoint.is_closed(id) {
                return Some(Err(Error::Closed));
            }
            let now = state.not_before(self.shared.clock.now());
            let n = state.endpoint.write(now, id, bytes);
            (n > 0 || bytes.is_empty()).then_some(Ok(n))
        })?;
        self.shared.waker.wake();
        n.transpose()
    }

    /// Ends the stream to the peer.
    pub fn close(&self) {
        let mut state = self.shared.lock();
        let now = state.not_before(self.shared.clock.now());
        state.endpoint.close(now, self.id);
        drop(state);
        self.shared.waker.wake();
    }

    /// Ends the stream to the peer and waits until it has everything; false if it has not in this time.
    ///
    /// # Errors
    /// When the connection fails before.
    pub fn finish(&self, patience: Duration) -> Result<bool, Error> {
        self.close();
        let sent = self.wait(patience, |state, id| {
            state.endpoint.is_sent(id).then_some(())
        });
        Ok(sent?.is_some())
    }

    /// How the connection fares.
    pub fn status(&self) -> Option<Status> {
        let state = self.shared.lock();
        state.endpoint.status(self.shared.clock.now(), self.id)
    }

    /// Why the connection has failed, if it has.
    pub fn failure(&self) -> Option<Error> {
        let state = self.shared.lock();
        fault(&state, self.id)
    }

    /// Gives the connection up, from any thread: whoever waits for it gets an error.
    pub fn abandon(&self) {
        let mut state = self.shared.lock();
        let now = state.not_before(self.shared.clock.now());
        state.endpoint.abandon(now, self.id);
        drop(state);
        self.changed.notify_all();
        self.shared.waker.wake();
    }

    /// Waits until `done` has an answer or something has failed; if both, the answer counts. `None`
    /// when there is neither within `patience`.
    fn wait<T>(
        &self,
        patience: Duration,
        mut done: impl FnMut(&mut State, Id) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let deadline = Instant::now().checked_add(patience);
        let mut state = self.shared.lock();
        loop {
            if let Some(answer) = done(&mut state, self.id) {
                return Ok(Some(answer));
            }
            if let Some(error) = fault(&state, self.id) {
                return Err(error);
            }
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(None);
            }
            let waited = self
                .changed
                .wait_timeout(state, left.unwrap_or(LOOK_AROUND).min(LOOK_AROUND));
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn fault(state: &State, id: Id) -> Option<Error> {
    let failed = state.endpoint.failed(id);
    // A node that shuts down abandons its connections.
    let own = failed.filter(|why| *why != Failed::Abandoned);
    let own = own.map(Error::from).or_else(|| state.fault());
    own.or_else(|| failed.map(Error::from))
}

impl Drop for Stream {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.changed.remove(&self.id);
        let now = state.not_before(self.shared.clock.now());
        state.endpoint.abandon(now, self.id);
        drop(state);
        self.shared.waker.wake();
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

impl Read for Stream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        (&*self).read(out)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
