//! A host with this project's TCP behind a TUN device: listeners and streams as those of `std::net` and of tokio.
//!
//! ```text
//! programs, kernel ◀─▶ TUN device ◀─▶ [Endpoint] ◀─▶ Stream: Read, Write, AsyncRead, AsyncWrite
//! ```
//!
//! A thread reads packets for the endpoint; who writes or reads a stream sends what follows from that himself, as in a
//! system call. Packets are as large as IP has them, as by TSO and GRO between a kernel and a network card: the kernel cuts
//! and joins them. Blocking calls and tasks wait alike, by wakers.
//!
//! `examples/host_speed.rs` is a program to start from.
//!
//! [Endpoint]: crate::tcp::Endpoint

mod device;
mod shared;
mod stream;

use std::future::poll_fn;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread::{self, JoinHandle};

use skywave_core::tcp::config::Acking;
use skywave_core::tcp::wire::Endpoints;

use crate::tcp::{self, Endpoint, EndpointConfig, Totals};
use shared::{Queue, Shared, block_on};

pub use device::Device;
pub use stream::Stream;

/// Ports for connections of one's own (RFC 6335 section 6).
const PORTS: std::ops::RangeInclusive<u16> = 49152..=u16::MAX;

/// A host behind a TUN device with this project's TCP, in user space. When it is dropped, its connections fall silent,
/// and operations on their [`Stream`]s fail: drop streams before.
#[derive(Debug)]
pub struct Host {
    shared: Arc<Shared>,
    addresses: Vec<IpAddr>,
    thread: Option<JoinHandle<()>>,
}

impl Host {
    /// A host with these IP addresses behind `device`; it takes every packet that comes from the device as its own. The
    /// device's MTU replaces the one in `config`, and every packet is acknowledged at once, as one may hold many
    /// segments. An error if the device or a thread fails.
    pub fn new(
        device: Device,
        addresses: &[IpAddr],
        mut config: EndpointConfig,
    ) -> io::Result<Self> {
        config.mtu = device.mtu()?;
        config.connection.tcp.acking = Acking::EverySegment;
        let drawn = || RandomState::new().hash_one(());
        let secret = u128::from(drawn()) << 64 | u128::from(drawn());
        let port = PORTS.start() + (drawn() % PORTS.len() as u64) as u16;
        let shared = Arc::new(Shared::new(device, Endpoint::new(config, secret), port)?);
        let reading = Arc::clone(&shared);
        let thread = thread::Builder::new().name("tcp host".to_owned());
        Ok(Self {
            addresses: addresses.to_vec(),
            thread: Some(thread.spawn(move || reading.run())?),
            shared,
        })
    }

    /// Listens for connections at `port` of all addresses. At most `backlog` established connections wait to be
    /// accepted; the handshakes of further ones complete after one has been accepted. [`ErrorKind::AddrInUse`] if there
    /// is a listener at this port.
    pub fn listen(&self, port: u16, backlog: usize) -> io::Result<Listener> {
        let listener = tcp::Listener {
            address: None,
            port: Some(port),
            backlog,
            asks: false,
        };
        self.shared.with(|state, _| {
            let listening = state.end.listen(listener);
            listening.map_err(|error| io::Error::new(ErrorKind::AddrInUse, error))?;
            state.queues.insert(port, Queue::default());
            Ok(Listener {
                shared: Arc::clone(&self.shared),
                port,
            })
        })
    }

    /// Opens a connection to `to`, and blocks until it is established. An error if it is refused or gets no answer, or
    /// this host has no address of the same IP version.
    pub fn connect(&self, to: SocketAddr) -> io::Result<Stream> {
        let stream = self.begin(to)?;
        block_on(|context| stream.poll_connected(context))?;
        Ok(stream)
    }

    /// Opens a connection to `to`, and waits until it is established without blocking a thread; errors as of
    /// [`Self::connect`].
    pub async fn connect_async(&self, to: SocketAddr) -> io::Result<Stream> {
        let stream = self.begin(to)?;
        poll_fn(|context| stream.poll_connected(context)).await?;
        Ok(stream)
    }

    /// Sums of the counters of all connections so far, closed ones included.
    pub fn totals(&self) -> Totals {
        self.shared.with(|state, _| state.end.totals())
    }

    fn begin(&self, to: SocketAddr) -> io::Result<Stream> {
        let own = self.addresses.iter().find(|a| a.is_ipv4() == to.is_ipv4());
        let own = *own.ok_or(ErrorKind::AddrNotAvailable)?;
        self.shared.with(|state, now| {
            for _ in PORTS {
                let source = SocketAddr::new(own, state.port);
                state.port = state.port.checked_add(1).unwrap_or(*PORTS.start());
                let ends = Endpoints {
                    source,
                    destination: to,
                };
                match state.end.connect(now, ends) {
                    Ok(id) => return Ok(Stream::new(Arc::clone(&self.shared), id)),
                    Err(tcp::ConnectError::InUse(_)) => {}
                    Err(error) => return Err(io::Error::new(ErrorKind::InvalidInput, error)),
                }
            }
            Err(ErrorKind::AddrInUse.into())
        })
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.shared.end();
        if let Some(thread) = self.thread.take() {
            // It has ended, by whatever.
            let _ = thread.join();
        }
    }
}

/// A TCP port of a [`Host`] where connections come in. One task or thread may wait for a connection: of several, only
/// the last one is woken.
#[derive(Debug)]
pub struct Listener {
    shared: Arc<Shared>,
    port: u16,
}

impl Listener {
    /// Blocks until a connection comes, and returns it with the peer's address. An error once the host was dropped or
    /// its device cannot be read.
    pub fn accept(&self) -> io::Result<(Stream, SocketAddr)> {
        block_on(|context| self.poll_accept(context))
    }

    /// Waits for a connection without blocking a thread, and returns it with the peer's address; errors as of
    /// [`Self::accept`].
    pub async fn accept_async(&self) -> io::Result<(Stream, SocketAddr)> {
        poll_fn(|context| self.poll_accept(context)).await
    }

    /// Next connection that has come, with the peer's address; if there is none, the task is woken when one comes. An
    /// error once the host was dropped or its device cannot be read.
    pub fn poll_accept(&self, context: &mut Context<'_>) -> Poll<io::Result<(Stream, SocketAddr)>> {
        let came = self.shared.with(|state, _| {
            if let Some(kind) = state.failure {
                return Poll::Ready(Err(io::Error::from(kind)));
            }
            let queue = state.queues.get_mut(&self.port);
            let queue = queue.ok_or(ErrorKind::NotConnected)?;
            if let Some(id) = queue.came.pop_front() {
                state.end.take(id);
                return Poll::Ready(Ok(id));
            }
            queue.waiter = Some(context.waker().clone());
            Poll::Pending
        });
        came.map(|id| {
            let stream = Stream::new(Arc::clone(&self.shared), id?);
            let peer = stream.peer_addr()?;
            Ok((stream, peer))
        })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.with(|state, now| {
            state.end.unlisten(None, Some(self.port));
            let queue = state.queues.remove(&self.port);
            for id in queue.into_iter().flat_map(|queue| queue.came) {
                state.end.abort(id);
                state.end.release(now, id);
            }
        });
    }
}

#[cfg(test)]
mod tests;
