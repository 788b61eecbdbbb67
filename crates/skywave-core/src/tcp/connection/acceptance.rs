//! Acceptability of incoming segments, and the answers to unacceptable ones.
//!
//! Sequence numbers are compared as they are on the wire, because a number from before the initial one has no
//! position. Two rules are wider than RFC 9293's table: an empty segment may stand at the right edge of the
//! window (a peer that has filled the window acknowledges there), and a segment may reach beyond both edges. If
//! an ACK acknowledges more, its window is believed even if a retransmission carries it.
//!
//! Answers to segments that carry nothing are limited to one in 500 ms (RFC 5961 section 7): two ends that
//! disagree about their numbers would otherwise acknowledge each other for ever. Segments with data are always
//! answered.

use super::open::without_syn;
use super::{Connection, State};
use crate::packet::{Segment, Way};
use crate::time::Time;

/// Where a segment lies beside the receive window, by numbers on the wire: before the initial one is no position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// SEG.SEQ - RCV.NXT.
    pub(super) offset: i64,
    /// RCV.WND.
    pub(super) window: i64,
    /// SEG.LEN, with SYN and FIN.
    span: i64,
}

impl Place {
    /// The first check of RFC 9293 section 3.10.7.4, but for two points. An empty segment may stand at
    /// the right edge of the window: so does every acknowledgement of a peer that has filled the
    /// window, as long as a hole in it is open. And a segment may reach beyond both edges.
    pub(super) fn is_acceptable(&self) -> bool {
        if self.span == 0 {
            (0..=self.window).contains(&self.offset)
        } else {
            self.offset < self.window && self.offset + self.span > 0
        }
    }

    /// Whether the segment begins with the next byte expected (RCV.NXT).
    pub(super) fn is_next(&self) -> bool {
        self.offset == 0
    }

    /// Whether the segment begins in the receive window (RFC 5961 section 3.2).
    pub(super) fn begins_inside(&self) -> bool {
        self.offset == 0 || (0..self.window).contains(&self.offset)
    }

    /// Whether the segment ends before the receive window, so that all of it was received before.
    fn is_old(&self) -> bool {
        self.span > 0 && self.offset + self.span <= 0
    }
}

impl Connection {
    pub(super) fn place(&self, segment: &Segment) -> Place {
        let next = self.receiver.next() as u32;
        let next = self.receiver.irs().wrapping_add(next);
        Place {
            offset: i64::from(segment.seq.0.wrapping_sub(next).cast_signed()),
            window: self.acceptable_window().cast_signed(),
            span: segment.span().cast_signed(),
        }
    }

    /// Position in the peer's stream of a segment at `place`.
    pub(super) fn position(&self, place: &Place) -> u64 {
        self.receiver.next().saturating_add_signed(place.offset)
    }

    /// In SYN-RECEIVED the SYN-ACK of a peer that opens at the same time repeats the SYN: what counts is
    /// the rest (RFC 9293 section 3.10.7.4 lets trim what lies outside of the window).
    pub(super) fn without_known_syn(&self, segment: &Segment) -> Option<Segment> {
        let known = self.state == State::SynReceived
            && segment.is_syn()
            && segment.is_ack()
            && segment.seq.0 == self.receiver.irs();
        known.then(|| without_syn(segment))
    }

    /// Whether this is the peer's SYN once more. RFC 9293 would acknowledge it, as it lies before the window; hosts
    /// send the SYN-ACK again, which may be lost and without which the peer cannot go on.
    pub(super) fn repeats_syn(&self, segment: &Segment) -> bool {
        segment.is_syn()
            && !segment.is_ack()
            && !segment.is_rst()
            && segment.seq.0 == self.receiver.irs()
    }

    /// Whether a segment's timestamp lets it pass (PAWS, RFC 7323 section 5.3, R1). A reset passes
    /// always.
    pub(super) fn is_young(&self, segment: &Segment) -> bool {
        !self.agreed.timestamps
            || segment.is_rst()
            || segment
                .timestamps
                .is_none_or(|t| { t.value } >= self.receiver.recent_timestamp())
    }

    /// RFC 7323 section 3.2: once timestamps are agreed on, every segment but a reset has them.
    pub(super) fn lacks_timestamps(&self, segment: &Segment) -> bool {
        self.agreed.timestamps
            && !self.config.takes_bare
            && !segment.is_rst()
            && segment.timestamps.is_none()
    }

    /// A segment failed the first check: it is answered by an acknowledgement, but for a reset.
    pub(super) fn answer_unacceptable(
        &mut self,
        now: Time,
        segment: &Segment,
        place: &Place,
        way: Way,
    ) {
        if segment.is_rst() {
            return;
        }
        if segment.span() == 0 || segment.is_syn() {
            return self.challenge(now);
        }
        self.owed.ack = true;
        if self.state == State::TimeWait && segment.is_fin() {
            self.restart_time_wait(now);
        }
        if place.is_old() && self.state.may_receive() {
            self.report_duplicate(now, segment, place, way);
        }
    }

    /// An acknowledgement that tells an honest peer where this end stands, and a stranger nothing
    /// (RFC 5961): none if the last one was just now.
    pub(super) fn challenge(&mut self, now: Time) {
        if now >= self.next_challenge {
            self.next_challenge = now + self.config.challenge_interval;
            self.owed.ack = true;
        }
    }
}
