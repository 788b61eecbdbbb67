//! SACK with the simpler pipe accounting of ns-2's Sack1 (Fall and Floyd 1996, section 4): `pipe`
//! falls by one with every ACK, by two with a partial one, and each hole is resent once.

use super::{LossRecovery, Progress, Repair, Repairs};
use crate::tcp::flight::Flight;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{Response, Window};
use crate::units::Segments;

/// SACK-based recovery with the simpler pipe of ns-2's Sack1 (Fall and Floyd 1996), state of one sender.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sack1 {
    recover: Option<u64>,
    /// Segments believed to be in the network.
    pipe: i64,
    fast_retransmit: bool,
}

impl Sack1 {
    /// Every hole below what the receiver holds counts as lost, until it was resent.
    fn mark_holes(flight: &mut Flight) {
        flight.mark_lost_below(flight.highest_sacked());
    }
}

impl BuiltIn for Sack1 {
    type Config = ();
    type State = Self;
    const NAME: &'static str = "sack1";
    const SUMMARY: &'static str = "SACK with the simpler pipe of ns-2's Sack1";
    const SOURCE: &'static str = "Fall and Floyd 1996";
    const PRESETS: &'static [OwnPreset<()>] = &[OwnPreset {
        name: "sack1",
        summary: "SACK with the pipe accounting of ns-2's Sack1",
        source: Self::SOURCE,
        base: Base::Reno,
        config: (),
    }];

    fn build(_config: &(), _setup: &Setup) -> Self {
        Self::default()
    }
}

impl Repairs for Sack1 {
    const USES_SACK: bool = true;
}

impl LossRecovery for Sack1 {
    fn is_active(&self) -> bool {
        self.recover.is_some()
    }

    fn on_loss(&mut self, repair: &mut Repair, response: Response, dupacks: u32) {
        let outstanding = repair.flight.in_flight();
        repair.window.apply(response);
        *self = Self {
            recover: Some(repair.flight.nxt()),
            pipe: outstanding.div_ceil(u64::from(repair.mss)).cast_signed() - i64::from(dupacks),
            fast_retransmit: true,
        };
        repair.flight.end_recovery();
        repair.flight.mark_first_lost();
    }

    fn on_dupack(&mut self, repair: &mut Repair) {
        self.pipe -= 1;
        Self::mark_holes(repair.flight);
    }

    #[inline]
    fn on_new_ack(&mut self, repair: &mut Repair, _acked: Segments) -> Progress {
        if self
            .recover
            .is_none_or(|recover| repair.flight.una() >= recover)
        {
            *self = Self::default();
            repair.flight.end_recovery();
            repair.flight.clear_sacked();
            return Progress::Done;
        }
        self.pipe -= 2;
        Self::mark_holes(repair.flight);
        Progress::Partial {
            restart_timer: true,
        }
    }

    /// Outside of a recovery every new ACK starts the scoreboard anew.
    #[inline]
    fn on_open_ack(&self, flight: &mut Flight) {
        flight.clear_sacked();
    }

    fn on_timeout(&mut self, flight: &mut Flight) {
        *self = Self::default();
        flight.clear_sacked();
    }

    /// ns-2 wants the first segment beyond, as RFC 6582 does and RFC 6675 does not.
    fn recover_after_timeout(&self, max: u64) -> u64 {
        max + 1
    }

    fn pipe_room(&self, _flight: &Flight, window: &Window, mss: u32) -> Option<u64> {
        self.recover?;
        let room = if self.fast_retransmit {
            1
        } else {
            (window.cwnd.0 as i64 - self.pipe).max(0)
        };
        Some(room as u64 * u64::from(mss))
    }

    fn on_sent(&mut self, _bytes: u64) {
        if self.fast_retransmit {
            // The first retransmission replaces the segment that was lost: pipe had counted it.
            self.fast_retransmit = false;
        } else {
            self.pipe += 1;
        }
    }
}
