//! An application's commands to its connections.

use skywave_core::Time;
use skywave_core::tcp::wire::Endpoints;
use thiserror::Error;

use super::endpoint::Endpoint;
use super::socket::Socket;
use super::status::Status;
use super::table::StreamId;

/// Why an endpoint does not open a connection.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ConnectError {
    /// A connection with these addresses and ports is there.
    #[error("a connection from {} to {} is there already", .0.source, .0.destination)]
    InUse(Endpoints),
    /// Addresses of two versions of IP, or a port 0, between which there can be no connection.
    #[error("no connection goes from {} to {}: expected two addresses of one version of IP, and ports above 0", .0.source, .0.destination)]
    Addresses(Endpoints),
}

impl Endpoint {
    /// Opens a connection from `ends.source`, which is this end, to `ends.destination`.
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
        let arriving = Endpoints {
            source: destination,
            destination: source,
        };
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

    /// Takes a connection of [`Event::Accepted`](super::Event::Accepted) from its listener's queue, so that there is room
    /// for another one.
    pub fn take(&mut self, id: StreamId) {
        let socket = self.table.get_mut(id);
        if let Some(listener) = socket.and_then(|socket| socket.waiting.take()) {
            self.listeners.taken(listener);
        }
    }

    /// Hands over bytes to be sent. Returns how many were taken: as many as there is room for, none once it is closed.
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

    /// Reads bytes that have come. Returns how many; none if none are there, or the peer has closed
    /// ([`Status::peer_closed`]).
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

    /// Sends no more than what was written, and tells the peer so; it may still send.
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

    /// Lets go of a connection, whose name is of no use afterwards: it closes by itself, and is aborted if something
    /// came that was not read, or comes later.
    pub fn release(&mut self, now: Time, id: StreamId) {
        let until = self.patience_from(now);
        if let Some(socket) = self.table.get_mut(id) {
            socket.release(until);
            self.touch(id);
        }
    }

    /// Source and destination of the packets that arrive for a connection.
    pub fn addresses(&self, id: StreamId) -> Option<Endpoints> {
        self.table.get(id).map(Socket::arriving)
    }

    /// How a connection is; `None` if it was released.
    pub fn status(&self, id: StreamId) -> Option<Status> {
        let socket = self.table.get(id).filter(|socket| !socket.released)?;
        Some(socket.status())
    }
}
