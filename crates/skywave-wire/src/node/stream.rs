//! A connection, as its two streams.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Error, Shared, State};
use crate::endpoint::{Id, Status};
use crate::key::PublicKey;

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

    /// Who the peer is, and where.
    pub fn peer(&self) -> Option<(PublicKey, SocketAddr)> {
        self.shared.lock().endpoint.peer(self.id)
    }

    /// Waits until the peer has answered.
    ///
    /// # Errors
    /// When it does not, or refuses.
    pub fn wait_open(&self) -> Result<(), Error> {
        self.wait(|state, id| state.endpoint.is_open(id).then_some(()))
    }

    /// Whether the peer has answered.
    pub fn is_open(&self) -> bool {
        self.shared.lock().endpoint.is_open(self.id)
    }

    /// Reads what has come; waits until there is something. 0 at the end of the stream.
    ///
    /// # Errors
    /// When the connection has failed.
    pub fn receive(&self, out: &mut [u8]) -> Result<usize, Error> {
        let n = self.wait(|state, id| {
            let n = state.endpoint.read(id, out);
            (n > 0 || out.is_empty() || state.endpoint.is_read(id)).then_some(n)
        })?;
        if n > 0 {
            self.shared.waker.wake(); // the window may have opened
        }
        Ok(n)
    }

    /// Hands over bytes to be sent; waits until there is room for some.
    ///
    /// # Errors
    /// When the connection has failed.
    pub fn send(&self, bytes: &[u8]) -> Result<usize, Error> {
        let n = self.wait(|state, id| {
            let now = self.shared.clock.now();
            let n = state.endpoint.write(now, id, bytes);
            (n > 0 || bytes.is_empty()).then_some(n)
        })?;
        self.shared.waker.wake();
        Ok(n)
    }

    /// Ends the stream to the peer.
    pub fn close(&self) {
        let mut state = self.shared.lock();
        state.endpoint.close(self.shared.clock.now(), self.id);
        drop(state);
        self.shared.waker.wake();
    }

    /// Ends the stream to the peer and waits until it has everything.
    ///
    /// # Errors
    /// When the connection fails before.
    pub fn finish(&self) -> Result<(), Error> {
        self.close();
        self.wait(|state, id| state.endpoint.is_sent(id).then_some(()))
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
        state.endpoint.abandon(self.id);
        drop(state);
        self.changed.notify_all();
        self.shared.waker.wake();
    }

    /// Waits until something changes, at most this long.
    pub fn wait_change(&self, patience: Duration) {
        let state = self.shared.lock();
        // Whether in time or not: the caller looks.
        let _ = self.changed.wait_timeout(state, patience);
    }

    /// Waits until something has failed or `done` has an answer; the answer counts more.
    fn wait<T>(&self, mut done: impl FnMut(&mut State, Id) -> Option<T>) -> Result<T, Error> {
        let mut state: MutexGuard<'_, State> = self.shared.lock();
        loop {
            if let Some(answer) = done(&mut state, self.id) {
                return Ok(answer);
            }
            if let Some(error) = fault(&state, self.id) {
                return Err(error);
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until `done`, at most until `deadline`; false if that came first.
    ///
    /// # Errors
    /// When the connection has failed.
    pub fn wait_until(
        &self,
        deadline: Instant,
        mut done: impl FnMut(&Self) -> bool,
    ) -> Result<bool, Error> {
        loop {
            if done(self) {
                return Ok(true);
            }
            if let Some(error) = self.failure() {
                return Err(error);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            self.wait_change(left.min(Duration::from_millis(100)));
        }
    }
}

fn fault(state: &State, id: Id) -> Option<Error> {
    let failed = state.endpoint.failed(id).map(Error::from);
    failed.or_else(|| state.fault())
}

impl Drop for Stream {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.changed.remove(&self.id);
        state.endpoint.abandon(self.id);
        drop(state);
        self.shared.waker.wake();
    }
}

impl Read for &Stream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        Ok(self.receive(out)?)
    }
}

impl Write for &Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(self.send(bytes)?)
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
