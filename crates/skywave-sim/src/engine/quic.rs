//! Both ends of a QUIC connection, and what is measured of it.
//!
//! Packets of QUIC are numbered once, so that nothing of TCP's flight fits. The law's half, `Control`, is the one
//! that real connections have. The sender cuts the stream into pieces that stay as they are when they go again,
//! so that the record of losses knows them by their end. Estimator, pacing, limits and sets of ranges are TCP's.

use std::sync::Arc;

use skywave_core::packet::{Body, Packet};
use skywave_core::quic::{self, Carried, Config, Receiver, Sender};
use skywave_core::tcp::SenderCounters;
use skywave_core::{Duration, Time};

use super::tcp::share_out;
use super::transport::Transport;
use super::undelivered::Undelivered;
use super::world::Travelling;
use crate::losses::LossCause;
use crate::measure::{FlowMeter, LossLedger, Recorder};
use crate::outcome::FlowOutcome;
use crate::spec::Spec;

/// Both ends of a QUIC connection.
pub(crate) struct Quic {
    sender: Sender,
    /// When the sender last had an input.
    sender_clock: Time,
    receiver: Receiver,
    /// Bytes of the headers below QUIC's own.
    header: u32,
    undelivered: Undelivered,
    /// End of what was sent.
    end: u64,
    losses: LossLedger,
}

impl Quic {
    pub(super) fn new(config: &Arc<Config>, header: u32, run: &Spec) -> Self {
        let mut sender = Sender::new(Arc::clone(config));
        sender.measure(run.measure.0, run.measure.1);
        Self {
            sender,
            sender_clock: Time::ZERO,
            receiver: Receiver::new(Arc::clone(config)),
            header,
            undelivered: Undelivered::default(),
            end: 0,
            losses: LossLedger::new(run.measure, run.details),
        }
    }

    /// Measures after every input to the sender.
    fn after_sender(&mut self, now: Time, meter: &mut FlowMeter) {
        let una = self.sender.una();
        meter.set_cwnd(now, self.sender.window().cwnd.0);
        self.losses.acknowledged(now, una);
        meter.acknowledged(now, una);
        let rtt = self.sender.poll_rtt();
        if let Some(rtt) = rtt {
            meter.rtt(now, rtt, self.sender.rtt());
        }
        if let Some(recorder) = &mut meter.recorder {
            self.record(now, rtt, recorder);
        }
    }

    /// Records the series after an input to the sender, in the order of TCP's; the probe timeout is the RTO.
    fn record(&self, now: Time, rtt: Option<Duration>, recorder: &mut Recorder) {
        let window = self.sender.window();
        recorder.record(0, now, window.cwnd.0);
        recorder.record(1, now, window.ssthresh.0);
        if let Some(rtt) = rtt {
            recorder.record(2, now, rtt.as_secs_f64());
        }
        if let Some(srtt) = self.sender.rtt().srtt() {
            recorder.record(3, now, srtt.as_secs_f64());
        }
        recorder.record(4, now, self.sender.pto().as_secs_f64());
        recorder.record(5, now, self.sender.una() as f64);
    }
}

impl Transport for Quic {
    fn write(&mut self, now: Time, bytes: u64, meter: &mut FlowMeter) {
        self.sender_clock = now;
        meter.open(now);
        self.sender.open();
        self.sender.write(bytes);
        meter.set_cwnd(now, self.sender.window().cwnd.0);
    }

    fn close(&mut self) {
        self.sender.close();
    }

    /// A sample that shortens the probe timeout can put the timer before the input that brought it; a host does nothing before
    /// what it has done already.
    fn sender_due(&self) -> Time {
        let due = self.sender.next_timer();
        due.map_or(Time::MAX, |due| due.max(self.sender_clock))
    }

    fn receiver_due(&self) -> Time {
        self.receiver.next_timer().unwrap_or(Time::MAX)
    }

    fn on_sender_timer(&mut self, now: Time, meter: &mut FlowMeter) {
        self.sender_clock = now;
        self.sender.on_timer(now);
        self.after_sender(now, meter);
    }

    fn on_receiver_timer(&mut self, now: Time) {
        self.receiver.on_timer(now);
    }

    fn on_data(&mut self, now: Time, packet: &Packet, _: u32, meter: &mut FlowMeter) {
        let Body::QuicForward(body) = packet.body else {
            return;
        };
        let counts = meter.arrived(now, packet.size);
        let body = { body.0 };
        if let quic::Packet::Data(data) = &body
            && self.losses.wants_arrivals()
            && !self.receiver.has(data.offset)
        {
            let end = data.offset + u64::from(data.len);
            if let Some(first_sent) = self.undelivered.first_sent(end) {
                self.losses.arrived(now, data.end(), first_sent);
            }
        }
        self.receiver.on_packet(now, &body, packet.ecn);
        let delivered = self.receiver.delivered();
        self.undelivered.deliver(now, counts, delivered, meter);
    }

    fn on_ack(&mut self, now: Time, travelling: &Travelling, meter: &mut FlowMeter) {
        let Body::QuicBack(body) = travelling.packet.body else {
            return;
        };
        self.sender_clock = now;
        self.sender.on_packet(now, &{ body.0 });
        self.after_sender(now, meter);
    }

    fn lost(&mut self, at: Time, body: &Body, cause: LossCause) {
        if let Body::QuicForward(body) = body
            && let quic::Packet::Data(data) = { body.0 }
        {
            self.losses.lost(at, data.end(), cause);
        }
    }

    fn poll_sender(&mut self, now: Time, flow: u32, _: &mut FlowMeter) -> Option<Packet> {
        let packet = self.sender.poll_transmit(now)?;
        if let Some(resend) = self.sender.poll_resend() {
            self.losses.resent(now, resend.end, resend.why.into());
        } else if let quic::Packet::Data(data) = &packet
            && data.end() > self.end
        {
            self.end = data.end();
            self.undelivered
                .push(data.offset + u64::from(data.len), now);
        }
        let ecn = self.sender.ecn();
        let body = Body::QuicForward(Carried(packet));
        Some(Packet {
            ecn,
            ..Packet::new(flow, self.header + packet.len(), body)
        })
    }

    fn poll_receiver(&mut self, now: Time, flow: u32) -> Option<Packet> {
        let packet = self.receiver.poll_transmit(now)?;
        let body = Body::QuicBack(Carried(packet));
        Some(Packet::new(flow, self.header + packet.len(), body))
    }

    fn is_done(&self) -> bool {
        self.sender.is_done()
    }

    fn is_drained(&self) -> bool {
        self.sender.is_drained() && self.sender.unsent() == 0
    }

    fn waits(&self) -> bool {
        !self.sender.is_drained() && self.sender.una() > 0
    }

    fn counters(&self) -> Option<SenderCounters> {
        Some(*self.sender.counters())
    }

    fn explain(&mut self, now: Time, outcome: &mut FlowOutcome) {
        share_out(&self.sender.limit_times(now), outcome);
        self.losses.finish(self.sender.una(), outcome);
    }
}
