//! An application's commands to its connections.

use skywave_core::Time;
use skywave_core::tcp::wire::Endpoints;
use thiserror::Error;

use super::endpoint::Endpoint;
use super::socket::{Socket, back};
use super::status::Status;
use super::table::StreamId;

/// Reason why [`Endpoint::connect`] opens no connection.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ConnectError {
    /// Addresses and ports of a connection that is there already.
    #[error("a connection from {} to {} is there already", .0.source, .0.destination)]
    InUse(Endpoints),
    /// Addresses of two versions of IP, or a port 0, between which there can be no connection.
    #[error("no connection goes from {} to {}: expected two addresses of one version of IP, and ports above 0", .0.source, .0.destination)]
    Addresses(Endpoints),
}

impl Endpoint {
    /// Opens a connection from the local address and port `ends.source` to the peer's, `ends.destination`.
    pub fn connect(&mut self, now: Time, ends: Endpoints) -> Result<StreamId, ConnectError> {
        let Endpoints {
            source,
            destination,
        } = ends;
        if source.is_ipv4() != destination.is_ipv4()
            || source.port() == 0
            || destination.port() == 0
        {
            return Err(ConnectError::Addresses(ends));
        }
        let arriving = back(ends);
        if let Some(id) = self.table.find(&arriving) {
            if !self.table.get(id).is_some_and(|socket| socket.waits_out) {
                return Err(ConnectError::InUse(ends));
            }
            // A number from the clock is ahead of those of the connection before (RFC 6528), and so are timestamps.
            self.give_way(id);
        }
        let mut socket = self.socket(now, ends);
        socket.connection.open_active();
        Ok(self.add(arriving, socket))
    }

    /// Takes a connection of [`Event::Accepted`](super::Event::Accepted) from its listener's backlog, so that there is
    /// room for another one.
    pub fn take(&mut self, id: StreamId) {
        let socket = self.table.get_mut(id);
        if let Some(listener) = socket.and_then(|socket| socket.waiting.take()) {
            self.listeners.taken(listener);
        }
    }

    /// Hands over bytes to be sent on a connection. Returns how many were taken: as many as the send buffer has room
    /// for, 0 once the connection is closed or gone.
    pub fn write(&mut self, id: StreamId, bytes: &[u8]) -> usize {
        let Some(socket) = self.table.get_mut(id) else {
            return 0;
        };
        let n = socket.write(bytes);
        if n > 0 {
            self.touch(id);
        }
        n
    }

    /// Copies received bytes of a connection into `out`. Returns how many; 0 if none are there now, or if the peer's
    /// stream has ended and is read ([`Status::peer_closed`]).
    pub fn read(&mut self, id: StreamId, out: &mut [u8]) -> usize {
        let Some(socket) = self.table.get_mut(id) else {
            return 0;
        };
        let n = socket.read(out);
        if n > 0 {
            // The peer may be waiting for room.
            self.touch(id);
        }
        n
    }

    /// Closes this end's stream of a connection after what was written (FIN); the peer may still send.
    pub fn close(&mut self, id: StreamId) {
        if let Some(socket) = self.table.get_mut(id) {
            socket.close();
            self.touch(id);
        }
    }

    /// Ends a connection at once; the peer is told by a reset.
    pub fn abort(&mut self, id: StreamId) {
        if let Some(socket) = self.table.get_mut(id) {
            socket.connection.abort();
            socket.hear();
            self.touch(id);
        }
    }

    /// Releases a connection: the endpoint closes it by itself, or resets it if received bytes were not read or further
    /// ones come. The `id` is of no use afterwards.
    pub fn release(&mut self, now: Time, id: StreamId) {
        let until = now + self.config().patience;
        if let Some(socket) = self.table.get_mut(id) {
            socket.release(until);
            self.touch(id);
        }
    }

    /// Source and destination of the packets that arrive for a connection: the peer, then this end. `None` if the
    /// connection is gone.
    pub fn addresses(&self, id: StreamId) -> Option<Endpoints> {
        self.table.get(id).map(Socket::arriving)
    }

    /// State of a connection; `None` if it was released or is gone.
    pub fn status(&self, id: StreamId) -> Option<Status> {
        let socket = self.table.get(id).filter(|socket| !socket.released)?;
        Some(socket.status())
    }
}
