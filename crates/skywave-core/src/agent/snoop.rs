//! Snoop: an agent at the base station that repairs the wireless losses of TCP by itself.
//!
//! H. Balakrishnan, S. Seshan, E. Amir, R. Katz, *Improving TCP/IP Performance over Wireless Networks*
//! (MobiCom 1995), as the WTCP paper has it (section 5.2): it keeps the segments on their way to the
//! mobile host, sends one again at the very first duplicate ACK, and keeps duplicate ACKs from the
//! sender whose cause it has repaired. It holds no data back and acknowledges nothing itself, so that
//! a connection outlives it.
//!
//! # The caller's contract
//! One machine a connection. [`Snoop::on_data`] for each data segment that passes towards the mobile
//! host, in the order in which they are sent on (all are); [`Snoop::on_ack`] for each segment that
//! comes back, which says whether it is to be sent on, then [`Snoop::poll_transmit`] until `None`;
//! [`Snoop::on_timer`] at or after [`Snoop::next_timer`], then poll again. Where the driver knows of
//! drops by the queue behind the agent, [`Snoop::on_drop`]. Damaged packets pass it by.
//!
//! # Which duplicate ACKs are its own
//! The link behind the agent keeps order. So each segment that was sent after a lost one, and
//! before its repair, can still cause a duplicate ACK, and those are *expected*. One more is not:
//! it shows that the repair is lost too.

mod cache;
mod timer;

use super::{LocalTimeout, ORIGIN};
use crate::packet::{Packet, Segment};
use crate::seq::SeqNr;
use crate::time::Time;

use cache::Cache;
use timer::Timer;

/// Settings of a Snoop agent ([`Snoop`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SnoopConfig {
    /// Number of duplicate ACKs at which the agent sends the missing segment again; earlier duplicate ACKs pass to
    /// the sender. The WTCP paper has 1.
    pub dupacks: u32,
    /// Most segments of one connection that the agent keeps. While it keeps that many, it forwards further segments
    /// without a copy. `None` for no limit, as in the WTCP paper.
    pub cache: Option<u32>,
    /// Whether the agent is part of the queue of the link after it, as the WTCP paper's agent is, and keeps only what
    /// that queue accepts: a drop by the queue is congestion, which the TCP sender has to repair. Otherwise the agent
    /// sits before that queue, as the original one does, and repairs the queue's drops like any other loss.
    pub in_queue: bool,
    /// Timeout after which a kept segment is sent again because no ACK came; `None`, the default, for no timer, since
    /// the WTCP paper mentions none. The original agent has one.
    pub timeout: Option<LocalTimeout>,
}

impl Default for SnoopConfig {
    /// As in the WTCP paper.
    fn default() -> Self {
        Self {
            dupacks: 1,
            cache: None,
            in_queue: true,
            timeout: None,
        }
    }
}

impl SnoopConfig {
    /// Settings of the original agent (Balakrishnan et al., MobiCom 1995): before the queue, with a timer.
    pub fn original() -> Self {
        Self {
            in_queue: false,
            timeout: Some(LocalTimeout::default()),
            ..Self::default()
        }
    }
}

/// Decision of [`Snoop::on_ack`] about a segment from the mobile host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The segment is sent on to the sender.
    Forward,
    /// The segment is dropped: a duplicate ACK whose cause the agent repairs itself.
    Suppress,
}

/// Counters of a Snoop agent, in one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counters {
    /// Segments that the agent has sent again to the mobile host, by duplicate ACKs or by its timer.
    pub retransmits: u64,
    /// Retransmissions that the agent's timer caused; [`Self::retransmits`] counts them too.
    pub timeouts: u64,
    /// Duplicate ACKs that the agent kept from the sender.
    pub suppressed: u64,
}

/// Snoop agent at a base station, for one TCP connection: repairs losses on the way to the mobile host from kept
/// copies, and keeps the duplicate ACKs of these losses from the sender.
#[derive(Clone, Debug)]
pub struct Snoop {
    config: SnoopConfig,
    /// Number of the first data segment's first byte; positions count from [`ORIGIN`] there.
    first: Option<SeqNr>,
    /// The newest acknowledgement and the window with it.
    ack: u64,
    window: Option<u32>,
    cache: Cache,
    /// Number of transmissions to the mobile host, repairs included, needless copies not.
    sent: u64,
    /// Number of the newest transmission that an acknowledgement has answered: all before it
    /// arrived or are lost.
    answered: u64,
    /// Unexpected duplicate ACKs of `ack`, and those yet to be expected.
    dupacks: u64,
    expected: u64,
    /// Copies of what is acknowledged, sent when the count of transmissions was `needless_at`. Each is
    /// answered by an ACK that looks like a duplicate.
    needless: u64,
    needless_at: u64,
    timer: Timer,
    repair: Option<Packet>,
    counters: Counters,
}

impl Snoop {
    /// An agent that has not seen anything yet.
    pub fn new(config: SnoopConfig) -> Self {
        Self {
            config,
            first: None,
            ack: ORIGIN,
            window: None,
            cache: Cache::new(config.cache),
            sent: 0,
            answered: 0,
            dupacks: 0,
            expected: 0,
            needless: 0,
            needless_at: 0,
            timer: Timer::new(config.timeout),
            repair: None,
            counters: Counters::default(),
        }
    }

    /// Takes a packet with a data `segment` that the caller sends on towards the mobile host, and keeps a
    /// copy.
    pub fn on_data(&mut self, now: Time, packet: &Packet, segment: &Segment) {
        if segment.span() == 0 {
            return; // an ACK of the handshake: nothing that could be missing
        }
        let first = *self.first.get_or_insert(segment.seq);
        let Some(start) = segment.seq.expand(first.0, self.ack) else {
            return; // from before the first segment that was seen
        };
        let end = start + segment.span();
        if end <= self.ack {
            // The mobile host has it: the ACK was lost on its way from here to the sender.
            self.needless += 1;
            self.needless_at = self.sent;
            return;
        }
        self.sent += 1;
        self.cache.take(start..end, self.sent, now, packet);
    }

    /// Takes note that the queue behind the agent has dropped `segment`, which has just passed or was just sent
    /// again. Nothing changes unless [`SnoopConfig::in_queue`].
    pub fn on_drop(&mut self, segment: &Segment) {
        let Some(first) = self.first.filter(|_| self.config.in_queue) else {
            return;
        };
        let Some(start) = segment.seq.expand(first.0, self.ack) else {
            return; // from before the first segment that was seen
        };
        let end = start + segment.span();
        if end <= self.ack {
            self.needless = self.needless.saturating_sub(1);
            return;
        }
        let Some((order, was_repair)) = self.cache.dropped(start..end) else {
            return;
        };
        if was_repair {
            // As if it had not been sent: the next duplicate ACK asks for it again.
            (self.dupacks, self.expected) = (0, 0);
        }
        if order == self.sent {
            self.sent -= 1; // it will have no answer
        }
    }

    /// Takes a segment that comes back from the mobile host, and decides whether the caller sends it on.
    #[must_use]
    pub fn on_ack(&mut self, now: Time, segment: &Segment) -> Verdict {
        let Some(first) = self.first else {
            return Verdict::Forward;
        };
        if !segment.is_ack() {
            return Verdict::Forward;
        }
        let Some(ack) = segment.ack.expand(first.0, self.ack) else {
            return Verdict::Forward;
        };
        if ack > self.ack {
            self.on_new_ack(now, ack, segment.window);
            return Verdict::Forward;
        }
        // Older ones pass: a sender ignores them. (The original throws them away.)
        if ack < self.ack {
            return Verdict::Forward;
        }
        let window = self.window.replace(segment.window);
        if window.is_some_and(|window| window != segment.window) {
            return Verdict::Forward;
        }
        let verdict = self.on_dupack(now, reports_duplicate(segment));
        self.counters.suppressed += u64::from(verdict == Verdict::Suppress);
        verdict
    }

    fn on_new_ack(&mut self, now: Time, ack: u64, window: u32) {
        (self.ack, self.window) = (ack, Some(window));
        let freed = self.cache.free_below(ack);
        self.answered = self.answered.max(freed.newest);
        (self.dupacks, self.expected) = (0, 0);
        if self.answered > self.needless_at {
            self.needless = 0;
        }
        self.timer.on_progress(now, freed.sent_at);
    }

    /// The mobile host asks again for what comes at `self.ack`.
    fn on_dupack(&mut self, now: Time, of_duplicate: bool) -> Verdict {
        if of_duplicate || self.needless > 0 {
            self.needless = self.needless.saturating_sub(1);
            return Verdict::Forward;
        }
        let Some(hole) = self.cache.at(self.ack) else {
            return Verdict::Forward; // lost before it came here, or not kept
        };
        if hole.resent {
            return Verdict::Forward; // the sender knows, and counts the duplicate ACKs
        }
        if self.expected > 0 {
            self.expected -= 1;
            return Verdict::Suppress;
        }
        if self.later() == 0 {
            return Verdict::Forward; // nothing was sent after it that could have overtaken it
        }
        self.dupacks += 1;
        if self.dupacks < u64::from(self.config.dupacks) {
            return Verdict::Forward;
        }
        self.send_again(now);
        Verdict::Suppress
    }

    /// Transmissions after the missing segment's last one that can answer with a duplicate ACK, or
    /// have done so.
    fn later(&self) -> u64 {
        let sent = self.cache.at(self.ack).map_or(self.sent, |hole| hole.order);
        self.sent.saturating_sub(sent.max(self.answered))
    }

    /// Sends the missing segment again.
    fn send_again(&mut self, now: Time) {
        let unanswered = self.later().saturating_sub(self.dupacks);
        let Some(hole) = self.cache.at_mut(self.ack) else {
            return;
        };
        self.expected += unanswered;
        self.dupacks = 0;
        self.sent += 1;
        (hole.order_before, hole.order) = (hole.order, self.sent);
        hole.sent_at = now;
        (hole.repaired, hole.repair_is_last) = (true, true);
        self.repair = Some(hole.packet);
        self.counters.retransmits += 1;
    }

    /// Next segment to be sent again towards the mobile host. To be called after every input until it returns `None`.
    #[must_use]
    pub fn poll_transmit(&mut self) -> Option<Packet> {
        self.repair.take()
    }

    /// When [`Self::on_timer`] is due, at once if that is in the past. `None` without a timer, without a round-trip
    /// sample, or if the agent has no copy of the first unacknowledged segment or the sender has sent it again itself.
    pub fn next_timer(&self) -> Option<Time> {
        let hole = self.cache.at(self.ack).filter(|hole| !hole.resent)?;
        self.timer.due(hole.sent_at)
    }

    /// Acts on the timer if it has expired: sends the first unacknowledged segment again.
    pub fn on_timer(&mut self, now: Time) {
        if self.next_timer().is_some_and(|due| due <= now) {
            self.timer.back_off();
            self.counters.timeouts += 1;
            self.send_again(now);
        }
    }

    /// Counters of what the agent has done so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Number of segments that the agent keeps now.
    pub fn cached(&self) -> usize {
        self.cache.len()
    }
}

/// Whether the first SACK block lies below the acknowledgement (RFC 2883): an answer to a second
/// copy, and no sign of a loss.
fn reports_duplicate(segment: &Segment) -> bool {
    let below = |end: SeqNr| segment.ack.0.wrapping_sub(end.0) < 1 << 31;
    segment.sack().first().is_some_and(|block| below(block.end))
}

#[cfg(test)]
mod tests;
