//! Datagrams between clients and a target, as through a NAT: each client has a socket of its own to
//! the target, so that the target's answers find their way back.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::time::{Duration as StdDuration, Instant};

use skywave_core::Duration;
use thiserror::Error;

use super::drive::{Ends, Sent};
use super::machine::Direction;
use super::report::Troubles;
use crate::system;

/// Clients served at once; each has a socket.
const CLIENTS: usize = 256;

/// A client that has been silent this long makes room for another (RFC 4787 section 4.3 asks for at
/// least 2 minutes).
const IDLE: StdDuration = StdDuration::from_secs(120);

/// Reason why [`UdpEnds`] cannot be made for these addresses.
#[derive(Debug, Error)]
pub enum UdpError {
    /// Failure to listen on the address.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Address that was to be listened on.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
    /// Failure to open a socket to the target.
    #[error("cannot send to {target}: {source}")]
    Target {
        /// Address of the target.
        target: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
    /// Target with port 0, to which nothing can be sent.
    #[error("{0} has no port to send to")]
    NoPort(SocketAddr),
    /// Target at which the relay itself listens, so that its packets would come back to it.
    #[error("packets to {0} would come back to the relay: it listens there itself")]
    Itself(SocketAddr),
}

/// UDP sockets as the ends of a relay, as through a NAT: up to 256 clients on one side and one target on the other.
#[derive(Debug)]
pub struct UdpEnds {
    listen: UdpSocket,
    address: SocketAddr,
    target: SocketAddr,
    clients: Vec<Client>,
    by_address: BTreeMap<SocketAddr, usize>,
    /// Clients so far.
    numbered: u64,
    /// Sockets that may have something to read.
    ready: VecDeque<Source>,
    refused: u64,
    turned_away: u64,
    /// Packets that the system dropped at sockets that are closed by now.
    unread: u64,
}

#[derive(Debug)]
struct Client {
    address: SocketAddr,
    /// Connected to the target.
    socket: UdpSocket,
    heard: Instant,
    number: u64,
}

/// Identity of a client of [`UdpEnds`], a remote address and port that sends to the relay; no later client has the same
/// identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientId {
    place: usize,
    number: u64,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Listener,
    Client(usize),
}

impl UdpEnds {
    /// Listens on `listen` (port 0: any free one) for clients, whose packets go to `target`.
    pub fn bind(listen: SocketAddr, target: SocketAddr) -> Result<Self, UdpError> {
        if target.port() == 0 {
            return Err(UdpError::NoPort(target));
        }
        let here = listen.ip() == target.ip()
            || (listen.ip().is_unspecified() && target.ip().is_loopback());
        if here && listen.port() == target.port() {
            return Err(UdpError::Itself(target));
        }
        let refuse = |source| UdpError::Listen {
            address: listen,
            source,
        };
        let socket = UdpSocket::bind(listen).map_err(refuse)?;
        socket.set_nonblocking(true).map_err(refuse)?;
        system::enlarge_buffers(&socket);
        let address = socket.local_addr().map_err(refuse)?;
        // A mistake in the target should show now, and not with the first client.
        upstream(target).map_err(|source| UdpError::Target { target, source })?;
        Ok(Self {
            listen: socket,
            address,
            target,
            clients: Vec::new(),
            by_address: BTreeMap::new(),
            numbered: 0,
            ready: VecDeque::new(),
            refused: 0,
            turned_away: 0,
            unread: 0,
        })
    }

    /// Local address and port to which clients send.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The place of the client at `address`, a new one if need be; `None` if there is no room.
    fn client(&mut self, address: SocketAddr) -> Option<usize> {
        if let Some(&place) = self.by_address.get(&address) {
            return Some(place);
        }
        let idle = |c: &Client| c.heard.elapsed() >= IDLE;
        let free = if self.clients.len() < CLIENTS {
            None
        } else {
            Some(self.clients.iter().position(idle)?)
        };
        let socket = upstream(self.target).ok()?;
        self.numbered += 1;
        let client = Client {
            address,
            socket,
            heard: Instant::now(),
            number: self.numbered,
        };
        let place = free.unwrap_or(self.clients.len());
        if free.is_some() {
            let old = std::mem::replace(&mut self.clients[place], client);
            self.unread += system::unread(&old.socket).unwrap_or(0);
            self.by_address.remove(&old.address);
        } else {
            self.clients.push(client);
        }
        self.by_address.insert(address, place);
        Some(place)
    }

    fn id(&self, place: usize) -> ClientId {
        let number = self.clients[place].number;
        ClientId { place, number }
    }

    /// Reads from a socket; `None` if it was nothing to relay.
    fn read(&mut self, source: Source, buffer: &mut [u8]) -> io::Result<Option<Packet>> {
        match source {
            Source::Listener => {
                let (length, from) = self.listen.recv_from(buffer)?;
                let Some(place) = self.client(from) else {
                    self.turned_away += 1;
                    return Ok(None);
                };
                self.clients[place].heard = Instant::now();
                Ok(Some((Direction::Forward, self.id(place), length)))
            }
            Source::Client(place) => {
                let client = &mut self.clients[place];
                let length = client.socket.recv(buffer)?;
                client.heard = Instant::now();
                Ok(Some((Direction::Back, self.id(place), length)))
            }
        }
    }
}

/// Way and client of a packet, and its length.
type Packet = (Direction, ClientId, usize);

impl Ends for UdpEnds {
    type Address = ClientId;

    fn wait(&mut self, at_most: Duration) -> io::Result<()> {
        let clients = self.clients.iter().map(|client| &client.socket);
        let ready = &mut self.ready;
        ready.clear();
        system::wait(std::iter::once(&self.listen).chain(clients), at_most, |n| {
            ready.push_back(match n {
                0 => Source::Listener,
                n => Source::Client(n - 1),
            });
        })
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<Packet>> {
        // In turns, so that a busy socket does not keep the others from being heard.
        while let Some(source) = self.ready.pop_front() {
            match self.read(source, buffer) {
                Ok(read) => {
                    self.ready.push_back(source);
                    if read.is_some() {
                        return Ok(read);
                    }
                }
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => {}
                    ErrorKind::Interrupted => self.ready.push_back(source),
                    // An error about a packet that was sent before.
                    _ if is_news(&error) => {
                        self.refused += 1;
                        self.ready.push_back(source);
                    }
                    _ => return Err(error),
                },
            }
        }
        Ok(None)
    }

    fn send(&mut self, direction: Direction, address: ClientId, packet: &[u8]) -> Sent {
        let client = &self.clients[address.place];
        if client.number != address.number {
            return Sent::Gone;
        }
        loop {
            let sent = match direction {
                Direction::Forward => client.socket.send(packet),
                Direction::Back => self.listen.send_to(packet, client.address),
            };
            match sent {
                Ok(_) => return Sent::Taken,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The error was that of a packet before; this one has not been tried.
                Err(error) if is_news(&error) => self.refused += 1,
                Err(error) => return Sent::Refused(error.raw_os_error()),
            }
        }
    }

    fn troubles(&self) -> Troubles {
        let sockets = self.clients.iter().map(|client| &client.socket);
        let unread = std::iter::once(&self.listen)
            .chain(sockets)
            .map(system::unread)
            .sum::<Option<u64>>();
        Troubles {
            unread: unread.map(|unread| unread + self.unread),
            refused: self.refused,
            turned_away: self.turned_away,
        }
    }
}

/// A socket to the target.
fn upstream(target: SocketAddr) -> io::Result<UdpSocket> {
    let any: IpAddr = match target {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0))?;
    socket.connect(target)?;
    socket.set_nonblocking(true)?;
    system::enlarge_buffers(&socket);
    Ok(socket)
}

/// The answer to an earlier packet: nobody listens there.
fn is_news(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset
    )
}
