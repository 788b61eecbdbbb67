//! The data sender: sequence space, timers and the order of events, with its decisions made by the
//! policy slots.
//!
//! # The caller's contract
//! Inputs carry `now`, which never goes backwards:
//! - [`Sender::open`], [`Sender::write`], [`Sender::close`]: the application;
//! - [`Sender::on_segment`]: a segment from the peer;
//! - [`Sender::on_timer`]: at or after [`Sender::next_timer`]; calls too early do nothing.
//!
//! After each of them call [`Sender::poll_transmit`] until it returns `None`, then ask
//! [`Sender::next_timer`] again.

mod ack;
mod delivery;
mod loss;
mod tell;
mod transmit;

use std::ops::{Range, Sub};
use std::sync::Arc;

use crate::packet::Segment;
use crate::time::{Duration, Time};
use crate::units::Segments;

use super::config::{Handshake, TcpConfig};
use super::congestion::Congestion;
use super::detection::{Detection, LossDetector};
use super::flight::Flight;
use super::limits::{LimitClock, Resend, Why};
use super::loss_events::LossEvents;
use super::recovery::{LossRecovery, Recovery};
use super::rto::RtoEstimator;
use super::timeout::Timeout;
use super::window::Window;
use transmit::Next;

pub use transmit::Departure;

/// What a sender has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct SenderCounters {
    /// Segments sent again.
    pub retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Fast retransmits.
    pub fast_retransmits: u64,
    /// Reductions of the congestion window.
    pub window_cuts: u64,
    /// More about the timeouts and fast retransmits.
    pub events: LossEvents,
    /// Segments sent, retransmissions and SYN included.
    pub sent: u64,
}

impl Sub for SenderCounters {
    type Output = Self;

    /// What was done since the counters stood at `earlier`.
    fn sub(self, earlier: Self) -> Self {
        Self {
            sent: self.sent - earlier.sent,
            retransmits: self.retransmits - earlier.retransmits,
            timeouts: self.timeouts - earlier.timeouts,
            fast_retransmits: self.fast_retransmits - earlier.fast_retransmits,
            window_cuts: self.window_cuts - earlier.window_cuts,
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

/// A TCP data sender.
///
/// What every ACK and every new segment touches lies together, in the order below: with many
/// connections, most of the time goes into fetching it.
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
    rtt_sample: Option<Duration>,
    config: Arc<TcpConfig>,
    dupacks: u32,
    state: State,
    closing: bool,
    /// The next segment is a probe, whatever the window says.
    probe: bool,
    /// How the next segment to be sent again was found to be lost.
    found: Option<Why>,
    peer_timestamp: Time,
    resend: Option<Resend>,
    recovery: Recovery,
    /// Begins with the present RTO; the rest changes with samples only.
    rto: RtoEstimator,
    /// Ends with what every packet touches, as do the counters; of the members behind them their kind is
    /// asked for.
    limits: LimitClock,
    timeout: Timeout,
    detection: Detection,
    counters: SenderCounters,
    congestion: Congestion,
    initial_window: Segments,
    /// No fast retransmit until everything below this position is acknowledged.
    recover: Option<u64>,
    /// What was in flight at the last timeout and was not sent since.
    went_back: Range<u64>,
    /// The latest sample, whoever has seen it.
    last_rtt: Option<Duration>,
}

/// What the detector is told. A macro, so that the detector can be changed while the event borrows
/// the flight.
macro_rules! detection_event {
    ($self:ident, $now:expr) => {
        DetectionEvent {
            now: $now,
            dupacks: $self.dupacks,
            flight: &$self.flight,
            window: $self.window,
            acked: Segments::ZERO,
            segment_rtt: None,
            rtt: $self.last_rtt,
            srtt: $self.rto.srtt(),
            mss: $self.config.mss,
            sendable: $self.has_sendable(),
        }
    };
}
use detection_event;

impl Sender {
    /// A closed sender.
    pub fn new(config: impl Into<Arc<TcpConfig>>) -> Self {
        let config = config.into();
        let rwnd = Segments::from_bytes(u64::from(config.rwnd), config.mss);
        let composition = &config.composition;
        Self {
            state: State::Closed,
            flight: Flight::default(),
            window: Window {
                cwnd: config.initial_window.min(config.max_cwnd),
                // A law may keep it, and whole segments of less than one are none.
                ssthresh: config.initial_ssthresh.unwrap_or(rwnd).max(Segments::ONE),
            },
            peer_window: u64::from(config.rwnd),
            detection: Detection::new(&config),
            recovery: Recovery::new(&config),
            congestion: Congestion::new(&config),
            timeout: Timeout::new(&composition.timeout),
            rto: RtoEstimator::new(config.rto),
            timer: Time::MAX,
            timed: None,
            dupacks: 0,
            recover: None,
            went_back: 0..0,
            written: config.handshake.span(),
            closing: false,
            peer_timestamp: Time::ZERO,
            rtt_sample: None,
            last_rtt: None,
            initial_window: config.initial_window.min(config.max_cwnd),
            last_sent: Time::ZERO,
            counters: SenderCounters::default(),
            limits: LimitClock::default(),
            found: None,
            resend: None,
            probe: false,
            config,
        }
    }

    /// Starts the connection.
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

    /// Data may flow.
    fn connected(&mut self) {
        if self.detection.needs_deliveries() {
            self.flight.track_delivery();
        }
    }

    /// The application hands over `bytes` more; `u64::MAX` is data without end.
    pub fn write(&mut self, bytes: u64) {
        if !self.closing {
            self.written = self.written.saturating_add(bytes);
        }
    }

    /// The application has no more data. What was sent but never written (an endless source) ends
    /// with what is sent by now.
    pub fn close(&mut self) {
        if self.written == u64::MAX {
            self.written = self.flight.max().max(self.config.handshake.span());
        }
        self.closing = true;
        self.finish_if_done();
    }

    /// A segment from the peer arrived.
    #[inline]
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        if !segment.flags.ack {
            return;
        }
        if self.state != State::Established {
            return self.on_early_segment(now, segment);
        }
        let una = self.flight.una();
        let ack = segment.ack.expand(self.config.iss, una);
        if !self.flight.accepts(ack) {
            return; // not acceptable, or old news
        }
        let window_changed = self.hear(now, segment);
        if self.flight.delivery().is_some() {
            self.begin_ack(now, ack, segment);
        }
        let fresh = if segment.sack.is_empty() {
            0
        } else {
            self.take_sack(segment)
        };
        if ack > una {
            self.on_new_ack(now, ack, segment, fresh);
        } else if !self.flight.is_empty() && !window_changed && !segment.flags.syn {
            self.on_dupack(now, fresh);
        } else {
            self.look(now, None);
        }
        self.finish_if_done();
    }

    /// Takes what any acceptable segment says; whether the peer's window is another one now.
    #[inline(always)]
    fn hear(&mut self, now: Time, segment: &Segment) -> bool {
        self.limits.hear(now);
        if let Some(timestamps) = segment.timestamps {
            self.peer_timestamp = timestamps.value;
        }
        let window = u64::from(segment.window);
        std::mem::replace(&mut self.peer_window, window) != window
    }

    /// The retransmission timer or the detector's own expired, if one did.
    pub fn on_timer(&mut self, now: Time) {
        let due = self.next_timer().is_some_and(|at| at <= now);
        if due && self.detection.next_timer() == self.next_timer() {
            // At the same time as the other one: it may make that one needless.
            self.on_detection_timer(now);
        } else if due {
            self.on_retransmission_timer(now);
        }
    }

    /// When [`Self::on_timer`] is due; `None` while nothing is outstanding.
    #[inline]
    pub fn next_timer(&self) -> Option<Time> {
        Some(self.due()).filter(|&at| at < Time::MAX)
    }

    /// As [`Self::next_timer`], with [`Time::MAX`] for `None`.
    #[inline]
    pub fn due(&self) -> Time {
        let detection = self.detection.next_timer();
        detection.map_or(self.timer, |at| at.min(self.timer))
    }

    /// The next segment to put on the wire, if any may be sent now. Call until `None` after every
    /// input.
    #[must_use]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        let departure = self.poll_departure(now)?;
        Some(self.segment(departure, now))
    }

    /// The first half of [`Self::poll_transmit`], for drivers that care where the segment is made:
    /// [`Self::segment`] is the second. (Copies of what was just written are slow.)
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
        let ack = segment.ack.expand(self.config.iss, self.flight.una());
        if self.state != State::SynSent || !self.flight.accepts(ack) {
            return;
        }
        self.hear(now, segment);
        if !segment.flags.syn || ack == 0 {
            return;
        }
        self.state = State::Established;
        self.window.cwnd = self.initial_window;
        self.sample_rtt(now, ack, segment);
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

    /// There is new data, and room for a segment of it in the receiver's window.
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
