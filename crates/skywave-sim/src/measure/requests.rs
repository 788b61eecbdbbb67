//! How long the transfers take that an application makes one after another on a connection.

use std::collections::VecDeque;

use skywave_core::{Duration, Time};

use super::DelayHistogram;
use crate::outcome::FlowOutcome;

/// The transfers of a flow: from when the application handed one over until its last byte arrived, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestMeter {
    /// Bytes handed over, and those that have arrived.
    handed: u64,
    arrived: u64,
    /// End and beginning of those that have not arrived whole.
    pending: VecDeque<(u64, Time)>,
    times: DelayHistogram,
    /// Sum and number of the times that count.
    sum: Duration,
    done: u64,
}

impl RequestMeter {
    /// The application hands a transfer of so many bytes over.
    pub(crate) fn begin(&mut self, now: Time, bytes: u64) {
        self.handed += bytes;
        self.pending.push_back((self.handed, now));
    }

    /// Payload reached the application; `counts` says whether this time is in the window.
    pub(crate) fn delivered(&mut self, at: Time, counts: bool, bytes: u64) {
        self.arrived += bytes;
        while let Some(&(end, begun)) = self.pending.front()
            && end <= self.arrived
        {
            self.pending.pop_front();
            if counts {
                let took = at.since(begun);
                self.times.record(took);
                self.sum += took;
                self.done += 1;
            }
        }
    }

    pub(crate) fn report(&self, outcome: &mut FlowOutcome) {
        let mean = || self.sum.as_secs_f64() / self.done as f64;
        outcome.requests_done = self.done;
        outcome.request_time_mean_s = (self.done > 0).then(mean);
        outcome.request_time_p50_s = self.times.quantile(0.50);
        outcome.request_time_p95_s = self.times.quantile(0.95);
        outcome.request_time_p99_s = self.times.quantile(0.99);
    }
}
