//! Counts of one flow's packets and data in the measured window.

use skywave_core::Time;
use skywave_sim::losses::LossCause;
use skywave_sim::outcome::FlowOutcome;

use crate::host::Told;

/// Counts of one flow.
pub(crate) struct Meter {
    measure: (Time, Time),
    counts: FlowOutcome,
    wire_bytes: u64,
    /// Data packets on the links, and as many as there were when the window began, and when it ended.
    live: u64,
    bounds: [Option<(u64, Told)>; 2],
    /// Bytes in each bin, and the bins' length in nanoseconds.
    bins: Option<(u64, Vec<u64>)>,
}

impl Meter {
    pub(crate) fn new(measure: (Time, Time), bins: Option<(u64, usize)>) -> Self {
        Self {
            measure,
            counts: FlowOutcome::default(),
            wire_bytes: 0,
            live: 0,
            bounds: [None; 2],
            bins: bins.map(|(width, count)| (width, vec![0; count])),
        }
    }

    fn counted(&self, at: Time) -> u64 {
        u64::from(self.measure.0 <= at && at < self.measure.1)
    }

    /// Time has come to `now`, before anything happens then; `told` is what the sender's library tells.
    pub(crate) fn pass(&mut self, now: Time, told: impl FnOnce() -> Told) {
        let [start, end] = &mut self.bounds;
        let passed = match (&start, &end) {
            (None, _) if now >= self.measure.0 => start,
            (Some(_), None) if now >= self.measure.1 => end,
            _ => return,
        };
        *passed = Some((self.live, told()));
    }

    /// The next bound of the window that has not been passed.
    pub(crate) fn bound(&self) -> Option<Time> {
        match self.bounds {
            [None, _] => Some(self.measure.0),
            [_, None] => Some(self.measure.1),
            _ => None,
        }
    }

    pub(crate) fn sent(&mut self, at: Time) {
        self.live += 1;
        self.counts.sent_packets += self.counted(at);
    }

    pub(crate) fn duplicated(&mut self, at: Time) {
        self.live += 1;
        self.counts.duplicated_packets += self.counted(at);
    }

    pub(crate) fn lost(&mut self, at: Time, cause: LossCause) {
        self.live -= 1;
        let counted = self.counted(at);
        let counts = &mut self.counts;
        let part = match cause {
            LossCause::Queue => &mut counts.queue_drops,
            LossCause::Early => {
                counts.queue_drops += counted;
                &mut counts.early_drops
            }
            LossCause::Channel => &mut counts.channel_drops,
            LossCause::Blackout => {
                counts.channel_drops += counted;
                &mut counts.blackout_drops
            }
            LossCause::Corruption => {
                counts.channel_drops += counted;
                &mut counts.corrupt_drops
            }
            LossCause::NoRoute => &mut counts.no_route_drops,
        };
        *part += counted;
    }

    /// A packet of `size` bytes, headers included, reaches the receiver undamaged.
    pub(crate) fn arrived(&mut self, at: Time, size: u32) {
        self.live -= 1;
        let counted = self.counted(at);
        self.counts.received_packets += counted;
        self.wire_bytes += counted * u64::from(size);
    }

    /// The application has read more.
    pub(crate) fn delivered(&mut self, at: Time, bytes: u64) {
        self.counts.delivered_bytes += self.counted(at) * bytes;
        if let Some((width, bins)) = &mut self.bins
            && let Some(bin) = bins.get_mut((at.as_nanos() / *width) as usize)
        {
            *bin += bytes;
        }
    }

    /// The figures at the end of the run, when the library tells `told`; `closes` says that the application's data end.
    pub(crate) fn outcome(&self, name: &str, told: Told, start: Time, closes: bool) -> FlowOutcome {
        let seconds = self.measure.1.since(self.measure.0).as_secs_f64();
        let per_second = |bytes: u64| bytes as f64 * 8.0 / seconds;
        let [first, last] = self.bounds.map(|bound| bound.unwrap_or((self.live, told)));
        let finished = told.finished.map(|at| at.since(start).as_secs_f64());
        FlowOutcome {
            name: name.to_owned(),
            goodput_bps: per_second(self.counts.delivered_bytes),
            throughput_bps: per_second(self.wire_bytes),
            retransmits: last.1.lost - first.1.lost,
            under_way_packets: last.0 as f64 - first.0 as f64,
            completion_s: finished,
            unfinished: u64::from(closes && finished.is_none()),
            ..self.counts.clone()
        }
    }

    /// The bytes in each bin.
    pub(crate) fn into_bins(self) -> Option<Vec<u64>> {
        self.bins.map(|(_, bytes)| bytes)
    }
}
