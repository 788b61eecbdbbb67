//! The data sender: sequence space, timers and the order of events, with its decisions made by the
//! policy slots.
//!
//! # The caller's contract
//! Inputs, of which `now` never goes backwards:
//! - [`Sender::open`], [`Sender::write`], [`Sender::close`]: the application;
//! - [`Sender::on_segment`]: a segment from the peer;
//! - [`Sender::on_timer`]: at or after [`Sender::next_timer`]; calls too early do nothing.
//!
//! After each of them call [`Sender::poll_transmit`] until it returns `None`, then ask
//! [`Sender::next_timer`] again.
//!
//! A sender waits for as long as the receiver's window is closed. A driver whose peer may close it needs
//! a [`Connection`](super::connection::Connection), which probes the window (RFC 9293 section 3.8.6.1).

mod ack;
mod connection;
mod delivery;
mod ecn;
mod layout;
mod loss;
mod missing;
mod mistake;
mod pace;
mod tell;
mod transmit;
mod usage;

use std::ops::{Range, Sub};
use std::sync::Arc;

use crate::packet::Segment;
use crate::time::{Duration, Time};
use crate::units::Segments;

use super::config::{Handshake, TcpConfig, Usage};
use super::congestion::Congestion;
use super::contention_control::ContentionLimit;
use super::detection::Detection;
use super::flight::Flight;
use super::limits::{LimitClock, Resend, Why};
use super::loss_events::LossEvents;
use super::pacing::{Pacing, PacingConfig};
use super::recovery::{LossRecovery, Recovery};
use super::resends::Resends;
use super::rto::RtoEstimator;
use super::slot::Setup;
use super::slow_start::SlowStart;
use super::timeout::{Timeout, TimeoutPolicy};
use super::undo::Undo;
use super::window::Window;
use ecn::Signals;
use transmit::Next;
use usage::RoundUsage;

pub use transmit::Departure;

/// Counters of what a sender has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct SenderCounters {
    /// Segments sent again.
    pub retransmits: u64,
    /// Expiries of the retransmission timer that counted as timeouts: without those on which the timeout policy waits
    /// once more.
    pub timeouts: u64,
    /// Fast retransmits, also of a copy that a recovery finds lost once more. Of the segments that a receiver names as
    /// missing, one a window of data.
    pub fast_retransmits: u64,
    /// Reductions of the congestion window for losses and ECN marks, and timeouts but for a SYN's and those that end
    /// the wait after a mark at a window of one segment; also those that were taken back later.
    pub window_cuts: u64,
    /// Answers of the congestion control to routers' marks; most of them reduce the congestion window.
    pub ecn_responses: u64,
    /// Timeouts and fast retransmits, counted by the duplicate ACKs and the congestion window when they came.
    pub events: LossEvents,
    /// Segments sent, retransmissions and SYN included.
    pub sent: u64,
}

impl Sub for SenderCounters {
    type Output = Self;

    /// Counts since the counters stood at `earlier`.
    fn sub(self, earlier: Self) -> Self {
        Self {
            sent: self.sent - earlier.sent,
            retransmits: self.retransmits - earlier.retransmits,
            timeouts: self.timeouts - earlier.timeouts,
            fast_retransmits: self.fast_retransmits - earlier.fast_retransmits,
            window_cuts: self.window_cuts - earlier.window_cuts,
            ecn_responses: self.ecn_responses - earlier.ecn_responses,
            events: self.events - earlier.events,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Closed,
    SynSent,
    Established,
    Done,
}

/// The one segment being timed when there are no timestamps.
#[derive(Clone, Copy, Debug)]
struct Timed {
    end: u64,
    sent: Time,
}

/// TCP data sender.
///
/// The fields that every ACK and every new segment touch come first: with many connections, most of the time goes into
/// fetching them. `layout.rs` says which they are.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Sender {
    /// When the retransmission timer expires; [`Time::MAX`] while it does not run.
    timer: Time,
    timed: Option<Timed>,
    window: Window,
    /// End of what the application has written.
    written: u64,
    flight: Flight,
    peer_window: u64,
    /// When a segment was last sent.
    last_sent: Time,
    /// The latest round-trip sample; as long as can be before the first one.
    last_rtt: Duration,
    config: Arc<TcpConfig>,
    dupacks: u32,
    state: State,
    closing: bool,
    /// The next segment is a probe, whatever the window says.
    probe: bool,
    /// Only windows and the retransmission timer decide when new data is sent: the detector counts
    /// duplicate ACKs and nothing else, and there is no pacing, no ECN and no snapshot to take. Without this short
    /// way a simulation of SACK takes 19 % more instructions.
    plain: bool,
    /// The detector counts duplicate ACKs and nothing else, the law grows the standard way and otherwise hears of
    /// losses only, and neither slow start, contention nor the timeout policy has a say: ACKs of new data take a short
    /// way, without which a simulation of SACK takes 13 % more instructions.
    standard: bool,
    /// [`Self::poll_rtt`] has not told the latest round-trip sample.
    rtt_untold: bool,
    /// The SYN was sent again.
    syn_lost: bool,
    /// The retransmission timer has expired for the oldest segment.
    expired: bool,
    /// How the next segment to be sent again was found to be lost.
    found: Option<Why>,
    /// A cut may be taken back: there is an [`Undo`].
    undoes: bool,
    peer_timestamp: Time,
    resend: Option<Resend>,
    /// Policy members: for each packet only the kind of one is read, which is at its start.
    recovery: Recovery,
    detection: Detection,
    /// `None` unless the connection is paced.
    pacing: Option<Box<Pacing>>,
    /// Every packet touches its last fields, those of the counters, and the RTO, which is the first field of the
    /// estimator.
    limits: LimitClock,
    timeout: Timeout,
    rto: RtoEstimator,
    /// No fast retransmit until everything below this position is acknowledged.
    recover: Option<u64>,
    counters: SenderCounters,
    congestion: Congestion,
    /// Positions that were in flight at the last timeout and have not been sent since.
    went_back: Range<u64>,
    signals: Signals,
    /// `Flight::lost_ever` when the law was last told of losses.
    lost_told: u64,
    /// `None` where there are none, so that most senders stay small.
    extras: Option<Box<Extras>>,
}

/// Parts that only some senders have.
#[derive(Debug)]
struct Extras {
    /// `None` where only a loss ends slow start.
    slow_start: Option<SlowStart>,
    /// `None` where no cut is ever taken back.
    undo: Option<Undo>,
    /// `None` where contention limits nothing.
    contention: Option<ContentionLimit>,
    /// `None` where the moment of an ACK says whether the window is used.
    usage: Option<RoundUsage>,
    /// `None` under laws whose window always shrinks with losses and timeouts.
    resends: Option<Resends>,
}

impl Extras {
    fn new(
        slow_start: Option<SlowStart>,
        congestion: &Congestion,
        config: &TcpConfig,
    ) -> Option<Box<Self>> {
        let undo = Undo::new(config.undo);
        let contention = config.contention_control;
        let contention = contention.then(|| ContentionLimit::new(config.initial_window));
        let may_ignore_losses =
            congestion.facts().owns_window || matches!(congestion, Congestion::Custom(_));
        let resends = may_ignore_losses.then(Resends::default);
        let usage = (config.usage == Usage::InRound).then(RoundUsage::default);
        let any = slow_start.is_some()
            || undo.is_some()
            || contention.is_some()
            || resends.is_some()
            || usage.is_some();
        any.then(|| {
            Box::new(Self {
                slow_start,
                undo,
                contention,
                usage,
                resends,
            })
        })
    }
}

/// The event that the detector is given. A macro, so that the detector can be changed while the
/// event borrows the flight.
macro_rules! detection_event {
    ($self:ident, $now:expr) => {
        DetectionEvent {
            now: $now,
            dupacks: $self.dupacks,
            flight: &$self.flight,
            window: $self.window,
            acked: Segments::ZERO,
            segment_rtt: None,
            rtt: $self.last_rtt(),
            srtt: $self.rto.srtt(),
            rto: &$self.rto,
            mss: $self.config.mss,
            sendable: $self.has_sendable(),
            warned: $self.signals.marked,
        }
    };
}
use detection_event;

impl Sender {
    /// A sender that is not open yet: it has sent no SYN.
    pub fn new(config: impl Into<Arc<TcpConfig>>) -> Self {
        let config = config.into();
        let rwnd = Segments::from_bytes(u64::from(config.rwnd), config.mss);
        let composition = &config.composition;
        let detection = Detection::new(&config);
        let congestion = Congestion::new(&config);
        let paced = config.pacing != PacingConfig::Off || congestion.pacing_rate().is_some();
        let counts = detection.facts().only_counts;
        let rate = congestion.facts().needs_rate;
        let slow_start =
            SlowStart::new(config.slow_start).filter(|_| !congestion.facts().owns_window);
        let limited = config.contention_control
            || config.usage == Usage::InRound
            || config.fin_ignores_window;
        let setup = Setup {
            law_owns_window: congestion.facts().owns_window,
            ..config.setup()
        };
        let timeout = Timeout::build(&composition.timeout, &setup);
        let (asks, judges) = (timeout.may_ask(), timeout.needs_deliveries());
        let slow = slow_start.is_some();
        let extras = Extras::new(slow_start, &congestion, &config);
        Self {
            undoes: extras.as_ref().is_some_and(|extras| extras.undo.is_some()),
            plain: counts && !paced && !config.ecn && !rate && !asks && !limited,
            standard: counts
                && congestion.facts().is_standard
                && !slow
                && !limited
                && !asks
                && !judges,
            pacing: paced.then(|| Box::new(Pacing::new(config.pacing))),
            signals: Signals::default(),
            lost_told: 0,
            extras,
            state: State::Closed,
            flight: Flight::default(),
            window: Window {
                cwnd: config.initial_window.min(config.max_cwnd),
                // At least one segment: a law may leave the threshold as it is, and rounding down
                // to whole segments must not make it zero.
                ssthresh: config.initial_ssthresh.unwrap_or(rwnd).max(Segments::ONE),
            },
            peer_window: u64::from(config.rwnd),
            detection,
            recovery: Recovery::new(composition.recovery, &setup),
            congestion,
            timeout,
            rto: RtoEstimator::new(Arc::clone(&config.rto)),
            timer: Time::MAX,
            timed: None,
            dupacks: 0,
            recover: None,
            went_back: 0..0,
            written: config.handshake.span(),
            closing: false,
            peer_timestamp: Time::ZERO,
            last_rtt: Duration::MAX,
            rtt_untold: false,
            syn_lost: false,
            expired: false,
            last_sent: Time::ZERO,
            counters: SenderCounters::default(),
            limits: LimitClock::default(),
            found: None,
            resend: None,
            probe: false,
            config,
        }
    }

    /// The configuration of the connection.
    #[inline]
    pub fn config(&self) -> &TcpConfig {
        &self.config
    }

    fn undo(&mut self) -> Option<&mut Undo> {
        self.extras.as_mut()?.undo.as_mut()
    }

    /// Starts the connection: with a SYN if the configuration has a handshake, else data may flow at once.
    pub fn open(&mut self) {
        if self.state == State::Closed {
            self.state = match self.config.handshake {
                Handshake::None => State::Established,
                Handshake::ThreeWay => State::SynSent,
            };
            if self.state == State::Established {
                self.connected();
            }
            self.finish_if_done();
        }
    }

    /// The connection is open: data may flow.
    fn connected(&mut self) {
        let rate = self.congestion.facts().needs_rate;
        let judges = self.timeout.needs_deliveries();
        if self.detection.facts().needs_deliveries || rate || judges {
            self.flight.track_delivery(rate);
        }
        if self.congestion.facts().needs_losses {
            self.flight.track_losses();
        }
    }

    /// Takes `bytes` more from the application to be sent; `u64::MAX` is data without end. Bytes written after
    /// [`Self::close`] are ignored.
    pub fn write(&mut self, bytes: u64) {
        if !self.closing {
            self.written = self.written.saturating_add(bytes);
        }
    }

    /// Notes that the application has no more data. The data of an endless source ends with what has been sent by now.
    pub fn close(&mut self) {
        if self.written == u64::MAX {
            self.written = self.flight.max().max(self.config.handshake.span());
        }
        self.closing = true;
        self.finish_if_done();
    }

    /// Takes a segment from the peer that arrives at `now`.
    #[inline(always)] // the engine's one call a packet; by itself it is too large for LLVM, 1 to 2 % of instructions
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        if self.state != State::Established {
            return self.on_early_segment(now, segment);
        }
        if !segment.is_plain() {
            return self.on_unusual_segment(now, segment);
        }
        let Some(ack) = self.acknowledged_by(segment) else {
            return; // not acceptable, or old news
        };
        self.on_acceptable(now, ack, segment);
        self.finish_if_done();
    }

    /// Position up to which a segment acknowledges; `None` if that was never sent, or is older than what
    /// was acknowledged before.
    #[inline(always)]
    fn acknowledged_by(&self, segment: &Segment) -> Option<u64> {
        let ack = segment.ack.expand(self.config.iss, self.flight.una())?;
        self.flight.accepts(ack).then_some(ack)
    }

    /// A segment with other control bits than a plain ACK, or with hints.
    #[cold]
    fn on_unusual_segment(&mut self, now: Time, segment: &Segment) {
        if segment.is_ack() {
            self.on_signalling_segment(now, segment);
        }
    }

    /// Takes a segment that acknowledges everything below `ack`.
    #[inline(always)]
    fn on_acceptable(&mut self, now: Time, ack: u64, segment: &Segment) {
        let una = self.flight.una();
        let window_changed = self.hear(now, segment);
        if self.flight.delivery().is_some() {
            self.begin_ack(now, ack, segment);
        }
        let fresh = if segment.options.is_none() {
            0
        } else if let Some(missing) = segment.options.missing() {
            return self.on_missing(now, ack, segment, missing);
        } else {
            self.take_sack(segment)
        };
        if ack > una {
            self.on_new_ack(now, ack, segment, fresh);
        } else if !self.flight.is_empty() && self.is_duplicate(segment, fresh, window_changed) {
            self.on_dupack(now, segment, fresh);
        } else {
            self.look_and_act(now);
        }
        if self.undoes {
            self.look_for_mistake(now, ack, segment);
        }
    }

    /// Whether an ACK of nothing new is a duplicate: it has no payload, SYN or FIN and the same window as the last one
    /// (RFC 5681 section 2, conditions b, c and e), or its SACK blocks have news. Then the window does not matter, which many
    /// receivers open with each segment, and for a scoreboard nothing else does (RFC 6675 section 2).
    #[inline(always)]
    fn is_duplicate(&self, segment: &Segment, fresh: u64, window_changed: bool) -> bool {
        segment.is_empty() && (fresh > 0 || !window_changed)
            || fresh > 0 && self.recovery.uses_sack()
    }

    /// Takes what any acceptable segment says. Returns whether the peer's window has changed.
    #[inline(always)]
    fn hear(&mut self, now: Time, segment: &Segment) -> bool {
        self.limits.hear(now);
        if let Some(timestamps) = segment.timestamps {
            self.peer_timestamp = timestamps.value;
        }
        let window = u64::from(segment.window);
        std::mem::replace(&mut self.peer_window, window) != window
    }

    /// Handles the timer that is due at `now`: the retransmission timer, the loss detector's own or that of pacing.
    /// Does nothing if none is due.
    pub fn on_timer(&mut self, now: Time) {
        let due = self.due();
        if due > now {
            return;
        }
        if self.pacing.as_ref().is_some_and(|p| p.held_until == due) {
            self.let_go();
        } else if self.detection.next_timer() == Some(due) {
            // If both timers are due, this one goes first: it may make the retransmission timer
            // needless.
            self.on_detection_timer(now);
        } else if due < Time::MAX {
            self.on_retransmission_timer(now);
        }
    }

    /// When [`Self::on_timer`] is due: the earliest of the retransmission timer, the loss detector's own and that of
    /// pacing; `None` while none runs.
    #[inline]
    pub fn next_timer(&self) -> Option<Time> {
        Some(self.due()).filter(|&at| at < Time::MAX)
    }

    /// When [`Self::on_timer`] is due; [`Time::MAX`] if never. For a [driver](crate::driver) of many flows.
    #[inline]
    pub fn due(&self) -> Time {
        if self.plain {
            // Saves 1 % of the instructions of one flow.
            return self.timer;
        }
        let detection = self.detection.next_timer().unwrap_or(Time::MAX);
        let pace = self.pacing.as_ref().map_or(Time::MAX, |p| p.held_until);
        self.timer.min(detection).min(pace)
    }

    /// The next segment to put on the wire, if any may be sent now. Call until `None` after every
    /// input.
    #[must_use]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        let departure = self.poll_departure(now)?;
        Some(self.segment(departure, now))
    }

    /// Decides what is sent next, `None` if nothing may be: the first half of [`Self::poll_transmit`];
    /// [`Self::segment`] is the second half. For a [driver](crate::driver) that builds segments in place. Call until
    /// `None` after every input, or until [`Departure::is_last`].
    #[must_use]
    #[inline]
    pub fn poll_departure(&mut self, now: Time) -> Option<Departure> {
        if self.is_plain() {
            self.poll_plain(now)
        } else {
            self.poll_any(now)
        }
    }

    /// A segment arrived before data may flow, or after all of it was acknowledged.
    #[cold]
    fn on_early_segment(&mut self, now: Time, segment: &Segment) {
        if !segment.is_ack() {
            return;
        }
        let Some(ack) = self.acknowledged_by(segment) else {
            return;
        };
        if self.state != State::SynSent {
            return;
        }
        self.hear(now, segment);
        if segment.is_syn() && ack > 0 {
            self.establish(now, ack, segment);
        }
    }

    /// The SYN is acknowledged by `segment`, up to `ack`.
    fn establish(&mut self, now: Time, ack: u64, segment: &Segment) {
        self.state = State::Established;
        self.window.cwnd = self.initial_window();
        let rtt = self.sample_rtt(now, ack, segment);
        self.congestion.on_open(now, rtt);
        self.flight.acknowledge(ack);
        self.connected();
        self.recover = None;
        self.timer = Time::MAX;
        self.finish_if_done();
    }

    fn in_flight(&self) -> Segments {
        Segments::from_bytes(self.flight.in_flight(), self.config.mss)
    }

    fn outstanding(&self) -> Segments {
        let flight = &self.flight;
        Segments::from_bytes(flight.max() - flight.una(), self.config.mss)
    }

    fn effective_window(&self) -> Segments {
        let peer = Segments::from_bytes(self.peer_window, self.config.mss);
        (self.window.cwnd + self.recovery.inflation()).min(peer)
    }

    /// Whether there is new data, and room for a segment of it in the receiver's window.
    fn has_sendable(&self) -> bool {
        let max = self.flight.max();
        let end = max.saturating_add(u64::from(self.config.mss));
        max < self.end() && end.min(self.end()) <= self.flight.una() + self.peer_window
    }

    fn restart_timer(&mut self, now: Time) {
        self.timer = now + self.rto.rto();
    }

    #[inline]
    fn finish_if_done(&mut self) {
        if self.closing
            && self.state == State::Established
            && self.flight.is_empty()
            && self.flight.nxt() == self.end()
        {
            self.state = State::Done;
            self.timer = Time::MAX;
        }
    }

    /// End of everything that this connection will send, as known now.
    fn end(&self) -> u64 {
        self.written
            .saturating_add(u64::from(self.closing && self.config.fin))
    }
}

#[cfg(test)]
mod tests;
