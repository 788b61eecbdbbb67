//! One flow's figures over the measured window.

use skywave_core::tcp::SenderCounters;
use skywave_core::{Duration, Time};

use super::DelayHistogram;
use crate::losses::LossCause;
use crate::outcome::FlowOutcome;

/// Counts what happens to one flow inside the window.
#[derive(Clone, Debug)]
pub(crate) struct FlowMeter {
    start: Time,
    end: Time,
    delivered_bytes: u64,
    arrived_wire_bytes: u64,
    sent_datagrams: u64,
    /// Data packets lost, by [`LossCause`].
    drops: [u64; LossCause::ALL.len()],
    delays: DelayHistogram,
    rtt_sum: Duration,
    rtt_count: u64,
    rtt_min: Option<Duration>,
    cwnd: f64,
    cwnd_since: Time,
    /// Integral of cwnd over the window, segment-seconds.
    cwnd_area: f64,
}

impl FlowMeter {
    /// Measures from `start` (included) to `end` (not included).
    pub(crate) fn new((start, end): (Time, Time)) -> Self {
        Self {
            start,
            end,
            delivered_bytes: 0,
            arrived_wire_bytes: 0,
            sent_datagrams: 0,
            drops: [0; LossCause::ALL.len()],
            delays: DelayHistogram::default(),
            rtt_sum: Duration::ZERO,
            rtt_count: 0,
            rtt_min: None,
            cwnd: 0.0,
            cwnd_since: Time::ZERO,
            cwnd_area: 0.0,
        }
    }

    /// What was measured, as of `now`; `tcp` is what the sender did in the window.
    pub(crate) fn outcome(
        &mut self,
        name: &str,
        now: Time,
        tcp: Option<SenderCounters>,
    ) -> FlowOutcome {
        self.set_cwnd(now, 0.0);
        let seconds = self.end.since(self.start).as_secs_f64();
        let per_second = |bytes: u64| bytes as f64 * 8.0 / seconds;
        let rtt_mean = self.rtt_sum.as_secs_f64() / self.rtt_count as f64;
        let cwnd_mean = tcp.map(|_| self.cwnd_area / seconds);
        let tcp = tcp.unwrap_or_default();
        let drops = |cause: LossCause| self.drops[cause as usize];
        let (early, blackout) = (drops(LossCause::Early), drops(LossCause::Blackout));
        let corrupt = drops(LossCause::Corruption);
        FlowOutcome {
            name: name.to_owned(),
            delivered_bytes: self.delivered_bytes,
            goodput_bps: per_second(self.delivered_bytes),
            throughput_bps: per_second(self.arrived_wire_bytes),
            sent_packets: self.sent_datagrams + tcp.sent,
            retransmits: tcp.retransmits,
            timeouts: tcp.timeouts,
            fast_retransmits: tcp.fast_retransmits,
            window_cuts: tcp.window_cuts,
            queue_drops: drops(LossCause::Queue) + early,
            channel_drops: drops(LossCause::Channel) + blackout + corrupt,
            early_drops: early,
            blackout_drops: blackout,
            corrupt_drops: corrupt,
            rtt_mean_s: (self.rtt_count > 0).then_some(rtt_mean),
            rtt_min_s: self.rtt_min.map(Duration::as_secs_f64),
            cwnd_mean,
            delay_p50_s: self.delays.quantile(0.50),
            delay_p95_s: self.delays.quantile(0.95),
            delay_p99_s: self.delays.quantile(0.99),
            ..FlowOutcome::default()
        }
    }

    fn counts(&self, at: Time) -> bool {
        self.start <= at && at < self.end
    }

    /// A packet reached the receiving host whole.
    pub(crate) fn arrived(&mut self, at: Time, wire_bytes: u32) {
        if self.counts(at) {
            self.arrived_wire_bytes += u64::from(wire_bytes);
        }
    }

    /// Payload reached the application.
    pub(crate) fn delivered(&mut self, at: Time, bytes: u64) {
        if self.counts(at) {
            self.delivered_bytes += bytes;
        }
    }

    /// A segment reached the application so long after it was first sent.
    pub(crate) fn delay(&mut self, at: Time, first_sent: Time) {
        if self.counts(at) {
            self.delays.record(at.since(first_sent));
        }
    }

    /// A datagram was sent.
    pub(crate) fn sent_datagram(&mut self, at: Time) {
        self.sent_datagrams += u64::from(self.counts(at));
    }

    /// A data packet was lost.
    pub(crate) fn lost(&mut self, at: Time, cause: LossCause) {
        self.drops[cause as usize] += u64::from(self.counts(at));
    }

    /// A round trip was measured.
    pub(crate) fn rtt(&mut self, at: Time, rtt: Duration) {
        if self.counts(at) {
            self.rtt_sum += rtt;
            self.rtt_count += 1;
            self.rtt_min = Some(self.rtt_min.map_or(rtt, |min| min.min(rtt)));
        }
    }

    /// The congestion window has this size from now on.
    pub(crate) fn set_cwnd(&mut self, now: Time, cwnd: f64) {
        let from = self.cwnd_since.max(self.start);
        let held = now.min(self.end).since(from);
        self.cwnd_area += self.cwnd * held.as_secs_f64();
        self.cwnd_since = now;
        self.cwnd = cwnd;
    }
}
