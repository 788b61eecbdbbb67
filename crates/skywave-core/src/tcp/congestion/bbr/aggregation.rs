//! By how much the window is wider for ACKs that come in lumps ([`Lumps`]): the largest lump of the last five
//! to ten round trips.

use super::{Lumps, OfLate};
use crate::tcp::window::AckEvent;
use crate::time::Time;
use crate::units::{Rate, Segments};

/// Round trips after which the older half of the lumps is forgotten.
const HALF_WINDOW: u32 = 5;

/// Follows the ACKs of one connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aggregation {
    lumps: Lumps,
    excess: OfLate<Segments, HALF_WINDOW>,
}

impl Aggregation {
    /// Restarts the count of acknowledged data at `now`; earlier ACKs no longer count.
    pub(super) fn begin(&mut self, now: Time) {
        self.lumps.begin(now);
    }

    /// An ACK came; `round`: a round trip is over. What has been acknowledged beyond what the path's rate
    /// explains.
    pub(super) fn on_ack(
        &mut self,
        ack: &AckEvent,
        round: bool,
        bandwidth: Rate,
        mss: u32,
    ) -> Segments {
        if round {
            self.excess.on_round();
        }
        self.lumps.on_ack(ack, bandwidth, mss)
    }

    /// A lump was seen.
    pub(super) fn note(&mut self, lump: Segments) {
        self.excess.note(lump);
    }

    /// By how much the window is to be wider; a lump counts up to `longest`.
    pub(super) fn allowance(&self, longest: Segments) -> Segments {
        self.excess.get().min(longest)
    }
}
