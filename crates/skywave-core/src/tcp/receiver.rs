//! The data receiver: in-order delivery, acknowledgements, SACK and D-SACK.
//!
//! # The caller's contract
//! [`Receiver::on_packet`] for each segment that arrives (a driver drops damaged ones first), or
//! [`Receiver::on_segment`] if the ends use nothing that a packet carries beside it, then
//! [`Receiver::poll_transmit`] until `None`; [`Receiver::on_timer`] at or after
//! [`Receiver::next_timer`], then poll again. [`Receiver::delivered`] is what the application has
//! got, in order and each byte once.

mod buffer;
mod indicator;
mod missing;
mod schedule;

use std::mem::offset_of;
use std::ops::Range;
use std::sync::Arc;

use arrayvec::ArrayVec;

use crate::packet::{
    Ecn, Flags, Hints, MAX_SACK_BLOCKS, Marks, Options, SackBlock, Segment, Timestamps, Way,
};
use crate::ranges::{Ranges, Span};
use crate::seq::SeqNr;
use crate::time::Time;

use super::config::{Handshake, TcpConfig};
use indicator::Indicator;
use schedule::Dupacks;

/// TCP data receiver. The application reads at once, so the advertised window is always the whole buffer.
///
/// The fields that in-order segments touch come first, and fit into one cache line if the receiver begins at a line's
/// start.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Receiver {
    config: Arc<TcpConfig>,
    /// Next position expected (RCV.NXT).
    next: u64,
    /// Last.ACK.sent and TS.Recent of RFC 7323, the latter below.
    last_ack: u64,
    /// ACKs to be sent now: one at most for each input, which its driver fetches before the next.
    acks: u16,
    /// Whether nothing is out of order or waits to be reported: there is no [`Disorder`].
    quiet: bool,
    /// Control bits of the next ACK: SYN once after a SYN, ECE from a mark until the sender answers.
    answer: Flags,
    /// Segments in order not yet acknowledged, and when the timer for them expires; [`Time::MAX`] while
    /// it does not run.
    unacknowledged: u32,
    timer: Time,
    /// Where the sender's FIN is; `u64::MAX` until it came.
    fin_at: u64,
    peer_timestamp: Time,
    /// The initial sequence number of the sender's data.
    irs: u32,
    /// Hints of the next ACK about the way of the latest data.
    hints: Hints,
    /// As [`Self::tells_way`].
    tells_way: bool,
    /// `None` while data comes in order, as it mostly does: so a receiver is small.
    disorder: Option<Box<Disorder>>,
}

/// The state of a receiver that holds data out of order, or has a duplicate or a mark to report.
#[derive(Clone, Debug, Default)]
struct Disorder {
    /// Blocks held out of order.
    held: Ranges,
    /// A duplicate to report (RFC 2883).
    duplicate: Option<Span>,
    /// Held blocks by the time of their last change, newest first (RFC 2018 section 4). The part of
    /// them below the next position expected is no longer held.
    recent: ArrayVec<Span, MAX_SACK_BLOCKS>,
    /// First positions of blocks before which a channel lost data; few at any time.
    after_eln: Vec<u64>,
    /// The next ACK is one that was held back when marks began or ended: it acknowledges up to here, with the
    /// echo of before.
    earlier: Option<u64>,
    /// Duplicate ACKs that are kept back.
    dupacks: Dupacks,
    /// Segments that the next ACKs name, the first one last.
    missing: Vec<Span>,
    /// Contention indicator: only where the sender asks for it, and then always there.
    indicator: Option<Box<Indicator>>,
}

impl Disorder {
    /// Whether nothing is out of order or to be reported; no position after which a channel lost data matters then.
    fn is_over(&self) -> bool {
        self.held.is_empty()
            && self.recent.is_empty()
            && self.duplicate.is_none()
            && self.earlier.is_none()
            && self.missing.is_empty()
            && self.indicator.is_none()
    }

    /// RFC 2018 section 4: the block with the segment that triggers an ACK comes first in it.
    fn report_first(&mut self, block: Span) {
        self.recent.retain(|b| !block.covers(*b));
        if self.recent.is_full() {
            self.recent.pop();
        }
        self.recent.insert(0, block);
    }

    /// As [`Self::report_first`], for the last block, which a segment after its end has made longer. Saves 2 % of the
    /// instructions of SACK with 5,000 segments in flight.
    #[inline]
    fn report_longer(&mut self, block: Span) {
        match self.recent.first_mut() {
            Some(first) if first.start == block.start => *first = block,
            _ => self.report_first(block),
        }
    }
}

impl Receiver {
    /// Bytes that a segment in order touches.
    pub(crate) const DATA_TOUCHES: Range<usize> = 0..offset_of!(Receiver, disorder);

    /// A listening receiver of a sender with the same initial sequence number, [`TcpConfig::iss`].
    pub fn new(config: impl Into<Arc<TcpConfig>>) -> Self {
        let config = config.into();
        let irs = config.iss;
        Self::of_peer(config, irs)
    }

    /// A listening receiver, of a sender that begins with the initial sequence number `irs`.
    pub fn of_peer(config: impl Into<Arc<TcpConfig>>, irs: u32) -> Self {
        let config = config.into();
        let indicator = config.composition.congestion.indicator();
        let disorder = indicator.map(|heavy| {
            Box::new(Disorder {
                indicator: Some(Box::new(Indicator::new(heavy))),
                ..Disorder::default()
            })
        });
        Self {
            quiet: disorder.is_none(),
            disorder,
            tells_way: config.ecn || config.eln || config.hints,
            config,
            irs,
            next: 0,
            unacknowledged: 0,
            timer: Time::MAX,
            acks: 0,
            answer: Flags::ACK,
            hints: Hints::NONE,
            fin_at: u64::MAX,
            last_ack: 0,
            peer_timestamp: Time::ZERO,
        }
    }

    /// Takes a segment from the data sender, without marks and ECN field of its packet: [`Self::on_packet`] takes them.
    #[inline(always)] // the engine's one call a packet; by itself it is too large for LLVM, 1 to 2 % of instructions
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        let Some(start) = segment.seq.expand(self.irs, self.next) else {
            if segment.span() > 0 {
                // From before the initial sequence number: dropped, but its sender is told as below.
                self.ack_now();
            }
            return;
        };
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
        if segment.flags != Flags::ACK {
            self.take_flags(segment.flags, end);
        }
        self.take_timestamp(start, segment);
        let in_order = start <= self.next && end > self.next;
        // One that has come in part is reported (RFC 2883 section 4).
        let in_order = in_order && (start == self.next || !self.config.dsack);
        if in_order && self.quiet {
            // Saves 15 % of the instructions of 24 flows.
            self.next = end;
            self.schedule_ack(now, segment, !segment.is_syn());
        } else {
            self.take_delay(now, segment);
            let plain = in_order && self.held().next().is_none() && !segment.is_syn();
            let before = self.next;
            // A SYN that comes twice is no data to report, and its answer has no room for it.
            if !segment.is_syn() || in_order {
                self.take_out_of_order(start, end);
            }
            if self.next == before {
                self.schedule_dupack(now, start);
            } else {
                self.schedule_ack(now, segment, plain);
            }
        }
    }

    /// The delay of a segment, for the sender that wants to know what becomes of it.
    fn take_delay(&mut self, now: Time, segment: &Segment) {
        let disorder = self.disorder.as_mut();
        let indicator = disorder.and_then(|disorder| disorder.indicator.as_mut());
        if let (Some(indicator), Some(timestamps)) = (indicator, segment.timestamps) {
            let came = self.config.receiver_reads(now);
            indicator.on_segment(self.config.one_way(timestamps.value, came));
        }
    }

    /// Takes a segment from the data sender; `way` has marks, ECN field and contention that its packet met.
    pub fn on_packet(&mut self, now: Time, segment: &Segment, way: Way) {
        let changed = self.config.exact_echo && self.follow_marks(way.ecn == Ecn::Ce);
        let due = self.acks;
        self.on_segment(now, segment);
        if changed && self.acks == due {
            self.ack_now();
        }
        self.on_way(segment, way);
    }

    /// RFC 8257 section 3.2: where marks begin and end, an ACK that is held back goes out as it would have
    /// before. Whether this is such a place.
    fn follow_marks(&mut self, marked: bool) -> bool {
        if self.answer.contains(Flags::ECE) == marked {
            return false;
        }
        if self.unacknowledged > 0 {
            let next = self.next;
            self.disorder().earlier = Some(next);
            self.ack_now();
        }
        self.answer.toggle(Flags::ECE);
        true
    }

    /// Takes what the way of the segment that was [taken last](Self::on_segment) has written on its
    /// packet.
    #[inline]
    fn on_way(&mut self, segment: &Segment, way: Way) {
        if !way.is_plain() || !self.hints.is_none() {
            self.take_way(segment, way);
        }
    }

    #[cold]
    fn take_way(&mut self, segment: &Segment, way: Way) {
        if way.ecn == Ecn::Ce && !self.config.exact_echo {
            self.answer |= Flags::ECE;
        }
        self.hints.contention = way.contention;
        let warning = way.marks & Marks::CONGESTION_WARNING;
        self.hints.marks |= warning;
        if way.marks.contains(Marks::ELN) {
            // The packet before this one was lost by a channel: so was what is missing before this one.
            let start = segment.seq.expand(self.irs, self.next);
            let next = self.next;
            if let Some(disorder) = &mut self.disorder {
                disorder.after_eln.retain(|&edge| edge > next);
                let held = disorder.held.iter().find(|held| Some(held.start) == start);
                disorder.after_eln.extend(held.map(|held| held.start));
            }
        }
    }

    /// A segment has other control bits than a plain one; `end` is the first position after it.
    #[cold]
    fn take_flags(&mut self, flags: Flags, end: u64) {
        if flags.contains(Flags::SYN) && self.config.handshake == Handshake::ThreeWay {
            self.answer |= Flags::SYN;
        }
        if flags.contains(Flags::FIN) {
            self.fin_at = end - 1;
        }
        if flags.contains(Flags::CWR) {
            if !self.config.exact_echo {
                self.answer -= Flags::ECE;
            }
            self.hints.marks -= Marks::CONGESTION_WARNING;
        }
    }

    /// RFC 7323 section 4.3: echo the oldest segment that the next ACK covers, so that a delayed ACK's
    /// delay is part of the round trip, and never one older than was echoed before.
    #[inline(always)]
    fn take_timestamp(&mut self, start: u64, segment: &Segment) {
        if let Some(timestamps) = segment.timestamps
            && start <= self.last_ack
            && { timestamps.value } >= self.peer_timestamp
        {
            self.peer_timestamp = timestamps.value;
        }
    }

    /// A segment that is out of order, known already, or in order while blocks above holes are held
    /// or a report is due.
    #[inline(never)]
    fn take_out_of_order(&mut self, start: u64, end: u64) {
        let segment = Span { start, end };
        let (next, reports, parts) = (self.next, self.config.sack, self.config.dsack);
        let disorder = self.disorder();
        // Saves 6 % of the instructions of SACK with 5,000 segments in flight, 2 % of those of one flow.
        if start > next
            && let Some(held) = disorder.held.extend_last(segment)
        {
            if reports {
                disorder.report_longer(held);
            }
            return;
        }
        // The first part of it that has come before (RFC 2883 section 4).
        if parts {
            let duplicate = if start < next {
                let end = end.min(next);
                Some(Span { start, end })
            } else {
                disorder.held.first_part(segment)
            };
            disorder.duplicate = duplicate.or(disorder.duplicate);
        }
        let changed = if end <= next {
            disorder.duplicate = Some(segment);
            None
        } else if let Some(held) = disorder.held.covering(segment) {
            disorder.duplicate = Some(segment);
            Some(held)
        } else if start <= next {
            // A block that it reaches is delivered with it.
            let next = disorder.held.at(end).map_or(end, |held| held.end);
            disorder.held.remove_below(next);
            self.next = next;
            None
        } else {
            Some(disorder.held.insert(segment))
        };
        if let (Some(held), Some(disorder)) = (changed.filter(|_| reports), &mut self.disorder) {
            disorder.report_first(held);
        }
        self.note_quiet();
    }

    /// The receiver's [`Disorder`], created if there is none.
    fn disorder(&mut self) -> &mut Disorder {
        self.quiet = false;
        self.disorder.get_or_insert_default()
    }

    fn note_quiet(&mut self) {
        self.disorder.take_if(|disorder| disorder.is_over());
        self.quiet = self.disorder.is_none();
    }

    /// The blocks held out of order.
    fn held(&self) -> impl DoubleEndedIterator<Item = Span> {
        self.disorder
            .iter()
            .flat_map(|disorder| disorder.held.iter())
    }

    /// When [`Self::on_timer`] is due; `None` while no ACK is kept back.
    #[inline]
    pub fn next_timer(&self) -> Option<Time> {
        Some(self.timer).filter(|&at| at < Time::MAX)
    }

    /// When [`Self::on_timer`] is due; [`Time::MAX`] if never. For a [driver](crate::driver) of many flows.
    #[inline]
    pub fn due(&self) -> Time {
        self.timer
    }

    /// The next ACK to put on the wire. Call until `None` after every input.
    #[must_use]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        self.poll_ack().then(|| self.ack::<true>(now))
    }

    /// Whether an ACK is to be sent now: the first half of [`Self::poll_transmit`]. If true, [`Self::ack`], the second
    /// half, is to be called. For a [driver](crate::driver) that builds ACKs in place.
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

    /// Whether the next ACK may report more than the cumulative acknowledgement, as by SACK blocks.
    #[inline(always)]
    pub fn has_news(&self) -> bool {
        !self.quiet
    }

    /// An acknowledgement that goes out whether or not one is due, alone or on a segment with data:
    /// none is due after it.
    pub(super) fn acknowledge(&mut self, now: Time) -> Segment {
        self.acks = 0;
        if let Some(disorder) = &mut self.disorder {
            disorder.earlier = None; // this one covers it
        }
        self.unacknowledged = 0;
        self.timer = Time::MAX;
        self.last_ack = self.next;
        self.ack::<true>(now)
    }

    /// Builds the ACK that [`Self::poll_ack`] has announced. `NEWS` must be true where [`Self::has_news`] is; false
    /// leaves out the code for SACK blocks, which saves 3 % of the instructions of 24 flows.
    #[inline(always)]
    pub fn ack<const NEWS: bool>(&mut self, now: Time) -> Segment {
        if NEWS && let Some(next) = self.disorder.as_mut().and_then(|d| d.earlier.take()) {
            return self.ack_of_before(now, next);
        }
        Segment {
            ack: SeqNr::at(self.irs, self.next),
            window: self.config.rwnd,
            flags: self.ack_flags(),
            hints: if NEWS
                && self
                    .disorder
                    .as_ref()
                    .is_some_and(|d| !d.after_eln.is_empty() || d.indicator.is_some())
            {
                self.hints_of_disorder()
            } else {
                self.hints
            },
            options: if NEWS {
                self.report_blocks()
            } else {
                Options::None
            },
            timestamps: self.config.timestamps.then(|| Timestamps {
                value: self.config.receiver_reads(now),
                echo: self.peer_timestamp,
            }),
            ..Segment::default()
        }
    }

    /// The ACK that was held back when marks began or ended, before the segment that told so.
    #[cold]
    fn ack_of_before(&mut self, now: Time, next: u64) -> Segment {
        self.note_quiet();
        let mut ack = Segment {
            ack: SeqNr::at(self.irs, next),
            options: Options::None,
            ..self.ack::<false>(now)
        };
        ack.flags.toggle(Flags::ECE);
        ack
    }

    #[inline(always)]
    fn ack_flags(&mut self) -> Flags {
        let flags = self.answer;
        self.answer -= Flags::SYN;
        flags
    }

    /// The hints of an ACK while something is held out of order.
    fn hints_of_disorder(&self) -> Hints {
        let mut hints = self.hints;
        let first = self.held().next();
        let disorder = self.disorder.as_ref();
        let after_eln = disorder.map_or(&[][..], |disorder| &disorder.after_eln);
        let eln = first.is_some_and(|block| after_eln.contains(&block.start));
        hints.marks.set(Marks::ELN, eln);
        if let Some(indicator) = disorder.and_then(|disorder| disorder.indicator.as_ref())
            && first.is_some()
        {
            hints.marks |= indicator.marks();
        }
        hints
    }

    /// Whether ACKs echo what the path has noted on data packets: ECN marks, loss notifications or hints.
    #[inline]
    pub fn tells_way(&self) -> bool {
        self.tells_way
    }

    /// Payload bytes delivered to the application, in order, since the connection began.
    #[inline]
    pub fn delivered(&self) -> u64 {
        let syn = self.config.handshake.span().min(self.next);
        let fin = u64::from(self.is_finished());
        self.next - syn - fin
    }

    /// Payload bytes that have arrived out of order and wait for missing data before them.
    pub fn out_of_order(&self) -> u64 {
        let held: u64 = self.held().map(|block| block.end - block.start).sum();
        let fin = self
            .fin_at()
            .is_some_and(|at| at >= self.next && self.has(at));
        held - u64::from(fin)
    }

    /// Whether the data at `position`, counted from the initial sequence number, has arrived, in order or not.
    pub fn has(&self, position: u64) -> bool {
        position < self.next
            || (self.disorder.as_ref()).is_some_and(|d| d.held.at(position).is_some())
    }

    /// Next position expected (RCV.NXT), counted from the initial sequence number: everything below has arrived.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Whether the sender's FIN has arrived, and everything before it.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.next > self.fin_at
    }

    /// The initial sequence number of the sender's data.
    pub fn irs(&self) -> u32 {
        self.irs
    }

    /// Position of the sender's FIN, if one came, in order or not.
    pub(super) fn fin_at(&self) -> Option<u64> {
        Some(self.fin_at).filter(|&at| at < u64::MAX)
    }

    /// End of everything that came, in order or not.
    pub(super) fn end(&self) -> u64 {
        self.held().next_back().map_or(self.next, |last| last.end)
    }

    /// The newest timestamp that may be echoed (TS.Recent of RFC 7323).
    pub fn recent_timestamp(&self) -> Time {
        self.peer_timestamp
    }

    /// A segment without payload, which takes no sequence number, came in order: its timestamp.
    pub(super) fn on_empty(&mut self, segment: &Segment) {
        if let Some(start) = segment.seq.expand(self.irs, self.next) {
            self.take_timestamp(start, segment);
        }
    }

    /// D-SACK first, then the block changed last, then older ones (RFC 2018, RFC 2883).
    #[inline(never)]
    fn report_blocks(&mut self) -> Options {
        let Some(mut disorder) = self.disorder.take() else {
            return Options::None;
        };
        let duplicate = disorder.duplicate.take();
        let blocks = if let Some(missing) = disorder.missing.pop() {
            self.named(missing)
        } else if self.config.sack {
            self.blocks(&mut disorder, duplicate)
        } else {
            Options::None
        };
        self.disorder = Some(disorder);
        self.note_quiet();
        blocks
    }

    fn blocks(&self, disorder: &mut Disorder, duplicate: Option<Span>) -> Options {
        let mut blocks = Options::None;
        let room = MAX_SACK_BLOCKS - usize::from(self.config.timestamps);
        let irs = self.irs;
        let wire = |b: Span| SackBlock {
            start: SeqNr::at(irs, b.start),
            end: SeqNr::at(irs, b.end),
        };
        if self.config.dsack
            && let Some(duplicate) = duplicate
        {
            blocks.push_sack(wire(duplicate));
        }
        let next = self.next;
        if disorder.recent.iter().any(|block| block.start <= next) {
            disorder.recent.retain(|block| block.start > next);
        }
        let left = room - blocks.sack().len();
        for block in disorder.recent.iter().take(left) {
            blocks.push_sack(wire(*block));
        }
        blocks
    }
}

#[cfg(test)]
mod tests;
