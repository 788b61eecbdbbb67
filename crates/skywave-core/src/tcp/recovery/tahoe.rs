//! Tahoe (Jacobson 1988): slow start from the lost segment, going back N.

use super::{LossRecovery, Repair, Repairs};
use crate::tcp::slot::{Base, BuiltIn, OwnPreset, Setup};
use crate::tcp::window::Response;
use crate::units::Segments;

/// Recovery of Tahoe: slow start from the lost segment, going back N. No fast recovery, and so no state.
#[derive(Clone, Copy, Debug)]
pub struct Tahoe {
    loss_window: Segments,
}

impl Tahoe {
    /// Recovery of Tahoe, whose slow start after a loss begins with `loss_window`.
    pub fn new(loss_window: Segments) -> Self {
        Self { loss_window }
    }
}

impl BuiltIn for Tahoe {
    type Config = ();
    type State = Self;
    const NAME: &'static str = "tahoe";
    const SUMMARY: &'static str = "slow start from the lost segment, going back N";
    const SOURCE: &'static str = "Jacobson 1988";
    const PRESETS: &'static [OwnPreset<()>] = &[OwnPreset {
        name: "tahoe",
        summary: "fast retransmit, then slow start from one segment",
        source: Self::SOURCE,
        base: Base::Reno,
        config: (),
    }];

    fn build(_config: &(), setup: &Setup) -> Self {
        Self::new(setup.loss_window)
    }
}

impl Repairs for Tahoe {}

impl LossRecovery for Tahoe {
    fn is_active(&self) -> bool {
        false
    }

    fn on_loss(&mut self, repair: &mut Repair, response: Response, _dupacks: u32) {
        repair.window.ssthresh = response.ssthresh;
        repair.window.cwnd = self.loss_window;
        repair.flight.rewind();
    }
}
