//! How long the transfers take that an application makes one after another on a connection.

use std::collections::VecDeque;

use skywave_core::{Duration, Time};

use super::{DelayHistogram, is_within, mean_s};
use crate::outcome::{FlowOutcome, MAX_REQUESTS, Request};

/// The transfers of a flow: from when the application handed one over until its last byte arrived, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestMeter {
    /// Bytes handed over, and those that have arrived.
    handed: u64,
    arrived: u64,
    /// End of the last transfer that has arrived whole.
    whole: u64,
    /// End and beginning of the transfers that have not arrived whole.
    pending: VecDeque<(u64, Time)>,
    times: DelayHistogram,
    /// Sum and number of the times that count.
    sum: Duration,
    done: u64,
    /// The first [`MAX_REQUESTS`] transfers by themselves, if they are kept: a long run has any number.
    kept: Option<Vec<Request>>,
}

impl RequestMeter {
    /// A meter that also keeps each transfer by itself if `keeps`.
    pub(crate) fn new(keeps: bool) -> Self {
        Self {
            kept: keeps.then(Vec::new),
            ..Self::default()
        }
    }

    /// The application hands a transfer of so many bytes over.
    pub(crate) fn begin(&mut self, now: Time, bytes: u64) {
        self.handed += bytes;
        self.pending.push_back((self.handed, now));
    }

    /// Payload reached the application; `window` is what is measured.
    pub(crate) fn delivered(&mut self, at: Time, window: (Time, Time), bytes: u64) {
        self.arrived += bytes;
        while let Some(&(end, begun)) = self.pending.front()
            && end <= self.arrived
        {
            self.pending.pop_front();
            let took = is_within(at, window).then(|| at.since(begun));
            if let Some(took) = took {
                self.times.record(took);
                self.sum += took;
                self.done += 1;
            }
            // Of those before the window nothing is told.
            if at >= window.0 {
                self.keep(begun, end, took, window.1);
            }
            self.whole = end;
        }
    }

    /// Keeps the transfer of the bytes up to `end`, unless it begins after the window or enough are kept.
    fn keep(&mut self, begun: Time, end: u64, took: Option<Duration>, until: Time) {
        if let Some(kept) = &mut self.kept
            && begun < until
            && kept.len() < MAX_REQUESTS
        {
            kept.push(Request {
                start_s: begun.as_secs_f64(),
                bytes: end - self.whole,
                took_s: took.map(Duration::as_secs_f64),
            });
        }
    }

    /// The transfers that were kept, and those of them that are still going on at the end of the run; `until` is the end
    /// of the window.
    pub(crate) fn take(&mut self, until: Time) -> Vec<Request> {
        for (end, begun) in std::mem::take(&mut self.pending) {
            self.keep(begun, end, None, until);
            self.whole = end;
        }
        self.kept.take().unwrap_or_default()
    }

    pub(crate) fn report(&self, outcome: &mut FlowOutcome) {
        outcome.requests_done = self.done;
        outcome.request_time_mean_s = mean_s(self.sum, self.done);
        outcome.request_time_p50_s = self.times.quantile(0.50);
        outcome.request_time_p95_s = self.times.quantile(0.95);
        outcome.request_time_p99_s = self.times.quantile(0.99);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_very_many_transfers_are_kept_and_all_are_counted() {
        let (start, end) = (Time::ZERO, Time::MAX);
        let mut meter = RequestMeter::new(true);
        let more = MAX_REQUESTS as u64 + 5;
        for n in 0..more {
            let now = start + Duration::from_micros(n);
            meter.begin(now, n + 1);
            meter.delivered(now, (start, end), n + 1);
        }
        // Those that are still going on have no place either.
        meter.begin(start + Duration::from_micros(more), 1);
        let kept = meter.take(end);
        assert_eq!(kept.len(), MAX_REQUESTS);
        let sizes = kept.iter().map(|request| request.bytes);
        assert!(sizes.eq(1..=MAX_REQUESTS as u64), "the first ones");
        let mut outcome = FlowOutcome::default();
        meter.report(&mut outcome);
        assert_eq!(outcome.requests_done, more);
    }
}
