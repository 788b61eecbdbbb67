//! So many duplicate ACKs (RFC 5681 section 3.2).

use super::{DetectionEvent, LossDetector};

/// The number of duplicate ACKs that make a loss.
#[derive(Clone, Copy, Debug)]
pub struct Dupacks(pub u32);

impl LossDetector for Dupacks {
    fn on_dupack(&mut self, event: &DetectionEvent) -> bool {
        event.dupacks == self.0
    }

    fn threshold(&self) -> u32 {
        self.0
    }
}
