//! Streams as those of `std::net` and of tokio.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::shared::{Shared, State, block_on};
use crate::tcp::{Ending, Status, StreamId};

/// A TCP connection of a [`Host`](super::Host), to be read and written by threads or tasks. Dropping it closes it, and
/// what was written still arrives; but if the peer has sent bytes that were not read, or sends more, the connection is
/// reset.
///
/// One task or thread may wait for reading and another one for writing; if several wait for reading, or several for
/// writing, only the last one is woken.
#[derive(Debug)]
pub struct Stream {
    shared: Arc<Shared>,
    id: StreamId,
}

impl Stream {
    pub(super) fn new(shared: Arc<Shared>, id: StreamId) -> Self {
        Self { shared, id }
    }

    /// Address and port of this end. An error if the connection is not there any more.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        let ends = self.shared.with(|state, _| state.end.addresses(self.id));
        Ok(ends.ok_or(ErrorKind::NotConnected)?.destination)
    }

    /// Address and port of the peer. An error if the connection is not there any more.
    pub fn peer_addr(&self) -> io::Result<SocketAddr> {
        let ends = self.shared.with(|state, _| state.end.addresses(self.id));
        Ok(ends.ok_or(ErrorKind::NotConnected)?.source)
    }

    /// Closes the sending direction (half-close, FIN): the peer reads the end of the stream after the bytes written.
    /// The receiving direction stays open until the stream is dropped, even with [`Shutdown::Both`].
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for [`Shutdown::Read`].
    pub fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        if how == Shutdown::Read {
            return Err(ErrorKind::Unsupported.into());
        }
        self.shared.with(|state, _| state.end.close(self.id));
        Ok(())
    }

    pub(super) fn poll_connected(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.shared.with(|state, _| {
            let status = status(state, self.id)?;
            if status.connected {
                return Poll::Ready(Ok(()));
            }
            if let Some(ending) = status.ended {
                return Poll::Ready(Err(of(ending).into()));
            }
            let waiting = state.waiting.entry(self.id).or_default();
            waiting.writer = Some(context.waker().clone());
            Poll::Pending
        })
    }

    fn poll_fill(&self, context: &mut Context<'_>, out: &mut [u8]) -> Poll<io::Result<usize>> {
        self.shared.with(|state, _| {
            let status = status(state, self.id)?;
            if status.readable > 0 || out.is_empty() {
                return Poll::Ready(Ok(state.end.read(self.id, out)));
            }
            match status.ended {
                _ if status.peer_closed => return Poll::Ready(Ok(0)),
                Some(ending) => return Poll::Ready(Err(of(ending).into())),
                None => {}
            }
            let waiting = state.waiting.entry(self.id).or_default();
            waiting.reader = Some(context.waker().clone());
            Poll::Pending
        })
    }

    fn poll_take(&self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.shared.with(|state, _| {
            let status = status(state, self.id)?;
            if let Some(ending) = status.ended {
                return Poll::Ready(Err(of(ending).into()));
            }
            if status.closed {
                return Poll::Ready(Err(ErrorKind::BrokenPipe.into()));
            }
            let n = state.end.write(self.id, bytes);
            if n > 0 || bytes.is_empty() {
                return Poll::Ready(Ok(n));
            }
            let waiting = state.waiting.entry(self.id).or_default();
            waiting.writer = Some(context.waker().clone());
            Poll::Pending
        })
    }
}

/// A connection's status, unless the host has failed.
fn status(state: &State, id: StreamId) -> io::Result<Status> {
    if let Some(kind) = state.failure {
        return Err(kind.into());
    }
    state.end.status(id).ok_or(ErrorKind::NotConnected.into())
}

fn of(ending: Ending) -> ErrorKind {
    match ending {
        Ending::Closed => ErrorKind::NotConnected,
        Ending::Refused => ErrorKind::ConnectionRefused,
        Ending::Reset => ErrorKind::ConnectionReset,
        Ending::TimedOut => ErrorKind::TimedOut,
        Ending::Unreachable => ErrorKind::HostUnreachable,
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.shared.with(|state, now| {
            state.waiting.remove(&self.id);
            state.end.release(now, self.id);
        });
    }
}

impl Read for &Stream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        block_on(|context| self.poll_fill(context, out))
    }
}

impl Write for &Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        block_on(|context| self.poll_take(context, bytes))
    }

    /// Does nothing: what was written is sent as soon as can be.
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

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let n = std::task::ready!(self.poll_fill(context, out.initialize_unfilled()))?;
        out.advance(n);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_take(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.shutdown(Shutdown::Write))
    }
}
