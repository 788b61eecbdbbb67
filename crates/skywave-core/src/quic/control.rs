//! A window law at work in a QUIC connection.
//!
//! Where TCP's sender keeps sequence numbers, SACK blocks and retransmissions, QUIC numbers each packet once: what
//! is lost is sent again in a packet of another number, so that each ACK and each round trip is about one
//! transmission. Whoever drives a [`Control`] tells it of packets sent, acknowledged and lost; it takes the samples
//! of the rate of delivery, and makes the events that the law knows from TCP:
//!
//! | RFC 9002 | the law hears |
//! |---|---|
//! | packets newly acknowledged | [`on_ack`](CongestionControl::on_ack) and [`grow`](CongestionControl::grow), one event an ACK frame |
//! | packets lost, the first of a recovery period (section 7.3.2) | [`on_loss`](CongestionControl::on_loss) |
//! | each packet lost | [`on_segment_lost`](CongestionControl::on_segment_lost) |
//! | more packets marked CE, the first of a recovery period, in which nothing is repaired | [`on_ecn`](CongestionControl::on_ecn) |
//! | persistent congestion (section 7.6) | [`on_timeout`](CongestionControl::on_timeout) |
//! | a probe timeout | nothing (section 6.2: it is no sign of congestion) |
//!
//! Positions (`una`, `nxt`) count bytes of packets in the order of their sending.

use std::sync::Arc;

use crate::packet::Hints;
use crate::tcp::config::TcpConfig;
use crate::tcp::congestion::Congestion;
use crate::tcp::flight::{MinRtt, RateSample, RateSampler};
use crate::tcp::pacing::rate_of;
use crate::tcp::rto::RtoEstimator;
use crate::tcp::slow_start::SlowStart;
use crate::tcp::window::{
    AckEvent, IdleEvent, LossCause, LossEvent, OneWayDelays, Repairing, SpuriousEvent,
    TimeoutEvent, Window,
};
use crate::time::{Duration, Offset, Time};
use crate::units::{Rate, Segments};

use super::sent::{Packets, Sent};

/// The smallest window, in segments (RFC 9002 section 7.2).
const MIN_WINDOW: Segments = Segments(2.0);

/// A congestion control at work in a QUIC connection: its driver tells of packets sent, acknowledged and
/// lost, and asks for the window and the pace.
///
/// An ACK frame is told by [`on_acked`](Self::on_acked) for each packet that it is the first to report, and
/// [`on_one_way`](Self::on_one_way) for those whose arrival the peer tells, then [`end_acks`](Self::end_acks); losses
/// by [`on_lost`](Self::on_lost) for each packet, then [`end_losses`](Self::end_losses).
///
/// ```
/// use skywave_core::quic::Control;
/// use skywave_core::tcp::{Profile, TcpConfig, preset};
/// use skywave_core::Time;
///
/// let reno = preset("reno").unwrap().composition.clone();
/// let mut control = Control::new(&TcpConfig { mss: 1200, ..TcpConfig::new(Profile::Rfc, reno) });
/// let before = control.window();
/// let number = control.on_sent(Time::from_nanos(0), 1200);
/// control.on_acked(Time::from_nanos(50_000_000), number);
/// control.end_acks(Time::from_nanos(50_000_000), false);
/// assert_eq!(control.window(), before + 1200);
/// ```
#[derive(Debug)]
pub struct Control {
    mss: u32,
    initial_window: Segments,
    congestion: Congestion,
    slow_start: Option<SlowStart>,
    window: Window,
    /// Window and threshold before the latest cut, while that may still turn out to be a mistake.
    before_cut: Option<Window>,
    rtt: RtoEstimator,
    min_rtt: MinRtt,
    rate: RateSampler,
    packets: Packets,
    /// Bytes found lost so far, and until the last event of an ACK.
    lost: u64,
    lost_told: u64,
    /// Number of the first packet that is sent after the latest cut: losses of earlier ones belong to the
    /// same recovery period.
    recovery_end: u64,
    /// Number of the first packet that is sent after the latest cut for losses: they are under
    /// repair until it is acknowledged.
    repair_end: u64,
    /// Number after the largest one that was acknowledged: only a larger one measures the round trip
    /// (section 5.1).
    acked_below: u64,
    /// Packets that the present ACK frame has reported so far.
    acked: Told,
    /// Packets found lost since the last answer.
    found_lost: Told,
    /// Packets that the present ACK frame reports to have been marked, if that is counted.
    marked: u64,
    /// One-way delays that were told since the last event of an ACK.
    one_way: Option<OneWayDelays>,
    /// The peer's reading when the last of the packets came whose arrival was told since the last sample of the rate.
    receiver_time: Option<Offset>,
    last_sent: Time,
}

/// Packets of one kind that were told of and not yet answered.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    bytes: u64,
    /// Bytes in flight before the first one was told of.
    flight_before: u64,
    /// Number and record of the packet with the largest number.
    newest: Option<(u64, Sent)>,
}

impl Told {
    /// Another packet, when `flight` bytes were in flight before it was told of.
    fn add(&mut self, flight: u64, number: u64, packet: Sent) {
        if self.newest.is_none() {
            self.flight_before = flight;
        }
        self.bytes += u64::from(packet.bytes);
        if self.newest.is_none_or(|(newest, _)| number > newest) {
            self.newest = Some((number, packet));
        }
    }
}

impl Control {
    /// State for a connection that has sent nothing. Of `config` only the congestion control, the size of a
    /// segment, the initial window and threshold, the rule of slow start and `rto` count.
    ///
    /// A segment is `config.mss` bytes as long as the connection lasts, although packets may become larger:
    /// congestion controls count in segments, and fractions are as good as whole ones to them.
    pub fn new(config: &TcpConfig) -> Self {
        let congestion = Congestion::new(config);
        let mut rate = RateSampler::default();
        if congestion.facts().needs_losses {
            rate.keep_losses();
        }
        let initial_window = config.setup().initial_window.max(MIN_WINDOW);
        Self {
            mss: config.mss,
            initial_window,
            slow_start: SlowStart::new(config.slow_start)
                .filter(|_| !congestion.facts().owns_window),
            congestion,
            window: Window {
                cwnd: initial_window,
                ssthresh: config.initial_ssthresh.unwrap_or(Segments(f64::INFINITY)),
            },
            before_cut: None,
            rtt: RtoEstimator::new(Arc::clone(&config.rto)),
            min_rtt: MinRtt::default(),
            rate,
            packets: Packets::default(),
            lost: 0,
            lost_told: 0,
            recovery_end: 0,
            repair_end: 0,
            acked_below: 0,
            acked: Told::default(),
            found_lost: Told::default(),
            marked: 0,
            one_way: None,
            receiver_time: None,
            last_sent: Time::ZERO,
        }
    }

    /// A packet of `bytes` bytes leaves that is to be acknowledged. Returns the number by which the other
    /// methods know it: 0 for the first one, then one more each time.
    pub fn on_sent(&mut self, now: Time, bytes: u32) -> u64 {
        let idle = self.packets.in_flight() == 0;
        if idle && self.rate.is_app_limited() {
            let pause = IdleEvent {
                now,
                idle: now.since(self.last_sent),
                initial_window: self.initial_window,
            };
            self.congestion.on_resume(&pause);
            if self.congestion.facts().owns_window {
                self.congestion.on_idle_restart(&pause, &mut self.window);
            }
        }
        self.last_sent = now;
        let number = self.packets.push(now, bytes);
        let flight = self.packets.in_flight();
        self.rate.on_sent(number, now, flight, self.lost, idle);
        number
    }

    /// Packet `number` is acknowledged: an ACK frame is the first to report it.
    pub fn on_acked(&mut self, now: Time, number: u64) {
        let flight = self.packets.in_flight();
        let Some(packet) = self.packets.take(number) else {
            return;
        };
        if self.acked.newest.is_none() {
            self.rate.begin_ack(flight);
        }
        self.acked.add(flight, number, packet);
        self.rate.on_delivered(number, u64::from(packet.bytes), now);
    }

    /// The ACK frame reports this many more packets marked CE. For congestion controls that go by the share
    /// of marks; to be told before [`end_acks`](Self::end_acks).
    pub fn on_marks(&mut self, packets: u64) {
        self.marked += packets;
    }

    /// Packets took this long from host to host, by the clocks of the two. The congestion control hears of them with
    /// the next ACK.
    pub fn on_one_way(&mut self, delays: OneWayDelays) {
        self.one_way = Some(self.one_way.map_or(delays, |told| told.and(delays)));
    }

    /// The peer tells that a packet came at this reading of its clock. For congestion controls that go by arrivals; to
    /// be told before [`end_acks`](Self::end_acks), if it is known.
    pub fn on_receiver_time(&mut self, came: Time) {
        self.receiver_time = self.receiver_time.max(Some(came.offset_from(Time::ZERO)));
    }

    /// All is told of an ACK frame: takes its round trip, and lets the window grow. `app_limited`: it left
    /// room in the window, and there was nothing to send.
    pub fn end_acks(&mut self, now: Time, app_limited: bool) {
        let acked = std::mem::take(&mut self.acked);
        let marked = std::mem::take(&mut self.marked);
        let Some((newest, packet)) = acked.newest else {
            return;
        };
        let rtt = (newest >= self.acked_below).then(|| now.since(packet.at));
        if let Some(rtt) = rtt {
            self.acked_below = newest + 1;
            self.rtt.sample(packet.at, now);
            self.min_rtt.take(now, rtt);
        }
        self.rate.forget_below(self.packets.oldest());
        let flight = self.packets.in_flight();
        let mut rate = self.rate.sample(self.min_rtt.get(), flight, self.lost);
        if let Some(rate) = &mut rate {
            rate.receiver_time = self.receiver_time.take();
        }
        if app_limited {
            self.rate.on_app_limited(flight);
        }
        let delivered = self.segments(acked.bytes);
        // Section 7.3.2: the first packet that was sent after the cut ends the recovery period.
        let recovers = newest < self.recovery_end;
        let lost = self.lost - std::mem::replace(&mut self.lost_told, self.lost);
        let mut event = AckEvent {
            now,
            acked: delivered,
            counted: delivered,
            may_grow: !recovers && self.was_used(acked.flight_before, rate.as_ref()),
            rtt,
            segment_rtt: rtt,
            srtt: self.rtt.srtt(),
            una: self.packets.known_below(),
            nxt: self.packets.total(),
            in_flight: self.segments(flight),
            in_flight_before: self.segments(acked.flight_before),
            delivered,
            lost: self.segments(lost),
            marked: Segments(marked as f64).min(delivered),
            rate,
            repairing: if newest < self.repair_end {
                Repairing::Loss
            } else {
                Repairing::Nothing
            },
            hints: Hints::NONE,
            one_way: self.one_way.take(),
        };
        if let Some(slow_start) = &mut self.slow_start
            && !recovers
        {
            event.counted = slow_start.on_ack(&event, &mut self.window, true);
        }
        self.congestion.take_ack(&event, &mut self.window);
    }

    /// Counts packet `number` as lost.
    pub fn on_lost(&mut self, now: Time, number: u64) {
        let flight = self.packets.in_flight();
        let Some(packet) = self.packets.take(number) else {
            return;
        };
        self.found_lost.add(flight, number, packet);
        self.lost += u64::from(packet.bytes);
        let end = packet.start + u64::from(packet.bytes);
        self.rate.on_lost(number, packet.start, end, self.lost);
        while let Some(lost) = self.rate.poll_loss() {
            self.congestion.on_segment_lost(now, &lost, &self.window);
        }
    }

    /// All packets that an ACK or a timer showed to be lost are told. `persistent`: they are persistent
    /// congestion (section 7.6). Returns whether the window is cut for them: always if `persistent`, else
    /// once a recovery period.
    pub fn end_losses(&mut self, now: Time, persistent: bool) -> bool {
        let lost = std::mem::take(&mut self.found_lost);
        let Some((newest, packet)) = lost.newest else {
            return false;
        };
        if persistent {
            let flight = self.segments(lost.flight_before);
            let event = TimeoutEvent {
                now,
                window: self.window.cwnd,
                in_flight: flight,
                outstanding: flight,
            };
            let response = self.congestion.on_timeout(&event, &self.window);
            self.window.apply(response);
            self.begin_repair(None);
        } else if newest >= self.recovery_end {
            let event = self.loss_event(now, LossCause::Sack, packet.at, lost.flight_before);
            let before = self.window;
            let response = self.congestion.on_loss(&event, &self.window);
            self.window.apply(response);
            self.begin_repair(Some(before));
        } else {
            return false;
        }
        true
    }

    /// The peer has counted more packets marked CE; the newest packet of its ACK was sent as `number` at
    /// `sent`. Returns whether the window is cut for that: once a recovery period.
    pub fn on_marked(&mut self, now: Time, number: u64, sent: Time) -> bool {
        if number < self.recovery_end {
            return false;
        }
        let flight = self.packets.in_flight();
        let event = self.loss_event(now, LossCause::Mark, sent, flight);
        let response = self.congestion.on_ecn(&event, &self.window);
        self.window.apply(response);
        self.begin_recovery(None);
        true
    }

    /// All packets that were found lost since the latest cut have arrived after all: takes the cut back.
    pub fn on_spurious(&mut self, now: Time) {
        let Some(before) = self.before_cut.take() else {
            return;
        };
        if !self.congestion.facts().owns_window {
            self.window.take_back(&before);
        }
        let event = SpuriousEvent {
            now,
            outstanding: self.segments(self.packets.in_flight()),
        };
        self.congestion.on_spurious(&event, &mut self.window);
        (self.recovery_end, self.repair_end) = (0, 0);
    }

    /// Nothing will ever be told of this packet, as its keys were discarded (section 6.4).
    pub fn forget(&mut self, number: u64) {
        self.packets.take(number);
    }

    fn begin_recovery(&mut self, before: Option<Window>) {
        self.before_cut = before;
        self.recovery_end = self.packets.next();
    }

    /// The same because of losses.
    fn begin_repair(&mut self, before: Option<Window>) {
        self.begin_recovery(before);
        self.repair_end = self.recovery_end;
    }

    fn loss_event(&self, now: Time, cause: LossCause, sent_at: Time, flight: u64) -> LossEvent {
        let flight = self.segments(flight);
        LossEvent {
            now,
            cause,
            una: self.packets.known_below(),
            max: self.packets.total(),
            window: self.window.cwnd,
            in_flight: flight,
            outstanding: flight,
            sent_at,
            transmissions: 1,
            floor: MIN_WINDOW,
            abe: false,
            warned: cause == LossCause::Mark,
        }
    }

    /// Section 7.8: a window that is not used does not grow. A sender that is paced by its window uses one that it does
    /// not fill; a law that asks for a pace of its own does not.
    fn was_used(&self, flight_before: u64, rate: Option<&RateSample>) -> bool {
        let filled = self.segments(flight_before) + Segments::ONE >= self.window.cwnd;
        let by_window = self.congestion.pacing_rate().is_none();
        filled || by_window && rate.is_some_and(|sample| !sample.app_limited)
    }

    fn segments(&self, bytes: u64) -> Segments {
        Segments::from_bytes(bytes, self.mss)
    }

    /// Bytes that may be in flight.
    pub fn window(&self) -> u64 {
        self.window.cwnd.max(MIN_WINDOW).to_bytes(self.mss)
    }

    /// The congestion window and the slow start threshold, in segments.
    pub fn in_packets(&self) -> Window {
        Window {
            cwnd: self.window.cwnd.max(MIN_WINDOW),
            ..self.window
        }
    }

    /// The slow start threshold in bytes; `None` while it is infinite, as before the first cut.
    pub fn ssthresh(&self) -> Option<u64> {
        let ssthresh = self.window.ssthresh;
        (ssthresh.0.is_finite()).then(|| ssthresh.to_bytes(self.mss))
    }

    /// Bytes in flight.
    pub fn in_flight(&self) -> u64 {
        self.packets.in_flight()
    }

    /// Rate at which packets are to leave: that of the congestion control, or Linux' for its window (QUIC
    /// senders must not send bursts, section 7.7). `None` while no round trip is known.
    pub fn pacing_rate(&self) -> Option<Rate> {
        let own = self.congestion.pacing_rate();
        own.or_else(|| rate_of(&self.window, self.rtt.srtt(), self.mss))
    }

    /// Bytes that may leave at once when paced; `None` if the congestion control leaves that to the pacing.
    pub fn send_quantum(&self) -> Option<u64> {
        self.congestion.send_quantum()
    }

    /// Smoothed round-trip time, if one was measured.
    pub fn srtt(&self) -> Option<Duration> {
        self.rtt.srtt()
    }
}

#[cfg(test)]
mod tests;
