//! What a sender does about explicit congestion notification (RFC 3168 section 6.1.2), and about other
//! hints that come with ACKs.

use super::{Sender, State};
use crate::packet::{Ecn, Flags, Segment};
use crate::tcp::congestion::CongestionControl;
use crate::tcp::limits::Why;
use crate::tcp::recovery::LossRecovery;
use crate::tcp::window::LossCause;
use crate::time::Time;

/// A sender's memory of marks and notifications.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signals {
    /// First position never sent when the window was last cut, for whatever reason.
    cut_at: u64,
    /// That cut answered a mark.
    cut_for_mark: bool,
    /// The next new segment tells the receiver that the window was cut (CWR).
    cut_untold: bool,
    /// The present ACK echoes a mark.
    pub(super) marked: bool,
    /// The present ACK says that a channel lost the segment that it asks for.
    pub(super) eln: bool,
}

impl Signals {
    /// The window was cut when `max` was the first position never sent; `for_mark`: without a loss.
    pub(super) fn note_cut(&mut self, max: u64, for_mark: bool) {
        *self = Self {
            cut_at: max,
            cut_for_mark: for_mark,
            cut_untold: true,
            ..*self
        };
    }

    /// The window of data that holds `position` has been cut for a mark already: a loss in it is no
    /// reason to cut it again.
    pub(super) fn cut_covers(&self, position: u64) -> bool {
        self.cut_for_mark && position < self.cut_at
    }
}

impl Sender {
    /// An acceptable ACK came with more than the ACK bit, or with hints.
    #[cold]
    pub(super) fn on_signalling_segment(&mut self, now: Time, segment: &Segment) {
        let Some(ack) = self.acknowledged_by(segment) else {
            return;
        };
        let marked = self.config.ecn && segment.flags.contains(Flags::ECE);
        self.signals.marked = marked;
        self.signals.eln = self.config.eln && segment.hints.is_eln();
        if !segment.hints.is_none() {
            self.congestion
                .on_hints(now, &segment.hints, &mut self.window);
            self.cap_window();
        }
        if marked && ack > self.signals.cut_at && !self.recovery.is_active() {
            self.respond_to_mark(now);
        }
        // The short way of plain ACKs knows nothing of marks.
        let standard = std::mem::replace(&mut self.standard, false);
        self.on_acceptable(now, ack, segment);
        self.standard = standard;
        self.signals.marked = false;
        self.signals.eln = false;
        self.finish_if_done();
    }

    /// The first echo for this window of data: the window is cut as for a loss, and nothing is sent
    /// again.
    fn respond_to_mark(&mut self, now: Time) {
        let Some(first) = self.flight.first() else {
            return;
        };
        let event = self.loss_event(now, LossCause::Mark, first.last_sent, first.transmissions);
        let response = self.congestion.on_ecn(&event, &self.window);
        let response = self.rounded(response);
        self.counters.window_cuts += u64::from(response.window_after < self.window.cwnd);
        self.counters.ecn_responses += 1;
        self.window.apply(response);
        self.signals.note_cut(self.flight.max(), true);
    }

    /// The ECN field of a segment that is sent, `again` or for the first time. A segment sent again is
    /// not ECN-capable (RFC 3168 section 6.1.5), as those of the handshake.
    #[inline]
    pub(super) fn codepoint(&self, again: bool) -> Ecn {
        if self.config.ecn && !again && self.state == State::Established {
            Ecn::Ect0
        } else {
            Ecn::NotEct
        }
    }

    /// The control bits of a new segment: the first one after a cut says so (RFC 3168 section 6.1.2).
    pub(super) fn new_flags(&mut self) -> Flags {
        if self.config.ecn && std::mem::take(&mut self.signals.cut_untold) {
            Flags::ACK | Flags::CWR
        } else {
            Flags::ACK
        }
    }

    /// The control bits of a SYN: both echo bits offer ECN (RFC 3168 section 6.1.1).
    #[cold]
    pub(super) fn syn_flags(&self) -> Flags {
        if self.config.ecn {
            Flags::SYN | Flags::ECE | Flags::CWR
        } else {
            Flags::SYN
        }
    }

    /// This ACK says that a channel lost the oldest segment: the first such ACK is enough, once a round
    /// trip, and no rule against repeated recoveries applies, as the window is not cut (Balakrishnan and
    /// Katz 1998; ns-2's `eln_rxmit_thresh_` is one).
    pub(super) fn notified_loss(&self, now: Time) -> bool {
        if !self.signals.eln {
            return false;
        }
        let round_trip = match (self.rto.srtt(), self.rto.rttvar()) {
            (Some(srtt), Some(rttvar)) => srtt + rttvar,
            _ => self.rto.rto(),
        };
        self.flight.first().is_some_and(|first| {
            first.transmissions == 1 || now.since(first.last_sent) > round_trip
        })
    }
}

/// What the law is told of a loss that a duplicate ACK shows.
pub(super) fn cause_of(found: Why) -> LossCause {
    match found {
        Why::Notice => LossCause::Eln,
        Why::Sack => LossCause::Sack,
        _ => LossCause::Dupacks,
    }
}
