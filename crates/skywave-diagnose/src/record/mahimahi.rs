//! Traces of mahimahi: a millisecond a line, each an opportunity to send a packet.

use skywave_core::link::OPPORTUNITY_BYTES;

use super::text::{lines, number};
use super::{Mistake, Rates, Record, Span};

const KIND: &str = "mahimahi trace";
/// Latest millisecond of a trace: seven weeks, as much as 32 bits hold.
const MAX_MS: f64 = u32::MAX as f64;
/// A first time after this is cut off if all the others are nearer to it than it is to zero, milliseconds: the file is
/// then a piece of a longer one, or its times are those of a day.
const LATE_START_MS: u64 = 1000;
/// Milliseconds of which opportunities are counted together for the spans of rates.
const BIN_MS: u64 = 1000;

/// Reads a trace.
pub(super) fn read(text: &str) -> Result<Vec<Record>, Mistake> {
    let mut opportunities: Vec<u64> = Vec::new();
    let mut offset = None;
    let mut before = 0.0;
    for (line, found) in lines(text) {
        let wrong = |expected: &str| Mistake::in_line(KIND, line, expected, found);
        let ms = number(found)
            .filter(|ms| ms.fract() == 0.0 && *ms >= 0.0)
            .ok_or_else(|| wrong("one whole number of milliseconds"))?;
        // Times of a day are far above what a trace may last: only what is between them counts.
        let start: f64 = *offset.get_or_insert(if ms > MAX_MS { ms } else { 0.0 });
        if ms < before {
            return Err(wrong("a time not before that of the line above"));
        }
        if ms - start > MAX_MS {
            return Err(wrong("at most 4294967295 milliseconds"));
        }
        before = ms;
        opportunities.push((ms - start) as u64);
    }
    let (first, last) = match opportunities[..] {
        [first, .., last] => (first, last),
        [only] => (0, only),
        [] => return Err(Mistake::Empty),
    };
    if first > LATE_START_MS && first > last - first {
        for ms in &mut opportunities {
            *ms -= first;
        }
    }
    if opportunities.last() == Some(&0) {
        let (place, expected) = ("last line", "a time after the first, which is the period");
        return Err(Mistake::at(KIND, place, expected, "the same time"));
    }
    Ok(vec![Record::Rates(Rates {
        spans: spans(&opportunities),
        opportunities_ms: Some(opportunities),
        opportunity_bytes: OPPORTUNITY_BYTES as u32,
    })])
}

/// Rates by seconds, neighbours of the same rate as one span.
fn spans(opportunities: &[u64]) -> Vec<Span> {
    let end = opportunities.last().copied().unwrap_or_default();
    let seconds = |ms: u64| ms.min(end) as f64 / 1e3;
    let mut spans: Vec<Span> = Vec::new();
    let mut add = |from: u64, to: u64, count: usize| {
        let (from_s, to_s) = (seconds(from), seconds(to));
        if to_s <= from_s {
            return;
        }
        let bits = count as f64 * OPPORTUNITY_BYTES as f64 * 8.0;
        let bps = Some(bits / (to_s - from_s));
        match spans.last_mut() {
            Some(span) if span.bps == bps => span.to_s = to_s,
            _ => spans.push(Span { from_s, to_s, bps }),
        }
    };
    let mut done = 0;
    // An opportunity at the end of the period belongs to its last bin.
    let bin = |ms: u64| ms.min(end.saturating_sub(1)) / BIN_MS * BIN_MS;
    for bins in opportunities.chunk_by(|a, b| bin(*a) == bin(*b)) {
        let from = bin(bins[0]);
        add(done, from, 0);
        add(from, from + BIN_MS, bins.len());
        done = from + BIN_MS;
    }
    spans
}
