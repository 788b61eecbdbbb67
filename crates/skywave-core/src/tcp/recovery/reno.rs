//! Reno's fast recovery (RFC 2581): one segment is resent; duplicate ACKs let new data out until
//! the first new ACK.

use super::{LossRecovery, Progress, Repair, Repairs};
use crate::tcp::flight::Flight;
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::Response;
use crate::units::Segments;

/// State of one fast recovery.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno {
    active: bool,
    inflation: Segments,
}

impl BuiltIn for Reno {
    type Config = ();
    type State = Self;
    const NAME: &'static str = "reno";
    const SUMMARY: &'static str = "fast recovery that ends with the first new ACK";
    const SOURCE: &'static str = "RFC 2581 section 3.2";
    const DEFAULT: () = ();
    const PRESETS: &'static [OwnPreset<()>] = &[OwnPreset {
        name: "reno",
        summary: "fast retransmit and fast recovery",
        source: "RFC 2581; RFC 5681",
        base: Base::Reno,
        config: (),
    }];

    fn build(_config: &(), _setup: &Setup) -> Self {
        Self::default()
    }
}

impl Repairs for Reno {}

impl LossRecovery for Reno {
    fn is_active(&self) -> bool {
        self.active
    }

    fn on_loss(&mut self, repair: &mut Repair, response: Response, dupacks: u32) {
        repair.window.apply(response);
        repair.flight.mark_first_lost();
        self.active = true;
        self.inflation = Segments(f64::from(dupacks));
    }

    fn on_dupack(&mut self, _repair: &mut Repair) {
        self.inflation += Segments::ONE;
    }

    fn on_new_ack(&mut self, _repair: &mut Repair, _acked: Segments) -> Progress {
        *self = Self::default();
        Progress::Open
    }

    fn on_timeout(&mut self, _flight: &mut Flight) {
        *self = Self::default();
    }

    fn inflation(&self) -> Segments {
        self.inflation
    }
}
