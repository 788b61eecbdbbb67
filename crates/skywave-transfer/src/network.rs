//! How QUIC is set for lossy links, and what strangers may cost.
//!
//! What noq does by itself (RFC 9000): it challenges a new address of a peer (section 9.3), and does not go on
//! sending there until it is answered; but each packet from there buys up to three datagrams, however short
//! it is (noq lets the datagram pass that reaches the limit of section 8.1, and counts anew after each move).

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::key::SecretKey;
use noq::congestion::ControllerFactory;
use noq::{
    ClientConfig, ConnectionId, Endpoint, EndpointConfig, QlogConfig, QlogFactory, QlogFileFactory,
    ServerConfig, Side, TransportConfig, VarInt,
};
use rustix::net::sockopt::set_socket_recv_buffer_size;
use skywave_quic::Law;
use skywave_quic::one_way::{Ear, Watch, accept_reports, send_reports};

use crate::Allowed;
use crate::auth::tls::{self, Refused};
use crate::error::Error;
use crate::reset;
use crate::session;
use crate::wire::message::MAX_LANES;

/// Rules by which a host sends QUIC packets: congestion control, rate limit, logs.
#[derive(Clone, Default)]
pub struct Sending {
    /// Congestion controller of the host's connections; `None` for the default of the QUIC library noq, CUBIC.
    pub control: Option<Control>,
    /// Greatest sending rate of each connection, in bytes a second of UDP payload (QUIC headers included); `None` for
    /// no limit.
    pub limit: Option<u64>,
    /// Folder where each connection writes a log of its events; `None` for no logs.
    pub logs: Option<Arc<Logs>>,
}

/// Folder for logs of connections, in the format
/// [qlog](https://datatracker.ietf.org/doc/draft-ietf-quic-qlog-main-schema/): one file for each connection, for the
/// first 1000.
pub struct Logs {
    files: QlogFileFactory,
    /// Strangers begin connections, too.
    left: AtomicUsize,
}

impl Logs {
    /// Makes the folder for the logs, and those above it, unless it is there.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn into(folder: PathBuf) -> io::Result<Arc<Self>> {
        std::fs::create_dir_all(&folder)?;
        Ok(Arc::new(Self {
            files: QlogFileFactory::new(folder).with_prefix("skywave"),
            left: AtomicUsize::new(MOST_LOGS),
        }))
    }
}

/// Factory of the logs for noq.
struct Factory(Arc<Logs>);

impl QlogFactory for Factory {
    fn for_connection(
        &self,
        side: Side,
        remote: SocketAddr,
        id: ConnectionId,
        now: Instant,
    ) -> Option<QlogConfig> {
        let logs = &self.0;
        let one_less = |left: usize| left.checked_sub(1);
        let (set, get) = (Ordering::Relaxed, Ordering::Relaxed);
        logs.left.fetch_update(set, get, one_less).ok()?;
        logs.files.for_connection(side, remote, id, now)
    }
}

/// Congestion controller of this host's QUIC connections.
#[derive(Clone)]
pub enum Control {
    /// Congestion control law of this project. If it uses one-way delays, it gets those of the data that this host
    /// sends, as far as the peer reports when packets arrive.
    Law(Box<Law>),
    /// Any other controller for the QUIC library noq.
    Other(Arc<dyn ControllerFactory + Send + Sync>),
}

impl Control {
    fn factory(&self, one_way: &OneWay) -> Arc<dyn ControllerFactory + Send + Sync> {
        match (self, one_way) {
            (Self::Law(law), OneWay::Hear(ear)) => Arc::new(law.hearing(ear.clone())),
            (Self::Law(law), _) => Arc::new(law.as_ref().clone()),
            (Self::Other(factory), _) => factory.clone(),
        }
    }
}

/// Role of a side of a connection in the measuring of one-way delays.
#[derive(Clone, Debug)]
pub(crate) enum OneWay {
    /// The side gives files, and its law hears by this ear.
    Hear(Ear),
    /// The side takes files, and tells when packets come.
    Tell,
    /// The side gives files under a controller that does not hear.
    Nothing,
}

impl OneWay {
    /// Role of a side that `gives` files over one connection, or takes them.
    fn new(sending: &Sending, gives: bool) -> Self {
        match &sending.control {
            _ if !gives => Self::Tell,
            Some(Control::Law(law)) if law.hears_one_way() => Self::Hear(Ear::new(Instant::now())),
            _ => Self::Nothing,
        }
    }
}

impl std::fmt::Debug for Sending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = if self.control.is_some() {
            "given"
        } else {
            "default"
        };
        f.debug_struct("Sending")
            .field("control", &name)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

/// Logs that one process writes at most.
const MOST_LOGS: usize = 1000;
/// A connection of which nothing is heard for this long is given up, and a new one is made. Outages
/// may be longer, but one that goes on has its rate at once.
const IDLE: Duration = Duration::from_secs(60);
/// A packet at least this often, so that an address that changed is noticed, and that what translates
/// addresses on the way does not forget.
const KEEP_ALIVE: Duration = Duration::from_secs(5);
/// Streams that the peer may have open at a time: files, and the first one. What has ended may still count for a while.
const STREAMS: u32 = session::STREAMS + 4;
/// Bytes of a stream that may be under way. noq ends a connection when what waits of a stream is in more than
/// [`SPANS`] pieces; each packet is one, unless it was split when it was sent again.
pub(crate) const STREAM_WINDOW: u32 = 1 << 20;
/// `MAX_CHUNKS` in noq-proto's assembler. It joins pieces that are much smaller than their packet, but not
/// whole packets, even if they follow each other.
const SPANS: u32 = 1024;
/// Bytes of a file in the smallest full packet.
const LEAST_IN_PACKET: u32 = 1150;
const _: () = assert!(STREAM_WINDOW / LEAST_IN_PACKET < SPANS);
/// Lanes that the peer may have open at a time, of all files.
pub(crate) const LANES: u32 = 128;
/// Bytes that the system may keep of packets that have come, if it lets us: otherwise a busy host loses
/// packets after they have arrived.
const SOCKET_BUFFER: usize = 2 << 20;
/// Bytes of all files that may be under way, once the peer is known, if there is memory: those of [`MAX_LANES`] lanes. At 20 %
/// loss it takes seven round trips until all of a window has come, most of which waits for the last packet.
pub(crate) const WINDOW: u32 = MAX_LANES as u32 * STREAM_WINDOW;
/// Bytes that may arrive of somebody who is not known yet.
const STRANGERS_WINDOW: u32 = 64 << 10;
/// Handshakes, and connections that have not shown anything, at a time.
pub(crate) const STRANGERS: usize = 64;
/// Time in which a stranger has to show who it is.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);
/// Connections of one key; the oldest makes room for one more.
pub(crate) const PER_KEY: usize = 4;

fn transport(sending: &Sending, window: u32, one_way: &OneWay) -> Arc<TransportConfig> {
    let mut config = TransportConfig::default();
    config
        .max_idle_timeout(IDLE.try_into().ok())
        .keep_alive_interval(Some(KEEP_ALIVE))
        .max_concurrent_bidi_streams(VarInt::from_u32(STREAMS))
        .max_concurrent_uni_streams(VarInt::from_u32(0))
        .stream_receive_window(VarInt::from_u32(STREAM_WINDOW))
        .receive_window(VarInt::from_u32(window))
        .send_window(u64::from(WINDOW))
        .datagram_receive_buffer_size(None)
        .max_outgoing_bytes_per_second(sending.limit);
    match one_way {
        OneWay::Hear(_) => accept_reports(&mut config),
        OneWay::Tell => send_reports(&mut config),
        OneWay::Nothing => {}
    }
    if let Some(logs) = &sending.logs {
        config.qlog_factory(Arc::new(Factory(logs.clone())));
    }
    if let Some(control) = &sending.control {
        config.congestion_controller_factory(control.factory(one_way));
    }
    Arc::new(config)
}

/// The configuration of a side that connects, and `gives` files or takes them.
pub(crate) fn client(
    secret: &SecretKey,
    peers: Allowed,
    sending: &Sending,
    gives: bool,
) -> Result<(ClientConfig, OneWay), Error> {
    let tls = tls::client(secret, peers).map_err(|error| Error::System(error.to_string()))?;
    let one_way = OneWay::new(sending, gives);
    let mut config = ClientConfig::new(Arc::new(tls));
    config.transport_config(transport(sending, WINDOW, &one_way));
    Ok((config, one_way))
}

/// The configuration of a side that listens.
pub(crate) fn server(
    secret: &SecretKey,
    peers: Allowed,
    refused: Refused,
    sending: &Sending,
) -> Result<ServerConfig, Error> {
    let tls =
        tls::server(secret, peers, refused).map_err(|error| Error::System(error.to_string()))?;
    let mut config = ServerConfig::with_crypto(Arc::new(tls));
    config
        .transport_config(transport(sending, STRANGERS_WINDOW, &OneWay::Nothing))
        .max_incoming(2 * STRANGERS)
        .incoming_buffer_size(16 << 10)
        .incoming_buffer_size_total(1 << 20);
    Ok(config)
}

/// Settings of a server for one connection, over which this side `gives` files or takes them.
pub(crate) fn for_one(
    server: &ServerConfig,
    sending: &Sending,
    gives: bool,
) -> (ServerConfig, OneWay) {
    let one_way = OneWay::new(sending, gives);
    let mut config = server.clone();
    config.transport_config(transport(sending, STRANGERS_WINDOW, &one_way));
    (config, one_way)
}

/// An endpoint, and who notes when its packets leave and come.
#[derive(Clone)]
pub(crate) struct Watched {
    pub(crate) endpoint: Endpoint,
    pub(crate) watch: Watch,
}

/// An endpoint at an address, to connect from.
pub(crate) fn endpoint(at: SocketAddr) -> Result<Watched, Error> {
    let open = || {
        let socket = UdpSocket::bind(at)?;
        open(EndpointConfig::default(), None, socket)
    };
    open().map_err(|error| Error::Bind(at, error))
}

/// An endpoint that listens.
pub(crate) fn listening(
    at: SocketAddr,
    secret: &SecretKey,
    server: ServerConfig,
) -> Result<Watched, Error> {
    let open = || {
        let socket = UdpSocket::bind(at)?;
        let port = socket.local_addr()?.port();
        open(reset::config(secret, port), Some(server), socket)
    };
    open().map_err(|error| Error::Bind(at, error))
}

fn open(
    config: EndpointConfig,
    server: Option<ServerConfig>,
    socket: UdpSocket,
) -> io::Result<Watched> {
    let _ = set_socket_recv_buffer_size(&socket, SOCKET_BUFFER);
    let (endpoint, watch) = Watch::endpoint(config, server, socket)?;
    Ok(Watched { endpoint, watch })
}

/// Any address of this host from which that one is reached: of the same kind, on loopback for loopback.
pub(crate) fn local_for(to: SocketAddr) -> SocketAddr {
    match (to, to.ip().is_loopback()) {
        (SocketAddr::V4(_), true) => (Ipv4Addr::LOCALHOST, 0).into(),
        (SocketAddr::V4(_), false) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        (SocketAddr::V6(_), true) => (Ipv6Addr::LOCALHOST, 0).into(),
        (SocketAddr::V6(_), false) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    }
}
