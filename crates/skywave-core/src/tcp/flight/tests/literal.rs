//! The flight as the RFCs describe it: a list of segments, and a walk over all of them for every question.

use super::super::delivery::Report;
use super::super::{Delivery, Kept, Sent, SentBefore};
use crate::time::Time;

/// The simple form of [`Flight`](super::Flight): the same answers, more slowly.
#[derive(Clone, Debug, Default)]
pub(super) struct Literal {
    pub(super) una: u64,
    pub(super) nxt: u64,
    pub(super) max: u64,
    pub(super) segments: Vec<Sent>,
    pub(super) highest_sacked: u64,
    pub(super) delivery: Delivery,
}

fn deliver(delivery: &mut Delivery, sent: &Sent) {
    let mut kept = Kept::new(sent.start, sent.end, sent.first_sent);
    for _ in 1..sent.transmissions {
        kept.send_again(sent.last_sent);
    }
    // No ACK here echoes a time, so that either report will do.
    delivery.take(0, &kept, Report::Sack);
}

impl Literal {
    pub(super) fn bytes(&self, counts: impl Fn(&Sent) -> bool) -> u64 {
        let counted = self.segments.iter().filter(|s| counts(s));
        counted.map(Sent::len).sum()
    }

    /// RFC 6675 section 4.
    pub(super) fn pipe(&self) -> u64 {
        let outstanding = self.max - self.una;
        outstanding - self.bytes(|s| s.sacked) - self.bytes(|s| s.lost) + self.bytes(|s| s.doubled)
    }

    pub(super) fn send_new(&mut self, end: u64, now: Time) {
        self.segments.push(Sent {
            start: self.nxt,
            end,
            first_sent: now,
            last_sent: now,
            transmissions: 1,
            sacked: false,
            lost: false,
            resent: false,
            doubled: false,
        });
        self.nxt = end;
        self.max = end;
    }

    pub(super) fn send_again(&mut self, position: u64, now: Time) {
        let mut segments = self.segments.iter_mut();
        let Some(segment) = segments.find(|s| s.start <= position && position < s.end) else {
            return;
        };
        segment.last_sent = now;
        segment.transmissions += 1;
        segment.resent = true;
        if segment.lost {
            segment.lost = false;
        } else if self.nxt > segment.start {
            segment.doubled = true;
        }
        if self.nxt == segment.start {
            self.nxt = segment.end;
        }
    }

    pub(super) fn mark_first_lost(&mut self) {
        if let Some(first) = self.segments.first_mut() {
            first.lost = !first.sacked;
        }
    }

    /// `IsLost` of RFC 6675 section 4, evaluated from the last segment down.
    pub(super) fn lost_below(&self, mss: u32, threshold: u32) -> u64 {
        let enough = u64::from(threshold.saturating_sub(1)) * u64::from(mss);
        let (mut above, mut blocks, mut in_block) = (0, 0, false);
        for segment in self.segments.iter().rev() {
            if above > enough || blocks == threshold {
                return segment.end;
            }
            if segment.sacked {
                above += segment.len();
                blocks += u32::from(!in_block);
            }
            in_block = segment.sacked;
        }
        self.una
    }

    pub(super) fn mark_lost_below(&mut self, edge: u64) {
        let below = self.segments.iter_mut().filter(|s| s.end <= edge);
        for segment in below.filter(|s| !s.sacked && !s.lost) {
            if segment.resent {
                segment.doubled = false;
            } else {
                segment.lost = true;
            }
        }
    }

    pub(super) fn next_lost(&self) -> Option<Sent> {
        self.segments.iter().find(|s| s.lost).copied()
    }

    pub(super) fn next_hole(&self) -> Option<Sent> {
        let mut reported = self
            .segments
            .iter()
            .filter(|s| s.end <= self.highest_sacked);
        reported.find(|s| !s.sacked && !s.resent).copied()
    }

    pub(super) fn last_hole_below(&self, edge: u64) -> Option<Sent> {
        let mut below = self.segments.iter().rev().filter(|s| s.end <= edge);
        below.find(|s| !s.sacked).copied()
    }

    pub(super) fn end_recovery(&mut self) {
        for segment in &mut self.segments {
            (segment.lost, segment.resent, segment.doubled) = (false, false, false);
        }
    }

    pub(super) fn rewind(&mut self) {
        self.end_recovery();
        if let Some(first) = self.segments.first_mut() {
            first.sacked = false;
        }
        self.nxt = self.una;
    }

    pub(super) fn skip_sacked(&mut self) {
        let at = |nxt| self.segments.iter().find(move |s| s.start == nxt);
        while let Some(segment) = at(self.nxt).filter(|s| s.sacked) {
            self.nxt = segment.end;
        }
    }

    pub(super) fn clear_sacked(&mut self) {
        self.highest_sacked = 0;
        for segment in &mut self.segments {
            segment.sacked = false;
        }
    }

    /// Returns the number of bytes of a block that had been reported before.
    pub(super) fn acknowledge(&mut self, ack: u64) -> u64 {
        let mut sacked_before = 0;
        for segment in self.segments.iter_mut().filter(|s| s.start < ack) {
            if segment.sacked {
                sacked_before += segment.end.min(ack) - segment.start;
            } else if segment.end <= ack {
                deliver(&mut self.delivery, segment);
            }
            segment.start = ack;
        }
        self.segments.retain(|s| s.end > ack);
        self.una = ack;
        self.nxt = self.nxt.max(ack);
        sacked_before
    }

    /// Returns the number of bytes that are reported for the first time.
    pub(super) fn sack(&mut self, start: u64, end: u64) -> u64 {
        if start >= end || end <= self.una || end > self.max {
            return 0;
        }
        let mut fresh = 0;
        let whole = |s: &&mut Sent| start.max(self.una) <= s.start && s.end <= end;
        for segment in self.segments.iter_mut().filter(whole).filter(|s| !s.sacked) {
            deliver(&mut self.delivery, segment);
            fresh += segment.len();
            (segment.sacked, segment.lost, segment.doubled) = (true, false, false);
        }
        self.highest_sacked = self.highest_sacked.max(end);
        fresh
    }

    /// The segments that `rule` judges lost now, or will when their time has passed.
    fn judged(&self, rule: SentBefore) -> impl Iterator<Item = &Sent> {
        let sent = self.segments.iter().filter(|s| s.end <= self.nxt);
        sent.filter(move |s| !s.sacked && !s.lost && rule.precedes(s.last_sent, s.end))
    }

    /// RFC 8985 section 6.2, step 5.
    pub(super) fn judge(&self, rule: SentBefore) -> (bool, Option<Time>) {
        let due = || self.judged(rule).map(|s| rule.due(s.last_sent));
        (
            due().any(|due| due <= rule.now),
            due().filter(|due| *due > rule.now).max(),
        )
    }

    pub(super) fn mark_sent_before(&mut self, rule: SentBefore) {
        let lost: Vec<u64> = self
            .judged(rule)
            .filter(|s| rule.covers(s))
            .map(|s| s.start)
            .collect();
        for segment in &mut self.segments {
            if lost.contains(&segment.start) {
                (segment.lost, segment.doubled) = (true, false);
            }
        }
    }
}
