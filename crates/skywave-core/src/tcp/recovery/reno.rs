//! Reno's fast recovery (RFC 2581): one segment is resent; duplicate ACKs let new data out until
//! the first new ACK.

use super::{LossRecovery, Progress, Repair, Repairs};
use crate::parameter::parameters;
use crate::tcp::flight::Flight;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::Response;
use crate::units::Segments;

parameters! {
    /// Parameters of Reno's recovery: the effects of duplicate ACKs; by default as in ns-2.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct RenoConfig {
        /// Duplicate ACKs let new data out: the first two, and each one during the repair.
        // The first two by RFC 3042; the others inflate the window.
        sends_on_dupacks: bool = true, Flag;
        /// Duplicate ACKs find no loss below what was sent before the last repair or timeout.
        // RFC 6582's `recover`.
        guard: bool = true, Flag;
    }
}

/// Fast recovery of Reno (RFC 5681), state of one sender.
#[derive(Clone, Copy, Debug)]
pub struct Reno {
    config: RenoConfig,
    active: bool,
    inflation: Segments,
}

impl Reno {
    /// State before the first recovery.
    pub fn new(config: RenoConfig) -> Self {
        Self {
            config,
            active: false,
            inflation: Segments::ZERO,
        }
    }
}

impl BuiltIn for Reno {
    type Config = RenoConfig;
    type State = Self;
    const NAME: &'static str = "reno";
    const SUMMARY: &'static str = "fast recovery that ends with the first new ACK";
    const SOURCE: &'static str = "RFC 2581 section 3.2";
    const PRESETS: &'static [OwnPreset<RenoConfig>] = &[OwnPreset {
        name: "reno",
        summary: "fast retransmit and fast recovery",
        source: "RFC 2581; RFC 5681",
        base: Base::Reno,
        config: RenoConfig::DEFAULT,
    }];

    fn build(config: &RenoConfig, _setup: &Setup) -> Self {
        Self::new(*config)
    }
}

impl Repairs for Reno {
    fn limited_transmit(config: &RenoConfig) -> bool {
        config.sends_on_dupacks
    }
}

impl LossRecovery for Reno {
    fn is_active(&self) -> bool {
        self.active
    }

    fn on_loss(&mut self, repair: &mut Repair, response: Response, dupacks: u32) {
        repair.window.apply(response);
        repair.flight.mark_first_lost();
        self.active = true;
        if self.config.sends_on_dupacks {
            self.inflation = Segments(f64::from(dupacks));
        }
    }

    fn on_dupack(&mut self, _repair: &mut Repair) {
        if self.config.sends_on_dupacks {
            self.inflation += Segments::ONE;
        }
    }

    fn on_new_ack(&mut self, _repair: &mut Repair, _acked: Segments) -> Progress {
        *self = Self::new(self.config);
        Progress::Open
    }

    fn on_timeout(&mut self, _flight: &mut Flight) {
        *self = Self::new(self.config);
    }

    fn guards(&self) -> bool {
        self.config.guard
    }

    fn inflation(&self) -> Segments {
        self.inflation
    }
}
