//! One flow's figures over the measured window.

use std::mem::offset_of;
use std::ops::Range;

use skywave_core::tcp::SenderCounters;
use skywave_core::tcp::rto::RtoEstimator;
use skywave_core::{Duration, Time};

use super::{BinMeter, DelayHistogram, Recorder, RequestMeter, is_within, mean_s};
use crate::losses::LossCause;
use crate::outcome::{FlowOutcome, Request};

/// No ACK of new data for this long is a gap (SIFEST, figure 11a: flat stretches).
const GAP: Duration = Duration::from_secs(1);
/// A congestion window of this many segments or fewer is small (SIFEST, figure 8).
const SMALL_CWND: f64 = 3.0;

/// Counts what happens to one flow inside the window. The fields that packets touch come first.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct FlowMeter {
    /// Series of the sender over the whole run, where they are asked for.
    pub(crate) recorder: Option<Box<Recorder>>,
    start: Time,
    end: Time,
    cwnd: f64,
    cwnd_since: Time,
    /// Integral of cwnd over the window since it came into being, segment-seconds.
    cwnd_area: f64,
    /// Position up to which data is acknowledged, and since when.
    una: u64,
    una_at: Time,
    /// The congestion window is small, since `small_since`.
    small: bool,
    gaps: u32,
    delivered_bytes: u64,
    arrived_wire_bytes: u64,
    arrived_packets: u64,
    delays: DelayHistogram,
    arrivals: Option<Box<Arrivals>>,
    sent_packets: u64,
    /// Packets of the data sender lost, by [`LossCause`].
    drops: [u32; LossCause::ALL.len()],
    local_retransmits: u32,
    suppressed_dupacks: u32,
    rtt_sum: Duration,
    rtt_count: u64,
    /// Smallest RTT sample; as long as can be before the first one.
    rtt_min: Duration,
    /// Sums of the smoothed RTT and its deviation after each sample.
    srtt_sum: Duration,
    rttvar_sum: Duration,
    gaps_time: Duration,
    /// When the congestion window came into being; [`Time::MAX`] before that.
    opened: Time,
    small_since: Time,
    small_time: Duration,
}

/// Meters that look at each arrival of payload, where they are asked for.
#[derive(Clone, Debug)]
struct Arrivals {
    bins: Option<BinMeter>,
    requests: Option<RequestMeter>,
}

impl FlowMeter {
    /// Bytes that an ACK touches: the figures of the window and of what is acknowledged.
    pub(crate) const ACK_TOUCHES: Range<usize> = 0..offset_of!(Self, delivered_bytes);
    /// Bytes that a delivered packet touches.
    pub(crate) const DELIVERY_TOUCHES: Range<usize> =
        offset_of!(Self, start)..offset_of!(Self, sent_packets);

    /// Measures from `start` (included) to `end` (not included), and fills the bins, if there are any,
    /// over the whole run.
    pub(crate) fn new(
        (start, end): (Time, Time),
        bins: Option<BinMeter>,
        requests: Option<RequestMeter>,
    ) -> Self {
        let asked = bins.is_some() || requests.is_some();
        Self {
            start,
            end,
            rtt_min: Duration::MAX,
            opened: Time::MAX,
            arrivals: asked.then(|| Box::new(Arrivals { bins, requests })),
            ..Self::default()
        }
    }

    /// Start and end of the measured window.
    #[inline]
    pub(crate) fn window(&self) -> (Time, Time) {
        (self.start, self.end)
    }

    /// The figures as of `now`; `tcp` is what the sender did in the window.
    pub(crate) fn outcome(
        &mut self,
        name: &str,
        now: Time,
        tcp: Option<SenderCounters>,
    ) -> FlowOutcome {
        self.set_cwnd(now, f64::INFINITY);
        let seconds = self.end.since(self.start).as_secs_f64();
        let per_second = |bytes: u64| bytes as f64 * 8.0 / seconds;
        self.set_small(now, false);
        let open = now.min(self.end).since(self.opened.max(self.start));
        let cwnd_mean = tcp.filter(|_| !open.is_zero());
        let cwnd_mean = cwnd_mean.map(|_| self.cwnd_area / open.as_secs_f64());
        let events = tcp.unwrap_or_default().events;
        let tcp = tcp.unwrap_or_default();
        let drops = |cause: LossCause| u64::from(self.drops[cause as usize]);
        let (early, blackout) = (drops(LossCause::Early), drops(LossCause::Blackout));
        let corrupt = drops(LossCause::Corruption);
        let mut outcome = FlowOutcome {
            name: name.to_owned(),
            delivered_bytes: self.delivered_bytes,
            goodput_bps: per_second(self.delivered_bytes),
            throughput_bps: per_second(self.arrived_wire_bytes),
            sent_packets: self.sent_packets + tcp.sent,
            retransmits: tcp.retransmits,
            timeouts: tcp.timeouts,
            timeouts_dupacks_0: events.timeouts[0].into(),
            timeouts_dupacks_1: events.timeouts[1].into(),
            timeouts_dupacks_2: events.timeouts[2].into(),
            timeouts_dupacks_3: events.timeouts[3].into(),
            failed_dupacks_0: events.failed_dupacks[0].into(),
            failed_dupacks_1: events.failed_dupacks[1].into(),
            failed_dupacks_2: events.failed_dupacks[2].into(),
            small_cwnd_timeouts: events.small_cwnd_timeouts.into(),
            small_cwnd_fast_retransmits: events.small_cwnd_fast_retransmits.into(),
            fast_retransmits: tcp.fast_retransmits,
            window_cuts: tcp.window_cuts,
            ecn_responses: tcp.ecn_responses,
            queue_drops: drops(LossCause::Queue) + early,
            channel_drops: drops(LossCause::Channel) + blackout + corrupt,
            early_drops: early,
            blackout_drops: blackout,
            corrupt_drops: corrupt,
            no_route_drops: drops(LossCause::NoRoute),
            received_packets: self.arrived_packets,
            local_retransmits: self.local_retransmits.into(),
            suppressed_dupacks: self.suppressed_dupacks.into(),
            ack_gaps: self.gaps.into(),
            ack_gaps_s: self.gaps_time.as_secs_f64(),
            rtt_mean_s: mean_s(self.rtt_sum, self.rtt_count),
            srtt_mean_s: mean_s(self.srtt_sum, self.rtt_count),
            rttvar_mean_s: mean_s(self.rttvar_sum, self.rtt_count),
            rtt_min_s: (self.rtt_count > 0).then(|| self.rtt_min.as_secs_f64()),
            cwnd_mean,
            share_small_cwnd: (!open.is_zero())
                .then(|| self.small_time.as_secs_f64() / open.as_secs_f64()),
            delay_p50_s: self.delays.quantile(0.50),
            delay_p95_s: self.delays.quantile(0.95),
            delay_p99_s: self.delays.quantile(0.99),
            ..FlowOutcome::default()
        };
        if let Some(requests) = self.requests() {
            requests.report(&mut outcome);
        }
        outcome
    }

    fn requests(&mut self) -> Option<&mut RequestMeter> {
        self.arrivals.as_mut()?.requests.as_mut()
    }

    /// The application hands this much data over.
    pub(crate) fn handed_over(&mut self, now: Time, bytes: u64) {
        if let Some(requests) = self.requests() {
            requests.begin(now, bytes);
        }
    }

    /// Whether events at `at` are measured.
    #[inline]
    pub(crate) fn counts(&self, at: Time) -> bool {
        is_within(at, self.window())
    }

    /// A packet reached the receiving host whole. Returns whether its time [counts](Self::counts).
    #[inline]
    pub(crate) fn arrived(&mut self, at: Time, wire_bytes: u32) -> bool {
        let counts = self.counts(at);
        if counts {
            self.arrived_wire_bytes += u64::from(wire_bytes);
            self.arrived_packets += 1;
        }
        counts
    }

    /// Payload reached the application; `counts` says whether its time [counts](Self::counts).
    #[inline]
    pub(crate) fn delivered(&mut self, at: Time, counts: bool, bytes: u64) {
        if counts {
            self.delivered_bytes += bytes;
        }
        if let Some(arrivals) = &mut self.arrivals {
            if let Some(bins) = &mut arrivals.bins {
                bins.add(at, bytes);
            }
            if let Some(requests) = &mut arrivals.requests {
                requests.delivered(at, (self.start, self.end), bytes);
            }
        }
    }

    /// A segment reached the application `delay` after it was first sent, at a time that
    /// [counts](Self::counts).
    #[inline]
    pub(crate) fn delay(&mut self, delay: Duration) {
        self.delays.record(delay);
    }

    /// Where the next delay is most likely counted.
    #[inline]
    pub(crate) fn likely_delay(&self) -> Option<&u8> {
        self.delays.likely()
    }

    /// A packet was sent that no TCP sender counts.
    pub(crate) fn sent_packet(&mut self, at: Time) {
        self.sent_packets += u64::from(self.counts(at));
    }

    /// A packet of the data sender was lost.
    pub(crate) fn lost(&mut self, at: Time, cause: LossCause) {
        self.drops[cause as usize] += u32::from(self.counts(at));
    }

    /// An agent sent a segment again.
    pub(crate) fn repaired_locally(&mut self, at: Time) {
        self.local_retransmits += u32::from(self.counts(at));
    }

    /// An agent kept a duplicate ACK from the sender.
    pub(crate) fn suppressed_dupack(&mut self, at: Time) {
        self.suppressed_dupacks += u32::from(self.counts(at));
    }

    /// A round trip was measured; the estimator stands as it does after that.
    #[inline]
    pub(crate) fn rtt(&mut self, at: Time, rtt: Duration, estimator: &RtoEstimator) {
        let (srtt, rttvar) = (estimator.srtt(), estimator.rttvar());
        self.smoothed_rtt(
            at,
            rtt,
            srtt.unwrap_or_default(),
            rttvar.unwrap_or_default(),
        );
    }

    /// A round trip was measured, by an estimator that stands at `smoothed` and `deviation` after that.
    #[inline]
    pub(crate) fn smoothed_rtt(
        &mut self,
        at: Time,
        rtt: Duration,
        smoothed: Duration,
        deviation: Duration,
    ) {
        if self.counts(at) {
            self.rtt_sum += rtt;
            self.srtt_sum += smoothed;
            self.rttvar_sum += deviation;
            self.rtt_count += 1;
            self.rtt_min = self.rtt_min.min(rtt);
        }
    }

    /// The congestion window has this size from now on.
    #[inline]
    pub(crate) fn set_cwnd(&mut self, now: Time, cwnd: f64) {
        let from = self.cwnd_since.max(self.start);
        let held = now.min(self.end).since(from);
        self.cwnd_area += self.cwnd * held.as_secs_f64();
        self.cwnd_since = now;
        self.cwnd = cwnd;
        let small = cwnd <= SMALL_CWND;
        if small != self.small {
            self.set_small(now, small);
        }
    }

    #[cold]
    fn set_small(&mut self, now: Time, small: bool) {
        if self.small {
            let from = self.small_since.max(self.start);
            self.small_time += now.min(self.end).since(from);
        }
        self.small = small;
        self.small_since = now;
    }

    /// The congestion window comes into being, if it has not.
    pub(crate) fn open(&mut self, now: Time) {
        if self.opened == Time::MAX {
            self.opened = now;
            self.cwnd_since = now;
            self.cwnd_area = 0.0;
        }
    }

    /// Everything below `una` is acknowledged.
    #[inline]
    pub(crate) fn acknowledged(&mut self, now: Time, una: u64) {
        if una == self.una {
            return;
        }
        if now.since(self.una_at) > GAP && self.una > 0 {
            self.add_gap(now);
        }
        self.una = una;
        self.una_at = now;
    }

    /// Nothing new was acknowledged until `now`.
    #[cold]
    pub(crate) fn add_gap(&mut self, now: Time) {
        let length = now.min(self.end).since(self.una_at.max(self.start));
        if length > GAP {
            self.gaps += 1;
            self.gaps_time += length;
        }
    }

    /// The transfers that were kept by themselves.
    pub(crate) fn take_requests(&mut self) -> Vec<Request> {
        let end = self.end;
        self.requests()
            .map(|requests| requests.take(end))
            .unwrap_or_default()
    }

    /// The bytes in each bin.
    pub(crate) fn take_bins(&mut self) -> Option<Vec<u64>> {
        let bins = self.arrivals.as_mut()?.bins.take();
        bins.map(BinMeter::into_bytes)
    }
}
