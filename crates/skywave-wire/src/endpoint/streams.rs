//! The two streams of a connection, one each way: WTCP's machines and the bytes that they deal in.

use std::sync::Arc;

use skywave_core::wtcp::{Config, Packet, Receiver, Sender, wire};
use skywave_core::{Duration, Time};

use super::bytes::Bytes;

/// Connection number of the stream from the side that connects.
const FORWARD: u32 = 0;
/// Connection number of the stream back.
const BACK: u32 = 1;

/// Both streams, as one side sees them.
#[derive(Debug)]
pub(super) struct Streams {
    ours: u32,
    sender: Sender,
    unacknowledged: Bytes,
    send_buffer: usize,
    receiver: Receiver,
    unread: Bytes,
    closed: bool,
}

impl Streams {
    pub(super) fn new(connects: bool, config: &Arc<Config>, send_buffer: usize) -> Self {
        Self {
            ours: if connects { FORWARD } else { BACK },
            sender: Sender::new(Arc::clone(config)),
            unacknowledged: Bytes::default(),
            send_buffer,
            receiver: Receiver::new(Arc::clone(config)),
            unread: Bytes::default(),
            closed: false,
        }
    }

    /// Takes as many of the bytes as there is room for.
    pub(super) fn write(&mut self, now: Time, bytes: &[u8]) -> usize {
        let n = bytes.len().min(self.room());
        if n > 0 && !self.closed {
            self.sender.open(now);
            self.sender.write(n as u64);
            self.unacknowledged.push(&bytes[..n]);
            return n;
        }
        0
    }

    /// Bytes that may be written now.
    pub(super) fn room(&self) -> usize {
        self.send_buffer.saturating_sub(self.unacknowledged.len())
    }

    /// Nothing more will be written.
    pub(super) fn close(&mut self, now: Time) {
        self.closed = true;
        self.sender.open(now);
        self.sender.close();
    }

    /// Nothing more will be written.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Reads as many bytes as there are and fit.
    pub(super) fn read(&mut self, out: &mut [u8]) -> usize {
        let n = self.unread.take(out, self.receiver.readable());
        self.receiver.read(n as u64);
        n
    }

    /// There is something to read.
    pub(super) fn is_readable(&self) -> bool {
        self.receiver.readable() > 0
    }

    /// The peer's stream is read to its end.
    pub(super) fn is_read(&self) -> bool {
        self.receiver.is_finished() && !self.is_readable()
    }

    /// The peer has everything and the end.
    pub(super) fn is_sent(&self) -> bool {
        self.sender.is_done()
    }

    /// Both streams have ended.
    pub(super) fn is_over(&self) -> bool {
        self.is_sent() && self.receiver.is_finished()
    }

    /// One of the streams has failed.
    pub(super) fn has_failed(&self) -> bool {
        self.sender.failure().is_some() || self.receiver.failure().is_some()
    }

    /// Nobody wants the bytes any more.
    pub(super) fn forget(&mut self) {
        self.unacknowledged = Bytes::default();
        self.unread = Bytes::default();
    }

    pub(super) fn sender(&self) -> &Sender {
        &self.sender
    }

    pub(super) fn receiver(&self) -> &Receiver {
        &self.receiver
    }

    /// A packet from the peer; what is none is ignored.
    pub(super) fn on_packet(&mut self, now: Time, bytes: &[u8]) {
        let Ok(datagram) = wire::decode(bytes) else {
            return;
        };
        if datagram.connection == self.ours {
            self.sender.on_packet(now, &datagram.packet);
            self.unacknowledged.forget(self.sender.acknowledged());
        } else if datagram.connection == FORWARD + BACK - self.ours
            && let Some(range) = self.receiver.on_packet(now, &datagram.packet)
        {
            self.unread.put(range.start, datagram.payload);
        }
    }

    pub(super) fn on_timer(&mut self, now: Time) {
        self.sender.on_timer(now);
        self.receiver.on_timer(now);
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        let timers = [self.sender.next_timer(), self.receiver.next_timer()];
        timers.into_iter().flatten().min()
    }

    /// Writes the next packet for the peer to the end of `out`.
    pub(super) fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> bool {
        // An answer is due once, a slot comes again.
        self.answer(now, out) || self.send(now, out)
    }

    fn send(&mut self, now: Time, out: &mut Vec<u8>) -> bool {
        let Some(packet) = self.sender.poll_transmit(now) else {
            return false;
        };
        out.extend_from_slice(&wire::header(self.ours, &packet));
        match &packet {
            Packet::Data(data) => {
                let len = usize::from(data.len);
                self.unacknowledged.copy(data.rel_seq, len, out);
            }
            other => out.resize(out.len() + usize::from(other.payload_len()), 0),
        }
        true
    }

    fn answer(&mut self, now: Time, out: &mut Vec<u8>) -> bool {
        let Some(packet) = self.receiver.poll_transmit(now) else {
            return false;
        };
        out.extend_from_slice(&wire::header(FORWARD + BACK - self.ours, &packet));
        true
    }

    /// The round-trip time, once measured.
    pub(super) fn rtt(&self) -> Option<Duration> {
        (self.sender.is_established() || self.sender.is_done()).then(|| self.sender.rtt())
    }
}
