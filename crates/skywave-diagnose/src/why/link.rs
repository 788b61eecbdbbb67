//! The link behind a transfer, as far as causes need it: base round trip, rate, and when packets waited in its queue.

use super::states::{BIN_S, rate_bins};
use crate::fit::path::{PathFit, RateModel};
use crate::order::quantile;
use crate::transfer::{Sent, Transfer};

/// A round trip this much above the base shows a queue: seconds, share of the base, transmission times of a packet.
const QUEUE_S: f64 = 0.005;
const QUEUE_SHARE: f64 = 0.05;
const QUEUE_PACKETS: f64 = 2.5;
/// Microseconds and milliseconds of a second.
const US: f64 = 1e6;
const MS: f64 = 1e3;

/// The link behind a transfer.
pub(super) struct Link {
    /// Least round trip, seconds.
    pub(super) base_s: f64,
    /// Time above the base that jitter hardly exceeds, seconds.
    varies_s: f64,
    /// Median round trip, seconds.
    pub(super) rtt_s: f64,
    /// Round trips in rising order, microseconds.
    rtts_us: Vec<u32>,
    /// The rate is constant and known.
    pub(super) is_rate_known: bool,
    /// Time that the bottleneck takes for a packet, seconds.
    pub(super) packet_s: f64,
    /// Rate of arrivals that fills the link, payload bits a second.
    rate_bps: f64,
    /// Bins, and what had arrived by their ends.
    arrived: Vec<(u32, u64)>,
    /// Times from one to another in which packets waited, seconds.
    queued: Vec<(f64, f64)>,
    /// Times of answers to packets that did not wait, milliseconds.
    calm_ms: Vec<u32>,
}

impl Link {
    /// The link of a transfer; `None` if it tells no round trip.
    pub(super) fn of(transfer: &Transfer, path: Option<&PathFit>) -> Option<Self> {
        let rtts_us = transfer.rtts_us();
        let base_s = transfer.least_rtt_s(&rtts_us)?;
        let mut sum = 0;
        let arrived: Vec<(u32, u64)> = transfer
            .bins
            .iter()
            .map(|bin| {
                sum += u64::from(bin.delivered);
                (bin.index, sum)
            })
            .collect();
        let known = path.and_then(|path| match path.rate.told()? {
            RateModel::Constant(rate, _) => Some(rate.value),
            RateModel::Recorded(_) => None,
        });
        let payload = f64::from(transfer.mss) / f64::from(transfer.mss + transfer.headers).max(1.0);
        let mut link = Self {
            base_s,
            varies_s: path.map_or(0.0, |path| path.varies_s),
            rtt_s: f64::from(quantile(&rtts_us, 0.5)?) / US,
            rtts_us,
            is_rate_known: known.is_some(),
            packet_s: 0.0,
            rate_bps: 0.0,
            arrived,
            queued: Vec::new(),
            calm_ms: Vec::new(),
        };
        link.rate_bps = known.map_or_else(|| link.most_bps(), |bps| bps * payload);
        link.packet_s = f64::from(transfer.mss) * 8.0 / link.rate_bps.max(1.0);
        link.queued = link.queued(&transfer.sent);
        link.calm_ms = link.calm_ms(&transfer.sent);
        Some(link)
    }

    /// Median wait in the queue, seconds.
    pub(super) fn wait_s(&self) -> f64 {
        self.rtt_s - self.base_s
    }

    /// A round trip longer than this waited in a queue, seconds.
    fn with_queue_s(&self) -> f64 {
        let excess = QUEUE_S
            .max(QUEUE_SHARE * self.base_s)
            .max(QUEUE_PACKETS * self.packet_s);
        self.base_s + excess + self.varies_s
    }

    /// When packets waited: each from when it would have been answered to when it was.
    fn queued(&self, sent: &[Sent]) -> Vec<(f64, f64)> {
        let limit_s = self.with_queue_s();
        let mut spans: Vec<(f64, f64)> = Vec::new();
        for sent in sent {
            let Some(rtt_s) = sent.rtt_s().filter(|rtt_s| *rtt_s > limit_s) else {
                continue;
            };
            let (from_s, to_s) = (sent.at_s() + limit_s, sent.at_s() + rtt_s);
            match spans.last_mut() {
                Some(before) if from_s <= before.1 + self.packet_s => {
                    before.1 = before.1.max(to_s);
                }
                _ => spans.push((from_s, to_s)),
            }
        }
        spans
    }

    fn calm_ms(&self, sent: &[Sent]) -> Vec<u32> {
        let limit_s = self.with_queue_s();
        let mut calm: Vec<u32> = Vec::new();
        for sent in sent {
            let rtt_s = sent.rtt_s().filter(|rtt_s| *rtt_s <= limit_s);
            let at_ms = rtt_s.map(|rtt_s| ((sent.at_s() + rtt_s) * MS) as u32);
            if at_ms.is_some() && at_ms != calm.last().copied() {
                calm.extend(at_ms);
            }
        }
        calm.sort_unstable();
        calm
    }

    /// Packets waited in a bin, all of a round trip: what waits in a burst alone leaves the link idle after it.
    pub(super) fn is_queued(&self, index: u32) -> bool {
        let at_s = (f64::from(index) + 0.5) * BIN_S;
        let after = self.queued.partition_point(|(from, _)| *from <= at_s);
        let has_waited = after > 0 && at_s < self.queued[after - 1].1;
        let [from_ms, to_ms] = [-0.5, 0.5].map(|share| (at_s + share * self.base_s) * MS);
        let next = self
            .calm_ms
            .partition_point(|&calm| f64::from(calm) < from_ms);
        let is_calm = self.calm_ms.get(next);
        let is_calm = is_calm.is_some_and(|&calm| f64::from(calm) < to_ms);
        has_waited && !is_calm
    }

    /// Rate of arrivals around a bin, as a share of what fills the link.
    pub(super) fn use_at(&self, index: u32) -> f64 {
        let bins = rate_bins(self.base_s).max(1);
        let from = index.saturating_sub(bins / 2);
        self.bps(from, bins) / self.rate_bps.max(1.0)
    }

    /// Payload bits a second that arrived in some bins.
    fn bps(&self, from: u32, bins: u32) -> f64 {
        let before = |index: u32| {
            let after = self.arrived.partition_point(|(known, _)| *known < index);
            after.checked_sub(1).map_or(0, |last| self.arrived[last].1)
        };
        let bytes = before(from.saturating_add(bins)) - before(from);
        bytes as f64 * 8.0 / (f64::from(bins) * BIN_S)
    }

    /// The largest rate of arrivals over the time in which rates are taken, payload bits a second.
    fn most_bps(&self) -> f64 {
        let bins = 2 * rate_bins(self.base_s).max(1);
        self.arrived
            .iter()
            .map(|&(index, _)| self.bps(index, bins))
            .fold(0.0, f64::max)
    }

    /// A quantile of the round trips, seconds.
    pub(super) fn rtt_quantile_s(&self, share: f64) -> f64 {
        quantile(&self.rtts_us, share).map_or(0.0, f64::from) / US
    }
}
