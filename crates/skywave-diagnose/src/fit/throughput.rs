//! The path of an iperf3 test: what bytes, round trips and losses by seconds can tell of it.

use super::special::proportion;
use super::{Estimate, Known};
use crate::record::{Carried, Lost, Throughput};

/// Intervals at the beginning that do not count: the start, and what the socket's buffer took at once.
const START_S: f64 = 3.0;
/// Round trips whose greatest is more than this times the least show a queue.
const SWING: f64 = 1.5;
/// Seconds by which they are above the base that probes tell, at least: hosts answer late too.
const RISE_S: f64 = 0.005;
/// Share by which rates and queues that are told so are uncertain: bytes are counted where they are written, and round trips are
/// smoothed.
const RATE: f64 = 0.05;
const QUEUE: f64 = 0.2;
/// Share of a packet of 1500 bytes that is TCP's payload, with timestamps; the rest is headers.
pub(crate) const PAYLOAD: f64 = 1448.0 / 1500.0;

/// Path as a throughput test of iperf3 tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct ThroughputFit {
    /// Rate of the bottleneck, bits a second with headers from IP on; not known unless round trips rose, or stood above
    /// those of the idle link, which shows that the link was busy.
    pub rate: Known<Estimate>,
    /// Mean rate at which data came through after the first 3 s, bits a second with headers from IP on: a lower bound
    /// of the bottleneck's rate; 0 if the record has nothing after these.
    pub at_least_bps: f64,
    /// Least smoothed round trip after the first 3 s, seconds: the base and whatever queue stood then. Not known if the
    /// record has no round trips.
    pub rtt_s: Known<Estimate>,
    /// Capacity of the bottleneck's queue, bytes; not known unless round trips rose and segments were sent again, which
    /// shows that it was full.
    pub queue: Known<Estimate>,
    /// Share of the packets, 0 to 1, that were lost (UDP) or sent again (TCP), whatever the cause.
    pub lost: Known<Estimate>,
}

/// Path of a throughput test, estimated as far as `record` tells of it; what it does not tell is unknown. `base_s` is
/// the round trip of the idle link in seconds, if probes tell it: a queue that stands all the while shows beside it
/// alone.
pub fn fit(record: &Throughput, base_s: Option<f64>) -> ThroughputFit {
    let later: Vec<_> = record
        .intervals
        .iter()
        .filter(|interval| interval.from_s >= START_S)
        .collect();
    let mut rates: Vec<f64> = later
        .iter()
        .filter(|interval| interval.to_s > interval.from_s)
        .map(|interval| interval.bytes as f64 * 8.0 / PAYLOAD / (interval.to_s - interval.from_s))
        .collect();
    rates.sort_by(f64::total_cmp);
    // At low rates whole intervals are empty: the mean is right where the median is not.
    let mean = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
    let rtts: Vec<f64> = later.iter().filter_map(|interval| interval.rtt_s).collect();
    let least = rtts.iter().copied().min_by(f64::total_cmp);
    let most = rtts.iter().copied().max_by(f64::total_cmp);
    let idle = least.map(|least| match base_s {
        Some(base_s) if base_s + RISE_S < least => base_s,
        _ => least,
    });
    let is_full = matches!((idle, most), (Some(idle), Some(most)) if most > SWING * idle);
    let around =
        |value: f64, share: f64| Estimate::new(value, value * (1.0 - share), value * (1.0 + share));
    let rate = if is_full && mean > 0.0 {
        Known::Told(around(mean, RATE))
    } else if rtts.is_empty() {
        Known::unknown("no round trips tell whether the link was busy")
    } else {
        Known::unknown("round trips hardly rose: nothing shows that the link was busy")
    };
    let again = sum(record
        .intervals
        .iter()
        .filter_map(|interval| interval.retransmits));
    let queue = match (idle, most) {
        (Some(idle), Some(most)) if is_full && again > 0 => {
            Known::Told(around((most - idle) * mean / 8.0, QUEUE))
        }
        _ => Known::unknown("the queue was never seen to be full"),
    };
    ThroughputFit {
        rate,
        at_least_bps: mean,
        rtt_s: Known::or_unknown(
            least.map(|least| Estimate::new(least, 0.0, least)),
            "the record has no round trips",
        ),
        queue,
        lost: lost(record),
    }
}

/// Sentence about the throughput test of the file `name`: rate, congestion control, duration and retransmissions.
pub fn sentence(name: &str, record: &Throughput) -> String {
    let bytes = sum(record.intervals.iter().map(|interval| interval.bytes));
    let time = record.intervals.last().map_or(0.0, |last| last.to_s);
    let mbps = if time > 0.0 {
        bytes as f64 * 8.0 / time / 1e6
    } else {
        0.0
    };
    let law = record
        .congestion
        .as_ref()
        .map_or_else(String::new, |law| format!(" by {law}"));
    let again = resent(record);
    let again = again.map_or_else(String::new, |again| {
        format!(", {again} segments sent again")
    });
    format!("{name}: {mbps:.2} Mb/s of payload{law} for {time:.0} s{again}.")
}

fn lost(record: &Throughput) -> Known<Estimate> {
    if record.carried == Carried::Udp {
        let counted = record.intervals.iter().filter_map(|it| it.lost);
        let summed = counted.reduce(|all, more| Lost {
            lost: all.lost.saturating_add(more.lost),
            sent: all.sent.saturating_add(more.sent),
        });
        let total = record.lost.or(summed);
        return Known::or_unknown(
            total.map(|total| proportion(total.lost.min(total.sent), total.sent)),
            "only the receiver counts losses",
        );
    }
    let bytes = sum(record.intervals.iter().map(|interval| interval.bytes));
    let packets = (bytes as f64 / (1500.0 * PAYLOAD)) as u64;
    let again = resent(record).filter(|_| packets > 0);
    Known::or_unknown(
        again.map(|again| proportion(again.min(packets), packets.max(again))),
        "only the sender counts retransmissions",
    )
}

/// Segments sent again in all; `None` if an interval does not tell.
fn resent(record: &Throughput) -> Option<u64> {
    let mut counts = record.intervals.iter().map(|interval| interval.retransmits);
    counts.try_fold(0, |all: u64, count| Some(all.saturating_add(count?)))
}

/// Sum of counts from a file, which may be absurd.
fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}
