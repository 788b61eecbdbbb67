//! How long segments take to reach the receiver, in order or not (TCP-DCR figure 13).

use skywave_core::{Duration, Time};

use super::{DelayHistogram, is_within, mean_s};
use crate::outcome::FlowOutcome;

/// First arrivals of a flow's segments in the measured window.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArrivalMeter {
    window: (Time, Time),
    /// Times from transmission to arrival, of segments that arrived at their first transmission.
    first: DelayHistogram,
    /// Sum of the times from first transmission to arrival of segments that had to be sent again, and
    /// their number.
    resent: (Duration, u64),
}

impl ArrivalMeter {
    pub(crate) fn new(window: (Time, Time)) -> Self {
        Self {
            window,
            ..Self::default()
        }
    }

    /// A segment arrived for the first time; `resent` if its first copy had been lost and it was sent
    /// again because of that.
    pub(crate) fn record(&mut self, at: Time, first_sent: Time, resent: bool) {
        if !is_within(at, self.window) {
            return;
        }
        let delay = at.since(first_sent);
        if resent {
            self.resent.0 += delay;
            self.resent.1 += 1;
        } else {
            self.first.record(delay);
        }
    }

    pub(crate) fn report(&self, outcome: &mut FlowOutcome) {
        let (sum, number) = self.resent;
        outcome.retx_arrival_mean_s = mean_s(sum, number);
        outcome.arrival_p10_s = self.first.quantile(0.10);
        outcome.arrival_p50_s = self.first.quantile(0.50);
        outcome.arrival_p90_s = self.first.quantile(0.90);
    }
}
