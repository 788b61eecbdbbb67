//! The connections of an endpoint, found by their number or by their addresses.

use std::collections::HashMap;

use skywave_core::tcp::wire::Endpoints;

use super::socket::Socket;

/// Identifier of a connection of an [`Endpoint`](super::Endpoint), never given twice: calls with that of a connection
/// that is gone do no harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId {
    place: u32,
    generation: u32,
}

/// Connections in their places.
#[derive(Debug, Default)]
pub(super) struct Table {
    places: Vec<(u32, Option<Box<Socket>>)>,
    free: Vec<u32>,
    /// By source and destination of the packets that arrive.
    by_peer: HashMap<Endpoints, StreamId>,
}

impl Table {
    /// Adds a connection whose packets arrive with these addresses; they must not be there yet.
    pub(super) fn insert(&mut self, arriving: Endpoints, socket: Socket) -> StreamId {
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push((0, None));
            self.places.len() as u32 - 1
        });
        let (generation, slot) = &mut self.places[place as usize];
        *slot = Some(Box::new(socket));
        let id = StreamId {
            place,
            generation: *generation,
        };
        self.by_peer.insert(arriving, id);
        id
    }

    pub(super) fn find(&self, arriving: &Endpoints) -> Option<StreamId> {
        self.by_peer.get(arriving).copied()
    }

    pub(super) fn get(&self, id: StreamId) -> Option<&Socket> {
        let (generation, slot) = self.places.get(id.place as usize)?;
        slot.as_deref().filter(|_| *generation == id.generation)
    }

    pub(super) fn get_mut(&mut self, id: StreamId) -> Option<&mut Socket> {
        let (generation, slot) = self.places.get_mut(id.place as usize)?;
        slot.as_deref_mut().filter(|_| *generation == id.generation)
    }

    /// Takes a connection out.
    pub(super) fn remove(&mut self, id: StreamId) -> Option<Box<Socket>> {
        let (generation, slot) = self.places.get_mut(id.place as usize)?;
        if *generation != id.generation {
            return None;
        }
        let socket = slot.take()?;
        *generation = generation.wrapping_add(1);
        self.free.push(id.place);
        self.detach(id, &socket);
        Some(socket)
    }

    /// Takes a connection out of its place for a while.
    pub(super) fn lift(&mut self, id: StreamId) -> Option<Box<Socket>> {
        let (generation, slot) = self.places.get_mut(id.place as usize)?;
        slot.take_if(|_| *generation == id.generation)
    }

    /// Puts it back.
    pub(super) fn lower(&mut self, id: StreamId, socket: Box<Socket>) {
        self.places[id.place as usize].1 = Some(socket);
    }

    /// Packets with its addresses are not for a connection any more.
    pub(super) fn detach(&mut self, id: StreamId, socket: &Socket) {
        let arriving = socket.arriving();
        if self.by_peer.get(&arriving) == Some(&id) {
            self.by_peer.remove(&arriving);
        }
    }

    /// Every connection, by its place.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Socket> {
        self.places.iter().filter_map(|(_, slot)| slot.as_deref())
    }

    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }
}
