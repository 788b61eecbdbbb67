//! Counts of what a law does and is told: its window, its reductions, round trips. The libraries tell a connection's owner less.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use skywave_core::Time;
use skywave_sim::outcome::{FlowOutcome, Series};

use crate::clock::Clock;

/// Payload that cwnd is told in: what all paths carry in a packet (RFC 9000 section 14).
const SEGMENT: f64 = 1200.0;

/// Counts of one law in the measured window.
#[derive(Debug)]
pub(crate) struct Tally {
    clock: Clock,
    measure: (Time, Time),
    window: u64,
    since: Time,
    /// When the window came into being.
    opened: Option<Time>,
    /// Integral of the window, byte-seconds.
    area: f64,
    /// The shortest round trip among the packets of an ACK that is being read.
    newest: Option<Duration>,
    rtts: (Duration, u32),
    least: Option<Duration>,
    cuts: u64,
    marked_cuts: u64,
    /// Series of cwnd and of round trips, where they are asked for.
    series: Option<[Vec<(f64, f64)>; 2]>,
}

impl Tally {
    fn new(clock: Clock, measure: (Time, Time), series: bool) -> Self {
        Self {
            clock,
            measure,
            window: 0,
            since: Time::ZERO,
            opened: None,
            area: 0.0,
            newest: None,
            rtts: (Duration::ZERO, 0),
            least: None,
            cuts: 0,
            marked_cuts: 0,
            series: series.then(Default::default),
        }
    }

    fn counts(&self, now: Time) -> bool {
        self.measure.0 <= now && now < self.measure.1
    }

    /// Since `now` the window has this many bytes.
    pub(crate) fn window(&mut self, now: Instant, bytes: u64) {
        let now = self.clock.time(now);
        self.pass(now);
        self.opened.get_or_insert(now);
        if let Some([windows, _]) = &mut self.series
            && bytes != self.window
        {
            windows.push((now.as_secs_f64(), bytes as f64 / SEGMENT));
        }
        self.window = bytes;
    }

    fn pass(&mut self, now: Time) {
        let (start, end) = self.measure;
        let held = now.min(end).since(self.since.max(start));
        self.area += self.window as f64 * held.as_secs_f64();
        self.since = now;
    }

    /// A packet of an ACK has been under way for so long.
    pub(crate) fn acknowledged(&mut self, rtt: Duration) {
        self.newest = Some(self.newest.map_or(rtt, |newest| newest.min(rtt)));
    }

    /// The ACK is read.
    pub(crate) fn end_of_ack(&mut self, now: Instant) {
        let now = self.clock.time(now);
        let Some(rtt) = self.newest.take() else {
            return;
        };
        if self.counts(now) {
            self.rtts = (self.rtts.0 + rtt, self.rtts.1 + 1);
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        }
        if let Some([_, rtts]) = &mut self.series {
            rtts.push((now.as_secs_f64(), rtt.as_secs_f64()));
        }
    }

    /// Losses or a mark have made the window this small.
    pub(crate) fn congested(&mut self, now: Instant, is_mark: bool, bytes: u64) {
        if self.counts(self.clock.time(now)) && bytes < self.window {
            self.cuts += 1;
            self.marked_cuts += u64::from(is_mark);
        }
        self.window(now, bytes);
    }
}

/// A tally that a library's law writes and the run reads.
#[derive(Clone, Debug)]
pub(crate) struct Shared(Arc<Mutex<Tally>>);

impl Shared {
    /// A tally of a law that measures in this window, with series if they are asked for.
    pub(crate) fn new(clock: Clock, measure: (Time, Time), series: bool) -> Self {
        Self(Arc::new(Mutex::new(Tally::new(clock, measure, series))))
    }

    /// Does something with the tally; a law that has panicked has ended the run anyway.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Tally) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes what is known at the end of the run.
    pub(crate) fn report(&self, end: Time, outcome: &mut FlowOutcome) {
        self.with(|tally| {
            tally.pass(end);
            let (from, until) = tally.measure;
            let open = |opened: Time| end.min(until).since(opened.max(from));
            let open = tally.opened.map(open).filter(|open| !open.is_zero());
            let (sum, count) = tally.rtts;
            outcome.cwnd_mean = open.map(|open| tally.area / SEGMENT / open.as_secs_f64());
            outcome.rtt_mean_s = (count > 0).then(|| sum.as_secs_f64() / f64::from(count));
            outcome.rtt_min_s = tally.least.map(|least| least.as_secs_f64());
            outcome.window_cuts = tally.cuts;
            outcome.ecn_responses = tally.marked_cuts;
        });
    }

    /// The series, where they were asked for.
    pub(crate) fn series(&self, entity: &str) -> Vec<Series> {
        let series = self.with(|tally| tally.series.take()).unwrap_or_default();
        let named = ["cwnd", "rtt"].into_iter().zip(series);
        let named = named.map(|(quantity, points)| Series {
            entity: entity.to_owned(),
            quantity,
            points,
        });
        named.filter(|series| !series.points.is_empty()).collect()
    }
}
