//! How a sender handles an ACK: it takes what the ACK reports, and tells the members.

use super::ecn::cause_of;
use super::{Sender, detection_event};
use crate::packet::{Hints, Segment, Timestamps};
use crate::tcp::config::Counting;
use crate::tcp::contention_control::Heard;
use crate::tcp::detection::{AckFinding, DetectionEvent, Finding};
use crate::tcp::flight::Acked;
use crate::tcp::limits::Why;
use crate::tcp::recovery::{LossRecovery, Progress};
use crate::tcp::timeout::TimeoutPolicy;
use crate::tcp::window::{AckEvent, LossCause, OneWayDelays, Repairing};
use crate::time::{Duration, Time};
use crate::units::Segments;

/// The event that the law is given for an ACK. A macro, so that the law can be changed while the
/// event is worked out.
macro_rules! ack_event {
    ($self:ident, $now:expr, $acked:expr, $rtt:expr, $segment_rtt:expr) => {
        AckEvent {
            now: $now,
            acked: $acked,
            counted: Segments::ZERO,
            may_grow: false,
            rtt: $rtt,
            segment_rtt: $segment_rtt,
            srtt: $self.rto.srtt(),
            una: $self.flight.una(),
            nxt: $self.flight.nxt(),
            in_flight: Segments::from_bytes($self.flight.in_flight(), $self.config.mss),
            in_flight_before: Segments::ZERO,
            delivered: Segments::ZERO,
            lost: Segments::ZERO,
            marked: Segments::ZERO,
            rate: None,
            repairing: Repairing::Nothing,
            hints: Hints::NONE,
            one_way: None,
        }
    };
}

impl Sender {
    /// Applies SACK blocks; returns how many bytes they report for the first time.
    #[inline(never)]
    pub(super) fn take_sack(&mut self, segment: &Segment) -> u64 {
        let (iss, una) = (self.config.iss, self.flight.una());
        let mut fresh = 0;
        for block in segment.sack() {
            let (start, end) = (block.start.expand(iss, una), block.end.expand(iss, una));
            // A block from before the initial number is of another connection.
            if let (Some(start), Some(end)) = (start, end) {
                fresh += self.flight.sack(start, end);
            }
        }
        fresh
    }

    /// New data was acknowledged, up to `ack`; SACK blocks report `fresh` bytes for the first time.
    #[inline(always)]
    pub(super) fn on_new_ack(&mut self, now: Time, ack: u64, segment: &Segment, fresh: u64) {
        let flight_before = self.flight.in_flight();
        self.found = None;
        self.expired = false;
        let acked = self.flight.acknowledge(ack);
        if !self.standard {
            return self.on_any_new_ack(now, segment, flight_before, fresh, acked);
        }
        // The usual case, and a short one: only the recovery, the timer and the window change. Saves 12 % of the
        // instructions of 24 flows.
        let is_open = if self.recovery.is_active() {
            self.repair_on_new_ack(now, segment, acked, fresh).0 == Progress::Open
        } else {
            self.recovery.on_open_ack(&mut self.flight);
            self.go_on(now, segment);
            true
        };
        if is_open && self.window_was_used(flight_before) {
            let segments = |bytes| Segments::from_bytes(bytes, self.config.mss);
            self.window.grow(self.config.counting.counted(
                || segments(acked.bytes),
                || segments(fresh + acked.bytes - acked.sacked_before),
            ));
        }
        self.cap_window();
        if self.flight.is_empty() && !self.waits_for_timer() {
            self.timer = Time::MAX;
        }
    }

    /// The rest of [`Self::on_new_ack`], with any members in any state.
    #[inline(never)]
    fn on_any_new_ack(
        &mut self,
        now: Time,
        segment: &Segment,
        flight_before: u64,
        fresh: u64,
        acked: Acked,
    ) {
        let acked_segments = Segments::from_bytes(acked.bytes, self.config.mss);
        let delivered = fresh + acked.bytes - acked.sacked_before;
        let segment_rtt = acked.newest_sent().map(|sent| now.since(sent));
        let finding = self.look(now, segment_rtt);
        let (progress, rtt) = if self.recovery.is_active() {
            self.repair_on_new_ack(now, segment, acked, fresh)
        } else {
            self.recovery.on_open_ack(&mut self.flight);
            (Progress::Open, self.go_on(now, segment))
        };
        let is_open = progress == Progress::Open;
        let answered = !self.config.acking.answers() || segment.hints.is_all_received();
        let grows = self.timeout.lets_grow(answered);
        let mut event = AckEvent {
            counted: self.config.counting.counted(
                || acked_segments,
                || Segments::from_bytes(delivered, self.config.mss),
            ),
            may_grow: is_open
                && grows
                && self.window_was_used_in_any_way(flight_before)
                && !self.signals.marked,
            ..ack_event!(self, now, acked_segments, rtt, segment_rtt)
        };
        self.watch_contention(now, acked_segments, segment);
        let owns_window = self.congestion.facts().owns_window;
        if !owns_window {
            let slow_start = self.extras.as_mut().and_then(|e| e.slow_start.as_mut());
            if let Some(slow_start) = slow_start.filter(|_| is_open) {
                let paced = self.pacing.is_some();
                event.counted = slow_start.on_ack(&event, &mut self.window, paced);
            }
            self.tell_law(&mut event, segment, flight_before, delivered);
        }
        if !self.detection.facts().ignores_new_acks {
            self.detect_on_new_ack(now, acked_segments, segment_rtt, delivered);
            self.cap_window();
        }
        if self.flight.is_empty() && !self.waits_for_timer() {
            self.timer = Time::MAX;
        }
        if self.notified_loss(now) && !self.recovery.is_active() {
            self.found = Some(Why::Notice);
            self.fast_retransmit(now, LossCause::Eln, delivered);
        }
        if self.flight.delivery().is_some() {
            self.judge_timeout(now);
            self.act(now, finding, delivered);
            if owns_window {
                self.tell_law(&mut event, segment, flight_before, delivered);
            }
            self.arm_probe(now);
        } else if owns_window {
            self.tell_law(&mut event, segment, flight_before, delivered);
        }
    }

    /// The limit by contention, if there is one, hears of an ACK of new data.
    fn watch_contention(&mut self, now: Time, acked: Segments, segment: &Segment) {
        let extras = self.extras.as_mut();
        if let Some(limit) = extras.and_then(|extras| extras.contention.as_mut()) {
            limit.on_ack(&Heard {
                now,
                acked,
                una: self.flight.una(),
                nxt: self.flight.max(),
                contention: segment.hints.contention,
                rwnd: Segments::from_bytes(self.peer_window, self.config.mss),
            });
        }
    }

    /// The law hears of an ACK: of new data, or of any if it owns the window.
    fn tell_law(
        &mut self,
        event: &mut AckEvent,
        segment: &Segment,
        flight_before: u64,
        delivered: u64,
    ) {
        self.report(event, segment, flight_before, delivered);
        self.congestion.take_ack(event, &mut self.window);
        self.cap_window();
    }

    /// Segments were found lost.
    #[cold]
    fn tell_losses(&mut self, now: Time) {
        while let Some(lost) = self.flight.poll_loss() {
            self.congestion.on_segment_lost(now, &lost, &self.window);
        }
    }

    fn repairing_now(&self) -> Repairing {
        if self.recovery.is_active() {
            Repairing::Loss
        } else if self.flight.una() < self.went_back.end {
            Repairing::Timeout
        } else {
            Repairing::Nothing
        }
    }

    #[inline]
    pub(super) fn cap_window(&mut self) {
        if self.window.cwnd > self.config.max_cwnd {
            self.window.cwnd = self.config.max_cwnd;
        }
    }

    /// No recovery is going on, or this ACK of new data has ended it: restarts the timer, and
    /// returns the round-trip sample.
    #[inline(always)]
    fn go_on(&mut self, now: Time, segment: &Segment) -> Option<Duration> {
        let rtt = self.sample_rtt(now, self.flight.una(), segment);
        self.timeout.on_new_ack();
        self.dupacks = 0;
        self.restart_timer(now);
        rtt
    }

    /// New data was acknowledged during a recovery. Returns what became of the recovery, and a
    /// round-trip sample.
    #[inline(never)]
    fn repair_on_new_ack(
        &mut self,
        now: Time,
        segment: &Segment,
        acked: Acked,
        fresh: u64,
    ) -> (Progress, Option<Duration>) {
        let delivered = fresh + acked.bytes - acked.sacked_before;
        let acked = Segments::from_bytes(acked.bytes, self.config.mss);
        let progress = self.repairing(delivered, |recovery, repair| {
            recovery.on_new_ack(repair, acked)
        });
        let Progress::Partial { restart_timer } = progress else {
            return (progress, self.go_on(now, segment));
        };
        let ack = self.flight.una();
        // A partial ACK shows how long a hole took to fill, not a round trip.
        let rtt = if self.config.timestamps {
            self.sample_rtt(now, ack, segment)
        } else {
            if self.timed.is_some_and(|t| ack >= t.end) {
                self.timed = None;
                self.rto.end_backoff();
            }
            None
        };
        let was_extended = self.timeout.on_new_ack();
        if restart_timer {
            self.rto.end_backoff();
        }
        if restart_timer || was_extended {
            self.restart_timer(now);
        }
        (progress, rtt)
    }

    #[inline(never)]
    fn detect_on_new_ack(
        &mut self,
        now: Time,
        acked: Segments,
        segment_rtt: Option<Duration>,
        delivered: u64,
    ) {
        let event = DetectionEvent {
            acked,
            segment_rtt,
            ..detection_event!(self, now)
        };
        let owns_window = self.congestion.facts().owns_window;
        match self.detection.on_new_ack(&event) {
            AckFinding::NextLost if !self.flight.is_empty() => {
                self.found = Some(Why::Detector);
                self.repair_again(delivered);
            }
            AckFinding::Reordered(window) => {
                if !owns_window {
                    self.window = window;
                }
                self.tell_spurious(now);
            }
            AckFinding::Recovered(cwnd) if !owns_window => self.window.cwnd = cwnd,
            _ => {}
        }
    }

    /// Fills in what the events of ACKs of new data and of duplicate ACKs have in common. Tells the law of
    /// single losses before.
    #[inline]
    fn report(
        &mut self,
        event: &mut AckEvent,
        segment: &Segment,
        flight_before: u64,
        delivered: u64,
    ) {
        let mss = self.config.mss;
        let lost = self.flight.lost_ever();
        let newly_lost = lost - std::mem::replace(&mut self.lost_told, lost);
        if newly_lost > 0 {
            self.tell_losses(event.now);
        }
        event.in_flight_before = Segments::from_bytes(flight_before, mss);
        event.delivered = Segments::from_bytes(delivered, mss);
        event.lost = Segments::from_bytes(newly_lost, mss);
        if self.signals.marked {
            event.marked = event.delivered;
        }
        event.rate = self.flight.rate_sample();
        event.repairing = self.repairing_now();
        event.hints = segment.hints;
        let echoed = self.echoed(event.now, segment);
        event.one_way = echoed.map(|t| OneWayDelays::of(self.config.one_way(t.echo, t.value)));
        if let Some(rate) = &mut event.rate {
            rate.receiver_time = echoed.map(|t| t.value.offset_from(Time::ZERO));
        }
    }

    /// A duplicate ACK came; its SACK blocks report `fresh` bytes for the first time.
    #[inline(always)]
    pub(super) fn on_dupack(&mut self, now: Time, segment: &Segment, fresh: u64) {
        if self.standard {
            self.take_dupack::<true>(now, segment, fresh);
        } else {
            self.take_dupack::<false>(now, segment, fresh);
        }
    }

    /// [`Self::on_dupack`] of a sender that is `STANDARD` now, or of any.
    #[inline(never)]
    fn take_dupack<const STANDARD: bool>(&mut self, now: Time, segment: &Segment, fresh: u64) {
        let counts = fresh > 0 || !self.recovery.uses_sack();
        self.dupacks += u32::from(counts);
        let owns_window = !STANDARD && self.congestion.facts().owns_window;
        if !STANDARD && !self.congestion.facts().is_standard && !owns_window {
            let mut event = ack_event!(self, now, Segments::ZERO, None, None);
            self.report(&mut event, segment, self.flight.in_flight(), fresh);
            self.congestion.on_dupack(&event);
        }
        let finding = if STANDARD {
            Finding::Nothing
        } else {
            self.look(now, None)
        };
        let found = counts.then(|| self.find_loss(now)).flatten();
        let notified = (!STANDARD && self.notified_loss(now)).then_some(Why::Notice);
        let found = found.filter(|why| self.may_retransmit(*why));
        if let Some(why) = notified.or(found) {
            self.found = Some(why);
            self.fast_retransmit(now, cause_of(why), fresh);
        } else if self.recovery.is_active() {
            self.repairing(fresh, LossRecovery::on_dupack);
            if !STANDARD && counts && !self.detection.facts().only_counts {
                self.look_for_lost_repair(now);
            }
        } else if !STANDARD && self.detection.is_waiting() && !owns_window {
            let mut event = AckEvent {
                may_grow: true,
                counted: Segments::ONE,
                ..ack_event!(self, now, Segments::ZERO, None, None)
            };
            self.report(&mut event, segment, self.flight.in_flight(), fresh);
            self.congestion.grow(&event, &mut self.window);
            self.cap_window();
        }
        if finding != Finding::Nothing {
            self.act(now, finding, fresh);
        }
        if owns_window {
            let mut event = ack_event!(self, now, Segments::ZERO, None, None);
            self.tell_law(&mut event, segment, self.flight.in_flight(), fresh);
        }
    }

    /// The timestamps of a segment, if the connection has them. The echo of a time that has not
    /// come is ignored: a peer has made it up.
    #[inline]
    pub(super) fn echoed(&self, now: Time, segment: &Segment) -> Option<Timestamps> {
        let timestamps = segment.timestamps.filter(|_| self.config.timestamps);
        timestamps.filter(|t| { t.echo } <= now)
    }

    /// Takes a round-trip sample, if this ACK carries one.
    #[inline]
    pub(super) fn sample_rtt(
        &mut self,
        now: Time,
        ack: u64,
        segment: &Segment,
    ) -> Option<Duration> {
        let sent = if self.config.timestamps {
            self.echoed(now, segment)?.echo
        } else {
            self.timed.take_if(|t| ack >= t.end)?.sent
        };
        self.rto.sample(sent, now);
        self.last_rtt = now.since(sent);
        self.rtt_untold = true;
        Some(self.last_rtt)
    }

    /// [`Self::window_was_used`] by whichever evidence the profile takes.
    fn window_was_used_in_any_way(&self, flight_before: u64) -> bool {
        let extras = self.extras.as_ref();
        match extras.and_then(|extras| extras.usage.as_ref()) {
            Some(usage) => usage.is_enough(&self.window),
            None => self.window_was_used(flight_before),
        }
    }

    /// RFC 7661's concern: a window that the application did not use says nothing about the path.
    /// The older stacks, which count ACKs, grow regardless.
    fn window_was_used(&self, flight_before: u64) -> bool {
        let cwnd = self.window.cwnd;
        let flight_before = || Segments::from_bytes(flight_before, self.config.mss);
        match self.config.counting {
            Counting::Acks => true,
            Counting::Bytes(_) | Counting::Delivered if cwnd < self.window.ssthresh => {
                flight_before() * 2.0 >= cwnd
            }
            Counting::Bytes(_) | Counting::Delivered => flight_before() + Segments::ONE >= cwnd,
        }
    }
}
