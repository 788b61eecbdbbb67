//! One connection's law, told by noq.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use noq_proto::{RttEstimator, congestion};
use skywave_core::Time;
use skywave_core::quic::Control;
use sync_wrapper::SyncWrapper;

use crate::law::Law;
use crate::one_way::Ear;
use crate::pending::Packets;

/// Nothing is lost so late: noq declares it within 9/8 of a round trip after a later packet has arrived.
const LATEST: Duration = Duration::from_secs(1);

/// A law in one connection.
#[derive(Debug)]
pub(crate) struct Controller {
    law: Arc<Law>,
    /// noq wants controllers that threads may share, and a user's own law need not be: nobody gets at it but
    /// by exclusive access.
    control: SyncWrapper<Control>,
    /// The law's answers since it was last told something.
    answer: Answer,
    packets: Packets,
    /// Start of the law's time.
    origin: Instant,
    mtu: u16,
    /// Number and time of sending of the latest sent among the packets that were acknowledged last.
    newest: Option<(u64, Instant)>,
    /// When the latest ACK came.
    latest_ack: Time,
    /// When the latest packet left.
    latest_sent: Option<Instant>,
}

/// Answers that noq asks a law for.
#[derive(Clone, Copy, Debug)]
struct Answer {
    window: u64,
    ssthresh: Option<u64>,
    /// Bytes a second.
    pacing_rate: Option<u64>,
    send_quantum: Option<u64>,
}

impl Answer {
    fn of(control: &Control) -> Self {
        Self {
            window: control.window(),
            ssthresh: control.ssthresh(),
            pacing_rate: control.pacing_rate().map(|rate| rate.as_bps() / 8),
            send_quantum: control.send_quantum(),
        }
    }
}

impl Controller {
    pub(crate) fn new(law: Arc<Law>, now: Instant, mtu: u16) -> Self {
        let control = Control::new(&law.config);
        Self {
            answer: Answer::of(&control),
            control: SyncWrapper::new(control),
            law,
            packets: Packets::default(),
            origin: now,
            mtu,
            newest: None,
            latest_ack: Time::ZERO,
            latest_sent: None,
        }
    }

    fn time(&self, at: Instant) -> Time {
        let since = at.saturating_duration_since(self.origin);
        Time::from_nanos(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
    }

    /// Tells the law something, and takes its answer.
    fn tell<R>(&mut self, tell: impl FnOnce(&mut Control) -> R) {
        let control = self.control.get_mut();
        tell(control);
        self.answer = Answer::of(control);
    }

    /// Packets that were sent long before one that has arrived are out of the network.
    fn forget(&mut self) {
        let Some((_, newest)) = self.newest else {
            return;
        };
        let control = self.control.get_mut();
        let srtt = control.srtt().unwrap_or_default();
        let patience = LATEST.max(Duration::from_nanos(srtt.as_nanos()) * 3);
        while let Some(number) = self.packets.take_forgotten(newest, patience) {
            control.forget(number);
        }
    }
}

impl congestion::Controller for Controller {
    fn on_packet_sent(&mut self, now: Instant, bytes: u16, name: u64) {
        self.packets.push(name, now, bytes);
        self.latest_sent = Some(now);
        let time = self.time(now);
        let control = self.control.get_mut();
        // Of all packets, only the first one after a pause changes what the law answers.
        let is_first = control.in_flight() == 0;
        control.on_sent(time, u32::from(bytes));
        if is_first {
            self.answer = Answer::of(control);
        }
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        _bytes: u64,
        name: u64,
        _app_limited: bool,
        _rtt: &RttEstimator,
    ) {
        let Some(number) = self.packets.take_sent(name, sent) else {
            return;
        };
        if self.newest.is_none_or(|(newest, _)| number > newest) {
            self.newest = Some((number, sent));
        }
        let time = self.time(now);
        self.control.get_mut().on_acked(time, number);
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        _in_flight: u64,
        app_limited: bool,
        _largest_packet_num_acked: Option<u64>,
    ) {
        let time = self.time(now);
        self.latest_ack = time;
        let one_way = self.law.ear.as_ref().and_then(Ear::take);
        self.tell(|control| {
            if let Some(delays) = one_way {
                control.on_one_way(delays);
            }
            control.end_acks(time, app_limited);
        });
        self.forget();
    }

    fn on_packet_lost(&mut self, bytes: u16, name: u64, now: Instant) {
        if let Some(number) = self.packets.take_oldest(name, bytes) {
            let time = self.time(now);
            self.control.get_mut().on_lost(time, number);
        }
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        _sent: Instant,
        is_persistent_congestion: bool,
        is_ecn: bool,
        _lost_bytes: u64,
        _largest_lost_pn: u64,
    ) {
        let time = self.time(now);
        if !is_ecn {
            self.tell(|control| control.end_losses(time, is_persistent_congestion));
        } else if let Some((number, sent)) = self.newest {
            let sent = self.time(sent);
            self.tell(|control| control.on_marked(time, number, sent));
        }
    }

    fn on_spurious_congestion_event(&mut self) {
        // noq does not say when, but tells of it before the ACK that shows it.
        let time = self.latest_ack;
        self.tell(|control| control.on_spurious(time));
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        self.mtu = mtu;
    }

    fn window(&self) -> u64 {
        // Two packets, however large they are (RFC 9002 section 7.2).
        self.answer.window.max(2 * u64::from(self.mtu))
    }

    fn metrics(&self) -> congestion::ControllerMetrics {
        let mut metrics = congestion::ControllerMetrics::default();
        metrics.congestion_window = self.window();
        metrics.ssthresh = self.answer.ssthresh;
        metrics.pacing_rate = self.answer.pacing_rate;
        metrics.send_quantum = self.answer.send_quantum;
        metrics
    }

    /// For a path with other addresses: nothing that was learnt of the old one counts (RFC 9000 section 9.4),
    /// and noq tells nothing more of packets that went over it.
    fn clone_box(&self) -> Box<dyn congestion::Controller> {
        if let Some(ear) = &self.law.ear {
            ear.forget(self.latest_sent);
        }
        Box::new(Self::new(self.law.clone(), self.origin, self.mtu))
    }

    fn initial_window(&self) -> u64 {
        Control::new(&self.law.config).window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
