//! How a sender serves a detector that judges by time: it tells it of deliveries and duplicates,
//! and acts on what it finds.
//!
//! With RACK-TLP the flight also keeps the newest delivery (`flight/delivery.rs`), and a recovery that uses SACK
//! marks losses by a `LossRule` instead of a count; no other sender pays for it. A timeout goes back N as with
//! any detector; RFC 8985 section 6.3 would mark by age. The retransmission timer stays pending beside the
//! reordering timer. Other detectors ignore reports of duplicates.

use super::{Next, Sender, State, detection_event};
use crate::packet::Segment;
use crate::tcp::detection::{DetectionEvent, Finding, LossRule};
use crate::tcp::limits::Why;
use crate::tcp::recovery::LossRecovery;
use crate::tcp::window::LossCause;
use crate::time::{Duration, Time};
use crate::units::Segments;

impl Sender {
    /// An acceptable ACK came, and nothing that it reports has been taken yet.
    #[inline(never)]
    pub(super) fn begin_ack(&mut self, now: Time, ack: u64, segment: &Segment) {
        let timestamps = self.echoed(now, segment);
        self.flight.begin_ack(now, timestamps.map(|t| t.echo));
        let reported = self.reported_duplicate(ack, segment).map(|(_, end)| end);
        let bare = ack == self.flight.una() && segment.sack().is_empty() && segment.is_empty();
        if reported.is_some() || bare {
            self.detection.on_duplicate(ack, reported);
        }
    }

    /// The data that the receiver got twice, start and end, if the ACK reports any: its first block lies
    /// below the ACK or inside of the second block (RFC 2883 section 4).
    pub(super) fn reported_duplicate(&self, ack: u64, segment: &Segment) -> Option<(u64, u64)> {
        let (iss, una) = (self.config.iss, self.flight.una());
        let mut blocks = segment.sack().iter();
        let mut next = || {
            let block = blocks.next()?;
            Some((block.start.expand(iss, una)?, block.end.expand(iss, una)?))
        };
        let (start, end) = next()?;
        let again = end <= ack || next().is_some_and(|(from, to)| from <= start && end <= to);
        again.then_some((start, end))
    }

    /// The ACK was taken. Returns what the detector finds.
    #[inline]
    pub(super) fn look(&mut self, now: Time, segment_rtt: Option<Duration>) -> Finding {
        if self.flight.delivery().is_some() {
            self.look_at_deliveries(now, segment_rtt)
        } else {
            Finding::Nothing
        }
    }

    /// Looks, and acts on what is found at once, for an ACK of nothing new that is no duplicate.
    pub(super) fn look_and_act(&mut self, now: Time) {
        let finding = self.look(now, None);
        if finding != Finding::Nothing {
            self.act(now, finding, 0);
        }
    }

    #[inline(never)]
    fn look_at_deliveries(&mut self, now: Time, segment_rtt: Option<Duration>) -> Finding {
        let event = DetectionEvent {
            segment_rtt,
            ..detection_event!(self, now)
        };
        self.detection.on_delivery(&event)
    }

    /// Acts on `finding`, on an ACK that delivered `delivered` bytes. A recovery that is going on
    /// has found losses for itself.
    #[inline(never)]
    pub(super) fn act(&mut self, now: Time, finding: Finding, delivered: u64) {
        let active = self.recovery.is_active();
        match finding {
            Finding::Lost if !active && self.may_retransmit(Why::Detector) => {
                self.found = Some(Why::Detector);
                self.fast_retransmit(now, LossCause::Time, delivered);
            }
            Finding::Lost | Finding::More if !active => self.mark_again(),
            Finding::Repaired { sent_at } => self.respond_to_repaired(now, sent_at),
            _ => {}
        }
    }

    /// The detector's timer found losses by time for which no fast retransmit is allowed.
    pub(super) fn found_more(&mut self) {
        let rule = self.detection.loss_rule();
        if !matches!(rule, LossRule::SentBefore(_)) {
            return;
        }
        if !self.recovery.is_active() {
            return self.mark_again();
        }
        self.repairing(0, LossRecovery::on_found);
    }

    /// Losses below the end of the last recovery or timeout, found when no recovery goes on (as
    /// while going back N): they are sent again, without another cut.
    pub(super) fn mark_again(&mut self) {
        let LossRule::SentBefore(rule) = self.detection.loss_rule() else {
            return;
        };
        let known = self.recovery.uses_sack();
        if known {
            self.flight.mark_sent_before(rule);
        } else if let Some(first) = self.flight.first()
            && first.end <= self.flight.nxt()
            && rule.covers(&first)
        {
            // Without a scoreboard only the hole that stops the ACKs is known to be one.
            self.flight.mark_first_lost();
        }
    }

    /// A probe repaired the only loss: tells the window law of it (RFC 8985 section 7.4.2).
    fn respond_to_repaired(&mut self, now: Time, sent_at: Time) {
        let event = self.loss_event(now, LossCause::Probe, sent_at, 2);
        let response = self.cut_for(&event);
        self.window.apply(response);
    }

    /// New data was sent, or some was acknowledged: the detector may want to probe.
    #[inline(never)]
    pub(super) fn arm_probe(&mut self, now: Time) {
        if self.state != State::Established || self.timer == Time::MAX {
            return;
        }
        let (srtt, timeout) = (self.rto.srtt(), self.timer);
        if !self
            .detection
            .arms_by_srtt(now, &self.flight, srtt, timeout)
        {
            self.arm_any_probe(now);
        }
    }

    #[cold]
    fn arm_any_probe(&mut self, now: Time) {
        let event = detection_event!(self, now);
        self.detection.arm_probe(&event, self.timer);
    }

    /// RFC 8985 section 7.3: new data, or else the last segment again.
    #[inline(never)]
    pub(super) fn choose_probe(&mut self) -> Option<Next> {
        let (next, end) = self.next_in_order();
        if let Some(Next::New(_)) = next
            && end <= self.flight.una() + self.peer_window
        {
            return next;
        }
        if self.wants_new_data() {
            self.probe = false; // there is no more of it
            return None;
        }
        let last = self.flight.last()?;
        Some(Next::Again(last.start, Why::Probe))
    }
}
