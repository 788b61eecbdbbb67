//! SACK-based loss recovery (RFC 6675), with PRR on request.

use super::{LossRecovery, Progress, Prr, Repair, Repairs};
use crate::tcp::detection::LossRule;
use crate::tcp::flight::Flight;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::{Response, Window};
use crate::units::Segments;

/// SACK-based recovery (RFC 6675), with or without PRR, state of one sender.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sack {
    /// RecoveryPoint: next position to send when the loss was found.
    recovery_point: Option<u64>,
    /// The first retransmission goes out whatever `pipe` says (section 5, step 4.3).
    fast_retransmit: bool,
    /// The rescue retransmission was used (NextSeg rule 4: once a recovery).
    rescued: bool,
    /// How much an ACK lets out (RFC 6937); otherwise what `pipe` leaves of the window.
    prr: Option<Prr>,
}

impl Sack {
    /// State before the first recovery. `prr`: the window is reduced in proportion to what arrives (RFC 6937).
    pub fn new(prr: bool) -> Self {
        Self {
            prr: prr.then(Prr::default),
            ..Self::default()
        }
    }

    fn end(&mut self) {
        *self = Self::new(self.prr.is_some());
    }

    fn update_lost(repair: &mut Repair) {
        match repair.rule {
            LossRule::DupThresh(threshold) => {
                let below = repair.flight.lost_below(repair.mss, threshold);
                repair.flight.mark_lost_below(below);
            }
            LossRule::SentBefore(rule) => repair.flight.mark_sent_before(rule),
        }
    }

    /// Marks what is lost by now, and lets PRR count; `advanced`: the ACK is a partial one.
    fn on_ack(&mut self, repair: &mut Repair, advanced: bool) {
        let lost = repair.flight.lost_bytes();
        Self::update_lost(repair);
        // The receiver has news of everything below the hole that stopped this ACK.
        if advanced
            && matches!(repair.rule, LossRule::DupThresh(_))
            && repair.flight.first().is_some_and(|s| !s.resent)
        {
            repair.flight.mark_first_lost();
        }
        if let Some(prr) = &mut self.prr {
            prr.on_ack(repair, advanced && repair.flight.lost_bytes() <= lost);
        }
    }
}

impl BuiltIn for Sack {
    type Config = ();
    type State = Self;
    const NAME: &'static str = "sack";
    const SUMMARY: &'static str = "selective repair by a scoreboard and pipe";
    const SOURCE: &'static str = "RFC 6675";
    const PRESETS: &'static [OwnPreset<()>] = &[OwnPreset {
        name: "sack",
        summary: "selective repair with a scoreboard and pipe",
        source: "RFC 2018, RFC 6675",
        base: Base::Reno,
        config: (),
    }];

    fn build(_config: &(), _setup: &Setup) -> Self {
        Self::new(false)
    }
}

impl Repairs for Sack {
    const USES_SACK: bool = true;
}

impl LossRecovery for Sack {
    fn is_active(&self) -> bool {
        self.recovery_point.is_some()
    }

    fn on_loss(&mut self, repair: &mut Repair, response: Response, _dupacks: u32) {
        repair.window.apply(response);
        *self = Self {
            recovery_point: Some(repair.flight.nxt()),
            fast_retransmit: true,
            rescued: false,
            prr: self.prr.map(|_| Prr::begin(repair, response)),
        };
        // Of what this recovery or a timeout has sent again only the first is lost once more: the
        // others had more arrive above them before.
        repair.flight.mark_first_lost();
        self.on_ack(repair, false);
    }

    fn first_is_lost(&self, flight: &Flight, mss: u32, threshold: u32) -> bool {
        // Section 5, step 2.
        self.recovery_point.is_none()
            && flight.first().is_some_and(|s| !s.sacked)
            && flight.lost_below(mss, threshold) > flight.una()
    }

    fn on_dupack(&mut self, repair: &mut Repair) {
        self.on_ack(repair, false);
    }

    fn on_found(&mut self, repair: &mut Repair) {
        Self::update_lost(repair);
        if let Some(prr) = &mut self.prr {
            prr.on_found(repair);
        }
    }

    fn on_new_ack(&mut self, repair: &mut Repair, _acked: Segments) -> Progress {
        match self.recovery_point {
            Some(point) if repair.flight.una() < point => {
                self.on_ack(repair, true);
                Progress::Partial {
                    restart_timer: true,
                }
            }
            Some(_) => {
                self.end();
                repair.flight.end_recovery();
                Progress::Open
            }
            None => Progress::Open,
        }
    }

    fn on_timeout(&mut self, _flight: &mut Flight) {
        // The receiver's reports stay valid here; going back N skips what they cover (section 5.1).
        self.end();
    }

    fn pipe_room(&self, flight: &Flight, window: &Window, mss: u32) -> Option<u64> {
        self.recovery_point?;
        if self.fast_retransmit {
            return Some(u64::from(mss));
        }
        let pipe = flight.pipe();
        Some(match &self.prr {
            Some(prr) => prr.room(pipe),
            None => window.cwnd.to_bytes(mss).saturating_sub(pipe),
        })
    }

    fn on_sent(&mut self, bytes: u64) {
        self.fast_retransmit = false;
        if let Some(prr) = &mut self.prr {
            prr.on_sent(bytes);
        }
    }

    fn rescue(&mut self, flight: &mut Flight) -> Option<u64> {
        let point = self.recovery_point?;
        // NextSeg rule 3: a hole below what is reported, not resent yet and not known to be lost.
        if let Some(hole) = flight.next_hole() {
            return Some(hole.start);
        }
        // NextSeg rule 4: the last unreported segment of the window that had the loss.
        if self.rescued {
            return None;
        }
        let last = flight.last_hole_below(point)?;
        self.rescued = true;
        Some(last.start)
    }
}
