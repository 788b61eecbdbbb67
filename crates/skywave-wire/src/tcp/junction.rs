//! Two endpoints joined: a connection that arrives at one goes on from the other, by the other's sender.
//!
//! Both halves have the same addresses, so that neither peer sees the junction. A connection is accepted only when the
//! one that goes on is established, and refused when that is refused; the end of a stream goes on when its bytes have,
//! and a reset at once. Bytes that one side cannot take yet stay in the other one's receive buffer, whose window closes.

use std::collections::HashMap;

use skywave_core::Time;
use skywave_core::tcp::wire::{Endpoints, WireError};

use super::config::EndpointConfig;
use super::endpoint::{Endpoint, Event};
use super::listen::Listener;
use super::status::{Ending, Status};
use super::table::StreamId;
use super::totals::Totals;

/// SYNs that wait at a side for the connection that goes on.
const BACKLOG: usize = 4096;

/// Bytes moved at once.
const BLOCK: usize = 1 << 16;

/// Side of a [`Junction`]: which of its two endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The first endpoint.
    First,
    /// The second endpoint.
    Second,
}

impl Side {
    /// Both sides, first and second.
    pub const ALL: [Self; 2] = [Self::First, Self::Second];

    /// Opposite side of the junction.
    pub fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// Where a connection's other half is.
#[derive(Clone, Copy, Debug)]
enum Half {
    /// The SYN at the side across has not been answered.
    Asked(Endpoints),
    /// Bytes move.
    Joined(StreamId),
}

/// TCP proxy without I/O: a connection that arrives at one of its two endpoints goes on from the other, under the same
/// addresses. Its methods are those of an [`Endpoint`], with the side of each packet.
#[derive(Debug)]
pub struct Junction {
    ends: [Endpoint; 2],
    /// By the connection's side and name.
    halves: HashMap<(Side, StreamId), Half>,
    block: Vec<u8>,
}

impl Junction {
    /// Joins two new endpoints with these configurations, in the order of [`Side::ALL`]. Initial sequence numbers
    /// follow from `secret`, which nobody else may know.
    pub fn new(configs: [EndpointConfig; 2], secret: u128) -> Self {
        let ends = configs.map(|config| {
            // One key for both: each pair of addresses is of one connection at a side, and numbers go by the clock.
            let mut end = Endpoint::new(config, secret);
            // The first listener cannot be there already.
            let _ = end.listen(Listener {
                address: None,
                port: None,
                backlog: BACKLOG,
                asks: true,
            });
            end
        });
        Self {
            ends,
            halves: HashMap::new(),
            block: vec![0; BLOCK],
        }
    }

    /// Hands an IP packet (TCP, or an ICMP error about TCP) that arrived at `side` to the endpoint there.
    ///
    /// # Errors
    /// [`WireError`] if the packet is damaged or of another protocol; it has no effect then.
    pub fn receive(&mut self, now: Time, side: Side, packet: &[u8]) -> Result<(), WireError> {
        self.ends[side as usize].receive(now, packet)
    }

    /// Lets the timers of both endpoints that are due at `now` expire.
    pub fn poll(&mut self, now: Time) {
        for end in &mut self.ends {
            end.poll(now);
        }
    }

    /// Time at which [`Self::poll`] is due; `None` if no timer runs.
    pub fn deadline(&self) -> Option<Time> {
        self.ends.iter().filter_map(Endpoint::deadline).min()
    }

    /// Moves bytes between the two endpoints, then writes the next packet of a side into `out`, which is emptied before.
    /// Returns whether there is one. To be called for both sides until neither has one.
    pub fn transmit(&mut self, now: Time, side: Side, out: &mut Vec<u8>) -> bool {
        loop {
            if self.ends[side as usize].transmit(now, out) {
                return true;
            }
            if !self.settle(now) {
                return false;
            }
        }
    }

    /// Sums of the counters of all TCP connections at one side of the junction.
    pub fn totals(&self, side: Side) -> Totals {
        self.ends[side as usize].totals()
    }

    /// Number of connections now at this side, in whatever state.
    pub fn connections(&self, side: Side) -> usize {
        self.ends[side as usize].connections()
    }

    /// Answers everything that the endpoints tell. Returns whether there was anything.
    fn settle(&mut self, now: Time) -> bool {
        let mut any = false;
        for side in Side::ALL {
            while let Some(event) = self.ends[side as usize].poll_event() {
                any = true;
                match event {
                    Event::Asked(asked) => self.go_on(now, side, asked),
                    Event::Accepted(id) | Event::Changed(id) => self.on_change(now, side, id),
                }
            }
        }
        any
    }

    /// A SYN has come to a side: opens a connection at the other one.
    fn go_on(&mut self, now: Time, side: Side, asked: Endpoints) {
        let across = side.other();
        match self.ends[across as usize].connect(now, asked) {
            Ok(id) => {
                self.halves.insert((across, id), Half::Asked(asked));
            }
            // The one before has not ended across: the next SYN may find that it has.
            Err(_) => self.ends[side as usize].decline(now, asked, false),
        }
    }

    fn on_change(&mut self, now: Time, side: Side, id: StreamId) {
        let Some(&half) = self.halves.get(&(side, id)) else {
            return;
        };
        let Some(status) = self.ends[side as usize].status(id) else {
            return;
        };
        match half {
            Half::Asked(asked) => self.on_answer(now, side, id, asked, &status),
            Half::Joined(other) => {
                self.pass((side, id), (side.other(), other));
                self.pass((side.other(), other), (side, id));
                self.part(now, (side, id), other);
                self.part(now, (side.other(), other), id);
            }
        }
    }

    /// The connection that goes on is established, or will not be.
    fn on_answer(
        &mut self,
        now: Time,
        side: Side,
        id: StreamId,
        asked: Endpoints,
        status: &Status,
    ) {
        let across = side.other();
        if let Some(ending) = status.ended {
            self.halves.remove(&(side, id));
            self.ends[side as usize].release(now, id);
            // Who gets no answer asks until its patience ends, as it would have without the junction.
            let tell = ending != Ending::TimedOut;
            self.ends[across as usize].decline(now, asked, tell);
        } else if status.connected {
            if let Some(other) = self.ends[across as usize].accept(now, asked) {
                self.halves.insert((side, id), Half::Joined(other));
                self.halves.insert((across, other), Half::Joined(id));
            } else {
                self.halves.remove(&(side, id));
                self.ends[side as usize].abort(id);
                self.ends[side as usize].release(now, id);
            }
        }
    }

    /// Moves bytes one way, and their end.
    fn pass(&mut self, from: (Side, StreamId), to: (Side, StreamId)) {
        loop {
            let Some(source) = self.ends[from.0 as usize].status(from.1) else {
                return;
            };
            let Some(target) = self.ends[to.0 as usize].status(to.1) else {
                return;
            };
            let n = source.readable.min(target.room).min(BLOCK);
            if n == 0 {
                let at_end = source.peer_closed && source.readable == 0;
                if at_end && target.connected && !target.closed && target.ended.is_none() {
                    self.ends[to.0 as usize].close(to.1);
                }
                return;
            }
            let block = &mut self.block[..n];
            let read = self.ends[from.0 as usize].read(from.1, block);
            self.ends[to.0 as usize].write(to.1, &block[..read]);
        }
    }

    /// A connection that has ended takes the other one with it: in order if both streams have ended, else by a reset.
    fn part(&mut self, now: Time, (side, id): (Side, StreamId), other: StreamId) {
        let Some(status) = self.ends[side as usize].status(id) else {
            return;
        };
        let Some(ending) = status.ended else { return };
        let across = &mut self.ends[side.other() as usize];
        if ending != Ending::Closed || !status.peer_closed {
            across.abort(other);
        } else if status.readable > 0 {
            // It goes on when there is room.
            return;
        }
        across.release(now, other);
        self.ends[side as usize].release(now, id);
        self.halves.remove(&(side, id));
        self.halves.remove(&(side.other(), other));
    }
}
