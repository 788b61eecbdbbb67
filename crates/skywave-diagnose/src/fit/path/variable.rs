//! A bottleneck whose rate changes: its recorded opportunities, and the queue as round trips tell it.

use super::backlog::{Step, lost};
use super::rate::Rate;
use super::view::View;

/// Bytes of an opportunity, as traces have it.
const OPPORTUNITY: f64 = 1500.0;

/// A rate as it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Opportunities to send 1500 bytes, milliseconds from the transfer's first answer.
    pub opportunities_ms: Vec<u64>,
    /// The median rate, bits a second.
    pub median_bps: f64,
    /// Share of the time in which the bottleneck was not seen at work: the rate before was put there.
    pub filled: f64,
}

/// The queue that each packet met: what had been sent before it and not been lost, less what would have arrived by the time at which
/// it would on an empty link. This holds for any rate. Where a round trip is known, what arrived meanwhile tells it anew.
pub(super) fn backlog(view: &View<'_>) -> Vec<Step> {
    let mut sums = vec![0.0];
    sums.extend(view.arrivals.iter().scan(0.0, |sum, arrival| {
        *sum += arrival.bytes;
        Some(*sum)
    }));
    let until = |at: f64| sums[view.arrivals.partition_point(|arrival| arrival.at_s < at)];
    let mut arrivals = view.arrivals.iter().peekable();
    let mut into = 0.0;
    let mut out = 0.0;
    view.sent
        .iter()
        .map(|sent| {
            let at_s = sent.at_s();
            let bytes = f64::from(sent.bytes);
            while let Some(arrival) = arrivals.next_if(|next| next.at_s < at_s + view.base_s) {
                out += arrival.bytes;
            }
            if let Some(rtt_s) = sent.rtt_s() {
                into = until(at_s + rtt_s);
            }
            let step = Step {
                at_s,
                bytes,
                lost: lost(sent),
                found: f64::max(0.0, into - out),
            };
            // Of what nobody knows nothing arrives.
            if step.lost == Some(false) {
                into += bytes;
            }
            step
        })
        .collect()
}

/// The opportunities that the bottleneck had: those that were used while it was busy, and in between as before.
pub(super) fn recorded(view: &View<'_>, rate: &Rate) -> Recorded {
    let median_bps = rate.found.told().map_or(0.0, |(rate, _)| rate.value);
    let mut opportunities_ms = Vec::new();
    let begin = view.arrivals.first().map_or(0.0, |arrival| arrival.at_s);
    let mut bytes = 0.0;
    let mut filled_s = 0.0;
    let mut last_s = begin;
    let mut last_bps = median_bps;
    for busy in &rate.busy {
        let gap = busy.from_s - last_s;
        // Windows follow one another; what is longer is a time at rest.
        if gap > 0.0 {
            let share = gap * last_bps / 8.0 / OPPORTUNITY;
            let count = share as u64;
            for i in 0..count {
                let at = last_s - begin + gap * (i as f64 + 0.5) / count as f64;
                opportunities_ms.push((at * 1000.0) as u64);
            }
            filled_s += gap;
        }
        let from = view
            .arrivals
            .partition_point(|arrival| arrival.at_s < busy.from_s);
        for arrival in view.arrivals[from..]
            .iter()
            .take_while(|arrival| arrival.at_s <= busy.to_s)
        {
            bytes += arrival.bytes;
            while bytes >= OPPORTUNITY {
                bytes -= OPPORTUNITY;
                opportunities_ms.push(((arrival.at_s - begin) * 1000.0) as u64);
            }
        }
        (last_s, last_bps) = (busy.to_s, busy.bps);
    }
    let all = last_s - begin;
    Recorded {
        opportunities_ms,
        median_bps,
        filled: if all > 0.0 { filled_s / all } else { 1.0 },
    }
}
