//! How a sender takes a cut of its window back that was a mistake.

use super::Sender;
use crate::packet::Segment;
use crate::tcp::flight::Delivery;
use crate::tcp::recovery::{LossRecovery, RecoveryConfig};
use crate::tcp::timeout::TimeoutPolicy;
use crate::tcp::undo::{CutBy, Signs, Undo, Verdict};
use crate::tcp::window::{SpuriousEvent, Window};
use crate::time::Time;
use crate::units::Segments;

/// The window of a sender whose new data has shown that a timeout was no mistake: two round trips have
/// passed since then (RFC 5682 section 2.1, step 3a).
const AFTER_TEST: Segments = Segments(3.0);

impl Sender {
    /// The window is about to be cut.
    pub(super) fn note_cut(&mut self, by: CutBy) {
        let (window, una, max) = (self.window, self.flight.una(), self.flight.max());
        let asking = self.wants_new_data();
        if let Some(undo) = self.undo() {
            undo.on_cut(by, window, una, max);
        }
        if asking {
            self.probe = false;
        }
    }

    /// As [`Self::note_cut`], because the retransmission timer has expired.
    pub(super) fn note_timeout_cut(&mut self) {
        let by = if self.recovery.is_active() {
            CutBy::TimeoutInRepair
        } else {
            CutBy::Timeout
        };
        self.note_cut(by);
    }

    /// An acceptable ACK was taken: whether it tells that the latest cut was a mistake.
    #[inline(never)]
    pub(super) fn look_for_mistake(&mut self, now: Time, ack: u64, segment: &Segment) {
        let signs = Signs {
            una: self.flight.una(),
            echo: self.echoed(now, segment).map(|t| t.echo),
            duplicate: self.reported_duplicate(ack, segment),
            dupacks: self.dupacks > 0,
            sendable: self.has_sendable(),
            // ns-2's scoreboard forgets between recoveries, so that old reports would look new.
            sack: self.config.sack && self.config.composition.recovery != RecoveryConfig::Sack1,
        };
        let asked = self.wants_new_data();
        let flight = &self.flight;
        let undo = self.extras.as_mut().and_then(|extras| extras.undo.as_mut());
        let verdict = undo.map(|undo| undo.judges(signs, |edge| flight.held_below(edge)));
        if asked && !self.wants_new_data() {
            self.probe = false; // the answer came before all was sent
        }
        match verdict {
            Some(Verdict::TakeBack(before)) => self.take_back(now, before),
            Some(Verdict::SendNew) => {
                // What is in flight may arrive yet: it does not go back N for now.
                self.flight.resume();
                self.probe = true;
            }
            Some(Verdict::GoBack) => self.go_back_after_all(),
            Some(Verdict::Nothing) | None => {}
        }
    }

    /// A timeout is put to the test, and only the oldest segment was sent again: nothing more is, until it is
    /// answered.
    pub(super) fn waits_for_answer(&self) -> bool {
        let undo = self.extras.as_ref().and_then(|e| e.undo.as_ref());
        undo.is_some_and(Undo::waits_for_answer)
    }

    /// New data is to be sent, to see what becomes of the rest.
    pub(super) fn wants_new_data(&self) -> bool {
        let undo = self.extras.as_ref().and_then(|e| e.undo.as_ref());
        undo.is_some_and(Undo::wants_new_data)
    }

    /// A new segment was sent because the sender was to send one, whatever the window says. Whether it is to
    /// send another one.
    pub(super) fn asks_on(&mut self) -> bool {
        if let Some(undo) = self.undo() {
            undo.on_new_data();
        }
        self.wants_new_data()
    }

    /// Goes back N after F-RTO: its new data has shown that the data outstanding at the timeout is
    /// lost.
    fn go_back_after_all(&mut self) {
        self.dupacks = 0;
        self.flight.go_back();
        if !self.congestion.facts().owns_window {
            self.window.cwnd = AFTER_TEST;
            self.cap_window();
        }
    }

    /// An ACK of new data was taken: whether it tells that the latest timeout was no congestion. What is sent again
    /// goes on.
    pub(super) fn judge_timeout(&mut self, now: Time) {
        let sample = self.flight.delivery().and_then(Delivery::sample);
        let repaired = self.flight.una() >= self.went_back.end;
        let Some(before) = self.timeout.on_round_trip(sample, repaired) else {
            return;
        };
        self.rto.end_backoff();
        if !self.flight.is_empty() {
            self.restart_timer(now);
        }
        if self.congestion.facts().owns_window {
            return;
        }
        self.window.take_back(&before);
        self.tell_spurious(now);
    }

    /// Nothing was lost: the window is again what it was `before` the cut, and what was sent counts as in
    /// flight.
    fn take_back(&mut self, now: Time, before: Window) {
        // Of the recovery this is the end, as a timeout is.
        self.recovery.on_timeout(&mut self.flight);
        self.flight.resume();
        self.recover = None;
        self.went_back = 0..0;
        self.found = None;
        self.dupacks = 0;
        self.rto.end_backoff();
        if !self.congestion.facts().owns_window {
            self.window.take_back(&before);
        }
        self.tell_spurious(now);
        if !self.flight.is_empty() {
            self.restart_timer(now);
        }
    }

    /// The law hears that a supposed loss was none, when the window was set for that.
    pub(super) fn tell_spurious(&mut self, now: Time) {
        let spurious = SpuriousEvent {
            now,
            outstanding: self.outstanding(),
        };
        self.congestion.on_spurious(&spurious, &mut self.window);
        self.cap_window();
    }
}
