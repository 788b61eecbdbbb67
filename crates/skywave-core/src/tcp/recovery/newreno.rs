//! NewReno (RFC 6582): a partial ACK shows the next hole, which is resent at once; the recovery ends
//! when everything sent before it is acknowledged.

use super::{LossRecovery, Progress, Repair, Repairs};
use crate::parameter::parameters;
use crate::tcp::flight::Flight;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::Response;
use crate::units::Segments;

parameters! {
    /// Parameters of NewReno's recovery: the inflation of the window, and the timer; by default as in RFC 6582.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct NewRenoConfig {
        /// The duplicate ACKs that found the loss add to what may be in flight.
        // They count as segments that have left the network.
        starts_inflated: bool = true, Flag;
        /// A partial ACK takes back what it acknowledges, less one segment; false: all that was added.
        deflates: bool = true, Flag;
        /// Each partial ACK restarts the timer, whatever `impatient` says.
        patient: bool = false, Flag;
    }
}

/// Fast recovery of NewReno (RFC 6582), state of one sender.
#[derive(Clone, Copy, Debug)]
pub struct NewReno {
    config: NewRenoConfig,
    /// Restart the timer on the first partial ACK only (section 4).
    impatient: bool,
    /// Next position to send when the loss was found, while a recovery is going on.
    recover: Option<u64>,
    inflation: Segments,
    seen_partial: bool,
}

impl NewReno {
    /// State before the first recovery. `impatient`: only the first partial ACK of a recovery restarts the
    /// retransmission timer, unless `config.patient` is true.
    pub fn new(config: NewRenoConfig, impatient: bool) -> Self {
        Self {
            config,
            impatient: impatient && !config.patient,
            recover: None,
            inflation: Segments::ZERO,
            seen_partial: false,
        }
    }

    fn end(&mut self) {
        *self = Self::new(self.config, self.impatient);
    }

    /// Section 3.2 step 3: deflate by what was acknowledged, add one segment back.
    fn deflate(&mut self, repair: &mut Repair, acked: Segments) {
        if !self.config.deflates {
            self.inflation = Segments::ZERO;
        } else if self.inflation > acked {
            self.inflation = self.inflation - acked + Segments::ONE;
        } else {
            let cwnd = repair.window.cwnd - (acked - self.inflation);
            repair.window.cwnd = cwnd.max(Segments::ONE);
            self.inflation = Segments::ONE;
        }
    }
}

impl BuiltIn for NewReno {
    type Config = NewRenoConfig;
    type State = Self;
    const NAME: &'static str = "newreno";
    const SUMMARY: &'static str = "fast recovery that repairs a hole a round trip";
    const SOURCE: &'static str = "RFC 6582";
    const PRESETS: &'static [OwnPreset<NewRenoConfig>] = &[OwnPreset {
        name: "newreno",
        summary: "fast recovery that survives partial ACKs",
        source: Self::SOURCE,
        base: Base::Reno,
        config: NewRenoConfig::DEFAULT,
    }];

    fn build(config: &NewRenoConfig, setup: &Setup) -> Self {
        Self::new(*config, setup.impatient)
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
        if self.config.starts_inflated {
            self.inflation = Segments(f64::from(dupacks));
        }
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
