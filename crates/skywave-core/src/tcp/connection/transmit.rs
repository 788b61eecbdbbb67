//! Segments to put on the wire: data with the acknowledgement on it, or the acknowledgement alone.

use super::{Connection, State};
use crate::packet::{Ecn, Flags, Options, Segment};
use crate::seq::SeqNr;
use crate::time::Time;

/// A segment to put on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outgoing {
    /// Header fields and options of the segment, and how many payload bytes it has.
    pub segment: Segment,
    /// The ECN field for the IP header of the segment's packet.
    pub ecn: Ecn,
    /// Payload bytes written before the segment's first one; no meaning without payload.
    pub position: u64,
}

impl Outgoing {
    /// A segment without payload, never a subject of ECN (RFC 3168 sections 6.1.1 and 6.1.4).
    fn bare(segment: Segment) -> Self {
        Self {
            segment,
            ecn: Ecn::NotEct,
            position: 0,
        }
    }
}

impl Connection {
    /// The next segment to put on the wire, if there is one. Call until `None` after every command and
    /// every input.
    #[must_use]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Outgoing> {
        if let Some(reset) = self.owed.reset.take() {
            return Some(Outgoing::bare(reset));
        }
        if !self.state.is_open() {
            return None;
        }
        let outgoing = self.next_segment(now);
        if outgoing.is_none() {
            self.keep_persist_timer(now);
            self.keep_push_timer(now);
            self.keep_user_timer(now);
        }
        outgoing
    }

    fn next_segment(&mut self, now: Time) -> Option<Outgoing> {
        if std::mem::take(&mut self.owed.syn_ack) {
            return Some(Outgoing::bare(self.syn_ack(now)));
        }
        // An acknowledgement of data out of order goes alone: on data it would be no duplicate
        // (RFC 5681 section 2, condition b), and the peer's fast retransmit would have to wait.
        let alone = self.receiver.has_news() && self.receiver.poll_ack() && !self.keeps_ack();
        if alone || self.poll_held_dupack() {
            return Some(Outgoing::bare(self.pure_ack(now)));
        }
        if self.owed.announcements > 0 {
            self.owed.announcements -= 1;
            return Some(Outgoing::bare(self.pure_ack(now)));
        }
        if let Some(outgoing) = self.next_data(now) {
            return Some(outgoing);
        }
        if self.owed.ack || self.receiver.poll_ack() && !self.keeps_ack() {
            return Some(Outgoing::bare(self.pure_ack(now)));
        }
        std::mem::take(&mut self.owed.probe).then(|| Outgoing::bare(self.probe(now)))
    }

    fn next_data(&mut self, now: Time) -> Option<Outgoing> {
        self.flush();
        self.offer_peer_window();
        if self.is_frozen() {
            return None;
        }
        let departure = self.sender.poll_departure(now)?;
        let mut segment = self.sender.segment(departure, now);
        // It asks for an answer as well as a probe does.
        self.owed.probe = false;
        self.peer_window.on_sent();
        if segment.is_syn() {
            self.complete_syn(&mut segment, now);
            return Some(Outgoing::bare(segment));
        }
        self.acknowledge(&mut segment, now);
        Some(Outgoing {
            segment,
            // A FIN alone is no data (RFC 3168 section 6.1).
            ecn: if segment.len > 0 {
                departure.ecn()
            } else {
                Ecn::NotEct
            },
            position: departure.start() - 1,
        })
    }

    /// Fills in the options and bits of a SYN; it answers the peer's, if that came.
    fn complete_syn(&mut self, syn: &mut Segment, now: Time) {
        let answers = self.state != State::SynSent;
        if answers {
            self.acknowledge(syn, now);
        }
        syn.window = self.granted_window() as u32;
        self.agreed.write_syn(syn, &self.config, answers);
    }

    /// The SYN that is on its way already, now with the acknowledgement of the peer's.
    fn syn_ack(&mut self, now: Time) -> Segment {
        let mut segment = Segment {
            seq: SeqNr::at(self.tcp.iss, 0),
            flags: Flags::SYN,
            ..Segment::default()
        };
        self.complete_syn(&mut segment, now);
        segment
    }

    fn pure_ack(&mut self, now: Time) -> Segment {
        let mut segment = Segment {
            seq: self.send_next(),
            ..Segment::default()
        };
        self.acknowledge(&mut segment, now);
        if std::mem::take(&mut self.owed.fin) {
            segment.seq = SeqNr(segment.seq.0.wrapping_sub(1));
            segment.flags |= Flags::FIN;
        }
        segment
    }

    /// An empty segment from before the window, which the peer must answer.
    fn probe(&mut self, now: Time) -> Segment {
        let una = self.sender.flight().una();
        let mut segment = Segment {
            seq: SeqNr::at(self.tcp.iss, una - 1),
            ..Segment::default()
        };
        self.acknowledge(&mut segment, now);
        segment
    }

    /// Puts the receiving half's acknowledgement on a segment: none is due after it.
    fn acknowledge(&mut self, segment: &mut Segment, now: Time) {
        let answer = self.receiver.acknowledge(now);
        self.owed.ack = false;
        *segment = Segment {
            seq: segment.seq,
            len: segment.len,
            flags: segment.flags | (answer.flags - Flags::SYN),
            window: self.grant_window(),
            // There is room for one kind: reports of what is held come first.
            options: match answer.options {
                Options::None => segment.options,
                reports => reports,
            },
            ..answer
        };
        self.hold_back(segment);
    }
}
