//! How a sender answers explicit congestion notification (RFC 3168 section 6.1.2), and other hints
//! that come with ACKs.
//!
//! An echoed mark cuts the window as a loss does, once for a window of data. A window of less than one segment
//! lets nothing go until the retransmission timer expires; a mark is the only thing that leaves one. Where
//! ns-2.35 differs from the RFC, [`EcnRules`] decides:
//!
//! | | RFC 3168 | ns-2.35 |
//! |---|---|---|
//! | window after a mark | at least one segment; less if it was one | half, whatever that is |
//! | a second mark in a row at one segment | as the first | doubles the RTO, too |
//! | segments sent again | are not ECN-capable; CWR waits for new data | are ECN-capable, and carry CWR |
//! | an echo after a timeout | cuts when all sent before the timeout is acknowledged | cuts at once |
//! | an echo during a recovery | does not cut | cuts, if it is about another window of data |
//! | a loss repaired without a cut | forbids a second recovery for all sent until the repair | for all sent until the mark |
//!
//! The waiting window needs no state of its own, because `choose` refuses a window of less than one segment
//! anyway.

use super::{Sender, State};
use crate::packet::{Ecn, Flags, Segment};
use crate::tcp::config::EcnRules;
use crate::tcp::limits::Why;
use crate::tcp::recovery::LossRecovery;
use crate::tcp::window::{LossCause, MIN_SSTHRESH};
use crate::time::Time;
use crate::units::Segments;

/// A sender's memory of marks and notifications.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signals {
    /// Echoes up to this position are no reason for another cut: first position never sent when the window
    /// was last cut, for whatever reason.
    cut_at: u64,
    /// Whether the latest cut answered a mark, and no fast retransmit has followed.
    cut_for_mark: bool,
    /// The next new segment tells the receiver that the window was cut (CWR).
    cut_untold: bool,
    /// Position acknowledged by the latest of the ACKs that, all with a mark's echo, have
    /// acknowledged new data since the window was cut at one segment. Only with ns-2's rules.
    echoed_to: Option<u64>,
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

    /// A fast retransmit has answered a loss in a window cut for a mark: a further loss is another instance
    /// of congestion.
    pub(super) fn note_repair(&mut self) {
        self.cut_for_mark = false;
    }
}

/// The smallest window: half of one segment, after a mark.
const HALF: Segments = Segments(0.5);

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
        let una = self.flight.una();
        self.signals.echoed_to.take_if(|end| !marked || *end != una);
        let may_cut = self.follows(EcnRules::Ns2) || !self.recovery.is_active();
        if marked && ack > self.signals.cut_at && may_cut {
            self.respond_to_mark(now);
        }
        // The short ways of plain ACKs know nothing of marks and notifications.
        let standard = std::mem::replace(&mut self.standard, false);
        let backoff = self.rto.backoff();
        self.on_acceptable(now, ack, segment);
        self.standard = standard;
        if self.signals.echoed_to.is_some() && self.flight.una() > una {
            self.signals.echoed_to = Some(self.flight.una());
            // A sample has ended the backoff; marks keep it up.
            self.rto.set_backoff(backoff);
            if self.timer < Time::MAX {
                self.restart_timer(now);
            }
        }
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
        let mut response = self.rounded(response);
        if self.window.cwnd <= Segments::ONE {
            // RFC 3168 section 6.1.2: the next segment waits for the retransmission timer.
            response.window_after = HALF;
            self.note_mark_at_one_segment();
        } else {
            self.signals.echoed_to = None;
        }
        self.counters.window_cuts += u64::from(response.window_after < self.window.cwnd);
        self.counters.ecn_responses += 1;
        self.window.apply(response);
        let max = self.flight.max();
        // A cut by the share of marks may be far less than what a loss asks for.
        self.signals.note_cut(max, !self.config.exact_echo);
        if self.follows(EcnRules::Ns2) && self.guards_repeats() {
            self.recover = Some(max);
        }
    }

    /// In ns-2 the second such mark in a row, and each after it, doubles the RTO.
    fn note_mark_at_one_segment(&mut self) {
        if !self.follows(EcnRules::Ns2) {
            return;
        }
        if self.signals.echoed_to.is_some() {
            self.rto.back_off();
        }
        self.signals.echoed_to = Some(self.flight.una());
    }

    /// The sender uses ECN by these rules.
    pub(super) fn follows(&self, rules: EcnRules) -> bool {
        self.config.ecn && self.config.ecn_rules == rules
    }

    /// The smallest window that may answer a loss or a mark.
    pub(super) fn floor(&self, cause: LossCause) -> Segments {
        match (cause, self.config.ecn_rules) {
            (LossCause::Mark, EcnRules::Rfc3168) => Segments::ONE,
            (LossCause::Mark, EcnRules::Ns2) => HALF,
            _ => MIN_SSTHRESH,
        }
    }

    /// The oldest segment belongs to a window of data that was cut for a mark: its loss is no reason to cut
    /// it again.
    pub(super) fn is_cut_for_mark(&self) -> bool {
        self.signals.cut_for_mark && self.flight.una() < self.signals.cut_at
    }

    /// As [`Self::is_cut_for_mark`], for a loss that duplicate ACKs show: in ns-2 the first segment after
    /// the window of data counts as well.
    pub(super) fn is_cut_already(&self) -> bool {
        let first_after = self.signals.cut_for_mark && self.flight.una() == self.signals.cut_at;
        self.is_cut_for_mark()
            || first_after && self.follows(EcnRules::Ns2) && !self.recovery.uses_sack()
    }

    /// A mark has left a window of less than a segment: the retransmission timer runs although nothing may
    /// be in flight.
    pub(super) fn waits_for_timer(&self) -> bool {
        self.window.cwnd < Segments::ONE
    }

    /// The retransmission timer expired with nothing in flight: after a mark at a window of one segment the
    /// next segment may go.
    #[cold]
    pub(super) fn on_wait_over(&mut self, now: Time) {
        self.counters.timeouts += 1;
        self.counters.events.timeout(0, 0, self.window.cwnd);
        self.limits.expire(now);
        self.window.cwnd = Segments::ONE;
        self.timer = Time::MAX;
        self.note_timeout();
    }

    /// The retransmission timer expired.
    pub(super) fn note_timeout(&mut self) {
        let cut_at = if self.follows(EcnRules::Ns2) {
            0 // any echo cuts
        } else {
            self.flight.max()
        };
        self.signals.note_cut(cut_at, false);
    }

    /// The ECN field of a segment that is sent, `again` or for the first time. A segment sent again is
    /// not ECN-capable (RFC 3168 section 6.1.5) except in ns-2 and with ECT(1); those of the handshake never
    /// are.
    #[inline]
    pub(super) fn codepoint(&self, again: bool) -> Ecn {
        if !self.config.ecn || self.state != State::Established {
            Ecn::NotEct
        } else if self.config.l4s {
            Ecn::Ect1
        } else if !again || self.config.ecn_rules == EcnRules::Ns2 {
            Ecn::Ect0
        } else {
            Ecn::NotEct
        }
    }

    /// The control bits of a new segment: the first one after a cut says so (RFC 3168 section 6.1.2).
    /// In ns-2 one that is sent again does too.
    pub(super) fn data_flags(&mut self, again: bool) -> Flags {
        if again && !self.follows(EcnRules::Ns2) {
            return Flags::ACK;
        }
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

    /// Whether this ACK reports that a channel lost the oldest segment: the first such ACK is
    /// enough, once a round trip, and no rule against repeated recoveries applies, as the window is
    /// not cut (Balakrishnan and Katz 1998; ns-2's `eln_rxmit_thresh_` is one).
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

/// The cause that the law is told of a loss that a duplicate ACK shows.
pub(super) fn cause_of(found: Why) -> LossCause {
    match found {
        Why::Notice => LossCause::Eln,
        Why::Sack => LossCause::Sack,
        _ => LossCause::Dupacks,
    }
}
