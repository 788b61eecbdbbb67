//! The agent by itself, segment by segment. Segments are numbered from 1; `ack(n)` is the ACK of a mobile
//! host that waits for segment `n`.

use super::*;
use crate::agent::testing::{ISS, MSS, ack, data, seq};
use crate::packet::{Body, Flags, Options, SackBlock};
use crate::time::Duration;

mod queue;
mod repair;
mod sender;
mod timeout;

struct Script {
    agent: Snoop,
    now: Time,
}

/// `ack(segment)` with a block.
fn ack_with(segment: u64, from: u64, to: u64) -> Segment {
    Segment {
        options: Options::Sack1([SackBlock {
            start: seq(from),
            end: seq(to + 1),
        }]),
        ..ack(segment)
    }
}

impl Script {
    fn new(config: SnoopConfig) -> Self {
        Self {
            agent: Snoop::new(config),
            now: Time::ZERO + Duration::from_secs(1),
        }
    }

    fn wait(&mut self, ms: u64) {
        self.now += Duration::from_millis(ms);
    }

    /// These segments pass towards the mobile host.
    fn data(&mut self, segments: impl IntoIterator<Item = u64>) {
        for n in segments {
            let segment = data(n);
            let packet = Packet::new(0, MSS + 40, Body::TcpData(segment));
            self.agent.on_data(self.now, &packet, &segment);
            assert_eq!(self.repaired(), None, "data ask for no repair");
        }
    }

    /// The segment that the agent sends again now.
    fn repaired(&mut self) -> Option<u64> {
        let packet = self.agent.poll_transmit()?;
        assert_eq!(self.agent.poll_transmit(), None, "one at a time");
        let Body::TcpData(segment) = packet.body else {
            panic!("sends {packet:?}")
        };
        assert_eq!((packet.size, segment.len), (MSS + 40, MSS));
        Some(1 + u64::from(segment.seq.0.wrapping_sub(ISS) / MSS))
    }

    #[track_caller]
    fn answer(&mut self, segment: Segment, verdict: Verdict, repaired: Option<u64>) {
        assert_eq!(self.agent.on_ack(self.now, &segment), verdict);
        assert_eq!(self.repaired(), repaired);
    }

    /// `ack(n)` arrives and passes to the sender, and nothing else happens.
    #[track_caller]
    fn passes(&mut self, n: u64) {
        self.answer(ack(n), Verdict::Forward, None);
    }

    /// `ack(n)` arrives and is suppressed.
    #[track_caller]
    fn is_suppressed(&mut self, n: u64) {
        self.answer(ack(n), Verdict::Suppress, None);
    }

    /// `ack(n)` arrives and is suppressed, and the agent resends segment `n`.
    #[track_caller]
    fn is_repaired(&mut self, n: u64) {
        self.answer(ack(n), Verdict::Suppress, Some(n));
    }
}
