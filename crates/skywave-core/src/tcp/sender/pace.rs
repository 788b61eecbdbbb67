//! How a sender keeps its pace, and notes when the application does not keep up.

use super::transmit::Next;
use super::{Sender, State};
use crate::tcp::limits::Limit;
use crate::tcp::pacing::Quantum;
use crate::tcp::recovery::LossRecovery;
use crate::time::Time;
use crate::units::Rate;

impl Sender {
    /// As [`Self::choose`], but nothing while the pace forbids to send. If only the pace does, notes when it
    /// may be sent.
    #[inline(always)]
    pub(super) fn choose_at_pace(&mut self, now: Time) -> Result<Next, Option<Limit>> {
        let slot = self.slot_to_wait_for(now);
        // Choosing can use up the recovery's one rescue retransmission, so a recovery that goes on is put
        // back as it was where nothing is sent.
        let waits_in_recovery = slot.is_some() && self.recovery.is_active();
        let recovery = waits_in_recovery.then(|| self.recovery.clone());
        let choice = self.choose();
        let (Ok(_), Some(slot)) = (&choice, slot) else {
            return choice; // or something else is in the way
        };
        if let Some(recovery) = recovery {
            self.recovery = recovery;
        }
        if let Some(pacing) = &mut self.pacing {
            pacing.held_until = slot;
        }
        Err(Some(Limit::Pacing))
    }

    /// When a paced sender that may not send now will be allowed to.
    #[inline(always)]
    fn slot_to_wait_for(&mut self, now: Time) -> Option<Time> {
        let pacing = self.pacing.as_mut()?;
        pacing.held_until = Time::MAX;
        if self.state != State::Established || pacing.allows(now) {
            return None;
        }
        let rate = self.pace_now();
        let pacing = self.pacing.as_mut()?;
        pacing.follow(rate);
        (!pacing.allows(now)).then(|| pacing.slot())
    }

    /// The slot has come for which a segment waited.
    pub(super) fn let_go(&mut self) {
        if let Some(pacing) = &mut self.pacing {
            pacing.held_until = Time::MAX;
        }
    }

    /// The present pace: the law's own, or the window's; `None` if there is none.
    #[inline]
    fn pace_now(&self) -> Option<Rate> {
        let pacing = self.pacing.as_ref()?;
        let own = self.congestion.pacing_rate();
        own.or_else(|| pacing.rate_of(&self.window, self.rto.srtt(), self.config.mss))
    }

    /// A segment of `bytes` bytes leaves a paced sender.
    pub(super) fn pace(&mut self, now: Time, bytes: u64) {
        let rate = self.pace_now();
        let mss = self.config.mss;
        if let Some(pacing) = &mut self.pacing {
            pacing.sent(now, bytes, rate, || Quantum {
                own: self.congestion.send_quantum(),
                mss,
            });
        }
    }

    /// The congestion window has room for another segment.
    pub(super) fn has_room(&self) -> bool {
        let flight = self.flight.in_network() + u64::from(self.config.mss);
        self.window.cwnd.holds(flight, self.config.mss)
    }

    /// The application has written too little to fill the window, or the receiver has no room: samples of the rate say
    /// so.
    pub(super) fn note_app_limited(&mut self) {
        if self.flight.delivery().is_some() && self.flight.lost_bytes() == 0 {
            self.flight.note_app_limited();
        }
    }
}
