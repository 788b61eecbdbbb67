//! A bottleneck whose rate changes: its recorded opportunities, and the queue as round trips tell it.

use super::backlog::{Step, lost};
use super::rate::Rate;
use super::view::View;

/// Shortest time without work that is filled, seconds: answers come at least a little late.
const IDLE_S: f64 = 0.01;
/// Longest time without work that is kept, seconds: a longer one, or a clock that was set, is cut to this.
const LONGEST_IDLE_S: f64 = 60.0;
/// Time over which the rate is remembered that such a time is filled with, seconds of work.
const MEMORY_S: f64 = 1.0;
/// Bytes that the link may send at each line (delivery opportunity) of a trace, as in mahimahi's format.
pub const OPPORTUNITY: f64 = 1500.0;

/// Rate that changes, as a trace of the times at which the bottleneck could send a packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Times at which the link could send 1500 bytes, milliseconds from the transfer's first ACK, each pause of more
    /// than 60 s shortened to 60 s, or from the beginning of a user's trace.
    pub opportunities_ms: Vec<u64>,
    /// Typical rate, bits a second: of a link seen by a transfer the median while it was busy; of a user's trace or
    /// table of rates the mean over time.
    pub typical_bps: f64,
    /// Share of the time, 0 to 1, in which the link's rate was not seen; the rate just before is taken for it.
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

/// The opportunities that the bottleneck had: those that were used, and where it had nothing to send as many as just before.
pub(super) fn recorded(view: &View<'_>, rate: &Rate) -> Recorded {
    let typical_bps = rate.found.told().map_or(0.0, |(rate, _)| rate.value);
    let begin = view.arrivals.first().map_or(0.0, |arrival| arrival.at_s);
    let mut opportunities = Opportunities {
        begin,
        bytes: 0.0,
        ms: Vec::new(),
    };
    let mut bps = typical_bps;
    let mut last_s = begin;
    let mut filled_s = 0.0;
    for arrival in &view.arrivals {
        // It could have been served at once from here on.
        let ready_s = (arrival.sent_s + view.base_s).min(arrival.at_s);
        if ready_s - last_s > IDLE_S {
            let idle_s = f64::min(ready_s - last_s, LONGEST_IDLE_S);
            opportunities.begin += ready_s - last_s - idle_s;
            opportunities.spread(ready_s - idle_s, ready_s, bps);
            filled_s += idle_s;
        }
        let busy_s = arrival.at_s - last_s.max(ready_s.min(arrival.at_s));
        if busy_s > 0.0 {
            let share = 1.0 - libm::exp(-busy_s / MEMORY_S);
            bps += share * (arrival.bytes * 8.0 / busy_s - bps);
        }
        opportunities.add(arrival.at_s, arrival.bytes);
        last_s = arrival.at_s;
    }
    let all = last_s - opportunities.begin;
    Recorded {
        opportunities_ms: opportunities.ms,
        typical_bps,
        filled: if all > 0.0 { filled_s / all } else { 1.0 },
    }
}

struct Opportunities {
    begin: f64,
    bytes: f64,
    ms: Vec<u64>,
}

impl Opportunities {
    /// Bytes that came through at a time.
    fn add(&mut self, at_s: f64, bytes: f64) {
        self.bytes += bytes;
        while self.bytes >= OPPORTUNITY {
            self.bytes -= OPPORTUNITY;
            self.ms.push(((at_s - self.begin) * 1000.0) as u64);
        }
    }

    /// Opportunities spread evenly between two times.
    fn spread(&mut self, from_s: f64, to_s: f64, bps: f64) {
        let count = ((to_s - from_s) * bps / 8.0 / OPPORTUNITY) as u64;
        for i in 0..count {
            let at_s = from_s + (to_s - from_s) * (i as f64 + 0.5) / count as f64;
            self.ms.push(((at_s - self.begin) * 1000.0) as u64);
        }
    }
}
