//! How far segments have overtaken each other, as Linux measures it (`tcpi_reordering`, `tcpi_reord_seen`).

use skywave_core::tcp::flight::Flight;

/// The measure at first: as many segments above a hole as duplicate ACKs show a loss.
const FIRST: u32 = 3;
/// The largest measure.
const MOST: u64 = 300;

/// Reordering that was seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reordering {
    metric: u32,
    seen: u32,
}

impl Default for Reordering {
    fn default() -> Self {
        Self {
            metric: FIRST,
            seen: 0,
        }
    }
}

/// Segments in flight before an acknowledgement.
pub(crate) struct Before {
    /// First positions of the segments that were sent once and that the receiver has not reported.
    waiting: Vec<u64>,
    /// End of the highest segment that it has reported.
    highest: u64,
}

impl Before {
    pub(crate) fn of(flight: &Flight) -> Self {
        let waiting = flight
            .segments()
            .filter(|s| !s.sacked && s.transmissions == 1);
        Self {
            waiting: waiting.map(|s| s.start).collect(),
            highest: flight.highest_sacked(),
        }
    }
}

impl Reordering {
    /// Segments by which one was overtaken at most.
    pub(crate) fn metric(self) -> u32 {
        self.metric
    }

    /// Acknowledgements that have shown reordering.
    pub(crate) fn seen(self) -> u32 {
        self.seen
    }

    /// Learns from an acknowledgement that was taken: the lowest segment that it reports for the first time was
    /// overtaken by the highest one that was reported before.
    pub(crate) fn after(&mut self, before: &Before, flight: &Flight, mss: u32) {
        let una = flight.una();
        let is_new = |&start: &u64| start < una || flight.at(start).is_some_and(|s| s.sacked);
        let Some(lowest) = before.waiting.iter().copied().find(is_new) else {
            return;
        };
        if lowest < before.highest {
            let apart = (before.highest - lowest).div_ceil(u64::from(mss.max(1)));
            self.metric = self.metric.max(apart.min(MOST) as u32);
            self.seen += 1;
        }
    }
}
