//! Loss-based acknowledgement (Long et al., as in Francis 2012, section 3.2.3): the receiver waits, and then answers for
//! all that has come meanwhile: with an ACK for each segment that is missing, by its number, or with one that all have
//! come.

use super::Receiver;
use crate::packet::{Options, SackBlock};
use crate::ranges::Span;
use crate::seq::SeqNr;
use crate::time::{Duration, Time};

impl Receiver {
    /// A segment came: the answer goes out `wait` after the first one since the last answer.
    pub(super) fn answer_later(&mut self, now: Time, wait: Duration) {
        if self.timer == Time::MAX {
            self.timer = now + wait;
        }
    }

    /// The wait is over.
    pub(super) fn answer_for_all(&mut self) {
        let mut missing = self.missing();
        self.ack_now();
        if missing.is_empty() {
            return;
        }
        let more = missing.len() - 1;
        missing.reverse();
        self.disorder().missing = missing;
        self.acks = self
            .acks
            .saturating_add(u16::try_from(more).unwrap_or(u16::MAX));
    }

    /// Gaps below the highest data received, in pieces of at most a full segment.
    fn missing(&self) -> Vec<Span> {
        let mss = u64::from(self.config.mss);
        let mut segments = Vec::new();
        let mut at = self.next;
        for held in self.held() {
            while at < held.start {
                let end = held.start.min(at + mss);
                segments.push(Span { start: at, end });
                at = end;
            }
            at = held.end;
        }
        segments
    }

    /// The option that names a missing segment.
    pub(super) fn named(&self, missing: Span) -> Options {
        Options::Missing(SackBlock {
            start: SeqNr::at(self.irs, missing.start),
            end: SeqNr::at(self.irs, missing.end),
        })
    }
}
