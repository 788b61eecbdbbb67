//! Whether a segment that a recovery has sent again is lost once more, as duplicate ACKs tell.
//!
//! Each duplicate ACK says that one segment above the oldest has arrived. Of what was in flight when the
//! oldest one was sent again, only so many can still arrive; a further duplicate ACK comes from a segment
//! sent after it, which the copy should have reached the receiver before.

use super::DetectionEvent;
use crate::tcp::flight::Flight;
use crate::units::Segments;

/// Counts duplicate ACKs since the oldest segment was last sent again.
#[derive(Clone, Copy, Debug)]
pub(super) struct DupackCount {
    /// Segments above the oldest one that have arrived, one for each duplicate ACK.
    arrived: u64,
    /// Segments that were outstanding at the resend, without those that had arrived: the loss detection point.
    point: u64,
    /// Duplicate ACKs since then.
    additional: u64,
}

impl DupackCount {
    /// The oldest segment is sent again after `dupacks` duplicate ACKs.
    pub(super) fn new(flight: &Flight, dupacks: u32) -> Self {
        let arrived = u64::from(dupacks);
        Self {
            arrived,
            point: point(flight, arrived),
            additional: 0,
        }
    }

    /// A duplicate ACK came. Returns how many have come since the resend, and the point; `None` if as many had
    /// come before the resend as segments were outstanding. For then some answered copies, and nothing follows
    /// from more: a receiver that refuses the copy itself would be sent one copy for each of its answers.
    pub(super) fn on_dupack(&mut self) -> Option<(u64, u64)> {
        self.arrived += 1;
        self.additional += 1;
        (self.point > 0).then_some((self.additional, self.point))
    }

    /// The oldest segment is sent once more.
    pub(super) fn on_resend(&mut self, flight: &Flight) {
        self.point = point(flight, self.arrived);
        self.additional = 0;
    }

    /// A partial ACK covers `acked`, the copy and what had arrived above it; the next hole is sent again.
    pub(super) fn on_partial_ack(&mut self, flight: &Flight, acked: Segments) {
        // A cast saturates.
        let above = (libm::ceil(acked.0) as u64).saturating_sub(1);
        self.arrived = self.arrived.saturating_sub(above);
        self.on_resend(flight);
    }
}

fn point(flight: &Flight, arrived: u64) -> u64 {
    (flight.segments().len() as u64).saturating_sub(arrived)
}

/// The oldest segment was sent again in the recovery that goes on, and nobody has found that copy lost.
pub(super) fn is_resent(event: &DetectionEvent) -> bool {
    let first = event.flight.first();
    first.is_some_and(|first| first.resent && !first.lost)
}
