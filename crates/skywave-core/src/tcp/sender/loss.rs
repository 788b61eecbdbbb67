//! How a sender answers losses: when its timers expire, and when the oldest segment is found lost.
//!
//! A timeout blocks fast retransmits until everything sent before it is acknowledged (RFC 6582's `recover`),
//! because until then the sender's own resends cause duplicate ACKs. SIFEST guards itself by the round trip
//! instead, since it must find the loss of a segment that a timeout has just resent. The switch
//! `avoid_repeated_recovery` is only about a second *fast* retransmit in a window; CERL's figure 2 needs it off.
//! Reno's recovery without its `guard` forbids neither.

use super::{Sender, State, detection_event};
use crate::tcp::config::EcnRules;
use crate::tcp::detection::{DetectionEvent, Finding, LossRule};
use crate::tcp::limits::Why;
use crate::tcp::recovery::{LossRecovery, Recovery, Repair};
use crate::tcp::timeout::TimeoutPolicy;
use crate::tcp::undo::CutBy;
use crate::tcp::window::{LossCause, LossEvent, Response, TimeoutEvent};
use crate::time::Time;
use crate::units::Segments;

impl Sender {
    pub(super) fn on_retransmission_timer(&mut self, now: Time) {
        if self.flight.is_empty() && self.state == State::Established {
            return self.on_wait_over(now);
        }
        if self.state == State::Established
            && let Some(extension) = self.timeout.extends(&self.rto, &self.flight)
        {
            self.timer = now + extension.timer;
            if extension.retransmit {
                self.flight.mark_first_lost();
                self.found = Some(Why::Timeout);
            }
            return;
        }
        self.counters.timeouts += 1;
        let outstanding = self.flight.in_flight().div_ceil(u64::from(self.config.mss));
        let cwnd = self.window.cwnd;
        let events = &mut self.counters.events;
        events.timeout(self.dupacks, outstanding, cwnd);
        self.limits.expire(now);
        self.found = Some(Why::Timeout);
        self.timed = None;
        self.dupacks = 0;
        self.detection.on_timeout(&self.flight);
        if self.state == State::SynSent {
            // RFC 5681 section 3.1: a lost SYN or SYN-ACK shrinks the initial window.
            self.syn_lost = true;
        } else {
            self.note_timeout_cut();
            self.recovery.on_timeout(&mut self.flight);
            let event = TimeoutEvent {
                now,
                window: self.effective_window(),
                in_flight: self.in_flight(),
                outstanding: self.outstanding(),
            };
            let again = std::mem::replace(&mut self.expired, true);
            let response = if again && self.holds_ssthresh() {
                Response {
                    ssthresh: self.window.ssthresh,
                    window_after: self.config.loss_window,
                }
            } else {
                self.congestion.on_timeout(&event, &self.window)
            };
            let response = self.timeout.respond(&event, response, &self.window);
            let mut response = self.rounded(response);
            response.window_after = response.window_after.max(self.config.loss_window);
            if self.is_cut_for_mark() {
                // The threshold answers a mark in the same window of data already.
                response.ssthresh = self.window.ssthresh;
            }
            self.window.apply(response);
            self.counters.window_cuts += 1;
            self.note_timeout();
        }
        self.go_back();
        if self.timeout.backs_off(&self.rto) {
            self.rto.back_off();
        }
        self.restart_timer(now);
    }

    /// A further expiry of the timer for one segment leaves the slow start threshold as it is.
    fn holds_ssthresh(&self) -> bool {
        self.config.hold_ssthresh && !self.congestion.facts().owns_window
    }

    /// Everything in flight is sent again, from the oldest segment on.
    pub(super) fn go_back(&mut self) {
        let max = self.flight.max();
        let guards = self.recovery.guards();
        self.recover = guards.then(|| self.recovery.recover_after_timeout(max));
        self.flight.rewind();
        self.went_back = self.flight.una()..max;
    }

    pub(super) fn on_detection_timer(&mut self, now: Time) {
        let event = detection_event!(self, now);
        match self.detection.on_timer(&event) {
            Finding::Lost if self.may_retransmit(Why::Detector) => {
                self.found = Some(Why::Detector);
                self.fast_retransmit(now, LossCause::Time, 0);
            }
            Finding::Lost | Finding::More => self.found_more(),
            Finding::Unanswered => self.answer_late(now, LossCause::Time),
            // No answer is awaited: there is nothing to probe for, and nothing that could time out.
            Finding::Probe | Finding::Silence if self.flight.is_empty() => {}
            Finding::Probe => {
                self.probe = true;
                self.restart_timer(now);
            }
            Finding::Silence => self.restart_timer(now),
            Finding::Nothing | Finding::Repaired { .. } => {}
        }
    }

    /// How the oldest segment is found lost on this duplicate ACK, if it is.
    pub(super) fn find_loss(&mut self, now: Time) -> Option<Why> {
        let threshold = if self.detection.facts().only_counts {
            let threshold = self.detection.threshold();
            if self.dupacks == threshold {
                return Some(Why::Dupacks);
            }
            threshold
        } else {
            let found = self.ask_detector(now);
            if found.is_some() || self.detection.is_waiting() {
                return found;
            }
            let LossRule::DupThresh(threshold) = self.detection.loss_rule() else {
                return None;
            };
            threshold
        };
        let mss = self.config.mss;
        let seen = self.recovery.first_is_lost(&self.flight, mss, threshold);
        seen.then_some(Why::Sack)
    }

    /// How a detector that does more than count duplicate ACKs finds the oldest segment lost on this one.
    #[inline(never)]
    fn ask_detector(&mut self, now: Time) -> Option<Why> {
        let threshold = self.detection.threshold();
        let event = detection_event!(self, now);
        let found = self.detection.on_dupack(&event);
        found.then_some(if self.dupacks == threshold {
            Why::Dupacks
        } else {
            Why::Detector
        })
    }

    /// Everything below `recover` was sent before the last recovery or timeout: duplicate ACKs for
    /// it may come from its own retransmissions (RFC 6582 section 3.2, step 2).
    pub(super) fn may_retransmit(&self, found: Why) -> bool {
        if found != Why::Sack && self.detection.facts().guards_repeats {
            // A recovery will send again what it has not sent again yet; only what it has may be
            // lost once more.
            return !self.recovery.is_active() || self.flight.first().is_some_and(|s| s.resent);
        }
        let una = self.flight.una();
        match self.recover {
            _ if self.is_cut_already() => true,
            Some(recover) if self.recovery.uses_sack() => una >= recover,
            Some(recover) => una > recover,
            None => true,
        }
    }

    /// `delivered`: bytes that the ACK reports to have arrived.
    pub(super) fn fast_retransmit(&mut self, now: Time, cause: LossCause, delivered: u64) {
        let Some(first) = self.flight.oldest() else {
            return;
        };
        let (last_sent, transmissions) = (first.last_sent(), first.transmissions());
        let is_repair = self.recovery.is_active() && self.flight.first().is_some_and(|s| s.resent);
        let mut event = self.loss_event(now, cause, last_sent, transmissions);
        if is_repair {
            event = self.without_inflation(event);
        }
        let answer = self.detection.on_retransmit(&self.flight, &mut event);
        let covered = self.is_cut_already();
        let response = if cause == LossCause::Eln || answer.is_noise || covered {
            Response::unchanged(&self.window)
        } else {
            self.note_cut(CutBy::Loss);
            self.cut_for(&event)
        };
        self.count_fast_retransmit();
        if self.guards_repeats() && !(covered && self.follows(EcnRules::Ns2)) {
            self.recover = Some(self.flight.max());
        }
        self.signals.note_repair();
        let dupacks = self.dupacks;
        self.repairing(delivered, |recovery, repair| {
            recovery.on_loss(repair, response, dupacks);
        });
        self.dupacks = dupacks.max(self.detection.threshold());
        self.timed = None;
        if answer.backs_off {
            self.rto.back_off();
        }
        if !answer.keeps_timer {
            self.restart_timer(now);
        }
    }

    /// Counts a fast retransmit, by the window that was in force when its loss was found.
    pub(super) fn count_fast_retransmit(&mut self) {
        self.counters.fast_retransmits += 1;
        self.counters.events.fast_retransmit(self.window.cwnd);
    }

    /// A duplicate ACK came during a recovery: if the copy of the oldest segment that it sent is lost too, sends
    /// it once more.
    pub(super) fn look_for_lost_repair(&mut self, now: Time) {
        let event = detection_event!(self, now);
        let Some(answer) = self.detection.on_repair_dupack(&event) else {
            return;
        };
        self.count_fast_retransmit();
        if !answer.is_noise {
            self.answer_late(now, LossCause::Dupacks);
        }
        self.found = Some(Why::Detector);
        self.flight.mark_first_lost();
        self.restart_timer(now);
    }

    /// The window law answers the loss of a copy of the oldest segment, and the recovery goes on.
    fn answer_late(&mut self, now: Time, cause: LossCause) {
        let Some(first) = self.flight.first() else {
            return;
        };
        let event = self.loss_event(now, cause, first.last_sent, first.transmissions);
        self.note_cut(CutBy::Loss);
        let response = self.cut_for(&self.without_inflation(event));
        self.window.apply(response);
    }

    /// The loss of a copy that the present recovery sent: what duplicate ACKs have added to the window, and what they
    /// say has arrived, is no part of what a cut is measured by.
    fn without_inflation(&self, event: LossEvent) -> LossEvent {
        let window = event.window.min(self.window.cwnd);
        LossEvent {
            window,
            in_flight: event.in_flight.min(window),
            outstanding: event.outstanding.min(window),
            ..event
        }
    }

    /// A further segment of the same window is lost: no other cut of the window.
    pub(super) fn repair_again(&mut self, delivered: u64) {
        let unchanged = Response::unchanged(&self.window);
        self.repairing(delivered, |recovery, repair| {
            recovery.on_loss(repair, unchanged, 0);
        });
        self.dupacks = self.detection.threshold();
    }

    /// The event that the window law is given for the loss of a segment last sent at `sent_at`.
    pub(super) fn loss_event(
        &self,
        now: Time,
        cause: LossCause,
        sent_at: Time,
        transmissions: u32,
    ) -> LossEvent {
        LossEvent {
            now,
            cause,
            una: self.flight.una(),
            max: self.flight.max(),
            window: self.effective_window(),
            in_flight: self.in_flight(),
            outstanding: self.outstanding(),
            sent_at,
            transmissions,
            floor: self.floor(cause),
            abe: self.config.abe && cause == LossCause::Mark,
            warned: cause == LossCause::Mark || self.signals.marked,
        }
    }

    /// The window law's answer to a loss. If it is a cut, counts it.
    pub(super) fn cut_for(&mut self, event: &LossEvent) -> Response {
        let response = self.congestion.on_loss(event, &self.window);
        let response = self.rounded(response);
        let cut = response.window_after < self.window.cwnd;
        self.counters.window_cuts += u64::from(cut);
        if cut {
            self.signals.note_cut(self.flight.max(), false);
        }
        response
    }

    /// Tells the recovery something with `tell`, on an ACK that delivered `delivered` bytes.
    #[inline(never)]
    pub(super) fn repairing<T>(
        &mut self,
        delivered: u64,
        tell: impl FnOnce(&mut Recovery, &mut Repair) -> T,
    ) -> T {
        let mut repair = Repair {
            flight: &mut self.flight,
            window: &mut self.window,
            mss: self.config.mss,
            rule: self.detection.loss_rule(),
            delivered,
        };
        tell(&mut self.recovery, &mut repair)
    }

    /// A second fast retransmit below what was sent before the first one is forbidden.
    pub(super) fn guards_repeats(&self) -> bool {
        self.config.composition.avoid_repeated_recovery && self.recovery.guards()
    }

    pub(super) fn rounded(&self, response: Response) -> Response {
        if !self.config.whole_ssthresh {
            return response;
        }
        Response {
            ssthresh: Segments(response.ssthresh.0.trunc()),
            ..response
        }
    }
}
