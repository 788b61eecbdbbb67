//! A socket that notes when datagrams leave and come, and passes those on that may be answered.

use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use noq::udp::{RecvMeta, Transmit};
use noq::{AsyncUdpSocket, UdpSender};

use super::Watch;
use crate::versions::leave_out;

/// A socket for noq that notes arrivals in `watch`, and leaves out what no endpoint must look at.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) inner: Box<dyn AsyncUdpSocket>,
    pub(super) watch: Watch,
}

impl AsyncUdpSocket for Watched {
    fn create_sender(&self) -> Pin<Box<dyn UdpSender>> {
        Box::pin(WatchedSender {
            inner: self.inner.create_sender(),
            watch: self.watch.clone(),
        })
    }

    fn poll_recv(
        &mut self,
        cx: &mut Context<'_>,
        bufs: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let received = ready!(self.inner.poll_recv(cx, bufs, meta))?;
        for (meta, bytes) in meta[..received].iter_mut().zip(bufs.iter_mut()) {
            let len = meta.len.min(bytes.len());
            meta.len = leave_out(&mut bytes[..len], meta.stride);
        }
        let parts = meta[..received].iter().zip(bufs.iter());
        self.watch.came(parts.map(|(meta, bytes)| {
            let bytes = &bytes[..meta.len.min(bytes.len())];
            (meta.addr, bytes, meta.stride)
        }));
        Poll::Ready(Ok(received))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }

    fn max_receive_segments(&self) -> NonZeroUsize {
        self.inner.max_receive_segments()
    }

    fn may_fragment(&self) -> bool {
        self.inner.may_fragment()
    }
}

/// Sender of a [`Watched`] socket, which notes departures.
#[derive(Debug)]
struct WatchedSender {
    inner: Pin<Box<dyn UdpSender>>,
    watch: Watch,
}

impl UdpSender for WatchedSender {
    fn poll_send(
        mut self: Pin<&mut Self>,
        transmit: &Transmit<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        // Before it leaves: afterwards this thread may have to wait.
        let now = Instant::now();
        ready!(self.inner.as_mut().poll_send(transmit, cx))?;
        let size = transmit.segment_size.unwrap_or(transmit.contents.len());
        self.watch.left(now, transmit.contents, size);
        Poll::Ready(Ok(()))
    }

    fn max_transmit_segments(&self) -> NonZeroUsize {
        self.inner.max_transmit_segments()
    }
}
