//! Changes that an application is told of.

/// Change of a connection that an application may want to act on. Several changes of one kind since the last poll are
/// told once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The handshake is over: data may flow.
    Connected,
    /// More bytes can be read.
    Readable,
    /// The peer has acknowledged bytes: a driver's send buffer has room again.
    Writable,
    /// The peer has sent everything that it will send, and all of it has arrived.
    PeerClosed,
    /// The peer has refused or reset the connection.
    Reset,
    /// The peer has not answered for too long.
    TimedOut,
    /// The connection does not exist any more. It is the last event.
    Closed,
}

impl Event {
    const ALL: [Self; 7] = [
        Self::Connected,
        Self::Readable,
        Self::Writable,
        Self::PeerClosed,
        Self::Reset,
        Self::TimedOut,
        Self::Closed,
    ];
}

/// The events that were not fetched yet, a bit each: they need no memory, however slow the application is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Events(u8);

impl Events {
    pub(super) fn tell(&mut self, event: Event) {
        self.0 |= 1 << event as u8;
    }

    /// The first event in the order of [`Event`].
    pub(super) fn take(&mut self) -> Option<Event> {
        let first = *Event::ALL.get(self.0.trailing_zeros() as usize)?;
        self.0 &= !(1 << first as u8);
        Some(first)
    }
}
