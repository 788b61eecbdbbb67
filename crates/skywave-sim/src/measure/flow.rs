//! One flow's figures over the measured window.

use skywave_core::tcp::SenderCounters;
use skywave_core::{Duration, Time};

use super::DelayHistogram;
use crate::outcome::FlowOutcome;

/// Counts what happens to one flow inside the window.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowMeter {
    open: bool,
    /// Sender's counters when the window opened.
    base: SenderCounters,
    delivered_bytes: u64,
    arrived_wire_bytes: u64,
    sent_datagrams: u64,
    queue_drops: u64,
    channel_drops: u64,
    delays: DelayHistogram,
    rtt_sum: Duration,
    rtt_count: u64,
    rtt_min: Option<Duration>,
    cwnd: f64,
    cwnd_since: Time,
    /// Integral of cwnd over time, segment-seconds.
    cwnd_area: f64,
}

impl FlowMeter {
    /// The window opens.
    pub(crate) fn open(&mut self, now: Time, counters: SenderCounters) {
        self.open = true;
        self.base = counters;
        self.cwnd_since = now;
    }

    /// The window closes: what was measured.
    pub(crate) fn close(
        mut self,
        name: &str,
        now: Time,
        window: Duration,
        counters: Option<SenderCounters>,
    ) -> FlowOutcome {
        let seconds = window.as_secs_f64();
        let per_second = |bytes: u64| bytes as f64 * 8.0 / seconds;
        self.set_cwnd(now, 0.0);
        let tcp = counters.unwrap_or_default();
        let base = self.base;
        FlowOutcome {
            name: name.to_owned(),
            delivered_bytes: self.delivered_bytes,
            goodput_bps: per_second(self.delivered_bytes),
            throughput_bps: per_second(self.arrived_wire_bytes),
            sent_packets: self.sent_datagrams + tcp.sent - base.sent,
            retransmits: tcp.retransmits - base.retransmits,
            timeouts: tcp.timeouts - base.timeouts,
            fast_retransmits: tcp.fast_retransmits - base.fast_retransmits,
            window_cuts: tcp.window_cuts - base.window_cuts,
            queue_drops: self.queue_drops,
            channel_drops: self.channel_drops,
            rtt_mean_s: (self.rtt_count > 0)
                .then(|| self.rtt_sum.as_secs_f64() / self.rtt_count as f64),
            rtt_min_s: self.rtt_min.map(Duration::as_secs_f64),
            cwnd_mean: counters.map(|_| self.cwnd_area / seconds),
            delay_p50_s: self.delays.quantile(0.50),
            delay_p95_s: self.delays.quantile(0.95),
            delay_p99_s: self.delays.quantile(0.99),
            completion_s: None,
        }
    }

    /// A packet reached the receiving host whole.
    pub(crate) fn arrived(&mut self, wire_bytes: u32) {
        if self.open {
            self.arrived_wire_bytes += u64::from(wire_bytes);
        }
    }

    /// Payload reached the application.
    pub(crate) fn delivered(&mut self, bytes: u64) {
        if self.open {
            self.delivered_bytes += bytes;
        }
    }

    /// A segment reached the application so long after it was first sent.
    pub(crate) fn delay(&mut self, delay: Duration) {
        if self.open {
            self.delays.record(delay);
        }
    }

    /// A datagram was sent.
    pub(crate) fn sent_datagram(&mut self) {
        if self.open {
            self.sent_datagrams += 1;
        }
    }

    /// A data packet was dropped by a queue.
    pub(crate) fn queue_drop(&mut self) {
        self.queue_drops += u64::from(self.open);
    }

    /// A data packet was lost or damaged by a channel.
    pub(crate) fn channel_drop(&mut self) {
        self.channel_drops += u64::from(self.open);
    }

    /// A round trip was measured.
    pub(crate) fn rtt(&mut self, rtt: Duration) {
        if self.open {
            self.rtt_sum += rtt;
            self.rtt_count += 1;
            self.rtt_min = Some(self.rtt_min.map_or(rtt, |min| min.min(rtt)));
        }
    }

    /// The congestion window has this size from now on.
    pub(crate) fn set_cwnd(&mut self, now: Time, cwnd: f64) {
        if self.open {
            self.cwnd_area += self.cwnd * now.since(self.cwnd_since).as_secs_f64();
            self.cwnd_since = now;
        }
        self.cwnd = cwnd;
    }
}
