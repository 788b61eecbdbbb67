//! How a sender takes a cut of its window back that was a mistake.

use super::Sender;
use crate::packet::Segment;
use crate::tcp::congestion::CongestionControl;
use crate::tcp::recovery::LossRecovery;
use crate::tcp::undo::Signs;
use crate::tcp::window::{SpuriousEvent, Window};
use crate::time::Time;

impl Sender {
    /// The window is about to be cut.
    pub(super) fn note_cut(&mut self) {
        let (window, una, max) = (self.window, self.flight.una(), self.flight.max());
        if let Some(undo) = self.undo() {
            undo.on_cut(window, una, max);
        }
    }

    /// An acceptable ACK was taken: whether it tells that the latest cut was a mistake.
    #[inline(never)]
    pub(super) fn look_for_mistake(&mut self, now: Time, ack: u64, segment: &Segment) {
        if self.undo().is_none() {
            return;
        }
        let signs = Signs {
            una: self.flight.una(),
            echo: self.echoed(now, segment).map(|t| t.echo),
            duplicate: self.reported_duplicate(ack, segment),
        };
        let before = self.undo().and_then(|undo| undo.judges(signs));
        if let Some(before) = before {
            self.take_back(now, before);
        }
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
        if !self.congestion.owns_window() {
            self.window.cwnd = self.window.cwnd.max(before.cwnd);
            self.window.ssthresh = self.window.ssthresh.max(before.ssthresh);
        }
        let spurious = SpuriousEvent {
            now,
            outstanding: self.outstanding(),
        };
        self.congestion.on_spurious(&spurious, &mut self.window);
        self.cap_window();
        if !self.flight.is_empty() {
            self.restart_timer(now);
        }
    }
}
