//! The data receiver: in-order delivery, acknowledgements, SACK and D-SACK.
//!
//! # The caller's contract
//! [`Receiver::on_segment`] for each segment that arrives (a driver drops damaged ones first), then
//! [`Receiver::poll_transmit`] until `None`; [`Receiver::on_timer`] at or after
//! [`Receiver::next_timer`], then poll again. [`Receiver::delivered`] is what the application has
//! got, in order and each byte once.

use std::sync::Arc;

use arrayvec::ArrayVec;

use crate::packet::{Flags, MAX_SACK_BLOCKS, SackBlock, SackBlocks, Segment, Timestamps};
use crate::seq::SeqNr;
use crate::time::Time;

use super::config::{Acking, Handshake, TcpConfig};

/// A TCP data receiver. The application reads at once, so the advertised window is the buffer.
///
/// What segments in order touch lies in the first cache line.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Receiver {
    config: Arc<TcpConfig>,
    /// Next position expected (RCV.NXT).
    next: u64,
    /// Last.ACK.sent and TS.Recent of RFC 7323, the latter below.
    last_ack: u64,
    /// ACKs to be sent now: one at most for each input, which its driver fetches before the next.
    acks: u32,
    /// Segments in order not yet acknowledged, and when the timer for them expires; [`Time::MAX`] while
    /// it does not run.
    unacknowledged: u32,
    timer: Time,
    /// Where the sender's FIN is; `u64::MAX` until it came.
    fin_at: u64,
    peer_timestamp: Time,
    syn_ack: bool,
    /// Nothing is held out of order and nothing is to be reported: all below is empty.
    quiet: bool,
    /// Blocks held out of order, sorted, neither touching nor overlapping.
    held: Vec<Block>,
    /// A duplicate to report (RFC 2883).
    duplicate: Option<Block>,
    /// Held blocks by the time of their last change, newest first (RFC 2018 section 4).
    recent: ArrayVec<u64, MAX_SACK_BLOCKS>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    start: u64,
    end: u64,
}

impl Receiver {
    /// A listening receiver.
    pub fn new(config: impl Into<Arc<TcpConfig>>) -> Self {
        Self {
            config: config.into(),
            next: 0,
            held: Vec::new(),
            recent: ArrayVec::new(),
            duplicate: None,
            unacknowledged: 0,
            timer: Time::MAX,
            acks: 0,
            syn_ack: false,
            quiet: true,
            fin_at: u64::MAX,
            last_ack: 0,
            peer_timestamp: Time::ZERO,
        }
    }

    /// A segment from the data sender arrived.
    #[inline]
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        let start = segment.seq.expand(self.config.iss, self.next);
        let end = start + segment.span();
        if end == start {
            return; // nothing in it
        }
        if end > self.next + u64::from(self.config.rwnd) {
            // Beyond the window: dropped, but the sender is told where it stands (RFC 9293
            // section 3.10.7.4).
            self.ack_now();
            return;
        }
        if segment.flags.syn {
            self.syn_ack = true;
        }
        if segment.flags.fin {
            self.fin_at = end - 1;
        }
        // RFC 7323 section 4.3: echo the oldest segment that the next ACK covers, so that a delayed
        // ACK's delay is part of the round trip, and never one older than was echoed before.
        if let Some(timestamps) = segment.timestamps
            && start <= self.last_ack
            && { timestamps.value } >= self.peer_timestamp
        {
            self.peer_timestamp = timestamps.value;
        }
        let in_order = start <= self.next && end > self.next;
        if in_order && self.quiet {
            self.next = end;
            self.schedule_ack(now, !segment.flags.syn);
        } else {
            let plain = in_order && self.held.is_empty() && !segment.flags.syn;
            self.take_out_of_order(start, end);
            self.schedule_ack(now, plain);
        }
    }

    /// A segment that is out of order, known already, or in order while others wait behind holes or a
    /// report is due.
    #[inline(never)]
    fn take_out_of_order(&mut self, start: u64, end: u64) {
        if end <= self.next {
            self.duplicate = Some(Block { start, end });
        } else if let Some(held) = self.holding(start, end) {
            self.duplicate = Some(Block { start, end });
            self.report_first(held);
        } else if start <= self.next {
            self.next = end;
            self.join_held();
        } else {
            self.hold(start, end);
        }
        self.note_quiet();
    }

    fn note_quiet(&mut self) {
        self.quiet = self.held.is_empty() && self.recent.is_empty() && self.duplicate.is_none();
    }

    /// The delayed-ACK timer expired, if it did.
    pub fn on_timer(&mut self, now: Time) {
        if self.timer < Time::MAX && self.timer <= now {
            self.ack_now();
        }
    }

    /// When [`Self::on_timer`] is due.
    #[inline]
    pub fn next_timer(&self) -> Option<Time> {
        Some(self.timer).filter(|&at| at < Time::MAX)
    }

    /// As [`Self::next_timer`], with [`Time::MAX`] for `None`.
    #[inline]
    pub fn due(&self) -> Time {
        self.timer
    }

    /// The next ACK to put on the wire. Call until `None` after every input.
    #[must_use]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        self.poll_ack().then(|| self.ack::<true>(now))
    }

    /// The first half of [`Self::poll_transmit`], for drivers that care where the segment is made:
    /// whether [`Self::ack`] is to be called, the second half.
    #[must_use]
    #[inline(always)]
    pub fn poll_ack(&mut self) -> bool {
        if self.acks == 0 {
            return false;
        }
        self.acks -= 1;
        self.last_ack = self.next;
        true
    }

    /// Whether the next ACK may report blocks.
    #[inline(always)]
    pub fn has_news(&self) -> bool {
        !self.quiet
    }

    /// The ACK that [`Self::poll_ack`] has announced; `NEWS` if it [has news](Self::has_news).
    #[inline(always)]
    pub fn ack<const NEWS: bool>(&mut self, now: Time) -> Segment {
        Segment {
            ack: SeqNr::at(self.config.iss, self.next),
            window: self.config.rwnd,
            flags: Flags {
                ack: true,
                syn: std::mem::take(&mut self.syn_ack)
                    && self.config.handshake == Handshake::ThreeWay,
                fin: false,
            },
            sack: if NEWS {
                self.report_blocks()
            } else {
                SackBlocks::None
            },
            timestamps: self.config.timestamps.then_some(Timestamps {
                value: now,
                echo: self.peer_timestamp,
            }),
            ..Segment::default()
        }
    }

    /// Payload bytes delivered to the application, in order.
    #[inline]
    pub fn delivered(&self) -> u64 {
        let syn = self.config.handshake.span().min(self.next);
        let fin = u64::from(self.is_finished());
        self.next - syn - fin
    }

    /// It has the segment that begins at `position`, in order or not.
    pub fn has(&self, position: u64) -> bool {
        let mut held = self.held.iter();
        position < self.next || held.any(|b| b.start <= position && position < b.end)
    }

    /// Next position expected.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// The sender's FIN has arrived, and everything before it.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.next > self.fin_at
    }

    /// The held block that contains `start..end`.
    fn holding(&self, start: u64, end: u64) -> Option<Block> {
        let mut held = self.held.iter();
        held.find(|b| b.start <= start && end <= b.end).copied()
    }

    /// Delivers held blocks that the new left edge has reached.
    fn join_held(&mut self) {
        while let Some(first) = self.held.first()
            && first.start <= self.next
        {
            self.next = self.next.max(first.end);
            self.held.remove(0);
        }
    }

    /// Stores an out-of-order block, merged with its neighbours.
    fn hold(&mut self, start: u64, end: u64) {
        let from = self.held.partition_point(|b| b.end < start);
        let to = self.held.partition_point(|b| b.start <= end);
        let merged = self.held[from..to]
            .iter()
            .fold(Block { start, end }, |m, b| Block {
                start: m.start.min(b.start),
                end: m.end.max(b.end),
            });
        self.held.splice(from..to, [merged]);
        self.report_first(merged);
    }

    /// RFC 2018 section 4: the block with the segment that triggers an ACK comes first in it.
    fn report_first(&mut self, block: Block) {
        if !self.config.sack {
            return;
        }
        self.recent.retain(|s| *s < block.start || *s >= block.end);
        if self.recent.is_full() {
            self.recent.pop();
        }
        self.recent.insert(0, block.start);
    }

    #[inline]
    fn schedule_ack(&mut self, now: Time, plain: bool) {
        match self.config.acking {
            Acking::Delayed { every, timeout } if plain => {
                self.unacknowledged += 1;
                if self.unacknowledged >= every || self.is_finished() {
                    self.ack_now();
                } else if self.timer == Time::MAX {
                    self.timer = now + timeout;
                }
            }
            _ => self.ack_now(),
        }
    }

    #[inline]
    fn ack_now(&mut self) {
        self.acks += 1;
        self.unacknowledged = 0;
        self.timer = Time::MAX;
    }

    /// D-SACK first, then the block changed last, then older ones (RFC 2018, RFC 2883).
    #[inline(never)]
    fn report_blocks(&mut self) -> SackBlocks {
        let duplicate = self.duplicate.take();
        let blocks = if self.config.sack {
            self.blocks(duplicate)
        } else {
            SackBlocks::None
        };
        self.note_quiet();
        blocks
    }

    fn blocks(&mut self, duplicate: Option<Block>) -> SackBlocks {
        let mut blocks = SackBlocks::None;
        let room = MAX_SACK_BLOCKS - usize::from(self.config.timestamps);
        let iss = self.config.iss;
        let wire = |b: Block| SackBlock {
            start: SeqNr::at(iss, b.start),
            end: SeqNr::at(iss, b.end),
        };
        if self.config.dsack
            && let Some(duplicate) = duplicate
        {
            blocks.push(wire(duplicate));
        }
        let next = self.next;
        self.recent.retain(|start| *start > next);
        for start in &self.recent {
            if blocks.len() == room {
                break;
            }
            if let Ok(index) = self.held.binary_search_by_key(start, |b| b.start) {
                blocks.push(wire(self.held[index]));
            }
        }
        blocks
    }
}

#[cfg(test)]
mod tests;
