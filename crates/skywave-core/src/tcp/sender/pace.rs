//! How a sender keeps its pace, and notes when the application does not keep up.

use super::{Sender, State};
use crate::tcp::congestion::CongestionControl;
use crate::tcp::limits::Limit;
use crate::tcp::pacing::Quantum;
use crate::tcp::recovery::LossRecovery;
use crate::time::Time;

impl Sender {
    /// Whether only the pace forbids to send something now. If so, notes when it may be sent.
    pub(super) fn is_held(&mut self, now: Time) -> bool {
        let Some(pacing) = &mut self.pacing else {
            return false;
        };
        pacing.held_until = Time::MAX;
        if self.state != State::Established || pacing.allows(now) {
            return false;
        }
        let slot = pacing.slot();
        // Choosing can use up the recovery's one rescue retransmission, so a recovery that goes on is put
        // back as it was.
        let recovery = self.recovery.is_active().then(|| self.recovery.clone());
        let choice = self.choose();
        if let Some(recovery) = recovery {
            self.recovery = recovery;
        }
        if choice.is_err() {
            return false; // something else is in the way, and the caller finds out what
        }
        if let Some(pacing) = &mut self.pacing {
            pacing.held_until = slot;
        }
        self.limits.set(now, Some(Limit::Pacing));
        true
    }

    /// The slot has come for which a segment waited.
    pub(super) fn let_go(&mut self) {
        if let Some(pacing) = &mut self.pacing {
            pacing.held_until = Time::MAX;
        }
    }

    /// A segment of `bytes` bytes leaves a paced sender.
    pub(super) fn pace(&mut self, now: Time, bytes: u64) {
        let mss = self.config.mss;
        let (own, quantum) = (
            self.congestion.pacing_rate(),
            Quantum {
                own: self.congestion.send_quantum(),
                mss,
            },
        );
        if let Some(pacing) = &mut self.pacing {
            let rate = own.or_else(|| pacing.rate_of(&self.window, self.rto.srtt(), mss));
            pacing.sent(now, bytes, rate, quantum);
        }
    }

    /// The application has written too little to fill the window: samples of the rate say so.
    pub(super) fn note_app_limited(&mut self) {
        if self.flight.delivery().is_some() && self.flight.lost_bytes() == 0 {
            self.flight.note_app_limited();
        }
    }
}
