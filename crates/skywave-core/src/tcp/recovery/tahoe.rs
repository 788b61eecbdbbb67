//! Tahoe (Jacobson 1988): slow start from the lost segment, going back N.

use super::{LossRecovery, Repair};
use crate::tcp::window::Response;
use crate::units::Segments;

/// No fast recovery. Without state of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tahoe;

impl LossRecovery for Tahoe {
    fn is_active(&self) -> bool {
        false
    }

    fn on_loss(&mut self, repair: &mut Repair, response: Response, _dupacks: u32) {
        repair.window.ssthresh = response.ssthresh;
        repair.window.cwnd = Segments::ONE;
        repair.flight.rewind();
    }
}
