//! The agent before the lossy hop: it keeps segments, and sends them again when it is asked.

use std::collections::VecDeque;

use super::{Kept, hole_at};
use crate::agent::ORIGIN;
use crate::packet::{Hole, Packet, Segment};
use crate::seq::SeqNr;

/// Settings of D-Proxy's agent before the lossy hop ([`Upstream`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UpstreamConfig {
    /// Most bytes of packets kept in one connection, headers included; lowest sequence numbers are forgotten first.
    pub cache: u64,
    /// Whether the agent is part of the lossy hop's queue, and forgets what that queue drops: a drop by the queue is
    /// congestion, which the TCP sender has to repair. Otherwise the agent stands before the queue and repairs its
    /// drops like any other loss.
    pub in_queue: bool,
}

impl Default for UpstreamConfig {
    /// The text gives no numbers. 128 KiB are a queue of fifty packets and as many under way.
    fn default() -> Self {
        Self {
            cache: 128 << 10,
            in_queue: false,
        }
    }
}

/// A packet that D-Proxy's agent before the lossy hop sends over it, in answer to a request
/// ([`Upstream::poll_transmit`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// A kept segment with bytes that were asked for, sent again.
    Again(Packet),
    /// Bytes that were asked for and that the agent does not have.
    Refused(Hole),
}

/// D-Proxy's agent before the lossy hop, for one connection: keeps the segments that pass, and sends them again when
/// the agent after that hop asks for them.
#[derive(Clone, Debug)]
pub struct Upstream {
    config: UpstreamConfig,
    /// Number of the first byte seen.
    first: Option<SeqNr>,
    /// End of what was seen, and the newest acknowledgement.
    seen: u64,
    ack: u64,
    /// In the order of their positions, without overlaps.
    cache: VecDeque<Kept>,
    bytes: u64,
    answers: VecDeque<Answer>,
}

impl Upstream {
    /// An agent that has not seen anything yet.
    pub fn new(config: UpstreamConfig) -> Self {
        Self {
            config,
            first: None,
            seen: ORIGIN,
            ack: 0,
            cache: VecDeque::new(),
            bytes: 0,
            answers: VecDeque::new(),
        }
    }

    /// Keeps a copy of a packet with a data `segment` that the caller sends on over the lossy hop.
    pub fn on_data(&mut self, packet: &Packet, segment: &Segment) {
        if segment.span() == 0 {
            return; // nothing that could be missing
        }
        self.first.get_or_insert(segment.seq);
        let Some(start) = self.position(segment.seq) else {
            return;
        };
        let end = start + segment.span();
        self.seen = self.seen.max(end);
        if end <= self.ack {
            return;
        }
        // A newer copy takes the place of an older one, however it is cut.
        let place = self.cache.partition_point(|kept| kept.end <= start);
        while self.cache.get(place).is_some_and(|kept| kept.start < end) {
            self.forget(place);
        }
        self.bytes += u64::from(packet.size);
        let packet = *packet;
        self.cache.insert(place, Kept { start, end, packet });
        while self.bytes > self.config.cache {
            self.forget(0);
        }
    }

    /// Takes a segment that comes back from the receiver: forgets the data that it acknowledges.
    pub fn on_ack(&mut self, segment: &Segment) {
        if !segment.is_ack() || self.first.is_none() {
            return;
        }
        let Some(ack) = self.position(segment.ack) else {
            return;
        };
        self.ack = self.ack.max(ack);
        while self.cache.front().is_some_and(|kept| kept.end <= ack) {
            self.forget(0);
        }
    }

    /// Takes note that the queue behind the agent has dropped `segment`, which the agent has just passed on or sent
    /// again. With [`UpstreamConfig::in_queue`] the agent forgets it, otherwise nothing changes.
    pub fn on_drop(&mut self, segment: &Segment) {
        if !self.config.in_queue {
            return;
        }
        let Some(start) = self.position(segment.seq) else {
            return;
        };
        let place = self.cache.partition_point(|kept| kept.end <= start);
        if self
            .cache
            .get(place)
            .is_some_and(|kept| kept.start == start)
        {
            self.forget(place);
        }
    }

    /// Takes a request of the agent after the lossy hop for the bytes of `hole`; [`Self::poll_transmit`] has the
    /// answers.
    pub fn on_nack(&mut self, hole: Hole) {
        let (Some(mut at), Some(end)) = (self.position(hole.start), self.position(hole.end)) else {
            return;
        };
        let Some(first) = self.first else {
            return;
        };
        let refused = |start, end| Answer::Refused(hole_at(first, start, end));
        let from = self.cache.partition_point(|kept| kept.end <= at);
        let wanted = self.cache.iter().skip(from);
        for kept in wanted.take_while(|kept| kept.start < end) {
            if kept.start > at {
                self.answers.push_back(refused(at, kept.start));
            }
            self.answers.push_back(Answer::Again(kept.packet));
            at = kept.end;
        }
        if at < end {
            self.answers.push_back(refused(at, end));
        }
    }

    /// Next packet that the agent sends on its own. To be called after every input until it returns `None`.
    #[must_use]
    pub fn poll_transmit(&mut self) -> Option<Answer> {
        self.answers.pop_front()
    }

    /// Bytes of the packets that the agent keeps now, headers included.
    pub fn cached_bytes(&self) -> u64 {
        self.bytes
    }

    fn forget(&mut self, place: usize) {
        if let Some(kept) = self.cache.remove(place) {
            self.bytes -= u64::from(kept.packet.size);
        }
    }

    fn position(&self, number: SeqNr) -> Option<u64> {
        number.expand(self.first?.0, self.seen)
    }
}
