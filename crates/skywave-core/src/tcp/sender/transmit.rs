//! Choice of what goes on the wire next: lost segments first, then the segment at `nxt`.
//!
//! Why a sender does not send is recorded here, where it is decided (`choose` and, for a plain sender,
//! `choose_plain`): each refusal carries its `Limit`, and time is added up only when the limit changes.

use std::ops::Range;

use super::{Resend, Sender, State, Timed, Why};
use crate::packet::{Ecn, Flags, Marks, Options, Segment, Timestamps};
use crate::seq::SeqNr;
use crate::tcp::detection::{Allowance, LossRule, Sending};
use crate::tcp::limits::Limit;
use crate::tcp::recovery::LossRecovery;
use crate::tcp::resends::Earned;
use crate::tcp::timeout::TimeoutPolicy;
use crate::tcp::window::IdleEvent;
use crate::time::Time;
use crate::units::Segments;

/// Decision of [`Sender::choose`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// The segment at this position, again.
    Again(u64, Why),
    /// New data (or SYN or FIN) up to this position.
    New(u64),
}

/// Decision of the sender to put a segment on the wire now: its positions, control bits and ECN field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    start: u64,
    end: u64,
    flags: Flags,
    ecn: Ecn,
    /// No other segment may follow. Found out in plain state only, where that costs little.
    last: bool,
}

impl Departure {
    /// Position of the segment's first byte, or of its SYN or FIN, counted from the initial sequence number.
    #[inline]
    pub fn start(&self) -> u64 {
        self.start
    }

    /// True if no other segment follows until the next input: to poll again is needless. False if that is not
    /// known.
    #[inline]
    pub fn is_last(&self) -> bool {
        self.last
    }

    /// The ECN field for the IP header of the segment's packet.
    #[inline]
    pub fn ecn(&self) -> Ecn {
        self.ecn
    }
}

impl Sender {
    /// Whether the sender is in plain state: the next segment is new data, and nothing limits it
    /// but the windows and what is written. So it is most of the time, and then there is little to
    /// check.
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        let lossless = !self.recovery.is_active() && self.dupacks == 0 && !self.probe;
        lossless && self.state == State::Established && !self.flight.has_old() && self.plain
    }

    /// As [`Self::poll_departure`] in plain state; also finds out whether another segment follows,
    /// as mostly none does. Saves 17 % of the instructions of 24 flows; that it finds this out, 2 %.
    #[inline(always)]
    pub(super) fn poll_plain(&mut self, now: Time) -> Option<Departure> {
        debug_assert!(self.plain_choice_is_right());
        let end = match self.choose_plain() {
            Ok(end) => end,
            Err(limit) => {
                self.limits.set(now, Some(limit));
                return None;
            }
        };
        let mut departure = self.send_first(end, now);
        if let Err(limit) = self.choose_plain() {
            self.limits.set(now, Some(limit));
            departure.last = true;
        }
        Some(departure)
    }

    /// Whether [`Self::choose_plain`], the short way, decides as [`Self::choose`] does.
    fn plain_choice_is_right(&mut self) -> bool {
        let plain = self.choose_plain();
        match self.choose() {
            Ok(Next::New(end)) => plain == Ok(end),
            Ok(Next::Again(..)) => false,
            Err(limit) => plain.err() == limit,
        }
    }

    /// In plain state: the end of the next segment, or what forbids it.
    #[inline(always)]
    fn choose_plain(&self) -> Result<u64, Limit> {
        let (una, nxt) = (self.flight.una(), self.flight.nxt());
        let end = self.end_of_new(nxt);
        if end == nxt {
            Err(self.why_nothing_new())
        } else if end > una + self.peer_window {
            Err(Limit::Rwnd)
        } else if !self.window.cwnd.holds(end - una, self.config.mss) {
            Err(Limit::Cwnd)
        } else {
            Ok(end)
        }
    }

    /// Chooses what to send next: lost segments first, then the segment at `nxt`. Otherwise returns
    /// the limit that forbids it, if the connection is open.
    #[inline(always)]
    pub(super) fn choose(&mut self) -> Result<Next, Option<Limit>> {
        if self.state != State::Established {
            return self.choose_syn();
        }
        self.choose_data().map_err(|limit| {
            let recovering = self.recovery.is_active();
            Some(if recovering { Limit::Recovery } else { limit })
        })
    }

    /// As [`Self::poll_departure`] in any state.
    #[inline(never)]
    pub(super) fn poll_any(&mut self, now: Time) -> Option<Departure> {
        match self.choose_at_pace(now) {
            Ok(Next::Again(position, why)) => self.transmit_again(position, why, now),
            Ok(Next::New(end)) => Some(self.transmit_new(end, now)),
            Err(limit) => {
                self.limits.set(now, limit);
                self.note_usage(limit == Some(Limit::Cwnd));
                // A window that is full as well says how much the path may carry.
                let starved = matches!(limit, Some(Limit::Application | Limit::Rwnd));
                if starved && self.has_room() {
                    self.note_app_limited();
                }
                None
            }
        }
    }

    #[cold]
    fn choose_syn(&self) -> Result<Next, Option<Limit>> {
        match self.state {
            State::Closed | State::Done | State::Established => Err(None),
            State::SynSent if self.flight.nxt() > 0 => Err(Some(Limit::Handshake)),
            State::SynSent if self.flight.is_empty() => Ok(Next::New(1)),
            State::SynSent => Ok(Next::Again(0, Why::Timeout)),
        }
    }

    #[inline(always)]
    fn choose_data(&mut self) -> Result<Next, Limit> {
        if self.probe
            && let Some(probe) = self.choose_probe()
        {
            return Ok(probe);
        }
        let mss = self.config.mss;
        let room = self.recovery.pipe_room(&self.flight, &self.window, mss);
        if let Some(lost) = self.flight.next_lost() {
            let seen = if self.recovery.uses_sack() {
                Why::Sack
            } else {
                Why::PartialAck
            };
            let next = Next::Again(lost.start, self.found.unwrap_or(seen));
            let bytes = lost.end - lost.start;
            let fits = room.is_none_or(|room| room >= bytes) && self.may_send_again(bytes);
            return if fits { Ok(next) } else { Err(Limit::Cwnd) };
        }
        self.flight.skip_sacked();
        let (next, end) = self.next_in_order();
        let una = self.flight.una();
        let limit = match next {
            Some(_) => Limit::Rwnd,
            None => self.why_nothing_new(),
        };
        if let Some(next) = next
            && end <= una + self.peer_window
        {
            let fits = match room {
                Some(room) => end - self.flight.nxt() <= room,
                None => self.window_holds(end),
            };
            let fits = (fits || self.is_free_fin(&next)) && self.contention_holds(end);
            let is_new = matches!(next, Next::New(_));
            let may = fits && (is_new || self.may_send_again(end - self.flight.nxt()));
            return if may { Ok(next) } else { Err(Limit::Cwnd) };
        }
        // There is room, but no new data that may fill it.
        if room.is_some_and(|room| room >= u64::from(mss))
            && matches!(self.detection.loss_rule(), LossRule::DupThresh(_))
            && self.may_send_again(u64::from(mss))
            && let Some(position) = self.recovery.rescue(&mut self.flight)
        {
            return Ok(Next::Again(position, Why::Sack));
        }
        Err(limit)
    }

    /// Whether the connection may send `bytes` again: it may repeat only so much for what has arrived ([`Resends`]).
    fn may_send_again(&self, bytes: u64) -> bool {
        let extras = self.extras.as_ref();
        let resends = extras.and_then(|extras| extras.resends.as_ref());
        resends.is_none_or(|resends| {
            resends.allows(
                bytes,
                Earned {
                    window: self.config.rwnd,
                    arrived: self.flight.una() + self.flight.sacked_bytes(),
                    timeouts: self.counters.timeouts,
                    mss: self.config.mss,
                },
            )
        })
    }

    /// The segment at `nxt`, if there is one, and its end.
    #[inline(always)]
    pub(super) fn next_in_order(&self) -> (Option<Next>, u64) {
        let nxt = self.flight.nxt();
        if let Some(end) = self.flight.end_of_old() {
            let why = self.found.unwrap_or(Why::GoBackN);
            return (Some(Next::Again(nxt, why)), end);
        }
        let end = self.end_of_new(nxt);
        ((end > nxt).then_some(Next::New(end)), end)
    }

    /// End of the new segment that begins at `nxt`; `nxt` if there is none.
    #[inline(always)]
    fn end_of_new(&self, nxt: u64) -> u64 {
        if nxt < self.written {
            // A window smaller than a segment still lets data through. (To ask no detector saves 1 % of 24 flows.)
            let mss = self.config.mss;
            let len = if self.plain {
                mss
            } else {
                self.detection.segment_len(mss).clamp(1, mss)
            };
            let len = u64::from(len).min(self.peer_window);
            nxt.saturating_add(len).min(self.written)
        } else {
            self.end()
        }
    }

    /// Why no new segment begins at `nxt`: everything written was sent, or the receiver's window is
    /// closed.
    #[inline(always)]
    fn why_nothing_new(&self) -> Limit {
        if self.flight.nxt() < self.written {
            Limit::Rwnd
        } else {
            Limit::Application
        }
    }

    /// Whether what is sent next is a FIN without data, and that may always go.
    fn is_free_fin(&self, next: &Next) -> bool {
        let fin = matches!(next, Next::New(_)) && self.flight.nxt() == self.written;
        fin && self.config.fin_ignores_window
    }

    /// Whether a sender that goes by its window, not by what is in the network (`pipe`), may send
    /// up to `end`.
    #[inline]
    fn window_holds(&self, end: u64) -> bool {
        let mut window = self.window.cwnd + self.recovery.inflation();
        if !self.recovery.is_active() && !self.waits_for_answer() {
            match self.detection.limited_transmit(self.dupacks) {
                Allowance::Beyond(segments) if self.config.limited_transmit => {
                    window += Segments(f64::from(segments));
                }
                Allowance::Beyond(_) => {}
                Allowance::Until(position) => return end <= position,
            }
        }
        let una = self.flight.una();
        let from = self.timeout.counts_from().map_or(una, |at| una.max(at));
        window.holds(end.saturating_sub(from), self.config.mss)
    }

    /// Whether the limit by contention, if there is one, lets data up to `end` be outstanding.
    fn contention_holds(&self, end: u64) -> bool {
        let extras = self.extras.as_ref();
        let limit = extras.and_then(|extras| extras.contention.as_ref());
        limit.is_none_or(|limit| {
            limit
                .segments()
                .holds(end - self.flight.una(), self.config.mss)
        })
    }

    fn transmit_new(&mut self, end: u64, now: Time) -> Departure {
        let mut departure = self.send_first(end, now);
        departure.ecn = self.codepoint(false);
        departure.flags = self.data_flags(false);
        self.detection
            .on_sent(now, &self.flight, departure.start, Sending::New);
        let probe = std::mem::take(&mut self.probe);
        if probe && self.extras.is_some() {
            self.probe = self.asks_on();
        }
        if self.flight.delivery().is_some() && !probe {
            self.arm_probe(now);
        }
        self.after_sending(departure.start, end, now);
        departure
    }

    /// A segment was put on the wire, for the first time or again: does what plain senders do not
    /// need.
    fn after_sending(&mut self, start: u64, end: u64, now: Time) {
        self.recovery.on_sent(end - start);
        if self.flight.delivery().is_some() {
            self.flight.note_sent(start, now);
        }
        if self.pacing.is_some() {
            self.pace(now, end - start);
        }
    }

    /// The part of [`Self::transmit_new`] that concerns neither the detector nor the recovery.
    #[inline(always)]
    fn send_first(&mut self, end: u64, now: Time) -> Departure {
        let start = self.flight.nxt();
        if self.flight.is_empty() || self.timer == Time::MAX {
            self.send_after_silence(now);
        }
        self.limits.hear(now);
        self.last_sent = now;
        self.flight.send_new(end, now);
        if self.timed.is_none() {
            self.timed = Some(Timed { end, sent: now });
        }
        self.counters.sent += 1;
        Departure {
            start,
            end,
            flags: Flags::ACK,
            ecn: Ecn::NotEct,
            last: false,
        }
    }

    /// A segment is about to be sent while nothing is in flight, or while the timer does not run.
    #[inline(never)]
    fn send_after_silence(&mut self, now: Time) {
        let idle = self.idle(now);
        if self.limits.pauses(now) {
            self.congestion.on_resume(&idle);
        }
        // RFC 5681 section 4.1: the ACK clock has run down.
        let restarts = self.config.restart_after_idle && idle.idle > self.rto.rto();
        if restarts || self.congestion.facts().owns_window && self.flight.is_app_limited() {
            self.congestion.on_idle_restart(&idle, &mut self.window);
        }
        self.restart_timer(now);
    }

    /// The connection stood still until now: tells the law.
    pub(super) fn resume(&mut self, now: Time) {
        let idle = self.idle(now);
        self.congestion.on_resume(&idle);
    }

    fn idle(&self, now: Time) -> IdleEvent {
        IdleEvent {
            now,
            idle: now.since(self.last_sent),
            initial_window: self.initial_window(),
        }
    }

    #[inline(never)]
    pub(super) fn transmit_again(
        &mut self,
        position: u64,
        why: Why,
        now: Time,
    ) -> Option<Departure> {
        self.limits.hear(now);
        self.probe = false;
        let in_order = position == self.flight.nxt();
        let Range { start, end } = self.flight.send_again(position, now)?;
        let extras = self.extras.as_mut();
        if let Some(resends) = extras.and_then(|extras| extras.resends.as_mut()) {
            resends.add(end - start);
        }
        let sending = if !in_order {
            Sending::Repair
        } else if self.went_back.contains(&start) {
            self.went_back.start = end;
            Sending::AfterTimeout
        } else {
            Sending::GoBackN
        };
        self.detection.on_sent(now, &self.flight, start, sending);
        if let Some(undo) = self.undo() {
            undo.on_sent_again(now, end);
        }
        self.last_sent = now;
        self.found = None;
        self.resend = Some(Resend { end, why });
        // Karn: an ACK could now mean either transmission.
        self.timed.take_if(|t| t.end > start && t.end <= end);
        let is_oldest = start == self.flight.una();
        if self.timer == Time::MAX || is_oldest && self.config.restart_on_repair {
            self.restart_timer(now);
        }
        self.after_sending(start, end, now);
        self.counters.sent += 1;
        self.counters.retransmits += 1;
        Some(Departure {
            start,
            end,
            flags: self.data_flags(true),
            ecn: self.codepoint(true),
            last: false,
        })
    }

    /// Builds the segment of a [`Departure`] that was decided just now: the second half of [`Self::poll_transmit`].
    #[inline(always)]
    pub fn segment(&self, departure: Departure, now: Time) -> Segment {
        let Departure {
            start,
            end,
            mut flags,
            ..
        } = departure;
        let mut len = end - start;
        if start < self.config.handshake.span() {
            flags = self.syn_flags();
            len -= 1;
        }
        if end > self.written {
            flags |= Flags::FIN;
            len -= 1;
        }
        let mut segment = Segment {
            seq: SeqNr::at(self.config.iss, start),
            len: len as u32,
            flags,
            timestamps: self.config.timestamps.then_some(Timestamps {
                value: now,
                echo: self.peer_timestamp,
            }),
            options: Options::None,
            ..Segment::default()
        };
        if self.config.acking.listens() && !flags.contains(Flags::SYN) {
            self.tell(&mut segment);
        }
        segment
    }

    /// Writes on a segment what the receiver acknowledges by.
    fn tell(&self, segment: &mut Segment) {
        if self.config.acking.is_by_window() {
            segment.options = Options::Window(self.told_window());
        } else if self.timeout.asks() {
            segment.hints.marks |= Marks::ASKS;
        }
    }

    /// The window in force in whole segments, for a receiver that acknowledges by it.
    fn told_window(&self) -> u16 {
        let peer = Segments::from_bytes(self.peer_window, self.config.mss);
        // A cast of a float saturates.
        let extras = self.extras.as_ref();
        let limit = extras.and_then(|extras| extras.contention.as_ref());
        let window = limit.map_or(peer, |limit| peer.min(limit.segments()));
        self.window.cwnd.min(window).0 as u16
    }
}
