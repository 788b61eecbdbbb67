//! How far ACKs come in lumps (Linux since 4.20, draft-cardwell-iccrg-bbr-congestion-control-02): Wi-Fi and
//! cable modems acknowledge many segments at once and then none for a while. The window is to be wider by the
//! largest lump of late, so that the sender has something to send in between.

use super::delivered_in;
use crate::tcp::window::AckEvent;
use crate::time::Time;
use crate::units::{Rate, Segments};

/// An epoch ends at this number of acknowledged segments, whatever was expected.
const LONGEST_EPOCH: Segments = Segments(1_048_576.0);

/// The lump that comes in at present.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lumps {
    /// Since when more has been acknowledged than the path's rate explains, and how much.
    since: Time,
    acked: Segments,
}

impl Lumps {
    /// Restarts the count of acknowledged data at `now`; earlier ACKs no longer count.
    pub(crate) fn begin(&mut self, now: Time) {
        self.since = now;
        self.acked = Segments::ZERO;
    }

    /// An ACK came: what has been acknowledged beyond what the path's rate explains.
    pub(crate) fn on_ack(&mut self, ack: &AckEvent, bandwidth: Rate, mss: u32) -> Segments {
        let mut expected = delivered_in(ack.now.since(self.since), bandwidth, mss);
        if self.acked <= expected || self.acked + ack.delivered >= LONGEST_EPOCH {
            self.begin(ack.now);
            expected = Segments::ZERO;
        }
        self.acked += ack.delivered;
        self.acked - expected
    }
}
