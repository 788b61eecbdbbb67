//! Both ends of a WTCP connection, and what is measured of it.
//!
//! WTCP is beside TCP and not inside of it: two machines of its own. Its packets are copied as TCP's segments
//! are, its losses go into the same record, and all its retransmissions count as found by SACK.

use std::sync::Arc;

use skywave_core::packet::{Body, Packet};
use skywave_core::wtcp::{self, Carried, Config, Receiver, Sender, wire};
use skywave_core::{Duration, Time};

use super::undelivered::Undelivered;
use crate::losses::{Found, LossCause};
use crate::measure::{FlowMeter, LossLedger, Recorder, is_within};
use crate::outcome::FlowOutcome;
use crate::spec::Spec;

/// Series of a WTCP flow, in the order of `Recorder::record`'s index.
pub(super) const SERIES: [&str; 4] = ["rate", "rtt", "srtt", "acked"];

/// Both ends of a WTCP connection.
pub(crate) struct Wtcp {
    sender: Sender,
    receiver: Receiver,
    /// The packet that the receiver has for the wire.
    answer: Option<wtcp::Packet>,
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
            answer: None,
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

    pub(super) fn write(&mut self, now: Time, bytes: u64) {
        self.sender.open(now);
        self.sender.write(bytes);
    }

    pub(super) fn close(&mut self) {
        self.sender.close();
    }

    pub(super) fn sender_due(&self) -> Option<Time> {
        self.sender.next_timer()
    }

    pub(super) fn receiver_due(&self) -> Option<Time> {
        self.receiver.next_timer()
    }

    pub(super) fn on_receiver_timer(&mut self, now: Time) {
        self.receiver.on_timer(now);
    }

    pub(super) fn on_sender_timer(&mut self, now: Time) {
        self.sender.on_timer(now);
        if self.sender.failure().is_some() {
            self.end_blackout(now);
        } else if self.sender.in_blackout() && self.dark_since.is_none() {
            self.dark_since = Some(now);
            self.counts.blackouts += u64::from(self.counts(now));
        }
    }

    /// A packet reached the receiver. Its application reads at once.
    pub(super) fn on_data(
        &mut self,
        now: Time,
        size: u32,
        packet: &wtcp::Packet,
        meter: &mut FlowMeter,
    ) {
        let counts = meter.counts(now);
        if counts && !is_probe(packet) {
            meter.arrived(size);
        }
        let halvings = self.receiver.counters().halvings;
        let new = self.receiver.on_packet(now, packet);
        let halvings = self.receiver.counters().halvings - halvings;
        if counts {
            self.counts.halvings += halvings;
        }
        if let (Some(new), wtcp::Packet::Data(data)) = (new, packet)
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

    /// A packet reached the sender. Returns the round trip that it measured.
    pub(super) fn on_ack(&mut self, now: Time, packet: &wtcp::Packet) -> Option<Duration> {
        self.sender.on_packet(now, packet);
        if !self.sender.in_blackout() {
            self.end_blackout(now);
        }
        self.sender.poll_rtt()
    }

    fn end_blackout(&mut self, now: Time) {
        if let Some(since) = self.dark_since.take() {
            let (from, to) = self.window;
            self.counts.blackout_time += now.min(to).since(since.max(from));
        }
    }

    /// Measures after every input to the sender.
    pub(super) fn after_sender(&mut self, now: Time, meter: &mut FlowMeter, rtt: Option<Duration>) {
        let acknowledged = self.acknowledged();
        self.losses.acknowledged(now, acknowledged);
        meter.acknowledged(now, acknowledged);
        if let Some(rtt) = rtt {
            // It has no estimate of the deviation.
            meter.smoothed_rtt(now, rtt, self.sender.rtt(), Duration::ZERO);
        }
    }

    /// Records the series after an input to the sender.
    pub(super) fn record(&self, now: Time, rtt: Option<Duration>, recorder: &mut Recorder) {
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

    /// A packet from the sender is lost at `at`.
    pub(super) fn lost(&mut self, at: Time, packet: &wtcp::Packet, cause: LossCause) {
        if let wtcp::Packet::Data(data) = packet
            && let Some(end) = data.end()
        {
            self.losses.lost(at, end, cause);
        }
    }

    /// The next packet that the sender has for the wire.
    pub(super) fn poll_sender(
        &mut self,
        now: Time,
        flow: u32,
        meter: &mut FlowMeter,
    ) -> Option<Packet> {
        let packet = self.sender.poll_transmit(now)?;
        if !is_probe(&packet) {
            meter.sent_packet(now);
        }
        let counts = u64::from(self.counts(now));
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

    /// Whether the receiver has a packet for the wire; [`Self::answer`] is it.
    pub(super) fn poll_receiver(&mut self, now: Time) -> bool {
        self.answer = self.receiver.poll_transmit(now);
        self.answer.is_some()
    }

    /// The packet that [`Self::poll_receiver`] has found.
    pub(super) fn answer(&mut self, flow: u32) -> Packet {
        let packet = self.answer.take().expect("polled before");
        let size = wire_size(&packet, self.header);
        Packet::new(flow, size, Body::WtcpBack(Carried(packet)))
    }

    /// Everything and the end of the stream is acknowledged.
    pub(super) fn is_done(&self) -> bool {
        self.sender.is_done()
    }

    /// Everything written is acknowledged.
    pub(super) fn is_drained(&self) -> bool {
        !self.waits() && self.sender.unsent() == 0
    }

    /// Something sent is not acknowledged.
    pub(super) fn waits(&self) -> bool {
        self.sender.unacked().next().is_some()
    }

    /// Number of positions acknowledged, the end of the stream included.
    pub(super) fn acknowledged(&self) -> u64 {
        self.sender.acknowledged() + u64::from(self.is_done())
    }

    /// What was measured, at the end of the run.
    pub(super) fn explain(&mut self, now: Time, outcome: &mut FlowOutcome) {
        self.end_blackout(now);
        outcome.retransmits = self.counts.retransmits;
        outcome.probes = self.counts.probes;
        outcome.blackouts = self.counts.blackouts;
        outcome.blackout_s = self.counts.blackout_time.as_secs_f64();
        outcome.rate_halvings = self.counts.halvings;
        outcome.rttvar_mean_s = None;
        self.losses.finish(self.acknowledged(), outcome);
    }

    fn counts(&self, at: Time) -> bool {
        is_within(at, self.window)
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
