//! The ways in: LISTEN, SYN-SENT, SYN-RECEIVED (RFC 9293 sections 3.5, 3.10.7.2 and 3.10.7.3).

use std::sync::Arc;

use super::event::Event;
use super::reset::refusal;
use super::segment::Accepted;
use super::{Connection, Origin, State};
use crate::packet::{Flags, Segment, Way};
use crate::seq::SeqNr;
use crate::tcp::receiver::Receiver;
use crate::time::Time;

/// Bytes that timestamps take of a segment, with their padding (RFC 7323 appendix A).
const TIMESTAMPS_BYTES: u32 = 12;

impl Connection {
    /// Opens the connection by a SYN. A connection is opened once.
    pub fn open_active(&mut self) {
        if self.origin.is_none() {
            self.origin = Some(Origin::Active);
            self.transition_to(State::SynSent);
            self.sender.open();
        }
    }

    /// Waits for the SYN of any peer. A connection is opened once.
    pub fn open_passive(&mut self) {
        if self.origin.is_none() {
            self.origin = Some(Origin::Passive);
            self.transition_to(State::Listen);
        }
    }

    /// Section 3.10.7.2. Data that comes with the SYN is not taken: the peer sends it again.
    pub(super) fn on_segment_in_listen(&mut self, now: Time, segment: &Segment) {
        if segment.is_rst() {
            return;
        }
        if segment.is_ack() {
            self.owed.reset = refusal(segment);
        } else if segment.is_syn() {
            self.meet(now, segment);
            self.transition_to(State::SynReceived);
            self.sender.open();
        }
    }

    /// Section 3.10.7.3.
    pub(super) fn on_segment_in_syn_sent(
        &mut self,
        now: Time,
        segment: &Segment,
        way: Way,
    ) -> Option<Accepted> {
        // First, the ACK bit: nothing but the SYN can be acknowledged.
        let syn_was_sent = self.sender.flight().max() > 0;
        if segment.is_ack() && !(syn_was_sent && segment.ack == self.send_next()) {
            self.owed.reset = refusal(segment);
            return None;
        }
        // Second, the RST bit.
        if segment.is_rst() {
            if segment.is_ack() {
                self.end(Some(Event::Reset));
            }
            return None;
        }
        // Fourth, the SYN bit.
        if !segment.is_syn() {
            return None;
        }
        self.meet(now, segment);
        if !segment.is_ack() {
            // Both open at the same time. Data that comes with this SYN is not taken.
            self.transition_to(State::SynReceived);
            self.owed.syn_ack = true;
            return None;
        }
        self.establish(now, segment, 0);
        let rest = without_syn(segment);
        self.take_text(now, &rest, way)
    }

    /// Learns from the peer's SYN where its stream begins, and what it can do.
    fn meet(&mut self, now: Time, syn: &Segment) {
        self.agreed = self.agreed.with(syn);
        if self.config.mss_counts_options && self.agreed.timestamps {
            self.agreed.mss = self.agreed.mss.saturating_sub(TIMESTAMPS_BYTES).max(1);
        }
        self.tcp = Arc::new(self.agreed.applied_to(&self.tcp));
        self.sender.agree(Arc::clone(&self.tcp));
        self.receiver = Receiver::of_peer(Arc::clone(&self.tcp), syn.seq.0);
        let syn = Segment {
            len: 0,
            flags: Flags::SYN,
            ..*syn
        };
        self.receiver.on_segment(now, &syn);
    }

    /// `segment`, at position `seq` of the peer's stream, acknowledges the SYN.
    pub(super) fn establish(&mut self, now: Time, segment: &Segment, seq: u64) {
        let told = self.for_sender(segment, seq, 1);
        self.sender.on_syn_acked(now, &told);
        self.transition_to(State::Established);
        self.events.tell(Event::Connected);
        self.restart_keepalive(now);
        self.on_progress();
        if self.closing {
            self.transition_to(State::FinWait1);
        }
    }

    /// The peer takes back its SYN before the connection is established.
    pub(super) fn on_refused(&mut self) {
        if self.origin == Some(Origin::Passive) && !self.closing {
            self.listen_again();
        } else {
            self.end(Some(Event::Reset));
        }
    }

    /// Nothing of this peer is kept; what the application has written waits for the next one, and what it has set holds.
    pub(super) fn listen_again(&mut self) {
        let (unsent, buffer) = (self.unsent(), self.tcp.rwnd);
        self.transition_to(State::Listen);
        *self = Self {
            state: self.state,
            origin: self.origin,
            events: self.events,
            next_challenge: self.next_challenge,
            window: self.window.anew(buffer),
            held: self.held.anew(),
            ..Self::new(Arc::clone(&self.config))
        };
        self.set_receive_buffer(buffer);
        self.write(unsent);
    }
}

/// The rest of a segment after its SYN.
pub(super) fn without_syn(segment: &Segment) -> Segment {
    Segment {
        seq: SeqNr(segment.seq.0.wrapping_add(1)),
        flags: segment.flags - Flags::SYN,
        ..*segment
    }
}
