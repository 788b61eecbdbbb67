//! Scoreboard of one end of a connection: what it has sent and not yet heard of, and what the answers tell.

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
    /// Transmissions of the segment, as indices.
    sends: SmallVec<[u32; 2]>,
    /// Timestamp of the first one after the original.
    stamp: Option<u32>,
}

/// A segment that was sent more than once, and has arrived.
#[derive(Clone, Debug)]
struct Repaired {
    sends: SmallVec<[u32; 2]>,
    /// Whether the last is known to be in vain before a duplicate's report.
    is_foreseen: bool,
}

/// The sender's view of one direction of a connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Board {
    pub(super) sent: Vec<Sent>,
    /// Indices of retransmissions in `sent`, each with that of the first transmission of the same segment.
    pub(super) origins: Vec<(u32, u32)>,
    pub(super) bins: Bins,
    /// By the first position of each.
    outstanding: BTreeMap<u64, Outstanding>,
    /// Segments sent more than once that have arrived, by their first position.
    repaired: BTreeMap<u64, Repaired>,
    /// Parts that were sent and are not in the capture: the end of each part, by its first position.
    gaps: BTreeMap<u64, u64>,
    /// Payload bytes of these.
    pub(super) unseen: u64,
    /// The position after the highest that was sent.
    pub(super) highest: u64,
    acked: u64,
    highest_sacked: u64,
    /// Segments that later ones overtook.
    overtaken: u64,
    flight: u64,
    /// Up to here the sender repairs a loss; and what a timeout gave up.
    recovery_until: u64,
    timeout_until: u64,
    /// The sender's timestamp on the packet at hand, and the one that an answer echoes (RFC 7323).
    pub(super) stamp: Option<u32>,
    pub(super) echo: Option<u32>,
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
        let before = self.sent.len();
        if start > self.highest && !self.sent.is_empty() {
            self.gaps.insert(self.highest, start);
            self.unseen += start - self.highest;
        }
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
        let packets = u16::try_from(self.sent.len() - before).unwrap_or(u16::MAX);
        let bin = self.bins.at(at_ns);
        bin.packets = bin.packets.saturating_add(packets);
        bin.sent = bin.sent.saturating_add((end - start) as u32);
        bin.flight = bin.flight.max(flight);
        bin.left = flight;
        bin.is_recovering |= is_recovering;
        self.last_sent_ns = at_ns;
    }

    fn first(&mut self, at_ns: u64, start: u64, end: u64, headers: u64) {
        let index = self.sent.len() as u32;
        self.sent
            .push(Sent::new(at_ns, headers + (end - start), None));
        let sends = SmallVec::from_slice(&[index]);
        let stamp = None;
        self.outstanding
            .insert(start, Outstanding { end, sends, stamp });
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
                self.origins.push((index, segment.sends[0]));
                segment.sends.push(index);
                segment.stamp = segment.stamp.or(self.stamp);
                count += 1;
            }
        }
        if count == 0 {
            // What arrived before is sent again, or nobody knows.
            let bytes = headers + (end - start);
            let gap = self.gaps.range(..end).next_back();
            let is_unseen = gap.is_some_and(|(_, end)| *end > start);
            let cause = (!is_unseen).then_some(Cause::Spurious);
            self.sent.push(Sent::new(at_ns, bytes, cause));
            count = u16::from(!is_unseen);
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
            (first.0 < first.1 && (is_below || is_inside)).then_some(first)
        });
        let before = (self.delivered, self.overtaken);
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
        let is_new = |&&(start, end): &&(u64, u64)| {
            start >= self.acked && end <= self.highest && start < end
        };
        let told: SmallVec<[(u64, u64); 4]> = blocks.iter().filter(is_new).copied().collect();
        for &(start, end) in &told {
            self.take(at_ns, start, end, false);
        }
        let highest = told.iter().map(|(_, end)| *end).max();
        self.highest_sacked = self.highest_sacked.max(highest.unwrap_or(0));
        // The same answer may be the first to tell that it arrived at all.
        if let Some((start, end)) = duplicate {
            self.arrived_twice(start, end);
        }
        self.last_heard_ns = at_ns;
        let delivered = u32::try_from(self.delivered - before.0).unwrap_or(u32::MAX);
        let overtaken = u16::try_from(self.overtaken - before.1).unwrap_or(u16::MAX);
        let is_recovering = self.acked < self.recovery_until;
        let flight = u32::try_from(self.flight).unwrap_or(u32::MAX);
        let bin = self.bins.at(at_ns);
        bin.delivered = bin.delivered.saturating_add(delivered);
        bin.window = u32::try_from(window).unwrap_or(u32::MAX);
        bin.flight = bin.flight.max(flight);
        bin.left = flight;
        bin.overtaken = bin.overtaken.saturating_add(overtaken);
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
        // The last is what a stretched answer answers.
        let last = whole.last().copied();
        for start in whole {
            let is_at_once = is_at_once || Some(start) == last;
            if let Some(segment) = self.outstanding.remove(&start) {
                self.flight -= segment.end - start;
                self.delivered += segment.end - start;
                let echo = self.echo.filter(|_| is_cumulative && start == self.acked);
                let is_original = segment.stamp.zip(echo).is_some_and(is_before);
                self.resolve(at_ns, start, &segment, is_at_once && !waited, is_original);
            }
        }
    }

    /// A segment has arrived: its original, if timestamps tell so (RFC 3522), else what its time tells.
    fn resolve(
        &mut self,
        at_ns: u64,
        start: u64,
        segment: &Outstanding,
        is_at_once: bool,
        is_original: bool,
    ) {
        let [earlier @ .., last] = &segment.sends[..] else {
            return;
        };
        let last_at = self.sent[*last as usize].at_ns;
        let after_s = at_ns.saturating_sub(last_at) as f64 / 1e9;
        let least = self.least_rtt_s.unwrap_or(f64::INFINITY);
        self.overtaken += u64::from(earlier.is_empty() && start < self.highest_sacked);
        let is_too_soon = !earlier.is_empty() && after_s < TOO_SOON * least && least.is_finite();
        let is_in_vain = is_original || is_too_soon;
        for &index in earlier {
            self.sent[index as usize].fate = Fate::Lost;
        }
        if is_in_vain {
            let first = if is_original { 0 } else { earlier.len() - 1 };
            let first = earlier[first] as usize;
            self.sent[first].answer(at_ns, Fate::Delivered);
            self.was_in_vain(*last as usize);
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
            let repaired = Repaired {
                sends: segment.sends.clone(),
                is_foreseen: is_in_vain,
            };
            self.repaired.insert(start, repaired);
        }
    }

    fn sample(&mut self, rtt_s: f64) {
        self.least_rtt_s = Some(self.least_rtt_s.map_or(rtt_s, |least| least.min(rtt_s)));
        let smoothed = self.smoothed_rtt_s.unwrap_or(rtt_s);
        self.smoothed_rtt_s = Some(smoothed + (rtt_s - smoothed) / 8.0);
    }

    /// The receiver tells that it had this already (RFC 2883): of these segments another transmission had arrived.
    fn arrived_twice(&mut self, start: u64, end: u64) {
        let starts: SmallVec<[u64; 4]> =
            self.repaired.range(start..end).map(|(&at, _)| at).collect();
        for start in starts {
            let Some(segment) = self.repaired.get_mut(&start) else {
                continue;
            };
            if std::mem::take(&mut segment.is_foreseen) {
                continue;
            }
            let sends = segment.sends.clone();
            let Some((arrived, in_vain)) = self.twice(&sends) else {
                continue;
            };
            if let Some(arrived) = arrived {
                self.sent[arrived].fate = Fate::Delivered;
            }
            self.was_in_vain(in_vain);
        }
    }

    /// A retransmission turns out to have been needless.
    fn was_in_vain(&mut self, index: usize) {
        let sent = &mut self.sent[index];
        if sent.is_by_timer() {
            // The sender sees that its timer was wrong, and goes on as before (RFC 5682).
            self.timeout_until = 0;
        }
        self.overtaken += u64::from(sent.again == Some(Cause::Dupacks));
        sent.again = Some(Cause::Spurious);
    }

    /// Two transmissions of a segment that arrived twice: the one that did arrive although it had been given up, and the one
    /// that was sent in vain.
    fn twice(&self, sends: &[u32]) -> Option<(Option<usize>, usize)> {
        let sends = || sends.iter().map(|index| *index as usize);
        let in_vain = sends()
            .skip(1)
            .rfind(|&index| self.sent[index].again != Some(Cause::Spurious))?;
        let lost = || sends().filter(|&index| self.sent[index].fate == Fate::Lost);
        // Timers go on until an answer comes: it was what they began with that arrived, and its answer that was lost.
        let is_by_timer = self.sent[in_vain].is_by_timer();
        let arrived = lost()
            .rfind(|&index| !(is_by_timer && self.sent[index].is_by_timer()))
            .or_else(|| lost().next());
        Some((arrived, in_vain))
    }
}

/// Whether a timestamp comes before another, around the wrap.
fn is_before((later, earlier): (u32, u32)) -> bool {
    (later.wrapping_sub(earlier) as i32) > 0
}
