//! NewReno (RFC 6582): a partial ACK shows the next hole, which is resent at once; the recovery ends
//! when everything sent before it is acknowledged.

use super::{LossRecovery, Progress, Repair, Repairs};
use crate::tcp::flight::Flight;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::Response;
use crate::units::Segments;

/// State of one fast recovery.
#[derive(Clone, Copy, Debug)]
pub struct NewReno {
    /// Restart the timer on the first partial ACK only (section 4).
    impatient: bool,
    /// Next position to send when the loss was found, while a recovery is going on.
    recover: Option<u64>,
    inflation: Segments,
    seen_partial: bool,
}

impl NewReno {
    /// No recovery yet.
    pub fn new(impatient: bool) -> Self {
        Self {
            impatient,
            recover: None,
            inflation: Segments::ZERO,
            seen_partial: false,
        }
    }

    fn end(&mut self) {
        *self = Self::new(self.impatient);
    }

    /// Section 3.2 step 3: deflate by what was acknowledged, add one segment back.
    fn deflate(&mut self, repair: &mut Repair, acked: Segments) {
        if self.inflation > acked {
            self.inflation = self.inflation - acked + Segments::ONE;
        } else {
            let cwnd = repair.window.cwnd - (acked - self.inflation);
            repair.window.cwnd = cwnd.max(Segments::ONE);
            self.inflation = Segments::ONE;
        }
    }
}

impl BuiltIn for NewReno {
    type Config = ();
    type State = Self;
    const NAME: &'static str = "newreno";
    const SUMMARY: &'static str = "fast recovery that repairs a hole a round trip";
    const SOURCE: &'static str = "RFC 6582";
    const DEFAULT: () = ();
    const PRESETS: &'static [OwnPreset<()>] = &[OwnPreset {
        name: "newreno",
        summary: "fast recovery that survives partial ACKs",
        source: Self::SOURCE,
        base: Base::Reno,
        config: (),
    }];

    fn build(_config: &(), setup: &Setup) -> Self {
        Self::new(setup.impatient)
    }
}

impl Repairs for NewReno {}

impl LossRecovery for NewReno {
    fn is_active(&self) -> bool {
        self.recover.is_some()
    }

    fn on_loss(&mut self, repair: &mut Repair, response: Response, dupacks: u32) {
        repair.window.apply(response);
        repair.flight.mark_first_lost();
        self.end();
        self.recover = Some(repair.flight.nxt());
        self.inflation = Segments(f64::from(dupacks));
    }

    fn on_dupack(&mut self, _repair: &mut Repair) {
        self.inflation += Segments::ONE;
    }

    fn on_new_ack(&mut self, repair: &mut Repair, acked: Segments) -> Progress {
        match self.recover {
            Some(recover) if repair.flight.una() < recover => {
                self.deflate(repair, acked);
                repair.flight.mark_first_lost();
                let restart_timer = !self.impatient || !self.seen_partial;
                self.seen_partial = true;
                Progress::Partial { restart_timer }
            }
            _ => {
                self.end();
                Progress::Open
            }
        }
    }

    fn on_timeout(&mut self, _flight: &mut Flight) {
        self.end();
    }

    fn inflation(&self) -> Segments {
        self.inflation
    }
}
