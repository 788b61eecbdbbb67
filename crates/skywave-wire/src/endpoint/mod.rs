//! One end of a connection, as a machine without I/O: WTCP's packets as they are, one a datagram.
//!
//! A connection has a stream of bytes each way. Each is a connection of WTCP's own: number 0 from the side that connects,
//! number 1 back. Nothing is encrypted, and whoever knows the two numbers can write into the streams: [`crate::stream`]
//! therefore stays on the loopback interface.
//!
//! # The caller's contract
//! As WTCP's own: after every input, call [`Endpoint::poll_transmit`] until it returns false, then ask
//! [`Endpoint::next_timer`] again.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use skywave_core::wtcp::{
    Config, Failure, Packet, Receiver, ReceiverCounters, Sender, SenderCounters, wire,
};
use skywave_core::{Duration, Time};

use crate::bytes::Bytes;

/// Bytes that a writer may be ahead of what is acknowledged.
const SEND_BUFFER: usize = 4 << 20;
/// Connection number of the stream from the side that connects.
const FORWARD: u32 = 0;
/// Connection number of the stream back.
const BACK: u32 = 1;

/// End of a WTCP connection, without I/O: a stream of bytes each way, in datagrams that the caller carries.
#[derive(Debug)]
pub struct Endpoint {
    /// Connection numbers of the stream that goes out, and of the one that comes in.
    out: u32,
    back: u32,
    sender: Sender,
    unacknowledged: Bytes,
    receiver: Receiver,
    unread: Bytes,
    closed: bool,
}

/// Counts and times of a WTCP connection so far, as one end sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Status {
    /// Bytes written at this end that the peer has acknowledged.
    pub acknowledged: u64,
    /// Bytes from the peer that have come in order, read or not.
    pub delivered: u64,
    /// Counts of the sender of this end's outgoing stream.
    pub sent: SenderCounters,
    /// Counts of the receiver of this end's incoming stream.
    pub received: ReceiverCounters,
    /// Smoothed round-trip time of this end's sender, the configured initial one before a sample; `None` until the
    /// outgoing stream is established.
    pub rtt: Option<Duration>,
    /// Time from one packet to the next that this end's sender keeps, as the peer has last asked (WTCP's rate); `None`
    /// unless the outgoing stream is established.
    pub separation: Option<Duration>,
}

impl Endpoint {
    /// End that opens the connection: its outgoing stream has WTCP's connection number 0, the incoming one 1.
    pub fn connecting(config: &Arc<Config>) -> Self {
        Self::new(FORWARD, BACK, config)
    }

    /// End that waits for the connection: its outgoing stream has WTCP's connection number 1, the incoming
    /// one 0.
    pub fn listening(config: &Arc<Config>) -> Self {
        Self::new(BACK, FORWARD, config)
    }

    fn new(out: u32, back: u32, config: &Arc<Config>) -> Self {
        Self {
            out,
            back,
            sender: Sender::new(Arc::clone(config)),
            unacknowledged: Bytes::default(),
            receiver: Receiver::new(Arc::clone(config)),
            unread: Bytes::default(),
            closed: false,
        }
    }

    /// Takes as many of `bytes` to send as the send buffer has room for, and returns how many; 0 after [`Self::close`].
    pub fn write(&mut self, now: Time, bytes: &[u8]) -> usize {
        let n = bytes.len().min(SEND_BUFFER - self.unacknowledged.len());
        if n == 0 || self.closed {
            return 0;
        }
        self.sender.open(now);
        self.sender.write(n as u64);
        self.unacknowledged.push(&bytes[..n]);
        n
    }

    /// Ends the outgoing stream after what was written; the incoming stream goes on.
    pub fn close(&mut self, now: Time) {
        self.closed = true;
        self.sender.open(now);
        self.sender.close();
    }

    /// Whether the outgoing stream was ended by [`Self::close`].
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Copies the bytes that have come in order and are unread into `out`, as many as fit; returns how many.
    pub fn read(&mut self, out: &mut [u8]) -> usize {
        let n = self.unread.take(out, self.receiver.readable());
        self.receiver.read(n as u64);
        n
    }

    /// Whether the peer has ended its stream and all bytes of it have been read.
    pub fn is_read(&self) -> bool {
        self.receiver.is_finished() && self.receiver.readable() == 0
    }

    /// Whether the peer has acknowledged all that was written, and the end of the stream.
    pub fn is_sent(&self) -> bool {
        self.sender.is_done()
    }

    /// Gives up the connection's two streams, the outgoing and the incoming one: bytes not delivered yet are lost. The
    /// peer is told by one packet a stream, which may be lost.
    pub fn abort(&mut self) {
        self.sender.abort();
        self.receiver.abort();
    }

    /// Reason why the outgoing stream has failed or, if it has not, the incoming one; `None` if neither has.
    pub fn failure(&self) -> Option<Failure> {
        self.sender.failure().or(self.receiver.failure())
    }

    /// Counts and times of the connection so far.
    pub fn status(&self) -> Status {
        let is_measured = self.sender.is_established() || self.sender.is_done();
        let separation = || self.sender.separation().to_duration();
        Status {
            acknowledged: self.sender.acknowledged(),
            delivered: self.receiver.delivered(),
            sent: self.sender.counters(),
            received: self.receiver.counters(),
            rtt: is_measured.then(|| self.sender.rtt()),
            separation: self.sender.is_established().then(separation),
        }
    }

    /// Takes a datagram that arrived. False if it is no packet of this connection, and is ignored.
    pub fn on_datagram(&mut self, now: Time, bytes: &[u8]) -> bool {
        let Ok(datagram) = wire::decode(bytes) else {
            return false;
        };
        if datagram.connection == self.out {
            self.sender.on_packet(now, &datagram.packet);
            self.unacknowledged.forget(self.sender.acknowledged());
        } else if datagram.connection == self.back {
            if let Some(range) = self.receiver.on_packet(now, &datagram.packet) {
                self.unread.put(range.start, datagram.payload);
            }
        } else {
            return false;
        }
        true
    }

    /// Handles the timers that have expired by `now`; to be called when the time of [`Self::next_timer`] has come.
    pub fn on_timer(&mut self, now: Time) {
        self.sender.on_timer(now);
        self.receiver.on_timer(now);
    }

    /// Time at which [`Self::on_timer`] and then [`Self::poll_transmit`] are due; `None` if no timer runs.
    pub fn next_timer(&self) -> Option<Time> {
        let timers = [self.sender.next_timer(), self.receiver.next_timer()];
        timers.into_iter().flatten().min()
    }

    /// Puts the next datagram for the peer into `out`, which is emptied before; false if there is none now.
    pub fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> bool {
        out.clear();
        // An answer is due once, a slot comes again.
        self.answer(now, out) || self.send(now, out)
    }

    fn answer(&mut self, now: Time, out: &mut Vec<u8>) -> bool {
        let Some(packet) = self.receiver.poll_transmit(now) else {
            return false;
        };
        out.extend_from_slice(&wire::header(self.back, &packet));
        true
    }

    fn send(&mut self, now: Time, out: &mut Vec<u8>) -> bool {
        let Some(packet) = self.sender.poll_transmit(now) else {
            return false;
        };
        out.extend_from_slice(&wire::header(self.out, &packet));
        match &packet {
            Packet::Data(data) => {
                let len = usize::from(data.len);
                self.unacknowledged.copy(data.rel_seq, len, out);
            }
            other => out.resize(out.len() + usize::from(other.payload_len()), 0),
        }
        true
    }
}
