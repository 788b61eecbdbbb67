//! Measurements of a flow that a proxy splits, from the source to the destination.

use skywave_core::Time;

use super::super::undelivered::Undelivered;
use super::Progress;
use crate::measure::{FlowMeter, Gauge};
use crate::outcome::{FlowOutcome, ProxyOutcome};
use crate::spec::Spec;

pub(super) struct Whole {
    /// Meter of the delivery to the destination; the halves measure what their senders do.
    meter: FlowMeter,
    /// Data that the source has sent and the destination has not got.
    undelivered: Undelivered,
    buffered: Gauge,
    at_risk: Gauge,
}

impl Whole {
    pub(super) fn new(run: &Spec) -> Self {
        Self {
            meter: FlowMeter::new(run.measure, None, None),
            undelivered: Undelivered::default(),
            buffered: Gauge::new(run.measure),
            at_risk: Gauge::new(run.measure),
        }
    }

    /// The source has sent these pieces for the first time: where each ends, and when.
    pub(super) fn sent(&mut self, pieces: &mut Vec<(u64, Time)>) {
        for (end, at) in pieces.drain(..) {
            self.undelivered.push(end, at);
        }
    }

    /// From `now` on the proxy's buffer holds `buffered` bytes, and the data have come this far.
    pub(super) fn measure(&mut self, now: Time, buffered: u64, progress: &Progress) {
        let counts = self.meter.counts(now);
        self.undelivered
            .deliver(now, counts, progress.delivered, &mut self.meter);
        self.buffered.set(now, buffered);
        self.at_risk.set(now, progress.at_risk());
    }

    pub(super) fn outcome(
        &mut self,
        name: &str,
        now: Time,
        failed: bool,
        progress: &Progress,
    ) -> ProxyOutcome {
        let FlowOutcome {
            name,
            delivered_bytes,
            goodput_bps,
            delay_p50_s,
            delay_p95_s,
            delay_p99_s,
            ..
        } = self.meter.outcome(name, now, None);
        ProxyOutcome {
            name,
            goodput_bps,
            delivered_bytes,
            delay_p50_s,
            delay_p95_s,
            delay_p99_s,
            buffered_mean_bytes: self.buffered.mean(now),
            buffered_max_bytes: self.buffered.max(),
            at_risk_mean_bytes: self.at_risk.mean(now),
            at_risk_max_bytes: self.at_risk.max(),
            lost_bytes: failed.then(|| progress.at_risk() as f64),
            hand_over_bytes: None,
            hand_over_s: None,
        }
    }
}
