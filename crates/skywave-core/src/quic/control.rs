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

/// Congestion control of one QUIC connection: its driver reports packets sent, acknowledged and lost, and asks for the
/// window and the pacing rate.
///
/// For an ACK frame, call [`on_acked`](Self::on_acked) for each newly acknowledged packet,
/// [`on_one_way`](Self::on_one_way) for those whose arrival times the peer reports, then [`end_acks`](Self::end_acks);
/// for losses, call [`on_lost`](Self::on_lost) for each packet, then [`end_losses`](Self::end_losses).
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
    /// Control of a connection that has sent nothing. Of `config` it uses only the congestion control with its
    /// [`setup`](TcpConfig::setup) (segment size, initial window), the initial ssthresh, the rule that ends slow start,
    /// and `rto`, by which round trips are smoothed.
    ///
    /// A segment stays `config.mss` bytes even if packets become larger: congestion controls count in segments, and may
    /// count fractions of them.
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

    /// An ack-eliciting packet leaves; `bytes` is its size without the headers of UDP and IP (RFC 9002 section 2).
    /// Returns the number by which the other methods know the packet: 0 for the first one, then one more each time.
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

    /// Packet `number` is newly acknowledged: the present ACK frame is the first to report it.
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

    /// The present ACK frame raises the count of packets marked CE by `packets`, for congestion controls that use the
    /// share of marks. Call before [`end_acks`](Self::end_acks); the window is cut by [`on_marked`](Self::on_marked).
    pub fn on_marks(&mut self, packets: u64) {
        self.marked += packets;
    }

    /// Newly acknowledged packets took `delays` from this host to the peer, by the clocks of the two hosts. The
    /// congestion control gets them at the next [`end_acks`](Self::end_acks).
    pub fn on_one_way(&mut self, delays: OneWayDelays) {
        self.one_way = Some(self.one_way.map_or(delays, |told| told.and(delays)));
    }

    /// The peer reports that a packet arrived when its clock read `came`, for congestion controls that use arrival
    /// times. Call before [`end_acks`](Self::end_acks), if the peer reports such times.
    pub fn on_receiver_time(&mut self, came: Time) {
        self.receiver_time = self.receiver_time.max(Some(came.offset_from(Time::ZERO)));
    }

    /// Ends the report of an ACK frame: samples its round trip and lets the window grow. `app_limited` is true if the
    /// sender had nothing to send although the window had room.
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

    /// Packet `number` is found lost; its bytes are no longer in flight.
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

    /// Ends the report of the packets that an ACK or a timer showed to be lost. `persistent`: they are persistent
    /// congestion (RFC 9002 section 7.6). Returns whether the congestion control reacts to them: always if
    /// `persistent`, else once a recovery period.
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

    /// The peer has counted more packets marked CE; the newest packet of its ACK was sent as `number` at `sent`.
    /// Returns whether the congestion control reacts to that: once a recovery period.
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

    /// Takes the latest cut back if losses caused it: all packets found lost have arrived after all. A cut for
    /// persistent congestion or for CE marks stays.
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

    /// Removes packet `number` from those in flight: its keys were discarded, so that it is neither acknowledged nor
    /// lost (RFC 9002 section 6.4).
    pub fn forget(&mut self, number: u64) {
        self.packets.take(number);
    }

    fn begin_recovery(&mut self, before: Option<Window>) {
        self.before_cut = before;
        self.recovery_end = self.packets.next();
    }

    /// Begins a recovery period because of losses.
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

    /// Congestion window: bytes that may be in flight.
    pub fn window(&self) -> u64 {
        self.window.cwnd.max(MIN_WINDOW).to_bytes(self.mss)
    }

    /// The congestion window and the slow start threshold, in segments of `mss` bytes.
    pub fn in_packets(&self) -> Window {
        Window {
            cwnd: self.window.cwnd.max(MIN_WINDOW),
            ..self.window
        }
    }

    /// The slow start threshold in bytes; `None` while it is infinite, as it is before the first cut by default.
    pub fn ssthresh(&self) -> Option<u64> {
        let ssthresh = self.window.ssthresh;
        (ssthresh.0.is_finite()).then(|| ssthresh.to_bytes(self.mss))
    }

    /// Bytes in flight: sent, and neither acknowledged nor lost.
    pub fn in_flight(&self) -> u64 {
        self.packets.in_flight()
    }

    /// Rate at which packets are to leave: the congestion control's own, or else the rate of Linux' pacing for its
    /// window (RFC 9002 section 7.7 forbids bursts). `None` while neither is known, as no round trip was measured.
    pub fn pacing_rate(&self) -> Option<Rate> {
        let own = self.congestion.pacing_rate();
        own.or_else(|| rate_of(&self.window, self.rtt.srtt(), self.mss))
    }

    /// Bytes that may leave back to back when paced; `None` if the congestion control leaves that to the pacer.
    pub fn send_quantum(&self) -> Option<u64> {
        self.congestion.send_quantum()
    }

    /// Smoothed round-trip time; `None` before the first sample.
    pub fn srtt(&self) -> Option<Duration> {
        self.rtt.srtt()
    }
}

#[cfg(test)]
mod tests;
