//! Both ends of a WTCP connection, and what is measured of it.
//!
//! WTCP is beside TCP and not inside of it: two machines of its own. Its packets are copied as TCP's segments
//! are, its losses go into the same record, and all its retransmissions count as found by SACK.

use std::sync::Arc;

use skywave_core::packet::{Body, Packet};
use skywave_core::wtcp::{self, Carried, Config, Receiver, Sender, wire};
use skywave_core::{Duration, Time};

use super::transport::Transport;
use super::undelivered::Undelivered;
use super::world::Travelling;
use crate::losses::{Found, LossCause};
use crate::measure::{FlowMeter, LossLedger, Recorder};
use crate::outcome::FlowOutcome;
use crate::spec::Spec;

/// Series of a WTCP flow, in the order of `Recorder::record`'s index.
const SERIES: [&str; 4] = ["rate", "rtt", "srtt", "acked"];

/// Both ends of a WTCP connection.
pub(crate) struct Wtcp {
    sender: Sender,
    receiver: Receiver,
    /// Bytes of the headers below WTCP's own.
    header: u32,
    /// Bits of a full packet.
    full_bits: f64,
    undelivered: Undelivered,
    /// End of what was sent.
    end: u64,
    /// Time at which the sender began to probe, if it does: the start of a blackout.
    dark_since: Option<Time>,
    window: (Time, Time),
    counts: Counts,
    losses: LossLedger,
}

/// Counters over the measured window.
#[derive(Default)]
struct Counts {
    retransmits: u64,
    probes: u64,
    blackouts: u64,
    blackout_time: Duration,
    halvings: u64,
}

impl Wtcp {
    pub(super) fn new(config: &Arc<Config>, header: u32, run: &Spec) -> Self {
        let full = wtcp::Packet::Data(wtcp::Data {
            len: config.mss,
            ..wtcp::Data::default()
        });
        Self {
            sender: Sender::new(Arc::clone(config)),
            receiver: Receiver::new(Arc::clone(config)),
            header,
            full_bits: 8.0 * f64::from(wire_size(&full, header)),
            undelivered: Undelivered::default(),
            end: 0,
            dark_since: None,
            window: run.measure,
            counts: Counts::default(),
            losses: LossLedger::new(run.measure, run.details),
        }
    }

    fn end_blackout(&mut self, now: Time) {
        if let Some(since) = self.dark_since.take() {
            let (from, to) = self.window;
            self.counts.blackout_time += now.min(to).since(since.max(from));
        }
    }

    /// Measures after every input to the sender.
    fn after_sender(&mut self, now: Time, meter: &mut FlowMeter) {
        let acknowledged = self.acknowledged();
        self.losses.acknowledged(now, acknowledged);
        meter.acknowledged(now, acknowledged);
        let rtt = self.sender.poll_rtt();
        if let Some(rtt) = rtt {
            // It has no estimate of the deviation.
            meter.smoothed_rtt(now, rtt, self.sender.rtt(), Duration::ZERO);
        }
        if let Some(recorder) = &mut meter.recorder {
            self.record(now, rtt, recorder);
        }
    }

    /// Records the series after an input to the sender.
    fn record(&self, now: Time, rtt: Option<Duration>, recorder: &mut Recorder) {
        recorder.record(
            0,
            now,
            self.full_bits / self.sender.separation().as_secs_f64(),
        );
        if let Some(rtt) = rtt {
            recorder.record(1, now, rtt.as_secs_f64());
            recorder.record(2, now, self.sender.rtt().as_secs_f64());
        }
        recorder.record(3, now, self.sender.acknowledged() as f64);
    }

    /// Something sent is not acknowledged.
    fn is_outstanding(&self) -> bool {
        self.sender.unacked().next().is_some()
    }

    /// Number of positions acknowledged, the end of the stream included.
    fn acknowledged(&self) -> u64 {
        self.sender.acknowledged() + u64::from(self.is_done())
    }
}

impl Transport for Wtcp {
    fn series(&self) -> &'static [&'static str] {
        &SERIES
    }

    fn write(&mut self, now: Time, bytes: u64, _: &mut FlowMeter) {
        self.sender.open(now);
        self.sender.write(bytes);
    }

    fn close(&mut self) {
        self.sender.close();
    }

    fn sender_due(&self) -> Time {
        self.sender.next_timer().unwrap_or(Time::MAX)
    }

    fn receiver_due(&self) -> Time {
        self.receiver.next_timer().unwrap_or(Time::MAX)
    }

    fn on_sender_timer(&mut self, now: Time, meter: &mut FlowMeter) {
        self.sender.on_timer(now);
        if self.sender.failure().is_some() {
            self.end_blackout(now);
        } else if self.sender.in_blackout() && self.dark_since.is_none() {
            self.dark_since = Some(now);
            self.counts.blackouts += u64::from(meter.counts(now));
        }
        self.after_sender(now, meter);
    }

    fn on_receiver_timer(&mut self, now: Time) {
        self.receiver.on_timer(now);
    }

    fn on_data(&mut self, now: Time, packet: &Packet, _: u32, meter: &mut FlowMeter) {
        let Body::WtcpForward(body) = packet.body else {
            return;
        };
        let body = { body.0 };
        let counts = if is_probe(&body) {
            meter.counts(now)
        } else {
            meter.arrived(now, packet.size)
        };
        let halvings = self.receiver.counters().halvings;
        let new = self.receiver.on_packet(now, &body);
        let halvings = self.receiver.counters().halvings - halvings;
        if counts {
            self.counts.halvings += halvings;
        }
        if let (Some(new), wtcp::Packet::Data(data)) = (new, &body)
            && self.losses.wants_arrivals()
        {
            let first_sent = self.undelivered.first_sent(new.end);
            if let (Some(first_sent), Some(end)) = (first_sent, data.end()) {
                self.losses.arrived(now, end, first_sent);
            }
        }
        self.receiver.read(u64::MAX);
        let delivered = self.receiver.delivered();
        self.undelivered.deliver(now, counts, delivered, meter);
    }

    fn on_ack(&mut self, now: Time, travelling: &Travelling, meter: &mut FlowMeter) {
        let Body::WtcpBack(body) = travelling.packet.body else {
            return;
        };
        self.sender.on_packet(now, &{ body.0 });
        if !self.sender.in_blackout() {
            self.end_blackout(now);
        }
        self.after_sender(now, meter);
    }

    fn lost(&mut self, at: Time, body: &Body, cause: LossCause) {
        if let Body::WtcpForward(body) = body
            && let wtcp::Packet::Data(data) = { body.0 }
            && let Some(end) = data.end()
        {
            self.losses.lost(at, end, cause);
        }
    }

    fn poll_sender(&mut self, now: Time, flow: u32, meter: &mut FlowMeter) -> Option<Packet> {
        let packet = self.sender.poll_transmit(now)?;
        if !is_probe(&packet) {
            meter.sent_packet(now);
        }
        let counts = u64::from(meter.counts(now));
        match &packet {
            wtcp::Packet::Data(data) => {
                let end = data.end().unwrap_or(u64::MAX);
                if end <= self.end {
                    self.counts.retransmits += counts;
                    // The sender retransmits only what the receiver's reports show to be missing.
                    self.losses.resent(now, end, Found::Sack);
                } else {
                    self.end = end;
                    self.undelivered.push(end - u64::from(data.fin), now);
                }
            }
            wtcp::Packet::Probe(_) => self.counts.probes += counts,
            _ => {}
        }
        let size = wire_size(&packet, self.header);
        let body = Body::WtcpForward(Carried(packet));
        Some(Packet::new(flow, size, body))
    }

    fn poll_receiver(&mut self, now: Time, flow: u32) -> Option<Packet> {
        let packet = self.receiver.poll_transmit(now)?;
        let size = wire_size(&packet, self.header);
        Some(Packet::new(flow, size, Body::WtcpBack(Carried(packet))))
    }

    fn is_done(&self) -> bool {
        self.sender.is_done()
    }

    fn is_drained(&self) -> bool {
        !self.is_outstanding() && self.sender.unsent() == 0
    }

    fn waits(&self) -> bool {
        self.is_outstanding() && self.acknowledged() > 0
    }

    fn explain(&mut self, now: Time, outcome: &mut FlowOutcome) {
        self.end_blackout(now);
        outcome.retransmits = self.counts.retransmits;
        outcome.probes = self.counts.probes;
        outcome.blackouts = self.counts.blackouts;
        outcome.blackout_s = self.counts.blackout_time.as_secs_f64();
        outcome.rate_halvings = self.counts.halvings;
        outcome.rttvar_mean_s = None;
        self.losses.finish(self.acknowledged(), outcome);
    }
}

/// Probes are counted by themselves: like ACKs, they carry no data.
pub(super) fn is_probe(packet: &wtcp::Packet) -> bool {
    matches!(packet, wtcp::Packet::Probe(_))
}

/// Bytes of a packet on the wire.
fn wire_size(packet: &wtcp::Packet, header: u32) -> u32 {
    header + wire::header_len(packet) as u32 + u32::from(packet.payload_len())
}
