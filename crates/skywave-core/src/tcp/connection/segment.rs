//! A segment arrives: RFC 9293 section 3.10.7, step by step.

use super::acceptance::Place;
use super::event::Event;
use super::reset::refusal;
use super::{Connection, Origin, State};
use crate::packet::{Ecn, Flags, Options, Segment, Way};
use crate::seq::SeqNr;
use crate::time::Time;

/// Payload of an arriving segment that the connection has taken, in order or not: the `len` bytes
/// after its first `skip` ones belong at `position` of the peer's stream. Some of them may have come
/// before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Position in the peer's stream of the first byte taken: how many payload bytes come before it.
    pub position: u64,
    /// Payload bytes of the segment to leave out at its start.
    pub skip: u32,
    /// Payload bytes taken.
    pub len: u32,
}

impl Connection {
    /// Takes a segment of the peer; `way` has the marks, ECN field and contention that its packet met on the path.
    /// Returns where its payload belongs in the peer's stream; `None` if no payload was taken.
    pub fn on_segment(&mut self, now: Time, segment: &Segment, way: Way) -> Option<Accepted> {
        match self.state {
            State::Closed => {
                self.owed.reset = refusal(segment);
                None
            }
            State::Listen => {
                self.on_segment_in_listen(now, segment);
                None
            }
            State::SynSent => self.on_segment_in_syn_sent(now, segment, way),
            State::SynReceived if self.repeats_syn(segment) => {
                self.owed.syn_ack = true;
                None
            }
            _ => match self.without_known_syn(segment) {
                Some(rest) => self.on_segment_after_syn(now, &rest, way),
                None => self.on_segment_after_syn(now, segment, way),
            },
        }
    }

    /// Section 3.10.7.4: SYN-RECEIVED and the states after it.
    fn on_segment_after_syn(&mut self, now: Time, segment: &Segment, way: Way) -> Option<Accepted> {
        if self.lacks_timestamps(segment) {
            return None;
        }
        // First, the sequence number.
        let place = self.place(segment);
        if !self.is_young(segment) || !place.is_acceptable() {
            self.answer_unacceptable(now, segment, &place, way);
            // Into a closed window nothing is taken but acknowledgements and resets.
            let at_closed_window = place.window == 0 && place.is_next();
            if !at_closed_window || !self.is_young(segment) {
                return None;
            }
        }
        // Second, the RST bit.
        if segment.is_rst() {
            self.take_reset(now, &place);
            return None;
        }
        // Fourth, the SYN bit.
        if segment.is_syn() {
            self.take_late_syn(now, &place);
            return None;
        }
        // Fifth, the ACK field.
        if !segment.is_ack() || !self.take_ack(now, segment, &place) {
            return None;
        }
        // Seventh and eighth, text and FIN.
        self.take_text(now, segment, way)
    }

    /// RFC 5961 section 3.2: only the exact number resets.
    fn take_reset(&mut self, now: Time, place: &Place) {
        if place.is_next() || self.config.blind_resets && place.begins_inside() {
            match self.state {
                State::SynReceived => self.on_refused(),
                State::Closing | State::LastAck | State::TimeWait => self.end(None),
                _ => self.end(Some(Event::Reset)),
            }
        } else if place.begins_inside() {
            self.challenge(now);
        }
    }

    /// RFC 5961 section 4.2: a peer that has started again answers the challenge with a reset.
    fn take_late_syn(&mut self, now: Time, place: &Place) {
        if self.config.blind_resets && place.begins_inside() && self.state.is_synchronized() {
            self.owed.reset = Some(Segment {
                ack: SeqNr::at(self.receiver.irs(), self.receiver.next()),
                flags: Flags::RST | Flags::ACK,
                ..self.own_reset()
            });
            self.end(Some(Event::Reset));
        } else if self.state == State::SynReceived
            && self.origin == Some(Origin::Passive)
            && !self.closing
        {
            self.listen_again();
        } else {
            self.challenge(now);
        }
    }

    /// Whether the segment is to be processed further.
    fn take_ack(&mut self, now: Time, segment: &Segment, place: &Place) -> bool {
        let flight = self.sender.flight();
        let (una, max) = (flight.una(), flight.max());
        let una_on_wire = SeqNr::at(self.tcp.iss, una).0;
        let ahead = i64::from(segment.ack.0.wrapping_sub(una_on_wire).cast_signed());
        let seq = self.position(place);
        if self.state == State::SynReceived {
            if ahead != 1 || max == 0 {
                self.owed.reset = refusal(segment);
                return false;
            }
            self.establish(now, segment, seq);
            return true;
        }
        // RFC 5961 section 5: of nothing unsent, and not older than any segment can be.
        if ahead > (max - una).cast_signed() || ahead < -i64::from(self.peer_window.largest()) {
            self.challenge(now);
            return false;
        }
        self.on_heard(now);
        self.on_push();
        if ahead >= 0 {
            self.tell_sender(now, segment, seq, una + ahead.cast_unsigned());
        } else {
            self.tell_sender_of_blocks(now, segment);
        }
        self.state != State::Closed
    }

    /// The peer is there.
    fn on_heard(&mut self, now: Time) {
        self.last_heard = now;
        if self.state != State::TimeWait {
            self.restart_keepalive(now);
        }
        if self.sender.is_stuck() || self.is_shut_out() {
            self.on_progress();
        }
    }

    fn tell_sender(&mut self, now: Time, segment: &Segment, seq: u64, ack: u64) {
        let una = self.sender.flight().una();
        let told = self.for_sender(segment, seq, ack);
        if ack == una && self.is_frozen() {
            // It answers a probe. As a duplicate it would say that something was lost.
            return self.follow_window(now);
        }
        if !self.is_shut_out() {
            // The law hears that the sender stood still before it hears what has arrived.
            self.follow_window(now);
        }
        self.sender.on_segment(now, &told);
        self.follow_window(now);
        if ack > una {
            self.on_progress();
            self.events.tell(Event::Writable);
        }
        if self.sender.is_done() {
            self.on_own_fin_acked(now);
        }
    }

    /// An acknowledgement that newer ones have overtaken may report blocks that they do not: the peer keeps what it has
    /// reported (RFC 2018 section 8), mostly. Nothing else that it says is believed.
    fn tell_sender_of_blocks(&mut self, now: Time, segment: &Segment) {
        if segment.sack().is_empty() || !self.agreed.sack || self.is_shut_out() {
            return;
        }
        let told = Segment {
            seq: segment.seq,
            ack: SeqNr::at(self.tcp.iss, self.sender.flight().una()),
            window: self.peer_window.bytes(),
            flags: Flags::ACK,
            options: segment.options,
            ..Segment::default()
        };
        self.sender.on_segment(now, &told);
    }

    /// The segment as the sending half is to get it: with the window that is in force after it, and
    /// with nothing that was not agreed on.
    pub(super) fn for_sender(&mut self, segment: &Segment, seq: u64, ack: u64) -> Segment {
        let una = self.sender.flight().una();
        Segment {
            window: self.peer_window.hear(segment, seq, ack, una),
            // The echo of what was sent before the connection stood still is no round trip.
            timestamps: segment
                .timestamps
                .filter(|t| self.agreed.timestamps && { t.echo } >= self.resumed),
            options: if self.agreed.sack {
                segment.options
            } else {
                Options::None
            },
            ..*segment
        }
    }

    /// The receiving half takes what lies in the window.
    pub(super) fn take_text(&mut self, now: Time, segment: &Segment, way: Way) -> Option<Accepted> {
        if segment.span() == 0 {
            self.receiver.on_empty(segment);
            return None;
        }
        if !self.state.may_receive() {
            // The peer has no more data, whatever this is. Of its FIN it has to hear that it came.
            if self.state == State::TimeWait && segment.is_fin() {
                self.challenge(now);
            }
            return None;
        }
        let place = self.place(segment);
        let trimmed = self.trimmed(segment, &place)?;
        let (next, readable) = (self.receiver.next(), self.readable());
        self.hand_to_receiver(now, &trimmed, way);
        if self.readable() > readable {
            self.events.tell(Event::Readable);
        }
        if self.receiver.is_finished() {
            self.on_fin(now);
        }
        let cut = i64::from(trimmed.seq.0.wrapping_sub(segment.seq.0));
        let (skip, end) = (cut.max(-place.offset), cut + i64::from(trimmed.len));
        (end > skip).then(|| Accepted {
            position: next.saturating_add_signed(place.offset + skip) - 1,
            skip: skip as u32,
            len: (end - skip) as u32,
        })
    }

    /// Segments that take sequence numbers reach the receiving half by this function only. It is
    /// told of ECN marks if both ends have agreed on ECN.
    fn hand_to_receiver(&mut self, now: Time, segment: &Segment, way: Way) {
        let ecn = if self.agreed.ecn {
            way.ecn
        } else {
            Ecn::NotEct
        };
        self.receiver.on_packet(now, segment, Way { ecn, ..way });
        self.window.on_received(self.receiver.next());
    }

    /// A segment that has come before: the receiving half reports it (RFC 2883) in the acknowledgement.
    pub(super) fn report_duplicate(
        &mut self,
        now: Time,
        segment: &Segment,
        place: &Place,
        way: Way,
    ) {
        let old = Segment {
            flags: segment.flags - Flags::FIN,
            ..*segment
        };
        // Positions before the first byte were never sent.
        if place.offset + self.receiver.next().cast_signed() >= 1 {
            self.hand_to_receiver(now, &old, way);
        }
    }

    /// The part of an acceptable segment from the first byte of the stream to the right edge of the
    /// window, or to the peer's FIN if that is known; `None` if it is empty. A FIN that is at another
    /// place than one before it, or before data that came, is not taken.
    fn trimmed(&self, segment: &Segment, place: &Place) -> Option<Segment> {
        let next = self.receiver.next().cast_signed();
        let start = place.offset.max(1 - next);
        let text_end = place.offset + i64::from(segment.len);
        let fin_at = self.receiver.fin_at().map(|at| at.cast_signed() - next);
        let end = text_end.min(fin_at.unwrap_or(i64::MAX)).min(place.window);
        let highest = self.receiver.end().cast_signed() - next;
        let fin = segment.is_fin()
            && end == text_end
            && end < place.window
            && match fin_at {
                Some(at) => end == at,
                None => end >= highest,
            };
        if end + i64::from(fin) <= start {
            return None;
        }
        let left_out = (start - place.offset) as u32;
        let mut flags = segment.flags;
        flags.set(Flags::FIN, fin);
        Some(Segment {
            seq: SeqNr(segment.seq.0.wrapping_add(left_out)),
            len: (end - start) as u32,
            flags,
            ..*segment
        })
    }
}
