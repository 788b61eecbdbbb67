//! The smallest and the largest round trip of a connection, for members that take where a sample lies between them for
//! the length of the queue.

use crate::time::Duration;

/// All round trips so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RttRange(Option<(Duration, Duration)>);

impl RttRange {
    /// Takes a sample.
    pub(crate) fn take(&mut self, rtt: Duration) {
        let (least, most) = self.0.unwrap_or((rtt, rtt));
        self.0 = Some((least.min(rtt), most.max(rtt)));
    }

    /// The smallest one, and how much longer the largest one is; `None` before the first sample.
    pub(crate) fn least_and_width(self) -> Option<(Duration, Duration)> {
        self.0
            .map(|(least, most)| (least, most.saturating_sub(least)))
    }
}
