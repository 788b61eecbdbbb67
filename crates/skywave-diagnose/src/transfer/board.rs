//! What one end of a connection has sent and not yet heard of, and what the answers tell.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::bins::Bins;
use super::sent::{Cause, Fate, Sent};

/// Segments that an answer may cover together and still be an answer to each: delayed ACKs cover two, stretched ones a few;
/// where a hole was filled, all that waited behind it.
const ANSWERED_AT_ONCE: usize = 4;
/// A retransmission that is answered sooner than this share of the least round trip was not needed: its first
/// transmission is what arrived.
const TOO_SOON: f64 = 0.6;
/// Silence after which a sender goes on by its timer, seconds: Linux' least timeout is 200 ms; and its share of the round trip.
const SILENCE_S: f64 = 0.18;
const SILENCE_RTTS: f64 = 0.9;
/// A probe of the tail comes after two round trips (RFC 8985 section 7.2), less what the host's clock rounds off.
const PROBE_RTTS: f64 = 1.8;
/// Segments sent again whose answers are remembered, to know them from a duplicate's report.
const REMEMBERED: usize = 4096;

/// A segment that is not yet acknowledged nor selectively acknowledged.
#[derive(Clone, Debug)]
struct Outstanding {
    end: u64,
    /// Its transmissions, as indices.
    sends: SmallVec<[u32; 2]>,
}

/// The sender's view of one direction of a connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    pub(super) sent: Vec<Sent>,
    pub(super) bins: Bins,
    /// By the first position of each.
    outstanding: BTreeMap<u64, Outstanding>,
    /// Segments sent more than once that have arrived: their transmissions, by their first position.
    repaired: BTreeMap<u64, SmallVec<[u32; 2]>>,
    /// The position after the highest that was sent.
    pub(super) highest: u64,
    acked: u64,
    highest_sacked: u64,
    flight: u64,
    /// Up to here the sender repairs a loss; and what a timeout gave up.
    recovery_until: u64,
    timeout_until: u64,
    last_heard_ns: u64,
    last_sent_ns: u64,
    least_rtt_s: Option<f64>,
    smoothed_rtt_s: Option<f64>,
    /// Payload bytes that arrived, each once.
    pub(super) delivered: u64,
}

impl Board {
    pub(super) fn new(first: u64) -> Self {
        Self {
            highest: first,
            acked: first,
            ..Self::default()
        }
    }

    /// A packet of payload was sent; `headers` are the bytes around it. If a network card cuts it up, it does so into
    /// segments of `segment` bytes.
    pub(super) fn sent(&mut self, at_ns: u64, start: u64, end: u64, headers: u64, segment: u64) {
        if start >= self.highest {
            let mut start = start;
            while start < end {
                let next = end.min(start + segment.max(1));
                self.first(at_ns, start, next, headers);
                start = next;
            }
        } else {
            let old_end = end.min(self.highest);
            self.again(at_ns, start, old_end, headers);
            if end > self.highest {
                self.first(at_ns, self.highest, end, headers);
            }
        }
        let flight = u32::try_from(self.flight).unwrap_or(u32::MAX);
        let is_recovering = self.acked < self.recovery_until;
        let bin = self.bins.at(at_ns);
        bin.sent = bin.sent.saturating_add((end - start) as u32);
        bin.flight = bin.flight.max(flight);
        bin.is_recovering |= is_recovering;
        self.last_sent_ns = at_ns;
    }

    fn first(&mut self, at_ns: u64, start: u64, end: u64, headers: u64) {
        let index = self.sent.len() as u32;
        self.sent
            .push(Sent::new(at_ns, headers + (end - start), None));
        let sends = SmallVec::from_slice(&[index]);
        self.outstanding.insert(start, Outstanding { end, sends });
        self.highest = self.highest.max(end);
        self.flight += end - start;
    }

    fn again(&mut self, at_ns: u64, start: u64, end: u64, headers: u64) {
        let cause = self.cause(at_ns, start, end);
        if cause == Cause::Timeout {
            self.timeout_until = self.highest;
        }
        self.recovery_until = self.recovery_until.max(self.highest);
        let mut count = 0u16;
        let overlapping = self
            .outstanding
            .range(..end)
            .next_back()
            .map(|(&start, _)| start);
        let from = self
            .outstanding
            .range(..=start)
            .next_back()
            .filter(|(_, segment)| segment.end > start)
            .map_or(start, |(&start, _)| start);
        if overlapping.is_some_and(|last| last >= from) {
            for (&start, segment) in self.outstanding.range_mut(from..end) {
                let index = self.sent.len() as u32;
                let bytes = headers + (segment.end - start);
                self.sent.push(Sent::new(at_ns, bytes, Some(cause)));
                segment.sends.push(index);
                count += 1;
            }
        }
        if count == 0 {
            // What arrived before is sent again.
            let bytes = headers + (end - start);
            self.sent
                .push(Sent::new(at_ns, bytes, Some(Cause::Spurious)));
            count = 1;
        }
        let bin = self.bins.at(at_ns);
        bin.again = bin.again.saturating_add(count);
        bin.is_after_timeout |= cause == Cause::Timeout;
    }

    fn cause(&self, at_ns: u64, start: u64, end: u64) -> Cause {
        let silence_ns = at_ns.saturating_sub(self.last_heard_ns.max(self.last_sent_ns));
        let silence_s = silence_ns as f64 / 1e9;
        let rtt_s = self.smoothed_rtt_s.unwrap_or(0.0);
        let least_s = self.least_rtt_s.unwrap_or(0.0);
        let is_probed = self.is_probed();
        if end == self.highest && silence_s >= PROBE_RTTS * rtt_s && !is_probed && rtt_s > 0.0 {
            return Cause::TailProbe;
        }
        if silence_s >= SILENCE_S.max(SILENCE_RTTS * least_s) {
            return Cause::Timeout;
        }
        if start < self.timeout_until && self.acked < self.timeout_until {
            return Cause::Timeout;
        }
        Cause::Dupacks
    }

    /// The last transmission was a retransmission of which nothing was heard.
    fn is_probed(&self) -> bool {
        self.sent
            .last()
            .is_some_and(|sent| sent.again.is_some() && sent.fate == Fate::Unknown)
            && self.last_sent_ns > self.last_heard_ns
    }

    /// An answer came: all before `acked` has arrived, and `blocks`; a block below that tells of what arrived twice.
    pub(super) fn answered(&mut self, at_ns: u64, acked: u64, blocks: &[(u64, u64)], window: u64) {
        let duplicate = blocks.first().copied().and_then(|first| {
            let is_below = first.1 <= acked;
            let is_inside = blocks
                .get(1)
                .is_some_and(|second| second.0 <= first.0 && first.1 <= second.1);
            (is_below || is_inside).then_some(first)
        });
        if let Some((start, end)) = duplicate {
            self.arrived_twice(start, end);
        }
        let before = self.delivered;
        // A FIN has a number too; and what the capture missed is no segment of ours.
        let acked = acked.min(self.highest);
        if acked > self.acked {
            self.take(at_ns, 0, acked, true);
            self.acked = acked;
            while let Some((&first, _)) = self.repaired.first_key_value()
                && self.repaired.len() > REMEMBERED
            {
                self.repaired.remove(&first);
            }
        }
        for &(start, end) in blocks {
            if start >= self.acked && end <= self.highest && start < end {
                self.highest_sacked = self.highest_sacked.max(end);
                self.take(at_ns, start, end, false);
            }
        }
        self.last_heard_ns = at_ns;
        let delivered = u32::try_from(self.delivered - before).unwrap_or(u32::MAX);
        let is_recovering = self.acked < self.recovery_until;
        let flight = u32::try_from(self.flight).unwrap_or(u32::MAX);
        let bin = self.bins.at(at_ns);
        bin.delivered = bin.delivered.saturating_add(delivered);
        bin.window = u32::try_from(window).unwrap_or(u32::MAX);
        bin.flight = bin.flight.max(flight);
        bin.is_recovering |= is_recovering;
    }

    /// Segments between two positions have arrived.
    fn take(&mut self, at_ns: u64, start: u64, end: u64, is_cumulative: bool) {
        let whole: SmallVec<[u64; 8]> = self
            .outstanding
            .range(start..end)
            .filter(|(_, segment)| segment.end <= end)
            .map(|(&start, _)| start)
            .collect();
        let is_at_once = !is_cumulative || whole.len() <= ANSWERED_AT_ONCE;
        // Behind one that had been lost, others waited for this answer.
        let waited = is_cumulative
            && whole
                .iter()
                .any(|start| self.outstanding[start].sends.len() > 1);
        for start in whole {
            if let Some(segment) = self.outstanding.remove(&start) {
                self.flight -= segment.end - start;
                self.delivered += segment.end - start;
                self.resolve(at_ns, start, &segment, is_at_once && !waited);
            }
        }
    }

    fn resolve(&mut self, at_ns: u64, start: u64, segment: &Outstanding, is_at_once: bool) {
        let [earlier @ .., last] = &segment.sends[..] else {
            return;
        };
        let last_at = self.sent[*last as usize].at_ns;
        let after_s = at_ns.saturating_sub(last_at) as f64 / 1e9;
        let least = self.least_rtt_s.unwrap_or(f64::INFINITY);
        let is_too_soon = !earlier.is_empty() && after_s < TOO_SOON * least && least.is_finite();
        for &index in earlier {
            self.sent[index as usize].fate = Fate::Lost;
        }
        if is_too_soon {
            let first = earlier[earlier.len() - 1] as usize;
            self.sent[first].answer(at_ns, Fate::Delivered);
            self.sent[*last as usize].again = Some(Cause::Spurious);
        } else {
            let is_timed = is_at_once && earlier.is_empty();
            let fate = if is_timed {
                Fate::Timed
            } else {
                Fate::Delivered
            };
            self.sent[*last as usize].answer(at_ns, fate);
            if is_timed {
                self.sample(after_s);
            }
        }
        if !earlier.is_empty() {
            self.repaired.insert(start, segment.sends.clone());
        }
    }

    fn sample(&mut self, rtt_s: f64) {
        self.least_rtt_s = Some(self.least_rtt_s.map_or(rtt_s, |least| least.min(rtt_s)));
        let smoothed = self.smoothed_rtt_s.unwrap_or(rtt_s);
        self.smoothed_rtt_s = Some(smoothed + (rtt_s - smoothed) / 8.0);
    }

    /// The receiver tells that it had this already (RFC 2883): of these segments the first transmission arrived too.
    fn arrived_twice(&mut self, start: u64, end: u64) {
        let twice: SmallVec<[u64; 4]> =
            self.repaired.range(start..end).map(|(&at, _)| at).collect();
        for at in twice {
            let Some(sends) = self.repaired.remove(&at) else {
                continue;
            };
            if let [.., first, last] = sends[..] {
                let (first, last) = (first as usize, last as usize);
                if self.sent[first].fate == Fate::Lost {
                    self.sent[first].fate = Fate::Delivered;
                }
                if self.sent[last].fate == Fate::Unknown {
                    self.sent[last].fate = Fate::Delivered;
                }
                self.sent[last].again = Some(Cause::Spurious);
            }
        }
    }
}
