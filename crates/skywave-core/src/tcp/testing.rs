//! A segment script: drives one sender by hand and reads like a trace in a paper.
//!
//! Segments are numbered from 1 and are [`MSS`] bytes long. `ack(n)` is the cumulative ACK of a
//! receiver that waits for segment `n`, as in the papers ("ACK 7" asks for segment 7). After each
//! input the sender is asked what it sends, as its contract wants; `expect_sent` looks at all of it.

use std::collections::VecDeque;
use std::ops::Range;

use crate::packet::{Flags, Hints, SackBlock, Segment, Timestamps};
use crate::seq::SeqNr;
use crate::time::{Duration, Time};
use crate::units::Segments;

use super::config::{Handshake, Profile, TcpConfig};
use super::congestion::CongestionControl;
use super::preset::preset;
use super::sender::Sender;
use super::window::{
    AckEvent, LossCause, LossEvent, MIN_SSTHRESH, Repairing, TimeoutEvent, Window,
};

/// Bytes of a segment in scripts.
pub(crate) const MSS: u32 = 1000;

/// The preset `name` in the ns-2 profile, connected from the start, in congestion avoidance with a
/// window of `window` segments; a receiver's window that does not matter.
pub(crate) fn config(name: &str, window: u32) -> TcpConfig {
    let composition = preset(name).expect("a preset").composition.clone();
    TcpConfig {
        mss: MSS,
        rwnd: 1000 * MSS,
        initial_window: Segments(f64::from(window)),
        initial_ssthresh: Some(Segments(f64::from(window))),
        handshake: Handshake::None,
        ..TcpConfig::new(Profile::Ns2, composition)
    }
}

/// An ACK of new data, on which a law measures and then moves the window.
pub(crate) fn take_ack(law: &mut impl CongestionControl, ack: &AckEvent, window: &mut Window) {
    law.on_ack(ack);
    law.grow(ack, window);
}

/// A sender, its clock and the last ACK that it got.
pub(crate) struct Script {
    pub(crate) sender: Sender,
    pub(crate) now: Time,
    config: TcpConfig,
    acked: u64,
    sent: VecDeque<Segment>,
}

impl Script {
    /// A sender of `config` with data without end, connected at time 1 s and not yet asked to send.
    pub(crate) fn new(config: TcpConfig) -> Self {
        let mut script = Self::idle(config);
        script.sender.write(u64::MAX);
        script
    }

    /// As [`Self::new`], but the application has written nothing.
    pub(crate) fn idle(config: TcpConfig) -> Self {
        let mut sender = Sender::new(config.clone());
        sender.open();
        Self {
            sender,
            now: Time::ZERO + Duration::from_secs(1),
            config,
            acked: 1,
            sent: VecDeque::new(),
        }
    }

    /// A sender of `config` that has just sent its first window, segments 1 to `n`.
    #[track_caller]
    pub(crate) fn sent(config: TcpConfig, n: u64) -> Self {
        let mut script = Self::new(config);
        script.expect_sent(1..=n);
        script
    }

    fn position(&self, segment: u64) -> u64 {
        self.config.handshake.span() + (segment - 1) * u64::from(MSS)
    }

    fn seq(&self, segment: u64) -> SeqNr {
        SeqNr::at(self.config.iss, self.position(segment))
    }

    /// Lets `ms` milliseconds pass, without looking at the timer.
    pub(crate) fn wait(&mut self, ms: u64) {
        self.now += Duration::from_millis(ms);
    }

    /// Lets time pass until the retransmission timer expires, and lets it.
    #[track_caller]
    pub(crate) fn wait_for_timeout(&mut self) {
        let timeouts = self.sender.counters().timeouts;
        self.now = self.sender.next_timer().expect("a timer").max(self.now);
        self.sender.on_timer(self.now);
        assert_eq!(
            self.sender.counters().timeouts,
            timeouts + 1,
            "did not time out"
        );
        self.pump();
    }

    /// Lets a timer expire, if one is due.
    pub(crate) fn on_timer(&mut self) {
        self.sender.on_timer(self.now);
        self.pump();
    }

    /// Lets time pass until a detector's timer is due, which sends something before a timeout.
    #[track_caller]
    pub(crate) fn wait_for_probe(&mut self) {
        let sent = self.sender.counters().sent;
        self.wait_for_silence();
        assert_eq!(self.sender.counters().sent, sent + 1, "no probe");
    }

    /// Lets time pass until a detector's timer is due, before a timeout.
    #[track_caller]
    pub(crate) fn wait_for_silence(&mut self) {
        let timeouts = self.sender.counters().timeouts;
        self.pump();
        self.now = self.sender.next_timer().expect("a timer").max(self.now);
        self.sender.on_timer(self.now);
        assert_eq!(self.sender.counters().timeouts, timeouts, "timed out");
        self.pump();
    }

    /// The receiver waits for segment `n`, and echoes a mark.
    pub(crate) fn echo(&mut self, n: u64) {
        self.receive(&Segment {
            ack: SeqNr(((n - 1) * u64::from(MSS)) as u32),
            window: 1000 * MSS,
            flags: Flags::ACK | Flags::ECE,
            ..Segment::default()
        });
    }

    /// Any segment from the peer.
    pub(crate) fn receive(&mut self, segment: &Segment) {
        self.sender.on_segment(self.now, segment);
        self.pump();
    }

    fn pump(&mut self) {
        while let Some(segment) = self.sender.poll_transmit(self.now) {
            self.sent.push_back(segment);
            assert!(self.sent.len() <= 100_000, "sends without end");
        }
    }

    /// An ACK as the receiver makes it.
    pub(crate) fn segment(&self, ack: u64, held: &[Range<u64>]) -> Segment {
        Segment {
            ack: self.seq(ack),
            window: self.config.rwnd,
            flags: Flags::ACK,
            options: held
                .iter()
                .map(|r| SackBlock {
                    start: self.seq(r.start),
                    end: self.seq(r.end),
                })
                .collect(),
            ..Segment::default()
        }
    }

    /// The receiver waits for segment `n`.
    #[track_caller]
    pub(crate) fn ack(&mut self, n: u64) {
        self.ack_sacking(n, &[]);
    }

    /// The receiver waits for segment `n` and holds these, newest first.
    #[track_caller]
    pub(crate) fn ack_sacking(&mut self, n: u64, held: &[Range<u64>]) {
        assert!(
            n > self.acked,
            "an ACK of new data after ACK {}",
            self.acked
        );
        self.acked = n;
        self.receive(&self.segment(n, held));
    }

    /// ACKs of single segments, up to waiting for `n`.
    #[track_caller]
    pub(crate) fn acks_to(&mut self, n: u64) {
        for ack in self.acked + 1..=n {
            self.ack(ack);
        }
    }

    /// As [`Self::ack`], echoing a timestamp sent at `echo`.
    pub(crate) fn ack_echoing(&mut self, n: u64, echo: Time) {
        self.acked = n;
        self.receive_echoing(self.segment(n, &[]), echo);
    }

    /// As [`Self::dupack_sacking`], echoing a timestamp sent at `echo`.
    pub(crate) fn dupack_echoing(&mut self, held: &[Range<u64>], echo: Time) {
        self.receive_echoing(self.segment(self.acked, held), echo);
    }

    fn receive_echoing(&mut self, segment: Segment, echo: Time) {
        let value = self.now;
        self.receive(&Segment {
            timestamps: Some(Timestamps { value, echo }),
            ..segment
        });
    }

    /// The same ACK again.
    pub(crate) fn dupack(&mut self) {
        self.dupack_sacking(&[]);
    }

    /// `n` times the same ACK again.
    pub(crate) fn dupacks(&mut self, n: u32) {
        for _ in 0..n {
            self.dupack();
        }
    }

    /// The same ACK again, reporting blocks of held segments, newest first.
    pub(crate) fn dupack_sacking(&mut self, held: &[Range<u64>]) {
        self.receive(&self.segment(self.acked, held));
    }

    /// The segments that the sender has put on the wire since the last call, by their numbers.
    #[track_caller]
    pub(crate) fn poll(&mut self) -> Vec<u64> {
        let near = self.sender.flight().una();
        let (iss, first) = (self.config.iss, self.position(1));
        std::iter::from_fn(|| self.poll_segment())
            .map(|segment| {
                let position = segment.seq.expand(iss, near).expect("its own number");
                let offset = position - first;
                assert_eq!(offset % u64::from(MSS), 0, "a segment of a script is whole");
                offset / u64::from(MSS) + 1
            })
            .collect()
    }

    /// The next segment of those that the sender has put on the wire since the last look.
    pub(crate) fn poll_segment(&mut self) -> Option<Segment> {
        self.pump();
        self.sent.pop_front()
    }

    /// The sender has put exactly these on the wire since the last look.
    #[track_caller]
    pub(crate) fn expect_sent(&mut self, segments: impl IntoIterator<Item = u64>) {
        let expected: Vec<u64> = segments.into_iter().collect();
        assert_eq!(self.poll(), expected, "segments sent");
    }

    /// The sender has put nothing on the wire since the last look.
    #[track_caller]
    pub(crate) fn expect_nothing(&mut self) {
        self.expect_sent([]);
    }

    /// The next segment that the sender will send in order.
    pub(crate) fn next(&self) -> u64 {
        (self.sender.flight().nxt() - self.position(1)) / u64::from(MSS) + 1
    }

    /// The congestion window, without inflation.
    #[track_caller]
    pub(crate) fn expect_cwnd(&self, cwnd: f64) {
        assert_near(self.sender.window().cwnd.0, cwnd, "cwnd");
    }

    /// The slow start threshold.
    #[track_caller]
    pub(crate) fn expect_ssthresh(&self, ssthresh: f64) {
        assert_near(self.sender.window().ssthresh.0, ssthresh, "ssthresh");
    }

    /// The retransmission timer expires in `ms` milliseconds.
    #[track_caller]
    pub(crate) fn expect_timer_in(&self, ms: u64) {
        let timer = self.sender.next_timer().expect("a timer");
        assert_eq!(timer.since(self.now), Duration::from_millis(ms), "timer");
    }

    /// No timer is pending.
    #[track_caller]
    pub(crate) fn expect_no_timer(&self) {
        assert_eq!(self.sender.next_timer(), None, "timer");
    }
}

/// Equal but for rounding.
#[track_caller]
pub(crate) fn assert_near(actual: f64, expected: f64, what: &str) {
    assert!(
        (actual - expected).abs() <= 1e-9 * expected.abs().max(1.0),
        "{what} is {actual}, not {expected}"
    );
}

/// An ACK of `acked` segments that counts by ACKs, `ms` milliseconds after the start.
pub(crate) fn ack_at(ms: f64, acked: f64) -> AckEvent {
    AckEvent {
        now: Time::ZERO + Duration::from_secs_f64(ms / 1000.0),
        acked: Segments(acked),
        counted: Segments::ONE,
        may_grow: true,
        rtt: None,
        segment_rtt: None,
        srtt: None,
        una: 0,
        nxt: 0,
        in_flight: Segments::ZERO,
        in_flight_before: Segments::ZERO,
        delivered: Segments(acked),
        lost: Segments::ZERO,
        marked: Segments::ZERO,
        rate: None,
        repairing: Repairing::Nothing,
        hints: Hints::NONE,
        one_way: None,
    }
}

/// A loss found `ms` milliseconds after the start with `window` in force, of segment `una`, the
/// next never sent being `max` (here positions are segments).
pub(crate) fn loss_at(ms: u64, window: f64, una: u64, max: u64) -> LossEvent {
    LossEvent {
        now: Time::ZERO + Duration::from_millis(ms),
        cause: LossCause::Dupacks,
        una,
        max,
        window: Segments(window),
        in_flight: Segments(window),
        outstanding: Segments(window),
        sent_at: Time::ZERO,
        transmissions: 1,
        floor: MIN_SSTHRESH,
        abe: false,
        warned: false,
    }
}

/// A timeout `ms` milliseconds after the start with `window` in force.
pub(crate) fn timeout_at(ms: u64, window: f64) -> TimeoutEvent {
    TimeoutEvent {
        now: Time::ZERO + Duration::from_millis(ms),
        window: Segments(window),
        in_flight: Segments(window),
        outstanding: Segments(window),
    }
}

/// A window and its threshold.
pub(crate) fn window(cwnd: f64, ssthresh: f64) -> Window {
    Window {
        cwnd: Segments(cwnd),
        ssthresh: Segments(ssthresh),
    }
}
