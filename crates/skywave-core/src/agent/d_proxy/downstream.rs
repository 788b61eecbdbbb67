//! The agent after the lossy hop: it asks for what is missing, and sends on in order.

use std::collections::VecDeque;

use super::holes::{Holes, Missing};
use super::{Kept, hole_at};
use crate::agent::ORIGIN;
use crate::agent::local_timeout::{LocalTimeout, smooth};
use crate::packet::{Hole, Packet, Segment};
use crate::seq::SeqNr;
use crate::time::{Duration, Time};

/// Settings of D-Proxy's agent after the lossy hop ([`Downstream`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DownstreamConfig {
    /// Most bytes of held packets in one connection, headers included. Beyond that the agent leaves the first hole to
    /// the TCP sender and sends on the segments that waited behind it.
    pub buffer: u64,
    /// Longest time for which segments behind a hole are held back. After it the agent leaves the hole to the TCP
    /// sender and sends those segments on.
    pub hold: Duration,
    /// Timeout after which the agent asks again for missing bytes, by the smoothed time from a request to its answer
    /// (100 ms until bytes come that were asked for only once). Each further request for the same bytes doubles it, at
    /// most to 64 times.
    pub retry: LocalTimeout,
}

impl Default for DownstreamConfig {
    /// The text gives no numbers. A second is the shortest timeout of a sender by RFC 6298.
    fn default() -> Self {
        Self {
            buffer: 128 << 10,
            hold: Duration::from_secs(1),
            retry: LocalTimeout {
                rtts: 2.0,
                min: Duration::from_millis(50),
            },
        }
    }
}

/// Decision of [`Downstream::on_data`] about a data segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The segment is sent on now, before anything that [`Downstream::poll_transmit`] returns.
    Forward,
    /// The segment is not sent on now: the agent holds it for later, or holds a copy of it already.
    Keep,
}

/// A packet that D-Proxy's agent after the lossy hop sends on its own ([`Downstream::poll_transmit`]): a held segment
/// to the receiver, or a request for missing bytes to the agent before that hop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Heard {
    /// To the receiver: a segment that was held, with its packet unchanged.
    Forward(Packet),
    /// To D-Proxy's agent before the lossy hop: a request to send these missing bytes again.
    Nack(Hole),
}

/// Counters of D-Proxy's agent after the lossy hop, in one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counters {
    /// Requests for missing bytes that the agent has sent, repeated ones included.
    pub nacks: u64,
    /// Data segments that the agent has held because bytes before them were missing.
    pub held: u64,
    /// Holes, or parts of them, that the agent has left to the TCP sender to repair.
    pub given_up: u64,
}

/// D-Proxy's agent after the lossy hop, for one connection: asks for missing segments, holds later ones, and
/// sends them on in order.
#[derive(Clone, Debug)]
pub struct Downstream {
    config: DownstreamConfig,
    /// Number of the first byte seen; positions count from [`ORIGIN`] there.
    first: Option<SeqNr>,
    /// End of what was sent on.
    sent: u64,
    /// The ranges that are missing up to the highest position that has come.
    holes: Holes,
    /// Segments behind holes, in the order of their positions.
    held: VecDeque<Kept>,
    bytes: u64,
    /// Smoothed time from a request to its answer.
    srtt: Option<Duration>,
    outbox: VecDeque<Heard>,
    counters: Counters,
}

/// The round trip before the first sample of it.
const FIRST_RTT: Duration = Duration::from_millis(100);

impl Downstream {
    /// An agent that has not seen anything yet.
    pub fn new(config: DownstreamConfig) -> Self {
        Self {
            config,
            first: None,
            sent: ORIGIN,
            holes: Holes::new(ORIGIN),
            held: VecDeque::new(),
            bytes: 0,
            srtt: None,
            outbox: VecDeque::new(),
            counters: Counters::default(),
        }
    }

    /// Takes a packet with a data `segment` that came over the lossy hop, the one between this agent and
    /// [`Upstream`](super::Upstream). The caller sends the packet on at once if the verdict is [`Verdict::Forward`].
    #[must_use]
    pub fn on_data(&mut self, now: Time, packet: &Packet, segment: &Segment) -> Verdict {
        if segment.span() == 0 {
            return Verdict::Forward; // nothing that could be out of order
        }
        self.first.get_or_insert(segment.seq);
        let Some(start) = self.position(segment.seq) else {
            return Verdict::Forward;
        };
        let end = start + segment.span();
        let next = self.holes.next();
        if end <= next {
            // Sent before: its ACK is lost, or it is, on the rest of the way. Or the agent has left it to the sender.
            return Verdict::Forward;
        }
        if let Some(rtt) = self.holes.sample(now, start, end) {
            smooth(&mut self.srtt, rtt);
        }
        let again_at = now + self.config.retry.wait(self.srtt(), 0);
        let found = self.holes.arrive(now, start, end, again_at);
        if let Some(missing) = found.hole {
            self.ask(missing.0, missing.1);
        }
        if !found.is_new && self.holds(start, end) {
            return Verdict::Keep; // a second copy
        }
        if start <= next {
            self.sent = self.sent.max(end);
            self.send_on();
            return Verdict::Forward;
        }
        self.counters.held += 1;
        self.bytes += u64::from(packet.size);
        let place = self.held.partition_point(|held| held.start < start);
        let packet = *packet;
        self.held.insert(place, Kept { start, end, packet });
        while self.bytes > self.config.buffer && self.give_up_first() {}
        Verdict::Keep
    }

    /// Whether all of these positions are held. They may be neither missing nor held: the agent has left them to the
    /// sender, but waits for a hole before them.
    fn holds(&self, start: u64, end: u64) -> bool {
        let mut upto = start;
        for held in &self.held {
            if held.start <= upto {
                upto = upto.max(held.end);
            }
        }
        end <= upto
    }

    /// Takes the answer of the agent before the lossy hop that it does not have the bytes of `hole`: they were lost
    /// before they reached it, or it has forgotten them. Their repair is left to the TCP sender.
    pub fn on_refused(&mut self, hole: Hole) {
        let (Some(start), Some(end)) = (self.position(hole.start), self.position(hole.end)) else {
            return;
        };
        if self.holes.give_up(start, end) {
            self.counters.given_up += 1;
            self.send_on();
        }
    }

    /// Next packet that the agent sends on its own. To be called after every input until it returns `None`.
    #[must_use]
    pub fn poll_transmit(&mut self) -> Option<Heard> {
        self.outbox.pop_front()
    }

    /// When [`Self::on_timer`] is due; `None` while nothing is missing.
    pub fn next_timer(&self) -> Option<Time> {
        let first = self.holes.first()?.found + self.config.hold;
        let again = self.holes.iter().map(|missing| missing.again_at);
        Some(again.fold(first, Time::min))
    }

    /// Acts on the timer if it has expired: leaves holes older than [`DownstreamConfig::hold`] to the TCP sender, and
    /// asks again for the bytes of others whose answer is overdue.
    pub fn on_timer(&mut self, now: Time) {
        while self
            .holes
            .first()
            .is_some_and(|missing| missing.found + self.config.hold <= now)
        {
            self.give_up_first();
        }
        let (retry, srtt) = (self.config.retry, self.srtt());
        while let Some((start, end)) = self
            .holes
            .ask_again(now, |asked_again| retry.wait(srtt, asked_again))
        {
            self.ask(start, end);
        }
    }

    /// Counters of what the agent has done so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Bytes of the packets that the agent holds now, headers included.
    pub fn held_bytes(&self) -> u64 {
        self.bytes
    }

    fn srtt(&self) -> Duration {
        self.srtt.unwrap_or(FIRST_RTT)
    }

    fn ask(&mut self, start: u64, end: u64) {
        let Some(first) = self.first else {
            return;
        };
        self.counters.nacks += 1;
        let hole = hole_at(first, start, end);
        self.outbox.push_back(Heard::Nack(hole));
    }

    /// Leaves the first hole to the sender. False if there is none.
    fn give_up_first(&mut self) -> bool {
        let Some(&Missing { start, end, .. }) = self.holes.first() else {
            return false;
        };
        self.holes.give_up(start, end);
        self.counters.given_up += 1;
        self.send_on();
        true
    }

    /// Sends on what no hole is before any more.
    fn send_on(&mut self) {
        let next = self.holes.next();
        while let Some(first) = self.held.front()
            && first.start < next
        {
            self.bytes -= u64::from(first.packet.size);
            // Cut in another way it may have gone on as a part of another segment.
            if first.end > self.sent {
                self.sent = first.end;
                self.outbox.push_back(Heard::Forward(first.packet));
            }
            self.held.pop_front();
        }
    }

    fn position(&self, number: SeqNr) -> Option<u64> {
        number.expand(self.first?.0, self.holes.next())
    }
}
