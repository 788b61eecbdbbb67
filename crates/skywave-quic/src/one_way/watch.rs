//! One-way delays for all connections of an endpoint.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use noq::{Connection, Endpoint, EndpointConfig, PathId, Runtime, ServerConfig};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

use super::socket::Watched;
use super::{Arrivals, Departures, Ear, Report, Tag, lock, report_after};

/// How often to look for a peer's new address while nothing comes from the one before.
const LOOK: Duration = Duration::from_secs(1);

/// Observer at the socket of a noq endpoint (noq is the QUIC library): notes when datagrams leave and come, to measure
/// one-way delays, as long as a connection uses them.
///
/// ```no_run
/// # use skywave_quic::one_way::Watch;
/// # fn main() -> std::io::Result<()> {
/// let socket = std::net::UdpSocket::bind("127.0.0.1:0")?;
/// let (endpoint, watch) = Watch::endpoint(noq::EndpointConfig::default(), None, socket)?;
/// // Of each connection, the end that receives data spawns a task for `watch.tell(&connection)`, and the one
/// // that sends it for `watch.hear(&connection, &ear)`.
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Watch(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Start of the times of arrivals.
    origin: Instant,
    /// Number of times that datagrams came, one or several together, whoever sent them.
    datagrams: AtomicU64,
    /// Connections that hear, and peers that are told: while there is none, nothing is noted.
    hearing: AtomicUsize,
    telling: AtomicUsize,
    departures: Mutex<Departures>,
    /// Peers that are told, by address.
    peers: Mutex<HashMap<SocketAddr, Peer>>,
}

/// A peer that is told of its datagrams.
#[derive(Debug)]
struct Peer {
    arrivals: Arrivals,
    /// Connections with it.
    connections: usize,
    /// The first datagram after a report came.
    came: Arc<Notify>,
}

impl Default for Watch {
    fn default() -> Self {
        Self(Arc::new(Shared {
            origin: Instant::now(),
            datagrams: AtomicU64::new(0),
            hearing: AtomicUsize::new(0),
            telling: AtomicUsize::new(0),
            departures: Mutex::default(),
            peers: Mutex::default(),
        }))
    }
}

impl Watch {
    /// Endpoint of the QUIC library noq over this socket, in tokio's runtime, and the [`Watch`] that measures one-way
    /// delays at the socket.
    ///
    /// # Errors
    /// An I/O error if tokio's runtime or noq does not accept the socket.
    pub fn endpoint(
        config: EndpointConfig,
        server: Option<ServerConfig>,
        socket: UdpSocket,
    ) -> io::Result<(Endpoint, Self)> {
        let (runtime, watch) = (Arc::new(noq::TokioRuntime), Self::default());
        let socket = Box::new(Watched {
            inner: runtime.wrap_udp_socket(socket)?,
            watch: watch.clone(),
        });
        let endpoint = Endpoint::new_with_abstract_socket(config, server, socket, runtime)?;
        Ok((endpoint, watch))
    }

    /// Number of reads of the socket so far that brought datagrams, one or several together, from any address.
    pub fn datagrams(&self) -> u64 {
        self.0.datagrams.load(Ordering::Relaxed)
    }

    /// Datagrams of `size` bytes left together, the last one maybe shorter.
    pub(super) fn left(&self, now: Instant, contents: &[u8], size: usize) {
        if self.0.hearing.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut departures = lock(&self.0.departures);
        for tag in contents.chunks(size.max(1)).filter_map(Tag::of) {
            departures.note(tag, now);
        }
    }

    /// Datagrams came together: from where, and of which size, the last one of each group maybe shorter.
    pub(super) fn came<'a>(&self, groups: impl Iterator<Item = (SocketAddr, &'a [u8], usize)>) {
        self.0.datagrams.fetch_add(1, Ordering::Relaxed);
        if self.0.telling.load(Ordering::Relaxed) == 0 {
            return;
        }
        let now = Instant::now();
        let mut peers = lock(&self.0.peers);
        for (from, contents, size) in groups {
            let Some(peer) = peers.get_mut(&from) else {
                continue;
            };
            for tag in contents.chunks(size.max(1)).filter_map(Tag::of) {
                if peer.arrivals.note(tag, now) {
                    peer.came.notify_one();
                }
            }
        }
    }

    /// Reports to the peer when its datagrams arrive, if the peer takes QUIC datagrams: a program that uses QUIC
    /// datagrams for something else must have its peers agree on reports in another way. The end that receives data
    /// spawns this as a task, which never returns, and ends the task with the connection.
    pub async fn tell(&self, connection: &Connection) -> Infallible {
        let takes = connection.max_datagram_size();
        if takes.is_none_or(|bytes| bytes < Report::MOST_BYTES) {
            return pending().await;
        }
        let mut telling: Option<Telling<'_>> = None;
        loop {
            let path = connection.path(PathId::ZERO);
            let Some(address) = path.and_then(|path| path.remote_address().ok()) else {
                return pending().await;
            };
            let telling = match &telling {
                Some(same) if same.address == address => same,
                _ => telling.insert(Telling::new(self, address)),
            };
            if timeout(LOOK, telling.came.notified()).await.is_err() {
                continue;
            }
            let rtt = connection.rtt(PathId::ZERO).unwrap_or_default();
            sleep(report_after(rtt)).await;
            let report = telling.report().map(|report| report.into_bytes().into());
            if report.is_some_and(|report| connection.send_datagram(report).is_err()) {
                return pending().await;
            }
        }
    }

    /// Takes the peer's reports of arrivals, and notes the one-way delays in `ear`. The end that sends data spawns this
    /// as a task, which never returns, and ends the task with the connection.
    pub async fn hear(&self, connection: &Connection, ear: &Ear) -> Infallible {
        let _noting = Counted::new(&self.0.hearing);
        while let Ok(datagram) = connection.read_datagram().await {
            let now = Instant::now();
            let mut departures = lock(&self.0.departures);
            for (tag, came) in Report::read(&datagram).iter().flat_map(Report::arrivals) {
                if let Some(sent) = departures.take(tag, now) {
                    ear.hear(sent, came);
                }
            }
        }
        pending().await
    }
}

/// One more, as long as it lives.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Notes what comes from an address, as long as it lives.
struct Telling<'a> {
    watch: &'a Watch,
    address: SocketAddr,
    came: Arc<Notify>,
    _noting: Counted<'a>,
}

impl<'a> Telling<'a> {
    fn new(watch: &'a Watch, address: SocketAddr) -> Self {
        let mut peers = lock(&watch.0.peers);
        let peer = peers.entry(address).or_insert_with(|| Peer {
            arrivals: Arrivals::new(watch.0.origin),
            connections: 0,
            came: Arc::default(),
        });
        peer.connections += 1;
        Self {
            watch,
            address,
            came: peer.came.clone(),
            _noting: Counted::new(&watch.0.telling),
        }
    }

    fn report(&self) -> Option<Report> {
        let mut peers = lock(&self.watch.0.peers);
        peers
            .get_mut(&self.address)?
            .arrivals
            .report(Instant::now())
    }
}

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        let mut peers = lock(&self.watch.0.peers);
        if let Some(peer) = peers.get_mut(&self.address) {
            peer.connections -= 1;
            if peer.connections == 0 {
                peers.remove(&self.address);
            }
        }
    }
}
