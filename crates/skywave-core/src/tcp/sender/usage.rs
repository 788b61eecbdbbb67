//! How much of its congestion window a sender has used in the present round, as Linux keeps it.

use super::Sender;
use crate::tcp::window::Window;
use crate::units::Segments;

/// The use of the window in a round: from the first segment of it on until that is acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoundUsage {
    /// The window was full.
    limited: bool,
    /// Most segments in flight, if the window was not full.
    most: Segments,
    /// The round ends when everything below this position is acknowledged.
    end: u64,
    /// Segments that were sent when this was last looked at.
    sent: u64,
}

impl RoundUsage {
    /// Whether `window` may grow.
    pub(super) fn is_enough(&self, window: &Window) -> bool {
        self.limited || window.cwnd < window.ssthresh.min(self.most * 2.0)
    }
}

impl Sender {
    /// Nothing more is sent now, because the congestion window is full if `limited`.
    pub(super) fn note_usage(&mut self, limited: bool) {
        let usage = self
            .extras
            .as_mut()
            .and_then(|extras| extras.usage.as_mut());
        let Some(usage) = usage else {
            return;
        };
        let flight = &self.flight;
        let limited = limited
            || Segments::from_bytes(flight.in_flight(), self.config.mss) >= self.window.cwnd;
        let sent = std::mem::replace(&mut usage.sent, self.counters.sent) < self.counters.sent;
        if !sent && !limited {
            return;
        }
        let out = Segments(flight.segments().len() as f64);
        if flight.una() >= usage.end || limited || !usage.limited && out > usage.most {
            *usage = RoundUsage {
                limited,
                most: out,
                end: flight.max(),
                sent: usage.sent,
            };
        }
    }
}
